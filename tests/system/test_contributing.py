"""The package that CONTRIBUTING.md prints, installed as it is printed: Lexscope finds and uses each of its parts."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from conftest import Stores

PROJECT = Path(__file__).parents[2]
GUIDE = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8")
LAW = re.findall(r"<!-- co\.txt -->\n```text\n(.*?)```", GUIDE, re.DOTALL)[0]


def package(folder: Path, *changed: tuple[str, str]) -> Path:
    """Write the package and what an installer would write of its entry points, with some of its words changed."""
    modules = re.findall(r"<!-- (lexscope_ch/\w+\.py) -->\n```python\n(.*?)```", GUIDE, re.DOTALL)
    assert len(modules) == 3
    (folder / "lexscope_ch").mkdir(parents=True)
    (folder / "lexscope_ch" / "__init__.py").touch()
    for old, new in changed:
        assert sum(code.count(old) for _, code in modules) == 1, old
        modules = [(name, code.replace(old, new)) for name, code in modules]
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


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package as it is printed."""
    return package(tmp_path_factory.mktemp("site"))


def environment(installed: Path) -> dict[str, str]:
    """That of a process which has the package."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(installed), *filter(None, sys.path)])}


def run(installed: Path, code: str, *arguments: str) -> Any:
    """What some code prints as JSON in a fresh interpreter that has the package."""
    done = subprocess.run(
        [sys.executable, "-c", f"import json, sys\n{code}", *arguments],
        env=environment(installed), cwd=PROJECT, capture_output=True, text=True, check=False, timeout=120,
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
nodes = [[n.urn, n.heading, n.intro_text, n.content_text, str(n.valid_from)] for n in document.nodes]
print(json.dumps([taken.name, document.corpus.title, nodes]))
"""
    assert run(installed, code, str(tmp_path)) == [
        "ch_articles",
        "Codice delle obbligazioni",
        [
            [f"urn:lex:ch:co{node}", heading, lead, words, "1912-01-01"]
            for node, heading, lead, words in (
                ("", "Codice delle obbligazioni", "", ""),
                (":41", "Responsabilità", "", "Chiunque è tenuto a riparare il danno. È fatto salvo l'art. 42."),
                (
                    ":42",
                    "Prova",
                    "Chi pretende il risarcimento dei danni fornisce la prova:",
                    "Il giudice apprezza la prova.",
                ),
                (":42:1", "", "", "della colpa;"),
                (":42:2", "", "", "della perdita."),
                (":43", "Definizione", "", "«Danno» significa una perdita involontaria."),
            )
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
    assert run(installed, code, str(tmp_path)) == [
        [f"urn:lex:ch:co{node}" for node in ("", ":41", ":41~2", ":41~2:1", ":41~2:2", ":43")], 1
    ]  # fmt: skip


def test_a_fault_in_the_code_of_a_package_names_the_file_and_the_package(tmp_path: Path) -> None:
    faulty = package(tmp_path / "site", ("tree = Tree(", "tree = Baum("))
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
    more = "Nel presente articolo «prova» significa un documento.\nL'art. 41 non si applica.\n"
    (tmp_path / "co.txt").write_text(LAW + "Art. 44 Deroga\n" + more, encoding="utf-8")
    code = """
from pathlib import Path
from rag.ingest.annotation import annotate
from rag.ingest.formats.registry import discover
from rag.jurisdictions.registry import jurisdiction_for
[(taken, source)] = discover(Path(sys.argv[1])).sources
document = taken.parse(source)
annotate(document, jurisdiction_for("ch"))
print(json.dumps([
    [[d.term, d.node_urn, d.scope_urn, d.inferred, d.phrase] for d in document.definitions],
    [[link.source_urn, link.kind, link.target_urn] for link in document.links],
    document.used_terms,
    document.warnings,
]))
"""
    definitions, links, used, warnings = run(installed, code, str(tmp_path))
    law = "urn:lex:ch:co"
    assert definitions == [
        ["Danno", f"{law}:43", law, True, ""],
        ["prova", f"{law}:44", f"{law}:44", False, "Nel presente articolo"],
    ]
    assert [f"{law}:41", "subject_to", f"{law}:42"] in links
    assert [f"{law}:44", "disapplies", f"{law}:41"] in links
    assert used[f"{law}:41"] == ["danno"]
    assert used[f"{law}:42"] == ["danno"], "a plural uses its term"
    assert warnings == []


def test_a_finder_that_lacks_a_method_is_refused_before_it_reads(tmp_path: Path) -> None:
    site = package(
        tmp_path / "site", ("    def scope_said(", "    def scope_unsaid("), ("self.scope_said(", "self.scope_unsaid(")
    )
    (tmp_path / "co.txt").write_text(LAW, encoding="utf-8")
    code = """
from pathlib import Path
from rag.ingest.annotation import annotate
from rag.ingest.formats.registry import discover
from rag.jurisdictions.registry import jurisdiction_for
from retrieval.errors import ConfigurationError
[(taken, source)] = discover(Path(sys.argv[1])).sources
try:
    annotate(taken.parse(source), jurisdiction_for("ch"))
except ConfigurationError as error:
    print(json.dumps(str(error)))
"""
    assert "'it' is not complete: it lacks scope_said." in run(site, code, str(tmp_path / "co.txt"))


def test_rules_that_lack_a_part_are_refused_at_load(tmp_path: Path) -> None:
    site = package(tmp_path / "site", ("    terms = Terms()\n", ""))
    code = """
from rag.languages.registry import known_language
from retrieval.errors import ConfigurationError
try:
    known_language("it")
except ConfigurationError as error:
    print(json.dumps(str(error)))
"""
    assert "are not complete: it lacks terms." in run(site, code)


def test_the_commands_of_the_guide_do_what_it_says(
    installed: Path, stores: Stores, empty_template: str, tmp_path: Path
) -> None:
    """Ingest reads all of the law, a reference is found, a definition and an exception are, a question is answered."""
    (tmp_path / "co.txt").write_text(LAW, encoding="utf-8")
    settings = stores.clone(empty_template)
    assert settings.database_url is not None
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    store = {"LEXSCOPE_DATABASE_URL": settings.database_url.get_secret_value(), "PATH": path}
    said: list[str] = []
    for command in re.findall(r"^\$ (lexscope .*?)\s+#", GUIDE, re.MULTILINE):
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, env=environment(installed) | store, capture_output=True, text=True,
            check=False, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        said.append(done.stdout)
    _, resolved, context, answer = said
    assert resolved.startswith("urn:lex:ch:co:41\n")
    assert "«Danno» significa una perdita involontaria." in context
    assert "urn:lex:ch:co:42" in context
    assert "Chiunque è tenuto a riparare il danno." in answer


@pytest.mark.parametrize(
    ("changed", "law", "cause"),
    [
        ((), LAW.replace("1912-01-01", "1912-13-01"), "1912-13-01 is no day"),
        ((), LAW.replace("1912-01-01 ", ""), "the first line is not `#legge ID DAY TITLE`"),
        ((('own, urn, "ARTICLE"', 'own, urn, "ARTICOLO"'),), LAW, "its structure type is none of ROOT, TITLE, "),
    ],
)
def test_a_file_that_cannot_be_stored_is_rejected_with_its_cause(
    tmp_path: Path, changed: tuple[tuple[str, str], ...], law: str, cause: str
) -> None:
    site = package(tmp_path / "site", *changed)
    (tmp_path / "co.txt").write_text(law, encoding="utf-8")
    code = """
from pathlib import Path
from rag.ingest.formats.registry import discover
from rag.ingest.writing.rows import build_rows
from retrieval.errors import IngestError
[(taken, source)] = discover(Path(sys.argv[1])).sources
try:
    build_rows(taken.parse(source), None)
except IngestError as error:
    print(json.dumps(error.cause))
"""
    assert cause in run(site, code, str(tmp_path / "co.txt"))


def test_doctor_lists_what_packages_register_and_the_files_of_further_laws(tmp_path: Path) -> None:
    site = package(tmp_path / "site", ("LANGUAGE = Language(", "SPOKEN = Language("))
    laws = tmp_path / "laws"
    laws.mkdir()
    entry = '[[law]]\nid = "zgb"\ntitle = "Codice civile"\n'
    (laws / "ch.toml").write_text(entry, encoding="utf-8")
    (laws / "de.toml").write_text("[[law", encoding="utf-8")
    (laws / "xr.toml").write_text("[[law", encoding="utf-8")
    (tmp_path / "laws.toml").write_text(entry.replace("zgb", "co"), encoding="utf-8")
    code = """
import os
from pathlib import Path
os.environ["LEXSCOPE_LAWS"] = sys.argv[1]
from rag.cli.doctor import further_laws, registered_packages
from rag.jurisdictions.tables import laws_of
from rag.settings import load_settings
checks = [*registered_packages(), *further_laws(load_settings())]
known = laws_of("ch", Path(sys.argv[2])).laws
print(json.dumps([[[check.name, check.status, check.detail] for check in checks], [law.id for law in known]]))
"""
    told, known = run(site, code, str(laws), str(tmp_path / "laws.toml"))
    checks = {name: (status, detail) for name, status, detail in told}
    assert checks["format ch_articles"] == ("ok", "lexscope_ch.articles:Articles, loaded")
    assert checks["country ch"][0] == "ok"
    assert checks["language it"][0] == "fail"
    assert "cannot be loaded: AttributeError" in checks["language it"][1]
    assert checks["laws ch.toml"] == ("ok", "entries: 1")
    assert checks["laws de.toml"][0] == "fail"
    assert checks["laws xr.toml"][0] == "warn"
    assert known == ["co", "zgb"]


@pytest.mark.parametrize("beyond", ["match.start(), match.end() + 99", "-1, match.end()"])
def test_a_reference_beyond_its_text_is_refused(tmp_path: Path, beyond: str) -> None:
    site = package(tmp_path / "site", ("reference_of(text, *match.span(), ", f"reference_of(text, {beyond}, "))
    code = """
from rag.jurisdictions.registry import jurisdiction_for
from retrieval.errors import ConfigurationError
try:
    jurisdiction_for("ch").find_references("art. 41 CO", None)
except ConfigurationError as error:
    print(json.dumps(error.message))
"""
    assert "in a text of 10 characters" in run(site, code)
