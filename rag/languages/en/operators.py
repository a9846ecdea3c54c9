"""Operators of an English legal sentence: what must stay the same in a paraphrase for it to say the same.

`read` turns a text into a sequence of operators per kind (numbers, units, modality, negation, comparators, connectives,
exceptions, conditions, absolutes, relative clauses, references, parties) and the sequence of its content words.
The verifier compares two readings; it never interprets one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import lru_cache

from rag.languages.base import Kind, Mark, Operator, Place, Reading
from rag.languages.en import operator_words as words
from rag.languages.en.operator_places import is_participle, place_of
from rag.languages.en.tokens import comparable_reference, plain_number, stem, tokenise
from rag.languages.text import fold

# The phrases of English that are operators, found by their first word.


def _alternatives(table: str) -> list[tuple[str, ...]]:
    return [tuple(phrase.split()) for phrase in table.split("|")]


def operator_phrases() -> dict[str, list[tuple[tuple[str, ...], tuple[Operator, ...]]]]:
    """All operator phrases by their first word, longest first."""
    tables: list[tuple[Kind, Mapping[str, str]]] = [
        (Kind.MODALITY, words.MODALITY),
        (Kind.NEGATION, {"NOT": words.NEGATION}),
        (Kind.COMPARATOR, words.COMPARATORS),
        (Kind.CONNECTIVE, words.CONNECTIVES),
        (Kind.EXCEPTION, words.EXCEPTIONS),
        (Kind.CONDITION, words.CONDITIONS),
        (Kind.ABSOLUTE, words.ABSOLUTES),
        (Kind.RELATIVE, {word: word for word in words.RELATIVES.split("|")}),
        (Kind.NEUTRAL, words.NEUTRAL_PHRASES),
    ]
    out: dict[str, list[tuple[tuple[str, ...], tuple[Operator, ...]]]] = {}
    for kind, table in tables:
        for value, alternatives in table.items():
            for phrase in _alternatives(alternatives):
                found = [Operator(kind, value)]
                if (kind is Kind.ABSOLUTE and value == words.NEVER_NEGATES) or phrase == ("never",):
                    found = [Operator(Kind.NEGATION, "NOT"), Operator(Kind.ABSOLUTE, words.NEVER_NEGATES)]
                out.setdefault(phrase[0], []).append((phrase, tuple(found)))
    for entries in out.values():
        entries.sort(key=lambda entry: -len(entry[0]))
    return out


__all__ = ["Kind", "Operator", "Reading", "content_stem", "is_neutral", "read"]

_PHRASES = operator_phrases()
_FINITE = {"shall", "may", "must"}
_NO_ONE = {("no", "one"), ("nobody",)}
_LOOK_AHEAD = 40
_AMOUNT_WORDS = 4  # of the order, from an amount to the words after it that limit it (`18 years of age or older`)
# What has its place in a sentence; parties are content words too, units follow their figures.
_ORDERED = frozenset(
    {
        Kind.NUMBER, Kind.MODALITY, Kind.NEGATION, Kind.COMPARATOR, Kind.CONNECTIVE, Kind.EXCEPTION, Kind.CONDITION,
        Kind.ABSOLUTE, Kind.REFERENCE,
    }
)  # fmt: skip
_MAX_TOTAL = 10**15  # no law counts further in words, and hostile text must not build endless integers
_UNITS = {spelling: line.split()[0] for line in words.UNITS.strip().splitlines() for spelling in line.split()}
_CARDINALS = {word: value for value, word in enumerate(words.CARDINALS.split())}
_TENS = {word: 10 * value for value, word in enumerate(words.TENS.split(), start=2)}
_ORDINALS = {word: value for value, word in enumerate(words.ORDINALS.split(), start=1)} | {"thirtieth": 30}
_ROLES = {stem(word) for word in words.ROLES}
_PLAIN = {stem(word): stem(plain) for word, plain in words.PLAIN_WORDS.items()}
_NEUTRAL = {stem(word) for word in words.NEUTRAL_WORDS} | words.NEUTRAL_WORDS
_NAMED = {stem(word) for word in words.NAMED_WORDS}


def content_stem(word: str) -> str:
    """The stem under which a content word is compared; terms of art and their plain words share one."""
    stemmed = stem(word.lower())
    return _PLAIN.get(stemmed, stemmed)


def is_neutral(word: str) -> bool:
    """Whether a word carries no legal content of its own."""
    return word in _NEUTRAL


@lru_cache(maxsize=16)
def _term_index(terms: tuple[str, ...]) -> dict[str, list[tuple[str, ...]]]:
    """Defined terms of more than one word by their first stem, longest first; and single words."""
    index: dict[str, list[tuple[str, ...]]] = {}
    for term in terms:
        stems = tuple(stem(part) for part in re.findall(r"[^\W\d_]+", fold(term).lower()))
        if stems and not (len(stems) == 1 and is_neutral(stems[0])):
            index.setdefault(stems[0], []).append(stems)
    for entries in index.values():
        entries.sort(key=len, reverse=True)
    return index


class _Reader:
    """One pass over the tokens; every method takes a position and returns the one after what it consumed."""

    def __init__(self, text: str, terms: tuple[str, ...]) -> None:
        self.tokens = tokenise(fold(text))
        self.terms = _term_index(terms)
        self.operators: list[Operator] = []
        self.content: list[str] = []
        self.order: list[str] = []
        self.places: list[Place] = []
        self.marks: list[Mark] = []
        self.named: list[str] = []
        self.directed: list[str] = []
        self.referring: set[int] = set()  # positions of references and of the designators that go on with them
        self.phrase_end = 0
        self.relation = ""  # the preposition that the last phrase stands for
        self.clause_opens = 0  # the position after the last `if` or `unless`
        self.prohibited: set[int] = set()  # positions of modal verbs whose subject begins with `no`

    def word(self, position: int) -> str:
        """The lower-case word at a position, empty where there is none."""
        if 0 <= position < len(self.tokens) and self.tokens[position].kind == "word":
            return self.tokens[position].text
        return ""

    def emit(self, kind: Kind, value: str) -> None:
        """Record one operator."""
        self.operators.append(Operator(kind, value))
        self.marks.append(Mark(kind, value))
        if kind in _ORDERED:
            named = kind in {Kind.ABSOLUTE, Kind.REFERENCE}
            self.order.append(f"({value if named else kind})")  # no word has a bracket

    def say(self, position: int, stemmed: str) -> None:
        """Record one content word."""
        self.content.append(stemmed)
        self.order.append(stemmed)
        self.marks.append(Mark(None, stemmed))
        if self.order[-2:-1] == [f"({Kind.NUMBER})"] and self.tokens[position].text in words.MONTHS:
            self.order[-2:] = self.order[:-3:-1]  # `31 December` is `December 31`
        self.places.append(place_of(self.tokens, position, self.phrase_end, self.relation))

    def run(self) -> Reading:
        """Read all tokens."""
        position = 0
        while position < len(self.tokens):
            token = self.tokens[position]
            if token.kind == "word":
                position = self.read_word(position)
                continue
            if token.kind == "ref":
                self.emit(Kind.REFERENCE, comparable_reference(token.raw))
                self.referring.add(position)
            elif token.kind in {"num", "ordinal"} or (token.kind == "enum" and self.is_amount(position)):
                position = self.figure(position)
                continue
            elif token.kind == "enum":
                self.designator(position)
            elif token.kind == "sym":
                self.emit(Kind.UNIT, words.SYMBOL_UNITS[token.text])
            position += 1
        return Reading(
            tuple(self.operators), tuple(self.content), tuple(self.order), tuple(self.named), tuple(self.directed),
            tuple(self.places), tuple(self.marks),
        )  # fmt: skip

    def designator(self, position: int) -> None:
        """A bracketed designator: part of a reference (`paragraphs (1), (2), or (3)`), or the number of a list item."""
        before = position - 1
        while before >= 0 and self.tokens[before].text in words.DESIGNATOR_GLUE:
            before -= 1
        refers = before in self.referring
        if refers:
            self.referring.add(position)
        self.emit(Kind.REFERENCE if refers else Kind.DESIGNATOR, self.tokens[position].text)

    def is_amount(self, position: int) -> bool:
        """Whether a bracketed figure repeats or gives an amount (`thirty (30) days`) and designates nothing."""
        return self.tokens[position].text[1:-1].isdigit() and (
            self.word(position + 1) in _UNITS or self.word(position + 1) in words.DAY_KINDS
        )

    def figure(self, position: int) -> int:
        """A number in digits, with a scale word after it."""
        token = self.tokens[position]
        if token.kind == "ordinal":
            self.emit(Kind.NUMBER, f"#{plain_number(token.text[:-2])}")
            return position + 1
        value = plain_number(token.text.strip("()"))
        scale = words.SCALES.get(self.word(position + 1))
        if scale is not None and len(value) < 24 and "/" not in value:
            value = plain_number(format(Decimal(value) * scale, "f"))
            position += 1
        if token.kind == "enum" and self.operators and self.operators[-1] == Operator(Kind.NUMBER, value):
            return position + 1
        self.emit(Kind.NUMBER, value)
        return position + 1

    def number_words(self, position: int) -> int:
        """A number in words; the position itself where none begins here."""
        start, total, current, seen = position, 0, 0, False
        while True:
            word = self.word(position)
            if word in _CARDINALS and (not seen or current % 10 == 0):
                current += _CARDINALS[word]
            elif word in _TENS and (not seen or current % 100 == 0):
                current += _TENS[word]
            elif word in words.SCALES and 0 < current < min(words.SCALES[word], 1000) and total < _MAX_TOTAL:
                scale = words.SCALES[word]
                total, current = (total, current * scale) if scale == 100 else (total + current * scale, 0)
            elif (
                word == "and"
                and seen
                and self.word(position - 1) in words.SCALES
                and (self.word(position + 1) in _CARDINALS or self.word(position + 1) in _TENS)
            ):
                position += 1
                continue
            else:
                break
            seen, position = True, position + 1
        if not seen:
            return start
        part = words.FRACTIONS.get(self.word(position))
        if part is not None and total + current < 100 and self.word(position + 1) not in {"party", "parties", "person"}:
            self.emit(Kind.NUMBER, f"{total + current}/{part}")
            return position + 1
        ordinal = _ORDINALS.get(self.word(position))
        if ordinal is not None and current % 100 >= 20 and current % 10 == 0 and ordinal < 10:
            self.emit(Kind.NUMBER, f"#{total + current + ordinal}")
            return position + 1
        value = str(total + current)
        self.emit(Kind.NUMBER, value)
        if position < len(self.tokens) and self.tokens[position].text == f"({value})":
            position += 1
        return position

    def read_word(self, position: int) -> int:
        """A word or the longest phrase that begins with it."""
        token = self.tokens[position]
        if token.raw == "May" and self.is_month(position):
            self.say(position, "may")
            return position + 1
        if token.text in {"shall", "must"} and self.is_status(position):
            return position + 1
        for phrase, found in _PHRASES.get(token.text, ()):
            if phrase[0] == "or" and self.text_at(position + len(phrase)) == "than":
                continue  # `or more than 3` is a connective and a comparator, `3 or more` a comparator
            if all(self.text_at(position + offset) == word for offset, word in enumerate(phrase)):
                return self.phrase(position, phrase, found)
        comparator = words.BEFORE_AMOUNT.get(token.text)
        if comparator is not None and self.amount_follows(position + 1):
            self.emit(Kind.COMPARATOR, comparator)
            return position + 1
        after = self.number_words(position)
        if after > position:
            return after
        return self.single(position)

    def text_at(self, position: int) -> str:
        """The token's text, punctuation included."""
        return self.tokens[position].text if position < len(self.tokens) else ""

    def phrase(self, position: int, phrase: tuple[str, ...], found: tuple[Operator, ...]) -> int:
        """Record an operator phrase, absorbing `no` into the modal verb it governs."""
        if (phrase[0] == "no" and len(phrase) == 1) or phrase in _NO_ONE:
            modal = self.governed_modal(position)
            if modal is not None:
                self.prohibited.add(modal)
                if phrase in _NO_ONE:
                    self.emit(Kind.PARTY, "person")
                return position + len(phrase)
        if found[0].kind is Kind.MODALITY and position in self.prohibited:
            found = (Operator(Kind.MODALITY, "PROHIBITION"),)
        self.phrase_end = position + len(phrase)
        turned = words.TURNED_BEFORE.get(" ".join(phrase))
        if turned and any(self.word(self.phrase_end + ahead) in words.BEFORE_EVENT for ahead in range(_AMOUNT_WORDS)):
            found = (Operator(Kind.COMPARATOR, turned),)
        self.record(phrase, found)
        self.relation = found[0].value if found[0].kind is Kind.NEUTRAL else ""
        if found[0].kind in {Kind.CONDITION, Kind.EXCEPTION}:
            self.clause_opens = self.phrase_end
        return self.phrase_end

    def record(self, phrase: tuple[str, ...], found: tuple[Operator, ...]) -> None:
        """Record what a phrase means; `3 or more` is in the order as `at least 3` does."""
        before = len(self.order)
        for operator in found:
            if operator.kind is not Kind.NEUTRAL:
                self.emit(operator.kind, operator.value)
        number = f"({Kind.NUMBER})"
        near = self.order[max(0, before - _AMOUNT_WORDS) : before]
        if phrase[0] == "or" and found[0].kind is Kind.COMPARATOR and number in near:
            place = before - 1 - near[::-1].index(number)
            self.order.insert(place, self.order.pop())

    def governed_modal(self, position: int) -> int | None:
        """`No person shall` is one prohibition: the position of the modal verb that this `no` leads to, if any.

        Only where `no` opens its clause; `has no right` and `if no objection is filed` negate something else.
        """
        before = self.tokens[position - 1] if position else None
        if before is not None and before.kind == "word" and before.text not in words.NO_SUBJECT_AFTER:
            return None
        if before is not None and before.text in {"or", "and"} and self.joins_subjects(position - 1):
            return None  # `a fee or no charge shall be imposed` denies one of the two
        for ahead in range(position + 1, min(position + _LOOK_AHEAD, len(self.tokens))):
            token = self.tokens[ahead]
            if token.kind == "punct":
                return None
            if token.text in _FINITE:
                return None if self.text_at(ahead + 1) == "not" else ahead
        return None

    def joins_subjects(self, position: int) -> bool:
        """Whether a connective joins two subjects of one verb: no verb of its own is in the clause before it."""
        for back in range(position - 1, max(-1, position - 1 - _LOOK_AHEAD), -1):
            token = self.tokens[back]
            if token.kind == "punct":
                return token.text not in {",", ";"} or back < position - 1
            if token.text in _FINITE or back in self.prohibited:
                return False
        return position > 0

    def is_status(self, position: int) -> bool:
        """Whether this `shall` orders nothing but says what holds: `shall be entitled`, `this part shall not apply`."""
        verb, what = self.word(position + 1), self.word(position + 2)
        if position in self.prohibited:
            return False
        if verb == "apply" or (verb, what) == ("not", "apply"):  # a tenant who shall apply has to do something
            nobody = not any(operator.kind is Kind.PARTY for operator in self.operators)
            return nobody and self.word(position + 2 + (verb == "not")) in words.AFTER_APPLY
        if verb == "have":
            return what in {"the", "a"} and self.word(position + 3) in words.STATUS_NOUNS
        return verb == "be" and what in words.STATUS_WORDS

    def is_month(self, position: int) -> bool:
        """Whether a capital `May` is the month: a figure follows, or it does not open a sentence."""
        following = self.tokens[position + 1].kind if position + 1 < len(self.tokens) else ""
        opens = position == 0 or self.tokens[position - 1].text in {".", ":", ";"}
        return following in {"num", "ordinal"} or not opens

    def amount_follows(self, position: int) -> bool:
        """Whether an amount or an age follows."""
        if position < len(self.tokens) and self.tokens[position].kind in {"num", "sym"}:
            return True
        word = self.word(position)
        return (
            word in _CARDINALS
            or word in _TENS
            or (word == "the" and self.word(position + 1) in {"age", "amount", "sum"})
        )

    def single(self, position: int) -> int:
        """A word that begins no phrase: unit, ordinal, fraction, party or content."""
        word = self.tokens[position].text
        if word in words.DAY_KINDS and _UNITS.get(self.word(position + 1)) == "day":
            self.emit(Kind.UNIT, f"{words.DAY_KIND_ALIASES.get(word, word)} day")
            return position + 2
        if word == "per" and self.word(position + 1) in {"cent", "centum"}:
            self.emit(Kind.UNIT, "percent")
            return position + 2
        if word == "second" and self.word(position - 1) not in _CARDINALS:
            self.emit(Kind.NUMBER, "#2")
        elif word in _UNITS:
            self.emit(Kind.UNIT, _UNITS[word])
        elif word in _ORDINALS:
            self.emit(Kind.NUMBER, f"#{_ORDINALS[word]}")
        elif word in {"half", "halves"}:
            self.emit(Kind.NUMBER, "1/2")
        elif word in words.MULTIPLES:
            self.emit(Kind.NUMBER, words.MULTIPLES[word])
        else:
            return self.content_word(position)
        return position + 1

    def content_word(self, position: int) -> int:
        """A content word, and the party it may name, with the direction word before its determiner."""
        word = self.tokens[position].text
        stemmed = stem(word)
        for stems in self.terms.get(stemmed, ()):
            if all(stem(self.word(position + offset)) == part for offset, part in enumerate(stems)):
                self.party(position, " ".join(stems))
                direction = self.direction(position)
                for offset, part in enumerate(stems):
                    if not is_neutral(part):
                        self.say(position + offset, _PLAIN.get(part, part))
                        if direction:
                            self.directed.append(f"{direction} {self.content[-1]}")
                            direction = ""
                return position + len(stems)
        agent = (
            word.endswith(words.ROLE_SUFFIXES)
            and len(word) > 4
            and word not in words.NOT_ROLES
            and self.word(position - 1) in words.DETERMINERS
        )
        if stemmed in _ROLES or agent:
            self.party(position, stemmed)
        participle = is_participle(word) and position and position == self.clause_opens
        if participle or (word in words.BE and is_participle(self.word(position + 1))):
            self.emit(Kind.VOICE, "PASSIVE")  # `unless excluded` is `unless it is excluded`
        if not is_neutral(word) or self.is_told_apart(position):
            self.say(position, _PLAIN.get(stemmed, stemmed))
            direction = self.direction(position)
            if direction:
                self.directed.append(f"{direction} {self.content[-1]}")
        elif stemmed in _NAMED:
            self.named.append(stemmed)
        return position + 1

    def is_told_apart(self, position: int) -> bool:
        """Whether a neutral word says something here: `8 a.m.`, `the same court`, `is about to leave`."""
        word, after = self.word(position), self.word(position + 1)
        if word == "am":
            return position > 0 and self.tokens[position - 1].kind == "num"
        told = word in words.LINKS_ACTS or (word, after) == ("about", "to")
        if word in words.TELLING:
            return self.text_at(position + 1) not in {"that", ",", ":", ""}  # `the law provides that`
        if word == "title":
            return self.word(position - 1) not in {"this", "that", "such", "said", "same"}  # `title to the goods`
        if word in words.COUNTRIES and self.tokens[position].raw.isupper():
            return after not in words.OF_COUNTRIES  # `U.S. citizens` and `US$`, not `D.C. law`
        return told or (word == "same" and bool(after) and not is_neutral(after) and after not in _PHRASES)

    def party(self, position: int, name: str) -> None:
        """Record a party with the direction in which it stands (`by the tenant`, `to the tenant`)."""
        direction = self.direction(position)
        self.emit(Kind.PARTY, f"{direction} {name}" if direction else name)

    def direction(self, position: int) -> str:
        """The direction word before a word and its determiner; empty where there is none."""
        before = position - 1
        if self.word(before) in words.DETERMINERS or self.word(before) in words.POSSESSIVES:
            before -= 1
        # The `to` of `pursuant to the Mayor` and the like belongs to the phrase.
        found = self.word(before) if before >= self.phrase_end else ""
        return found if found in words.DIRECTIONS else ""


def read(text: str, terms: Iterable[str] = ()) -> Reading:
    """Read a text's operators and content words. Never raises; linear time.

    Args:
        text: one or more English sentences.
        terms: defined terms; their occurrences count as parties and are kept whole.
    """
    return _Reader(text, tuple(terms)).run()
