"""Names that French law is cited by: its codes with their abbreviations, constitutional texts, well-known laws.

The tables are open: a code that they lack is recognised as a code, and read as a candidate only.
"""

from __future__ import annotations

from dataclasses import dataclass

from rag.jurisdictions.fr.naming import law_identity

# Official title | abbreviations. Those with a point are read in any case, acronyms too.
_CODES = """
Code civil|C. civ.
Code de procédure civile|CPC;C. proc. civ.;NCPC
Code pénal|C. pén.
Code de procédure pénale|CPP;C. proc. pén.
Code du travail|C. trav.
Code de commerce|C. com.
Code de la consommation|C. consom.;C. conso.
Code général des impôts|CGI
Code général des impôts, annexe 1|
Code général des impôts, annexe 2|
Code général des impôts, annexe 3|
Code général des impôts, annexe 4|
Code de la sécurité sociale|CSS;C. séc. soc.
Code de justice administrative|CJA;C. just. adm.
Code des relations entre le public et l'administration|CRPA
Code général des collectivités territoriales|CGCT
Code de la santé publique|CSP;C. santé publ.
Code de la construction et de l'habitation|CCH;C. constr. et hab.
Code de l'urbanisme|C. urb.
Code de l'environnement|C. env.;C. envir.
Code de la propriété intellectuelle|CPI;C. propr. intell.
Code monétaire et financier|CMF;C. mon. fin.;C. monét. fin.
Code des assurances|C. assur.;C. ass.
Code de la mutualité|C. mut.
Code de l'action sociale et des familles|CASF;C. act. soc. fam.
Code rural et de la pêche maritime|CRPM;C. rur.
Code rural|
Code rural (nouveau)|
Code de la route|C. route
Code de la sécurité intérieure|CSI
Code de l'organisation judiciaire|COJ;C. org. jud.
Code des procédures civiles d'exécution|CPCEX;C. pr. exéc.;C. proc. civ. exéc.
Code des postes et des communications électroniques|C. P. et T.
Code de l'entrée et du séjour des étrangers et du droit d'asile|CESEDA
Code des juridictions financières|CJF;C. jur. fin.
Code de la commande publique|CCP
Code des marchés publics|CMP
Code général de la propriété des personnes publiques|CGPPP;CG3P
Code général de la fonction publique|CGFP
Code électoral|C. élect.;C. élec.
Code de l'éducation|C. éduc.
Code de la recherche|C. rech.
Code du patrimoine|C. patr.
Code du sport|C. sport
Code du tourisme|C. tourisme
Code des transports|C. transp.
Code de l'aviation civile|C. aviat. civ.
Code des douanes|C. douanes
Code des douanes de Mayotte|
Code de l'énergie|C. énergie;C. énerg.
Code forestier|C. for.;C. forest.
Code forestier (nouveau)|
Code minier|C. minier
Code minier (nouveau)|
Code de la justice pénale des mineurs|CJPM
Code pénitentiaire|C. pénit.
Code de l'artisanat|C. artisanat
Code de la défense|C. défense;C. déf.
Code de justice militaire|CJM
Code de justice militaire (nouveau)|
Code de la voirie routière|C. voirie rout.
Code des pensions civiles et militaires de retraite|CPCMR
Code des pensions militaires d'invalidité et des victimes de guerre|CPMIVG
Code des pensions militaires d'invalidité et des victimes de la guerre|
Code des pensions de retraite des marins français du commerce, de pêche ou de plaisance|
Code de l'expropriation pour cause d'utilité publique|C. expr.;C. expro.
Code de la famille et de l'aide sociale|
Code de la Légion d'honneur, de la Médaille militaire et de l'ordre national du Mérite|
Code de la Légion d'honneur et de la médaille militaire|
Code de déontologie des professionnels du chiffre|
Code de déontologie de la profession de commissaire aux comptes|
Code de déontologie des architectes|
Code de déontologie des agents de police municipale|
Code des communes|C. communes
Code des communes de la Nouvelle-Calédonie|
Code des impositions sur les biens et services|CIBS
Code des instruments monétaires et des médailles|
Code des ports maritimes|
Code disciplinaire et pénal de la marine marchande|
Code du cinéma et de l'image animée|C. cinéma
Code de l'industrie cinématographique|
Code du domaine de l'Etat|C. dom. Etat
Code du domaine de l'Etat et des collectivités publiques applicable à la collectivité territoriale de Mayotte|
Code du domaine public fluvial et de la navigation intérieure|
Code du service national|C. serv. nat.
Code du travail applicable à Mayotte|
Code du travail maritime|
Code du vin|
Code du blé|
Code électoral de Mayotte|
Code de la nationalité française|C. nat.
Code de la mutualité (ancien)|
Code de l'urbanisme et de l'habitation|
Code des caisses d'épargne|
Code des débits de boissons et des mesures contre l'alcoolisme|
Code des tribunaux administratifs et des cours administratives d'appel|
Code des tribunaux administratifs|
Code de procédure civile (1807)|
Code d'instruction criminelle|
Livre des procédures fiscales|LPF
""".strip()
# Titles that the same code had, or that people give it, with the present one.
_OTHER_TITLES = {
    "nouveau code de procédure civile": "Code de procédure civile",
    "nouveau code pénal": "Code pénal",
    "code général de la propriété intellectuelle": "Code de la propriété intellectuelle",
    "code des postes et télécommunications": "Code des postes et des communications électroniques",
    "code des postes et communications électroniques": "Code des postes et des communications électroniques",
}
# Abbreviations of two codes: never certain.
_SHARED = {
    "CPCE": ("Code des procédures civiles d'exécution", "Code des postes et des communications électroniques"),
}
_CONSTITUTIONAL = {
    "constitution": "Constitution du 4 octobre 1958",
    "constitution du 4 octobre 1958": "Constitution du 4 octobre 1958",
    "constitution de 1958": "Constitution du 4 octobre 1958",
    "constitution francaise": "Constitution du 4 octobre 1958",
    "declaration des droits de l'homme et du citoyen": "Déclaration des Droits de l'Homme et du Citoyen de 1789",
    "declaration des droits de l'homme et du citoyen de 1789": "Déclaration des Droits de l'Homme et du Citoyen de "
    "1789",
    "declaration des droits de l'homme et du citoyen du 26 aout 1789": "Déclaration des Droits de l'Homme et du "
    "Citoyen de 1789",
    "declaration de 1789": "Déclaration des Droits de l'Homme et du Citoyen de 1789",
    "ddhc": "Déclaration des Droits de l'Homme et du Citoyen de 1789",
    "charte de l'environnement": "Charte de l'environnement",
    "charte de l'environnement de 2004": "Charte de l'environnement",
}
# Everyday names with the numbers they stand for; several numbers: the name alone does not tell.
_LAWS = """
informatique et libertés|78-17
informatique et liberté|78-17
pacte|2019-486
badinter|85-677
hoguet|70-9
alur|2014-366
élan|2018-1021
macron|2015-990
sapin|93-122
sapin ii|2016-1691
sapin 2|2016-1691
toubon|94-665
veil|75-17
carrez|96-1107
sru|2000-1208
littoral|86-2
montagne|85-30
égalim|2018-938
égalim 2|2021-1357
hamon|2014-344
lagarde|2010-737
châtel|2005-67 2008-3
pour une république numérique|2016-1321
république numérique|2016-1321
climat et résilience|2021-1104
agec|2020-105
pour la confiance dans l'économie numérique|2004-575
confiance dans l'économie numérique|2004-575
lcen|2004-575
kouchner|2002-303
leonetti|2005-370
claeys-leonetti|2016-87
gayssot|90-615
dalo|2007-290
el khomri|2016-1088
lom|2019-1428
essoc|2018-727
notre|2015-991
maptam|2014-58
mop|85-704
neiertz|89-1010
renseignement|2015-912
perben ii|2004-204
guigou|2000-516
nre|2001-420
tepa|2007-1223
lme|2008-776
barnier|95-101
pinel|2014-626
asap|2020-1525
mermaz|89-462
séparatisme|2021-1109
3ds|2022-217
schiappa|2018-703
rixain|2021-1774
sren|2024-449
évin|89-1009 91-32
taubira|2001-434 2013-404
aubry|98-461 2000-37
scrivener|78-22 79-596
""".strip()
_SHORT_LAWS = {"LIL": "78-17", "LCEN": "2004-575"}
# Laws that go by their year, with their full titles.
_BY_YEAR = {
    "loi 1901": "Loi du 1er juillet 1901 relative au contrat d'association",
    "loi de 1901": "Loi du 1er juillet 1901 relative au contrat d'association",
    "loi de 1905": "Loi du 9 décembre 1905 concernant la séparation des Eglises et de l'Etat",
    "loi de 1881": "Loi du 29 juillet 1881 sur la liberté de la presse",
}
# Laws that go by their date. Others may bear the same date, so that only those without a number are certain.
_DATED = {
    ("loi", "29 juillet 1881"): "Loi du 29 juillet 1881 sur la liberté de la presse",
    ("loi", "1 juillet 1901"): "Loi du 1er juillet 1901 relative au contrat d'association",
    ("loi", "9 decembre 1905"): "Loi du 9 décembre 1905 concernant la séparation des Eglises et de l'Etat",
    ("loi", "10 juillet 1965"): "Loi n° 65-557",
    ("loi", "6 janvier 1978"): "Loi n° 78-17",
    ("loi", "17 juillet 1978"): "Loi n° 78-753",
    ("loi", "11 juillet 1979"): "Loi n° 79-587",
    ("loi", "5 juillet 1985"): "Loi n° 85-677",
    ("loi", "6 juillet 1989"): "Loi n° 89-462",
    ("loi", "12 avril 2000"): "Loi n° 2000-321",
    ("decret", "17 mars 1967"): "Décret n° 67-223",
    ("ordonnance", "2 fevrier 1945"): "Ordonnance n° 45-174",
}


@dataclass(frozen=True, slots=True)
class LawName:
    """A law as cited. `urn` is empty for law that is recognised as other law and has no address.

    `nature` is the noun by which the text takes it up again ("la même loi"); `sure` is False where the words only
    suggest this law.
    """

    urn: str
    nature: str
    title: str = ""
    number: str = ""  # of a law with one: 78-17
    sure: bool = True
    others: tuple[str, ...] = ()  # URNs that the same words can mean too


def titled(title: str, *, nature: str = "", sure: bool = True) -> LawName:
    """A law by its official title."""
    law = law_identity(title)
    kind = nature or ("code" if "code" in law.tags else law.tags.get("nature", "loi").lower())
    return LawName(law.urn, kind, law.title, law.tags.get("number", ""), sure)


def _codes() -> tuple[dict[str, LawName], dict[str, LawName]]:
    by_title: dict[str, LawName] = {}
    short: dict[str, LawName] = {}
    for line in _CODES.splitlines():
        title, _, abbreviations = line.partition("|")
        law = titled(title, nature="livre" if title.startswith("Livre") else "code")
        by_title[title] = law
        for one in filter(None, abbreviations.split(";")):
            short[one] = law
    for one, titles in _SHARED.items():
        first, *others = (by_title[title] for title in titles)
        short[one] = LawName(first.urn, "code", first.title, "", False, tuple(other.urn for other in others))
    for one, number in _SHORT_LAWS.items():
        short[one] = titled(f"Loi n° {number}")
    # A council and a code of commerce, too, and in other books the code of pensions.
    for one, title in (("CC", "Code civil"), ("CP", "Code pénal")):
        short[one] = LawName(by_title[title].urn, "code", title, "", sure=False)
    return by_title, short


CODES, ABBREVIATIONS = _codes()
OTHER_TITLES = {name: CODES[title] for name, title in _OTHER_TITLES.items()}
CONSTITUTIONAL = {name: titled(title, nature="constitution") for name, title in _CONSTITUTIONAL.items()}
BY_YEAR = {name: titled(title) for name, title in _BY_YEAR.items()}
NAMED_LAWS = {name: tuple(numbers.split()) for name, _, numbers in (line.partition("|") for line in _LAWS.splitlines())}
DATED_LAWS = {key: titled(title, sure="°" not in title) for key, title in _DATED.items()}
