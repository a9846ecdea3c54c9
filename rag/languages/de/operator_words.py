"""German word tables of the operator reading. Data only; `rag/languages/word_by_word.py` says how they are used.

No article is neutral: `der Mieter dem Vermieter` and `dem Mieter der Vermieter` differ by nothing else.
"""

from __future__ import annotations

from rag.languages.word_by_word import Lexicon, word_list

_UNITS = """
tag tage tagen tages
woche wochen
monat monate monaten monats
jahr jahre jahren jahres
stunde stunden
minute minuten
euro €
prozent %
meter metern
kilometer kilometern
hektar
kilogramm
tonne tonnen
liter litern
"""
_ONES = word_list("null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf")
_TEENS = {"dreizehn": 13, "vierzehn": 14, "fünfzehn": 15, "sechzehn": 16, "siebzehn": 17, "achtzehn": 18,
          "neunzehn": 19}  # fmt: skip
_TENS = {"zwanzig": 20, "dreißig": 30, "vierzig": 40, "fünfzig": 50, "sechzig": 60, "siebzig": 70, "achtzig": 80,
         "neunzig": 90}  # fmt: skip


def _numbers() -> dict[str, int]:
    """Numbers in words, one word each, as German writes them: up to 99, and round hundreds and thousands."""
    out = {word: value for value, word in enumerate(_ONES)} | _TEENS | _TENS
    for word, value in _TENS.items():
        for more in range(1, 10):
            out[f"{'ein' if more == 1 else _ONES[more]}und{word}"] = value + more
    for name, scale in (("hundert", 100), ("tausend", 1_000)):
        out[name] = out[f"ein{name}"] = scale
        out |= {f"{word}{name}": value * scale for word, value in list(out.items()) if 1 < value < 100}
    return out


GERMAN = Lexicon(
    modality={
        "OBLIGATION": "muss|müssen|muß|ist verpflichtet|sind verpflichtet",
        "OUGHT": "soll|sollen",
        "PERMISSION": "darf|dürfen|ist berechtigt|sind berechtigt|ist befugt|sind befugt",
        "ABILITY": "kann|können",
        "HAS_TO": "hat|haben",
    },
    negation={
        "NOT": "nicht", "NO": "kein|keine|keinen|keinem|keiner|keines", "NEITHER": "weder", "NOR": "noch",
        "NEVER": "nie|niemals|keinesfalls|in keinem fall|in keinem falle", "NOBODY": "niemand", "WITHOUT": "ohne",
        "NOTHING": "nichts",
    },
    comparator={
        "AT_LEAST": "mindestens|wenigstens|zumindest|nicht weniger als",
        "AT_MOST": "höchstens|nicht mehr als|bis zu|längstens",
        "MORE": "mehr als|übersteigt|übersteigen|überschreitet|überschreiten", "LESS": "weniger als",
        "LATEST": "spätestens", "EARLIEST": "frühestens", "WITHIN": "innerhalb|binnen",
        "BEFORE": "vor", "AFTER": "nach", "OVER": "über", "UNDER": "unter", "SINCE": "seit", "DURING": "während",
    },
    connective={"and": "und|sowie", "or": "oder|beziehungsweise|bzw"},
    exception={
        "UNLESS": "es sei denn|außer wenn",
        "EXCEPT": "außer|ausgenommen|mit ausnahme|abgesehen von",
        "SUBJECT": "vorbehaltlich",
        "NOTWITHSTANDING": "ungeachtet|trotz", "WITHOUT_PREJUDICE": "unbeschadet", "DEROGATING": "abweichend",
        "ONLY_IF": "nur wenn|nur dann", "ONLY_SO_FAR": "nur insoweit|nur soweit",
    },
    condition={
        "IF": "wenn|falls|sofern", "EXTENT": "soweit|insoweit", "UNTIL": "bis", "WHILE": "solange", "ONCE": "sobald",
        "IN_CASE": "im falle|im fall",
    },
    absolute={
        "ALL": "alle|aller|allen|alles|sämtliche|sämtlicher|sämtlichen", "EVERY": "jeder|jede|jedes|jeden|jedem",
        "ALWAYS": "stets|immer|in jedem fall|in jedem falle|in allen fällen|jederzeit",
        "ONLY": "nur|ausschließlich|allein|lediglich", "WHOLLY": "vollständig|gänzlich",
        "AUTOMATIC": "automatisch|kraft gesetzes|ohne weiteres",
    },
    # `so tritt ...` after a condition; where `so` compares, the word that it compares with stays.
    neutral=frozenset({"so"}),
    articles={},
    neutral_phrases="nach dem gesetz gilt|nach dieser vorschrift gilt",
    units={spelling: line.split()[0] for line in _UNITS.strip().splitlines() for spelling in line.split()},
    unit_phrases={"vom hundert": "prozent", "v h": "prozent"},
    unit_kinds=frozenset(),
    numbers=_numbers(),
    scales={"million": 1_000_000, "millionen": 1_000_000, "milliarden": 1_000_000_000},
    one_before_unit=frozenset(word_list("ein eine einen einem einer eines")),
    ordinals={},
    references=frozenset(word_list("§ §§ absatz abs artikel art satz nummer nr buchstabe")),
    plural_endings=(),
    contractions={},
)  # fmt: skip
