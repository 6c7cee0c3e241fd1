"""The page says what Redis takes, and what a run's processes listen on (tests/integration/test_listeners.py)."""

from __future__ import annotations

import re

from learner.replay.pool.limiter import LimiterConfig
from learner.replay.pool.redis_claim import PoolClaim
from learner.replay.pool.redis_pool import RedisPool, connect
from learner.replay.pool.redis_server import RedisServer
from learner.replay.pool.redis_survey import survey
from learner.replay.pool.replay_pool import START
from tests.docs.pages import ROOT, text
from tests.learner.replay.games import SMALL, stored_games

PAGE = ROOT / "docs" / "security.md"


def test_the_user_of_the_page_may_do_what_a_run_does_and_no_more(tmp_path) -> None:
    server, name, games = RedisServer(tmp_path / "redis"), "gobang-run", stored_games(SMALL, 4)
    server.start()
    try:
        (line,) = re.findall(r"^    ACL SETUSER .*$", text(PAGE), re.MULTILINE)
        administrator = connect(server.url)
        administrator.execute_command(*line.replace("PASSWORD", "secret").split())
        administrator.script_flush()
        url = server.url.replace(server.url.split("@")[0], "redis://gobang:secret")
        assert survey(url) == []
        claim = PoolClaim(url, name=name, run="one", say=print)
        claim.take(None)
        pool = RedisPool(url, SMALL, name=name, run="one", keep=20, limiter=LimiterConfig(minimum=1))
        assert [pool.add(game) for game in games] == [True] * 4
        administrator.xadd(f"{name}:games", {"g": b"x" * 1_000_000})
        read = pool.read_since(START, 10)
        assert (len(read.rejected), pool.newest(1)[0].id) == (1, games[-1].id)
        assert pool.has_room()
        assert pool.take_samples(1)
        claim.look()
        administrator.delete(f"{name}:games", f"{name}:counters")
        claim.look()
        assert pool.counters().lost > 0
        claim.release()
        refused = {entry["object"] for entry in administrator.acl_log() if entry["reason"] != "auth"}
        assert refused <= {
            "client",
            "client|setinfo",
        }  # by which the client tells its name; Redis 7.0 has no such right
    finally:
        server.stop()
