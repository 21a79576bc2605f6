#!/bin/sh
# Asks through the door what it is asked, by the kit for the shell.

choose() {
    url=${ask#*'"url":"'}
    url=${url%%'"'*}
    case $ask in
    *'"body":"'*)
        sent=${ask#*'"body":"'}
        sent=${sent%'"},"legal"'*}
        fetch "$url" "$sent" text/plain
        ;;
    *) fetch "$url" ;;
    esac
    if [ "$status" ]; then
        move="{\"status\":$status,\"body\":\"$body\"}"
    else
        move="{\"error\":\"$body\"}"
    fi
}

. ./kit.sh
