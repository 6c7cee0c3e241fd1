import contextlib
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from actors.server import greeting
from actors.server.greeting import MOST_STRANGERS
from actors.wire.address import connect as connect_socket
from actors.wire.authentication import greet_server
from actors.wire.messages import Hello, encode_hello, encode_positions
from actors.wire.transport import HELLO, QUESTION, REFUSAL, WELCOME, Channel, PeerClosed, Refused
from gobang.errors import EvaluatorUnavailable, InvalidCheckpoint, InvalidConfig, VersionGone
from gobang.network.runtimes.calibration import sample_positions
from gobang.types import Positions, Variant
from tests.actors.conftest import KEY, VARIANT, Held, Marked, Shelf


def ask(evaluator, positions: Positions, version: int) -> None:
    """Ask, and check that the answer belongs to these positions and this version."""
    check(evaluator.collect(evaluator.submit(positions)), positions, version)


def check(answer, positions: Positions, version: int) -> None:
    np.testing.assert_array_equal(answer.priors, positions.cells + np.float32(version))
    np.testing.assert_array_equal(answer.chances, np.full((len(positions), 3), version))


def positions(size: int, seed: int = 1) -> Positions:
    return sample_positions(VARIANT, size, seed=seed)


def visit(address: str) -> Channel:
    """A client without the RemoteEvaluator's manners."""
    connected = connect_socket(address, 20)
    greet_server(connected, KEY, 20)
    channel = Channel(connected)
    channel.send(HELLO, [encode_hello(Hello(variant=VARIANT, model="latest"))], patience=20)
    assert channel.receive(20).kind == WELCOME
    return channel


@pytest.mark.parametrize("listen", [None, "tcp:127.0.0.1:0"])
def test_each_client_gets_its_own_answers(start_server, connect, listen):
    server = start_server(**({"listen": (listen,)} if listen else {}))
    clients = [connect(server.addresses[0]) for _ in range(3)]
    batches = [positions(size, seed=size) for size in (1, 20, 64)]
    tickets = [client.submit(batch) for client, batch in zip(clients, batches, strict=True)]
    for client, ticket, batch in zip(clients, tickets, batches, strict=True):
        check(client.collect(ticket), batch, 1)
    report = server.report()
    assert (report.positions, report.questions, report.clients, report.models) == (85, 3, 3, {"latest": 1})


def test_questions_that_wait_become_one_batch(start_server, connect):
    held = Held()
    server = start_server(make=lambda blob: held, threads=1)
    clients = [connect(server.addresses[0]) for _ in range(4)]
    assert [client.version for client in clients] == [1] * 4
    first = clients[0].submit(positions(2))
    assert held.entered.acquire(timeout=20)
    rest = [client.submit(positions(5)) for client in clients[1:]]
    held.release.release(2)
    check(clients[0].collect(first), positions(2), 1)
    for client, ticket in zip(clients[1:], rest, strict=True):
        check(client.collect(ticket), positions(5), 1)
    assert held.batches == [2, 15]
    assert server.report().waited > 0


def test_a_batch_that_does_not_fill_goes_when_its_time_is_up(start_server, connect):
    server = start_server(max_wait_ms=5.0, max_batch=1000)
    clients = [connect(server.addresses[0]) for _ in range(2)]
    for client in clients:
        ask(client, positions(3), 1)
    ask(clients[0], positions(4), 1)
    assert server.report().batches == 3


def test_a_client_that_leaves_takes_nobody_along(start_server, connect):
    held = Held()
    server = start_server(make=lambda blob: held, threads=1)
    leaver, queued = visit(server.addresses[0]), visit(server.addresses[0])
    stays = connect(server.addresses[0])
    assert stays.version == 1
    leaver.send(QUESTION, encode_positions(positions(3)), number=0, count=3, patience=20)
    assert held.entered.acquire(timeout=20)
    queued.send(QUESTION, encode_positions(positions(2)), number=0, count=2, patience=20)
    ticket = stays.submit(positions(5))
    leaver.close()
    queued.close()
    held.release.release(3)
    check(stays.collect(ticket), positions(5), 1)
    ask(stays, positions(1), 1)
    assert server.report().clients == 1


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"key": b"wrong"}, "another key"),
        ({"variant": Variant.square(15)}, "plays 6x6, 4 in a row, freestyle, not 15x15"),
    ],
)
def test_a_client_that_does_not_fit_is_told_why(start_server, connect, options, reason):
    evaluator = connect(start_server().addresses[0], **options)
    with pytest.raises(Refused, match=reason):
        evaluator.collect(evaluator.submit(sample_positions(options.get("variant", VARIANT), 1)))


@pytest.mark.parametrize("count", [1, 3])
def test_a_question_of_a_wrong_length_is_refused(start_server, count):
    channel = visit(start_server().addresses[0])
    channel.send(QUESTION, encode_positions(positions(2)), number=0, count=count, patience=20)
    message = channel.receive(20)
    assert message.kind == REFUSAL
    assert b"expected" in message.payload.tobytes()
    channel.close()


def test_noise_on_the_socket_disturbs_nobody(start_server, connect):
    server = start_server()
    with connect_socket(server.addresses[0], 20) as noisy:
        noisy.sendall(b"GET / HTTP/1.1\r\n\r\n" * 10)
        ask(connect(server.addresses[0]), positions(3), 1)


def greeters() -> int:
    return sum(thread.name == "_greet" for thread in threading.enumerate())


def test_strangers_who_say_nothing_are_let_wait_up_to_a_number(start_server, connect):
    server = start_server(listen=("tcp:127.0.0.1:0",))
    with contextlib.ExitStack() as strangers:
        for _ in range(MOST_STRANGERS + 50):
            strangers.enter_context(connect_socket(server.addresses[0], 20))
        with connect_socket(server.addresses[0], 20) as last:
            last.settimeout(20)
            assert last.recv(1) == b""  # hung up, when all before it have been accepted
        assert greeters() <= MOST_STRANGERS
    ask(connect(server.addresses[0]), positions(3), 1)


def test_a_system_without_threads_turns_clients_away_only_meanwhile(start_server, connect, monkeypatch):
    server = start_server(listen=("tcp:127.0.0.1:0",))
    monkeypatch.setattr(greeting, "_start", no_thread)
    for _ in range(MOST_STRANGERS + 1):  # no slot is lost either
        with connect_socket(server.addresses[0], 20) as turned_away:
            assert turned_away.recv(1) == b""
    monkeypatch.undo()
    ask(connect(server.addresses[0]), positions(3), 1)


def no_thread(*_):
    raise RuntimeError("can't start new thread")


@pytest.mark.parametrize(
    "hello", [b"[" * 100_000, b"\xff", b"{}", b"[]", b'{"variant": {"height": 1e999}, "model": 1}', b'{"variant": 3}']
)
def test_a_hello_that_cannot_be_read_is_refused(start_server, connect, hello):
    server = start_server()
    connected = connect_socket(server.addresses[0], 20)
    greet_server(connected, KEY, 20)
    channel = Channel(connected)
    channel.send(HELLO, [hello], patience=20)
    assert channel.receive(20).kind == REFUSAL
    channel.close()
    ask(connect(server.addresses[0]), positions(3), 1)


def test_a_model_that_does_not_exist_yet_is_waited_for(start_server, connect):
    shelf = Shelf({})
    evaluator = connect(start_server(source=shelf).addresses[0])
    with ThreadPoolExecutor(1) as pool:
        version = pool.submit(lambda: evaluator.version)
        shelf.versions["latest"] = 9
        assert version.result(20) == 9


def test_a_model_that_never_comes_is_named(start_server, connect):
    evaluator = connect(start_server(source=Shelf({})).addresses[0], model="best", patience=0.05)
    with pytest.raises(EvaluatorUnavailable, match="'best' is not ready"):
        evaluator.collect(evaluator.submit(positions(1)))


def test_several_models_answer_side_by_side(start_server, connect):
    server = start_server(source=Shelf({"latest": 5, "best": 3}))
    models = {"latest": 5, "best": 3, "12": 12}
    clients = {model: connect(server.addresses[0], model=model) for model in models}
    for model, client in clients.items():
        ask(client, positions(4), models[model])
    assert server.report().models == models


def test_weights_are_exchanged_under_load_without_a_lost_or_mixed_answer(start_server, connect):
    shelf = Shelf()
    server = start_server(source=shelf)
    stop = threading.Event()

    def play(seed: int) -> list[int]:
        client = connect(server.addresses[0])
        batch, versions = positions(8, seed), []
        while not stop.is_set() or versions[-1] < 40:
            tickets = [client.submit(batch) for _ in range(2)]
            for ticket in tickets:
                answer = client.collect(ticket)
                check(answer, batch, int(answer.chances[0, 0]))
                versions.append(client.version)
        return versions

    with ThreadPoolExecutor(3) as pool:
        players = [pool.submit(play, seed) for seed in range(3)]
        watcher = connect(server.addresses[0])
        for version in range(2, 41):
            shelf.versions["latest"] = version
            while watcher.version < version:
                watcher.collect(watcher.submit(positions(1)))
        stop.set()
        for player in players:
            versions = player.result(60)
            assert versions == sorted(versions)
            assert len(set(versions)) > 5
    assert server.report().dropped == 0


class Failing(Marked):
    failures = 2

    def evaluate(self, positions: Positions):
        if self.failures:
            self.failures -= 1
            raise RuntimeError("out of memory")
        return super().evaluate(positions)


def test_a_batch_that_fails_is_asked_again(start_server, connect, caplog):
    server = start_server(make=lambda blob: Failing(1))
    client = connect(server.addresses[0])
    ask(client, positions(3), 1)
    assert caplog.text.count("a batch is not answered") == 2


class Spoilt(Marked):
    """Gives one number that is none, among the priors or among the chances."""

    def __init__(self, version: int, where: str) -> None:
        super().__init__(version)
        self.where = where

    def evaluate(self, positions: Positions):
        evaluations = super().evaluate(positions)
        getattr(evaluations, self.where)[-1, -1] = np.nan if self.where == "priors" else np.inf
        return evaluations


@pytest.mark.parametrize("where", ["priors", "chances"])
def test_a_version_whose_answers_are_not_finite_is_put_aside_for_the_one_before(start_server, connect, caplog, where):
    shelf = Shelf()
    server = start_server(source=shelf, make=lambda blob: Spoilt(2, where) if blob == b"2" else Marked(int(blob)))
    client = connect(server.addresses[0])
    ask(client, positions(3), 1)
    shelf.versions["latest"] = 2
    while "version 2 gives answers that are not finite: version 1 answers again" not in caplog.text:
        ask(client, positions(3), 1)
    shelf.versions["latest"] = 3
    while client.version != 3:
        client.collect(client.submit(positions(1)))
    assert caplog.text.count("not finite") == 1


def test_where_no_good_version_was_before_a_newer_one_is_waited_for(start_server, connect, caplog):
    shelf = Shelf()
    server = start_server(source=shelf, make=lambda blob: Spoilt(1, "priors") if blob == b"1" else Marked(int(blob)))
    client = connect(server.addresses[0])
    ticket = client.submit(positions(3))
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(client.collect, ticket)
        while "a newer one is waited for" not in caplog.text:
            assert not answer.done()
        shelf.versions["latest"] = 2
        check(answer.result(20), positions(3), 2)


@pytest.mark.parametrize("where", ["file", "answers"])
def test_who_wants_a_version_that_is_not_finite_is_told_so_at_once(start_server, connect, where):
    def make(blob: bytes) -> Marked:
        if blob == b"7" and where == "file":
            raise InvalidCheckpoint("trunk.weight holds a value that is not finite")
        return Spoilt(7, "priors") if blob == b"7" else Marked(int(blob))

    server = start_server(make=make)
    for _ in range(2):
        client = connect(server.addresses[0], model="7", patience=1000)
        with pytest.raises(VersionGone, match=r"version 7 cannot be used: .* not finite"):
            client.collect(client.submit(positions(3)))
    ask(connect(server.addresses[0], model="8"), positions(3), 8)


def test_a_client_that_is_greeted_while_the_server_closes_is_hung_up_on(start_server):
    server = start_server()
    server.close()
    near, far = socket.socketpair()
    with near, far, pytest.raises(PeerClosed, match="the server stops"):
        server._admit(Channel(near), "latest")
    assert server.report().clients == 0


def test_closing_ends_all_waiting(start_server, connect):
    held = Held()
    server = start_server(make=lambda blob: held, threads=1)
    waiting, queued = (connect(server.addresses[0], patience=2.5) for _ in range(2))
    assert waiting.version == queued.version  # both are connected
    tickets = [waiting.submit(positions(1))]
    assert held.entered.acquire(timeout=20)
    tickets.append(queued.submit(positions(1)))  # after the first batch was formed
    closing = threading.Thread(target=server.close)
    closing.start()
    assert server._closing.wait(20)
    held.release.release(2)
    closing.join(20)
    answered = 0
    for client, ticket in zip((waiting, queued), tickets, strict=True):
        try:
            client.collect(ticket)
            answered += 1
        except EvaluatorUnavailable:
            pass
    assert answered <= 1
    assert server.report().clients == 0


@pytest.mark.parametrize("options", [{"max_batch": 0}, {"max_wait_ms": -1.0}, {"threads": 0}, {"listen": ()}])
def test_settings_out_of_range_are_refused(start_server, options):
    with pytest.raises(InvalidConfig, match=next(iter(options))):
        start_server(**options)


def test_a_server_that_cannot_listen_says_where(start_server):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"tcp:127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(InvalidConfig, match=address):
            start_server(listen=(address,))
