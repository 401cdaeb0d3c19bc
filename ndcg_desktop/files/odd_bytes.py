"""Text files that are UTF-8 but for a few bytes, as a program leaves them that pastes its own."""

from __future__ import annotations

import codecs
import re
from itertools import pairwise

PIECE = 1 << 23
FOR_EACH = 3
"""Characters beyond ASCII that are good UTF-8, for each byte that is not, from which a file is
UTF-8 all the same."""

_ODD = re.compile("[\udc80-\udcff]")
_LINE_END = re.compile(r"\r\n|\r|\n")
_AS_CP1252 = {
    0xDC00 + byte: bytes([byte]).decode("cp1252", "replace") for byte in range(0x80, 0x100)
}


def is_utf8(data: bytes) -> bool:
    """Whether bytes are UTF-8, looked at a piece at a time: no text as long as the file is made."""
    if data.isascii():
        return True
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for begin in range(0, len(data), PIECE):
            decoder.decode(data[begin : begin + PIECE])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def mended(data: bytes) -> tuple[str, list[int]] | None:
    """The text of UTF-8 with a few odd bytes, each read as its character of Windows-1252, and the
    lines, from 1, that they stand on. None where too many are odd.
    """
    text = data.decode("utf-8", "surrogateescape")
    odd = [match.start() for match in _ODD.finditer(text)]
    beyond = len(text) - len(text.encode("ascii", "ignore"))
    if not odd or FOR_EACH * len(odd) > beyond - len(odd):
        return None
    lines = []
    line = 1
    for begin, end in pairwise((0, *odd)):
        line += len(_LINE_END.findall(text, begin, end))
        lines.append(line)
    return text.translate(_AS_CP1252), list(dict.fromkeys(lines))
