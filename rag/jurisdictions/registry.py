"""Which jurisdictions are known: those of this folder and those that other packages register.

Names are known at once, grammars load when something first needs them: `Known.module` is imported by the first look at
a text that can hold a reference of its law. What such a text must have is in `KNOWN`: words and signs without which
the grammar finds nothing. A pattern may say yes too often, and never no where the grammar would find something.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

from rag.plugins import lacking, load_registered
from retrieval.errors import ConfigurationError, InputError
from retrieval.paths import canonical_jurisdiction

if TYPE_CHECKING:
    from rag.jurisdictions.tables import LawEntry
    from rag.law.jurisdiction import FoundReference, Jurisdiction, ReferenceContext
    from retrieval.tag_query import TagQuery

ENTRY_POINT_GROUP = "lexscope.jurisdictions"


@dataclass(frozen=True, slots=True)
class Known:
    """A jurisdiction of this folder.

    `module` has its `JURISDICTION`. `cites` is what a text without a place must have to hold a reference of this law,
    `asks` what a string must have to be one; `folded`: both are compared with the text without accents. `names`: a
    country of whose `laws.toml` any name will do as well, for law that is cited by its name alone; `short`: so will any
    abbreviation of its own, in any capitals, in what is asked. `name` and `language` are those of the grammar.
    """

    code: str
    name: str
    language: str
    module: str
    cites: str
    asks: str
    folded: bool = False
    names: str = ""
    short: bool = False


# A word or sign that a reference begins with, or that the name of its law has.
# The last: codes of states without a sign, "RCW 59.18.280".
_AMERICAN = (
    r"§|(?i:(?<!\w)(?:(?:sections?|secs?\.?|ss?\.|rules?|(?:title|chapter|part|article|appendix|supplement)s?)\s"
    r"|(?:sub|para|claus|item|divis)[\w-]*\.?[\s(]|pars?\."
    r"|\d{1,4}\s?(?:U\.?\s?S|C\.?\s?F\.?\s?R|Stat\.|Fed\.|F\.|FR\b|S\.\s?Ct|A\.)"
    r"|Pub(?:lic|\.)?\s{0,3}L|P\.?\s?L\.?\s{0,3}(?:No|\d)|Priv(?:ate|\.)?\s{0,3}L"
    r"|I\.?\s?R\.?\s?C|Treas(?:ury|\.)?\sReg"
    r"|Fed(?:eral|\.)\s?R|F\.?R\.?(?:C\.?P|E|A\.?P|B\.?P)\b|(?:U\.S\.|United\sStates)\sConst))"
    r"|(?:(?<![\w.])(?!C\.?[FM]\.?R)[A-Z][\w.&'’-]*|\)),?\s\d{1,6}[A-Za-z]{0,2}[.:/-]\d"
)
# A decision by reporter or by its parties, a number alone, rules by their initials.
_AMERICAN_ALONE = r"|[A-Z][^§]*\d|\sv(?:s?\.|s?\s)|\A\W*\d|(?i:[a-z][.,:]*\s+\W*\d)|(?i:(?<!\w)F\.?\s?R\.?\s?[CEAB])"
_COLUMBIA = r"|(?i:D\.?\s?C\.?\s?[OCSLAMR]|District\sof\sColumbia)"
_MASSACHUSETTS = (
    r"|(?i:(?<!\w)(?:\d{3}\s?(?:C\.?\s?M|Mass|Code)|M\.?\s?G\.?\s?L|G\.\s?L\.|ALM|Mass|Gen(?:eral|\.)?\sLaws))"
)
_UNION = r"\d\s?/\s?\d|(?i:[1-9](?:19|20)\d\d[A-Z]{1,2}\d{3})|ECLI:|EU:[A-Z]|(?:OJ|JO|ABl\.?)\s"
# Law that is not the Union's, of which its grammar says so.
_NOT_UNION = (
    r"|\b(?:Act|Code|Convention|Agreement|Protocol|Constitution|Statute|Staff\sRegulations|Rules\sof\sProcedure|ECHR|GG|"
    r"BGB|BDSG)\b"
)
_BRITISH_UNIT = (
    r"(?i:(?<!\w)(?:(?:ss?|rr?)\.?\s{0,3}[A-Z]{0,2}\d|(?:sections?|sec(?:t?s?)|articles?|arts?|regulations?|regs?|rules?|"
    r"sch|scheds?|schs|schedules?|annex(?:es)?|appendix|parts?|pts?|chapters?|chs?|titles?|sub[\w-]*|divisions?|recitals?|"
    r"paras?|paragraphs?|points?|heads?|items?|limbs?)(?!\w)))"
)
_BRITISH = (
    r"(?<!\w)(?:Acts?|ACT|Measure|MEASURE|Orders?|ORDER|Regulations?|REGULATIONS|Regs?|Rules|RULES|Scheme|Code|Byelaws|"
    r"Ordinance|Directions?|Convention|Warrant|Directive|Treaty|Agreement)(?!\w)"
    r"|(?:act|regulations|rules|order),?\s{1,3}(?:1[2-9]|20)\d\d"
    r"|(?:1[2-9]|20)\d\d\s(?:c|Ch|a[sn]|na|mw|ni|NI|SC|SL|JC)|\[(?:1[89]|20)\d\d\]|\((?:1[6-9]|20)\d\d\)\s|CPR"
    r"|(?:S\.?\s?[ISR]|W\.?\s?S|Statutory\sInstr)[\s\S]{0,30}?(?:18|19|20)\d\d"
    rf"|\A(?=[\s\S]*?{_BRITISH_UNIT})[\s\S]*?[A-Z][a-z]{{0,6}}[A-Z]|{_UNION}"
)
_BRITISH_ALONE = r"|\(?(?:19|20)\d\d\)?\s(?:[A-Z]{3,6}\s|(?i:n[o°])\.?\s?\d)|\sv(?:s?\.|s?\s)"
# Law that French citations name behind "du", "de la" or "d'"; abbreviations begin with the same letters.
_FRENCH_LAW = (
    r"(?:c[.a-z]|l\.?\s?[pic]|n\.?\s?c|d\.?\s?d|reglement|directive|convention|traite|accord|protocole|statut|pacte|"
    r"arrete|instruction|deliberation|decision|declaration|avenant|recommandation|norme|avis|annexe|loi|ordonnance|"
    r"decret|acte|preambule|rgpd|dsgvo|gdpr|tfue|tue)"
)
_FRENCH = (
    r"(?i:(?<![\w-])(?:(?:codes?|lois?|ordonnances?|decrets?(?:-lois?)?|arretes?|livre|annexe)\s"
    r"|pourvoi"
    rf"|d(?:(?:u|e|es|udit|esdite?s)\s{{1,3}}|e\s{{1,3}}l(?:a\s{{1,3}}|adite\s{{1,3}}|'\s{{0,2}})|'\s{{0,2}}){_FRENCH_LAW}))"
    r"|(?i:(?<!\w)(?:articles?|arts?)[\s.0-9])"
    r"|(?<![\w.'-])(?:[CLN](?![a-z]{3})|c[.a-z])(?!\.?\s?F)[\s\S]{0,40}?[\s.,:(-][LRDlrd][\s.0-9]"
    r"|ECLI:|\((?:UE|CE|CEE|EURATOM|Euratom)[,)]|/(?:UE|CE)|RGPD|TFUE|TUE|3(?:19|20)\d\d[RLD]\d{4}"
)
# Numbers of decisions, files and laws; a number before its code.
_FRENCH_ALONE = (
    r"|[0-9]{3}\s?[0-9]{3}|[0-9]\s?[-‐-―−/]\s?[0-9]|[0-9]{2}(?i:BX|DA|LY|MA|NC|NT|PA|TL|VE)[0-9]"
    r"|(?i:ecli|\bce\b|conseil|cons\.?\sd|requ|idcc|boi|siren|convention|[a-z]{4}[0-9]{7}|french|france"
    r"|(?<!\w)(?:l|d(?:ecr?)?|ord|arr|const|c)\.|[0-9].*\s(?:c|l\.?\s?[pic]|n\.?\s?c|d\.?\s?d|declaration))"
)
_JAPANESE = r"[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f]"
_GERMAN = (
    r"§{1,4}\s{0,4}\d|(?i:(?<!\w)(?:paragra(?:ph|f)(?:en|s)?\s{1,4}|art(?:ikel[ns]?|\.)?\s{0,4}|anlagen?\s{1,3}|"
    r"anhangs?\s{1,3})\d)|ECLI:DE:|BGBl|[12]\s?Bv[A-Z]\s?\d|[IVX1-6][abc]?\s?(?:ZR|ZB|ARZ|StR)\s?\d"
    r"|\d\s?(?:AZR|ABR|AZN)\s?\d|(?:[Vv]erordnung|[Rr]ichtlinie)\s{1,3}[(N\d]"
)
# A file number, a law by an abbreviation of two capitals or more or by its name, a number beside a word.
_GERMAN_ALONE = (
    r"|[A-ZÄÖÜ][a-zäöüß]*[A-ZÄÖÜ]|[A-Za-zÄÖÜäöüß][\s\S]*\d|\d[\s\S]*[A-Za-zÄÖÜäöüß]"
    r"|(?i:gesetz|buch|ordnung|verfassung|german|ecli)"
)
KNOWN: tuple[Known, ...] = (
    Known("de", "Deutschland", "de", "de.jurisdiction", _GERMAN, _GERMAN + _GERMAN_ALONE, short=True),
    Known("eu", "European Union", "en", "eu.jurisdiction", _UNION + _NOT_UNION, _UNION, names="eu"),
    Known("fr", "France", "fr", "fr.jurisdiction", _FRENCH, _FRENCH + _FRENCH_ALONE, folded=True),
    Known("gb", "United Kingdom", "en", "gb.jurisdiction", _BRITISH, _BRITISH + _BRITISH_ALONE, names="eu"),
    Known("jp", "日本", "ja", "jp.jurisdiction", _JAPANESE, rf"{_JAPANESE}|(?i:japan|act\son\sthe\sprotection)"),
    Known("us", "United States", "en", "us.federal", _AMERICAN, _AMERICAN + _AMERICAN_ALONE, names="us"),
    Known(
        "us-dc", "District of Columbia", "en", "us.dc", _AMERICAN + _COLUMBIA,
        rf"{_AMERICAN}{_COLUMBIA}{_AMERICAN_ALONE}|(?i:u\.?\s?c\.?\s?c|uniform)", names="us",
    ),
    Known(
        "us-ma", "Massachusetts", "en", "us.ma", _AMERICAN + _MASSACHUSETTS,
        rf"{_AMERICAN}{_MASSACHUSETTS}{_AMERICAN_ALONE}|(?i:(?<!\w)(?:chapter|chap\.|ch\.|c\.)\s?\d)", names="us",
    ),
)  # fmt: skip
# Without a width of their own, so that they can stand inside a word.
_WEIGHTLESS = re.compile("[\u0300-\u036f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_WORD = re.compile(r"[^\W\d_]+")
_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u02bc\u2032\u00b4`", "'"))


def without_accents(text: str) -> str:
    """The text with plain letters and apostrophes, and nothing that has no width."""
    if text.isascii():
        return text.replace("`", "'")
    return _WEIGHTLESS.sub("", unicodedata.normalize("NFD", text.translate(_APOSTROPHES)))


def _laws_of(country: str) -> tuple[LawEntry, ...]:
    from rag.jurisdictions.tables import laws_of  # with the first text that may name a law

    return laws_of(country).laws


@cache
def _law_names(country: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of a country's laws: those that are found as they are written, and those in any capitals."""
    laws = _laws_of(country)
    exact = {name for law in laws for name in law.names}
    capital = {name[0].upper() + name[1:] for name in exact}
    return tuple(exact | capital), tuple({name.casefold() for law in laws for name in law.any_case})


@cache
def _short_names(country: str) -> frozenset[str]:
    """The words of the abbreviations of a country's laws."""
    return frozenset(
        word for law in _laws_of(country) for name in law.abbreviations for word in _WORD.findall(name.casefold())
    )


def _names_law(text: str, country: str) -> bool:
    exact, any_case = _law_names(country)
    plain = text.replace("\u2019", "'")
    if any(name in plain for name in exact):
        return True
    low = plain.casefold()
    return any(name in low for name in any_case)


class _Lazy:
    """A jurisdiction whose grammar loads when first needed; `Jurisdiction` describes the members."""

    def __init__(self, code: str) -> None:
        self.code = code

    def load(self) -> Jurisdiction:
        """The grammar, which importing its module makes."""
        raise NotImplementedError

    @cached_property
    def grammar(self) -> Jurisdiction:
        return self.load()

    @property
    def name(self) -> str:
        return self.grammar.name

    @property
    def language(self) -> str:
        return self.grammar.language

    @property
    def supports_annotation(self) -> bool:
        return self.grammar.supports_annotation

    @property
    def examples(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return self.grammar.examples

    @property
    def query_examples(self) -> tuple[tuple[str, tuple[TagQuery, ...]], ...]:
        return self.grammar.query_examples

    @property
    def main_levels(self) -> Mapping[str, str]:
        return self.grammar.main_levels

    def document_urn(self, urn: str) -> str:
        return self.grammar.document_urn(urn)

    def find_references(self, text: str, here: ReferenceContext | None) -> list[FoundReference]:
        return self.grammar.find_references(text, here)

    def tag_queries(self, reference: str) -> list[TagQuery]:
        return self.grammar.tag_queries(reference)


class BuiltIn(_Lazy):
    """A jurisdiction of this folder, which is not loaded for a text that can hold none of its law."""

    def __init__(self, known: Known) -> None:
        super().__init__(known.code)
        self._known = known

    def load(self) -> Jurisdiction:
        """See `_Lazy`."""
        from rag.jurisdictions.grammar.kernel import CountryLaw  # with the first grammar that is needed

        CountryLaw.grammar_of = staticmethod(jurisdiction_for)
        return import_module(f"rag.jurisdictions.{self._known.module}").JURISDICTION

    @property
    def name(self) -> str:
        """Its name for readers."""
        return self._known.name

    @property
    def language(self) -> str:
        """The language of its phrases."""
        return self._known.language

    @property
    def supports_annotation(self) -> bool:
        """All of this folder do."""
        return True

    @cached_property
    def _cites(self) -> re.Pattern[str]:
        return re.compile(self._known.cites)

    @cached_property
    def _asks(self) -> re.Pattern[str]:
        return re.compile(self._known.asks)

    def can_cite(self, text: str) -> bool:
        """Whether a text without a place can hold a reference of this law."""
        return self._has(self._cites, text)

    def can_be(self, reference: str) -> bool:
        """Whether a whole string can be a reference of this law."""
        if self._has(self._asks, reference):
            return True
        return self._known.short and not _short_names(self.code).isdisjoint(_WORD.findall(reference.casefold()))

    def _has(self, pattern: re.Pattern[str], text: str) -> bool:
        if pattern.search(without_accents(text) if self._known.folded else text) is not None:
            return True
        return bool(self._known.names) and _names_law(text, self._known.names)

    def find_references(self, text: str, here: ReferenceContext | None) -> list[FoundReference]:
        """All references of a text in order."""
        return self.grammar.find_references(text, here) if here is not None or self.can_cite(text) else []

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """The readings of a whole string."""
        return self.grammar.tag_queries(reference) if self.can_be(reference) else []


class Registered(_Lazy):
    """A jurisdiction that another package registers; the name of its entry point is its code."""

    def __init__(self, point: EntryPoint) -> None:
        try:
            code = canonical_jurisdiction(point.name)
        except InputError as error:
            raise ConfigurationError(
                f"The entry point {point.name!r} ({point.value}) must be named by the code of its jurisdiction, "
                "such as `ch` or `ca-qc`."
            ) from error
        super().__init__(code)
        self._point = point

    def load(self) -> Jurisdiction:
        """See `_Lazy`.

        Raises:
            ConfigurationError: it cannot be loaded, or is not the jurisdiction of its name.
        """
        from rag.law.jurisdiction import Jurisdiction

        point = self._point
        offered = load_registered(point, "jurisdiction")
        if isinstance(offered, type) or not isinstance(offered, Jurisdiction):
            raise ConfigurationError(
                f"The entry point {point.name!r} ({point.value}) is not a jurisdiction: "
                f"{lacking(offered, Jurisdiction)}. CONTRIBUTING.md has an example."
            )
        if canonical_jurisdiction(offered.code) != self.code:
            raise ConfigurationError(
                f"The entry point {point.name!r} ({point.value}) is the jurisdiction {offered.code}: "
                "name it by its code."
            )
        return offered

    def find_references(self, text: str, here: ReferenceContext | None) -> list[FoundReference]:
        """All references of a text in order.

        Raises:
            ConfigurationError: one is given a place that the text does not have.
        """
        found = super().find_references(text, here)
        for reference in found:
            for part in (reference, *reference.parts):
                if not 0 <= part.start <= part.end <= len(text):
                    place = f"from {part.start} to {part.end} in a text of {len(text)} characters"
                    raise ConfigurationError(
                        f"The jurisdiction {self._point.name!r} ({self._point.value}) gives a reference {place}. "
                        "Correct the package, or uninstall it."
                    )
        return found


@dataclass(frozen=True, slots=True)
class UnsupportedJurisdiction:
    """A jurisdiction without a module: its law can be stored and read, and nothing is looked for in it."""

    code: str
    name: str
    language: str = "und"  # the ISO 639 code for "undetermined"
    supports_annotation: bool = False
    examples: tuple[tuple[str, tuple[str, ...]], ...] = ()
    query_examples: tuple[tuple[str, tuple[TagQuery, ...]], ...] = ()
    main_levels: Mapping[str, str] = field(default_factory=dict[str, str])

    def document_urn(self, urn: str) -> str:
        """Unknown for law without a module."""
        return ""

    def find_references(self, text: str, here: ReferenceContext | None) -> list[FoundReference]:
        """None, since no grammar is known; `supports_annotation` tells that from a text without references."""
        return []

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """None, for the same reason."""
        return []


@cache
def _known() -> dict[str, Jurisdiction]:
    known: dict[str, Jurisdiction] = {entry.code: BuiltIn(entry) for entry in KNOWN}
    for point in entry_points(group=ENTRY_POINT_GROUP):
        registered = Registered(point)
        known[registered.code] = registered
    return known


def all_jurisdictions() -> list[Jurisdiction]:
    """All jurisdictions with a module, third-party ones included, sorted by code; none of them is loaded by this.

    Raises:
        ConfigurationError: an entry point is not named by a code. One that cannot be loaded, or is not a jurisdiction,
            is refused when it is first needed.
    """
    return [jurisdiction for _, jurisdiction in sorted(_known().items())]


def jurisdiction_for(code: str) -> Jurisdiction:
    """The module for a jurisdiction, or for the nearest wider one: `us-ca` is read by `us`, `fr-alsace` by `fr`.

    Returns:
        Where no module fits, one that finds nothing and says so by `supports_annotation`.

    Raises:
        InputError: malformed code.
        ConfigurationError: see `all_jurisdictions`.
    """
    wanted = canonical_jurisdiction(code)
    known = _known()
    candidate = wanted
    while candidate not in known and "-" in candidate:
        candidate = candidate.rpartition("-")[0]
    return known.get(candidate) or UnsupportedJurisdiction(wanted, wanted)
