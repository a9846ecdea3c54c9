"""Overrides as a set that is kept: a file read again, entries that it lost, and those that nobody checked."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest
from requirements import requirement

from rag import clock
from rag.cli.doctor import UNCHECKED_DAYS, examine
from rag.settings import Settings
from rag.store.database import Database
from rag.store.reference_data import (
    NewOverride,
    add_override,
    check_override,
    end_override,
    import_overrides,
    list_overrides,
)
from retrieval.errors import InputError

HEADER = "urn_pattern,status,court,court_citation,message\n"
A, B = "urn:lex:us:16cfr:1", "urn:lex:us:16cfr:2"


@requirement("P4")
def test_a_file_read_again_changes_nothing_and_one_that_changed_shows_what(database: Database, tmp_path: Path) -> None:
    file = tmp_path / "set.csv"
    file.write_text(HEADER + f"{A},VOID,Court,1 C. 1,\n{B},STAYED,Court,2 C. 2,Wait.\n", encoding="utf-8")
    first = import_overrides(database, file)
    assert ([len(group) for group in (first.added, first.changed, first.ended)], first.unchanged) == ([2, 0, 0], 0)
    again = import_overrides(database, file)
    assert ([len(group) for group in (again.added, again.changed, again.ended)], again.unchanged) == ([0, 0, 0], 2)
    assert len(list_overrides(database)) == 2
    file.write_text(HEADER + f"{A},VOID,Court,1 C. 1,Struck down.\n", encoding="utf-8")
    shown = import_overrides(database, file, replace=True, show_only=True)
    assert (shown.changed, shown.ended, shown.done) == ([f"{A} VOID (1 C. 1)"], [f"{B} STAYED (2 C. 2)"], False)
    assert [(override.message, override.effective_to) for override in list_overrides(database)] == [
        ("", None),
        ("Wait.", None),
    ]
    import_overrides(database, file, replace=True)
    assert [(override.message, override.effective_to) for override in list_overrides(database)] == [
        ("Struck down.", None), ("Wait.", clock.today())
    ]  # fmt: skip
    assert import_overrides(database, file, replace=True).ended == []


def test_without_replace_what_the_file_lacks_stays(database: Database, tmp_path: Path) -> None:
    file = tmp_path / "set.csv"
    file.write_text(HEADER + f"{A},VOID,Court,1 C. 1,\n", encoding="utf-8")
    add_override(database, NewOverride(urn_pattern=B, status="VOID", court="Court", court_citation="2 C. 2"))
    assert import_overrides(database, file).ended == []
    assert [override.effective_to for override in list_overrides(database)] == [None, None]


def test_doctor_names_overrides_that_nobody_checked_for_long(empty_settings: Settings, database: Database) -> None:
    def found() -> list[str]:
        return [check.detail for check in examine(empty_settings).checks if check.name == "overrides"]

    old = clock.today() - timedelta(days=UNCHECKED_DAYS + 1)
    row = NewOverride(urn_pattern=A, status="VOID", court="Court", court_citation="1 C. 1", checked_on=old)
    number = add_override(database, row)
    assert [A in name for name in found()] == [True]
    check_override(database, number, clock.today())
    assert found() == []
    check_override(database, number, clock.today(), again_by=clock.today() - timedelta(days=1))
    assert len(found()) == 1
    end_override(database, number, date(2020, 1, 1))
    assert found() == []
    with pytest.raises(InputError):
        check_override(database, number + 1, clock.today())
