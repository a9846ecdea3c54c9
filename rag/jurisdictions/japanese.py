"""Japanese legal language: what `rag/ingest` looks for in law written in Japanese."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from rag.ingest.term_uses import TermRules
from rag.jurisdictions.japanese_definitions import JapaneseDefinitions
from rag.jurisdictions.japanese_terms import JapaneseTerms
from rag.jurisdictions.phrases import ExceptionPhrase, LinkPhrases

if TYPE_CHECKING:
    from rag.ingest.citations import Passage
    from rag.jurisdictions.base import DocumentIndex, Jurisdiction

_BRACKET = r"(?:[（(][^（）()]{0,200}[）)])?"
_PLAIN = re.compile(rf"{_BRACKET}(?:の規定|の定め|の各規定|に規定する期間|の期間)?")
_UNAPPLIED = r"(?:適用しない|適用せず|適用がない|適用されない|準用しない)"
# Of what is not applied, the part that is taken out goes on to apply: "この章（第二条を除く。）の規定は、適用しない".
_CARVED = re.compile(rf"(?:に係る(?:部分|もの)|の規定)?を除(?:き|く)(?!。?[）)][^。]{{0,200}}?{_UNAPPLIED})")
_NEVER = re.compile(r"(?!)")

JAPANESE_LINKS = LinkPhrases(
    exceptions=(
        # 第百条第一項の規定にかかわらず: this provision overrides the one before the words.
        ExceptionPhrase("notwithstanding", re.compile(r"に(?:かかわらず|拘らず|拘わらず)"), "before", _PLAIN),
        # 第四条第一項（第三号を除く。）: what is named is taken out.
        ExceptionPhrase("disapplies", _CARVED, "before", re.compile("")),
        # 第三項に規定する場合を除き: this provision yields in the case of the one named.
        ExceptionPhrase(
            "subject_to",
            re.compile(r"(?:場合|とき|もの|者)を除(?:き|く|くほか|いて|いては)"),
            "before",
            re.compile(rf"{_BRACKET}(?:の規定)?(?:の|に(?:よる|より|規定する|掲げる|定める|該当する|基づく|別段の)?[^、。（）()]{{0,60}})"),
        ),
        ExceptionPhrase(
            "subject_to",
            re.compile(r"別段の(?:定め|規定)(?:が|の)?ある(?:もの|場合|とき)?を除"),
            "before",
            re.compile(rf"{_BRACKET}(?:その他[^、。（）()]{{0,30}})?に"),
        ),
        # 第五条の規定の適用を妨げない: what is named stays as it is beside this provision.
        ExceptionPhrase(
            "subject_to", re.compile(r"(?:の規定)?の適用を妨げ(?:ない|るものではない)"), "before", re.compile(_BRACKET)
        ),
        # 第五条の規定は、…には適用しない: the subject is put out of force for a case.
        ExceptionPhrase(
            "disapplies",
            re.compile(
                rf"(?:の規定)?[はも](?=[、,]?(?:[^。（(]|[（(][^（）()]{{0,200}}[）)]){{0,200}}?(?P<verb>{_UNAPPLIED})(?:。|、|もの|\Z))"
            ),
            "before",
            re.compile(rf"{_BRACKET}(?:の規定)?"),
        ),
    ),
    no_target=_NEVER,
    governed_clause=re.compile(r"(?:により|に基づき|に基づく|に基き)\Z"),
    aside=re.compile(r"[（(][^（）()]{1,200}を除く。?[）)]\Z"),
    list_joint=re.compile(
        rf"{_BRACKET}(?:[、,]\s?)?(?:及び|並びに|又は|若しくは|から|まで)?\s?"
    ),
)  # fmt: skip


class Japanese:
    """See `LanguageRules`."""

    language = "ja"
    links = JAPANESE_LINKS
    terms: TermRules = JapaneseTerms()

    def definition_finder(
        self, index: DocumentIndex, jurisdiction: Jurisdiction, passage_of: Callable[[str], Passage]
    ) -> JapaneseDefinitions:
        """See `LanguageRules`."""
        return JapaneseDefinitions(index, self.terms, passage_of)
