"""Which defined terms a text uses. One pass over the text's words, whatever the number of terms.

How words are cut, compared and inflected is the language's (`TermRules`); `WordTerms` is what languages written with
spaces share.
"""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from rag.law.patterns import lazy

_TOKEN = lazy(r"[^\W_]+(?:[’'][^\W_]+)*|[^\w\s]|_")
MOST_TOKENS = 400_000  # of one document that are kept while it is annotated, some 200 bytes each
_QUOTES = "“”\"‘’'«»„‚`"


class Sense(StrEnum):
    """What the definition of a term makes of its word, beside a thing: it decides which uses of the word are meant."""

    ACTION = "action"  # "means to transfer": a verb
    EITHER = "either"  # with ACTION: what "has a corresponding meaning" is a thing or a verb
    GERUND = "gerund"  # `"firing" means the heating of`: a thing, and what its verb does
    PERHAPS = "perhaps"  # `"promote" includes organise`: a verb where the law uses the word as nothing else
    STATE = "state"  # "means prescribed by order": a participle, which an active verb does not use
    NAME = "name"  # "Minister" among terms written small: its small word is another


@dataclass(slots=True, unsafe_hash=True)  # not frozen: millions are made, and a frozen one takes three times as long
class Token:
    """A word or a sign of a text; offsets into the text. Uses are found by `key`."""

    start: int
    end: int
    key: str
    text: str


Senses = Collection[Sense]
NO_SENSES: Senses = frozenset()


class TermRules(Protocol):
    """How a language's defined terms are compared and found."""

    names_by_capital: bool  # whether a capital inside a sentence tells a name

    def normalise(self, term: str) -> str:
        """The form under which terms are stored and compared; normalising it again changes nothing."""
        ...

    def tokens(self, text: str) -> list[Token]:
        """The words and signs of a text in order."""
        ...

    def forms(self, keys: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
        """The key sequences under which a term can occur, given the keys of its normalised form."""
        ...

    def verb_forms(self, keys: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
        """The further ones of a term that is a verb."""
        ...

    def is_use(
        self, text: str, tokens: Sequence[Token], first: int, last: int, *, heading: bool, senses: Senses = NO_SENSES
    ) -> bool:
        """Whether the tokens from `first` to `last`, which have a term's keys, use the term, by its definitions."""
        ...


class WordTerms:
    """Terms of a language written with spaces: NFC, lower case, no leading article, no inflection.

    Subclasses add inflection (`key`, `forms`) and what is no use (`is_use`).
    """

    articles: frozenset[str] = frozenset()
    names_by_capital = True  # a capital inside a sentence tells a name; in German every noun has one

    def normalise(self, term: str) -> str:
        """NFC, lower case, outer quotation marks and punctuation off, single spaces, a leading article off."""
        words = unicodedata.normalize("NFC", term).casefold().replace("’", "'").split()
        text = " ".join(words).strip(_QUOTES + " ,.;:")
        first, _, rest = text.partition(" ")
        return rest.strip(_QUOTES + " ") if first in self.articles and rest.strip(_QUOTES + " ") else text

    def key(self, word: str) -> str:
        """What a word is compared by."""
        return unicodedata.normalize("NFC", word).casefold().replace("’", "'")

    def tokens(self, text: str) -> list[Token]:
        """Words with inner apostrophes, and single signs."""
        return [Token(m.start(), m.start() + len(m[0]), self.key(m[0]), m[0]) for m in _TOKEN.finditer(text)]

    def forms(self, keys: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
        """The keys as they are."""
        return (keys,)

    def verb_forms(self, keys: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
        """None."""
        return ()

    def is_use(
        self, text: str, tokens: Sequence[Token], first: int, last: int, *, heading: bool, senses: Senses = NO_SENSES
    ) -> bool:
        """Always but where a small word is not the name that is defined."""
        return heading or not is_another_word(tokens, first, senses)


def is_another_word(tokens: Sequence[Token], first: int, senses: Senses) -> bool:
    """Whether a word is written small where the term is a name with a capital."""
    return Sense.NAME in senses and tokens[first].text[:1].islower()


@dataclass(slots=True)
class _Branch:
    next: dict[str, _Branch] = field(default_factory=dict[str, "_Branch"])
    terms: list[str] = field(default_factory=list[str])  # terms that end here
    verbs: list[str] = field(default_factory=list[str])  # terms of which a verb's form ends here


class TermIndex:
    """Terms prepared for finding. Terms are normalised ones (`TermRules.normalise`), `senses` what is known of some."""

    def __init__(
        self,
        terms: Iterable[str],
        rules: TermRules,
        senses: Mapping[str, Senses] | None = None,
        tokens: Callable[[str], Sequence[Token]] | None = None,
    ) -> None:
        """Prepare terms; `tokens` gives those of a text that are known already (`WordPlaces.tokens`)."""
        self._rules = rules
        self._tokens = tokens or rules.tokens
        self._senses = senses or {}
        self._root = _Branch()
        for term in sorted(set(terms)):
            keys = tuple(token.key for token in rules.tokens(term))
            if not keys:
                continue
            forms = set(rules.forms(keys))
            for form in sorted(forms):
                self._branch(form).terms.append(term)
            if {Sense.ACTION, Sense.GERUND}.intersection(self._senses.get(term, NO_SENSES)):
                for form in sorted(set(rules.verb_forms(keys)) - forms):
                    self._branch(form).verbs.append(term)

    @property
    def first_words(self) -> Collection[str]:
        """The keys with which the forms of the terms begin."""
        return self._root.next.keys()

    def _branch(self, form: tuple[str, ...]) -> _Branch:
        branch = self._root
        for key in form:
            branch = branch.next.setdefault(key, _Branch())
        return branch

    def find(
        self, text: str, allowed: Collection[str] | None = None, *, heading: bool = False
    ) -> list[tuple[int, int, str]]:
        """The uses of terms in a text, longest first at each place, without overlap.

        Args:
            allowed: the terms in scope; None: all. A longer term out of scope does not hide a shorter one in it.
            heading: the text is a heading, whose capitals say nothing about proper names.

        Returns:
            (start, end, normalised term) in order, several for one place where that many terms have its form; a
            possessive ending lies outside the span.
        """
        tokens = self._tokens(text)
        found: list[tuple[int, int, str]] = []
        roots = self._root.next
        free = 0  # the first token after the last use
        for position in [place for place, token in enumerate(tokens) if token.key in roots]:
            if position < free:
                continue
            branch: _Branch | None = roots[tokens[position].key]
            last, best = position, list[str]()
            at = position
            while branch is not None:
                # Two forms of a word may both be defined: "institution" and "institutions".
                for terms in (branch.terms, branch.verbs):
                    if here := [term for term in terms if allowed is None or term in allowed]:
                        last, best = at, here
                        break
                at += 1
                branch = branch.next.get(tokens[at].key) if at < len(tokens) else None
            best = [
                term for term in best
                if self._rules.is_use(
                    text, tokens, position, last, heading=heading, senses=self._senses.get(term, NO_SENSES)
                )
            ]  # fmt: skip
            if best:
                found.extend((tokens[position].start, tokens[last].end, term) for term in best)
                free = last + 1
        return found


class WordPlaces:
    """The texts that have a word, so that terms are looked for in these alone, and their tokens, cut once.

    Tokens are kept up to `most` of them, so that memory has a bound; the other texts are cut when asked for.
    """

    def __init__(self, texts: Iterable[str], rules: TermRules, most: int = MOST_TOKENS) -> None:
        self._rules = rules
        self._places: dict[str, array[int]] = {}
        self._kept: dict[str, list[Token]] = {}
        for number, text in enumerate(texts):
            tokens = rules.tokens(text)
            if len(tokens) <= most:
                self._kept[text] = tokens
                most -= len(tokens)
            for key in {token.key for token in tokens}:
                self._places.setdefault(key, array("L")).append(number)

    def index(self, terms: Iterable[str], senses: Mapping[str, Senses] | None = None) -> TermIndex:
        """Terms prepared for finding in these texts, and in others."""
        return TermIndex(terms, self._rules, senses, self.tokens)

    def tokens(self, text: str) -> Sequence[Token]:
        """Those of a text, as the rules cut it."""
        kept = self._kept.get(text)
        return self._rules.tokens(text) if kept is None else kept

    def of(self, terms: TermIndex) -> list[int]:
        """The numbers of the texts that can use one of the terms, in order."""
        return sorted({number for word in terms.first_words for number in self._places.get(word, ())})
