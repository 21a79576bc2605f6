#!/bin/sh
# Waits for the end: in this game nothing is ever asked, the cards alone decide.
#
# To try first: nothing, for no program can play it better. Any other game has decisions.

# The first legal move, were one ever asked for.
choose() {
    first_legal
}

. ./kit.sh
