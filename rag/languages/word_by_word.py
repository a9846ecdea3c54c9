"""Operators of a sentence in a language that is read word by word: French and German.

Less is known here than of English, so less is allowed: besides the operators, every other word has to be the same, in
the same order. What may differ are operators that mean the same (`si`, `lorsque`), numbers in words and in digits,
spellings of units, and the few words the tables call neutral. Parties, voice and relative clauses need no list of
their own then, for changing one changes a word or its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from rag.languages.base import Kind, Lexicon, Mark, Operator, Place, Reading, read_toml
from rag.languages.text import fold

_TOKEN = re.compile(
    r"(?P<num>\d{1,3}(?:[ .]\d{3})+(?!\d)(?:,\d+)?|\d+(?:,\d+)?)(?P<tail>[^\W\d_]*)"
    r"|(?P<word>[^\W\d_]+(?:-[^\W\d_]+)*'?)|(?P<sym>§§|[§%€$£])"
)


def word_list(text: str) -> list[str]:
    """The words of a table's line."""
    return text.split()


def read_lexicon(
    module: str,
    more_numbers: Callable[[dict[str, int]], None],
    ordinals: Callable[[Mapping[str, int]], dict[str, int]] | None = None,
) -> Lexicon:
    """The lexicon beside a module (`operators.toml`).

    Args:
        module: of the language.
        more_numbers: adds to the table `numbers` by the language's own rule.
        ordinals: makes ordinal numbers of all these, besides those in the table.
    """
    given = read_toml(module, "operators.toml")
    lists: dict[str, list[str]] = {name: str(words).split() for name, words in given["words"].items()}
    kinds = ("modality", "negation", "comparator", "connective", "exception", "condition", "absolute")
    phrases = {kind: {value: "|".join(said) for value, said in given[kind].items()} for kind in kinds}
    numbers: dict[str, int] = given["numbers"]
    more_numbers(numbers)
    return Lexicon(
        **phrases,
        articles={word: count for count, words in given["articles"].items() for word in str(words).split()},
        neutral=frozenset(lists["neutral"]),
        neutral_phrases="|".join(given["neutral_phrases"]),
        units={spelling: line.split()[0] for line in given["units"] for spelling in line.split()},
        unit_phrases=given["unit_phrases"],
        unit_kinds=frozenset(lists["unit_kinds"]),
        numbers=numbers,
        scales=given["scales"],
        one_before_unit=frozenset(lists["one_before_unit"]),
        ordinals=given["ordinals"] | (ordinals(numbers) if ordinals is not None else {}),
        references=frozenset(lists["references"]),
        plural_endings=tuple(lists["plural_endings"]),
        contractions={word: tuple(str(words).split()) for word, words in given["contractions"].items()},
    )


def _tokens(text: str) -> Iterator[str]:
    """Lower-case words, figures and signs; an elided word keeps its apostrophe, a figure its letters (`5a`)."""
    for match in _TOKEN.finditer(fold(text).lower()):
        if match["num"]:
            yield re.sub(r"[ .]", "", match["num"]) + match["tail"]
        else:
            yield match[0]


def read_plain(text: str, lexicon: Lexicon) -> Reading:
    """Read a text's operators and all its other words. Never raises; linear time.

    Args:
        text: one or more sentences.
        lexicon: of their language.
    """
    words = list(_tokens(text))
    reading = _Found()
    position = 0
    while position < len(words):
        found = next(
            (phrase for phrase in lexicon.phrases.get(words[position], ()) if _stands(phrase[0], words, position)), None
        )
        if found is not None:
            if found[1].kind is not Kind.NEUTRAL:
                reading.operator(found[1].kind, found[1].value)
            position += len(found[0])
            continue
        position = _single(words, position, lexicon, reading)
    places = tuple(Place("", "", "", number=count) for count in reading.counts)
    return Reading(
        tuple(reading.operators), tuple(reading.content), tuple(reading.order), places=places,
        marks=tuple(reading.marks),
    )  # fmt: skip


@dataclass(slots=True)
class _Found:
    """A reading being made."""

    operators: list[Operator] = field(default_factory=list[Operator])
    content: list[str] = field(default_factory=list[str])
    order: list[str] = field(default_factory=list[str])
    counts: list[str] = field(default_factory=list[str])
    marks: list[Mark] = field(default_factory=list[Mark])

    def operator(self, kind: Kind, value: str) -> None:
        self.marks.append(Mark(kind, value))
        self.operators.append(Operator(kind, value))
        self.order.append(f"({kind})")  # no word has a bracket

    def word(self, word: str, count: str = "") -> None:
        self.content.append(word)
        self.marks.append(Mark(None, word))
        self.counts.append(count)
        self.order.append(word)


def _stands(phrase: tuple[str, ...], words: list[str], position: int) -> bool:
    return tuple(words[position : position + len(phrase)]) == phrase


def _single(words: list[str], position: int, lexicon: Lexicon, reading: _Found) -> int:
    """A word that begins no phrase: number, unit, reference or content. Returns the position after it."""
    word = words[position]
    after = words[position + 1] if position + 1 < len(words) else ""
    number = _number(words, position, lexicon)
    if number is not None:
        reading.operator(Kind.NUMBER, number[0])
        return number[1]
    if word in lexicon.ordinals:
        reading.operator(Kind.NUMBER, f"#{lexicon.ordinals[word]}")
    elif word in lexicon.units:
        kind = after.rstrip("s") if after in lexicon.unit_kinds else ""
        reading.operator(Kind.UNIT, f"{lexicon.units[word]} {kind}".strip())
        return position + 1 + bool(kind)
    elif word in lexicon.references:
        reading.operator(Kind.REFERENCE, word)
    elif word not in lexicon.neutral:
        for part in lexicon.contractions.get(word, (word,)):
            reading.word(_plain(part, lexicon), lexicon.articles.get(words[position - 1], "") if position else "")
    return position + 1


def _plain(word: str, lexicon: Lexicon) -> str:
    if len(word) > 3 and word.endswith(lexicon.plural_endings):
        return word[:-1]
    return word


def _number(words: list[str], position: int, lexicon: Lexicon) -> tuple[str, int] | None:
    """The number that begins here, and the position after it."""
    word = words[position]
    after = words[position + 1] if position + 1 < len(words) else ""
    if word[0].isdigit():
        whole, comma, rest = word.partition(",")
        rest = rest.rstrip("0") if rest.isdigit() else rest
        value = f"{whole.lstrip('0') or '0'}{comma if rest else ''}{rest}"
        if after in lexicon.scales and value.isascii() and value.isdigit() and len(value) < 16:
            return str(int(value) * lexicon.scales[after]), position + 2
        return value, position + 1
    if word in lexicon.one_before_unit:
        return ("1", position + 1) if after in lexicon.units else None
    total, current, start = 0, 0, position
    while position < len(words):
        size = next(
            (
                count
                for count in range(lexicon.number_phrases, 0, -1)
                if " ".join(words[position : position + count]) in lexicon.numbers
            ),
            0,
        )
        if size and current % 100 == 0:
            current += lexicon.numbers[" ".join(words[position : position + size])]
            position += size
        elif words[position] in lexicon.scales and (position == start or current) and total < 10**12:
            scale = lexicon.scales[words[position]]
            total, current = (total, max(current, 1) * 100) if scale == 100 else (total + max(current, 1) * scale, 0)
            position += 1
        else:
            break
    return (str(total + current), position) if position > start else None
