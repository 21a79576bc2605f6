#!/bin/sh
# Ends its turns early, fills its hand, and otherwise makes the first move listed.
#
# To try first: defend with a coin where the attack's "strength" is 1.

choose() {
    first_legal
    case $decision$ask in
    action*'{"action":"end_turn"}'*) ;;
    action*'{"action":"feint"}'*) move='{"action":"feint"}' ;;
    esac
}

. ./kit.sh
