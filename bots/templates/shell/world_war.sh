#!/bin/sh
# Puts all new armies in one place, and attacks from the first territory that has enough.
#
# To try first: let all armies follow into a territory that was conquered, by "max_armies".

choose() {
    case $decision in
    setup | deploy)
        inside '"limits":' '{' '}'
        number armies "$value"
        armies=$value
        inside '"territories":' '[' ']'
        move="{\"armies\":{${value%%,*}:$armies}}"
        ;;
    attack) attack ;;
    occupy) move='{"armies":0}' ;;
    fortify) move='{"action":"stay"}' ;;
    *) first_legal ;;
    esac
}

# With three dice on the first neighbour listed, if the first territory listed can throw them.
attack() {
    move='{"action":"stop"}'
    inside '"attacks":[' '{' '}' # "from":"alaska","to":["alberta","kamchatka"],"max_dice":3,...
    case $value in *'"max_dice":3'*) ;; *) return ;; esac
    from=${value%%,*}
    inside '"to":' '[' ']'
    order=
    case $ask in *'"max_rolls":'*) order=',"rolls":1,"stop_at":1' ;; esac
    move="{\"action\":\"attack\",$from,\"to\":${value%%,*},\"dice\":3$order}"
}

. ./kit.sh
