"""Labels of eRegulations (`1002-2-b-1`, `1002-4-a-Interp-1`) as URNs of the Code of Federal Regulations.

A label is the part's own label and one word a level. Designators are levels of the rule; `p1` and `h1` count
paragraphs and headings without a designator; a capitalised word (`MortgageLoan`) names the term a paragraph defines;
what precedes `Interp` is the provision that a comment explains. Headings repeat some of it.
"""

from __future__ import annotations

import re

from rag.ingest.formats.designators import readings
from rag.law.nodes import Corpus
from retrieval.errors import InputError
from retrieval.paths import parse_urn, segment, slug, urn_below

INTERP = "Interp"
SUBPART = "Subpart"
MAX_WORDS = 40  # far deeper than law is; a longer label is damage or an attack
_COUNTED = re.compile(r"([ph])(\d+)\Z")
_WORD = re.compile(r"[A-Z][A-Za-z]*[a-z][A-Za-z]*\Z")
_EXTERNAL = re.compile(r"(USC|CFR):(\d+)-([0-9A-Za-z.]+(?:-[0-9A-Za-z]+)*)\Z")

Label = tuple[str, ...]


def split_label(text: str, part: str) -> Label:
    """A label's levels, the part's own label first and whole (`1002-2-b` of part 1002 is `("1002", "2", "b")`)."""
    text = text.strip()
    if text == part:
        return (part,)
    if text.startswith(f"{part}-"):
        return (part, *(item.strip() for item in text[len(part) + 1 :].split("-") if item.strip()))
    return tuple(part.strip() for part in text.split("-") if part.strip())


def is_counted(word: str) -> bool:
    """Whether the word counts paragraphs or headings instead of repeating a printed designator (`p1`, `h2`)."""
    return _COUNTED.match(word) is not None


def is_term(word: str) -> bool:
    """Whether the word is a term that its paragraph defines (`MortgageLoan`)."""
    return len(word) > 2 and word not in (INTERP, SUBPART) and _WORD.match(word) is not None


def label_segment(word: str) -> str:
    """One word of a label as a URN segment: `b`, `p.1`, `def.mortgage-loan`.

    Raises:
        InputError: nothing citable is left of it.
    """
    counted = _COUNTED.match(word)
    if counted:
        return f"{counted[1]}.{counted[2]}"
    if is_term(word):
        return f"def.{slug(re.sub(r'(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])', ' ', word))}"
    return segment(word)


def follows(one: str, other: str) -> bool:
    """Whether the designator `other` is the next one after `one` in a style that both can be read in."""
    values = dict(readings(one))
    return any(
        style in values and value[0] == values[style][0] + 1 and not value[1] for style, value in readings(other)
    )


def split_interp(label: Label) -> tuple[Label, Label] | None:
    """The explained provision (without the part) and the comment's own levels; None where it is no comment's label."""
    if INTERP not in label:
        return None
    place = label.index(INTERP)
    return label[1:place], label[place + 1 :]


def provision_segment(provision: Label) -> str:
    """The one segment that names an explained provision in a supplement: `2-c-1-i`, `appendix_h-3`.

    Raises:
        InputError: a level has nothing citable.
    """
    name = "-".join(label_segment(name) for name in provision)
    return name if provision[0][:1].isdigit() else f"appendix_{name}"


def provision_words(provision: Label) -> str:
    """An explained provision as comments are cited: `2(c)(1)(i)`, `Appendix H-3`."""
    first, rest = provision[0], provision[1:]
    return (
        f"{first}{''.join(f'({name})' for name in rest)}" if first[:1].isdigit() else f"Appendix {'-'.join(provision)}"
    )


def provision_urn(label: Label, corpus: str) -> str:
    """The URN that a label of a provision names by rule, in a part that may not be at hand; empty where none."""
    if len(label) < 2 or INTERP in label or SUBPART in label or not label[0][:1].isdigit():
        return ""
    try:
        own = [label_segment(letter) for letter in label[1:]]
        start = f"{label[0]}.{own[0]}" if label[1][:1].isdigit() else f"part_{label[0]}:appendix_{own[0]}"
        return parse_urn(":".join((corpus, start, *own[1:]))).text
    except InputError:
        return ""


def external_urn(target: str, text: str, start: int, end: int) -> str:
    """The URN of a reference to another code (`USC:15-1601`, `CFR:12-1026-4`); empty where it cannot be relied on.

    The publisher's software writes a target for words that name none (`the Act`) and breaks off inside a section
    number (`42 U.S.C. 2000` before `d`), so the marked words must hold the number and be the whole of it.
    """
    match = _EXTERNAL.match(target)
    if match is None or re.match(r"[0-9A-Za-z]|-\d|–\d", text[end:]):
        return ""
    code, title, rest = match[1], match[2], match[3]
    corpus = f"urn:lex:us:{title}{code.lower()}"
    said = re.sub(r"[‐‑–—]", "-", text[start:end])
    if not re.search(rf"(?<!\w){title}\b", said):
        return ""
    if code == "USC":
        found, levels = (f"{corpus}:{rest}".lower(), ()) if _says(said, rest) else _stem(corpus, said, rest)
    else:
        part, *more = rest.split("-")
        number = f"{part}.{more[0]}" if more else part
        found = f"{corpus}:{number}".lower() if more else f"{corpus}:part_{part}".lower()
        levels = tuple(more[1:])
        found = found if _says(said, number) else ""
    return urn_below(found, *levels) if found else ""


def _stem(corpus: str, said: str, rest: str) -> tuple[str, Label]:
    section, *levels = rest.split("-")
    return (f"{corpus}:{section}".lower(), tuple(levels)) if levels and _says(said, section) else ("", ())


def _says(said: str, number: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(number)}(?![\w-])", said, re.IGNORECASE) is not None


_SECTION_HEADING = re.compile(r"§+\s*[\w.–‑-]*\w\.?\s+")
_APPENDIX_HEADING = re.compile(
    r"(?:appendix|appendices|supplement)\b[^—\[]*?\bto\s+(?:sub)?part\s+\w+\s*[—–:-]*\s*", re.IGNORECASE
)
_SUPPLEMENT = re.compile(r"supplement\s+([IVX]+|\d+|[A-Z])\b", re.IGNORECASE)
_RESERVED = re.compile(r"\[\s*reserved\s*\]\.?", re.IGNORECASE)
LICENCE = "Public domain (17 U.S.C. 105)"


def rule_heading(role: str, heading: str) -> str:
    """A section's or appendix's heading without the number that it repeats (`§ 1002.2 Definitions.`)."""
    pattern = _SECTION_HEADING if role == "section" else _APPENDIX_HEADING
    match = pattern.match(heading) if role in ("section", "appendix") else None
    return heading[match.end() :] if match else heading


def container_number(label: Label, heading: str) -> str:
    """What a subpart or appendix is called by: its label's last word, or its heading where the label has no letter."""
    if label[1:] == (SUBPART,):
        return slug(heading) if heading else ""
    return label[-1] if len(label) > 1 else ""


def supplement_number(heading: str) -> str:
    """The number in the heading of the interpretations (`Supplement I to Part 1002`), empty where it has none."""
    match = _SUPPLEMENT.match(heading.strip())
    return match[1] if match else ""


def is_reserved(heading: str) -> bool:
    """Whether a heading says that there is no text."""
    return _RESERVED.search(heading) is not None


def cfr_corpus(title: str, subject: str, publisher: str) -> Corpus:
    """The title of the C.F.R. that a part belongs to.

    Args:
        subject: what it is about, in capitals or not; may be empty.
    """
    name = f"Code of Federal Regulations, Title {title}"
    if subject.isupper():
        small = ("and", "of", "the", "for", "to")
        subject = " ".join(part if part in small else part.capitalize() for part in subject.lower().split())
    return Corpus(
        f"urn:lex:us:{title}cfr", f"{name} ({subject})" if subject else name, "en", publisher=publisher,
        licence=LICENCE, url=f"https://www.ecfr.gov/current/title-{title}",
    )  # fmt: skip
