"""Games that are programs in any language, and speak the game protocol: see docs/game-protocol.md.

A folder with a `game.toml` is such a game. Its program runs in a sandbox as bots do, beside the
referee's own process and on its core, and answers one line of JSON to each that it is sent.
"""
