import json
import signal

import pytest

from evaluator.judging.journal import read_lines
from tests.small_disk import mounted


def wait_for_words(launched, words):
    while words not in launched.output:
        assert launched.look(), f"the run ended early\n{launched.output}\n{launched.log()}"


@pytest.mark.heavy
def test_a_run_goes_on_after_its_disk_was_full_even_if_redis_died_of_it(tmp_path, launch, caplog):
    with mounted(tmp_path / "run", "16m") as disk:
        launched = launch(disk.place, "--preset", "tiny", "--minutes", "30")
        before = launched.wait_for(lambda values: values.get("version", 0) >= 2, seconds=300)
        disk.fill()
        wait_for_words(launched, "cannot be written, which is tried again until it works")
        launched.part("redis-server").kill()
        wait_for_words(launched, "No space left on device; it is tried again")
        disk.free()
        launched.wait_for(
            lambda values: (
                values["version"] > before["version"] + 2
                and values["games"] > before["games"] + 50
                and values["restarts"] > before["restarts"]
            ),
            seconds=300,
        )
        assert launched.end(signal.SIGTERM) == 0
        assert launched.leftovers() == []
        assert launched.summary()["state"] == "stopped"
        log = launched.log()
        for words in (f"the metrics in {disk.place}", f"checkpoints in {disk.place}"):
            assert log.count(f"{words} cannot be written") == log.count(f"{words} can be written again")
        assert log.count("the metrics in") == 2
        assert "Traceback" not in launched.output + log
        assert all(line[:2] == "20" for line in log.splitlines())  # each begins with its date
        seconds = [json.loads(line)["seconds"] for line in (disk.place / "metrics.jsonl").read_text().splitlines()]
        assert seconds == sorted(set(seconds))
        for name in ("games", "matches", "drills"):
            list(read_lines(disk.place / "evaluator" / f"{name}.jsonl"))
        assert "cannot be read" not in caplog.text
