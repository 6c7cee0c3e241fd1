import os
import select
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from redis.exceptions import AuthenticationError, RedisError

from gobang.errors import PoolUnavailable
from gobang.types import Variant
from learner.replay.pool import redis_exec, redis_server
from learner.replay.pool.codec import largest_blob
from learner.replay.pool.redis_pool import connect
from learner.replay.pool.redis_program import find_redis_server
from learner.replay.pool.redis_server import LONGEST_TEXT, RedisServer
from tests.learner.replay.servers import UsersServer


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path / "redis")
    yield server
    server.stop()


def test_it_listens_here_only_with_a_password_and_private_files(tmp_path: Path) -> None:
    server = UsersServer(tmp_path / "redis")
    server.start()
    try:
        _check_settings(server)
    finally:
        server.stop()


def _check_settings(server: RedisServer) -> None:
    for url in (server.url, server.local_url):
        assert connect(url).ping()
    assert server.local_url.startswith("unix://")
    config = connect(server.url).config_get("*")
    wanted = {"bind": "127.0.0.1", "appendonly": "yes", "appendfsync": "everysec", "maxmemory-policy": "noeviction"}
    assert {name: config[name] for name in wanted} == wanted
    assert config["client-output-buffer-limit"].startswith("normal 67108864 0 0")  # of strangers, too
    with pytest.raises(AuthenticationError):
        connect(f"redis://{server.url.split('@')[1]}").ping()
    for name in ("password", "redis.conf", "server.lock", "owner.lock"):
        assert stat.S_IMODE((server.directory / name).stat().st_mode) == 0o600


def test_it_takes_no_text_that_is_longer_than_any_game(server: RedisServer) -> None:
    server.start()
    assert largest_blob(Variant.square(22)) < LONGEST_TEXT
    with pytest.raises(RedisError, match=r"invalid bulk length|Broken pipe|reset by peer|closed"):
        connect(server.url).set("key", b"x" * (LONGEST_TEXT + 1))
    assert connect(server.url).set("key", b"x" * LONGEST_TEXT)


def test_it_listens_for_other_machines_where_it_is_told_to(tmp_path: Path) -> None:
    server = UsersServer(tmp_path / "redis", host="127.0.0.2")
    server.start()
    try:
        assert "@127.0.0.2:" in server.url
        assert connect(server.url).config_get("bind") == {"bind": "127.0.0.1 127.0.0.2"}
        assert connect(server.url.replace("127.0.0.2", "127.0.0.1")).ping()
    finally:
        server.stop()


@pytest.mark.parametrize("words", ["CONFIG SET dir /tmp", "DEBUG OBJECT x", "MODULE LIST", "REPLICAOF NO ONE"])
def test_games_of_a_stranger_run_no_dangerous_command(server: RedisServer, words: str) -> None:
    server.directory.mkdir()
    called = "".join(f"${len(word)}\r\n{word}\r\n" for word in words.split())
    (server.directory / "appendonly.aof").write_text(f"*{len(words.split())}\r\n{called}", newline="")
    with pytest.raises(PoolUnavailable, match=r"(?i)unknown command"):
        server.start()


@pytest.mark.parametrize("text", ["x\nloadmodule /tmp/x.so", "two words", "x" * 200, "ünfit"])
def test_a_password_of_a_stranger_adds_no_setting(server: RedisServer, text: str) -> None:
    server.directory.mkdir()
    (server.directory / "password").write_text(text)
    with pytest.raises(PoolUnavailable, match="holds no password that gobang has made"):
        server.start()
    assert not (server.directory / "redis.conf").exists()
    with pytest.raises(PoolUnavailable, match="holds no password that gobang has made"):
        RedisServer.url_in(server.directory)


def test_a_folder_with_a_line_end_in_its_name_adds_no_setting(tmp_path: Path) -> None:
    server = RedisServer(tmp_path / 'x"\nport 1\n"')
    server.start()
    assert server.pid
    server.stop()
    assert "\nport 1\n" not in (server.directory / "redis.conf").read_text()


def test_a_version_of_a_stranger_is_refused(server: RedisServer) -> None:
    server.directory.mkdir()
    (server.directory / "version").write_text("a.b")
    with pytest.raises(PoolUnavailable, match="holds no version of Redis"):
        server.start()


def test_no_number_of_a_stranger_ends_all_processes(server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.directory.mkdir()
    (server.directory / "server.lock").write_text("-1")
    monkeypatch.setattr(redis_server, "_is_locked", lambda path: True)
    monkeypatch.setattr(redis_server, "_wait_until", lambda condition, seconds: False)
    killed: list[int] = []
    monkeypatch.setattr(os, "kill", lambda process, number: killed.append(process))
    with pytest.raises(PoolUnavailable, match="process -1, does not end"):
        server.start()
    assert killed == []


def _make_pipe(path: Path) -> None:
    os.mkfifo(path)


def _link_to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _make_large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(100 << 30)


@pytest.mark.parametrize("name", ["password", "port"])
@pytest.mark.parametrize("make", [_make_pipe, _link_to_device, _make_large])
def test_files_of_a_stranger_are_refused_before_they_are_read(
    tmp_path: Path, name: str, make: Callable[[Path], None]
) -> None:
    (tmp_path / "password").write_text("word")
    (tmp_path / "port").write_text("1")
    (tmp_path / name).unlink()
    make(tmp_path / name)
    with pytest.raises(PoolUnavailable, match=name):
        RedisServer.url_in(tmp_path)


def test_a_link_to_another_socket_is_not_followed(server: RedisServer, tmp_path: Path) -> None:
    server.start()
    assert RedisServer.url_in(server.directory) == server.local_url
    other = tmp_path / "other"
    other.mkdir()
    for name in ("password", "port"):
        (other / name).write_text((server.directory / name).read_text())
    (other / "redis.sock").symlink_to(server.directory / "redis.sock")
    with pytest.raises(PoolUnavailable, match="no Redis server was started here"):
        RedisServer.url_in(other)


def test_after_a_crash_it_comes_back_as_it_was(server: RedisServer) -> None:
    server.start()
    url, pid, client = server.url, server.pid, connect(server.url)
    client.set("key", "value")
    assert not server.ensure_running()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    while not server.ensure_running():
        pass
    assert (server.url, client.get("key")) == (url, b"value")
    assert server.pid not in (pid, None)
    assert not server.ensure_running()


def test_a_server_that_hangs_is_replaced(server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.start()
    connect(server.url).set("key", "value")
    assert server.pid is not None
    os.kill(server.pid, signal.SIGSTOP)
    monkeypatch.setattr(redis_server, "ANSWER_SECONDS", 0.3)
    assert server.ensure_running()
    assert connect(server.url).get("key") == b"value"


def test_it_stops_with_everything_saved_and_starts_again(server: RedisServer) -> None:
    server.start()
    url, pid = server.url, server.pid
    assert pid is not None
    connect(url).set("key", "value")
    server.stop()
    assert server.pid is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert (server.directory / "dump.rdb").exists()
    server.start()
    assert server.url == url
    assert connect(url).get("key") == b"value"


def test_one_directory_has_one_launcher(server: RedisServer) -> None:
    server.start()
    with pytest.raises(PoolUnavailable, match="another launcher is using it"):
        RedisServer(server.directory).start()
    assert connect(server.url).ping()


LAUNCHER = """
import sys
from pathlib import Path
from learner.replay.pool.redis_program import find_redis_server
from learner.replay.pool.redis_server import RedisServer
server = RedisServer(Path(sys.argv[1]))
server.start()
print(server.pid, server.url, flush=True)
sys.stdin.read()
"""


def ends(pid: int) -> bool:
    """Whether a process that need not be a child of ours ends within ten seconds."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    ended = bool(select.select([descriptor], [], [], 10)[0])
    os.close(descriptor)
    return ended


@pytest.mark.skipif(sys.platform != "linux", reason="asks the Linux kernel")
def test_it_ends_with_a_launcher_that_is_killed_and_the_next_one_goes_on(server: RedisServer) -> None:
    command = [sys.executable, "-c", LAUNCHER, str(server.directory)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as launcher:
        assert launcher.stdout is not None
        pid, url = launcher.stdout.readline().split()
        connect(url).set("key", "value")
        launcher.kill()
    assert ends(int(pid))
    (server.directory / "temp-rewriteaof-4711.aof").touch()  # of a server that was killed in the middle
    server.start()
    assert list(server.directory.glob("temp-*")) == []
    assert server.url == url
    assert connect(url).get("key") == b"value"


def start_orphan(server: RedisServer) -> subprocess.Popen[bytes]:
    """A server on the directory's files that no launcher looks after."""
    server.start()
    connect(server.url).set("key", "value")
    server.stop()
    words = [sys.executable, redis_exec.__file__, str(server.directory / "server.lock")]
    orphan = subprocess.Popen([*words, str(find_redis_server().path), str(server.directory / "redis.conf")])
    assert redis_server._wait_until(server._answers, 20)
    return orphan


def test_a_server_that_was_left_running_is_taken_over(server: RedisServer) -> None:
    orphan = start_orphan(server)
    connect(server.url).set("later", "too")
    server.start()
    assert orphan.wait(10) == 0
    assert connect(server.url).mget("key", "later") == [b"value", b"too"]


def test_one_that_was_left_hanging_is_taken_over_by_force(server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    orphan = start_orphan(server)
    orphan.send_signal(signal.SIGSTOP)
    monkeypatch.setattr(redis_server, "STOP_SECONDS", 0.3)
    server.start()
    assert orphan.wait(10) == -signal.SIGKILL
    assert connect(server.url).get("key") == b"value"


def test_no_second_server_starts_on_files_in_use(server: RedisServer) -> None:
    server.start()
    words = [sys.executable, redis_exec.__file__, str(server.directory / "server.lock"), "true"]
    assert subprocess.run(words, timeout=20).returncode == redis_exec.LOCKED


def test_a_stale_process_id_does_no_harm(server: RedisServer) -> None:
    server.directory.mkdir()
    stranger = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    (server.directory / "server.lock").write_text(str(stranger.pid))
    server.start()
    assert stranger.poll() is None
    stranger.communicate()


def test_a_port_in_use_is_avoided(server: RedisServer) -> None:
    server.directory.mkdir()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        (server.directory / "port").write_text(str(taken.getsockname()[1]))
        server.start()
        assert str(taken.getsockname()[1]) not in server.url
    assert connect(server.url).ping()


def test_it_outlives_the_thread_that_started_it(server: RedisServer) -> None:
    thread = threading.Thread(target=server.start)
    thread.start()
    thread.join()
    assert connect(server.url).ping()
    assert not server.ensure_running()


def test_a_path_too_long_for_a_unix_socket_leaves_tcp(tmp_path: Path) -> None:
    server = RedisServer(tmp_path / ("deep" * 30) / 'with "quotes" and spaces')
    server.start()
    assert server.local_url == server.url
    assert connect(server.url).ping()
    server.stop()


def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    server = RedisServer(tmp_path, maxmemory=-1)
    with pytest.raises(PoolUnavailable, match=r"did not start.*argument"):
        server.start()
    server.stop()


@pytest.mark.parametrize("end", ["exit 0", "kill -KILL $$"])
def test_a_server_that_ends_at_once_is_not_taken_for_one_that_runs(
    server: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    put_on_path(tmp_path, monkeypatch, "99.1.2", then=end)
    with pytest.raises(PoolUnavailable, match=r"did not start \(code -\d+\): no log"):
        server.start()
    assert not (server.directory / "version").exists()


def put_on_path(folder: Path, monkeypatch: pytest.MonkeyPatch, version: str, then: str = "") -> Path:
    """Put a redis-server first that tells this version, and then runs a command or is the one of the wheel."""
    program, run = folder / "redis-server", then or f'exec {find_redis_server().path} "$@"'
    program.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "Redis server v={version} sha=0" && exit\n{run}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return program


def test_files_of_a_newer_server_are_refused_by_an_older_one(
    server: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path, newer = os.environ["PATH"], put_on_path(tmp_path, monkeypatch, "99.1.2")
    with caplog.at_level("INFO"):
        server.start()
    assert f"redis-server 99.1.2 at {newer} runs as process {server.pid}" in caplog.text
    assert connect(server.url).ping()
    server.stop()
    monkeypatch.setenv("PATH", path)
    with pytest.raises(PoolUnavailable, match=r"written by Redis 99\.1\.2, which redis-server \d.* cannot read"):
        server.start()


def test_its_files_are_for_the_user_alone(server: RedisServer) -> None:
    server.start()
    assert server.directory.stat().st_mode & 0o077 == 0
