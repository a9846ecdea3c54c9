"""Japanese terms in use: sign by sign, bounded where the script changes, never a part of a longer compound."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from rag.ingest.term_uses import Token

_QUOTES = "「」『』“”\"'（）()［］ "
# What may stand right before a term, or right after it, and be no part of a compound with it.
_BEFORE = re.compile(
    r"(?:当該|同|各|該|本|全|他|前記|上記|又は|及び|並びに|若しくは|[0-9〇一二三四五六七八九十百千]|[条項号])\Z"
)
_AFTER = re.compile(
    r"又は|及び|並び|若し|等|以外|以上|以下|以内|自体|相互|毎|内|外|中|上|間|側|別|各|当該|第[0-9〇一二三四五六七八九十百千]"
)
_LOOK = 4  # signs beside a term that decide


class JapaneseTerms:
    """See `TermRules`. There are no spaces and no inflection: a term is found sign by sign, the longest first.

    A term that begins or ends in kanji is used only where the run of kanji begins or ends with it; the same holds of
    katakana, and of Latin letters and digits. So a term inside a longer word is no use, unless that word is itself a
    term, and then it is the use of that one.
    """

    def normalise(self, term: str) -> str:
        """NFKC, lower case, without quotation marks and spaces."""
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", term).casefold())
        # Without its space an accent that stood alone joins the sign before it.
        return unicodedata.normalize("NFKC", "".join(text.split())).strip(_QUOTES)

    def tokens(self, text: str) -> list[Token]:
        """Every sign but white space, each a token."""
        return [Token(at, at + 1, _key(sign), sign) for at, sign in enumerate(text) if not sign.isspace()]

    def forms(self, keys: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
        """The keys as they are."""
        return (keys,)

    def is_use(self, text: str, tokens: Sequence[Token], first: int, last: int, *, heading: bool) -> bool:
        """Whether a term stands by itself: no sign of its own script goes on before or after it."""
        start, end = tokens[first].start, tokens[last].end
        if end - start < 2 and _script(text[start]) != "kanji":
            return False
        before, after = text[max(0, start - _LOOK) : start], text[end : end + _LOOK]
        first_script, last_script = _script(text[start]), _script(text[end - 1])
        # Hiragana goes on with particles, which belong to no word.
        opens = not before or not first_script or _script(before[-1]) != first_script or _BEFORE.search(before)
        closes = not after or not last_script or _script(after[0]) != last_script or _AFTER.match(after)
        return bool(opens and closes)


def _key(sign: str) -> str:
    if sign.isascii():
        return sign.lower()
    return unicodedata.normalize("NFKC", sign).casefold() if sign >= "\uff00" else sign


def _script(sign: str) -> str:
    """The script of a sign, empty for hiragana; each sign of no script is one of its own."""
    if "一" <= sign <= "龠" or sign in "々〆":
        return "kanji"
    if "ァ" <= sign <= "ヺ" or sign == "ー":
        return "katakana"
    if sign.isalnum() and not "ぁ" <= sign <= "ん":
        return "latin"
    return "" if "ぁ" <= sign <= "ん" else f"sign {sign}"
