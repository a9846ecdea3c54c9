"""The District of Columbia: the D.C. Code, whose section numbers tell their title."""

from __future__ import annotations

import re
from dataclasses import replace

from rag.jurisdictions.grammar.kernel import below
from rag.jurisdictions.grammar.signals import unframed
from rag.jurisdictions.us.american import CONTAINER
from rag.jurisdictions.us.federal import UnitedStates
from rag.jurisdictions.us.own import CodeName
from rag.law.jurisdiction import FoundReference, Jurisdiction, ReferenceContext
from rag.law.patterns import lazy
from retrieval.tag_query import TagQuery

DC_CODE = "urn:lex:us-dc:code"

_UNIFORM_HINT = "section of the Uniform Commercial Code as enacted in the District"
_BARE_HINT = "a section of the D.C. Code, which is not named"
# Title 28 of the D.C. Code holds the articles of the Uniform Commercial Code under their own numbers.
_UNIFORM = lazy(
    r"(?:D\.?\s?C\.?\s)?(?:UCC|U\.\s?C\.\s?C\.|Uniform\sCommercial\sCode),?\s(?:§\s?|sec(?:tion|\.)\s)?(?=\d[A-Z]?-\d)",
    re.IGNORECASE,
)
_OF_UNIFORM = lazy(
    r"(?:§\s?|sec(?:tion|\.)\s)(?P<place>\d[A-Z]?-\d\S*)\sof\sthe\s(?P<code>U\.?\s?C\.?\s?C\.?|Uniform\sCommercial\sCode)",
    re.IGNORECASE,
)
_LETTERED = frozenset({"2a", "4a"})  # articles of the Uniform Commercial Code; no title of the Code has a letter
_WORD = lazy(r"(?:§\s?|sections?\s|secs?\.\s?)", re.IGNORECASE)
_NUMBER = lazy(
    r"(?P<title>\d{1,2}[A-Z]?)(?::(?P<article>\d{1,2}[A-Z]?))?-\d+[a-z]{0,2}(?:\.\d+[a-z]{0,2})?\Z", re.IGNORECASE
)
# A section by its number alone, and what is before it where it is another code's: "Idaho Code Ann. § 18-4001".
_BARE = lazy(r"(?:§{1,2}\s?|sections?\s|secs?\.\s)\d{1,2}[A-Z]?(?::\d{1,2}[A-Z]?)?[-–—]\d", re.IGNORECASE)
_OTHER_CODE = lazy(
    r"(?:\bCode|\bC\.|\bStat(?:utes?|s?\.)|\bAnn(?:otated|\.)|\bLaws?|\bCodified|\bSupp\.|\bG\.?S\.?|\b[A-Z]\.[A-Z]\.[A-Z.]{1,6}|"
    r"\bI\.C\.|\bR\.?S\.?)(?:\s\([^()]{1,30}\))?,?\s{1,3}\Z"
)
_DISTRICT = lazy(r"\bD\.?\s?C\.|\bDC\b|\bDistrict\sof\sColumbia\b|\bthe\sDistrict\b")
_LOOK_BACK = 40  # characters
# A section of an act by its own number, and a container without what it is in: "Except for section 411, subtitle IV".
_OF_AN_ACT = lazy(r"(?:§{1,2}\s?|sections?\s|secs?\.\s)\d{1,4}[a-z]?(?:\([^()]*\))*\Z", re.IGNORECASE)
_ALONE = lazy(rf"(?:{CONTAINER})s?\s[IVXLC\d]+[A-Z]?\Z", re.IGNORECASE)


class DistrictOfColumbia(UnitedStates):
    """The District; its law cites federal law too."""

    code = "us-dc"
    name = "District of Columbia"
    also = ("us",)
    codes = (
        # Earlier editions number their sections differently, so that an edition's year means other law.
        CodeName(
            r"(?:D\.?\s?C\.?|District of Columbia)\s(?:Official\s)?Code,?\s"
            r"(?:\(?\d{4}\s(?:ed\.?|edition)\)?|\(?(?:19|20)\d\d\)?(?=,?\s(?:§|sec))|Encyclopedia),?",
            lambda _: "",
        ),
        CodeName(
            r"(?:\bD\.?\s?C\.?|District of Columbia)\s?(?:(?:Official\s?)?Code(?:\sAnn\.)?|\sST\b)"
            r"(?=,?\s?(?:§|sec|\d))",
            lambda _: DC_CODE,
        ),
        *UnitedStates.codes,
    )
    named_codes = (
        (r"(?:D\.\s?C\.|District of Columbia)\s(?:Official\s)?Code\b", DC_CODE),
        *UnitedStates.named_codes,
    )
    externals = (
        r"\bD\.C\.\s(?:Law|Act)\s\d{1,2}-\d{1,4}",
        r"(?<![\w.])\d{1,3}\sDCR\s\d{1,6}\b",
        r"(?<![\w.])\d{1,2}[A-Z]?\s?(?:DCMR|D\.C\.M\.R\.)(?:\s§{0,2}\s?\d+(?:\.\d+)?)?",
        *UnitedStates.externals,
    )

    def find_references(self, text: str, here: ReferenceContext | None) -> list[FoundReference]:
        """As in federal law, without numbers that the words before give to another state's code, and without containers
        of an act: a sentence that cites a section by the act's own number means the act's title by "title IV".

        Many states number their sections alike: outside the District's own law a number without its code is certain
        only in a text that speaks of the District.
        """
        found = [
            reference
            for reference in super().find_references(text, here)
            if not (
                _BARE.match(reference.text)
                and _OTHER_CODE.search(text, max(0, reference.start - _LOOK_BACK), reference.start)
            )
        ]
        acts = [earlier.end for earlier in found if earlier.kind == "external" and _OF_AN_ACT.match(earlier.text)]
        found = [
            reference
            for reference in found
            if not (
                reference.kind == "relative"
                and _ALONE.match(reference.text)
                and any(". " not in text[end : reference.start] for end in acts if end <= reference.start)
            )
        ]
        if here is None and _DISTRICT.search(text) is None:
            for earlier in found:
                earlier.confident = earlier.confident and not _BARE.match(earlier.text)
        return found

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """As in federal law; a section number without its code is a candidate: other codes number like this too."""
        reference = unframed(reference, self.language)
        if turned := _OF_UNIFORM.fullmatch(reference):
            reference = f"{turned['code']} § {turned['place']}"
        if (uniform := _UNIFORM.match(reference)) is not None:
            found = super().tag_queries(f"§ 28:{reference[uniform.end() :]}")
            return [replace(tag_query, hint=_UNIFORM_HINT) for tag_query in found]
        word = _WORD.match(reference)
        number = reference[word.end() :] if word else reference
        match = _NUMBER.match(re.sub("[–—]", "-", number.partition("(")[0].strip()))
        found = super().tag_queries(f"§ {number}") if match else super().tag_queries(reference)
        return [replace(tag_query, hint=_BARE_HINT) for tag_query in found] if match else found

    def document_urn(self, urn: str) -> str:
        """The title: it begins the number of every section."""
        segments = urn.removeprefix(f"{DC_CODE}:").split(":")
        if not urn.startswith(f"{DC_CODE}:"):
            return super().document_urn(urn)
        number = _NUMBER.match(":".join(segments[:2])) or _NUMBER.match(segments[0])
        return f"{DC_CODE}:{segments[0]}" if number is None else f"{DC_CODE}:title_{number['title'].lower()}"

    def bare_section_corpus(self, number: str) -> str:
        """The D.C. Code, for a number with a title before the hyphen."""
        return DC_CODE if _NUMBER.match(re.sub("[–—]", "-", number)) else ""

    def section_urn(self, corpus: str, number: str, within: str) -> str:
        """The URN of a section of the D.C. Code or of a federal code."""
        if corpus != DC_CODE:
            return super().section_urn(corpus, number, within)
        plain = re.sub("[–—]", "-", number)
        match = _NUMBER.match(plain)
        if match is None:
            return ""
        title = within.removeprefix(f"{DC_CODE}:title_").split(":")[0] if within.startswith(f"{DC_CODE}:title_") else ""
        # "section 9-505 of Title 28" leaves out the title that the Code itself would print: 28:9-505.
        if title and not match["article"] and title != match["title"].lower():
            return below(DC_CODE, title, plain)
        if not match["article"] and match["title"].lower() in _LETTERED:
            return below(DC_CODE, "28", plain)
        return below(DC_CODE, *plain.split(":"))

    def title_urn(self, number: str, code: str, here: ReferenceContext | None) -> str:
        """A title of the D.C. Code unless another code is named or other law of the District speaks."""
        if code == DC_CODE or (not code and (here is None or here.index.corpus_urn == DC_CODE)):
            return below(DC_CODE, f"title_{number}") if number[0].isdigit() else ""
        return super().title_urn(number, code, here)


JURISDICTION: Jurisdiction = DistrictOfColumbia()
