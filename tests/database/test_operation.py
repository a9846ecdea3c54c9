"""What those who run a store rely on: a backup is the store, and traces go when their time is over."""

from __future__ import annotations

import subprocess
from pathlib import Path

from conftest import Stores, owner_of

from rag import Engine
from rag.settings import Settings, load_settings
from rag.store.embedded_server import installed_programs
from retrieval.queries import QUERIES

RULE = "urn:lex:ma:940cmr:3.17:4"
CONTENTS = """select md5(string_agg(t.said, '|' order by t.said)) from (
    select n::text as said from legal_nodes n union all select d::text from legal_definitions d
    union all select e::text from edges e union all select o::text from judicial_overrides o
    union all select s::text from sources s
) t"""


def test_a_backup_restored_is_the_same_store(engine: Engine, stores: Stores, server: str, tmp_path: Path) -> None:
    """F35: pg_dump into a new database."""
    programs, file = installed_programs() / "bin", tmp_path / "law.dump"
    subprocess.run([programs / "pg_dump", "-Fc", "-f", file, owner_of(engine.database)], check=True)
    target = stores.clone("template1", as_owner=True)
    assert target.database_url is not None
    url = target.database_url.get_secret_value()
    subprocess.run([programs / "pg_restore", "--exit-on-error", "--no-owner", "-d", url, file], check=True)
    with Engine.open(load_settings(database_url=url)) as restored:
        with engine.database.read() as conn, restored.database.read() as other:
            assert conn.execute(CONTENTS).fetchone() == other.execute(CONTENTS).fetchone()
            urns = [row[0] for row in conn.execute("select distinct urn from legal_nodes order by 1")]
        for urn in urns:
            assert restored.context(urn).digest == engine.context(urn).digest
        assert restored.search("security deposit").results == engine.search("security deposit").results
    stores.drop(target)


def test_a_trace_is_deleted_when_its_time_is_over(sample_settings: Settings) -> None:
    with Engine.open(sample_settings.model_copy(update={"trace_days": 30})) as engine:
        old, kept = engine.context(RULE).trace_id, engine.context(RULE).trace_id
        with engine.database.write() as conn:
            conn.execute("update traces set created_at = created_at - interval '31 days' where id = %s", [old])
            conn.execute("update traces set created_at = created_at - interval '29 days' where id = %s", [kept])
        new = engine.context(RULE).trace_id
        with engine.database.read() as conn:
            assert conn.execute(QUERIES["find_trace"], {"id": old}).fetchone() is None
            assert {row[0] for row in conn.execute("select id from traces")} == {kept, new}
