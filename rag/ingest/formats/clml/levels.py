"""What the levels of CLML are called, and which attributes say when and where a provision is law."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from rag.ingest.formats.clml.text import QUOTED_BLOCKS, list_items
from rag.ingest.formats.xml import Element, local, plain  # pyright: ignore[reportPrivateUsage]
from rag.jurisdictions.gb.addresses import CITING_WORDS, bare_number, read_uri
from retrieval.errors import IngestError

# Element -> (level, structure type).
CONTAINERS = {
    "Group": ("group", "PART"), "Part": ("part", "PART"), "Chapter": ("chapter", "CHAPTER"),
    "Pblock": ("crossheading", "PART"), "PsubBlock": ("sub-crossheading", "PART"), "EUTitle": ("title", "TITLE"),
    "EUPart": ("part", "PART"), "EUChapter": ("chapter", "CHAPTER"), "EUSection": ("section", "PART"),
    "EUSubsection": ("subsection", "PART"),
}  # fmt: skip
ANNEXES = frozenset({"Schedule", "Appendix"})
NUMBERED = {f"P{level}": level for level in range(2, 8)}
GROUPS = {f"P{level}group": level for level in range(1, 8)}
MAKERS = frozenset(
    {*CONTAINERS, *ANNEXES, *NUMBERED, *GROUPS, "P1", "Division", "Form", "Schedules", "Attachments", "Attachment",
     "SignedSection", "PrimaryPrelims", "SecondaryPrelims", "EUPrelims", "ListItem"}
)  # fmt: skip
# A provision whose commencement is not settled is in force on no day that anyone can ask for.
NEVER = date.max

_TYPES = ("SECTION", "SUBSECTION", "PARAGRAPH", "SUBPARAGRAPH", "CLAUSE", "ITEM")
_ACT_WORDS = ("section", "subsection", "paragraph")
_EU_WORDS = ("article", "paragraph", "point")
_QUOTED_TERM = re.compile(r"[“\"‘']([^”\"’']{1,120})[”\"’']")
_DOTS = re.compile(r"[\s.…\[\]]*\.[\s.…\[\]]*\.[\s.…\[\]]*")


@dataclass(frozen=True, slots=True)
class Validity:
    """From when and until when a text is law, as far as the source says, and what it says on its standing."""

    since: date | None = None
    until: date | None = None
    extent: str = ""
    status: str = ""

    @property
    def tags(self) -> dict[str, str]:
        """Tags for extent and status."""
        found = {"extent": self.extent, "status": self.status}
        return {key: value for key, value in found.items() if value}


def read_validity(elements: Iterable[Element], outer: Validity, file: str) -> Validity:
    """Validity by the attributes of an element, outermost wrapper first, inside what holds for its surroundings.

    Raises:
        IngestError: a date is none, or a text ends before it begins.
    """
    since, until, extent, status = outer.since, outer.until, outer.extent, outer.status
    line = None
    for element in elements:
        line = element.sourceline
        began = _day(element, "RestrictStartDate", file)
        if began and status == "prospective":
            status = ""  # what has begun inside a part that has not
        since = began or since
        until = _day(element, "RestrictEndDate", file) or until
        extent = element.get("RestrictExtent") or extent
        status = (element.get("Status") or status).lower()
    if since and until and until <= since:
        cause = f"a provision would end on {until}, not after the day it begins, {since}"
        raise IngestError(cause, file=file, line=line)
    if status == "prospective" and since is None:
        since = NEVER
    return Validity(since, until, extent, status)


def standing(element: Element, outer: Validity) -> Validity:
    """Extent and status of a container; its dates are those of any change inside it and date nothing themselves."""
    status = (element.get("Status") or outer.status).lower()
    since = NEVER if status == "prospective" else outer.since
    return Validity(since, outer.until, element.get("RestrictExtent") or outer.extent, status)


def _day(element: Element, name: str, file: str) -> date | None:
    text = element.get(name)
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise IngestError(f"{name} is not a date", file=file, line=element.sourceline) from None


def only_dots(text: str) -> bool:
    """Whether nothing is left of a text but the dots that stand for repealed words."""
    return _DOTS.fullmatch(text) is not None


def unit_word(element: Element, number: str, default: str, *, annex: bool) -> str:
    """What a P1 is called: by its address, else by its printed number, else as this kind of law calls its units."""
    address = read_uri(element.get("IdURI", "") or element.get("DocumentURI", ""))
    words = [word.lower() for word in address.path if word.lower() in CITING_WORDS] if address else []
    id_words = [word for word in element.get("id", "").split("-") if word in CITING_WORDS]
    printed = re.match(r"(article|section|regulation|rule|paragraph)\b", number, re.IGNORECASE)
    if words or id_words or printed:
        return (words or id_words or [printed[1].lower() if printed else ""])[-1]
    return "paragraph" if annex else default


def level_word(unit: str, level: int, nesting: int, *, annex: bool, eu: bool) -> str:
    """What a paragraph is called. `level` is CLML's (2 to 7), `nesting` counts from 1 below the unit."""
    words = _EU_WORDS if eu and not annex else _ACT_WORDS if unit == "section" and not annex else ()
    if words:
        return words[level - 1] if level <= len(words) else f"{'sub-' * (level - len(words))}{words[-1]}"
    steps = nesting if unit == "paragraph" else nesting - 1
    return f"{'sub-' * steps}paragraph"


def type_of(level: int) -> str:
    """The structure type of CLML's P1 to P7."""
    return _TYPES[min(level, len(_TYPES)) - 1]


def makes_nodes(element: Element) -> bool:
    """Whether a list's items are provisions of their own: they have designators, or each defines a term."""
    items = list_items(element)
    if not items:
        return False
    if element.get("Class") == "Definition":
        return any(defined_term(item) for item, _ in items)
    return all(re.search(r"\w", designator) or defined_term(item) for item, designator in items)


def defined_term(item: Element) -> str:
    """The term in quotation marks that a list item begins with; empty where it begins with something else."""
    match = _QUOTED_TERM.match(plain(item))
    return match[1].strip(" ,") if match else ""


def ambiguous_numbers(element: Element) -> Counter[tuple[Element, str]]:
    """In how many containers below each container (the element itself included) a `P1` of each number stands.

    Quoted text of other laws does not count, nor do schedules inside, which number on their own.
    """
    counts: Counter[tuple[Element, str]] = Counter()
    seen: set[tuple[Element, str]] = set()

    stack: list[tuple[Element, tuple[Element, ...]]] = [(element, (element,))]
    while stack:
        current, chain = stack.pop()
        for child in current:
            name = local(child)
            if name in QUOTED_BLOCKS or name in ANNEXES:
                continue
            if name == "P1":
                printed = child.find("{*}Pnumber")
                number = bare_number(plain(printed)) if printed is not None else ""
                if number and (chain[-1], number) not in seen:
                    seen.add((chain[-1], number))
                    counts.update((element, number) for element in chain)
            else:
                stack.append((child, (*chain, child) if name in CONTAINERS else chain))
    return counts
