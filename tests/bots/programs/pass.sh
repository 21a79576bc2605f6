#!/bin/sh
# Cold War in the shell, with nothing but builtins: it passes, by the empty shift.
while IFS= read -r line; do
    case $line in
    '{"type":"hello"'*)
        echo '{"type":"ready"}'
        ;;
    '{"type":"ask"'*)
        id=${line#*'"id":'}
        id=${id%%[!0-9]*}
        case $line in
        *'"decision":"talk"'*) move='{"say":""}' ;;
        *) move='{"play":"shift","move":[0,0,0,0]}' ;;
        esac
        echo "{\"id\":$id,\"move\":$move}"
        ;;
    esac
done
