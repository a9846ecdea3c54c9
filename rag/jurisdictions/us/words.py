"""The words and signs of American references, as patterns."""

from __future__ import annotations

import re

from rag.law.numerals import NUMBER_WORDS, SPOKEN

PARAGRAPH_WORDS = (
    "subsection", "sub-subparagraph", "subparagraph", "paragraph", "subclause", "clause", "subitem", "item",
    "subdivision", "division", r"subs?\.", r"pars?\.",
)  # fmt: skip
CONTAINER_WORDS = (
    "subtitle", "title", "subchapter", "chapter", "subpart", "part", "subarticle", "article", "division", "appendix",
    "supplement",
)  # fmt: skip
PARAGRAPH = "|".join(PARAGRAPH_WORDS)
CONTAINER = "|".join(CONTAINER_WORDS)
SECTION_SIGN = r"§{1,2}|sections?\b|secs?\.|(?-i:ss?\.)"  # "s. 83.49" in small letters: "S. 256" is a bill
# New York and Minnesota count subdivisions, Nevada subsections: "subdivision two of this section", "subsection 2".
WORDS = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
COUNTED = rf"(?:\d{{1,3}}|{WORDS})(?:-[a-z])?(?![\w(-])"
# Virginia has "subsection A", "subdivision A 2", New York "paragraph a of this subdivision": a small letter stands
# before what it lies in or at the end of a clause, which "paragraph a person" does not.
LETTERED = (
    r"(?-i:[A-Z](?![\w’'(-])|[a-z](?![\w’'(-])(?=\s?(?:[,;.:)]|\Z)|\s(?:of|and|or|to|through|above|below|hereof)\b))"
    r"(?:\s\d{1,2}(?![\w(%-]|\.\d))?"
)
# Washington's "(b) of this subsection" has no word for the paragraph.
BARE_PATH = r"\([A-Za-z0-9]{1,4}\)(?:\s?\([A-Za-z0-9]{1,4}\)){0,3}"
BARE = rf"(?={BARE_PATH}(?:(?:,|,?\s(?:and|or|through))\s{BARE_PATH}){{0,4}}\sof\sthis\s(?:sub)?section\b)\("
LETTERED_WORDS = "subsection|subdivision|subparagraph|paragraph|clause"
# Where a reference can begin, but for the names of codes.
STARTS = (
    rf"§{{1,2}}\s*(?=\d)|(?<![\w-])(?:sections?|secs?\.|(?-i:ss?\.))\s+(?=\d|{SPOKEN})|(?<![\w-])rules?\s+(?=\d)"
    rf"|(?<![\w-])(?:{PARAGRAPH})s?\s?(?=\()|(?<![\w-])(?:subdivision|subsection)s?\s(?={COUNTED})|{BARE}"
    rf"|(?<![\w-])(?:{LETTERED_WORDS})s?\s(?={LETTERED})"
    rf"|(?<![\w-])(?:{CONTAINER})s?\s+(?=[0-9A-Z]+\b|{SPOKEN})"
    rf"|(?<![\w-])this\s+(?:code\s+(?=section))?(?:section|rule|{PARAGRAPH}|{CONTAINER})\b"
    r"|(?<![\w-])th(?:is\s+(?:act|ordinance|charter|compact)|ese\s+rules)\b"
)

NUMBER = re.compile(
    r"\d[0-9A-Za-z]*(?:(?:[.:–-]|[–-]\.)[0-9A-Za-z]+){0,6}(?:(?:\([A-Za-z0-9]{1,4}\)){1,3}-\d+[A-Z]{0,2}(?!\w))?"
)
CONTAINER_NUMBER = re.compile(
    r"(?:\d+[A-Z]{0,2}(?:\.\d{1,4}[A-Z]?){0,3}|[IVXLC]+|[A-Z]{1,2})(?:-[0-9A-Z]+)?(?![\w’'-]|\.\d)"
)
SEPARATOR = re.compile(
    r"(?:\s?\[(?:repealed|omitted|reserved|transferred)\]"
    # "sections 206 (except subsection (d)) and 207"
    r"|\s\((?:except|other than|but not|relating to|with the exception of)\b(?:[^()]|\([^()]{1,12}\)){1,160}\))?\s*"
    r"(?:(?P<range>through|to|–|—|(?<=\))-(?=[(\d]))|[,;]\s*(?:and/or|and|or)?(?=[\s(§])|(?:and/or|and|or|&)(?=[\s(§]))\s*"
    rf"(?P<word>(?:§{{1,2}}|(?:code\s+)?sections?\b|rules?\b|(?:{PARAGRAPH})s?\b)\s*)?",
    re.IGNORECASE,
)
OF = re.compile(r"(?:\s{0,3},?\s{1,3}of|\s{1,3}(?:in|under))\s+(?:the\s+)?(?=[§\w])", re.IGNORECASE)
COMMA_TITLE = re.compile(r"\s*,\s*(?=title\s+\d)", re.IGNORECASE)
COMMA_PART = re.compile(
    r"\s{0,3},?\s{0,3}(?:(?P<subpart>subp(?:art|t\.?)s?)|(?P<part>p(?:art|t\.?)s?)|(?P<appendix>app(?:endix|\.))|"
    r"(?P<supplement>supp(?:lement|\.)))\s{1,3}(?=[0-9A-Z])",
    re.IGNORECASE,
)
TO_PART = re.compile(r"\s{1,3}to\s{1,3}(?=(?:sub)?parts?\s{1,3}[0-9A-Z])", re.IGNORECASE)
SECTION_WORD = re.compile(rf"(?:code\s+(?=section))?(?:{SECTION_SIGN})\s*", re.IGNORECASE)
RULE_WORD = re.compile(r"rules?\s+(?=\d)", re.IGNORECASE)  # where a law's sections are rules
PARAGRAPH_WORD = re.compile(rf"(?P<word>{PARAGRAPH})(?P<plural>s?)(?=\s?\()", re.IGNORECASE)
CONTAINER_WORD = re.compile(rf"(?P<word>{CONTAINER})(?P<plural>s?)\s+", re.IGNORECASE)
THIS = re.compile(
    rf"this\s+(?:code\s+(?=section))?(?P<word>section|rule|{PARAGRAPH}|{CONTAINER})\b"
    # Colorado names the number of what it stands in: "this part 5", "this article 12".
    r"(?:(?:(?<=part)|(?<=title)|(?<=article)|(?<=chapter))\s+\d{1,3}(?:\.\d{1,2})?[A-Z]?(?![\w%(-]|\.\d|\s(?:days?|years?|months?|percent)\b))?",
    re.IGNORECASE,
)
PLAIN_WORD = re.compile(
    rf"(?:(?P<counted>subdivision|subsection)s?\s(?={COUNTED})|(?P<lettered>{LETTERED_WORDS})s?\s(?={LETTERED}))",
    re.IGNORECASE,
)
PLAIN = re.compile(rf"{COUNTED}|{LETTERED}", re.IGNORECASE)
PLAIN_JOINT = re.compile(r"(?:,|,?\s(?:and|or|(?P<range>through|to)))\s", re.IGNORECASE)
# Minnesota's "section 504.178, subdivision 2, paragraph (b)".
COMMA_SUBDIVISION = re.compile(rf",\s{{1,2}}(?:subdivision|subd\.)\s(?={COUNTED})", re.IGNORECASE)
COMMA_PARAGRAPH = re.compile(r",\s{1,2}(?:paragraph|clause)\s(?=\()", re.IGNORECASE)
BARE_START = re.compile(BARE, re.IGNORECASE)
WHOLE = re.compile(
    r"this\s+(?P<word>act|code(?!\s+section)|law|ordinance|charter|compact)\b|these\s+(?P<rules>rules)\b", re.IGNORECASE
)
THIS_DEFINITION = re.compile(r"this\s+definition\b", re.IGNORECASE)
UNREADABLE = re.compile(r"(?:this|such|that|said)\s+\w+", re.IGNORECASE)
# A number after a list separator that counts something is no section: "section 5 and 10 days".
COUNTS = re.compile(
    r"\s*(?:%|percent\b|days?\b|years?\b|months?\b|weeks?\b|hours?\b|per\b|U\.?\s?S\.?\s?C\b|C\.?\s?F\.?\s?R\b|"
    r"Comp\b|Stat\b|F\.|Fed\b|DCR\b|DCMR\b|CMR\b|D\.C\.)",
    re.IGNORECASE,
)
OTHER_LAW_ENDS = frozenset({
    "Act", "Acts", "Agreement", "Amendments", "Charter", "Code", "Constitution", "Convention", "Law", "Laws", "Manual",
    "Order", "Ordinance", "Plan", "Regulation", "Regulations", "Resolution", "Rules", "Statutes", "Treaty",
})  # fmt: skip
OTHER_LAW_WORD = re.compile(r"[ ,]{0,2}([A-Z][\w.’'&-]*|of|and|for|the|to|in|on|with|by|\d{4}\b|\d+-\d+)(?=\W|$)")
NAMED_TITLE = re.compile(r",?\s+(?:at\s+)?(?=(?:§|sections?\b)\s*\d)", re.IGNORECASE)
