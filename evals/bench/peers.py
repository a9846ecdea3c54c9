"""Other systems' hybrid search beside ours: the same server, rows, vectors and questions.

They are no dependency. Their interpreter runs `peer_client.py` as a child that answers one line of JSON with another;
it times the search itself, so that neither the pipe nor the JSON counts.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, LiteralString, Self

from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from evals.bench.questions import AT, MODEL, Question
from rag.store.database import Database

CLIENT = Path(__file__).with_name("peer_client.py")


@dataclass(frozen=True, slots=True)
class PeerReply:
    """What a peer found, in milliseconds that passed and of processor time.

    The processor time is that of its own process and of its connections' backends; parallel workers are not counted.
    """

    milliseconds: float
    cpu: float | None  # None where it cannot be read
    ids: list[int]


class Peers:
    """The peers that an interpreter has, loaded with a store's nodes in force. A context manager.

    Args:
        python: the interpreter.
        store: whose nodes they search; it is read and not changed.
        asked: the questions that will be asked.
        server: a connection string to make their database with.
        keep: what their database follows from, where it is to outlive the run and serve the next one of the same.
    """

    def __init__(
        self, python: Path, store: Database, asked: Sequence[Question], server: str, *, keep: str = ""
    ) -> None:
        self.names: list[str] = []
        self.seconds: dict[str, float] = {}
        self._server = server
        self._database = f"{conninfo_to_dict(store.conninfo)['dbname']}_peers"
        self._store = store
        self._keep = keep
        self._filled = self._kept()
        if self._filled is None:
            self._administer("drop database if exists {} with (force)")
            self._administer("create database {}")
        self._child = subprocess.Popen(
            [str(python), str(CLIENT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._dimensions = len(asked[0].vector)

    def __enter__(self) -> Self:
        try:
            self._load()
        except BaseException:
            self.close()
            raise
        return self

    def _load(self) -> None:
        url = make_conninfo(self._server, dbname=self._database)
        reply = self._say({
            "store": self._store.conninfo, "database": conninfo_to_dict(url), "dimensions": self._dimensions,
            "model": MODEL.space, "at": AT.isoformat(), "filled": self._filled,
        })  # fmt: skip
        if self._keep and self._filled is None:
            told = json.dumps({"made": self._keep, "loaded": reply["loaded"]})
            self._administer("comment on database {} is {}", sql.Literal(told))
        for name, seconds in reply["loaded"].items():
            self.names.append(name)
            self.seconds[name] = seconds
        for name, cause in reply["missing"].items():
            print(f"{name}: not measured ({cause})", file=sys.stderr)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the child and drop its database, unless it is kept."""
        if self._child.stdin is not None:
            self._child.stdin.close()
        self._child.wait(timeout=60)
        if self._child.stdout is not None:
            self._child.stdout.close()
        if self._kept() is None:
            self._administer("drop database {} with (force)")

    def ask(self, name: str, one: Question) -> PeerReply:
        """A peer's ten best node versions for a question, and what it took."""
        reply = self._say({"peer": name, "text": one.text, "vector": one.vector})
        return PeerReply(reply["milliseconds"], reply["cpu"], reply["ids"])

    def _kept(self) -> dict[str, float] | None:
        """The peers whose tables an earlier run left whole, and the seconds that loading them took."""
        if not self._keep:
            return None
        with self._store.admin() as conn:
            row = conn.execute(
                "select shobj_description(oid, 'pg_database') from pg_database where datname = %s", [self._database]
            ).fetchone()
        told: dict[str, Any] = json.loads(row[0]) if row and row[0] else {}
        return told["loaded"] if told.get("made") == self._keep else None

    def _say(self, message: dict[str, Any]) -> dict[str, Any]:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(json.dumps(message) + "\n")
        self._child.stdin.flush()
        line = self._child.stdout.readline()
        if not line:
            raise RuntimeError("the peers' interpreter ended; its own output above says why")
        return json.loads(line)

    def _administer(self, statement: LiteralString, *values: sql.Composable) -> None:
        with self._store.admin() as conn:
            conn.execute(sql.SQL(statement).format(sql.Identifier(self._database), *values))
