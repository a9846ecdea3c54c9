"""Japanese legal language: what `rag/ingest` looks for in law written in Japanese."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from rag.languages.ja.definitions import JapaneseDefinitions
from rag.law.phrases import ExceptionPhrase, LinkPhrases
from rag.law.term_uses import TermRules, Token

# Japanese terms in use: sign by sign, bounded where the script changes, never a part of a longer compound.

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


if TYPE_CHECKING:
    from rag.law.jurisdiction import DocumentIndex, Jurisdiction
    from rag.law.passages import Passage

_BRACKET = r"(?:[（(][^（）()]{0,200}[）)])?"
_PLAIN = re.compile(rf"{_BRACKET}(?:の規定|の定め|の各規定|に規定する期間|の期間)?")
_UNAPPLIED = r"(?:適用しない|適用せず|適用がない|適用されない|準用しない)"
# Of what is not applied, the part that is taken out goes on to apply: "この章（第二条を除く。）の規定は、適用しない".
_CARVED = re.compile(rf"(?:に係る(?:部分|もの)|の規定)?を除(?:き|く)(?!。?[）)][^。]{{0,200}}?{_UNAPPLIED})")
_NEVER = re.compile(r"(?!)")

JAPANESE_LINKS = LinkPhrases(
    exceptions=(
        # 第百条第一項の規定にかかわらず: this provision overrides the one before the words.
        ExceptionPhrase("notwithstanding", re.compile(r"に(?:かかわらず|拘らず|拘わらず)"), "before", _PLAIN),
        # 第四条第一項（第三号を除く。）: what is named is taken out.
        ExceptionPhrase("disapplies", _CARVED, "before", re.compile("")),
        # 第三項に規定する場合を除き: this provision yields in the case of the one named.
        ExceptionPhrase(
            "subject_to",
            re.compile(r"(?:場合|とき|もの|者)を除(?:き|く|くほか|いて|いては)"),
            "before",
            re.compile(rf"{_BRACKET}(?:の規定)?(?:の|に(?:よる|より|規定する|掲げる|定める|該当する|基づく|別段の)?[^、。（）()]{{0,60}})"),
        ),
        ExceptionPhrase(
            "subject_to",
            re.compile(r"別段の(?:定め|規定)(?:が|の)?ある(?:もの|場合|とき)?を除"),
            "before",
            re.compile(rf"{_BRACKET}(?:その他[^、。（）()]{{0,30}})?に"),
        ),
        # 第五条の規定の適用を妨げない: what is named stays as it is beside this provision.
        ExceptionPhrase(
            "subject_to", re.compile(r"(?:の規定)?の適用を妨げ(?:ない|るものではない)"), "before", re.compile(_BRACKET)
        ),
        # 第五条の規定は、…には適用しない: the subject is put out of force for a case.
        ExceptionPhrase(
            "disapplies",
            re.compile(
                rf"(?:の規定)?[はも](?=[、,]?(?:[^。（(]|[（(][^（）()]{{0,200}}[）)]){{0,200}}?(?P<verb>{_UNAPPLIED})(?:。|、|もの|\Z))"
            ),
            "before",
            re.compile(rf"{_BRACKET}(?:の規定)?"),
        ),
    ),
    no_target=_NEVER,
    governed_clause=re.compile(r"(?:により|に基づき|に基づく|に基き)\Z"),
    aside=re.compile(r"[（(][^（）()]{1,200}を除く。?[）)]\Z"),
    list_joint=re.compile(
        rf"{_BRACKET}(?:[、,]\s?)?(?:及び|並びに|又は|若しくは|から|まで)?\s?"
    ),
)  # fmt: skip


class Japanese:
    """See `LanguageRules`."""

    language = "ja"
    links = JAPANESE_LINKS
    terms: TermRules = JapaneseTerms()

    def definition_finder(
        self, index: DocumentIndex, jurisdiction: Jurisdiction, passage_of: Callable[[str], Passage]
    ) -> JapaneseDefinitions:
        """See `LanguageRules`."""
        return JapaneseDefinitions(index, self.terms, passage_of)
