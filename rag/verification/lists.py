"""Lists as one unit of text: whether an item may be told without its sisters, and the list that it is told with. Pure.

"May cancel if (2)" is not what "may cancel if (1) and (2)" says. A list goes whole, unless its items are alternatives
of which each is enough (`if (1) or (2)`), or duties, powers and prohibitions that each hold by themselves (`A landlord
shall: (a) ...; (b) ...`). In doubt it goes whole.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, starmap
from typing import Generic, NamedTuple, Protocol, TypeVar

from rag.languages.base import ListWords
from rag.languages.registry import language_of
from rag.languages.sentences import sentences_of
from rag.languages.text import fold
from retrieval.texts import LEFT_OUT

LONGEST_LIST = 4_000  # characters of a list that is told whole; of a longer one it is told that it goes on

_SENTENCE = re.compile(r"[.!?。！？][\"'”’)\]]*\s+(?=\W*[A-ZÀ-Ý])")
_CLOSED = re.compile(r"[.!?。！？][\"'”’»)\]]*\s*\Z")
_ENDS = re.compile(r"[.!?;][\"'”’»)\]]*(?:\s[a-zà-ü/]{1,6})?\s*\Z")
_GOING_ON = re.compile(r"[;,][\s\w/]{0,12}\Z")
_FIRST = re.compile(r"(?<![a-z0-9])(?:1|a|i)\Z", re.IGNORECASE)  # the designator of a first item
_LETTER = re.compile(r"[^\W\d_]")


class ListBlock(Protocol):
    """A block with its place in a list (`EvidenceBlock`, `retrieval.model.Block`)."""

    @property
    def urn(self) -> str:
        """The node's URN."""
        ...

    @property
    def text(self) -> str:
        """The node's own words."""
        ...

    @property
    def lead_in(self) -> str:
        """The open sentence of its ancestors that the text continues."""
        ...

    @property
    def flush(self) -> str:
        """The words after the list that finish the sentence."""
        ...


B = TypeVar("B", bound=ListBlock)


@dataclass(frozen=True, slots=True)
class CutList(Generic[B]):
    """A list that must not be told in part.

    Attributes:
        items: the blocks that say it, inner lists included, in the order given.
        whole: whether all of it is among the blocks, and short enough to be told.
    """

    items: tuple[B, ...]
    whole: bool


def may_stand_alone(lead_in: str, items: Sequence[str], at: int, language: str) -> bool:
    """Whether one item of a list may be told without the others, with its lead-in and the words after the list.

    Args:
        lead_in: the open sentence that the items continue.
        items: their texts, those of inner lists included, in order.
        at: which of them.
        language: ISO 639-1 code.

    Returns:
        True only for alternatives of which each is enough, for duties, powers and prohibitions with their subject and
        modal in the lead-in, and for items that are sentences by themselves; False where it cannot be told.
    """
    kind, words = _kind(lead_in, tuple(items), language), language_of(language).lists
    item = fold(items[at])
    # "If no such notice has been received, ..." leans on the item before it.
    if kind == "sentences" and words.case.search(item) and words.leans.search(item.partition(",")[0]):
        return False
    if kind == "sentences" or (kind != "referred" and words.defines.search(item)):
        return True
    if kind == "duties" and not words.act.search(item):
        return False
    return kind in {"independent", "duties", "enough"} and not words.leans.search(item)


@lru_cache(maxsize=256)
def _kind(lead_in: str, items: tuple[str, ...], language: str) -> str:
    """What all items of a list are: `sentences`, `enough` (each alternative is), `independent`, `duties`; or `whole`,
    and `referred` where the lead-in is a whole sentence.
    """
    words = language_of(language).lists
    opening = _SENTENCE.split(fold(lead_in))[-1].strip()
    if words.refers.search(opening):
        enough = words.any_of.search(opening) and not words.whole.search(opening)
        return "enough" if enough else "referred"
    folded = [fold(item) for item in items]
    # "A lease which provides that:" says what a lease has to have, and no rules.
    rules = words.rules.search(opening) and not words.relative.search(_last_clause(opening))
    if (rules or _says_nothing(opening, words, language)) and all(_is_sentence(text, language) for text in folded):
        return "sentences"
    joined = _joined(opening, items, words)
    opening = _without_asides(opening, words)
    if words.whole.search(opening) or words.exception.search(opening) or joined == "mixed":
        return "whole"
    if any(words.compares.search(text) for text in folded):
        return "whole"
    if not _in_a_clause(opening, words):
        if words.ban.search(opening):
            return "whole" if joined == "both" else "independent"
        if words.power.search(opening):
            return "independent"
        if words.duty.search(opening):
            acts = not any(words.state.search(text) for text in folded)
            return "duties" if joined != "either" and acts else "whole"
        if words.includes.search(opening):
            return "whole" if joined == "either" else "independent"
    if joined != "both" and all(words.case.search(text) for text in folded):
        return "enough"
    return "enough" if joined == "either" and _enough(opening, words, language) else "whole"


def continues_a_list(lead_in: str, language: str) -> bool:
    """Whether a lead-in is an open sentence, or a whole one that refers to the items below it (`次の各号`)."""
    refers = language_of(language).lists.refers
    return bool(_LETTER.search(lead_in)) and (not _CLOSED.search(lead_in) or bool(refers.search(lead_in)))


def finishes_list(text: str, start: int, breaks: Sequence[int]) -> bool:
    """Whether a sentence that begins at an offset goes on with the one before the parts of its node.

    Args:
        breaks: where the words after its parts begin, if any.
    """
    return start in breaks and text[start : start + 1].islower()


def words_before(lead_in: str, text: str, start: int, breaks: Sequence[int], language: str) -> str:
    """The words that lead into a sentence of a node: of its first one those above it; of one that goes on after the
    node's parts the words before these, with a mark where they stand. Empty for any other.

    Args:
        lead_in: the open sentence of its ancestors.
        text: the node's own words.
        start: where the sentence begins.
        breaks: where the words after its parts begin, if any.
        language: ISO 639-1 code.
    """
    if not text[:start].strip():
        return lead_in
    if not finishes_list(text, start, breaks):
        return ""
    first, end = sentences_of(text[:start].rstrip(), language)[-1]
    above = "" if text[:first].strip() else lead_in
    return " ".join(part for part in (above, text[first:end], LEFT_OUT) if part)


def _joined(opening: str, items: Sequence[str], words: ListWords) -> str:
    """How items are joined: `either`, `both`, `mixed`, or empty where no word tells."""
    if words.any_of.search(opening):
        return "either"
    found: set[str] = set()
    for name, conjunction in (("either", words.either), ("both", words.both)):
        ends, begins = _conjunction(conjunction)
        if any(ends.search(item) for item in items[:-1]) or any(begins.match(item) for item in items[1:]):
            found.add(name)
    return "mixed" if len(found) > 1 else next(iter(found), "")


@lru_cache(maxsize=16)
def _conjunction(words: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Finds a conjunction at the end of an item and at the beginning of one."""
    return (
        re.compile(rf"(?<![\w/])(?:{words})\W*\Z", re.IGNORECASE),
        re.compile(rf"\W*(?:{words})(?![\w/])", re.IGNORECASE),
    )


def goes_on(text: str, language: str) -> bool:
    """Whether an item ends with a conjunction, so that another one follows."""
    words = language_of(language).lists
    return any(_conjunction(part)[0].search(text) for part in (words.either, words.both))


def _is_sentence(item: str, language: str) -> bool:
    """Whether an item is a sentence by itself: it begins and ends as one does, with a subject before its verb."""
    begins = _LETTER.search(item)
    parts = language_of(language).parts
    if begins is None or not begins[0].isupper() or not _ENDS.search(item) or parts is None:
        return False
    words = re.findall(r"\w+", item.lower())
    return words[0] not in parts.finite and any(word in parts.finite for word in words)


def _says_nothing(opening: str, words: ListWords, language: str) -> bool:
    """Whether a lead-in has no verb and opens no clause: "In this section:"."""
    parts = language_of(language).parts
    verbs = parts.finite if parts is not None else frozenset[str]()
    return (
        not any(word in verbs for word in re.findall(r"\w+", opening.lower()))
        and not words.opens.search(opening)
        and not words.exception.search(opening)
        and not words.any_of.search(opening)
    )


def _without_asides(opening: str, words: ListWords) -> str:
    """A lead-in without an exception that a comma closes: "Except as provided in section 5, no person shall"."""
    start = words.exception.match(opening)
    if start is None:
        return opening
    _, comma, rest = opening[start.end() :].partition(",")
    return rest.strip() if comma and _LETTER.search(rest) else opening


def _last_clause(opening: str) -> str:
    """What follows the last comma, dash or semicolon that has words on both sides and a subject after it."""
    part = re.split(r"[,;:]\s|\s?-\s", opening.rstrip(" :-—–,;"))[-1].strip()
    return part if part.count(" ") else opening


def _in_a_clause(opening: str, words: ListWords) -> bool:
    """Whether the modal at the end of a lead-in may belong to a clause of the sentence: "a person who shall"."""
    last = _last_clause(opening)
    for match in words.opens.finditer(last):
        if not words.relative.search(match[0]) or last[match.end() :].strip(" :-—–").count(" ") < 1:
            return True
    return False


def _enough(opening: str, words: ListWords, language: str) -> bool:
    """Whether each alternative after a lead-in is enough: it completes a condition, a permission or a prohibition."""
    opened = list(words.opens.finditer(opening))
    if not opened:
        return _gives_or_forbids(opening, words)
    clause = opening[opened[-1].end() :]
    _, comma, after = clause.partition(",")
    if comma and _LETTER.search(after):
        return _gives_or_forbids(after, words)  # the clause is closed, and the sentence goes on
    parts = language_of(language).parts
    later = re.findall(r"\w+", clause.lower())[2:]
    # "A person who sells goods is liable for": the second verb is the sentence's own.
    if words.relative.search(opened[-1][0]) and parts is not None and any(word in parts.finite for word in later):
        return _gives_or_forbids(clause, words)
    return not words.modal_duty.search(clause) and not words.denies.search(clause)


def _gives_or_forbids(opening: str, words: ListWords) -> bool:
    last = None
    for found in (words.modal_ban, words.modal_power, words.modal_duty):
        for match in found.finditer(opening):
            if last is None or match.end() > last[0]:
                last = match.end(), found
    if last is None or last[1] is words.modal_duty:
        return False
    return last[1] is words.modal_ban or not words.denies.search(opening)


# --- over blocks ------------------------------------------------------------------------------------------------------


def cut_list(told: Collection[str], blocks: Sequence[B], language: str) -> CutList[B] | None:
    """The list of which some blocks tell a part that must not stand alone; the first of several, and of lists in lists
    the outermost that can be told whole, else the outermost.

    Args:
        told: URNs of the blocks that are told, with their lead-ins.
        blocks: all that is known, in document order.
    """
    rows = _Rows(blocks, language)
    above = _with_those_above(told)
    for urn in told:
        cuts = [rows.cut(row) for row in rows.around(urn) if rows.is_cut(row, urn, above)]
        if cuts:
            return next((cut for cut in reversed(cuts) if cut.whole), cuts[-1])
    return None


def opened_by(items: Sequence[ListBlock]) -> str:
    """The URN of what opens a list, inner lists included: of all that is around its items the nearest."""
    parents = [item.urn.split(":")[:-1] for item in items]
    return ":".join(next((urn for urn in parents if all(other[: len(urn)] == urn for other in parents)), list[str]()))


class Around(NamedTuple):
    """What stands around an item; of each pair the words told with the item itself, and those told with its neighbour.

    Attributes:
        shared_lead_in: the words of its lead-in that the item before it has from the lists that both are in.
        lead_in: the others.
        flush: the words after its lists, but for those that the item after it has as well.
        shared_flush: those.
    """

    shared_lead_in: str
    lead_in: str
    flush: str
    shared_flush: str


class Told(NamedTuple):
    """An item of a list as it is told: its own words, and those around it."""

    urn: str
    text: str
    lead_in: str
    flush: str


def words_around(items: Sequence[Told]) -> list[Around]:
    """The words around some items in their order, so that those of each list stand once around all of its items, inner
    lists included. What follows an inner list whose sentence has ended is told with its whole lead-in.
    """
    common = [(0, 0), *starmap(_common, pairwise(items)), (0, 0)]
    around: list[Around] = []
    for item, (before, _), (_, after) in zip(items, common, common[1:], strict=False):
        led, followed = item.lead_in.split(), item.flush.split()
        parts = led[:before], led[before:], followed[: len(followed) - after], followed[len(followed) - after :]
        around.append(Around(*map(" ".join, parts)))
    return around


def _common(one: Told, other: Told) -> tuple[int, int]:
    """How many words an item and the next one have at the beginning of their lead-ins, and at the end of the words
    after them, from the lists that both are in.
    """
    led, other_led = one.lead_in.split(), other.lead_in.split()
    followed = one.flush.split()
    same, ends = _alike(led, other_led), _alike(followed[::-1], other.flush.split()[::-1])
    if led != other_led:
        goes_in = same == len(led) > 0 and other.urn.startswith(f"{_parent(one.urn)}:")
        goes_out = same == len(other_led) > 0 and one.urn.startswith(f"{_parent(other.urn)}:")
        if not goes_in and _CLOSED.search(" ".join(followed[: len(followed) - ends]) or one.text):
            return 0, 0
        if not goes_in and not goes_out:
            # Of the inner lists "in case of: a sale to" and "in case of: a sale by" what the outer one opens.
            within = one.urn.split(":")[:5] == other.urn.split(":")[:5]
            same = max((at for at in range(1, same + 1) if within and led[at - 1].endswith(_OPENS)), default=0)
        if not same:
            return 0, 0
    return same, ends


def _alike(words: Sequence[str], others: Sequence[str]) -> int:
    """How many words two sequences begin with alike."""
    pairs = enumerate(zip(words, others, strict=False))
    return next((at for at, (word, other) in pairs if word != other), min(len(words), len(others)))


_OPENS = (":", "-", "–", "—", "―")


def tells_whole_lists(told: Collection[str], blocks: Sequence[B], language: str) -> bool:
    """Whether the lists that some blocks are items of are told with all their items, outer lists included.

    Args:
        told: URNs of the blocks that are told, with their lead-ins.
        blocks: all that is known, in document order; an item without a sister among them is told alone.
    """
    rows, above = _Rows(blocks, language), _with_those_above(told)
    return all(len(row) > 1 and rows.is_whole(row, above) for urn in told for row in rows.around(urn))


def _with_those_above(urns: Collection[str]) -> set[str]:
    return {urn.rsplit(":", level)[0] for urn in urns for level in range(urn.count(":") - 3)}


def _parent(urn: str) -> str:
    return urn.rpartition(":")[0]


class _Rows(Generic[B]):
    """The lists of some blocks; an item without words of its own, whose parts go on with its lead-in, is one too."""

    def __init__(self, blocks: Sequence[B], language: str) -> None:
        self.language = language
        words = language_of(language).lists
        self.joints = tuple(part.partition("|")[0].partition("(")[0] for part in (words.either, words.both))
        self.blocks: dict[str, B | Told] = {}
        self.kids: dict[str, list[B | Told]] = {}
        self.rows: dict[tuple[str, str], tuple[B | Told, ...]] = {}
        with_words = {block.urn for block in blocks if block.text}
        for block in (block for block in blocks if block.text):
            above = _with_those_above([_parent(block.urn)])
            between = above - with_words if above & with_words else set[str]()
            part: B | Told = block
            while part.urn not in self.blocks:
                self.blocks[part.urn] = part
                self.kids.setdefault(_parent(part.urn), []).append(part)
                if _parent(part.urn) in between:
                    part = Told(_parent(part.urn), "", block.lead_in, block.flush)

    def around(self, urn: str) -> Iterator[tuple[B | Told, ...]]:
        """The lists that a block is in, innermost first."""
        while urn.count(":") > 4:
            block = self.blocks.get(urn)
            if block is not None and continues_a_list(block.lead_in, self.language):
                row = self._row(_parent(urn), block.lead_in)
                if any(kid.urn == urn for kid in row):
                    yield row
            urn = _parent(urn)

    def _row(self, parent: str, lead_in: str) -> tuple[B | Told, ...]:
        """The items of a list by the URN and the lead-in that they share."""
        if (parent, lead_in) not in self.rows:
            row = [kid for kid in self.kids[parent] if kid.lead_in == lead_in]
            self.rows[parent, lead_in] = self._items(row)
        return self.rows[parent, lead_in]

    def _items(self, row: Sequence[B | Told]) -> tuple[B | Told, ...]:
        """The items among the children of a lead-in: what follows a list whose sentence has ended is none of it."""
        ends = [self.leaves(b)[-1].text for b in row]
        last = next((at for at, text in enumerate(ends) if _CLOSED.search(text)), len(row))
        return tuple(row[: last + 1] if last and _GOING_ON.search(ends[0].rstrip()) else row)

    def is_cut(self, row: tuple[B | Told, ...], urn: str, told: Collection[str]) -> bool:
        """Whether a list is told in part, and the item that is the block, or has it, may not stand alone.

        Args:
            told: URNs of what is told, and of all that are above it.
        """
        at = next(place for place, one in enumerate(row) if urn == one.urn or urn.startswith(f"{one.urn}:"))
        if self.is_whole(row, told):
            return False
        more = self._more_follow(row)
        texts = [" ".join(dict.fromkeys((b.text, *(leaf.text for leaf in self.leaves(b))))).strip() for b in row]
        ways = [texts]
        if more and goes_on(texts[-1], self.language):
            ways = [[*texts, ""]]
        elif more:  # what joins items that are not known may be either
            ways = [[*texts[:-1], f"{texts[-1]} {word}", ""] for word in self.joints]
        return not all(may_stand_alone(row[at].lead_in, way, at, self.language) for way in ways)

    def is_whole(self, row: tuple[B | Told, ...], told: Collection[str]) -> bool:
        """Whether all items of a list are among the URNs of what is told, and of all that are above it."""
        return all(item.urn in told for item in row) and not self._more_follow(row)

    def _more_follow(self, row: tuple[B | Told, ...]) -> bool:
        """Whether a list has items that are not known; what joins an outer list's items ends an inner one's."""
        if next(self.around(_parent(row[0].urn)), None) is not None:
            return False
        last = self.leaves(row[-1])[-1].text.rstrip()
        others = len(row) == 1 and (_GOING_ON.search(last) or not _FIRST.search(row[0].urn))
        return bool(others) or goes_on(last, self.language)

    def leaves(self, block: B | Told) -> list[B]:
        """The blocks that say an item: itself, or what its words lead into."""
        kids = [kid for kid in self.kids.get(block.urn, ()) if self._continues(block, kid)]
        if kids or isinstance(block, Told):
            return [leaf for kid in kids for leaf in self.leaves(kid)]
        return [block]

    def _continues(self, block: B | Told, kid: B | Told) -> bool:
        if not block.text:
            return kid.lead_in == block.lead_in
        return len(kid.lead_in) > len(block.lead_in) and kid.lead_in.startswith(block.lead_in)

    def cut(self, row: tuple[B | Told, ...]) -> CutList[B]:
        """The list as it is told."""
        items = tuple(leaf for b in row for leaf in self.leaves(b))
        around = words_around([Told(item.urn, item.text, item.lead_in, item.flush) for item in items])
        size = sum(
            len(kid.text) + len(words.lead_in) + len(words.flush) for kid, words in zip(items, around, strict=True)
        )
        return CutList(items, size <= LONGEST_LIST and not self._more_follow(row))
