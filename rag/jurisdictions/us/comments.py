"""Official interpretations of a part of the C.F.R., and how they cite: comments, `paragraph 15(c)(3)`, model forms.

An interpretation stands in a supplement of its part and comments on a section: its "this section" is that section.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from rag.jurisdictions.grammar.targets import below
from rag.law.jurisdiction import FoundReference, ReferenceContext, ReferencePart
from rag.law.nodes import ParsedNode

_PATH = r"(?:\([A-Za-z0-9]{1,5}\)){0,6}"
_SUPPLEMENT = "supplement_i"
# A comment is cited by what it comments on, a hyphen, and its number: comment 2(c)(1)(ii)-1.i.
_COMMENT = re.compile(
    rf"\bcomments?\s(?P<place>\d{{1,3}}{_PATH})(?:-(?P<number>\d{{1,3}}(?:\.[A-Za-z0-9]{{1,4}}){{0,3}}))?(?![\w(-])"
)
# The number of the section without that of the part: paragraph 15(c)(3) is § 1002.15(c)(3).
_PARAGRAPH = re.compile(rf"\b[Pp]aragraphs?\s(?P<place>(?P<section>\d{{1,3}})(?=\(){_PATH})(?![\w(-])")
_FORM = re.compile(
    r"\b(?:[Mm]odels?|(?:[Mm]odel\s|[Ss]ample\s)?[Ff]orms?|[Mm]odel\s[Nn]otices?|[Ss]amples?)\s"
    r"(?P<place>(?P<appendix>[A-Z])-(?P<number>\d{1,2}))(?![\w-])"
)
_COMMENTARY = re.compile(r"\b(?:[Cc]ommentary|[Oo]fficial\s[Ii]nterpretations?)\s(?:to|on|of)\s(?:the\s)?\Z")
_REACH = 40  # characters that the words before a section have at most
_DIGITS = re.compile(r"\w+")


def with_comments(found: list[FoundReference], text: str, here: ReferenceContext | None) -> list[FoundReference]:
    """References as read elsewhere, with those of official interpretations added and put right.

    Args:
        found: what the grammar of the code read, in order.
        text: the text.
        here: where it stands; without a place, nothing is added, and what is only commented on is no longer certain.
    """
    read = [_of_commentary(one, text, here) for one in found]
    part = here.index.nearest(here.node, "part") if here is not None else None
    if here is None or part is None:
        return read
    read = [_of_commented_section(one, part, here) for one in read]
    own = [*_matches(_COMMENT, text, part, here, _comment), *_matches(_PARAGRAPH, text, part, here, _paragraph)]
    own.extend(_matches(_FORM, text, part, here, _form))
    apart = [one for one in own if not any(one.start < two.end and two.start < one.end for two in read)]
    return sorted((*read, *apart), key=lambda one: one.start) if apart else read


def _of_commentary(one: FoundReference, text: str, here: ReferenceContext | None) -> FoundReference:
    """ "commentary to § 1013.7(a)" names what is said of the section, not the section."""
    own = one.text[:5].lower() == "this "  # "the commentary to this paragraph (e)" does name the paragraph
    if own or _COMMENTARY.search(text, max(0, one.start - _REACH), one.start) is None:
        return one
    parts = tuple(replace(part, urn=_commentary_urn(part.urn, here)) for part in one.parts)
    sure = here is not None and all(part.urn for part in parts)
    return replace(one, parts=parts, confident=one.confident and sure) if sure else replace(one, confident=False)


def _commentary_urn(urn: str, here: ReferenceContext | None) -> str:
    *corpus, number = urn.split(":")[:5]
    part, _, section = number.partition(".")
    commented = "-".join((section, *urn.split(":")[5:]))
    if here is None or not section:
        return ""
    node = here.index.node(below(f"{':'.join(corpus)}:part_{part}", _SUPPLEMENT, commented))
    return node.urn if node is not None else ""


def _of_commented_section(one: FoundReference, part: ParsedNode, here: ReferenceContext) -> FoundReference:
    """ "paragraph (p)(1) of this section" in an interpretation: of the section it comments on."""
    supplement = f"{part.urn}:{_SUPPLEMENT}:"
    if not here.node.urn.startswith(supplement):
        return one
    parts = tuple(_commented(each, supplement, part, here) for each in one.parts)
    moved = parts != one.parts
    return replace(one, parts=parts, confident=all(each.urn for each in parts)) if moved else one


def _commented(one: ReferencePart, supplement: str, part: ParsedNode, here: ReferenceContext) -> ReferencePart:
    if not one.urn.startswith(supplement) or here.index.node(one.urn) is not None:
        return one
    section, *path = one.urn.removeprefix(supplement).split(":")
    node = here.index.node(_section_urn(part, section.split("-")[0], *path))
    return one if node is None else replace(one, urn=node.urn)


def _section_urn(part: ParsedNode, section: str, *path: str) -> str:
    corpus, _, number = part.urn.rpartition(":part_")
    return below(corpus, f"{number}.{section}", *path) if corpus else ""


Locate = Callable[[re.Match[str], ParsedNode, ReferenceContext], ParsedNode | None]


def _matches(
    pattern: re.Pattern[str], text: str, part: ParsedNode, here: ReferenceContext, locate: Locate
) -> Iterator[FoundReference]:
    for match in pattern.finditer(text):
        node = locate(match, part, here)
        if node is not None:
            given = ReferencePart(match.start("place"), match.end(), node.urn)
            yield FoundReference(match.start(), match.end(), match[0], (given,), "relative", True)


def _comment(match: re.Match[str], part: ParsedNode, here: ReferenceContext) -> ParsedNode | None:
    numbers = match["number"].split(".") if match["number"] else []
    commented = "-".join(_DIGITS.findall(match["place"]))
    return here.index.node(below(part.urn, _SUPPLEMENT, commented, *numbers))


def _paragraph(match: re.Match[str], part: ParsedNode, here: ReferenceContext) -> ParsedNode | None:
    section, *path = _DIGITS.findall(match["place"])
    return here.index.node(_section_urn(part, section, *path))


def _form(match: re.Match[str], part: ParsedNode, here: ReferenceContext) -> ParsedNode | None:
    """The form that bears this name in its heading: paragraphs of an appendix are numbered as well."""
    node = here.index.node(below(part.urn, f"appendix_{match['appendix']}", match["number"]))
    named = node is not None and re.search(rf"(?<![\w-]){match['place']}(?![\w-])", node.heading)
    return node if named else None
