"""Who does what to what, in languages that tell it by case and position instead of auxiliaries. Pure.

A text is read word by word into clauses: main ones, what they say (`dass`, an infinitive), conditions, and relative
clauses. Each has a predicate and phrases, each phrase a role: actor, what the act is done to, to whom, or beside them.
A sentence answers where a clause that is its statement has the act of the question, and the same things in their roles.
A relative clause, a condition and an infinitive within one of these state nothing. Where roles cannot be told, they are
not the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import Enum

from rag.languages.base import Kind as Read
from rag.languages.base import Language, RoleWords
from rag.languages.operators import read_in

TOKEN = re.compile(r"\w+|[.,;:()—–]")
MARKS = frozenset(".,;:()—–")
_BREAKS = frozenset(".;:")
_PROVISION = " Nr "  # what stands for a reference to a provision, as a noun does
# Letters that the article of a noun ends with, to which no relative pronoun that ends with the other refers.
_APART = {"r": "es", "n": "es", "e": "sm", "s": "er", "m": "e"}
_LEAST = 4  # letters of a word that ends a sentence; shorter ones are abbreviations as often


def segments_of(words: Sequence[str]) -> Iterator[range]:
    """The places of the runs of words between marks, without these."""
    start = 0
    for at in range(len(words) + 1):
        if at == len(words) or words[at] in MARKS:
            if at > start:
                yield range(start, at)
            start = at + 1


class Word(Enum):
    """What a word is in its clause."""

    MARK = "mark"
    DETERMINER = "determiner"
    PREPOSITION = "preposition"
    JOIN = "join"
    VERB = "verb"  # an auxiliary or a modal verb
    SMALL = "small"  # a pronoun, an adverb, a particle
    NOUN = "noun"
    MODIFIER = "modifier"  # of a noun
    ACT = "act"  # the predicate: a verb, a participle, what is said of the subject


_CONTENT = frozenset({Word.NOUN, Word.MODIFIER, Word.ACT})


class Kind(Enum):
    """What a clause is to its sentence."""

    MAIN = "main"
    SAID = "said"  # what the clause above says: `dass`, an infinitive
    CONDITION = "condition"
    RELATIVE = "relative"


class Role(Enum):
    """What a phrase is to the act of its clause."""

    ACTOR = "actor"
    OBJECT = "object"
    RECEIVER = "receiver"
    BESIDE = "beside"  # behind a preposition, or a genitive
    OPEN = "open"  # it cannot be told


@dataclass(slots=True)
class Clause:
    """A clause: its places in the text, and the clause that it depends on."""

    kind: Kind
    above: Clause | None
    places: list[int] = field(default_factory=list[int])

    def states(self) -> bool:
        """Whether the sentence states it: no condition or relative clause is above."""
        clause: Clause | None = self
        while clause is not None:
            if clause.kind in (Kind.CONDITION, Kind.RELATIVE):
                return False
            clause = clause.above
        return True


def _is_held(before: Sequence[Word]) -> bool:
    """Whether an article waits for its noun before another phrase: "eines auf Erwerb gerichteten Unternehmens"."""
    back = len(before) - 1
    while back > 0 and before[back] in (Word.NOUN, Word.MODIFIER, Word.DETERMINER):
        back -= 1
    return back > 0 and before[back] is Word.PREPOSITION and before[back - 1] is Word.DETERMINER


class Reading:
    """The clauses of a text.

    Attributes:
        words: the words and marks in lower case.
        kinds: of each word.
        clauses: in the order in which they begin.
        of: the clause of each place.
    """

    def __init__(self, text: str, language: Language, table: RoleWords) -> None:
        self.language = language
        self.table = table
        self.text = text
        said = [match[0] for match in TOKEN.finditer(language.limits.reference.sub(_PROVISION, text))]
        # The full stop of an abbreviation ends nothing.
        self.raw = [word for at, word in enumerate(said) if word != "." or (at and len(said[at - 1]) >= _LEAST)]
        self.words = [word.lower() for word in self.raw]
        for at, word in enumerate(self.raw):  # "A cette fin"
            if word in table.unaccented and self.words[at + 1 : at + 2] != ["t"]:
                self.words[at] = table.unaccented[word]
        self.stems = [language.stem(word) for word in self.words]
        self.asks = text.rstrip().endswith("?")
        lexicon = language.lexicon() if language.lexicon is not None else None
        self.numbers = frozenset(lexicon.numbers if lexicon is not None else ())
        self.units = frozenset(lexicon.units if lexicon is not None else ())
        self.kinds = self._kinds()
        self.clauses: list[Clause] = []
        self.of: list[Clause | None] = [None] * len(self.words)
        self._divide()

    def without_relatives(self) -> str:
        """The words but for those of relative clauses."""
        return " ".join(
            word
            for word, clause in zip(self.raw, self.of, strict=True)
            if clause is None or clause.kind is not Kind.RELATIVE
        )

    # --- words -------------------------------------------------------------------------------------------------------

    def _kinds(self) -> list[Word]:
        table = self.table
        found: list[Word] = []
        for at, word in enumerate(self.words):
            if word in MARKS:
                found.append(Word.MARK)
            elif word in table.joins:
                found.append(Word.JOIN)
            elif word in table.cases:
                found.append(Word.DETERMINER)
            elif word in table.prepositions:
                found.append(Word.PREPOSITION)
            elif word.isdigit() or word in self.numbers:
                counts = table.nouns_by_capital and self.raw[at + 1 : at + 2] and self.raw[at + 1][:1].isupper()
                found.append(Word.MODIFIER if counts else Word.SMALL)  # "des 12. Lebensjahres"
            elif word in table.verbs | table.passives:
                found.append(Word.VERB)
            elif word in self.language.idle | table.pronouns | table.conditions | table.contents | table.relatives:
                found.append(Word.SMALL)
            else:
                found.append(self._content(at, found))
        for at in range(len(found) - 1, 0, -1):  # "einen gerichtlich zu bestellenden Verwahrer"
            within = at + 1 < len(found) and found[at + 1] is Word.MODIFIER
            if within and (self.words[at] == table.infinitive or (found[at] is Word.ACT and self.is_adjective(at))):
                found[at] = Word.MODIFIER
        return found

    def _content(self, at: int, before: Sequence[Word]) -> Word:
        return self._by_capital(at, before) if self.table.nouns_by_capital else self._by_place(at, before)

    def _by_capital(self, at: int, before: Sequence[Word]) -> Word:
        """German: nouns have capitals, and what precedes one with an ending belongs to it."""
        starts = not at or self.words[at - 1] in _BREAKS
        if self.raw[at][:1].isupper() and not starts:
            return Word.NOUN
        if starts and f"{self.words[at]}e".endswith(self.table.attributive):
            return Word.ACT  # "Abweichend von Satz 1"
        if starts and self.asks:
            return Word.ACT
        after = at
        while after < len(self.words) and (self._inflected(after) or self._joins_modifiers(after, at)):
            after += 1
        leads = after > at and after < len(self.words) and self.raw[after][:1].isupper()
        verb = before and before[-1] is Word.NOUN and self.words[at].endswith(self.table.verb_endings)
        verb = verb and not _is_held(before) and not self._is_helped(at, before)
        if leads and not verb:
            return Word.MODIFIER
        if starts:
            return Word.NOUN if self.raw[at][:1].isupper() else Word.ACT
        return Word.MODIFIER if self.words[at].endswith(self.table.attributive) else Word.ACT

    def _is_helped(self, at: int, before: Sequence[Word]) -> bool:
        """Whether an auxiliary or modal verb stands before a place in its run of words."""
        marks = [one for one in range(at) if before[one] is Word.MARK]
        return Word.VERB in before[marks[-1] if marks else 0 :]

    def _joins_modifiers(self, at: int, first: int) -> bool:
        """Whether a comma or a conjunction stands between two words with endings: "familiären, beruflichen"."""
        joins = self.words[at] == "," or self.words[at] in self.table.joins
        if self.words[at].isdigit():  # "den ersten 30 Tagen"
            return at > first
        return joins and at > first and at + 1 < len(self.words) and self._inflected(at + 1)

    def _inflected(self, at: int) -> bool:
        word = self.words[at]
        known = word in MARKS or word in self.table.cases or word in self.table.prepositions
        starts = not at or self.words[at - 1] in _BREAKS
        plain = starts or not self.raw[at][:1].isupper()
        return plain and not known and word not in self.table.joins and word.endswith(self.table.inflections)

    def _by_place(self, at: int, before: Sequence[Word]) -> Word:
        """French: a noun follows its article or preposition, a predicate its auxiliary verb or pronoun."""
        table, word = self.table, self.words[at]
        back = at - 1
        while back >= 0 and before[back] is Word.SMALL and self._is_passed(back):
            back -= 1
        last = before[at - 1] if at else Word.MARK
        near = before[back] if back >= 0 else Word.MARK
        infinitive = word.endswith(table.infinitives)
        if last is Word.DETERMINER:  # "doit l'exécuter"
            helped = at > 1 and before[at - 2] is Word.VERB and self.words[at - 2] not in table.passives
            spoken = not self.asks and at > 1 and self.words[at - 2] in table.subjects  # "s'il l'exige"
            return (
                Word.ACT if (spoken or (infinitive and helped)) and self.words[at - 1] in table.clitics else Word.NOUN
            )
        if last is Word.PREPOSITION:
            return Word.ACT if infinitive and self.words[at - 1] in table.before_infinitive else Word.NOUN
        if self.words[at + 1 : at + 2] and self.words[at + 1] in table.inverse and self.asks:
            return Word.ACT
        latter = at > 1 and self.words[at - 2] in table.others and self.words[at - 1] in table.latter
        if last is Word.SMALL and self.words[at - 1] in table.relatives:
            return Word.ACT  # "que prend le maire"
        if near is Word.VERB or latter or (last is Word.SMALL and self.words[at - 1] in table.subjects | table.clitics):
            return Word.ACT
        if last in (Word.NOUN, Word.MODIFIER):
            following = self.words[at + 1] if at + 1 < len(self.words) else "."
            agrees = self._article(at - 1) not in table.masculine or not word.endswith("e")
            plain = not word.endswith((*table.participles, *table.infinitives)) or not agrees
            many = self._article(at - 1) in table.several and word.endswith(table.plural)
            measures = following in table.prepositions or following in self.numbers or following.isdigit()
            leads = following in table.cases or (plain and measures)
            opens = (one for one in range(at - 1, -1, -1) if before[one] is Word.MARK or self._opens(one))
            open_ = next(opens, -1)
            helped = next((one for one in range(at - 1, open_, -1) if before[one] in (Word.VERB, Word.ACT)), -1)
            aside = helped > 0 and self.words[helped] in table.passives and before[helped + 1] is Word.PREPOSITION
            if aside and word.endswith(table.participles):
                return Word.ACT  # "sont de plein droit compris"
            said = any(one in (Word.VERB, Word.ACT) for one in before[open_ + 1 : at])
            said = said and not (open_ > 0 and self._is_verbless(before[:open_]))  # "le maître qui a payé doit"
            inverted = self.asks and any(one in table.inverse for one in self.words[at + 1 :])
            return Word.ACT if (leads or many) and not said and not inverted else Word.MODIFIER
        if last in (Word.JOIN, Word.MARK) and infinitive and self._waits_before(at, before):
            return Word.ACT  # "peut, même d'office, fixer"
        listed = last is Word.MARK and (self.words[at + 1 : at + 2] or ["."])[0] in table.joins | {","}
        for endings in (table.infinitives, table.participles) if last is Word.JOIN or listed else ():
            acts = (self.words[one] for one in range(at) if before[one] is Word.ACT)
            if word.endswith(endings) and any(one.endswith(endings) for one in acts):
                return Word.ACT  # "fixer les prestations et liquider"
        return last if last is Word.ACT else Word.NOUN

    def _is_verbless(self, before: Sequence[Word]) -> bool:
        """Whether a sentence has no verb yet before the relative clause behind these words."""
        breaks = [one for one in range(len(before)) if before[one] is Word.MARK]
        own = before[breaks[-1] + 1 if breaks else 0 :]
        return Word.NOUN in own and Word.VERB not in own and Word.ACT not in own

    def _article(self, at: int) -> str:
        """The article of the phrase that ends at a place, where only words that belong to its noun are between."""
        while at > 0 and self.words[at] not in self.table.cases and self.words[at] not in MARKS:
            at -= 1
        return self.words[at]

    def _waits_before(self, at: int, before: Sequence[Word]) -> bool:
        """Whether a modal verb before a place has not got its infinitive."""
        opens = [one for one in range(at) if self.words[one] in _BREAKS]
        own = range(opens[-1] + 1 if opens else 0, at)
        modal = [one for one in own if before[one] is Word.VERB and self.words[one] not in self.table.passives]
        return bool(modal) and Word.ACT not in before[modal[-1] :]

    def _is_passed(self, at: int) -> bool:
        """Whether a small word may stand between an auxiliary verb and its participle or infinitive."""
        word = self.words[at]
        return word not in self.table.subjects and not word.endswith(self.table.infinitives)

    # --- clauses -----------------------------------------------------------------------------------------------------

    def _divide(self) -> None:
        if self.table.verb_last:
            self._divide_verb_last()
        else:
            self._divide_in_order()

    def _open(self, kind: Kind, above: Clause | None) -> Clause:
        clause = Clause(kind, above)
        self.clauses.append(clause)
        return clause

    def _divide_verb_last(self) -> None:
        """German: commas divide clauses, and one that depends has its verb at its end."""
        segments = [*segments_of(self.words)]
        main = current = self._open(Kind.MAIN, None)
        for index, segment in enumerate(segments):
            before = self.words[segment.start - 1] if segment.start else "."
            first = self._first(segment)
            if before in _BREAKS:
                main = current = self._open(Kind.MAIN, None)
            kind = self._kind_of(segment, first, before, segments[index + 1 :], main)
            if kind is Kind.MAIN:
                current = main
            elif kind is not None:
                while current is not main and self._is_complete(current) and self._above_waits(current):
                    current = current.above or main
                complete = self._is_complete(current)
                above = current if not complete or kind in (Kind.RELATIVE, Kind.SAID) else current.above or main
                above = current if current.kind is Kind.MAIN else above
                waiting = current.kind is Kind.SAID and not self.predicate(current)
                if kind is Kind.SAID and waiting and self.words[first] not in self.table.contents:
                    pass  # "den Angehörigen, die ..., Unterhalt zu gewähren"
                elif kind is Kind.SAID and self._has_infinitive(segment) and self._waits(main) and current is not main:
                    current = main
                else:
                    current = self._open(kind, above)
            else:
                while current is not main and self._is_complete(current):
                    current = current.above or main
            if kind is Kind.CONDITION and self.kinds[first] is Word.NOUN:
                self.kinds[first] = Word.ACT  # "Erfolgt die Verfügung"
            goes_on = before == "," and current is main is self.of[segment.start - 2]
            if goes_on and self._is_gapped(segment, main):
                gap = self._open(Kind.MAIN, main)
                segment, parts = self._verbs_at_end(segment), segment
                gap.places = [at for at in parts if at not in segment]
                for at in gap.places:
                    self.of[at] = gap
            for at in segment:
                if current is main:
                    main = current = self._joined_main(main, at)
                current.places.append(at)
                self.of[at] = current

    def _is_gapped(self, segment: range, main: Clause) -> bool:
        """Whether words behind a comma are a clause without its verb: "der Mieter trägt die Last, der Bote die Kosten".

        Two phrases follow each other there, the second of which has the preposition of one before the comma, or none.
        """
        start = segment.start + (self.kinds[segment.start] is Word.JOIN)
        nouns = [at for at in segment if self.kinds[at] is Word.NOUN]
        if not nouns or "N" not in self.table.cases.get(self.words[start], "") or not self._has_verb(main):
            return False
        inner = range(start, self._verbs_at_end(segment).start)
        if any(self.kinds[at] in (Word.VERB, Word.ACT) for at in inner):
            return False
        earlier = {self.words[at] for at in main.places if self.kinds[at] is Word.PREPOSITION}
        behind = [at for at in inner if at > nouns[0] and self.kinds[at - 1] in (Word.NOUN, Word.MODIFIER)]
        return any(
            self.words[at] in earlier
            or (self.kinds[at] is Word.DETERMINER and "G" not in self.table.cases[self.words[at]])
            for at in behind
        )

    def _verbs_at_end(self, segment: range) -> range:
        """The verbs that end a run of words."""
        at = segment.stop
        while at > segment.start and self.table.verb_last and self.kinds[at - 1] in (Word.VERB, Word.ACT):
            at -= 1
        return range(at, segment.stop)

    def _joined_main(self, main: Clause, at: int) -> Clause:
        """The main clause of a finite verb: another one than the one before where that has its predicate already."""
        plain = self.kinds[at] is Word.ACT and self.kinds[at - 1] in (Word.NOUN, Word.MODIFIER)
        plain = plain and not any(self.kinds[one] is Word.VERB for one in main.places)
        plain = plain and not self.words[at].endswith(self.table.infinitives or "n")
        helps = self.kinds[at] is Word.VERB and self.words[at] in self.table.finite
        if not (plain or helps) or not self._has_verb(main):
            return main
        joins = [
            place
            for place, one in enumerate(main.places)
            if self.kinds[one] is Word.JOIN and self.words[one] not in self.table.conditions  # "mehr als 50 Euro"
        ]
        if not joins:
            return main
        own = main.places[joins[-1] + 1 :]
        kinds = {self.kinds[one] for one in own}
        led = not own or (self.kinds[own[0]] is not Word.PREPOSITION and kinds & {Word.NOUN, Word.SMALL})
        if not led or kinds & {Word.ACT, Word.VERB} or (own and not self._predicate_before(main, own[0])):
            return main
        clause = self._open(Kind.MAIN, main)
        clause.places = own
        del main.places[joins[-1] + 1 :]
        for one in own:
            self.of[one] = clause
        return clause

    def _predicate_before(self, clause: Clause, at: int) -> bool:
        return any(one < at and self.kinds[one] in (Word.ACT, Word.VERB) for one in clause.places)

    def _first(self, segment: range) -> int:
        at = segment.start
        passed = self.table.joins | self.table.skipped
        while at + 1 < segment.stop and self.words[at] in passed - self.table.conditions:
            at += 1
        return at

    def _kind_of(self, segment: range, first: int, before: str, later: Sequence[range], main: Clause) -> Kind | None:
        """The kind of the clause that a segment opens; None where it goes on with one."""
        table, word = self.table, self.words[first]
        if word in table.resumes:
            return Kind.MAIN
        if self.asks and not segment.start:
            return None
        doubtful = word in table.joins | table.prepositions  # "seit er wohnt", "seit dem Tag"
        if word in table.conditions and (not doubtful or self.kinds[segment[-1]] in (Word.ACT, Word.VERB)):
            return Kind.CONDITION
        if word in table.contents:
            return Kind.SAID
        if before == ",":
            pronoun = first + 1 if word in table.prepositions and first + 1 < segment.stop else first
            if self.words[pronoun] in table.relatives and not self._is_article(pronoun, segment):
                return Kind.RELATIVE
            if self._has_infinitive(segment) and not any(self.kinds[at] is Word.VERB for at in segment):
                return Kind.SAID
            verbs = any(self.kinds[at] in (Word.VERB, Word.ACT) for at in segment)
            if not verbs and main.places and not self._waits(main) and self._has_verb(main):
                ahead = (one for one in later if self._has_infinitive(one))
                if any(not any(self.kinds[at] is Word.VERB for at in one) for one in ahead):
                    return Kind.SAID
        elif before in _BREAKS and not self.asks and (word in table.verbs | table.passives or word.endswith("t")):
            # "Wird sie übernommen, so haftet er": a condition without a word for it.
            opens = (self.words[one.start] for one in later)
            if any(one in table.resumes or one in table.verbs | table.passives for one in opens):
                return Kind.CONDITION
        return None

    def _is_article(self, at: int, segment: range) -> bool:
        """Whether a word that may open a relative clause is the article of a noun: "dem Eigentümer"."""
        if self.words[at] not in self.table.cases:
            return False
        at += 1
        while at < segment.stop and (self.kinds[at] in (Word.MODIFIER, Word.SMALL)):
            at += 1
        if at < segment.stop and self.kinds[at] is Word.PREPOSITION:  # "die in diesem Gesetz vorgesehenen Gerichte"
            held = (one for one in range(at + 1, segment.stop - 1) if self.kinds[one] is Word.MODIFIER)
            return any(self.kinds[one - 1] is Word.NOUN and self.kinds[one + 1] is Word.NOUN for one in held)
        return at < segment.stop and self.kinds[at] is Word.NOUN

    def _has_infinitive(self, segment: range) -> bool:
        return any(
            self.words[at] == self.table.infinitive and self._ends_as_verb(at + 1, segment) for at in segment
        ) or (any(self.table.inner_infinitive.fullmatch(self.words[at]) is not None for at in segment))

    def _ends_as_verb(self, at: int, segment: range) -> bool:
        return at < segment.stop and self.kinds[at] in (Word.ACT, Word.SMALL) and self.words[at].endswith("n")

    def _is_complete(self, clause: Clause) -> bool:
        """Whether the verb of a clause that depends has been said."""
        last = clause.places[-1] if clause.places else 0
        return bool(clause.places) and self.kinds[last] in (Word.ACT, Word.VERB)

    def _above_waits(self, clause: Clause) -> bool:
        """Whether the clause above is an infinitive whose verb is still to come."""
        above = clause.above
        return above is not None and above.kind is Kind.SAID and not self.predicate(above)

    def _waits(self, clause: Clause) -> bool:
        """Whether a clause has a verb that needs another one, and not that."""
        return any(self.kinds[at] is Word.VERB for at in clause.places) and not self.predicate(clause)

    def is_adjective(self, at: int) -> bool:
        """Whether a word ends as adjectives and adverbs do."""
        return self.words[at].endswith(self.table.adjectives)

    def is_feminine(self, at: int) -> bool:
        """Whether a noun ends, in the singular or the plural, as feminine ones do."""
        return self.words[at].removesuffix("en").endswith(self.table.feminine)

    def predicate(self, clause: Clause) -> list[int]:
        """The places of what a clause says."""
        return [at for at in clause.places if self.kinds[at] is Word.ACT]

    def _divide_in_order(self) -> None:
        """French: a word opens a clause that depends; it ends at a comma, or where another verb follows its own."""
        main = current = self._open(Kind.MAIN, None)
        aside = False  # whether the clause opened behind a comma, which closes it alone
        for at, word in enumerate(self.words):
            if word in _BREAKS:
                main = current = self._open(Kind.MAIN, None)
                continue
            if self.kinds[at] is Word.MARK:
                while current is not main and self._has_verb(current):
                    current = current.above or main
                    if aside:
                        break
                continue
            gap = self.kinds[at] is Word.JOIN and at + 1 < len(self.words) and self.words[at + 1] in self.table.others
            after = at > 0 and self.words[at - 1] == "," and current is main
            if after and (gap or self._is_gapped(self._run(at), main)) and not self._has_verb_behind(at):
                main = current = self._open(Kind.MAIN, None)  # "..., et ceux de l'enlèvement à la charge de l'acheteur"
            if (kind := self._opens(at)) is not None:
                aside = at > 0 and self.kinds[at - 1] is Word.MARK and kind is Kind.RELATIVE
                sibling = kind is current.kind is Kind.CONDITION
                current = self._open(kind, current.above if sibling else current)
            elif current.kind is Kind.RELATIVE and self._has_verb(current) and self._ends_relative(at, main):
                ends = self.kinds[at - 1] in (Word.NOUN, Word.MODIFIER, Word.ACT)
                current = (current.above or main) if ends else current
            if current is main:
                main = current = self._joined_main(main, at)
            current.places.append(at)
            self.of[at] = current

    def _ends_relative(self, at: int, main: Clause) -> bool:
        """Whether a verb is the main clause's, which a relative clause stands in."""
        return self.words[at] in self.table.finite or (
            self.kinds[at] is Word.ACT
            and self.kinds[at - 1] in (Word.NOUN, Word.MODIFIER)
            and not self._has_verb(main)
            and not self.words[at].endswith((*self.table.participles, *self.table.infinitives))
        )

    def _has_verb_behind(self, at: int) -> bool:
        """Whether a finite verb follows before the next mark."""
        return any(self.words[one] in self.table.finite or self.kinds[one] is Word.ACT for one in self._run(at))

    def _run(self, at: int) -> range:
        """The places from one to the next mark."""
        ends = (one for one in range(at, len(self.words)) if self.kinds[one] is Word.MARK)
        return range(at, next(ends, len(self.words)))

    def _opens(self, at: int) -> Kind | None:
        """The kind of the clause that a word opens; None where it opens none."""
        word, table = self.words[at], self.table
        elided = word in table.elided and self.words[at + 1 : at + 2] and self.words[at + 1] in table.inverse
        if word in table.conditions or elided:
            return Kind.CONDITION
        asks = self.asks and (at == 0 or (at == 1 and self.words[0] in table.prepositions))
        if word not in table.relatives or asks:
            return None
        if word in table.contents:
            if self.words[at + 1 : at + 2] and self.words[at + 1] in table.prepositions:
                return None  # "ne peut que par testament"
            if at and (self.words[at - 1] in table.verbs or self.words[at - 1].endswith(table.infinitives)):
                return Kind.SAID
        return Kind.RELATIVE

    def _has_verb(self, clause: Clause) -> bool:
        return any(self.kinds[at] in (Word.VERB, Word.ACT) for at in clause.places)

    # --- roles -------------------------------------------------------------------------------------------------------

    def is_passive(self, clause: Clause) -> bool:
        """Whether what a clause says is done to its subject."""
        table = self.table
        predicate = self.predicate(clause)[-1:] if table.verb_last else self.predicate(clause)
        acts = [self.words[at] for at in predicate if not self.is_adjective(at)]
        words = [self.words[at] for at in clause.places]
        helped = not table.passives.isdisjoint(words) and any(one.endswith(table.participles) for one in acts)
        if table.infinitives and any(one.endswith(table.infinitives) for one in acts):
            return False  # "est tenu de payer"
        own = not table.to_be.isdisjoint(words) and any(table.inner_infinitive.fullmatch(one) for one in acts)
        if table.infinitive and not own and not table.to_be.isdisjoint(words) and table.infinitive in words:
            at = words.index(table.infinitive)
            own = words[at + 1 : at + 2] == acts[-1:]
        return helped or own

    def is_pronoun(self, at: int) -> bool:
        """Whether a word stands for a thing, and is no article."""
        following = self.kinds[at + 1] if at + 1 < len(self.kinds) else Word.MARK
        phrase = (Word.NOUN, Word.MODIFIER, *(() if self.table.nouns_by_capital else (Word.DETERMINER,)))
        article = self.kinds[at] is Word.DETERMINER and following in phrase
        # "Ceux de l'enlèvement" are others than those named.
        others = self.words[at] in self.table.others and following is Word.PREPOSITION
        return self.words[at] in self.table.pronouns and not article and not others

    def asks_manner(self) -> bool:
        """Whether a question asks how something is done: "wie wird", and not "wie lange"."""
        how = self.words[:1] and self.words[0] in self.table.how
        measured = self.language.questions.asking.match(" ".join(self.words[:2])) is not None
        return bool(how) and not measured

    def is_copular(self, clause: Clause) -> bool:
        """Whether a clause says with a noun what its subject is."""
        words = (self.words[at] for at in clause.places)
        return not self.predicate(clause) and not self.table.to_be.isdisjoint(words)

    def start(self, at: int) -> int:
        """Where the phrase of a noun or of what modifies one begins, with its article and preposition."""
        while at and self.kinds[at - 1] in (Word.MODIFIER, Word.NOUN) and self._same_phrase(at):
            at -= 1
        at -= at > 0 and self.kinds[at - 1] is Word.DETERMINER
        while at and not self.table.nouns_by_capital and self.kinds[at - 1] is Word.DETERMINER:
            at -= 1  # "tous les"
        at -= at > 0 and self.kinds[at - 1] is Word.PREPOSITION
        if self.table.nouns_by_capital and self.kinds[at] in (Word.NOUN, Word.MODIFIER):
            return self._outer(at)
        return at

    def _outer(self, at: int) -> int:
        """Where a phrase begins whose article stands before another one: "der vom Gericht Ausgewählte"."""
        within = (Word.NOUN, Word.MODIFIER, Word.DETERMINER, Word.JOIN)
        back = at - 1
        while back > 0 and self.kinds[back] in within:
            back -= 1
        inner = back > 0 and back < at - 1 and self.kinds[back] is Word.PREPOSITION
        return back - 1 if inner and self.kinds[back - 1] is Word.DETERMINER else at

    def _same_phrase(self, at: int) -> bool:
        if self.table.nouns_by_capital:  # one noun a phrase; after it a genitive begins another
            return self.kinds[at - 1] is Word.MODIFIER
        return self.kinds[at] in (Word.MODIFIER, Word.NOUN)

    def case(self, at: int) -> str:
        """The cases that a phrase may have: N, G, D, A; `P` behind a preposition."""
        start = self.start(at)
        if self.kinds[start] is Word.PREPOSITION:
            return "P"
        previous = self.words[start - 1] if start else "."
        if start and self.kinds[start] is not Word.DETERMINER and previous in self.table.joins:
            earlier = next((one for one in range(start - 2, -1, -1) if self.kinds[one] is Word.NOUN), None)
            if earlier is not None and self.of[earlier] is self.of[at]:
                return self.case(earlier)
        if self.kinds[start] is not Word.DETERMINER:
            return self.table.bare
        cases = self.table.cases[self.words[start]]
        head = next((one for one in range(at, len(self.words)) if self.kinds[one] is Word.NOUN), at)
        first = self.words[start + 1]  # "ein rechtsfähiger Verein"
        if "1" in cases and not self.words[start].endswith(("s", "e")) and first.endswith(self.table.agentive):
            return "N"
        if self.words[head].endswith(self.table.feminine) and "D" in cases:
            cases = cases.replace("N", "")
        after_noun = start > 0 and self.kinds[start - 1] is Word.NOUN and self.table.nouns_by_capital
        return "G" if after_noun and "G" in cases else cases

    def only_denies(self, meets: Callable[[str], bool]) -> bool:
        """Whether a thing is named, and only behind a preposition that denies it: "ohne Zahlung"."""
        places = [at for at, stem in enumerate(self.stems) if self.kinds[at] is Word.NOUN and meets(stem)]
        negations = (read_in(self.language.code, self.words[self.start(at)]).sequence(Read.NEGATION) for at in places)
        return bool(places) and all(map(self.is_led, places)) and all(negations)

    def is_led(self, at: int) -> bool:
        """Whether a noun stands behind a preposition."""
        return self.kinds[at] is Word.NOUN and self.kinds[self.start(at)] is Word.PREPOSITION

    def owner(self, at: int) -> int:
        """The noun that a genitive belongs to; -1 where a phrase is none."""
        if self.kinds[at] not in (Word.NOUN, Word.MODIFIER):
            return -1
        start = self.start(at)
        genitive = self.case(at) == "G" if self.table.nouns_by_capital else self.words[start] in self.table.genitive
        if not start or not genitive or self.kinds[start - 1] not in (Word.NOUN, Word.MODIFIER):
            return -1
        return self.start_of_noun(start - 1)

    def behind(self, at: int) -> list[int]:
        """The nouns of the phrases behind a noun that name who acts: those of an agent, and of the first genitive."""
        found: list[int] = []
        for place in range(at + 1, len(self.words)):
            if self.kinds[place] in (Word.MARK, Word.VERB, Word.ACT, Word.JOIN):
                break
            start = self.start(place)
            agent = self.words[start] in self.table.agents
            if self.kinds[place] is Word.NOUN and (agent or (not found and self.owner(place) == at)):
                found.append(place)
        return found

    def start_of_noun(self, at: int) -> int:
        """The noun of the phrase that a place is in: in French it comes first."""
        start = self.start(at)
        nouns = (one for one in range(start, at + 1) if self.kinds[one] is Word.NOUN)
        return next(nouns, at)

    def roles(self, clause: Clause) -> dict[int, Role]:
        """The roles of the places of a clause's phrases."""
        return self._by_case(clause) if self.table.nouns_by_capital else self._by_order(clause)

    def _by_case(self, clause: Clause) -> dict[int, Role]:
        places = [at for at in clause.places if self.kinds[at] in (Word.NOUN, Word.MODIFIER)]
        cases = {at: self.case(at) for at in places}
        starts = {at: self.start(at) for at in places}
        passive = self.is_passive(clause)
        subject = Role.OBJECT if passive else Role.ACTOR
        spoken = any(self.words[at] in self.table.subjects for at in clause.places)
        spoken |= clause.kind is Kind.SAID and not any(self.kinds[at] is Word.VERB for at in clause.places)
        verb = self._finite(clause) if clause.kind is Kind.MAIN else -1
        either = [at for at in clause.places if self.words[at] in self.table.either]
        spoken |= bool(either) and either[0] < verb
        lead = self.table.cases.get(self._pronoun(clause), "")
        spoken |= "N" in lead and "A" not in lead
        strong = {starts[at] for at in places if "N" in cases[at] and "A" not in cases[at]}
        strong |= {at for at in clause.places if self._stands_alone(at, clause)}
        # "Die Änderung bedarf der Form": of two the second is another case, but in "der Käufer die Ware, der Bote ..."
        strong -= {at for at in sorted(strong)[1:] if self.kinds[at - 1] not in (Word.MARK, Word.JOIN)}
        weak = {starts[at]: at for at in places if "N" in cases[at] and "A" in cases[at] and self._is_thing(at)}
        may = [] if strong or spoken else self._agreeing(clause, weak)
        front = bool(may) and may[0] < verb
        # Before the verb both subject and object may stand, and behind it the subject comes before anything else.
        next_ = may[1:2] if front and Word.NOUN not in self.kinds[verb : (may[1:2] or [verb])[0]] else []
        bare = [at for at in next_ if self.kinds[at] is Word.DETERMINER or self._is_plural(verb)]
        open_ = set(may) if bare or (front and either) or "NA" in lead else set[int]()
        actors = strong or set(may[:1])
        found: dict[int, Role] = {}
        for at in places:
            case = cases[at]
            if "N" in case and self.is_copular(clause):
                found[at] = Role.ACTOR
            elif case == "P":
                agent = passive and self.words[starts[at]] in self.table.agents
                receiver = self._is_towards(starts[at])
                found[at] = Role.ACTOR if agent else Role.RECEIVER if receiver else Role.BESIDE
            elif case == "G":
                found[at] = Role.BESIDE
            elif starts[at] in open_:
                found[at] = Role.OPEN
            elif starts[at] in actors or (self._joined(starts[at]) in actors and "N" in case):
                found[at] = subject if len(actors) == 1 else Role.OPEN
            elif "A" in case:
                found[at] = Role.OBJECT if not (passive and "N" in case) else subject
            else:
                found[at] = Role.RECEIVER if "D" in case else Role.OPEN
        return found

    def _pronoun(self, clause: Clause) -> str:
        """The relative pronoun that opens a clause, where no preposition stands before it; else empty."""
        opens = (at for at in clause.places if self.kinds[at] is not Word.JOIN)
        at = next(opens, -1) if clause.kind is Kind.RELATIVE else -1
        plain = at > 0 and (self.table.verb_last or self.kinds[at - 1] is not Word.PREPOSITION)
        return self.words[at] if plain and self.words[at] in self.table.relatives else ""

    def role_of_pronoun(self, clause: Clause) -> Role:
        """What a relative pronoun is to the act of its clause; OPEN where it cannot be told."""
        word, found = self._pronoun(clause), set(self.roles(clause).values())
        subject = Role.OBJECT if self.is_passive(clause) else Role.ACTOR
        cases = self.table.cases.get(word, "")
        if not word or Role.OPEN in found:
            return Role.OPEN
        if not self.table.nouns_by_capital:
            first = subject if word in self.table.who else Role.OPEN
            return Role.OBJECT if word in self.table.contents else first
        if "N" not in cases:
            return Role.OBJECT if "A" in cases else Role.RECEIVER if "D" in cases else Role.OPEN
        spoken = subject in found or not self.table.subjects.isdisjoint(self.words[at] for at in clause.places)
        return Role.OBJECT if spoken and "A" in cases else subject

    def is_oblique(self, clause: Clause, word: str) -> bool:
        """Whether a word opens a relative clause and can be neither its subject nor its object: "dont"."""
        direct = self.table.who | self.table.contents | self.table.cases.keys()
        return word in self.table.relatives - direct and word == self.words[clause.places[0]]

    def antecedents(self, clause: Clause) -> frozenset[str]:
        """The stems of the nouns before a relative clause that it may be about; of one only where articles tell."""
        first = clause.places[0]
        above = clause.above.places if clause.above is not None else []
        if not self.table.nouns_by_capital:
            back = first
            while back and self.kinds[back - 1] in (
                Word.NOUN,
                Word.MODIFIER,
                Word.DETERMINER,
                Word.PREPOSITION,
                Word.MARK,
            ):
                back -= 1
            return frozenset(self.stems[at] for at in range(back, first) if self.kinds[at] is Word.NOUN)
        if self.kinds[first - 2] is Word.DETERMINER or self.is_pronoun(first - 2):
            return frozenset()  # "jeder, der"
        for at in reversed(above):
            if at < first and self.kinds[at] is Word.NOUN and self._may_be(at, self._pronoun(clause)):
                return frozenset({self.stems[at]})
        return frozenset()

    def _may_be(self, at: int, pronoun: str) -> bool:
        """Whether a pronoun may be about a noun: both end alike, or as another case of the same gender does."""
        articles = (one for one in range(self.start(at), at) if self.kinds[one] is Word.DETERMINER)
        word = next((self.words[one] for one in articles), "")
        return not word or not pronoun or word[-1] not in _APART.get(pronoun[-1], "")

    def actors(self) -> list[int]:
        """The nouns that name who acts."""
        found = (at for clause in self.clauses for at, role in self.roles(clause).items() if role is Role.ACTOR)
        return [at for at in found if self.kinds[at] is Word.NOUN]

    def gender(self, at: int) -> str:
        """The ending of the article of one thing, which tells its gender; empty where it may be of several things."""
        start, clause = self.start(at), self.of[at]
        cases = self.table.cases.get(self.words[start], "")
        if clause is None or not self.table.nouns_by_capital or "A" not in cases:
            return "r" if clause is not None and cases and "N" in self.case(at) else ""
        verb = self._finite(clause)
        actor = verb >= 0 and not self._is_plural(verb) and self.roles(clause).get(at) is Role.ACTOR
        ending = self.words[start][-1]
        return ending if ending in "es" and (actor or self._count(start, at) == "1") else ""

    def _stands_alone(self, at: int, clause: Clause) -> bool:
        """Whether an article that can only be a subject's stands for one by itself: "derjenige, welcher"."""
        cases = self.table.cases.get(self.words[at], "")
        follows = self.kinds[at + 1] if at + 1 < len(self.kinds) else Word.MARK
        phrase = follows in (Word.NOUN, Word.MODIFIER, Word.DETERMINER, Word.ACT)
        leads = clause.kind is Kind.RELATIVE and at == clause.places[0]
        return "N" in cases and "A" not in cases and not phrase and not leads

    def _is_thing(self, at: int) -> bool:
        """Whether a noun names no measure, which stands in the accusative beside the act: "einen Monat"."""
        return self.words[at] not in self.units

    def _agreeing(self, clause: Clause, phrases: Mapping[int, int]) -> list[int]:
        """Where the phrases begin that agree in number with the finite verb; of those that are joined the first."""
        verb = self._finite(clause)
        joined = {start for start in phrases if self._joined(start) in phrases}
        many = {self._joined(start) for start in joined if self.words[start - 1] in self.table.adding}
        found: list[int] = []
        for start, head in phrases.items():
            count = "2" if start in many else self._count(start, head)
            if start not in joined and (not count or verb < 0 or (count == "2") == self._is_plural(verb)):
                found.append(start)
        return found

    def _finite(self, clause: Clause) -> int:
        """The place of the finite verb of a clause: the last verb of one that depends; -1 where it has none."""
        verbs = [at for at in clause.places if self.kinds[at] is Word.VERB] or [
            at for at in self.predicate(clause) if self.words[at].endswith(("t", *self.table.plural))
        ]
        first = clause.kind is Kind.MAIN or verbs[:1] == clause.places[:1]
        return (verbs[0] if first else verbs[-1]) if verbs else -1

    def _is_plural(self, at: int) -> bool:
        return self.words[at].endswith(self.table.plural)

    def _count(self, start: int, head: int) -> str:
        """1 or 2 where an article, an adjective behind it or a noun's ending tells one thing or several; else empty."""
        word = self.words[start]
        if self.kinds[start] is not Word.DETERMINER:
            described = (one for one in self.clauses if one.kind is Kind.RELATIVE and one.places[0] == head + 2)
            many = any(self._pronoun(one) and self._is_plural(self._finite(one)) for one in described)
            return "2" if many else ""  # "Mieter, die stören"
        told = "".join(one for one in self.table.cases[word] if one.isdigit())
        adjectives = [self.words[at] for at in range(start + 1, head) if self.kinds[at] is Word.MODIFIER]
        if told or adjectives:
            return told or ("2" if adjectives[-1].endswith(self.table.plural) else "1")
        noun = self.words[head]
        return "2" if noun.endswith(self.table.plural) else "" if noun.endswith(self.table.uncounted) else "1"

    def _is_towards(self, start: int) -> bool:
        """Whether a phrase says to whom with a preposition and the accusative: "zahlt an den Verpächter"."""
        article = self.words[start + 1] if start + 1 < len(self.words) else ""
        return self.words[start] in self.table.receivers and "A" in self.table.cases.get(article, "")

    def _joined(self, start: int) -> int:
        """Where the phrase begins that a conjunction joins to the one that begins at a place; else -1."""
        if start < 2 or self.words[start - 1] not in self.table.joins:
            return -1
        return self.start(start - 2) if self.kinds[start - 2] is Word.NOUN else -1

    def _by_order(self, clause: Clause) -> dict[int, Role]:
        table = self.table
        places = [at for at in clause.places if self.kinds[at] in (Word.NOUN, Word.MODIFIER)]
        verb = next((at for at in clause.places if self.kinds[at] in (Word.VERB, Word.ACT)), len(self.words))
        passive = self.is_passive(clause)
        bare = [at for at in places if self.kinds[self.start(at)] is not Word.PREPOSITION]
        before = any(at < verb for at in bare)
        spoken = any(self.words[at] in table.subjects for at in clause.places) or clause.kind is Kind.RELATIVE
        found: dict[int, Role] = {}
        # "Dressés par l'architecte et approuvés par la commune": which act is whose is open.
        agents = {self.start(at) for at in places} & {at for at in clause.places if self.words[at] in table.agents}
        several = passive and len(agents) > 1 and len(self.predicate(clause)) > 1
        for at in places:
            start = self.start(at)
            if several and start in agents:
                found[at] = Role.OPEN
            elif self.kinds[start] is Word.PREPOSITION:
                agent = passive and self.words[start] in table.agents
                receiver = self.words[start] in table.receivers
                found[at] = Role.ACTOR if agent else Role.RECEIVER if receiver else Role.BESIDE
            elif passive:
                found[at] = Role.OBJECT
            elif self.is_copular(clause) or at < verb or (not before and not spoken):
                found[at] = Role.ACTOR
            else:
                found[at] = Role.OBJECT
        return found


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing that a question asks about: where it stands in the question, and whether a stem of a sentence is it.

    Attributes:
        party: whether a stem is it as somebody who acts or to whom something is done.
    """

    at: int
    meets: Callable[[str], bool]
    party: Callable[[str], bool]


def says(question: Reading, things: Sequence[Thing], sentence: Reading, before: AbstractSet[str] = frozenset()) -> bool:
    """Whether a sentence states what a question asks: its acts, each with the same things in the same roles.

    Args:
        things: what the question asks about, all of which the sentence has somewhere.
        before: stems of the sentences that the sentence's nouns take up.
    """
    question = _with_capitals(question, sentence)
    again = [
        Thing(at, thing.meets, thing.party)  # "the tenant ... if the tenant": a thing that is named twice has two roles
        for thing in things
        for at, stem in enumerate(question.stems)
        if at != thing.at and stem == question.stems[thing.at] and question.kinds[at] in _CONTENT
    ]
    if any(question.only_denies(thing.meets) < sentence.only_denies(thing.meets) for thing in things):
        return False
    for clause in question.clauses:
        own = [thing for thing in (*things, *again) if question.of[thing.at] is clause]
        if own and not _Match(question, clause, own, sentence, before).found():
            return False
    return True


def _with_capitals(question: Reading, sentence: Reading) -> Reading:
    """A question that was typed in small letters, with the capitals of the sentence's nouns behind articles."""
    table = question.table
    if not table.nouns_by_capital or any(word[:1].isupper() for word in question.raw[1:]):
        return question
    nouns = {stem for at, stem in enumerate(sentence.stems) if sentence.kinds[at] is Word.NOUN}
    words: list[str] = []
    for at, word in enumerate(question.raw):
        before = question.words[max(at - 1, 0)]
        leads = (
            before in table.cases or before in table.prepositions | table.joins or before.endswith(table.inflections)
        )
        words.append(word.capitalize() if at and leads and question.stems[at] in nouns else word)
    return Reading(" ".join(words), question.language, table)


def _met(reading: Reading, at: int) -> Callable[[Thing], bool]:
    return lambda thing: thing.meets(reading.stems[at])


@dataclass(frozen=True, slots=True)
class _Match:
    """One clause of a question and the sentence that may say it."""

    question: Reading
    asked: Clause
    things: Sequence[Thing]
    sentence: Reading
    before: AbstractSet[str]

    def found(self) -> bool:
        """Whether a clause of the sentence says it."""
        clauses = self.sentence.clauses
        if self.asked.states():
            clauses = [one for one in clauses if one.states()]
        else:
            clauses = [one for one in clauses if any(self._acts(thing, one) for thing in self._asked_acts())]
            if self.asked.kind is Kind.RELATIVE:
                return self._describes(clauses)
            if not clauses:  # a condition in other words
                return self._is_readable() and self._is_of_actor()
        return any(self._is_said(one) or self._is_named(one) for one in clauses)

    def _describes(self, clauses: Sequence[Clause]) -> bool:
        """Whether a sentence describes a thing as a question's relative clause does; `clauses` have its act.

        What only describes in the question is not stated in the sentence: who refuses somebody that refuses shelter
        does not refuse shelter. Where the act is no predicate, the things stand beside what the sentence states.
        """
        question, sentence = self.question, self.sentence
        if not clauses:
            stated = [(one, sentence.roles(one)) for one in sentence.clauses if one.states()]
            nouns = [thing for thing in self.things if self._is_noun(thing)]
            return all(
                any(roles.get(at, Role.BESIDE) is Role.BESIDE for at in map(int, one.places) if self._is(thing, at))
                or not any(self._is(thing, at) for at in one.places)
                for thing in nouns
                for one, roles in stated
            )
        role, about = question.role_of_pronoun(self.asked), question.antecedents(self.asked)
        for one in clauses:
            if one.states() or not self._is_said(one):
                continue
            found = sentence.roles(one)
            same = sentence.role_of_pronoun(one) is role and (
                role is not Role.OPEN or question.is_oblique(self.asked, sentence.words[one.places[0]])
            )
            if not about or (one.kind is Kind.RELATIVE and same and not about.isdisjoint(sentence.antecedents(one))):
                return True
            if any(found[at] is role and sentence.stems[at] in about for at in found):
                return True
        return False

    def _is_readable(self) -> bool:
        """Whether a clause of the question has a verb that was found."""
        return any(self.question.kinds[at] in (Word.VERB, Word.ACT) for at in self.asked.places)

    def _is_of_actor(self) -> bool:
        """Whether a noun that names the act has nobody else as its actor: "nach Kündigung durch den Vermieter"."""
        sentence, roles = self.sentence, self.question.roles(self.asked)
        actors = [thing for thing in self.things if roles.get(thing.at) is Role.ACTOR]
        names = [
            at
            for at in range(len(sentence.kinds))
            if sentence.kinds[at] is Word.NOUN and any(map(_met(sentence, at), self._asked_acts()))
        ]
        behind = [at for name in names for at in sentence.behind(name)]
        return not (actors and names) or any(thing.meets(sentence.stems[at]) for thing in actors for at in behind)

    def _asked_acts(self) -> list[Thing]:
        return [thing for thing in self.things if self.question.kinds[thing.at] is Word.ACT]

    def _acts(self, thing: Thing, clause: Clause) -> bool:
        kinds, stems = self.sentence.kinds, self.sentence.stems
        return any(kinds[at] is Word.ACT and thing.meets(stems[at]) for at in clause.places)

    def _is_said(self, clause: Clause) -> bool:
        """Whether a clause has the acts of the question, and its things in their roles."""
        if not all(self._acts(thing, clause) for thing in self._asked_acts()):
            return False
        sentence = self.sentence
        if self._is_of_another(clause):
            return False
        asked, found = self.question.roles(self.asked), sentence.roles(clause)
        joined = clause.above if clause.kind is Kind.MAIN else None
        spoken = [*clause.places, *(joined.places if joined is not None else ())]
        subject = Role.OBJECT if sentence.is_passive(clause) else Role.ACTOR
        told = 0 if self.question.is_copular(self.asked) else sum(map(sentence.is_pronoun, spoken))
        above = (
            sentence.roles(clause.above) if clause.kind in (Kind.SAID, Kind.MAIN) and clause.above is not None else {}
        )
        for thing in self.things:
            role = asked.get(thing.at, Role.BESIDE)
            own = [at for at in found if self._is(thing, at)]
            if role in (Role.ACTOR, Role.RECEIVER):
                own = [at for at in own if thing.party(sentence.stems[at])]
            if role is Role.BESIDE:
                if not self._is_beside_same(thing, asked, found, clause):
                    return False
            elif not own and role is subject and self._is_noun(thing) and subject in found.values():
                return False
            elif not own and role is Role.ACTOR and above:
                if not any(above[at] is role and self._is(thing, at) for at in above):
                    return False
            elif own:
                if role is Role.OPEN or all(found[at] is not role for at in own):
                    return False
            elif not any(map(thing.meets, self.before)):
                told -= self._is_noun(thing)  # each pronoun stands for one thing
                if told < 0 or not self._stands_for(thing, role, clause, spoken):
                    return False
        if self._is_more(clause) or self._is_swapped(asked, found) or not self._has_same_actor(asked, found):
            return False
        # "Hat", "bekommt": what the question leaves to a word that says nothing, the sentence may not say with another.
        words = {self.question.words[at] for at in self.asked.places}
        free = self._asked_acts() or words & sentence.table.linking or self.asked.kind is not Kind.MAIN
        acts = (at for at in sentence.predicate(clause) if not sentence.is_adjective(at))
        if not free and any(sentence.words[at] not in words for at in acts):
            return False
        if self.asked.kind is Kind.MAIN and self.question.asks_manner() and not self._has_manner(clause):
            return False
        who = self.question.words[:1] and self.question.words[0] in self.question.table.who
        passive = who and self.asked.kind is Kind.MAIN and sentence.is_passive(clause)
        return not passive or Role.ACTOR in found.values()

    def _is_of_another(self, clause: Clause) -> bool:
        """Whether the act is what somebody is made or allowed to do: "peut autoriser l'époux à vendre"."""
        sentence, own = self.sentence, self._asked_acts()
        acts = sentence.predicate(clause)
        met = [at for at in acts if any(map(_met(sentence, at), own))]
        led = bool(met) and sentence.words[met[0] - 1] in sentence.table.before_infinitive
        above = [at for at in acts if met and at < met[0] and sentence.words[at].endswith(sentence.table.infinitives)]
        return led and any(sentence.kinds[at] is Word.NOUN for at in range(above[-1] if above else met[0], met[0]))

    def _stands_for(self, thing: Thing, role: Role, clause: Clause, spoken: Sequence[int]) -> bool:
        """Whether a pronoun of a clause may stand for a thing that another clause names, and not only beside another.

        Who acts is the subject there, where the act is done to nobody else, and not that where a pronoun says "the
        latter".
        """
        sentence = self.sentence
        latter = not sentence.table.latter.isdisjoint(sentence.words[at] for at in spoken)
        if not self._is_noun(thing):
            return any(map(thing.meets, sentence.stems))
        for one in sentence.clauses:
            roles = sentence.roles(one) if one is not clause else dict[int, Role]()
            own = [roles[at] for at in roles if self._is(thing, at)]
            subject = Role.OBJECT if sentence.is_passive(one) else Role.ACTOR
            actor = any((found is subject) != latter for found in own) and (
                latter or Role.RECEIVER not in roles.values()
            )
            if actor if role is Role.ACTOR else any(found is not Role.BESIDE for found in own):
                return True
        return False

    def _is_more(self, clause: Clause) -> bool:
        """Whether a clause says what something is made, which makes another act of it: "ernennt zum Stellvertreter"."""
        sentence = self.sentence
        acts = {at for at in sentence.predicate(clause) if any(map(_met(sentence, at), self._asked_acts()))}
        for at in clause.places:
            if sentence.words[at] in sentence.table.becoming and at + 1 < len(sentence.kinds):
                head = next((one for one in range(at, len(sentence.kinds)) if sentence.kinds[one] is Word.NOUN), None)
                beside = head is not None and (head + 1 in acts or sentence.kinds[head + 1 : head + 2] == [Word.MARK])
                if acts and beside and head is not None and not any(map(_met(sentence, head), self.things)):
                    return True
        return False

    def _has_manner(self, clause: Clause) -> bool:
        """Whether a clause tells how, in words that the question does not have."""
        sentence = self.sentence
        told = [at for at in clause.places if not any(thing.meets(sentence.stems[at]) for thing in self.things)]
        return any(
            sentence.words[at] in sentence.table.manner
            or (sentence.kinds[at] is Word.ACT and sentence.is_adjective(at))
            for at in told
        )

    def _is_named(self, clause: Clause) -> bool:
        """Whether a noun of a clause names the act, and what it is done to follows it: "hat Anzeige zu machen"."""
        acts = self._asked_acts()
        sentence = self.sentence
        found = sentence.roles(clause)
        how = self.asked.kind is Kind.MAIN and self.question.asks_manner()
        needed = how and not sentence.table.needed.isdisjoint(sentence.words[at] for at in clause.places)
        named = {at for at in found if sentence.kinds[at] is Word.NOUN and any(map(_met(sentence, at), acts))}
        # "Zur Übertragung ist die Einigung erforderlich": how it is done.
        led = {at for at in named if needed and sentence.words[sentence.start(at)] in sentence.table.becoming}
        names = [at for at in named if at in led or found[at] in (Role.ACTOR, Role.OBJECT)]
        if how and not led and not self._has_manner(clause):
            return False
        # "Kann die Befriedigung verweigern": what is done with the act that the noun names is another one.
        other = [at for at in sentence.predicate(clause) if not sentence.is_adjective(at)]
        if other and (sentence.table.to_be | sentence.table.passives).isdisjoint(
            sentence.words[at] for at in clause.places
        ):
            return False
        if len([one for one in acts if not self.question.is_adjective(one.at)]) != 1 or not names:
            return False
        asked = self.question.roles(self.asked)
        for thing in self.things:
            role = asked.get(thing.at, Role.BESIDE)
            own = [at for at in found if thing.meets(sentence.stems[at])]
            if role is Role.ACTOR and not any(found[at] is role and at not in names for at in own):
                return False
            if role in (Role.RECEIVER, Role.OPEN) and not any(found[at] is role for at in own):
                return False
            follows = any(found[at] is Role.BESIDE for at in own) or any(map(thing.meets, self.before))
            if role is Role.OBJECT and not follows:
                return False
        return True

    def _has_same_actor(self, asked: Mapping[int, Role], found: Mapping[int, Role]) -> bool:
        """Whether who acts in a condition is who acts in the question, where a pronoun says so: "s'il refuse"."""
        question = self.question
        pronouns = question.table.pronouns & (question.table.subjects | question.table.either)
        taken_up = not pronouns.isdisjoint(question.words[at] for at in self.asked.places)
        if self.asked.kind is not Kind.CONDITION or not taken_up or Role.ACTOR in asked.values():
            return True
        actors = [at for at in found if found[at] is Role.ACTOR and self.sentence.kinds[at] is Word.NOUN]
        stems = {
            question.stems[at]
            for clause in question.clauses
            for at, role in (question.roles(clause) if clause.kind is Kind.MAIN else {}).items()
            if role is Role.ACTOR
        }
        return not actors or not stems or any(self.sentence.stems[at] in stems for at in actors)

    def _is_swapped(self, asked: Mapping[int, Role], found: Mapping[int, Role]) -> bool:
        """Whether two things have each other's preposition: "das Eigentum an dem Boot geht auf die Ware über"."""
        question, sentence = self.question, self.sentence
        led = [(one, question.words[question.start(one.at)]) for one in self.things if question.is_led(one.at)]
        said = [
            {sentence.words[sentence.start(at)] for at in found if self._is(one, at) and sentence.is_led(at)}
            for one, _ in led
        ]
        pairs = list(zip((word for _, word in led), said, strict=True))
        return any(
            mine in theirs_said and theirs in mine_said and mine not in mine_said and theirs not in theirs_said
            for at, (mine, mine_said) in enumerate(pairs)
            for theirs, theirs_said in pairs[at + 1 :]
        )

    def _is_beside_same(
        self, thing: Thing, asked: Mapping[int, Role], found: Mapping[int, Role], clause: Clause
    ) -> bool:
        """Whether what belongs to a noun of the question does not belong to another one alone: "officier de police"."""
        if self.question.kinds[thing.at] is Word.MODIFIER:
            return True
        head = self.question.owner(thing.at)
        same = next((one for one in self.things if one.at == head), None)
        places = [at for at, stem in enumerate(self.sentence.stems) if thing.meets(stem)]
        if places and self._is_noun(thing):  # "Er haftet für den Hof, und sie haftet für das Vieh"
            places = [at for at in places if self._is_within(at, clause)]
            if not places:
                return False
        own = [found[at] for at in places if at in found]
        if self.question.is_led(thing.at) and set(own) == {Role.ACTOR}:
            return False
        owners = [self.sentence.owner(at) for at in places]
        if head < 0 or not owners:
            return True
        role = asked.get(head, Role.BESIDE)
        meets = same.meets if same is not None else self.question.stems[head].__eq__
        return any(
            (one < 0 and found.get(at) in (Role.BESIDE, Role.RECEIVER))
            or (one >= 0 and meets(self.sentence.stems[one]) and (role is Role.BESIDE or found.get(one, role) is role))
            for at, one in zip(places, owners, strict=True)
        )

    def _is_within(self, at: int, clause: Clause) -> bool:
        """Whether a place is in a main clause, in one that it goes on with, or below it."""
        one = self.sentence.of[at]
        while one is not None and one.kind is not Kind.MAIN:
            one = one.above
        main: Clause | None = clause
        while main is not None and main.kind is not Kind.MAIN:
            main = main.above
        return one is None or one is main or (main is not None and one is main.above)

    def _is_noun(self, thing: Thing) -> bool:
        return self.question.kinds[thing.at] is Word.NOUN

    def _is(self, thing: Thing, at: int) -> bool:
        """Whether a word of the sentence is a thing of the question; in German a noun is compared with a noun."""
        question, sentence = self.question, self.sentence
        if not thing.meets(sentence.stems[at]):
            return False
        if not question.table.nouns_by_capital or question.kinds[thing.at] is not Word.NOUN:
            return True
        # "Gesellschaft" and "Gesellschafter" have one stem, and "Miete" and "Mieter".
        one = question.stems[thing.at] == sentence.stems[at]
        apart = one and question.is_feminine(thing.at) != sentence.is_feminine(at)
        genders = {question.gender(thing.at), sentence.gender(at)} - {""} if one else set[str]()
        return sentence.kinds[at] is Word.NOUN and not apart and len(genders) < 2
