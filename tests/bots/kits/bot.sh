#!/bin/sh
# Reads a view and writes a move as an author may, by the kit for the shell.

choose() {
    number with "$ask"
    ally=$value
    number seat "$start"
    seat=$value
    number deck "$start"
    option=$value
    inside '"hand":' '[' ']'
    move="{\"first\":${value%%,*},\"ally\":$ally,\"seat\":$seat,\"option\":$option}"
    note='a word'
}

. ./kit.sh
