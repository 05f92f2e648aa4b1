"""Small files of every kind, made on the spot."""

import io
import zipfile
from collections.abc import Sequence

import docx
from pypdf import PdfReader, PdfWriter


def a_pdf(*pages: str) -> bytes:
    """A PDF with these pages, each line of a page a line of print; an empty page has no text."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for page in pages:
        content = _content(page.split("\n") if page else [])
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(content), content))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % len(objects)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%b] >>" % (len(kids), b" ".join(kids))
    return _assembled(objects)


def encrypted(pdf: bytes, password: str) -> bytes:
    """The same PDF behind a password; an empty one opens by itself."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf)))
    writer.encrypt(password, owner_password="owner", algorithm="AES-256")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def a_docx(*blocks: str | Sequence[Sequence[str]], header: str = "") -> bytes:
    """A DOCX with these paragraphs, headings (`# ...`) and tables (rows of cells)."""
    document = docx.Document()
    for block in blocks:
        if not isinstance(block, str):
            table = document.add_table(rows=0, cols=len(block[0]))
            for row in block:
                for cell, words in zip(table.add_row().cells, row, strict=True):
                    cell.text = words
        elif block.startswith("# "):
            document.add_heading(block[2:], level=1)
        else:
            document.add_paragraph(block)
    if header:
        document.sections[0].header.paragraphs[0].text = header
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def a_zip(**files: bytes) -> bytes:
    """An archive of these files; `__` in a name is a slash, `_dot_` a full stop."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), data)
    return out.getvalue()


def _content(lines: Sequence[str]) -> bytes:
    shown = b" T* ".join(
        b"(%b) Tj" % line.encode("cp1252").replace(b"(", b"\\(").replace(b")", b"\\)") for line in lines
    )
    return b"BT /F1 11 Tf 14 TL 50 800 Td %b ET" % shown if lines else b""


def _assembled(objects: Sequence[bytes]) -> bytes:
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(out.tell())
        out.write(b"%d 0 obj\n%b\nendobj\n" % (number, content))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    for offset in offsets:
        out.write(b"%010d 00000 n \n" % offset)
    out.write(b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start))
    return out.getvalue()
