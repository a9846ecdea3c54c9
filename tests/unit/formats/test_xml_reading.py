"""What is wrong with a file that is no XML is said in words, without a word of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.ingest.formats.xml import read_xml
from retrieval.errors import IngestError

SECRET = "Quackenbush"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (f"<law>\n<p>{SECRET}</p>\n", 3, "it is cut off"),
        (f"<law>\n<p>{SECRET}</p", 2, "or the file is cut off"),
        (f"<law><p>{SECRET}</q></law>", 1, "a closing tag"),
        (f"<law/>\n<{SECRET}/>", 2, "it goes on after its root element"),
        (f"{SECRET}", 1, "it does not begin with an element"),
        ("", 1, "it does not begin with an element"),
        (f"<law>&{SECRET};</law>", 1, "an entity that XML does not have"),
        (f"<law>{SECRET} & Co</law>", 1, "write &amp;"),
        (f"<law>{SECRET}\x01</law>", 1, "a control character"),
        (f"<law><{SECRET}:p/></law>", 1, "a prefix is used and not declared"),
        (f"<law {SECRET}='1' {SECRET}='2'/>", 1, "libxml2 error 42"),
    ],
)
def test_what_is_no_xml_is_said_in_words(tmp_path: Path, text: str, line: int, said: str) -> None:
    file = tmp_path / "law.xml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(IngestError) as refused:
        read_xml(file, name=file.name)
    assert refused.value.cause.startswith("not well-formed XML: ")
    assert said in refused.value.cause
    assert refused.value.line == line
    assert SECRET not in refused.value.cause
