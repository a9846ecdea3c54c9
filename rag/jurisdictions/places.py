"""Countries and states that a question names as where it happens: "in Texas", "in der Schweiz", "au Québec"."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources

from retrieval.references.grammars import NamedPlaces

# What is before the place whose law is asked about. What is from Canada, or goes there, may be a matter of any law.
_WHERE = r"\b(?:in|im|under|en|au|aux|à|dans)\s+(?:(?:the|der|den|dem|le|la|les)\s+|l['’])?"
_TOWN = r"(?:[^\W\d_][\w.'’-]*(?:\s[^\W\d_][\w.'’-]*){0,2},\s*)?"  # "in Austin, Texas"
# Words beside the name of a place that its law is called by, and such as say nothing beside another name.
_OF_LAW = frozenset({
    "the", "of", "law", "laws", "legal", "legislation", "code", "codes", "statute", "statutes", "statutory", "state",
    "recht", "rechts", "das", "die", "der", "droit", "lois", "du", "de", "la", "le", "l",
})  # fmt: skip
_BESIDE = frozenset({"federal"})
_EVERYWHERE = frozenset({"*", "all", "any", "every", "everywhere", "worldwide", "global"})
_JOINED = re.compile(r"\s*[|,;]\s*|\s+(?:and|und|et|or|oder|ou)\s+", re.IGNORECASE)
_CODE = re.compile(r"[A-Za-z]{2}(?:[-_][A-Za-z0-9]+)*\Z", re.ASCII)
_SHORTEST = 4  # letters from which on a name is known in small letters too: "us" is a word


@cache
def _table() -> tuple[dict[str, tuple[str, ...]], frozenset[str], re.Pattern[str]]:
    """Name -> codes, the members of the European Union, and the pattern that finds names."""
    given = tomllib.loads(resources.files("rag.jurisdictions").joinpath("places.toml").read_text(encoding="utf-8"))
    members = frozenset(given.pop("union").split())
    given.pop("called")
    names = _by_name("; ".join(given.values()), str.casefold)
    longest = sorted(names, key=lambda name: (-len(name), name))
    cased = "|".join(re.escape(name) for name in longest if len(re.sub(r"\W", "", name)) >= _SHORTEST)
    short = "|".join(re.escape(name.upper()) for name in longest if len(re.sub(r"\W", "", name)) < _SHORTEST)
    found = re.compile(rf"(?i:{_WHERE}{_TOWN})(?P<name>(?i:{cased})|(?:{short}))(?!\w)")
    return names, members, found


def _by_name(listed: str, folded: Callable[[str], str]) -> dict[str, tuple[str, ...]]:
    """Name -> codes, of entries set apart by semicolons."""
    names: dict[str, tuple[str, ...]] = {}
    for entry in listed.split(";"):
        code, _, name = " ".join(entry.split()).partition(" ")
        name = folded(name.replace("&", "and"))
        names[name] = tuple(dict.fromkeys((*names.get(name, ()), code)))
    return names


@cache
def _called() -> dict[str, tuple[str, ...]]:
    """Name -> codes of places that are named alone, by all that they are called."""
    given = tomllib.loads(resources.files("rag.jurisdictions").joinpath("places.toml").read_text(encoding="utf-8"))
    del given["union"]
    return _by_name("; ".join(given.values()), _alone)


def _alone(name: str) -> str:
    """A name without what its spellings differ in: `washington dc` of "Washington, D.C."."""
    return " ".join(re.sub(r"[,’'()]", " ", name.replace(".", "").replace("&", " and ").casefold()).split())


@cache
def _place_names() -> dict[str, str]:
    """Code -> the first name that stands for it in English."""
    given = tomllib.loads(resources.files("rag.jurisdictions").joinpath("places.toml").read_text(encoding="utf-8"))
    names: dict[str, str] = {}
    for entry in given["en"].split(";"):
        code, _, name = " ".join(entry.split()).partition(" ")
        names.setdefault(code, name.replace("&", "and"))
    return names


def place_name(code: str) -> str:
    """The name of a jurisdiction in English, `District of Columbia`; its code where no name is known."""
    return _place_names().get(code, code)


def codes_of_place(name: str) -> tuple[str, ...]:
    """The codes of a country or state by what it or its law is called, `us-dc` of "D.C.", `de` of "German law".

    Empty where no place is called so, or where the words name several.
    """
    names = _called()
    plain = _alone(name)
    words = [word for word in plain.split() if word not in _OF_LAW]
    found = names.get(plain) or names.get(" ".join(words))
    if found is None:  # "US (federal)", "United Kingdom, England"
        each = {names.get(word, ()) for word in words if word not in _BESIDE} or {names.get(word, ()) for word in words}
        found = each.pop() if len(each) == 1 else ()
    return found


def codes_named(text: str) -> str:
    """A filter on the jurisdiction whose places are codes, `!=` kept; as it is where one of them is none known."""
    start, rest = ("!=", text[2:]) if text.startswith("!=") else ("", text)
    if rest.casefold() in _EVERYWHERE:
        return f"{start}*"
    whole = codes_of_place(rest)
    parts = [part for part in _JOINED.split(rest) if part]
    known = [codes_of_place(part) for part in parts]
    if "," in rest and known[-1] and not whole and not any(known[:-1]) and not any(map(_CODE.match, parts[:-1])):
        whole = known[-1]  # "Austin, Texas"
    codes = whole or [code for part, found in zip(parts, known, strict=True) for code in found or (part,)]
    return start + "|".join(dict.fromkeys(codes))


def places_in(question: str, searched: Sequence[str]) -> NamedPlaces:
    """What the places that a question names are to the law searched.

    Law of a country holds in its states, and law of the European Union in its members.
    """
    names, members, pattern = _table()
    kept: set[str] = set()
    absent: list[str] = []
    matter = question
    for match in pattern.finditer(question):
        codes = names[match["name"].casefold()]
        own = {name for name in searched if any(_holds_in(code, name, members) for code in codes)}
        kept |= own | {name for name in searched if any(_holds_in(name, code, members) for code in codes)}
        start, end = match.span("name")
        matter = f"{matter[:start]}{' ' * (end - start)}{matter[end:]}"
        if not own:
            absent.append(match["name"])
    return NamedPlaces(tuple(name for name in searched if name in kept), tuple(dict.fromkeys(absent)), matter)


def _holds_in(wider: str, place: str, members: frozenset[str]) -> bool:
    """Whether the law of one jurisdiction holds in another: `us` in `us-dc`, `eu` in `fr`."""
    return f"{place}-".startswith(f"{wider}-") or (wider == "eu" and place.partition("-")[0] in members)
