"""The forms in which a claim and its norm may be compared. Each says what the law says, or follows from it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from rag.languages.base import Kind, PartWords
from rag.languages.operators import content_stem, is_english, is_neutral, primary_language, read_in
from rag.languages.registry import language_of
from rag.languages.text import fold
from rag.verification.checks import MAX_PARAPHRASE
from rag.verification.parts import stated_part

# A clause that is elsewhere and still says the same: `if A, B` and `B if A`. Pure.

_WORD = re.compile(r"[^\W_]+")
_MOST_COMMAS = 4  # that a clause may reach across
_MOST_CLAUSES = 6  # of one sentence
_MOST_INNER = 30  # words of a clause that no comma ends
_MOST_SUBJECT = 8  # words of a German subject
_MOST_FRONT = 12  # and of a fronted phrase
_MOST_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class Moved:
    """A claim and a norm, each with the clause at its end; `loose` where no comma told on what the clause hangs."""

    claim: str
    norm: str
    loose: bool


@dataclass(frozen=True, slots=True)
class _Clause:
    start: int
    end: int
    loose: bool


def moved(claim: str, norm: str, language: str) -> Iterator[Moved]:
    """The pairs in which one clause of both is at the end; none where their clauses differ.

    Args:
        norm: the whole sentences that it rests on.
    """
    code = primary_language(language)
    known = language_of(code).parts
    if known is None or max(len(claim), len(norm)) > _MOST_CHARACTERS:
        return
    claim, norm = fold(claim), fold(norm)
    ours = [(clause, _words(claim[clause.start : clause.end], code)) for clause in _clauses(claim, known, code)]
    law = [(clause, _words(norm[clause.start : clause.end], code)) for clause in _clauses(norm, known, code)]
    law += [(inner_clause, words) for _, words in ours for inner_clause in _inner_clauses(norm, words, known, code)]
    for clause, words in ours:
        for other, theirs in law:
            if words != theirs:
                continue
            main, against = _without(claim, clause), _without(norm, other)
            if code == "de":
                main, against = _straight(main, against), _straight(against, main)
            loose = clause.loose or other.loose
            yield Moved(_closed(main, claim, clause), _closed(against, norm, other), loose)


def _words(text: str, code: str) -> tuple[str, ...]:
    return read_in(code, text).content


def _clauses(text: str, known: PartWords, code: str) -> list[_Clause]:
    """The clauses of a sentence that may be elsewhere: at its beginning, after a comma, or closing it."""
    stop = len(text.rstrip(" ."))
    commas = [match.start() for match in re.finditer(r"[,;:]", text[:stop])]
    found: list[_Clause] = []
    for match in re.finditer(rf"\b(?:{known.clause_opens})(?!\w)", text[:stop], re.IGNORECASE):
        start = match.start()
        before = text[:start].rstrip()
        ends = [at for at in commas if at > match.end()][:_MOST_COMMAS]
        if not before:
            found += [_Clause(start, end, False) for end in ends if text[end] == ","]
        elif before.endswith(","):
            relative = _is_relative(before[:-1], known)
            inner = () if relative else ends[:1]
            # A comma before the last clause tells that it hangs on the sentence, but in German it is before each.
            last = () if relative and code == "de" else (stop,)
            found += [_Clause(start, end, False) for end in (*inner, *last)]
        elif _is_bare(text, match, before, known):
            found.append(_Clause(start, stop, True))
    return found[: _MOST_CLAUSES * _MOST_COMMAS]


def _is_bare(text: str, match: re.Match[str], before: str, known: PartWords) -> bool:
    """Whether a clause without a comma before it closes the sentence and hangs on its one verb."""
    if re.fullmatch(known.clause_opens_bare, match[0], re.IGNORECASE) is None or re.search(
        r"[;:]", text[match.end() :]
    ):
        return False
    words = [entry.lower() for entry in _WORD.findall(before)]
    verbs = sum(word in known.finite for word in words)
    return verbs < 2 and not _is_relative(before, known) and known.reporting.isdisjoint(words[-1:])


def _is_relative(before: str, known: PartWords) -> bool:
    """Whether a relative pronoun has opened a clause that may still go on."""
    parts = re.split(r"[,;:]", before)
    words = [entry.lower() for entry in _WORD.findall(parts[-1])]
    after_comma = len(parts) > 1 and not known.relatives_after_comma.isdisjoint(words[:2])
    return after_comma or any(word in known.relatives for word in words)


def _inner_clauses(norm: str, words: Sequence[str], known: PartWords, code: str) -> Iterator[_Clause]:
    """A clause right after the verb, without commas (`there is unless excluded a warranty`), told by its words."""
    if code != "en" or not words:
        return
    for match in re.finditer(rf"\b(?:{known.clause_opens})\b", norm, re.IGNORECASE):
        before = [entry.lower() for entry in _WORD.findall(norm[: match.start()])]
        if not before or before[-1] not in known.finite or _is_relative(norm[: match.start()], known):
            continue
        ends = (one.end() for one in islice(_WORD.finditer(norm, match.end()), _MOST_INNER))
        end = next((end for end in ends if _words(norm[match.start() : end], code) == words), None)
        if end is not None:
            yield _Clause(match.start(), end, True)


def _without(text: str, clause: _Clause) -> str:
    head, tail = text[: clause.start].rstrip(" ,"), text[clause.end :].lstrip(" ,")
    return f"{head} {tail}".strip().rstrip(" .,")


def _closed(main: str, text: str, clause: _Clause) -> str:
    return f"{main}, {text[clause.start : clause.end].strip(' ,.')}."


def _straight(text: str, against: str) -> str:
    """A German main clause with its verb after the subject, where another has the same words so."""
    words, other = text.removeprefix("so ").split(), against.split()
    verb = words[0].lower() if words else ""
    if any(operator.kind is not Kind.MODALITY for operator in read_in("de", verb).operators):
        return text  # `nur der Mieter` opens with no verb
    plain = [word.lower() for word in other]
    for size in range(1, min(_MOST_SUBJECT, len(words) - 1, len(other) - 1) + 1):
        if plain[size] == verb and [word.lower() for word in words[1 : size + 1]] == plain[:size]:
            return " ".join([*other[:size], words[0].lower(), *words[size + 1 :]])
    return text


_AS_CONDITION = re.compile(r"\A([^\W\d_]+) ([^,;:.]+), (?:so )?(?=([^\W\d_]+) )")


def with_conjunction(text: str, language: str) -> str | None:
    """A German sentence that begins with a verb and so with a condition, with `wenn`; None where it does not."""
    known = language_of(language).parts if primary_language(language) == "de" else None
    match = _AS_CONDITION.match(fold(text))
    if known is None or match is None or match[1].lower() not in known.finite or match[1].islower():
        return None
    return f"Wenn {match[2]} {match[1].lower()}, {fold(text)[match.end() :]}"


_DATIVE = re.compile(r"(?:dem [^\W\d_]+|ihm|ihr|ihnen|es|sie|ihn|sich)?")


def unfronted(text: str, against: str, language: str) -> str | None:
    """A German sentence whose fronted phrase of time is behind the verb, as in another; None where it has none.

    Only a phrase that follows the verb at once, or a dative, is the verb's own and no noun's.
    """
    text, against = fold(text), fold(against)
    long = max(len(text), len(against)) > _MOST_CHARACTERS
    known = language_of(language).parts
    if known is None or long or known.fronted.match(text) is None:
        return None
    words, other = text.split(), against.split()
    plain = [word.lower() for word in other]
    for size in range(2, min(len(words) - 2, _MOST_FRONT) + 1):
        verb = words[size].lower()
        front = [word.lower() for word in words[:size]]
        place = next((at for at in range(1, len(plain)) if plain[at : at + size] == front), None)
        if verb not in known.finite or place is None or verb not in plain[:place]:
            continue
        between = " ".join(plain[plain.index(verb) + 1 : place])
        rest = " ".join(words[size:])
        straight = _straight(rest, " ".join(other[:place] + other[place + size :]))
        goes_on = not known.goes_on.isdisjoint(plain[place + size : place + size + 1])
        if straight != rest and not goes_on and _DATIVE.fullmatch(between):
            parts = straight.split()
            return " ".join([*parts[:place], *front, *parts[place:]])
    return None


# Pronouns of a claim and the words of the law that they stand for, in English. Pure.

_PRONOUN_WORD = re.compile(r"[^\W_]+(?:'[^\W\d_]+)?|[^\w\s]")
_SINGULAR, _PLURAL = frozenset({"it", "he", "she", "him"}), frozenset({"they", "them"})
_DETERMINERS = frozenset({"the", "a", "an", "any", "each", "every", "such", "said", "this", "that"})
# Between a subject and its verb these tell nothing of either.
_MODALS = frozenset({
    "shall", "may", "must", "is", "are", "was", "were", "has", "have", "had", "does", "do", "can", "will", "should",
    "not",
})  # fmt: skip
_MOST_WORDS = 5
_LOOK_AHEAD = 8


@dataclass(frozen=True, slots=True)
class Explained:
    """A claim whose pronouns are explained: `served` is what a reader sees, `compared` what is held against the law."""

    served: str
    compared: str


def explain_pronouns(claim: str, norm: str, language: str) -> Explained | None:
    """Put the law's words for the pronouns of a claim; None where it has none that can be explained.

    Args:
        norm: the whole sentences that it rests on.
        language: of both; only English pronouns are read.
    """
    if not is_english(language):
        return None
    claim, law = fold(claim), fold(norm)
    served = compared = claim
    shift = 0
    for match in _PRONOUN_WORD.finditer(claim):
        pronoun = match[0].lower()
        if pronoun not in _SINGULAR | _PLURAL:
            continue
        found = _noun_for(claim, match.start(), match.end(), law)
        if found is None or (pronoun in _PLURAL) != _is_plural(found):
            continue
        opens = match.start() == 0
        if not opens and _nouns(claim[: match.start()], plural=pronoun in _PLURAL) != {_bare(found)}:
            continue
        words = found[0].upper() + found[1:] if opens else found
        compared = compared[: match.start() + shift] + words + compared[match.end() + shift :]
        shift += len(words) - len(match[0])
        if opens:
            served = f"[{words}]{claim[match.end() :]}"
    return Explained(served, compared) if shift else None


def _is_plural(noun: str) -> bool:
    last = noun.split()[-1].lower()
    return last.endswith("s") and not last.endswith("ss")


def _bare(noun: str) -> str:
    """The last word of a noun phrase, which names what it is."""
    return noun.split()[-1].lower()


def _nouns(text: str, *, plural: bool) -> set[str]:
    """What words with a determiner a pronoun after this text may mean."""
    words = [match[0].lower() for match in _PRONOUN_WORD.finditer(text)]
    found: set[str] = set()
    for place, word in enumerate(words):
        if word not in _DETERMINERS:
            continue
        phrase: list[str] = []
        for one in words[place + 1 : place + _MOST_WORDS]:
            if not one[0].isalnum() or one in _MODALS or is_neutral(one) or one in {"and", "or", "from"}:
                break
            phrase.append(one)
        found |= {word for word in phrase[:1] + phrase[-1:] if _is_plural(word) is plural} if len(phrase) < 3 else {"?"}
    return found


def _content(text: str, *, last: bool) -> str:
    """The stem of the content word that stands nearest before, or after, a place; empty where there is none."""
    words = [match[0].lower() for match in _PRONOUN_WORD.finditer(text)]
    near = words[::-1][:_LOOK_AHEAD] if last else words[:_LOOK_AHEAD]
    return next((content_stem(word) for word in near if word[0].isalpha() and not _empty(word)), "")


def _empty(word: str) -> bool:
    return is_neutral(word) or word in _MODALS


def _noun_for(claim: str, start: int, end: int, law: str) -> str | None:
    """The noun phrase that the law has where the claim has a pronoun, told by the content words on both sides."""
    left, right = _content(claim[:start], last=True), _content(claim[end:], last=False)
    if not right or (start and not left):
        return None
    words = list(_PRONOUN_WORD.finditer(law))
    for place, word in enumerate(words):
        if word[0].lower() not in _DETERMINERS:
            continue
        if _content(law[: word.start()], last=True) != left:
            continue
        size = 1
        while place + size < len(words) and size < _MOST_WORDS:
            one = words[place + size]
            stop = not one[0][0].isalnum() or _empty(one[0].lower())
            if stop or _content(law[one.start() :], last=False) == right:
                break
            size += 1
        last = words[place + size - 1]
        if size > 1 and _content(law[last.end() :], last=False) == right:
            return law[word.start() : last.end()]
    return None


_MOST_PRONOUNS = 2_000  # characters of a norm whose pronouns are looked up in a claim


@dataclass(frozen=True, slots=True)
class Form:
    """A claim and a norm in one of the forms in which they may be compared."""

    claim: str
    norm: str
    served: str  # the claim as a reader would see it
    part: bool = False  # the norm says less than its sentences
    explained: bool = False  # pronouns were read as the nouns they stand for
    turned: bool = False  # a part is elsewhere, and no comma tells what it belongs to


def forms(text: str, norms: Sequence[str], language: str, quotes: Sequence[str], *, listed: bool) -> Iterator[Form]:
    """The plain forms first; then those with pronouns explained, with what a claim may leave out gone.

    Args:
        norms: the whole sentences that it rests on, with and without lead-ins that they do not need.
        listed: whether the norm is put together from items of a list.
    """
    plain = [Form(text, norm, text) for norm in norms]
    yield from plain
    if len(text) > MAX_PARAPHRASE or len(norms[0]) > MAX_PARAPHRASE:
        return
    claims = [*plain]
    for norm in norms:
        explained = explain_pronouns(text, norm, language)
        if explained is not None:
            claims.append(Form(explained.compared, norm, explained.served, explained=True))
        # `If the worker has worked` of a law that says `if he has worked`.
        if max(len(text), len(norm)) <= _MOST_PRONOUNS and (law := explain_pronouns(norm, text, language)) is not None:
            claims.append(Form(text, law.compared, text, explained=True))
    claims += [replace(form, claim=one) for form in claims if (one := with_conjunction(form.claim, language))]
    claims += [replace(form, norm=one) for form in claims if (one := with_conjunction(form.norm, language))]
    yield from claims[len(plain) :]
    parts = [
        replace(form, norm=part, part=True)
        for form in claims
        if (part := stated_part(form.claim, form.norm, language, quotes, listed=listed)) is not None
    ]
    yield from parts


def with_parts_moved(form: Form, language: str) -> Iterator[Form]:
    """A form with a clause put where the other text has it; for those in which the same words are elsewhere."""
    if max(len(form.claim), len(form.norm)) > MAX_PARAPHRASE:
        return
    for pair in moved(form.claim, form.norm, language):
        yield replace(form, claim=pair.claim, norm=pair.norm, turned=pair.loose)
    if (claim := unfronted(form.claim, form.norm, language)) is not None:
        yield replace(form, claim=claim, turned=True)
    if (norm := unfronted(form.norm, form.claim, language)) is not None:
        yield replace(form, norm=norm, turned=True)
