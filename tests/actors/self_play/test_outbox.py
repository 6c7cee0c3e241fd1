from types import SimpleNamespace

from actors.self_play.outbox import Outbox
from gobang.errors import PoolUnavailable
from tests.actors.conftest import Pool


class Unwritable(Pool):
    """Takes no game while it is full, as one whose disk is, but can be read."""

    def add(self, game):
        if self.is_full:
            raise PoolUnavailable("no space left")
        return super().add(game)

    def has_room(self):
        return True


def test_a_pool_that_can_only_be_read_is_told_of_once(caplog):
    pool = Unwritable()
    pool.is_full = True
    outbox = Outbox(pool, 2)
    for name, may_go_on in (("a/1", True), ("a/2", False)):
        outbox.add(SimpleNamespace(id=name))
        outbox.flush()
        assert outbox.may_go_on() == may_go_on
        assert outbox.is_cut_off
    assert caplog.text.count("wait for the pool") == 1
    pool.is_full = False
    outbox.flush()
    assert outbox.may_go_on()
    assert not outbox.is_cut_off
    assert [game.id for game in pool.games] == ["a/1", "a/2"]
