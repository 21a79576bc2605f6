# The loop of a bot for /bin/sh, for authors: copy this file beside your program. Builtins alone,
# as the sandbox lets a bot start no other program: no $(...), no pipes.
#
# A bot is a function `choose` that sets $move; after it comes `. ./kit.sh`. This one plays every
# game:
#
#     choose() { any_move; }
#     . ./kit.sh
#
# $decision   names what is asked
# $ask        the whole line, as it came: "view" first, then "legal" or "limits" and "samples"
# $start      the line that began the match, with "seat", "seats", "options", "table", "seed"
# $note       set it to keep a few words with the move, in JSON's spelling, without the quotes
# $samples    set it before `. ./kit.sh`: how many legal moves to be shown where they are not listed,
#             0 to 16; otherwise 4
#
# Where the league grants the bot a door, `fetch URL` asks elsewhere while it is its turn, and waits;
# `fetch URL BODY` sends something, of the type application/json or `fetch URL BODY TYPE`. BODY is
# in JSON's spelling, without the quotes: `quote "$text"` sets $value to that. It sets $status to
# the status of HTTP and $body to the answer, in JSON's spelling too; or, if the request was refused
# or has failed, $status to nothing and $body to why.
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

# Set $move to the first of the legal moves or, where they are not listed, to the first of the
# samples. It goes through the line from quotation mark to quotation mark.
any_move() {
    move=
    key= text= quoted= depth=0
    IFS='"'
    for piece in $ask; do
        if [ "$quoted" ]; then
            text=$text$piece
            slashes=${piece##*[!\\]}
            case $((${#slashes} % 2)) in
            1) text=$text'"' ;; # the mark belongs to the text
            *) quoted= ;;
            esac
            [ "$quoted" ] && continue
            [ "$depth" = 1 ] && key=$text
            [ "$move" ] && move="$move\"$text\""
            continue
        fi
        brackets "$piece" && break
        quoted=1
        text=
    done
    unset IFS
    [ "$move" ] || fail 'no legal moves and no samples in: ' "$ask"
}

# Go through what is between two texts, from bracket to bracket; return whether the move is whole.
brackets() {
    left=$1
    while :; do
        before=${left%%[][\{\}]*}
        [ "$move" ] && move=$move$before
        [ "$before" = "$left" ] && return 1
        left=${left#"$before"}
        sign=${left%"${left#?}"}
        left=${left#?}
        case $sign in
        [\[\{]) depth=$((depth + 1)) ;;
        *) depth=$((depth - 1)) ;;
        esac
        case $move$key$depth$sign in
        "legal3{" | "samples3{") move='{' ;;
        '{'*)
            move=$move$sign
            [ "$depth" = 2 ] && return 0
            ;;
        esac
    done
}

# Set $value to a text in JSON's spelling, without the quotes.
quote() {
    left=$1 value=
    while :; do
        before=${left%%[\\\"$control]*}
        value=$value$before
        [ "$before" = "$left" ] && return
        left=${left#"$before"}
        sign=${left%"${left#?}"}
        left=${left#?}
        case $sign in
        [\\\"]) value=$value\\$sign ;;
        "$tab") value=$value'\t' ;;
        "$newline") value=$value'\n' ;;
        esac
    done
}

tab='	' newline='
'
control=$tab$newline
asked=0

fetch() {
    status=
    body='there is no door: whoever organizes a league grants one, with the names that a bot may ask'
    [ "${ARENA_DOOR-}" ] || return 1
    asked=$((asked + 1))
    quote "$1"
    request="{\"id\":$asked,\"url\":\"$value\""
    if [ $# -gt 1 ]; then
        request="$request,\"headers\":{\"content-type\":\"${3-application/json}\"},\"body\":\"$2\""
    fi
    body='the door is closed'
    trap '' PIPE
    printf '%s}\n' "$request" >&4 || return 1
    while IFS= read -r reply; do
        case $reply in
        '{"id":'"$asked"',"error":"'*)
            body=${reply#*'"error":"'}
            body=${body%'"}'}
            return 1
            ;;
        '{"id":'"$asked",*)
            number status "$reply"
            status=$value
            body=
            case $reply in *'"body":"'*) body=${reply##*'"body":"'} body=${body%'"}'} ;; esac
            return 0
            ;;
        esac # others are for nobody
    done <&3
    return 1
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
    '{"type":"hello"'*) echo "{\"type\":\"ready\",\"samples\":${samples-4}}" ;;
    esac
done
exit 0
