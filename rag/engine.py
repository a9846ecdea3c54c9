"""The pipeline on one screen.

    question -> entry points -> scoped context C(R) -> prompt -> draft -> verification -> answer
                (retrieval, in one read-only snapshot)      (provider)  (pure code)

Every step hands the next a typed value. A refusal, a halt and "not found" are values; failures are exceptions of
one tree, and become an answer of status `failed` where the context still stands.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self, Unpack

from rag import clock, requests
from rag.jurisdictions.grammars import GRAMMARS
from rag.models.choice import embedder_of, judge_of, law_reader_of, model_of, reranking_of, rewriter_of
from rag.settings import Settings, load_settings
from rag.store.database import Database
from rag.store.schema import check_schema
from rag.store.starter import set_up_store
from retrieval.errors import InputError, ProviderError, ProviderRejected, ProviderTimeout, StoreError
from retrieval.languages import checked_language
from retrieval.model import ContextWarning, ScopedContext
from retrieval.nodes import NodeVersion, stored_jurisdictions
from retrieval.paths import is_urn
from retrieval.standing import gone, gone_since

# What only some requests need is imported by them: a search must not load the parsers, nor `verify` the model's client.
if TYPE_CHECKING:
    from rag.answering.answer import Answer, Place, Refusal
    from rag.answering.follow_up import Kept
    from rag.answering.run import Limits, Run
    from rag.citecheck.run import CiteCheck
    from rag.documents.reading import Documents
    from rag.ingest.formats.base import Format
    from rag.ingest.pipeline import IngestReport, Progress
    from rag.ingest.read_laws import LawReadingReport
    from rag.models.drafting import LanguageModel
    from rag.models.law_reading import LawReader
    from rag.models.rewriting import Rewriter
    from rag.references import References
    from rag.searching import Searching
    from rag.telemetry.quality.debrief import Quality
    from rag.telemetry.trace import Trace
    from rag.verification.judging import Judge
    from retrieval.context.diff import ContextDiff
    from retrieval.entry_points.reranking import Reranking
    from retrieval.providers.embedding import Embedder

logger = logging.getLogger(__name__)

MOST_PLACES = 3
_BY_SEARCH = (
    "No provision is named: the search chose the rules, and it is not clear that they are what the words are about. "
    "Name the provision, or read them as places to look."
)


class Engine:
    """The door to a store: ingest, search, context, ask. Thread-safe; use as a context manager or call `close`.

    No request leaves anything behind on it. What needs no pipeline is a part of its own, whose methods stand here too.
    """

    def __init__(
        self,
        database: Database,
        settings: Settings,
        *,
        model: LanguageModel | None = None,
        judge: Judge | None = None,
        embedder: Embedder | None = None,
        reranking: Reranking | None = None,
        rewriter: Rewriter | None = None,
    ) -> None:
        self.database = database
        self.settings = settings
        self.model = model
        self.judge = judge
        self.embedder = embedder
        self.rewriter = rewriter
        self.reranking = reranking

    @classmethod
    def open(cls, settings: Settings | None = None) -> Self:
        """Open the store that the settings name, and the providers they configure.

        The embedded server's schema is brought up to date; an external one's is checked only.

        Raises:
            ConfigurationError: a setting cannot be used.
            StoreUnavailable: the server cannot be reached or started.
            SchemaMismatch: an external store needs `lexscope init`.
        """
        settings = settings or load_settings()
        model = model_of(settings)
        judge = judge_of(settings, model)
        embedder, reranking, rewriter = embedder_of(settings), reranking_of(settings), rewriter_of(settings, model)
        database = Database(settings).__enter__()
        try:
            set_up_store(database) if database.embedded else check_schema(database)
        except BaseException:
            database.close()
            raise
        return cls(
            database, settings, model=model, judge=judge, embedder=embedder, reranking=reranking, rewriter=rewriter
        )

    def using(
        self,
        *,
        settings: Settings | None = None,
        model: LanguageModel | None = None,
        judge: Judge | None = None,
        embedder: Embedder | None = None,
        reranking: Reranking | None = None,
        rewriter: Rewriter | None = None,
    ) -> Engine:
        """An engine over the same open store with other settings or providers; the first one still closes the store."""
        return type(self)(
            self.database, settings or self.settings, model=model or self.model, judge=judge or self.judge,
            embedder=embedder or self.embedder, reranking=reranking or self.reranking,
            rewriter=rewriter or self.rewriter,
        )  # fmt: skip

    def close(self) -> None:
        """Give back connections and the embedded server."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # --- parts ------------------------------------------------------------------------------------------------------

    @cached_property
    def searching(self) -> Searching:
        """Searching the store, and listing what it holds."""
        from rag.searching import Searching
        from retrieval.entry_points.reranking import NO_RERANKING

        return Searching(self.database, self.settings, self.embedder, self.reranking or NO_RERANKING)

    @cached_property
    def references(self) -> References:
        """What the store says of what people cite."""
        from rag.references import References

        return References(self.database)

    @cached_property
    def documents(self) -> Documents:
        """Reading the law itself."""
        from rag.documents.reading import Documents

        return Documents(self.database)

    @cached_property
    def citecheck(self) -> CiteCheck:
        """Checking any text against the store."""
        from rag.citecheck.run import CiteCheck

        return CiteCheck(self.database, self.settings, self.judge)

    @cached_property
    def quality(self) -> Quality:
        """Guidelines, and the records of research."""
        from rag.telemetry.quality.debrief import Quality

        return Quality(self.database, self.settings)

    # The methods of the parts that load with their first use are the engine's too; each describes itself.

    @property
    def search(self):  # noqa: D102
        return self.searching.search

    @property
    def browse_structure(self):  # noqa: D102
        return self.searching.browse_structure

    @property
    def list_documents(self):  # noqa: D102
        return self.searching.list_documents

    @property
    def resolve(self):  # noqa: D102
        return self.references.resolve

    @property
    def resolve_many(self):  # noqa: D102
        return self.references.resolve_many

    @property
    def resolve_case(self):  # noqa: D102
        return self.references.resolve_case

    @property
    def edges(self):  # noqa: D102
        return self.references.edges

    @property
    def document(self):  # noqa: D102
        return self.documents.document

    @property
    def verify(self):  # noqa: D102
        return self.citecheck.verify

    @property
    def guidelines(self):  # noqa: D102
        return self.quality.guidelines

    @property
    def quality_check(self):  # noqa: D102
        return self.quality.check

    # --- ingest ---------------------------------------------------------------------------------------------------

    def ingest(
        self,
        paths: Path | str | Iterable[Path | str],
        *,
        effective: date | None = None,
        only: Format | None = None,
        jurisdiction: str | None = None,
        language: str | None = None,
        tags: Mapping[str, str] | None = None,
        report: Callable[[Progress], None] | None = None,
        jobs: int = 1,
        embed: bool = False,
        again: bool = False,
    ) -> IngestReport:
        """Bring the store to what files or folders say; see `rag.ingest.pipeline.ingest`. One path alone may be given.

        With a jurisdiction (and a language, by default that jurisdiction's) plain documents are taken too, with `tags`
        such as `{"type": "lease"}` beside those of their front matter and of `NAME.meta.json`. Vectors
        are made by `embed` afterwards, or here where `embed` is set. `again` reads unchanged files too.
        """
        from rag.ingest.formats.plain.source import place_named
        from rag.ingest.pipeline import ingest

        # A text is a sequence of texts, and its first one could be the root of the file system.
        named = [Path(paths)] if isinstance(paths, (str, Path)) else [Path(path) for path in paths]
        return ingest(
            self.database.on_primary(), named, today=clock.today(), effective=effective,
            only=only, place=place_named(jurisdiction, language, tags), embedder=self.embedder if embed else None,
            reader=law_reader_of(self.settings, self.model) if self.settings.read_at_ingest else None, report=report,
            jobs=jobs, again=again,
        )  # fmt: skip

    def read_law(
        self,
        document: str | None = None,
        *,
        jurisdiction: str | None = None,
        limit: int | None = None,
        again: bool = False,
        dry_run: bool = False,
        reader: LawReader | None = None,
        planned: Callable[[LawReadingReport], None] | None = None,
        report: Callable[[Progress], None] | None = None,
    ) -> LawReadingReport:
        """Have a language model read laws of the store, and add what it read to their contexts, marked.

        Args:
            document: URN of a document or of a corpus; all where it does not say.
            jurisdiction: of the store, with its subdivisions, such as `us`; all where it does not say.
            limit: the most windows that are read; a document is read whole.
            again: read what was read before too, as with another model.
            dry_run: only say what it would take.
            reader: who reads; the model that the settings configure where it does not say.
            planned: told what it will take before anything is read.
            report: called before each step that may take long.

        Raises:
            ConfigurationError: no model is configured.
            InputError: there is no such document or jurisdiction.
            ProviderError: no usable reply came; what was read stays, and the next call goes on from there.
        """
        from rag.ingest.read_laws import plan_reading, read_laws, told_plan

        database = self.database.on_primary()
        if not dry_run and reader is None:
            reader = law_reader_of(self.settings, self.model)
        work = plan_reading(
            database, jurisdiction=jurisdiction, document=document, limit=limit, again=again, report=report
        )
        plan = told_plan(work)
        if planned is not None:
            planned(plan)
        if reader is None:
            return plan
        return read_laws(database, reader, work, today=clock.today(), again=again, report=report)

    # --- entry points -> scoped context -----------------------------------------------------------------------------

    def context(
        self,
        reference: str,
        *,
        jurisdiction: str | None = None,
        language: str | None = None,
        at_date: date | str | None = None,
        rules: int | None = None,
        terms: Sequence[str] | None = None,
    ) -> ScopedContext:
        """C(R) for a URN, a reference or a question. The same store, request and date give the same digest.

        `terms` are those of `ask`.

        Raises:
            InputError: the request cannot be used.
            StoreError: the store failed; never shown as "no such law".
        """
        return self.traced_context(
            reference, jurisdiction=jurisdiction, language=language, at_date=at_date, rules=rules, terms=terms
        )[0]

    def traced_context(
        self, reference: str, *, jurisdiction: str | None = None, **limits: Unpack[Limits]
    ) -> tuple[ScopedContext, Trace]:
        """The same as `context`, with the whole trace of the request, the user's words included."""
        from retrieval.entry_points.finding import is_clear

        run = self._run("context", reference, jurisdiction, **limits)
        context = self._assemble(run)
        trace, untold = self._record(run, context.status, None)
        # How the words of a reference were read; what is to be said of a search is said with its results.
        read = [ContextWarning(kind="search", message=said) for said in run.found.warnings if not run.found.points]
        points, unsure = run.found.points, list[ContextWarning]()
        if points and "citation" not in points[0].legs and not is_clear(run.found):
            unsure = [ContextWarning(kind="weak_match", message=_BY_SEARCH)]
        told = {
            "warnings": [*context.warnings, *read, *unsure, *untold],
            "trace_id": run.trace_id if run.kept else None,
        }
        return context.model_copy(update=told), trace

    def places(
        self,
        question: str,
        *,
        jurisdiction: str | None = None,
        language: str | None = None,
        at_date: date | str | None = None,
        terms: Sequence[str] | None = None,
    ) -> tuple[ScopedContext, list[Place]]:
        """The best rules for a question, three at most, each with its operative sentence, and their context.

        Nothing is drafted, and no trace is kept. `terms` are those of `ask`.

        Raises:
            InputError: the request cannot be used.
            StoreError: the store failed.
        """
        run = self._run("search", question, jurisdiction, language=language, at_date=at_date, terms=terms)
        return self._find_places(run, self._assemble(run)), run.places

    def diff(self, reference: str, from_date: date | str, to_date: date | str) -> ContextDiff:
        """C(R) of a URN or certain reference at two dates, the earlier first; see `compare_dates`."""
        from retrieval.context.diff import compare_dates

        first, second = _checked_dates(from_date, to_date)
        with self.database.read() as conn:
            return compare_dates(conn, GRAMMARS, reference, first, second, today=clock.today())

    # --- scoped context -> answer -----------------------------------------------------------------------------------

    def ask(
        self,
        question: str,
        *,
        jurisdiction: str | Sequence[str] | None = None,
        language: str | None = None,
        at_date: date | str | None = None,
        rules: int | None = None,
        follow_up: str | None = None,
        terms: Sequence[str] | None = None,
    ) -> Answer:
        """A verified answer to a scenario, or a refusal, a halt or an honest failure.

        Several jurisdictions are asked side by side: each answers from its own law alone, in `parts`. Those of which
        the store has no law are left out, and a warning names them. With the `follow_up` of an earlier answer, or the
        id of its stored trace, the question is asked of that answer's rules at its date, whatever else the words would
        find.

        `terms` name the matter as a statute in the language of the law would (`security deposit`, `lien for rent`),
        eight at most; they are searched for beside the question and reach no prompt. Without them the rewriter of the
        settings names some, where there is one.

        Raises:
            InputError: the request cannot be used.
            StoreError: the store failed before a context stood.
        """
        return self.traced_asks(
            question, jurisdiction=jurisdiction, language=language, at_date=at_date, rules=rules, follow_up=follow_up,
            terms=terms,
        )[0]  # fmt: skip

    def traced_asks(
        self,
        question: str,
        *,
        jurisdiction: str | Sequence[str] | None = None,
        follow_up: str | None = None,
        **limits: Unpack[Limits],
    ) -> tuple[Answer, dict[str, Trace]]:
        """The same as `ask`, with the trace of each jurisdiction; of one that was asked alone under an empty name."""
        from rag.answering.run import jurisdictions_asked, kept_of_parts, left_by_store, side_by_side

        codes, absent = jurisdictions_asked(jurisdiction), list[str]()
        if follow_up is None and len(codes) > 1:
            with self.database.read() as conn:
                codes, absent = left_by_store(codes, stored_jurisdictions(conn))
        asked: list[tuple[str | None, Kept | None]] = [(code, None) for code in codes]
        if follow_up is not None:
            kept_alone = self._kept_alone(follow_up, jurisdiction, limits)
            asked = [(kept.place or None, kept) for kept in kept_alone]
        if len(asked) == 1:
            [(code, kept)] = asked
            answer, trace = self._asked(self._run("ask", question, code, earlier=kept, absent=absent, **limits))
            return answer, {"": trace}
        answers: dict[str, Answer] = {}
        traces: dict[str, Trace] = {}
        beside = [code for code, _ in asked if code]
        end = time.monotonic() + self.settings.request_seconds
        for position, (code, kept) in enumerate(asked):
            seconds = max((end - time.monotonic()) / (len(asked) - position), 0.001)  # one deadline for all of them
            part = self.using(settings=self.settings.model_copy(update={"request_seconds": seconds}))
            run = part._run("ask", question, code, earlier=kept, beside=beside, absent=absent, **limits)
            run.before = kept_of_parts(answers)
            answers[code or ""], traces[code or ""] = part._asked(run)
        return side_by_side(answers), traces

    def traced_ask(
        self, question: str, *, jurisdiction: str | None = None, **limits: Unpack[Limits]
    ) -> tuple[Answer, Trace]:
        """The same as `ask` of one jurisdiction, with the whole trace of the request, the user's words included."""
        return self._asked(self._run("ask", question, jurisdiction, **limits))

    def _asked(self, run: Run) -> tuple[Answer, Trace]:
        from rag.answering.answer import REFUSALS, Refusal
        from rag.answering.earlier_law import with_other_days
        from rag.answering.refusals import in_its_language
        from rag.answering.run import answer_of

        context = self._assemble(run)
        refusal: Refusal | None
        if context.status == "ok":
            refusal = self._draft_and_verify(run, context) or self._overridden_since(run, context)
            refusal = with_other_days(self.database, run, refusal)
            context = run.context or context
        else:
            refusal = Refusal(reason=REFUSALS[context.status], message=context.message)
        if refusal is not None or run.doubt(self.model):
            self._find_places(run, context)
        refusal = in_its_language(refusal, run.scenario, run.filters.language if run.filters else "")
        if run.leaves_places(refusal, self.model):
            refusal = None
        answer = answer_of(run, context, refusal, self.model)
        if run.earlier is not None and (told := run.earlier.told(context, refusal)):
            answer = answer.model_copy(update={"warnings": [*answer.warnings, *told]})
        trace, untold = self._record(run, answer.status, refusal)
        if untold:
            answer = answer.model_copy(update={"warnings": [*answer.warnings, *untold], "trace_id": None})
        self.quality.record_ask(answer, list(run.filters.jurisdictions) if run.filters else [])
        return answer, trace

    def _draft_and_verify(self, run: Run, context: ScopedContext) -> Refusal | None:
        """Returns why there is no answer; None where there is one."""
        from rag.answering.answer import Refusal
        from rag.answering.prompts import build_prompt
        from rag.answering.run import INSUFFICIENT
        from rag.answering.synthesis import synthesise

        language = run.filters.language if run.filters else "en"
        if run.rules and all(gone(rule) for rule in run.rules):
            said = " ".join(gone_since(rule.urn, rule) for rule in run.rules)
            return Refusal(reason="not_in_force", message=f"{said} The store has no text of it that is law.")
        if not context.allow_list:
            return Refusal(reason="insufficient_context", message=INSUFFICIENT)
        run.prompt = build_prompt(context, run.scenario, language=language)
        since = time.perf_counter()
        try:
            run.synthesis = synthesise(
                self.model, context, run.scenario, run.prompt, run.found.synonyms, run.found.rarity, language=language,
                deadline_seconds=self.settings.request_seconds, unknown=run.found.unknown, judge=self.judge,
                matter=run.found.matter, any_rule=not run.found.points,  # it names its rules, none before another
                meaning=run.found.meaning,
            )  # fmt: skip
        except ProviderTimeout as error:
            return Refusal(reason="provider_timeout", message=f"No answer: {error.message}. The context stands.")
        except ProviderRejected as error:
            return Refusal(reason="provider_rejected", message=f"No answer: {error.message}. The context stands.")
        except ProviderError as error:
            return Refusal(reason="provider_error", message=f"No answer: {error.message}. The context stands.")
        finally:
            run.timed("synthesis", since)
        if run.synthesis.declined:
            message = "The model declined to draft an answer. That says nothing about the law; the context stands."
            return Refusal(reason="model_declined", message=message)
        if run.synthesis.statements:
            return None
        if run.synthesis.withheld:
            codes = ", ".join(dict.fromkeys(code for withheld in run.synthesis.withheld for code in withheld.reasons))
            message = f"No statement of the draft passed verification, so none is shown ({codes})."
            return Refusal(reason="nothing_verified", message=message)
        return Refusal(reason="insufficient_context", message=INSUFFICIENT)

    def _overridden_since(self, run: Run, context: ScopedContext) -> Refusal | None:
        """Why what was drafted may not be served: a court acted meanwhile. Read in a snapshot of its own."""
        if self.model is None and self.judge is None:
            return None  # code alone takes no longer than this look
        from rag.answering.answer import Refusal
        from retrieval.context.compose import assemble_read

        with self.database.read() as conn:
            now = assemble_read(
                conn, GRAMMARS, run.rules, run.at_date, jurisdictions=stored_jurisdictions(conn),
                budget_tokens=self.settings.context_tokens, asked=run.asked,
            )  # fmt: skip
        if (now.status, now.overrides) == (context.status, context.overrides):
            return None
        run.context, run.synthesis = now, None
        message = now.message or (
            "A court's override of law in this context was recorded while the answer was drafted. Ask again."
        )
        return Refusal(reason="legal_override", message=message)

    def _find_places(self, run: Run, context: ScopedContext) -> ScopedContext:
        """The rules to look at, where a context stands; the context that has them."""
        if context.status != "ok":
            return context
        from rag.answering.extractive.candour import places_match
        from rag.answering.extractive.places import likeness_to, places_of, shares
        from retrieval.context.compose import assemble_read

        others = [point.rule for point in run.found.points[:MOST_PLACES]]
        if len(others) > len(context.targets):
            # An answer rests on the rules that come near the best; a list shows the next ones too.
            with self.database.read() as conn:
                context = assemble_read(
                    conn, GRAMMARS, others, run.at_date, jurisdictions=run.jurisdictions,
                    budget_tokens=self.settings.context_tokens, asked=run.asked,
                )  # fmt: skip
        language = run.filters.language if run.filters else "en"
        asked = "\n".join([run.scenario, *run.found.terms])
        likeness = likeness_to(run.vector.for_law(language, "hybrid"), self.embedder, language)
        run.places = places_of(
            context, asked, run.found.synonyms, run.found.rarity, language, likeness, asked_on=run.earlier is not None
        )
        run.place_goes_on = bool(run.places) and run.earlier is not None and shares(run.places[0])
        if run.places and run.found.rarity is not None:
            run.place_has_all, run.places_lack = places_match(
                run.found.matter.strip() or run.scenario, run.found.synonyms, run.found.rarity, run.found.unknown,
                language, run.places,
            )  # fmt: skip
        return context

    def _run(
        self, request: str, text: str, jurisdiction: str | None, *, language: str | None = None,
        at_date: date | str | None = None, rules: int | None = None, terms: Sequence[str] | None = None,
        earlier: Kept | None = None, beside: Sequence[str] = (), absent: Sequence[str] = (),
    ) -> Run:  # fmt: skip
        """A checked request.

        Raises:
            InputError: the text or the date cannot be used.
        """
        from rag.answering.run import Run

        day = earlier.at_date if earlier else at_date
        return Run(
            request, requests.checked_question(text), requests.checked_date(day), day is not None, jurisdiction,
            language, rules, terms, earlier, beside, absent, kept=self.settings.traces != "off",
        )  # fmt: skip

    def _kept_alone(self, given: str, jurisdiction: str | Sequence[str] | None, limits: Limits) -> list[Kept]:
        """What a token or the trace of an answer keeps, where nothing beside it says otherwise.

        Raises:
            InputError: it is neither, or a jurisdiction, a language or another date is given beside it.
        """
        from rag.answering.follow_up import kept_in, kept_of
        from rag.telemetry.store import stored_trace
        from rag.telemetry.trace import TRACE_ID

        if TRACE_ID.fullmatch(given.strip()):
            trace = stored_trace(self.database, given.strip())
            found = kept_of(trace.context, trace.language) if trace.context is not None else None
            if found is None:
                raise InputError("The answer of this trace stands on no rule to ask on about; ask anew.")
            kept = [found]
        else:
            kept = kept_in(given)
        at_date, language = limits.get("at_date"), checked_language(limits.get("language"))
        if (
            (jurisdiction and not all(one.lies_in(jurisdiction) for one in kept))
            or (language and any(language != one.language for one in kept))
            or (at_date and any(requests.checked_date(at_date) != one.at_date for one in kept))
        ):
            raise InputError(
                "A follow-up keeps the law, the language and the date of the first answer: leave these out, or ask "
                "anew."
            )
        return kept

    # --- steps ------------------------------------------------------------------------------------------------------

    def _assemble(self, run: Run) -> ScopedContext:
        """Everything that reads the store, in one snapshot."""
        from retrieval.context.compose import assemble_read
        from retrieval.entry_points.finding import embedding_of, find_rules, rules_kept
        from retrieval.entry_points.sources import excluded_context, left_beside, left_by_exclusion, sources_and_vectors

        embedded, terms, untold = None, list[str](), list[str]()
        kept = run.earlier
        by_model = run.request == "ask" and self.model is not None
        rules = run.most_rules or (self.settings.model_rules if by_model else self.settings.rules)
        if kept is None:
            terms, untold = self._rewritten(run)
            embedded = embedding_of(self.database, self.embedder, run.scenario, "hybrid", terms)
        since = time.perf_counter()
        with self.database.read() as conn:
            sources, vectors = sources_and_vectors(conn)
            run.vector = embedded(vectors) if embedded else run.vector
            among, named = left_by_exclusion(sources, run.jurisdiction) if kept is None else (sources, None)
            among = left_beside(among, named, run.beside)
            searcher = self.searching.searcher(run.beside)
            if kept is not None:
                found = rules_kept(conn, searcher, run.scenario, run.at_date, kept.rules, kept.language)
            else:
                found = find_rules(
                    conn, searcher, run.scenario, run.at_date, among, run.vector, jurisdiction=named,
                    language=run.language, rules=rules, candidates=self.settings.candidates, terms=terms,
                    day_given=run.day_given,
                )  # fmt: skip
            found.points.warnings += untold
            run.found, run.filters, run.at_date = found.points, found.filters, found.filters.at_date
            run.timed("entry_points", since)
            since = time.perf_counter()
            # What is repealed answers nothing; it is shown where nothing else was named or found.
            targets = [target for target in found.targets if not gone(target)] or found.targets
            run.found.warnings += [gone_since(target.urn, target) for target in found.targets if target not in targets]
            missing = found.missing or excluded_context(targets, among, run.at_date)
            if missing is not None:
                run.context = missing
                return missing
            run.jurisdictions = sorted({source.jurisdiction for source in sources})
            budget = self.settings.context_tokens

            def assembled(targets: Sequence[NodeVersion]) -> ScopedContext:
                # Further rules are company for those before them, whose needs come first.
                return assemble_read(
                    conn, GRAMMARS, targets, run.at_date,
                    jurisdictions=run.jurisdictions, budget_tokens=budget, asked=found.asked, first_whole=True,
                )  # fmt: skip

            context = assembled(targets)
            # Where courts struck down all of the nearest rules, and none is asked about, the next ones answer.
            while context.status == "insufficient" and (more := found.after(targets, rules)):
                targets = [*targets, *more]
                context = assembled(targets)
            out = {override.urn for override in context.overrides if override.action == "left_out"}
            targets = [target for target in targets if target.urn in out or target.urn in context.targets]
            run.rules, run.asked, run.context = targets, found.asked, _with_doubtful_sources(context)
            run.timed("context", since)
        return run.context

    def _rewritten(self, run: Run) -> tuple[list[str], list[str]]:
        """Statutory terms named with a question, else by a model, and why none came; asked outside any snapshot."""
        if is_urn(run.scenario) or (self.rewriter is None and not run.named_terms):
            return [], []
        from rag.models.rewriting import MAX_TERM, MOST_TERMS, rewritten, usable_terms
        from retrieval.entry_points.finding import filters_of
        from retrieval.entry_points.sources import left_by_exclusion, stored_sources

        if run.named_terms:
            terms = usable_terms(run.named_terms)
            left = len(set(run.named_terms)) - len(terms)
            told = (
                f"terms: {left} not searched for; {MOST_TERMS} at most are, of words, up to {MAX_TERM} characters each"
            )
            return terms, [told] if left else []

        try:
            with self.database.read() as conn:
                among, named = left_by_exclusion(stored_sources(conn), run.jurisdiction)
                searcher, language = self.searching.searcher(), checked_language(run.language)
                filters, _ = filters_of(conn, searcher, run.scenario, run.at_date, among, named, language)
        except InputError:
            return [], []  # the search itself says what is wrong
        return rewritten(self.rewriter, run.scenario, filters.language)

    def _record(self, run: Run, status: str, refusal: Refusal | None) -> tuple[Trace, list[ContextWarning]]:
        """Write the trace once, after the snapshot ended; a store that is away costs it, and a warning says so."""
        from rag.telemetry.store import record_trace
        from rag.telemetry.trace import trace_of

        trace = trace_of(run, status, refusal, self.model)
        try:
            run.kept = record_trace(self.database, trace, self.settings.traces)
        except StoreError as error:
            logger.warning("trace not stored: %s", error.code)
            run.kept = False
            return trace, [ContextWarning(kind="trace", message=f"No trace of this request is stored. {error.message}")]
        return trace, []


def _with_doubtful_sources(context: ScopedContext) -> ScopedContext:
    """A context that says which of its provisions speak to a language model. Its digest is of the law alone."""
    from rag.law.machine_orders import orders_machines

    found = [
        ContextWarning(
            kind="doubtful_source",
            message=f"The text of {block.urn} speaks to a language model; it is shown as text. Check its source.",
            urn=block.urn,
        )
        for block in context.blocks
        if any(orders_machines(text) for text in (block.heading, block.lead_in, block.text, block.flush) if text)
    ]
    return context.model_copy(update={"warnings": [*context.warnings, *dict.fromkeys(found)]}) if found else context


def _checked_dates(from_date: date | str, to_date: date | str) -> tuple[date, date]:
    """Two dates to compare, the earlier one first.

    They are not put in order silently: "added" would then be what the caller means by removed.

    Raises:
        InputError: one is not a date, or the first is not before the second.
    """
    first, second = _day("from", from_date), _day("to", to_date)
    if first == second:
        raise InputError("The two dates are the same. Give two different ones (--from, --to).")
    if first > second:
        raise InputError("The date to compare from is later than the date to compare to. Exchange --from and --to.")
    return first, second


def _day(name: str, value: date | str) -> date:
    try:
        return requests.checked_date(value)
    except InputError as error:
        raise InputError(f"--{name}: {error.message}") from None
