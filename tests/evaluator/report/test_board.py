import json
from xml.etree import ElementTree

from evaluator.report.board import board_html, board_script, board_style
from gobang.types import Variant


def test_a_board_carries_what_the_script_draws():
    place = ElementTree.fromstring(
        board_html(Variant(height=5, width=6, k=4), [0, 29], shares={7: 0.62}, played=8, title="<test>")
    )
    board = json.loads(place.get("data-board"))
    assert (board["width"], board["height"], board["moves"], board["title"]) == (6, 5, ["a1", "f5"], "<test>")
    assert board["marks"] == {"numbers": True, "shares": {"b2": 0.62}, "played": "c2"}


def test_a_document_gets_the_drawing_of_the_page():
    assert "boardSvg" in ElementTree.fromstring(board_script()).text
    assert ".board .stone.p0" in board_style()
