from xml.etree import ElementTree

from evaluator.report.board import board_svg
from gobang.types import Variant


def test_stones_are_numbered_and_candidates_carry_their_share():
    board = ElementTree.fromstring(
        board_svg(Variant(height=5, width=6, k=4), [0, 29], shares={7: 0.62, 8: 0.03}, played=8, title="test")
    )
    texts = {(text.get("x"), text.get("y")): text.text for text in board.iter("text") if text.get("class") != "edge"}
    assert texts == {("20", "100"): "1", ("120", "20"): "2", ("40", "80"): "62"}
    played = next(circle for circle in board.iter("circle") if circle.get("class") == "played")
    assert (played.get("cx"), played.get("cy")) == ("60", "80")
