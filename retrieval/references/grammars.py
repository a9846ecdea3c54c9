"""What retrieval needs to know of how people cite law. It reads no law itself: whoever calls it brings the grammars."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from retrieval.references.pipeline import ReferenceParser, WrittenReference


class NamedPlaces(NamedTuple):
    """What the countries and states that a question names are to the law searched."""

    kept: tuple[str, ...]  # jurisdictions searched whose law holds in one of them; none where no place is named
    absent: tuple[str, ...]  # names of those of whose own law none is searched
    matter: str  # the question without the names: which law it is of is no word of a provision


class Grammars(Protocol):
    """The grammars of all jurisdictions as one value; `rag.jurisdictions.grammars.GRAMMARS` is the program's own."""

    @property
    def addresses(self) -> ReferenceParser:
        """Reads the addresses of official publications, which people paste instead of citing."""
        ...

    def parsers_for(self, jurisdiction: str | None) -> Sequence[ReferenceParser]:
        """The parsers that may read a reference: those of the named jurisdictions (`fr`, `eu|fr`, `!=fr`), else all.

        Raises:
            InputError: a malformed code.
        """
        ...

    def cited_in(self, text: str, jurisdictions: Sequence[str]) -> Sequence[WrittenReference]:
        """The references inside a text that the grammars of the chosen jurisdictions read with confidence."""
        ...

    def places_in(self, question: str, searched: Sequence[str]) -> NamedPlaces:
        """The countries and states that a question names as where it happens, beside the jurisdictions searched."""
        ...

    def recognised_by(self, reference: str, jurisdiction: str | None) -> str:
        """The jurisdiction whose grammar takes the whole string for law that has no URN; empty where none does."""
        ...

    def names_no_law(self, reference: str) -> bool:
        """Whether a reference is a provision's number and nothing that could be a law."""
        ...

    def provision_asked_for(self, question: str) -> str:
        """What a question names that only asks what something says; the question itself otherwise."""
        ...

    def dated(self, reference: str) -> tuple[str, date | None]:
        """A reference without the day at its end on which it asks for the law, and that day."""
        ...

    def reading_note(self, jurisdiction: str, language: str) -> str:
        """What readers of a jurisdiction's law must know of how it was read; empty where its own module read it."""
        ...
