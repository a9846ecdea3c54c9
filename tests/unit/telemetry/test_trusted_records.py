"""Records that the program makes of its own values without checking them are what checking would have made."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from requirements import requirement

from retrieval.model import Block, DefinitionInScope, Record, trusted

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
URNS = st.lists(TEXT, max_size=2)
DAY = st.one_of(st.none(), st.dates())
VALUES: list[tuple[type[Record], st.SearchStrategy[dict[str, Any]]]] = [
    (Block, st.fixed_dictionaries({
        "id": TEXT, "urn": TEXT, "role": st.sampled_from(["rule", "warning"]), "heading": TEXT, "text": TEXT,
        "lead_in": TEXT, "flush": TEXT, "after_children": st.one_of(st.none(), st.integers(0, 9)),
        "valid_from": DAY, "valid_to": DAY, "parent_urn": st.one_of(st.none(), TEXT), "applies_to": URNS,
        "reason": TEXT,
    })),
    (DefinitionInScope, st.fixed_dictionaries({
        "term": TEXT, "urn": TEXT, "scope_urn": TEXT, "applies_to": URNS, "shadows": URNS, "relation": TEXT,
        "inferred": st.booleans(), "phrase": TEXT, "depth": st.integers(0, 3), "likely": st.booleans(), "read_by": TEXT,
    })),
]  # fmt: skip


@requirement("P1")
@pytest.mark.parametrize(("record", "values"), VALUES, ids=lambda one: getattr(one, "__name__", ""))
@given(data=st.data())
def test_a_trusted_record_is_the_record_that_validation_makes(
    record: type[Record], values: st.SearchStrategy[dict[str, Any]], data: st.DataObject
) -> None:
    drawn = data.draw(values)
    drawn = {name: drawn[name] for name in record.model_fields}
    made, checked = trusted(record, dict(drawn)), record.model_validate(drawn)
    assert made == checked
    assert repr(made) == repr(checked)
    assert made.model_dump_json() == checked.model_dump_json()
    assert made.model_fields_set == checked.model_fields_set
    assert made.model_copy(update={"urn": "other"}) == checked.model_copy(update={"urn": "other"})
    assert pickle.loads(pickle.dumps(made)) == checked
    with pytest.raises(ValidationError):
        setattr(made, "urn", "other")  # noqa: B010 - a name that a checker does not see through
