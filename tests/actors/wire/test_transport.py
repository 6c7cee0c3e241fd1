import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from actors.wire.transport import ANSWER, QUESTION, Channel, PeerClosed, TransportError


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, Channel]]:
    ours, theirs = socket.socketpair()
    channel = Channel(theirs)
    yield ours, channel
    ours.close()
    channel.close()


def header(length: int, kind: int = QUESTION) -> bytes:
    numbers = [length.to_bytes(4, "little"), bytes([kind]), (7).to_bytes(4, "little")]
    return b"".join([*numbers, (3).to_bytes(4, "little"), (12).to_bytes(4, "little")])


def test_a_frame_arrives_with_all_its_fields(pair):
    ours, channel = pair
    Channel(ours).send(ANSWER, [np.arange(5, dtype=np.int16), b"end"], number=7, count=3, version=-1, patience=1)
    message = channel.receive(5)
    assert (message.kind, message.number, message.count, message.version) == (ANSWER, 7, 3, -1)
    assert message.payload.tobytes() == np.arange(5, dtype=np.int16).tobytes() + b"end"


def test_a_frame_in_pieces_is_put_together(pair):
    ours, channel = pair
    frame = header(6) + b"abcdef"
    for byte in frame[:-1]:
        ours.sendall(bytes([byte]))
        assert channel.receive() is None
    ours.sendall(frame[-1:])
    assert channel.receive(5).payload.tobytes() == b"abcdef"


def test_a_truncated_frame_is_a_closed_peer(pair):
    ours, channel = pair
    ours.sendall(header(100) + b"abc")
    assert channel.receive() is None
    ours.close()
    with pytest.raises(PeerClosed, match="hung up"):
        channel.receive(5)


@pytest.mark.parametrize("frame", [header(1 << 30), header(4, kind=99), b"GET / HTTP/1.1\r\n\r\n"])
def test_what_is_not_ours_is_refused_before_memory_is_taken(pair, frame):
    ours, channel = pair
    ours.sendall(frame)
    with pytest.raises(TransportError, match="not ours"):
        channel.receive(5)


def test_nothing_within_the_time_is_none(pair):
    assert pair[1].receive(0.001) is None


def test_hanging_up_ends_a_wait(pair):
    _, channel = pair
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(channel.receive, 20)
        channel.hang_up()
        assert isinstance(waiting.exception(20), PeerClosed)


def test_a_peer_that_takes_nothing_is_given_up(pair):
    with pytest.raises(PeerClosed, match="took nothing"):
        pair[1].send(ANSWER, [np.zeros(1 << 24, np.uint8)], patience=0.01)


def test_a_peer_that_only_talks_is_given_up_too(pair):
    ours, channel = pair
    ours.sendall(header(6) + b"unread")
    errors: list[PeerClosed] = []

    def send() -> None:
        try:
            channel.send(ANSWER, [np.zeros(1 << 24, np.uint8)], patience=0.01)
        except PeerClosed as error:
            errors.append(error)

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    sender.join(20)
    assert [str(error) for error in errors] == ["the other side took nothing for 0.01 s"]


def test_two_that_send_at_once_read_meanwhile(pair):
    ours, second = pair
    first = Channel(ours)
    load = np.arange(1 << 23, dtype=np.uint8)
    got: dict[str, list[int]] = {"first": [], "second": []}

    def talk(name: str, channel: Channel) -> None:
        def read(patience: float = 0) -> None:
            if (message := channel.receive(patience)) is not None:
                got[name].append(len(message.payload))

        channel.send(ANSWER, [load], patience=20, read_meanwhile=read)
        while not got[name]:
            read(20)

    thread = threading.Thread(target=talk, args=("second", second))
    thread.start()
    talk("first", first)
    thread.join(20)
    assert got == {"first": [1 << 23], "second": [1 << 23]}


def test_a_machine_that_falls_silent_is_noticed():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        connected = socket.create_connection(listener.getsockname())
    channel = Channel(connected)
    assert connected.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    channel.close()
