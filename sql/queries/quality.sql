-- Statements of rag/quality.py and rag/telemetry.py about quality_check.

-- name: find_known_documents
-- Which of the ids or URNs given are in the store, and of what kind; an alias counts as its node.
select distinct on (a.asked) a.asked, n.urn, n.kind
from unnest(%(asked)s::text[]) as a (asked)
join legal_nodes n on n.jurisdiction = any(%(jurisdictions)s) and (n.urn = a.asked or n.aliases && array[a.asked])
order by a.asked, n.kind <> 'legislation', n.urn;

-- name: find_public_terms
-- Which of these spellings are terms that published legislation defines.
select distinct d.normalised_term
from legal_definitions d
join legal_nodes n on n.jurisdiction = d.jurisdiction and n.id = d.node_version_id
where d.jurisdiction = any(%(jurisdictions)s) and n.jurisdiction = any(%(jurisdictions)s)
    and d.normalised_term = any(%(spellings)s) and n.kind = 'legislation'
order by d.normalised_term;

-- name: insert_quality_check
insert into quality_checks (recorded_on, tool_name, origin, mode, model, jurisdictions, queries_attempted, query_terms,
    tools_sequence, documents_cited, documents_other, documents_unknown, tags_used, satisfaction, confidence, gaps,
    difficulties, concept, error_type, detail, severity, declared, detected, not_detected, highest_alert_severity,
    dropped_fields)
values (%(recorded_on)s, %(tool_name)s, %(origin)s, %(mode)s, %(model)s, %(jurisdictions)s, %(queries_attempted)s,
    %(query_terms)s, %(tools_sequence)s, %(documents_cited)s, %(documents_other)s, %(documents_unknown)s, %(tags_used)s,
    %(satisfaction)s, %(confidence)s, %(gaps)s, %(difficulties)s, %(concept)s, %(error_type)s, %(detail)s, %(severity)s,
    %(declared)s, %(detected)s, %(not_detected)s, %(highest_alert_severity)s, %(dropped_fields)s);

-- name: list_quality_checks
-- The newest first; all where no limit is given.
select recorded_on, tool_name, origin, mode, model, jurisdictions, queries_attempted, query_terms, tools_sequence,
    documents_cited, documents_other, documents_unknown, tags_used, satisfaction, confidence, gaps, difficulties, concept,
    error_type, detail, severity, declared, detected, not_detected, highest_alert_severity, dropped_fields
from quality_checks
where %(since)s::date is null or recorded_on >= %(since)s::date
order by id desc
limit %(limit)s::bigint;

-- name: purge_quality_checks
-- Those recorded before a day, or all; the number of rows.
delete from quality_checks where %(before)s::date is null or recorded_on < %(before)s::date;

-- name: list_source_provenance
select urn, jurisdiction, title, language, publisher, licence, url, documents, nodes, last_ingest::date
from sources
where jurisdiction = any(%(jurisdictions)s)
order by jurisdiction, urn;
