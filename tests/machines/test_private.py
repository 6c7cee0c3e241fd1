import pytest

from tests.machines import private


@pytest.mark.parametrize(
    ("user", "absent", "said"),
    [
        (0, (), ""),
        (0, ("sshd", "rsync"), "there is no sshd, rsync: apt install openssh-server rsync"),
        (1000, (), "namespaces need root on Linux"),
    ],
)
def test_what_is_missing_is_said_in_a_line(monkeypatch, user, absent, said):
    monkeypatch.setattr(private.sys, "platform", "linux")
    monkeypatch.setattr(private.os, "geteuid", lambda: user)
    monkeypatch.setattr(private, "find", lambda program: "" if program in absent else f"/usr/bin/{program}")
    assert private.missing() == said
