"""Errors that a client sees."""


class EngineError(Exception):
    """A refused or failed request: `status` is the HTTP status, `str(error)` the `detail` of the reply."""

    def __init__(self, detail: str, status: int = 400) -> None:
        super().__init__(detail)
        self.status = status
