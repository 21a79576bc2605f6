#!/bin/sh
# Bets the least, never on a tie, and always goes to war: so it loses as slowly as one can.
#
# To try first: when the last rounds come and a rival has more money, bet enough to get past it.

choose() {
    case $decision in
    bet)
        inside '"bet":' '{' '}'
        number min "$value"
        move="{\"bet\":$value,\"tie_bet\":0}"
        ;;
    *) first_legal ;; # war, which on average is never worse than to surrender
    esac
}

. ./kit.sh
