"""URNs, citation paths and override patterns: what is built can be taken apart, and what matches is found."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from retrieval.context.overrides import covers, look_up_keys
from retrieval.errors import InputError
from retrieval.paths import (
    MAX_LABEL_BYTES,
    MAX_PATH_BYTES,
    canonical_jurisdiction,
    child_path,
    encode_label,
    expand_jurisdictions,
    is_urn,
    parse_urn,
    path_label,
    pattern_matches,
    pattern_prefix,
    root_path,
    segment,
    slug,
    subtree_end,
    urn_spellings,
)

LABEL = re.compile(r"[a-z0-9_]*\Z")
segments = st.from_regex(r"[a-z0-9](?:[a-z0-9._~-]{0,6}[a-z0-9~])?", fullmatch=True)
codes = st.sampled_from(["us", "us-dc", "us-ma", "ma", "fed", "fr", "fr-alsace", "eu", "jp"])
urns = st.builds(
    lambda code, parts: ":".join(["urn", "lex", code, *parts]), codes, st.lists(segments, min_size=1, max_size=5)
)


def decode_label(label: str) -> str:
    """The text that `encode_label` was given."""
    out = bytearray()
    position = 0
    while position < len(label):
        if label.startswith("__", position):
            out += b"-"
            position += 2
        elif label.startswith("_z", position):
            out.append(int(label[position + 2 : position + 4], 16))
            position += 4
        elif label[position] == "_":
            out += b"."
            position += 1
        else:
            out += label[position].encode()
            position += 1
    return out.decode()


@given(st.text(max_size=12))
def test_a_label_holds_only_safe_characters_and_decodes_to_its_text(text: str) -> None:
    label = encode_label(text)
    assert LABEL.match(label)
    assert decode_label(label) == text


@given(st.text(alphabet=".-_zaA0~", max_size=8))
def test_labels_of_punctuation_and_z_decode_to_their_text(text: str) -> None:
    assert decode_label(encode_label(text)) == text


@given(st.text(alphabet="ab.-z1", min_size=1, max_size=5), st.text(alphabet="ab.-z1", min_size=1, max_size=5))
def test_two_numbers_of_one_level_never_share_a_label(one: str, other: str) -> None:
    assume(one != other)
    assert path_label("section", one) != path_label("section", other)


@pytest.mark.parametrize(
    ("level", "number", "label"),
    [
        ("section", "310.4", "sec_310_4"),
        ("section", "42-3502.17", "sec_42__3502_17"),
        ("subsection", "a", "sub_a"),
        ("article", "L111-1", "art_l111__1"),
        ("division 2", "IV", "division2_iv"),
        ("条", "1", "level_1"),
    ],
)
def test_path_labels_are_readable(level: str, number: str, label: str) -> None:
    assert path_label(level, number) == label


@given(urns)
def test_a_urn_parses_into_what_it_was_built_of(text: str) -> None:
    urn = parse_urn(text)
    assert urn.text == text
    assert text.endswith(":".join((urn.corpus, *urn.segments)))
    assert urn.prefixes[-1] == text
    assert urn.prefixes[0].count(":") == 3
    assert parse_urn(text.upper()) == urn


@given(urns)
def test_every_spelling_of_a_urn_is_the_same_law(text: str) -> None:
    urn = parse_urn(text)
    spellings = urn_spellings(urn)
    assert text in spellings
    assert {(urn.jurisdiction, urn.corpus, urn.segments) for urn in map(parse_urn, spellings)} == {
        (urn.jurisdiction, urn.corpus, urn.segments)
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "urn:lex:us",
        "urn:lex:us:",
        "urn:lex:us:17usc::1",
        "urn:lex:us:17usc:é",
        "urn:lex:us:17usc:a b",
        "urn:x:us:a",
        "urn:lex:us:17usc:*",
        "urn:lex:u:17usc",
        "urn:lex:us:17usc:" + "a" * 600,
        "urn:lex:us:17usc:106\n:a",
        "urn:lex:us:-a",
        "urn:lex:*:a",
    ],
)
def test_what_is_no_urn_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_urn(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("urn:lex:us:x", True),
        (" URN:LEX:bad ", True),
        ("urn:isbn:1", True),
        ("17 U.S.C. 106", False),
        ("urn:lex:us:x lets him keep it, is that right?", False),
    ],
)
def test_text_meant_as_a_urn_is_known_by_its_beginning(text: str, meant: bool) -> None:
    assert is_urn(text) is meant


@pytest.mark.parametrize(
    ("code", "canonical"),
    [("ma", "us-ma"), ("FED", "us"), ("us_dc", "us-dc"), (" fr-Alsace ", "fr-alsace"), ("eu", "eu")],
)
def test_jurisdiction_codes_have_one_spelling(code: str, canonical: str) -> None:
    assert canonical_jurisdiction(code) == canonical


@pytest.mark.parametrize("code", ["", "u", "us-", "us--dc", "*", "us%", "x" * 50, "us dc", "日本"])
def test_malformed_jurisdictions_are_refused(code: str) -> None:
    with pytest.raises(InputError):
        canonical_jurisdiction(code)


@pytest.mark.parametrize(
    ("wanted", "expanded"),
    [
        ("us", ["us", "us-dc", "us-ma"]), ("fed", ["us", "us-dc", "us-ma"]), ("ma", ["us-ma"]), ("fr|eu", ["eu", "fr"]),
        (None, ["eu", "fr", "us", "us-dc", "us-ma"]), ("*", ["eu", "fr", "us", "us-dc", "us-ma"]), ("de", []),
        ("us-d", []), ("!=us", ["eu", "fr"]), ("!=ma|eu", ["fr", "us", "us-dc"]),
        ("!=de", ["eu", "fr", "us", "us-dc", "us-ma"]),
    ],
)  # fmt: skip
def test_a_filter_selects_a_jurisdiction_and_its_subdivisions(wanted: str | None, expanded: list[str]) -> None:
    assert expand_jurisdictions(wanted, ["us-ma", "us", "fr", "eu", "us-dc"]) == expanded


# --- patterns -------------------------------------------------------------------------------------------------------


@st.composite
def patterns_of(draw: st.DrawFn, urn: str) -> str:
    """A pattern that covers a URN: a shorter URN, with runs of characters after the corpus's colon starred."""
    parts = urn.split(":")
    kept = parts[: draw(st.integers(4, len(parts)))]
    head, tail = ":".join(kept[:3]), ":".join(kept[3:])
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(tail)))
        end = draw(st.integers(start, len(tail)))
        tail = f"{tail[:start]}*{tail[end:]}"
    return f"{head}:{tail}"


def wanted_match(pattern: str, urn: str) -> bool:
    """What matching means, by trying every split."""
    if not pattern:
        return not urn or urn.startswith(":")
    if pattern[0] == "*":
        return any(wanted_match(pattern[1:], urn[cut:]) for cut in range(len(urn) + 1))
    return bool(urn) and urn[0] == pattern[0] and wanted_match(pattern[1:], urn[1:])


@given(st.data(), urns)
def test_a_pattern_that_covers_a_urn_is_found_under_its_key(data: st.DataObject, urn: str) -> None:
    pattern = data.draw(patterns_of(urn))
    assert pattern_matches(pattern, urn)
    assert pattern_prefix(pattern) in look_up_keys([urn])


@given(st.data(), urns)
def test_a_pattern_in_another_spelling_of_the_jurisdiction_is_found_too(data: st.DataObject, urn: str) -> None:
    spelling = data.draw(st.sampled_from(urn_spellings(parse_urn(urn))))
    pattern = data.draw(patterns_of(spelling))
    assert covers(pattern, urn)
    assert pattern_prefix(pattern) in look_up_keys([urn])


@given(st.text(alphabet="a:*", max_size=6), st.text(alphabet="ab:", max_size=7))
def test_matching_agrees_with_its_definition(pattern: str, urn: str) -> None:
    assert pattern_matches(pattern, urn) == wanted_match(pattern, urn)


@pytest.mark.parametrize(
    ("pattern", "urn", "matches"),
    [
        ("urn:lex:us:16cfr:310.4", "urn:lex:us:16cfr:310.4", True),
        ("urn:lex:us:16cfr:310.4", "urn:lex:us:16cfr:310.4:b:1", True),
        ("urn:lex:us:16cfr:310.4", "urn:lex:us:16cfr:310.41", False),
        ("urn:lex:us:16cfr:310.4:b", "urn:lex:us:16cfr:310.4", False),
        ("urn:lex:us:16cfr:31*", "urn:lex:us:16cfr:310.4:b", True),
        ("urn:lex:us:16cfr:*:b", "urn:lex:us:16cfr:310.4:b:1", True),
        ("urn:lex:us:16cfr:*:b", "urn:lex:us:16cfr:310.4:c", False),
        ("urn:lex:us:16cfr:310.4", "urn:lex:us:16cfr:310x4", False),
        ("urn:lex:us:*", "urn:lex:us-dc:code", False),
    ],
)
def test_patterns_cover_subtrees_and_nothing_beside_them(pattern: str, urn: str, matches: bool) -> None:
    assert pattern_matches(pattern, urn) is matches


def test_a_pattern_of_many_stars_is_decided_without_backtracking() -> None:
    # Backtracking over thirty stars would not end within the lifetime of the test run.
    assert not pattern_matches("urn:lex:us:" + "*a" * 30 + "b", "urn:lex:us:" + "a" * 400)
    assert not pattern_matches("urn:lex:us:" + "*" * 200 + "b", "urn:lex:us:" + "a" * 400)


@pytest.mark.parametrize(
    ("pattern", "key"),
    [
        ("urn:lex:us:16cfr:310.4", "urn:lex:us:16cfr:310.4"),
        ("urn:lex:us:16cfr:310*", "urn:lex:us:16cfr"),
        ("urn:lex:us:16cfr:310.4:*", "urn:lex:us:16cfr:310.4"),
        ("urn:lex:us:*", "urn:lex:us"),
    ],
)
def test_the_key_of_a_pattern_is_its_last_whole_literal_segment(pattern: str, key: str) -> None:
    assert pattern_prefix(pattern) == key


# --- citation paths -------------------------------------------------------------------------------------------------


def ltree_key(path: str) -> list[bytes]:
    """PostgreSQL's order of ltrees: label by label by bytes, a prefix before what continues it."""
    return [label.encode() for label in path.split(".")]


labels = st.from_regex(r"[a-z0-9_]{1,4}", fullmatch=True)
paths = st.lists(labels, min_size=1, max_size=4).map(".".join)


@given(paths, paths)
def test_the_range_of_a_subtree_holds_it_and_nothing_else(root: str, other: str) -> None:
    inside = other == root or other.startswith(f"{root}.")
    assert (ltree_key(root) <= ltree_key(other) < ltree_key(subtree_end(root))) == inside


@given(paths, paths)
def test_a_descendant_lies_in_the_range_of_its_subtree(root: str, below: str) -> None:
    assert ltree_key(root) <= ltree_key(f"{root}.{below}") < ltree_key(subtree_end(root))


def test_paths_are_refused_before_the_store_cannot_index_them() -> None:
    root = root_path("urn:lex:us-ma:940cmr")
    assert root == "root.us_ma.940cmr"
    longest = "x" * (MAX_LABEL_BYTES - len("sec_"))
    assert len(child_path(root, "section", longest).rpartition(".")[2]) == MAX_LABEL_BYTES
    with pytest.raises(InputError, match="label"):
        child_path(root, "section", longest + "x")
    path = root
    while len(path) + len(".par_1") <= MAX_PATH_BYTES:
        path = child_path(path, "paragraph", "1")
    with pytest.raises(InputError, match=str(MAX_PATH_BYTES)):
        child_path(path, "paragraph", "1")


def test_the_bound_of_a_subtree_is_itself_a_label_that_every_postgresql_accepts() -> None:
    longest = child_path("root.us.x", "section", "y" * (MAX_LABEL_BYTES - len("sec_")))
    assert len(subtree_end(longest).rpartition(".")[2]) <= 255


@pytest.mark.parametrize(
    ("designator", "cited"),
    [
        ("(a-1)", "a-1"),
        ("§ 310.4", "310.4"),
        ("(iv)", "iv"),
        ("L. 111-1", "l.-111-1"),
        ("3-1 bis", "3-1-bis"),
        ("[1]", "1"),
    ],
)
def test_designators_become_segments(designator: str, cited: str) -> None:
    assert segment(designator) == cited
    assert parse_urn(f"urn:lex:us:x:{cited}").segments == (cited,)


@pytest.mark.parametrize("designator", ["", "()", "§", "第", "—"])
def test_a_designator_without_letters_or_digits_is_refused(designator: str) -> None:
    with pytest.raises(InputError):
        segment(designator)


@given(st.text(max_size=100))
def test_a_slug_is_always_a_segment(text: str) -> None:
    assert parse_urn(f"urn:lex:us:doc:{slug(text)}").segments == (slug(text),)
    assert len(slug(text)) <= 60
