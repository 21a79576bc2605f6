#!/usr/bin/awk -f
/"hello"/ { print "{\"type\":\"ready\"}"; fflush() }
/"ask"/ {
    id = $0; sub(/.*"id":/, "", id); sub(/,.*/, "", id)
    move = substr($0, index($0, "\"legal\":[") + 9)
    print "{\"id\":" id ",\"move\":" substr(move, 1, index(move, "}")) "}"; fflush()
}
