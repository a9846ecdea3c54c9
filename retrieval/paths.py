"""URNs and citation paths: the two addresses of a node, and the only place that builds or takes them apart.

A URN is what people and answers cite (`urn:lex:us:16cfr:310.4:b:1`). A citation path is the ltree of the same
node (`root.us.16cfr.title_16...`), which also names the containers a URN leaves out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from retrieval.errors import InputError

MAX_URN_LENGTH = 512
# A GiST index on ltree breaks on longer keys (measured; PostgreSQL documents only the number of labels).
MAX_PATH_BYTES = 1000
# One below ltree's limit of 255 (PostgreSQL 15), for the bound of a subtree is its label with one more character.
MAX_LABEL_BYTES = 254

# The specification writes Massachusetts law as `urn:lex:ma:...` and federal law as `FED`; only these two are aliases,
# for a bare two-letter state code would collide with ISO country codes.
JURISDICTION_ALIASES = {"ma": "us-ma", "fed": "us"}

_JURISDICTION = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{1,16})*\Z", re.ASCII)
_SEGMENT = re.compile(r"[a-z0-9*](?:[a-z0-9._~*-]*[a-z0-9*~])?\Z", re.ASCII)
# A URN, or the pattern of one, as it stands in running text: the full stop or comma behind it is the sentence's.
_WRITTEN = re.compile(r"\burn:lex:[a-z0-9:._~*/-]*[a-z0-9*]", re.IGNORECASE | re.ASCII)

_PATH = re.compile(r"root(?:\.[a-z0-9_]{1,254}){2,200}\Z", re.IGNORECASE | re.ASCII)

# What `_` and this character cannot be mistaken for: `__` is a hyphen and `_z` begins an escape.
_PLAIN_AFTER_DOT = frozenset("abcdefghijklmnopqrstuvwxy0123456789")

_LEVEL_LABELS = {
    "section": "sec",
    "subsection": "sub",
    "paragraph": "par",
    "subparagraph": "subpar",
    "clause": "cl",
    "subclause": "subcl",
    "article": "art",
    "definition": "def",
    "appendix": "app",
}


@dataclass(frozen=True, slots=True)
class Urn:
    """A parsed URN. `jurisdiction` is canonical (`us-ma`); `text` is as the corpus writes it (`urn:lex:ma:...`)."""

    text: str
    jurisdiction: str
    corpus: str
    segments: tuple[str, ...]

    @property
    def prefixes(self) -> list[str]:
        """The URN itself and every shorter one up to its corpus, shortest first."""
        parts = self.text.split(":")
        return [":".join(parts[:end]) for end in range(4, len(parts) + 1)]

    @property
    def law(self) -> str:
        """The URN of the law that it lies in: its corpus; a plain document is a law of its own."""
        return self.prefixes[1 if self.corpus == "doc" and self.segments else 0]

    @property
    def place(self) -> tuple[str, ...]:
        """Its segments below that law."""
        return self.segments[1 if self.corpus == "doc" else 0 :]


def canonical_jurisdiction(code: str) -> str:
    """Return the canonical code (`ma` -> `us-ma`).

    Raises:
        InputError: the code is not a lower-case ISO 3166-1 code with optional subdivisions.
    """
    code = code.strip().lower().replace("_", "-")
    code = JURISDICTION_ALIASES.get(code, code)
    if len(code) > 40 or not _JURISDICTION.match(code):
        raise InputError("The jurisdiction is not a code such as us, us-dc, fr or eu.")
    return code


@lru_cache(maxsize=4096)  # what a context shows is compared by URN many times
def parse_urn(text: str, *, allow_pattern: bool = False) -> Urn:
    """Take a URN apart.

    Args:
        text: `urn:lex:<jurisdiction>:<corpus>[:<segment>...]`, ASCII; letter case is folded.
        allow_pattern: accept `*` inside segments, as override patterns use it.

    Raises:
        InputError: not a URN of this grammar.
    """
    folded = text.strip().lower() if text.isascii() else ""
    parts = folded.split(":")
    if len(folded) > MAX_URN_LENGTH or len(parts) < 4 or parts[0] != "urn" or parts[1] != "lex":
        raise InputError("A URN looks like urn:lex:us:16cfr:310.4:b:1 (ASCII, at most 512 characters).")
    jurisdiction = JURISDICTION_ALIASES.get(parts[2], parts[2])
    if not _JURISDICTION.match(jurisdiction):
        raise InputError("The third part of a URN is its jurisdiction, such as us, us-dc or fr.")
    for position, segment in enumerate(parts[3:], start=4):
        if not _SEGMENT.match(segment) or ("*" in segment and not allow_pattern):
            raise InputError(f"Part {position} of the URN is empty or holds a character that URNs do not have.")
    return Urn(folded, jurisdiction, parts[3], tuple(parts[4:]))


def is_urn(text: str) -> bool:
    """Whether the text is meant as a URN, well-formed or not. What goes on in words is a text that begins with one."""
    return text.strip()[:4].lower() == "urn:" and len(text.split()) == 1


def is_path(text: str) -> bool:
    """Whether the text is a citation path from the root on: `root.us_dc.code.title_42`."""
    return len(text) <= MAX_PATH_BYTES and _PATH.match(text.strip()) is not None


def urns_in(text: str) -> Iterator[tuple[int, int, str]]:
    """The URNs inside a text: first character, first one behind, and the URN in lower case; well-formed or not."""
    return ((match.start(), match.end(), match[0].lower()) for match in _WRITTEN.finditer(text))


def without_urns(text: str) -> str:
    """The text with blanks in place of its URNs, everything else where it was."""
    return _WRITTEN.sub(lambda match: " " * len(match[0]), text)


def urn_spellings(urn: Urn) -> list[str]:
    """All spellings under which a corpus may have stored this URN (`ma` and `us-ma`, `fed` and `us`)."""
    rest = ":".join((urn.corpus, *urn.segments))
    codes = {urn.jurisdiction, *(a for a, code in JURISDICTION_ALIASES.items() if code == urn.jurisdiction)}
    return sorted(f"urn:lex:{code}:{rest}" for code in codes)


def pattern_prefix(pattern: str) -> str:
    """The literal part of an override pattern up to the last whole segment before its first `*`: its index key.

    The jurisdiction is spelled canonically, so that patterns and nodes meet under one key however each writes it.
    """
    literal = pattern.partition("*")[0]
    return canonical_urn(pattern if literal == pattern else literal.rpartition(":")[0])


def canonical_urn(urn: str) -> str:
    """A well-formed URN, or the beginning of one, with its jurisdiction spelled canonically."""
    parts = urn.split(":", 3)
    if len(parts) < 3 or parts[2] not in JURISDICTION_ALIASES:
        return urn
    return ":".join([*parts[:2], JURISDICTION_ALIASES[parts[2]], *parts[3:]])


def pattern_matches(pattern: str, urn: str) -> bool:
    """Whether a pattern names this URN or an ancestor of it by URN. `*` stands for any run of characters."""
    literals = pattern.split("*")
    if len(literals) == 1:
        return f"{urn}:".startswith(f"{pattern}:")
    # Each literal at its earliest place leaves most for the rest: no backtracking, whatever the number of stars.
    first, *between, last = literals
    if not urn.startswith(first):
        return False
    position = len(first)
    for literal in between:
        position = urn.find(literal, position)
        if position < 0:
            return False
        position += len(literal)
    return urn.find(f"{last}:", position) >= 0 or (urn.endswith(last) and len(urn) - len(last) >= position)


def slug(text: str, *, limit: int = 60) -> str:
    """A URN segment for words: lower case, ASCII letters and digits joined by hyphens; never empty."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    cut = ""
    for word in words:
        if cut and len(cut) + len(word) + 1 > limit:
            break
        cut = f"{cut}-{word}" if cut else word[:limit]
    return cut or "x"


def segment(designator: str) -> str:
    """A URN segment for a designator as printed: `(a-1)` -> `a-1`, `§ 310.4` -> `310.4`.

    Raises:
        InputError: nothing citable is left of the designator.
    """
    if designator.isascii() and designator.isalnum():  # most are, and each reference read in bulk has some
        return designator.lower()
    kept = re.sub(r"[^a-z0-9._~-]+", "-", designator.strip().strip("()[]§. ").lower())
    kept = kept.strip("-._")
    if not kept or not _SEGMENT.match(kept):
        raise InputError("A designator has no letters or digits to cite it by.")
    return kept


def urn_below(urn: str, *designators: str) -> str:
    """The URN of a provision below another, as `parse_urn` writes it; empty where that is none."""
    try:
        return parse_urn(":".join((urn, *map(segment, designators)))).text
    except InputError:
        return ""


def encode_label(text: str) -> str:
    """Encode text as part of an ltree label, reversibly; labels are `[a-z0-9_]`.

    `.` becomes `_` and `-` becomes `__`, for the eye; whatever would be ambiguous, and every other
    character, becomes `_z` with two hexadecimal digits.
    """
    out: list[str] = []
    for index, char in enumerate(text):
        following = text[index + 1] if index + 1 < len(text) else "."
        if char.isascii() and (char.isdigit() or char.islower()):
            out.append(char)
        elif char == "-":
            out.append("__")
        elif char == "." and following in _PLAIN_AFTER_DOT:
            out.append("_")
        else:
            out.extend(f"_z{byte:02x}" for byte in char.encode())
    return "".join(out)


def path_label(level: str, number: str) -> str:
    """One label of a citation path: the level and its number (`sec_17`, `part_3`, `sub_4`)."""
    prefix = _LEVEL_LABELS.get(level, re.sub(r"[^a-z0-9]+", "", level.lower()) or "level")
    return f"{prefix}_{encode_label(number.lower())}"


def root_path(urn_prefix: str) -> str:
    """The path of a corpus's root node, from its URN prefix: `root.us_ma.940cmr`.

    Raises:
        InputError: the prefix is not a URN.
    """
    urn = parse_urn(urn_prefix)
    labels = [urn.jurisdiction.replace("-", "_"), *(encode_label(part) for part in (urn.corpus, *urn.segments))]
    return checked_path(".".join(["root", *labels]))


def child_path(parent: str, level: str, number: str) -> str:
    """The path of a child node.

    Raises:
        InputError: the path would be longer than the store can index.
    """
    return checked_path(f"{parent}.{path_label(level, number)}")


def checked_path(path: str) -> str:
    """Return the path if the store can index it.

    Raises:
        InputError: longer than 1,000 bytes, or one label longer than 254.
    """
    if len(path) > MAX_PATH_BYTES or any(len(label) > MAX_LABEL_BYTES for label in path.split(".")):
        raise InputError(f"A citation path would exceed {MAX_PATH_BYTES} bytes, or one label {MAX_LABEL_BYTES}.")
    return path


def subtree_end(path: str) -> str:
    """The exclusive upper bound of a subtree in B-tree order: `path <= p < subtree_end(path)`.

    Paths are compared as text, byte by byte, which is the order of ltree. No label holds a character below `0`, so the
    path with `0` appended sorts after the whole subtree and before every following sibling.
    """
    return f"{path}0"


def named_jurisdictions(wanted: str, known: Iterable[str] = ()) -> tuple[bool, list[str]]:
    """The codes that a filter names, and whether all others are meant: `!=eu|fr`.

    Raises:
        InputError: a malformed code; the message names those `known`.
    """
    text = wanted.strip()
    others = text.startswith("!=")
    try:
        return others, [canonical_jurisdiction(code) for code in text.removeprefix("!=").split("|")]
    except InputError as error:
        held = ", ".join(sorted(set(known)))
        raise InputError(f"{error.message} The store has {held}." if held else error.message) from None


def exactly_named(wanted: str | None, known: Iterable[str]) -> tuple[str, ...]:
    """The stored jurisdictions that a filter names themselves, without what lies in them; none where it names none.

    Raises:
        InputError: a malformed code.
    """
    if wanted is None or "*" in wanted or wanted.strip().startswith("!"):
        return ()
    codes = named_jurisdictions(wanted)[1]
    return tuple(sorted(set(known).intersection(codes)))


def expand_jurisdictions(wanted: str | None, known: Iterable[str]) -> list[str]:
    """The stored jurisdictions that a filter selects: `fr` selects `fr` and `fr-*`, `a|b` both, None or `*` all.

    `!=fr` selects all others.

    Raises:
        InputError: a malformed code.
    """
    present = sorted(set(known))
    if wanted is None or wanted.strip() == "*":
        return present
    others, codes = named_jurisdictions(wanted, present)
    return [
        stored for stored in present if others != any(stored == code or stored.startswith(f"{code}-") for code in codes)
    ]


def absent_jurisdictions(wanted: str | None, known: Iterable[str]) -> list[str]:
    """The codes that a filter names and that select nothing of the store; none of one that excludes or selects all.

    Raises:
        InputError: a malformed code.
    """
    if wanted is None or wanted.strip() == "*" or wanted.strip().startswith("!"):
        return []
    present = sorted(set(known))
    return [code for code in named_jurisdictions(wanted, present)[1] if not expand_jurisdictions(code, present)]
