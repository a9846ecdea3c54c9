"""Japan: laws by article, paragraph and item, by name or law number, and decisions by case number."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from rag.jurisdictions.grammar.english_names import EnglishNames
from rag.jurisdictions.grammar.kernel import CountryLaw, apart, doubted
from rag.jurisdictions.grammar.signals import unframed
from rag.jurisdictions.jp.kanji import CASE_NUMBER, CaseNumber, case_of, read_date
from rag.jurisdictions.jp.law_names import ENGLISH, ENGLISH_ALONE, LETTERS
from rag.jurisdictions.jp.laws import NameReader, known_law, law_of_number, names_in
from rag.jurisdictions.jp.reader import Item, items
from rag.jurisdictions.jp.resolver import Place, Resolver
from rag.languages.ja.script import Brackets, fold
from rag.law.jurisdiction import ONWARDS, SEVERAL, FoundReference, Jurisdiction, ReferenceContext, ReferencePart
from rag.law.patterns import lazy
from retrieval.tag_query import NORMALIZE_PATTERNS, TagFilter, TagFilterOp, TagFilterSet, TagQuery, urn_query

# Decisions: case numbers, courts with the day of the decision, and the reports that print them.

# What a case mark says; marks of one court alone name it.
_SUPREME = frozenset(
    "オ 受 テ ク 許 マ 行ツ 行ヒ 行テ 行ト 行フ 行許 あ さ し す み も き れ".split()  # noqa: SIM905
)
_COURT = (
    r"(?P<supreme>最高裁(?:判所)?|最(?=[一二三]小|大|判|決))(?P<bench>第?[一二三]小(?:法廷)?|大(?:法廷)?)?"
    r"|(?P<intellectual>知財高裁|知的財産高等裁判所)"
    r"|(?P<place>[一-龠]{2,4}?)(?P<kind>地方裁判所|高等裁判所|家庭裁判所|簡易裁判所|地裁|高裁|家裁|簡裁|地判|高判)"
    r"(?:[一-龠]{1,4}支部)?"
    r"|(?P<old>大審院|大(?:連)?[判決](?=明治|大正|昭和|[明大昭]))"
)
_REPORT = (
    r"(?:民集|刑集|集民|集刑|裁判集民事|裁判集刑事|判時|判例時報|判タ|判例タイムズ|高民集|下民集|行集|民録|刑録|労判|"
    r"金判|金法)"
)
_DIGIT = "[0-9〇一二三四五六七八九十百]"
_REPORTED = rf"{_REPORT}\s?{_DIGIT}{{1,5}}\s?[巻号輯]?(?:\s?{_DIGIT}{{1,3}}\s?号)?\s?{_DIGIT}{{1,5}}\s?(?:頁|ページ)?"
_REPORT_ALONE = lazy(rf"(?={_REPORTED}\Z)(?P<name>{_REPORT}).{{2,30}}")
_TEXT = lazy(rf"(?P<report>{_REPORTED})|{CASE_NUMBER}")
_QUERY = lazy(
    rf"(?:(?:{_COURT})\s?)?(?P<before>[^()]{{0,40}}?)(?P<case>{CASE_NUMBER})(?P<after>\s?(?:[^()]{{0,20}}(?:事件|判決|決定|判|決))?)\Z"
)
# What every case number or named court has; most references have neither.
_LIKE_CASE = lazy(r"[(（〔][^()（）]{1,8}[)）〕]\s?第?\s?[0-9０-９〇一二三四五六七八九十百千]|[裁審判決]")
_DATED = lazy(
    rf"(?:{_COURT})\s?(?P<day>.{{4,20}}?)\s?(?:の?(?:判決|決定|判|決|命令|審判))?(?:\s?(?:{_REPORT}).{{0,30}})?\Z"
)


def decisions(text: str) -> list[tuple[int, int]]:
    """Where a folded text cites decisions by number or report: spans in order."""
    return [match.span() for match in _TEXT.finditer(text) if match["report"] or case_of(match) is not None]


def case_queries(reference: str) -> list[TagQuery]:
    """The queries for a string that names a Japanese decision; empty where it does not.

    Each is a candidate: most marks are used by every court of a level, and publications spell courts as they like.
    """
    report = _REPORT_ALONE.fullmatch(reference)
    if report is not None:
        printed = TagFilter("alias", TagFilterOp.EQ, "".join(reference.split()))
        hint = f"the decision that {report['name']} prints there"
        return [TagQuery(language="ja", kind="decision", tag_filters=TagFilterSet((printed,)), hint=hint)]
    if _LIKE_CASE.search(reference) is None:
        return []
    text = " ".join(fold(reference).split())
    match = _QUERY.match(text)
    case = case_of(match) if match else None
    if match is not None and case is not None and not _is_name(match["before"]):
        return _by_number(case, match)
    dated = _DATED.match(text)
    day = read_date(dated["day"]) if dated else None
    if dated is None or day is None:
        return []
    court, name = _court(dated)
    filters = (court, TagFilter("date", TagFilterOp.EQ, day.isoformat()))
    return [
        TagQuery(language="ja", kind="decision", tag_filters=TagFilterSet(filters), hint=f"{name} {day.isoformat()}")
    ]


def _is_name(before: str) -> bool:
    """Whether the words between a court and a number are more than a day and the kind of decision."""
    rest = re.sub(
        r"[\s、,・.0-9〇一二三四五六七八九十元年月日/-]|明治|大正|昭和|平成|令和|判決|決定|言渡|第|小法廷|大法廷|民事部|の|事件",
        "",
        before,
    )
    return len(rest) > 2


def _by_number(case: CaseNumber, match: re.Match[str]) -> list[TagQuery]:
    """One query for each spelling of a number that publications use."""
    court, name = _court(match)
    named = bool(match["supreme"] or match["kind"] or match["intellectual"] or match["old"])
    if not named and case.mark in _SUPREME:
        name = "最高裁判所"
    hint = f"事件番号 {case.text}" + (f" ({name})" if name else "")
    plain = NORMALIZE_PATTERNS["punctuation"]
    numbers = [TagFilter("case_number", TagFilterOp.NORMALIZE, form, plain) for form in case.forms]
    filters = [TagFilterSet((number, court) if named else (number,)) for number in numbers]
    return [
        TagQuery(language="ja", kind="decision", tag_filters=tag_filter_set, hint=hint) for tag_filter_set in filters
    ]


def _court(match: re.Match[str]) -> tuple[TagFilter, str]:
    """The filter on the court and its name: what its long and its short name share."""
    if match["intellectual"]:
        return TagFilter("court", TagFilterOp.IN, ("知的財産高等裁判所", "知財高裁")), "知的財産高等裁判所"
    if match["kind"]:
        stem = match["place"] + match["kind"][0]
        return TagFilter("court", TagFilterOp.ILIKE, stem), f"{match['place']}{match['kind']}"
    if match["old"]:
        return TagFilter("court", TagFilterOp.ILIKE, "大審院"), "大審院"
    return TagFilter("court", TagFilterOp.ILIKE, "最高裁"), "最高裁判所" if match["supreme"] else ""


# References in the short forms of memos and journals, written out as the grammar reads them; only for whole strings:
# 民709Ⅰ, 民法398の2, 民法1条2、3項, 民法709条以下.

NO_WORD = "a number after the law's name, read as its article"
GLOSSED = "the words in brackets behind the provision are not read"

_ENGLISH = EnglishNames(ENGLISH, r"Japanese|Japan[’']s", r"Japan", ENGLISH_ALONE)
_N = "[0-9〇一二三四五六七八九十百千]"
_ROMANS = {chr(0x2160 + at): str(at + 1) for at in range(12)} | {chr(0x2170 + at): str(at + 1) for at in range(12)}
_CIRCLED = {chr(0x2460 + at): str(at + 1) for at in range(20)}
_SIGNS = f"[{''.join(_ROMANS)}{''.join(_CIRCLED)}]"
_ANY_SIGN = lazy(_SIGNS)
_PARAGRAPH_SIGN = lazy(rf"(?P<article>{_N}+)(?P<unit>条(?:の{_N}+){{0,3}})?\s?(?P<first>{_SIGNS})(?P<second>{_SIGNS})?")
_BRANCH = lazy(
    rf"(?P<law>\A[㐀-鿿ぁ-ヿ]{{1,40}}第?)(?P<article>{_N}{{1,4}})(?P<branch>(?:の{_N}{{1,3}}){{1,3}})"
    rf"(?![条項号]|{_N})"
)
# 1条2、3項: the first number lacks its word.
_SHARED_WORD = lazy(rf"(?<=条)(?P<first>第?{_N}{{1,3}})(?P<joint>[、,・])(?=第?{_N}{{1,3}}(?P<word>項))")
_ONWARDS = lazy(r"(?<=[条項号])(?:以下|等|ほか|外)\Z")
_GLOSS = lazy(rf"(?<=[条項号])\((?!{_N})[^()]{{2,60}}\)\Z")
_AMENDED = lazy(r"\A(?:明治|大正|昭和|平成|令和).{1,4}年(?:法律第.{1,8}号による)?(?=改正[前後])")
_CASE_IN_BRACKETS = lazy(rf"\A(?P<decision>[^()]{{4,40}})\((?P<case>[^()]{{1,8}}\([^()]{{1,4}}\)第?{_N}{{1,8}}号?)\)\Z")


def written_out(folded: str) -> str:
    """The reference with the words that its signs stand for: 709条Ⅰ② -> 709条1項2号; the same where it has none.

    Args:
        folded: the whole string, in one width (`fold`).
    """
    text = folded
    if "項" in text:
        text = _SHARED_WORD.sub(lambda match: f"{match['first']}{match['word']}{match['joint']}", text)
    if "改正" in text:
        text = _AMENDED.sub("", text)
    if text.endswith(")"):
        text = _CASE_IN_BRACKETS.sub(lambda match: f"{match['decision']} {match['case']}", text)
    return _PARAGRAPH_SIGN.sub(_paragraph, text) if _ANY_SIGN.search(text) else text


def _paragraph(match: re.Match[str]) -> str:
    numbers = _ROMANS | _CIRCLED
    item = f"{numbers[match['second']]}号" if match["second"] else ""
    return f"{match['article']}{match['unit'] or '条'}{numbers[match['first']]}項{item}"


def in_order(folded: str) -> tuple[str, str] | None:
    """A reference without what the grammar does not read, and the doubt that this leaves; None for any other.

    Args:
        folded: the whole string, in one width (`fold`).
    """
    if cited := _ENGLISH.citation(folded):
        first, *branches = cited.number.split("-")
        units = "".join(f"第{number}{unit}" for number, unit in zip(cited.path, "項号", strict=False))
        if len(cited.path) <= 2 and all(part.isdigit() for part in (first, *cited.path)):
            return f"{cited.law}第{first}条{''.join(f'の{branch}' for branch in branches)}{units}", ""
    if onwards := _ONWARDS.search(folded):
        return folded[: onwards.start()], ONWARDS
    if gloss := _GLOSS.search(folded):
        return folded[: gloss.start()], GLOSSED
    if branch := _BRANCH.match(folded):
        return f"{branch['law']}{branch['article']}条{branch['branch']}{folded[branch.end() :]}", NO_WORD
    return None


_UNSURE = "an uncertain reading, or another edition of the law; this is the one in the store"
_UNNAMED = "the law is not named"
_LETTER = lazy(
    rf"(?P<letter>{'|'.join(sorted(LETTERS, key=len, reverse=True))})\s?(?=第?\s?[0-9〇一二三四五六七八九十百千])"
)
_MAX_JOINT = 12  # signs between the provisions of one reference; more are words about them
# Signs set apart one by one: 民 法 第 七 百 九 条.
_SPACED = lazy(r"(?<!\S)(?:[^\s!-~] ){2,400}[^\s!-~](?!\S)")
_NUMBER_LAST = lazy(r"(?P<law>[㐀-鿿぀-ヿ]{2,40})\s?(?P<number>\d{1,4})\Z")
_WHOLE = NameReader(whole=True)
# Words around a reference that say nothing.
_IDLE_END = lazy(
    r"(?:の規定|の条文)?(?:を?参照|に基づ[くき]?|によ(?:り|る)|に規定する|に定める|に違反(?:する)?|の解釈)?[\s、。,.?？;；]{0,6}\Z"
)


_NO_LAW_ENDS = frozenset("号0123456789")
# With which most references end: there is nothing idle behind them.
_LAST_SIGNS = frozenset("条項号法令則0123456789)")


class Japan(CountryLaw):
    """National law of Japan."""

    code = "jp"
    name = "日本"
    language = "ja"

    def find_references(self, text: str, here: ReferenceContext | None) -> list[FoundReference]:
        """All references of a text in order; see `Jurisdiction`."""
        folded = fold(text)
        brackets = Brackets(folded)
        read = items(folded, names_in(here.index if here else None), brackets)
        found = Resolver(here, brackets).references(text, read)
        found.extend(
            FoundReference(start, end, text[start:end], (ReferencePart(start, end, ""),), "external", confident=True)
            for start, end in decisions(folded)
        )
        return apart(found)

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """See `Jurisdiction`. A law whose URN is known is asked for by it, another one by its title."""
        text = " ".join(unframed(reference, "ja").split())
        if " " in text:
            text = _SPACED.sub(lambda match: match[0].replace(" ", ""), text)
        text = fold(text[: _end(text)])
        text = written_out(text)
        if cases := case_queries(text):
            return cases
        if (law := _whole_law(text)) is not None:
            return law
        letter = _LETTER.match(text)
        hint = None
        if letter:
            title = LETTERS[letter["letter"]]
            hint = f"{letter['letter']} is read as {title}"
            text = title + text[letter.end("letter") :]
        brackets = Brackets(text)
        read = items(text, _WHOLE, brackets)
        if not read or read[0].start != 0 or read[-1].end < len(text):
            bare = _NUMBER_LAST.match(text)
            other = (f"{bare['law']}第{bare['number']}条", NO_WORD) if bare else in_order(text)
            if other is None:
                return []
            return doubted(self.tag_queries(other[0]), other[1])
        if any(after.start - before.end > _MAX_JOINT for before, after in pairwise(read)):
            return []
        targets = Resolver(None, brackets).targets(read)
        named = [
            (item, place, target.confident)
            for item, target in zip(read, targets, strict=True)
            for place in target.places
        ]
        if len(read) == 1:
            return _queries(
                text, read[0], named[0][1] if named else None, hint or ("" if named and named[0][2] else _UNSURE)
            )
        found = [query for item, place, _ in named for query in _queries(text, item, place, hint or SEVERAL)]
        return list(dict.fromkeys(found))


def _end(text: str) -> int:
    """Where a reference ends, without words and punctuation that say nothing; linear, for the end is searched from."""
    if text[-1:] in _LAST_SIGNS:
        return len(text)
    tail = max(0, len(text) - 40)
    match = _IDLE_END.search(text, tail)
    return match.start() if match else len(text)


def _whole_law(text: str) -> list[TagQuery] | None:
    """The queries for a string that is a law's name or number; None where it is neither."""
    folded = fold(text)
    if folded[-1:] in ("条", "項"):
        return None
    law = known_law(folded) or (law_of_number(folded) if "年" in folded else None)
    if law is None:
        naming = _WHOLE.ending_at(folded, len(folded)) if folded[-1:] not in _NO_LAW_ENDS else None
        if naming is None or naming.start != 0 or naming.law.role not in ("unknown", "named"):
            return None
        law = naming.law
    if law.urn:
        return [urn_query(law.urn, language="ja", hint=None if law.certain else _UNSURE)]
    if law_of_number(folded):
        return [_tagged({"law_number": law.title}, "")]
    root = TagFilter("law_id", TagFilterOp.EXISTS)
    short = TagFilter("abbreviation", TagFilterOp.ILIKE, text)
    return [
        TagQuery(language="ja", tag_filters=TagFilterSet((TagFilter("code", TagFilterOp.EQ, text), root))),
        TagQuery(language="ja", tag_filters=TagFilterSet((short, root)), hint=f"a law that is also called {text}"),
    ]


def _queries(text: str, item: Item, place: Place | None, hint: str) -> list[TagQuery]:
    """The queries for one provision; an empty hint makes them confident."""
    if place is not None and place.urn:
        return [urn_query(place.urn, language="ja", hint=hint or None)]
    if place is None and item.naming is None:
        [*units] = item.units
        alone = item.of == "art" and not item.head and len(units) == 1
        return [_tagged({"article_number": units[0][1]}, _UNNAMED)] if alone else []
    law = place.law if place is not None else None
    if law is None or law.role != "unknown" or place is None:
        return []
    if law_of_number(law.title):
        return [_tagged({"law_number": law.title}, "the law that holds the provision, known by its number only")]
    title = text[item.naming.start : item.naming.end] if item.naming else law.title
    return _by_title(law.title if "(" in fold(title) else title, place, hint)


def _by_title(title: str, place: Place, hint: str) -> list[TagQuery]:
    """The query by the tags that the nodes of a law bear, for a law known by its title."""
    levels = [level for level, _ in place.units]
    if not levels:
        return []
    if levels[0] == "art" and len(levels) == 1:
        return [_tagged({"article_number": place.units[0][1], "code": title}, hint)]
    if levels == ["par"]:
        return [_tagged({"paragraph_number": place.units[0][1], "code": title}, hint)]
    if levels == ["sup", "art"]:
        tags = {"supplementary_article_number": place.units[1][1], "code": title, "supplementary_provision": "original"}
        return [_tagged(tags, hint)]
    if "art" in levels:
        below = Place(place.law, "x", place.units).urn.removeprefix("x:")
        return [_tagged({"provision": below, "code": title}, hint)]
    return []


def _tagged(tags: Mapping[str, str], hint: str) -> TagQuery:
    kind = None if "law_number" in tags else "legislation"
    return TagQuery(language="ja", kind=kind, tag_filters=TagFilterSet.from_tags(tags), hint=hint or None)


JURISDICTION: Jurisdiction = Japan()
