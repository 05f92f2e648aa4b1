"""PDF files, page by page, through pypdf. Pictures are not looked at."""

import io
import re

from r_memory.documents.values import clean, missing, undivided
from r_memory.domain.documents import BLANK_PAGES, DocumentText, TextSection
from r_memory.errors import InvalidInput

_HAN_LINE = re.compile("(?<=[\u3040-\u30ff\u3400-\u9fff，、])\n(?=[\u3040-\u30ff\u3400-\u9fff])")  # noqa: RUF001 - full-width marks are meant
"""A line end inside a Chinese or Japanese sentence, which is no space."""


def read_pdf(data: bytes, name: str) -> DocumentText:
    """Returns the text of each page with its number, and names pages without text. Raises as `read_file`."""
    try:
        # Imported late: only who reads PDF files needs it.
        from pypdf import PdfReader  # noqa: PLC0415
        from pypdf.errors import DependencyError, FileNotDecryptedError, PyPdfError, WrongPasswordError  # noqa: PLC0415
    except ImportError as error:
        raise missing(f"{name} is a PDF, which") from error
    try:
        texts = [clean(page.extract_text()) for page in PdfReader(io.BytesIO(data)).pages]
    except (FileNotDecryptedError, WrongPasswordError, DependencyError) as error:
        raise InvalidInput(f"{name} is encrypted; save it without a password") from error
    except (PyPdfError, ValueError, KeyError, TypeError, IndexError, AttributeError, OSError, ArithmeticError) as error:
        # All of these: pypdf raises whatever a damaged file happens to cause.
        raise InvalidInput(
            f"{name} is damaged ({type(error).__name__}); make the file anew, or save its text"
        ) from error
    sections = tuple(
        TextSection(text=f"{_HAN_LINE.sub('', undivided(text)).rstrip()}\n", page=number)
        for number, text in enumerate(texts, start=1)
        if text.strip()
    )
    if not sections:
        raise InvalidInput(
            f"{name} holds no text in its {len(texts)} pages, as scans do; run text recognition (OCR) over it first"
        )
    blank = tuple(number for number, text in enumerate(texts, start=1) if not text.strip())
    return DocumentText(sections=sections, flags=(BLANK_PAGES,) if blank else (), blank_pages=blank)
