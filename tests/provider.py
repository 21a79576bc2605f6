"""A provider of chat completions for tests: a real HTTPS server in a process of its own.

    python -m tests.provider                        # prints its address, and where its CA lies
    python -m tests.provider --port 8443 --behave '{"kind": "slow", "seconds": 2}'

It answers `POST /v1/chat/completions` as OpenAI does (and `/v1/messages` as Anthropic does), with
`usage`, as one answer or as events, and keeps its own count of requests, tokens and cost, which
`GET /count` shows. The same idempotency key is answered the same, and counted once. It can be told
to misbehave: see KINDS. Whoever starts it as `Provider` tells it so by lines of JSON on its
standard input; by hand it is said once.
"""

import argparse
import asyncio
import base64
import gzip
import itertools
import json
import os
import select
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PRICES = {"model-x": (2.5, 10.0), "model-y": (0.5, 1.5)}
"""What it charges for a million tokens, in and out."""
KINDS = {
    "good": "answers",
    "slow": "answers after `seconds`",
    "plays": "answers the last line of JSON of what it was asked, in a fence, after `seconds`",
    "says": "answers `text`",
    "garbage": "answers what is no HTTP",
    "half": "closes the connection within its answer",
    "closed": "closes the connection instead of an answer",
    "drip": "answers a byte every `seconds`, for ever",
    "length": "says another content-length than it sends",
    "compressed": "sends its answer gzipped",
    "twice": "sends a second answer to one request, after `seconds`",
    "switch": "answers 101",
    "limited": "answers 429 with Retry-After `seconds`",
    "status": "answers `status` with `headers`",
    "forbids": "answers 403 to /v1/forbidden",
    "echo": "answers the request, headers and all, written in the `form`",
    "large": "answers so many `bytes`",
    "unmetered": "answers without usage",
    "refused": "does not listen for `seconds`",
}
"""What it can be told to do, for the next `times` requests or for good; `then` is what follows."""


RAW = {
    "garbage": b"\x00\xffthis is no HTTP\r\n\r\n" * 9,
    "half": b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{",
    "closed": b"",
    "length": b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 9\r\n\r\n{}",
    "switch": b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n",
}
"""What it sends before it closes the connection."""
COUNTED = ("requests", "completions", "repeated", "tokens_in", "tokens_out", "cost", "most_at_once")


class Server:
    """The server, in its own process."""

    def __init__(self, tls: ssl.SSLContext | None) -> None:
        self.count: dict[str, float] = dict.fromkeys(COUNTED, 0)
        self.behaviour: dict[str, Any] = {"kind": "good"}
        self.seen: list[dict[str, Any]] = []
        self.sni: list[str | None] = []
        self.active: set[object] = set()
        """One for each request that is being answered, since they were forgotten."""
        self._tls = tls
        self.answers: dict[str, bytes] = {}
        self._numbers = itertools.count(1)
        self._server: asyncio.Server | None = None
        self.port = 0
        if tls is not None:
            tls.sni_callback = lambda _socket, name, _context: self.sni.append(name)

    async def listen(self, port: int) -> None:
        """Listen; 0 is any port that is free."""
        self._server = await asyncio.start_server(
            self._serve, "127.0.0.1", port, ssl=self._tls, backlog=2048
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def behave(self, behaviour: dict[str, Any]) -> None:
        """Do so from now on."""
        assert behaviour["kind"] in KINDS, behaviour
        self.behaviour = behaviour
        if behaviour["kind"] == "refused":
            assert self._server is not None
            self._server.close()
            again = lambda: asyncio.ensure_future(self.listen(self.port))  # noqa: E731
            asyncio.get_running_loop().call_later(behaviour["seconds"], again)
            self.behaviour = behaviour.get("then", {"kind": "good"})

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._serve_one(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, ssl.SSLError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.split("\r\n")[:-2]
        target = first.split(" ")[1]
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        if target == "/count":
            await _send(writer, 200, json.dumps(self.count).encode())
            return True
        self.count["requests"] += 1
        number = object()
        self.active.add(number)
        self.count["most_at_once"] = max(self.count["most_at_once"], len(self.active))
        self.seen.append(
            {"first": first, "headers": headers, "body": body.decode("latin-1"), "lines": lines}
        )
        behaviour = self.behaviour
        if "times" in behaviour:
            behaviour["times"] -= 1
            if not behaviour["times"]:
                self.behaviour = behaviour.get("then", {"kind": "good"})
        try:
            return await self._answer(target, headers, body, writer, behaviour)
        finally:
            self.active.discard(number)

    async def _answer(
        self,
        target: str,
        headers: dict[str, str],
        body: bytes,
        writer: asyncio.StreamWriter,
        behaviour: dict[str, Any],
    ) -> bool:
        kind = behaviour["kind"]
        if kind in RAW:
            writer.write(RAW[kind])
            await writer.drain()
            return False
        if kind == "drip":
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n")
            for _ in range(100_000):
                writer.write(b"{")
                await writer.drain()
                await asyncio.sleep(behaviour["seconds"])
        elif kind == "limited":
            more = {"retry-after": str(behaviour["seconds"])}
            await _send(writer, 429, b'{"error": "too many"}', more)
        elif kind == "status" or (kind == "forbids" and target.startswith("/v1/forbidden")):
            await _send(writer, behaviour.get("status", 403), b"{}", behaviour.get("headers", {}))
        elif kind == "echo" and behaviour["form"] == "chunks":
            await _echo_by_bytes(writer, headers)
        elif kind == "echo":
            await _send(writer, *_echoed(headers, behaviour["form"]))
        elif kind == "large":
            await _send(writer, 200, b"x" * behaviour["bytes"])
        else:
            await self._complete(target, headers, body, writer, behaviour)
        return True

    async def _complete(
        self,
        target: str,
        headers: dict[str, str],
        body: bytes,
        writer: asyncio.StreamWriter,
        behaviour: dict[str, Any],
    ) -> None:
        kind = behaviour["kind"]
        if kind in ("slow", "plays"):
            await asyncio.sleep(behaviour.get("seconds", 0))
        answer = self._completed(target, headers, body, behaviour)
        is_stream = answer.startswith((b"event", b"data"))
        more = {"content-type": "text/event-stream" if is_stream else "application/json"}
        if kind == "compressed":
            answer, more["content-encoding"] = gzip.compress(answer), "gzip"
        await _send(writer, 200, answer, more)
        if kind == "twice":
            await asyncio.sleep(behaviour["seconds"])
            await _send(writer, 200, b'{"poisoned": true}')

    def _completed(
        self, target: str, headers: dict[str, str], body: bytes, behaviour: dict[str, Any]
    ) -> bytes:
        """Return a completion, and count it unless it was asked before."""
        if not target.startswith(("/v1/chat/completions", "/v1/messages")):
            return json.dumps({"path": target}).encode()
        key = headers.get("idempotency-key", "")
        if key and key in self.answers:
            self.count["repeated"] += 1
            return self.answers[key]
        asked = json.loads(body)
        words = " ".join(str(each["content"]) for each in asked["messages"]).split()
        text = _move(asked) if behaviour["kind"] == "plays" else behaviour.get("text")
        if text is None:
            text = f"{words[-1] if words else 'nothing'} answer {next(self._numbers)}"
        into, out = len(words), len(text.split())
        price = PRICES[asked["model"]]
        self.count["completions"] += 1
        self.count["tokens_in"] += into
        self.count["tokens_out"] += out
        self.count["cost"] += (into * price[0] + out * price[1]) / 1e6
        is_metered = behaviour["kind"] != "unmetered"
        write = _chat if target.startswith("/v1/chat") else _message
        whole, events = write(asked, text, (into, out) if is_metered else None)
        answer = json.dumps(whole).encode()
        if asked.get("stream"):
            lines = (f"data: {each}\n\n" for each in [*map(json.dumps, events), "[DONE]"])
            answer = "".join(lines).encode()
        if key:
            self.answers[key] = answer
        return answer


def _move(asked: dict[str, Any]) -> str:
    """Return the last line that is JSON, with the words and fences that models put around it."""
    lines = "\n".join(str(each["content"]) for each in asked["messages"] if each["role"] == "user")
    found = [line for line in lines.splitlines() if line.startswith("{") and line.endswith("}")]
    return f"I choose {{this}}:\n```json\n{found[-1]}\n```\nas it is legal."


Written = tuple[dict[str, Any], list[dict[str, Any]]]
"""An answer as a whole, and as events."""


def _chat(asked: dict[str, Any], text: str, used: tuple[int, int] | None) -> Written:
    names = ("prompt_tokens", "completion_tokens")
    more = {"usage": dict(zip(names, used, strict=True))} if used else {}
    message = {"role": "assistant", "content": text}
    whole = {"object": "chat.completion", "model": asked["model"], **more}
    pieces = [{"choices": [{"delta": {"content": word}}]} for word in text.split()]
    return (
        {**whole, "choices": [{"index": 0, "message": message}]},
        [*pieces, {"choices": [], **more}],
    )


def _message(asked: dict[str, Any], text: str, used: tuple[int, int] | None) -> Written:
    into = {"input_tokens": used[0]} if used else {}
    out = {"output_tokens": used[1]} if used else {}
    more = [{"usage": each} if used else {} for each in ({**into, **out}, into, out)]
    return {"type": "message", "content": [{"type": "text", "text": text}], **more[0]}, [
        {"type": "message_start", "message": more[1]},
        {"type": "content_block_delta", "delta": {"text": text}},
        {"type": "message_delta", **more[2]},
    ]


def _secret(headers: dict[str, str]) -> str:
    return next((value for value in headers.values() if value.startswith("Bearer ")), "Bearer -")


def _echoed(headers: dict[str, str], form: str) -> tuple[int, bytes, dict[str, str]]:
    """Return status, body and headers of an answer that holds the request's."""
    text, secret = json.dumps(headers), _secret(headers)
    key = secret.removeprefix("Bearer ")
    whole = {
        "headers": (
            200,
            b"{}",
            {"x-echo": secret, f"x-{key.lower()}": "1", "set-cookie": f"key={key}"},
        ),
        "location": (302, b"{}", {"location": f"https://elsewhere.example.net/?{key}"}),
        "gzip": (200, gzip.compress(text.encode()), {"content-encoding": "gzip"}),
    }
    if form in whole:
        return whole[form]
    failed = {
        "refusal": (401, "wrong key"),
        "failure": (500, "failed for"),
        "bad": (400, "bad for"),
    }
    if form in failed:
        status, words = failed[form]
        return status, json.dumps({"error": f"{words} {key}"}).encode(), {}
    bodies = {
        "body": text.encode(),
        "capitals": text.upper().encode(),
        "small": text.lower().encode(),
        "base64": base64.b64encode(text.encode()),
        "base64url": base64.urlsafe_b64encode(f"x{secret}y".encode()),
        "basic": base64.b64encode(f"user:{key}".encode()),
        "hex": key.encode().hex().upper().encode(),
        "utf16": text.encode("utf-16"),
        "utf32": text.encode("utf-32-be"),
        "percent": "".join(f"%{byte:02X}" for byte in key.encode()).encode(),
        "escapes": "".join(f"\\u{byte:04x}" for byte in key.encode()).encode(),
        "html": "".join(f"&#{byte};" for byte in key.encode()).encode(),
        "reversed": key[::-1].encode(),
        "binary": b"\xff\xfe\x00" + text.encode() + b"\x80",
    }
    return 200, bodies[form], {}


async def _echo_by_bytes(writer: asyncio.StreamWriter, headers: dict[str, str]) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
    for byte in json.dumps(headers).encode():
        writer.write(b"1\r\n%c\r\n" % byte)
        await writer.drain()
    writer.write(b"0\r\nx-trailer: %b\r\n\r\n" % _secret(headers)[7:].encode())
    await writer.drain()


async def _send(
    writer: asyncio.StreamWriter, status: int, body: bytes, headers: dict[str, str] | None = None
) -> None:
    lines = {"content-length": str(len(body)), **(headers or {})}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    writer.write(f"HTTP/1.1 {status} Status\r\n{head}\r\n".encode("latin-1") + body)
    await writer.drain()


async def _main(names: Sequence[str], port: int, plain: bool, behaviour: dict[str, Any]) -> None:
    import trustme

    folder = Path(tempfile.mkdtemp(prefix="arena-provider-"))
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "ca.pem")
    tls = None
    if not plain:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(*names).configure_cert(tls)
    server = Server(tls)
    try:
        await server.listen(port)
    except OSError as error:
        sys.exit(f"port {port} cannot be used: {os.strerror(error.errno or 0)}. Choose another.")
    await server.behave(behaviour)
    scheme = "http" if plain else "https"
    opening = {"url": f"{scheme}://localhost:{server.port}", "ca": str(folder / "ca.pem")}
    print(json.dumps(opening), flush=True)
    reader = asyncio.StreamReader(limit=1 << 20)
    protocol = asyncio.StreamReaderProtocol(reader)
    try:
        with select.epoll() as poll:
            poll.register(sys.stdin)  # which fails for a file, and for /dev/null
        await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
    except (ValueError, PermissionError):
        await asyncio.Event().wait()
    while line := await reader.readline():
        order = json.loads(line)
        if "behave" in order:
            await server.behave(order["behave"])
        answer = {"count": server.count, "seen": server.seen, "sni": server.sni}
        if order.get("forget"):
            server.seen, server.sni = [], []
            server.answers.clear()
            server.active.clear()
            server.count["most_at_once"] = 0
        print(json.dumps(answer), flush=True)
    (folder / "ca.pem").unlink()
    folder.rmdir()


class Provider:
    """A provider that a test has started; a context manager."""

    def __init__(self, *names: str, plain: bool = False) -> None:
        words = [word for name in names or ("localhost",) for word in ("--name", name)]
        words += ["--plain"] * plain
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.provider", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        opening = self._told()
        self.url: str = opening["url"]
        self.asked = f"POST {self.url}/v1/chat/completions"
        """The request that bots make of it, as `allow` has it."""
        self.ca = Path(opening["ca"])
        """The certificate of its authority."""
        self.port = int(self.url.rpartition(":")[2])

    def __enter__(self) -> "Provider":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def behave(self, kind: str, **how: Any) -> None:
        """Let it do so from now on."""
        self._tell(behave={"kind": kind, **how})

    @property
    def count(self) -> dict[str, Any]:
        """What it has counted."""
        return dict(self._tell()["count"])

    def forget(self) -> list[dict[str, Any]]:
        """Return the requests that it has seen since it was asked last, and forget its answers."""
        return list(self._tell(forget=True)["seen"])

    @property
    def sni(self) -> list[str | None]:
        """The names that handshakes asked for."""
        return list(self._tell()["sni"])

    def _tell(self, **order: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return self._told()

    def _told(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        return dict(json.loads(self._process.stdout.readline()))


def main() -> None:
    """Serve until standard input ends, or for good."""
    parser = argparse.ArgumentParser(prog="python -m tests.provider", description=__doc__)
    parser.add_argument("--name", action="append", help="of its certificate; localhost by default")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--plain", action="store_true", help="by HTTP")
    parser.add_argument("--behave", type=json.loads, default={"kind": "good"})
    options = parser.parse_args()
    asyncio.run(_main(options.name or ["localhost"], options.port, options.plain, options.behave))


if __name__ == "__main__":
    main()
