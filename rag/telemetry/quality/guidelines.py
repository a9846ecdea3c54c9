"""The rules of legal research that `safety_guidelines` serves: the core, and what holds in one jurisdiction.

Texts are in `prompts/guidelines`; what the store holds of a jurisdiction is appended from `sources`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from typing import Literal

from psycopg.rows import class_row

from rag.documents.model import cut_label
from rag.law.wording import counted
from rag.models.prompting import prompts_folder
from retrieval.entry_points.request import chosen_jurisdictions
from retrieval.errors import InputError
from retrieval.model import Record
from retrieval.nodes import Connection, stored_jurisdictions
from retrieval.paths import named_jurisdictions
from retrieval.queries import QUERIES

Category = Literal["core", "jurisdiction"]
IGNORED = (
    "Note: `jurisdiction` was ignored, since these are the core guidelines. Make a separate call with "
    'category="jurisdiction" for each jurisdiction that you research.'
)
_MORE = 30  # corpora that are listed one by one
_NAMES = ("title", "publisher", "licence", "url")  # of a corpus; a source may make them as long as it likes


class Provenance(Record):
    """One corpus of the store: where it comes from and how much of it there is."""

    urn: str
    jurisdiction: str
    title: str
    language: str
    publisher: str
    licence: str
    url: str
    documents: int
    nodes: int
    last_ingest: date


class Guidelines(Record):
    """Guidelines as a model reads them: `text` is complete, the other fields say what is in it."""

    category: Category
    jurisdictions: list[str]  # those whose supplement is in the text
    without_guidelines: list[str]  # asked for, in the store, and without a supplement
    provenance: list[Provenance]
    warnings: list[str]
    text: str


@cache
def supplements() -> dict[str, str]:
    """The supplement of each jurisdiction that has one."""
    folder = prompts_folder() / "guidelines"
    texts = ((file.name.removesuffix(".md"), file) for file in folder.iterdir() if file.name.endswith(".md"))
    return {code: file.read_text(encoding="utf-8").strip() for code, file in sorted(texts) if code != "core"}


@cache
def core() -> str:
    """The core guidelines."""
    return (prompts_folder() / "guidelines" / "core.md").read_text(encoding="utf-8").strip()


def guidelines(conn: Connection, category: str, jurisdiction: str | None = None) -> Guidelines:
    """The guidelines of a category.

    Args:
        conn: a read connection, for the provenance.
        category: `core`, or `jurisdiction` with `jurisdiction` as a filter: `fr`, `eu|fr`, `*`, `!=eu`.
        jurisdiction: see above; the supplement of a wider one comes along (`us` with `us-dc`).

    Raises:
        InputError: another category, no or a malformed jurisdiction, `!*`, or one without guidelines.
    """
    if category == "core":
        given = jurisdiction is not None and bool(jurisdiction.strip())
        text = f"{IGNORED}\n\n{core()}" if given else core()
        return Guidelines(
            category="core",
            jurisdictions=[],
            without_guidelines=[],
            provenance=[],
            warnings=[IGNORED] if given else [],
            text=text,
        )
    if category != "jurisdiction":
        raise InputError("`category` is core or jurisdiction.")
    if jurisdiction is None or not jurisdiction.strip():
        raise InputError(
            "`jurisdiction` is required here: fr, us-dc, eu|fr for several, * for all, !=eu for all but one."
        )
    stored = stored_jurisdictions(conn)
    texts = supplements()
    wanted = _wanted(jurisdiction, stored, texts)
    served = [code for code in texts if code in {wider for asked in wanted for wider in _wider(asked)}]
    values = {"jurisdictions": [code for code in stored if code in wanted]}
    with conn.cursor(row_factory=class_row(Provenance)) as cursor:
        rows = cursor.execute(QUERIES["list_source_provenance"], values).fetchall()
    sources = [row.model_copy(update={name: cut_label(getattr(row, name)) for name in _NAMES}) for row in rows]
    without = [code for code in wanted if not any(wider in texts for wider in _wider(code))]
    missing = (
        [f"There are no guidelines for {', '.join(without)}; the core guidelines hold there too."] if without else []
    )
    parts = [*(texts[code] for code in served), *missing, _provenance_text(sources, wanted)]
    return Guidelines(
        category="jurisdiction",
        jurisdictions=served,
        without_guidelines=without,
        provenance=sources[:_MORE],
        warnings=[f"provenance: {_MORE} of {len(sources)} corpora are listed."] if len(sources) > _MORE else [],
        text="\n\n".join(parts),
    )


def _wider(code: str) -> list[str]:
    """A jurisdiction and those that it is part of: `us-dc` and `us`."""
    parts = code.split("-")
    return ["-".join(parts[:size]) for size in range(1, len(parts) + 1)]


def _wanted(jurisdiction: str, stored: Sequence[str], texts: Mapping[str, str]) -> list[str]:
    """The jurisdictions that a filter selects; for one that is not known, the nearest wider one (`us` for `us-ny`)."""
    known = sorted({*texts, *stored})
    if jurisdiction.strip().startswith(("*", "!")):
        return chosen_jurisdictions(jurisdiction, known)[0]
    found: set[str] = set()
    for code in named_jurisdictions(jurisdiction, stored)[1]:
        within = [below for below in known if f"{below}-".startswith(f"{code}-")]
        wider = within or [above for above in reversed(_wider(code)) if above in texts][:1]
        if not wider:
            raise InputError(
                f"There are no guidelines for one of the jurisdictions; there are some for {', '.join(texts)}."
            )
        found.update(wider)
    return sorted(found)


def _provenance_text(sources: Sequence[Provenance], wanted: Sequence[str]) -> str:
    """What the store holds, as the end of the guidelines."""
    title = f"# What this store holds ({', '.join(wanted)})"
    if not sources:
        return f"{title}\n\nNothing. A search in it finds nothing, which says nothing about the law."
    lines = [
        f"* {source.title} ({source.urn}; {source.language}): {_held(source.documents, source.nodes)}, read "
        f"{source.last_ingest.isoformat()}{_from(source)}"
        for source in sources[:_MORE]
    ]
    if len(sources) > _MORE:
        rest = sources[_MORE:]
        documents, nodes = sum(row.documents for row in rest), sum(row.nodes for row in rest)
        lines.append(f"* {len(rest)} further corpora: {_held(documents, nodes)}")
    return f"{title}\n\n" + "\n".join(lines) + "\n\nLaw that is not listed here was not searched."


def _held(documents: int, nodes: int) -> str:
    return f"{counted(documents, 'document')}, {counted(nodes, 'provision')}"


def _from(source: Provenance) -> str:
    origin = ", ".join(text for text in (source.publisher, source.licence, source.url) if text)
    return f"; from {origin}" if origin else ""
