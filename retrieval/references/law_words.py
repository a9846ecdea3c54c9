"""The words of names of laws: what a title calls a law besides itself, and whether words name one law. Pure."""

from __future__ import annotations

import re

from retrieval.references.hits import folded_title


def words_of(listed: str) -> frozenset[str]:
    """Words that are listed in one string."""
    return frozenset(listed.split())


# Words of names of laws, folded as `folded_title` folds them, which tell no law from another. A name needs one more.
KINDS = words_of("""act acts code codes law laws statute statutes regulation regulations rule rules ordinance ordinances
    order orders bylaw bylaws byelaws charter constitution decree directive decision bill measure scheme
    instrument instruments resolution gesetz gesetze gesetzbuch verordnung satzung ordnung erlass richtlinie beschluss
    verfassung loi lois decret arrete ordonnance reglement""")
CONTAINERS = words_of("""title part chapter book volume article section division schedule annex appendix
    teil buch kapitel abschnitt titel artikel anlage titre livre partie chapitre annexe""")
GENERAL = words_of("""general public local state federal national municipal city revised compiled consolidated annotated
    official new statutory""")
ARTICLES = words_of("the a an this that its der die das des dem den la le les l du")
JOINS = words_of("and or und oder sowie et ou")
# Words that may have a capital, as the first of a sentence or of a title, and are no part of the name behind them.
OUTSIDE = (
    ARTICLES
    | JOINS
    | words_of("""of to in on for from with under by see per cf as at if but unlike like only when where while since
        because id also both not is was are accord compare pursuant however accordingly moreover furthermore thus
        therefore hence here still finally first second third then instead indeed nevertheless today yet likewise
        otherwise similarly specifically generally nach gemass laut vgl siehe aus im in zu zum zur von vom fur auf
        uber wegen durch mit bei ferner jedoch dagegen de d aux au a selon vu voir sous par pour en sur""")
)
_LAST_BRACKET = re.compile(r"(?P<head>[^()]+?)\s*\((?P<last>[^()]+)\)\s*\Z")
_DASH = re.compile(r"\s[-–—]\s")
_ABBREVIATION = re.compile(r"[A-ZÄÖÜ][^\W_]*[A-ZÄÖÜ][^\W_]*")


def names_in(title: str) -> list[str]:
    """A title and the names in it beside an abbreviation: `LRadG - Leihradgesetz`, `Act on X (X Act - XA)`."""
    names, bracket = [title], _LAST_BRACKET.match(title)
    for text in (bracket["head"], bracket["last"]) if bracket else (title,):
        pieces = [piece.strip() for piece in _DASH.split(text)]
        if any(_ABBREVIATION.fullmatch(piece) for piece in pieces) and (bracket or len(pieces) > 1):
            names += pieces if text == title else [bracket["head"] if bracket else "", *pieces]
    return [name for name in names if name]


def tells(name: str) -> bool:
    """Whether words are a name of one law: "Harbor Code", "Ordinance 2019-14"; not "Code", "Act 2019", "Title 5"."""
    words = folded_title(name).split()
    kept = [word for word in words if word not in KINDS | GENERAL | OUTSIDE and word != "no"]
    numbers = [word for word in kept if word.isdigit()]
    return len(kept) - len(numbers) > len(CONTAINERS.intersection(kept)) or (
        len(numbers) > 1 and not CONTAINERS.intersection(kept)
    )
