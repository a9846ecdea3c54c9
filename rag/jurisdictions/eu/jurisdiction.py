"""The European Union: acts by number, CELEX or short name, treaties, cases; in English, French, German and others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from rag.jurisdictions.grammar import union_law
from rag.jurisdictions.grammar.kernel import Law, doubted
from rag.jurisdictions.grammar.provisions import Grammar
from rag.jurisdictions.grammar.signals import unframed
from rag.jurisdictions.grammar.statutory import Cited, Passage, StatutoryJurisdiction
from rag.law.jurisdiction import Jurisdiction, queries_of_references
from rag.law.patterns import lazy, verbose
from rag.law.scopes import WHOLE_LAW_IN_PASSING
from retrieval.tag_query import NORMALIZE_PATTERNS, SEVERAL, TagFilter, TagFilterOp, TagFilterSet, TagQuery, urn_query

GRAMMAR = Grammar(
    words={
        "article": r"articles?|arts?\.?(?=\s?\d)|arts?\.|artikeln?|artikels|artículos?|articol[oi]|artigos?|"
                   r"artykuł\w{0,2}",
        "recital": r"recitals?|recs?\.(?=\s?\(?\d)|considérants?|erwägungsgr(?:und|ünde[n]?)|erwgr?\.?(?=\s?\d)|"
                   r"considerando|overweging",
        "annex": r"annex(?:es)?|annexes?|anhang(?:s|es)?|anhänge[n]?|anexos?|allegat[oi]|bijlagen?",
        "chapter": r"chapters?|chapitres?|kapitels?|capítulos?|cap[oi]",
        "section": r"sections?|abschnitts?|secci[oó]n|sezione|afdeling",
        "title": r"titles?|titres?|titels?|título",
        "part": r"parts?|parties?|teils?",
        "subparagraph": r"sub-?paragraphs?|alinéas?|unterabs(?:atz(?:es)?|\.)|uabs\.?|párrafo|comma|alinea",
        "indent": r"indents?|tirets?|gedankenstrichs?|anstrich",
        "sentence": r"sentences?|satz(?:es)?|phrases?|s\.(?=\s?\d)",
        "paragraph": r"paragraphs?|paras?\.?(?=\s?[(\d])|paragraphes?|abs(?:ätze[n]?|atz(?:es)?|\.)|apartados?|"
                     r"paragraf[oi]|lid|§",
        "point": r"(?:sub-?)?points?|buchst(?:aben?|\.)|lit(?:era|\.)?(?=\s?[(a-z])|lettres?|letras?|"
                 r"letter[ae]?|nummern?|nr\.|ziff(?:er|\.)",
    },
    units=frozenset({"article"}),
    annexes={"annex": "annex"},
    containers=frozenset({"chapter", "section", "title", "part"}),
    descents={
        "article": frozenset({"paragraph", "point", "subparagraph", "indent", "sentence"}),
        "paragraph": frozenset({"point", "subparagraph", "indent", "sentence"}),
        "subparagraph": frozenset({"point", "indent", "sentence"}),
        "point": frozenset({"point", "indent", "sentence"}),
        "sentence": frozenset({"point"}),
        "annex": frozenset({"part", "section", "chapter", "point", "paragraph"}),
        "part": frozenset({"section", "point", "chapter", "title"}),
        "title": frozenset({"chapter"}),
        "chapter": frozenset({"section"}),
    },
    this=r"this|the present|du présent|le présent|de la présente|la présente|diese[rsm]?",
    that=r"that|the said|the same|dudit|de ladite|cette|cet",
    acts=r"Regulation|Directive|Decision|Treaty|Charter|Agreement|règlement|directive|décision|Verordnung|"
         r"Richtlinie|Beschlusses",
    counted=frozenset({"subparagraph", "indent", "sentence"}),
    ordinals={
        "first|premier|première|ersten?": 1, "second|deuxième|seconde?|zweiten?": 2, "third|troisième|dritten?": 3,
        "fourth|quatrième|vierten?": 4, "fifth|cinquième|fünften?": 5, "sixth|sixième|sechsten?": 6,
        "seventh|septième": 7, "eighth|huitième": 8,
    },
    neighbours={r"(?:immediately\s)?(?:preceding|previous)": "before", r"(?:next|immediately)\sfollowing": "after"},
    pointed=True,
    below_only=r"nos?\.?|nrs?\.?|n[°º]",
    singular=r"article|art\.?|recital|paragraph|point|chapter|annex|section|subparagraph|considérant|paragraphe|"
             r"annexe|chapitre",
)  # fmt: skip

_SHORT = 80  # characters behind a number that are compared with what was read before
_NO_WORD = "a number beside the act's name, read as its article"
_BRACKETED_FIRST = lazy(r"\d{1,3}[a-z]?\s?\(")
_NUMBERED = lazy(r"urn:lex:eu:3(\d{4})")
_GLOSS = lazy(r"\s?\((?!(?:EU|EC|EEC|UE|CE|CEE|EG|EWG)\))(?:the\s)?[\"“]?(?P<name>[^()\"”]{2,60}?)[\"”]?\)")
# The day and the title of an act; a provision named behind them is no part of it.
_ADOPTED = verbose(r"""
    ,? \s (?:of|du|vom|del|van) \s \d{1,2}\.? \s [^\W\d]{3,12} \s (?P<year>(?:19|20)\d\d)
    # the title, up to the provision named behind it
    (?: ,? \s (?:on|concerning|relating|laying|amending|relati\w{1,4}|sur|concernant|zu[mr]?|über) \s
        (?: (?! \b(?:art|annex|anhang|recital|chapter|kapitel|considérant) ) [^\d()] ){1,500}? )?
    (?= \Z | ,\s(?:art|annex|anhang|recital|chapter|kapitel|considérant) )
""", re.IGNORECASE)  # fmt: skip
# "of Directive 2000/31/EC on electronic commerce": the title without its day, which nothing compares.
_TITLED = lazy(
    r"\s(?:on|concerning|relating\sto|laying\sdown|sur|concernant|relative\s[àa]u?|über|zu[mr]?)\s[^\d()§]{4,300}\Z",
    re.IGNORECASE,
)
_NO_TITLE = "the title behind the act's number is not compared"
# Words before a reference that are no part of it.
_LEADING = lazy(
    r"\A(?:(?:the|le|la|les|der|die|das|EU|EC|Council|Commission|Implementing|Delegated)\s{1,3}){1,3}", re.IGNORECASE
)


class EuropeanUnion(StatutoryJurisdiction):
    """Union law."""

    code = "eu"
    name = "European Union"
    main_levels: Mapping[str, str] = {"": WHOLE_LAW_IN_PASSING}

    def __init__(self) -> None:
        super().__init__(GRAMMAR, union_law.STARTS)

    def law_at(self, text: str, at: int, passage: Passage) -> tuple[Law, int] | None:
        """An act, a short name or a treaty."""
        if len(text) - at > _SHORT:
            return _law_at(text, at)
        before = min(at, len("UK "))  # "UK GDPR" is another law
        read = _read_tail(text[at - before :], before)
        return (read[0], read[1] + at - before) if read is not None else None

    def cited_law(self, text: str, match: re.Match[str], floor: int, passage: Passage) -> tuple[Law, int, int] | None:
        """An act, CELEX number, case, ECLI or place in the Official Journal."""
        at = match.start()
        read = (
            union_law.act_at(text, at)
            or union_law.celex_at(text, at)
            or union_law.ecli_at(text, at)
            or union_law.case_at(text, at)
            or union_law.journal_at(text, at)
            or union_law.short_name_at(text, at, after_article=False)
        )
        return (read[0], at, read[1]) if read else None

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """A treaty's article by its tags, a case by its number, everything else by its URN."""
        whole = _LEADING.sub("", reference.strip())
        bare = unframed(whole, "eu")
        reference = _pointed(bare if bare == whole else _LEADING.sub("", bare))
        if paragraphs := _with_paragraphs(reference):
            return doubted(self._read(paragraphs), _AS_PARAGRAPH)
        if found := self._read(self._unglossed(reference)):
            return found
        if (
            (titled := _TITLED.search(reference))
            and (act := union_law.last_act(reference))
            and act[1] == titled.start()
        ):
            return doubted(self._read(reference[: titled.start()]), _NO_TITLE)
        written = _in_other_words(reference)
        return self._reworded(reference, written) or self._numbered(written)

    def _read(self, reference: str) -> list[TagQuery]:
        """The readings of a string as it is written."""
        language = union_law.language_of(reference)
        cited = self.cited(reference, None)
        whole = reference.strip().rstrip(" .,;?")
        if len(cited) == 1 and cited[0].reference.start == 0 and cited[0].reference.end >= len(whole):
            law = cited[0].law
            tags = dict(law.tags) if law is not None else {}
            if law is not None and tags:
                return _by_tags(cited[0], law, tags, language)
            if law is not None and not law.certain:
                return self._unnamed_kind(cited[0], law, language)
        return queries_of_references([citation.reference for citation in cited], reference, language)

    def _reworded(self, reference: str, written: str) -> list[TagQuery]:
        """The readings of a string in other words or another order, or of the decisions that it names."""
        if decisions := _decision_alone(reference):
            found = [query for decision in decisions for query in self._read(decision)]
            several = len(decisions) > 1
            return [
                replace(tag_query, hint=f"{SEVERAL}; {tag_query.hint}") if several else tag_query for tag_query in found
            ]
        if written != reference and (found := self._read(written)):
            return found
        turned = _law_last(written)
        return self._read(turned) if turned else []

    def _numbered(self, written: str) -> list[TagQuery]:
        """The reading of a number right after an act's name as its article, or of one with a paragraph before it."""
        if _BRACKETED_FIRST.match(written):
            return doubted(self._read(f"Article {written}"), _NO_WORD)
        named = union_law.short_name_at(written, 0, after_article=True) or union_law.treaty_at(written, 0)
        number = written[named[1] :].lstrip(" ,:") if named is not None else ""
        if named is None or not number[:1].isdigit():
            return []
        found = self._read(f"Article {number} {written[: named[1]]}")
        return doubted(found, _NO_WORD)

    def _unglossed(self, reference: str) -> str:
        """The reference without what only repeats the act's number: its short name in brackets, its day and title."""
        for gloss in _GLOSS.finditer(reference):
            named = union_law.short_name_at(reference, gloss.start("name"), after_article=True)
            if named is None or named[1] != gloss.end("name"):
                continue
            act = union_law.last_act(reference[: gloss.start()])
            if act and act[0].urn == named[0].urn:
                return self._unglossed(reference[: gloss.start()] + reference[gloss.end() :])
        adopted = _ADOPTED.search(reference)
        if adopted is None:
            return reference
        act = union_law.last_act(reference[: adopted.start()])
        numbered = _NUMBERED.match(act[0].urn) if act and act[1] == adopted.start() else None
        fits = numbered is not None and 0 <= int(numbered[1]) - int(adopted["year"]) <= 1
        return reference[: adopted.start()] + reference[adopted.end() :] if fits else reference

    def _unnamed_kind(self, one: Cited, law: Law, language: str) -> list[TagQuery]:
        """ "95/46/EC" can be a directive or a decision."""
        urns = {
            kind: urn.replace(law.urn, re.sub(r"(?<=:3\d{4})l", kind[0] if kind == "decision" else "l", law.urn), 1)
            for kind in ("directive", "decision")
            for urn in one.reference.urns
        }
        return [urn_query(urn, language=language, hint=f"{kind} {law.title}") for kind, urn in urns.items()]


def _by_tags(one: Cited, law: Law, tags: dict[str, str], language: str) -> list[TagQuery]:
    if "case_number" in tags:
        number = TagFilter("case_number", TagFilterOp.NORMALIZE, tags["case_number"], NORMALIZE_PATTERNS["punctuation"])
        hint = "case of the Court of Justice of the European Union"
        by_number = TagQuery(language=language, kind="decision", tag_filters=TagFilterSet((number,)), hint=hint)
        return [by_number, urn_query(law.urn, language=language, hint=f"judgment in case {law.title}")]
    if one.reading is None:
        return [
            TagQuery(
                language=language,
                kind=None if "treaty" in tags else "decision",
                tag_filters=TagFilterSet.from_tags(tags),
            )
        ]
    if "treaty" not in tags or one.reading.level == "recital":
        return []
    units = [*reversed(one.reading.units)]
    numbers = [unit.number for unit in units if unit.level == "article"]
    path = [part for unit in units for part in unit.path]
    items = [(item.number, item.path) for item in one.reading.items] if one.reading.level == "article" else []
    numbers = numbers or [number for number, _ in items]
    smaller = bool(path) or any(under for _, under in items) or one.reading.level != "article"
    several = len(numbers) > 1 or len(one.reading.items) > 1
    hint = SEVERAL if several else "the whole article, of which a part is named" if smaller else None
    if hint is None and not law.certain:
        hint = "the Charter of Fundamental Rights of the European Union"
    return [
        TagQuery(
            language=language, kind="legislation",
            tag_filters=TagFilterSet.from_tags({"article_number": number, "treaty": tags["treaty"]}), hint=hint,
        )
        for number in dict.fromkeys(numbers)
    ]  # fmt: skip


_OTHER_LAW = lazy(
    r"(?:the\s)?(?:[A-Z][\w’'-]*\s(?:(?:of|on|and|for|the)\s){0,2}){0,6}"
    r"(?:Act|Code|Convention|Agreement|Protocol|Constitution|Statute|Staff Regulations|Rules of Procedure|ECHR|"
    r"GG|BGB|BDSG)\b"
)


def _foreign(text: str, at: int) -> tuple[Law, int] | None:
    """Law that is not the Union's: recognised, so that "Article 8 of the Convention" is none of this act's."""
    match = _OTHER_LAW.match(text, at)
    return (Law("", match[0]), match.end()) if match else None


@lru_cache(maxsize=4096)  # what a reference ends with is the name of a law, and few are cited again and again
def _read_tail(text: str, at: int) -> tuple[Law, int] | None:
    return _law_at(text, at)


def _law_at(text: str, at: int) -> tuple[Law, int] | None:
    return (
        union_law.act_at(text, at)
        or union_law.celex_at(text, at)
        or union_law.treaty_at(text, at)
        or union_law.short_name_at(text, at, after_article=True)
        or _foreign(text, at)
    )


# References in other words or another order than the grammar's: "Rec. 26 GDPR", "AI Act Art. 5". Only for whole
# strings that the grammar does not read as they are: in running text many of these words mean other things.

_I = re.IGNORECASE
# What is in a string wherever the pattern fits, in lower case: most strings are left after that look.
_REWRITTEN: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("eu", lazy(r"\b(?:the\s)?EU[ -](?=GDPR|DS-?GVO|RGPD|GRCh|AI\sAct)", _I), ""),
    ("rec", lazy(r"\brecs?\.?\s?(?=\(?\d)", _I), "recital "),
    ("g", lazy(r"\b(?:erw\.?\s?g(?:r(?:d|\.)?)?\.?|EG)\s?(?=\d)", _I), "Erwägungsgrund "),
    ("cons", lazy(r"\b(?:cons|consid)\.\s?(?=\d)", _I), "considérant "),
    ("eu) n", lazy(r"(?<=\(EU\))\s(?:No|Nr|n[°o])\.?\s(?=20(?:1[5-9]|[2-9]\d)/)"), " "),
    ("ue) n", lazy(r"(?<=\(UE\))\s(?:No|Nr|n[°o])\.?\s(?=20(?:1[5-9]|[2-9]\d)/)"), " "),
    ("n", lazy(r"(?<=[\d)])\s?,?\s(?:nos?|nrs?)\.?\s?(?=\d{1,3}(?!\d|/))", _I), " point "),
    ("para", lazy(r"\bsub-?paras?\.?\s(?=\d)", _I), "subparagraph "),
    ("sec", lazy(r"(?<=\d)\s?,?\ssec(?:t|tion)?\.?\s(?=\d)", _I), " paragraph "),
    ("par.", lazy(r"\bpar\.\s(?=\d)", _I), "paragraph "),
    ("let.", lazy(r"\blet\.\s(?=[a-z]\b)", _I), "point "),
    ("onder", lazy(r"\bonder\s(?=[a-z]\b)", _I), "point "),
    (".", lazy(r"(?<=\d\.\d)\s(?=[a-z]\))"), "."),
    ("(", lazy(r"(?<=\(\d\))([a-z])\)?(?=\s|\Z)"), r"(\1)"),
    ("(", lazy(r"(?<=\(\d\))\s([a-z])\)?(?=\s(?![\d(]))"), r"(\1)"),  # not "(1) e 9"
    ("reg", lazy(r"\b(?:EU\s)?Reg\s(?=[(\d])"), "Reg. "),
)
_DIGIT = lazy(r"[0-9]")
_LETTER_AFTER_SIGN = lazy(r"(§\s?\d{1,2}(?:er)?),\s(?=[a-z]\))")
_SINGULAR = lazy(
    r"\bart(?:icles?|s|\.)?\.?\s?(?=\d[^A-Za-z]{0,30}(?:[(,/&]|and|et|und|or|ou|oder)|\d{1,3}\s?[-–]\s?\d{1,3}\b)", _I
)
_SLASH = lazy(r"(?<=\d)\s?/\s?(?=\d{1,3}(?!\d|/))")
_PARAGRAPH_OF_JUDGMENT = lazy(
    r",?\s(?:at\s)?(?:paras?\.?|paragraphs?|Rn\.|Rz\.|points?|pts?\.?|§)\s?\[?\d{1,4}\]?(?:\s?[-–]\s?\d{1,4})?\Z", _I
)
_ARTICLE = lazy(r"\b(?:art|recital|annex|§)", _I)
_LAW_FIRST = lazy(r",?\s{1,3}(?=(?:art|recital|annex|chapter|erwägung|considérant))", _I)
_CASE = lazy(r"(?<![\w-])(?<!OJ\s)(?<!JO\s)[CTF]\s?[-‐‑–\s]\s?\d{1,4}/\d{2}(?!\d|/)(?:\sP(?:PU)?\b)?")
_OLD_NUMBER = lazy(r"\d{1,3}/(?:5[4-9]|[67]\d|8[0-8])(?![\w/-])")
_OLD_CASES = lazy(
    r"\b(?:[Cc]ases?|[Aa]ff(?:aires?|\.)|Rechtssachen?|Rs\.?)\s\d{1,3}/\d\d(?:(?:,\s|\s(?:and|et|und)\s|\sto\s)\d{1,3}/\d\d){0,8}"
)
# In Switzerland and Belgium the numbered paragraphs of an article are its "alinéas".
_ALINEA = lazy(r"(\bart(?:icle|\.)?\s\d{1,3}[a-z]?),?\s(?:al\.|alinéa)\s?(\d{1,2})(?:er)?(?!\w),?\s", _I)
_AS_PARAGRAPH = "the alinéa of an article is read as its paragraph of that number"


def _with_paragraphs(reference: str) -> str:
    """The reference with "paragraphe" for an alinéa right after the article's number; empty where there is none."""
    if "al" not in reference.lower():
        return ""
    written, count = _ALINEA.subn(r"\1, paragraphe \2, ", reference)
    return re.sub(r"(?:let|lit)\.\s|(?<=,\s)(?=[a-z]\)\s)", "point ", written) if count else ""


def _pointed(reference: str) -> str:
    """The reference with "point" before a letter that follows a "§": "art. 6, § 1, f)"."""
    return _LETTER_AFTER_SIGN.sub(r"\1 point ", reference) if "§" in reference else reference


def _in_other_words(reference: str) -> str:
    """The reference with the grammar's own words for abbreviations of writers; the same where none is there."""
    if not _DIGIT.search(reference):
        return reference
    written, low = reference, reference.lower()
    for needed, pattern, words in _REWRITTEN:
        if needed in low:
            written = pattern.sub(words, written)
    if _SINGULAR.search(written):
        written = _SLASH.sub(", ", _SINGULAR.sub("Articles ", written, count=1))
    return written


def _law_last(reference: str) -> str:
    """The reference with its law at the end, where a short name or a treaty begins it; else an empty string."""
    named = union_law.short_name_at(reference, 0, after_article=True) or union_law.treaty_at(reference, 0)
    joint = _LAW_FIRST.match(reference, named[1]) if named else None
    return f"{reference[joint.end() :]} {reference[: named[1]]}" if named and joint else ""


def _decision_alone(reference: str) -> list[str]:
    """The numbers or ECLI of the decisions that a string names, without the words around them; empty for none.

    Names, courts and days only repeat what the number says. A string that cites a provision is none.
    """
    if "/" not in reference and ":" not in reference:
        return []  # neither a case number nor an ECLI
    bare = _PARAGRAPH_OF_JUDGMENT.sub("", reference)
    if _ARTICLE.search(bare):
        return []
    ecli = re.search(r"(?:ECLI:)?EU:[CTF]:\d{4}:\d{1,5}", bare)
    found = [ecli[0]] if ecli else [re.sub(r"[\s‐‑–]", "-", entry) for entry in _CASE.findall(bare)]
    found = found or [f"Case {entry}" for first in _OLD_CASES.finditer(bare) for entry in _OLD_NUMBER.findall(first[0])]
    plain = (name if name.startswith("Case") else re.sub(r"-{2,}", "-", name) for name in found)
    return list(dict.fromkeys(name for name in plain if name != reference))


JURISDICTION: Jurisdiction = EuropeanUnion()
