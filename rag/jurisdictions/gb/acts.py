"""Well-known British acts and instruments by short title, so that a citation without chapter number has its URN."""

from __future__ import annotations

# Short title, year and chapter; "former" titles of renamed acts stand beside the present ones.
_ACTS = """
1837 26 Wills Act
1861 100 Offences against the Person Act
1890 39 Partnership Act
1925 19 Trustee Act
1925 20 Law of Property Act
1954 56 Landlord and Tenant Act
1957 31 Occupiers' Liability Act
1967 7 Misrepresentation Act
1968 60 Theft Act
1971 38 Misuse of Drugs Act
1971 77 Immigration Act
1972 68 European Communities Act
1972 70 Local Government Act
1973 18 Matrimonial Causes Act
1974 37 Health and Safety at Work etc. Act
1974 39 Consumer Credit Act
1974 53 Rehabilitation of Offenders Act
1977 32 Torts (Interference with Goods) Act
1977 37 Patents Act
1977 42 Rent Act
1977 50 Unfair Contract Terms Act
1978 30 Interpretation Act
1978 31 Theft Act
1979 54 Sale of Goods Act
1980 58 Limitation Act
1980 66 Highways Act
1981 54 Senior Courts Act
1981 54 Supreme Court Act
1981 61 British Nationality Act
1982 29 Supply of Goods and Services Act
1983 20 Mental Health Act
1984 3 Occupiers' Liability Act
1984 28 County Courts Act
1984 51 Inheritance Tax Act
1984 60 Police and Criminal Evidence Act
1985 6 Companies Act
1985 68 Housing Act
1985 70 Landlord and Tenant Act
1986 45 Insolvency Act
1986 64 Public Order Act
1987 31 Landlord and Tenant Act
1988 33 Criminal Justice Act
1988 48 Copyright, Designs and Patents Act
1988 50 Housing Act
1988 52 Road Traffic Act
1989 41 Children Act
1990 8 Town and Country Planning Act
1990 18 Computer Misuse Act
1990 43 Environmental Protection Act
1992 52 Trade Union and Labour Relations (Consolidation) Act
1994 23 Value Added Tax Act
1994 26 Trade Marks Act
1996 18 Employment Rights Act
1996 23 Arbitration Act
1996 27 Family Law Act
1996 31 Defamation Act
1996 52 Housing Act
1996 56 Education Act
1997 40 Protection from Harassment Act
1998 29 Data Protection Act
1998 37 Crime and Disorder Act
1998 42 Human Rights Act
1998 46 Scotland Act
1998 47 Northern Ireland Act
1999 31 Contracts (Rights of Third Parties) Act
2000 8 Financial Services and Markets Act
2000 11 Terrorism Act
2000 23 Regulation of Investigatory Powers Act
2000 29 Trustee Act
2000 36 Freedom of Information Act
2002 9 Land Registration Act
2002 29 Proceeds of Crime Act
2002 38 Adoption and Children Act
2002 41 Nationality, Immigration and Asylum Act
2003 17 Licensing Act
2003 42 Sexual Offences Act
2003 44 Criminal Justice Act
2004 31 Children Act
2004 34 Housing Act
2005 4 Constitutional Reform Act
2005 9 Mental Capacity Act
2005 19 Gambling Act
2006 32 Government of Wales Act
2006 35 Fraud Act
2006 46 Companies Act
2007 3 Income Tax Act
2007 15 Tribunals, Courts and Enforcement Act
2010 15 Equality Act
2010 23 Bribery Act
2013 26 Defamation Act
2014 23 Care Act
2015 15 Consumer Rights Act
2015 30 Modern Slavery Act
2016 25 Investigatory Powers Act
2018 12 Data Protection Act
2018 16 European Union (Withdrawal) Act
2020 7 Coronavirus Act
2020 17 Sentencing Act
2021 17 Domestic Abuse Act
2023 50 Online Safety Act
"""
_INSTRUMENTS = """
1998 1833 Working Time Regulations
1998 3132 Civil Procedure Rules
1999 3242 Management of Health and Safety at Work Regulations
2003 2426 Privacy and Electronic Communications (EC Directive) Regulations
2006 246 Transfer of Undertakings (Protection of Employment) Regulations
2013 3134 Consumer Contracts (Information, Cancellation and Additional Charges) Regulations
"""


def title_key(title: str) -> str:
    """A short title for comparison: case, apostrophes, commas and spaces do not tell titles apart."""
    kept = title.casefold().replace("’", "").replace("'", "").replace(",", " ").replace(".", " ").replace("&", "and")
    return " ".join(kept.split())


def _read(table: str, kind: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in table.split("\n"):
        if line:
            year, number, title = line.split(" ", 2)
            found[title_key(f"{title} {year}")] = f"urn:lex:gb:{kind}-{year}-{number}"
    return found


# Title with year, as `title_key` gives it -> URN.
KNOWN_TITLES = _read(_ACTS, "ukpga") | _read(_INSTRUMENTS, "uksi")
