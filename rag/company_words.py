"""How a law says that it takes something back, and how one provision names another: for `rag.company`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import IntEnum

from rag.ingest.formats.kanji import kanji_numeral
from rag.jurisdictions.languages import language_rules
from retrieval.model import Block
from retrieval.paths import parse_urn


class Reach(IntEnum):
    """How near a sentence comes to a provision that it names."""

    NONE = 0
    WIDE = 1  # it names a whole law or chapter that holds it
    CLOSE = 2  # it names the provision, or a section around it


# How a sentence begins that takes something back from what stands before it, wherever that stands.
_AGAINST = re.compile(
    r"\A\W*(?:(?:however|but|nevertheless|nonetheless|toutefois|cependant|néanmoins|mais|jedoch|dennoch)\b|ただし)",
    re.IGNORECASE,
)
# How it also begins within one text; a provision of its own that begins so has its own rule.
_OPENERS = re.compile(
    r"""\A\W*(?:notwithstanding|despite|provided|except|unless|otherwise|sauf|par\sdérogation|par\sexception
        |abweichend|ausgenommen|es\ssei\sdenn)\b""",
    re.IGNORECASE | re.VERBOSE,
)
# What a sentence says that takes something back from the one before it.
_TAKES_BACK = re.compile(
    r"""\b(?:do|does|did|shall|will|may)\snot\s(?:be\s(?:deemed|construed)\sto\s)?apply\b
      | \bno\b[^.;]{0,80}\b(?:is|are)\s(?:required|needed|necessary)\b | \b(?:is|are)\snot\srequired\b
      | \bmay\s(?:keep|retain|withhold|deduct|refuse|waive|dispense|excuse|exempt)\b
      | \bne\ss['’]applique(?:nt)?\s(?:pas|point)\b | \bn['’]est\s(?:pas|point)\s(?:applicable|requis|exig|nécessaire)
      | \bne\ssont\s(?:pas|point)\s(?:applicables|requis|exig|nécessaires)
      | \b(?:gilt|gelten)\b[^.;]{0,60}\bnicht\b | \b(?:findet|finden)\b[^.;]{0,60}\bkeine\sanwendung\b
      | \b(?:ist|sind)\b[^.;]{0,60}\bnicht\s(?:anzuwenden|anwendbar|erforderlich)\b
      | \b(?:entfällt|entfallen)\b | この限りでない | 適用しない""",
    re.IGNORECASE | re.VERBOSE,
)
# What limits a provision that the sentence names, beside the phrases that annotation knows as exceptions.
_NARROWS = re.compile(
    r"""\bappl(?:y|ies)\s(?:only|solely)\b | \bonly\sappl(?:y|ies)\b
      | \b(?:nothing|no\sprovision)\sin\b[^.;]{0,80}?\b(?:appl(?:y|ies)|prevents?|prohibits?|precludes?|requires?
        |restricts?|forbids?|bars?|(?:shall|may|must|is\sto)\s(?:apply|prevent|prohibit|preclude|require|restrict
        |be\s(?:construed|deemed|taken|read|interpreted)\s(?:to|as)))
      | \b(?:ne\ss['’]applique(?:nt)?|n['’]est\sapplicable|ne\ssont\sapplicables)\squ(?:e\b|['’])
      | \b(?:gilt|gelten)\snur\b | \b(?:ist|sind|findet|finden)\snur\b[^.;]{0,80}\banw
      | に限り、?適用する | 適用しない""",
    re.IGNORECASE | re.VERBOSE,
)
_UNIT = (
    r"(?:§{1,2}|arts?\.|secs?\.|abs\.|(?:sections?|articles?|artikel[sn]?|rules?|regulations?|(?:sub)?paragra(?:ph|phe)s?|"
    r"absatz(?:es)?|absätzen?|alinéas?|chapters?|parts?|subsections?)\b)"
)
_AND = r"\s?(?:,|;|\b(?:and|or|und|oder|sowie|et|ou)\b)\s?"
# Numbers that stand between the unit and the one looked for: "subsections (1), (2) and (4)".
_OTHERS = rf"(?:\(?[\w.]{{1,8}}\)?(?:\(\w{{1,4}}\))?{_AND}(?:{_AND})?){{0,6}}"
_RANGE = re.compile(
    rf"{_UNIT}\s*{_OTHERS}\(?(?P<first>\d{{1,4}}|[a-z])\)?\s?(?:to|through|bis|à|au|-|–)\s?\(?(?P<last>\d{{1,4}}|[a-z])\)?(?!\w)",
    re.IGNORECASE,
)
_THIS = r"\b(?:this|cet(?:te)?|ce|(?:du|le|la|au)\sprésent(?:e)?|diese[rsnm]?)\s"
# "this section": the unit that is the first segment of both URNs; "this subsection": of two; larger units hold more.
_THESE = (
    (
        0,
        re.compile(
            rf"{_THIS}(?:act|code|law|statute|ordinance|title|subtitle|chapter|subchapter|part|subpart|division|schedule"
            r"|loi|chapitre|titre|livre|partie|gesetz(?:es|buch)?|abschnitts?|kapitels?|titels?|verordnung)\b"
            r"|この(?:法律|章|節|政令|省令|規則)|本(?:法|章|節)",
            re.IGNORECASE,
        ),
    ),
    (
        1,
        re.compile(
            rf"{_THIS}(?:section|article|rule|regulation|provision|disposition|paragra(?:ph|phe)en|artikels?|vorschrift"
            r"|bestimmung)\b|この条|本条",
            re.IGNORECASE,
        ),
    ),
    (
        2,
        re.compile(
            rf"{_THIS}(?:subsection|paragra(?:ph|phe)|subparagraph|clause|alinéa|absatz(?:es)?|satz(?:es)?)\b"
            r"|この項|本項",
            re.IGNORECASE,
        ),
    ),
)
# "sections 3 and 4 of this title": the sections are named, and not the title.
_NUMBER = r"\(?(?:\d[\w.()~-]*|\([a-z0-9]{1,5}\)[\w()]*|[ivxlc]+|[a-z])\)?"
_PLACED = re.compile(
    rf"{_UNIT}\s*(?:{_NUMBER},?\s(?:(?:and|or|to|through|et|ou|à|und|oder|bis)\s)?){{1,12}}"
    r"(?:of|du|de\sla|des|dieses|dieser)\s(?:this|présente?|gesetzes|kapitels|titels|abschnitts)(?:\s\w+)?",
    re.IGNORECASE,
)
# "Notwithstanding ...,": the words in which a sentence says what it goes before.
_PREVAILS = re.compile(
    r"\A\W*(?:notwithstanding|despite|regardless\sof|nonobstant|par\sdérogation|abweichend|ungeachtet)\b[^,:;—]*",
    re.IGNORECASE,
)
# The parts of a provision after its number, and whether others follow: "(1) and (3)".
_PARTS = re.compile(
    r"(?P<parts>(?:\s?\(\w{1,5}\))*)(?P<more>\s?(?:,|;|-|–|and|or|to|through|et|ou|à|und|oder|bis)\s?\()?"
)
_BEFORE = re.compile(
    r"\b(?:preceding|foregoing|previous)\s(?:subsection|paragraph|subparagraph|section|article|rule|provision|clause)\b"
    r"|\b(?:alinéa|article|paragraphe)\s(?:précédent|qui\sprécède)\b"
    r"|\b(?:vorstehende|vorhergehende|vorige)[nrms]?\s(?:absatz|artikel|paragraph|vorschrift)"
    r"|前[二三]?[項条]",
    re.IGNORECASE,
)


def speaks_against(sentence: str) -> bool:
    """Whether a sentence begins with a word such as "However", which limits what stands before it."""
    return _AGAINST.search(sentence) is not None


def takes_back(sentence: str) -> bool:
    """Whether a sentence limits the one right before it in the same text."""
    return any(words.search(sentence) for words in (_AGAINST, _OPENERS, _TAKES_BACK))


def sets_aside(sentence: str, language: str) -> bool:
    """Whether a sentence says that it goes before another provision, that one does not apply, or to what alone."""
    rules = language_rules(language)
    phrases = rules.links.exceptions if rules else ()
    known = any(one.kind != "subject_to" and one.pattern.search(sentence) for one in phrases)
    return known or _NARROWS.search(sentence) is not None


def prevails_over_much(sentence: str) -> bool:
    """Whether a sentence goes before a whole law or chapter, as "Notwithstanding any provision of this chapter" does.

    It limits a provision there only where both are about the same matter.
    """
    begins = _PREVAILS.match(sentence)
    return begins is not None and _THESE[0][1].search(begins[0]) is not None


def speaks_of_its_place(sentence: str) -> bool:
    """Whether a sentence names its own section or a part of it, as "sales under this subsection" do."""
    return any(levels and said.search(sentence) for levels, said in _THESE)


def names_what_precedes(sentence: str) -> bool:
    """Whether a sentence speaks of the provision right before its own."""
    return _BEFORE.search(sentence) is not None


LETTERS = 3  # at most, before the number of an article: `R`, `LO`


def names(sentence: str, cited: Block, other: Block, around: Iterable[tuple[str, str]] = ()) -> Reach:
    """Whether a sentence of another provision names the cited one or what contains it.

    A sister names it by its designator alone or as "this section", a provision further off by unit and number. What
    is in the context as an exception is known to reach the rule: there the number is enough, or "this chapter".

    Args:
        sentence: of the other provision, with its lead-in.
        cited: a block that a claim cites.
        other: another block of the same context.
        around: what the cited one stands in, by kind and number: `chapter`, `35`.

    Returns:
        How near it comes; nothing too where one of the two stands around the other.
    """
    mine, yours = parse_urn(cited.urn), parse_urn(other.urn)
    own = list(mine.segments)
    shared, reach = 0, Reach.NONE
    if other.role == "exception" and any(_names_unit(sentence, kind, number) for kind, number in around):
        reach = Reach.WIDE
    if (mine.jurisdiction, mine.corpus) == (yours.jurisdiction, yours.corpus):
        least = min(len(own), len(yours.segments))
        shared = next((at for at in range(least) if own[at] != yours.segments[at]), least)
        if shared == least:
            return Reach.NONE
        reaches = other.role == "exception" or bool(set(cited.applies_to) & set(other.applies_to))
        words = _PLACED.sub(" ", sentence)
        if any(said.search(words) for levels, said in _THESE if levels and shared >= levels):
            return Reach.CLOSE
        if reaches and _THESE[0][1].search(words):
            reach = Reach.WIDE
    elif other.role != "exception" or not own:
        return reach
    number = rf"{_written(own[shared])}(?![\w-]|\.\d)"
    if _in_a_range(sentence, own[shared]):
        return Reach.CLOSE
    ways = [rf"{_UNIT}\s*{_OTHERS}\(?{number}\)?", *_kanji(own[shared])]
    if shared:
        ways.append(rf"\({number}\)")
    elif other.role == "exception" and re.search(r"\d", own[0]):
        ways.append(rf"(?<![\w.-]){number}")
    found = re.finditer("|".join(ways), sentence, re.IGNORECASE)
    return Reach.CLOSE if any(_leads_to(sentence[one.end() :], own[shared + 1 :]) for one in found) else reach


def _written(segment: str) -> str:
    """How texts write the number of a URN's segment: `l231-1` is `L. 231-1` in French codes."""
    digits = segment.lstrip("abcdefghijklmnopqrstuvwxyz")
    letters = segment[: len(segment) - len(digits)]
    if not letters or len(letters) > LETTERS or not digits[:1].isdecimal():
        return re.escape(segment)
    return "".join(rf"{letter}\.?\s?" for letter in letters) + rf"\*?\s?{re.escape(digits)}"


def _names_unit(sentence: str, kind: str, number: str) -> bool:
    """Whether a sentence names a chapter or the like by its number: "chapters 3 and 35", "part 110"."""
    return re.search(rf"\b{re.escape(kind)}s?\s{_OTHERS}{re.escape(number)}(?![\w-]|\.\d)", sentence, re.I) is not None


def _in_a_range(sentence: str, designator: str) -> bool:
    """Whether a sentence names units from one designator to another, with this one in between."""
    return any(
        _place(one["first"]) <= _place(designator) <= _place(one["last"])
        for one in _RANGE.finditer(sentence)
        if len({text.isdigit() for text in (one["first"], one["last"], designator)}) == 1
    )


def _place(designator: str) -> tuple[int, str]:
    """What sorts designators of one kind: numbers by value, letters by the alphabet, `aa` after `z`."""
    return (int(designator), "") if designator.isdecimal() else (len(designator), designator.lower())


def _kanji(designator: str) -> list[str]:
    """How Japanese law writes a number with its unit: 第二項."""
    if not re.fullmatch(r"[1-9]\d{0,3}", designator):
        return []
    return [f"第(?:{designator}|{kanji_numeral(int(designator))})[項条号]"]


def _leads_to(rest: str, below: Sequence[str]) -> bool:
    """Whether what follows a number leaves room for the rest of a URN: "5(2)" does not name what is below 5(1)."""
    parts = _PARTS.match(rest)
    if parts is None or parts["more"]:
        return True
    named = [one.lower() for one in re.findall(r"\w+", parts["parts"])]
    return all(one == other for one, other in zip(named, below, strict=False))
