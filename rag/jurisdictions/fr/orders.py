"""French references with their parts in another order than the grammar's, or abbreviated as journals do.

Only for whole strings that the grammar does not read as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.jurisdictions.fr.laws import law_at
from rag.jurisdictions.fr.text import fold
from rag.jurisdictions.grammar.english_names import EnglishNames

_ENGLISH = EnglishNames(
    {
        "Civil Code": "Code civil", "Penal Code": "Code pénal", "Criminal Code": "Code pénal",
        "Commercial Code": "Code de commerce", "Code of Commerce": "Code de commerce",
        "Code of Civil Procedure": "Code de procédure civile", "Civil Procedure Code": "Code de procédure civile",
        "Code of Criminal Procedure": "Code de procédure pénale", "Criminal Procedure Code": "Code de procédure pénale",
        "Labour Code": "Code du travail", "Labor Code": "Code du travail", "Consumer Code": "Code de la consommation",
        "Consumption Code": "Code de la consommation",
        "Intellectual Property Code": "Code de la propriété intellectuelle",
        "Monetary and Financial Code": "Code monétaire et financier",
        "Financial and Monetary Code": "Code monétaire et financier", "Environmental Code": "Code de l'environnement",
        "Environment Code": "Code de l'environnement", "Public Health Code": "Code de la santé publique",
        "General Tax Code": "Code général des impôts", "Tax Code": "Code général des impôts",
        "Insurance Code": "Code des assurances", "Social Security Code": "Code de la sécurité sociale",
        "Constitution": "Constitution", "Code of Administrative Justice": "Code de justice administrative",
    },
    r"French", r"France", {},
)  # fmt: skip
NO_WORD = "a number beside the code's name, read as its article"
_PARAGRAPH = "a paragraph named in English is read as the alinéa of that number"
_PART_FIRST = re.compile(r"(?:[IVX]{1,5}|\d{1,2}°|[a-z]\))\s(?:bis\s|ter\s)?(?:de\sl['’]|du\s[IVX\d])")

_PART_AT_END = re.compile(
    r"(?P<article>art(?:icle|\.)?\s(?:[LRDA]\.?\s?)?\d[\d.-]{0,10})\s(?P<law>[^\d]{2,80}?),?\s(?P<part>al(?:inéa|\.)?\s\d{1,2}\w{0,3})\Z",
    re.IGNORECASE,
)
_NUMBER = r"(?P<number>(?:[LRDA]\.?\s?)?\d{1,4}(?:-\d{1,3}){0,3})"
_NUMBER_LAST = re.compile(rf"(?P<law>c(?:ode\b|\.)[^\d]{{2,60}}?),?\s{_NUMBER}\Z", re.IGNORECASE)
_NUMBER_FIRST = re.compile(
    rf"{_NUMBER}(?P<part>,?\sal(?:inéa|\.)?\s\d{{1,2}}\w{{0,3}},?)?\s(?P<law>(?:du\s)?[^\d]{{2,60}})\Z", re.IGNORECASE
)
_MONTHS = {
    "janv": "janvier", "févr": "février", "fevr": "février", "avr": "avril", "juill": "juillet", "sept": "septembre",
    "oct": "octobre", "nov": "novembre", "déc": "décembre", "dec": "décembre",
}  # fmt: skip
_MONTH = re.compile(rf"(?<=[\dr]\s)(?P<month>{'|'.join(_MONTHS)})\.?(?=\s\d{{4}})", re.IGNORECASE)
_WORDS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?<!\w)L\.\s?(?=n\s?°)"), "loi "),
    (re.compile(r"(?<!\w)D(?:écr?|ecr?)?\.\s?(?=n\s?°)"), "décret "),
    (re.compile(r"(?<!\w)Ord\.\s?(?=n\s?°)"), "ordonnance "),
    (re.compile(r"\AL\.\s(?=\d{1,2}(?:er)?\s[a-zéû])"), "loi du "),
    (re.compile(r"(?<=\d\s)L\.\s(?=\d{1,2}(?:er)?\s[a-zéû]{3,9}\s\d{4}\Z)"), "de la loi du "),
    (re.compile(r"\AArr\.\s(?=\d{1,2}(?:er)?\s[a-zéû])"), "arrêté du "),
    (re.compile(r"(n\s?°\s?\d{2,4}-\d{1,5}),?\s(?:du\s)?(?=\d{1,2}(?:er)?\s[a-zéû]{3,9}\s\d{4})"), r"\1 du "),
    (re.compile(r"(?<!\w)Const\.(?!\s?const)"), "Constitution"),
    (re.compile(r"\Aanc\.\sart(?:icle|\.)\s"), "ancien article "),
    (re.compile(r"(?<=\d)\ss\.(?=\s[A-Z])"), " et s."),
    (re.compile(r"(?<=\d),\s(?=loi\s|décret\s|ordonnance\s)"), " "),
)
_LAW_FIRST = re.compile(
    r"(?P<law>(?P<nature>loi|décret|ordonnance|constitution)\b.{0,80}?),?\s(?P<article>art(?:icle|\.)?\s[^,]{1,20}(?:,\s.{1,30})?)\Z",
    re.IGNORECASE,
)
_OF = {"décret": "du", "ordonnance": "de l'"}
_ARTICLE_LAST = re.compile(
    r"(?P<article>(?:art(?:icle|\.)?)\s.{1,40}?),?\s(?P<law>(?P<nature>loi|décret|ordonnance|constitution)\b.{0,80})\Z",
    re.IGNORECASE,
)


def in_order(reference: str) -> Iterator[tuple[str, str]]:
    """The reference as the grammar may read it, likeliest first, each with the doubt that it leaves (or none)."""
    if cited := _ENGLISH.citation(reference):
        line = f", alinéa {cited.path[0]}" if cited.path and cited.path[0].isdigit() else ""
        if len(cited.path) == bool(line):
            of = "de la" if cited.law == "Constitution" else "du"
            yield f"article {cited.number}{line} {of} {cited.law}", _PARAGRAPH if line else ""
    if _PART_FIRST.match(reference):
        yield f"au {reference}", ""
    written = _MONTH.sub(lambda match: _MONTHS[match["month"].lower()], reference)
    for pattern, words in _WORDS:
        written = pattern.sub(words, written)
    if written != reference:
        yield written, ""
    if first := _LAW_FIRST.match(written) or _ARTICLE_LAST.match(written):
        of = _OF.get(first["nature"].lower(), "de la")
        yield f"{first['article']} {of}{'' if of[-1] == chr(39) else ' '}{first['law']}", ""
    if parted := _PART_AT_END.match(written):
        yield f"{parted['article']}, {parted['part']}, {parted['law'].strip(' ,')}", ""
    bare = _NUMBER_LAST.match(written) or _NUMBER_FIRST.match(written)
    if bare is not None and _is_law(bare["law"]):
        part = bare.groupdict().get("part") or ""
        yield f"article {bare['number']}{part} {bare['law']}", NO_WORD


def _is_law(words: str) -> bool:
    """Whether words are the name of a law, and nothing else."""
    plain = fold(words.strip(" .,").removeprefix("du ")).text
    law = law_at(plain, 0)
    return law is not None and law.name is not None and law.end >= len(plain)
