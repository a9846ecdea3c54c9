"""The package that CONTRIBUTING.md prints, installed as it is printed: Lexscope finds and uses each of its parts."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).parents[2]
GUIDE = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8")
LAW = """#legge co Codice delle obbligazioni
Art. 41 Responsabilità
Chiunque è tenuto a riparare il danno.
Art. 42 Fissazione del danno
Chi pretende il risarcimento deve fornire la prova.
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package and what an installer would write of its entry points."""
    folder = tmp_path_factory.mktemp("site")
    modules = re.findall(r"<!-- (lexscope_ch/\w+\.py) -->\n```python\n(.*?)```", GUIDE, re.DOTALL)
    assert len(modules) == 3
    (folder / "lexscope_ch").mkdir()
    (folder / "lexscope_ch" / "__init__.py").touch()
    for name, code in modules:
        (folder / name).write_text(code, encoding="utf-8")
    groups = tomllib.loads("\n".join(re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)))["project"]["entry-points"]
    assert set(groups) == {"lexscope.formats", "lexscope.jurisdictions", "lexscope.languages"}
    told = folder / "lexscope_ch-1.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: lexscope_ch\nVersion: 1\n", encoding="utf-8")
    lines = [
        line
        for group, points in groups.items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in points.items()))
    ]
    (told / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    return folder


def run(installed: Path, code: str, *arguments: str) -> Any:
    """What some code prints as JSON in a fresh interpreter that has the package."""
    done = subprocess.run(
        [sys.executable, "-c", f"import json, sys\n{code}", *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(installed), *filter(None, sys.path)])},
        cwd=PROJECT, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_format_is_found_and_reads_a_file(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "co.txt").write_text(LAW, encoding="utf-8")
    code = """
from pathlib import Path
from typing import Any
from rag.ingest.formats.registry import discover
found = discover(Path(sys.argv[1]))
[(taken, source)] = found.sources
document = taken.parse(source)
print(json.dumps([taken.name, document.corpus.title, [[n.urn, n.heading, n.text] for n in document.nodes]]))
"""
    assert run(installed, code, str(tmp_path)) == [
        "ch_articles",
        "Codice delle obbligazioni",
        [
            ["urn:lex:ch:co", "Codice delle obbligazioni", ""],
            ["urn:lex:ch:co:41", "Responsabilità", "Chiunque è tenuto a riparare il danno."],
            ["urn:lex:ch:co:42", "Fissazione del danno", "Chi pretende il risarcimento deve fornire la prova."],
        ],
    ]


def test_an_article_that_comes_twice_is_kept_with_a_warning(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "co.txt").write_text(LAW.replace("Art. 42", "Art. 41"), encoding="utf-8")
    code = """
from pathlib import Path
from typing import Any
from rag.ingest.formats.registry import discover
[(taken, source)] = discover(Path(sys.argv[1])).sources
document = taken.parse(source)
print(json.dumps([[node.urn for node in document.nodes], len(document.warnings)]))
"""
    assert run(installed, code, str(tmp_path)) == [["urn:lex:ch:co", "urn:lex:ch:co:41", "urn:lex:ch:co:41~2"], 1]


def test_a_fault_in_the_code_of_a_package_names_the_file_and_the_package(installed: Path, tmp_path: Path) -> None:
    faulty = tmp_path / "site"
    shutil.copytree(installed, faulty)
    code = faulty / "lexscope_ch" / "articles.py"
    code.write_text(code.read_text(encoding="utf-8").replace("tree = Tree(", "tree = Baum("), encoding="utf-8")
    for name in ("co.txt", "cc.txt"):
        (tmp_path / name).write_text(LAW, encoding="utf-8")
    code_run = """
import contextlib, io
from pathlib import Path
from typing import Any
from rag.cli.session import LastResort
from rag.ingest.formats.registry import discover
from rag.ingest.reading import Known, reading
told = []
for debug in (False, True):
    with contextlib.redirect_stderr(io.StringIO()) as err, contextlib.suppress(SystemExit), LastResort(debug=debug):
        sources = [found for name in ("cc.txt", "co.txt") for found in discover(Path(sys.argv[1]) / name).sources]
        with reading(sources, Known(frozenset(), {}), 1) as read:
            for _, documents in read:
                list(documents)
    told.append(err.getvalue())
print(json.dumps(told))
"""
    short, long = run(faulty, code_run, str(tmp_path))
    where = "cc.txt, in the format 'ch_articles' (lexscope_ch.articles:Articles)"
    assert short == f"lexscope: internal error (NameError) at {where}; run with --debug for a traceback\n"
    assert f"{where}: name 'Baum' is not defined" in long


def test_the_country_is_found_and_its_grammar_reads_references(installed: Path) -> None:
    code = """
from rag.jurisdictions.grammars import GRAMMARS
from rag.jurisdictions.registry import jurisdiction_for
swiss = jurisdiction_for("ch-ti")
read = [[text, [u for r in swiss.find_references(text, None) for u in r.urns], urns] for text, urns in swiss.examples]
asked = [list(queries) == swiss.tag_queries(text) for text, queries in swiss.query_examples]
[parser] = GRAMMARS.parsers_for("ch")
[query] = parser.tag_queries("art. 41 cpv. 1 CO")
bare = swiss.find_references("ai sensi dell'art. 41", None)
print(json.dumps([swiss.name, read, asked, query.tag_filters.filters[0].value, bare]))
"""
    name, read, asked, urn, bare = run(installed, code)
    assert name == "Svizzera"
    assert read
    assert all(found == wanted for _, found, wanted in read)
    assert asked == [True]
    assert (urn, bare) == ("urn:lex:ch:co:41:1", [])


def test_the_country_reads_a_bare_article_in_the_law_that_it_stands_in(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "co.txt").write_text(LAW, encoding="utf-8")
    code = """
from pathlib import Path
from typing import Any
from rag.ingest.formats.registry import discover
from rag.jurisdictions.registry import jurisdiction_for
from rag.law.jurisdiction import DocumentIndex, ReferenceContext
[(taken, source)] = discover(Path(sys.argv[1])).sources
document = taken.parse(source)
here = ReferenceContext(document.nodes[2], DocumentIndex(document))
found = jurisdiction_for("ch").find_references("Resta salvo l'art. 41.", here)
print(json.dumps([[reference.kind, reference.urns] for reference in found]))
"""
    assert run(installed, code, str(tmp_path)) == [["relative", ["urn:lex:ch:co:41"]]]


def test_the_language_is_found_and_splits_stems_and_knows_questions(installed: Path) -> None:
    code = """
from rag.answering.extractive.kinds import not_given, wants_of
from rag.languages.registry import language_codes, language_of, provide_search_words
from rag.languages.sentences import split_sentences
from rag.languages.stems import stems_of
from retrieval.languages import is_idle
provide_search_words()
italian = language_of("it-CH")
text = "Si applica l'art. 41 cpv. 1 del codice. Il danno va riparato."
print(json.dumps([
    "it" in language_codes(),
    [text[start:end].strip() for start, end in split_sentences(text, "it")],
    stems_of("contratti", italian) == stems_of("contratto", italian),
    is_idle("quando", "it"),
    sorted(wants_of("Quanto devo pagare?", "it")),
    bool(italian.limits.takes_back.search("Il capoverso 1 non si applica.")),
    not_given("time", "Quando devo pagare?", ["Il locatario paga entro dieci giorni."], "it"),
]))
"""
    known, sentences, one_stem, idle, wants, takes_back, missed = run(installed, code)
    assert known
    assert sentences == ["Si applica l'art. 41 cpv. 1 del codice.", "Il danno va riparato."]
    assert one_stem
    assert idle
    assert wants == ["amount"]
    assert takes_back
    assert not missed, "without `read` nobody knows what a sentence gives"


def test_law_is_annotated_by_the_language_and_the_country_together(installed: Path, tmp_path: Path) -> None:
    more = "Il «danno» significa una perdita. È fatto salvo l'art. 41.\n"
    (tmp_path / "co.txt").write_text(LAW + "Art. 43 Definizione\n" + more, encoding="utf-8")
    code = """
from pathlib import Path
from rag.ingest.annotation import annotate
from rag.ingest.formats.registry import discover
from rag.jurisdictions.registry import jurisdiction_for
[(taken, source)] = discover(Path(sys.argv[1])).sources
document = taken.parse(source)
annotate(document, jurisdiction_for("ch"))
print(json.dumps([
    [[d.term, d.node_urn, d.scope_urn] for d in document.definitions],
    [[link.source_urn, link.kind, link.target_urn] for link in document.links],
    document.used_terms,
    document.warnings,
]))
"""
    definitions, links, used, warnings = run(installed, code, str(tmp_path))
    assert definitions == [["danno", "urn:lex:ch:co:43", "urn:lex:ch:co"]]
    assert ["urn:lex:ch:co:43", "subject_to", "urn:lex:ch:co:41"] in links
    assert used["urn:lex:ch:co:41"] == ["danno"]
    assert warnings == []
