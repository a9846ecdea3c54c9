"""French word tables of the operator reading. Data only; `rag/languages/word_by_word.py` says how they are used.

Elided words keep their apostrophe (`l'`, `qu'`), as the reader splits them.
"""

from __future__ import annotations

from rag.languages.word_by_word import Lexicon, word_list

_UNITS = """
jour jours
semaine semaines
mois
an ans année années
heure heures
minute minutes
trimestre trimestres
euro euros €
franc francs
pour-cent %
mètre mètres
kilomètre kilomètres
hectare hectares
kilogramme kilogrammes
tonne tonnes
litre litres
"""
_ONES = word_list("zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize")
_TENS = {"vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50, "soixante": 60, "quatre-vingt": 80,
         "quatre-vingts": 80, "septante": 70, "huitante": 80, "nonante": 90}  # fmt: skip


def _numbers() -> dict[str, int]:
    """Numbers in words up to 99, with the words that multiply; hyphens are written out by the reader."""
    out = {word: value for value, word in enumerate(_ONES)} | _TENS
    out |= {f"dix-{_ONES[value]}": 10 + value for value in (7, 8, 9)}
    for tens, value in list(_TENS.items()):
        most = 20 if value in {60, 80} else 10
        for more in range(1, most):
            word = next((one for one, known in out.items() if known == more), None)
            if word is not None:
                out[f"{tens}-{word}"] = value + more
        out[f"{tens} et un"] = out[f"{tens}-et-un"] = value + 1
    out["soixante et onze"] = out["soixante-et-onze"] = 71
    return out


FRENCH = Lexicon(
    modality={
        "OBLIGATION": (
            "doit|doivent|devra|devront|est tenu de|est tenue de|sont tenus de|sont tenues de|est tenu d'|est tenue d'|"
            "sont tenus d'|sont tenues d'|est obligé de|est obligée de|sont obligés de|sont obligées de|"
            "est obligé d'|est obligée d'|sont obligés d'|sont obligées d'"
        ),
        "PERMISSION": (
            "peut|peuvent|pourra|pourront|est autorisé à|est autorisée à|sont autorisés à|sont autorisées à|"
            "a la faculté de|ont la faculté de|a la faculté d'|ont la faculté d'"
        ),
        "PROHIBITION": (
            "ne peut pas|ne peuvent pas|ne doit pas|ne doivent pas|ne pourra pas|ne pourront pas|ne peut|ne peuvent|"
            "ne doit|ne doivent|ne pourra|ne pourront"
        ),
    },
    negation={
        "PAS": "pas|point", "NO": "aucun|aucune|nul|nulle|nuls|nulles", "NI": "ni",
        "SANS": "sans", "NON": "non", "NEVER": "jamais|en aucun cas|à aucun moment", "RIEN": "rien",
    },
    comparator={
        "AT_LEAST": "au moins|au minimum|pas moins de|pas moins d'",
        "AT_MOST": "au plus|au maximum|pas plus de|pas plus d'|sans excéder|sans pouvoir excéder|dans la limite de",
        "MORE": (
            "plus de|plus d'|supérieur à|supérieure à|supérieurs à|supérieures à|excède|excèdent|excédant|dépasse|"
            "dépassent|dépassant"
        ),
        "LESS": "moins de|moins d'|inférieur à|inférieure à|inférieurs à|inférieures à",
        "EQUAL": "égal à|égale à|égaux à|égales à",
        "WITHIN": "dans un délai de|dans le délai de|dans un délai d'|dans le délai d'",
        "BEFORE": "avant", "AFTER": "après", "FROM": "à compter de|à compter du|à partir de|à partir du",
        "SINCE": "depuis", "DURING": "pendant|durant",
    },
    connective={"and": "et|ainsi que|ainsi qu'", "or": "ou|ou bien"},
    exception={
        "UNLESS": "sauf si|sauf s'|à moins que|à moins qu'|à moins de|à moins d'|sauf lorsque|sauf lorsqu'|sauf quand",
        "EXCEPT": "sauf|excepté|à l' exception de|à l' exception des|à l' exception du|hormis|hors",
        "SUBJECT": "sous réserve de|sous réserve des|sous réserve du|sous réserve que|sous réserve d'",
        "NOTWITHSTANDING": "nonobstant|par dérogation à|par dérogation au|par dérogation aux|malgré|en dépit de",
        "PROVIDED": "à condition que|à condition qu'|à condition de|à condition d'|pourvu que|pourvu qu'",
        "ONLY_IF": "que si|seulement si|uniquement si|que lorsque|que lorsqu'",
        "HOWEVER": "toutefois|néanmoins|cependant",
    },
    condition={
        "IF": "si|lorsque|lorsqu'|quand|dans le cas où|au cas où|en cas de|en cas d'",
        "UNTIL": "jusqu' à ce que|jusqu' à ce qu'|jusqu' au|jusqu' à",
        "WHILE": "tant que|tant qu'|aussi longtemps que",
        "ONCE": "dès que|dès qu'|dès lors que|dès lors qu'",
    },
    absolute={
        "ALL": "tout|toute|tous|toutes", "EVERY": "chaque",
        "ALWAYS": "toujours|dans tous les cas|en tout état de cause|en toutes circonstances|à tout moment",
        "ONLY": "seul|seule|seuls|seules|seulement|uniquement|exclusivement",
        "WHOLLY": "entièrement|totalement|intégralement",
        "AUTOMATIC": "automatiquement|de plein droit|nécessairement",
    },
    articles={
        **dict.fromkeys(word_list("le la l' un une ledit ladite au du ce cet cette son sa"), "one"),
        **dict.fromkeys(word_list("les lesdits lesdites des aux ces ses leurs"), "many"),
    },
    neutral=frozenset(word_list("le la les l' un une ledit ladite lesdits lesdites quelconque")),
    neutral_phrases="selon la loi|selon cet article|selon le code|la loi prévoit que|aux termes de cet article",
    units={spelling: line.split()[0] for line in _UNITS.strip().splitlines() for spelling in line.split()},
    unit_phrases={"pour cent": "pour-cent"},
    unit_kinds=frozenset(word_list("ouvrable ouvrables ouvré ouvrés franc francs calendaire calendaires")),
    numbers=_numbers(),
    scales={"cent": 100, "cents": 100, "mille": 1_000, "million": 1_000_000, "millions": 1_000_000},
    one_before_unit=frozenset({"un", "une"}),
    ordinals={"premier": 1, "première": 1, "deuxième": 2, "second": 2, "seconde": 2, "troisième": 3, "quatrième": 4,
              "cinquième": 5, "sixième": 6, "septième": 7, "huitième": 8, "neuvième": 9, "dixième": 10},
    references=frozenset(word_list("article articles alinéa alinéas paragraphe paragraphes § §§")),
    plural_endings=("s", "x"),
    contractions={"au": ("à",), "aux": ("à",), "du": ("de",), "des": ("de",), "d'": ("de",),
                  "qu'": ("que",), "n'": ("ne",)},
)  # fmt: skip
