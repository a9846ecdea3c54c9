"""Chunks: they join to the whole text, end with sentences, and stand under their headings."""

from __future__ import annotations

from conftest import share_of
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.ingest.formats.plain.blocks import Block
from rag.ingest.formats.plain.document import MOST, TARGET, Chunked, cut_chunks
from rag.languages.sentences import split_sentences

SENTENCE = "The tenant shall pay the rent on the first day of each month without any deduction. "


def paragraph(sentences: int) -> Block:
    return Block((SENTENCE * sentences).strip())


def words(chunked: Chunked) -> list[str]:
    return [chunked.text[chunk.start : chunk.end] for chunk in chunked.chunks]


_LINE = st.text(alphabet="ab.;:! (A1§\u3002é", min_size=1, max_size=60).map(str.strip).filter(bool)
_TEXT = st.one_of(
    _LINE,
    st.lists(_LINE, min_size=1, max_size=4).map("\n".join),
    st.integers(1, 60).map(lambda count: (SENTENCE * count).strip()),
    st.integers(1, 40).map(lambda count: "x" * count * 997),
)
_BLOCKS = st.lists(
    st.builds(
        Block, _TEXT, level=st.sampled_from([0, 0, 0, 1, 2, 3]), rows=st.booleans(), tight=st.booleans(),
        indent=st.integers(0, 3), pages=st.integers(1, 9).map(lambda page: ((0, page),)),
    ),
    min_size=1, max_size=12,
)  # fmt: skip


@given(_BLOCKS)
@settings(max_examples=share_of(150))
def test_joined_chunks_are_the_whole_text_and_every_block_is_in_it(blocks: list[Block]) -> None:
    chunked = cut_chunks(blocks, "en")
    assert "".join(words(chunked)) == chunked.text
    assert all(chunk.start < chunk.end <= chunk.start + MOST for chunk in chunked.chunks)
    position = 0
    for block in blocks:
        position = chunked.text.index(block.text, position) + len(block.text)
    assert position == len(chunked.text)


@given(_BLOCKS)
@settings(max_examples=share_of(100))
def test_a_chunk_is_longer_than_the_target_only_by_its_first_sentence(blocks: list[Block]) -> None:
    blocks = [Block(block.text, pages=block.pages) for block in blocks]
    chunked = cut_chunks(blocks, "en")
    starts = {start for start, _ in split_sentences(chunked.text, "en")}
    assert chunked.forced or {chunk.start for chunk in chunked.chunks} <= starts
    for chunk in chunked.chunks:
        inner = [start for start in starts if chunk.start < start < chunk.end]
        assert chunk.end - chunk.start <= TARGET or not inner


def test_paragraphs_stay_whole_while_they_fit_and_headings_begin_chunks() -> None:
    chunked = cut_chunks(
        [Block("Lease", 1), Block("Rent", 2), paragraph(10), paragraph(10), Block("Deposit", 2), paragraph(2)], "en"
    )
    assert [chunk.headings for chunk in chunked.chunks] == [("Lease", "Rent"), ("Lease", "Rent"), ("Lease", "Deposit")]
    assert words(chunked)[0] == f"Lease\n\nRent\n\n{paragraph(10).text}\n\n"
    assert words(chunked)[1] == f"{paragraph(10).text}\n\n"


def test_a_long_paragraph_is_cut_between_sentences_only() -> None:
    chunked = cut_chunks([paragraph(60)], "en")
    assert len(chunked.chunks) > 3
    assert all(word.strip().endswith("deduction.") and len(word) <= TARGET for word in words(chunked))


def test_a_list_never_parts_from_the_sentence_it_belongs_to() -> None:
    items = [Block(f"({letter}) {'a very long duty ' * 12};", tight=True) for letter in "abcdefgh"]
    chunked = cut_chunks([paragraph(15), Block("The tenant shall:"), *items, paragraph(1)], "en")
    assert any(word.startswith("The tenant shall:") and "(h)" in word for word in words(chunked))


def test_a_table_is_cut_between_rows_and_a_text_without_sentences_near_the_limit() -> None:
    rows = "\n".join(f"room {number} | {number * 10}" for number in range(400))
    chunked = cut_chunks([Block(rows, rows=True)], "en")
    assert len(chunked.chunks) > 2
    assert all(word.startswith("room") and len(word) <= TARGET for word in words(chunked))
    endless = cut_chunks([Block("word " * 10_000 + "end")], "en")
    assert endless.forced == len(endless.chunks) - 1 == 2


def test_german_and_japanese_sentences_end_where_they_end() -> None:
    german = "Der Vertrag beginnt am 1. Januar und gilt gem. Abs. 2 für ein Jahr. " * 40
    japanese = "賃借人は家賃を毎月支払わなければならない。" * 200
    for text, language, end in ((german, "de", "Jahr."), (japanese, "ja", "。")):
        found = words(cut_chunks([Block(text.strip())], language))
        assert len(found) > 1
        assert all(word.strip().endswith(end) for word in found)


def test_a_chunk_knows_its_pages() -> None:
    text = (SENTENCE * 40).strip()
    half = text.index("The", len(text) // 2)
    chunked = cut_chunks([Block(text, pages=((0, 3), (half, 4)))], "en")
    assert [chunk.first_page for chunk in chunked.chunks] == sorted(chunk.first_page for chunk in chunked.chunks)
    assert (chunked.chunks[0].first_page, chunked.chunks[-1].last_page) == (3, 4)
