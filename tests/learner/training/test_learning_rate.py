import pytest

from gobang.errors import InvalidConfig
from learner.training.learning_rate import LearningRate, LearningRateConfig, make_learning_rate


def observe(learning_rate: LearningRate, *, losses: list[float] | None = None, kls: list[float | None] | None = None):
    for loss in losses or []:
        learning_rate.observe(loss=loss, kl=None)
    for kl in kls or []:
        learning_rate.observe(loss=1.0, kl=kl)
    return learning_rate.rate()


def test_kl_moves_the_rate_against_the_policys_change() -> None:
    learning_rate = make_learning_rate(LearningRateConfig(schedule="kl", peak=1.0, kl_target=0.02))
    assert observe(learning_rate, kls=[0.011, 0.02, 0.039, None]) == 1.0
    assert observe(learning_rate, kls=[0.009]) == pytest.approx(1.5)
    assert observe(learning_rate, kls=[0.041, 0.041]) == pytest.approx(1 / 1.5)


def test_kl_stays_between_a_tenth_and_tenfold() -> None:
    learning_rate = make_learning_rate(LearningRateConfig(schedule="kl", peak=1.0, kl_target=0.02))
    assert observe(learning_rate, kls=[0.0] * 30) == 10
    assert observe(learning_rate, kls=[1.0] * 60) == pytest.approx(0.1)


def test_plateau_halves_after_a_window_that_is_no_better() -> None:
    learning_rate = make_learning_rate(LearningRateConfig(schedule="plateau", peak=1.0, final=0.3, window=2))
    assert observe(learning_rate, losses=[3.0, 1.0]) == 1.0  # mean 2, the first
    assert observe(learning_rate, losses=[1.0, 1.0]) == 1.0  # better
    assert observe(learning_rate, losses=[0.0, 1.9995]) == 0.5  # by less than a thousandth
    assert observe(learning_rate, losses=[0.9, 0.9]) == 0.5  # better
    assert observe(learning_rate, losses=[9.0] * 4) == 0.3  # twice worse, but never below the final rate


def test_plateau_rises_again_where_it_is_told_to() -> None:
    learning_rate = make_learning_rate(LearningRateConfig(schedule="plateau", peak=1.0, window=1, rise=1.5))
    assert observe(learning_rate, losses=[3.0, 2.0]) == 1.0  # not above the peak
    assert observe(learning_rate, losses=[2.0, 2.0]) == 0.25
    assert observe(learning_rate, losses=[1.0]) == 0.375


def test_cosine_falls_from_peak_to_final_and_stays() -> None:
    config = LearningRateConfig(schedule="cosine", peak=1.0, final=0.2, steps=10)
    learning_rate = make_learning_rate(config)
    assert learning_rate.rate() == 1.0
    assert observe(learning_rate, losses=[1.0] * 5) == pytest.approx(0.6)
    assert observe(learning_rate, losses=[1.0] * 5) == pytest.approx(0.2)
    assert observe(learning_rate, losses=[1.0] * 50) == pytest.approx(0.2)


@pytest.mark.parametrize("schedule", ["constant", "cosine"])
def test_warm_up_rises_in_equal_steps(schedule: str) -> None:
    learning_rate = make_learning_rate(LearningRateConfig(schedule=schedule, peak=1.0, warmup=4))
    rates = [learning_rate.rate()] + [observe(learning_rate, losses=[1.0]) for _ in range(3)]
    assert rates == [0.25, 0.5, 0.75, 1.0]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"schedule": "cosin"}, "schedule 'cosin': one of constant, cosine, plateau, kl"),
        ({"peak": 0.0}, "peak 0.0: a learning rate is above 0"),
        ({"peak": float("inf")}, "peak inf"),
        ({"peak": 1e-3, "final": 2e-3}, "final 0.002: 0 to the peak, 0.001"),
        ({"window": 0}, "window 0: each at least 1"),
        ({"steps": 5, "warmup": 6}, "warmup 6: 0 to the number of steps, 5"),
        ({"kl_target": 0.0}, "kl_target 0.0: above 0"),
    ],
)
def test_a_bad_config_names_value_and_reason(values: dict[str, float], message: str) -> None:
    with pytest.raises(InvalidConfig, match=message):
        LearningRateConfig(**values)
