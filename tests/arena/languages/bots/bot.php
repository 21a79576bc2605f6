<?php
while (($line = fgets(STDIN)) !== false) {
    $ask = json_decode($line, true);
    if ($ask["type"] === "hello") echo '{"type":"ready"}', "\n";
    if ($ask["type"] === "ask")
        echo json_encode(["id" => $ask["id"], "move" => $ask["legal"][0]]), "\n";
}
