"""What one printed paragraph of the C.F.R. says about itself: its designators, its caption, the term it defines."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag.ingest.formats.designators import Designator, readings
from rag.ingest.formats.xml_text import Rich

_ONE = r"\(\s*([0-9]{1,3}(?:-[0-9]{1,2})?|[a-z]{1,7}(?:-[0-9]{1,2})?|[A-Z]{1,7}(?:-[0-9]{1,2})?)\s*\)"
_TOKEN = re.compile(rf"\s*{_ONE}")
_RANGE = re.compile(rf"\s*{_ONE}\s*(?:-|–|—|through|to|and|,)\s*{_ONE}(?=\s*\[)")
_DOTTED = re.compile(r"([0-9]{1,2}|[A-Z]|[IVX]{1,5}|[a-z]|[ivx]{1,5})\.\s+(?=\S)")
# Words of a caption that is not in italics, up to a designator that opens a list in the same paragraph.
_PLAIN_CAPTION = re.compile(rf"\s*([^().;:—]{{1,120}}?)(?:\.|:|—|–)\s*(?={_ONE})")
_INLINE_FIRST = re.compile(rf"([\w,:;—–]+)\s*{_ONE}\s+(\w+)")
# Words around a designator that is a reference and not the start of a list.
_REFERRING = frozenset(
    {"paragraph", "paragraphs", "subparagraph", "section", "sections", "subsection", "clause", "clauses", "item",
     "part", "under", "in", "of", "and", "or", "see", "with", "by", "to"}
)  # fmt: skip
_REFERRED = frozenset(["of", "above", "below", "and", "or", "through", "to"])
_ABBREVIATED = re.compile(
    r"(?:^|[\s(])(?:[A-Z]|[A-Za-z]{1,2}|sec|seq|par|pars|secs|stat|supp|art|vol|pub|App)$", re.ASCII
)
_FIRSTS = frozenset({"1", "a", "A", "i", "I"})
_SECONDS = {"2": "1", "b": "a", "B": "A", "ii": "i", "II": "I"}

_AFTER_CAPTION = re.compile(r"\s*(?:[A-Z0-9“\"‘'$§(\[—–]|$)")
_DEFINING = (
    r"(?:means?|includes?|(?:does|do) not include|ha(?:s|ve) the (?:same )?meanings?|ha(?:s|ve) the definitions?"
    r"|refers? (?:only )?to|(?:is|are) defined|shall (?:mean|include|have the (?:same )?meaning))\b"
)
_GAP = r"(?:(?!\b(?:shall|must|may|who|is|are)\b)[^.;:]){0,160}?"
_VERB = re.compile(rf"[\"”’]?{_GAP}\b(?={_DEFINING})|[\"”’]?\s*(?={_DEFINING})")
_LEAD = re.compile(
    r"(?:(?:For (?:the )?purposes? of|As used in|When used in|In this) [^,“\"]{1,100}, )?"
    r"(?:[Tt]he (?:term|phrase|word)s? )?"
)
_BARE_TERM = re.compile(
    rf"(?!(?:This|These|Those|It|Such|That|Each|If|For|In|As|When|Where|No|Any|All)\b)[A-Z][^.;:“”\"]{{0,100}}?\s(?={_DEFINING})"
)
RESERVED = re.compile(r"(?:\[[A-Za-z ,-]*reserved\]|reserved)\.?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Defined:
    """A paragraph that defines a term: the term as printed, and where the definition's own sentence starts."""

    term: str
    start: int


def announces(text: str) -> bool:
    """Whether the words leave the reader waiting for a list: they end in a colon or a dash."""
    return text.rstrip().endswith((":", "—", "–", "-"))


def ends_sentence(text: str) -> bool:
    """Whether the words end a sentence."""
    return re.search(r"[.!?\]][”\"’')\d]*\s*$", text) is not None


def designators(paragraph: Rich, *, following: str = "", dotted: bool = False) -> tuple[Designator, ...]:
    """The designators that may open levels at the start of a paragraph, in order, with their offsets.

    Args:
        paragraph: the whole paragraph.
        following: the label that the next paragraph starts with. A `(1)` in mid-sentence opens a list only where
            the next paragraph starts with `(2)`.
        dotted: accept `1.`, `A.`, `I.` at the start, as appendices have them.
    """
    text = paragraph.text
    found: list[Designator] = []
    first = _range(paragraph) or _token(paragraph, 0)
    if first is None and dotted and (match := _DOTTED.match(text)) and readings(match[1]):
        found.append(Designator(match[1], match[1], refuse=3.0, mark=".", start=0, end=match.end()))
    elif first is None:
        return _inline(paragraph, 0, following)
    else:
        found.append(first)
    while True:
        position = found[-1].end
        token = _token(paragraph, position, refuse=6.0)
        if token is None:
            caption, start = split_caption(paragraph, position)
            token = _token(paragraph, start, refuse=4.0) if caption else _after_plain_caption(paragraph, position)
        if token is None:
            break
        found.append(token)
    return (*found, *_inline(paragraph, found[-1].end, following))


def _italic_at(paragraph: Rich, position: int) -> tuple[int, int] | None:
    """The italic span that covers this character."""
    return next(((mark.start, mark.end) for mark in paragraph.marks if mark.start <= position < mark.end), None)


def _token(paragraph: Rich, position: int, *, refuse: float = 8.0) -> Designator | None:
    match = _TOKEN.match(paragraph.text, position)
    if match is None or not readings(match[1]):
        return None
    italic = _italic_at(paragraph, match.start(1)) is not None
    return Designator(match[1], match[1], italic, refuse, start=match.start(), end=match.end())


def _range(paragraph: Rich) -> Designator | None:
    match = _RANGE.match(paragraph.text)
    if match is None or not readings(match[1]) or not readings(match[2]):
        return None
    italic = _italic_at(paragraph, match.start(1)) is not None
    return Designator(match[1], match[2], italic, start=match.start(), end=match.end())


def _after_plain_caption(paragraph: Rich, position: int) -> Designator | None:
    match = _PLAIN_CAPTION.match(paragraph.text, position)
    if match is None or match[2] not in _FIRSTS or _ABBREVIATED.search(match[1]):
        return None
    second = next(label for label, one in _SECONDS.items() if one == match[2])
    if f"({second})" in paragraph.text[match.end() :]:  # the whole list is in this paragraph: a sentence, not levels
        return None
    return _token(paragraph, match.end(), refuse=1.0)


def _inline(paragraph: Rich, position: int, following: str) -> tuple[Designator, ...]:
    wanted = _SECONDS.get(following)
    if wanted is None or f"({following})" in paragraph.text:
        return ()
    hits = [match for match in _INLINE_FIRST.finditer(paragraph.text, position) if match[2] == wanted]
    if len(hits) != 1 or hits[0][1].lower() in _REFERRING or hits[0][3] in _REFERRED:
        return ()
    token = _token(paragraph, hits[0].end(1), refuse=0.5)
    return (token,) if token else ()


def split_caption(paragraph: Rich, start: int) -> tuple[str, int]:
    """The italic caption at `start` and where the text after it goes on; empty and `start` where there is none.

    A caption ends in a full stop, colon or dash, or is the whole paragraph. Where one italic run holds a caption and
    the term that a sentence starts with (`Party committee. Party committee` means), only its first sentence is one.
    """
    text = paragraph.text
    begin = start + len(text[start:]) - len(text[start:].lstrip())
    span = _italic_at(paragraph, begin)
    if span is None or (span[0] < begin and text[span[0] : begin].strip("( )")):
        return "", start
    end = span[1]
    run = text[begin:end]
    if not run or RESERVED.fullmatch(run):
        return "", start
    stop = re.match(r"[.:?!]+", text[end:])
    if stop and not run.endswith((".", ":")):
        end += stop.end()
        run = text[begin:end]
    dash = re.match(r"\s*[—–]\s*", text[end:])
    if dash:
        return run.rstrip("—–"), end + dash.end()
    if run.endswith(("—", "–")):
        return run.rstrip("—– "), end
    if end == len(text):
        return run, end
    if run.endswith((".", ":", "?", "!")) and _AFTER_CAPTION.match(text, end):
        return run, end
    for match in re.finditer(r"[.:]\s+", run):
        left = run[: match.start()]
        repeated = run[match.end() :].lower().startswith(left.lower())
        if repeated or (len(left.split()[-1]) > 2 and re.search(r"[A-Za-z][a-z]{3}", left)):
            return run[: match.start() + 1], begin + match.end()
    return "", start


def defines(paragraph: Rich, *, bare: bool) -> Defined | None:
    """The term a paragraph without designator defines, if it does.

    Args:
        paragraph: the whole paragraph.
        bare: also accept a term without italics or quotation marks, as sections headed "Definitions" print it.
    """
    text = paragraph.text
    caption, start = split_caption(paragraph, 0)
    if caption and start >= len(text):
        # "Person with disabilities:" among definitions is the term of the list that follows.
        return Defined(text.rstrip(": "), 0) if bare and text.endswith(":") else None
    lead = _LEAD.match(text, start)
    begin = lead.end() if lead else start
    opened = text[begin : begin + 1] in ("“", '"', "‘")
    span = _italic_at(paragraph, begin + opened)
    if span is not None:
        end = span[1]
    elif opened and (closing := re.search(r"[”\"’]", text[begin + 1 :])):
        end = begin + 1 + closing.start()
    else:
        match = _BARE_TERM.match(text, begin) if bare else None
        return Defined(text[begin : match.end()].strip(), start) if match else None
    verb = _VERB.match(text, end)
    if verb is None:
        return None
    return Defined(text[begin : verb.end()].strip(' “”"‘’,'), start)
