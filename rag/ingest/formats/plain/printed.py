"""Text as pages print it: running heads and page numbers, words parted at line ends, paragraphs that lines make."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from itertools import pairwise

from rag.ingest.formats.plain.blocks import Block, Cleaner
from rag.ingest.formats.plain.lines import ENDED, heading_level

# --- printed pages ----------------------------------------------------------------------------------------------------

Line = tuple[str, int]  # words, page from 1

_MOST = 100  # characters of the end of a line in which a parted word is looked for
_EDGE = 2  # lines at the top and at the bottom of a page that may run through a document, again when those are gone
_DEEPEST = 3  # times
_FEWEST_PAGES = 2
_FEWEST_LINES = 10  # printed lines between the marks of two pages
_DIGITS = re.compile(r"\d+")
_LETTERS = re.compile(r"[^\W\d_]")
_LEAST_LETTERS = 8  # of a running line that has other numbers on each page
_LONGEST_RUNNING = 160
# "§ 3", "(1)", "Article 3", "2.1", "4. Fees": what has one number, and it first or behind a word, may be a provision.
_OF_PROVISION = re.compile(
    r"§.*|(?:[^\W\d_]+\.?\s|第)?[(（\[]?#(?:[.\u2013-]#)*[a-zA-Z]?"
    r"(?:[.:)）\]]{1,2}(?:\s.*)?|(?:条|章|節|編|款)?(?:\s[^#]*)?)"
)
_BEFORE_WORDS = re.compile(r"#\s[^\W\d_]{3,}\s[^#]{5,}")  # "212 Harbour Rules"
_UNMARKED = re.compile(r"(?:[^\W\d_]+\.?\s)?#")  # "7", "Page 7"
_SHARE_PARTING = 1 / 3  # of the marks that part a sentence, where nothing else shows that they count pages
_DECORATED = re.compile(r"(?:\[\[?|[<{*~=\u2013\u2014-]+\s?)(?:[^\W\d_]+\.?\s)?#(?:\s?\]\]?|\s?[>}*~=\u2013\u2014-]+)")
_PARTED = re.compile(r"(?P<head>[^\W\d_]{2,})[-\u2010\u00ad]\Z")
_GOES_ON = re.compile(r"[^\W\d_]+")
_WHOLE = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_SUSPENDED = frozenset(("and", "or", "to", "und", "oder", "bis", "bzw", "sowie", "et", "ou"))  # "Gewerbe- und"
_CLOSED = re.compile(r"[.!?。！？;:；：][\"'”’»)\]]*\Z")
_ITEM = re.compile(
    r"(?:[(\[][0-9a-zA-Z]{1,4}[)\]]|\d{1,3}(?:\.\d{1,3})*[.)]?\s|[a-zA-Z][.)]\s|[ivx]{1,5}[.)]\s|[•▪◦‣–—-]\s|§|第\d*[条項])"
)
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff60、。]")
_STARTS_COUNTED = re.compile(
    r"\d{1,3}(?:\.|(?:\.\d{1,3})+\.?)\s+[^\W\d_a-zß-ÿ]"
)  # the number of a provision: "1. Permits"
_FULL = 0.8  # share of the usual width below which a line that ends a sentence ends a paragraph
_COUNTED_BY = re.compile(
    r"""(?P<before>§{1,2}\s?|[(（\[])? (?P<chapter>(?:\d{1,4}[.-])*) (?:(?P<number>\d{1,4})(?P<inserted>[a-zA-Z])?
        |(?P<letter>[a-zA-Z])) (?P<behind>[.)）\]]{0,2}|[°º])(?=\s|\Z)""",
    re.VERBOSE,
)


def drop_running_lines(lines: Sequence[Line], cleaner: Cleaner) -> list[Line]:
    """Leave out `running_lines` and count them."""
    running = running_lines(lines)
    cleaner.counts["running"] += len(running)
    return [line for index, line in enumerate(lines) if index not in running]


def running_lines(lines: Sequence[Line]) -> set[int]:
    """The places of headers, footers and page numbers.

    Such a line is at the same edge of more than half of the pages (or of the left or the right ones), the same but for
    a number that counts pages, or but for all its numbers if it has enough words.
    """
    pages: dict[int, list[int]] = defaultdict(list)
    for index, (words, page) in enumerate(lines):
        if words:
            pages[page].append(index)
    sides = Counter(page % 2 for page in pages)
    everywhere = Counter(words for words, _ in lines)
    running: set[int] = set()
    # Of each edge of each page, the lines from it on; where all lines of a round are gone, those behind them as well.
    edges = [("top", page, indices) for page, indices in pages.items()]
    edges += [("bottom", page, indices[::-1]) for page, indices in pages.items()]
    for _ in range(_DEEPEST):
        alike: dict[tuple[str, int, str], dict[int, int]] = defaultdict(dict)
        for where, page, indices in edges:
            for position, index in enumerate(indices[:_EDGE]):
                for key in _running_keys(lines[index][0], page):
                    alike[where, position, key][page] = index
        running.update(
            index
            for (_, _, key), found in alike.items()
            if _on_most(found, sides)
            and 2 * len(found) > everywhere[key]  # else the text repeats it
            and (len(found) > _FEWEST_PAGES or not _of_sentence(key))
            for index in found.values()
        )
        edges = [
            (where, page, indices[_EDGE:])
            for where, page, indices in edges
            if running.issuperset(indices[:_EDGE]) and len(indices) > _EDGE
        ]
    return running


def _of_sentence(words: str) -> bool:
    return words[:1].islower() or _CLOSED.search(words) is not None


def _on_most(alike: Collection[int], sides: Counter[int]) -> bool:
    if len(alike) >= max(_FEWEST_PAGES, sides.total() // 2 + 1):
        return True
    own = {page % 2 for page in alike}
    return len(own) == 1 and len(alike) > max(_FEWEST_PAGES, sides[own.pop()] // 2)


def _running_keys(words: str, page: int) -> set[str]:
    """What a line has in common with its likes on other pages: its words, or those around the page's number."""
    if len(words) > _LONGEST_RUNNING:
        return set()
    keys = {words}
    skeleton = _DIGITS.sub("#", words)
    # A heading such as "Article 3" may well be alone on the third page.
    counted = heading_level(words) and _OF_PROVISION.fullmatch(skeleton)
    if not counted or words.replace(" ", "").isdecimal() or _BEFORE_WORDS.fullmatch(skeleton):
        for match in _DIGITS.finditer(words):
            if len(match[0]) < 6:
                keys.add(f"{words[: match.start()]}#{int(match[0]) - page}#{words[match.end() :]}")
        if not _OF_PROVISION.fullmatch(skeleton) and len(_LETTERS.findall(words)) >= _LEAST_LETTERS:
            keys.add(skeleton)
    return keys


def page_marks(lines: Sequence[Line]) -> set[int]:
    """The places of what pages left in a text that has no form feeds: "[[Page 513]]", "Page 1 of 2".

    Such lines are the same but for a number that counts up, stand far apart, and show that they count pages: they are
    in brackets or dashes, or count up to a number that they tell, or part sentences, or the line beside them is the
    same again and again. Such lines beside them are marks too.
    """
    places = [index for index, (words, _) in enumerate(lines) if words]
    skeletons = [
        _DIGITS.sub("#", lines[index][0]) if len(lines[index][0]) <= _LONGEST_RUNNING else "" for index in places
    ]
    alike: dict[str, list[int]] = defaultdict(list)
    for at, skeleton in enumerate(skeletons):
        if "#" in skeleton:
            alike[skeleton].append(at)
    width = usual_width(lines)
    marks: set[int] = set()
    for skeleton, found in alike.items():
        if len(found) < _FEWEST_PAGES or skeleton.count("#") > _LEAST_LETTERS:
            continue
        apart = [later - earlier for earlier, later in pairwise(found)]
        numbers = list(zip(*(map(int, _DIGITS.findall(lines[places[at]][0])) for at in found), strict=True))
        rising = [one for one in numbers if {b - a for a, b in pairwise(one)} in ({1}, {2})]
        far = sum(one >= _FEWEST_LINES for one in apart[:-1]) >= len(apart) - 1
        if not rising or not far:
            continue
        beside = _beside(skeletons, found)
        provision = _OF_PROVISION.fullmatch(skeleton) is not None
        totals = any(set(one) == {len(found)} for one in numbers) and any(one[0] == 1 for one in rising)
        shown = totals or (not provision and bool(beside or _DECORATED.fullmatch(skeleton)))
        if not shown and (not provision or _UNMARKED.fullmatch(skeleton)):
            heads = {words for _, words in beside}
            parting = 0
            for at in found:
                above = next(
                    (one for one in (at - 1, at - 2, at - 3) if one >= 0 and skeletons[one] not in heads), None
                )
                below = next(
                    (one for one in range(at + 1, at + 4) if one < len(places) and skeletons[one] not in heads), 0
                )
                if above is not None and below:
                    parting += _parts_sentence(lines[places[above]][0], lines[places[below]][0], width)
            shown = _SHARE_PARTING * len(found) <= parting
        if shown:
            marks.update(found)
            for step, words in beside:
                marks.update(
                    at + step for at in found if 0 <= at + step < len(places) and skeletons[at + step] == words
                )
    return {places[at] for at in marks}


def _beside(skeletons: Sequence[str], found: Sequence[int]) -> list[tuple[int, str]]:
    """The lines that are next to most of some lines: where, from them, and what they are but for their numbers.

    The first page has no mark before it, and may have the same head.
    """
    beside = Counter(
        (step, skeletons[at + step])
        for at in (-1, *found)
        for step in (-2, -1, 1, 2)
        if 0 <= at + step < len(skeletons)
    )
    return [
        (step, words)
        for (step, words), count in beside.items()
        if count >= _FEWEST_PAGES and 2 * count >= len(found) and len(_LETTERS.findall(words)) >= _LEAST_LETTERS
        and not _OF_PROVISION.fullmatch(words)
    ]  # fmt: skip


def _parts_sentence(before: str, behind: str, width: int) -> bool:
    """Whether a sentence goes on from one line to another."""
    full = len(before) >= _FULL * width and not ENDED.search(before)
    return full and behind[:1].islower() and not _ITEM.match(behind)


def usual_width(lines: Sequence[Line]) -> int:
    """The length that one line in ten is longer than; 0 without lines."""
    widths = sorted(len(words) for words, _ in lines if words)
    return widths[len(widths) * 9 // 10] if widths else 0


def whole_words(lines: Sequence[Line]) -> Counter[str]:
    """How often each word of the lines is written in one line."""
    return Counter(word.lower() for words, _ in lines for word in _WHOLE.findall(words))


def join_lines(lines: Sequence[Line], cleaner: Cleaner) -> list[Block]:
    """Paragraphs from lines, each with the pages it lies on; words parted at line ends are joined and counted.

    A number that is a line of its own, as those beside paragraphs are read from pages, begins the paragraph below it.
    """
    counted, lines = _with_numbers(lines)
    whole, width = whole_words(lines), usual_width(lines)
    blocks: list[Block] = []
    text, pages, before = list[str](), list[tuple[int, int]](), ""  # text: of the paragraph, by lines
    length, gap = 0, False
    for index, (words, page) in enumerate(lines):
        if not words:
            gap = True
            continue
        begins = index in counted and (counted[index] or _ends(before, width))
        if text and (begins or _begins_paragraph(before, words, width) or (gap and not words[0].islower())):
            blocks.append(Block("".join(text), pages=tuple(pages)))
            text, pages, length = [], [], 0
        if text:
            length -= len(text[-1])
            text[-1] = _joined(text[-1], words, whole, cleaner)
            length += len(text[-1])
        if not pages or pages[-1][1] != page:
            pages.append((length, page))
        text.append(words)
        length += len(words)
        before, gap = words, False
    if text:
        blocks.append(Block("".join(text), pages=tuple(pages)))
    return blocks


def _with_numbers(lines: Sequence[Line]) -> tuple[dict[int, bool], list[Line]]:
    """Which lines begin with a number that others follow (and whether it was alone), and the lines, joined to it.

    A number counts where the next one of its form is there as well, or where it has a mark and is the first: the sums
    in a column of a table count nothing.
    """
    last: dict[tuple[str, str, str, str], tuple[int, int]] = {}  # by form: its number, its line
    chapters: dict[str, int] = {}  # the lines of numbers that are alone
    follows: set[int] = set()
    alone: set[int] = set()
    for index, (words, _) in enumerate(lines):
        if not (match := _COUNTED_BY.match(words)):
            continue
        before, behind = (match["before"] or "").strip(), match["behind"]
        letter = match["letter"] or ""
        if letter and not (before or behind):
            continue
        value = ord(letter.casefold()) - ord("a") + 1 if letter else int(match["number"])
        form = (before, match["chapter"], behind, "letter" if letter else "number")
        above = chapters.get(match["chapter"])
        if match.end() == len(words):
            alone.add(index)
            chapters[f"{words.rstrip('.')}."] = index
            form = (*form[:3], f"{form[3]} alone")
        earlier = last.get(form)
        if earlier and (value == earlier[0] + 1 or (value == earlier[0] and match["inserted"])):
            follows.update((index, earlier[1]))
        elif value == 1 and above is not None:
            follows.update((index, above))
        elif value == 1 and (before or behind or match["chapter"].count(".") > 1):
            follows.add(index)
        elif earlier and value != 1:
            continue
        last[form] = value, index
    alone &= follows
    joined: list[Line] = []
    counted: dict[int, bool] = {}
    number: Line | None = None
    for index, (words, page) in enumerate(lines):
        if number and words and index not in alone:
            counted[len(joined)] = True
            joined.append((f"{number[0]} {words}", number[1]))
            number = None
            continue
        if index in alone:
            if number:
                counted[len(joined)] = True
                joined.append(number)
            number = words, page
            continue
        if number and not words:  # what is between a number and its paragraph is no gap
            continue
        if index in follows:
            counted[len(joined)] = False
        joined.append((words, page))
    if number:
        joined.append(number)
    return counted, joined


def _ends(before: str, width: int) -> bool:
    return len(before) < _FULL * width or ENDED.search(before) is not None


def _begins_paragraph(before: str, words: str, width: int) -> bool:
    """Whether a paragraph ends between two lines."""
    closed = _CLOSED.search(before) is not None
    short = len(before) < _FULL * width
    if heading_level(before) and not words[:1].islower() and (short or before.isupper()):
        return True
    if closed and (_ITEM.match(words) or heading_level(words)):
        return True
    if short and _STARTS_COUNTED.match(words):
        return True
    if _ITEM.match(words) and re.search(r"[,;]\s*(?:and|or|et|ou|und|oder)?\s*\Z|\b(?:and|or)\Z", before):
        return True
    # The next word had room on the line: it was not the line's end that parted them.
    room = len(before) + 1 + len(words.partition(" ")[0]) < _FULL * width
    return (closed and short) or (room and words[0].isupper() and not _PARTED.search(before))


def _joined(before: str, words: str, whole: Counter[str], cleaner: Cleaner) -> str:
    """A line as it stands before the next one of its paragraph: with a space, or without its hyphen."""
    if (parts := unparted(before, words, whole)) is not None:
        cleaner.counts["hyphens"] += parts[1]
        return parts[0]
    if _UNSPACED.match(before[-1]) and _UNSPACED.match(words[0]):
        return before
    return f"{before} "


def unparted(text: str, words: str, whole: Counter[str]) -> tuple[str, bool] | None:
    """What the next line is to be put behind without a space, and whether a hyphen is gone from it; None of others.

    The document itself may write the word in one line elsewhere (`whole`); without a witness a hyphen parts a word.
    """
    parted, following = _PARTED.search(text[-_MOST:]), _GOES_ON.match(words)
    if not (parted and following and words[0].islower()):
        return None
    together, hyphened = f"{parted['head']}{following[0]}".lower(), f"{parted['head']}-{following[0]}".lower()
    if text[-1] == "-" and whole[hyphened] > whole[together]:
        return text, False
    if not whole[together] and following[0] in _SUSPENDED:
        return None
    return text[:-1], True
