"""Whether one sentence of the law says what a question asks: all of its matter, of the same actor, with a figure of the
kind asked for. Pure.

Words that a sentence shares with a question say what both are about, and not who does what. Both are read here as far
as it takes to compare that: a question by the words after its auxiliary verb ("Must the tenant pay ..."), a sentence by
the finite verb that governs the act, and the subject before that verb. In languages whose tables have no auxiliaries
the words before a noun tell at most that it is no subject.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from itertools import islice, pairwise, takewhile

from rag.answering.extractive.clause_reading import MARKS, TOKEN, segments_of
from rag.answering.extractive.kinds import not_given, wants_of
from rag.answering.extractive.matter import LEAST, MEANS, Need, asked_about, stands_for
from rag.answering.extractive.roles import Reading
from rag.answering.extractive.says import Thing, says
from rag.languages.base import Kind, Language, PartWords, Want
from rag.languages.operators import read_in
from rag.languages.registry import language_of
from rag.languages.sentences import split_sentences
from rag.languages.stems import WORD, families, family, stems_of
from rag.verification.refuters import Quantity, read_lines
from retrieval.entry_points.synonyms import SynonymHit

_ENDS = frozenset(".;")
MATTER = "no one sentence has all words that tell what the question is about"
_FIGURE = "no sentence that has the words of the question gives a figure of the kind that is asked for or named"
_ACT = "a sentence has all words of the question, but whether it is about the same person doing the same thing is open"
LACKS = ("", _ACT, _FIGURE, MATTER)
_MOST_READ = 4_000  # characters of a sentence in which it can be told who does what
_NO_DUTY = frozenset({"PERMISSION", "PROHIBITION", "ABILITY", "POSSIBILITY"})
_MOST_SUBJECT = 6  # things that a question's subject names


@dataclass(frozen=True, slots=True)
class _Put:
    """One way to read how a question is put.

    Attributes:
        actor: what may be named by its subject, then its act, with the places in the question; at least one.
        named: whether the first of `actor` is its subject; else a pronoun is, or the question asks who it is.
        pronoun: whether it is a pronoun.
        passive: whether the act is done to the subject.
    """

    actor: tuple[tuple[int, Need], ...]
    named: bool
    pronoun: bool
    passive: bool
    who: bool = False  # whether it asks who acts: the act comes first
    light: frozenset[int] = frozenset()  # places of words such as `give`, which leave the act to the noun after them
    thing: bool = False  # whether it asks what its subject is, and no act is asked for: "What is the fee?"
    ends: int = _MOST_READ  # the place before which the act stands


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks, as a sentence of the law has to say it.

    Attributes:
        question: the sentences that ask.
        needs: the words that tell what it is about, as `matter.named_needs` gives them.
        language: of both.
        of_provision: whether a provision that is named is the question's subject: "What does section 5 say about rent?"
        used: the stems of the question's words that the law searched uses.
    """

    question: str
    needs: Mapping[str, Need]
    language: Language
    of_provision: bool = False
    used: frozenset[str] = frozenset()

    def lacks(self, claim: str, before: str = "") -> str:
        """What no one sentence of a claim says of the question, in a reader's words; empty where one says all of it.

        Args:
            claim: one or more sentences of the law; of a list that it has each item counts with the words that lead in.
            before: the sentences that the claim's noun takes up (`takes_up`), whose words count as matter alone.
        """
        ways = _ways(self)
        found = (self._lacks(unit, ways, before) for unit in units(claim, self.language))
        return min(found, key=LACKS.index, default=LACKS[-1])

    def missing(self, claim: str) -> list[str]:
        """The words of the question that the sentence of a claim that has most of them does not have."""
        known = [_has(stems_of(unit, self.language), self.language) for unit in units(claim, self.language)]
        found = ([name for name, need in self.needs.items() if not has(need)] for has in known)
        return min(found, key=len, default=[*self.needs])

    def is_rivalled(self, served: Sequence[str], other: str) -> bool:
        """Whether another sentence has all words but one, and a figure of the kind asked for that none served has.

        "It is returned within 40 days" is rivalled by "it is kept for no more than 25 days", where time is asked for.
        """
        asked = self._measures_asked()
        if asked is None:
            return False
        matter = [need for need in self.needs.values() if not _party_in(need, self)]  # parties alone are no matter
        about: list[Need] | None = None
        for unit in units(other, self.language):
            has = _has(stems_of(unit, self.language), self.language)
            if sum(map(has, self.needs.values())) >= max(LEAST, len(self.needs) - 1) and any(map(has, matter)):
                about = _act_and_object(self, served) if about is None else about
                if about and not any(map(has, about)):
                    continue
                told = (quantity for text in served for quantity in _quantities(text, self.language))
                known = {(quantity.value, quantity.unit) for quantity in told}
                said = _quantities(unit, self.language)
                if any(asked(each.unit) for each in said if (each.value, each.unit) not in known):
                    return True
        return False

    def _measures_asked(self) -> Callable[[str], bool] | None:
        """Which units the figure has that the question asks for or names; None where it is about none."""
        language = self.language
        wants = wants_of(language.questions.when.sub("", self.question), language.code)
        named = {quantity.unit for quantity in _quantities(self.question, language)}
        time = Want.TIME in wants or any(_is_time(unit, language) for unit in named)
        if not (time or named or Want.AMOUNT in wants):
            return None
        return lambda unit: time if _is_time(unit, language) else bool(unit) and (unit in named or Want.AMOUNT in wants)

    def _lacks(self, unit: str, ways: Sequence[_Put], before: str) -> str:
        language = self.language
        has = _has(stems_of(f"{before} {unit}", language), language)
        if not all(has(need) for need in self.needs.values()):
            return MATTER
        if not (_same_measures(self.question, unit, language) and self._gives_figure(unit)):
            return _FIGURE
        if ways and all(_act_of(way, unit, self, before) is None for way in ways):
            return _ACT
        if self._is_denied(unit):
            return _ACT
        if language.roles is None:
            return ""
        sentence = Reading(unit[:_MOST_READ], language, language.roles)
        if not self._gives_figure(sentence.without_relatives()):
            return _FIGURE  # a figure of something that is only described
        return "" if len(unit) <= _MOST_READ and _says(self, sentence, before) else _ACT

    def _is_denied(self, unit: str) -> bool:
        """Whether a sentence has only without something what a question asks about with it: "let it for payment"."""
        language = self.language
        if language.parts is None or language.roles is not None:
            return False
        said, asked = (Sentence(text, language, language.parts) for text in (unit, self.question))
        for need in self.needs.values():
            asked_at, said_at = asked.places(need), said.places(need)
            if asked_at and said_at and all(map(said.is_denied, said_at)) and not any(map(asked.is_denied, asked_at)):
                return True
        return False

    def _gives_figure(self, unit: str) -> bool:
        """Whether a sentence gives an amount or a time where one is asked for; a time is no amount."""
        language = self.language
        if any(not_given(want, self.question, [unit], language.code) for want in (Want.AMOUNT, Want.TIME)):
            return False
        wants = wants_of(language.questions.when.sub("", self.question), language.code)
        found = _quantities(unit, language)
        return Want.AMOUNT not in wants or not found or not all(_is_time(each.unit, language) for each in found)


def asked_of(
    question: str,
    synonyms: Sequence[SynonymHit],
    rarity: Mapping[str, float],
    unknown: Sequence[str],
    language: str,
    request: str = "",
) -> list[Asked]:
    """What a question asks, any of which a sentence may answer; see `matter.asked_about`.

    Args:
        request: the question with the provisions that it names, where `question` is without them.

    Facts that are told without a question ask for what the law says of them, and for no one act: nothing is given then.
    """
    known = language_of(language)
    matter = asked_about(question, synonyms, rarity, unknown, known)
    if not matter.asks and not wants_of(question, language):
        return []
    parts = matter.parts or ((question, matter.whole),)
    named = bool(request) and _asks_of_provision(question, request, known)
    used = frozenset(map(known.stem, rarity))
    return [Asked(text, needs, known, named, used) for text, needs in parts if needs]


def takes_up(sentence: str, before: str, language: Language) -> bool:
    """Whether the noun that opens a sentence takes up one of the sentence before: "The interest is due each year"."""
    words = [word.lower() for word in WORD.findall(sentence)[:2]]
    definite = language.parts.definite if language.parts is not None else frozenset[str]()
    return len(words) > 1 and words[0] in definite and language.stem(words[1]) in stems_of(before, language)


def takes_back(sentence: str, language: str) -> bool:
    """Whether a sentence limits the one right before it in the same text."""
    phrases = language_of(language).limits
    return any(words.search(sentence) for words in (phrases.against, phrases.opens, phrases.takes_back))


def _asks_of_provision(question: str, request: str, language: Language) -> bool:
    """Whether a provision that is named stands right after the auxiliary of a request, where a subject stands."""
    said, whole = ([word.lower() for word in WORD.findall(text)] for text in (question, request))
    first = next((at for at, word in enumerate(said) if word in language.questions.auxiliaries), None)
    if first is None or first + 1 == len(said):
        return False
    return (said[first], said[first + 1]) not in set(pairwise(whole))


def units(claim: str, language: Language) -> list[str]:
    """A claim's sentences, each with those it leans on; of one with a list each item after the words that open it."""
    phrases = language.limits
    found: list[str] = []
    for start, end in split_sentences(claim, language.code):
        sentence = claim[start:end]
        if found and (phrases.leans.search(sentence) or phrases.changes.search(sentence)):
            found[-1] = f"{found[-1]} {sentence}"
        else:
            found.append(sentence)
    return [unit for sentence in found for unit in _items(sentence)]


def _items(sentence: str) -> list[str]:
    lead, colon, items = sentence.partition(":")
    parts = [part for part in re.split(r"[;\n]", items) if part.strip()]
    return [f"{lead}{colon} {part.strip()}" for part in parts] if colon and parts else [sentence]


def _has(stems: frozenset[str], language: Language, *, akin: bool = True) -> Callable[[Need], bool]:
    """Whether some words meet a need: by its own words or, where `akin`, their families, or by a term for them."""
    kin = families(stems, language) if akin else frozenset[str]()

    def meets(need: Need) -> bool:
        forms = [form for form, weight in need.forms if weight >= MEANS]
        met = [form for form in forms if all(word in stems or family(word, language) in kin for word in form)]
        return bool(met) and stands_for(need.forms[0][0], forms[1:], met)

    return meets


def _same_measures(question: str, unit: str, language: Language) -> bool:
    """Whether a sentence measures in what a question measures in: days for "14 days", a percentage for "10 percent"."""
    units = {quantity.unit for quantity in _quantities(unit, language)}
    timed = any(_is_time(each, language) for each in units)
    return all(
        asked.unit in units or (timed and _is_time(asked.unit, language))
        for asked in _quantities(question, language)
        if asked.unit
    )


def _quantities(text: str, language: Language) -> list[Quantity]:
    plain = language.limits.reference.sub(" ", text)
    return [quantity for line in read_lines(plain, language.code, ()) for quantity in line.quantities]


def _is_time(unit: str, language: Language) -> bool:
    return not language.questions.times.isdisjoint(unit.lstrip("#").split())


# --- how a question is put -------------------------------------------------------------------------------------------


def _ways(asked: Asked) -> list[_Put]:
    """How a question may be read; none where it has no auxiliary or no act, or its language is not read so."""
    language, words = asked.language, asked.language.questions
    if not words.auxiliaries or language.parts is None or asked.of_provision:
        return []
    said = [word.lower() for word in WORD.findall(asked.question)]
    first = next((at for at, word in enumerate(said) if word in words.auxiliaries), None)
    order = tuple(_in_order(said, asked.needs, language))
    who = (person := words.asks[Want.PERSON].search(asked.question.strip())) is not None
    if person and person[0].lower() in said[:1] and words.auxiliaries.isdisjoint(said[1:2]):
        first = None  # "Who decides whether the court will sit"
    light = frozenset(  # "is allowed to enter" leaves the act to no noun
        at
        for at, word in enumerate(said)
        if word in words.courtesy and words.infinitive.isdisjoint(said[at + 1 : at + 2])
    )
    if first is None:  # "Who bears the cost"
        return [_Put(order, named=False, pronoun=False, passive=False, who=True, light=light)] if who and order else []
    following = said[first + 1] if first + 1 < len(said) else ""
    if following == words.existential:
        return []
    before = tuple((at, need) for at, need in order if at < first)
    after = _main_clause(tuple((at, need) for at, need in order if at > first), said, asked)
    subject = following in language.parts.determiners | frozenset(language.search.fillers)
    helping = words.infinitive | words.passives | words.perfect  # "Who has to register", "Who may be examined"
    pronoun = following in language.idle - helping and not subject
    passive = _is_passive(said, first, language)
    found: list[_Put] = []
    if not who or subject or pronoun:
        ends = _object(said, first, light, language) if after and not pronoun else _MOST_READ
        thing = subject and not before and not passive and said[first] in words.passives and said[0] in words.openers
        named = bool(after) and not pronoun
        found.append(_Put(after or before, named, pronoun, passive, light=light, thing=thing and named, ends=ends))
    if not subject and not pronoun and (who or before):  # "Who may enter", "Which provider must disclose"
        found.append(_Put(after if who else order, not who, pronoun=False, passive=passive, who=who, light=light))
    elif len(after) == 1 and before and subject:  # "How much notice does the landlord have to give?"
        found.append(_Put((*after, *before), named=True, pronoun=False, passive=passive, light=light))
    return [way for way in found if way.actor]


def _main_clause(
    order: tuple[tuple[int, Need], ...], said: Sequence[str], asked: Asked
) -> tuple[tuple[int, Need], ...]:
    """The needs before a clause that depends, where a subject and an act are among them; else all of them.

    What a pronoun does there counts, as the asker does it: "Do I comply with the Act if I use the form?".
    """
    if asked.language.parts is None:
        return order
    opener = Sentence(asked.question, asked.language, asked.language.parts).opener
    named = asked.language.parts.determiners | frozenset(asked.language.search.fillers)
    for at in range(order[1][0] + 1 if len(order) > 1 else len(said), len(said)):
        match = opener.match(" ".join(said[at : at + 4]))
        after = at + len(match[0].split()) if match else len(said)
        if after < len(said) and (said[after] not in asked.language.idle or said[after] in named):
            return tuple((place, need) for place, need in order if place < at)
    return order


def _object(said: Sequence[str], first: int, light: frozenset[int], language: Language) -> int:
    """The place of the article behind a question's act: the first that follows no preposition, "the owner of the dog".

    The number of words where there is none, or a relative clause or a word such as `give` comes first.
    """
    if (parts := language.parts) is None:
        return len(said)
    before = parts.stops | parts.determiners | parts.conjunctions
    for at in range(first + 2, len(said)):
        if said[at - 1] in parts.relatives or at - 1 in light:
            break
        if said[at] in parts.determiners and said[at - 1] not in before:
            return at
    return len(said)


def _act_and_object(asked: Asked, served: Sequence[str]) -> list[Need]:
    """What a question says of its subject before any preposition: its act, and what that is done to.

    "May the owner enter with 24 hours' notice" is about entering, and not about notices. Where the subject ends is told
    by what is served: "How many years does the Rent Administrator serve?".
    """
    said_so = [unit for text in served for unit in units(text, asked.language)]
    said = [word.lower() for word in WORD.findall(asked.question)]
    prepositions = _prepositions(asked.language.code)
    found: list[Need] = []
    for way in _ways(asked):
        start = way.actor[0][0]
        acts = (_act_of(way, unit, asked, "") for unit in said_so)
        first = min((act for act in acts if act is not None), default=1 if way.named else 0)
        for place, need in way.actor[first:]:
            if prepositions.isdisjoint(said[start + 1 : place]):
                found.append(need)
        if way.passive:
            found.append(way.actor[0][1])
    return found


def _in_order(said: Sequence[str], needs: Mapping[str, Need], language: Language) -> list[tuple[int, Need]]:
    """The needs in the places of their words."""
    found: dict[int, Need] = {}
    stems = [language.stem(word) for word in said]
    for name, need in needs.items():
        parts = WORD.findall(name)
        for at in range(len(said)):
            same = said[at : at + len(parts)] == parts
            if at not in found and (same or (len(parts) == 1 and stems[at] == language.stem(parts[0]))):
                found[at] = need
    return sorted(found.items(), key=lambda one: one[0])


def _is_passive(said: Sequence[str], first: int, language: Language) -> bool:
    """Whether a form of `be` and a participle follow the auxiliary, or it is one itself: "is it allowed", not "to"."""
    helps = language.questions.passives
    opens = language.parts.opens_clause | language.parts.relatives if language.parts is not None else frozenset[str]()
    for at in range(first, next((at for at in range(first, len(said)) if said[at] in opens), len(said))):
        if said[at] in helps:
            for later in range(at + 1, len(said)):
                if _is_participle(said[later], language):
                    to, then = [*said[later + 1 : later + 3], "", ""][:2]
                    named = language.parts is not None and then in language.parts.determiners  # "paid to the clerk"
                    return to not in language.questions.infinitive or named
    return False


def _is_participle(word: str, language: Language) -> bool:
    ends = language.questions.participle_endings
    return bool(ends) and (word.endswith(ends) or (language.parts is not None and word in language.parts.participles))


# --- who does what in a sentence -------------------------------------------------------------------------------------


def _act_of(way: _Put, unit: str, asked: Asked, before: str) -> int | None:
    """Which of `way.actor` is the act that a clause of a sentence says of the same actor; see `Asked.lacks`."""
    if asked.language.parts is None:
        return 0
    sentence = Sentence(unit, asked.language, asked.language.parts)
    if way.thing and _is_told(way, sentence, asked):
        return 0
    said, duty = WORD.findall(asked.question), _is_duty(asked)
    # "Must he not pay" asks for a prohibition; "how much notice must he give" may be answered by one.
    wants = wants_of(asked.question, asked.language.code) & {Want.AMOUNT, Want.TIME}
    denied = bool(wants or read_in(asked.language.code, asked.question).sequence(Kind.NEGATION))
    asks = takewhile(lambda one: not any(map(sentence.is_condition, map(str.lower, said[: one[0]]))), way.actor)
    for _, need in islice(asks, 1, None):
        if (places := sentence.places(need)) and all(map(sentence.is_in_condition, places)):
            return None  # what a condition speaks of is not what is done: "may levy execution on the judgment"
    for count in range(1 if way.named else 0, 1 if way.who else min(len(way.actor), _MOST_SUBJECT)):
        subject, (place, act) = [need for _, need in way.actor[:count]], way.actor[count]
        if place >= way.ends:
            return None
        last = way.actor[count - 1][0] if count else -1
        light = place < last or not way.light.isdisjoint(range(last + 1, place))
        words, told = asked.language.questions, [word.lower() for word in said[:place]]
        verb = next((word for word in reversed(told) if word in words.passives | words.perfect), "")
        helps = next((forms for forms in (words.passives, words.perfect) if verb in forms), frozenset[str]())
        noun = told[-1:] and told[-1] in asked.language.parts.determiners and verb not in told[-2:-1]
        if noun and not light and place > 1:
            continue  # "as his pay"; "be a resident" is what is said of the subject
        if not light and way.named and asked.language.questions.inflected.search(said[place]):
            continue  # "Must the bank buy loans?"
        for at in sentence.places(act):
            clause = sentence.clause(at)
            if clause is None or (duty and not sentence.binds(at, clause, denied=denied)):
                continue
            direct = sentence.prepositions.isdisjoint(said[last + 1 : place])  # "give notice", not "go on with"
            free = light and not (sentence.governor(at, None) or (direct and sentence.is_done_otherwise(at, clause)))
            if not free and not sentence.is_act(at, clause, helps):
                continue
            done = light or sentence.is_passive(at, clause) or _is_done_to_same(way, count, sentence, at, asked)
            if done and _is_actor(way, subject, clause, sentence, at, asked, before):
                return count
    return None


def _is_told(way: _Put, sentence: Sentence, asked: Asked) -> bool:
    """Whether a sentence says what the subject of a question is, of the same one: "The fee for a permit is 5 pounds".

    Each noun of the question stands behind the same preposition there, with no other noun in its phrase, and none else
    behind one of these prepositions: a late fee is no fee, and the fee for a copy of a permit is none for a permit.
    """
    question = Sentence(asked.question, asked.language, sentence.parts)
    asks = _phrases([next(iter(question.places(need)), 0) for _, need in way.actor], question)
    wants = wants_of(asked.question, asked.language.code) & {Want.AMOUNT, Want.TIME}
    standing = [sentence.places(need) for _, need in way.actor]
    for segment in sentence.segments:
        verb = next((at for at in segment if sentence.words[at] in sentence.parts.finite), segment.stop)
        clause = sentence.clause(verb + 1) if verb + 1 < segment.stop else None
        if clause is None or clause.verb != verb:
            continue
        subject = range(segment.start, verb)
        met = [next((at for at in places if at in subject), None) for places in standing]
        places = [at for at in met if at is not None]
        if len(places) < len(met) or _phrases(places, sentence) != asks:
            continue
        starts = {sentence.phrase(at, None) for at in places}
        governors = {governor for governor, _ in asks} | asked.language.questions.genitive
        beside = (at for at in subject if at not in places and sentence.is_noun(at))
        if any(sentence.phrase(at, None) in starts or sentence.governor(at, None) in governors for at in beside):
            continue
        if sentence.tells(verb, segment.stop, wants, asked.question):
            return True
    return False


def _phrases(places: Sequence[int], sentence: Sentence) -> list[tuple[str, bool]]:
    """The preposition before each noun, and whether it is the last of its phrase."""
    return [(sentence.governor(at, None), sentence.is_last(at)) for at in places]


def _is_duty(asked: Asked) -> bool:
    """Whether a question asks what must be done.

    Who asks how long he has to do something may be told how long he may: there only the auxiliary tells.
    """
    wants, words = wants_of(asked.question, asked.language.code), asked.language.questions
    if Want.TIME in wants and words.auxiliaries:
        said = (word.lower() for word in WORD.findall(asked.question))
        return "OBLIGATION" in _forces(next((word for word in said if word in words.auxiliaries), ""), asked.language)
    forces = _forces(asked.question, asked.language)
    return "OBLIGATION" in forces or (Want.DUTY in wants and "PROHIBITION" not in forces)


def _forces(text: str, language: Language) -> tuple[str, ...]:
    """What a text permits, demands and forbids, in the order of its words; see `Kind.MODALITY`."""
    contrasts = language.contrasts()
    plain = contrasts.forces.sub(lambda match: contrasts.read_as[match.lastgroup or ""], text)
    return tuple(read_in(language.code, plain).sequence(Kind.MODALITY))


def _is_actor(
    way: _Put, subject: Sequence[Need], clause: Clause, sentence: Sentence, at: int, asked: Asked, before: str
) -> bool:
    """Whether the subject of a clause is the one that a question means."""
    has = _has(clause.heads, asked.language, akin=False)  # an assignee is no assignor
    passive = sentence.is_passive(at, clause)
    if not way.named:
        if not way.pronoun and passive and not way.passive:
            before_act = _has(frozenset(sentence.stems[:at]), asked.language)  # "a trustee to be selected by the Mayor"
            return bool(sentence.agents(at)) and _has_object(way, 0, before_act, asked)
        if not way.pronoun:  # what is asked who does it is not what does it: "agreements with the Secretary of State"
            stands = [sentence.places(need) for _, need in way.actor[1:] if not way.passive]
            return not any(each and all(sentence.is_named(place, clause) for place in each) for each in stands)
        parties = _parties(sentence.text, asked.language)
        others = [need for need in asked.needs.values() if _party_in(need, asked)]
        unnamed = [
            party for party in parties if not any(_has(frozenset({party}), asked.language)(one) for one in others)
        ]
        return not clause.definite and len(unnamed) <= 1 and not any(has(one) for one in others)
    if way.passive != passive:
        if way.passive:
            return bool(sentence.places(subject[0]))
        by = (range(start, stop) for start, stop in sentence.agents(at))
        named = any(all(not set(span).isdisjoint(sentence.places(need)) for need in subject) for span in by)
        return named and bool(way.actor[len(subject) + 1 :]) and _has_object(way, len(subject), has, asked)
    if not clause.heads:  # "It is unlawful for a seller to call"
        has = _has(frozenset(sentence.stems[clause.verb : at]), asked.language)
        return not before and all(map(has, subject))
    told = frozenset(sentence.stems[: clause.verb]) | stems_of(before, asked.language)
    named = [place for place in sentence.places(_head(way, len(subject), asked)) if place < clause.verb]
    whole = not named or at - 1 in named or any(map(sentence.is_whole, named))  # the owners' association is no owner
    return whole and has(subject[0]) and all(map(_has(told, asked.language), subject[1:]))


def _head(way: _Put, act: int, asked: Asked) -> Need:
    """What the first phrase of a question's subject ends with: "unit owner", "members of the board"."""
    return next(
        (need for (at, need), (after, _) in pairwise(way.actor[: act + 1]) if after > at + 1), way.actor[act - 1][1]
    )


def _has_object(way: _Put, act: int, has: Callable[[Need], bool], asked: Asked) -> bool:
    """Whether the subject of a passive is what a question's act is done to, as far as no preposition is before that.

    Args:
        act: which of `way.actor` is the act.
    """
    said = [word.lower() for word in WORD.findall(asked.question)]
    start = way.actor[act][0] + 1
    prepositions = _prepositions(asked.language.code)
    objects = [need for at, need in way.actor[act + 1 :] if prepositions.isdisjoint(said[start:at])]
    return not objects or has(objects[-1])


def _is_done_to_same(way: _Put, count: int, sentence: Sentence, at: int, asked: Asked) -> bool:
    """Whether what an act is done to in a question stands in a sentence other than behind prepositions alone.

    Who publishes a report in the gazette does not publish the gazette; what is paid to the clerk are not the clerk's
    fees.

    Args:
        count: which of `way.actor` is the act.
        at: the place of the act in the sentence.
    """
    question = Sentence(asked.question, asked.language, sentence.parts)
    done_to = way.actor[: count + 1] if way.passive else way.actor[count:]
    act = next(iter(question.places(way.actor[count][1])), None)
    heads: dict[int, Need] = {}
    for _, need in done_to:
        for place in question.places(need)[:1]:
            start = question.phrase(place, act, question.joins)
            if place != act and not question.governor(start, act):
                heads[start] = need  # the last word of a phrase tells what it is
    found = (sentence.places(need, phrases=False) or sentence.places(need) for need in heads.values())
    pronoun = not asked.language.questions.pronouns.isdisjoint(sentence.words[at + 1 : at + 3])  # "may deduct it"
    return not heads or any(
        not every or any((one > at or pronoun) and sentence.is_free(one, at) for one in every) for every in found
    )


def _parties(text: str, language: Language) -> frozenset[str]:
    """The stems of the parties that a text names, in a language whose parties are read."""
    found = read_in(language.code, text).sequence(Kind.PARTY)
    return frozenset(language.stem(party.split()[-1]) for party in found)


def _party_in(need: Need, asked: Asked) -> bool:
    return bool(need.forms[0][0] & _parties(asked.question, asked.language))


def _says(asked: Asked, sentence: Reading, before: str) -> bool:
    """Whether a sentence states the act of a question with its things in their roles, where case and position tell."""
    language = asked.language
    question = Reading(asked.question, language, sentence.table)
    known = stems_of(before, language) | frozenset(sentence.stems)
    things: list[Thing] = []
    covered: set[int] = set()
    for name, need in asked.needs.items():
        parts = [language.stem(word) for word in WORD.findall(name)]
        starts = [at for at in range(len(question.stems)) if question.stems[at : at + len(parts)] == parts]
        covered.update(at + more for at in starts for more in range(len(parts)))
        if starts:
            # A party that the law names is itself: a depositary is not who a thesaurus has for deposits.
            itself = Need(need.weight, need.forms[:1]) if need.forms[0][0] <= asked.used else need
            meets, party = (_meets(one, known, language) for one in (need, itself))
            things.append(Thing(starts[0] + len(parts) - 1, meets, party))
    beside = language.idle | language.questions.courtesy
    others = (at for at in question.actors() if at not in covered and question.words[at] not in beside)
    for at in others:
        meets = _meets(Need(1.0, ((frozenset({question.stems[at]}), 1.0),)), known, language)
        things.append(Thing(at, meets, meets))
    return says(question, things, sentence, stems_of(before, language))


def _meets(need: Need, known: frozenset[str], language: Language) -> Callable[[str], bool]:
    """Whether a stem is one of a need's words; one of their family where none of them is known."""
    own = frozenset(stem for form, weight in need.forms if weight >= MEANS for stem in form)
    if own & known:
        return own.__contains__
    kin = families(own, language)
    return lambda stem: family(stem, language) in kin


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a sentence.

    Attributes:
        heads: the stems that name its subject; none where it cannot be told.
        definite: whether its subject is one that is known, and not whoever is of its kind.
        verb: the place of its finite verb.
    """

    heads: frozenset[str]
    definite: bool
    verb: int


@cache
def _prepositions(code: str) -> frozenset[str]:
    """The words that open a phrase after a noun: those of `PartWords.stops` that are no verb, article or denial."""
    parts, questions = language_of(code).parts, language_of(code).questions
    if parts is None:
        return frozenset()
    others = questions.auxiliaries | questions.passives
    others |= parts.finite | parts.determiners | parts.conjunctions | frozenset(parts.alternative.split("|"))
    return frozenset(word for word in parts.stops - others if not read_in(code, word).sequence(Kind.NEGATION))


class Sentence:
    """A sentence of the law, word by word, with the clauses that its marks and its words divide it into."""

    def __init__(self, text: str, language: Language, parts: PartWords) -> None:
        self.text = text
        self.language = language
        self.parts = parts
        self.words = [word.lower() for word in TOKEN.findall(text)]
        self.stems = [language.stem(word) for word in self.words]
        self.joins = self.parts.conjunctions | frozenset(self.parts.alternative.split("|"))
        spoken = "|".join((self.parts.clause_opens, *map(re.escape, sorted(self.parts.relatives))))
        self.opener = re.compile(rf"(?:{spoken})(?!\w)|{language.questions.clauses.pattern}", re.IGNORECASE)
        self.prepositions = _prepositions(language.code)
        words = language.questions
        verbs = parts.finite | words.auxiliaries | words.passives | words.perfect
        self.governing = parts.stops - verbs - parts.determiners | self.joins  # `without` too, which denies
        self.governing |= language.roles.prepositions if language.roles is not None else frozenset[str]()
        self.segments = [*segments_of(self.words)]

    def places(self, need: Need, *, phrases: bool = True) -> list[int]:
        """Where words of a need stand, themselves and none of their family: what is public is not published.

        Args:
            phrases: whether each word of a phrase that means the same and is here counts.
        """
        forms = [form for form, weight in need.forms if weight >= MEANS and (phrases or len(form) == 1)]
        found: set[int] = set()
        for form in forms:
            if form <= frozenset(self.stems):
                places = {at for at, stem in enumerate(self.stems) if stem in form}
                found |= {at for at in places if self.words[at] not in self.language.idle} or places  # "ask for"
        return sorted(found)

    def is_passive(self, at: int, clause: Clause) -> bool:
        """Whether the word at a place is a participle after a form of `be`."""
        helps = self.language.questions.passives
        return _is_participle(self.words[at], self.language) and not helps.isdisjoint(self.words[clause.verb : at])

    def agents(self, at: int) -> list[tuple[int, int]]:
        """Where those are named who do what the participle at a place says: "signed for the owner by an agent".

        Not where another participle comes between, whose agent it may be: "given to persons employed by the agency".
        """
        found: list[tuple[int, int]] = []
        for place in range(at + 1, len(self.words)):
            word = self.words[place]
            if word in _ENDS or word in self.parts.finite or self._opens(place) or _is_participle(word, self.language):
                break
            if word in self.language.questions.agents:
                start = place + 1
                ends = self.prepositions | self.parts.finite | MARKS
                end = next((end for end in range(start, len(self.words)) if self.words[end] in ends), len(self.words))
                named = read_in(self.language.code, " ".join(self.words[start:end])).sequence(Kind.PARTY)
                if named or (start < end and self.words[start] in self.parts.determiners):  # not "by mail"
                    found.append((start, end))
        return found

    def is_noun(self, at: int) -> bool:
        """Whether a word may be a noun or say of what kind one is."""
        others = self.language.idle | self.governing | self.parts.determiners | self.parts.finite
        return self.words[at] not in others

    def is_whole(self, at: int) -> bool:
        """Whether no further noun follows one in its phrase, as far as endings tell."""
        after = self.words[at + 1] if at + 1 < len(self.words) else "."
        verb = _is_participle(after, self.language) or after.endswith(self.language.questions.adverb_endings)
        return verb or after in MARKS | self.parts.relatives or not self.is_noun(at + 1)

    def is_named(self, at: int, clause: Clause) -> bool:
        """Whether a noun stands before the finite verb of a clause, as a whole phrase behind no preposition."""
        return at < clause.verb and self.is_whole(at) and not self.governor(at, None)

    def is_last(self, at: int) -> bool:
        """Whether a noun is the last word of its phrase."""
        after = self.words[at + 1] if at + 1 < len(self.words) else "."
        return after in self.governing | self.parts.finite | MARKS or self.words[at + 1] in self.parts.relatives

    def tells(self, verb: int, end: int, wants: AbstractSet[Want], question: str) -> bool:
        """Whether what a subject is follows its finite verb: a figure of the kind wanted, else a noun, or "to"."""
        helps = self.parts.finite | self.language.questions.passives
        at = next((at for at in range(verb, end) if self.words[at] not in helps), end)
        said = self.words[at:end]
        if not wants:
            named = self.parts.determiners | self.language.questions.infinitive
            told = said[:1] and (said[0] in named or said[0].isdigit())
            return bool(told) and self.words[at - 1] in self.language.questions.passives
        figure = next((place for place in range(at, end) if self.words[place][0].isdigit()), end)
        between = read_in(self.language.code, " ".join(self.words[verb:figure]))
        plain = figure < end and all(mark.kind is not None for mark in between.marks)
        return plain and not any(not_given(want, question, [" ".join(said)], self.language.code) for want in wants)

    def phrase(self, at: int, act: int | None, within: AbstractSet[str] = frozenset()) -> int:
        """The place where the words before a noun begin that belong to it, without its article; an act is none.

        Args:
            within: conjunctions that end it not: "a cease and desist order".
        """
        ends = (self.parts.stops | self.parts.determiners | self.parts.finite | self.governing | MARKS) - within
        while at and at - 1 != act and self.words[at - 1] not in ends:
            at -= 1
        return at

    def governor(self, at: int, act: int | None) -> str:
        """The preposition or conjunction before a noun and its article; empty where another word is there."""
        start = first = self.phrase(at, act)
        while first and self.words[first - 1] in self.parts.determiners:
            first -= 1
        word = self.words[first - 1] if first else ""
        infinitive = word in self.language.questions.infinitive and first == start < at  # "to pay interest"
        return word if word in self.governing and not infinitive else ""

    def is_denied(self, at: int) -> bool:
        """Whether a noun is behind a preposition that denies it: "without payment"."""
        word = self.governor(at, None)
        # "Unless" limits, and "not" denies an act.
        denies = word not in self.parts.opens_clause | self.parts.no_alternative
        return bool(word) and denies and bool(read_in(self.language.code, word).sequence(Kind.NEGATION))

    def is_free(self, at: int, act: int) -> bool:
        """Whether a noun may be what an act is done to: it, what it belongs to ("copies of") and what it is joined to
        ("the tax and") are behind no preposition, and no subject of another verb."""
        if self._is_subject(at, act):
            return False
        word = self.governor(at, act)
        while word in self.joins | self.language.questions.genitive:
            at = max(place for place in range(at) if self.words[place] == word)
            word = self.governor(at, act)
        return not word

    def _is_subject(self, at: int, act: int) -> bool:
        """Whether a noun stands right before a finite verb that does not help to say the act."""
        for place in range(at + 1, len(self.words)):
            if self.words[place] in self.parts.finite:
                return not place <= act < next((one.stop for one in self.segments if place in one), 0)
            if self.words[place] in MARKS | self.prepositions or self._opens(place):
                return False
        return False

    def is_act(self, at: int, clause: Clause, helps: AbstractSet[str] = frozenset()) -> bool:
        """Whether the word at a place is what the finite verb of its clause helps to say, and nothing beside that.

        Args:
            helps: see `_is_predicate`.
        """
        words = self.language.questions
        if at == clause.verb or words.inflected.search(self.words[at]):
            return at == clause.verb
        before = at - 1
        while before > clause.verb and (
            self.words[before].endswith(words.adverb_endings)
            or self.words[before] in self.parts.negates_all
            or (
                self.words[before] in self.language.idle
                and self.words[before] not in self.prepositions | self.parts.determiners | self.joins
            )
        ):
            before -= 1
        if self.words[before] in self.prepositions and self.words[before - 1] in words.passives:
            return True  # "shall be in writing"
        if before > clause.verb and self.words[before] not in {*MARKS, *self.joins, *words.infinitive}:
            return self._is_predicate(at, clause, helps)
        done = not words.passives.isdisjoint(self.words[before:at])  # "a trustee to be selected by the Mayor"
        if self.words[before] in words.infinitive and not done and self._hangs_on_noun(before - 1, clause):
            return False
        # "May supply copies of published applications": what is printed with another verb is no act of its own.
        helped = {*words.passives, *words.perfect}
        plain = _is_participle(self.words[at], self.language) and helped.isdisjoint(self.words[clause.verb : at])
        return not plain

    def _is_predicate(self, at: int, clause: Clause, helps: AbstractSet[str]) -> bool:
        """Whether a noun is what its subject is or has: "shall be a resident", "shall have exclusive jurisdiction".

        Args:
            helps: the forms of "be" or "have", whichever of them the question has.
        """
        start = first = self.phrase(at, None)
        while self.words[first - 1] in self.parts.determiners:
            first -= 1
        done = any(_is_participle(word, self.language) for word in self.words[start : at + 1])
        between = set(self.words[clause.verb : first]) - self.parts.finite - helps
        return first > clause.verb and not done and self.words[first - 1] in helps and not between

    def binds(self, at: int, clause: Clause, *, denied: bool) -> bool:
        """Whether a clause demands the act at a place, or says that nobody need do it; a permission says neither.

        Nor does a prohibition, but where the question is `denied`.

        Who "has a right to pay" or "shall have 30 days to pay" need not pay.
        """
        if at == clause.verb:
            return False  # a noun or a plain verb
        said, words = self.words[clause.verb : at], self.language.questions
        forces = _forces(" ".join(said), self.language)
        binds = not forces or forces[-1] not in _NO_DUTY or (denied and forces[-1] == "PROHIBITION")
        to = max((place for place, word in enumerate(said) if word in words.infinitive), default=len(said))
        if not all(word.endswith(words.adverb_endings) for word in said[to + 1 :]) or to == len(said):
            return binds  # "shall cause it to be published", "shall give to the owner the keys"
        if forces == (before := _forces(" ".join(said[:to]), self.language)):
            return not before and said[0] in words.passives  # "it is the duty of the owner to"
        return binds

    def is_done_otherwise(self, at: int, clause: Clause) -> bool:
        """Whether a noun is what another act is done to than "give" and the like: "may recall the notice"."""
        act = self.phrase(at, None) - 1
        while act > clause.verb and self.words[act] in self.parts.determiners:
            act -= 1
        light = self.language.questions.courtesy | self.language.idle | self.parts.stops | self.joins | MARKS
        return act > clause.verb and self.words[act] not in light and self.is_act(act, clause)

    def is_condition(self, word: str) -> bool:
        """Whether a word opens a condition: "if" and "where"; not "provided", which opens one with "that" only."""
        opens = word in self.parts.opens_clause
        return opens and bool(read_in(self.language.code, word).sequence(Kind.CONDITION))

    def is_in_condition(self, at: int) -> bool:
        """Whether a condition opens before a word in its segment, and no pronoun behind it takes the word up.

        "If he does not pay the interest, the tenant may deduct it" is about the interest.
        """
        start = next(one.start for one in self.segments if at in one)
        condition = any(map(self.is_condition, self.words[start:at]))
        later = pairwise(self.words[at:])
        pronouns, finite = self.language.questions.pronouns, self.parts.finite
        return condition and not any(word in pronouns and after not in finite for word, after in later)

    def _hangs_on_noun(self, at: int, clause: Clause) -> bool:
        """Whether the infinitive behind a word says what another act's noun is for: "may exercise the right to buy".

        What somebody has or what is his ("has the right to buy", "it is the duty of the owner to pay") he does.
        """
        start = self.phrase(at, None)
        opens = self.words[start - 1] if start else ""
        if opens not in self.parts.determiners | self.prepositions:
            return False  # no noun: "is required to pay"
        if not clause.heads and self.governor(at, None) in self.prepositions:
            return False  # "It is unlawful for a dealer to sell", if the dealer is who is asked about
        while self.governor(at, None) in self.language.questions.genitive:
            at = max(place for place in range(start) if self.words[place] in self.language.questions.genitive) - 1
            start = self.phrase(at, None)
        between = self.words[clause.verb + 1 : start]
        return any(word not in self.language.idle and word not in self.parts.finite for word in between)

    def clause(self, at: int) -> Clause | None:
        """The main clause whose predicate has the word at a place; None where that is in a clause that depends."""
        own = next(place for place, segment in enumerate(self.segments) if at in segment)
        verb = self._finite(range(self.segments[own].start, at))
        start = self.segments[own].start if verb is None else verb + 1
        if any(self._opens(place) for place in range(start, at)) or self._is_below_another(verb, own):
            return None
        if verb is not None and self._depends(self.segments[own].start, verb):
            return None
        place = own
        while verb is None and place and not self._ends_before(place):
            place -= 1
            if not self._is_aside(place):
                verb = self._finite(self.segments[place])
        if verb is None:
            place, verb = own, at
            none = self.language.questions.infinitive | self.parts.determiners  # "to preserve", "the originals"
            if at == self.segments[own].start or self.words[at - 1] in none or self._is_subject_part(at):
                return None  # no verb: nothing precedes it that would be its subject, or it is a part of the subject
        first = self.words[self.segments[place].start]
        return Clause(self._heads(place, verb), first in self.parts.definite, verb)

    def _is_subject_part(self, at: int) -> bool:
        """Whether the finite verb follows that a noun is a part of the subject of: "A complaint must be made"."""
        for place in range(at + 1, next(one.stop for one in self.segments if at in one)):
            if self._opens(place):
                return False
            if self.words[place] in self.parts.finite:
                return True
        return False

    def _depends(self, start: int, verb: int) -> bool:
        """Whether a finite verb is that of a condition or a relative clause: "if he has paid", "whom she has paid"."""
        opens = self.parts.opens_clause | self.parts.relatives
        at = next((at for at in reversed(range(start, verb)) if self.words[at] in opens and self._opens(at)), None)
        if at is None:  # "the extent to which, in its view, an agency may"
            return bool(start) and self.words[start - 2] in self.parts.relatives
        if self.words[at] in self.parts.relatives:  # else it may have a verb that is not known: "who holds a deposit"
            return all(word in self.language.idle for word in self.words[at + 1 : verb])
        return self._finite(range(at, verb)) is None

    def _is_below_another(self, verb: int | None, own: int) -> bool:
        """Whether a finite verb with a subject of its own follows another in one run of words without a conjunction.

        It is in a clause that depends: "must decide within 45 days after the appeal is filed".
        """
        above = self._finite(range(self.segments[own].start, verb)) if verb is not None else None
        if verb is None or above is None or any(map(self._opens, range(self.segments[own].start, above))):
            return False  # or that one is in a relative clause of the subject
        if any(map(self._opens, range(above + 1, verb))) and self.words[verb - 1] not in self.joins:
            return True  # "may buy land in which two or more bodies have registered an interest"
        between = self.words[above + 1 : verb]
        named = any(word not in self.language.idle and word not in self.parts.finite for word in between)
        return named and self.joins.isdisjoint(between)

    def _finite(self, span: range) -> int | None:
        infinitive = self.language.questions.infinitive
        found = [
            at for at in span if self.words[at] in self.parts.finite and self.words[max(0, at - 1)] not in infinitive
        ]
        return found[-1] if found else None

    def _opens(self, at: int) -> bool:
        """Whether a clause that depends opens at a place."""
        return self.opener.match(" ".join(self.words[at : at + 4])) is not None

    def _is_aside(self, place: int) -> bool:
        start = self.segments[place].start
        start += self.language.limits.against.search(self.words[start]) is not None  # "but the owner, if asked, may"
        return self.words[start] in self.prepositions or self._opens(start)

    def _ends_before(self, place: int) -> bool:
        return self.words[self.segments[place].start - 1] in _ENDS

    def _heads(self, place: int, verb: int) -> frozenset[str]:
        """The stems of the nouns that a subject begins with, up to what is said of them."""
        spans = [range(self.segments[place].start, verb)]
        starts = [segment.start for segment in self.segments]
        joined = not spans[0] or self.words[spans[0].start] in self.joins
        while joined and place and not self._ends_before(place):
            place -= 1
            if not self._is_aside(place):
                if (other := self._finite(self.segments[place])) is not None:
                    if not any(spans):  # "The owner may let the house, and may sell it"
                        return self._heads(place, other)
                    break
                spans.append(self.segments[place])
                joined = self.words[self.segments[place].start] in self.joins or len(spans) > 1
        heads: set[str] = set()
        if place and spans[0] and all(self.words[at] in self.language.idle for at in spans[0]):
            # "If the owner does not pay, he shall": the subject of the condition.
            before = self.segments[place - 1]
            spans = [range(before.start + 1, self._finite(before) or before.stop)]
        for span in spans:
            if span and span.start in starts and self._is_aside(starts.index(span.start)):
                continue  # "Upon request the owner shall": where the subject begins cannot be told
            naming, none = True, False
            for at in span:
                none = none or self.words[at] in self.parts.negates_all
                if self.words[at] in self.joins or self.language.limits.against.search(self.words[at]):
                    naming = True
                elif self.words[at] in self.prepositions or self._opens(at):
                    naming = none and not heads  # "Nothing in this part"
                elif naming and self.words[at] not in self.language.idle | self.parts.negates_all:
                    heads.add(self.stems[at])
        return frozenset(heads)
