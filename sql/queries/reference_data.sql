-- Statements of rag/reference_data.py: synonyms, overrides, preemption. Small, rarely written, reviewed by people.

-- name: insert_synonym
insert into legal_synonyms (phrase, target, language, jurisdiction, weight)
values (%(phrase)s, %(target)s, %(language)s, %(jurisdiction)s, %(weight)s)
on conflict (phrase, language, jurisdiction, target) do update set weight = excluded.weight;

-- name: list_synonyms
select phrase, target, language, jurisdiction, weight from legal_synonyms
where phrase like %(pattern)s order by phrase, language, jurisdiction, target limit %(limit)s;

-- name: insert_override
insert into judicial_overrides (urn_pattern, pattern_prefix, status, severity, court, court_citation, message, effective)
values (%(urn_pattern)s, %(pattern_prefix)s, %(status)s, %(severity)s, %(court)s, %(court_citation)s, %(message)s,
    daterange(%(effective_from)s, %(effective_to)s))
returning id;

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
