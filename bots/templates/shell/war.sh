#!/bin/sh
# Picks up the highest card first, so that it comes up again before the low ones.
#
# To try first: where both packs are known, put each card where it meets one that it just beats.

# Sort what was won by rank; equal ranks stay in the order listed.
choose() {
    ranks="X A K Q J T 9 8 7 6 5 4 3 2"
    inside '"won":' '[' ']'
    order=
    for rank in $ranks; do
        left=$value,
        while [ "$left" ]; do
            card=${left%%,*}
            left=${left#*,}
            case $card in \"$rank*) order=$order,$card ;; esac
        done
    done
    move="{\"order\":[${order#,}]}"
}

. ./kit.sh
