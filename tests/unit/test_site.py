"""The documentation's pages and the citation file: every link leads somewhere, and one that does not is told."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import unquote, urlsplit

import yaml
from conftest import PROJECT
from lxml import html


def built(project: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """The program of the pages, run from the docs of a project."""
    return subprocess.run(
        [sys.executable, project / "docs" / "build_site.py", folder], capture_output=True, text=True, check=False
    )


def test_every_link_of_every_page_leads_to_a_page_file_or_heading(tmp_path: Path) -> None:
    ran = built(PROJECT, tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    pages = {file.resolve(): html.parse(str(file)) for file in tmp_path.rglob("*.html")}
    assert {"index.html", "ARCHITECTURE.html"} <= {file.name for file in pages}
    links = [(file, str(link)) for file, page in pages.items() for link in page.xpath("//@href | //@src")]
    assert len(links) > 100
    for file, link in links:
        split = urlsplit(link)
        if split.scheme:
            assert split.scheme in {"http", "https", "mailto"}
            continue
        target = (file.parent / unquote(split.path)).resolve() if split.path else file
        assert target.is_file(), f"{file.name}: {link}"
        if split.fragment:
            assert pages[target].xpath("//*[@id=$name]", name=split.fragment), f"{file.name}: {link}"
    assert not any(page.xpath("//script | //link | //img[starts-with(@src, 'http')]") for page in pages.values())


def test_a_link_to_nothing_is_an_error_that_names_its_page(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "build_site.py").write_bytes((PROJECT / "docs" / "build_site.py").read_bytes())
    for name in ("README", "ARCHITECTURE", "CONTRIBUTING", "CHANGELOG"):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\n## One & two\n", encoding="utf-8")
    (docs / "a.md").write_text("# A\n\n[b](b.md), [c](../README.md#one--two), [d](../README.md#three)\n", "utf-8")
    ran = built(tmp_path, tmp_path / "site")
    assert ran.returncode == 1
    assert ran.stderr == "docs/a.md: there is no b.md\ndocs/a.md: README.md has no heading three\n"
    assert 'href="../index.html#one--two"' in (tmp_path / "site" / "docs" / "a.html").read_text(encoding="utf-8")


def test_the_citation_names_this_version_and_licence() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    cited = yaml.safe_load((PROJECT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (cited["version"], cited["license"]) == (project["version"], project["license"])
    assert {"cff-version", "message", "title", "authors"} <= set(cited)
