import std/[json]
for line in stdin.lines:
  let ask = parseJson(line)
  if ask["type"].getStr == "hello": echo """{"type":"ready"}"""
  if ask["type"].getStr == "ask": echo %*{"id": ask["id"], "move": ask["legal"][0]}
  flushFile(stdout)
