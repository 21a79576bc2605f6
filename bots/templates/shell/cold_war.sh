#!/bin/sh
# Arms against every other seat, and never attacks.
#
# To try first: attack with a seat whose last play, in "last", named you as its ally.

choose() {
    case $decision in
    talk) move='{"say":""}' ;;
    *)
        case $ask in # nothing is aimed at oneself
        *'"partners":[1,2,3]'*) move='{"play":"arm","add":[0,2,1,1]}' ;;
        *'"partners":[0,2,3]'*) move='{"play":"arm","add":[2,0,1,1]}' ;;
        *'"partners":[0,1,3]'*) move='{"play":"arm","add":[2,1,0,1]}' ;;
        *) move='{"play":"arm","add":[2,1,1,0]}' ;;
        esac
        ;;
    esac
}

. ./kit.sh
