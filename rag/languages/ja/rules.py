"""Japanese legal language: what `rag/ingest` looks for in law written in Japanese.

Fictions and presumptions (みなす, 推定する) define nothing. What is defined with 以下 holds from that place on; the
scope is then the law, and the phrase says 以下.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from rag.languages.base import PassageRules
from rag.languages.ja.script import Brackets, fold
from rag.law.entries import TermLists
from rag.law.jurisdiction import DocumentIndex
from rag.law.nodes import CITING_TYPES, Definition, ParsedNode
from rag.law.own_words import OwnPhrases
from rag.law.passages import Citation, Passage, after_number, clause_start
from rag.law.patterns import lazy
from rag.law.phrases import CountsAs, ExceptionPhrase, LinkPhrases
from rag.law.scopes import MAX_REST, rest_of
from rag.law.term_uses import NO_SENSES, Senses, TermRules, Token

# Finding what a provision of Japanese law defines: とは、…をいう, 以下「…」という, lists of terms, and 以下同じ.

_QUOTED = re.compile(r"「([^「」]{1,60})」")
_RUN = r"(?P<terms>「[^「」]{1,60}」(?:(?:、|及び|又は|若しくは|並びに|・)?「[^「」]{1,60}」){0,7})"
_MEANS = re.compile(_RUN + r"とは(?!いえ|言え|なら|しな|別|異な|認め)[、,]?")
_HOLDS = re.compile(_RUN + r"には、?(?=[^。]{1,200}を含む)")  # 「販売」には、…を含むものとする
_CALLED = re.compile(_RUN + r"(?:と(?:いう|総称する|略称する|称する)(?=[。、)]|\Z)|といい、)")
_SAME = re.compile(
    r"(?P<kind>をいう|をいい[^。]{0,120}|を含む|を含み[^。]{0,120}|を除く|に限る)。(?P<scope>[^「」。]{0,60}?)(?P<same>同じ)。?\Z"
)
LIST_LEAD = re.compile(
    r"用語の(?:意義|定義|意味)|(?:用語|語句)は[^。]{0,40}(?:意義|意味)|次に(?:掲げる|定める)[^。]{0,12}用語"
)
_LISTED = re.compile(r"「?(?P<term>[^\s「」。、()]{1,40}(?:\([^()]{1,60}\))?)」?\s(?=\S)")
# A noun that stands alone before a bracket; hiragana that joins it to words before makes its start a guess.
_NOUN = re.compile(r"(?P<noun>[一-龠々ァ-ヺー]{2,24})\Z")
# What ends a phrase before a noun, which begins there: 公園内における移動販売車.
_OPEN = re.compile(
    r"(?:[、。()「」\s]|[はがをにでと]|又は|及び|若しくは|並びに|その他|における|による|に関する|に係る|に対する|に基づく|のうち)\Z"
)
_IN = re.compile(
    r"(?:において(?:は)?|にあつては|にあっては|では|における|で|については)[、,]?"
    r"(?:[^、。「」()\s]{1,20}(?:について|に関し|に係る)(?:は)?)?(?:単に|それぞれ|、)?\Z"
)
# 第一項の「凧」とは: what is defined is the word that is there.
_OF = re.compile(r"\s*(?:の|に規定する|に掲げる|に定める|にいう)\Z")
_INNER = re.compile(r"[（(][^（）()]*[）)]")
_JOINT = re.compile(r"(?:、|及び|並びに|又は|若しくは|から|まで|\s){0,4}\Z")
_SAYS_WHERE = re.compile(r"以下|[条項号章節款編][^。]{0,20}において")
_FOR = re.compile(
    r"(?:の規定)?の適用について|において(?:は)?|については"
)  # after the provisions that a scope phrase names
_POINTS = re.compile(r"に規定する[^。、をにがで]{1,30}をいう。?\Z")
_RELATIONS = (("をい", "means"), ("含", "includes"), ("除", "excludes"), ("限", "excludes"))
_MAX_PHRASE = 80
_MAX_SENTENCE = 2_000
_NEAR = 60  # characters between とは and the provision whose meaning it takes


@dataclass(frozen=True, slots=True)
class _Hit:
    term: str
    start: int  # of the words that may hold a scope phrase
    at: int  # where they end
    end: int  # of the defining words
    relation: str = "means"
    points: tuple[int, int] | None = None  # words that may only point to another provision
    words: tuple[int, int] | None = None  # that say what is meant, of a definition in a bracket


class JapaneseDefinitions:
    """Finds the definitions of one document; asked node by node in document order."""

    def __init__(self, index: DocumentIndex, terms: TermRules, passage_of: Callable[[str], Passage]) -> None:
        self._index = index
        self._terms = terms
        self._passage_of = passage_of

    def definitions(self, passage: Passage) -> list[Definition]:
        """The definitions that this node makes, each with its scope."""
        if passage.node.kind == "decision" or not passage.text:
            return []
        known: set[str] = set()
        out: list[Definition] = []
        for hit in sorted(self._hits(passage), key=lambda one: one.at):
            plain = self._terms.normalise(hit.term)
            if not plain or plain in known or not any(char.isalnum() for char in plain):
                continue
            known.add(plain)
            out.extend(self._scoped(passage, hit))
        return out

    def scope_said(self, passage: Passage, start: int, end: int) -> tuple[tuple[str, ...], str, bool]:
        """See `DefinitionFinder`."""
        cited = [one for one in _cited(passage, start, end) if _FOR.match(passage.text, one.whole_end)]
        urns = self._nodes(passage, cited)
        words = passage.text[cited[0].whole_start : cited[-1].whole_end] if cited else ""
        return urns, words, not urns

    # Ways of defining

    def _hits(self, passage: Passage) -> Iterator[_Hit]:
        text = fold(passage.text)
        brackets = Brackets(text)
        for match in _MEANS.finditer(text):
            if brackets.quoted(match.start()):
                continue  # words of another provision
            start = _sentence_start(text, match.start())
            for term in _QUOTED.findall(match["terms"]):
                yield _Hit(term, start, match.start(), match.end(), points=_sentence_from(text, match.end()))
        for match in _HOLDS.finditer(text):
            if not brackets.quoted(match.start()):
                start = _sentence_start(text, match.start())
                for term in _QUOTED.findall(match["terms"]):
                    yield _Hit(term, start, match.start(), match.end(), "includes")
        for match in _CALLED.finditer(text):
            if brackets.quoted(match.start()):
                continue
            start = max(_sentence_start(text, match.start()), _bracket_start(text, match.start()))
            bracket = _bracket_start(text, match.start())
            words = (clause_start(text, bracket - 1), match.end()) if bracket else None
            for term in _QUOTED.findall(match["terms"]):
                yield _Hit(term, start, match.start(), match.end(), words=words)
        if "同じ" in text:
            yield from self._same(text, brackets, {citation.whole_end for citation in passage.citations})
        yield from self._listed(passage.node, text)

    def _same(self, text: str, brackets: Brackets, cited: set[int]) -> Iterator[_Hit]:
        """航空機乗組員(…をいう。以下同じ。): the noun before the bracket, where its start is no guess."""
        for first, last in brackets.pairs:
            inner = max(first + 1, last - 320)
            match = _SAME.search(text, inner, last)
            noun = _NOUN.search(text, max(0, first - 40), first)
            if match is None or noun is None or first in cited or not _SAYS_WHERE.search(match["scope"]):
                continue
            before = text[max(0, noun.start() - 6) : noun.start()]
            if before and not _OPEN.search(before):
                continue
            relation = next(value for sign, value in _RELATIONS if sign in match["kind"])
            yield _Hit(
                noun["noun"], match.start("scope"), match.start("same"), match.end(), relation,
                points=(inner, match.end("kind")) if match["kind"] == "をいう" else None, words=(inner, last),
            )  # fmt: skip

    def _listed(self, node: ParsedNode, text: str) -> Iterator[_Hit]:
        """An item of a list of terms: its first column is the term."""
        parent = self._index.tree.parent(node)
        if parent is None or node.structure_type in CITING_TYPES or not LIST_LEAD.search(parent.intro_text):
            return
        match = _LISTED.match(text, after_number(text))
        if match is not None:
            term, points = match["term"].partition("(")[0], _sentence_from(text, match.end())
            yield _Hit(term, 0, 0, match.end(), points=points)

    # Scope

    def _scoped(self, passage: Passage, hit: _Hit) -> Iterator[Definition]:
        relation, reference = self._relation(passage, hit)
        urns, phrase = self._phrase(passage, hit)
        parent = self._index.tree.parent(passage.node)
        if not urns and not phrase and parent is not None and hit.at == 0:
            lead = self._passage_of(parent.urn)
            found = re.search(r"において", parent.intro_text)
            urns, phrase = self._phrase(lead, replace(hit, at=found.end(), end=found.end())) if found else ((), "")
        inferred = not urns and "以下" not in phrase
        if not urns and inferred and phrase:
            # The provisions it names are not in this text: then it reaches no further than its own.
            urns = ((self._index.section(passage.node) or passage.node).urn,)
        for urn in urns or (self._whole(passage.node).urn,):
            yield Definition(
                hit.term,
                passage.node.urn,
                urn,
                relation,
                inferred,
                phrase,
                reference,
                words=hit.words or (hit.at, None),
            )

    def _phrase(self, passage: Passage, hit: _Hit) -> tuple[tuple[str, ...], str]:
        """The nodes that the words before a term name as its scope, and these words; no node for 以下 alone."""
        text, start, end = passage.text, hit.start, hit.at
        within = [citation for citation in _cited(passage, start, end) if citation.whole_end <= end]
        # What a bracket leaves out of the place, この法律（第三条を除く。）において, is no place of its own.
        outer = text[:start] + _INNER.sub(lambda match: " " * len(match[0]), text[start:end])
        cited = [citation for citation in within if not outer[citation.whole_start : citation.whole_end].isspace()]
        of = hit.points is not None and cited and _OF.match(outer, cited[-1].whole_end)
        if not cited or not (of or _IN.search(outer[cited[-1].whole_end :])):
            here = text.find("以下", start, end)
            if here < 0 and _IN.search(text[start:end]) and _SAYS_WHERE.search(text[start:end]):
                return (), text[start:end][-_MAX_PHRASE:]  # a place that is no provision: a row of a table
            return (), text[here : hit.end].rstrip("、。, ")[:_MAX_PHRASE] if here >= 0 else ""
        listed = [cited[-1]]
        for one in reversed(cited[:-1]):
            if one.whole_start != listed[0].whole_start and not _JOINT.match(
                text[one.whole_end : listed[0].whole_start]
            ):
                break
            listed.insert(0, one)
        here = text.find("以下", start, listed[0].whole_start)
        words = text[here if here >= 0 else listed[0].whole_start : end]
        out = [
            citation
            for citation in within
            if citation not in cited and "除" in text[citation.whole_end : citation.whole_end + 8]
        ]
        return self._without(self._nodes(passage, listed), self._nodes(passage, out)), re.sub(
            r"(?:単に|それぞれ|[、,\s])+\Z", "", words
        )[:_MAX_PHRASE]

    def _without(self, urns: tuple[str, ...], excepted: tuple[str, ...]) -> tuple[str, ...]:
        """Nodes that cover a scope but for what is left out; the scope where these would be too many."""
        rest = tuple(part for urn in urns for part in rest_of(self._index, urn, set(excepted))) if excepted else urns
        return rest if len(rest) <= MAX_REST else urns

    def _nodes(self, passage: Passage, cited: list[Citation]) -> tuple[str, ...]:
        urns: list[str] = []
        for citation in cited:
            found = self._index.node(citation.urn) if citation.urn else None
            if found is None:
                # この法律 in a supplementary provision is the amending law: what is printed of it is that provision.
                law = re.fullmatch(r"(?:この|本)\S{0,3}[法令則例程]律?", passage.text[citation.start : citation.end])
                urns.extend([self._whole(passage.node).urn] if law else [])
                continue
            if citation.range == "end" and urns:
                urns.extend(self._between(urns[-1], found))
            urns.append(found.urn)
        return tuple(dict.fromkeys(urns))

    def _between(self, first: str, last: ParsedNode) -> list[str]:
        order = [node.urn for node in self._index.tree.nodes if node.level == last.level]
        return order[order.index(first) + 1 : order.index(last.urn)] if first in order else []

    def _whole(self, node: ParsedNode) -> ParsedNode:
        """The law, or the supplementary provision, which is a text of its own."""
        inside = (unit for unit in self._index.chain(node) if unit.level == "supplementary")
        return next(inside, self._index.root)

    def _relation(self, passage: Passage, hit: _Hit) -> tuple[str, str]:
        """`reference` where the meaning is only said to be that of a provision: 第二条に規定する空港をいう."""
        start, end = hit.points or (0, 0)
        for citation in _cited(passage, start, min(end, start + _NEAR)):
            if _POINTS.match(passage.text, citation.whole_end, end):
                return "reference", citation.urn
        return hit.relation, ""


def _cited(passage: Passage, start: int, end: int) -> Sequence[Citation]:
    """The citations whose reference begins in a span."""
    first, last = (bisect_left(passage.citations, at, key=lambda one: one.whole_start) for at in (start, end))
    return passage.citations[first:last]


def _sentence_from(text: str, start: int) -> tuple[int, int]:
    """The span from a place to the end of its sentence."""
    stop = text.find("。", start, start + _MAX_SENTENCE)
    return start, len(text) if stop < 0 else stop + 1


def _sentence_start(text: str, at: int) -> int:
    low = max(0, at - _MAX_SENTENCE)
    stop = text.rfind("。", low, at)
    while stop >= 0 and text[stop + 1 : stop + 2] == ")":  # the end of a bracket's words
        stop = text.rfind("。", low, stop)
    return max(low, stop + 1, text.rfind("\n", low, at) + 1)


def _bracket_start(text: str, at: int) -> int:
    """The place after the bracket that is open at a place; 0 where none is."""
    depth = 0
    for position in range(at - 1, max(-1, at - 400), -1):
        if text[position] == ")":
            depth += 1
        elif text[position] == "(":
            if depth == 0:
                return position + 1
            depth -= 1
    return 0


# Japanese terms in use: sign by sign, bounded where the script changes, never a part of a longer compound.

_QUOTES = "「」『』“”\"'（）()［］ "
# What may be right before a term, or right after it, and be no part of a compound with it.
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

    names_by_capital = False
    opening = 1

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

    def verb_forms(self, keys: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
        """None."""
        return ()

    def is_use(
        self, text: str, tokens: Sequence[Token], first: int, last: int, *, heading: bool, senses: Senses = NO_SENSES
    ) -> bool:
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


_BRACKET = r"(?:[（(][^（）()]{0,200}[）)])?"
_PLAIN = re.compile(rf"{_BRACKET}(?:の規定|の定め|の各規定|に規定する期間|の期間)?")
_UNAPPLIED = r"(?:この限りで(?:は)?ない|適用しない|適用せず|適用がない|適用されない|準用しない)"
# Of what is not applied, the part that is taken out goes on to apply: "この章（第二条を除く。）の規定は、適用しない".
# Only where the rest is applied is what is named not: not in "第四条（第三号を除く。）の規定により取り消された者".
_CARVED = re.compile(
    rf"(?:に係る(?:部分|もの)|の規定)?を除(?:き|く)(?!。?[）)][^。]{{0,200}}?{_UNAPPLIED})"
    r"(?=。?[）)]?(?:[^。]|。[）)]){0,400}?(?:適用|準用)(?:する|し|され))"
)
_NEVER = re.compile(r"(?!)")
# What a provision is about, between it and the words that take it back: 第二条の登録, 次条に定める場合.
_NOUN_OF = re.compile(
    rf"{_BRACKET}(?:の規定)?(?:(?:の|に(?:よる|より|規定する|掲げる|定める|該当する|基づく))[^、。（）()]{{1,40}})?"
)

_KIND = r"(?P<word>規約|契約|約款|規則|規程|条例|要綱|協定|内規|細則)(?![人書金者])"
_OWN = OwnPhrases(
    lazy(rf"(?:この|本)(?P<middle>){_KIND}(?P<many>)"),
    lazy(_KIND),
    told_by="use",
    in_compounds=True,
)

JAPANESE_LINKS = LinkPhrases(
    own=_OWN,
    exceptions=(
        # 第百条第一項の規定にかかわらず: this provision overrides the one before the words.
        ExceptionPhrase("notwithstanding", re.compile(r"に(?:かかわらず|拘らず|拘わらず)"), "before", _PLAIN),
        # 第四条第一項（第三号を除く。）: what is named is taken out.
        ExceptionPhrase("disapplies", _CARVED, "before", re.compile("")),
        # 第三項に規定する場合を除き: this provision yields in the case of the one named.
        ExceptionPhrase(
            "subject_to",
            # 前項に定めるものを除くほか: what is told there is beside this.
            re.compile(r"(?:場合|とき|者)を除くほか|(?:場合|とき|もの|者)を除(?:き|く(?!ほか)|いて|いては)"),
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
        # 次に掲げる者については、前条の規定を適用しない: the same as an object.
        ExceptionPhrase(
            "disapplies", re.compile(rf"を(?={_UNAPPLIED}(?:。|、|\Z))"), "before", re.compile(rf"{_BRACKET}の規定")
        ),
        # ただし、次条に定める場合は、この限りでない: this provision yields in the case of the one named.
        ExceptionPhrase("subject_to", re.compile(r"は、?この限りで(?:は)?ない"), "before", _NOUN_OF),
        # 第二条の登録を免除することができる, 第二条の届出を要しない: what is named is not asked for.
        ExceptionPhrase(
            "limits",
            re.compile(r"を(?=(?:免除|猶予|減免|減額|緩和|停止)(?:し(?!た)|する|され(?!て|た))|要しない|要せず|必要としない|しないことができる)|によらない(?:こと|もの|で(?![^。]{0,60}とき。?\Z))|によらず"),
            "before", _NOUN_OF,
        ),
        # 第二条の規定は、…に限り適用する; …の適用については、同条中「百円」とあるのは「五十円」とする.
        ExceptionPhrase(
            "limits",
            re.compile(
                r"(?<!とき)(?<!場合)(?:の規定)?は(?=[^。]{0,120}?(?:(?:に限り|についてのみ|に対してのみ)、?適用|ことを要しない|を必要としない|免除(?:する|され)))"
                r"|の適用については(?=[^。]{0,40}「[^」]{1,200}」とあるのは)"
            ),
            "before", _NOUN_OF,
        ),
        # 第五条に規定する冊数については、条例で別段の定めをすることを妨げない.
        ExceptionPhrase(
            "limits",
            re.compile(r"(?:については|に関し(?:て(?:は)?)?|は)(?=[^。]{0,60}別段の(?:定め|規定)を[^。]{0,12}(?:妨げない|できる))"),
            "before", _NOUN_OF,
        ),
        ExceptionPhrase("notwithstanding", re.compile(r"に優先(?:し|する)"), "before", _PLAIN),
    ),
    no_target=_NEVER,
    speaks_of_meaning=re.compile(
        r"「([^」]{1,20})」(?:とは|には[、,])|(?:\A|(?<=[。、]))([一-龠ァ-ヶー]{2,10})とは[、,]"
        r"|(?<!罰則)の適用については、[^。]{1,80}?(?<![一-龠ァ-ヶー])([一-龠ァ-ヶー]{2,10})とみなす"
    ),
    counting=re.compile(r"含む|みなす"),
    counts=(
        CountsAs("includes", re.compile(r"(?:\A|[、。])\Z"), re.compile(r"(?:に)?は、?[^。]{1,120}を含むもの")),
        CountsAs("includes", re.compile(r"[、はを]\Z"), re.compile(r"とみなす")),
    ),
    duty=re.compile(r"なければならない|してはならない|必要とする|要する"),
    carve=re.compile(r"[（(](?=[^（）()]{1,120}を除く。?[）)])"),
    governed_clause=re.compile(r"(?:により|に基づき|に基づく|に基き)\Z"),
    aside=re.compile(r"[（(][^（）()]{1,200}を除く。?[）)]\Z"),
    list_joint=re.compile(
        rf"{_BRACKET}(?:[、,]\s?)?(?:及び|並びに|又は|若しくは|から|まで)?\s?"
    ),
)  # fmt: skip

JAPANESE = PassageRules("ja", TermLists(LIST_LEAD), JAPANESE_LINKS, JapaneseTerms(), JapaneseDefinitions)
