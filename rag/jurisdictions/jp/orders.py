"""Japanese references in the short forms of memos and journals, written out as the grammar reads them.

Only for whole strings: 民709Ⅰ, 民法398の2, 民法1条2、3項, 民法709条以下.
"""

from __future__ import annotations

import re

from rag.jurisdictions.grammar.english_names import EnglishNames
from rag.law.jurisdiction import ONWARDS

NO_WORD = "a number after the law's name, read as its article"
GLOSSED = "the words in brackets behind the provision are not read"

_ENGLISH = EnglishNames(
    {
        "Civil Code": "民法", "Penal Code": "刑法", "Criminal Code": "刑法", "Commercial Code": "商法",
        "Companies Act": "会社法", "Company Law": "会社法", "Constitution": "日本国憲法",
        "Code of Civil Procedure": "民事訴訟法", "Code of Criminal Procedure": "刑事訴訟法",
        "Copyright Act": "著作権法",
        "Patent Act": "特許法", "Trademark Act": "商標法", "Design Act": "意匠法", "Labor Standards Act": "労働基準法",
        "Labor Contracts Act": "労働契約法", "Bankruptcy Act": "破産法", "Antimonopoly Act": "独占禁止法",
        "Act on the Protection of Personal Information": "個人情報保護法", "APPI": "個人情報保護法",
        "Financial Instruments and Exchange Act": "金融商品取引法", "FIEA": "金融商品取引法",
        "Unfair Competition Prevention Act": "不正競争防止法", "Consumer Contract Act": "消費者契約法",
        "Road Traffic Act": "道路交通法", "Civil Aeronautics Act": "航空法", "Arbitration Act": "仲裁法",
        "Administrative Procedure Act": "行政手続法", "Product Liability Act": "製造物責任法",
    },
    r"Japanese|Japan[’']s", r"Japan",
    {"Act on the Protection of Personal Information": "個人情報保護法"},
)  # fmt: skip
_N = "[0-9〇一二三四五六七八九十百千]"
_ROMANS = {chr(0x2160 + at): str(at + 1) for at in range(12)} | {chr(0x2170 + at): str(at + 1) for at in range(12)}
_CIRCLED = {chr(0x2460 + at): str(at + 1) for at in range(20)}
_SIGNS = f"[{''.join(_ROMANS)}{''.join(_CIRCLED)}]"
_ANY_SIGN = re.compile(_SIGNS)
_PARAGRAPH_SIGN = re.compile(
    rf"(?P<article>{_N}+)(?P<unit>条(?:の{_N}+){{0,3}})?\s?(?P<first>{_SIGNS})(?P<second>{_SIGNS})?"
)
_BRANCH = re.compile(
    rf"(?P<law>\A[㐀-鿿ぁ-ヿ]{{1,40}}第?)(?P<article>{_N}{{1,4}})(?P<branch>(?:の{_N}{{1,3}}){{1,3}})"
    rf"(?![条項号]|{_N})"
)
# 1条2、3項: the first number lacks its word.
_SHARED_WORD = re.compile(rf"(?<=条)(?P<first>第?{_N}{{1,3}})(?P<joint>[、,・])(?=第?{_N}{{1,3}}(?P<word>項))")
_ONWARDS = re.compile(r"(?<=[条項号])(?:以下|等|ほか|外)\Z")
_GLOSS = re.compile(rf"(?<=[条項号])\((?!{_N})[^()]{{2,60}}\)\Z")
_AMENDED = re.compile(r"\A(?:明治|大正|昭和|平成|令和).{1,4}年(?:法律第.{1,8}号による)?(?=改正[前後])")
_CASE_IN_BRACKETS = re.compile(
    rf"\A(?P<decision>[^()]{{4,40}})\((?P<case>[^()]{{1,8}}\([^()]{{1,4}}\)第?{_N}{{1,8}}号?)\)\Z"
)


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
        if len(cited.path) <= 2 and all(one.isdigit() for one in (first, *cited.path)):
            return f"{cited.law}第{first}条{''.join(f'の{one}' for one in branches)}{units}", ""
    if onwards := _ONWARDS.search(folded):
        return folded[: onwards.start()], ONWARDS
    if gloss := _GLOSS.search(folded):
        return folded[: gloss.start()], GLOSSED
    if branch := _BRANCH.match(folded):
        return f"{branch['law']}{branch['article']}条{branch['branch']}{folded[branch.end() :]}", NO_WORD
    return None
