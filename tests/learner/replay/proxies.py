"""A proxy in front of a Redis server, which encrypts or changes what goes through it."""

from __future__ import annotations

import contextlib
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from learner.replay.pool.redis_server import RedisServer


@contextmanager
def proxy(
    server: RedisServer,
    *,
    change: Callable[[bytes], bytes] = lambda data: data,
    encrypted: ssl.SSLContext | None = None,
) -> Iterator[int]:
    """Its port; `change` gets what the server says, and clients have to speak TLS if `encrypted` is given."""
    host, port = server.url.split("@")[1].split("/")[0].split(":")

    def accept() -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                client = listener.accept()[0]
                threading.Thread(target=serve, args=(client,), daemon=True).start()

    def serve(client: socket.socket) -> None:
        with (
            contextlib.suppress(OSError),
            socket.create_connection((host, int(port))) as real,
            encrypted.wrap_socket(client, server_side=True) if encrypted else client as reached,
        ):
            threading.Thread(target=carry, args=(real, reached, change), daemon=True).start()
            carry(reached, real, lambda data: data)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1]


def carry(source: socket.socket, target: socket.socket, change: Callable[[bytes], bytes]) -> None:
    """Until one of them hangs up."""
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(change(data))


def certificate(folder: Path, host: str = "127.0.0.1") -> Path:
    """A self-signed one for an address, as a PEM file with its key in key.pem beside it."""
    path, subject = folder / "certificate.pem", ["-subj", f"/CN={host}", "-addext", f"subjectAltName=IP:{host}"]
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(path)]
    subprocess.run(["openssl", "req", "-x509", *kind, *subject, *files], check=True, capture_output=True)
    return path


def tls(certificate: Path) -> ssl.SSLContext:
    """What a server needs that shows the certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_name("key.pem"))
    return context
