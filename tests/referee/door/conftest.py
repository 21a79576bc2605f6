"""A provider for all tests, and a trap: where nobody may ever come to."""

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.provider import Provider
from tests.referee.door.at_the_door import API, Caller, opened


@pytest.fixture(scope="session")
def the_provider() -> Iterator[Provider]:
    """A provider whose authority is trusted."""
    with Provider("localhost", "127.0.0.1", "api.example.org", "second.example.org") as provider:
        before = os.environ.get("SSL_CERT_FILE")
        os.environ["SSL_CERT_FILE"] = str(provider.ca)
        yield provider
        if before is None:
            del os.environ["SSL_CERT_FILE"]
        else:
            os.environ["SSL_CERT_FILE"] = before


@pytest.fixture
def provider(the_provider: Provider) -> Provider:
    """The same, behaving well, with no requests seen."""
    the_provider.behave("good")
    the_provider.forget()
    return the_provider


@pytest.fixture
def trap() -> Iterator[int]:
    """A port that somebody listens on, and nobody may have come to."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]
        listening.setblocking(False)
        with pytest.raises(BlockingIOError):
            listening.accept()


@pytest.fixture
def call(provider: Provider, trap: int) -> Iterator[Callable[..., Caller]]:
    """Open doors to the provider; a bot at each, who may ask it, is gone in the end."""
    with ExitStack() as stack:

        def call(**terms: Any) -> Caller:
            told: list[str] = []
            door = stack.enter_context(opened(provider, trap, tell=told.append, **terms))
            caller = Caller(door, *API)
            caller.told = told
            stack.callback(caller.close)
            return caller

        yield call
