"""Japanese decisions: case numbers, courts with the day of the decision, and the reports that print them."""

from __future__ import annotations

import re

from rag.jurisdictions.jp.dates import CASE_NUMBER, CaseNumber, case_of, fold, read_date
from retrieval.tag_query import NORMALIZE_PATTERNS, TagFilter, TagFilterOp, TagFilterSet, TagQuery

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
_N = "[0-9〇一二三四五六七八九十百]"
_REPORTED = rf"{_REPORT}\s?{_N}{{1,5}}\s?[巻号輯]?(?:\s?{_N}{{1,3}}\s?号)?\s?{_N}{{1,5}}\s?(?:頁|ページ)?"
_REPORT_ALONE = re.compile(rf"(?={_REPORTED}\Z)(?P<name>{_REPORT}).{{2,30}}")
_TEXT = re.compile(rf"(?P<report>{_REPORTED})|{CASE_NUMBER}")
_QUERY = re.compile(
    rf"(?:(?:{_COURT})\s?)?(?P<before>[^()]{{0,40}}?)(?P<case>{CASE_NUMBER})(?P<after>\s?(?:[^()]{{0,20}}(?:事件|判決|決定|判|決))?)\Z"
)
# What every case number or named court has; most references have neither.
_LIKE_CASE = re.compile(r"[(（〔][^()（）]{1,8}[)）〕]\s?第?\s?[0-9０-９〇一二三四五六七八九十百千]|[裁審判決]")
_DATED = re.compile(
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
    return [TagQuery(language="ja", kind="decision", tag_filters=one, hint=hint) for one in filters]


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
