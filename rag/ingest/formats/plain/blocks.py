"""What a reader of plain documents yields: blocks of clean text, and a count of what cleaning changed."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field

MOST_HEADING = 200  # characters; what is longer is a paragraph in large letters
INDENT = "  "  # before the lines of a nested list, once a level
GAP = "\x1f"  # left where deleted text parted words; readers see to it that no source has it
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SPACES = re.compile(r"[^\S\n]+")
_DIRECTION = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# Joiners (U+200C, U+200D) and variation selectors decide which letter is read, so they stay.
_INVISIBLE = re.compile("[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2064\u206a-\u206f\ufeff]"
                        "|[\ufff9-\ufffb\U000e0000-\U000e007f]")  # fmt: skip
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_HALF = re.compile("[\ud800-\udfff]")
_DAMAGED = re.compile("\ufffd|[\ue000-\uf8ff]")
# UTF-8 that was read as a Western code page, once or twice.
_MOJIBAKE = re.compile("\u00c3[\u0080-\u00bf\u0192\u201a\u2020]|\u00c2[\u00a0-\u00bf]|\u00e2\u20ac|\u00ef\u00bb\u00bf")

_GAPS = re.compile(f"(?<=\\w){GAP}+(?=\\w)")

_REMARKS = {
    "direction": "{} marks of writing direction are removed",
    "invisible": "{} invisible characters are removed",
    "control": "{} control characters are replaced by spaces",
    "damaged": "{} characters are unreadable in the source (U+FFFD or private use) and stay so; check its words",
    "mojibake": "{} places look like text read with a wrong encoding and stay so; save the source as UTF-8 anew",
    "hidden": "{} characters of hidden text are left out",
    "deleted": "{} characters that tracked changes delete are left out",
    "struck": "{} characters of deleted or struck-out text are left out",
    "aria": "{} characters that are hidden from screen readers only (aria-hidden) are kept; check them",
    "white": "{} characters of white text without a background are kept; check whether a reader sees them",
    "page": "{} characters of navigation, menus and page footers are left out",
    "images": "{} images or drawings are not read",
    "unknown": "{} tags that HTML does not have (placeholders in angle brackets?) are left out; write &lt; for <",
    "embedded": "{} embedded objects or documents are not read",
    "contents": "{} lines of a table of contents are left out: they are the headings below",
    "running": "{} lines of running headers and footers are left out",
    "hyphens": "{} words parted at the end of a line are joined",
}


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, list item or table in reading order. `text` is clean and not empty.

    `level` is a heading's rank from 1, 0 for other text. `rows` marks a table, one row a line. A `tight` block follows
    the one before without a blank line. `indent` counts the lists around the one it is in. `pages` holds (offset in
    `text`, page from 1), where the source has pages.
    """

    text: str
    level: int = 0
    rows: bool = False
    tight: bool = False
    indent: int = 0
    pages: tuple[tuple[int, int], ...] = ()


@dataclass(slots=True)
class Reading:
    """What a reader found in a file. Title and language (ISO 639-1) are empty where it does not state them."""

    blocks: list[Block]
    title: str = ""
    warnings: list[str] = field(default_factory=list[str])
    tags: dict[str, str] = field(default_factory=dict[str, str])
    language: str = ""


def gap_of(deleted: str) -> str:
    """What deleted text leaves behind: `GAP` where it held its neighbours apart, else nothing ("20[23]24" is 2024)."""
    return GAP if deleted[:1].isspace() or deleted[-1:].isspace() else ""


def close_gaps(text: str) -> str:
    """Each gap between two words is a space, any other nothing."""
    return _GAPS.sub(" ", text).replace(GAP, "")


class Cleaner:
    """Makes text clean and counts what it had to change; nothing is changed without a count but white space."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def clean(self, text: str) -> str:
        """NFC; line feeds end lines; no run of spaces, no space at a line's ends, no blank line at the ends."""
        text = _LINE_ENDS.sub("\n", text)
        text = self._sub("direction", _DIRECTION, "", text)
        text = self._sub("invisible", _INVISIBLE, "", text)
        text = self._sub("control", _CONTROL, " ", text)
        text = _HALF.sub("\ufffd", text)
        self.counts["damaged"] += len(_DAMAGED.findall(text))
        self.counts["mojibake"] += len(_MOJIBAKE.findall(text))
        lines = (_SPACES.sub(" ", line).strip() for line in unicodedata.normalize("NFC", text).split("\n"))
        return "\n".join(lines).strip("\n")

    def line(self, text: str) -> str:
        """The text, cleaned, on one line."""
        return " ".join(self.clean(text).split())

    def heading(self, text: str, level: int) -> Block | None:
        """A heading, or a paragraph where it is too long for one; None where nothing is left of it."""
        words = self.line(text)
        return Block(words, level=level if len(words) <= MOST_HEADING else 0) if words else None

    def remarks(self) -> list[str]:
        """One sentence for each kind of change, for the ingest's report."""
        return [_REMARKS[kind].format(self.counts[kind]) for kind in _REMARKS if self.counts[kind]]

    def _sub(self, kind: str, pattern: re.Pattern[str], by: str, text: str) -> str:
        text, count = pattern.subn(by, text)
        self.counts[kind] += count
        return text
