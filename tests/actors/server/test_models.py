import threading

import pytest

from actors.server.models import Models
from gobang.errors import InvalidCheckpoint
from tests.actors.conftest import Marked, Shelf, marked


def models(shelf: Shelf, *, most_unused: int = 1, make=marked) -> Models:
    return Models(shelf, make, most_unused=most_unused)


def test_a_model_is_ready_after_the_next_renewal():
    held = models(Shelf())
    held.want("latest")
    assert held.get("latest") is None
    assert held.renew()
    assert held.get("latest").version == 1
    assert not held.renew()


def test_several_models_are_kept_current():
    shelf = Shelf({"latest": 3, "best": 2})
    held = models(shelf)
    for name in ("latest", "best"):
        held.want(name)
    held.renew()
    shelf.versions["latest"] = 4
    held.renew()
    assert held.versions() == {"latest": 4, "best": 2}


def test_a_version_never_goes_backwards(caplog):
    shelf = Shelf({"latest": 3})
    held = models(shelf)
    held.want("latest")
    held.renew()
    shelf.versions["latest"] = 2
    assert not held.renew()
    assert not held.renew()
    assert held.versions() == {"latest": 3}
    assert [record.message for record in caplog.records] == [
        "model latest is not renewed: version 2 came after version 3"
    ]


def test_damaged_weights_leave_the_old_ones_at_work(caplog):
    def make(blob: bytes) -> Marked:
        if blob == b"2":
            raise InvalidCheckpoint("damaged")
        return marked(blob)

    shelf = Shelf()
    held = models(shelf, make=make)
    held.want("latest")
    for version, expected in ((1, 1), (2, 1), (3, 3)):
        shelf.versions["latest"] = version
        held.renew()
        assert held.versions() == {"latest": expected}
    assert "damaged" in caplog.text


def test_weights_that_do_not_exist_yet_are_asked_for_again(caplog):
    shelf = Shelf({})
    held = models(shelf)
    held.want("best")
    assert not held.renew()
    assert "no weights 'best'" in caplog.text
    shelf.versions["best"] = 7
    assert held.renew()
    assert held.versions() == {"best": 7}


def test_a_numbered_version_is_fetched_once():
    asked = []

    class Counting(Shelf):
        def weights(self, which: str, known: int) -> bytes | None:
            asked.append(which)
            return super().weights(which, known)

    held = models(Counting())
    held.want("12")
    for _ in range(3):
        held.renew()
    assert (held.versions(), asked) == ({"12": 12}, ["12"])


@pytest.mark.parametrize(("most_unused", "kept"), [(0, {"3"}), (1, {"2", "3"}), (2, {"1", "2", "3"})])
def test_what_is_unused_for_longest_is_dropped(most_unused, kept):
    held = models(Shelf(), most_unused=most_unused)
    for name in ("1", "2", "3"):
        held.want(name)
    held.renew()
    for name in ("1", "2"):
        held.leave(name)
    assert set(held.versions()) == kept


class Watched(dict):
    """Entries that are looked at by another thread while one of them is taken out and put back."""

    def __init__(self, entries, look):
        super().__init__(entries)
        self.look = look
        self.threads = []

    def pop(self, name):
        entry = super().pop(name)
        self.threads.append(threading.Thread(target=self.look))
        self.threads[-1].start()
        self.threads[-1].join(0.2)  # one that takes no lock has looked by then
        return entry


def test_a_batch_finds_its_model_while_another_client_leaves():
    held, found = models(Shelf()), []
    for _ in range(2):
        held.want("latest")
    held.renew()
    held._entries = Watched(held._entries, lambda: found.append(held.get("latest")))
    held.leave("latest")
    for thread in held._entries.threads:
        thread.join(20)
    assert [model.version for model in found] == [1]
