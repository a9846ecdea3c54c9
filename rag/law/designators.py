"""Paragraph designators as American citations write them: `(a)(1)(iv)`, and what a following `(2)` continues."""

from __future__ import annotations

from collections.abc import Callable

from rag.law.patterns import lazy
from retrieval.paths import segment, slug

# One bracketed designator; `is_designator` decides whether its content is one.
_BRACKETED = lazy(r"\s?\(([A-Za-z0-9]{1,6}(?:-[A-Za-z0-9]{1,4}){0,2})\)")
_SHAPE = lazy(
    r"(?:[0-9]{1,3}[A-Za-z]{0,2}|([A-Za-z])\1{0,3}|[ivxlcdm]{2,6}|[IVXLCDM]{2,6}|[A-Za-z])(?:-[A-Za-z0-9]{1,4}){0,2}\Z"
)
_ROMAN = lazy(r"[ivxlcdm]+|[IVXLCDM]+")

Path = tuple[str, ...]


def is_designator(text: str) -> bool:
    """Whether a bracket's content can be a paragraph designator: a number, a letter, doubled letters or a numeral."""
    return _SHAPE.match(text) is not None


def read_designators(text: str, position: int) -> tuple[Path, int]:
    """Read a run of bracketed designators.

    Args:
        position: where the run would begin; one space before each bracket is accepted.

    Returns:
        The designators as printed, without brackets, and the offset after the last; `((), position)` where none is.
    """
    found: list[str] = []
    while (match := _BRACKETED.match(text, position)) is not None and is_designator(match[1]):
        # A bracket glued to a following word belongs to that word: "(s)he", "(a)n".
        if text[match.end() : match.end() + 1].isalpha():
            break
        found.append(match[1])
        position = match.end()
    return tuple(found), position


def designator_kinds(designator: str) -> frozenset[str]:
    """The sequences a designator can belong to: digit, lower, upper, roman, ROMAN. `i` is both lower and roman."""
    stem = designator.split("-")[0]
    if stem[0].isdigit():
        return frozenset({"digit"})
    case = "lower" if stem.islower() else "upper"
    kinds = {case} if len(set(stem)) == 1 else set[str]()
    if _ROMAN.fullmatch(stem):
        kinds.add("roman" if case == "lower" else "ROMAN")
    return frozenset(kinds or {case})


def continue_path(previous: Path, following: Path, exists: Callable[[Path], bool] | None) -> Path | None:
    """Read a list member that repeats only its last levels: after `(a)(1)`, `(2)` is `(a)(2)` and `(b)` is `(b)`.

    Args:
        previous: the full path of the member before.
        exists: tells whether a path is in the document; None where no document is at hand.

    Returns:
        The full path, or None where no level of `previous` has designators of this kind: then it is no list member.
    """
    readings = [
        previous[:depth] + following
        for depth in range(len(previous) - 1, -1, -1)
        if _same_sequence(previous[depth], following[0])
    ]
    if not readings:
        return None
    return next((reading for reading in readings if exists is not None and exists(reading)), readings[0])


def _same_sequence(before: str, after: str) -> bool:
    kinds = designator_kinds(before) & designator_kinds(after)
    # Doubled letters follow z: "(ii)" after "(e)" opens an enumeration of the sentence, not a list of subsections.
    if kinds <= {"lower", "upper"} and len(after.split("-")[0]) > 1:
        return bool(kinds) and (len(before.split("-")[0]) > 1 or before[0] in "zZ")
    return bool(kinds)


_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
    "twentieth",
)  # fmt: skip


def container_segment(level: str, number: str) -> str:
    """`part_ii`, `crossheading_general-provisions`."""
    own = slug(number, limit=80) if level == "crossheading" else segment(number)
    return f"{slug(level)}_{own}"


def annex_segment(kind: str, number: str) -> str:
    """`sch.1`, `annex.ii`; without the number where there is only one. "FIRST" is 1."""
    low = number.lower().strip()
    number = str(_ORDINALS.index(low) + 1) if low in _ORDINALS else number
    return f"{kind}.{segment(number)}" if number else kind
