"""Paragraphs and headings of text without mark-up, by what the lines look like.

Only a line that stands alone can be a heading, and it never parts from what follows it. Whatever is taken for a heading
stays in the text, so a wrong guess costs a cut between chunks and no words.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise

from rag.ingest.formats.plain.blocks import Block, Cleaner

_MOST = 100  # characters of a heading line
# Words that count what provisions stand in, and never provisions where something is counted below them.
_TOPS = ("part", "title", "book", "division", "teil", "buch", "hauptstück", "partie", "titre", "livre")
_MIDDLES = (
    "subtitle", "subpart", "subdivision", "chapter", "subchapter", "titel", "untertitel", "kapitel", "unterkapitel",
    "chapitre", "abschnitt", "unterabschnitt",
)  # fmt: skip
CONTAINERS = frozenset((*_TOPS, *_MIDDLES))
_UNIT = re.compile(
    rf"(?:(?P<top>{'|'.join(_TOPS)})|(?P<middle>{'|'.join(_MIDDLES)})"
    r"|article|artikel|section|schedule|annex|appendix|anlage|anhang|annexe|exhibit|clause)"
    r"\s+(?:\d[\w.]*|[ivxlcdm]+|[a-z])\b(?P<rest>.*)",
    re.IGNORECASE,
)
_SIGN = re.compile(r"(?:§+\s?\d[\w.]*|第[0-9０-９〇一二三四五六七八九十百千]+(?P<kanji>[編章節款条]))(?P<rest>.*)")
_NUMBERED = re.compile(r"(?P<number>\d{1,3}[A-Z]?(?:\.\d{1,3}){0,4})\.?\s+(?=[^\W\d_a-zß-ÿ])(?P<rest>.*)")
_ENDED = re.compile(r"[.!?。！？;:,；：，][\"'”’»)\]]*\Z")
_OPEN = re.compile(r"[:;,：；，–—-]\s*\Z")
_SMALL_ITEM = re.compile(r"(?:[(（]?[a-z\d]{1,4}[)）]|[a-z\d]{1,3}\.|[•–-])\s+[a-zß-ÿ]")
_MOST_LETTERS = 8
_MOST_BEFORE = 40  # numbered lines before a table of contents
_LEAST_CONTENTS = 3  # numbered lines of a table of contents
_MOST_NAME = 3  # words of what it is called
_WORDS = re.compile(r"\w+")
_LEADING = re.compile(r"(?:[^\W\d_]+\.?\s|§\s?)?(\d+(?:[.-]\d+)*[A-Za-z]?)(?!\w)")  # the number that a line begins with
_PROVISIONS_TOLD = re.compile(r"\s?[（(]第[^（）()]{1,20}条(?:の\w{1,3})?[)）]\s*\Z")  # "第１章 総則（第１条―第４条）"
_SPACED = re.compile(r"附\s則")
_COUNTS = re.compile(
    r"\W*(?:[^\W\d_]+\.?\s+)?(?:[A-Z]{0,3}[.\s]?\d|[A-Z](?=[.:)])|[IVXLC]+\b)|第"
)  # how a line with a number begins
_MOST_WORDS = 6  # of a caption in capitals
_KANJI = {"編": 1, "章": 2, "節": 3, "款": 4, "条": 5}


def heading_level(line: str) -> int:
    """The rank that a line would have as a heading, from 1; 0 where it does not look like one."""
    if not line or len(line) > _MOST or _ENDED.search(line):
        return 0
    if match := _UNIT.fullmatch(line):
        # "Section 5 applies" is the beginning of a sentence: what follows a number in a heading has a capital.
        if re.match(r"\s+[a-zß-ÿ]", match["rest"]):
            return 0
        return 1 if match["top"] else 2 if match["middle"] else 3
    if match := _SIGN.fullmatch(line):
        return _KANJI[match["kanji"]] if match["kanji"] else 3
    if match := _NUMBERED.fullmatch(line):
        return 3 + match["number"].count(".")
    letters = [char for char in line if char.isalpha()]
    return 1 if len(letters) >= 4 and line.isupper() else 0


def is_title(caption: str) -> bool:
    """Whether words are a caption by their capitals: no more than six, each long one with a capital."""
    return len(caption.split()) <= _MOST_WORDS and in_capitals(caption)


def in_capitals(text: str) -> bool:
    """Whether each long word has a capital."""
    return all(word[0].isupper() or len(word) <= 3 for word in text.split())


def without_contents(blocks: Sequence[Block]) -> tuple[list[Block], int]:
    """The blocks without a table of contents before the law, and how many lines that are.

    It is a run of lines most of which have a number, where nothing numbered is before it, and all of which are lines
    of the law below it again, between which something stands: two forms with the same fields are none. A page number
    may be behind each.
    """
    lines = [(at, line) for at, block in enumerate(blocks) for line in block.text.split("\n")]
    keys = [_WORDS.findall(_SPACED.sub("附則", line.casefold())) for _, line in lines]
    places: dict[str, list[int]] = {}  # the lines by their words, and with those of the next one: "PART I", "LETTING"
    for place, (key, below) in enumerate(zip(keys, [*keys[1:], list[str]()], strict=False)):
        unnamed = key[1:] if len(key) > 2 and key[0].isalpha() and key[1].isdigit() else key  # "Sec. 1187.1 Fees"
        for words in {tuple(key), tuple(key + below), tuple(unnamed)}:
            places.setdefault(" ".join(words), []).append(place)

    above: dict[tuple[str, str], list[int]] = {}  # the lines by their words and the first of the next line
    for place, (key, below) in enumerate(pairwise(keys)):
        above.setdefault((" ".join(key), " ".join(below[:1])), []).append(place)
    begins: dict[str, list[int]] = {}
    for place, (_, line) in enumerate(lines):
        if number := _LEADING.match(line):
            begins.setdefault(number[1], []).append(place)

    def again(place: int) -> int | None:
        """The place of the line that one repeats below it."""
        key = keys[place]
        paged = [key[:-1]] if len(key) > 2 and key[-1].isdigit() else []
        if told := _PROVISIONS_TOLD.search(lines[place][1]):
            paged.append(_WORDS.findall(lines[place][1][: told.start()].casefold()))
        for words in (*paged, key) if key else ():
            alike = places.get(" ".join(words), [])
            if (at := bisect_right(alike, place + 1)) < len(alike):
                return alike[at]
        # "1. Interpretation", which stands above "1. In this Order" without its number.
        for words in (words for words in (*paged, key) if len(words) > 1):
            captions = above.get((" ".join(words[1:]), words[0]), [])
            if (at := bisect_right(captions, place + 1)) < len(captions):
                return captions[at]
        return None

    def numbered_again(place: int) -> int | None:
        """The place of the next line below one that begins with its number: a repealed section has no caption."""
        number = _LEADING.match(lines[place][1])
        alike = begins.get(number[1], []) if number else []
        at = bisect_right(alike, place + 1)
        return alike[at] if at < len(alike) else None

    def is_word(place: int) -> bool:
        """Whether a line is what stands above a column of numbers: "Sec.", "Page"."""
        return len(lines[place][1]) <= _MOST_LETTERS

    numbered = [place for place, (_, line) in enumerate(lines) if _COUNTS.match(line)]
    for first in numbered[:_MOST_BEFORE]:
        start = end = first
        while start and (again(start - 1) is not None or (start > 1 and is_word(start - 1) and again(start - 2))):
            start -= 1
        targets: list[int] = []
        nearest = len(lines)
        for end in range(start, len(lines) + 1):
            target = again(end) if end < nearest else None
            if target is None and targets and end < nearest:
                target = numbered_again(end)
            if target is None and is_word(end) and end + 1 < nearest and again(end + 1) is not None:
                continue
            if target is None:
                break
            nearest = min(nearest, target)
            targets.append(target)
        counted = bisect_left(numbered, end) - bisect_left(numbered, start)
        apart = sum(later - earlier > 1 for earlier, later in pairwise(sorted(targets)))
        if counted >= _LEAST_CONTENTS and 2 * counted >= end - start and 2 * apart >= counted:
            named = start > 1 and len(keys[start - 1]) <= _MOST_NAME and not _ENDED.search(lines[start - 1][1])
            start -= named  # what the table is called
            gone: dict[int, list[bool]] = {}
            for place, (at, _) in enumerate(lines):
                gone.setdefault(at, []).append(start <= place < end)
            kept = [_without(block, gone[at]) if any(gone.get(at, ())) else block for at, block in enumerate(blocks)]
            return [block for block in kept if block.text], end - start
    return list(blocks), 0


def _without(block: Block, gone: Sequence[bool]) -> Block:
    """A block without some of its lines; its pages begin where they began."""
    at, text, starts = 0, "", list[tuple[int, int]]()  # of each line: its place, and that of what is kept of it
    for line, left_out in zip(block.text.split("\n"), gone, strict=True):
        starts.append((at, len(text)))
        text += "" if left_out else f"{line}\n"
        at += len(line) + 1
    text = text.removesuffix("\n")
    pages = [
        (min(new + offset - old, len(text)), page)
        for offset, page in block.pages
        for old, new in starts[bisect_right(starts, (offset, at)) - 1 :][:1]
    ]
    return replace(block, text=text, pages=tuple(pages))


def mark_headings(blocks: Sequence[Block]) -> list[Block]:
    """Give paragraphs of one line that look like headings their rank.

    Not where the text before is open, nor where the next paragraph looks like a heading of the same or a higher rank:
    such lines are items of a list or of a table of contents. A sentence that goes on in its items, "2.1 A guest may,
    except", is no heading either.
    """
    levels = [0 if "\n" in block.text or block.rows else heading_level(block.text) for block in blocks]
    marked: list[Block] = []
    for index, one in enumerate(blocks):
        following = levels[index + 1] if index + 1 < len(blocks) else 1
        after_open = index > 0 and not marked[-1].level and _OPEN.search(blocks[index - 1].text) is not None
        below = blocks[index + 1].text if index + 1 < len(blocks) else ""
        goes_on = _SMALL_ITEM.match(below) is not None and not is_title(one.text.lstrip("0123456789. "))
        level = levels[index] if not (after_open or goes_on) and (not following or following > levels[index]) else 0
        marked.append(replace(one, level=level) if level else one)
    return marked


# --- printed pages ----------------------------------------------------------------------------------------------------

Line = tuple[str, int]  # words, page from 1

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
    full = len(before) >= _FULL * width and not _ENDED.search(before)
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
    return len(before) < _FULL * width or _ENDED.search(before) is not None


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
