#!/bin/sh
# Steals the first pile listed whenever it can, and tops its own with the first card won.
#
# To try first: of two piles, steal the larger one: "piles" shows them all.

choose() {
    first_legal
    if [ "$decision" = steal ]; then # the first of these is to play the card
        inside '"action":"play"},' '{' '}'
        move="{$value}"
    fi
}

. ./kit.sh
