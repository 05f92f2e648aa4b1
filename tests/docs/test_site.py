"""The documentation as a site: every page of the repository stands in it, and every relative link leads somewhere."""

from pathlib import Path

import pytest

from scripts import site

HERE = Path(__file__).parents[2]


def test_every_page_stands_in_the_navigation() -> None:
    names = site.staged()
    reached = [
        name for part in site.navigation(names) for rows in part.values() for row in rows for name in row.values()
    ]
    docs = {str(path.relative_to(HERE)) for path in (HERE / "docs").rglob("*.md")}
    classes = {name for name in names if name.startswith("docs/reference/knowledge/")}
    assert docs - classes <= {*reached}
    assert len(classes) > 100
    assert "docs/reference/knowledge/README.md" in reached
    assert len(reached) == len({*reached})


def test_what_a_page_shows_or_links_to_is_copied() -> None:
    names = site.staged()
    assert {"docs/images/chat.svg", "schema/personal.yaml"} <= names.keys()


def test_a_link_that_leads_nowhere_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "README.md").write_text("# A page\n\n[gone](docs/gone.md) [far](https://example.org/docs)\n")
    monkeypatch.setattr(site, "ROOT", tmp_path)
    monkeypatch.setattr(site, "CLASSES", tmp_path / "docs" / "reference" / "knowledge")
    with pytest.raises(ValueError, match=r"link to what is not there: docs/gone\.md$"):
        site.staged()
