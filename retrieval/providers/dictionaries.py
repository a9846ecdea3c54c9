"""Bilingual dictionaries: what a text in another language says, word by word, in English.

A model that knows English only can compare law in German when question and law are both put into English words: what is
lost of grammar and of the choice of words is lost alike on both sides, and an everyday word comes near the law's own.
French, whose dictionary into English is small, is put into German words beside.

Dictionaries of the dictd format are read, as the FreeDict project publishes them (Debian: `dict-freedict-deu-eng`): a
sorted index of headwords, and articles in a gzip file whose chunks are unpacked when they are needed. So nothing is
loaded before a word is looked up. No dictionary comes with this program.
"""

from __future__ import annotations

import hashlib
import mmap
import re
import struct
import zlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase, digits

from retrieval.errors import ConfigurationError
from retrieval.languages import SearchWords, search_words

# ISO 639-1 -> the dictionaries that it takes, as their files are named: one into English, and beside a small one a
# large one into another language, with that language's own. French has 8,500 words in English, in German 41,000 (0074).
NEEDED = {"de": ("deu-eng",), "fr": ("fra-eng", "fra-deu", "deu-eng")}
DIRECT = 1.5  # what a translation without another language between counts beside one with
_DIGITS = {sign: value for value, sign in enumerate(f"{ascii_uppercase}{ascii_lowercase}{digits}+/".encode())}
_EXTRA, _NAME = 4, 8  # flags of a gzip header
# What an article says beside translations: examples, notes, and other headwords.
_OTHER = re.compile(r"\s*(?:\"|see:|(?:Synonym|Antonym)s?:|Note:)")
_MARKS = re.compile(r"/[^/]*/|<[^>]*>|\[[^\]]*\]|\([^)]*\)|\{[^}]*\}|^\s*\d+\.|\bs(?:b|th)\.(?:['’]s)?")
_PARTICLE = re.compile(r"^(?:to|the|an?) ")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|\d+")
LONGEST = 3  # words of a translation
TRANSLATIONS = 2  # of a word that are used
_LAW, OF_LAW = "[jur.]", 3.0  # the mark of a sense of the law's, and what its translations are worth
_SHORTEST_PART = 4  # letters of a part of a compound, and of a stem of German
_SHORTEST_STEM = 3  # of a language that writes no compounds as one word: "lou-é", "pri-s"
# What an article of a dictionary between others says: its first line, and others by their number. The rest explains.
_NUMBERED = re.compile(r"\s*\d+\.")

Place = Callable[[str], int | None]


class Dictionary:
    """A dictionary of the dictd format. Safe to share by threads.

    Args:
        index: the file of headwords; the articles lie beside it with the ending `.dict.dz`.

    Raises:
        ConfigurationError: a file cannot be read, or is of another format.
    """

    def __init__(self, index: Path) -> None:
        self._articles = index.with_suffix(".dict.dz")
        try:
            with index.open("rb") as opened:
                self._index = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
            with self._articles.open("rb") as opened:
                self._packed = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
            self._size, self._starts = _chunks(self._packed)
        except (OSError, ValueError, struct.error, IndexError) as error:
            raise ConfigurationError(f"The dictionary {index} cannot be read: {error}.") from None
        self._chunk = lru_cache(maxsize=64)(self._unpacked)

    def articles(self, word: str) -> list[str]:
        """The articles of a headword, as they are written; none where the dictionary does not have it.

        Args:
            word: in small letters.
        """
        wanted, found = word.encode(), list[str]()
        low, high = 0, len(self._index)
        while low < high:  # the first line whose headword is not before the wanted one
            start = self._index.rfind(b"\n", 0, (low + high) // 2) + 1
            if self._index[start : self._index.find(b"\t", start)] < wanted:
                low = self._index.find(b"\n", start) + 1
            else:
                high = start
        while self._index[low : low + len(wanted) + 1] == wanted + b"\t":
            end = self._index.find(b"\n", low)
            _, offset, length = self._index[low:end].split(b"\t")
            found.append(self._text(_number(offset), _number(length)))
            low = end + 1
        return found

    def _text(self, offset: int, length: int) -> str:
        first, last = offset // self._size, (offset + length - 1) // self._size
        text = b"".join(self._chunk(number) for number in range(first, last + 1))
        start = offset - first * self._size
        return text[start : start + length].decode(errors="replace")

    def _unpacked(self, number: int) -> bytes:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(self._packed[slice(*self._starts[number : number + 2])])


def _number(signs: bytes) -> int:
    value = 0
    for sign in signs:
        value = value * 64 + _DIGITS[sign]
    return value


def _chunks(packed: mmap.mmap) -> tuple[int, list[int]]:
    """How many bytes a chunk of a dictzip file unpacks to, and where each begins; the end of the last comes last."""
    if packed[:3] != b"\x1f\x8b\x08" or not packed[3] & _EXTRA or packed[12:14] != b"RA":
        raise ValueError("it is no file of chunks (dictzip)")
    (extra,) = struct.unpack_from("<H", packed, 10)
    _, size, count = struct.unpack_from("<HHH", packed, 16)
    starts = [12 + extra]
    if packed[3] & _NAME:
        starts = [packed.find(b"\0", starts[0]) + 1]
    for length in struct.unpack_from(f"<{count}H", packed, 22):
        starts.append(starts[-1] + length)
    return size, starts


class Translator:
    """Puts texts of one language into English words, one after the other. Pure but for the dictionary's files.

    Args:
        dictionary: from that language into English.
        search: what joins the parts of its compounds, and the endings of its words.
        place: of an English word in a list by frequency; None for one that is not in it.
        words: how long that list is.
        small: the place in it before which there is hardly anything but articles, pronouns and the like.
    """

    def __init__(self, dictionary: Dictionary, search: SearchWords, place: Place, words: int, small: int) -> None:
        self._dictionary, self.search = dictionary, search
        self.place, self.words, self.small = place, words, small
        self._left_out, self._shortest_stem = frozenset[str](), _SHORTEST_PART
        self.english = lru_cache(maxsize=1 << 16)(self._english)
        self.entry = lru_cache(maxsize=1 << 16)(self._read_entry)

    def translate(self, text: str) -> str:
        """A text's words in English, small words left out; what the dictionary does not have stays as it is."""
        for pattern in self.search.joined:
            text = pattern.sub(" ", text)
        said = (word for word in _WORD.findall(text) if word.lower() not in self._left_out)
        english = [self.english(word.lower()) or word for word in said]
        return " ".join(words for words in english if self._at(words.partition(" ")[0]) >= self.small)

    def _english(self, word: str) -> str:
        """The best translations of a word, of its other forms, or of the parts of a compound; empty where none is."""
        found = self.translations(word)
        return " ".join(found[:TRANSLATIONS]) if found else " ".join(self._parts(word))

    def translations(self, word: str) -> list[str]:
        """English for a word or for the headword that it is a form of, best first."""
        return self.entry(word) or self._form(word)

    def _form(self, word: str) -> list[str]:
        for ending in self.search.form_endings:
            stem = word.removesuffix(ending)
            if stem != word and len(stem) >= self._shortest_stem:
                for other in ("", *self.search.headword_endings):
                    if stem + other != word and (found := self.entry(stem + other)):
                        return found
        return []

    def _parts(self, word: str) -> list[str]:
        """Of a compound the last part's translation behind that of what is before it; the longest last part counts."""
        if not self.search.links:
            return []
        for cut in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
            last = self.translations(word[cut:])
            if not last:
                continue
            for link in ("", *self.search.links):
                head = word[:cut].removesuffix(link)
                if word[:cut].endswith(link) and len(head) >= _SHORTEST_PART - 1 and (first := self.entry(head)):
                    return [first[0], last[0]]
        return []

    def _read_entry(self, word: str) -> list[str]:
        """English for a headword, best first: what many articles say early, in frequent words."""
        scores = {translation: worth * self._common(translation) for translation, worth in self._said(word).items()}
        return sorted(scores, key=lambda translation: (-scores[translation], translation))

    def _said(self, word: str) -> Mapping[str, float]:
        """What the articles of a headword say in English, and how much each counts before it is weighed."""
        said: dict[str, float] = defaultdict(float)
        for article in self._dictionary.articles(word):
            weight = OF_LAW if _LAW in article else 1.0
            told = [line for line in article.splitlines()[1:] if line.strip() and not _OTHER.match(line)]
            senses = [sense.strip(" .;") for line in told[:6] for sense in re.split(r"[,;]", _MARKS.sub(" ", line))]
            english = [_PARTICLE.sub("", " ".join(sense.lower().split())) for sense in senses]
            short = (phrase for phrase in english if phrase and len(phrase.split()) <= LONGEST)
            for rank, translation in enumerate(short):
                said[translation] += weight / (1 + rank)
        return said

    def _common(self, translation: str) -> float:
        return 1 - max(map(self._at, translation.split())) / self.words

    def _at(self, word: str) -> int:
        place = self.place(word.lower())
        return self.words - 1 if place is None else place


class ChainedTranslator(Translator):
    """Puts texts of a language into English words directly and through another language, whichever knows a word.

    Words by which people ask are left out first: through two dictionaries an auxiliary verb becomes a noun.

    Args:
        direct: from that language into English.
        dictionary: from that language into the other.
        through: from the other language into English.
    """

    def __init__(self, direct: Translator, dictionary: Dictionary, through: Translator) -> None:
        super().__init__(dictionary, direct.search, direct.place, direct.words, direct.small)
        self._direct, self._through = direct, through
        self._left_out, self._shortest_stem = self.search.idle, _SHORTEST_STEM

    def _said(self, word: str) -> Mapping[str, float]:
        said: dict[str, float] = defaultdict(float)
        for rank, translation in enumerate(self._direct.entry(word)):
            said[translation] += DIRECT / (1 + rank)
        for article in self._dictionary.articles(word):
            first, *others = article.splitlines()[1:] or [""]
            for order, sense in enumerate([first, *filter(_NUMBERED.match, others)]):
                for rank, other in enumerate(_MARKS.sub(" ", sense).split(",")):
                    english = self._through.translations(other.strip(" .;0123456789").lower())
                    for place, translation in enumerate(english[:LONGEST]):
                        said[translation] += 1 / ((1 + order / 2) * (1 + rank) * (1 + place))
        return said


def dictionary_files(folder: Path) -> dict[str, tuple[Path, ...]]:
    """The indexes of a folder's dictionaries by the language that they put into English, in the order of `NEEDED`.

    Raises:
        ConfigurationError: it has none.
    """
    files = {language: tuple(folder / f"freedict-{name}.index" for name in names) for language, names in NEEDED.items()}
    found = {language: needed for language, needed in files.items() if all(file.is_file() for file in needed)}
    if not found:
        raise ConfigurationError(f"LEXSCOPE_DICTIONARIES: {folder} has no {files['de'][-1].name}.")
    return found


def translators(files: Mapping[str, Sequence[Path]], place: Place, words: int, small: int) -> dict[str, Translator]:
    """Translators of the dictionaries of these indexes; see `Translator`, whose errors it raises."""
    out: dict[str, Translator] = {}
    for language, (index, *others) in sorted(files.items(), key=lambda needed: len(needed[1])):
        out[language] = Translator(Dictionary(index), search_words(language), place, words, small)
        if others:
            out[language] = ChainedTranslator(out[language], Dictionary(others[0]), out["de"])
    return out


def edition_of(indexes: Sequence[Path]) -> str:
    """What tells the dictionaries of a language from other editions of them: the SHA-256 of their files.

    Raises:
        ConfigurationError: a file cannot be read.
    """
    digest = hashlib.sha256()
    try:
        for index in indexes:
            for file in (index, index.with_suffix(".dict.dz")):
                digest.update(file.read_bytes())
    except OSError as error:
        raise ConfigurationError(f"The dictionary {error.filename} cannot be read: {error}.") from None
    return digest.hexdigest()
