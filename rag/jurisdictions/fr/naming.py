"""What all publications of French law share: numbers, names of laws, container headings, dates and statuses."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date

from retrieval.errors import InputError
from retrieval.paths import segment, slug

JURISDICTION_URN = "urn:lex:fr"
PUBLISHER = "Direction de l'information légale et administrative (Légifrance)"
LICENCE = "Licence Ouverte 2.0"

# Latin suffixes in their order: 1 bis is between 1 and 2.
SUFFIXES = (
    "bis", "ter", "quater", "quinquies", "sexies", "septies", "octies", "nonies", "decies", "undecies", "duodecies",
    "terdecies", "quaterdecies", "quindecies", "sexdecies", "septdecies", "octodecies", "novodecies", "vicies",
)  # fmt: skip
_ORDINALS = {
    "premier": "I", "premiere": "I", "deuxieme": "II", "second": "II", "seconde": "II", "troisieme": "III",
    "quatrieme": "IV", "cinquieme": "V", "sixieme": "VI", "septieme": "VII", "huitieme": "VIII", "neuvieme": "IX",
    "dixieme": "X", "onzieme": "XI", "douzieme": "XII",
}  # fmt: skip
_NAMED_NUMBERS = ("preliminaire", "liminaire", "unique", "additionnel", "additionnelle")

# Rank of the kinds of container, outermost first; the publication's number of # does not tell them apart.
CONTAINER_RANKS = {
    "partie": 0, "sous-partie": 1, "livre": 2, "titre": 3, "sous-titre": 4, "chapitre": 5, "sous-chapitre": 6,
    "section": 7, "sous-section": 8, "paragraphe": 9, "sous-paragraphe": 10,
}  # fmt: skip
_STRUCTURES = {"partie": "PART", "sous-partie": "PART", "livre": "TITLE", "titre": "TITLE", "sous-titre": "TITLE"}

_KIND = (
    r"(?i:(?P<kind>sous-(?:partie|titre|chapitre|section|paragraphe)|partie|livre|titre|chapitre|section|paragraphe))"
)
_ORDINAL = "|".join(sorted(_ORDINALS, key=len, reverse=True))
_SUFFIX = "|".join(sorted(SUFFIXES, key=len, reverse=True))
_NUMBER = (
    rf"(?P<number>(?i:{'|'.join(_NAMED_NUMBERS)}|{_ORDINAL}|[ivxlc]+(?:-\d+)*(?:er|re|ere)?|"
    rf"\d+(?:-\d+)*(?:er|re|ere)?|[a-z])"
    rf"(?:[ -](?:{_SUFFIX}))?(?: [A-Z]{{1,2}})?)(?![\w'’])"
)
_REST = r"\s*(?P<mark>[:.–—-]\s*)?(?P<rest>.*)"
_CONTAINER = re.compile(rf"{_KIND}\s*:?\s+{_NUMBER}{_REST}")
_PARTIE = re.compile(rf"(?P<number>(?i:{_ORDINAL}))\s+(?P<kind>(?i:(?:sous-)?partie))\b{_REST}")
_LONE = re.compile(rf"{_NUMBER}\s*(?P<mark>°?\s*[:.)–—-]\s*)(?P<rest>.+)")
_UNNUMBERED = re.compile(rf"{_KIND}(?:\s*[:–—-]\s*|\s+)(?P<rest>.+)")
_LAW = re.compile(
    r"(?P<nature>loi|decret|ordonnance|arrete)(?P<form> organique| constitutionnelle)?"
    r" n(?:°|o|º)\s?(?P<number>\d+(?:-\d+)*)"
)
_ABBREVIATION = re.compile(r",\s*[A-Z][A-Z0-9]{1,9}\.?$")
_LETTER_THEN_NUMBER = re.compile(r"^((?:L\.?O|LO|[LRDA])\.?(?:\s?\*){0,2})\.?\s*(?=\d)", re.IGNORECASE)
_REPEALED = re.compile(
    r"\(?\s*(?:article\s+)?(?:abrog[ée]e?s?|supprim[ée]e?s?)(?:\s+par\s[^()]*)?\s*\)?\s*[.;]?", re.IGNORECASE
)

STATUS_TAGS = {
    "ABROGE": "repealed", "ABROGE_DIFF": "repeal_pending", "VIGUEUR_DIFF": "not_yet_in_force", "ANNULE": "annulled",
    "PERIME": "expired", "TRANSFERE": "transferred", "DISJOINT": "severed", "MODIFIE": "superseded",
    "DEPLACE": "transferred", "SUBSTITUE": "superseded",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Law:
    """A law's identity. `tags` are the root's, `article_tags` those of each of its articles."""

    urn: str
    title: str
    tags: dict[str, str]
    article_tags: dict[str, str]


@dataclass(frozen=True, slots=True)
class Heading:
    """A container heading taken apart. `number` is as printed (`IV bis`), ordinal words as Roman numerals.

    `rank` is None where the words name no kind of container; then `level` is `division`. `separated` says that a colon,
    point or dash is between number and title, as ordinary words never have it.
    """

    level: str
    number: str
    title: str
    rank: int | None
    separated: bool = False

    @property
    def structure_type(self) -> str:
        """The closed structure type of this level."""
        return _STRUCTURES.get(self.level, "CHAPTER")

    @property
    def segment(self) -> str:
        """Its URN segment by kind and number: `titre_iv-bis`."""
        return f"{self.level}_{slug(plain_letters(self.number), limit=40)}"


def plain_letters(text: str) -> str:
    """The text without accents and ligatures, for addresses: `préliminaire` -> `preliminaire`."""
    text = text.replace("œ", "oe").replace("Œ", "OE").replace("æ", "ae").replace("Æ", "AE")
    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))


def law_identity(title: str) -> Law:
    """The identity of a law from its full title: a code by the slug of it, others by nature and number.

    Args:
        title: as the publication writes it; an abbreviation at its end (`, CGI.`) is no part of the name.
    """
    title = _ABBREVIATION.sub("", " ".join(title.split())).rstrip(" .")
    words = plain_letters(title).lower()
    match = _LAW.match(words)
    if match:
        name = f"{match['nature']}-{match['number']}"
        tags = {"nature": match["nature"].upper(), "number": match["number"]}
        return Law(f"{JURISDICTION_URN}:{name}", title, tags, {"law": name})
    tags = {"code": title} if words.startswith("code") else {"law": title}
    return Law(f"{JURISDICTION_URN}:{slug(words, limit=200)}", title, tags, tags)


def article_number(printed: str) -> str:
    """An article's number in one spelling: `L. 111-1` -> `L111-1`, `R. * 133-1` -> `R*133-1`, `1er` stays.

    Args:
        printed: as the source writes it, without the word `Article`.
    """
    number = " ".join(printed.split()).strip(" .")
    match = _LETTER_THEN_NUMBER.match(number)
    if match:
        number = re.sub(r"[\s.]", "", match[1]).upper() + number[match.end() :]
    return number


def article_segment(number: str) -> str:
    """The URN segment of an article number: lower case, without dot, space or star: `R*132-4` -> `r132-4`.

    Raises:
        InputError: it holds no letter or digit.
    """
    kept = re.sub(r"[*.]", "", plain_letters(article_number(number)).lower())
    kept = re.sub(r"[^a-z0-9]+", "-", kept).strip("-")
    if not kept:
        raise InputError("A designator has no letters or digits to cite it by.")
    return segment(kept)


def container_heading(printed: str) -> Heading:
    """Take a container heading apart: `Titre IV bis : De la preuve` -> titre, `IV bis`, `De la preuve`.

    Words without a kind of container (`Dispositions générales`, `I : Revenus fonciers`) are a `division`, numbered by
    their own designator or else by their slug.
    """
    text = unicodedata.normalize("NFC", " ".join(printed.split()))
    folded = _folded(text)
    match = _CONTAINER.fullmatch(folded) or _PARTIE.fullmatch(folded)
    if match:
        level, number = match["kind"].lower(), _container_number(text[slice(*match.span("number"))])
        rest, separated = text[match.start("rest") :], match["mark"] is not None
        return Heading(level, number, rest, CONTAINER_RANKS[level], separated)
    # "Partie législative", "Section : vue": the words after the kind are all the number there is.
    bare = _UNNUMBERED.fullmatch(folded)
    if bare:
        level, rest = bare["kind"].lower(), text[bare.start("rest") :]
        return Heading(level, slug(plain_letters(rest), limit=40), rest, CONTAINER_RANKS[level])
    lone = _LONE.fullmatch(folded)
    if lone:
        return Heading("division", text[: lone.end("number")], text[lone.start("rest") :], None)
    return Heading("division", slug(plain_letters(text), limit=40), text, None)


def _folded(text: str) -> str:
    """The text without accents, character by character, so that offsets stay."""
    return "".join(plain_letters(char)[:1] or " " for char in text)


def _container_number(printed: str) -> str:
    head, *tail = printed.split()
    head = _ORDINALS.get(plain_letters(head).lower(), head)
    head = re.sub(r"(?<=[0-9IVXLC])(?:er|re|ère)$", "", head)
    head = head.upper() if re.fullmatch(r"[ivxlc]+|[a-z]", head) else head
    return " ".join([head, *tail])


def is_repealed_stub(text: str) -> bool:
    """Whether the words only say that nothing stands here any more: `(Abrogé)`."""
    return _REPEALED.fullmatch(text.strip()) is not None


def iso_date(text: str) -> date | None:
    """The date of `YYYY-MM-DD`; None where it is the publication's open end (2999).

    Raises:
        ValueError: no such date.
    """
    found = date.fromisoformat(text)
    return None if found.year >= 2999 else found
