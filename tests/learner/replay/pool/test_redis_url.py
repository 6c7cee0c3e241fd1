import pytest

from gobang.errors import PoolUnavailable
from learner.replay.pool.redis_url import password_of, stays_here, with_password, without_password, without_user


@pytest.mark.parametrize(
    ("url", "shown", "stranger"),
    [
        ("redis://:secret@host:1/0", "redis://host:1/0", "redis://host:1/0"),
        (
            "rediss://ann:secret@host?ssl_ca_certs=/x",
            "rediss://ann@host?ssl_ca_certs=/x",
            "rediss://host?ssl_ca_certs=/x",
        ),
        ("unix://:secret@/tmp/redis.sock", "unix:///tmp/redis.sock", "unix:///tmp/redis.sock"),
        ("redis://host", "redis://host", "redis://host"),
    ],
)
def test_an_address_is_shown_without_its_password(url: str, shown: str, stranger: str) -> None:
    assert (without_password(url), without_user(url)) == (shown, stranger)


def test_a_password_goes_in_and_comes_out_as_it_is() -> None:
    url = with_password("redis://ann@host:1/0", "a/b@c %41")
    assert url == "redis://ann:a%2Fb%40c%20%2541@host:1/0"
    assert password_of(url) == "a/b@c %41"


@pytest.mark.parametrize(
    "url", ["redis://:sec/ret@host", "redis://:sec?ret@host", "redis://:sec#ret@host", "redis://host?password=secret"]
)
def test_a_password_that_would_be_shown_is_refused_unseen(url: str) -> None:
    with pytest.raises(PoolUnavailable, match="no address of a Redis server") as refused:
        without_password(url)
    assert "ret" not in str(refused.value)


def test_what_leads_to_another_machine_is_known() -> None:
    here = ["unix:///x", "redis://localhost", "redis://127.0.0.2:1", "redis://[::1]:1/0", "redis://"]
    assert [url for url in here if not stays_here(url)] == []
    assert [
        url for url in ("redis://10.0.0.7", "rediss://redis.example:1", "redis://[fe80::1]") if stays_here(url)
    ] == []
