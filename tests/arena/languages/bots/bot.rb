require "json"
$stdout.sync = true
while (line = $stdin.gets)
  ask = JSON.parse(line)
  puts '{"type":"ready"}' if ask["type"] == "hello"
  puts JSON.generate(id: ask["id"], move: ask["legal"][0]) if ask["type"] == "ask"
end
