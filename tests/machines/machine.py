"""Machines that are namespaces of this one: own address, own processes, own home, and an sshd that lets one key in."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import ray

from tests.machines.private import NAMESPACES, find

HERE = "10.77.0.1"  # of the machine that the network belongs to
BEGIN = """
hostname {name}
mount --bind {files}/passwd /etc/passwd
mount --bind {files}/ray /tmp/ray
mount -t tmpfs none /run
mkdir -p /run/sshd
echo separate
read connected
ip link set lo up
ip addr add {address}/24 dev {link}
ip link set {link} up
ip route add default via {here}
exec {sshd} -D -e -f {files}/sshd_config
"""
SSHD = """
ListenAddress {address}
HostKey {files}/host_key
AuthorizedKeysFile {files}/authorized_keys
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
PidFile none
"""


class Network:
    """A bridge of this network namespace, which must have no other link than loopback."""

    def __init__(self) -> None:
        (ip("link set lo up"), ip("link add gobang type bridge"))
        (ip(f"addr add {HERE}/24 dev gobang"), ip("link set gobang up"))

    def connect(self, process: int, link: str) -> None:
        """Give the namespace of a process a link to the bridge."""
        ip(f"link add {link} type veth peer name {link}-here")
        (ip(f"link set {link}-here master gobang"), ip(f"link set {link}-here up"))
        ip(f"link set {link} netns {process}")


class Machine:
    """One machine of a network; `home` is the folder of its root."""

    def __init__(self, network: Network, name: str, address: str, public_key: str) -> None:
        self.name, self.address = name, address
        files = self._files = Path(tempfile.mkdtemp(prefix=f"{name}-", dir="/tmp"))
        self.home = files / "home"
        self._write(files, public_key)
        link = f"to-{name}"
        script = BEGIN.format(name=name, address=address, files=files, link=link, here=HERE, sshd=find("sshd"))
        self._sshd_says = files / "sshd.out"
        with self._sshd_says.open("w") as errors:
            self._process = subprocess.Popen(
                [find("unshare"), *NAMESPACES, "sh", "-ec", script],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        assert self._process.stdin
        assert self._process.stdout
        with self._process.stdin as go_on, self._process.stdout as said:
            assert said.readline() == b"separate\n", self._sshd_says.read_text()
            network.connect(self._process.pid, link)
            go_on.write(b"\n")

    def processes(self) -> list[psutil.Process]:
        """All that run on it, but for sshd itself and its `sh`."""
        below = psutil.Process(self._process.pid).children(recursive=True)
        return [process for process in below if "sshd" not in process.name()]

    def end(self) -> None:
        """Switch it off, and remove its files."""
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._files)

    def _write(self, files: Path, public_key: str) -> None:
        (files / "ray").mkdir()
        Path("/tmp/ray").mkdir(exist_ok=True)  # for the other to lie upon
        self.home.mkdir()
        users = Path("/etc/passwd").read_text().splitlines()
        fields = [line.split(":") for line in users if not line.startswith("sshd:")]
        fields = [[*line[:5], str(self.home), "/bin/bash"] if line[0] == "root" else line for line in fields]
        fields.append(["sshd", "x", "65530", "65534", "", "/run/sshd", "/usr/sbin/nologin"])
        (files / "passwd").write_text("".join(":".join(line) + "\n" for line in fields))
        (files / "authorized_keys").write_text(public_key)
        (files / "sshd_config").write_text(SSHD.format(address=self.address, files=files))
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", files / "host_key"], check=True)


def furnish(home: Path) -> None:
    """Put ~/gobang/venv there, as if all packages of this environment but gobang itself had been installed before.

    The machines have no way to a package index; what is there, pip leaves as it is.
    """
    environment = home / "gobang" / "venv"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    packages = next(environment.glob("lib/python*/site-packages"))
    for path in Path(ray.__file__).parents[1].iterdir():
        its = packages / path.name
        if not its.exists() and "gobang" not in path.name and path.suffix != ".pth":
            its.symlink_to(path)
    program = environment / "bin" / "ray"
    program.write_text(f"#!{environment}/bin/python\nfrom ray.scripts.scripts import main\nmain()\n")
    program.chmod(0o755)


def ip(command: str) -> None:
    subprocess.run([find("ip"), *shlex.split(command)], check=True)
