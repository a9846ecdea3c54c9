"""Words made from one another are of one family, words that only look alike are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.languages.registry import language_of
from rag.languages.stems import SHORTEST, families, family


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "retaliate retaliation retaliatory retaliated"),
        ("en", "terminate termination terminated"),
        ("en", "evict eviction evicting"),
        ("en", "inspect inspection inspector"),
        ("en", "employ employer employee employment"),
        ("en", "insure insurance insurer"),
        ("en", "adopt adoption adoptee"),
        ("de", "kündigen kündigung gekündigt kündigt"),
        ("de", "zahlen zahlung gezahlt"),
        ("de", "haften haftung haftet"),
        ("de", "erwerben erwirbt erworben"),
        ("de", "übernehmen übernimmt übernommen übernahme"),
        ("de", "ausschließen ausgeschlossen ausschluss"),
        ("de", "anzuwenden anwenden anwendung angewandt"),
        ("fr", "résilier résiliation"),
        ("fr", "vendre vend vendue vendent"),
        ("fr", "recevoir reçoit reçoivent reçue"),
        ("fr", "obtenir obtient obtenu"),
        ("fr", "conclure conclut conclu"),
        ("fr", "annuler annulation annulé"),
        ("fr", "loyer loyers"),
    ],
)
def test_words_made_from_one_another_are_one_family(language: str, words: str) -> None:
    known = language_of(language)
    assert len(families(frozenset(map(known.stem, words.split())), known)) == 1


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "retaliate", "retail"),
        ("en", "tenant", "tender"),
        ("en", "rent", "renew"),
        ("en", "contract", "contribution"),
        ("en", "notice", "notary"),
        ("de", "miete", "mittel"),
        ("de", "vertrag", "vertreter"),
        ("fr", "bail", "bailleur"),  # what remains would be too short to tell
        ("ja", "契約", "契約者"),
    ],
)
def test_words_that_only_look_alike_are_not(language: str, one: str, other: str) -> None:
    known = language_of(language)
    assert family(known.stem(one), known) != family(known.stem(other), known)


@given(st.text("abdegilnorstuvyéü", min_size=1, max_size=14), st.sampled_from(["en", "de", "fr", "ja"]))
def test_enough_of_a_word_remains_and_it_is_its_beginning(word: str, language: str) -> None:
    known = language_of(language)
    plain = word.translate(str.maketrans("éü", "eu"))
    if known.families.form.search(known.families.inside.sub("", plain)):
        return  # a form of an irregular verb stands for its root
    found = family(word, known)
    assert len(found) >= min(len(word), SHORTEST)
    assert plain.startswith(found) or (language == "de" and plain.removeprefix("ge").startswith(found))
