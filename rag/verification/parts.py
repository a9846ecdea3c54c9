"""What a sentence also says in part: forms of a norm with less in them that follow from it. Pure.

A claim may state one alternative of several, or one clause of several, and be true. Which words can be left out
without saying more than the law is decided by where they stand, never by what they are:

* an alternative joined by `or` where the rule gets narrower without it: in what is permitted or forbidden, in a
  condition, in a subject that stands for anybody (`a person or corporation`); not in what is owed, excepted or defined;
* a clause with a modal verb of its own that the claim does not quote, where no other clause depends on it;
* an opening that only adds (`In addition to ...,`).

The claim tells which words are missing; what is left is compared with it like a whole sentence, and the reader is told.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.languages.base import Kind, PartWords
from rag.languages.operators import content_stem, is_english, is_neutral, primary_language, read_in
from rag.languages.registry import language_of
from rag.languages.text import fold

_TOKEN = re.compile(r"[^\W_]+(?:'[^\W\d_]+)?|[^\w\s]")
_MOST_ALTERNATIVES = 24  # of one norm; with more of them nothing is left out
_MOST_CHARACTERS = 4_000  # of a norm, for the same
_SPAN_WORDS = 40  # words that one alternative may have
_OWN_CLAUSE = re.compile(r",?\s+(?P<join>and|or)\s+(?=(?:shall|may|must)\b)", re.IGNORECASE)
# That something may be done takes nothing from its not being owed; `may be required` would.
_BUT_MAY = re.compile(
    r",\s+but\s+(?:(?:it|he|she|they)\s+)?(?=may\s+(?!not\b|only\b|be\b|become\b|have\b))", re.IGNORECASE
)
_NOT_OWED = re.compile(r"\bunder no (?:obligation|duty)\b", re.IGNORECASE)
_NARROWED = frozenset({"PERMISSION", "PROHIBITION", "NO_OBLIGATION", "IF", "WHEN", "UPON", "WHILE"})
_HARMLESS = frozenset({Kind.CONNECTIVE, Kind.PARTY, Kind.VOICE, Kind.REFERENCE, Kind.NEUTRAL})


@dataclass(frozen=True, slots=True)
class _Token:
    text: str  # lower case
    stem: str  # empty for punctuation and for words without content
    start: int
    end: int
    word: bool


def _tokens(text: str, words: PartWords, code: str) -> list[_Token]:
    english = is_english(code)
    out: list[_Token] = []
    for match in _TOKEN.finditer(text):
        lower = match[0].lower()
        word = lower[0].isalnum()
        plain = lower.removesuffix("'s") if english else lower
        content = word and not (is_neutral(plain) if english else plain in words.determiners)
        if content and lower != words.alternative and lower != "and":
            stemmed = content_stem(plain) if english else plain
        else:
            stemmed = ""
        out.append(_Token(lower, stemmed, match.start(), match.end(), word))
    return out


def stated_part(claim: str, norm: str, language: str, quotes: Sequence[str], *, listed: bool = False) -> str | None:
    """The norm without what the claim soundly leaves out; None where there is no such thing.

    Args:
        norm: the whole sentences that it rests on.
        quotes: the claim's quotes; a clause that one of them touches is not left out.
        listed: whether the norm is put together from items of a list, whose clauses are no clauses of their own.

    Returns:
        A text that follows from the norm, to be compared with the claim like the norm itself.
    """
    code = primary_language(language)
    words = language_of(code).parts
    if words is None:
        return None
    claim, whole = fold(claim), fold(norm)
    if len(whole) > _MOST_CHARACTERS:
        return None
    text = whole
    addition = words.addition.match(text)
    if addition is not None and not fold(claim).lower().startswith(addition[0][:8].lower()):
        text = text[addition.end() :]
    if not listed:
        text = _quoted_clauses(text, words, code, [fold(quote) for quote in quotes])
    text = _chosen_alternatives(claim, text, words, code)
    return text if text != whole else None


def _quoted_clauses(text: str, words: PartWords, code: str, quotes: Sequence[str]) -> str:
    """The clauses that the quotes touch, where the others are clauses of their own."""
    bounds = [match.end() for match in re.finditer(r";", text)]
    clauses = [text[start:end] for start, end in zip([0, *bounds], [*bounds, len(text)], strict=True)]
    touched = [any(_overlaps(clause, quote) for quote in quotes) for clause in clauses]
    if len(clauses) > 1 and any(touched):
        first, last = touched.index(True), len(touched) - touched[::-1].index(True)
        left = [*clauses[:first], *clauses[last:]]
        own = all(read_in(code, clause).sequence(Kind.MODALITY) for clause in clauses)
        if (
            own
            and all(_stands_alone(clause, words, code) for clause in left)
            and not any(map(words.depends.match, clauses[first:]))
        ):
            text = "".join(clauses[first:last]).strip(" ;")
    for match in _OWN_CLAUSE.finditer(text) if code == "en" else ():
        tail = text[match.end() :]
        free = match["join"].lower() == "or" and read_in(code, tail).sequence(Kind.MODALITY)[:1] == ("PERMISSION",)
        quoted = any(_overlaps(tail, quote) for quote in quotes)
        if not re.search(r"[,;:]", tail) and _stands_alone(tail, words, code) and not quoted and (free or quotes):
            return f"{text[: match.start()]}."
    match = _BUT_MAY.search(text) if code == "en" else None
    if match is not None and not re.search(r"[;:]", text):
        head, tail = text[: match.start()], text[match.end() :]
        owed = read_in(code, head).sequence(Kind.MODALITY)
        free = owed == ("NO_OBLIGATION",) or (not owed and _NOT_OWED.search(head) is not None)
        if free and quotes and not any(_overlaps(tail, quote) for quote in quotes):
            return f"{head}."
    return text


def _overlaps(clause: str, quote: str) -> bool:
    """Whether a quote has words of a clause; a clause is told by its own words, whole or as far as the quote goes."""
    plain, wanted = clause.strip(" ;.,").lower(), quote.strip(" ;.,").lower()
    if plain in wanted or wanted in plain:
        return True
    # A quote that begins or ends inside the clause has its first, or last, words in it.
    parts = wanted.split()
    return " ".join(parts[:4]) in plain or " ".join(parts[-4:]) in plain


def _stands_alone(clause: str, words: PartWords, code: str) -> bool:
    """Whether a clause says for itself that something shall, may or must be, and limits nothing before it."""
    if words.depends.match(clause) or words.comparing.search(clause):
        return False
    reading = read_in(code, clause)
    limits = any(reading.sequence(kind) for kind in (Kind.EXCEPTION, Kind.CONDITION))
    return bool(reading.sequence(Kind.MODALITY)) and not limits


def _chosen_alternatives(claim: str, text: str, words: PartWords, code: str) -> str:
    """The text without the alternatives that the claim leaves out, each where the rule is narrower without it."""
    said = Counter(token.stem for token in _tokens(claim, words, code) if token.stem)
    gone: set[str] = set()
    for _ in range(_MOST_ALTERNATIVES):
        tokens = _tokens(text, words, code)
        missing = Counter(token.stem for token in tokens if token.stem) - said
        found = next(_droppable(text, tokens, missing, gone - set(said), words, code), None) if missing else None
        if found is None:
            break
        start, end = found
        gone.update(token.stem for token in tokens[start:end] if token.stem)
        text = _without(text, tokens, start, end)
    return text


def _droppable(
    text: str, tokens: Sequence[_Token], missing: Counter[str], gone: set[str], words: PartWords, code: str
) -> Iterator[tuple[int, int]]:
    """Spans of alternatives that a claim may do without, all of whose words it lacks; the longest first."""
    joins = [
        at for at, one in enumerate(tokens) if one.text == words.alternative and _is_alternative(tokens, at, words)
    ]
    spans = sorted(
        ((start, end, at, own) for at in joins for start, end, own in _candidates(tokens, at, words)),
        key=lambda one: (one[1] > one[2], one[0] - one[1]),  # the `or` goes with the last of the items
    )
    for start, end, at, own in spans if len(joins) <= _MOST_ALTERNATIVES else ():
        stems = Counter(token.stem for token in tokens[start:end] if token.stem)
        if not stems or stems - missing:
            continue
        if own and not _stands_alone(text[tokens[at].end : tokens[end - 1].end], words, code):
            continue
        if set(stems) <= gone or _narrower_without(text, tokens, at, start, end, words, code):
            yield start, end
    # What the claim left out once it may leave out again: `contributions and expenditures`.
    for at, one in enumerate(tokens[:-1]):
        if one.text == "and" and gone and tokens[at + 1].stem in gone:
            yield at, at + 2


def _without(text: str, tokens: Sequence[_Token], start: int, end: int) -> str:
    head, tail = text[: tokens[start].start].rstrip(), text[tokens[end - 1].end :].lstrip()
    glue = "" if not head or not tail or tail[0] in ".;:," else " "
    return f"{head}{glue}{tail}"


def _is_alternative(tokens: Sequence[_Token], at: int, words: PartWords) -> bool:
    before = tokens[at - 1].text if at else ""
    after = tokens[at + 1].text if at + 1 < len(tokens) else ""
    return before not in words.conjunctions | {"/", ""} and bool(after) and after not in words.no_alternative


def _candidates(tokens: Sequence[_Token], at: int, words: PartWords) -> Iterator[tuple[int, int, bool]]:
    """Spans that may be one alternative with its `or`, and whether each has to be a clause of its own."""
    comma = tokens[at - 1].text == ","
    if comma:  # `, or make any expenditure ..., `: closed by commas on both sides, so no word after it is its own
        ends = [place for place in range(at + 2, min(len(tokens), at + _SPAN_WORDS)) if tokens[place].text in ",;"]
        for end in ends[:3]:
            if _plain(tokens[at:end], words):
                yield at - 1, end + (tokens[end].text == ","), False
        stop = next((place for place in range(at, len(tokens)) if tokens[place].text in ";:."), len(tokens))
        yield at - 1, stop, True
    if at > 1 and _plain(tokens[:at], words) and tokens[0].text not in words.negates_all:
        yield 0, at + 1, False  # the whole of the sentence before it
    yield from ((start, end, False) for start, end in _list_candidates(tokens, at, words, comma=comma))


def _list_candidates(tokens: Sequence[_Token], at: int, words: PartWords, *, comma: bool) -> Iterator[tuple[int, int]]:
    """Runs of items of the list that `or` closes, at its beginning or its end; each item but the last is one word."""
    starts = _item_starts(tokens, at - comma, words)
    for start in starts:
        for end in (at + 1, *starts):
            if start < end < len(tokens):
                # The determiner stays where what follows has none.
                own = tokens[start].text in words.determiners and tokens[end].text not in words.determiners
                yield start + own, end
    after_comma = [start - 1 for start in starts if start and tokens[start - 1].text == ","]
    for end in _last_items(tokens, at, words):
        yield from ((start, end) for start in (at - comma, *after_comma))


def _item_starts(tokens: Sequence[_Token], place: int, words: PartWords) -> list[int]:
    """Where the items of a list begin that ends at a place, the last one first."""
    starts: list[int] = []
    while (
        place > 0
        and len(starts) <= _MOST_ALTERNATIVES
        and tokens[place - 1].word
        and tokens[place - 1].text not in words.stops
    ):
        start = place - 1
        if start and tokens[start - 1].text in words.determiners:
            start -= 1
        starts.append(start)
        if not start or tokens[start - 1].text != ",":
            break
        place = start - 1
    return starts


def _last_items(tokens: Sequence[_Token], at: int, words: PartWords) -> Iterator[int]:
    """Where the last alternative may end: after one word or two, of which none says more of what is before it."""
    first = at + 1 + (tokens[at + 1].text in words.determiners)
    for end in range(first + 1, min(len(tokens), first + 2) + 1):
        span = tokens[first:end]
        if any(not token.word or token.text in words.stops or token.text in words.determiners for token in span):
            return
        if len(span) == 1 or not (
            span[1].text in words.participles or span[1].text.endswith(("ed", "ing", "able", "ible", "ly"))
        ):
            yield end


def _plain(tokens: Sequence[_Token], words: PartWords) -> bool:
    """Whether words hold no verb of a clause and nothing that opens one."""
    return not any(token.text in words.opens_clause or token.text in words.finite for token in tokens)


def _narrower_without(
    text: str, tokens: Sequence[_Token], at: int, start: int, end: int, words: PartWords, code: str
) -> bool:
    """Whether the rule reaches less far without one of the alternatives that this `or` joins."""
    opens = max((place + 1 for place in range(at) if tokens[place].text in ";:."), default=0)
    before = text[tokens[opens].start : tokens[at].start] if opens < at else ""
    span = text[tokens[start].start : tokens[end - 1].end]
    clause = end > at + 1 and _stands_alone(span, words, code)
    harmless = _HARMLESS | {Kind.MODALITY} if clause else _HARMLESS
    if words.comparing.search(before) or any(
        operator.kind not in harmless for operator in read_in(code, span).operators
    ):
        return False
    deciding = {Kind.MODALITY, Kind.CONDITION, Kind.EXCEPTION, Kind.NEGATION}
    operators = [operator for operator in read_in(code, before).operators if operator.kind in deciding]
    if not operators:
        return _is_subject(tokens, opens, at, words)
    last = operators[-1]
    if last.kind is Kind.MODALITY:
        return last.value in _NARROWED
    # A comma before the list may close the condition, and what comes then is the rule itself.
    first = min(_item_starts(tokens, at - (tokens[at - 1].text == ","), words), default=at)
    listed = any(token.text == "," for token in tokens[first : at - 1])
    open_end = listed and not any(
        tokens[end].text == "," for end in _last_items(tokens, at, words) if end < len(tokens)
    )
    closed = open_end or any(token.text == "," for token in tokens[opens:first])
    return last.kind is Kind.CONDITION and last.value in _NARROWED and not closed


def _is_subject(tokens: Sequence[_Token], opens: int, at: int, words: PartWords) -> bool:
    """Whether `or` is in a subject that means anybody: no finite verb before it, one after it."""
    before, after = tokens[opens:at], [token.text for token in tokens[at + 1 :]]
    finite = words.finite
    if not before or any(token.text in finite for token in before) or not any(word in finite for word in after):
        return False
    if words.anybody:
        return before[0].text in words.anybody
    verb = next(word for word in after if word in finite)
    # The landlord or the tenant shall pay: one of the two is enough.
    return verb == "may" or not any(token.text in words.definite for token in before)
