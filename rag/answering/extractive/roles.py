"""What each phrase of a clause is to its act: actor, what the act is done to, to whom, or beside them. Pure.

`says.py` compares these of a question and a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from enum import Enum

from rag.answering.extractive.clause_reading import Clause, ClauseReading, Kind, Word
from rag.languages.base import Kind as Read
from rag.languages.operators import read_in

# Letters that the article of a noun ends with, to which no relative pronoun that ends with the other refers.
_APART = {"r": "es", "n": "es", "e": "sm", "s": "er", "m": "e"}


class Role(Enum):
    """What a phrase is to the act of its clause."""

    ACTOR = "actor"
    OBJECT = "object"
    RECEIVER = "receiver"
    BESIDE = "beside"  # behind a preposition, or a genitive
    OPEN = "open"  # it cannot be told


class Reading(ClauseReading):
    """A text with the roles of its phrases."""

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
        agents = self._open_agents(clause, set(starts.values()))
        found: dict[int, Role] = {}
        for at in places:
            case = cases[at]
            if "N" in case and self.is_copular(clause):
                found[at] = Role.ACTOR
            elif case == "P":
                agent = passive and self.words[starts[at]] in self.table.agents
                receiver = self._is_towards(starts[at])
                found[at] = (
                    Role.OPEN
                    if starts[at] in agents
                    else Role.ACTOR
                    if agent
                    else Role.RECEIVER
                    if receiver
                    else Role.BESIDE
                )
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

    def _open_agents(self, clause: Clause, starts: AbstractSet[int]) -> frozenset[int]:
        """Where phrases begin that name who does one of several acts, where each is somebody else's.

        "Kann von dem Eigner widerrufen, von dem Pächter gekündigt werden": which act is whose is open.
        """
        agents = frozenset(at for at in starts if self.words[at] in self.table.agents)
        several = self.is_passive(clause) and len(agents) > 1 and len(self.predicate(clause)) > 1
        return agents if several else frozenset()

    def _by_order(self, clause: Clause) -> dict[int, Role]:
        table = self.table
        places = [at for at in clause.places if self.kinds[at] in (Word.NOUN, Word.MODIFIER)]
        verb = next((at for at in clause.places if self.kinds[at] in (Word.VERB, Word.ACT)), len(self.words))
        passive = self.is_passive(clause)
        bare = [at for at in places if self.kinds[self.start(at)] is not Word.PREPOSITION]
        before = any(at < verb for at in bare)
        spoken = any(self.words[at] in table.subjects for at in clause.places) or clause.kind is Kind.RELATIVE
        found: dict[int, Role] = {}
        open_ = self._open_agents(clause, {self.start(at) for at in places})
        for at in places:
            start = self.start(at)
            if start in open_:
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
