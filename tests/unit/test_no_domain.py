"""The core knows no domain: no word of medicine stands in what the package says or compares (design, section 1).

Docstrings, comments and doctests may give examples; demonstrations, evaluations and benchmarks are about a domain.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import r_memory

PACKAGE = Path(r_memory.__file__).parent
ABOUT_A_DOMAIN = ("testing/", "defaults/", "cds/")
"""`cds` speaks the protocol of clinics' systems; nothing imports it but the server that is asked for it."""
CLINICAL = re.compile(
    r"allerg|anaphyl|penicillin|drug|implant|contraindic|vaccin|medicat|surg|patient|clinic|pharmac|dose|disease|"
    r"conflict of interest|limitation period|mandate|insider",
    re.IGNORECASE,
)
EXAMPLES = {
    "clinical": "the schema that is read when none is chosen",
    "clinicians": "a section of the language file",
    "patient-view": "a hook of CDS Hooks, as the specification calls it",
    "patients": "a section of the language file",
}
"""Words that may stand alone, with the reason; beside them only what begins `such as` or `as` gives an example."""
_EXAMPLE = re.compile(r"\b(such as|as in|as|e\.g\.|for example:?) .*$|: `.*$", re.DOTALL)


def _documentation(tree: ast.AST) -> set[int]:
    """Strings that are statements by themselves: docstrings, also those under fields."""
    return {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    }


def _texts() -> Iterator[tuple[str, str]]:
    """Module and string, for every string of the package that is no documentation of its own code."""
    for path in sorted(PACKAGE.rglob("*.py")):
        module = path.relative_to(PACKAGE).as_posix()
        if module.startswith(ABOUT_A_DOMAIN):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        documentation = _documentation(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
                yield module, node.value


def test_no_word_of_a_domain_is_written_in_the_package() -> None:
    found = [
        (module, text)
        for module, text in _texts()
        if text not in EXAMPLES and CLINICAL.search(_EXAMPLE.sub("", text)) is not None
    ]
    assert found == []


def test_what_a_client_reads_of_the_tools_names_no_domain() -> None:
    """Docstrings of tools are what a client is shown, so here they count."""
    shown = [
        ast.get_docstring(node) or ""
        for path in sorted((PACKAGE / "serving" / "tools").glob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.AsyncFunctionDef) and node.name.startswith("memory_")
    ]
    assert len(shown) >= 8
    assert [text for text in shown if CLINICAL.search(text)] == []
