#!/bin/sh
# Plays {{game}} by legal moves, until you choose better ones: the first listed or, where they are
# not listed, the first of the samples.

# Set $move; each decision of the game has its place here.
choose() {
    case $decision in
    # {{each decision}}
    "{{name}}")
        # {{about}}
        any_move
        ;;
    # {{end}}
    *) any_move ;;
    esac
}

# What "view" holds in $ask, such as when a match of {{seats}} seats begins:
#
# {{view}}

. ./kit.sh
