"""Tokens of an English legal text (words, figures, symbols, references, designators), stems and plain figures."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from rag.languages.en import operator_words as words

_LEVELS = "|".join(sorted(words.NUMBERED_LEVELS.split(), key=len, reverse=True))
_TAIL = r"(?:\([0-9a-zA-Z]{1,5}(?:-[0-9a-z]{1,3})?\))"
_TOKEN = re.compile(
    rf"""(?P<ref>\b\d+\s(?:C\.?\s?F\.?\s?R\.?|U\.?\s?S\.?\s?C\.?)(?:\s?§§?|\spart|\ssection)?\s?\d\w*(?:[.:~-]\w+)*{_TAIL}*
        | §§?\s?\d\w*(?:[.:~-]\w+)*{_TAIL}* | §§?\s?{_TAIL}+
        | \b(?i:{_LEVELS})s?\.?\s(?:\d\w*(?:[.:~-]\w+)*{_TAIL}*|{_TAIL}+|[IVXLC]+\b|[A-Z]\b)
        | \b\d+[A-Za-z]?[:~-]\d\w*(?:[.:~-]\w+)*{_TAIL}*)
      | (?P<enum>\((?:\d{{1,3}}|[A-Za-z]|[ivxlcdm]{{1,6}}|([a-z])\3)(?:-\d+)?\))
      | (?P<num>(?:\d{{1,3}}(?:,\d{{3}})+(?!\d)|\d+)(?:\.\d+)?(?:/\d+)?)(?P<ord>(?:st|nd|rd|th)\b)?
      | (?P<sym>[$€£¥%¢]) | (?P<amp>&)
      | (?P<word>\b(?:[A-Za-z]\.){{2,}}[A-Za-z]?|[^\W\d_]+(?:'[^\W\d_]+)?)
      | (?P<punct>[;:,.])""",
    re.VERBOSE,
)
_FIGURES = {word: str(value) for value, word in enumerate(words.CARDINALS.split())}
_CONTRACTED = {"can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not"}


@dataclass(frozen=True, slots=True)
class Token:
    """A token: `kind` is word, num, ordinal, enum, sym, ref or punct; `text` is lower case; `raw` as printed."""

    kind: str
    text: str
    raw: str


def tokenise(folded: str) -> list[Token]:
    """The tokens of a folded text in order; contractions are written out, possessive endings dropped."""
    out: list[Token] = []
    for match in _TOKEN.finditer(folded):
        kind, raw = match.lastgroup or "", match[0]
        if kind == "ord":
            kind = "ordinal"
        elif match["num"]:
            kind = "num"
        elif match["enum"]:
            kind = "enum"
        if kind != "word":
            out.append(Token("word" if kind == "amp" else kind, "and" if kind == "amp" else raw.lower(), raw))
            continue
        text = raw.lower().replace(".", "")
        if text in _CONTRACTED or text.endswith("n't"):
            text = _CONTRACTED.get(text, f"{text[:-3]} not")
        elif "'" in text and text.endswith("'s"):
            text = text[:-2]
        out.extend(Token("word", part, raw) for part in text.split())
    return out


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A rough English stem for comparing inflections; the same for singular and plural, present and past."""
    irregular = IRREGULAR.get(word)
    if irregular is not None:
        word = irregular
    elif len(word) > 3:
        if word.endswith("ies"):
            word = word[:-3] + "y"
        elif word.endswith(("sses", "ches", "shes", "xes")):
            word = word[:-2]
        elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
            word = word[:-1]
        if word.endswith("eed") and len(word) > 5 and word not in _EED:
            word = word[:-1]
        for ending in ("ing", "ied", "ed"):
            if word.endswith(ending) and len(word) - len(ending) > 2 and not word.endswith("eed"):
                word = word[: -len(ending)] + ("y" if ending == "ied" else "")
                if word[-1] == word[-2] and word[-1] not in "aeiouls":
                    word = word[:-1]
                break
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 3 and word.endswith("y"):
        word = word[:-1] + "i"
    return word


def stem_or_figure(word: str) -> str:
    """The same; of a number that is written out its figure, as "2 or more trustees" has it."""
    return _FIGURES.get(word) or stem(word)


_EED = {"proceed", "exceed", "succeed", "indeed", "speed", "breed", "linseed"}
IRREGULAR = {
    "paid": "pay", "made": "make", "given": "give", "gave": "give", "held": "hold", "sold": "sell", "bought": "buy",
    "kept": "keep", "sent": "send", "taken": "take", "took": "take", "brought": "bring", "begun": "begin",
    "began": "begin", "men": "man", "women": "woman", "children": "child", "wrote": "write", "written": "write",
    "chosen": "choose", "found": "find", "lost": "lose", "met": "meet", "left": "leave", "got": "get",
    "obtained": "obtain", "dying": "die", "lying": "lie", "beginning": "begin", "bases": "basis", "shown": "show",
    "known": "know", "knew": "know", "became": "become", "arisen": "arise", "arose": "arise", "lent": "lend",
    "built": "build", "bound": "bind", "drawn": "draw", "sought": "seek", "borne": "bear", "ran": "run",
}  # fmt: skip
IRREGULAR_PLURALS = frozenset({"men", "women", "children", "bases"})
PARTICIPLES = set(IRREGULAR) - IRREGULAR_PLURALS - {"dying", "lying", "beginning", "gave", "took"}


def plain_number(raw: str) -> str:
    """A figure without grouping, leading zeros and trailing fractional zeros."""
    whole, point, rest = raw.replace(",", "").partition(".")
    whole = whole.lstrip("0") or "0"
    if "/" in rest:
        return f"{whole}.{rest}"
    if rest == "000":
        return f"{whole}.{rest}"  # elsewhere a thousand
    rest = rest.rstrip("0")
    return f"{whole}.{rest}" if point and rest else whole


def comparable_reference(raw: str) -> str:
    """A reference in comparable form: `§ 5(b)` and `section 5(b)` give `section 5(b)`."""
    text = re.sub(r"[§]+|\bsecs?\b\.?", "section ", raw.lower())
    text = re.sub(r"\bsubsecs?\b\.?", "subsection ", text)
    text = re.sub(rf"\b({_LEVELS})s\b", r"\1", text)
    text = re.sub(r"\s+", " ", text.replace(".", "") if re.match(r"\d+\s?[cu]", text) else text).strip()
    return text if re.match(r"[a-z]|\d+ [cu]", text) else f"section {text}"
