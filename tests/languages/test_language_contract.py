"""Every language keeps one contract: what its room offers, and what its own examples say of it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from rag.answering.extractive.clauses import takes_back
from rag.answering.extractive.kinds import wants_of
from rag.ingest.annotation import annotate
from rag.jurisdictions.registry import jurisdiction_for
from rag.languages.base import NEVER, Examples, Language, PartWords
from rag.languages.operators import read_in, reads
from rag.languages.registry import (
    known_language,
    language_codes,
    language_of,
    language_rules,
    loaded_from,
    primary_language,
)
from rag.languages.sentences import split_sentences
from rag.languages.stems import family, stems_of
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode
from rag.law.phrases import ExceptionPhrase
from retrieval.errors import ConfigurationError
from retrieval.languages import without_idle_words

CODES = language_codes()
LAW = "urn:lex:zz:garden"


def examples(code: str) -> Examples:
    given = language_of(code).examples
    assert given is not None, f"{code} has no examples"
    return given()


def cases(name: str) -> list[object]:
    """The language's code and one of its examples, for all languages."""
    return [
        pytest.param(code, example, id=f"{code}: {example}")
        for code in CODES
        for example in getattr(examples(code), name)
    ]


@pytest.mark.parametrize("code", CODES)
def test_a_language_describes_itself(code: str) -> None:
    language = known_language(code)
    assert language is not None
    assert (language.code, primary_language(f"{code}-XX")) == (code, code)
    rules = language_rules(code)
    assert rules is not None
    assert rules.language == code
    given = examples(code)
    needed = {"sentences", "apart", "questions", "definitions", "exceptions", "limits", "plain"}
    needed |= {"operators", "stems", "families"} if reads(code) else set()
    assert [field.name for field in fields(given) if field.name in needed and not getattr(given, field.name)] == []


@pytest.mark.parametrize("code", CODES)
def test_words_are_written_in_lower_case_and_stand_once_in_their_list(code: str) -> None:
    language = language_of(code)
    search, questions, sentences = language.search, language.questions, language.sentences
    lists = [search.idle, search.faint, search.fillers, questions.function, questions.courtesy, sentences.starters]
    assert all(word == word.lower() for words in lists for word in words)
    assert len(set(search.inflected)) == len(search.inflected)
    assert len(set(search.derived)) == len(search.derived)
    if language.parts is not None:
        assert language.parts.alternative in language.sentences.joints
        assert all(getattr(language.parts, field.name) is not None for field in fields(PartWords))


@pytest.mark.parametrize(("code", "parts"), cases("sentences"))
def test_an_example_is_split_into_its_sentences(code: str, parts: tuple[str, ...]) -> None:
    text = ("" if code == "ja" else " ").join(parts)
    assert [text[start:end] for start, end in split_sentences(text, code)] == list(parts)


@pytest.mark.parametrize(("code", "words"), cases("stems"))
def test_forms_of_one_word_have_one_stem(code: str, words: tuple[str, ...]) -> None:
    language = language_of(code)
    assert len({language.stem(word) for word in words}) == 1


@pytest.mark.parametrize(("code", "words"), cases("apart"))
def test_other_words_have_other_stems_and_families(code: str, words: tuple[str, ...]) -> None:
    language = language_of(code)
    first, second = (stems_of(word, language) for word in words)
    assert first != second
    assert len({family(language.stem(word), language) for word in words}) == 2


@pytest.mark.parametrize(("code", "words"), cases("families"))
def test_words_made_from_one_another_are_one_family(code: str, words: tuple[str, ...]) -> None:
    language = language_of(code)
    assert len({family(language.stem(word), language) for word in words}) == 1


@pytest.mark.parametrize(("code", "example"), cases("questions"))
def test_a_question_keeps_what_it_is_about_and_says_what_it_asks_for(
    code: str, example: tuple[str, str, tuple[str, ...]]
) -> None:
    question, kept, wants = example
    assert " ".join(without_idle_words(question.rstrip(" ?").split(), code)) == kept.rstrip(" ?")
    assert sorted(wants_of(question, code)) == sorted(wants)


@pytest.mark.parametrize(("code", "example"), cases("operators"))
def test_operators_are_read(code: str, example: tuple[str, tuple[str, ...]]) -> None:
    text, wanted = example
    found = [f"{operator.kind} {operator.value}" for operator in read_in(code, text).operators]
    assert [word for word in found if word in wanted] == list(wanted)


def annotated(code: str, text: str) -> ParsedDocument:
    """A law of one section in a country that nobody knows, read by its language alone."""
    root = ParsedNode(LAW, None, "ROOT", "act", heading="Z")
    section = ParsedNode(f"{LAW}:1", LAW, "SECTION", "section", number="1", content_text=text)
    document = ParsedDocument(Corpus(LAW, "Z", code), [root, section], "z", "sample", "0" * 64, 1)
    annotate(document, jurisdiction_for("zz"))
    return document


@pytest.mark.parametrize(("code", "example"), cases("definitions"))
def test_definitions_are_found(code: str, example: tuple[str, tuple[str, ...]]) -> None:
    text, terms = example
    assert [definition.term for definition in annotated(code, text).definitions] == list(terms)


def exceptions(code: str, text: str) -> list[str]:
    rules = language_rules(code)
    assert rules is not None
    return sorted({exception.kind for exception in rules.links.exceptions if exception.pattern.search(text)})


@pytest.mark.parametrize(("code", "example"), cases("exceptions"))
def test_words_of_exceptions_are_found(code: str, example: tuple[str, tuple[str, ...]]) -> None:
    text, kinds = example
    assert exceptions(code, text) == sorted(kinds)


@pytest.mark.parametrize(("code", "sentence"), cases("limits"))
def test_what_takes_something_back_is_known(code: str, sentence: str) -> None:
    assert takes_back(sentence, code)


@pytest.mark.parametrize(("code", "sentence"), cases("plain"))
def test_a_plain_sentence_limits_excepts_and_defines_nothing(code: str, sentence: str) -> None:
    assert not takes_back(sentence, code)
    assert exceptions(code, sentence) == []
    assert annotated(code, sentence).definitions == []


def imported_by(script: str) -> set[str]:
    """The rooms of languages that a script imports in a process of its own."""
    told = f"{script}\nimport sys\nprint(*(one for one in sys.modules if one.startswith('rag.languages.')))"
    run = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    return {name.split(".")[2] for name in run.stdout.split()} & set(CODES)


_ASKED = """
from rag.answering.extractive.candour import weak_match
from rag.answering import synthesis
from rag.languages.operators import read_in
from rag.languages.registry import language_rules, provide_search_words
from rag.languages.sentences import split_sentences
from retrieval.languages import without_idle_words
provide_search_words()
split_sentences("A. B.", {code!r})
read_in({code!r}, "A b.")
without_idle_words(["a", "b"], {code!r})
weak_match("A b?", [], {{"a": 1.0, "b": 1.0}}, [], {code!r}, ["A b."], "")
language_rules({code!r})
"""


def test_no_language_is_loaded_before_one_is_asked_for() -> None:
    assert imported_by("import rag.languages.registry, rag.languages.sentences, rag.languages.operators") == set()


@pytest.mark.parametrize("code", CODES)
def test_a_question_in_one_language_loads_no_other(code: str) -> None:
    assert imported_by(_ASKED.format(code=code)) == {code}


def test_a_language_without_a_room_has_its_own_stemmer_and_no_words() -> None:
    spanish = language_of("es-ES")
    assert known_language("es") is None
    assert spanish.stem("contratos") == spanish.stem("contrato")
    assert without_idle_words(["¿Qué", "puedo", "hacer?"], "es") == ["¿Qué", "puedo", "hacer?"]
    assert not reads("es")
    assert language_of("xx").stem("tenants") == "tenant"  # nobody has a stemmer for it: as in English


@pytest.mark.parametrize("tag", ["de-AT", "DE", "ger", "deu"])
def test_a_language_is_known_by_its_tags(tag: str) -> None:
    assert known_language(tag) is known_language("de")


ELVISH = Language(code="qya", stem=str.upper)


def test_another_package_offers_a_language_by_an_entry_point() -> None:
    point = EntryPoint("qya", f"{__name__}:ELVISH", "lexscope.languages")
    assert loaded_from(point) is ELVISH


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("qya", "no_such_package:X", "cannot be loaded: ModuleNotFoundError"),
        ("qya", f"{__name__}:NOTHING", "cannot be loaded: AttributeError"),
        ("qya", f"{__name__}:LAW", "is not a `Language`"),
        ("xx", f"{__name__}:ELVISH", "name it by its code"),
    ],
)
def test_what_is_no_language_is_refused_with_its_name(name: str, value: str, told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        loaded_from(EntryPoint(name, value, "lexscope.languages"))


def test_an_exception_phrase_of_a_kind_that_annotation_does_not_know_is_refused_with_those_it_knows() -> None:
    with pytest.raises(ValueError, match=r"'exception_to' in an ExceptionPhrase is none of subject_to, .*limits"):
        ExceptionPhrase("exception_to", NEVER, "after", NEVER)  # pyright: ignore[reportArgumentType]


def test_a_language_that_fails_while_it_is_imported_is_refused_with_the_reason_and_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "from rag.languages.base import Language\n\nLANGUAGE = Language(codes='qya', stem=str.upper)\n"
    (tmp_path / "broken_elvish.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigurationError, match=r"loaded: TypeError: .*'codes' \(broken_elvish\.py, line 3\)"):
        loaded_from(EntryPoint("qya", "broken_elvish:LANGUAGE", "lexscope.languages"))
