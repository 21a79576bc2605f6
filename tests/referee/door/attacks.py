"""Ways to get elsewhere by the door, or to learn the key, as data.

    python -m tests.referee.door.attacks            # prints them as a table

The bot may ask api.example.org alone; its league allows second.example.org too. Each attack is made
by real pipes, or by a client at the endpoint of HTTP, and must end as it says; and nobody may come
to any address but the provider's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from tabulate import tabulate

from tests.referee.door.at_the_door import COMPLETIONS, chat

Outcome = Literal["refused", "dropped", "hidden", "unreached", "as it is", "answered"]
MEANINGS: Mapping[Outcome, str] = {
    "refused": "an error; nothing is sent to anybody",
    "dropped": "the request is made without it",
    "hidden": "the bot sees *** in place of the key, or no answer",
    "unreached": "no answer is taken; it counts as an outage",
    "as it is": "the bot gets the answer, which is not followed",
    "answered": "the request goes to the provider, and nowhere else",
}


@dataclass(frozen=True, kw_only=True)
class Attack:
    slug: str
    tries: str
    expects: Outcome
    group: str = "address"
    url: str = COMPLETIONS
    more: Mapping[str, Any] = field(default_factory=dict)
    """The rest of the request."""
    line: bytes | None = None
    """The whole line, where it is not such a request."""
    absent: Sequence[str] = ()
    """Headers that the provider must not see, or not with the value of the attack."""
    behaviour: Mapping[str, Any] | None = None
    answers: Sequence[Sequence[str]] | None = None
    """What the name is answered, time after time."""
    raw: bytes | None = None
    """What a client writes to the endpoint of HTTP."""
    environ: Mapping[str, str] = field(default_factory=dict)
    spend: float | None = None


def _url(slug: str, tries: str, url: str) -> Attack:
    return Attack(slug=slug, tries=tries, expects="refused", url=url)


ADDRESSES = (
    _url("other-name", "a name that is not allowed", "https://elsewhere.example.net/"),
    _url("name-of-others", "a name that is another bot's", "https://second.example.org/v1/models"),
    _url("other-port", "another port", "https://api.example.org:8443/v1"),
    _url("port-zero", "port 0", "https://api.example.org:0/v1"),
    _url("port-padded", "the port with zeros", "https://api.example.org:0443/v1"),
    _url("port-huge", "a port beyond 65535, which wraps", "https://api.example.org:65979/v1"),
    _url("port-empty", "an empty port", "https://api.example.org:/v1"),
    _url("plain-http", "the scheme http", "http://api.example.org/v1"),
    _url("scheme-capitals", "the scheme in capitals", "HTTPS://api.example.org/v1"),
    _url("file", "a file", "file:///etc/passwd"),
    _url("no-scheme", "no scheme", "//api.example.org/v1"),
    _url("user", "a name as user of another", "https://api.example.org@elsewhere.example.net/"),
    _url("password", "user and password", "https://user:word@api.example.org/v1"),
    _url("trailing-dot", "a dot at the end", "https://api.example.org./v1"),
    _url("capitals", "capitals", "https://API.example.org/v1"),
    _url("longer", "a longer name", "https://api.example.org.elsewhere.net/"),
    _url("prefix", "a name that ends so", "https://evil-api.example.org/"),
    _url("subdomain", "a name below it", "https://evil.api.example.org/"),
    _url("lookalike", "a Cyrillic letter", "https://аpi.example.org/"),
    _url("full-width", "full-width letters", "https://ａｐｉ.example.org/"),
    _url("ideographic-dot", "another full stop", "https://api。example。org/"),
    _url("punycode", "a lookalike in Punycode", "https://xn--pi-7kc.example.org/"),
    _url("soft-hyphen", "a soft hyphen, which IDNA drops", "https://api.exam\u00adple.org/"),
    _url("percent-host", "a percent-encoded letter in the name", "https://%61pi.example.org/"),
    _url(
        "percent-slash", "a percent-encoded slash", "https://api.example.org%2f@evil.example.net/"
    ),
    _url("fragment-host", "a fragment before @", "https://evil.example.net#@api.example.org/"),
    _url("fragment", "a fragment", "https://api.example.org/v1#x"),
    _url("query-host", "a question mark before @", "https://evil.example.net?@api.example.org/"),
    _url("backslash", "a backslash before @", "https://evil.example.net\\@api.example.org/"),
    _url("backslashes", "backslashes for slashes", "https:\\\\api.example.org\\v1"),
    _url("path-slashes", "a path with two slashes", "https://api.example.org//evil.example.net/"),
    _url("semicolon", "a semicolon in the name", "https://api.example.org;evil.example.net/"),
    _url("tab", "a tab in the name", "https://api.exa\tmple.org/"),
    _url("zero", "a zero byte in the name", "https://api.example.org\0.evil.example.net/"),
    _url("space", "spaces around it", " https://api.example.org/v1 "),
    _url("loopback", "127.0.0.1", "https://127.0.0.1/"),
    _url("decimal", "127.0.0.1 as one number", "https://2130706433/"),
    _url("loopback-6", "::1", "https://[::1]/"),
    _url("metadata", "the metadata of a cloud", "http://169.254.169.254/latest/meta-data/"),
    _url("its-address", "the allowed name's own address", "https://93.184.216.34/v1"),
    _url("crlf-path", "a line break in the path", "https://api.example.org/v1\r\nx-a: b"),
    _url("space-path", "a space in the path", "https://api.example.org/v1 HTTP/1.1"),
    _url("percent-bad", "half a percent-encoding", "https://api.example.org/%2"),
    _url("long", "an address of 9,000 letters", f"https://api.example.org/{'a' * 9000}"),
    _url("empty", "an empty address", ""),
)


def _path(slug: str, tries: str, rest: str, **more: Any) -> Attack:
    url = f"https://api.example.org{rest}"
    return Attack(slug=f"path-{slug}", tries=tries, expects="refused", url=url, more=more)


PATHS = (  # allowed are v1, v1/* and, by POST, v1/chat/completions
    _path("other", "a path that is not allowed", "/v2/models"),
    _path("deeper", "a path below one that is allowed", "/v1/files/7/content"),
    _path("above", "the root", "/"),
    _path("none", "no path", ""),
    _path("other-method", "a path that is allowed by POST alone, by GET", "/v1/chat/completions"),
    _path("dots", "two dots", "/v1/../admin"),
    _path("dots-last", "two dots in the place of *", "/v1/.."),
    _path("dots-encoded", "two dots, percent-encoded", "/v1/%2e%2e"),
    _path("dots-half", "two dots, one of them percent-encoded", "/v1/.%2E/admin"),
    _path("dots-twice", "two dots, percent-encoded twice", "/v1/%252e%252e"),
    _path("dots-semicolon", "two dots and a semicolon, which some servers drop", "/v1/..;"),
    _path("dots-backslash", "two dots and a backslash", r"/v1/..\admin"),
    _path("one-dot", "one dot", "/v1/./models"),
    _path("slashes-within", "two slashes within", "/v1//models"),
    _path("slash-last", "a slash at the end", "/v1/models/"),
    _path("slash-encoded", "a percent-encoded slash", "/v1/files%2f7"),
    _path("slash-encoded-up", "a percent-encoded way up", "/v1/x%2f..%2f..%2fadmin"),
    _path("slash-twice", "a slash, percent-encoded twice", "/v1/files%252f7"),
    _path("slash-wide", "a slash in too many bytes of UTF-8", "/v1/files%c0%af7"),
    _path("slash-full-width", "a full-width slash", "/v1/files\uff0f7"),
    _path("semicolon", "a parameter of a segment", "/v1/models;admin=1"),
    _path("comma", "a comma", "/v1/models,admin"),
    _path("zero-encoded", "a percent-encoded zero byte", "/v1/models%00.json"),
    _path("line-encoded", "a percent-encoded line break", "/v1/models%0d%0ahost:%20evil"),
    _path("question-encoded", "a percent-encoded question mark", "/v1/models%3fa=b"),
    _path("query", "a query that is not named", "/v1/models?after=7"),
    _path("query-post", "the same by POST", "/v1/chat/completions?stored=7", body=chat()),
    _path("query-slash", "a way up after a question mark", "/v1/models?/../admin"),
    _path("query-method", "a query that overrides the method", "/v1/models?_method=DELETE"),
    _path("case", "another case", "/V1/models"),
    _path("star", "a star in the place of *", "/v1/*"),
    _path("long-segment", "300 letters in the place of *", f"/v1/{'a' * 300}"),
)


def _header(slug: str, tries: str, name: str, value: str, expects: Outcome = "dropped") -> Attack:
    return Attack(
        slug=slug,
        tries=tries,
        expects=expects,
        group="header",
        more={"body": chat(), "headers": {name: value}},
        absent=(name.lower(),),
    )


HEADERS = (
    _header("host", "another `host`", "Host", "elsewhere.example.net"),
    _header("authorization", "another key", "Authorization", "Bearer other"),
    _header("cookie", "a cookie", "Cookie", "session=1"),
    _header("proxy-authorization", "a proxy's password", "Proxy-Authorization", "Basic YTpi"),
    _header("forwarded", "`x-forwarded-host`", "X-Forwarded-Host", "elsewhere.example.net"),
    _header("original-url", "`x-original-url`", "X-Original-URL", "/admin"),
    _header("rewrite-url", "`x-rewrite-url`", "X-Rewrite-URL", "/admin"),
    _header("method-override", "`x-http-method-override`", "X-HTTP-Method-Override", "DELETE"),
    _header("api-key", "`x-api-key`", "X-API-Key", "other"),
    _header("access-token", "`x-access-token`", "X-Access-Token", "other"),
    _header("organization", "who pays", "OpenAI-Organization", "org-other"),
    _header("connection", "`connection: upgrade`", "Connection", "Upgrade"),
    _header("upgrade", "`upgrade: websocket`", "Upgrade", "websocket"),
    _header("transfer-encoding", "`transfer-encoding`", "Transfer-Encoding", "chunked"),
    _header("content-length", "another `content-length`", "Content-Length", "3"),
    _header("te", "`te: trailers`", "TE", "trailers"),
    _header("expect", "`expect: 100-continue`", "Expect", "100-continue"),
    _header("range", "an answer in pieces, which would split the key", "Range", "bytes=0-9"),
    _header("accept-encoding", "a compressed answer", "Accept-Encoding", "gzip, br"),
    _header("idempotency", "the idempotency key of another match", "Idempotency-Key", "0" * 40),
    _header("idempotency-x", "the same by another name", "X-Idempotency-Key", "0" * 40),
    _header("underscore", "`x_api_key`, which some servers take", "X_Api_Key", "other"),
    _header("crlf-value", "a line break in a value", "X-A", "b\r\nhost: evil", "refused"),
    _header("lf-value", "a line feed in a value", "X-A", "b\nhost: evil", "refused"),
    _header("zero-value", "a zero byte in a value", "X-A", "b\0", "refused"),
    _header("crlf-name", "a line break in a name", "X-A: b\r\nhost", "evil", "refused"),
    _header("colon-name", "a colon in a name", "host:", "evil", "refused"),
    _header("space-name", "a space before the colon", "host ", "evil", "refused"),
    _header("empty-name", "an empty name", "", "evil", "refused"),
    _header("wide-value", "a letter that becomes a line break", "X-A", "b\u560d\u560a", "refused"),
    _header("large-headers", "headers of 20,000 letters", "X-A", "b" * 20_000, "refused"),
)


def _sent(slug: str, tries: str, expects: Outcome = "refused", **attack: Any) -> Attack:
    own = {name: attack.pop(name) for name in [*attack] if name in Attack.__annotations__}
    return Attack(slug=slug, tries=tries, expects=expects, group="request", more=attack, **own)


_TRAP = "http://127.0.0.1:{trap}"
_DEEP = b'{"id": 7, "url": "https://api.example.org/", "x": ' + b"[" * 50_000
_NO_UTF8 = b'{"id": 7, "url": "https://api.example.org/\xff"}'
_API = "https://api.example.org/v1"
_DEAR, _TWO = chat(model="model-z"), chat().replace("{", '{"model": "model-z", ', 1)
_CAPITAL = chat().replace("{", '{"Model": "model-z", ', 1)
_ADMIN = "0\r\n\r\nGET /v1/admin HTTP/1.1\r\nhost: evil\r\n\r\n"
_GET = {"method": "GET", "body": "GET / HTTP/1.1\r\n\r\n"}
_PROXIES = {"HTTPS_PROXY": _TRAP, "https_proxy": _TRAP, "ALL_PROXY": "socks5://127.0.0.1:{trap}"}

REQUESTS = (
    _sent("connect", "the method CONNECT", method="CONNECT"),
    _sent("trace", "the method TRACE", method="TRACE"),
    _sent("delete", "the method DELETE", method="DELETE"),
    _sent("small-method", "a method in small letters", method="get"),
    _sent("crlf-method", "a line break in the method", method=f"GET / HTTP/1.1\r\n{_ADMIN}GET"),
    _sent("get-body", "a GET with a body, to be read as a second request", **_GET),
    _sent("two-bodies", "two bodies", body=chat(), body64="e30="),
    _sent("body-smuggling", "a second request in a body", "answered", url=_API, body=_ADMIN),
    _sent("large-body", "a body of more than is allowed", body="x" * ((1 << 20) + 1)),
    _sent("dear-model", "with a limit of spend, a model without a price", body=_DEAR, spend=1.0),
    _sent("two-models", "with a limit of spend, two models in one body", body=_TWO, spend=1.0),
    _sent("model-capital", "the same, one by a key with a capital", body=_CAPITAL, spend=1.0),
    _sent("more-models", "one with a price, and others", body=chat(models=["model-z"]), spend=1.0),
    _sent("fallback", "one to fall back on", body=chat(fallbacks=[{"model": "z"}]), spend=1.0),
    _sent("deep-model", "one deeper in", body=chat(tools=[{"model": "z"}]), spend=1.0),
    _sent("odd-model", "one by its number", body=chat(models=[{"id": "z"}]), spend=1.0),
    _sent("model-in-path", "one in the path", url=f"{_API}/z:generate", body=chat(), spend=1.0),
    _sent("no-model", "with a limit of spend, no model", url=f"{_API}/a", body="a=b", spend=1.0),
    _sent("no-json", "no JSON", line=b"GET / HTTP"),
    _sent("list", "a list of requests", line=b"[{}]"),
    _sent("deep", "50,000 brackets", line=_DEEP),
    _sent("bytes", "what is no UTF-8", line=_NO_UTF8),
    _sent("proxies", "variables that name a proxy", "answered", body=chat(), environ=_PROXIES),
)


def _redirect(status: int, to: str) -> Attack:
    return Attack(
        slug=f"redirect-{status}",
        tries=f"a redirect ({status}) to elsewhere",
        expects="as it is",
        group="provider",
        more={"body": chat()} if status > 302 else {},
        behaviour={"kind": "status", "status": status, "headers": {"location": to}},
    )


def _dns(slug: str, tries: str, *answers: Sequence[str]) -> Attack:
    return Attack(slug=slug, tries=tries, expects="unreached", group="name", answers=answers)


NAMES = (  # of which addresses are nobody's, test_addresses.py has more
    _dns("dns-loopback", "its name is 127.0.0.1", ["127.0.0.1"]),
    _dns("dns-private", "its name is of a private network", ["10.1.2.3"]),
    _dns("dns-link-local", "the metadata of a cloud", ["169.254.169.254"]),
    _dns("dns-loopback-6", "::1", ["::1"]),
    _dns("dns-zone-6", "a link-local IPv6 address with a zone", ["fe80::1%lo"]),
    _dns("dns-mapped", "127.0.0.1 mapped into IPv6", ["::ffff:127.0.0.1"]),
    _dns("dns-nothing", "no address", []),
    _dns("dns-no-address", "what is no address", ["localhost"]),
    replace(
        _dns("dns-rebinding", "127.0.0.1 the second time", ["93.184.216.34"], ["127.0.0.1"]),
        behaviour={"kind": "closed"},
    ),
)

ANSWERS = (
    _redirect(301, "https://elsewhere.example.net/"),
    _redirect(302, "http://127.0.0.1:{trap}/"),
    _redirect(303, "//elsewhere.example.net/"),
    _redirect(307, "https://elsewhere.example.net/"),
    _redirect(308, "http://169.254.169.254/"),
    *(
        Attack(
            slug=f"echo-{form}",
            tries=f"the provider repeats the key: {words}",
            expects="hidden",
            group="key",
            behaviour={"kind": "echo", "form": form},
        )
        for form, words in {
            "body": "in its answer",
            "headers": "in names and values of headers, and a cookie",
            "chunks": "a byte a chunk, and in a trailer",
            "location": "in a redirect",
            "capitals": "in capitals",
            "small": "in small letters",
            "base64": "in base64",
            "base64url": "in base64 for addresses, shifted by a byte",
            "basic": "in base64, as of a user",
            "hex": "in hexadecimal digits",
            "utf16": "in UTF-16",
            "utf32": "in UTF-32",
            "percent": "percent-encoded",
            "escapes": "with escapes of JSON",
            "html": "with escapes of HTML",
            "reversed": "backwards",
            "binary": "among what is no text",
            "gzip": "compressed",
            "refusal": "as it refuses it (401)",
            "failure": "as it fails (500)",
            "bad": "as it refuses the request (400)",
        }.items()
    ),
    Attack(
        slug="switching",
        tries="the provider switches to another protocol (101)",
        expects="unreached",
        group="provider",
        behaviour={"kind": "switch"},
    ),
)


def _http(slug: str, tries: str, raw: str, expects: Outcome = "refused", **more: Any) -> Attack:
    data = raw.replace("\n", "\r\n").encode("latin-1")
    return Attack(slug=slug, tries=tries, expects=expects, group="endpoint", raw=data, **more)


def _asked(slug: str, tries: str, what: str, more: str = "Host: a\n") -> Attack:
    return _http(f"http-{slug}", tries, f"{what} HTTP/1.1\n{more}\n")


def _posted(slug: str, tries: str, head: str, body: str = "", *more: Any, **rest: Any) -> Attack:
    opening = "POST /api.example.org/v1/chat/completions HTTP/1.1\nHost: 127.0.0.1:8377\n"
    return _http(f"http-{slug}", tries, f"{opening}{head}\n{body}", *more, **rest)


_BODY = chat()
_LENGTH = f"Content-Length: {len(_BODY)}\n"
_EVIL = "0\n\nGET /evil HTTP/1.1\nHost: a\n\n"
_OWN = f"Authorization: Bearer own\nCookie: a=b\n{_LENGTH}"
_OWN_NAMES = ("authorization", "cookie")
_FOLDED = f"X-A: b\n host: evil\n{_LENGTH}"
_SOCKET = "Host: a\nConnection: upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\n"
_SOCKET += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n"

ENDPOINT = (
    _posted("plain", "what is meant", _LENGTH, _BODY, "answered"),
    _posted("key", "a key, as libraries send", _OWN, _BODY, "dropped", absent=_OWN_NAMES),
    _asked("absolute", "a whole address", "GET http://127.0.0.1:{trap}/"),
    _asked("absolute-allowed", "one that is allowed", "GET https://api.example.org/v1"),
    _asked("connect", "CONNECT", "CONNECT 127.0.0.1:{trap}"),
    _asked("trace", "TRACE", "TRACE /api.example.org/"),
    _asked("options", "OPTIONS *", "OPTIONS *"),
    _asked("other", "another name", "GET /elsewhere.example.net/"),
    _asked("port", "another port", "GET /api.example.org:8443/"),
    _asked("ip", "an address", "GET /127.0.0.1:{trap}/"),
    _asked("user", "a user", "GET /api.example.org@evil.net/"),
    _asked("dots", "dots out of the name", "GET /x/../evil.net/"),
    _asked("percent", "an encoded slash", "GET /api.example.org%2fb/"),
    _asked("slashes", "two slashes", "GET //evil.example.net/"),
    _asked("host", "another `host`", "GET /evil.example.net/v1", "Host: api.example.org\n"),
    _asked("upgrade", "a WebSocket", "GET /api.example.org/v1", _SOCKET),
    _posted("lengths", "two lengths", f"Content-Length: 3\n{_LENGTH}", _BODY),
    _posted("smuggling", "a length and chunks", f"{_LENGTH}Transfer-Encoding: chunked\n", _EVIL),
    _posted("te", "an odd transfer-encoding", "Transfer-Encoding: xchunked\n", _EVIL),
    _posted("folded", "a folded header", _FOLDED, _BODY, "dropped", absent=("x-a",)),
    _posted("space", "a space before the colon", f"Transfer-Encoding : chunked\n{_LENGTH}", _BODY),
    _posted("head", "a head of 40,000 bytes", f"X-A: {'a' * 40_000}\n"),
    _posted("length", "a huge length", "Content-Length: 99999999\n", "x" * 2_000_000),
    _http("http-preface", "HTTP/2", "PRI * HTTP/2.0\n\nSM\n\n"),
    _http("http-garbage", "what is no HTTP", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n\n"),
)

ATTACKS = (*ADDRESSES, *PATHS, *HEADERS, *REQUESTS, *NAMES, *ANSWERS, *ENDPOINT)


def main() -> None:
    rows = [(each.group, each.tries, each.expects) for each in ATTACKS]
    print(tabulate(rows, ("by", f"tried ({len(ATTACKS)})", "ends"), tablefmt="github"))
    for outcome, meaning in MEANINGS.items():
        count = sum(each.expects == outcome for each in ATTACKS)
        print(f"{count} {outcome}: {meaning}.")


if __name__ == "__main__":
    main()
