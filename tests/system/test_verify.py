"""Any text verified against the sample: a verdict and a reason for each reference, quotation and claim."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_calls import Lexscope, address, caller
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from rag import Engine
from rag.citecheck.model import FAILED, VerifyItem
from rag.presentation.for_models import text_for_model
from rag.settings import Settings
from retrieval.errors import InputError


@pytest.fixture(scope="module")
def engine(served: Engine) -> Engine:
    """One for all: nothing here writes but traces."""
    return served


DEPOSIT = "urn:lex:ma:940cmr:3.17:4"
ENTRY = (
    "an owner shall not enter a dwelling unit without the consent of the tenant, given after at least 30 hours' notice"
)
INTEREST = (
    "If the owner does not pay the interest when it is due, the tenant may deduct it from the next payment of rent."
)


def items(engine: Engine, text: str, kind: str, **given: str) -> list[VerifyItem]:
    return [item for item in engine.verify(text, **given).items if item.kind == kind]


def verdicts(engine: Engine, text: str, kind: str, **given: str) -> list[str]:
    return [item.verdict for item in items(engine, text, kind, **given)]


@pytest.mark.parametrize(
    ("text", "verdict", "said"),
    [
        ("See 940 CMR 3.17(4).", "SUPPORTED", "EXISTS"),
        (f"See {DEPOSIT}.", "SUPPORTED", "in force since 2005-01-01"),
        ("See 940 CMR 3.99.", "NOT_FOUND", "urn:lex:ma:940cmr:3.99"),
        ("See 940 CMR 3.17(4)(z).", "NOT_FOUND", "urn:lex:ma:940cmr:3.17:4:z"),
        ("See urn:lex:ma:940cmr:99.1:x.", "NOT_FOUND", "NOT_FOUND"),
        ("See 940 CMR 3.12.", "OVERRIDDEN", "Sample Supreme Court"),
        ("See 940 CMR 3.18.", "OVERRIDDEN", "ENJOINED"),
        ("See 42 U.S.C. § 1983.", "OUTSIDE_CORPUS", "urn:lex:us:42usc"),
        ("See Roe v. Wade, 410 U.S. 113 (1973).", "OUTSIDE_CORPUS", "no such law or decision"),
        ("Siehe § 823 Abs. 1 BGB.", "OUTSIDE_CORPUS", "urn:lex:de:bgb"),
    ],
)
def test_a_reference_has_its_verdict(engine: Engine, text: str, verdict: str, said: str) -> None:
    [one] = items(engine, text, "reference")
    assert one.verdict == verdict
    assert said in " ".join(one.reasons)


@pytest.mark.parametrize(
    "text",
    [
        "See former 940 CMR 3.17(4).",
        "See pre-AIA 940 CMR 3.17(4).",
        "See 940 CMR 3.17(4) (pre-AIA).",
        "See 940 CMR 3.17(4) (repealed).",
        "See 940 CMR 3.17(4) as it stood in 1999.",
        "See 940 CMR 3.17(4), as originally enacted.",
    ],
)
def test_a_reference_to_an_earlier_text_is_not_supported_by_the_one_in_force(engine: Engine, text: str) -> None:
    [one] = items(engine, text, "reference")
    assert (one.verdict, one.urn) == ("AMBIGUOUS", DEPOSIT)


def test_a_reference_is_judged_at_the_date(engine: Engine) -> None:
    [one] = items(engine, "See 940 CMR 3.17(4).", "reference", at_date="2001-01-01")
    assert one.verdict == "NOT_IN_FORCE"
    assert "not in force before 2005-01-01" in " ".join(one.reasons)
    assert verdicts(engine, "See 940 CMR 3.04.", "reference", at_date="2011-01-01") == ["OVERRIDDEN"]
    assert verdicts(engine, "See 940 CMR 3.04.", "reference", at_date="2013-01-01") == ["SUPPORTED"]


def test_a_text_that_cites_no_law_of_the_store_is_cut_into_sentences_of_its_own_language(engine: Engine) -> None:
    first = "Mit Vollendung des 14. Lebensjahres darf jeder Nutzer Filme ausleihen (urn:lex:de:doc:satzung:9)."
    assert [
        item.text for item in items(engine, f"{first} Der Ausweis ist bei jeder Ausleihe vorzulegen.", "claim")
    ] == [first]


def test_law_of_another_jurisdiction_than_asked_for_is_out_of_scope(engine: Engine) -> None:
    text = "See 16 C.F.R. § 310.4(b)(1) and 940 CMR 3.17(4)."
    assert verdicts(engine, text, "reference", jurisdiction="us-ma") == ["OUT_OF_SCOPE", "SUPPORTED"]
    assert verdicts(engine, text, "reference") == ["SUPPORTED", "SUPPORTED"]


@pytest.mark.parametrize(
    ("text", "verdict", "said"),
    [
        (f"“{INTEREST}” 940 CMR 3.17(4).", "SUPPORTED", "whole sentences"),
        (f"940 CMR 3.17(4) says “{INTEREST}”", "SUPPORTED", "whole sentences"),
        (f"940 CMR 3.17(4) says:\n\n> {INTEREST}\n", "SUPPORTED", "whole sentences"),
        (f"940 CMR 3.17(4) says:\n\n    {INTEREST}\n", "SUPPORTED", "whole sentences"),
        ("“[t]he interest is due each year” (940 CMR 3.17(4)).", "SUPPORTED", "part of a sentence"),
        ("“The interest is due ... within 20 days” 940 CMR 3.17(4).", "SUPPORTED", "ELLIPSIS"),
        ("“shall pay the tenant interest at the rate of 3 percent” 940 CMR 3.17(4).", "MISQUOTED", "the text also has"),
        ("“at the rate of 5 percent a year” 940 CMR 3.17(4).", "MISQUOTED", "has “3” where the quotation has “5”"),
        (f"“{INTEREST}” 940 CMR 3.17(1).", "UNVERIFIED", f"{DEPOSIT} does"),
        (f"“{INTEREST}” 940 CMR 3.11(1).", "UNVERIFIED", f"stand in {DEPOSIT}"),
        ("“All unicorns graze on purple meadows” 940 CMR 3.17(4).", "MISQUOTED", "NOT_IN_PROVISION"),
        ("“an owner shall ... enter a dwelling unit” 940 CMR 3.17(7).", "UNVERIFIED", "CUT: The rest"),
        ("“enter a dwelling unit” 940 CMR 3.17(7).", "UNVERIFIED", "NOT_CONFIRMED"),
        (f"940 CMR 3.17(7) says that “{ENTRY}”.", "UNVERIFIED", "limits what the quoted part says"),
        ("“A creditor shall not call a debtor more than 3 times in any period of 7 days.” 940 CMR 3.11(1).",
         "UNVERIFIED", "reads as a whole sentence"),
        ("“A creditor shall not call a debtor more than 3 times in any period of 7 days” 940 CMR 3.11(1).",
         "UNVERIFIED", "reads as a whole sentence"),
        ("“A creditor shall not call a debtor ... at the place of work of the debtor” 940 CMR 3.11(1).",
         "UNVERIFIED", "the ellipsis leaves out"),
        ("“keep a security deposit in an account that also holds money of the owner” 940 CMR 3.17(4)(b).",
         "UNVERIFIED", "shall not"),
        ("“an owner may not enter a dwelling unit” 940 CMR 3.17(7).", "MISQUOTED", "has “shall”"),
        ("“an owner [may] not enter a dwelling unit” 940 CMR 3.17(7).", "ALTERED", "BRACKETS_CHANGE"),
        ("“The interest is due ... the tenant may deduct it” 940 CMR 3.17(4).", "ALTERED", "SPLICED"),
        ("940 CMR 3.17(4) (“Security deposits and interest”).", "SUPPORTED", "HEADING"),
        (f"“{INTEREST}” 940 CMR 3.99.", "NOT_FOUND", "It rests on 940 CMR 3.99"),
        ("“A landlord may keep 75 dollars” 940 CMR 3.12.", "OVERRIDDEN", "VOID"),
        ("“Every person who, under color of any statute” 42 U.S.C. § 1983.", "OUTSIDE_CORPUS", "was not checked"),
        ("« le bailleur ne doit pas entrer dans le logement » 940 CMR 3.17(7).", "UNVERIFIED", "TRANSLATION"),
        (f"940 CMR 3.11(1), or rather 940 CMR 3.17(4), has “{INTEREST}”", "SUPPORTED", "whole sentences"),
        (f"940 CMR 3.17(4), unlike 940 CMR 3.11(1), has “{INTEREST}”", "AMBIGUOUS", "SEVERAL_REFERENCES"),
    ],
)  # fmt: skip
def test_a_quotation_has_its_verdict(engine: Engine, text: str, verdict: str, said: str) -> None:
    [one] = items(engine, text, "quote")
    assert (one.verdict, text[one.start : one.end]) == (verdict, one.text)
    assert said in " ".join(one.reasons)


def test_a_quote_of_a_list_is_compared_over_its_items(engine: Engine) -> None:
    whole = (
        "An owner shall not enter into a rental agreement that: (a) lets the owner remove the tenant without an order "
        "of a court; (b) makes the tenant pay the lawyer of the owner whatever the outcome of a dispute; or (c) does "
        "not state the name, the address and the telephone number of the person who is responsible for repairs."
    )
    assert verdicts(engine, f"“{whole}” 940 CMR 3.17(3).", "quote") == ["SUPPORTED"]
    assert verdicts(engine, f"“{whole.replace('without', 'with')}” 940 CMR 3.17(3).", "quote") == ["MISQUOTED"]


@pytest.mark.parametrize(
    ("claim", "verdict", "said"),
    [
        ("Under 940 CMR 3.17(4), if the owner does not pay the interest when it is due, the tenant may deduct it from "
         "the next payment of rent.", "SUPPORTED", "VERBATIM"),
        ("Except as provided in 940 CMR 3.17(6), an owner shall not demand a security deposit that is greater than the "
         "rent for one month (940 CMR 3.17(4)(a)).", "SUPPORTED", "VERBATIM"),
        ("A tenant may deduct the interest from the next payment of rent if the owner does not pay it when it is due. "
         "940 CMR 3.17(4).", "SUPPORTED UNVERIFIED", ""),
        ("Under 940 CMR 3.17(4), if the owner does not pay the interest when it is due, the tenant may not deduct it "
         "from the next payment of rent.", "ALTERED", "says prohibition where that says permission"),
        ("A creditor shall not call a debtor more than 9 times in any period of 7 days, or at the place of work of the "
         "debtor after the debtor has asked the creditor in writing to stop (940 CMR 3.11(1)).", "ALTERED", "says 9"),
        # The figure of another paragraph, 3.17(8), explains nothing.
        ("For a deposit held for a year, a tenant is owed 5 percent a year. 940 CMR 3.17(4).", "UNVERIFIED",
         "UNIT_CHANGED: The claim's units differ from the sentence's. SENTENCE: “An owner who holds"),
        ("Under 940 CMR 3.17(7), unicorns need a licence for their purple meadows.", "UNVERIFIED", "NOT_SUPPORTED"),
        ("Under 940 CMR 3.12, a landlord may keep 75 dollars from the deposit.", "OVERRIDDEN", "VOID"),
        ("Under 940 CMR 3.99, a landlord may keep 75 dollars from the deposit.", "NOT_FOUND", "rests on"),
    ],
)  # fmt: skip
def test_a_claim_has_its_verdict(engine: Engine, claim: str, verdict: str, said: str) -> None:
    [one] = items(engine, claim, "claim")
    assert one.verdict in verdict.split()
    assert said in " ".join(one.reasons)


def test_what_federal_law_says_of_a_supported_quote_is_told(engine: Engine) -> None:
    words = next(block.text for block in engine.context("urn:lex:ma:940cmr:3.20:1").blocks if block.role == "rule")
    [one] = items(engine, f"“{words}” 940 CMR 3.20(1).", "quote")
    assert one.verdict == "SUPPORTED"
    assert "Supremacy Clause Warning" in " ".join(one.reasons)


def test_what_has_no_verdict_is_listed(engine: Engine) -> None:
    text = (
        "Landlords are busy people these days. “A quotation of nobody in particular.” See 940 CMR 3.17(4), Id. at 4, "
        "and § 12.3 of that title. Owners (the “Owners of the Land”) pay, 940 CMR 3.17(4). The "
        "“deposit” counts. An “open mark."
    )
    result = engine.verify(text)
    told = {text[unchecked.start : unchecked.end]: unchecked.reason for unchecked in result.not_checked}
    assert "names no provision" in told["Landlords are busy people these days."]
    assert "no grammar read it" in told["Id. at 4"]
    assert "no grammar read it" in told["§ 12.3"]
    assert "name or a title" in told["“Owners of the Land”"]
    assert result.summary.not_checked == len(result.not_checked)
    assert result.summary.items == result.summary.supported + result.summary.failed + result.summary.unverified


def test_a_text_without_references_verifies_nothing_and_says_so(engine: Engine) -> None:
    result = engine.verify("Nothing to see here.")
    assert result.items == []
    assert result.warnings
    assert result.exit_code == 3


@pytest.mark.parametrize(
    ("text", "given"),
    [("\ud800", {}), ("x" * 1_000_001, {}), ("See 940 CMR 3.17.", {"at_date": "today"}),
     ("See 940 CMR 3.17.", {"jurisdiction": "xx-yy"}), ("See 940 CMR 3.17.", {"language": "klingon"})],
)  # fmt: skip
def test_what_cannot_be_verified_is_refused_without_repeating_it(
    engine: Engine, text: str, given: dict[str, str]
) -> None:
    with pytest.raises(InputError) as refused:
        engine.verify(text, **given)
    assert "klingon" not in refused.value.message


def reply(*claims: tuple[str, str, str], fence: bool = False) -> str:
    said = [{"text": text, "citations": [{"urn": urn, "quote": quote}] if urn else []} for text, urn, quote in claims]
    text = json.dumps({"claims": said, "unanswered": []}, indent=1)
    return f"```json\n{text}\n```\n" if fence else text


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ((INTEREST, DEPOSIT, INTEREST), {"reference": "SUPPORTED", "quote": "SUPPORTED", "claim": "SUPPORTED"}),
        ((INTEREST.replace("may", "must"), DEPOSIT, INTEREST),
         {"reference": "SUPPORTED", "quote": "SUPPORTED", "claim": "UNVERIFIED"}),
        ((f"{INTEREST} That is 4 percent.", DEPOSIT, INTEREST),
         {"reference": "SUPPORTED", "quote": "SUPPORTED", "claim": "ALTERED"}),
        ((INTEREST, DEPOSIT, INTEREST.replace("may", "must")),
         {"reference": "SUPPORTED", "quote": "MISQUOTED", "claim": "MISQUOTED"}),
        ((INTEREST, "urn:lex:ma:940cmr:3.99", INTEREST),
         {"reference": "NOT_FOUND", "quote": "NOT_FOUND", "claim": "NOT_FOUND"}),
        ((INTEREST, "urn:lex:ma:940cmr:3.12", INTEREST),
         {"reference": "OVERRIDDEN", "quote": "OVERRIDDEN", "claim": "OVERRIDDEN"}),
        ((INTEREST, "not a urn", INTEREST), {"reference": "NOT_FOUND", "quote": "NOT_FOUND", "claim": "NOT_FOUND"}),
        ((INTEREST, "", ""), {"claim": "UNVERIFIED"}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("fence", [False, True])
def test_a_models_reply_is_verified_claim_by_claim(
    engine: Engine, claim: tuple[str, str, str], expected: dict[str, str], fence: bool
) -> None:
    text = reply(claim, fence=fence)
    result = engine.verify(text)
    assert {item.kind: item.verdict for item in result.items} == expected
    assert all(text[item.start : item.end] == item.text for item in result.items)


def test_an_answer_of_the_program_itself_verifies(engine: Engine) -> None:
    answer = engine.ask("May an owner enter a dwelling unit without the consent of the tenant?")
    assert answer.statements
    result = engine.verify(answer.model_dump_json())
    assert {item.verdict for item in result.items} == {"SUPPORTED"}


def test_json_that_is_no_reply_is_a_text_like_any_other(engine: Engine) -> None:
    assert verdicts(engine, '{"memo": "See 940 CMR 3.99."}', "reference") == ["NOT_FOUND"]
    assert verdicts(engine, '{"claims": ["See 940 CMR 3.99."', "reference") == ["NOT_FOUND"]


PIECES = st.sampled_from(
    ["940 CMR 3.17(4)", "“", "”", '"', "shall not", "...", "[t]he", "§", "urn:lex:ma:940cmr:3.17:4:a", ". ", "\n\n",
     "> ", "the interest is due each year", "(", ")", "*", "\u202e", "「", "」", "No person", "\x00", "é", "条"]
)  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "See 940 CMR 3.17(4), “no such\x00words stand in it”.",
        "> no such\x00words stand in it\n\n940 CMR 3.17(4)",
        "940 CMR\x003.17(4)",
        "940 CMR 3.17(4) the interest is due each year No person\x00 shall moor at night. 940 CMR 3.17(4)",
        reply(("Interest is due.", "urn:lex:ma:940cmr:3.17:4", "no such\x00words here")),
        reply(("Interest is due.", "urn:lex:ma:940cmr\x00:3.17:4", "no such words here")),
        reply(("Interest\x00is due.", "urn:lex:ma:940cmr:3.17:4", "no such words here")),
        reply(("Interest \ud800 is due.", "urn:lex:ma:940cmr:3.17:4", "no such \ud800 words here")),
        reply(("Interest is due.", "urn:lex:ma:940cmr\ud800:3.17:4", "no such words here")),
    ],
)
def test_signs_that_the_store_cannot_hold_are_found_in_no_law(engine: Engine, text: str) -> None:
    assert "SUPPORTED" not in verdicts(engine, text, "quote") + verdicts(engine, text, "claim")


@hypothesis_settings(max_examples=60)
@given(st.lists(PIECES, max_size=25).map("".join))
def test_any_text_gives_items_that_stand_in_it(engine: Engine, text: str) -> None:
    result = engine.verify(text)
    for item in [*result.items, *result.not_checked]:
        assert text[item.start : item.end] == item.text
    assert sum(result.summary.verdicts.values()) == len(result.items)
    assert result == engine.verify(text)


def test_no_naughty_string_is_supported_or_breaks_anything(engine: Engine, shared_data: Path) -> None:
    strings: list[str] = json.loads((shared_data / "attacks" / "blns" / "blns.json").read_text(encoding="utf-8"))
    result = engine.verify("\n".join(strings))
    assert not [item for item in result.items if item.verdict == "SUPPORTED"]


def test_the_work_grows_with_the_text_and_not_faster(engine: Engine) -> None:
    memo = f"As 940 CMR 3.17(4) says, “{INTEREST}” An owner “shall pay 9 percent” (940 CMR 3.17(4)).\n\n"
    result = engine.verify(memo * 100)
    assert result.summary.items == 100 * len(engine.verify(memo).items)


@pytest.fixture
def lexscope(sample_settings: Settings, capsys: pytest.CaptureFixture[str]) -> Lexscope:
    return caller(capsys, "--database-url", address(sample_settings))


def test_the_verb_shows_a_table_gives_json_and_exits_3_when_something_failed(
    lexscope: Lexscope, tmp_path: Path
) -> None:
    good, bad = tmp_path / "good.md", tmp_path / "bad.md"
    good.write_text(f"“{INTEREST}” 940 CMR 3.17(4).", encoding="utf-8")
    bad.write_text("See 940 CMR 3.99.", encoding="utf-8")
    shown = lexscope("verify", str(good))
    assert (shown.status, shown.err) == (0, "")
    assert "SUPPORTED" in shown.out
    failed = lexscope("verify", str(bad), "--json")
    assert failed.status == 3
    said = json.loads(failed.out)
    assert [entry["verdict"] for entry in said["items"]] == ["NOT_FOUND"]
    assert set(said) == {"at_date", "items", "not_checked", "summary", "warnings", "complete", "unsupported"}
    assert set(said["items"][0]) == {"text", "start", "end", "kind", "verdict", "reasons", "urn"}


@pytest.mark.parametrize("make", ["missing", "folder", "latin"])
def test_a_file_that_cannot_be_read_is_bad_input(lexscope: Lexscope, tmp_path: Path, make: str) -> None:
    file = tmp_path / "memo"
    if make == "folder":
        file.mkdir()
    elif make == "latin":
        file.write_bytes(b"caf\xe9")
    ran = lexscope("verify", str(file))
    assert ran.status == 2
    assert "file" in ran.err


def test_failed_verdicts_are_those_that_were_compared_and_do_not_hold() -> None:
    assert {"SUPPORTED", "UNVERIFIED", "AMBIGUOUS", "OUTSIDE_CORPUS"}.isdisjoint(FAILED)


@pytest.mark.parametrize(
    ("text", "verdict", "said"),
    [
        ("See 940 CMR 3.17(4). Id.", "SUPPORTED", "`Id.` was read as 940 CMR 3.17(4)"),
        ("See 940 CMR 3.17(4). § 3.99.", "AMBIGUOUS", "Read as urn:lex:ma:940cmr:3.99"),
        ("See 940 CMR 3.12. Id.", "OVERRIDDEN", "`Id.` was read as 940 CMR 3.12"),
        ("See 940 CMR 3.17(4) (1990).", "SUPPORTED", "cites the edition of 1990"),
        ("See 16 CFR 310.4(b)(1) (1980).", "UNVERIFIED", "EDITION"),
        ("See 16 CFR 310.4(b)(1) (2030).", "SUPPORTED", "cites the edition of 2030"),
    ],
)
def test_references_that_lean_on_another_and_editions_have_their_verdict(
    engine: Engine, text: str, verdict: str, said: str
) -> None:
    last = items(engine, text, "reference")[-1]
    assert last.verdict == verdict
    assert said in " ".join(last.reasons)


def test_a_claim_may_rest_on_id(engine: Engine) -> None:
    text = f"See 940 CMR 3.17(4). {INTEREST} Id."
    assert verdicts(engine, text, "claim") == ["SUPPORTED"]


def test_a_sentence_that_opens_with_a_pronoun_is_not_supported_by_a_guess(engine: Engine) -> None:
    late = "940 CMR 3.17(5)"
    own = "An owner shall not ask for a charge for late payment until the rent has been overdue for 10 days."
    day = {"at_date": "2010-01-01"}
    assert verdicts(engine, f"{own} {late}.", "claim", **day) == ["SUPPORTED"]
    assert "SUPPORTED" not in verdicts(
        engine, f"The agent signs. {own.replace('An owner', 'It')} {late}.", "claim", **day
    )


def test_statements_and_references_are_counted_apart(engine: Engine) -> None:
    text = "An owner pays interest at the rate of 3 percent a year, 940 CMR 3.17(4). So does 940 CMR 3.99."
    first, *_ = text_for_model(engine.verify(text, jurisdiction="us-ma")).splitlines()
    _, said, named = first.replace("; references: ", "|").replace(", statements and quotations: ", "|").split("|")
    assert "found" not in said
    assert "1 found" in named
    assert "1 not found" in named
