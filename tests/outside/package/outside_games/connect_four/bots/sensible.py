"""Wins at once where it can, stops the other from it, and likes the middle."""

import kit

WAYS = ((0, 1), (1, 0), (1, 1), (1, -1))


def choose(ask):
    """Return a column."""
    board, seat = ask.view["board"], ask.view["seat"]
    for owner in (seat, 1 - seat):
        for move in ask.legal:
            if wins(board, owner, move["column"]):
                return move
    middle = (len(board[0]) - 1) / 2
    return min(ask.legal, key=lambda move: abs(move["column"] - middle))


def wins(board, owner, column):
    """Return whether a disc of `owner` there makes a line of four."""
    row = max(at for at, cells in enumerate(board) if cells[column] is None)

    def run(step):
        at, beside, count = row + step[0], column + step[1], 0
        while 0 <= at < len(board) and 0 <= beside < len(board[0]) and board[at][beside] == owner:
            at, beside, count = at + step[0], beside + step[1], count + 1
        return count

    return any(run(way) + run((-way[0], -way[1])) >= 3 for way in WAYS)


if __name__ == "__main__":
    kit.run(choose)
