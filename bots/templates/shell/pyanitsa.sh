#!/bin/sh
# Picks up the lowest card first, to lose it again; the highest where the aim is to have cards.
#
# To try first: where both packs are known, let each card meet one that beats it, and mind the six.

# Sort what was won by rank; equal ranks stay in the order listed.
choose() {
    ranks="2 3 4 5 6 7 8 9 T J Q K A"
    case $ask in *'"aim":"avoid_empty"'*) ranks="A K Q J T 9 8 7 6 5 4 3 2" ;; esac
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
