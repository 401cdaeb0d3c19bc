"""Workbooks written part by part, for what no library writes."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
SHEET = "xl/worksheets/sheet1.xml"

_TYPES = f"""<Types xmlns="{PACKAGE}/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/xl/workbook.xml" ContentType=
"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>"""


def relations(*targets: tuple[str, str]) -> str:
    """A part that lists what another refers to, by kind and target: rId1 and on."""
    items = "".join(
        f'<Relationship Id="rId{number}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{items}</Relationships>'


def worksheet(rows: str, before: str = "", after: str = "") -> str:
    """A sheet of these rows, with elements before and after them."""
    return f'<worksheet xmlns="{MAIN}">{before}<sheetData>{rows}</sheetData>{after}</worksheet>'


def xlsx(rows: str, before: str = "", after: str = "", main: str = "", **parts: str) -> bytes:
    """The bytes of a workbook of one sheet, "S"; ``parts`` are further or other parts of xl."""
    named = {f"xl/{name.replace('__', '/')}.xml": text for name, text in parts.items()}
    return archive(
        {
            "[Content_Types].xml": _TYPES,
            "_rels/.rels": relations(("officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
            f'<sheet name="S" sheetId="1" r:id="rId1"/></sheets>{main}</workbook>',
            "xl/_rels/workbook.xml.rels": relations(
                ("worksheet", "worksheets/sheet1.xml"), ("styles", "styles.xml")
            ),
            SHEET: worksheet(rows, before, after),
        }
        | named
    )


def archive(parts: Mapping[str, str | bytes]) -> bytes:
    """The bytes of a zip archive of these members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return buffer.getvalue()


def text_cell(name: str, text: str) -> str:
    """A cell that holds a text."""
    return f'<c r="{name}" t="inlineStr"><is><t>{text}</t></is></c>'


def number_cell(name: str, value: float) -> str:
    """A cell that holds a number."""
    return f'<c r="{name}"><v>{value}</v></c>'


def row_of(number: int, *values: str | float, first: str = "A") -> str:
    """A row of cells from a column on."""
    cells = (
        text_cell(f"{chr(ord(first) + place)}{number}", value)
        if isinstance(value, str)
        else number_cell(f"{chr(ord(first) + place)}{number}", value)
        for place, value in enumerate(values)
    )
    return f'<row r="{number}">{"".join(cells)}</row>'


def ods(tables: str) -> bytes:
    """The bytes of an OpenDocument spreadsheet of these tables."""
    office = "urn:oasis:names:tc:opendocument:xmlns"
    content = (
        f'<office:document-content xmlns:office="{office}:office:1.0" '
        f'xmlns:table="{office}:table:1.0" xmlns:text="{office}:text:1.0" office:version="1.2">'
        f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body>"
        "</office:document-content>"
    )
    return archive(
        {
            "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
            "META-INF/manifest.xml": f'<manifest:manifest xmlns:manifest="{office}:manifest:1.0"/>',
            "content.xml": content,
        }
    )


MOST_MEMORY = 1 << 30
CHILD = """
import json, resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]), int(sys.argv[2])))
from ndcg_desktop.files.read import read
from ndcg_desktop.files.table import FileError
try:
    (table,) = read(Path(sys.argv[1]))
    answer = [table.header, table.row.tolist(), [finding.code for finding in table.findings]]
except FileError as error:
    answer = str(error)
print(json.dumps(answer))
"""


def read_apart(path: Path, data: bytes) -> Any:
    """What a process of little memory reads: header, rows and codes of findings, or a refusal."""
    path.write_bytes(data)
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(path), str(MOST_MEMORY)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=Path(__file__).parents[1],
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


limited = pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
