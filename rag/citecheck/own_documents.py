"""How a text cites contracts, policies and house rules of the store: "clause 2.2(a) of the Fleet Use Policy".

Grammars know the law of a country; what a plain document is called only the store knows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.law.jurisdiction import FoundReference, ReferencePart
from rag.store.database import Connection
from retrieval.errors import InputError
from retrieval.paths import segment
from retrieval.queries import QUERIES

_MOST = 500  # documents whose names are looked for
_UNIT = (
    r"(?:(?:clause|section|article|paragraph|rule|point|item)s?|ziff(?:ern?|\.)|klauseln?|punkte?"
    r"|artikeln?|art\.|§{1,2})\s?"
)
_PLACE = r"\d{1,3}(?:[.-]\d{1,3})*[a-z]?(?!\w|[.-]\d)(?:\s?\([a-z0-9]{1,4}\))*"
_LIST = rf"{_PLACE}(?:(?:,\s|,?\s(?:and|or|und|oder|et|ou)\s){_PLACE})*"
_DECIMAL = rf"(?=\d+(?:[.-]\d|\s?\([a-z]\))){_LIST}"  # needs no "clause" before it: "residential-lease, 3.2"
_OF = r",?\s(?:of|in|under|der|des|du|de)\s(?:the\s|la\s|l['’])?"
_ONE = re.compile(r"(?P<number>\d{1,3}(?:[.-]\d{1,3})*[a-z]?)(?P<below>(?:\s?\([a-z0-9]{1,4}\))*)", re.IGNORECASE)
_BRACKETED = re.compile(r"\(([a-z0-9]{1,4})\)", re.IGNORECASE)


class OwnDocuments:
    """Finds references to plain documents by their titles and file names."""

    def __init__(self, titles: Sequence[tuple[str, str]]) -> None:
        """Take (title, URN) of the documents. What two of them are called names neither.

        A document is called by its title, by its file's name, and by the last word of its title: "the lease".
        """
        urns: dict[str, set[str]] = {}
        for title, urn in titles:
            words = title.casefold().removeprefix("the ").split()
            file = urn.rpartition(":")[2]
            for name in {" ".join(words), file, file.replace("-", " "), *words[-1:]}:
                urns.setdefault(name, set()).add(urn)
        self._urns = {title: next(iter(found)) for title, found in urns.items() if title and len(found) == 1}

    def find_references(self, text: str, here: None) -> list[FoundReference]:
        """The references of a text to provisions of these documents, in order.

        A document is referred to as a whole by a title of several words only: "the lease" may be any.
        """
        words = " ".join(text.casefold().split())
        named = sorted((title for title in self._urns if title in words), key=len, reverse=True)
        if not named:
            return []
        return [
            self._found(match)
            for match in _naming(named).finditer(text)
            if match["before"] or match["after"] or " " in match["title"]
        ]

    def _found(self, match: re.Match[str]) -> FoundReference:
        urn = self._urns[" ".join(match["title"].casefold().split())]
        group = "before" if match["before"] else "after"
        parts = tuple(
            ReferencePart(match.start(group) + place.start(), match.start(group) + place.end(), _below(urn, place))
            for place in (_ONE.finditer(match[group]) if match[group] else ())
        )
        whole = (ReferencePart(match.start(), match.end(), urn),)
        return FoundReference(match.start(), match.end(), match[0], parts or whole, "explicit", confident=True)


def _naming(titles: Sequence[str]) -> re.Pattern[str]:
    names = "|".join(r"\s+".join(map(re.escape, title.split())) for title in titles)
    return re.compile(
        rf"(?:(?<!\w){_UNIT}(?P<before>{_LIST}){_OF})?(?<!\w)(?P<title>{names})(?!\w)(?:,?\s(?:{_UNIT}(?=\d)|(?={_DECIMAL}))(?P<after>{_LIST}))?",
        re.IGNORECASE,
    )


def _below(urn: str, place: re.Match[str]) -> str:
    try:
        return ":".join((urn, segment(place["number"]), *(part.lower() for part in _BRACKETED.findall(place["below"]))))
    except InputError:
        return ""


def own_documents(conn: Connection, jurisdictions: Sequence[str]) -> list[OwnDocuments]:
    """What finds the plain documents of the store that number their provisions; of none or over `_MOST`, nothing."""
    asked = {"jurisdictions": list(jurisdictions), "most": _MOST + 1}
    rows = conn.execute(QUERIES["list_own_documents"], asked).fetchall()
    return [OwnDocuments([(title, urn) for urn, title in rows])] if 0 < len(rows) <= _MOST else []
