"""French legal phrases for excepting: derogation, reservation, disapplication.

"Sans préjudice de" leaves the provision it names as it is, so its own provision yields. Conditions without a provision
("sauf convention contraire") give no edge beyond the citation itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from rag.languages.base import PassageRules, WordFile
from rag.languages.fr.definitions import LIST_LEAD, FrenchDefinitions
from rag.languages.fr.singular import singular
from rag.law.entries import TermLists
from rag.law.own_words import OwnPhrases
from rag.law.patterns import lazy
from rag.law.phrases import CountsAs, ExceptionPhrase, LinkPhrases, ListPhrase
from rag.law.term_uses import NO_SENSES, Senses, Token, WordTerms, is_another_word

# French terms in use: elision, plurals of every word of a term, capitals.

_ELIDED = r"(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu)['’ʼ]"
_TOKEN = re.compile(rf"{_ELIDED}(?=[^\W\d_])|[^\W_]+(?:['’ʼ][^\W_]+)*|[^\w\s]|_", re.IGNORECASE)
# A verb that makes one word with a noun without its article: "chercher refuge", "porter atteinte".
_LIGHT = re.compile(
    r"(?:cherch|port|donn|demand|trouv)(?:er|e|ent|é)|fai(?:re|t|sant)|font|av(?:oir|ait)|ont|a|pren(?:dre|nent|ant)|prend"
    r"|ten(?:ir|ant)|tient|tiennent|rend(?:re|ent)?|met(?:tre|tent)?",
    re.IGNORECASE,
)
# "Décide si le bail est soumis à": a verb of asking, by what its forms share, and what it asks.
_ASKING = "|".join(sorted(verb[:-2] for verb in WordFile(__name__).words("parts", "reporting")))
_ASKS = re.compile(rf"\b(?:{_ASKING})\w*\s(?:[^\s.;:,]+\s)?s(?:i\b|['’](?=ils?\b))", re.IGNORECASE)
_LEADING = re.compile(r"(?:[ld]['’]|(?:les?|la|une?|des|du|de|ledit|ladite|lesdits|lesdites)\s)\s*")


class FrenchTerms(WordTerms):
    """See `TermRules`. Every word of a term takes the plural: "acte administratif", "actes administratifs"."""

    opening = 2  # "bail", "baux"

    def normalise(self, term: str) -> str:
        """As other languages, and without a leading article, an elided one included."""
        text = super().normalise(term)
        while (lead := _LEADING.match(text)) is not None and len(text) > lead.end():
            text = super().normalise(text[lead.end() :])
        return text

    def key(self, word: str) -> str:
        """The word in lower case and in the singular."""
        return _key(word)

    def tokens(self, text: str) -> list[Token]:
        """Words and signs; an elided article or conjunction is a token of its own."""
        return [Token(m.start(), m.start() + len(m[0]), self.key(m[0]), m[0]) for m in _TOKEN.finditer(text)]

    def is_use(
        self, text: str, tokens: Sequence[Token], first: int, last: int, *, heading: bool, senses: Senses = NO_SENSES
    ) -> bool:
        """Not as a part of a word with hyphens ("avant-contrat" does not use "contrat")."""
        start, end = tokens[first].start, tokens[last].end
        before = start > 1 and text[start - 1] == "-" and text[start - 2].isalnum()
        after = text[end : end + 1] == "-" and text[end + 1 : end + 2].isalpha()
        if before or after or (first == last and first and _LIGHT.fullmatch(tokens[first - 1].text)):
            return False
        return heading or not is_another_word(tokens, first, senses)


@lru_cache(maxsize=50_000)  # a law's words are few, and each is asked for at every place
def _key(word: str) -> str:
    return singular(unicodedata.normalize("NFC", word).casefold().replace("’", "'").replace("ʼ", "'"))


_I = re.IGNORECASE
# Between a phrase and its reference: words without a finite verb, a relative pronoun or a stop.
_NO_CLAUSE = (
    r"(?!(?:qui|qu[e'’]|dont|où|lequel|laquelle|lesquels|lesquelles|auquel|auxquels|est|sont|peut|peuvent|doit|doivent"
    r"|a|ont|sera|seront|si|s['’]il|lorsque|contraires?|convention|stipulations?|loi|lois)\b)"
)
_WORDS = rf"\s*(?:{_NO_CLAUSE}[\w'’.°-]+,?\s+){{0,10}}(?:[dl]['’])?\s*"
_WORDS_OF = re.compile(_WORDS, _I)
# "sauf", "hors les cas": the reference is what the carved-out cases are named by.
_CASES = re.compile(
    r"\s*(?:(?:dans|pour|en|les?|la|des?|du|ceux|celles?|celui|cas|cadre|application|exceptions?|dérogations?"
    r"|hypothèses?"
    r"|situations?|dispositions?|mentionn\w+|prévu\w*|visé\w*|énuméré\w*|énoncé\w*|définie?s?|régie?s?|par|à|au"
    r"|aux|son|sa|ses|leurs?"
    r"|actes?|décisions?|personnes?|biens|contraires?|particulières?|spéciales?|en vertu"
    r"|[dl]['’]application)[\s,]+){0,12}"
    r"(?:[dl]['’])?\s*", _I
)  # fmt: skip
_BEFORE = re.compile(
    r"\s{0,3},?\s{0,3}(?:(?:du|de la|de l['’]|de ce|de cette|des) (?:présente? |même )?[\w'’ -]{1,40}\s{0,3})?", _I
)

_OPENS = r"(?:\A(?:[IVX]{1,5}\.?\s?[–—-]\s)?|(?<=[.;]\s)|(?<=\n))"  # a sentence

_KIND = (
    r"(?P<word>loi|code|ordonnance|décret|arrêté|règlement|contrat|accord|convention|bail|charte|statut|décision"
    r"|délibération|condition|protocole|politique|directive|circulaire|instruction)s?(?![\w-])"
)
_OWN = OwnPhrases(
    lazy(rf"\bprésent(?P<many>e?s)?e?\s(?P<middle>){_KIND}", _I),
    lazy(rf"\b{_KIND}", _I),
    told_by="use",
    one_of_many=frozenset({"condition"}),
    called=lazy(
        r"\s(?:(?:peut|doit)\sêtre|est|sera)\s(?:citée?|désignée?|dénommée?|intitulée?)(?:\s(?:comme|sous\sle\s(?:titre|nom)"
        r"(?:\sde|\sabrégé)?))?(?:\s?:)?\s(?:[«“\"]\s?(?P<quoted>[^«»“”\"\n]{3,200}?)\s?[»”\"]"
        r"|(?:la\s|le\s|l['’])?(?P<name>(?-i:[A-ZÉ])[^.;«»“”\"\n]{3,200}?)(?=[.;]|\Z|\n|\set\sentre\s))", _I
    ),
    again=lazy(r"(?:Ils?|Elles?)(?=\s)"),
    begins=lazy(
        r"(?:\set)?\sentre(?:ra)?\sen\svigueur\s(?:le|au|à\scompter\sdu|à\spartir\sdu)\s(?P<day>(?:1er|\d{1,2})\s[a-zéû]{3,9}\s\d{4})"
        r"(?=\.|\s*\Z|\s*\n)", _I
    ),
    in_force=lazy(r"\ben\svigueur\b|\b(?:modifiée?s?|remplacée?s?|insérée?s?)\s(?:par|le)\b|\bprend\seffet\b", _I),
)  # fmt: skip

FRENCH_LINKS = LinkPhrases(
    own=_OWN,
    example=re.compile(r"\W*Exemples?\b", _I),
    exceptions=(
        ExceptionPhrase(
            "notwithstanding",
            re.compile(r"\b(?:par|en) (?:dérogation|exception) (?:à|aux?)\b"
                       r"|(?<!ne peut être )(?<!ne peuvent être )\bdérog(?:eant|é|e|ent) (?:à|aux?)\b"
                       r"|\b(?:au lieu|en lieu et place|à la place) d(?:es?|u)\b|\bprévau(?:t|dra) sur\b", _I),
            "after", _WORDS_OF,
        ),
        ExceptionPhrase("notwithstanding", re.compile(r"\b(?:nonobstant|malgré)\b", _I), "after", _WORDS_OF),
        # "Le ministre peut accorder des dérogations à l'article 2", "peut dispenser un exploitant de l'article 2".
        ExceptionPhrase("limits", re.compile(
            r"(?<!\bne )\bpeu(?:t|vent)\b[^.;:]{0,60}?\b(?:dérog(?:er|ations?) (?:à|aux?)\b"
            r"|(?:suspend|écart|lev|modul|aménag|limit|adapt)(?:er|re) (?:l['’](?:application|obligation"
            r"|interdiction)|les? \w+|la \w+)"
            r"\s(?:d(?:es?|u)\b|d['’](?=\w)|prévue?s? (?:à|aux?)\b)"
            r"|(?:dispens|exempt|exonér|affranch|relev)(?:er|ir)\b[^.;:]{0,80}?"
            r"\s(?:d(?:es?|u)\b|d['’](?=\w)))", _I), "after", _WORDS_OF),
        # "Sont exemptés des dispositions de l'article 2", "est réputé avoir satisfait à l'article 2".
        ExceptionPhrase("limits", re.compile(
            r"\b(?:est|sont|sera|seront|être) (?:\w+ment )?(?:dispensée?s?|exemptée?s?|exonérée?s?|affranchie?s?"
            r"|relevée?s?)"
            r" (?:(?:du respect|de l['’]application|de l['’]obligation)\s)?"
            r"(?:d(?:es?|u)\b|d['’](?=\w))"
            r"|\bréputée?s?\b[^.;:]{0,40}?\b(?:satisfai(?:t|re|sant)|respect(?:é|er|ant)|se conformer"
            r"|conformes?)\s?(?:à|aux?|les?)?\b"
            r"|\béchapp(?:e|ent) (?:à|aux?)\b"
            r"|\b(?:n['’]est|ne sont) pas (?:tenue?s?|obligée?s?) (?:d['’]|de |au respect |à )", _I),
            "after", _WORDS_OF,
            described=re.compile(r"\b(?:qui|lorsqu\w*|lorsqu['’]\w+|si|dont)\s[^.;:,]{0,80}\Z", _I)),
        # "Sauf danger immédiat, l'article 4 s'impose à toutes les communes".
        ExceptionPhrase("limits", re.compile(
            r"(?:\A|(?<=[.;]\s))(?:Sauf|Hors|Hormis|Excepté)\s(?!dispositions?|conventions?|stipulations?|clauses?|accord)[^.;:]{1,120}?,(?=\s(?:les\sdispositions\sd\w+\s)?(?:l['’]|les\s)article"
            r"[^.;:,]{1,60}?\s(?:s['’](?:appliqu|impos)|(?:est|sont)\s(?:obligatoire|applicable)))"),
            "after", _WORDS_OF),
        # "L'article 2 s'applique sous réserve de l'article 4", "n'est applicable qu'aux", "cesse de s'appliquer".
        ExceptionPhrase("limits", re.compile(
            r"(?:\A|(?<=\s))(?:(?:s['’]applique(?:nt)?|(?:est|sont) applicables?)(?=,? (?:sous (?:la "
            r"|les )?réserves?|dans les limites|avec les adaptations))"
            r"|(?:ne |n['’])(?:s['’]applique(?:nt)?|(?:est|sont) applicables?) qu(?:e\b|['’])"
            r"|cesse(?:nt)? (?:de s['’]appliquer|d['’]être applicables?)"
            r"|(?:est|sont) (?:écartée?s?|suspendue?s?|inapplicables?)\b)", _I), "before", _BEFORE,
            described=re.compile(
                r"\b(?:en (?:application|vertu|exécution) d|conformément à"
                r"|(?:[^.;:\s]+\s){5,}prévue?s? (?:à|par))[\w’' ]{0,12}\Z", _I)),
        ExceptionPhrase(
            "cites",
            re.compile(r"\bsans (?:préjudice|qu['’]il soit porté atteinte) (?:d(?:es?|u)\b|d['’]|à\b|aux?\b)"
                       r"|\bne (?:porte|préjudicie)(?:nt)? pas (?:atteinte )?(?:à\b|aux?\b)", _I),
            "after", re.compile(_WORDS.replace(",?", ""), _I),
        ),
        ExceptionPhrase(
            "disapplies",
            re.compile(r"\b(?:exclue?s?|hors) (?:du champ d['’]application|de l['’]application) (?:d(?:es?|u)\b|d['’])",
                       _I),
            "after", _WORDS_OF,
        ),
        ExceptionPhrase(
            "subject_to",
            re.compile(r"\bsous (?:la |les )?réserves? (?:d(?:es?|u)\b|d['’]|de l['’])", _I), "after", _WORDS_OF,
        ),
        ExceptionPhrase(
            "subject_to",
            re.compile(r"\b(?:sauf|hors|hormis|[àa] l['’]exception d(?:es?|u)|[àa] l['’]exclusion d(?:es?|u)"
                       r"|exception faite d(?:es?|u))\b", _I),
            "after", _CASES,
        ),
        ExceptionPhrase(
            "disapplies",
            re.compile(
                # "ne s'applique que si" restricts and does not disapply.
                r"(?:\A|(?<=\s))(?:ne|n['’])\s?(?:(?:s['’]applique(?:nt)?|vise(?:nt)?|concerne(?:nt)?|régi(?:t|ssent)) "
                r"(?:donc |toutefois )?(?:pas|point|plus|ni)"
                r"|(?:est|sont|sera|seront) (?:donc |toutefois )?(?:pas|point|plus) (?:applicables?|opposables?"
                r"|exigibles?|dû|dus|dues?|exigée?s?|requise?s?|obligatoires?)"
                r"|s['’]éten(?:d|dent) (?:donc |toutefois )?(?:pas|point|plus)"
                r"|reçoi(?:t|vent) (?:pas|point|plus) application"
                r"|(?:joue(?:nt)?|pèse(?:nt)?|vau(?:t|lent)|incombe(?:nt)?|cour(?:t|ent)|lie(?:nt)?|produi(?:t|sent)"
                r"|bénéficie(?:nt)?|contraint|privent?) (?:donc |toutefois )?(?:pas|point|plus)"
                r"|(?:a|ont) (?:pas|point|plus) lieu)\b", _I),
            "before", _BEFORE,
            # "Les circulaires qui n'ont pas été publiées sur les supports prévus par la présente section"
            described=re.compile(r"\s(?:qui|que|dont)\s[^.;:,]{1,120}\sprévue?s? (?:à|par)\b[\w’' ]{0,30}\Z", _I),
        ),
        # What a provision does not do limits it, and leaves it in force.
        ExceptionPhrase(
            "limits",
            re.compile(
                r"(?:\A|(?<=\s))(?:ne|n['’])\s?(?:(?:oblige(?:nt)?|interdi(?:t|sent)|empêche(?:nt)?|limite(?:nt)?"
                r"|s['’]oppose(?:nt)?|impose(?:nt)?|restrei(?:nt|gnent)) (?:donc |toutefois )?(?:pas|point|plus)"
                r"|f(?:ai|on)t (?:donc |toutefois )?pas obstacle)\b", _I),
            "before", _BEFORE,
        ),
        ExceptionPhrase(
            "disapplies",
            re.compile(r"(?:\A|(?<=\s))(?:ne|n['’])\s?(?:est|sont|sera|seront) (?:pas|point|plus) "
                       r"(?:soumise?s?|assujettie?s?|régie?s?|subordonnée?s?) (?:à|aux?|par)\b", _I),
            "after", _WORDS_OF,
            described=re.compile(r"\b(?:qui|lorsqu\w*|lorsqu['’]\w+|si|dont)\s[^.;:,]{0,80}\Z", _I),
        ),
    ),
    asks=_ASKS,
    anaphora=re.compile(r"(?:(?:Il|Elle)s? en (?:est|sont) (?:\w+ment )?(?:dispens|exempt|exonér)ée?s?"
                        r"|Cela ne (?:s['’]applique|vaut) pas|Il en va autrement"
                        r"|Il n['’]en (?:est|va) pas (?:de même|ainsi)"
                        r"|Ces? (?:dispositions?|règles?)"
                        r" ne s['’]appliquent? pas|Toutefois|Néanmoins|Cependant)\b"),
    opposes=re.compile(r"(?:Toutefois|Néanmoins|Cependant)\b|[^.;:,]{3,120}\speu(?:t|vent)\s(?:toutefois|néanmoins)\b"),
    pronoun=re.compile(
        r"(?:\A(?:[IVX]{1,5}\.?\s?[–—-]\s?)?|(?<=[.;]\s))(?:Il|Elle)s?\s(?:n['’](?:est|sont)\spas\s(?:dû|dus|dues?|applicables?"
        r"|exigibles?|exigée?s?|requise?s?|nécessaires?)|n['’](?:a|ont)\spas\slieu"
        r"|ne\s(?:s['’]applique(?:nt)?|cour(?:t|ent)|vau(?:t|lent))\spas)\b"
    ),
    subject=re.compile(
        r"(?:Les?\s|La\s|L['’])[^,;.]{2,60}?\s(?:prévue?s?|mentionnée?s?|instituée?s?|visée?s?|fixée?s?)\s(?:à|aux?|par)\s"
        r"(?:l['’]|les?\s|la\s)?|(?:Les?|La)\s"  # a provision by its number, or "le présent décret"
    ),
    no_target=re.compile(
        r"\s+(?:(?:toutes?|des|les|de|l['’]|d['’])\s*)*(?:autres? )?(?:dispositions?|stipulations?|conventions?"
        r"|clauses?|décisions?|textes?"
        r"|preuves?|accords?|volontés?|usages?|lois?)(?: (?:légales?|législatives?|réglementaires?|expresses?"
        r"|plus favorables?"
        r"|ou|et|conventions?|stipulations?|dispositions?|particulières?|spéciales?))*\s+(?:contraires?)\b", _I
    ),
    governed_clause=re.compile(
        r"\b(?:auxquel(?:le)?s|auquel|à laquelle|dont|lorsqu(?:e|['’])|si|quand|que?|qu['’]|où"
        r"|aux termes d(?:es?|u))\s+"
        r"(?:(?:les? |la |l['’])?(?:dispositions|règles|prescriptions) (?:de |des |du |de l['’]|d['’])?)?"
        r"(?:l['’]|les? |la |aux? )?\Z", _I
    ),
    speaks_of_meaning=re.compile(
        r"«\s?([^»\n]{2,40}?)\s?»\s?(?:désigne|s['’]entend|au sens|(?:est|sont)\s(?:regardée?s?|une?\b"
        r"|l[ea]s?\b|toute?s?\b)|comprend|constitue)"
        rf"|{_OPENS}(?:Les?\s|La\s|L['’]|Une?\s)((?:(?!(?:qui|que|dont|ne|est|sont|de|à)\b)[\w'’-]{{2,30}}\s){{1,3}}?)(?:s['’]entend(?:ent)?\b"
        r"|désigne(?:nt)?\s(?=toute?|tous|celui|ceux|celles?|l['’]ensemble)|(?:est|sont)\s(?:regardée?s?\scomme|assimilée?s?\s(?:à|aux?))\b)"
        r"|\bentend par\s(?:«\s?)?([\w '’-]{3,30})"
    ),
    counting=re.compile(r"\b(?:assimil|réput|regard|considér|est|sont|pas)"),
    counts=(
        CountsAs(
            "includes",
            re.compile(
                r"\b(?:[Ee]st|[Ss]ont|sera|seront)\s(?:également\s|aussi\s|en outre\s)?(?:assimilée?s?\s(?:à\s"
                r"(?:une?\s|la\s|l['’]|des\s)?|aux?\s)"
                r"|(?:réputée?s?|(?:regardée?s?|considérée?s?)\scomme)\s(?:être\s)?(?:une?\s|des\s|l['’]|la\s|les?\s)?)[«\"]?\s?\Z"
            ),
        ),
        CountsAs(
            "includes",
            re.compile(r"\b(?:[Ee]st|[Ss]ont)\s(?:également|aussi|en outre)\s(?:une?\s|des\s)?\Z"),
        ),
        # "Dans le présent chapitre, le mineur accompagné est usager sans inscription".
        CountsAs("includes", re.compile(r"\A(?:Pour|Dans|Au|Aux)\s.{3,80}?,\s.{2,120}?\s(?:est"
                                        r"|sont)\s\Z"), scoped=True),
        CountsAs(
            "excludes",
            re.compile(
                r"\b(?:[Nn]e|[Nn]['’])\s?(?:est|sont|constituent?)\spas\s(?:(?:assimilée?s?\s(?:à\s(?:une?\s)?|aux?\s)"
                r"|(?:réputée?s?|(?:regardée?s?|considérée?s?)\scomme)\s))?(?:une?\s|des\s|d['’]|de\s)\Z"
            ),
            re.compile(r"\s?(?:[.;,]|\Z)|\s(?:les?|la|au sens|pour l['’]application)\b|\sl['’]"),
        ),
    ),
    named_law=re.compile(
        r"\b(?:d[eu]\s(?:la\s)?|par\s(?:la|le)\s|à\sla\s|au\s|dans\s(?:la|le)\s)(?P<name>(?:loi|décret|arrêté|règlement|ordonnance)"
        r"\s(?:(?:fédérale?|royale?|cantonale?|wallonne?|flamande?)\s)?(?:sur|relati(?:f|ve)\s(?:à|aux?)|concernant|portant)\s"
        r"(?:l['’]|la\s|les?\s)?[\wéèêàâîôûç’'-]{1,30}(?:\s(?:de|des|du|et|d['’])\s?[\wéèêàâîôûç’'-]{1,30}){0,3})"
    ),
    duty=re.compile(r"\w"),  # a duty is told in the present tense: "Un panneau signale la présence"
    carve=re.compile(
        r",?\s\(?(?:à l['’](?:exception|exclusion) d(?:es?\s|u\s|e l['’])|exception faite d(?:es?\s|u\s|e l['’])"
        r"|sauf\s|hormis\s"
        r"|hors\s)(?:l['’]|les?\s|la\s|son\s|ses\s)?", _I
    ),
    list_joint=re.compile(
        # After a bare comma only a preposition goes on with the list: "Malgré l'article 2, le présent titre" does not.
        r"\s{0,3}(?:,\s*(?:et|ou|ni|ainsi qu(?:e|['’])|(?=(?:à|aux?|de|du|des|par|dans|en)\s|d['’]))|et|ou|ni"
        r"|ainsi qu(?:e|['’]))\s*"
        r"(?:(?:à|de|par|dans|en) )?(?:celles? |ceux )?(?:(?:de |à )?l['’]|la |les? |aux? |du |des |d['’])?\s*", _I
    ),
    aside=re.compile(
        r",\s(?:à l['’](?:exception|exclusion) d|exception faite d|sauf\s|hormis\s|hors\s)[^;:.]{1,150}?,\s{0,3}\Z", _I
    ),
    lists=(
        ListPhrase(
            "disapplies",
            re.compile(
                r"\bsuivante?s\b[^.;:]{0,120}?\bne\s(?:s['’]appliquent|sont)\spas\b[^.;:]{0,200}"
                r"|\bne\s(?:s['’]appliquent\spas|sont\spas\sapplicables)\b[^.;:]{0,160}?\bsuivante?s\b[^.;:]{0,80}", _I
            ),
            re.compile(r"(?:(?:les?|la|des?|du|dispositions?)\s+|[ld]['’]\s*)*", _I),
        ),
    ),
)  # fmt: skip

FRENCH = PassageRules("fr", TermLists(LIST_LEAD), FRENCH_LINKS, FrenchTerms(), FrenchDefinitions)
