"""Finding what a node of German law defines: terms in brackets, in quotation marks, in lists, and by "ist" and "sind".

"Als X gilt" says what counts as X; other fictions and presumptions ("gilt als genehmigt", "wird vermutet") define
nothing. A definition without a phrase governs the whole
law, what only adds to one ("sind auch") its own part of it; both are marked as inferred.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from rag.law.jurisdiction import DocumentIndex
from rag.law.nodes import CONTAINER_TYPES, Definition, ParsedNode
from rag.law.passages import Citation, Passage, after_number, clause_end, clause_start
from rag.law.term_uses import Sense, TermRules

# What the German words of a definition look like: "X ist, wer", "X handelt, wer", a term in brackets or in a list.


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
    r"(?:,?\s+(?P<genus>(?:nur\s+)?(?:der|die|das|jede[rsnm]?|eine?|alle|sämtliche|we[rm]|derjenige|diejenigen|solche"
    r"|(?:[a-zäöüß]{4,30}(?:lich|weise)\s)?[a-zäöüß]{4,30}e(?=\s[A-ZÄÖÜ])|(?<=sind\s)[A-ZÄÖÜ][a-zäöüß-]{3,40}))\b|(?P<list>:?\s*(?=\n|\Z))|\b)"
)
_NAME = r"(?:[a-zäöüß]{3,40}e[rsnm]?\s){0,2}[A-ZÄÖÜ][\wäöüß-]{2,60}"
# "Als Hersteller gilt auch, wer ...": a fiction about the word itself; what a person is counted as tells less.
_COUNTED = re.compile(
    rf"Als\s+[„“\"]?(?P<term>{_NAME})[“”\"]?(?:{_SENSE})?\s+(?:gilt|gelten|(?:ist|sind)\s+(?P<also>auch\s+)?anzusehen)\b(?:\s+(?P<too>auch|ferner|weiters|insbesondere|es)\b)?"
)
# "Für die Zwecke dieses Artikels gilt als Hersteller auch, wer ...".
_LED_COUNTED = re.compile(
    rf"(?:Für|Im\s+Sinne?|Bei\s+der\s+Anwendung)\s[^,;.:\n]{{2,80}}?\s(?:gilt|gelten)\s+(?P<also>auch\s+)?als\s+"
    rf"(?P<term>{_NAME})(?:\s+(?P<too>auch|ferner|insbesondere))?(?=,\s+(?:wer|wem)\b|\s+(?:(?:auch\s)?(?:der|die|das|jede[rs]?|eine?|alle)\s))"
)
_NOT_COUNTED = re.compile(
    rf"(?:Nicht|Kein(?:e|en)?)\s+als\s+(?P<term>{_NAME})(?:{_SENSE})?\s+(?:gilt|gelten|(?:ist|sind)\s+anzusehen)\b"
)
# "Für Zwecke des Absatzes 2 steht dem Eigentümer gleich, wer ...".
_EQUALLED = re.compile(
    rf"(?:Für|Im\s+Sinne?|Bei\s+der\s+Anwendung)\s[^;:\n]{{2,80}}?\s(?:steht|stehen)\s+(?:de[mnr]|eine[mr])\s+(?P<term>{_NAME})\s+gleich\b"
)
_DENIED = re.compile(r"\s(?:[^,;.:]{1,80}\s)?nicht\b")  # "gelten vorbehaltlich des Absatzes 2 nicht"
_ALSO = re.compile(r"[^,;.:]{0,120}\sauch\s(?:dann|wenn)\b")
# Items of a list that names things; others go on with a sentence: "so zu errichten".
_THING = re.compile(r"(?:(?:der|die|das|wer|jede[rs]?|alle|eine?|solche|sonstige|weitere)\b|[A-ZÄÖÜ])")
_DEFINITIONS = re.compile(r"\bBegriff|\bDefinition", re.IGNORECASE)
_COUNTS = re.compile(
    rf"\b(?:gilt|gelten)\s+(?:auch\s+)?als\s+(?P<term>{_NAME})\s+im\s+Sinne?\s+(?:diese[rs]\b|des\s+Gesetzes|der\s+Verordnung"
    r"|(?:de[rs]|von)\s+(?:Absatz|Absätze|Satz|Artikel|Nummer|§))[^,;.:\n]{0,80}"
)
# "Für § 2 gelten Totgeborene nicht als Leichen": where it holds comes first, the term last.
_LED_COUNTS = re.compile(
    rf"(?:Für|Im\s+Sinne?|Bei\s+der\s+Anwendung)\s[^,;.:\n]{{2,80}}?\s(?:gilt|gelten)\s[^.;:\n]{{1,160}}?\s"
    rf"(?P<denied>nicht\s+)?(?P<also>auch\s+)?als\s+(?P<term>{_NAME})(?=[.;]|\s*\Z)"
)
# "Unter Modernisierung ist jede Veränderung zu verstehen", "Verkehrssitte bedeutet das Übliche".
_UNDERSTOOD = re.compile(
    rf"Unter\s+(?:(?:dem|den|der)\s+(?=\w+\s+[„“\"A-ZÄÖÜ])\w+\s+|(?:eine[mr]|de[mnr])\s+)?[„“\"]?(?P<term>{_NAME})[“”\"]?(?:{_SENSE})?\s+(?:ist|sind|wird|werden|versteht)\s"
    r"(?=.{1,400}?(?:zu\s+verstehen|verstanden)\b|man\b)|"
    rf"(?P<bare>{_NAME})(?:{_SENSE})?\s+(?:bedeute[nt]|bezeichnen?|bezeichnet|umfass(?:t|en))\s(?=(?:eine?n?|der|die|das|den|jede\w?|alle)\s)",
    re.DOTALL,
)
_PRESENT = re.compile(
    rf"(?:Eine?\s+)?(?P<term>{_NAME})(?P<sense>{_SENSE}|\s+(?:nach|gemäß)\s+(?:§|Art|Abs)[^,;:\n]{{2,60}}?)?\s+liegt\s+(?:(?P<also>auch|insbesondere)\s+)?(?:nur\s+)?vor,\s+(?:wenn|falls|soweit)\b"
)
# "Im Sinne dieses Gesetzes ist Angeschuldigter der Beschuldigte, gegen den ..., Angeklagter der ..."
_KIND = r"(?:der|die|das|jede[rsn]?|alle|eine?|solche)\s"
_INVERTED = re.compile(
    rf"(?:Im\s+Sinne?|In)\s+(?:diese[rsmn]|des|der)\s[^,;.:\n]{{3,80}}?\s(?:ist|sind)\s+(?P<term>{_NAME})(?:,\s+wer\b|\s+(?={_KIND}))"
)
_NEXT_INVERTED = re.compile(rf",\s+(?:und\s+)?(?P<term>[A-ZÄÖÜ][\wäöüß-]{{2,60}})\s+(?={_KIND}[^,.;]{{1,80}},)")
# The same item by item: "ist 1. Händler, wer Waren verkauft, 2. Ware jede bewegliche Sache".
_INVERTED_ITEM = re.compile(
    rf"(?:\d{{1,3}}[.)]\s|[a-z]\)\s)?(?P<term>{_NAME}|[a-zäöüß]{{3,30}}(?:en|eln|ern))(?:,\s+(?=wer\b)|\s+(?={_KIND}))"
)
_NUMBERED_LEAD = re.compile(
    r"(?:Im\s+Sinne?|In)\s+(?:diese[rsmn]|des|der)\s[^,;.:\n]{3,80}?\s(?:ist|sind):?\s+(?=1[.)]\s)"
)
# "Es gelten die Begriffsbestimmungen der Honigverordnung für die Begriffe Honig und Blütenhonig".
_GIVEN = re.compile(
    r"\bBegriffsbestimmung(?:en)?\s(?P<law>[^.;]{3,160}?)\sfür\s(?:den|die)\sBegriffe?\s(?P<terms>[^.;:]{3,200}?)(?=[.;:]|\s*\Z)"
)
# "Für den Begriff des Inverkehrbringens gilt Artikel 3 Nummer 8 der Verordnung".
_TAKEN = re.compile(
    r"\bFür\s(?:den|die)\sBegriffe?\s(?:(?P<of>des|der)\s)?[„“\"]?(?P<term>[A-ZÄÖÜ][\wäöüß-]{2,60})[“”\"]?\s(?:gilt|gelten|ist|sind)\s"
)
# What is done with a thing and named by its phrase: "Inverkehrbringen", "Instandsetzung".
_PHRASE_ACTION = re.compile(
    r"(?:In|Außer|Zur?)[a-zäöüß]{4,30}?(?:bringen|bringung|nahme|nehmen|setzen|setzung|stellen|stellung|halten|haltung)"
)
# "Eine Orgel ist historisch, wenn", below a heading that says "historische Orgeln".
_QUALITY = re.compile(
    r"(?:Eine?|Der|Die|Das)\s[A-ZÄÖÜ][\wäöüß-]{2,40}\s(?:ist|gilt\sals)\s(?P<term>[a-zäöüß]{4,40}),\s(?:wenn|soweit)\b"
)
_NUMBER = re.compile(r"(?:(?<=[,;]\s)|(?<=\s(?:ist|und)\s)|(?<=sind\s)|(?<=ist:\s)|(?<=sind:\s))(?=\d{1,3}[.)]\s)")
# "Zum Einkommen gehören alle Einkünfte"; "Nicht zum Einkommen gehören ..."; "In diesem Teil gehört zum Einkommen auch".
_BELONGS = re.compile(
    rf"(?P<led>(?:Im\s+Sinne?|Für|In)\s[^,;.:\n]{{3,80}}?\sgehör(?:t|en)\s)?(?P<denied>Nicht\s+)?zu(?:m|r|\s+den|\s+dem|\s+der)?\s+(?P<term>(?:[A-ZÄÖÜ]\w+-\s(?:und|oder)\s)?{_NAME})"
    rf"(?P<sense>{_SENSE})?(?:\s+\([^()\n]{{2,40}}\))?"
    rf"(?(led)(?:\s(?:auch|insbesondere|ferner|nur))?\s|\s+gehör(?:t|en)\b)", re.IGNORECASE
)  # fmt: skip
# "Fahrlässig handelt, wer ...", "Volljährig ist, wer ..."; in a list the items begin with "wer".
_MANNER = re.compile(
    r"(?P<term>[A-ZÄÖÜ][a-zäöüß]{2,40}(?:\s[a-zäöüß]{3,40}){0,2}?)(?P<sense>\s+im\s+Sinne\s+[^,;.:\n]{3,80}?)?"
    r"\s+(?P<verb>handelt|ist|sind)(?:\s+(?P<also>auch|insbesondere))?(?:,\s+wer\b|(?P<list>,?:?\s*(?=\n|\Z))"
    r"|(?P<thing>\s+(?:(?:eine?|der|die|das|jede[rs]?|was)\s+(?=\w)|[A-ZÄÖÜ][a-zäöüß-]{2,40}(?=,\s))))"
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
_LONG = 15  # words of a predicate; a longer one holds a clause
_DEFINITE = ("der", "die", "das")
_OF_ANY = re.compile(r"\A(\S+)\seine[rs]\s.*")  # "Träger einer Sportstätte" says who the Träger is
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


def copula(
    text: str, start: int, end: int, heading: str, items: Sequence[str], is_noun: Callable[[str], bool]
) -> Iterator[Hit]:
    """The terms of "Verbraucher ist jede natürliche Person, die ...", "Sachen im Sinne des Gesetzes sind ...".

    With an article before it a term needs a scope phrase or the heading: "Die Firma ist der Name ...".
    A noun is a predicate where the clause ends with it: "Zuständige Behörde ist das Landratsamt"; a participle or an
    infinitive would end it otherwise ("ist das Landratsamt zu hören").
    A list defines what its heading names or what is among definitions: "Angehörige sind:".

    Args:
        text: a node's text.
        start: where a sentence begins.
        end: where it ends.
        heading: the provision's, which may name the term.
        items: the texts of the node's items.
        is_noun: whether other provisions use a word as a noun; at the start of a sentence all words have a capital.
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
    rest = text[match.end() : end].partition(";")[0]
    genus = (match["genus"] or "").removeprefix("nur ").strip()
    wer = genus in ("wer", "wem", "solche", "derjenige", "diejenigen")
    # "Realsteuern sind die Grundsteuer und ..." is below "Steuern".
    kinds = tuple(word.casefold() for word in heading.split()[-1:] if len(word) > _SHORT_HEAD)
    kinds += tuple(f"{kind}{ending}" for kind in kinds for ending in ("n", "en", "e", "er", "s"))
    headed = any(word in heading or word.casefold().endswith(kinds) for word in words if word[0].isupper())
    among = _DEFINITIONS.search(heading) is not None
    if (among or headed) and not genus and _is_thing(rest):
        genus = rest
    named = genus != "" and headed
    denied = re.match(r"\s*nicht,\s+wer\b", rest) is not None
    if not denied and not wer and re.match(r"\s*(?:nicht|kein)", rest):
        return
    relative = _RELATIVE.search(rest) is not None
    if not wer and not (genus and relative) and _DUTY.search(rest):
        return
    # "Der Verlust des Ausweises ist der Bücherei angezeigt": "der" begins no noun that the sentence ends with.
    if (
        named
        and genus in ("der", "die", "das")
        and re.search(r"\s[a-zäöüß]+\s*\Z", rest.partition(",")[0].rstrip(" ."))
    ):
        return
    if match["the"] and not match["sense"] and not named:
        return
    # "Lastenrad ist ein Fahrrad mit einer Ladefläche": a noun without its article.
    bare = len(words) == 1 and not match["the"] and text[start : match.start("term")] == "" and genus in ("ein", "eine")
    defines = genus != "" and (
        wer
        or relative
        or (bare and match["verb"] == "ist" and not _DUTY.search(rest))
        or genus.startswith("jede")
        or named
        or among
    )
    alone = text[:start].rstrip()[-1:] in ("", ".", ")", "\n")  # no clause of a sentence that says more
    named_by = alone and match.start("term") == match.start() and not defines and _is_nominal(genus, rest)
    if named_by and " und " not in match["term"]:
        # "Zuständige Behörde", "Träger einer Sportstätte": after an adjective the second word is the noun.
        defines = is_noun(next((word for word in words[1:2] if word[0].isupper()), words[0]))
    listed = match["list"] is not None and (headed or among) and _names_things(items)
    if match["sense"] or defines or listed or denied:
        also = match["also"] or _ALSO.match(rest)
        relation = "excludes" if denied else "includes" if also else "means"
        term = _OF_ANY.sub(r"\1", match["term"]) if match["verb"] == "ist" else match["term"]
        terms = term.split(" und ") if match["verb"] == "sind" else [term]
        if terms[0].endswith("-"):  # "Betriebs- und Geschäftsgeheimnisse": the first is no word without the second
            terms[0] = term
        for term in terms:
            yield Hit(term, match.start("term"), match.end("verb"), relation)


def _is_nominal(genus: str, rest: str) -> bool:
    """Whether a predicate is a noun, or a list of nouns, with nothing after it but a relative clause."""
    relative = _RELATIVE.search(rest)
    words = f"{genus}{rest[: relative.start() if relative else len(rest)]}".rstrip(" .;,").split()
    return 0 < len(words) <= _LONG and words[-1][0].isupper() and (genus in _DEFINITE or genus[:1].isupper())


def _is_thing(rest: str) -> bool:
    """Whether a predicate is a noun with its attributes: "unmittelbar mit dem Erdboden verbundene Anlagen, die ..."."""
    relative = _RELATIVE.search(rest)
    words = rest[: relative.start() if relative else len(rest)].rstrip(" .;,").split()
    return len(words) > 1 and words[0].islower() and words[-1][0].isupper()


def _names_things(items: Sequence[str]) -> bool:
    return bool(items) and _THING.match(items[0]) is not None and _DUTY.search(items[0].rstrip(" ,;")) is None


def counted(text: str, start: int, end: int) -> Iterator[Hit]:
    """The term of "Als Hersteller gilt, wer ...": what counts as it; what does too ("auch") or does not ("nicht").

    Args:
        text: a node's text.
        start: where a sentence begins.
        end: where it ends.
    """
    denial = _NOT_COUNTED.match(text, start, end)
    if denial is not None:
        yield Hit(denial["term"], denial.start("term"), denial.end(), "excludes")
        return
    equalled = _EQUALLED.match(text, start, end)
    if equalled is not None:
        yield Hit(equalled["term"], start, equalled.end(), "includes")
        return
    led = _LED_COUNTS.match(text, start, end)
    if led is not None and not _CONSEQUENCE.match(led["term"]):
        yield Hit(led["term"], start, led.end(), "excludes" if led["denied"] else "includes")
        return
    counted_as = _LED_COUNTED.match(text, start, end)
    if counted_as is not None and not _CONSEQUENCE.match(counted_as["term"]):
        also = counted_as["also"] or counted_as["too"]
        yield Hit(counted_as["term"], start, counted_as.end(), "includes" if also else "means")
        return
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
    numbered = _NUMBERED_LEAD.match(text, start, end)
    for number in _NUMBER.finditer(text, numbered.end() - 1, end) if numbered is not None else ():
        item = _INVERTED_ITEM.match(text, number.end(), end)
        if item is not None and item["term"].split()[0] not in _STOP:
            yield Hit(item["term"], start, item.end())
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
    if match["led"] or match["sense"] or match["term"].split()[-1].casefold() in heading.casefold():
        yield Hit(match["term"], match.start(), match.end(), "excludes" if match["denied"] else "includes")


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


def given(text: str) -> Iterator[Hit]:
    """The terms of which a text says that they mean what another law makes of them."""
    for match in _TAKEN.finditer(text):
        yield Hit(
            match["term"].removesuffix("s") if match["of"] == "des" else match["term"],
            match.start(),
            match.end(),
            "reference",
        )
    for match in _GIVEN.finditer(text):
        for term in re.split(r",\s|\s(?:und|sowie|oder)\s", match["terms"]):
            if (name := term.strip(_QUOTES + " ")) and name[0].isupper():
                yield Hit(name, match.start(), match.end("law"), "reference")


def manner(text: str, start: int, end: int, *, has_list: bool, is_attribute: Callable[[str], bool]) -> Iterator[Hit]:
    """The term of "Fahrlässig handelt, wer ...": adjectives and adverbs, which are written small elsewhere.

    Args:
        text: a node's text.
        start: where a sentence begins.
        end: where it ends.
        has_list: the node has items that begin with "wer".
        is_attribute: whether other provisions say an adjective of things: "archivwürdige Unterlagen".
    """
    match = _MANNER.match(text, start, end)
    if match is None or (match["list"] is not None and not has_list):
        return
    term = match["term"]
    words = term.split()
    thing = (match["thing"] or "").strip()
    # A participle tells nothing by its ending: "Naturbelassen ist Holz, das".
    participle = len(words) == 1 and thing[:1].isupper() and words[0].endswith(("en", "t"))
    if words[0] in _STOP or _CONSEQUENCE.match(words[-1]) or not (participle or _ADJECTIVE.match(words[-1])):
        return
    if thing and not match["sense"] and not (thing[0].isupper() and is_attribute(words[-1].lower())):
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
    # The noun is first, or after its adjectives.
    before = takewhile(lambda word: word[0].islower(), words)
    return all(_INFLECTED.match(word) or _ADVERB.match(word) for word in before) and any(
        _NOUN.match(word) for word in words
    )


_SENTENCE = re.compile(
    r"(?<=[.!?;])(?<!Abs\.)(?<!Nr\.)(?<!Nrn\.)(?<!Art\.)(?<!\bS\.)(?<!Buchst\.)(?<!BGBl\.)(?<!\b\d\.)(?<!\b\d\d\.)(?<!B\.)"
    r"\s+(?=[A-ZÄÖÜ§„“\"(])|\n"
)
_BRACKET = re.compile(
    r"(?:(?<=[\w“\"])|(?<=,)(?=\s\((?i:im\s+folgenden|nachfolgend|nachstehend|kurz)\b))\s\(([^()\n]{3,80})\)"
)
_GENERAL = re.compile(r"\bAllgemeine[rsn]?\b|\bBegriffsbestimmung(?:en)?\b")  # in the heading of a container
_QUOTED = re.compile(r"[„“\"]([^„“”\"\n]{2,90})[“”\"]")
_BEFORE_TERM = re.compile(
    r"[\s„“\"0-9.()a-h]*(?:(?:der|die|das)\s+)?(?:(?:Ausdr[uü]cke?|Begriffe?|Bezeichnung(?:en)?|Worte?|Wörter)\s+)?",
    re.IGNORECASE,
)
_QUOTED_VERB = re.compile(
    r"\s*(?:,|im\s+Sinne\b[^,;.:]{3,80}?)?\s*(?:ist|sind|bedeutet|bedeuten|bezeichnet|bezeichnen|meint|umfasst)\b"
)
# "Im Sinne dieses Gesetzes bedeutet „Vermieter“ auch ...".
_VERB_FIRST = re.compile(
    r"\b(?:im\s+Sinne|für\s+die\s+Zwecke|zum\s+Zwecke?|für\s+(?=diese|die\s+§|§)|in\s+(?=diese))\b[^,;.:„“]{3,80}?\b(?:ist|sind|bedeute[nt]|bezeichne[nt]|bezeichnet|umfass(?:t|en))\s+"
    r"(?:(?:der|die|das)\s+)?(?:(?:Begriff|Ausdruck|Bezeichnung|Wort)\s+)?\Z",
    re.IGNORECASE,
)
LIST_LEAD = re.compile(
    r"(?:im\s+Sinne?|Zwecke?n?|in\s+diese[mr]\s+\w+|bei\s+der\s+Anwendung|für\s+diese[sn]?\s+\w+)\b[^.;]{0,160}?"
    r"\b(?:ist|sind|bedeute[nt]|bezeichne[nt]|bezeichnet\s+der\s+Ausdruck|Begriffsbestimmungen|Begriffe?|Ausdr[uü]cke?)\b[^.;]{0,60}:?\s*\Z"
    r"|\bSinne?\b[^.;]{3,120}?\b(?:gilt|gelten)\s+als\s*:\s*\Z"
    r"|\bes\s+bezeichne[nt]\s+(?:(?:die|der)\s+)?(?:Begriffe?|Ausdr[uü]cke?)\s*:?\s*\Z"
    r"|\b(?:gelten|werden)\s+(?:die\s+)?folgenden?\s+(?:Begriffs)?(?:[Bb]estimmungen|[Dd]efinitionen)\b[^.;]{0,20}:?\s*\Z",
    re.IGNORECASE,
)
_LISTED = re.compile(
    r"(?:(?:ist|sind)\s+(?:eine?\s+)?)?[„“\"]?(?P<term>[A-ZÄÖÜa-zäöü][^:„“”\"\n.;,()]{2,80}?)[“”\"]?"
    r"(?:(?:\s\([^()\n]{2,80}\))?\s*:(?:\s+(?P<also>auch\b)|\s|\Z)|\s+(?:ist|sind|bedeutet|bezeichnet|bezeichnen)[\s,])"
)
_PHRASE = re.compile(
    r"(?:im\s+Sinne?|für\s+(?:die\s+)?Zwecke|zum\s+Zwecke?|für)(?:\s+(?:von|des|der))?\s*\Z"
    r"|(?:\A|[.;:]\s|\n)in\s+\Z|\A[\w\s]{1,60}\b(?:nach|gemäß)\s+\Z",
    re.IGNORECASE,
)
_THE_LAW = re.compile(
    r"im\s+Sinne?\s+(?:des|der)\s+(?:Gesetzes|Verordnung)(?!\w)"
    r"|(?:im\s+Sinne?|\bin|für\s+(?:die\s+)?Zwecke|bei\s+der\s+Anwendung)\s+diese[rsmn]\s+(?:Bundes|Landes|Stammes)?"
    r"(?:gesetz(?:buch)?(?:e?s)?|verordnung|ordnung)(?!\w)", re.IGNORECASE
)  # fmt: skip
_JOINT = re.compile(r"\s{0,3}(?:,|und|oder|sowie|,\s?(?:und|oder|sowie))\s(?:(?:von|des|der|nach|in)\s){0,2}")
_ACRONYM = re.compile(r"\s\([A-ZÄÖÜ][\w-]{1,9}\)\Z")
_DEFINING = re.compile(r"\bBegriffsbestimmung(?:en)?\b|\ABegriffe\b|\bDefinition(?:en)?\b")
_SHARED = re.compile(r"\b(?:Allgemeine[rsn]?|Gemeinsame[rsn]?|Einleitende|Begriffsbestimmung(?:en)?)\b")
_BY_REFERENCE = re.compile(
    r"\bim\s+Sinne\s+(?:von\s+|des\s+|der\s+)?\Z|\A,?\s*(?:wer|was|eine?|der|die|das|jede[rs]?)?\s*[\wäöüß-]{2,40}\s+(?:nach|gemäß)\s+\Z",
    re.IGNORECASE,
)
_MEANT_BY = re.compile(r"(?P<term>[A-ZÄÖÜ][\wäöüß-]{2,60})\s(?P<sense>im\s+Sinne?\s+(?:von\s+|des\s+|der\s+)?)\Z")
_NEAR = 100  # characters before a reference that are read for its term
_VERB = re.compile(r"(?:[a-zäöüß]+\s)*[a-zäöüß]{3,}(?:en|eln|ern)")
# "Feilbieten umfasst das Ausstellen", "Wanderung: das Verbringen": what somebody does, so that verbs use it too.
_ACTION = re.compile(r"[A-ZÄÖÜ][a-zäöüß]{3,40}(?:en|eln|ern|ung)")
_AN_ACTION = re.compile(
    r"[\s:]*(?:das|jedes)\s(?:[a-zäöüß]+e[sr]?\s){0,3}[A-ZÄÖÜ][a-zäöüß]{3,40}(?:en|eln|ern)"
    r"(?:\s(?!(?:ist|sind|und|oder)\b)|(?:,|\s(?:und|oder))\s(?:das\s)?[A-ZÄÖÜ][a-zäöüß]{3,40}(?:en|eln|ern)\b)"
)
_ACCORDINGLY = re.compile(
    r"[.;]\s+[a-zäöüß]{3,40}(?:en|eln|ern)\s(?:ist|sind)\s(?:entsprechend|sinngemäß)\s(?:zu\sverstehen|auszulegen)\b"
)
_CLOSING = len(" sind.")  # after a reference that ends its sentence
_SAME_WORD = 4  # letters that two forms of a word share
_EVERYWHERE = 3  # a bracket in so many provisions is an aside
_EVERYDAY = 7  # a word so short, used before it is defined, is also an everyday word


@lru_cache(maxsize=64)  # one text is asked for once for each way of defining
def sentences(text: str) -> tuple[tuple[int, int], ...]:
    """Character spans of the sentences of a German text; points of abbreviations and of ordinals end none."""
    starts, ends = [after_number(text)], list[int]()
    for match in _SENTENCE.finditer(text, starts[0]):
        ends.append(match.start())
        starts.append(match.end())
    ends.append(len(text))
    return tuple((start, end) for start, end in zip(starts, ends, strict=True) if start < end)


class GermanDefinitions:
    """Finds the definitions of one document; asked node by node in document order."""

    def __init__(self, index: DocumentIndex, terms: TermRules, passage_of: Callable[[str], Passage]) -> None:
        self._index = index
        self._terms = terms
        self._passage_of = passage_of
        self._defined: dict[str, dict[str, str]] = {}  # section URN -> normalised term -> where it is first defined
        self._places: dict[str, set[str]] = {}  # normalised bracket -> URNs of the sections it is in
        self._said: dict[str, bool] = {}  # pattern -> whether the law has it
        self._seen: set[str] = set()  # words of the nodes before the one asked for
        for node in index.tree.nodes:
            for match in _BRACKET.finditer(node.text):
                self._places.setdefault(terms.normalise(match[1]), set()).add(self._section(node).urn)

    def definitions(self, passage: Passage) -> list[Definition]:
        """The definitions that this node makes, each with its scope."""
        node = passage.node
        if node.structure_type in ("NOTE", "ROOT") or node.kind == "decision":
            return []
        section = self._section(node)
        known = self._defined.setdefault(section.urn, {})
        above = {unit.urn for unit in self._index.chain(node)}
        out: list[Definition] = []
        for hit in sorted(self._hits(passage), key=lambda one: one.start):
            plain = self._terms.normalise(hit.term)
            # What adds to a term or takes from it, further on in its provision, is said there and nowhere else.
            elsewhere = hit.relation in ("includes", "excludes") and known.get(plain, node.urn) not in above
            if not plain or (plain in known and not elsewhere):
                continue
            known.setdefault(plain, node.urn)
            if hit.term[:1].islower():  # what is no noun
                sense = Sense.ACTION if _VERB.fullmatch(hit.term) else Sense.STATE
                self._index.document.senses.setdefault(plain, set()).add(sense)
            elif _PHRASE_ACTION.fullmatch(hit.term) or (
                _ACTION.fullmatch(hit.term)
                and (_AN_ACTION.match(passage.text, hit.end) or _ACCORDINGLY.search(passage.text, hit.end))
            ):
                self._index.document.senses.setdefault(plain, set()).add(Sense.ACTION)
            out.extend(self._scoped(passage, hit, section, plain))
        out.extend(self._at_place_of_use(passage, section, known))
        self._seen.update(word for word in re.findall(r"[A-ZÄÖÜ][a-zäöüß]{2,8}(?!\w)", node.text))
        return out

    def scope_said(self, passage: Passage, start: int, end: int) -> tuple[tuple[str, ...], str, bool]:
        """See `DefinitionFinder`."""
        urns, phrase = self._phrase(passage, start, end)
        return urns, phrase, not urns

    def _at_place_of_use(self, passage: Passage, section: ParsedNode, known: dict[str, str]) -> Iterator[Definition]:
        """ "Hafenmeister im Sinne des § 2 des Hafengesetzes": another law says what the word means here."""
        for citation in passage.citations:
            before = passage.text[max(0, citation.whole_start - _NEAR) : citation.whole_start]
            match = _MEANT_BY.search(before)
            own = citation.kind == "relative" or citation.urn.startswith(self._index.corpus_urn)
            if match is None or own or match["term"] in _STOP or passage.text.count(match["term"]) > 1:
                continue
            plain = self._terms.normalise(match["term"])
            if plain in known:
                continue
            known[plain] = passage.node.urn
            scope = self._index.root.urn if _DEFINING.search(section.heading) else passage.node.urn
            words = f"{match['sense'].strip()} {passage.text[citation.whole_start : citation.whole_end]}"
            yield Definition(match["term"], passage.node.urn, scope, "reference", False, words, citation.urn)

    def _section(self, node: ParsedNode) -> ParsedNode:
        return self._index.section(node) or node

    def _is_noun(self, word: str) -> bool:
        """Whether the law writes a word with a capital inside a sentence, in any case of it."""
        return self._says(rf"[a-zäöüß,]\s{re.escape(word)}(?:e?[snr]|e)?\b")

    def _is_attribute(self, word: str) -> bool:
        """Whether the law uses an adjective before a noun."""
        return self._says(rf"\b{re.escape(word)}e[rsnm]?\s[A-ZÄÖÜ]")

    def _says(self, pattern: str) -> bool:
        if pattern not in self._said:
            found = re.compile(pattern)
            self._said[pattern] = any(found.search(node.text) for node in self._index.tree.nodes)
        return self._said[pattern]

    # Scope

    def _scoped(self, passage: Passage, hit: Hit, section: ParsedNode, plain: str) -> Iterator[Definition]:
        relation, reference = self._relation(passage, hit)
        urns, phrase = ((), "") if hit.bracket else self._phrase(passage, hit.start, hit.end)
        if not urns and not hit.bracket:
            for unit in self._index.chain(passage.node)[1:]:
                lead = self._passage_of(unit.urn)
                urns, phrase = self._phrase(lead, 0, len(unit.intro_text)) if unit.intro_text else ((), "")
                if urns or unit is section:
                    break
        inferred = not urns
        if inferred:
            urns = (self._default(hit, section, plain),)
        words: tuple[int, int | None] = (hit.start, None)
        if hit.bracket:
            words = clause_start(passage.text, hit.start - 1), clause_end(passage.text, hit.end + 1)
        elif hit.relation == "reference":
            words = (0, 0)  # it says of several terms where they are defined
        for urn in urns:
            yield Definition(hit.term, passage.node.urn, urn, relation, inferred, phrase, reference, words=words)

    def _phrase(self, passage: Passage, start: int, end: int) -> tuple[tuple[str, ...], str]:
        """The nodes that a scope phrase in a span names, and its words."""
        text = passage.text
        if match := _THE_LAW.search(text, start, end):
            return (self._index.root.urn,), match[0]
        urns: list[str] = []
        words, last = "", -1
        for citation in _cited(passage, start, end):
            lead = _PHRASE.search(text[max(start, citation.whole_start - 40) : citation.whole_start])
            node = self._index.node(citation.urn) if citation.urn else None
            # "Im Sinne dieses Kapitels und von § 2" names both.
            joined = last >= 0 and _JOINT.fullmatch(text, last, max(last, citation.whole_start)) is not None
            if node is None or not (lead or joined or (urns and citation.whole_end == last)):
                continue
            last = citation.whole_end
            words = words or (lead[0] if lead else "") + text[citation.whole_start : citation.whole_end]
            if citation.range == "end" and urns:
                urns.extend(self._between(urns[-1], node))
            urns.append(node.urn)
        return tuple(dict.fromkeys(urns)), words

    def _between(self, first: str, last: ParsedNode) -> list[str]:
        order = [node.urn for node in self._index.tree.nodes if node.level == last.level]
        if first not in order:
            return []
        return order[order.index(first) + 1 : order.index(last.urn)]

    def _default(self, hit: Hit, section: ParsedNode, plain: str) -> str:
        """The whole law; for a term that other provisions define too, or for an everyday word, a smaller part."""
        if hit.bracket and len(self._places.get(plain, ())) > 1:
            return section.urn
        if hit.relation == "includes" and not _DEFINING.search(section.heading):
            return self._part_of(section)
        everyday = " " not in plain and len(plain) <= _EVERYDAY and hit.term in self._seen
        if hit.bracket and everyday:
            containers = [unit for unit in self._index.chain(section)[1:] if unit.structure_type in CONTAINER_TYPES]
            return containers[0].urn if containers else section.urn
        return self._division(section) if not hit.bracket else self._index.root.urn

    def _division(self, section: ParsedNode) -> str:
        """The law; of one of several sections of definitions the division it is in, if that is a special one."""
        above = [unit for unit in self._index.chain(section)[1:] if unit.structure_type in CONTAINER_TYPES]
        division = above[-2] if len(above) > 1 else None  # the outermost below the law
        if division is None or not _DEFINING.search(section.heading) or _SHARED.search(division.heading):
            return self._index.root.urn
        others = (node for node in self._index.tree.nodes if _DEFINING.search(node.heading) and node is not section)
        elsewhere = any(division not in self._index.chain(other) and self._section(other) is other for other in others)
        return division.urn if elsewhere else self._index.root.urn

    def _part_of(self, section: ParsedNode) -> str:
        """What an addition to a definition governs: its container, or all that a container of general rules opens."""
        above = [unit for unit in self._index.chain(section)[1:] if unit is not self._index.root]
        containers = [unit for unit in above if unit.structure_type in CONTAINER_TYPES]
        general = [container for container in containers if _GENERAL.search(container.heading)]
        if general:
            return general[-1].parent_urn or self._index.root.urn
        return containers[0].urn if containers else section.urn

    def _relation(self, passage: Passage, hit: Hit) -> tuple[str, str]:
        """`reference` where the meaning is only said to be that of a provision."""
        if hit.relation == "reference":
            _, end = _sentence_at(passage.text, hit.start)
            return "reference", next((one.urn for one in _cited(passage, hit.start, max(hit.end, end))), "")
        if hit.bracket or hit.relation != "means":
            return hit.relation, ""
        _, end = _sentence_at(passage.text, hit.start)
        for citation in _cited(passage, hit.end, min(end, hit.end + 60)):
            before = passage.text[hit.end : citation.whole_start]
            if _BY_REFERENCE.search(before) and end - citation.whole_end <= _CLOSING:
                return "reference", citation.urn
        return "means", ""

    # Ways of defining

    def _hits(self, passage: Passage) -> Iterator[Hit]:
        text, node = passage.text, passage.node
        parent = self._index.tree.parent(node)
        listed = (
            parent is not None and bool(parent.intro_text) and LIST_LEAD.search(parent.intro_text[-300:]) is not None
        )
        yield from self._quoted(text, listed=listed)
        yield from given(text)
        if listed and (match := _LISTED.match(text)) is not None and is_listed(match["term"]):
            yield Hit(match["term"].strip(), match.start(), match.end(), "includes" if match["also"] else "means")
        elif listed and (item := _INVERTED_ITEM.match(text)) is not None and item["term"].split()[0] not in _STOP:
            yield Hit(item["term"], item.start("term"), item.end())
        children = self._index.tree.children(node.urn)
        heading = self._section(node).heading
        persons = any(re.match(r"wer\b", child.text) for child in children)
        named: list[Hit] = []
        for start, end in sentences(text):
            named.extend(copula(text, start, end, heading, [child.text for child in children], self._is_noun))
            named.extend(manner(text, start, end, has_list=persons, is_attribute=self._is_attribute))
            named.extend(counted(text, start, end))
            if (said := _QUALITY.match(text, start, end)) is not None and said["term"] in heading.casefold():
                named.append(Hit(said["term"], said.start("term"), said.end()))
            named.extend(understood(text, start, end))
            named.extend(inverted(text, start, end))
            named.extend(belongs(text, start, end, heading))
            named.extend(present(text, start, end, heading))
        yield from named
        for match in _BRACKET.finditer(text):
            # Only both forms of a term's word: "Aktionär (Aktionärin) ist".
            inside = any(
                name.start < match.start() < name.end and name.term[:_SAME_WORD] == match[1][:_SAME_WORD]
                for name in named
            )
            if not inside and len(self._places.get(self._terms.normalise(match[1]), ())) < _EVERYWHERE:
                yield from (Hit(term, match.start(1), match.end(1), bracket=True) for term in bracket_terms(match[1]))

    def _quoted(self, text: str, *, listed: bool) -> Iterator[Hit]:
        for match in _QUOTED.finditer(text):
            verb = _QUOTED_VERB.match(text, match.end())
            led = _VERB_FIRST.search(text, max(0, match.start() - 160), match.start())
            first = listed and _BEFORE_TERM.fullmatch(text, 0, match.start()) is not None
            if (verb or first or led) and len(match[1].split()) <= 8 and any(char.isalpha() for char in match[1]):
                start = led.start() if led else match.start()
                also = "includes" if led and text[match.end() :].lstrip().startswith("auch ") else "means"
                term = _ACRONYM.sub("", match[1].strip(" ,;:"))
                yield Hit(term, start, verb.end() if verb else match.end(), also)


def _sentence_at(text: str, position: int) -> tuple[int, int]:
    spans = sentences(text)
    return spans[max(0, bisect_right(spans, position, key=lambda span: span[0]) - 1)] if spans else (0, len(text))


def _cited(passage: Passage, start: int, end: int) -> tuple[Citation, ...]:
    """The citations whose reference begins in a span."""
    first, last = (bisect_left(passage.citations, at, key=lambda one: one.whole_start) for at in (start, end))
    return passage.citations[first:last]
