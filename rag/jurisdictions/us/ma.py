"""Massachusetts: the General Laws, by chapter and section, and the Code of Massachusetts Regulations.

A chapter of the General Laws is a corpus of its own (`urn:lex:ma:mgl-93a`), since its sections are numbered from 1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from rag.jurisdictions.grammar.kernel import Item, below, doubted, plain_number, range_ends
from rag.jurisdictions.grammar.signals import unframed
from rag.jurisdictions.us.federal import UnitedStates
from rag.jurisdictions.us.own import CodeName
from rag.law.jurisdiction import Jurisdiction, ReferenceContext
from rag.law.patterns import lazy
from retrieval.tag_query import TagQuery

GENERAL_LAWS = "urn:lex:ma:mgl"  # the General Laws as a whole; only their chapters are corpora

_SECTION = r"(?:§{1,2}|sec(?:tion|\.)?s?|s\.)\s?\d[^§]{0,60}"
_CHAPTER_FIRST = lazy(
    rf"(?:chapter|chap\.|ch\.|c\.)\s?(?P<number>\d{{1,3}}[A-Z]{{0,2}})(?P<section>,?\s{_SECTION})?", re.IGNORECASE
)
_CHAPTER_LAST = lazy(rf"{_SECTION}\sof\schapter\s\d{{1,3}}[A-Z]{{0,2}}", re.IGNORECASE)
_NO_CODE = "a chapter of no named code, read as of the General Laws"
# "2-4" is a range, but chapter 106 numbers as the Uniform Commercial Code does: "2-314".
_RANGE = lazy(r"(?P<first>\d{1,3})(?P<a>[A-Z]{0,2})-(?P<last>\d{1,3})(?P<b>[A-Z]{0,2})\Z", re.IGNORECASE)
_UNIFORM = f"{GENERAL_LAWS}-106"
# After the bracketed levels the CMR numbers with points: 3.17(1)(a)1.a.
_POINTED = lazy(r"(\d{1,2})\.(?:([a-z])\.)?(?![\w(])")


class Massachusetts(UnitedStates):
    """The Commonwealth; its law cites federal law too."""

    code = "us-ma"
    name = "Massachusetts"
    also = ("us",)
    main_levels: Mapping[str, str] = {**UnitedStates.main_levels, "cmr": "chapter"}
    codes = (
        CodeName(
            r"(?<![\w.])(?P<title>\d{3})\s?(?:C\.?\s?M\.?\s?R(?:\.|(?!\w))|Mass\.\sCode\sRegs?\.|Code\sMass\.\sRegs?\.)",
            lambda title: f"urn:lex:ma:{title}cmr",
            alone=True,
        ),
        CodeName(
            r"(?:\bM\.?\s?G\.?\s?L\.?|\bALM,?\sG\.?\s?L\.?|\b(?:Mass\.\s)?G\.\s?L\.|(?:\bMass(?:achusetts|\.)?\s|\b(?<!R\.I\.\s)(?<!R\.\sI\.\s))Gen(?:eral|\.)?\sLaws(?:\sAnn\.)?)"
            r"(?:\s?A\.)?,?\s?(?:(?:chapter|chap|ch|c)\.?\s?)?(?P<title>\d{1,3}[A-Z]{0,2})\b",
            lambda title: f"{GENERAL_LAWS}-{title}",
            alone=True,
        ),
        *UnitedStates.codes,
    )
    named_codes = (
        (r"(?:Massachusetts )?General Laws\b|M\.?G\.?L\.(?!\s?c)|G\.L\.(?!\s?c)", GENERAL_LAWS),
        *UnitedStates.named_codes,
    )

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """As in federal law; a chapter and section of no named code are a candidate of the General Laws."""
        if found := super().tag_queries(reference):
            return found
        bare = unframed(reference, self.language)
        if first := _CHAPTER_FIRST.fullmatch(bare):
            read = super().tag_queries(f"G.L. c. {first['number']}{first['section'] or ''}")
        elif _CHAPTER_LAST.fullmatch(bare):
            read = super().tag_queries(f"{bare} of the General Laws")
        else:
            return []
        return doubted(read, _NO_CODE)

    def section_urn(self, corpus: str, number: str, within: str) -> str:
        """The URN of a section of a chapter of the General Laws, of the CMR or of a federal code."""
        if corpus.startswith(f"{GENERAL_LAWS}-"):
            return below(corpus, number) if "." not in number else ""
        if corpus.endswith("cmr"):
            return below(corpus, number) if "." in number else ""
        return "" if corpus == GENERAL_LAWS else super().section_urn(corpus, number, within)

    def container_urn(self, within: str, level: str, number: str) -> str:
        """The URN of a container; a chapter of the General Laws is a corpus."""
        if within == GENERAL_LAWS:
            return f"{GENERAL_LAWS}-{number.lower()}" if level == "chapter" else ""
        return super().container_urn(within, level, number)

    def bare_container(self, level: str, number: str, here: ReferenceContext) -> str:
        """Another chapter of the General Laws, as "chapter 93A" says inside them."""
        if level == "chapter" and here.index.corpus_urn.startswith(f"{GENERAL_LAWS}-") and number[0].isdigit():
            return f"{GENERAL_LAWS}-{number.lower()}"
        return super().bare_container(level, number, here)

    def split(self, corpus: str, item: Item) -> list[Item]:
        """A range printed as one number; the General Laws have no hyphen in theirs but in chapter 106."""
        if not corpus.startswith(f"{GENERAL_LAWS}-"):
            return super().split(corpus, item)
        match = _RANGE.match(plain_number(item.number)) if corpus != _UNIFORM and not item.path else None
        if match is None or int(match["first"]) > int(match["last"]):
            return [item]
        first, last = match["first"] + match["a"], match["last"] + match["b"]
        return range_ends(item, first, last)

    def extend(self, text: str, item: Item) -> Item:
        """Read the pointed levels of the CMR."""
        match = _POINTED.match(text, item.end) if item.path and "." in item.number else None
        if match is None:
            return item
        return replace(item, path=(*item.path, *(group for group in match.groups() if group)), end=match.end())


JURISDICTION: Jurisdiction = Massachusetts()
