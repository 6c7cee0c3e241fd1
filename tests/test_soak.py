from dataclasses import replace
from types import SimpleNamespace

import pytest

from tests.soak import RAYS_OWN, Memory, Sample, faults, growth, lasting, process_name, row, steady, table

MINUTES = 60


def samples(process: str = "LearnerActor 7", *, grown: float = 0.0, slowed: float = 1.0, base: float = 100.0):
    """An hour in which a process grows so many MB in ten minutes, and self-play ends at a share of its rate."""
    positions, found = 0.0, []
    for minute in range(MINUTES + 1):
        positions += 60_000 * (1 if minute < MINUTES / 2 else slowed)
        peak = 50 if minute % 7 == 3 else 0
        memory = Memory(unique=base + grown * minute / 10 + peak, resident=base + 120)
        found.append(Sample(minute=minute, memory={process: memory}, games=positions / 50, positions=positions))
    return found


def test_growth_is_told_from_peaks_and_from_the_warm_up():
    warm = [replace(sample, memory={"LearnerActor 7": Memory(unique=sample.minute * 9, resident=0)}) for sample in
            samples()[:15]]  # fmt: skip
    assert growth(steady([*warm, *samples(grown=2.0)[15:]]), "LearnerActor 7") == pytest.approx(2.0, abs=0.2)
    assert faults([*warm, *samples(grown=0.9)[15:]]) == []
    assert faults([*warm, *samples(grown=2.0)[15:]]) == ["LearnerActor 7 grows by 2.0 MB in ten minutes"]


def test_nothing_is_asked_of_rays_own_processes():
    assert faults(samples(RAYS_OWN, grown=2.0)) == []


def test_a_falling_rate_and_a_large_actor_are_faults():
    assert faults(samples(slowed=0.7)) == ["self-play fell from 1000 to 700 positions/s"]
    assert faults(samples("SelfPlayActor 9", base=201)) == ["SelfPlayActor 9 has 201 MB of its own"]


def test_a_process_that_came_later_is_a_fault():
    looks = samples()
    looks[-1] = replace(looks[-1], memory={**looks[-1].memory, "SelfPlayActor 5": Memory(unique=1, resident=2)})
    assert lasting(looks) == ["LearnerActor 7"]
    assert len(table(looks)) == 2
    assert faults(looks) == ["SelfPlayActor 5 was not there all the time"]
    assert row(looks[:11]) == " 10.0 min  20.0 games/s  1000 positions/s  MB: LearnerActor 7 150.0"


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["ray::SelfPlayActor.report"], "SelfPlayActor 5"),
        (["/usr/bin/python", "-m", "learner.launch", "--run", "x"], "learner.launch 5"),
        (["/opt/redis-server 127.0.0.1:4711"], "redis-server 5"),
        (["ray::DashboardAgent"], RAYS_OWN),
        (["/opt/raylet/raylet", "--object_store_memory=1"], RAYS_OWN),
    ],
)
def test_processes_are_told_apart_by_their_commands(command, name):
    assert process_name(SimpleNamespace(pid=5, cmdline=lambda: command)) == name
