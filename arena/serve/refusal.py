"""What is answered to a request that is refused."""

from arena.serve.api import WebProblem


class Refusal(Exception):  # noqa: N818 - it is what is answered
    """A request that is refused: the status, and what the answer says."""

    def __init__(
        self, status: int, what: str, remedy: str = "", *, after: float = 0.0, step: str = ""
    ) -> None:
        super().__init__(what)
        self.status = status
        self.problem = WebProblem(step=step, what=what, remedy=remedy, can_retry=after > 0)
        self.after = after
        """After how many seconds the same again can help; 0 if that is not known."""
