"""Bilingual dictionaries, read from files as `dictfmt` and `dictzip` write them, and what the encoder makes of them."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from dictd_files import written
from hypothesis import given
from hypothesis import strategies as st

from rag.models.choice import embedder_of
from rag.settings import load_settings
from retrieval.errors import ConfigurationError
from retrieval.languages import SearchWords
from retrieval.providers.dictionaries import ChainedTranslator, Dictionary, Translator, dictionary_files, edition_of
from retrieval.providers.model_card import known_languages
from retrieval.providers.packaged_embedding import PackagedEmbedder
from retrieval.providers.packages import is_installed

GERMAN = {
    "miete": ["Miete /mˈiːtə/ <fem, n, sg>\nrent <n>, rental <n>\n   Synonyms: {Pacht}\n"],
    "mieter": ["Mieter /mˈiːtɐ/ <masc, n, sg>\n [jur.] tenant <n>\n"],
    "vertrag": ['Vertrag /fɛɾtɾˈɑːk/ <n>\ncontract <n>\n      "einen Vertrag schließen"  - conclude a treaty\n'],
    "kündigen": ["kündigen /kˈyndɪɡən/ <v>\nto terminate sth. /to cancel sth./\n"],
    "gericht": ["Gericht /ɡəɾˈɪçt/\n[cook.] dish <n>\n", "Gericht /ɡəɾˈɪçt/\ncourt <n>\n"],
    "der": ["der /dˈɛɾ/\nthe\n"],
    "pacht": ["Pacht /pˈaxt/\nrent <n>\n", "Pacht /pˈaxt/\n [jur.] lease <n>\n"],
    "und": ["und /ʊnt/\nand\n"],
}
FRENCH = {
    "bail": ["bail /baj/ <n, masc>\nPacht, Miete\nGericht, contrat par lequel\n"],
    "juge": ["juge /ʒyʒ/ <n, masc>\n1. Gericht 2.\nMagistrat\n2. Mieter\n"],
    "louer": ["louer /lwe/ <v>\n1. kündigen\n"],
    "locataire": ["locataire /lɔ.ka.tɛʁ/\nMieter\n"],
    "est": ["est /ɛst/ <n, masc>\nVertrag\n"],
    "contratbail": ["contratbail\nMietervertrag\n"],
}
DIRECT = {"locataire": ["locataire /x/\nrental\n"], "quai": ["quai /x/\ndish\n"]}
PLACES = {"the": 1, "and": 2, "court": 3, "rent": 4, "contract": 5, "tenant": 6, "rental": 7, "lease": 7, "dish": 8}

WORDS = SearchWords(links=("s", "er"), form_endings=("es", "e", "s"), headword_endings=("en",))


FRENCH_WORDS = SearchWords(
    idle=frozenset({"est", "le"}), joined=(re.compile(r"(?<=\w)-ce\b"), re.compile(r"\bl'")),
    form_endings=("s", "es"), headword_endings=("er",),
)  # fmt: skip


def translator(folder: Path, entries: Mapping[str, Sequence[str]]) -> Translator:
    return Translator(Dictionary(written(folder, "d", entries)), WORDS, PLACES.get, 10, 2)


@given(
    st.dictionaries(
        st.text("aäbzß -", min_size=1), st.lists(st.text(min_size=1, max_size=90), min_size=1, max_size=3), min_size=1
    ),
    st.integers(10, 200),
    st.sampled_from([b"", b"title"]),
)
def test_what_was_written_is_read_and_nothing_else(entries: dict[str, list[str]], size: int, title: bytes) -> None:
    entries = {
        word: [text.encode(errors="ignore").decode() or "x" for text in texts] for word, texts in entries.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        dictionary = Dictionary(written(Path(folder), "d", entries, size, title))
        for word, texts in entries.items():
            assert sorted(dictionary.articles(word)) == sorted(texts)
            for other in (word[:-1], f"{word}a", f"{word}é"):
                assert sorted(dictionary.articles(other)) == sorted(entries.get(other, []))


def test_words_are_put_into_english_by_forms_and_parts(tmp_path: Path) -> None:
    german = translator(tmp_path, GERMAN)
    assert german.translate("Der Mieter und die Miete 2024.") == "tenant and die rent rental 2024"
    assert german.translate("Verträge, Vertrages, Mieters") == "Verträge contract tenant"
    assert german.translate("Mietervertrag Vertragsgericht") == "tenant contract contract court"
    assert german.english("gericht") == "court dish"  # the more frequent word of two articles comes first
    assert german.english("pacht") == "lease rent"  # what the law means by it comes before what is said more often
    assert german.english("kündigen") == "terminate"  # neither the object nor what stands between strokes
    assert german.english("zaun") == ""


def test_a_language_is_put_into_english_through_another(tmp_path: Path) -> None:
    german = translator(tmp_path, GERMAN)
    direct = Translator(Dictionary(written(tmp_path, "e", DIRECT)), FRENCH_WORDS, PLACES.get, 10, 2)
    french = ChainedTranslator(direct, Dictionary(written(tmp_path, "f", FRENCH)), german)
    assert french.english("bail") == "rent lease"  # of both words, the nearer by frequency; nothing of the explanation
    assert french.english("juge") == "court tenant"  # the first sense and the numbered one
    assert french.translate("Est-ce l'bail loues 12, le notaire") == "rent lease terminate 12 notaire"
    assert french.english("locataire") == "rental tenant"  # both ways; what is said directly counts more
    assert french.english("quai") == "dish"  # what has no German is put into English directly
    assert french.english("bailjuge") == ""  # French has no compounds written as one word
    assert german.translate("est") == "est"  # what is left out first is of the chained language alone


def test_dictionaries_that_follow_each_other_are_read_where_all_are_there(tmp_path: Path) -> None:
    direct, first = written(tmp_path, "freedict-fra-eng", DIRECT), written(tmp_path, "freedict-fra-deu", FRENCH)
    with pytest.raises(ConfigurationError, match=r"has no freedict-deu-eng\.index"):
        dictionary_files(tmp_path)
    last = written(tmp_path, "freedict-deu-eng", GERMAN)
    files = dictionary_files(tmp_path)
    assert files == {"de": (last,), "fr": (direct, first, last)}
    before = {language: edition_of(indexes) for language, indexes in files.items()}
    written(tmp_path, "freedict-fra-deu", {**FRENCH, "mur": ["mur\nMiete\n"]})
    assert edition_of(files["de"]) == before["de"]
    assert edition_of(files["fr"]) != before["fr"]
    written(tmp_path, "freedict-fra-deu", FRENCH)
    written(tmp_path, "freedict-deu-eng", {**GERMAN, "mauer": ["Mauer\nwall\n"]})
    assert edition_of(files["fr"]) != before["fr"]


def test_what_is_no_dictionary_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"has no freedict-deu-eng\.index"):
        PackagedEmbedder(dictionaries=tmp_path)
    index = written(tmp_path, "freedict-deu-eng", GERMAN)
    assert dictionary_files(tmp_path) == {"de": (index,)}
    packed = index.with_suffix(".dict.dz")
    for wrong in (b"", b"no gzip at all", packed.read_bytes()[:20]):
        packed.write_bytes(wrong)
        with pytest.raises(ConfigurationError, match="cannot be read"):
            Dictionary(index)
    packed.unlink()
    with pytest.raises(ConfigurationError, match="cannot be read"):
        Dictionary(index)


@pytest.mark.skipif(not is_installed(), reason="the packaged encoder is not installed (make setup)")
def test_the_encoder_reads_german_by_its_dictionary_and_english_as_it_is(tmp_path: Path) -> None:
    written(tmp_path, "freedict-deu-eng", GERMAN)
    plain, translated = PackagedEmbedder(), embedder_of(load_settings(embedding="packaged", dictionaries=tmp_path))
    assert isinstance(translated, PackagedEmbedder)
    assert known_languages(translated) == {"en", "de"}
    assert translated.translated == {"de"}
    assert plain.translated == set()
    english = "The tenant pays the rent, and the court hears the contract."
    assert translated.embed([english]).vectors == plain.embed([english]).vectors
    assert translated.embed(["Der Mieter und der Vertrag"]).vectors == plain.embed(["tenant contract"]).vectors
    assert translated.embed_query("Der Mieter und die Miete") == plain.embed_query("tenant die rent rental")
    written(tmp_path, "freedict-fra-eng", DIRECT)
    written(tmp_path, "freedict-fra-deu", FRENCH)
    both = PackagedEmbedder(dictionaries=tmp_path)
    assert known_languages(both) == {"en", "de", "fr"}
    assert both.embed(["Louer : locataires"]).vectors == plain.embed(["terminate rental tenant"]).vectors
    assert both.embed(["Der Mieter und der Vertrag"]).vectors == plain.embed(["tenant contract"]).vectors
