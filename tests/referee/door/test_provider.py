"""The client of providers, and a server that sees what becomes of its connections."""

import asyncio

import pytest

from referee.allowed import origin_of
from referee.door import provider
from referee.door.connection import ProviderRequest
from referee.door.provider import Network, ProviderClient
from tests.arena.coroutines import run_apart


def test_a_connection_that_nobody_uses_is_closed_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provider, "_IDLE_SECONDS", 0.1)

    async def ask() -> int:
        began = asyncio.get_running_loop().time()
        closed: asyncio.Queue[float] = asyncio.Queue()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while await reader.readline():
                await reader.readuntil(b"\r\n\r\n")
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
            closed.put_nowait(asyncio.get_running_loop().time())
            writer.close()

        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            origin = origin_of(f"http://127.0.0.1:{port}")
            request = ProviderRequest("GET", "/", {"host": origin.authority}, b"")
            client = ProviderClient(Network(), 10.0, 1000)
            for _ in range(2):
                assert (await client.send(origin, request)).body == b"ok"
            async with asyncio.timeout(10):
                assert await closed.get() - began >= 0.1
            client.close()
            return closed.qsize()

    assert run_apart(ask()) == 0, "it had one connection"


def test_a_kept_connection_that_ends_when_it_is_used_again_is_made_anew_and_no_outage() -> None:
    async def ask() -> list[str]:
        ended: asyncio.Queue[str] = asyncio.Queue()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
            ended.put_nowait("used again" if await reader.readline() else "left")
            writer.close()

        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            origin = origin_of(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
            request = ProviderRequest("GET", "/", {"host": origin.authority}, b"")
            client = ProviderClient(Network(), 10.0, 1000)
            for _ in range(2):
                assert (await client.send(origin, request)).body == b"ok"
            client.close()
            async with asyncio.timeout(10):
                return [await ended.get(), await ended.get()]

    assert run_apart(ask()) == ["used again", "left"]
