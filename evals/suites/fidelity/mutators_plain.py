"""Mutators and rewordings for French and German norms, made from tables: pure functions like those of `mutators`."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass

from evals.suites.fidelity.mutators import NUMBER, TextMutator, swap_one
from evals.suites.fidelity.operators import Operator, never
from rag.languages.operators import primary_language
from rag.verification.model import Reason


@dataclass(frozen=True, slots=True)
class Tables:
    """What one language changes. Patterns match the clause or word that is taken out."""

    modal: re.Pattern[str]
    numbers: Mapping[str, str]
    units: Mapping[str, str]
    modals: Mapping[str, str]
    negated: Mapping[str, str]
    comparators: Mapping[str, str]
    connectives: Mapping[str, str]
    conditions: Mapping[str, str]
    negation: re.Pattern[str]
    exception: re.Pattern[str]
    starts_with_no: re.Pattern[str]
    absolutes: tuple[str, ...]
    consequences: tuple[str, ...]
    same: Mapping[str, str]  # rewordings that mean the same
    openings: tuple[str, ...]


FRENCH = Tables(
    modal=re.compile(r"(?<!ne )\b(?:doit|doivent|peut|peuvent)\b(?! pas\b)"),
    numbers={"deux": "trois", "trois": "deux", "six": "sept", "dix": "onze", "trente": "quarante"},
    units={"jours": "mois", "mois": "jours", "ans": "mois", "an": "mois", "heures": "jours", "euros": "francs"},
    modals={"doit": "peut", "peut": "doit", "doivent": "peuvent", "peuvent": "doivent", "ne peut": "ne peut"},
    negated={"doit": "ne doit pas", "peut": "ne peut pas", "doivent": "ne doivent pas", "peuvent": "ne peuvent pas",
             "ne peut": "ne peut", "ne doit": "ne doit", "ne peuvent": "ne peuvent", "ne doivent": "ne doivent"},
    comparators={"avant": "après", "après": "avant", "au moins": "au plus", "au plus": "au moins",
                 "plus de": "moins de", "moins de": "plus de", "supérieur à": "inférieur à",
                 "à compter de": "avant", "dans un délai de": "après", "dans le délai de": "après"},
    connectives={"et": "ou", "ou": "et"},
    conditions={"si": "sauf si", "lorsque": "sauf lorsque", "sauf si": "si", "à moins que": "si", "sauf": "si"},
    negation=re.compile(r"\b(?:pas|point|jamais) "),
    exception=re.compile(r",? (?:sauf|à moins que|à moins de|sous réserve|à l'exception|hormis|excepté)\b[^,;:.]{4,}"),
    starts_with_no=re.compile(r"(?:Nul|Nulle|Aucun|Aucune) "),
    absolutes=(" toujours", " dans tous les cas", " seulement", " automatiquement", " entièrement"),
    consequences=(", sous peine d'emprisonnement", ", avec dommages et intérêts triplés", ", moyennant une surtaxe"),
    same={"doit": "est tenu de", "doivent": "sont tenus de", "lorsque": "quand", "au moins": "au minimum",
          "sauf si": "à moins que", "dans un délai de": "dans le délai de", "deux": "2", "trois": "3", "dix": "10",
          "ne doit": "ne doit", "ne doivent": "ne doivent",
          "doit être": "doit être", "doivent être": "doivent être", "excède": "dépasse", "en cas de": "en cas de"},
    openings=("Selon la loi, ", "La loi prévoit que "),
)  # fmt: skip
GERMAN = Tables(
    modal=re.compile(r"\b(?:muss|müssen|darf|dürfen|kann|können|soll|sollen)\b"),
    numbers={"zwei": "drei", "drei": "vier", "sechs": "acht", "zehn": "zwölf", "dreißig": "vierzig"},
    units={"Monate": "Jahre", "Jahre": "Monate", "Tage": "Wochen", "Woche": "Stunde", "Monaten": "Tagen",
           "Jahren": "Monaten", "Jahr": "Monat", "Wochen": "Tagen", "Monat": "Tag"},
    modals={"muss": "darf", "darf": "muss", "müssen": "dürfen", "dürfen": "müssen", "kann": "muss", "können": "müssen",
            "soll": "darf", "sollen": "dürfen"},
    negated={"muss": "muss nicht", "darf": "darf nicht", "kann": "kann nicht", "können": "können nicht",
             "soll": "soll nicht", "müssen": "müssen nicht", "dürfen": "dürfen nicht"},
    comparators={"mindestens": "höchstens", "höchstens": "mindestens", "vor": "nach", "nach": "vor",
                 "mehr als": "weniger als", "weniger als": "mehr als", "innerhalb": "außerhalb", "binnen": "nach",
                 "spätestens": "frühestens"},
    connectives={"und": "oder", "oder": "und"},
    conditions={"wenn": "es sei denn", "sofern": "es sei denn", "falls": "außer wenn", "soweit": "solange"},
    negation=re.compile(r"\bnicht "),
    exception=re.compile(
        r", es sei denn, dass [^;:.]{4,}|,? (?:außer|ausgenommen|mit Ausnahme|vorbehaltlich)\b[^,;:.]{4,}"
    ),
    starts_with_no=re.compile(r"(?:Kein|Keine|Keiner|Niemand) "),
    absolutes=(" stets", " in jedem Fall", " nur", " automatisch", " vollständig"),
    consequences=(" bei Freiheitsstrafe", " gegen dreifachen Schadensersatz", " unter Verfall des Eigentums"),
    same={"wenn": "falls", "sofern": "wenn", "mindestens": "wenigstens", "zwei": "2", "drei": "3", "sechs": "6",
          "innerhalb": "binnen", "sowie": "und", "außer wenn": "außer wenn", "nur wenn": "nur wenn",
          "wenn nicht": "wenn nicht"},
    openings=("Nach dem Gesetz gilt: ",),
)  # fmt: skip
_TABLES = {"fr": FRENCH, "de": GERMAN}


_FORBIDDING = re.compile(r"\bne (?:peut|peuvent|doit|doivent)(?: pas)?\b", re.IGNORECASE)


def forbids_either_way(text: str, mutant: str) -> bool:
    """`ne peut`, `ne peut pas` and `ne doit pas` forbid the same; a mutant that differs in them alone is none."""
    return _FORBIDDING.sub("ne peut", text).lower() == _FORBIDDING.sub("ne peut", mutant).lower()


def tables_of(language: str) -> Tables | None:
    """The tables of a language; None where it has none."""
    return _TABLES.get(primary_language(language))


def _swap(pairs: Mapping[str, str]) -> TextMutator:
    lower = {key.lower(): value for key, value in pairs.items()}
    return lambda text, rng: swap_one(text, lower, rng)


def _drop(pattern: re.Pattern[str]) -> TextMutator:
    def change(text: str, rng: random.Random) -> str | None:
        found = list(pattern.finditer(text))
        if not found:
            return None
        match = rng.choice(found)
        return text[: match.start()] + text[match.end() :]

    return change


def _insert(after: re.Pattern[str], words: tuple[str, ...]) -> TextMutator:
    def change(text: str, rng: random.Random) -> str | None:
        found = list(after.finditer(text))
        if not found:
            return None
        match = rng.choice(found)
        return text[: match.end()] + rng.choice(words) + text[match.end() :]

    return change


def _number_changed(tables: Tables) -> TextMutator:
    def change(text: str, rng: random.Random) -> str | None:
        found = list(NUMBER.finditer(text))
        if not found:
            return swap_one(text, dict(tables.numbers), rng)
        match = rng.choice(found)
        return f"{text[: match.start()]}{int(match[0]) + rng.choice((1, 2, 10))}{text[match.end() :]}"

    return change


def words_swapped(text: str, rng: random.Random) -> str | None:
    """Two longer words change places, as a swap of two parties does."""
    found = [match for match in re.finditer(r"[^\W\d_]{5,}", text) if match[0].islower() or match[0].istitle()]
    pairs = [(one, other) for one, other in zip(found, found[2:], strict=False) if one[0].lower() != other[0].lower()]
    if not pairs:
        return None
    one, other = rng.choice(pairs)
    return text[: one.start()] + other[0] + text[one.end() : other.start()] + one[0] + text[other.end() :]


def _consequence_added(tables: Tables) -> TextMutator:
    return lambda text, rng: text.rstrip(" .;") + rng.choice(tables.consequences) + "."


def _cut_after(pattern: re.Pattern[str], *, start: bool = False) -> TextMutator:
    """The quote begins after what the pattern matches."""

    def change(text: str, rng: random.Random) -> str | None:
        match = pattern.match(text) if start else pattern.search(text)
        rest = text[match.end() :].strip(" ,") if match else ""
        return rest if len(rest.split()) > 4 else None

    return change


def _cut_before(pattern: re.Pattern[str]) -> TextMutator:
    """The quote ends before what the pattern matches."""

    def change(text: str, rng: random.Random) -> str | None:
        match = pattern.search(text)
        rest = text[: match.start()].strip(" ,") if match else ""
        return rest if len(rest.split()) > 4 else None

    return change


def plain_operators(language: str) -> tuple[tuple[Operator, ...], tuple[Operator, ...]]:
    """The operators of E10 and of E11 for a language with tables; none for another."""
    tables = tables_of(language)
    if tables is None:
        return (), ()
    rests = (Reason.NEW_CONTENT, Reason.CONTENT_OMITTED, Reason.WORDS_MOVED)

    def one(name: str, change: TextMutator, *expected: Reason, goal: float = 0.99) -> Operator:
        equivalent = forbids_either_way if name in {"modal_changed", "not_dropped"} else never
        return Operator(change, frozenset(expected), goal, equivalent, name.startswith("cut_"), label=name)

    turned = (Reason.CONDITION_CHANGED, Reason.EXCEPTION_CHANGED, Reason.NEGATION_CHANGED)
    operators = (
        one("number_changed", _number_changed(tables), Reason.NUMBER_CHANGED),
        one("unit_changed", _swap(tables.units), Reason.UNIT_CHANGED),
        one("not_dropped", _drop(tables.negation), Reason.NEGATION_CHANGED, Reason.MODALITY_CHANGED,
            Reason.COMPARATOR_CHANGED, *turned),
        one("not_added", _swap(tables.negated), Reason.NEGATION_CHANGED, Reason.MODALITY_CHANGED, *turned),
        one("modal_changed", _swap(tables.modals), Reason.MODALITY_CHANGED),
        one("and_or_changed", _swap(tables.connectives), Reason.CONNECTIVE_CHANGED),
        one("comparator_flipped", _swap(tables.comparators), Reason.COMPARATOR_CHANGED),
        one("exception_dropped", _drop(tables.exception), Reason.EXCEPTION_CHANGED, *rests),
        one("condition_turned", _swap(tables.conditions), *turned),
        one("words_swapped", words_swapped, *rests),
        one("cut_no", _cut_after(tables.starts_with_no, start=True), Reason.QUOTE_CUT),
        one("cut_not", _cut_after(tables.negation), Reason.QUOTE_CUT),
        one("cut_exception", _cut_before(tables.exception), Reason.QUOTE_CUT),
    )  # fmt: skip
    scope = (
        one("consequence_added", _consequence_added(tables), Reason.NEW_CONTENT, Reason.WORDS_MOVED, goal=1.0),
        one("absolute_added", _insert(tables.modal, tables.absolutes), Reason.ABSOLUTE_CHANGED, goal=0.995),
    )
    return operators, scope


def reword(text: str, language: str, rng: random.Random) -> str | None:
    """One to three rewordings that leave the meaning alone; None where nothing can be reworded."""
    tables = tables_of(language)
    if tables is None:
        return None
    out = text
    for _ in range(rng.randint(1, 3)):
        out = swap_one(out, dict(tables.same), rng) or out
    if rng.random() < 0.3:
        out = rng.choice(tables.openings) + out
    return out if out != text else None
