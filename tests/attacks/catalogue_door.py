"""The hostile bots with a door: what they try there, beside all that others try."""

from tests.attacks import judges as j
from tests.attacks import judges_door as d
from tests.attacks.attack import group_of

DOOR = group_of(
    "Door",
    "door",
    [
        ("others_endpoint", "another bot's endpoint, or the host's", d.reached_endpoint),
        ("other_addresses", "the host by its other addresses", j.reached("tcp_any")),
        ("serve", "bind, listen", d.listens),
        ("other_protocols", "sockets that are not TCP over IPv4", j.holds(r"^socket:")),
        ("options", "options that take memory or lift rules", j.said_word("option set")),
        ("many_connections", "memory in connections", d.connections_hold_much),
        ("pass_descriptors", "pass an open file to somebody else", d.got_descriptor),
        ("widen_pipe", "widen the door's pipe, and fill it", d.pipe_holds_more),
        ("others_answers", "read what another bot was answered", j.leaked),
        ("forge_requests", "ask through another bot's door", d.asked_for_another),
    ],
    props=("listeners", "victims", "endpoint"),
)
