"""Well-known Japanese laws: title, law number and the names they are cited by, of `laws.toml`.

A law that is not there is found by its number, or by its title in the store.
"""

from __future__ import annotations

from rag.jurisdictions.tables import laws_of

_ENTRIES = laws_of("jp").laws
# Name or short name -> (title, law number in words).
LAW_NAMES = {
    name: (entry.title, entry.number)
    for entry in _ENTRIES
    for name in (entry.title, *entry.names, *entry.abbreviations)
}
# What lawyers write before an article number, too short to be a name in running text.
LETTERS = {letter: entry.title for entry in _ENTRIES for letter in entry.letters}
ENGLISH = {name: entry.title for entry in _ENTRIES for name in (*entry.english, *entry.english_alone)}
ENGLISH_ALONE = {name: entry.title for entry in _ENTRIES for name in entry.english_alone}  # no other country's law
