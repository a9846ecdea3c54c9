"""Law made by seed whose definitions and exceptions are known by construction, and a store to ask it in."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from psycopg.conninfo import make_conninfo
from pydantic import SecretStr

from evals.scratch import scratch_store
from rag.engine import Engine
from rag.settings import Settings, load_settings
from rag.store.database import Database

CORPUS = "urn:lex:us:98cfr"
TERMS = ("widget", "grommet", "flange", "spindle")
_SUBJECTS = (
    "inspection", "storage", "labelling", "transport", "repair", "disposal", "licensing", "testing", "insurance",
    "advertising", "packaging", "export",
)  # fmt: skip


@dataclass(slots=True)
class MadeLaw:
    """A document in the native format, and what is true of it."""

    lines: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    nearest: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])  # (rule, term): definition
    shadowed: dict[tuple[str, str], list[str]] = field(default_factory=dict[tuple[str, str], list[str]])
    exceptions: dict[str, list[str]] = field(default_factory=dict[str, list[str]])  # rule: what excepts from it
    texts: dict[str, str] = field(default_factory=dict[str, str])

    def instruct(self, section: str, text: str) -> None:
        """Add a last paragraph to a section that tells its reader what to do."""
        place = max(place for place, line in enumerate(self.lines) if str(line.get("urn", "")).startswith(section))
        urn = f"{section}:z"
        line: dict[str, object] = {
            "urn": urn,
            "parent_urn": section,
            "structure_type": "PARAGRAPH",
            "level": "paragraph",
            "heading": "",
        }
        self.lines.insert(place + 1, line | {"content_text": text})
        self.texts[urn] = text

    def write(self, file: Path) -> None:
        """Write the document."""
        file.write_text("\n".join(json.dumps(line) for line in self.lines), encoding="utf-8")


def make_law(rng: random.Random, parts: int = 8, sections: int = 10) -> MadeLaw:
    """A title of parts and sections; each term is defined in the title, in some parts and in some sections."""
    law = MadeLaw()
    law.lines.append({"lexscope": 1, "corpus": {"urn": CORPUS, "title": "Made law, not official", "language": "en",
                                                "publisher": "evals", "licence": "MIT"}})  # fmt: skip
    law.lines.append({"urn": CORPUS, "structure_type": "TITLE", "level": "title", "number": "98", "heading": "Made"})
    in_title: dict[str, str] = {}
    for part in range(1, parts + 1):
        above = f"{CORPUS}:part_{part}"
        _add(law, above, CORPUS, "PART", "part", f"Part {part}", number=str(part))
        scope = "title" if part == 1 else "part"
        meant = TERMS if part == 1 else [term for term in TERMS if rng.random() < 0.5]
        in_part = {term: _define(law, part, f"{CORPUS}:{part}.1", above, term, scope) for term in meant}
        in_title = in_title or in_part
        for number in range(2, sections + 1):
            _rule(law, rng, part, number, sections, (in_title, in_part if part > 1 else {}))
    return law


def _add(law: MadeLaw, urn: str, parent: str, kind: str, level: str, heading: str, **more: object) -> None:
    law.lines.append(
        {"urn": urn, "parent_urn": parent, "structure_type": kind, "level": level, "heading": heading} | more
    )
    law.texts[urn] = str(more.get("content_text", ""))


def _define(law: MadeLaw, part: int, section: str, parent: str, term: str, scope: str) -> str:
    """A definition of a term for a scope, as a paragraph of the scope's definitions section."""
    if section not in law.texts:
        _add(law, section, parent, "SECTION", "section", "Definitions", number=section.rpartition(":")[2])
    urn = f"{section}:{'abcdefgh'[TERMS.index(term)]}"
    text = f'As used in this {scope}, "{term}" means any {term} of the kind {scope} {part}.'
    _add(law, urn, section, "PARAGRAPH", "paragraph", "", content_text=text)
    return urn


def _rule(
    law: MadeLaw, rng: random.Random, part: int, number: int, sections: int, defined: Sequence[dict[str, str]]
) -> None:
    urn, above = f"{CORPUS}:{part}.{number}", f"{CORPUS}:part_{part}"
    term, subject = rng.choice(TERMS), _SUBJECTS[(part * 7 + number) % len(_SUBJECTS)]
    days = rng.randint(2, 90)
    text = f"A dealer shall report the {subject} of every {term} to the office within {days} days."
    if rng.random() < 0.3:
        other = f"{CORPUS}:{part}.{rng.choice([count for count in range(2, sections + 1) if count != number])}"
        law.exceptions.setdefault(urn, []).append(other)
        text = f"Except as provided in 98 CFR {other.rpartition(':')[2]}, {text[0].lower()}{text[1:]}"
    _add(law, urn, above, "SECTION", "section", f"{subject.title()} of a {term}", number=f"{part}.{number}")
    _add(law, f"{urn}:a", urn, "PARAGRAPH", "paragraph", "", content_text=text)
    chain = [entry[term] for entry in defined if term in entry]
    if rng.random() < 0.3:
        own = f"{urn}:b"
        words = f'As used in this section, "{term}" means a {term} of the kind section {part} {number}.'
        _add(law, own, urn, "PARAGRAPH", "paragraph", "", content_text=words)
        chain.append(own)
    law.nearest[urn, term], law.shadowed[urn, term] = chain[-1], chain[:-1]


@contextmanager
def scratch_engines() -> Generator[Callable[[str], tuple[Engine, Settings]]]:
    """Engines over empty stores, one a name, on an embedded server of their own; all of it goes away afterwards.

    No model and no embedder, whatever the environment says: what answers cost and say must not depend on a key.
    """
    with (
        tempfile.TemporaryDirectory(prefix="lexscope-evals-", ignore_cleanup_errors=True) as folder,
        ExitStack() as stack,
    ):
        settings = load_settings(
            data_dir=Path(folder), database_url=None, provider="extractive", embedding="none", reranker="none",
            traces="off", telemetry="off", server_idle_seconds=0,
        )  # fmt: skip
        server = stack.enter_context(Database(settings))

        def open_store(name: str) -> tuple[Engine, Settings]:
            store = stack.enter_context(scratch_store(server, settings, name))
            own = settings.model_copy(update={"database_url": SecretStr(make_conninfo(store.conninfo))})
            return stack.enter_context(Engine.open(own)), own

        yield open_store
