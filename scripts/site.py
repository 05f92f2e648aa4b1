"""The documentation as a site that needs no network: `make site`, or `python -m scripts.site`.

Pages lie in the site as in the repository, so that every relative link holds; whatever else a page links to is copied
as it is. The class pages of the clinical pack are built with it.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

from scripts.knowledge_pages import FOLDER as CLASSES
from scripts.knowledge_pages import INDEX, pages

ROOT = Path(__file__).parents[1]
STAGE, SITE = ROOT / "build" / "pages", ROOT / "build" / "site"
FRONT = "README.md"
READ = (FRONT, "CHANGELOG.md", "CONTRIBUTING.md", "docs/**/*.md", "evals/**/*.md", "cypher/**/*.md", "corpus/*.md")
"""Patterns of what becomes a page."""
PARTS: Mapping[str, tuple[str, ...]] = {
    "Start": (FRONT, "docs/tutorial.md", "docs/how-to/install.md", "docs/how-to/clients.md"),
    "How to": ("docs/how-to/*.md",),
    "Reference": ("docs/reference/*.md", "docs/glossary.md", "cypher/**/README.md"),
    "Explanation": ("docs/explanation/*.md", "docs/hazard-log.md"),
    "Measured": ("evals/README.md", "evals/reports/*.md"),
    "Project": ("CONTRIBUTING.md", "CHANGELOG.md"),
}
"""Parts of the navigation; a page stands in the first part that names it."""
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)|<img[^>]+src=\"([^\"]+)\"")
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)


def staged() -> dict[str, bytes]:
    """Path of each file of the site's source, relative to it, with what stands there: pages and what they link to.

    Raises:
        ValueError: a page links to a file that does not exist.
    """
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in _files()}
    classes = CLASSES.relative_to(ROOT)
    texts |= {str(classes / name): text for name, text in pages().items()}
    linked = {target for name, text in texts.items() for target in _linked(name, text)}
    whole = {name: (ROOT / name).read_bytes() for name in linked - texts.keys() if (ROOT / name).is_file()}
    if lost := sorted(linked - texts.keys() - whole.keys() - {name for name in linked if (ROOT / name).is_dir()}):
        raise ValueError(f"pages link to what is not there: {', '.join(lost)}")
    return whole | {name: text.encode() for name, text in texts.items()}


def _files() -> list[Path]:
    return sorted({path for pattern in READ for path in ROOT.glob(pattern) if CLASSES not in path.parents})


def _linked(name: str, text: str) -> Iterator[str]:
    """Files to which the page links by a relative path, relative to the root."""
    for found in _LINK.finditer(text):
        target = found[1] or found[2]
        if "://" not in target and not target.startswith("mailto:"):
            yield str((ROOT / name).parent.joinpath(target).resolve().relative_to(ROOT))


def navigation(names: Mapping[str, bytes]) -> list[dict[str, list[dict[str, str]]]]:
    """The parts of the site with the title and the path of each page, in the order of `PARTS`."""
    left, parts = {name for name in names if name.endswith(".md")}, []
    for part, patterns in PARTS.items():
        found = [
            str(path.relative_to(ROOT))
            for pattern in patterns
            for path in sorted(ROOT.glob(pattern), reverse=pattern.startswith("evals/reports"))
        ]
        own = [name for name in dict.fromkeys(found) if name in left]
        left -= set(own)
        parts.append({part: [{_title(name, names[name].decode()): name} for name in own]})
    parts[2]["Reference"].append({"The clinical pack, class by class": str(CLASSES.relative_to(ROOT) / INDEX)})
    return parts


def _title(name: str, text: str) -> str:
    found = _TITLE.search(text)
    return found[1].replace("`", "") if found else Path(name).stem


def build() -> None:
    """Writes the source and the site, with every link and anchor checked."""
    for folder in (STAGE, SITE):
        shutil.rmtree(folder, ignore_errors=True)
    files = staged()
    for name, held in files.items():
        target = STAGE / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(held)
    settings = {
        "site_name": "r-memory",
        "docs_dir": STAGE.name,
        "site_dir": SITE.name,
        "use_directory_urls": False,
        "nav": navigation(files),
        "theme": {"font": False, "features": ["navigation.tabs", "navigation.indexes", "content.code.copy"]},
        "plugins": ["search"],
    }
    configuration = STAGE.parent / "mkdocs.yml"
    configuration.write_text(yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")
    zensical = str(Path(sys.executable).with_name("zensical"))
    subprocess.run([zensical, "build", "--clean", "--strict", "-f", str(configuration)], check=True, cwd=STAGE.parent)  # noqa: S603 - our own words


if __name__ == "__main__":
    build()
