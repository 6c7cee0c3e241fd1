from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT, anchors, links, name

OF_THE_DOCS = [page for page in PAGES if page.parent == ROOT / "docs"]
OF_EXPERIMENTS = [page for page in PAGES if page.parent == ROOT / "docs" / "experiments"]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target, anchor in links(page):
        assert target.exists(), f"{name(page)} links to {target}"
        assert not anchor or anchor in anchors(target), f"{name(page)} links to #{anchor} of {name(target)}"


def test_the_readme_leads_to_each_page_of_the_docs_once() -> None:
    targets = [target for target, _ in links(ROOT / "README.md")]
    assert {name(page): targets.count(page) for page in OF_THE_DOCS} == {name(page): 1 for page in OF_THE_DOCS}


def test_the_page_of_experiments_leads_to_each_of_theirs_once() -> None:
    targets = [target for target, _ in links(ROOT / "docs" / "experiments.md")]
    assert {name(page): targets.count(page) for page in OF_EXPERIMENTS} == {name(page): 1 for page in OF_EXPERIMENTS}
