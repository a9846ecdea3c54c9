"""The starter thesauri that ship with the program, and a new store's set-up, which records them.

They say in everyday words what general law speaks of, one file a language; they name terms and no provision, so that
they fit the law of any place. Written by the authors of this program.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rag.store.database import Database
from rag.store.schema import Migration, migrate
from retrieval.errors import InputError

THESAURI = Path(__file__).resolve().parents[1] / "thesaurus"


def starter_languages() -> list[str]:
    """The languages that have a starter thesaurus, by ISO 639-1."""
    return sorted(file.stem for file in THESAURI.glob("*.csv"))


def load_starter(database: Database, languages: Sequence[str] | None = None) -> int:
    """Record the starter thesauri, or set their weights back to what they were.

    Args:
        languages: which; all by default.

    Returns:
        How many synonyms.

    Raises:
        InputError: a language that has no starter thesaurus.
    """
    from rag.store.reference_data import NewSynonym, add_synonyms  # once in the life of a store
    from rag.store.reference_files import read_rows

    known = starter_languages()
    if missing := sorted(set(languages or ()) - set(known)):
        raise InputError(f"There is no starter thesaurus for {', '.join(missing)}; there are {', '.join(known)}.")
    rows = [row for language in languages or known for row in read_rows(THESAURI / f"{language}.csv", NewSynonym)]
    add_synonyms(database, rows)
    return len(rows)


def set_up_store(database: Database) -> list[Migration]:
    """Bring a store's schema up to date; a new store gets the starter thesauri.

    Raises:
        SchemaMismatch: the store is newer than this program, or was made by an earlier development version.
    """
    applied = migrate(database)
    if applied and applied[0].version == 1:
        load_starter(database)
    return applied
