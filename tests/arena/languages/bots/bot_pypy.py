import json
import sys

for line in sys.stdin:
    ask = json.loads(line)
    if ask["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    if ask["type"] == "ask":
        print(json.dumps({"id": ask["id"], "move": ask["legal"][0]}), flush=True)
