#!/bin/sh
# Brings in card after card at the back, and holds its rows until the Troops are counted.
#
# To try first: attack the first of "targets" with the first of "attackers", where its number is
# higher.

choose() {
    case $decision in
    deploy) deploy ;;
    orders)
        inside '"hand":' '[' ']'
        move='{"action":"attack"}'
        if [ "$value" ]; then
            move="{\"action\":\"incorporate\",\"card\":${value%%,*},\"zone\":\"rearguard\"}"
        fi
        ;;
    attack) move='{"attackers":[],"target":null}' ;;
    *) first_legal ;;
    esac
}

# The first cards of the hand, zone by zone, as many as "limits" asks for.
deploy() {
    inside '"hand":' '[' ']'
    hand=$value,
    inside '"limits":' '{' '}'
    limits=$value,
    zones=
    while [ "$limits" ]; do
        zone=${limits%%,*} # such as "centre":2
        limits=${limits#*,}
        count=${zone##*:}
        cards=
        while [ "$count" -gt 0 ]; do
            cards=$cards,${hand%%,*}
            hand=${hand#*,}
            count=$((count - 1))
        done
        zones=$zones,${zone%:*}:[${cards#,}]
    done
    move="{${zones#,}}"
}

. ./kit.sh
