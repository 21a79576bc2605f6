#!/usr/bin/env tclsh
while {[gets stdin line] >= 0} {
    if {[string first {"hello"} $line] >= 0} {puts {{"type":"ready"}}}
    if {[string first {"ask"} $line] >= 0} {
        regexp {"id":(\d+)} $line - id
        regexp {"legal":\[(\{[^\}]*\})} $line - move
        puts "{\"id\":$id,\"move\":$move}"
    }
    flush stdout
}
