"""Bad documents made from the small laws: what each is, and the words of its refusal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from small_laws import LAWS, WORD, write

Change = Callable[[str], str | bytes]


@dataclass(frozen=True, slots=True)
class Case:
    """One bad document: a law whose text is changed. `cause` is in the refusal; empty where it must be read right."""

    name: str
    law: str
    change: Change
    cause: str
    file: str = ""  # which of the law's files is changed and refused; the first where empty
    refused: str = ""  # the file that the refusal names, where that is another

    def write(self, folder: Path) -> str:
        """Write the document below `folder`; the name of the file that must be refused, relative to it."""
        main = write(self.law, folder / self.law)
        path = folder / self.law / self.file if self.file else main
        changed = self.change(path.read_text(encoding="utf-8"))
        path.write_bytes(changed if isinstance(changed, bytes) else changed.encode())
        return f"{self.law}/{self.refused or path.relative_to(folder / self.law).as_posix()}"


def replaced(old: str, new: str) -> Change:
    """The text with its last `old` replaced."""

    def change(text: str) -> str:
        head, found, tail = text.rpartition(old)
        assert found, f"{old} is not in the law"
        return head + new + tail

    return change


def nested(levels: int) -> Change:
    """The last word inside that many elements."""
    return replaced(WORD, "<x>" * levels + WORD + "</x>" * levels)


def declared(encoding: str, written: str) -> Change:
    """The text in one encoding that says it is in another."""

    def change(text: str) -> bytes:
        text = text.replace("kite", "kité").replace("kettle", "kéttle")
        return f'<?xml version="1.0" encoding="{encoding}"?>{text}'.encode(written)

    return change


def with_doctype(subset: str, reference: str = "") -> Change:
    """The text behind a document type, with a reference for its last word."""
    return lambda text: f"<!DOCTYPE law {subset}>" + text.replace(WORD, reference or WORD)


def twice(line: int) -> Change:
    """A JSON Lines text with one of its lines repeated at the end."""
    return lambda text: text + text.splitlines(keepends=True)[line]


def without(line: int) -> Change:
    """A JSON Lines text without one of its lines."""
    return lambda text: "".join(one for at, one in enumerate(text.splitlines(keepends=True)) if at != line)


NATIVE = '"parent_urn": "urn:lex:us:doc:kites"'
SECTION_2 = '"urn": "urn:lex:us:doc:kites:2"'
LEGI_2 = '"id": "LEGIARTI000000000002", "cid": "LEGIARTI000000000002", "num": "2"'
NESTED = '{"x": ' * 257 + '""' + "}" * 257
BOMB = "[" + '<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(9)) + "]"

CASES = [
    # --- document types and entities
    Case("an inner entity", "uslm", with_doctype('[<!ENTITY x "y">]', "&x;"), "DOCTYPE|not well-formed|longer than"),
    Case("a billion laughs", "akn", with_doctype(BOMB, "&a9;"), "DOCTYPE|longer than"),
    Case("a local file", "clml", with_doctype('[<!ENTITY x SYSTEM "file:///etc/hostname">]', "&x;"), "DOCTYPE"),
    Case("an outer subset", "de_tei", with_doctype('SYSTEM "http://127.0.0.1:9/law.dtd"'), "DOCTYPE"),
    Case("a parameter entity", "regml", with_doctype('[<!ENTITY % p SYSTEM "file:///etc/hostname"> %p;]'), "DOCTYPE"),
    Case("an entity nobody declares", "egov_xml", replaced(WORD, "&sect;"), "not well-formed XML"),
    Case("a document type without entities", "dc_xml", with_doctype(""), "DOCTYPE"),
    # --- depth
    *(
        Case(f"257 nested elements in {law}", law, nested(257), "nested deeper than 256 levels")
        for law in ("akn", "clml", "de_tei", "egov_xml", "regml", "uslm")
    ),
    Case("257 nested elements in a part", "dc_xml", nested(257), "nested deeper than 256", "sections/51-102.xml"),
    Case("nested JSON", "legi_json", replaced('"etat"', f'"x": {"[" * 257}{"]" * 257}, "etat"'), "nested too deeply"),
    Case("nested JSON in a line", "lexjsonl", replaced('"level"', f'"tags": {NESTED}, "level"'), "tags"),
    # --- encodings
    Case("UTF-8 that says Latin-1", "uslm", declared("ISO-8859-1", "utf-8"), "damaged by a wrong encoding"),
    Case("Latin-1 that says UTF-8", "akn", declared("UTF-8", "latin-1"), "not in the encoding|not well-formed"),
    Case("Shift JIS that says UTF-8", "egov_xml", lambda text: text.encode("shift_jis"), "not in the encoding|formed"),
    Case("an encoding nobody knows", "de_tei", declared("x-kite", "utf-8"), "not in the encoding|not well-formed"),
    Case("UTF-16", "regml", lambda text: text.encode("utf-16"), "UTF-16"),
    Case("UTF-16 without a mark", "legi_json", lambda text: text.encode("utf-16-le"), "UTF-16"),
    Case("UTF-16 without a mark, the other way", "gdpr_json", lambda text: text.encode("utf-16-be"), "UTF-16"),
    Case("Windows-1252 in Markdown", "de_md", lambda text: text.encode("cp1252"), "UTF-8"),
    Case("Windows-1252 in French Markdown", "legalize_md", lambda text: text.encode("cp1252"), "UTF-8"),
    *(
        Case(f"mojibake in {law}", law, lambda text: text.replace(WORD, "DrachÃ©n"), "damaged by a wrong encoding")
        for law in LAWS if law not in ("dc_xml", "courtlistener_jsonl", "md_statutes_jsonl", "lexjsonl")
    ),
    Case("a lost character", "courtlistener_jsonl", replaced("First.", "First\ufffd"), "damaged"),
    Case("escaped mojibake", "md_statutes_jsonl", replaced(WORD, "\\u00c3\\u00a9"), "damaged"),
    # --- identity
    Case("two roots", "lexjsonl", replaced(NATIVE, '"parent_urn": null'), "parent|root"),
    Case("a parent of its own", "lexjsonl", replaced(NATIVE, '"parent_urn": "urn:lex:us:doc:kites:2"'), "parent"),
    Case("a parent that comes later", "lexjsonl", replaced(
        '"parent_urn": "urn:lex:us:doc:kites"}\n{', '"parent_urn": "urn:lex:us:doc:kites:2"}\n{'), "parent|before"),
    Case("a parent that is nowhere", "lexjsonl", replaced(NATIVE, '"parent_urn": "urn:lex:us:doc:kites:9"'), "parent"),
    Case("a node without its root", "lexjsonl", without(1), "root|parent|corpus"),
    Case("one node twice", "lexjsonl", twice(3), "version|period|overlap|twice"),
    Case("periods that overlap", "lexjsonl", lambda text: "".join((
        text.replace(SECTION_2, f'{SECTION_2}, "valid_from": "2001-01-01", "valid_to": "2010-01-01"'),
        text.splitlines()[3].replace(SECTION_2, f'{SECTION_2}, "valid_from": "2009-12-31"'), "\n")), "overlap"),
    Case("a period that ends before it begins", "lexjsonl", replaced(
        SECTION_2, f'{SECTION_2}, "valid_from": "2010-01-01", "valid_to": "2001-01-01"'), "valid_to|ends|before"),
    Case("one section twice", "ecfr_xml", replaced('N="7.2"', 'N="7.1"'), "occurs twice"),
    Case("a chunk twice", "md_statutes_jsonl", twice(1), "twice"),
    Case("one key twice", "gdpr_json", replaced('"title"', '"title": "x", "title"'), "duplicate keys"),
    # --- parts
    Case("a part that is missing", "dc_xml", replaced("51-102.xml", "51-103.xml"), "missing"),
    Case("a part outside the folder", "dc_xml", replaced("./sections/51-102.xml", "../../../etc/hostname"), "inside"),
    Case("a part by its address", "dc_xml", replaced("./sections/51-102.xml", "http://127.0.0.1:9/x.xml"), "inside"),
    Case("a title that includes itself", "dc_xml", replaced("./sections/51-102.xml", "./index.xml"), "includes itself"),
    Case("a cut part", "dc_xml", lambda text: text[:200], "not well-formed", "sections/51-102.xml"),
    Case("a meta layer that is no JSON", "eregs_json", lambda text: text[:40], "not valid JSON", "layer/meta/7/2020-1"),
]  # fmt: skip

RIGHT = [
    *(
        Case(f"a byte order mark before {law}", law, lambda text: b"\xef\xbb\xbf" + text.encode(), "")
        for law in LAWS
    ),
    Case("Windows-1252 that says so", "uslm", declared("windows-1252", "cp1252"), ""),
    Case("Shift JIS that says so", "egov_xml", lambda text: (
        f'<?xml version="1.0" encoding="Shift_JIS"?>{text}'.encode("shift_jis")), ""),
    Case("carriage returns", "de_md", lambda text: text.replace("\n", "\r\n"), ""),
    Case("an encoding in single quotes", "akn", lambda text: f"<?xml version='1.0' encoding='utf-8'?>{text}", ""),
]  # fmt: skip
