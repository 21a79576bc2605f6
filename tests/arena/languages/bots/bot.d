import std.json, std.stdio;
void main() {
    foreach (line; stdin.byLine) {
        auto ask = parseJSON(line);
        if (ask["type"].str == "hello") writeln(`{"type":"ready"}`);
        if (ask["type"].str == "ask")
            writeln(JSONValue(["id": ask["id"], "move": ask["legal"][0]]));
        stdout.flush();
    }
}
