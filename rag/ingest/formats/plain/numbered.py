"""A plain document that numbers its provisions, as the tree that its numbers tell.

A contract, house rules or a statute as text: "§ 2 Members", "Article 3", "4. Fees", "4.2 The fee is", "(a) ...". What
counts the provisions is found in the document itself: the word before most of its numbers (article, section, clause, §,
条), numbers within a chapter of a code (12.44.010), or else whole numbers in sequence. Other numbered words, whatever
they are, are parts that hold provisions; a word for containers (part, chapter, Teil, titre, 章) counts provisions only
where nothing is counted in them. Decimal numbers divide their whole number. `outline` places what is counted below a
provision.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from string import ascii_lowercase, ascii_uppercase

from rag.ingest.formats.base import plain_ascii
from rag.ingest.formats.designators import Designator, Step, outline
from rag.ingest.formats.plain.blocks import Block
from rag.ingest.formats.plain.lines import CONTAINERS, in_capitals, is_title
from rag.ingest.formats.xml import MAX_NESTING
from rag.languages.registry import names_a_kind
from rag.law.designators import annex_segment, container_segment
from rag.law.nodes import ParsedNode
from rag.law.numerals import NUMBER_WORDS
from retrieval.paths import segment, slug
from retrieval.references.law_words import tells

MOST = 20_000  # characters of one provision; the search index has limits
_MOST_LINES, _MOST_OF_ONE = 50_000, 2_000  # of a document and of one provision: placing a line takes a millisecond
LEAST_SHARE = 0.6  # of the characters that lie in numbered provisions
_MOST_CAPTION = 100  # characters
_SHORT = 40  # characters: a printed line without a full stop up to here is no line of running text
_MOST_WORDS = 6  # of a caption that ends in a full stop
_BEFORE = 0.6  # of the provisions that have a caption above their numbers, where captions are there
_MOST_ABOVE = 80  # characters of such a caption
_CAPTIONED = 0.8  # of the provisions whose captions end in a full stop, where captions do

_LINE = re.compile(
    r"""(?:[-•*–]\s(?=\w{1,3}\)))?
        (?: (?P<word>[^\W\d_]{3,12}\s{1,2}|[^\W\d_]{2,4}\.\s{0,2}|§{1,2}\s{0,2})
            (?P<number>(?P<code>(?:L\.?\s?O|[LRDA])\.?\s?(?:\*\s?){0,2}\d{1,5}(?:-\d{1,4})*(?![\w-])
                (?:\s(?:bis|ter|quater|[a-z]{0,8}(?:qu|ex|pt|oct|non|dec|vic)ies)(?!\w))?)
              |\d{1,4}(?:[.–-]\d{1,4})*(?:\s?[a-z](?![^\W_])|[A-Z](?![^\W_])|(?i:\s?(?:bis|ter|quater))(?![^\W_]))?|[IVXLC]{1,7}(?=(?i:er|re|ère)?(?![^\W_]))
              |[A-Z](?![^\W_]))
            (?i:er|re|ère)?
          | 第(?P<counted>[0-9０-９〇一二三四五六七八九十百千]{1,8})(?P<kanji>[編章節款条])
            (?P<branch>の[0-9０-９一二三四五六七八九十]{1,3})? (?P<noted>[(（][^()（）]{1,60}[)）](?=\s*\Z))?
          | 第(?P<outlined>[0-9０-９一二三四五六七八九十]{1,3}(?:の[0-9０-９一二三四五六七八九十]{1,3})?)(?=\s)
          | (?P<decimal>\d{1,3}(?:(?:\.\d{1,3}){1,4}|(?:-\d{1,4}){2,4})) \.?
          | (?P<integer>\d{1,3}[a-zA-Z]?) [.)] | (?P<degree>\d{1,3})\s?[°º] | 
            (?P<wide>[０-９]{1,3}|\d{1,2}(?=\s[぀-鿿])) (?=\s)
          | (?:\d{1,3}(?:\([a-z0-9]{1,4}\))*)? [(（] (?P<bracket>\d{1,3}|[a-zA-Z]{1,4}|[ア-ン]) [)）]
          | (?P<raised>[¹²³⁰⁴-⁹]{1,2}(?:bis)?) (?=\s)
          | (?P<letter>[a-z]) [.)] | (?P<kana>[ア-ン]) (?=\s)
          | (?P<circled>[①-⑳]) (?=\s?) | (?P<item>[一二三四五六七八九十]{1,3}) (?=\s)
          | (?P<capital>[IVXLC]{1,7}|[A-Z]) (?:[.)]|(?=\s?[–—-]\s))
        )
        (?P<joint>\s?[.:–—-](?=\s|\Z)|(?<=\.)[–—-](?=[^\W\d_])|[–—](?=[(（])|\s|\Z|(?<=[)）])) \s* (?P<rest>.*)\Z""",
    re.VERBOSE | re.DOTALL,
)
_BARE = re.compile(r"(\d{1,3}[a-z]?)\s(?=\S)")  # the number of a heading without a full stop
_UNMARKED = re.compile(r"(?P<number>\d{1,3}(?:\.\d{1,2})?[A-Z]?)\s(?P<rest>[(\[“\"A-ZÀ-Þ].*)", re.DOTALL)
_ENDED = re.compile(r"[.!?;:,。；：，][\"'”’»)\]]*\Z")
_BRACKETED = re.compile(r"[(（]([^()（）]{1,60})[)）]")
# A word and a number of any form that `_LINE` does not know: "Kanon 4/2".
_LOOKS_NUMBERED = re.compile(
    r"(?P<word>[^\W\d_]{1,12}\.?)\s+(?P<number>(?:[^\W\d_]{1,3}[.\s]{0,2})?\d[^\s:]*|[IVXLC]+\b)"
)
_LEAST_ALIKE, _MOST_TOLD = 3, 5
_OPEN = re.compile(r"[:：;；,，—–-]\s*\Z")
# "Deposit. The tenant pays": a caption that goes on as a sentence on its line.
_CAPTION = re.compile(r"(?P<caption>[^\W\d_][^.:;!?]{1,60})\.\s+(?=[^\s\d])")
_PROVISIONS = frozenset(("section", "article", "artikel"))
_ANNEXES = frozenset(
    ("schedule", "annex", "appendix", "exhibit", "anlage", "anhang", "annexe", "supplementary", "table", "style")
)
_SEGMENTS = {"schedule": "sch"}  # as references to published law spell it
# The same word counts provisions elsewhere.
_CONTAINERS_OF = {
    "fr": frozenset(("section", "sous-section", "paragraphe")),
    "ja": frozenset(("section", "subsection")),
}
_SIGNS = {"§": "section", "§§": "section", "条": "article", "art.": "article", "sec.": "section"}
_MARKS = {
    "decimal": "1.1",
    "bracket": "()",
    "degree": "°",
    "capital": "A.",
    "raised": "()",
    "kana": "ア",
    "circled": "①",
    "item": "一",
}  # of bare numbers; `.` of all others
_KANJI = {"編": "part", "章": "chapter", "節": "section", "款": "subsection"}
# Behind the articles, called as in published laws: "附則（令和６年条例第１８号）", "別表第１", "様式第２号".
_SUPPLEMENTARY = re.compile(r"附\s?則(?:\s?[（(](?P<by>[^（）()]{3,40})[)）])?")
_APPENDED = re.compile(
    r"(?:別記)?(?P<kind>別表|様式)\s?(?:第?(?P<number>[0-9０-９〇一二三四五六七八九十]{1,4}(?:の[0-9０-９一二三四五六七八九十]{1,3})?)号?)?"
    r"\s?(?P<rest>[（(].{1,80}[)）])?"
)
_AMENDED = re.compile(r"(?:明治|大正|昭和|平成|令和|[明大昭平令])[0-9０-９元]")  # "（令６条例１８・一部改正）"
# A paragraph that says which acts made and amended what is above it: "(Ord. 987 § 2, 2011; Ord. 1102 § 1, 2019)".
_HISTORY = re.compile(
    r"\((?:Ord(?:inance|s?\.)\s|Prior\scode|Added\s|Amended\s|Code\s(?:19|20)\d\d)[^()]*(?:\([^()]*\)[^()]*)*\)"
)
_FIRST = frozenset(("1", "a", "i", "A"))  # of a list
_KANA = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_IROHA = "イロハニホヘトチリヌルヲワカヨタレソツネナラム"
_APPENDED_KINDS = {"別表": "table", "様式": "style"}
# What a law of the language calls what it counts: the unit behind "§", then the levels below it.
_LEVELS = {
    "de": ("paragraph", ("absatz", "nr", "buchst", "buchst", "buchst")),
    "fr": ("article", ("point",) * 5),
    "ja": ("article", ("paragraph", "item", "subitem", "subitem", "subitem")),
}
_PLAIN_LEVELS = ("section", ("subsection", "paragraph", "subparagraph", "clause", "item"))
_STRUCTURE = ("SUBSECTION", "PARAGRAPH", "SUBPARAGRAPH", "CLAUSE", "ITEM")


@dataclass(slots=True)
class _Line:
    """A line with what it is counted by: `word` is empty for a bare number, `number` for a line without any."""

    text: str
    heading: int  # rank of a heading from 1, 0 for other text
    page: int  # where it begins and, below, ends; 0 without pages
    last_page: int
    opens: bool  # begins a paragraph
    alone: bool = False  # is one; of the words behind a number: and a mark parts them from it
    word: str = ""
    number: str = ""
    mark: str = ""  # of a bare one: `.` or one of `_MARKS`
    rest: str = ""
    captioned: bool = False  # a mark is between its number and what follows: "Rule 2: Pets. ..."
    caption: str = ""  # a line of its own that belongs to it
    kana: str = ""  # that is its number, whose place in a sequence depends on the order
    outlined: bool = False  # "第３ 対象" of an outline, which has no articles
    bare: tuple[str, str] = ("", "")  # a number without a mark, and what follows: "2 (1) This Act", if it counts


@dataclass(slots=True)
class _Unit:
    """A provision, or a part of the document that holds provisions, while it is read."""

    structure: str
    level: str
    number: str
    name: str  # its URN segment
    heading: str = ""
    page: int = 0
    last_page: int = 0
    lead: list[str] = field(default_factory=list[str])
    flush: list[str] = field(default_factory=list[str])
    children: list[_Unit] = field(default_factory=list["_Unit"])
    lines: list[_Line] = field(default_factory=list[_Line])  # of a provision, before `outline` has placed them
    worded: bool = False  # whether a word is before its number: 第三条
    history: str = ""  # which acts made and amended it, as the document prints that below it

    def size(self) -> int:
        """Characters of its own words and of everything in it."""
        own = sum(map(len, (self.heading, *self.lead, *self.flush))) + sum(len(line.text) for line in self.lines)
        return own + sum(child.size() for child in self.children)


def read_numbered(blocks: Sequence[Block], root: ParsedNode, language: str, *, titled: bool) -> list[ParsedNode] | None:
    """The provisions of a document in order, without its root; None where its numbers do not tell a structure.

    Args:
        blocks: in reading order, none empty.
        root: of the document; what is before its first provision becomes its lead-in.
        language: ISO 639-1, for the names of levels.
        titled: whether somebody stated the title that the root has. One that was found in the text ("Town of Brook")
            gives way to a line before the first number that says what the document is ("Skating Rink Ordinance").
    """
    lines = list(_with_captions([line for block in blocks for line in _lines(block, language)], language))
    if len(lines) > _MOST_LINES:
        return None
    _forget_lone_words(lines, language)
    told = names_a_kind(root.heading, language) and tells(root.heading)
    found = _title(lines, language) if not (titled or told) else None
    front, title = found or (-1, "")
    containers = _containers(lines, language)
    word = _counting_word(lines, containers)
    tops = _tops(lines, word, containers)
    if (len(tops) < 2 or word in {lines[place].word for place in containers}) and _count_unmarked(lines, len(tops)):
        word = _counting_word(lines, containers)
        tops = _tops(lines, word, containers)
    if len(tops) < 2:
        return None
    tops = _and_inserted(lines, tops)
    _caption_ended(lines, tops)
    lines, tops = _captioned_before(lines, tops, front)
    sections = {} if _are_coded(lines, tops) else _divided(lines, tops)
    units, before = _units(lines, tops, sections, word, language, front=front)
    held = sum(map(_held, units))
    if held < LEAST_SHARE * (held + sum(map(len, before))):
        return None
    if any(len(inner.lines) > _MOST_OF_ONE for unit in units for inner in _all(unit)):
        return None
    for unit in units:
        _place(unit, language)
    nodes = [node for unit in units for node in _nodes(unit, root.urn, root.urn)]
    if any(len(node.text) > MOST for node in nodes) or len({node.urn for node in nodes}) < len(nodes):
        return None
    if title:
        root.heading = title
    elif any(
        root.heading == line.text for line in lines if line.number
    ):  # no title: its first heading is a provision's
        root.heading = before.pop(0) if before and _is_caption(before[0]) else root.number
    root.intro_text = "\n".join(text for text in before if text.casefold() != root.heading.casefold())
    return nodes


def numbers_unread(blocks: Sequence[Block], language: str, *, chunked: bool) -> list[str]:
    """What a reader is told of lines that look like numbered provisions and are none, and what to write instead.

    Args:
        blocks: of the document, as `read_numbered` takes them.
        language: ISO 639-1.
        chunked: whether no structure was found, so that any word may count, and numbers that are there more than
            once are told as well.
    """
    lines = [line for block in blocks for line in _lines(block, language) if not block.rows]
    remarks: list[str] = []
    unread: dict[str, set[str]] = {}
    for line in lines:
        if not line.number and _is_caption(line.text.rstrip(" .:")) and (match := _LOOKS_NUMBERED.match(line.text)):
            unread.setdefault(match["word"], set()).add(match["number"])
    counting = {line.word for line in lines if line.number}
    for word, numbers in unread.items():
        known = word.casefold().rstrip(".") in counting or _SIGNS.get(word.casefold()) in counting
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


def own_names(root: ParsedNode, slug: str, language: str) -> list[str]:
    """What a document is called as a whole; see `retrieval/references/law_names.py` for its provisions.

    A short title stands in brackets below the title: "(Hallensatzung)".
    """
    bracketed = (match[1] for line in root.intro_text.split("\n") if (match := _BRACKETED.fullmatch(line)))
    titles = (root.heading, *(words for words in bracketed if names_a_kind(words, language)))
    return list(dict.fromkeys((*(" ".join(title.casefold().removeprefix("the ").split()) for title in titles), slug)))


# --- reading lines ---------------------------------------------------------------------------------------------------


def _lines(block: Block, language: str) -> Iterator[_Line]:
    first, last = (block.pages[0][1], block.pages[-1][1]) if block.pages else (0, 0)
    texts = [block.text] if block.rows or block.level else block.text.split("\n")
    open_ended = goes_on = (
        False  # the line before is long and ends in no mark; and is no caption, so a sentence goes on
    )
    for position, text in enumerate(texts):
        line = _Line(text, block.level, first, last, opens=not position and not block.tight, alone=len(texts) == 1)
        match = (
            None
            if block.rows
            else _LINE.match(_BARE.sub(r"\1. ", text, count=1) if line.heading and _BARE.match(text) else text)
        )
        # A printed line may begin with a reference of the sentence that it continues.
        worded = match is not None and (match["word"] or match["kanji"])
        if match is not None and match["capital"] and (line.heading or open_ended):  # a part; a name "A. Martin"
            match = None
        if not (goes_on or block.rows or worded) and (named := _worded(text, language)):
            line.word, line.number, line.rest = named
        elif match is not None and not (goes_on and (worded or match["decimal"])):
            _read(line, match)
        if not (line.number or block.rows or goes_on) and (unmarked := _UNMARKED.match(text)):
            line.bare = unmarked["number"], unmarked["rest"]
        caption = line.number and (not line.word or in_capitals(line.rest))
        open_ended = len(text) > _SHORT and not _ENDED.search(text)
        goes_on = open_ended and not caption
        yield line


def _read(line: _Line, match: re.Match[str]) -> None:
    """What a line is counted by. "Section 5 applies" is a sentence: behind the number of a caption no small letter."""
    rest = match["rest"].strip()
    if match["word"]:
        line.captioned = bool(match["joint"].strip())
        if rest[:1].islower() and (not line.captioned or ":" in match["joint"]):
            return
        word = match["word"].strip().casefold()
        line.word, line.number = _SIGNS.get(word, word.rstrip(".")), match["number"].replace(" ", "")
        if match["code"]:  # of a French code: "L. 12-3" is numbered as the codes themselves number it
            from rag.jurisdictions.fr.naming import article_number

            line.number = article_number(match["code"])
    elif match["kanji"] or match["outlined"]:
        from rag.jurisdictions.jp.kanji import kanji_number  # for Japanese documents only

        line.word = _KANJI.get(match["kanji"] or "", "article")
        counted = match["outlined"] or f"{match['counted']}{match['branch'] or ''}"
        line.outlined = bool(match["outlined"])
        numbers = [kanji_number(part) for part in counted.split("の") if part]
        line.number = "-".join(str(number) for number in numbers)
        if caption := _BRACKETED.fullmatch(match["noted"] or rest):  # "第1条(名称)"
            line.caption, rest = caption[1], ""
    else:
        line.mark = next((mark for group, mark in _MARKS.items() if match[group]), ".")
        number = next(match[group] for group in ("integer", "letter", "wide", *_MARKS) if match[group])
        line.number = unicodedata.normalize("NFKC", number)  # "（１）", "¹"
        if match["item"]:
            from rag.jurisdictions.jp.kanji import kanji_number  # for Japanese documents only

            line.number = str(kanji_number(match["item"]) or match["item"])
        if line.number in _KANA:
            from rag.jurisdictions.jp.kanji import designator  # for Japanese documents only

            line.kana = line.number
            line.number = designator(line.number) or line.number
    line.rest = rest


def _worded(text: str, language: str) -> tuple[str, str, str] | None:
    """Word, number and caption of a container whose number is a word: "Part One", "Erster Teil", "Titre premier"."""
    first, second, rest = (*text.split(maxsplit=2), "", "", "")[:3]
    second, rest = second.rstrip(".:–—-"), rest.lstrip(".:–—- ")
    if language == "ja":
        return _appended(text)
    if not _is_caption(text) or not second or rest[:1].islower():
        return None
    if language == "de":
        from rag.jurisdictions.de.naming import read_heading

        named = read_heading(f"{first} {second}")
        return (named.level, named.number, rest) if named.kind == "container" and named.number else None
    if language == "fr":
        from rag.jurisdictions.fr.naming import container_heading

        named = container_heading(text)
        numbered = named.rank is not None and named.number != slug(plain_ascii(named.title), limit=40)
        return (named.level, named.number, named.title) if numbered and not named.title[:1].islower() else None
    number = NUMBER_WORDS.get(second.casefold()) if first.casefold() in CONTAINERS else None
    return (first.casefold(), str(number), rest) if number else None


def _appended(text: str) -> tuple[str, str, str] | None:
    """What follows the articles of a Japanese law: its supplementary provisions, and tables."""
    from rag.jurisdictions.jp.kanji import kanji_number, law_number  # for Japanese documents only

    if match := _SUPPLEMENTARY.fullmatch(text):
        by = match["by"] or ""
        law = law_number(by) if by else None
        return "supplementary", law.slug if law else slug(unicodedata.normalize("NFKC", by)) if by else "original", by
    if match := _APPENDED.fullmatch(text):
        numbers = [kanji_number(part) for part in (match["number"] or "").split("の") if part]
        number = "-".join(map(str, numbers)) or "1"
        return _APPENDED_KINDS[match["kind"]], number, (match["rest"] or "")[1:-1]
    return None


def _with_captions(lines: Sequence[_Line], language: str) -> Iterator[_Line]:
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
            and (match := _BRACKETED.fullmatch(line.text))
            and not _AMENDED.match(match[1])
        ):
            following.caption = match[1]
        else:
            below = following.text.rstrip(".") if following.text.isupper() else following.text
            captioned = line.word and not (line.rest or line.caption or following.number)
            if captioned and line.word != "supplementary" and _is_caption(below):
                line.caption, taken = below, True
            yield line


def _is_caption(text: str) -> bool:
    return len(text) <= _MOST_CAPTION and not _ENDED.search(text)


def _forget_lone_words(lines: Sequence[_Line], language: str) -> None:
    """Take the number from lines with a word that counts nothing else and is none for parts: "Vom 12. Mai 2031"."""
    known = CONTAINERS | _CONTAINERS_OF.get(language, frozenset()) | _ANNEXES | _PROVISIONS
    counts = Counter(line.word for line in lines)
    for line in lines:
        if counts[line.word] == 1 and line.word not in known:
            line.word = line.number = line.rest = ""


def _title(lines: Sequence[_Line], language: str) -> tuple[int, str] | None:
    """The first line before any number that says what the document is, and its place: "Satzung über die Halle".

    It may go on below: "Satzung", "über die Benutzung der Halle".
    """
    for place, line in enumerate(lines):
        if line.number:
            return None
        begins = line.text[:1].isupper() or language == "ja"
        if not (begins and _is_caption(line.text) and names_a_kind(line.text, language)):
            continue
        if tells(line.text):
            return place, line.text.lstrip("○◯● ")
        below = lines[place + 1].text if place + 1 < len(lines) else ""
        if below[:1].islower() and _is_caption(below):
            return place + 1, f"{line.text} {below}"
    return None


def _containers(lines: Sequence[_Line], language: str) -> list[int]:
    """The places of lines that are counted by a word for containers, before the first annex."""
    words = CONTAINERS | _CONTAINERS_OF.get(language, frozenset())
    found: list[int] = []
    for place, line in enumerate(lines):
        if found and line.word in _ANNEXES and line.opens:
            break
        if line.word in words and _is_head(line):
            found.append(place)
    return found


def _is_head(line: _Line) -> bool:
    """Whether a line with a counted word can stand above provisions: a heading or a caption, no sentence."""
    alone = line.opens or not line.rest or line.captioned or line.word in CONTAINERS
    return bool(line.heading) or (alone and ((line.captioned and not line.rest) or _is_caption(line.text)))


def _hold(lines: Sequence[_Line], containers: Sequence[int], places: Sequence[int]) -> bool:
    """Whether most containers with something counted in them have one of the places."""
    ends = [*containers[1:], len(lines)]
    counted = [
        any(start < place < end for place in places)
        for start, end in zip(containers, ends, strict=True)
        if any(line.number for line in lines[start + 1 : end])
    ]
    return 2 * sum(counted) > len(counted)


def _counting_word(lines: Sequence[_Line], containers: Sequence[int]) -> str:
    """The word before most numbers, empty for bare ones; of equals the last, for parts come first.

    A word for containers gives way to another, or to bare numbers, that count what most of them hold.
    """
    _forget_paragraph_signs(lines)
    coded = frozenset(_coded_tops(lines, containers))
    bare = (place in coded or (line.heading and line.mark == ".") for place, line in enumerate(lines))
    counts = Counter(line.word for line, is_bare in zip(lines, bare, strict=True) if line.word or is_bare)
    for word in _ANNEXES:
        del counts[word]
    if not counts or max(counts.values()) < 2:
        return ""
    word = [word for word in counts if counts[word] == max(counts.values())][-1]
    names = {lines[place].word for place in containers}
    if word not in names:
        listed = _sequence(lines, range(len(lines)), ())
        captions = sum(_is_caption(lines[place].rest) for place in listed)
        # "Clause 8A: inserted on 30 June" below "8A. Swarms".
        return "" if len(listed) > 2 * counts[word] and 2 * captions > len(listed) else word
    others = [other for other, count in counts.most_common() if other and other not in names and count > 1]
    return next(
        (other for other in (*others, "") if _hold(lines, containers, _tops(lines, other, containers))),
        word,
    )


def _forget_paragraph_signs(lines: Sequence[_Line]) -> None:
    """Take "§ 2" for a part of an article where such numbers begin again within most articles that have any."""
    within: list[list[str]] = []
    signs: list[_Line] = []
    for line in lines:
        if line.word in ("article", "art"):
            within.append([])
            if (match := _LINE.match(line.rest)) and (match["word"] or "").strip() == "§":
                within[-1].append(match["number"])
        elif line.word == "section" and line.text.startswith("§") and within:
            within[-1].append(line.number)
            signs.append(line)
    counted = [numbers for numbers in within if numbers]
    if len(counted) > 1 and 2 * sum(numbers[0] == "1" for numbers in counted) > len(counted):
        for line in signs:
            line.word, line.mark = "", "()"


def _tops(lines: Sequence[_Line], word: str, containers: Sequence[int]) -> list[int]:
    """The places of the provisions of the document's own sequence."""
    if word:
        return [place for place, line in enumerate(lines) if line.word == word]
    if coded := _coded_tops(lines, containers):
        return coded
    headed = [place for place, line in enumerate(lines) if line.heading and line.mark == "."]
    places = _and_captioned(lines, headed) if len(headed) > 1 else range(len(lines))
    found = _sequence(lines, places, ())
    if containers and not _hold(lines, containers, found):
        # Items of a list begin again as well, but are no captions.
        again = _sequence(lines, places, containers)
        captions = sum(bool(lines[place].heading) or _is_caption(lines[place].rest) for place in again)
        if 2 * captions > len(again) and _hold(lines, containers, again):
            return again
    return found or _decimal_tops(lines)


def _sequence(lines: Sequence[_Line], places: Sequence[int], restarts: Sequence[int]) -> list[int]:
    """The places of bare whole numbers that follow one another, and of a first one right behind each restart."""
    found: list[int] = []
    before, fresh, waiting = 0, False, list(restarts)[::-1]
    for place in places:
        line = lines[place]
        while waiting and waiting[-1] < place:
            waiting.pop()
            fresh = True
        if line.mark == "." and found and re.fullmatch(rf"{before}(?:[A-Z]|\.\d{{1,2}})", line.number):
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


def _and_captioned(lines: Sequence[_Line], headed: Sequence[int]) -> list[int]:
    """Numbered headings, and lines between them that begin a paragraph as one more: "3. Repairs" above its words.

    A line that follows the items of a list within a provision is one of them.
    """
    places, listed = set(headed), False
    for place, (line, following) in enumerate(pairwise(lines)):
        if place in places:
            listed = False
        elif line.mark == "." and not listed:
            captioned = (
                line.opens and _is_caption(line.rest) and not (following.opens or _goes_on(line.rest, following))
            )
            places |= {place} if captioned else set()
            listed = not captioned
    return sorted(places)


def _coded_tops(lines: Sequence[_Line], containers: Sequence[int]) -> list[int]:
    """The places of provisions that are numbered within a chapter of a code: "12.44.010 Purpose.", "12.44.020".

    Their numbers rise, each begins a paragraph, and what is before the last part of a number counts no provision.
    """
    counted = {line.number for line in lines if line.mark == "."}
    chapters = {lines[place].number for place in containers}
    found: list[int] = []
    before: tuple[int, ...] = ()
    depth = 0
    for place, line in enumerate(lines):
        if line.mark != "1.1" or not (line.heading or (line.opens and line.rest[:1].isupper())):
            continue
        first, *rest = re.split("[.-]", line.number)
        parts = tuple(map(int, (first, *rest)))
        chapter = line.number[: -len(rest[-1]) - 1]
        within = len(parts) > 2 or chapter in chapters
        if not within or {chapter, first} & counted or (found and len(parts) != depth):
            continue
        if parts > before:
            found.append(place)
            before, depth = parts, len(parts)
    return found if len(found) >= _LEAST_ALIKE else []


def _and_inserted(lines: Sequence[_Line], tops: Sequence[int]) -> Sequence[int]:
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


def _count_unmarked(lines: Sequence[_Line], least: int) -> bool:
    """Read "2 (1) This Act applies" as a provision where such numbers rise, most below a caption; whether they do."""
    found: list[_Line] = []
    captioned = last = 0
    for before, line in pairwise(lines):
        number, _ = line.bare
        whole = int(number.partition(".")[0].rstrip(ascii_uppercase) or 0)
        if number and (whole == last + 1 or (whole == last and not number.isdigit())):
            found.append(line)
            captioned += _may_caption(before)
            last = whole
    if len(found) <= max(least, _LEAST_ALIKE - 1) or captioned < _BEFORE * len(found):
        return False
    for line in found:
        line.number, line.rest = line.bare
        line.mark, line.word = ".", ""
    return True


def _may_caption(line: _Line) -> bool:
    text = line.text
    return not (line.number or line.bare[0]) and len(text) <= _MOST_ABOVE and text[:1].isupper() and _is_caption(text)


def _captioned_before(lines: Sequence[_Line], tops: Sequence[int], front: int) -> tuple[Sequence[_Line], Sequence[int]]:
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


def _are_coded(lines: Sequence[_Line], tops: Sequence[int]) -> bool:
    """Whether provisions are numbered within a chapter, so that their own numbers are decimal."""
    wholes = {lines[place].number.partition(".")[0] for place in tops}
    return lines[tops[0]].mark == "1.1" and len(wholes) < len(tops)


def _caption_ended(lines: Sequence[_Line], tops: Sequence[int]) -> None:
    """Make captions of what follows the numbers of provisions where nearly all have a few words and a full stop there.

    "12.44.240 Receiving vault." is a caption, since other provisions go on below such words.
    """
    ends = frozenset(tops)
    short = [
        place
        for place in tops
        if lines[place].rest.endswith(".")
        and _is_caption(lines[place].rest[:-1])
        and "." not in lines[place].rest[:-1]
        and not _LINE.match(lines[place].rest)
        and place + 1 not in ends
        and place + 1 < len(lines)
        and not lines[place + 1].rest[:1].islower()
    ]
    if len(short) >= _CAPTIONED * len(tops):
        for place in short:
            line = lines[place]
            line.caption, line.rest = line.caption or line.rest[:-1], ""


def _decimal_tops(lines: Sequence[_Line]) -> list[int]:
    """Of a document that has decimal numbers only, the first of each whole number."""
    found: dict[str, int] = {}
    for place, line in enumerate(lines):
        if line.mark == "1.1":
            found.setdefault(line.number.partition(".")[0], place)
    return list(found.values())


def _divided(lines: Sequence[_Line], tops: Sequence[int]) -> dict[int, str]:
    """The places of decimal provisions that divide the provision they are in: place -> number."""
    found: dict[int, str] = {}
    inside = ""
    starts = set(tops)
    inserted = starts if any(lines[place].mark != "1.1" for place in tops) else frozenset[int]()
    for place, line in enumerate(lines):
        if place in starts:
            inside = line.number.partition(".")[0]
        part = line.mark == "1.1" and line.number.partition(".")[0] == inside and line.number.count(".") == 1
        if part and place not in inserted:
            found[place] = line.number
    return found


# --- the tree --------------------------------------------------------------------------------------------------------


def _units(
    lines: Sequence[_Line], tops: Sequence[int], decimals: dict[int, str], word: str, language: str, *, front: int
) -> tuple[list[_Unit], list[str]]:
    """The parts and provisions of a document, with their lines not yet placed, and what is before them.

    No part begins up to the place `front`, which is that of the title.
    """
    starts = set(tops)
    rank = max((lines[place].heading for place in tops), default=0)
    before: list[str] = []
    found: list[_Unit] = []
    parts: list[tuple[str, _Unit]] = []  # the open parts, outermost first, by what they are called
    current: _Unit | None = None
    divided: _Unit | None = None  # the provision that decimal numbers divide
    restarted = len({lines[place].number for place in tops}) < len(tops)
    names = Counter(
        (line.word, line.number)
        for place, line in enumerate(lines)
        if line.word and _is_part(line, word, rank, tops, place)
    )
    for place, (line, following) in enumerate(zip(lines, (*lines[1:], None), strict=True)):
        if place in starts and place not in decimals:
            level = _level_of(word, language)
            current = divided = _provision(line, level, following)
            if restarted and parts:
                current.name = f"{parts[-1][1].name}:{current.name}"
            (parts[-1][1].children if parts else found).append(current)
        elif place in decimals:
            owner = divided if divided is not None and divided.number == line.number.partition(".")[0] else None
            current = _provision(line, "clause" if word != "clause" else "subclause", following)
            if owner is None:
                (parts[-1][1].children if parts else found).append(current)
            else:
                owner.structure = "CHAPTER"
                owner.lead += [inner.text for inner in owner.lines]
                owner.lines = []
                owner.children.append(current)
        elif place > front and _is_part(line, word, rank, tops, place):
            divided = None
            kind = line.word or "crossheading"
            while len(parts) >= MAX_NESTING or any(name == kind for name, _ in parts):
                parts.pop()
            if line.word in _ANNEXES:
                parts = []
            part = _part(line, language)
            if parts and names[line.word, line.number] > 1:
                part.name = f"{parts[-1][1].name}:{part.name}"
            (parts[-1][1].children if parts else found).append(part)
            parts.append((kind, part))
            current = part if line.word in _ANNEXES else None
        elif current is not None:
            current.lines.append(line)
        elif parts:
            parts[-1][1].lead.append(line.text)
        else:
            before.append(line.text)
    return [unit for unit in found if unit.children or unit.lines or unit.lead or unit.heading], before


def _is_part(line: _Line, word: str, rank: int, tops: Sequence[int], place: int) -> bool:
    """Whether a line begins a part: counted by another word than the provisions, or a heading above theirs."""
    if line.word in _ANNEXES:
        return place > tops[0]
    if line.word and line.word != word:
        return _is_head(line)
    above = 0 < line.heading < rank or (line.heading and not rank)
    return bool(above and not line.number and 0 < place < tops[-1])


def _part(line: _Line, language: str) -> _Unit:
    heading = line.caption or line.rest
    if not line.word:
        number = slug(_folded(line.text, language), limit=80)
        return _Unit("PART", "crossheading", number, container_segment("crossheading", number), line.text, line.page)
    if line.word == "supplementary":
        name = "sup" if line.number == "original" else f"sup.{line.number}"
        return _Unit("PART", line.word, name, name, line.text, line.page)
    if line.word in _ANNEXES:
        return _Unit(
            "APPENDIX",
            line.word,
            line.number,
            annex_segment(_SEGMENTS.get(line.word, line.word), line.number),
            heading,
            line.page,
        )
    structure = "TITLE" if line.word == "title" else "CHAPTER" if line.word == "chapter" else "PART"
    name = container_segment(_folded(line.word, language), _folded(line.number, language))
    return _Unit(structure, line.word, line.number, name, heading, line.page)


def _folded(text: str, language: str) -> str:
    """The text in letters that URNs have, as the other formats spell them."""
    if language == "de":
        from rag.jurisdictions.de.naming import fold

        text = fold(text)
    return plain_ascii(text)


def _level_of(word: str, language: str) -> str:
    own, _ = _LEVELS.get(language, _PLAIN_LEVELS)
    return own if word in ("", "section") else word


def _provision(line: _Line, level: str, following: _Line | None) -> _Unit:
    unit = _Unit(
        "ARTICLE" if level in ("article", "artikel") else "SECTION",
        level,
        line.number,
        segment(line.number.replace("*", "").replace(" ", "-")),
        page=line.page,
        worded=bool(line.word) and not line.outlined,
    )
    caption = _CAPTION.match(line.rest)
    unit.heading = line.caption
    titled = caption is not None and (line.captioned or is_title(caption["caption"]))
    captioned = not titled and _is_caption(line.rest) and not _goes_on(line.rest, following)
    captioned = captioned and _LINE.match(line.rest) is None
    if not unit.heading and (line.heading or captioned):
        unit.heading = line.rest.rstrip(".")
    elif caption is not None and titled:
        unit.heading = caption["caption"]
        unit.lines.append(_inner(line, line.rest[caption.end() :], alone=False))
    elif line.rest:
        unit.lines.append(_inner(line, line.rest, alone=line.alone and line.captioned))
    return unit


def _inner(line: _Line, text: str, *, alone: bool) -> _Line:
    """What is behind the number, or the caption, of a provision on its line: "3. Standards. (a) Each lamp shall"."""
    inner = _Line(text, 0, line.page, line.last_page, opens=True, alone=alone)
    match = _LINE.match(text)
    if match is not None and (match["word"] or "").strip() in ("", "§"):
        _read(inner, match)
        if inner.word:
            inner.word, inner.mark = "", "()"  # "Art. 2. § 1er. La collecte"
    return inner


def _goes_on(text: str, following: _Line | None) -> bool:
    """Whether the words behind a number are no caption, for they go on on the next line: "The tenant shall", "(a) pay".

    An item that begins with a small letter goes on, and so does a paragraph that is broken into lines where it begins
    with more words than a caption has.
    """
    if following is None or not text or (is_title(text) and not text.split()[-1].islower()):
        return False
    small = (following.rest if following.number else following.text)[:1].islower()
    if following.number:
        return small
    return not following.opens and (small or len(text.split()) > _MOST_WORDS)


def _all(unit: _Unit) -> Iterator[_Unit]:
    yield unit
    for child in unit.children:
        yield from _all(child)


def _held(unit: _Unit) -> int:
    """Characters that are a provision's without doubt: of a bare item of a list not the paragraphs behind it."""
    if unit.heading or unit.children:
        return unit.size()
    return sum(len(line.text) for at, line in enumerate(unit.lines) if not at or line.number or not line.opens)


# --- below a provision -----------------------------------------------------------------------------------------------


def _place(unit: _Unit, language: str) -> None:
    """Give each line of a provision its place below it."""
    for child in unit.children:
        _place(child, language)
    notes = [line for line in unit.lines if not line.number and _is_history(line.text)]
    unit.history = "\n".join(line.text for line in notes)
    unit.lines = [line for line in unit.lines if line not in notes]
    if not unit.lines:
        return
    unit.lines = [each for line in unit.lines for each in _with_first_part(line)]
    first = unit.lines[0]
    if (
        not unit.heading
        and len(unit.lines) > 1
        and first.alone
        and not first.number
        and len(first.text.split()) <= _MOST_WORDS
    ):
        unit.heading = first.text.rstrip(".")
        del unit.lines[0]
    elif language == "ja" and not first.number and (unit.worded or _counts_from_two(unit.lines)):
        first.number, first.mark, first.rest = "1", ".", first.text  # the first paragraph is printed without its number
    steps: list[Step] = []
    announced = False
    order = _KANA if any(line.kana == _KANA[0] for line in unit.lines) else _IROHA
    for line in unit.lines:
        marked = (
            (Designator(_letter(line.kana, order) or line.number, mark=line.mark),)
            if line.number and not line.word and line.mark != "1.1"
            else ()
        )
        steps.append(Step(marked, announced=announced))
        announced = bool(_OPEN.search(line.text))
    stack: list[_Unit] = [unit]
    outlined = outline(steps)
    last = max((at for at, placed in enumerate(outlined) if placed), default=-1)
    for at, (line, placed) in enumerate(zip(unit.lines, outlined, strict=True)):
        if placed:
            del stack[placed[0].depth :]
            stack.append(_child(stack, line, language))
        elif at > last and last >= 0 and line.opens and (stack[-1].lead or stack[-1].children):
            unit.flush.append(line.text)
        else:
            stack[-1].lead.append(line.text)
        for above in stack:
            above.last_page = max(above.last_page, line.last_page)
    unit.lines = []


def _letter(kana: str, order: str) -> str:
    """The letter at the place of a kana in its order; empty without one, or where there are no so many letters."""
    at = order.find(kana) if kana else -1
    return ascii_lowercase[at] if 0 <= at < len(ascii_lowercase) else ""


def _with_first_part(line: _Line) -> Iterator[_Line]:
    """A line, and apart from it the first part that begins right behind its number: "2.—(1) The length"."""
    if line.number and not line.word and (match := _LINE.match(line.rest)) and match["bracket"] in _FIRST:
        inner = _inner(line, line.rest, alone=False)
        line.rest = ""
        yield line
        line = inner
    yield line


def _is_history(text: str) -> bool:
    bracketed = _BRACKETED.fullmatch(text)
    return _HISTORY.fullmatch(text) is not None or (bracketed is not None and bool(_AMENDED.match(bracketed[1])))


def _counts_from_two(lines: Sequence[_Line]) -> bool:
    numbers = [line.number for line in lines if line.mark == "."]
    return "2" in numbers and "1" not in numbers


def _child(stack: Sequence[_Unit], line: _Line, language: str) -> _Unit:
    _, names = _LEVELS.get(language, _PLAIN_LEVELS)
    depth = min(len(stack) - 1, len(names) - 1)
    level = names[depth]
    if language == "de":
        level = "absatz" if line.mark == "()" and line.number.isdigit() else "nr" if line.number.isdigit() else "buchst"
    name = f"nr.{line.number}" if level == "nr" and len(stack) == 1 else segment(line.number)
    lead = [line.rest] if line.rest else []
    child = _Unit(_STRUCTURE[depth], level, line.number, name, line.caption, page=line.page, lead=lead)
    stack[-1].children.append(child)
    return child


def _nodes(unit: _Unit, parent: str, base: str) -> Iterator[ParsedNode]:
    """The unit and what is in it as nodes, depth first. Parts are no part of the URN of the provisions in them."""
    own = f"{base}:{unit.name}"
    lead, flush = "\n".join(unit.lead), "\n".join(unit.flush)
    if not unit.children:
        lead, flush = "", "\n".join(text for text in (lead, flush) if text)
    container = unit.structure in ("PART", "CHAPTER", "TITLE") and unit.level != "supplementary"
    tags = {"page": str(unit.page)} if unit.page else {}
    if unit.last_page > unit.page:
        tags["last_page"] = str(unit.last_page)
    if unit.history:
        tags["history"] = unit.history
    yield ParsedNode(
        own, parent, unit.structure, unit.level, unit.number, unit.heading, lead, flush,
        kind="section" if container else "legislation", tags=tags,
    )  # fmt: skip
    for child in unit.children:
        yield from _nodes(child, own, base if container else own)
