import io
from xml.etree import ElementTree

import pytest

from evaluator.report import games
from evaluator.report.__main__ import main
from evaluator.report.report import write_report
from evaluator.report.run_record import read_run
from tests.evaluator.report.written import write_run

SVG = "{http://www.w3.org/2000/svg}"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def page_of(path):
    """The page as a tree: HTML that is also XML."""
    return ElementTree.fromstring(path.read_text(encoding="utf-8").removeprefix("<!DOCTYPE html>"))


def section_titles(page):
    return [heading.text for heading in page.iter("h2")]


def words_of(page):
    return " ".join(text.strip() for text in page.itertext() if text.strip())


@pytest.fixture(scope="module")
def reported(tmp_path_factory):
    """The folder of a run with its report."""
    folder = write_run(tmp_path_factory.mktemp("runs") / "one")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(games, "SIMULATIONS", 16)
        assert main(["--run", str(folder), "--games", "2"]) == 0
    return folder


def test_a_run_becomes_a_page_with_all_sections(reported):
    page = page_of(reported / "report.html")
    assert section_titles(page) == ["Strength", "Games", "Learning", "Self-play and replay", "Repeat it"]
    axes = [card.get("data-axis") for card in page.iter("div") if card.get("data-axis")]
    assert axes[:3] == ["minutes", "games", "evaluations"]
    assert len(list(page.iter("article"))) == 2
    assert "preferred" in words_of(page)
    assert "a laptop" in words_of(page)
    assert (reported / "report" / "elo-evaluations.png").read_bytes().startswith(b"\x89PNG")


def test_the_page_needs_nothing_from_outside(reported):
    page = page_of(reported / "report.html")
    links = {value for element in page.iter() for name, value in element.items() if name.endswith(("href", "src"))}
    assert links
    assert all(link.startswith(("#", "data:", "http://127.0.0.1:8080/#sgf=")) for link in links)


def test_names_on_the_page_are_unique(reported):
    names = [element.get("id") for element in page_of(reported / "report.html").iter() if element.get("id")]
    assert len(names) == len(set(names))


def test_several_runs_are_compared_on_one_page(run_folder, tmp_path, capsys):
    other, out = write_run(tmp_path / "two", speed=3.0), tmp_path / "both.html"
    assert main(["--run", str(run_folder), "--run", str(other), "--out", str(out)]) == 0
    assert f"report: {out} (" in capsys.readouterr().out
    page = page_of(out)
    assert section_titles(page) == ["Runs", "Strength", "Learning", "Self-play and replay", "Repeat it"]
    elo = next(figure for figure in page.iter("figure") if figure.find("h3").text == "Elo")
    legend = [text.text for text in elo.iter(f"{SVG}text")]
    assert {"one", "two"} <= set(legend)


@pytest.mark.parametrize("name", ["report.html", "report", "report/elo-games.png"])
def test_a_link_out_of_the_run_is_not_written_to(run_folder, tmp_path, capsys, name):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "file").write_text("precious")
    (run_folder / name).parent.mkdir(exist_ok=True)
    (run_folder / name).symlink_to(elsewhere if name == "report" else elsewhere / "file")
    with pytest.raises(SystemExit):
        main(["--run", str(run_folder), "--games", "0"])
    assert f"{name} links to a place outside the run" in capsys.readouterr().err
    assert [path.read_text() for path in elsewhere.iterdir()] == ["precious"]


def test_a_run_that_has_only_begun_gets_a_page_that_says_so(run_folder):
    for name in ("metrics.jsonl", "summary.json", "evaluator/games.jsonl"):
        (run_folder / name).unlink()
    write_report([read_run(run_folder)], 4, run_folder / "begun.html", Terminal())
    words = words_of(page_of(run_folder / "begun.html"))
    assert "No match of the judge has been recorded yet." in words
    assert "The judge has finished no game yet." in words


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--run", "nowhere"], "nowhere is not a run: there is no such folder"),
        (["--run", "{run}", "--games", "-1"], "--games -1: 0 or more"),
        (["--run", "{run}", "--out", "{run}/metrics.jsonl/x.html"], "metrics.jsonl"),
    ],
)
def test_mistakes_are_explained(run_folder, capsys, arguments, message):
    with pytest.raises(SystemExit, match="2"):
        main([argument.format(run=run_folder) for argument in arguments])
    assert message in capsys.readouterr().err
