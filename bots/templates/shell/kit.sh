# The loop of a bot for /bin/sh, for authors: copy this file beside your program. Builtins alone,
# as the sandbox lets a bot start no other program: no $(...), no pipes.
#
# A bot is a function `choose` that sets $move; after it comes `. ./kit.sh`. This one plays,
# wherever moves are listed:
#
#     choose() { first_legal; }
#     . ./kit.sh
#
# $decision   names what is asked
# $ask        the whole line, as it came: "view" first, then "legal" or "limits"
# $start      the line that began the match, with "seat", "seats", "options", "table", "seed"
# $note       set it to keep a few words with the move, in JSON's spelling, without the quotes
#
# The functions below take pieces out of a line. They rely on how the referee writes JSON:
# without spaces, `type` first, then `id`, then `decision`. What is not there ends the bot, with a
# message on standard error that names it; ask `case $ask in *'"hand":'*)` where it may be missing.

set -fu # no names of files in place of *, and a mistyped variable ends the bot

# End the bot with a message, such as fail 'nothing to attack, in: ' "$ask".
fail() {
    printf 'bot: %s%.300s\n' "$1" "$2" >&2
    exit 1
}

# Set $value to what follows a text in the ask, from one bracket to the next that ends it:
# inside '"hand":' '[' ']' finds "4E","7C" in "hand":["4E","7C"]. Empty if there is nothing
# between the brackets, or another sign follows the text.
inside() {
    case $ask in *"$1"*) ;; *) fail "there is no $1 in: " "$ask" ;; esac
    before=
    IFS=$2
    for value in $ask; do # the pieces between the brackets
        case $before in
        *"$1")
            value=${value%%"$3"*}
            unset IFS
            return
            ;;
        esac
        before=$value
    done
    unset IFS
    value=
}

# Set $value to the whole number that follows "NAME": in the text, which should be short.
number() {
    case $2 in *"\"$1\":"*) ;; *) fail "there is no \"$1\" in: " "$2" ;; esac
    value=${2#*"\"$1\":"}
    value=${value%%[!0-9-]*}
    [ "$value" ] || fail "\"$1\" is no number in: " "$2"
}

# Set $move to the first legal move; moves hold no objects of their own, so it ends at a brace.
first_legal() {
    inside '"legal":[' '{' '}'
    [ "$value" ] || fail 'no legal moves are listed in: ' "$ask"
    move="{$value}"
}

answer() {
    id=${line#*'"id":'}
    id=${id%%[!0-9]*}
    decision=${line#*'"decision":"'}
    decision=${decision%%'"'*}
    ask=$line
    note=
    move=
    choose
    [ "$move" ] || fail 'choose has set no move for: ' "$decision"
    printf '{"id":%s,"move":%s%s}\n' "$id" "$move" "${note:+,\"note\":\"$note\"}"
}

while IFS= read -r line; do
    case $line in
    '{"type":"ask"'*) answer ;;
    '{"type":"start"'*) start=$line ;;
    '{"type":"hello"'*) echo '{"type":"ready"}' ;;
    esac
done
exit 0
