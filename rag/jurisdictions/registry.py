"""Which jurisdictions are known: those of this folder and those that other packages register."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points

from rag.jurisdictions.de import jurisdiction as de
from rag.jurisdictions.eu import jurisdiction as eu
from rag.jurisdictions.fr import jurisdiction as fr
from rag.jurisdictions.gb import jurisdiction as gb
from rag.jurisdictions.grammar.kernel import CountryLaw
from rag.jurisdictions.jp import jurisdiction as jp
from rag.jurisdictions.us import dc as us_dc
from rag.jurisdictions.us import federal as us
from rag.jurisdictions.us import ma as us_ma
from rag.law.jurisdiction import FoundReference, Jurisdiction, ReferenceContext
from retrieval.errors import ConfigurationError
from retrieval.paths import canonical_jurisdiction
from retrieval.tag_query import TagQuery

ENTRY_POINT_GROUP = "lexscope.jurisdictions"
_BUILT_IN: tuple[Jurisdiction, ...] = (
    de.JURISDICTION,
    eu.JURISDICTION,
    fr.JURISDICTION,
    gb.JURISDICTION,
    jp.JURISDICTION,
    us.JURISDICTION,
    us_dc.JURISDICTION,
    us_ma.JURISDICTION,
)


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
    known = {one.code: one for one in _BUILT_IN}
    CountryLaw.grammar_of = staticmethod(jurisdiction_for)
    for point in entry_points(group=ENTRY_POINT_GROUP):
        try:
            offered: object = point.load()
        except (ImportError, AttributeError) as error:
            raise ConfigurationError(
                f"The jurisdiction module {point.name!r} ({point.value}) cannot be loaded: {type(error).__name__}."
            ) from error
        if not isinstance(offered, Jurisdiction):
            raise ConfigurationError(f"The entry point {point.name!r} ({point.value}) is not a jurisdiction.")
        known[canonical_jurisdiction(offered.code)] = offered
    return known


def all_jurisdictions() -> list[Jurisdiction]:
    """All jurisdictions with a module, third-party ones included, sorted by code.

    Raises:
        ConfigurationError: a registered module cannot be loaded or is not a jurisdiction.
    """
    return [one for _, one in sorted(_known().items())]


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
