#!/bin/sh
# Draws in peace, uses its specials in a combat, and otherwise makes the first move listed.
#
# To try first: show cards when attacked, which the last of the moves listed does.

choose() {
    first_legal
    case $decision in
    poison | retreat) move='{"use":true}' ;;
    esac
}

. ./kit.sh
