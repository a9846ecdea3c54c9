"""Which numbers of a plain document count its provisions.

It is found in the document itself: the word before most of its numbers (article, section, clause, §, 条), numbers
within a chapter of a code (12.44.010), or else whole numbers in sequence. Other numbered words, whatever they are, are
parts that hold provisions; a word for containers (part, chapter, Teil, titre, 章) counts provisions only where nothing
is counted in them. Decimal numbers divide what has the number before their last part. Where none of these is there,
lines that begin alike but for a number that rises count provisions.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from string import ascii_uppercase

from rag.ingest.formats.designators import readings
from rag.ingest.formats.plain.blocks import Block
from rag.ingest.formats.plain.lines import CONTAINERS
from rag.ingest.formats.plain.signs import ANNEXES, BRACKETED, SIGN, SIGNS, Line, goes_on, is_caption, lines_of
from rag.languages.registry import names_a_kind
from retrieval.references.hits import folded_title
from retrieval.references.law_words import OUTSIDE, tells

_MOST_LINES = 50_000  # of a document
_LEAST_ALIKE, _MOST_TOLD = 3, 5
_BEFORE = 0.6  # of the provisions that have a caption above their numbers, where captions are there
_MOST_ABOVE = 80  # characters of such a caption
_MOST_TITLE = 4  # printed lines
_RISING = 0.7  # of the weight of a part that rising numbers have
_CAPTIONED = 0.8  # of the provisions whose captions end in a full stop, where captions do
_ATOM = re.compile(r"(\d*)([^\W\d_]*)")
# "(1) Purpose", "I - Purpose", "A-1 Purpose", "Rule No. 1": what is before a number, the number, what is behind it.
_ALIKE = re.compile(
    r"(?P<before>[(\[（]?(?:[^\W\d_]{3,12}\s)?(?:No\.?\s?|Nr\.?\s?|[Nn]°\s?)?(?P<letters>[A-Z]{1,3}[.-]|\d{1,3}[.-])?)"
    r"(?P<number>\d{1,3}|[IVXLC]{1,7}|[A-Z]|[a-z])(?P<behind>[)\]）.:]{0,2}(?:\s?[–—-](?=\s))?)"
    r"(?:\s+(?P<rest>[^\Wa-zß-ÿ].*|[(\[“\"].*)|(?P<none>)\Z|(?=\(\d)(?P<parts>.*))",
    re.DOTALL,
)
# A word and a number of any form that `SIGN` does not know: "Kanon 4/2".
_LOOKS_NUMBERED = re.compile(
    r"(?P<word>[^\W\d_]{1,12}\.?)\s+(?P<number>(?:[^\W\d_]{1,3}[.\s]{0,2})?\d[^\s:]*|[IVXLC]+\b)"
)
_PROVISIONS = frozenset(("section", "article", "artikel"))
# The same word counts provisions elsewhere.
_CONTAINERS_OF = {
    "fr": frozenset(("section", "sous-section", "paragraphe")),
    "ja": frozenset(("section", "subsection")),
}
AMENDED = re.compile(r"(?:明治|大正|昭和|平成|令和|[明大昭平令])[0-9０-９元]")  # "（令６条例１８・一部改正）"


Ordered = tuple[tuple[int, str], ...]  # a number as it is ordered: figures and letters


@dataclass(frozen=True, slots=True)
class Counted:
    """The lines of a document and which of them are counted: the places of provisions, and of those that divide others.

    `word` is what counts provisions, empty for bare numbers; `front` the place of the title, -1 without one.
    """

    lines: Sequence[Line]
    tops: Sequence[int]
    decimals: dict[int, str]  # place -> the number of what it divides
    word: str
    front: int
    title: str


def count(blocks: Sequence[Block], language: str, *, heading: str, alike: bool = False) -> Counted | None:
    """What the numbers of a document count; None where they tell no structure.

    Args:
        blocks: in reading order, none empty.
        language: ISO 639-1.
        heading: the title, if it is known; where it is printed it may go on below. If it is empty it is looked for.
        alike: whether any lines that begin alike but for a rising number count provisions, where nothing else does.
    """
    lines = list(_with_captions([line for block in blocks for line in lines_of(block, language)], language))
    if len(lines) > _MOST_LINES:
        return None
    _forget_lone_words(lines, language)
    front, title = _title_of(lines, language, heading) or (-1, "")
    containers = _containers_of(lines, language)
    word = _counting_word(lines, containers)
    tops = _tops_of(lines, word, containers)
    if (len(tops) < 2 or word in {lines[place].word for place in containers}) and _count_unmarked(lines, len(tops)):
        word = _counting_word(lines, containers)
        tops = _tops_of(lines, word, containers)
    tops = _rising(lines, tops, containers)
    if alike:
        word, tops = _alone(lines) or ("", _count_alike(lines))
    if len(tops) < 2 and not (alike and tops):
        return None
    tops = _and_inserted(lines, tops)
    _count_in_annexes(lines, tops)
    _caption_ended(lines, tops)
    lines, tops = _captioned_before(lines, tops, front)
    decimals = _divided(lines, tops, coded=_are_coded(lines, tops))
    return Counted(lines, tops, decimals, word, front, title)


def numbers_unread(blocks: Sequence[Block], language: str, *, chunked: bool) -> list[str]:
    """What a reader is told of lines that look like numbered provisions and are none, and what to write instead.

    Args:
        blocks: of the document, as `read_numbered` takes them.
        language: ISO 639-1.
        chunked: whether no structure was found, so that any word may count, and numbers that are there more than
            once are told as well.
    """
    lines = [line for block in blocks for line in lines_of(block, language) if not block.rows]
    remarks: list[str] = []
    unread: dict[str, set[str]] = {}
    for line in lines:
        if not line.number and is_caption(line.text.rstrip(" .:")) and (match := _LOOKS_NUMBERED.match(line.text)):
            unread.setdefault(match["word"], set()).add(match["number"])
    counting = {line.word for line in lines if line.number}
    for word, numbers in unread.items():
        known = word.casefold().rstrip(".") in counting or SIGNS.get(word.casefold()) in counting
        if len(numbers) >= _LEAST_ALIKE and (chunked or known):  # "Table 1" is none of a law whose sections are read
            remarks.append(
                f"{len(numbers)} lines begin with {word!r} and a number and were not read as provisions; write each as "
                "'Section 5', 'Article 5', '§ 5' or '5.' on a line of its own"
            )
    parts = CONTAINERS | _CONTAINERS_OF.get(language, frozenset())
    headed = Counter(
        (line.word, line.number)
        for line in lines
        if line.number and line.heading and (line.word or line.mark == ".") and line.word not in parts
    )
    again = [number for (_, number), count in headed.items() if count > 1] if chunked else []
    if again:
        remarks.append(
            f"headings with the same number ({', '.join(again[:_MOST_TOLD])}) are there more than once, so that the "
            "document was read as passages without numbers; give each provision a number of its own, or put those that "
            "begin again under headings such as 'Part 1'"
        )
    return remarks


def _with_captions(lines: Sequence[Line], language: str) -> Iterator[Line]:
    """The lines without those that are another's caption: in brackets before it, or on the line after its number.

    In Japanese what follows the number on its line is text, elsewhere a caption of its own.
    """
    taken = False
    for line, following in zip(lines, (*lines[1:], None), strict=True):
        if taken or following is None:
            if not taken:
                yield line
            taken = False
        elif (
            (following.word or (language == "ja" and following.mark == "."))
            and not line.number
            and (language == "ja" or not following.rest)
            and (match := BRACKETED.fullmatch(line.text))
            and not AMENDED.match(match[1])
        ):
            following.caption = match[1]
        else:
            below = following.text.rstrip(".") if following.text.isupper() else following.text
            captioned = line.word and not (line.rest or line.caption or following.number)
            if captioned and line.word != "supplementary" and is_caption(below):
                line.caption, taken = below, True
            yield line


def _forget_lone_words(lines: Sequence[Line], language: str) -> None:
    """Take the number from lines with a word that counts nothing else and is none for parts: "Vom 12. Mai 2031"."""
    known = CONTAINERS | _CONTAINERS_OF.get(language, frozenset()) | ANNEXES | _PROVISIONS
    counts = Counter(line.word for line in lines)
    for line in lines:
        if counts[line.word] == 1 and line.word not in known:
            line.word = line.number = line.rest = ""


def _title_of(lines: Sequence[Line], language: str, heading: str) -> tuple[int, str] | None:
    """The first line before any number that says what the document is, and its place: "Satzung über die Halle".

    It may go on on the lines below: "Satzung", "über die Benutzung der Halle".
    """
    for place, line in enumerate(lines):
        if line.number:
            return None
        begins = line.text[:1].isupper() or language == "ja"
        says = begins and is_caption(line.text) and names_a_kind(line.text, language)
        if not says or heading not in ("", line.text):
            continue
        title, last = line.text.lstrip("○◯● "), place
        for below in lines[place + 1 : place + _MOST_TITLE]:
            goes_on_below = _hangs(title) or below.text[:1].islower()
            if below.number or not goes_on_below or not is_caption(below.text.rstrip(".")):
                break
            title, last = f"{title} {below.text}", last + 1
        if tells(title):
            return last, title
    return None


def _hangs(text: str) -> bool:
    """Whether a printed line of a title ends within it: "Byelaws for Pleasure Grounds, Walks and"."""
    return text[-1:] in ",–—-" or folded_title(text).rpartition(" ")[2] in OUTSIDE


def _containers_of(lines: Sequence[Line], language: str) -> list[int]:
    """The places of lines that are counted by a word for containers, before the first annex."""
    words = CONTAINERS | _CONTAINERS_OF.get(language, frozenset())
    found: list[int] = []
    for place, line in enumerate(lines):
        if found and line.word in ANNEXES and line.opens:
            break
        if line.word in words and is_head(line):
            found.append(place)
    return found


def is_head(line: Line) -> bool:
    """Whether a line with a counted word can stand above provisions: a heading or a caption, no sentence."""
    alone = line.opens or not line.rest or line.captioned or line.word in CONTAINERS
    return bool(line.heading) or (alone and ((line.captioned and not line.rest) or is_caption(line.text)))


def _hold(lines: Sequence[Line], containers: Sequence[int], places: Sequence[int]) -> bool:
    """Whether most containers with something counted in them have one of the places."""
    ends = [*containers[1:], len(lines)]
    counted = [
        any(start < place < end for place in places)
        for start, end in zip(containers, ends, strict=True)
        if any(line.number for line in lines[start + 1 : end])
    ]
    return 2 * sum(counted) > len(counted)


def _counting_word(lines: Sequence[Line], containers: Sequence[int]) -> str:
    """The word before most numbers, empty for bare ones; of equals the last, for parts come first.

    A word for containers gives way to another, or to bare numbers, that count what most of them hold.
    """
    _forget_paragraph_signs(lines)
    coded = frozenset(_coded_tops(lines, containers))
    bare = (place in coded or (line.heading and line.mark == ".") for place, line in enumerate(lines))
    counts = Counter(line.word for line, is_bare in zip(lines, bare, strict=True) if line.word or is_bare)
    for word in ANNEXES:
        del counts[word]
    if not counts or max(counts.values()) < 2 or 2 * max(counts.values()) < _lettered(lines):
        return ""
    word = [word for word in counts if counts[word] == max(counts.values())][-1]
    names = {lines[place].word for place in containers}
    if word not in names:
        listed = _sequence(lines, range(len(lines)), ())
        captions = sum(is_caption(lines[place].rest) for place in listed)
        # "Clause 8A: inserted on 30 June" below "8A. Swarms".
        return "" if len(listed) > 2 * counts[word] and 2 * captions > len(listed) else word
    others = [other for other, count in counts.most_common() if other and other not in names and count > 1]
    return next(
        (other for other in (*others, "") if _hold(lines, containers, _tops_of(lines, other, containers))),
        word,
    )


def _forget_paragraph_signs(lines: Sequence[Line]) -> None:
    """Take "§ 2" for a part of an article where such numbers begin again within most articles that have any."""
    within: list[list[str]] = []
    signs: list[Line] = []
    for line in lines:
        if line.word in ("article", "art"):
            within.append([])
            if (match := SIGN.match(line.rest)) and (match["word"] or "").strip() == "§":
                within[-1].append(match["number"])
        elif line.word == "section" and line.text.startswith("§") and within:
            within[-1].append(line.number)
            signs.append(line)
    counted = [numbers for numbers in within if numbers]
    if len(counted) > 1 and 2 * sum(numbers[0] == "1" for numbers in counted) > len(counted):
        for line in signs:
            line.word, line.mark = "", "()"


def _tops_of(lines: Sequence[Line], word: str, containers: Sequence[int]) -> list[int]:
    """The places of the provisions of the document's own sequence."""
    if word:
        return [place for place, line in enumerate(lines) if line.word == word]
    if coded := _coded_tops(lines, containers):
        return coded
    headed = [place for place, line in enumerate(lines) if line.heading and line.mark == "."]
    places = _and_captioned(lines, headed) if len(headed) > 1 else range(len(lines))
    found = _sequence(lines, places, ())
    begins = next((int(lines[at].number) for at in places if lines[at].mark == "." and lines[at].number.isdigit()), 1)
    if len(found) < 2 and begins > 1:  # an excerpt
        excerpt = _sequence(lines, places, (), first=begins)
        found = excerpt if len(excerpt) >= _LEAST_ALIKE else found
    if containers and not _hold(lines, containers, found):
        # Items of a list begin again as well, but are no captions.
        again = _sequence(lines, places, containers)
        captions = sum(bool(lines[place].heading) or is_caption(lines[place].rest) for place in again)
        if 2 * captions > len(again) and _hold(lines, containers, again):
            return again
    if _lettered(lines) >= max(_LEAST_ALIKE, 2 * len(found)):
        return _decimal_tops(lines, lettered=True)
    return found or _decimal_tops(lines, lettered=False)


def _sequence(lines: Sequence[Line], places: Sequence[int], restarts: Sequence[int], *, first: int = 1) -> list[int]:
    """The places of bare whole numbers that follow one another, and of a first one right behind each restart."""
    found: list[int] = []
    before, fresh, waiting = first - 1, False, list(restarts)[::-1]
    for place in places:
        line = lines[place]
        while waiting and waiting[-1] < place:
            waiting.pop()
            fresh = True
        if line.mark == "." and found and re.fullmatch(rf"{before}(?:[A-Za-z]|\.\d{{1,2}})", line.number):
            found.append(place)  # "3A. Temporary registration"
        if line.mark != "." or not line.number.isdigit():
            continue
        number = int(line.number)
        # Among headings a number may be missing: a clause was struck out.
        if number == before + 1 or (line.heading and number > before) or (fresh and number == 1):
            found.append(place)
            before = number
        fresh = False
    return found


def _and_captioned(lines: Sequence[Line], headed: Sequence[int]) -> list[int]:
    """Numbered headings, and lines between them that begin a paragraph as one more: "3. Repairs" above its words.

    A line that follows the items of a list within a provision is one of them.
    """
    places, listed = set(headed), False
    for place, (line, following) in enumerate(pairwise(lines)):
        if place in places:
            listed = False
        elif line.mark == "." and not listed:
            captioned = line.opens and is_caption(line.rest) and not (following.opens or goes_on(line.rest, following))
            places |= {place} if captioned else set()
            listed = not captioned
    return sorted(places)


def _coded_tops(lines: Sequence[Line], containers: Sequence[int]) -> list[int]:
    """The places of provisions that are numbered within a chapter of a code: "12.44.010 Purpose.", "12.44.020".

    Their numbers rise, each begins a paragraph, and what is before the last part of a number counts no provision.
    """
    counted = {line.number for line in lines if line.mark == "."}
    chapters = {lines[place].number for place in containers}
    found: list[int] = []
    before: Ordered = ()
    depth = 0
    for place, line in enumerate(lines):
        if line.mark != "1.1" or not line.number[:1].isdigit():
            continue
        if not (line.heading or (line.opens and (line.rest[:1].isupper() or not line.rest))):
            continue
        first, *rest = _atoms(line.number)
        parts = ordered(line.number)
        chapter = line.number[: -len(rest[-1]) - 1]
        within = len(parts) > 2 or chapter in chapters
        if not within or {chapter, first} & counted or (found and len(parts) != depth):
            continue
        if parts > before:
            found.append(place)
            before, depth = parts, len(parts)
    return found if len(found) >= _LEAST_ALIKE else []


def _rising(lines: Sequence[Line], tops: Sequence[int], containers: Sequence[int]) -> Sequence[int]:
    """The tops without those of a number that is there before in the same part: a running head, a list of contents.

    Of each part the heaviest run of rising numbers is kept, where a provision with words behind it weighs more than
    one without. What does not repeat a number stays, whatever its order, and so does all where the run is no most.
    """
    kept: list[int] = []
    edges = [*containers, len(lines)]
    at = 0
    for edge in edges:
        stop = bisect_left(tops, edge)
        part, at = tops[at:stop], stop
        keys = [ordered(lines[place].number) for place in part]
        counts = Counter(keys)
        if len(counts) == len(keys):
            kept += part
            continue
        following = [*part[1:], min(edge, len(lines))]
        weights = [1.0 if after - place > 1 else 0.1 for place, after in zip(part, following, strict=True)]
        run = heaviest_run(keys, weights)
        most = sum(weights[index] for index in run) > _RISING * sum(weights)
        kept += [place for index, place in enumerate(part) if not most or index in run or counts[keys[index]] == 1]
    return kept


def ordered(number: str) -> Ordered:
    """A number as it is ordered: by its figures, then by letters."""
    return tuple((int(figures or 0), letters) for figures, letters in _ATOM.findall(number) if figures or letters)


def heaviest_run(keys: Sequence[Ordered], weights: Sequence[float]) -> frozenset[int]:
    """The places of the heaviest strictly rising run of keys."""
    ends: list[tuple[Ordered, float, int]] = []  # by key, each heavier than those before it
    before: list[int] = []
    for index, (key, weight) in enumerate(zip(keys, weights, strict=True)):
        at = bisect_left(ends, (key, 0.0, -1))
        before.append(ends[at - 1][2] if at else -1)
        total = (ends[at - 1][1] if at else 0.0) + weight
        stop = at
        while stop < len(ends) and ends[stop][1] <= total:
            stop += 1
        if at == len(ends) or stop > at or ends[at][0] != key:
            ends[at:stop] = [(key, total, index)]
    found: set[int] = set()
    index = ends[-1][2] if ends else -1
    while index >= 0:
        found.add(index)
        index = before[index]
    return frozenset(found)


def _and_inserted(lines: Sequence[Line], tops: Sequence[int]) -> Sequence[int]:
    """The tops, and a section 4.1 that was inserted behind a section 4 which has subsections of its own."""
    found: list[int] = []
    starts, inside, divided = frozenset(tops), "", False
    for place, line in enumerate(lines):
        if place in starts:
            inside, divided = line.number, False
        elif line.mark == "1.1" and line.number.rpartition(".")[0] == inside and divided:
            found.append(place)
        divided = divided or (line.mark == "()" and line.number == "1") or line.bare[1].startswith("(1)")
        divided = divided or (place in starts and line.rest.startswith("(1)"))
    return sorted((*tops, *found))


def _count_unmarked(lines: Sequence[Line], least: int) -> bool:
    """Read "2 (1) This Act applies" as a provision where such numbers rise, most below a caption; whether they do."""
    found: list[Line] = []
    captioned = last = 0
    for before, line in pairwise(lines):
        number, _ = line.bare
        if not number[:1].isdigit():
            continue
        whole = int(number.partition(".")[0].rstrip(ascii_uppercase) or 0)
        if number and (whole == last + 1 or (whole == last and not number.isdigit())):
            found.append(line)
            captioned += _may_caption(before)
            last = whole
    if len(found) <= max(least, _LEAST_ALIKE - 1) or captioned < _BEFORE * len(found):
        return False
    for line in found:
        _count_bare(line)
    return True


def _count_in_annexes(lines: Sequence[Line], tops: Sequence[int]) -> None:
    """Read numbers without a mark as those of paragraphs where they count up in an annex: "1 A court may be hired"."""
    annexes = [place for place, line in enumerate(lines) if line.word in ANNEXES and place > tops[0]]
    for start, end in pairwise([*annexes, len(lines)]):
        inside = lines[start + 1 : end]
        found = list[Line]()
        for line in inside:
            if line.bare[0] == str(len(found) + 1):
                found.append(line)
        if len(found) > 1 and not any(line.mark == "." for line in inside):
            for line in found:
                _count_bare(line)


def _count_bare(line: Line) -> None:
    line.number, line.rest = line.bare
    line.mark, line.word = ".", ""


def _alone(lines: Sequence[Line]) -> tuple[str, list[int]] | None:
    """The one section that a document is, with its word: "§ 152. Dependent defined" above "(a) In general"."""
    found = [place for place, line in enumerate(lines) if line.word in _PROVISIONS and is_head(line)]
    if len(found) != 1 or sum(line.mark == "()" for line in lines[found[0] :]) < _LEAST_ALIKE:
        return None
    return lines[found[0]].word, found


def _count_alike(lines: Sequence[Line]) -> list[int]:
    """The places of lines that begin alike but for a number that counts them: "(1)", "I -", "A-1", "Rule No. 1".

    For documents that no other reading fits. Of several such families the one that reaches furthest is read.
    """
    families: dict[tuple[str, str, str], list[tuple[int, str, str]]] = {}
    for place, line in enumerate(lines):
        match = None if line.heading and not line.opens else _ALIKE.match(line.text)
        if match is None:
            continue
        for style, (value, more) in readings(match["number"].lstrip("0")):
            family = families.setdefault((match["before"], style, match["behind"]), [])
            if not more and value == len(family) + 1:
                family.append(
                    (
                        place,
                        f"{match['letters'] or ''}{match['number'].lstrip('0')}",
                        match["rest"] or match["parts"] or "",
                    )
                )
    reach = [(family[-1][0] - family[0][0], family) for family in families.values() if len(family) >= _LEAST_ALIKE]
    if not reach:
        return []
    _, found = max(reach, key=lambda one: one[0])
    for place, number, rest in found:
        lines[place].bare = number, rest
        _count_bare(lines[place])
    return [place for place, _, _ in found]


def _may_caption(line: Line) -> bool:
    text = line.text
    return not (line.number or line.bare[0]) and len(text) <= _MOST_ABOVE and text[:1].isupper() and is_caption(text)


def _captioned_before(lines: Sequence[Line], tops: Sequence[int], front: int) -> tuple[Sequence[Line], Sequence[int]]:
    """Lines and tops, what is printed above most provisions as their captions: "Interpretation", "2.—(1) In this"."""
    above = [
        place
        for place in tops
        if place - 1 > front
        and not lines[place].caption
        and not lines[place].heading
        and _may_caption(lines[place - 1])
    ]
    if len(above) < max(_LEAST_ALIKE, _BEFORE * len(tops)):
        return lines, tops
    for place in above:
        lines[place].caption = lines[place - 1].text
    gone = {place - 1 for place in above}
    kept = [place for place in range(len(lines)) if place not in gone]
    return [lines[place] for place in kept], [bisect_left(kept, place) for place in tops]


def _are_coded(lines: Sequence[Line], tops: Sequence[int]) -> bool:
    """Whether provisions are numbered within a chapter, so that their own numbers are decimal."""
    wholes = {_atoms(lines[place].number)[0] for place in tops}
    return is_divided(lines[tops[0]].number) and len(wholes) < len(tops)


def _caption_ended(lines: Sequence[Line], tops: Sequence[int]) -> None:
    """Make captions of what follows the numbers of provisions where nearly all have a few words and a full stop there.

    "12.44.240 Receiving vault." is a caption, since other provisions go on below such words.
    """
    ends = frozenset(tops)
    short = [
        place
        for place in tops
        if lines[place].rest.endswith(".")
        and is_caption(lines[place].rest[:-1])
        and "." not in lines[place].rest[:-1]
        and not SIGN.match(lines[place].rest)
        and place + 1 not in ends
        and place + 1 < len(lines)
        and not lines[place + 1].rest[:1].islower()
    ]
    if len(short) >= _CAPTIONED * len(tops):
        for place in short:
            line = lines[place]
            line.caption, line.rest = line.caption or line.rest[:-1], ""


def _decimal_tops(lines: Sequence[Line], *, lettered: bool) -> list[int]:
    """Of a document that has decimal numbers only, the line that each first part of them counts, or its first one."""
    found: dict[str, int] = {}
    alone: dict[str, int] = {}  # the last line that is counted by a first part only: "A Pets" above "A.1"
    for place, line in enumerate(lines):
        if line.mark != "1.1":
            if line.mark in ("", ".", "A."):
                alone[line.number or line.bare[0]] = place
        elif line.number[:1].isalpha() == lettered and (first := _atoms(line.number)[0]) not in found:
            found[first] = at = alone.get(first, place)
            if at != place and not lines[at].number:
                _count_bare(lines[at])
    return sorted(found.values())


def _lettered(lines: Sequence[Line]) -> int:
    """How many lines that begin a paragraph have decimal numbers with letters before them: "A1.1", "UB 3"."""
    return sum(line.mark == "1.1" and line.opens and line.number[:1].isalpha() for line in lines)


def _atoms(number: str) -> list[str]:
    return re.split("[.-]", number)


def is_divided(number: str) -> bool:
    """Whether a number has parts of its own: 1.2, and neither 1 nor A1."""
    return len(_atoms(number)) > 1


def _divided(lines: Sequence[Line], tops: Sequence[int], *, coded: bool) -> dict[int, str]:
    """The places of decimal provisions, and the numbers of what they divide: 1.1 divides 1, and 1.1.1 divides 1.1."""
    found: dict[int, str] = {}
    starts = set(tops)
    decimal = not coded and all(lines[place].mark == "1.1" for place in tops)
    last: dict[str, int] = {}  # of what may be divided, the last part's number
    called: dict[str, str] = {}  # "UB3" by "3", as "3-1" divides it
    seen: set[str] = set()
    for place, line in enumerate(lines):
        if place in starts:
            last = {line.number: 0} | ({_atoms(line.number)[0]: 0} if decimal else {})
            called = {line.number.lstrip(ascii_uppercase + "."): line.number}
        above = line.number[: max(line.number.rfind("."), line.number.rfind("-"), 0)]
        above = called.get(above, above)
        if line.mark != "1.1" or above not in last or line.number in seen or (place in starts and not decimal):
            continue
        number = int("".join(re.findall(r"\d", _atoms(line.number)[-1])) or 0)
        if number > last[above]:
            found[place] = above
            seen.add(line.number)
            last[above] = number
            last[line.number] = 0
    return found
