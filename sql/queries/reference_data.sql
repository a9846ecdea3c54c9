-- Statements of rag/reference_data.py: synonyms, overrides, preemption. Small, rarely written, reviewed by people.

-- name: find_synonyms
-- Recorded phrases among the runs of a question's words, compared by stem: place of the run's first word from 0, words.
-- In languages that write compounds as one word, the end of a word is looked up too: a "Hotelzimmer" is a "Zimmer". And
-- two words that stand apart or turned round: a separable verb parts in the sentence.
with recursive asked as (
    select w.position::integer - 1 as place,
        coalesce((ts_lexize(%(dictionary)s::regdictionary, lex_unaccent(w.word)))[1], lex_unaccent(w.word)) as stem
    from unnest(%(words)s::text[]) with ordinality as w (word, position)
), runs as (
    select a.place as first, 1 as size, a.stem as key from asked a
    union all
    select r.first, r.size + 1, r.key || ' ' || a.stem
    from runs r join asked a on a.place = r.first + r.size
    where r.size < %(longest)s
), looked_up as (
    select first, size, key, 0 as cut, false as apart from runs
    union all
    select least(a.place, b.place), abs(a.place - b.place) + 1, a.stem || ' ' || b.stem, 0, true
    from asked a cross join generate_series(1 - %(apart)s::integer, %(apart)s::integer - 1) as distance
    join asked b on b.place = a.place + distance
    where distance not in (0, 1)
    union all
    select a.place, 1, substr(a.stem, cut + 1), cut, false
    from asked a cross join lateral generate_series(3, char_length(a.stem) - %(shortest)s::integer) as cut
    where %(compounds)s::boolean and char_length(a.stem) <= 80
)
select r.first, r.size, r.cut, s.target, s.weight, s.jurisdiction, r.apart, s.phrase
from looked_up r
cross join lateral (
    select s.phrase, s.target, s.weight, s.jurisdiction from legal_synonyms s
    where s.phrase_key = r.key and s.language = %(language)s
        and (s.jurisdiction = '' or s.jurisdiction = any(%(jurisdictions)s))
    offset 0  -- keeps the planner, which expects thousands of word ends, from reading a language's whole thesaurus
) s
order by r.first, r.size, r.cut, s.target, s.jurisdiction, r.apart;

-- name: find_synonyms_inside
-- The same for languages without spaces: recorded phrases anywhere in the text, each at its first place.
select strpos(%(text)s, s.phrase_key) - 1 as first, char_length(s.phrase_key) as size, 0 as cut, s.target, s.weight,
    s.jurisdiction
from legal_synonyms s
where s.language = %(language)s and (s.jurisdiction = '' or s.jurisdiction = any(%(jurisdictions)s))
    and strpos(%(text)s, s.phrase_key) > 0
order by 1, 2, s.target, s.jurisdiction;

-- name: insert_synonyms
-- Keys are made as a question's words are: by the language's stemmer, or the words as they are where there is no dictionary.
insert into legal_synonyms (phrase, phrase_key, target, language, jurisdiction, weight)
select t.phrase,
    case when t.dictionary is null then t.words else (
        select string_agg(
            coalesce((ts_lexize(t.dictionary::regdictionary, lex_unaccent(w.word)))[1], lex_unaccent(w.word)), ' '
            order by w.position)
        from unnest(string_to_array(t.words, ' ')) with ordinality as w (word, position)
    ) end, t.target, t.language, t.jurisdiction, t.weight
from unnest(%(phrases)s::text[], %(words)s::text[], %(dictionaries)s::text[], %(targets)s::text[], %(languages)s::text[],
    %(jurisdictions)s::text[], %(weights)s::real[])
    as t (phrase, words, dictionary, target, language, jurisdiction, weight)
on conflict (phrase, language, jurisdiction, target) do update
set weight = excluded.weight, phrase_key = excluded.phrase_key;

-- name: list_synonyms
select phrase, target, language, jurisdiction, weight from legal_synonyms
where phrase like %(pattern)s and (%(language)s::text is null or language = %(language)s)
    and (%(jurisdictions)s::text[] is null or jurisdiction = any(%(jurisdictions)s))
order by phrase, language, jurisdiction, target limit %(limit)s;

-- name: insert_override
insert into judicial_overrides (urn_pattern, pattern_prefix, status, severity, court, court_citation, message, effective,
    source, checked_on, check_by)
values (%(urn_pattern)s, %(pattern_prefix)s, %(status)s, %(severity)s, %(court)s, %(court_citation)s, %(message)s,
    daterange(%(effective_from)s, %(effective_to)s), %(source)s, %(checked_on)s, %(check_by)s)
returning id;

-- name: list_override_rows
-- Every override as a file of them has it.
select id, urn_pattern, status, severity, court, court_citation, message, lower(effective) as effective_from,
    upper(effective) as effective_to, source, checked_on, check_by
from judicial_overrides order by urn_pattern, id;

-- name: update_override
update judicial_overrides set severity = %(severity)s, message = %(message)s, source = %(source)s,
    effective = daterange(%(effective_from)s, %(effective_to)s), checked_on = %(checked_on)s, check_by = %(check_by)s
where id = %(id)s;

-- name: check_override
update judicial_overrides set checked_on = %(checked_on)s, check_by = %(check_by)s where id = %(id)s returning id;

-- name: find_unchecked_overrides
-- Overrides in effect that nobody has compared with the court's records since a day, or whose day to do so is past.
select id, urn_pattern, checked_on, check_by from judicial_overrides
where (upper(effective) is null or upper(effective) > %(today)s)
    and (coalesce(checked_on < %(since)s, true) or check_by < %(today)s)
order by checked_on nulls first, id;

-- name: list_overrides
select id, urn_pattern, status, severity, court, court_citation, message, lower(effective) as effective_from,
    upper(effective) as effective_to
from judicial_overrides order by urn_pattern, id;

-- name: end_override
update judicial_overrides set effective = daterange(lower(effective), %(effective_to)s)
where id = %(id)s and (lower(effective) is null or lower(effective) < %(effective_to)s)
returning id;

-- name: insert_preemption
insert into federal_preemption (federal_pattern, state_pattern, state_prefix, kind, note, authority, effective)
values (%(federal_pattern)s, %(state_pattern)s, %(state_prefix)s, %(kind)s, %(note)s, %(authority)s,
    daterange(%(effective_from)s, %(effective_to)s))
returning id;

-- name: list_preemption
select id, federal_pattern, state_pattern, kind, note, authority, lower(effective) as effective_from,
    upper(effective) as effective_to
from federal_preemption order by federal_pattern, state_pattern, id;

-- name: end_preemption
update federal_preemption set effective = daterange(lower(effective), %(effective_to)s)
where id = %(id)s and (lower(effective) is null or lower(effective) < %(effective_to)s)
returning id;

-- name: find_recorded_phrases
-- What is recorded already, so that it is not suggested again.
select phrase, target, language from legal_synonyms
where (%(language)s::text is null or language = %(language)s)
    and (jurisdiction = '' or jurisdiction = any(%(jurisdictions)s));

-- name: find_suggestion_texts
-- Nodes in force that could name a thing twice: with terms that they define, a heading, or words that give another name.
select n.jurisdiction, n.language, n.urn, n.language, n.heading,
    case when n.intro_text = '' then n.content_text else n.intro_text end as text,
    coalesce(d.terms, '{}') as terms
from legal_nodes n
left join lateral (
    select array_agg(d.term order by d.id) as terms from legal_definitions d
    where d.jurisdiction = %(jurisdiction)s and d.node_version_id = n.id
        and d.relation in ('means', 'includes')
) d on true
where n.jurisdiction = %(jurisdiction)s
    and (%(language)s::text is null or n.language = %(language)s) and n.validity @> %(at_date)s::date
    and (d.terms is not null or n.heading ~ ' (or|ou|oder) |又は'
        or n.intro_text || n.content_text ~* ' as [^ ]* ?["“‘]|(appel|dénomm|dit)é?e?s? [«"“]|genannte[a-z]* [„“»]|(auch|allgemein) (als )?[„“»]|通称|いわゆる|俗に')
order by n.id;

-- name: find_decision_citations
-- The paragraphs of decisions in their order, with what each cites by a URN.
select n.urn, n.intro_text, n.content_text, n.language, d.urn as decision, coalesce(r.tags ->> 'court', '') as court,
    coalesce(r.tags ->> 'date', '') as decided, coalesce(r.tags ->> 'case_name', r.heading, '') as case_name,
    coalesce(r.tags ->> 'neutral_citation', (select a from unnest(r.aliases) a where a !~ '^urn:' limit 1), '') as citation,
    (select jsonb_agg(jsonb_build_object('reference', e.reference, 'target_urn', e.target_urn,
            'start', (e.properties ->> 'start')::int, 'end', (e.properties ->> 'end')::int,
            'in_store', e.target_id is not null) order by (e.properties ->> 'start')::int, e.id)
        from edges e
        where e.jurisdiction = %(jurisdiction)s and e.node_version_id = n.id and e.kind = 'cites' and e.target_urn <> ''
            and e.properties ?& array['start', 'end']) as cited
from legal_nodes n
join documents d on d.jurisdiction = %(jurisdiction)s and d.id = n.document_id
join legal_nodes r on r.jurisdiction = %(jurisdiction)s and r.urn = d.urn and upper_inf(r.validity)
where n.jurisdiction = %(jurisdiction)s and n.kind = 'decision' and upper_inf(n.validity)
order by n.document_id, n.citation_path;

-- name: list_proposal_verdicts
select key, verdict, decided_by, decided_at from override_proposals;

-- name: record_proposal
insert into override_proposals (key, verdict, decided_by, treatment, target_urn, decision_urn, sentence, override_id)
values (%(key)s, %(verdict)s, %(decided_by)s, %(treatment)s, %(target_urn)s, %(decision_urn)s, %(sentence)s,
    %(override_id)s);
