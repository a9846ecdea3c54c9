"""A trace as a reviewer's file: JSON (exact, can be loaded again), Markdown (terminal, forge) or HTML (one page).

Every format is a pure function of the trace: the same trace gives the same bytes.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import tempfile
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import cast

from pydantic import ValidationError

from rag.answering.answer import Place
from rag.answering.limits.overridden import overridden_lines
from rag.jurisdictions.citing import cited_as
from rag.telemetry.review.html import environment, render_html, style
from rag.telemetry.review.unseen import json_escape_unseen, visible
from rag.telemetry.review.view import Exhibit, ShownClaim, TreeItem, View, build_view
from rag.telemetry.review.words import ACTION_WORDS, force_words, join_words
from rag.telemetry.trace import TRACE_VERSION, WITHOUT_USERS_WORDS, Trace
from rag.telemetry.verdicts import REASONS, TraceRow
from retrieval.errors import InputError
from retrieval.model import OverrideNotice, PrevailsOver, ScopedContext
from retrieval.strict_json import JsonRefused, member, parse_json

MOST_EXPORTED = 1_000
_COLUMNS = ("id", "created_at", "request", "status", "at_date", "jurisdictions", "provider", "model", "levels",
            "warnings", "targets", "verdict", "reasons")  # fmt: skip


def json_lines(rows: Sequence[TraceRow], traces: Sequence[Trace]) -> tuple[str, str]:
    """Each trace whole, as it is stored, on a line of its own, beside `verdict` and `reasons`."""
    said = {row.id: {"verdict": row.verdict, "reasons": row.reasons} for row in rows}
    lines = (
        json.dumps({**said[trace.id], "trace": trace.model_dump(mode="json")}, ensure_ascii=False, sort_keys=True)
        for trace in traces
    )
    return "application/x-ndjson; charset=utf-8", "".join(f"{json_escape_unseen(line)}\n" for line in lines)


def table(rows: Sequence[TraceRow], traces: Sequence[Trace]) -> tuple[str, str]:
    """A row for each trace, without any word of a user: lists are joined by spaces."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(_COLUMNS)
    for row in rows:
        values = row.model_dump(mode="json")
        writer.writerow(_cell(values[name]) for name in _COLUMNS)
    return "text/csv; charset=utf-8", out.getvalue()


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    if isinstance(value, list):
        text = " ".join(map(str, cast("list[object]", value)))
    # A spreadsheet takes what begins so for a formula.
    return f"'{text}" if text[:1] in "=+-@\t\r" and text else visible(text)


def page(rows: Sequence[TraceRow], traces: Sequence[Trace]) -> tuple[str, str]:
    """One self-contained HTML document: each answer with its quotes and what the reviewer said."""
    views = {trace.id: build_view(trace) for trace in traces}
    css, source = style("dump.css")
    html = environment().get_template("traces.html.j2").render(
        entries=[(row, views[row.id]) for row in rows if row.id in views], reasons=REASONS, css=css,
        style_source=source,
    )  # fmt: skip
    return "text/html; charset=utf-8", html


EXPORTS: Mapping[str, Callable[[Sequence[TraceRow], Sequence[Trace]], tuple[str, str]]] = {
    "jsonl": json_lines, "csv": table, "html": page,
}  # fmt: skip


WIDTH = 100  # columns of wrapped text


def render_markdown(trace: Trace) -> str:
    """One Markdown document: facts, answer, scoped context, search, prompt, cost."""
    view = build_view(trace)
    parts = [*_head(view), *_outcome(view), *_answer(view)]
    if trace.context is not None:
        parts += _scope(view, trace.context)
    parts += [*_entry_points(view), *_prompt(view), *_cost(view)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _code(text: str) -> str:
    """The text as a code span on one line, with a fence longer than any run of backticks in it."""
    shown = visible(text.replace("\n", " ⏎ ").replace("\t", " "))
    if not shown.strip():
        return "(empty)"
    fence = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    pad = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def _codes(texts: Iterable[str]) -> str:
    return ", ".join(_code(text) for text in texts)


def _fence(text: str, *, wrap: bool = True) -> str:
    """The text as a fenced block, with a fence longer than any run of backticks in it."""
    shown = visible(text)
    if wrap:
        shown = "\n".join(_wrapped(line) for line in shown.split("\n"))
    fence = "`" * max(3, max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    return f"{fence}text\n{shown}\n{fence}"


def _wrapped(line: str) -> str:
    if len(line) <= WIDTH:
        return line
    kept = textwrap.wrap(
        line, WIDTH, expand_tabs=False, replace_whitespace=False, break_on_hyphens=False, drop_whitespace=True
    )
    return "\n".join(kept) or line


def _head(view: View) -> list[str]:
    trace = view.trace
    facts = [
        f"law as of {trace.at_date}",
        f"jurisdictions: {_codes(trace.jurisdictions) or 'none named'}",
        f"request {_code(trace.request)}, status {_code(trace.status)}, made at {trace.created_at.isoformat()}",
        f"language {_code(trace.language)}",
        f"provider {_code(trace.provider)}, model {_code(trace.model)}, judge {_code(trace.judge)}",
        f"Lexscope {_code(trace.lexscope)}, trace {_code(trace.id)} ({trace.privacy}, format {trace.version})",
        f"digest of the context: {_code(trace.context.digest) if trace.context else 'none'}",
        f"digest of the prompt: {_code(trace.prompt_digest) if trace.prompt_digest else 'none'}",
        f"repair of failed claims: {_code(trace.repair)}"
        + (f", digest of its prompt: {_code(trace.repair_digest)}" if trace.repair_digest else ""),
        f"digest of the scenario: {_code(trace.scenario_sha256)}",
    ]
    if view.held:
        banner = f"**Confidential.** This file holds {join_words(view.held)}."
    else:
        banner = f"**Redacted.** This file does not hold {join_words(view.left_out)}."
    if trace.context and trace.context.how_read:
        facts.append(trace.context.how_read)
    checks = [f"{'holds' if check.holds else '**DOES NOT HOLD**'}: {check.words}" for check in view.checks]
    question = _fence(trace.scenario) if trace.scenario is not None else "Not kept; this trace holds its digest only."
    known = view.status_words if view.status_words != trace.status else "Unknown status"
    return [f"# Lexscope dump: {known}", f"> {banner}", "## Question", question, _bullets(facts), _bullets(checks)]


def _outcome(view: View) -> list[str]:
    trace, context = view.trace, view.trace.context
    halts = [override for override in context.overrides if override.action == "halt"] if context else []
    out = [_override(halt) for halt in halts]
    if trace.refusal_reason:
        out.append(f"Reason: {_code(trace.refusal_reason)}")
    if trace.refusal_message:
        out.append(_fence(trace.refusal_message))
    if context and context.message and context.message != trace.refusal_message:
        out.append(_fence(context.message))
    if view.advice:
        out.append(view.advice)
    if context and context.suggestions:
        out.append(f"Known nodes near it: {_codes(context.suggestions)}")
    title = "## What limits this answer" if trace.status in ("answered", "ok") else "## Why there is no answer"
    return [title, *out] if out else []


def _override(notice: OverrideNotice) -> str:
    since = f"effective from {notice.effective_from}" if notice.effective_from else "start not stated"
    until = f", no longer from {notice.effective_to}" if notice.effective_to else ""
    head = f"**{ACTION_WORDS[notice.action]}**: {_code(notice.status)} ({_code(notice.severity)}), {_code(notice.urn)}"
    lines = [
        f"court: {_code(notice.court)}, {_code(notice.court_citation)}",
        f"{since}{until}; pattern {_code(notice.urn_pattern)}",
        *([f"message: {_code(notice.message)}"] if notice.message else []),
    ]
    return f"{head}\n\n{_bullets(lines)}"


def _answer(view: View) -> list[str]:
    trace = view.trace
    out = ["## Answer", view.label]
    if trace.short_answer is not None:
        out += [_fence(trace.short_answer.text), f"rests on {_codes(trace.short_answer.rests_on)}"]
    if trace.places:
        title = "Places to look, best first:" if trace.status == "places" else "What came nearest:"
        out += [title, *_places(trace.places)]
    for kind, message, urn in view.told:
        out += [f"Warning {_code(kind)}" + (f", {_code(urn)}" if urn else ""), _fence(message)]
    out += [part for claim in view.served for part in _claim(claim)]
    if view.overridden:
        out.append(_overridden(view.overridden))
    if not view.served:
        out.append("No statement was served.")
    out.append("### Parts of the question left open")
    if trace.unanswered is None:
        out.append("Not kept.")
    else:
        out.append(_bullets(map(_code, trace.unanswered)) or "None named.")
    out += ["### Withheld statements", *(part for claim in view.withheld for part in _claim(claim))]
    return out if view.withheld else [*out, "None."]


def _places(places: Sequence[Place]) -> list[str]:
    out: list[str] = []
    for number, place in enumerate(places, start=1):
        told = [_code(text) for text in (place.citation, place.urn, place.heading, place.path, place.why) if text]
        out += [f"**{number}** {', '.join(told)}", _fence(place.sentence)]
        out += ["and says beside it:", _fence(place.rest)] if place.rest else []
    return out


def _claim(shown: ShownClaim) -> list[str]:
    claim = shown.claim
    unkept = "" if shown.own_words else "The statement's wording was not kept."
    wording = _fence(claim.text) if claim.text is not None else unkept
    reasons = [f"{_code(code)}{f' {sentence}' if sentence else ''}" for code, sentence in shown.reasons]
    if claim.rests_on:
        reasons.append(f"follows from {_codes(claim.rests_on)}")
    reasons += [f"as told: {_code(fact)}" for fact in claim.facts or []]
    for step in claim.computations or []:
        reasons.append(f"computed: {_code(step.operation)} of {_codes(step.inputs)} is {_code(step.result)}")
    name, verdict = _code(claim.id or str(shown.number)), _code(claim.verdict)
    title = f"**Statement {name}**: {_code(claim.kind)}, {_code(claim.level)} ({shown.level_words}), verdict {verdict}"
    return [title, wording, _bullets(reasons), *(part for exhibit in shown.exhibits for part in _exhibit(exhibit))]


def _exhibit(exhibit: Exhibit) -> list[str]:
    out: list[str] = []
    for quote in (*exhibit.quotes, *exhibit.loose):
        where = f"characters {quote.start} to {quote.end}"
        if quote in exhibit.loose:
            where += ": **not in this context**" if exhibit.block is None else ": **the quote does not stand there**"
        elif exhibit.block is not None:
            where += f" of {_code(exhibit.block.id)}, {force_words(exhibit.block)}"
        under = f" {_code(quote.heading)}" if quote.heading else ""
        out += [f"Quote from {_code(exhibit.urn)}{under}, {where}", _fence(quote.quote)]
    return out


def _scope(view: View, context: ScopedContext) -> list[str]:
    overrides = [_override(override) for override in context.overrides]
    warnings = [
        f"{_code(warning.kind)} {_code(warning.message)}{f' ({_code(warning.urn)})' if warning.urn else ''}"
        for warning in context.warnings
    ]
    under = f", assembled under trace {_code(context.trace_id)}" if context.trace_id else ""
    out = ["## Overrides", *(overrides or ["No override touches this context."])]
    out += ["### Warnings", _bullets(warnings) or "None.", "## Scoped context"]
    out.append(f"Status {_code(context.status)}, law as of {context.at_date}{under}.")
    out.append(f"Rules in question: {_codes(context.targets)}")
    out.append(_fence("\n".join(_tree_line(item) for item in view.tree), wrap=False) if view.tree else "No blocks.")
    out += [part for item in view.tree for part in _block(item)]
    if context.prevails_over:
        out += ["## Prevails over", _overridden(context.prevails_over)]
    out += ["## Definitions", *(_definitions(context) or ["No definition is in scope."])]
    omitted = [f"{_code(omission.urn)}: {_code(omission.reason)}" for omission in context.omitted]
    return [*out, "## Omitted", _bullets(omitted) or "Nothing was left out."]


def _overridden(found: Sequence[PrevailsOver]) -> str:
    return _bullets(f"{_code(urn)} {_code(told)}" for urn, told in overridden_lines(found, cited_as).items())


def _tree_line(item: TreeItem) -> str:
    heading = " ".join(item.block.heading.split())
    return f"{'  ' * item.depth}{item.block.id} {item.block.role} {item.block.urn}{f'  {heading}' if heading else ''}"


def _block(item: TreeItem) -> list[str]:
    block = item.block
    lines = [
        f"{force_words(block)}; {_code(block.reason)}",
        f"applies to {_codes(block.applies_to) or 'no rule'}",
        *([f"stands under {_code(block.parent_urn)}"] if block.parent_urn else []),
    ]
    first, after = (*block.sides, "", "")[:2]
    parts = {
        "Lead-in, from the provisions above:": block.lead_in,
        "": first,
        "After its parts, which stand in blocks of their own:": after,
        "Words after the list:": block.flush,
    }
    shown = [f"{title}\n\n{_fence(text)}".strip() for title, text in parts.items() if text]
    title = f"### {_code(block.id)} {block.role}: {_code(block.urn)}"
    return [title, *([_code(block.heading)] if block.heading else []), _bullets(lines), *shown]


def _definitions(context: ScopedContext) -> list[str]:
    out: list[str] = []
    for definition in context.definitions:
        basis = "inferred from where it stands" if definition.inferred else "explicit"
        basis += f", {definition.doubt}" if definition.doubt else ""
        phrase = f": {_code(definition.phrase)}" if definition.phrase else ""
        lines = [
            f"definition that holds: {_code(definition.urn)} ({_code(definition.relation)})",
            f"scope: {_code(definition.scope_urn)}, {basis}{phrase}",
            f"applies to {_codes(definition.applies_to) or 'no rule'}",
            f"shadows {_codes(definition.shadows) or 'nothing'}",
            f"depth {definition.depth}: used by {'the rule itself' if definition.depth == 0 else 'another definition'}",
        ]
        out += [f"**Term** {_code(definition.term)}", _bullets(lines)]
    return out


def _entry_points(view: View) -> list[str]:
    trace = view.trace
    rows = [
        [
            str(rank),
            f"{point.score:.4f}",
            *(_score(point.legs.get(leg)) for leg in view.entry_legs),
            point.urn,
            point.hit_urn,
        ]
        for rank, point in enumerate(trace.entry_points, start=1)
    ]
    table = _table(["rank", "fused", *view.entry_legs, "rule", "found through"], rows)
    legs: list[str] = []
    for leg in view.legs:
        hits = [[str(rank), f"{hit.score:.4f}", hit.urn] for rank, hit in enumerate(trace.legs[leg], start=1)]
        legs += [f"### Leg {_code(leg)}", _table(["rank", "score", "node"], hits) if hits else "Found nothing."]
    if trace.synonyms is None:
        synonyms = "Not kept: they repeat words of the question."
    else:
        synonyms = _bullets(map(_code, trace.synonyms)) or "None."
    found = table if rows else "No search was made, or it found no candidate."
    return ["## Entry points", found, "### Synonyms used", synonyms, *legs]


def _score(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Aligned columns in a fence: readable on a terminal, and nothing in a cell can end it."""
    cells = [[visible(" ".join(cell.split()) or "-") for cell in row] for row in (head, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    return _fence("\n".join(lines), wrap=False)


def _prompt(view: View) -> list[str]:
    return ["## Prompt", view.prompt_note, _fence(view.prompt, wrap=False) if view.prompt is not None else ""]


def _cost(view: View) -> list[str]:
    stages = [[stage, f"{value:.1f}"] for stage, value in view.milliseconds]
    tokens = [[kind, str(count)] for kind, count in view.usage]
    out = [_table(["stage", "milliseconds"], stages)] if stages else []
    out += [_table(["kind", "tokens"], tokens)] if tokens else []
    return ["## Time and tokens", *(out or ["None recorded."])]


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


MAX_TRACE_BYTES = 256 * 1024 * 1024
MAX_TRACE_DEPTH = 32


def dump_json(trace: Trace) -> str:
    """The trace as JSON: keys sorted, indented by two, invisible characters as JSON escapes; ends with a line feed.

    Raises:
        InputError: the trace contradicts its own privacy setting, or holds a number that JSON does not have.
    """
    try:
        text = json.dumps(
            _checked(trace).model_dump(mode="json"), ensure_ascii=False, sort_keys=True, indent=2, allow_nan=False
        )
    except ValueError:
        raise InputError("The trace holds a score or a time that is not a finite number.") from None
    return json_escape_unseen(text) + "\n"


def load_trace(text: str) -> Trace:
    """The trace that `dump_json` was given.

    Raises:
        InputError: not JSON of the strict kind, not a trace, one of another version, or one that contradicts its own
            privacy setting. The message names places, never values.
    """
    try:
        value = parse_json(text, max_bytes=MAX_TRACE_BYTES, max_depth=MAX_TRACE_DEPTH)
    except JsonRefused as refused:
        raise InputError(f"This is no JSON dump of a trace: {refused.reason}.") from None
    if member(value, "version") != TRACE_VERSION:
        raise InputError(f"This is no JSON dump of a trace of version {TRACE_VERSION}, which this program reads.")
    trace, where = None, ""
    try:
        trace = Trace.model_validate(value)
    except ValidationError as error:
        # Only the contract's own field names may be repeated; a key of the file can be anybody's words.
        known = [
            str(part) for problem in error.errors(include_input=False) for part in problem["loc"][:1] if _is_field(part)
        ]
        where = f" See {', '.join(dict.fromkeys(known))}." if known else ""
    # Raised outside the handler: the validator's exception carries the values it refused.
    if trace is None:
        raise InputError(f"This is no JSON dump of a trace: fields are missing, unknown or unusable.{where}")
    return _checked(trace)


def dump_html(trace: Trace) -> str:
    """The trace as one self-contained HTML document without scripts or remote assets.

    Raises:
        InputError: the trace contradicts its own privacy setting.
    """
    return render_html(_checked(trace))


def dump_markdown(trace: Trace) -> str:
    """The trace as Markdown, readable on a terminal too; long lines are wrapped.

    Raises:
        InputError: the trace contradicts its own privacy setting.
    """
    return render_markdown(_checked(trace))


FORMATS: dict[str, Callable[[Trace], str]] = {".json": dump_json, ".md": dump_markdown, ".html": dump_html}


def write_dump(trace: Trace, path: Path) -> None:
    """Write a dump in the format that the file's suffix names, readable and writable by its owner only.

    The file appears whole or not at all; one that is there is replaced, and a symbolic link is replaced itself,
    never followed.

    Args:
        trace: what to write; as it is, so redact it first where that is wanted.
        path: `.json`, `.md` or `.html`; its folder must exist.

    Raises:
        InputError: another suffix, a file that cannot be written, or a trace that cannot be dumped.
    """
    render = FORMATS.get(path.suffix.lower())
    if render is None:
        raise InputError(f"A dump's file name ends in {', '.join(FORMATS)}; this one does not.")
    data = render(trace).encode()
    try:
        # Made anew with mode 0600 in the same folder, so that there is no moment at which others may read it.
        handle, name = tempfile.mkstemp(prefix=".lexscope-", suffix=".tmp", dir=path.parent)
    except OSError as error:
        raise _unwritable(error) from None
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise _unwritable(error) from None
    finally:
        temporary.unlink(missing_ok=True)


def _unwritable(error: OSError) -> InputError:
    return InputError(f"The dump cannot be written there: {os.strerror(error.errno or 0)}.")


def _is_field(part: int | str) -> bool:
    return part in Trace.model_fields


def _checked(trace: Trace) -> Trace:
    """The trace, if what it holds agrees with what it says that it holds."""
    if trace.privacy not in ("full", "redacted"):
        raise InputError("A trace's privacy is full or redacted; this one's is neither.")
    kept = (
        trace.scenario,
        trace.synonyms,
        trace.unanswered,
        trace.prompt,
        trace.short_answer,
        *(kept for statement in trace.statements for kept in (statement.text, statement.facts, statement.computations)),
        *(place.why or None for place in trace.places),
    )
    words = [warning for warning in trace.told if warning.message and warning.kind not in WITHOUT_USERS_WORDS]
    if trace.privacy == "redacted" and (words or any(text is not None for text in kept)):
        raise InputError("The trace says that it is redacted but holds the user's or the model's words.")
    return trace
