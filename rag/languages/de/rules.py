"""German legal language: what `rag/ingest` looks for in law written in German."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import product

from rag.languages.base import PassageRules
from rag.languages.de.definitions import LIST_LEAD, GermanDefinitions
from rag.law.entries import TermLists
from rag.law.own_words import OwnPhrases
from rag.law.patterns import lazy
from rag.law.phrases import CountsAs, ExceptionPhrase, LinkPhrases, ListPhrase
from rag.law.term_uses import NO_SENSES, Sense, Senses, Token, WordTerms

# German terms in use: inflected nouns and adjectives, never a part of a compound.

_ARTICLES = frozenset(("der", "die", "das", "des", "dem", "den", "ein", "eine", "einer", "eines", "einem", "einen"))
_VERB_ENDINGS = ("e", "t", "et", "en", "n", "te", "ten", "ete", "eten", "end", "ende", "enden", "endes", "ender")
_PARTICIPLE_ENDINGS = ("", "e", "er", "es", "en", "em")
_VOWELS = re.compile(r"[aeiouäöü]+")
_CHANGED_VOWELS = ("a", "e", "i", "o", "u", "ie", "ei", "au")  # of strong verbs: "bieten", "geboten"
_NOUN_ENDINGS = ("", "s", "es", "n", "en", "e", "er", "ern")
_UMLAUT = re.compile(r"(au|[aou])(?=[^aeiouäöüy]{1,4}\Z)")
_PLURAL = re.compile(r"(?P<before>.*)(?P<vowel>äu|[äöü])(?P<after>[^aeiouäöüy]{1,4}(?:e[ln](?=\Z))?)(?P<ending>er?|)")
_ADJECTIVE = re.compile(r"(.{3,}?)e[rsnm]?\Z")
# What is no noun may be written small: "unverzüglich", "grob fahrlässige".
_SMALL = re.compile(r"(?:lich|ig|bar|sam|haft|los|isch|weise|end|bart|ert|elt)(?:e[rsnm]?)?\Z")
_PERSON = re.compile(r"(?:igt?|lich|isch|[hnrz]end|iert|(?:\A|[a-zäöüß])(?:be|ge)[a-zäöüß]{2,12}(?<![aei])t)er\Z")
_HYPHENS = "-‐‑"
_PHRASE_NOUN = re.compile(
    r"(?P<before>in|außer|zur?)(?P<noun>[a-zäöüß]{4,30}?)(?:bringen|bringung|nahme|nehmen|setzen|setzung|stellen|stellung|halten|haltung)"
)


class GermanTerms(WordTerms):
    """See `TermRules`. Capitals tell nouns: a small word is never the use of a noun."""

    articles = _ARTICLES
    names_by_capital = False

    def forms(self, keys: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
        """The term with its last word in all endings, and adjectives before it in theirs."""
        before = [_adjectives(key) for key in keys[:-1]]
        return [tuple(pair) for pair in product(*before, _nouns(keys[-1]))]

    def is_use(
        self, text: str, tokens: Sequence[Token], first: int, last: int, *, heading: bool, senses: Senses = NO_SENSES
    ) -> bool:
        """Not inside a compound, and a noun only with its capital."""
        start, end = tokens[first].start, tokens[last].end
        if start and text[start - 1] in _HYPHENS and text[max(0, start - 2)].isalnum():
            return False
        if text[end : end + 1] in _HYPHENS and text[end : end + 1]:
            return False
        word = tokens[last].text
        if not word[:1].islower():
            return True
        return Sense.ACTION in senses or Sense.STATE in senses or _SMALL.search(word) is not None

    def verb_forms(self, keys: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
        """The term with its last word in the forms of its verb: "anbieten", "anbietet", "anzubieten", "angebotenen".

        Where its prefix ends and how its vowel changes is not known: forms that no word has are found nowhere.
        """
        stem = re.sub(r"(?:ung|e?n)\Z", "", keys[-1])
        verbs = {f"{stem}{ending}" for ending in _VERB_ENDINGS}
        for cut in (0, *range(2, len(stem) - 2)):
            prefix, base = stem[:cut], stem[cut:]
            past = {f"{base}t", f"{base}et"}
            past |= {f"{_VOWELS.sub(vowel, base, count=1)}en" for vowel in _CHANGED_VOWELS}
            verbs |= {f"{prefix}ge{form}{ending}" for form in past for ending in _PARTICIPLE_ENDINGS}
            verbs |= {f"{prefix}zu{base}{ending}" for ending in ("en", "n")} if prefix else set()
        apart = _apart(keys[-1]) if len(keys) == 1 else []
        return [*((*keys[:-1], verb) for verb in sorted(verbs)), *apart]


def _apart(key: str) -> list[tuple[str, ...]]:
    """What a noun made of a verb and its phrase is in a sentence: "Inverkehrbringen", "in den Verkehr bringen"."""
    match = _PHRASE_NOUN.fullmatch(key)
    if match is None:
        return []
    articles = (
        [("zur",), ("zu",)] if match["before"].startswith("zu") else [("in",), ("in", "den"), ("in", "das"), ("ins",)]
    )
    articles = [("außer",)] if match["before"] == "außer" else articles
    whole = (f"{match['before']}{match['noun']}",)  # "instand setzen"
    return [whole, *((*article, match["noun"]) for article in articles)]


def _adjectives(key: str) -> list[str]:
    """All endings of a word that ends like an inflected adjective; other words as they are."""
    match = _ADJECTIVE.match(key)
    return [match[1] + ending for ending in ("e", "er", "es", "en", "em")] if match else [key]


def _nouns(key: str) -> list[str]:
    """A noun's forms. An ending is added, an umlaut tried, and -n taken off a plural in -en ("Sachen", "Sache")."""
    forms = {key + ending for ending in _NOUN_ENDINGS}
    if _SMALL.search(key):
        forms |= {key + "em"}
    umlaut = _UMLAUT.sub(lambda match: {"au": "äu", "a": "ä", "o": "ö", "u": "ü"}[match[1]], key)
    if umlaut != key:
        forms |= {umlaut + ending for ending in ("", "e", "en", "er", "ern")}
    if len(key) > 4 and key.endswith("en"):
        forms |= {key[:-1], key[:-2]}
    # A term given in the plural: "Hunde", "Orgeln", "Kleinhäfen", "Märkte", "Häuser".
    if len(key) > 4 and key.endswith(("e", "eln", "ern")):
        forms |= {key[:-1] + ending for ending in (("", "s", "es") if key.endswith("e") else ("", "s"))}
    if (plural := _PLURAL.fullmatch(key)) is not None:
        stem = plural["before"] + {"äu": "au", "ä": "a", "ö": "o", "ü": "u"}[plural["vowel"]] + plural["after"]
        forms |= {stem + ending for ending in ("", "s", "es")}
    # A person named by an adjective: "Fischereiberechtigter", "der Fischereiberechtigte".
    if _PERSON.search(key):
        forms |= {key[:-1], key[:-2] + "en", key[:-2] + "em"}
    # A bracket repeats the case of what is before it: "eines Angestellten (Arbeitnehmers)".
    if len(key) > 6 and key.endswith("ers"):
        forms.add(key[:-1])
    return sorted(forms)


_I = re.IGNORECASE
# Between the words and their reference: articles and nouns for norms, no verb and no comma.
_NORMS = re.compile(
    r"\s{1,4}(?:(?:von|den|dem|der|des|die|das|einer|in|im|nach|aus|Vorschrift(?:en)?|Bestimmung(?:en)?|Regelung(?:en)?|"
    r"Frist(?:en)?|Anforderung(?:en)?|Voraussetzung(?:en)?|Fäll?en?|Falles?)\s{1,4}){0,6}",
    _I,
)
# Between a reference and the words that take it out of force: what it shall not apply to.
_OBJECT = re.compile(
    r",?\s{0,4}(?:(?:findet|finden|ist|sind|gilt|gelten)\s{1,4})?(?:[–—]\s[^–—.;:§]{1,160}\s[–—]\s{1,4})?(?:(?:insoweit|jedoch|aber|dann|hierauf|dabei|auch|insofern|"
    r"daher|im Übrigen|insgesamt|ganz|teilweise|sinngemäß)\s{1,4}){0,2}"
    r"(?:(?:auf|für|gegenüber|bei|zugunsten|bis|ab|seit|vom)\s(?:[^.;:§]|\.(?=\s(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September"
    r"|Oktober|November|Dezember)\b)){1,120})?\s{0,4}"
)
# Inside one sentence: the points of abbreviations end none.
_IN = r"(?:[^.;:]|(?<=Abs)\.|(?<=Art)\.|(?<=Nr)\.|(?<=Buchst)\.|(?<=lit)\.)"
_DENIED = (
    r"(?:gilt|gelten)\s{1,4}(?:[\w§,]+\s{1,4}){0,6}?nicht|(?:findet|finden)\s{1,4}(?:[\w§,]+\s{1,4}){0,8}?keine|"
    r"nicht\s{1,4}(?:gilt|gelten|anzuwenden|anwendbar|für|auf)|keine\s{1,4}Anwendung"
)
# What lets somebody off, and what he is let off: "von der Pflicht nach § 2 befreien".
_LETS_OFF = (
    r"befrei(?:en|t)|entb(?:ind|und)en|aus(?:zu)?nehmen|ausgenommen|Ausnahmen?|abweichen|abgewichen|ab(?:zu)?sehen|abgesehen"
    r"|frei(?:ge|zu)?stell(?:en|t)|verzichte[nt]|entpflichte[nt]|dispensier(?:en|t)"
)
_RELAXED = (
    r"(?:erlassen|gestundet|ermäßigt|ausgesetzt|nachgelassen|gesenkt|herabgesetzt|aufgehoben|verkürzt|verlängert)"
)
_DUTY_OF = re.compile(
    r"\s{1,4}(?:(?:von|den|dem|der|des|die|das|einer|eines|in|im|nach|gemäß|aus|\w*(?:[Pp]flicht|[Vv]erpflichtung|[Vv]erbot"
    r"|[Gg]ebot|[Ee]rfordernis|[Bb]estimmung|[Vv]orschrift|[Rr]egelung|[Aa]nforderung|[Vv]oraussetzung|[Ee]inhaltung|[Aa]nwendung|[Ff]rist"
    r"|[Bb]eschränkung|[Uu]ntersuchung|[Pp]rüfung|[Gg]ebühr|[Gg]enehmigung|[Ee]rhebung)(?:e?[ns]|sen)?"
    r"|(?<=\bde[rmn]\s)[A-ZÄÖÜ]\w+(?=\s(?:nach|gemäß|aus)\s))\s{1,4}){0,7}"
)
_SHORT = re.compile(r",?\s{0,4}(?:(?:insoweit|jedoch|aber|dann|auch|insofern)\s{1,4}){0,2}")

_OPENS = r"(?:\A(?:\(\w{1,4}\)\s)?|(?<=[.;]\s)|(?<=\n))"  # a sentence


_KIND = (
    r"(?P<word>(?-i:[A-ZÄÖÜ])\w*(?:gesetz|(?<!an)(?<!zu)ordnung|satzung|vertrag|vereinbarung"
    r"|richtlinie|reglement|statut|bedingung|abkommen|konkordat)|Gesetz|Ordnung|Verordnung|Satzung|Vertrag"
    r"|Vereinbarung|Richtlinie|Reglement|Statut|(?P<many>Statuten|Bedingungen|AGB)|Abkommen|Konkordat)"
    r"(?:e?s|en?)?(?![\w-])"
)
_OWN = OwnPhrases(
    lazy(rf"\bdies(?:e[rsnm]?)\s(?P<middle>){_KIND}", _I),
    lazy(rf"\b{_KIND}", _I),
    in_compounds=True,
    called=lazy(
        r"\s(?:hei(?:ß|ss)t|trägt\s(?:die\sBezeichnung|den\s(?:Namen|Titel|Kurztitel))|führt\s(?:die\sBezeichnung|den\sNamen)"
        r"|(?:wird|kann|darf|ist)\s(?:abgekürzt\s|auch\s)?als)\s(?:[„“»\"](?P<quoted>[^“”„»«\"\n]{3,200})[“”«\"]"
        r"|(?P<name>(?-i:[A-ZÄÖÜ])[^.;„“”\"\n]{3,200}?))(?:\s(?:bezeichnet|zitiert|angeführt)(?:\swerden)?)?"
        r"(?=[.;]|\Z|\n|\sund\stritt)", _I
    ),
    again=lazy(r"(?:Sie|Er|Es)(?=\s)"),
    begins=lazy(
        r"(?:\sund)?\stritt\s(?:rückwirkend\s)?(?:am|zum|mit\sWirkung\s(?:vom|zum))\s"
        r"(?P<day>\d{1,2}\.\s?(?:[a-zä]{3,9}\s|\d{1,2}\.\s?)\d{4})\sin\sKraft(?=\.|\s*\Z|\s*\n)", _I
    ),
    in_force=lazy(r"\bin\s(?:Kraft|Wirkung)\b|\bgeändert\b|\bFassung\b|\b(?:gilt|gelten)\s(?:ab|vom|seit)\b", _I),
)  # fmt: skip

GERMAN_LINKS = LinkPhrases(
    own=_OWN,
    example=re.compile(r"\W*Beispiele?\b", _I),
    exceptions=(
        ExceptionPhrase(
            "notwithstanding",
            re.compile(r"\b(?:abweichend|in\s{1,4}Abweichung)\s{1,4}von\b|\bungeachtet\b", _I), "after", _NORMS,
            described=re.compile(r",\s(?:der|die|das|welche[rs]?)\s\Z"),  # which thing is meant
        ),
        # "Die Behörde kann von § 2 abweichende Zeiten festsetzen", "darf entgegen § 2 fällen", "kann von § 2 befreien".
        # "Eine von Absatz 1 abweichende Vereinbarung ist unwirksam" forbids what the others allow.
        ExceptionPhrase("notwithstanding", re.compile(
            r"\babweichende[nrsm]?\b(?![^.;]{0,80}\b(?:unwirksam|nichtig|(?:un|nicht )zulässig|ausgeschlossen)\b)"),
            "before", re.compile(r"\s{1,4}"), described=re.compile(r",\s(?:der|die|das|welche[rs]?)\s[^.;:,]{0,60}\Z")),
        ExceptionPhrase("limits", re.compile(
            r"\b(?:kann|können|darf|dürfen)\b[^.;:§,]{0,120}?\bentgegen\b"), "after", _NORMS),
        # "Von der Pflicht nach § 2 kann befreit werden", "ist von § 3 ausgenommen".
        ExceptionPhrase("limits", re.compile(
            rf"\b(?:von|vom|auf)\b(?=(?:(?!\b(?:nicht|kein\w*)\b){_IN}){{1,160}}?\b(?:{_LETS_OFF})\b)", _I),
            "after", _DUTY_OF,
            described=re.compile(
                r",\s(?:der|die|das|dem|deren)\s[^.;:,]{0,60}\Z|\b(?:wenn|falls|soweit|sofern"
                r"|dass)\b[^.;:,]{0,80}\Z|\bunter\s\w+ung\s\Z", _I)),  # "unter Beachtung von Absatz 1"

        ExceptionPhrase("limits", re.compile(
            r"\b(?:Ausnahmen?|Befreiung(?:en)?|Abweichung(?:en)?|Dispens|Erleichterung(?:en)?|Freistellung(?:en)?)"
            r"\s{1,4}(?:von|vom)\b(?=[^.;:]{1,120}?\b(?:zu(?:ge)?lass|bewillig|gewähr|erteil|genehmig|vorseh|vorgesehen|möglich"
            r"|zulässig|erlaub|beschließ|bestimm|anordn|mach))"), "after", _DUTY_OF),
        # "Einer Genehmigung nach § 2 bedarf es nicht", "die Pflicht nach § 2 entfällt", "§ 4 gilt nur für Kinder".
        ExceptionPhrase("limits", re.compile(
            r"\b(?:(?:steht|stehen)\s[^.;:,]{1,80}?\bnicht\s{1,4}entgegen\b|bleib(?:t|en)\s{1,4}außer\s{1,4}(?:Betracht|Ansatz|Anwendung)\b|(?:bedarf|bedürfen)\s{1,4}(?:es\s{1,4})?(?:\w+\s{1,4}){0,6}?nicht\b|entfällt\b|entfallen\b|ruht\b"
            r"|(?:unterliegt|unterliegen)\s[^.;:,]{0,80}?\bnicht\b(?!\s{1,4}de[rmn]\s)"
            rf"|kann\s{{1,4}}(?:[^.;:,]{{1,80}}?\s{{1,4}})?(?!aufgehoben){_RELAXED}\s{{1,4}}werden\b"
            r"|(?:ist|sind)\s{1,4}(?!es\b)(?:\w+\s{1,4}){0,6}?(?:nicht\s{1,4}(?:erforderlich|notwendig)|entbehrlich)\b"
            r"|(?:besteht|bestehen)\s{1,4}(?:\w+\s{1,4}){0,3}?nicht\b"
            r"|(?:gilt|gelten)\s{1,4}als\s{1,4}(?:erfüllt|eingehalten|gewahrt)\b)"), "before", _SHORT, of_thing=True,
            described=re.compile(r"\b(?:wenn|falls|soweit|sofern|dass)\b\s[^.;:]{0,120}\Z", _I)),
        ExceptionPhrase("limits", re.compile(
            r"\b(?:(?:gilt|gelten|ist|sind)\s{1,4}(?:(?:insoweit|jedoch|aber|dann|erst)\s{1,4})?"
            r"(?:nur|lediglich|ausschließlich|(?=vorbehaltlich|mit\s{1,4}der\s{1,4}Maßgabe(?!\s{1,4}entsprechend))|erst\s{1,4}ab)\b"
            r"(?!\s{1,4}(?:zulässig|erlaubt))"
            r"|(?:erst\s{1,4}(?:ab|nach|vom)|nur\s{1,4}(?:für|auf|bei|in))\s[^.;:,§]{1,80}?\banzuwenden\b)"),
            "before", _SHORT),
        ExceptionPhrase("limits", re.compile(
            rf"\b(?:gilt|gelten|ist|sind)(?=\s{{1,4}}(?:(?:die|der|das)\s{{1,4}})?(?:§|Art|Abs)(?:{_IN}){{1,120}}?"
            r"\b(?P<verb>erst\s{1,4}(?:ab|nach|vom)|nur\b|mit\s{1,4}der\s{1,4}Maßgabe|mit\s{1,4}folgenden))"),
            "after", re.compile(r"\s{1,4}(?:(?:die|der|das)\s{1,4})?")),
        # "kann das Standgeld nach § 3 stunden": of a debt; "Vorschriften nach § 3 erlassen" makes law.
        ExceptionPhrase("limits", re.compile(
            r"\b(?:kann|können|darf|dürfen)\b[^.;:§]{1,80}?(?:geld(?:er)?|gebühr(?:en)?|beitrag|beiträge|steuern?|kosten|zins(?:en)?"
            r"|strafen?|forderung(?:en)?|abgaben?|pflicht(?:en)?|schuld(?:en)?)(?=\s(?:nach|gemäß|aus)\s"
            r"[^.;:]{1,80}?\b(?:erlassen|stunden|ermäßig|aussetz|nachlassen|senken|herabsetz|aufheben))", _I),
            "after", _NORMS),
        # "Die Behörde kann das Bereithalten an anderen als den in § 2 genannten Stellen zulassen".
        ExceptionPhrase("notwithstanding", re.compile(
            r"\b(?:kann|können|darf|dürfen)\b[^.;:§,]{0,120}?\bandere[nrms]?\s{1,4}als\s{1,4}(?:de[nrms]|die|das)\b"),
            "after", _NORMS),
        ExceptionPhrase("notwithstanding", re.compile(
            r"\b(?:an\s{1,4}(?:die\s{1,4})?Stelle|anstelle|anstatt|statt)(?=\s{1,4}(?:de[sr]|von)\b)|\bgeh(?:t"
            r"|en)(?=\s[^.;:]{1,60}\bvor\b)", _I), "after", _DUTY_OF),
        # What another provision says stays as it is beside this one, and limits neither; what is allowed all the same
        # is taken out of it: "Lauben dürfen unbeschadet des Absatzes 1 weiter genutzt werden".
        ExceptionPhrase("limits", re.compile(
            r"\b(?:darf|dürfen)\b[^.;:§,]{0,120}?\bunbeschadet\b(?![^;:]{1,80}?\bnicht\b)"), "after", _NORMS),
        # "Fertigpackungen dürfen ohne die Angabe nach § 3 abgegeben werden".
        ExceptionPhrase("limits", re.compile(
            r"\b(?:darf|dürfen|kann|können)\b[^.;:§,]{0,120}?\bohne\b"), "after", re.compile(
            r"\s(?:(?:die|den|das|eine[nrm]?)\s)?(?:[\wäöüß-]+\s){1,3}?(?:nach|gemäß|aus|im\sSinne\svon)\s")),
        ExceptionPhrase("cites", re.compile(r"\bunbeschadet\b", _I), "after", _NORMS),
        ExceptionPhrase(
            "cites",
            re.compile(r"\bbleib(?:t|en)\s{1,4}(?:(?:hiervon|davon|jedoch)\s{1,4})?unberührt\b"),
            "before", _SHORT,
        ),
        ExceptionPhrase(
            "subject_to", re.compile(r"\bbleib(?:t|en)\s{1,4}(?:(?:hiervon|davon|jedoch)\s{1,4})?vorbehalten\b"),
            "before", _SHORT,
        ),
        ExceptionPhrase("subject_to", re.compile(r"\bvorbeh[aä]ltlich\b|\bunter\s{1,4}Vorbehalt\b|"
                                               # "... auch dann nicht": in other cases too
                                               r"(?<!auch )\baußer\s{1,4}in\s{1,4}den\s{1,4}Fällen\b"
                                               r"(?![^;:]{0,160}?\bauch\b)|"
                                               r"(?<=\bnicht\s)in\s{1,4}den\s{1,4}Fällen\b|"
                                               r"\bunter\s{1,4}den\s{1,4}Einschränkungen\b|"
                                               r"\bvorbehalten\s{1,4}bleib(?:t|en)\b", _I),
                        "after", _NORMS),
        ExceptionPhrase(
            "subject_to",
            re.compile(
                r"\b(?:soweit|sofern|wenn)\s{1,4}(?:nicht\s{1,4})?(?:sich\s{1,4})?(?:nicht\s{1,4})?(?:aus|in|nach|durch)"
                r"(?=[^.;:]{0,140}?\b(?:nichts?|etwas|ein)\s{1,4}(?:anderes|abweichendes)\b)", _I,
            ),
            "after", _NORMS,
        ),
        ExceptionPhrase(
            "subject_to",
            re.compile(
                r"\b(?:soweit|sofern)\s{1,4}(?:nicht\s{1,4})?(?:(?:die|der|das|in)\s{1,4})?(?=(?:§|Art\.|Artikel|Abs\.|Absatz)[^.;:]{1,100}?\b(?:(?:nichts?\s{1,4}|etwas\s{1,4}|(?<=\s))(?:etwas\s{1,4})?"
                r"(?:anderes|abweichendes)|entgegenste(?:ht|hen))\b)", _I,
            ),
            "after", re.compile(r"\s{0,4}"),
        ),
        # "Der Abschnitt gilt mit Ausnahme des § 4 nicht": § 4 goes on to apply.
        ExceptionPhrase(
            "disapplies",
            re.compile(
                rf"\b(?:mit\s{{1,4}}Ausnahme|ausgenommen)\b(?!{_IN}{{0,200}}?\b(?:{_DENIED})\b)", _I
            ),
            "after", _NORMS,
            # "Gelten nicht mit Ausnahme des § 4"; "die nach Absatz 1 mit Ausnahme von Absatz 2 freien Personen".
            described=re.compile(
                rf"\b(?:{_DENIED})\b{_IN}{{0,120}}\Z"
                r"|\b(?:der|die|das|den|dem|des)\s{1,4}(?:nach|gemäß|in|auf)\s"
                rf"(?:(?!\b(?:gilt|gelten|findet|finden|ist|sind|wird|werden)\b){_IN}){{1,120}}\Z", _I
            ),
        ),
        ExceptionPhrase(
            "disapplies",
            re.compile(
                r"(?:\b(?:findet|finden)\s{1,4}(?:(?!Abs|Art)\w+\s{1,4}){1,6})?\bkeine\s{1,4}(?:entsprechende\s{1,4})?Anwendung\b"
                r"|\bnicht\s{1,4}(?:(?:entsprechend|(?:auf|für)\s[^,.;:]{1,120}?)\s{1,4})?(?:anzuwenden|anwendbar)\b"
            ),
            "before", _OBJECT,
        ),
        ExceptionPhrase(
            "disapplies",
            re.compile(r"\b(?:gilt|gelten)\s{1,4}(?:(?:insoweit|jedoch|aber|dann|auch"
                r"|(?:bis|ab|seit)\s(?:[\w\u2024]+\s){0,4}?[\w\u2024]+)\s{1,4})?nicht\b(?!\s{1,4}(?:nur|als))|"
                       r"\bnicht\s{1,4}(?:gilt|gelten)\b"),
            "before", _SHORT,
        ),
        # "In den Anwendungsbereich dieses Gesetzes fallen nicht ...".
        ExceptionPhrase(
            "disapplies",
            re.compile(
                r"\b(?:in|unter)\s{1,4}den\s{1,4}(?:Anwendungs|Geltungs)bereich\b(?=[^.;:]{1,120}?\b(?P<verb>fall(?:en|t)\s{1,4}nicht)\b)"
                r"|\bvom\s{1,4}(?:Anwendungs|Geltungs)bereich\b(?=[^.;:]{1,120}?\b(?:ausgenommen|ausgeschlossen)\b)", _I
            ),
            "after", _NORMS,
        ),
        # "Im Übrigen gelten Absatz 1 und § 60 nicht für Denkmäler": the verb is first.
        ExceptionPhrase(
            "disapplies",
            re.compile(
                r"\b(?:gilt|gelten|findet|finden)(?=\s{1,4}(?:die\s{1,4})?(?:§|Art|Abs|Satz|Sätze|Nummer|Nr\.)"
                r"(?:[^.;:,]|,(?=\s\d)|(?<=Abs)\.|(?<=Nr)\.|(?<=Art)\.){1,120}?"
                r"\b(?P<verb>nicht(?=\s{0,4}(?:[.;,]|\Z|(?:für|gegenüber|bei|auf|in|im)\b))|keine\s{1,4}Anwendung))"
            ),
            "after", re.compile(r"\s{1,4}(?:die\s{1,4})?"),
        ),
    ),
    asks=re.compile(r"(?<=,\s)ob\b"),
    anaphora=re.compile(r"(?:Dies|Das) gilt (?:(?!nur\b)\w+ ){0,4}?nicht\b|Ausgenommen (?:hiervon|davon)\b"),
    pronoun=re.compile(
        r"(?:\A(?:\(\w{1,3}\)\s)?|(?<=[.;]\s))(?:(?:Es|Sie|Er)\s(?:(?:gilt|gelten)\s(?:jedoch\s|insoweit\s|mit\sAusnahme\s[^.;]{1,60}?\s)?nicht\b(?!\sals)"
        r"|(?:findet|finden)\s(?:\w+\s){0,6}?keine\sAnwendung|(?:ist|sind)\s[^.;]{0,120}?\bnicht\san(?:zuwenden|wendbar))"
        r"|(?:Auf|Für|In|Bei|Gegenüber)\s[^.;,]{3,160}?\s(?:(?:ist|sind)\s(?:es|sie|er)\snicht\san(?:zuwenden|wendbar)"
        r"|(?:gilt|gelten)\s(?:es|sie|er)\snicht|(?:findet|finden)\s(?:es|sie|er)\skeine\sAnwendung))"
    ),
    subject=re.compile(r"(?:Die\s(?:Vorschriften|Bestimmungen|Regelungen)\s)?"),
    no_target=re.compile(
        r"\s{1,4}(?:(?:von|den|der|des|einer|allen?)\s{1,4}){0,2}(?:anderen?|anderer|anderweitige[rnm]?|sonstige[rn]?|"
        r"entgegenstehende[rn]?|besondere[rn]?|abweichende[rnm]?)\s{1,4}\w+", _I,
    ),
    governed_clause=re.compile(
        r"\b(?:wenn|falls"
        r"|(?<!bestimmen, )(?<!bestimmt werden, )(?<!bestimmt, )(?<!Maßgabe, )(?<!anordnen, )(?<!vorsehen, )"
        r"(?<!angeordnet werden, )(?<!vorgesehen werden, )(?<!zulassen, )(?<!festlegen, )dass|soweit|sofern"
        r"|solange|(?:auf|für)\s{1,4}(?:den|die|das)|nach|gemäß|aus|in|mit|unter|im\s{1,4}Sinne|Fäll?en?|Falle?s?)"
        r"\s{1,4}(?:(?:von|des|der|den|dem|die|das|Vorschrift(?:en)?|Bestimmung(?:en)?)\s{1,4}){0,4}\Z", _I,
    ),
    # "Die Beschränkung nach Absatz 1 gilt nicht": at the start of a sentence, with nothing but a thing before it.
    governed_thing=re.compile(
        r"(?:\A|[.;:]\s)(?:\(\w{1,3}\)\s)?(?:Die|Der|Das|Eine?|Keine?)\s(?:[a-zäöüß]+\s)?[A-ZÄÖÜ][\wäöüß]+\s(?:nach|gemäß|aus|in)\s"
        r"(?:(?:dem|der|den)\s)?\Z"
    ),
    speaks_of_meaning=re.compile(
        r"[„\"]([^“\"\n]{2,40})[“\"]\s(?:(?:im\s|in diesem\s)Sinn|bedeutet|bezeichnet|gilt als|gelten als|ist"
        r"|sind|umfasst|umfassen)\b"
        rf"|{_OPENS}(?:(?:Die|Der|Das|Eine?)\s)?(?:[a-zäöüß]+\s)?([A-ZÄÖÜ][\wäöüß-]{{2,40}}(?<!ig)(?<!bar)(?<!lich)(?<!igt)(?<!keit))(?:\sim\sSinne\s[^.;:]{{3,60}}?)?\s"
        r"(?:umfass(?:t|en)|bedeute[nt]|(?:ist|sind)\s(?:auch\s|nur\s)?(?=jede[rs]?\b|alle\b|wer\b))"
        r"|\bAls\s([A-ZÄÖÜ][\wäöüß-]{2,40})\s(?:gilt|gelten)\b"
        rf"|{_OPENS}[A-ZÄÖÜ][^.;:,]{{1,80}}?\s(?:gilt|gelten)\sals\s(?:eine?\s)?([A-ZÄÖÜ][\wäöüß-]{{2,40}})(?=\s?[.;,]|\s*\Z)"
    ),
    counting=re.compile(r"\b(?:gleich\w*|gilt|gelten|gehört|gehören|auch|behandeln|keine?)\b"),
    counts=(
        # "Dem Eigentümer steht gleich, wer", "einem Lastenrad steht ein Anhänger gleich", "stehen den Vereinen gleich".
        CountsAs(
            "includes",
            re.compile(r"(?:\b(?:steht|stehen|(?:ist|sind))\s(?:[^.;:]{0,60}?\s)?|\A)(?:[Dd]e[mnr]|[Ee]ine[mr])\s(?:[a-zäöüß]+\s)?\Z"),
            re.compile(r"(?:(?:,\s[^.;:,]{1,80},)?\s[^.;:,]{0,60}?)?\s?\bgleich(?:gestellt|zustellen)?\b|\s(?:steht|stehen)\s[^.;:]{1,200}?\sgleich\b"),
        ),
        CountsAs("includes", re.compile(r"\b(?:gilt|gelten)\s(?!nicht\b)(?:(?!\bnicht\b)[^.;:,]){0,120}?"
                                        r"(?<!\bden\s)(?<!\bdie\s)(?<!\bder\s)\bals\s(?:eine?\s)?\Z")),
        CountsAs("excludes", re.compile(r"\b(?:gilt|gelten)\s[^.;:]{0,120}?\bnicht\sals\s(?:eine?\s)?\Z")),
        CountsAs(
            "includes", re.compile(r"\bgehör(?:t|en)\s(?:(?!\bnicht\b)[^.;:]){0,80}?\bzu(?:m|r"
                                   r"|\sden)?\s\Z"), re.compile(r"\s(?:auch|ferner|ebenfalls)\b")
        ),
        CountsAs("includes", re.compile(r"\b(?:ist|sind)\s"
                                        r"(?:eine?\s)?\Z"), re.compile(r"\s(?:auch|ferner|ebenfalls)\b"), scoped=True),
        CountsAs("includes", re.compile(r"\bwie\s(?:eine?[nmrs]?\s)?\Z"), re.compile(r"\szu\sbehandeln\b")),
        CountsAs(
            "excludes", re.compile(r"\A(?:Das|Der|Die|Eine?|[A-ZÄÖÜ])[^.;:,]{1,120}?\s(?:ist"
                                   r"|sind)\skeine?\s\Z"), re.compile(r"\s?(?:[.;]|\Z|,\s(?:wenn|soweit))")
        ),
    ),
    named_law=re.compile(
        r"\b(?:des|der|dem|das|die|den)\s(?P<name>(?:[A-ZÄÖÜ][\wäöüß-]+(?:er|en)\s)?[A-ZÄÖÜ][\wäöüß-]+(?:gesetz|verordnung|ordnung"
        r"|satzung|gesetzbuch)(?:e?s)?(?:\s(?:1[89]|20)\d\d)?|Gesetzes?\s(?:über|zur?m?)\s(?:(?:d\w\w|und|von|der)\s){0,3}"
        r"[A-ZÄÖÜ][\wäöüß-]+)(?![\wäöüß-])"
    ),
    lifts_duties=re.compile(r"\bvon\s(?:den|allen|einzelnen)\s(?:Verboten|Geboten|Pflichten|Verpflichtungen)\b"),
    duty=re.compile(
        r"\b(?:bedarf|bedürfen|muss|müssen|(?:hat|haben|ist|sind)\s[^.;]{1,200}?\szu\s\w+|verpflichtet|erforderlich|verboten"
        r"|untersagt|(?:darf|dürfen)\s[^.;]{0,120}?(?:nicht|nur|ohne)|wird\s[^.;]{1,80}\serhoben)\b"
    ),
    carve=re.compile(
        r",?\s\(?(?:mit\s{1,4}Ausnahme|ausgenommen|außer|ausschließlich|nicht\s{1,4}aber)\s(?:(?:von|des|der"
        r"|den)\s)?", _I
    ),
    list_joint=re.compile(
        r"\s{0,3}(?:,\s{0,3}(?:und|oder|sowie)?|und|oder|sowie|bzw\.|noch|in Verbindung mit|i\.\s?V\.\s?m\.)\s{0,3}"
        r"(?:(?:von|nach|des|der|den|dem|die|mit|in)\s{1,3}){0,2}"
    ),
    aside=re.compile(
        r"(?:,\s)?\b(?:mit\s{1,4}Ausnahme|ausgenommen|außer)\s"
        rf"(?:(?!\b(?:ist|sind|gilt|gelten|findet|finden)\b){_IN}){{1,120}}?,?\s{{0,4}}\Z", _I
    ),
    lists=(
        ListPhrase(
            "disapplies",
            re.compile(
                r"\bfolgenden?\b[^.;:]{0,160}?\b(?:nicht\s{1,4}an(?:zuwenden|wendbar)|keine\s{1,4}Anwendung|gelten\s{1,4}nicht)"
                r"\b[^.;:]{0,80}|\b(?:nicht\s{1,4}an(?:zuwenden|wendbar)|keine\s{1,4}Anwendung|nicht\s{1,4}gelten)\b"
                r"[^.;:]{0,120}?\bfolgenden?\b[^.;:]{0,80}", _I
            ),
            re.compile(r"(?:(?:die|der|den|des|Vorschrift(?:en)?|Bestimmung(?:en)?)\s{1,4}){0,4}", _I),
        ),
    ),
)  # fmt: skip

GERMAN = PassageRules("de", TermLists(LIST_LEAD), GERMAN_LINKS, GermanTerms(), GermanDefinitions)
