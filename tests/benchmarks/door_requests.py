"""What the door adds to a request, what a client takes, and what a turn without a request costs.

    python -m tests.benchmarks.door_requests       # a minute

A local provider answers at once, by TLS. *Directly* is http.client of Python with a connection that
is kept open, in as many threads as there are requests at once; *the client* is the door's own,
without a door around it. What the door adds is the difference; CPU is that of this process, bots
included, a request: the provider has its own. Memory is what the process grew by (RSS) for so many
clients that were each heard once.
"""

import argparse
import asyncio
import gc
import http.client
import json
import os
import ssl
import statistics
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack

from tabulate import tabulate

from referee.allowed import origin_of
from referee.door import Door, DoorTerms
from referee.door.connection import ProviderRequest
from referee.door.provider import Network, ProviderClient
from tests.provider import Provider
from tests.referee.door.at_the_door import Caller, chat

MEASURES = "referee/allowed.py referee/door referee/turn/starting.py"
AT_ONCE = (1, 100)
PATH = "/v1/chat/completions"


def directly(provider: Provider, at_once: int, each: int) -> tuple[float, float]:
    """Return requests a second, and the median seconds of one, by http.client."""
    tls = ssl.create_default_context(cafile=str(provider.ca))

    def connect() -> Callable[[int], None]:
        connection = http.client.HTTPSConnection("localhost", provider.port, context=tls)

        def ask(number: int) -> None:
            connection.request("POST", PATH, chat(str(number)))
            connection.getresponse().read()

        return ask

    return in_threads([connect() for _ in range(at_once)], each)


def by_the_door(provider: Provider, at_once: int, each: int) -> tuple[float, float]:
    """Return the same by a door, with a bot for each request at once."""
    with ExitStack() as stack:
        door = stack.enter_context(Door(terms(provider), {}, {}))
        callers = [
            Caller(door, terms(provider).allow[0], bot=f"b{number}", key=f"m/{number}/{at_once}")
            for number in range(at_once)
        ]

        def player(caller: Caller) -> Callable[[int], None]:
            stack.callback(caller.close)

            def ask(number: int) -> None:
                answer, _ = caller.turn(f"{provider.url}{PATH}", body=chat(str(number)))
                assert answer["status"] == 200, answer

            return ask

        return in_threads([player(caller) for caller in callers], each)


def by_the_client(provider: Provider, at_once: int, each: int) -> tuple[float, float]:
    """Return the same by the door's client alone."""
    origin = origin_of(provider.url)
    taken: list[float] = []

    async def play(client: ProviderClient) -> None:
        for number in range(each):
            body = chat(str(number)).encode()
            headers = {"host": origin.authority, "content-length": str(len(body))}
            began = time.perf_counter()
            reply = await client.send(origin, ProviderRequest("POST", PATH, headers, body))
            taken.append(time.perf_counter() - began)
            assert reply.status == 200

    async def run() -> float:
        client = ProviderClient(Network(), 60.0, 1 << 20)
        began = time.perf_counter()
        await asyncio.gather(*(play(client) for _ in range(at_once)))
        spent = time.perf_counter() - began
        client.close()
        return spent

    return at_once * each / asyncio.run(run()), statistics.median(taken)


def in_threads(asks: list[Callable[[int], None]], each: int) -> tuple[float, float]:
    """Return requests a second, and the median seconds of one, of so many threads."""
    taken: list[float] = []

    def run(ask: Callable[[int], None]) -> None:
        for number in range(each):
            began = time.perf_counter()
            ask(number)
            taken.append(time.perf_counter() - began)

    threads = [threading.Thread(target=run, args=(ask,)) for ask in asks]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(taken) / (time.perf_counter() - began), statistics.median(taken)


def terms(provider: Provider) -> DoorTerms:
    """Return terms that hold nobody up."""
    allow = (f"POST {provider.url}{PATH}",)
    return DoorTerms(allow=allow, requests_per_minute=1_000_000, at_once=1000)


def memory() -> int:
    """Return how much memory this process has, in bytes."""
    with open("/proc/self/statm") as file:  # noqa: PTH123 - a measurement
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def of_clients(provider: Provider, many: int) -> tuple[float, float]:
    """Return the bytes of an idle client, and the seconds of a turn without a request."""
    allow = terms(provider).allow
    with Door(terms(provider), {}, {}) as door:
        Caller(door, *allow).turn(f"{provider.url}{PATH}", body=chat())
        gc.collect()
        before = memory()
        callers = [Caller(door, *allow, key=str(number)) for number in range(many)]
        for caller in callers:
            caller.client.begin_turn()
            caller.client.end_turn()
        time.sleep(0.5)
        grown = (memory() - before) / many
        began = time.perf_counter()
        for caller in callers:
            caller.client.begin_turn()
            caller.client.end_turn()
        turn = (time.perf_counter() - began) / many
        for caller in callers:
            caller.close()
    return grown, turn


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser("python -m tests.benchmarks.door_requests", None, __doc__)
    parser.add_argument("--requests", type=int, default=3000, help="in each row")
    parser.add_argument("--at-once", type=int, nargs="+", default=AT_ONCE)
    parser.add_argument("--clients", type=int, default=2000)
    options = parser.parse_args()
    rows = []
    with Provider() as provider:
        os.environ["SSL_CERT_FILE"] = str(provider.ca)
        grown, turn = of_clients(provider, options.clients)
        for at_once in options.at_once:
            for name, ask in (
                ("directly", directly),
                ("the client", by_the_client),
                ("the door", by_the_door),
            ):
                before = time.process_time()
                speed, median = ask(provider, at_once, options.requests // at_once)
                cpu = (time.process_time() - before) / options.requests
                rows.append((at_once, name, round(speed), median * 1e3, cpu * 1e3))
        count = json.dumps(provider.count)
    print(tabulate(rows, ("At once", "By", "Requests/s", "Median, ms", "CPU, ms"), floatfmt=".2f"))
    print(f"\nAn idle client takes {grown / 1024:.1f} KiB, a turn without a request", end=" ")
    print(f"{turn * 1e6:.1f} µs ({options.clients} clients).\n{count}")


if __name__ == "__main__":
    main()
