import os
import stat

import pytest

from learner.run.session import protect_token, session_folder
from tests.learner.run.strangers import AS_ROOT, stranger_does


@pytest.fixture(autouse=True)
def home(open_home, monkeypatch):
    """A umask that hides nothing, too."""
    monkeypatch.setenv("HOME", str(open_home))
    monkeypatch.setenv("RAY_TMPDIR", str(open_home))
    monkeypatch.delenv("RAY_AUTH_TOKEN_PATH", raising=False)
    before = os.umask(0)
    yield open_home
    os.umask(before)


def test_the_token_is_for_its_owner_alone(home):
    protect_token(make=True)
    token = home / ".ray/auth_token"
    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    assert stat.S_IMODE(token.parent.stat().st_mode) == 0o700
    assert len(bytes.fromhex(token.read_text())) == 32
    assert list(token.parent.iterdir()) == [token]


def test_a_token_that_is_there_stays_and_is_closed_to_others(home, caplog):
    token = home / ".ray/auth_token"
    token.parent.mkdir()
    token.write_text("old")
    protect_token(make=True)
    assert (token.read_text(), stat.S_IMODE(token.stat().st_mode)) == ("old", 0o600)
    assert "was open to other users" in caplog.text


def test_a_cluster_that_is_joined_gets_no_new_token(home):
    protect_token(make=False)
    assert list(home.iterdir()) == []


@AS_ROOT
def test_another_user_reads_no_token_and_enters_no_session(home):
    protect_token(make=True)
    assert not stranger_does("cat", home / ".ray/auth_token")
    with session_folder() as folder:
        (folder / "ray").mkdir(mode=0o777)
        assert not stranger_does("ls", folder / "ray")
        assert not stranger_does("touch", folder / "ray/socket")
        assert stranger_does("ls", home)


def test_a_session_leaves_nothing(home):
    with session_folder() as folder:
        (folder / "socket").touch()
    assert list(home.iterdir()) == []


def test_the_next_start_removes_what_a_killed_launcher_left_and_no_more(home):
    killed = home / "gobang-ray-killed"
    killed.mkdir()
    (killed / "lock").touch()
    foreign = home / "gobang-ray-foreign"
    foreign.mkdir()
    with session_folder() as living, session_folder() as other:
        assert set(home.iterdir()) == {living, other, foreign}
