"""A network between this machine's own and a namespace, that can be cut, lose packets and be slow.

    with Link() as link:                # as root
        ... start a node with the prefix link.inside, at the address link.there; this side is link.here
        link.is_cut = True

Two TUN devices, one on each side, and a thread for each direction that carries packets from one to the other: what
the kernel's own emulator would do, which not every kernel has.
"""

from __future__ import annotations

import fcntl
import heapq
import os
import random
import secrets
import select
import struct
import subprocess
import threading
import time
from typing import Final

_SET_NAME: Final = 0x400454CA  # TUNSETIFF
_TUN_WITHOUT_HEADER: Final = 0x1001
_PACKET_BYTES: Final = 65_536
_LOOK_SECONDS: Final = 0.2


class Link:
    """The two devices, the namespace and the threads; gone when the context is left."""

    def __init__(self, seed: int = 1) -> None:
        word = secrets.token_hex(3)
        self.namespace = f"gobang-{word}"
        network = f"10.{random.Random(word).randrange(200, 250)}.{random.Random(word).randrange(256)}"
        self.here, self.there = f"{network}.1", f"{network}.2"
        self.inside = ("ip", "netns", "exec", self.namespace)
        self.is_cut = False
        self.loss = 0.0  # share of packets
        self.delay = 0.0  # seconds, each way
        self.carried = 0  # packets
        self._dice = random.Random(seed)
        self._names = f"gb{word}h", f"gb{word}n"
        self._closing = threading.Event()

    def __enter__(self) -> Link:
        run("ip", "netns", "add", self.namespace)
        self._devices = [make_device(name) for name in self._names]
        here, there = self._names
        run("ip", "link", "set", there, "netns", self.namespace)
        for prefix, device, address in (((), here, self.here), (self.inside, there, self.there)):
            run(*prefix, "ip", "addr", "add", f"{address}/30", "dev", device)
            run(*prefix, "ip", "link", "set", device, "up")
        run(*self.inside, "ip", "link", "set", "lo", "up")
        ways = (self._devices, self._devices[::-1])
        self._threads = [threading.Thread(target=self._carry, args=way, daemon=True) for way in ways]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._closing.set()
        for thread in self._threads:
            thread.join()
        for device in self._devices:
            os.close(device)
        run("ip", "netns", "delete", self.namespace)

    def heal(self) -> None:
        """Lose and delay nothing any more."""
        self.is_cut, self.loss, self.delay = False, 0.0, 0.0

    def _carry(self, source: int, target: int) -> None:
        under_way: list[tuple[float, int, bytes]] = []
        while not self._closing.is_set():
            seconds = max(0.0, under_way[0][0] - time.monotonic()) if under_way else _LOOK_SECONDS
            if select.select([source], [], [], min(seconds, _LOOK_SECONDS))[0]:
                packet = os.read(source, _PACKET_BYTES)
                if not self.is_cut and self._dice.random() >= self.loss:
                    self.carried += 1
                    heapq.heappush(under_way, (time.monotonic() + self.delay, self.carried, packet))
            while under_way and under_way[0][0] <= time.monotonic():
                os.write(target, heapq.heappop(under_way)[2])


def make_device(name: str) -> int:
    """A new TUN device; its descriptor."""
    descriptor = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(descriptor, _SET_NAME, struct.pack("16sH22x", name.encode(), _TUN_WITHOUT_HEADER))
    return descriptor


def run(*command: str) -> None:
    """A command of the system that has to succeed."""
    subprocess.run(command, check=True, capture_output=True, text=True)
