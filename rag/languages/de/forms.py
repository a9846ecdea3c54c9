"""What the German words of a definition look like: "X ist, wer", "X handelt, wer", a term in brackets or in a list."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile


def _words(text: str) -> list[str]:
    return text.split()


_LED = re.compile(
    r"(?:(?:im\s+(?:Folgenden|Weiteren)|nachfolgend|kurz|nachstehend|fortan)(?:\s+(?:als|auch|kurz))*\s*:?\s*)",
    re.IGNORECASE,
)
_LED_END = re.compile(r"\s+(?:genannt|bezeichnet)\s*\Z")
_SHORT_NAME = re.compile(r"[A-ZÄÖÜ][A-ZÄÖÜa-zäöüß-]{1,30}")  # after "im Folgenden" an abbreviation is a name too
_QUOTES = '„“”"‚‘’»«'
# What a bracket may begin with and still be no term: a reference, an aside, an example.
_ASIDE = re.compile(
    r"(?:§|Art\b|Artikel|Abs|Absatz|Absätze|Satz|Nr|Nummern?|Buchst|Anlage|Anhang|BGBl|ABl|RGBl|Verordnung\s*\(|vgl|siehe|"
    r"z\.\s?B|d\.\s?h|auch|insbesondere|einschließlich|oder|und|sowie|mit|ohne|vom|von|nach|im|in|für|bei|zum|zur|je|mindestens|"
    r"höchstens|ausgenommen|außer|weggefallen|aufgehoben|gestrichen|sog|etwa|beispielsweise|soweit|wenn|Muster|Stand)(?![\w-])",
    re.IGNORECASE,
)
_ADVERB = re.compile(r"[a-zäöüß]{4,30}(?:lich|ig|bar|sam|haft|los|weise)\Z")
_INFLECTED = re.compile(r"[a-zäöüß-]{3,40}e[rsnm]?\Z")
_NOUN = re.compile(r"[A-ZÄÖÜ][a-zäöüß-]{2,}")
_STOP = frozenset(
    _words(
        """
    In Im Bei Auf Zu Zur Zum Mit Von Vor Nach Aus An Bis Während Abweichend Unbeschadet Auch Maßgebend Zuständig
    Ausgenommen Keine Kein Dies Dieser Diese Dieses Er Sie Es So Das Der Die Dem Den Des Wer Was Wenn Ist Sind
    Soweit Sofern Hierbei Dabei Für Gegen Durch Über Unter Um Ob Ferner Dasselbe Gleiches Entsprechendes
    Voraussetzung Voraussetzungen Erforderlich Anzuwenden Zulässig Insoweit Hat Haben Wird Werden Als Alle Jede
    Jeder Jedes Solche Weitere Beide Am Vom Beim Satz Absatz Nicht Sein Ihre Seine Zwischen Zweck Ziel Gegenstand
    Grundlage Folge Berechtigt Verpflichtet Gleichgestellt Neben Jedoch Allerdings Gleichwohl Ebenso Nichtig
    Unwirksam Wirksam Angemessen Wählbar Streitig Ohne Kraft Trotz Wegen Mittels Gemäß Laut Anstelle Statt Mangels
    Aufgrund Hinsichtlich Bezüglich Innerhalb Außerhalb Vorbehaltlich Zugunsten Binnen Seit Bezogen Gegenüber
    """
    )
)
_SENSE = r"\s+im\s+Sinne?\s+(?:von\s+)?(?:[^,;.:\n]|(?:(?<=Abs)|(?<=Nr)|(?<=Art)|(?<=Satz\s\d))\.){3,80}?"
_COPULA = re.compile(
    r"(?:(?P<the>Der|Die|Das)\s+|Eine?\s+(?=\w))?(?P<term>(?:[a-zäöüß]{3,40}e[rs]?\s){0,2}[A-ZÄÖÜ][\wäöüß-]{1,60}(?:\s[\wäöüß-]{2,60}){0,5}?)"
    r"(?P<bracket>\s\([^()\n]{3,80}\))?"
    rf"(?P<sense>{_SENSE})?\s+(?P<verb>ist|sind)(?:\s+(?P<also>auch))?"
    r"(?:,?\s+(?P<genus>(?:nur\s+)?(?:der|die|das|jede[rsnm]?|eine?|alle|sämtliche|wer|derjenige|diejenigen|solche"
    r"|(?:[a-zäöüß]{4,30}(?:lich|weise)\s)?[a-zäöüß]{4,30}e(?=\s[A-ZÄÖÜ])|(?<=sind\s)[A-ZÄÖÜ][a-zäöüß-]{3,40}))\b|(?P<list>:?\s*(?=\n|\Z))|\b)"
)
_NAME = r"(?:[a-zäöüß]{3,40}e[rsnm]?\s){0,2}[A-ZÄÖÜ][\wäöüß-]{2,60}"
# "Als Hersteller gilt auch, wer ...": a fiction about the word itself; what a person is counted as tells less.
_COUNTED = re.compile(
    rf"Als\s+[„“\"]?(?P<term>{_NAME})[“”\"]?(?:{_SENSE})?\s+(?:gilt|gelten|(?:ist|sind)\s+(?P<also>auch\s+)?anzusehen)\b(?:\s+(?P<too>auch|ferner|weiters|insbesondere|es)\b)?"
)
_DENIED = re.compile(r"\s(?:[^,;.:]{1,80}\s)?nicht\b")  # "gelten vorbehaltlich des Absatzes 2 nicht"
_ALSO = re.compile(r"[^,;.:]{0,120}\sauch\s(?:dann|wenn)\b")
# "Einen Wohnsitz hat jemand dort, wo ...".
_HAD = re.compile(
    rf"(?:Eine?n?|Den|Die|Das)\s+(?P<term>{_NAME})\s+hat\s+(?:jemand|wer|eine\s+(?:[a-zäöüß]+\s+)?Person)\b"
)
# Items of a list that names things; others go on with a sentence: "so zu errichten".
_THING = re.compile(r"(?:(?:der|die|das|wer|jede[rs]?|alle|eine?|solche|sonstige|weitere)\b|[A-ZÄÖÜ])")
_DEFINITIONS = re.compile(r"\bBegriff|\bDefinition", re.IGNORECASE)
_COUNTS = re.compile(
    rf"\b(?:gilt|gelten)\s+(?:auch\s+)?als\s+(?P<term>{_NAME})\s+im\s+Sinne?\s+(?:diese[rs]\b|des\s+Gesetzes|der\s+Verordnung"
    r"|(?:de[rs]|von)\s+(?:Absatz|Absätze|Satz|Artikel|Nummer|§))[^,;.:\n]{0,80}"
)
# "Unter Modernisierung ist jede Veränderung zu verstehen", "Verkehrssitte bedeutet das Übliche".
_UNDERSTOOD = re.compile(
    rf"Unter\s+(?:(?:dem|den|der)\s+(?=\w+\s+[„“\"A-ZÄÖÜ])\w+\s+|(?:eine[mr]|de[mnr])\s+)?[„“\"]?(?P<term>{_NAME})[“”\"]?(?:{_SENSE})?\s+(?:ist|sind|wird|werden|versteht)\s"
    r"(?=.{1,400}?(?:zu\s+verstehen|verstanden)\b|man\b)|"
    rf"(?P<bare>{_NAME})(?:{_SENSE})?\s+(?:bedeute[nt]|bezeichnen?|bezeichnet)\s(?=(?:eine?n?|der|die|das|den|jede\w?|alle)\s)",
    re.DOTALL,
)
_PRESENT = re.compile(
    rf"(?:Eine?\s+)?(?P<term>{_NAME})(?P<sense>{_SENSE})?\s+liegt\s+(?:(?P<also>auch|insbesondere)\s+)?(?:nur\s+)?vor,\s+wenn\b"
)
# "Im Sinne dieses Gesetzes ist Angeschuldigter der Beschuldigte, gegen den ..., Angeklagter der ..."
_KIND = r"(?:der|die|das|jede[rsn]?|alle|eine?|solche)\s"
_INVERTED = re.compile(
    rf"(?:Im\s+Sinne?|In)\s+(?:diese[rsmn]|des|der)\s[^,;.:\n]{{3,80}}?\s(?:ist|sind)\s+(?P<term>{_NAME})(?:,\s+wer\b|\s+(?={_KIND}))"
)
_NEXT_INVERTED = re.compile(rf",\s+(?:und\s+)?(?P<term>[A-ZÄÖÜ][\wäöüß-]{{2,60}})\s+(?={_KIND}[^,.;]{{1,80}},)")
# "Zum Einkommen gehören alle Einkünfte"; "Nicht zum Einkommen gehören ...".
_BELONGS = re.compile(
    rf"(?P<denied>Nicht\s+)?zu(?:m|r|\s+den|\s+dem|\s+der)?\s+(?P<term>(?:[A-ZÄÖÜ]\w+-\s(?:und|oder)\s)?{_NAME})"
    rf"(?P<sense>{_SENSE})?(?:\s+\([^()\n]{{2,40}}\))?\s+gehör(?:t|en)\b", re.IGNORECASE
)  # fmt: skip
_LEADS = re.compile(rf"\b(?:ist|sind)\s+(?P<term>{_NAME}(?:\s[\wäöüß-]{{3,40}}){{0,2}})\s*:\s*\Z")
# "Fahrlässig handelt, wer ...", "Volljährig ist, wer ..."; in a list the items begin with "wer".
_MANNER = re.compile(
    r"(?P<term>[A-ZÄÖÜ][a-zäöüß]{2,40}(?:\s[a-zäöüß]{3,40}){0,2}?)(?P<sense>\s+im\s+Sinne\s+[^,;.:\n]{3,80}?)?"
    r"\s+(?P<verb>handelt|ist)(?:\s+(?P<also>auch|insbesondere))?(?:,\s+wer\b|(?P<list>,?:?\s*(?=\n|\Z))"
    r"|(?P<thing>\s+(?:eine?|der|die|das|jede[rs]?)\s+(?=[A-ZÄÖÜ])))"
)
_ADJECTIVE = re.compile(r"[a-zäöüß]{2,40}(?:ig|lich|los|haft|sam|isch)\Z", re.IGNORECASE)
# What somebody owes or is punished for is a legal consequence, and no word with a meaning.
_CONSEQUENCE = re.compile(r"ordnungswidrig|\w*(?:pflichtig|schuldig|zuständig|erforderlich|zulässig)\Z", re.IGNORECASE)
_RELATIVE = re.compile(
    r",\s(?:die|der|das|den|dem|deren|dessen|wer|welche[rsnm]?|(?:bei|mit|für|in|auf|durch|an|aus|zu|von|nach)\s(?:der|dem|denen|"
    r"die|das|deren|welche[rnm])|soweit|wenn|um)\b"
)
_DUTY = re.compile(
    r"\b(?:zu\s+\w{3,}n|\w{2,}zu\w{3,}n|nicht\s+anzuwenden|anzuwenden|verpflichtet|berechtigt|unwirksam|nichtig)\s*[.;]?\Z"
)
_PREDICATE = re.compile(r"(?:\w{2}zu\w{3,}en|ig|lich|bar|(?<!sc)haft|sam|los|isch|berechtigt|verpflichtet|messen)\Z")
_IF = re.compile(r",\s(?:wenn|soweit)\b")
_SHORT_HEAD = 3  # a heading's last word that is no longer is none that others are made of
_IN_TERM = frozenset(
    _words(
        """
    hat haben kann können wird werden soll sollen muss müssen darf dürfen ist sind war nicht wenn so gilt gelten
    bedarf nach durch gegen mit für bei auf aus in im von zu zum zur an am sich es er sie nur auch
    """
    )
)


@dataclass(frozen=True, slots=True)
class Hit:
    """A term that a text defines: its words, and the span that may hold a scope phrase."""

    term: str
    start: int
    end: int  # of the words that may hold a scope phrase
    relation: str = "means"
    bracket: bool = False


def copula(text: str, start: int, end: int, heading: str, items: Sequence[str]) -> Iterator[Hit]:
    """The terms of "Verbraucher ist jede natürliche Person, die ...", "Sachen im Sinne des Gesetzes sind ...".

    With an article before it a term needs a scope phrase or the heading: "Die Firma ist der Name ...".
    A list defines what its heading names or what stands among definitions: "Angehörige sind:".

    Args:
        text: a node's text.
        start: where a sentence begins.
        end: where it ends.
        heading: the provision's, which may name the term.
        items: the texts of the node's items.
    """
    match = _COPULA.match(text, start, end)
    if match is None:
        return
    words = match["term"].split()
    # A lone word that ends like an adjective, or one before small words, is a predicate: "Angemessen ist ...".
    free = words[0].endswith("frei") and not _IF.search(text, match.end(), end)  # "Barrierefrei sind Anlagen, wenn ..."
    noun = (
        not free and not _PREDICATE.search(words[0])
        if len(words) == 1
        else any(_NOUN.match(word) for word in words[1:])
    )
    if words[0] in _STOP or any(word in _IN_TERM for word in words) or not noun:
        return
    rest = text[match.end() : end]
    genus = (match["genus"] or "").removeprefix("nur ").strip()
    wer = genus in ("wer", "solche", "derjenige", "diejenigen")
    # "Realsteuern sind die Grundsteuer und ..." stands below "Steuern".
    kinds = tuple(word.casefold() for word in heading.split()[-1:] if len(word) > _SHORT_HEAD)
    headed = any(word in heading or word.casefold().endswith(kinds) for word in words if word[0].isupper())
    named, among = genus != "" and headed, _DEFINITIONS.search(heading) is not None
    if among and not genus and _is_thing(rest):
        genus = rest
    denied = re.match(r"\s*nicht,\s+wer\b", rest) is not None
    if not denied and re.match(r"\s*(?:nicht|kein)", rest):
        return
    relative = _RELATIVE.search(rest) is not None
    if not wer and not named and not (genus and relative) and _DUTY.search(rest):
        return
    if match["the"] and not match["sense"] and not named:
        return
    defines = genus != "" and (wer or relative or genus.startswith("jede") or named or among)
    listed = match["list"] is not None and (headed or among) and _names_things(items)
    if match["sense"] or defines or listed or denied:
        also = match["also"] or _ALSO.match(rest)
        relation = "excludes" if denied else "includes" if also else "means"
        terms = match["term"].split(" und ") if match["verb"] == "sind" else [match["term"]]
        if terms[0].endswith("-"):  # "Betriebs- und Geschäftsgeheimnisse": the first is no word without the second
            terms[0] = match["term"]
        for term in terms:
            yield Hit(term, match.start("term"), match.end("verb"), relation)


def _is_thing(rest: str) -> bool:
    """Whether a predicate is a noun with its attributes: "unmittelbar mit dem Erdboden verbundene Anlagen, die ..."."""
    relative = _RELATIVE.search(rest)
    words = rest[: relative.start() if relative else len(rest)].rstrip(" .;,").split()
    return len(words) > 1 and words[0].islower() and words[-1][0].isupper()


def _names_things(items: Sequence[str]) -> bool:
    return bool(items) and _THING.match(items[0]) is not None and _DUTY.search(items[0].rstrip(" ,;")) is None


def had(text: str, start: int, end: int, heading: str) -> Iterator[Hit]:
    """The term of "Einen Wohnsitz hat jemand dort, wo ...", which the heading names.

    Args:
        text: a node's text.
        start: where a sentence begins.
        end: where it ends.
        heading: the provision's.
    """
    match = _HAD.match(text, start, end)
    noun = match["term"].split()[-1] if match is not None else ""
    if match is not None and noun in heading.split():
        alone = heading.split()[-1] == noun and len(heading.split()) == len(match["term"].split())
        yield Hit(heading if alone else match["term"], match.start(), match.end())


def counted(text: str, start: int, end: int) -> Iterator[Hit]:
    """The term of "Als Hersteller gilt, wer ...": what counts as it; what does too ("auch") or does not ("nicht").

    Args:
        text: a node's text.
        start: where a sentence begins.
        end: where it ends.
    """
    match = _COUNTED.match(text, start, end) or _COUNTS.search(text, start, end)
    if match is None or _CONSEQUENCE.match(match["term"]):
        return
    also = match.re is _COUNTS or (match["also"] or match["too"])
    denied = match.re is _COUNTED and _DENIED.match(text, match.end(), end) is not None
    relation = "excludes" if denied else "includes" if also else "means"
    yield Hit(match["term"], match.start("term"), match.end(), relation)


def present(text: str, start: int, end: int, heading: str) -> Iterator[Hit]:
    """The term of "Untermiete liegt vor, wenn ...", which the heading names, alone or in a compound.

    Args:
        text: a node's text.
        start: where a sentence begins.
        end: where it ends.
        heading: the provision's.
    """
    match = _PRESENT.match(text, start, end)
    # "Ein wichtiger Grund liegt vor, wenn ..." below "Kündigung aus wichtigem Grund" says when this right arises.
    if match is not None and (match["sense"] or match["term"].casefold() in heading.casefold()):
        relation = "includes" if match["also"] else "means"
        yield Hit(match["term"], match.start("term"), match.end(), relation)


def inverted(text: str, start: int, end: int) -> Iterator[Hit]:
    """The terms of "Im Sinne dieses Gesetzes ist Angeschuldigter der Beschuldigte, ..., Angeklagter der ...".

    Args:
        text: a node's text.
        start: where a sentence begins.
        end: where it ends.
    """
    match = _INVERTED.match(text, start, end)
    if match is None or match["term"].split()[0] in _STOP:
        return
    yield Hit(match["term"], match.start(), match.end())
    for more in _NEXT_INVERTED.finditer(text, match.end(), end):
        yield Hit(more["term"], match.start(), match.end())


def belongs(text: str, start: int, end: int, heading: str) -> Iterator[Hit]:
    """The term of "Zum Einkommen gehören ...", which the heading names or a scope phrase follows.

    Args:
        text: a node's text.
        start: where a sentence begins.
        end: where it ends.
        heading: the provision's.
    """
    match = _BELONGS.match(text, start, end)
    if match is None or not match["term"].split()[-1][0].isupper():
        return
    if match["sense"] or match["term"].split()[-1].casefold() in heading.casefold():
        yield Hit(match["term"], match.start("term"), match.end(), "excludes" if match["denied"] else "includes")


def understood(text: str, start: int, end: int) -> Iterator[Hit]:
    """The term of "Unter X ist ... zu verstehen" and "X bedeutet ...".

    Args:
        text: a node's text.
        start: where a sentence begins.
        end: where it ends.
    """
    match = _UNDERSTOOD.match(text, start, end)
    term = (match["term"] or match["bare"]) if match is not None else ""
    if match is not None and term.split()[0] not in _STOP:
        yield Hit(term, match.start(), match.end())


def headed_list(text: str, heading: str) -> Iterator[Hit]:
    """The term that ends the words before a list and that the heading names: "so sind nahestehende Personen:".

    Args:
        text: what stands before the list.
        heading: the provision's.
    """
    match = _LEADS.search(text)
    if match is not None and match["term"].casefold() in heading.casefold():
        yield Hit(match["term"], match.start("term"), match.end("term"))


def manner(text: str, start: int, end: int, *, has_list: bool) -> Iterator[Hit]:
    """The term of "Fahrlässig handelt, wer ...": adjectives and adverbs, which are written small elsewhere.

    Args:
        text: a node's text.
        start: where a sentence begins.
        end: where it ends.
        has_list: the node has items that begin with "wer".
    """
    match = _MANNER.match(text, start, end)
    if match is None or (match["list"] is not None and not has_list):
        return
    term = match["term"]
    words = term.split()
    if words[0] in _STOP or _CONSEQUENCE.match(words[-1]) or not _ADJECTIVE.match(words[-1]):
        return
    if match["thing"] and not match["sense"]:
        return
    relation = "includes" if match["also"] else "means"
    yield Hit(term[0].lower() + term[1:], match.start("term"), match.end("verb"), relation)


def is_listed(term: str) -> bool:
    """Whether the first words of an item of a list of definitions are a term."""
    return len(term.split()) <= 8 and not any(
        word in _IN_TERM - {"von", "zu", "für", "mit", "im", "in"} for word in term.split()
    )


def bracket_terms(content: str) -> list[str]:
    """The terms that a bracket holds; none where one of its parts is none ("Tag, Monat und Jahr")."""
    led = _LED.match(content)
    named = _LED_END.sub("", content[led.end() if led else 0 :])
    parts = [part.strip(_QUOTES + " ") for part in named.split(",")]
    if led and len(parts) == 1 and _SHORT_NAME.fullmatch(parts[0]):
        return parts
    return parts if all(_is_bracketed(part) for part in parts) else []


def _is_bracketed(term: str) -> bool:
    words = term.split()
    if not 1 <= len(words) <= 5 or _ASIDE.match(term) or re.search(r"[\d§=/:;+%…]", term):
        return False
    if len(words) == 1:
        noun = len(term) > 4 and _NOUN.match(term) is not None and sum(char.isupper() for char in term) == 1
        return noun or _ADVERB.match(term) is not None
    # The noun stands first, or after its adjectives.
    before = takewhile(lambda word: word[0].islower(), words)
    return all(_INFLECTED.match(word) or _ADVERB.match(word) for word in before) and any(
        _NOUN.match(word) for word in words
    )
