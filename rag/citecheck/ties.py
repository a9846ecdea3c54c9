"""What in a text belongs together: its sentences, and which reference a quotation or a sentence rests on. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag.citecheck.quotes import Quotation
from rag.citecheck.references import Mention
from rag.citecheck.words import without_edits
from rag.languages.sentences import split_at, split_sentences


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words with which a citation stands alone or a quotation is introduced: no claim of their own.
_SIGNALS = _words(
    """
    see also cf accord e g eg ie i id at but compare with citing quoting cited in and or the to of from by under per as
    pursuant according accordance provides provide provided states state stated says say reads requires that which it
    this section sections subsection paragraph para article articles art code law statute rule regulation text language
    vgl siehe s auch nach gemäß laut und oder zu zum der die das des dem den in im heißt es lautet bestimmt regelt
    absatz abs satz nr gesetz voir aussi selon et ou au aux le la les l de du d en dans aux termes dispose prévoit
    énonce que qu alinéa loi decision case court held v vs usc cfr us ibid supra infra cmt emphasis added internal
    quotation marks omitted quote quotes follows follow following hence thus therefore
    """
)
_WORD = re.compile(r"[^\W\d_]+|\d[\d.,]*")
_MIN_CLAIM_WORDS = 3
_BESIDE = 4  # mentions on each side of a quotation that it may rest on
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_ENDED = re.compile(r"(?:\.|(?<=\.))(?=\s+[^\W\d_a-zà-ÿ])")  # behind a reference, whose own full stop it may be

# Lines that Markdown marks as a heading or as a row of a table: each says what it says by itself.
_MARKED_LINE = re.compile(r"^[ \t]{0,3}(?:(?P<heading>#{1,6}[ \t])|\|).*$", re.MULTILINE)
# What an item of a list is called before a sentence of its own: "- **Term:** The copyright lasts ...".
_LABEL = re.compile(r"(?:[-*•]|\d{1,2}[.)])\s+(?:\*\*)?[^\W\d_][^:.;*\n§]{0,40}(?::\*\*|\*\*:|:)\s+(?=[A-ZÀ-Þ])")
_LABELLED_ITEM = re.compile(rf"\n[ \t]*(?P<item>{_LABEL.pattern})")
_RULE = re.compile(r"[\s|:-]+")
_ITEM = re.compile(r"[-*•–|]|\(?\w{1,3}[.)]\s")  # begins an item of a list or a row of a table
_GAP = 8  # characters between two paragraphs in which their break is looked for


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of the text with the mentions and quotations that begin in it, by their numbers."""

    start: int
    end: int
    paragraph: int
    mentions: tuple[int, ...]
    quotations: tuple[int, ...]
    texts: tuple[str, ...]  # what it may claim: without all mentions, without the last, without the first
    is_citation: bool  # nothing but references and words that introduce them
    is_source: bool  # such a citation that closes, of what stands before it; "Zu § 5:" opens what follows
    claims: bool  # says something beyond its quotations
    too_short: bool  # says something beside a reference, in too few words to be compared: "§ 5 forbids it."
    is_title: bool  # a line above other text that does not end as a sentence does, and is no item and no row


def sentences_of(
    text: str, mentions: Sequence[Mention], quotations: Sequence[Quotation], language: str
) -> list[Sentence]:
    """The sentences of a text; none ends inside a reference or a quotation."""
    held = sorted(
        [(mention.whole_start, mention.whole_end) for mention in mentions]
        + [(quotation.start, quotation.end) for quotation in quotations]
    )
    # A sentence that ends inside its closing quotation mark ends there, whatever marks a language closes with.
    closed = [quotation.end for quotation in quotations if _closes(text, quotation)]
    lines = list(_MARKED_LINE.finditer(text))
    closed += [place for line in lines for place in line.span()]
    # "... as follows: - **Period:** It ends ...": an item with a label is no part of the sentence that opens its list.
    closed += [match.start("item") for match in _LABELLED_ITEM.finditer(text)]
    headings = {line.start() for line in lines if line["heading"]}
    headings |= {line.start() for line, after in pairwise(lines) if _heads(line, after)}
    # `Id.` is a sentence of its own, and "Abs. 3 Satz 3." ends one, whatever their full stops say of abbreviations and
    # of ordinals.
    ended = (_ENDED.match(text, mention.whole_end) for mention in mentions if not mention.range)
    closed = sorted({*closed, *(match.end() for match in ended if match)})
    spans: list[tuple[int, int]] = []
    waiting = taken = first = 0
    for start, end in split_sentences(text, language):
        if spans and start < waiting:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            last = bisect_left(closed, end)
            spans += split_at(text, (start, end), closed[bisect_right(closed, start, first) : last])
            first = last
        while taken < len(held) and held[taken][0] < end:
            waiting = max(waiting, held[taken][1])
            taken += 1
    breaks = [match.start() for match in _PARAGRAPH.finditer(text)]
    mention_of = _within(spans, [mention.start for mention in mentions])
    quotation_of = _within(spans, [quotation.start for quotation in quotations])
    return [
        _sentence(
            text,
            span,
            bisect_right(breaks, span[1] - 1),  # an item after "as follows:" is in its own
            mentions,
            mention_of[index],
            quotations,
            quotation_of[index],
            is_heading=span[0] in headings,
        )
        for index, span in enumerate(spans)
    ]


def _heads(line: re.Match[str], after: re.Match[str]) -> bool:
    """Whether a row heads a table: a rule of dashes follows."""
    return after.start() == line.end() + 1 and _RULE.fullmatch(after[0]) is not None


def _ends(text: str, span: tuple[int, int]) -> bool:
    """Whether a span is closed as a sentence is, and not a heading."""
    return text[slice(*span)].rstrip(" \n\"')”").endswith((".", "!", "?", "。"))


def _is_title(text: str, span: tuple[int, int]) -> bool:
    """Whether a span may be a title: its text begins a paragraph and goes on below, and it is closed by nothing."""
    begins = not text[: span[0]].rstrip(" \t") or _PARAGRAPH.search(text, max(0, span[0] - _GAP), span[0]) is not None
    goes_on = bool(text[span[1] :].strip())
    return begins and goes_on and not _ends(text, span) and _ITEM.match(text, span[0]) is None


def _closes(text: str, quotation: Quotation) -> bool:
    """Whether a sentence ends with a quotation: its last word does, and a capital follows."""
    words = text[quotation.inner_start : quotation.inner_end].rstrip()
    following = text[quotation.end : quotation.end + 8]
    return words[-1:] in tuple(".!?。") and following[:1].isspace() and following.lstrip()[:1].isupper()


def _within(spans: Sequence[tuple[int, int]], places: Sequence[int]) -> list[list[int]]:
    starts = [start for start, _ in spans]
    found: list[list[int]] = [[] for _ in spans]
    for number, place in enumerate(places):
        index = bisect_right(starts, place) - 1
        if index >= 0:
            found[index].append(number)
    return found


def _sentence(
    text: str,
    span: tuple[int, int],
    paragraph: int,
    mentions: Sequence[Mention],
    named: list[int],
    quotations: Sequence[Quotation],
    quoted: list[int],
    *,
    is_heading: bool,
) -> Sentence:
    references = [
        (_introduced(text, span[0], mentions[number].whole_start), _listed_to(text, mentions[number].whole_end))
        for number in named
    ]
    quotes = [(quotations[number].start, quotations[number].end) for number in quoted]
    marks = [
        mark
        for number in quoted
        if " "
        in text[quotations[number].inner_start : quotations[number].inner_end].strip()  # one word is named, not quoted
        for mark in (
            (quotations[number].start, quotations[number].inner_start),
            (quotations[number].inner_end, quotations[number].end),
        )
    ]
    outside = [word.lower() for word in _WORD.findall(_without(text, span, [*references, *quotes]))]
    telling = [word for word in outside if word not in _SIGNALS and len(word) > 1]
    label = [match.span()] if (match := _LABEL.match(text, *span)) is not None else []
    is_citation = bool(named) and not quotes and not telling
    # A reference may be the citation, or a part of what the law itself says ("except as provided in ...").
    cuts = [references, references[-1:], references[:1]]
    return Sentence(
        start=span[0],
        end=span[1],
        paragraph=paragraph,
        mentions=tuple(named),
        quotations=tuple(quoted),
        texts=tuple(dict.fromkeys(_claim_text(_without(text, span, [*label, *cut, *marks])) for cut in cuts)),
        is_citation=is_citation,
        is_source=is_citation and not text[slice(*span)].rstrip().endswith(":"),
        claims=len(telling) >= _MIN_CLAIM_WORDS and (bool(named) or not is_heading),
        too_short=bool(named and telling) and len(telling) < _MIN_CLAIM_WORDS and not quotes and _ends(text, span),
        is_title=_is_title(text, span),
    )


# Words right before a reference that only introduce it; left alone they would say more: "beträgt nach drei Jahre".
_INTRODUCES = re.compile(
    r"(?:\b(?:under|pursuant\sto|according\sto|in\saccordance\swith|by\svirtue\sof|gem(?:äß|\.)|nach|laut|entsprechend|aufgrund|"
    r"im\sSinne\s(?:von|des|der)|selon|en\sapplication\sde|en\svertu\sde|au\ssens\sde|aux\stermes\sde|sur\sle\sfondement\sde)|"
    r"\bd['’]après)\s{1,2}(?:l['’]|the\s|dem\s|den\s)?\Z",
    re.IGNORECASE,
)


# Numbers that go on a list of provisions of which no grammar read the rest: "section 112 or 251", "articles 26 à 26-5".
_MORE_OF_A_LIST = re.compile(
    r"(?:\s?(?:,|and|or|to|through|et|ou|à|und|oder|bis|–|-)\s?(?:§{1,2}\s?)?"
    r"(?:\d[\w.-]*+(?:\(\w{1,5}\))*+|\(\w{1,5}\))(?=[\s,;.)]))++"
)


def _listed_to(text: str, end: int) -> int:
    """Where a list of provisions ends that a reference begins."""
    more = _MORE_OF_A_LIST.match(text, end)
    return more.end() if more else end


def _introduced(text: str, floor: int, start: int) -> int:
    """Where a reference begins, with the words that introduce it."""
    match = _INTRODUCES.search(text, max(floor, start - 40), start)
    return match.start() if match else start


def _with_commas(text: str, span: tuple[int, int], cut: tuple[int, int]) -> tuple[int, int]:
    """A span with the commas around it: "est tenu, selon l'article 456, d'organiser"."""
    start, end = cut
    before = text[span[0] : start].rstrip()
    inside = before.endswith(",") and text[end : end + 1] == "," and len(before.split()) > 1
    return (span[0] + len(before) - 1, end + 1) if inside else cut


def _without(text: str, span: tuple[int, int], cuts: Sequence[tuple[int, int]]) -> str:
    pieces: list[str] = []
    at = span[0]
    for start, end in sorted({_with_commas(text, span, cut) for cut in cuts}):
        if start >= at:
            pieces += [text[at : min(start, span[1])], " "]
        at = max(at, end)
    pieces.append(text[at : span[1]] if at < span[1] else "")
    return "".join(pieces)


_LEADING = re.compile(
    r"\A[\s,;:(]*(?:(?:under|pursuant to|according to|in accordance with|as provided (?:in|by)|see|gemäß|selon|"
    r"aux termes de|en vertu de|d['’]après)\b[\s,;:()]*)?"
    r"(?:(?:of )?(?:the )?(?:d\.?c\.? )?(?:code|act|statute|law)?[\s,;:()]*)??"
    r"(?:(?:l['’]\s*)?(?:provides|states|says|dispose|prévoit|énonce|bestimmt)\b"
    r"(?:[\s,]*(?:that|que|dass))?[\s,;:]*)?",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"[(\[]\s*(?:see|cf\.?|vgl\.?|siehe|voir|and|,|;|\s)*[)\]]", re.IGNORECASE)
# Tried once for each run of separators, and not from each of its characters.
_TRAILING = re.compile(
    r"(?<![\s,;:])[\s,;:]*+(?:(?:see|cf\.?|under|pursuant to|vgl\.?|siehe|voir)[\s,;:]*+)?([.!?]?)\s*\Z", re.IGNORECASE
)


def _claim_text(text: str) -> str:
    """A sentence without its references, and without the words that only introduce them."""
    text = without_edits(text).replace("\x00", " ")  # no question to the store can carry it
    plain = " ".join(_EMPTY.sub(" ", text).split())
    plain = _LEADING.sub("", plain, count=1)
    plain = _TRAILING.sub(r"\1", plain, count=1)
    plain = re.sub(r"\s+([,;.!?])", r"\1", plain).strip()
    return plain[:1].upper() + plain[1:]


def references_of_sentence(sentences: Sequence[Sentence], index: int) -> tuple[int, ...]:
    """The mentions that a sentence rests on: its own, or those of a citation that follows as a sentence of its own."""
    one = sentences[index]
    if one.mentions:
        return one.mentions
    following = sentences[index + 1] if index + 1 < len(sentences) else None
    if following is not None and following.is_source and following.paragraph == one.paragraph:
        return following.mentions
    return ()


def references_of_quotation(
    sentences: Sequence[Sentence], index: int, quotation: Quotation, mentions: Sequence[Mention]
) -> tuple[int, ...]:
    """The mentions that a quotation may be taken from, nearest first.

    Those of its own sentence; else of the citation that follows it; else of the sentence before it, where that is in
    the same paragraph or introduces a block. Mentions inside the quotation are its own words.
    """

    found = _near(references_of_sentence(sentences, index), quotation, mentions)
    for near in (index + 1, index - 1):
        if found or not 0 <= near < len(sentences):
            continue
        other = sentences[near]
        same = other.paragraph == sentences[index].paragraph or (quotation.block and abs(near - index) == 1)
        if same and (near < index or other.is_source):
            found = _near(other.mentions, quotation, mentions)
            found = found[-1:] if near < index else found
    return tuple(sorted(found, key=lambda one: _distance(mentions[one], quotation)))


def _near(numbers: Sequence[int], quotation: Quotation, mentions: Sequence[Mention]) -> list[int]:
    """The mentions next to a quotation and outside of it, a few on each side: a sentence may be a whole brief."""
    middle = bisect_left(numbers, quotation.start, key=lambda one: mentions[one].whole_start)
    after = bisect_left(numbers, quotation.inner_end, key=lambda one: mentions[one].whole_start)
    return [*numbers[max(0, middle - _BESIDE) : middle], *numbers[after : after + _BESIDE]]


def _distance(mention: Mention, quotation: Quotation) -> int:
    if mention.whole_start >= quotation.end:
        return mention.whole_start - quotation.end
    return max(0, quotation.start - mention.whole_end)
