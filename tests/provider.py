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
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
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


class Count:
    """What a provider has counted."""

    def __init__(self) -> None:
        self.requests = 0
        self.completions = 0
        self.repeated = 0
        self.tokens_in = 0
        self.tokens_out = 0
        self.cost = 0.0
        self.connections = 0
        self.most_at_once = 0


class Server:
    """The server, in its own process."""

    def __init__(self, tls: ssl.SSLContext | None) -> None:
        self.count = Count()
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
            asyncio.get_running_loop().call_later(
                behaviour["seconds"], lambda: asyncio.ensure_future(self._again())
            )
            self.behaviour = behaviour.get("then", {"kind": "good"})

    async def _again(self) -> None:
        await self.listen(self.port)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.count.connections += 1
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
        method, target, _ = first.split(" ")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        if target == "/count":
            await _send(writer, 200, json.dumps(vars(self.count)).encode())
            return True
        self.count.requests += 1
        number = object()
        self.active.add(number)
        self.count.most_at_once = max(self.count.most_at_once, len(self.active))
        self.seen.append(
            {"first": first, "headers": headers, "body": body.decode("latin-1"), "lines": lines}
        )
        behaviour = self.behaviour
        if "times" in behaviour:
            behaviour["times"] -= 1
            if not behaviour["times"]:
                self.behaviour = behaviour.get("then", {"kind": "good"})
        try:
            return await self._answer(method, target, headers, body, writer, behaviour)
        finally:
            self.active.discard(number)

    async def _answer(
        self,
        method: str,
        target: str,
        headers: dict[str, str],
        body: bytes,
        writer: asyncio.StreamWriter,
        behaviour: dict[str, Any],
    ) -> bool:
        kind = behaviour["kind"]
        if kind == "garbage":
            writer.write(b"\x00\xffthis is no HTTP\r\n\r\n" * 9)
        elif kind == "half":
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{")
        elif kind == "drip":
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n")
            for _ in range(100_000):
                writer.write(b"{")
                await writer.drain()
                await asyncio.sleep(behaviour["seconds"])
        elif kind == "length":
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 9\r\n\r\n{}")
        elif kind == "switch":
            writer.write(b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n")
        elif kind == "limited":
            more = {"retry-after": str(behaviour["seconds"])}
            await _send(writer, 429, b'{"error": "too many"}', more)
            return True
        elif kind == "status" or (kind == "forbids" and target.startswith("/v1/forbidden")):
            behaviour = {"status": 403, **behaviour}
            await _send(writer, behaviour["status"], b"{}", behaviour.get("headers", {}))
            return True
        elif kind == "echo":
            await _echo(writer, headers, body, behaviour["form"])
            return True
        elif kind == "large":
            await _send(writer, 200, b"x" * behaviour["bytes"])
            return True
        if kind in ("garbage", "half", "closed", "length", "switch"):
            await writer.drain()
            return False
        if kind in ("slow", "plays"):
            await asyncio.sleep(behaviour.get("seconds", 0))
        says = _move if kind == "plays" else lambda _: behaviour.get("text")
        answer = self._completed(target, headers, body, says, is_metered=kind != "unmetered")
        more = {"content-type": "application/json"}
        if answer.startswith((b"event", b"data")):
            more = {"content-type": "text/event-stream"}
        if kind == "compressed":
            answer, more["content-encoding"] = gzip.compress(answer), "gzip"
        await _send(writer, 200, answer, more)
        if kind == "twice":
            await asyncio.sleep(behaviour["seconds"])
            await _send(writer, 200, b'{"poisoned": true}')
        return True

    def _completed(
        self,
        target: str,
        headers: dict[str, str],
        body: bytes,
        says: Callable[[dict[str, Any]], str | None],
        *,
        is_metered: bool,
    ) -> bytes:
        """Return a completion, and count it unless it was asked before."""
        if not target.startswith(("/v1/chat/completions", "/v1/messages")):
            return json.dumps({"path": target}).encode()
        key = headers.get("idempotency-key", "")
        if key and key in self.answers:
            self.count.repeated += 1
            return self.answers[key]
        asked = json.loads(body)
        words = " ".join(str(each["content"]) for each in asked["messages"]).split()
        text = says(asked)
        if text is None:
            text = f"{words[-1] if words else 'nothing'} answer {next(self._numbers)}"
        into, out = len(words), len(text.split())
        self.count.completions += 1
        self.count.tokens_in += into
        self.count.tokens_out += out
        price = PRICES[asked["model"]]
        self.count.cost += (into * price[0] + out * price[1]) / 1e6
        is_chat = target.startswith("/v1/chat")
        names = ("prompt", "completion") if is_chat else ("input", "output")
        usage = {f"{names[0]}_tokens": into, f"{names[1]}_tokens": out} if is_metered else None
        answer = _written(asked, text, usage, is_chat=is_chat)
        if key:
            self.answers[key] = answer
        return answer


def _move(asked: dict[str, Any]) -> str:
    """Return the last line that is JSON, with the words and fences that models put around it."""
    lines = "\n".join(str(each["content"]) for each in asked["messages"] if each["role"] == "user")
    found = [line for line in lines.splitlines() if line.startswith("{") and line.endswith("}")]
    return f"I choose {{this}}:\n```json\n{found[-1]}\n```\nas it is legal."


def _written(
    asked: dict[str, Any], text: str, usage: dict[str, int] | None, *, is_chat: bool
) -> bytes:
    more = {} if usage is None else {"usage": usage}
    if is_chat:
        whole = {
            "object": "chat.completion",
            "model": asked["model"],
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text}}],
            **more,
        }
        events = [
            *({"choices": [{"delta": {"content": word}}]} for word in text.split()),
            {"choices": [], **more},
        ]
    else:
        whole = {"type": "message", "content": [{"type": "text", "text": text}], **more}
        into = {} if usage is None else {"usage": {"input_tokens": usage["input_tokens"]}}
        out = {} if usage is None else {"usage": {"output_tokens": usage["output_tokens"]}}
        events = [
            {"type": "message_start", "message": into},
            {"type": "content_block_delta", "delta": {"text": text}},
            {"type": "message_delta", **out},
        ]
    if not asked.get("stream"):
        return json.dumps(whole).encode()
    lines = [f"data: {json.dumps(event)}\n\n" for event in events]
    return "".join([*lines, "data: [DONE]\n\n"]).encode()


async def _echo(
    writer: asyncio.StreamWriter, headers: dict[str, str], body: bytes, form: str
) -> None:
    text = json.dumps(headers)
    secret = next((value for value in headers.values() if value.startswith("Bearer ")), "Bearer -")
    key = secret.removeprefix("Bearer ")
    more: dict[str, str] = {}
    answers = {
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
    if form == "headers":
        more = {"x-echo": secret, f"x-{key.lower()}": "1", "set-cookie": f"key={key}"}
        answers[form] = b"{}"
    if form == "location":
        await _send(writer, 302, b"{}", {"location": f"https://elsewhere.example.net/?{key}"})
        return
    if form == "chunks":
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        for byte in text.encode():
            writer.write(b"1\r\n%c\r\n" % byte)
            await writer.drain()
        writer.write(b"0\r\nx-trailer: %b\r\n\r\n" % key.encode())
        await writer.drain()
        return
    if form == "gzip":
        await _send(writer, 200, gzip.compress(text.encode()), {"content-encoding": "gzip"})
        return
    if form == "refusal":
        await _send(writer, 401, json.dumps({"error": f"wrong key {key}"}).encode())
        return
    if form == "failure":
        await _send(writer, 500, json.dumps({"error": f"failed for {key}"}).encode())
        return
    if form == "bad":
        await _send(writer, 400, json.dumps({"error": f"bad for {key}"}).encode())
        return
    await _send(writer, 200, answers[form], more)


async def _send(
    writer: asyncio.StreamWriter,
    status: int,
    body: bytes,
    headers: dict[str, str] | None = None,
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
    await server.listen(port)
    await server.behave(behaviour)
    scheme = "http" if plain else "https"
    print(
        json.dumps(
            {"url": f"{scheme}://localhost:{server.port}", "ca": str(folder / "ca.pem")},
        ),
        flush=True,
    )
    reader = asyncio.StreamReader(limit=1 << 20)
    protocol = asyncio.StreamReaderProtocol(reader)
    try:
        await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
    except (ValueError, PermissionError):
        await asyncio.Event().wait()
    while line := await reader.readline():
        order = json.loads(line)
        if "behave" in order:
            await server.behave(order["behave"])
        answer = {"count": vars(server.count), "seen": server.seen, "sni": server.sni}
        if order.get("forget"):
            server.seen, server.sni = [], []
            server.answers.clear()
            server.active.clear()
            server.count.most_at_once = 0
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
        opening = json.loads(self._line())
        self.url: str = opening["url"]
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
        found: dict[str, Any] = self._tell()["count"]
        return found

    def forget(self) -> list[dict[str, Any]]:
        """Return the requests that it has seen since it was asked last, and forget its answers."""
        found: list[dict[str, Any]] = self._tell(forget=True)["seen"]
        return found

    @property
    def sni(self) -> list[str | None]:
        """The names that handshakes asked for."""
        found: list[str | None] = self._tell()["sni"]
        return found

    def _tell(self, **order: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        found: dict[str, Any] = json.loads(self._line())
        return found

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()


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
