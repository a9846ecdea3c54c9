"""Named SQL. Every statement of the program lives in `sql/queries/*.sql` and is PREPAREd by a test on the real schema.

A query starts with `-- name: word`, followed by comment lines that say what it does. Python names queries literally,
`QUERIES["find_nodes_by_urn"]`, so that a search finds every use. Values are bound. What cannot be bound (the predicates
of a search, the name of an index, a number that an index was made for) has a slot, `/*slot:name*/`, and `fill` is the
only way to put text there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import LiteralString, cast

from psycopg import sql

_SLOT = re.compile(r"/\*slot:([a-z_]+)\*/")
_NAME = re.compile(r"^-- name: ([a-z][a-z0-9_]*)\s*$", re.MULTILINE)


def sql_folder() -> Traversable:
    """The folder `sql`: inside the package in a wheel, beside it in a checkout."""
    packaged = files("retrieval") / "sql"
    return packaged if packaged.is_dir() else Path(__file__).resolve().parent.parent / "sql"


def parse_queries(text: str, *, file: str) -> dict[str, str]:
    """Split one file into its named statements.

    Raises:
        ValueError: text before the first name, a name used twice, or a name without a statement.
    """
    parts = _NAME.split(text)
    if parts[0].strip() and not all(line.startswith("--") or not line.strip() for line in parts[0].splitlines()):
        raise ValueError(f"{file}: a statement stands before the first name")
    queries: dict[str, str] = {}
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        statement = "\n".join(line for line in body.splitlines() if not line.startswith("--")).strip().rstrip(";")
        if not statement or name in queries:
            raise ValueError(f"{file}: {name} is empty or stands twice")
        queries[name] = statement
    return queries


def load_queries() -> Mapping[str, LiteralString]:
    """All named statements of all files.

    Raises:
        ValueError: a malformed file, or one name in two files.
    """
    found: dict[str, LiteralString] = {}
    for file in sorted((sql_folder() / "queries").iterdir(), key=lambda file: file.name):
        for name, statement in parse_queries(file.read_text(encoding="utf-8"), file=file.name).items():
            if name in found:
                raise ValueError(f"{file.name}: {name} also stands in another file")
            # The files ship with the program and hold no input, which is what LiteralString promises.
            found[name] = cast("LiteralString", statement)
    return found


def fill(statement: LiteralString, **texts: LiteralString | sql.Composable) -> LiteralString:
    """A statement with a text in each of its slots.

    Args:
        statement: with slots, `/*slot:name*/`, of which several may have one name.
        texts: SQL by the name of the slot: the program's own (a named query, or what `fill` made of one), or psycopg's
            `Identifier`, `Literal` and `Placeholder`, which quote what they are given.

    Raises:
        ValueError: a slot is left empty, or a text has no slot.
    """
    names = set(_SLOT.findall(statement))
    if names != texts.keys():
        raise ValueError(f"slots {sorted(names)} were given the texts {sorted(texts)}")
    given = {name: text if isinstance(text, str) else text.as_string() for name, text in texts.items()}
    return cast("LiteralString", _SLOT.sub(lambda slot: given[slot[1]], statement))


QUERIES = load_queries()
