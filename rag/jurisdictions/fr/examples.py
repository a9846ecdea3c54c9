"""Written forms of French references with what they must be read as; the contract test runs them all."""

from __future__ import annotations

from datetime import date

from retrieval.tag_query import NORMALIZE_PATTERNS, TagFilter, TagFilterOp, TagFilterSet, TagQuery, urn_query

_FR = "urn:lex:fr"
_CIVIL = f"{_FR}:code-civil"
_CONSUMER = f"{_FR}:code-de-la-consommation"

EXAMPLES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("article 1240 du code civil", (f"{_CIVIL}:1240",)),
    ("ARTICLE 1240 DU CODE CIVIL", (f"{_CIVIL}:1240",)),
    ("article\u00a01240 du\u00a0Code\u202fcivil", (f"{_CIVIL}:1240",)),
    ("l’article 1240, alinéa 1er, du code civil", (f"{_CIVIL}:1240:al.1",)),
    ("art. 1240 C. civ.", (f"{_CIVIL}:1240",)),
    ("C. civ., art. 1240", (f"{_CIVIL}:1240",)),
    ("article L. 111-1 du code de la consommation", (f"{_CONSUMER}:l111-1",)),
    ("Article  L . 111 - 1  du code de la consommation", (f"{_CONSUMER}:l111-1",)),
    ("article R. * 133-1 du code de l'urbanisme", (f"{_FR}:code-de-l-urbanisme:r133-1",)),
    ("L. 1233-3 du code du travail", (f"{_FR}:code-du-travail:l1233-3",)),
    (
        "articles 9,10 et 12 du code civil",
        (f"{_CIVIL}:9", f"{_CIVIL}:10", f"{_CIVIL}:12"),
    ),
    ("articles 1792 à 1792-6 du code civil", (f"{_CIVIL}:1792", f"{_CIVIL}:1792-6")),
    ("article 39 decies A du CGI", (f"{_FR}:code-general-des-impots:39-decies-a",)),
    (
        "au 1° du I de l'article 150-0 B ter du code général des impôts",
        (f"{_FR}:code-general-des-impots:150-0-b-ter:i:1",),
    ),
    (
        "aux deuxième et troisième alinéas de l'article 910 du code civil",
        (f"{_CIVIL}:910:al.2", f"{_CIVIL}:910:al.3"),
    ),
    ("la première phrase du deuxième alinéa de l'article 16-1 du code civil", (f"{_CIVIL}:16-1:al.2",)),
    ("art. 700 CPC", (f"{_FR}:code-de-procedure-civile:700",)),
    ("article 8 de la loi n° 78-17 du 6 janvier 1978", (f"{_FR}:loi-78-17:8",)),
    ("article 82 de la loi Informatique et Libertés", (f"{_FR}:loi-78-17:82",)),
    ("ordonnance n°2016-131 du 10 février 2016", (f"{_FR}:ordonnance-2016-131",)),
    ("décret n° 2016-301 du 18 mars 2016", (f"{_FR}:decret-2016-301",)),
    ("article 34 de la Constitution", (f"{_FR}:constitution-du-4-octobre-1958:34",)),
    (
        "article 1er de la Déclaration des droits de l'homme et du citoyen de 1789",
        (f"{_FR}:declaration-des-droits-de-l-homme-et-du-citoyen-de-1789:1er",),
    ),
    ("articles 80 à 88 du code civil local applicable aux départements du Bas-Rhin", ()),
    ("l'article 5 de la convention signée à Vienne", ()),
    ("au deuxième alinéa du présent article", ()),
)

_PLAIN = NORMALIZE_PATTERNS["punctuation"]


def _tags(
    kind: str | None,
    tags: dict[str, str],
    *,
    in_force_first: bool = False,
    hint: str | None = None,
    at_date: date | None = None,
) -> TagQuery:
    return TagQuery(
        language="fr", kind=kind, tag_filters=TagFilterSet.from_tags(tags), should_sort_in_force_first=in_force_first,
        hint=hint, at_date=at_date,
    )  # fmt: skip


def _case(number: str, courts: list[str], hint: str) -> TagQuery:
    op, value = (TagFilterOp.EQ, courts[0]) if len(courts) == 1 else (TagFilterOp.IN, courts)
    filters = (
        TagFilter(key="case_number", op=TagFilterOp.NORMALIZE, value=number, normalize_pattern=_PLAIN),
        TagFilter(key="court", op=op, value=value),
    )
    return TagQuery(language="fr", kind="decision", tag_filters=TagFilterSet(filters=filters), hint=hint)


def _article(number: str, code: str) -> TagQuery:
    return _tags("legislation", {"article_number": number, "code": code}, in_force_first=True)


_POURVOI = _case("20-20.648", ["cour_cassation"], "pourvoi Cour de cassation")
_REQUETE = _case("486329", ["conseil_etat"], "requete Conseil d'Etat")
_RG = _case("21/00091", ["cour_appel", "tribunal_judiciaire"], "RG cour d'appel ou tribunal judiciaire")
_1147 = _tags("legislation", {"article_number": "1147", "code": "Code civil"}, at_date=date(2015, 6, 15))
_SEPARATISM = _tags("legislation", {"nature": "LOI", "number": "2021-1109"})

QUERY_EXAMPLES: tuple[tuple[str, tuple[TagQuery, ...]], ...] = (
    # The specification's own
    ("article 1240 du code civil", (_article("1240", "Code civil"),)),
    ("article 1147 du code civil, dans sa version en vigueur au 15 juin 2015", (_1147,)),
    ("loi n 2021-1109", (_SEPARATISM,)),
    ("pourvoi 20-20.648", (_POURVOI,)),
    ("486329", (_REQUETE,)),
    ("21/00091", (_RG,)),
    ("ECLI:FR:CCASS:2024:C100001", (_tags("decision", {"ecli": "ECLI:FR:CCASS:2024:C100001"}),)),
    ("IDCC 3239", (_tags("legislation", {"idcc": "3239", "in_force": "true"}),)),
    # Others
    ("Art. 1240 C. civ.", (_article("1240", "Code civil"),)),
    ("article l.111-1 code de la consommation", (_article("L111-1", "Code de la consommation"),)),
    (
        "R. 133-1 du code de l'urbanisme",
        (
            _article("R133-1", "Code de l'urbanisme"),
            urn_query(f"{_FR}:code-de-l-urbanisme:r133-1", language="fr"),
        ),
    ),
    ("article 1147 du code civil (version au 15/06/2015)", (_1147,)),
    ("article 1240", (_tags("legislation", {"article_number": "1240"}, in_force_first=True,
                            hint="article number without its code"),)),
    ("loi n° 2021-1109 du 24 août 2021 confortant le respect des principes de la République", (_SEPARATISM,)),
    ("loi n° 78-17 du 6 janvier 1978 relative à l'informatique, aux fichiers et aux libertés",
     (_tags("legislation", {"nature": "LOI", "number": "78-17"}),)),
    ("loi Pacte", (_tags("legislation", {"nature": "LOI", "number": "2019-486"}),)),
    ("décret n°2016-301", (_tags("legislation", {"nature": "DECRET", "number": "2016-301"}),)),
    ("loi Évin", (
        _tags("legislation", {"nature": "LOI", "number": "89-1009"}, hint="one of the laws of this name"),
        _tags("legislation", {"nature": "LOI", "number": "91-32"}, hint="one of the laws of this name"),
    )),
    ("Cass. civ. 1re, 20 mars 2024, n° 20-20.648", (_POURVOI,)),
    ("CE, 12 mars 2024, n° 486329", (_REQUETE,)),
    ("RG n° 21/00091", (_RG,)),
    ("NOR JUSX2116059L", (_tags("legislation", {"nor": "JUSX2116059L"}),)),
    ("BOI-TVA-CHAMP-10-10-20", (_tags(None, {"bofip": "BOI-TVA-CHAMP-10-10-20"}),)),
    ("SIREN 732 829 320", (_tags("record", {"siren": "732829320"}),)),
    ("732829320", (_tags("record", {"siren": "732829320"}, hint="SIREN"),)),
    ("732829321", ()),
    ("2010-2 QPC", (_case("2010-2 QPC", ["conseil_constitutionnel"], "decision du Conseil constitutionnel"),)),
    ("deuxième alinéa de l'article 1240 du code civil", (urn_query(f"{_CIVIL}:1240:al.2", language="fr"),)),
    ("articles 1240 et suivants du code civil",
     (urn_query(f"{_CIVIL}:1240", language="fr", hint="the first of the provisions named"),)),
    ("article 8 de la loi n° 78-17", (urn_query(f"{_FR}:loi-78-17:8", language="fr"),)),
    (
        "articles 1240 et 1241 du code civil",
        tuple(
            urn_query(f"{_CIVIL}:{one}", language="fr", hint="one of several provisions named")
            for one in ("1240", "1241")
        ),
    ),
)  # fmt: skip
