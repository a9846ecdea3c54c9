"""Words by which people ask in German and French, beyond those that full-text search ignores; they are left out.

Full-text search would ignore some of them, but for their accents, which it has lost when it compares: "für", "à". Other
small German words stay: on the colloquial questions, "ohne", "dagegen" and "darf" find more than they hide.
English ones stand in `retrieval.languages`, where answers need them too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from retrieval.languages import IDLE_WORDS

_GERMAN = """
außer außerdem bekam bekäme bekomme bekommen bekommst bekommt dafür darüber dürfen dürfte für geben gehen geht gemacht
gesagt gibt gilt ging hätte hätten kam komme kommen kommt können könnte könnten kriege kriegen kriegt lässt ließ mache
machen macht möchte möchten mögen müssen müsste nämlich plötzlich sag sage sagen sagt sagte tue tun tut über überhaupt
wann war warum was wäre wären wem wen wer wessen wie wieso wieviel wo wobei wodurch wofür woher wohin womit woran
worauf woraus worüber wovon wozu würde würden
"""
_FRENCH = """
a afin ai aie ainsi ait allais allait aller allez allons alors après as assez au aucun aucune auquel aura aurai aurait
auriez aussi aussitôt autant aux avaient avais avait avec avez avoir avons à bon c car ce ceci cela celle celles celui
ces cet cette ceux chaque chez combien comme comment ça d dans de depuis derrière des devant devez devons devrais
devrait dès déjà désormais dire dis disent dit dois doit doivent donc dont du elle elles en encore enfin es est et eu
euh eux étaient étais était étant été êtes être faire fais faisait fait faites faudrait faut fera fois font il ils j
jamais je jusqu jusque l la laquelle là le lequel les lesquels leur leurs lors lorsque lui m ma maintenant mais me mes
mettre même mêmes mis moi mon n ne ni nos notre nous on ont or ou oui où par parce parfois pas pendant peu peut
peuvent peux plus plutôt pour pourquoi pourra pourrai pourrais pourrait pouvait pouvez pouvoir pouvons pu puis puisque
qu quand que quel quelle quelles quelqu quelque quelques quels qui quoi quoique rien s sa sais sait sans sauf se sera
serai serait ses si sinon soit sommes son sont souvent suis sur surtout t ta tant te tel telle tellement tes toi ton
toujours tous tout toute toutes très trop tu un une va vais vers veulent veut veux voici voilà vont vos votre voudrais
voudrait voulais voulait voulez vouloir vous vraiment vu y
"""
_IDLE = {"en": IDLE_WORDS, "de": frozenset(_GERMAN.split()), "fr": frozenset(_FRENCH.split())}
# "doit-il", "puis-je", "y a-t-il": full-text search would take each for a word of its own.
_TURNED = re.compile(
    r"(?<=\w)-(?:t-)?(?:je|tu|ils?|elles?|on|nous|vous|ce|moi|toi|lui|leur|les?|la|y|en|ci|là)\b", re.IGNORECASE
)
_ELIDED = re.compile(r"\b(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu)['’](?=\w)", re.IGNORECASE)
_AROUND = "\"'“”‘’«»„()[],.;:!?…"
_HIRAGANA = re.compile(r"[ぁ-ゟー]+")


def is_idle(word: str, language: str) -> bool:
    """Whether a word, as it is written, says nothing of the matter; False in languages that have no list."""
    idle = _IDLE.get(language)
    said = word.lower().strip(_AROUND)
    return idle is not None and (not said or said in idle)


def without_idle_words(words: Sequence[str], language: str) -> list[str]:
    """The words of a question that say something, in order; all of them where none does.

    Args:
        words: as they are written, with the signs around them.
        language: ISO 639-1.
    """
    bare = words
    if language == "fr":
        bare = _ELIDED.sub(" ", _TURNED.sub(" ", " ".join(words))).split()
    return [word for word in bare if not is_idle(word, language)] or list(words)


def says_something(lexeme: str, language: str) -> bool:
    """Whether a lexeme is more than grammar: Japanese pairs of hiragana alone are endings and particles."""
    return language != "ja" or _HIRAGANA.fullmatch(lexeme) is None
