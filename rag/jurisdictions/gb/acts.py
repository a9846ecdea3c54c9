"""Well-known British acts and instruments by short title, so that a citation without chapter number has its URN."""

from __future__ import annotations

from rag.jurisdictions.tables import laws_of


def title_key(title: str) -> str:
    """A short title for comparison: case, apostrophes, commas and spaces do not tell titles apart."""
    kept = title.casefold().replace("’", "").replace("'", "").replace(",", " ").replace(".", " ").replace("&", "and")
    return " ".join(kept.split())


# Title with year, as `title_key` gives it -> URN. Titles that a law had before are beside the present ones.
KNOWN_TITLES = {
    title_key(title): f"urn:lex:gb:{entry.id}" for entry in laws_of("gb").laws for title in (entry.title, *entry.names)
}
