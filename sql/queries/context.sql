-- Statements of retrieval/scoped_context.py and retrieval/nodes.py. Keys travel as (jurisdiction, id).

-- name: list_jurisdictions
-- What the store holds; filters such as `fr` are expanded against it by the client.
select distinct jurisdiction from sources order by jurisdiction;

-- name: find_versions_by_urn
-- All versions of nodes by URN or alias.
select jurisdiction, id, node_id, urn, citation_path::text as path, kind, structure_type, level, number, ordinal,
    heading, intro_text, content_text, lower(validity) as valid_from, upper(validity) as valid_to, ancestor_ids,
    rule_id, used_terms, tags, language, corpus, document_id
from legal_nodes
where jurisdiction = any(%(jurisdictions)s) and urn = any(%(urns)s)
union all
select jurisdiction, id, node_id, urn, citation_path::text as path, kind, structure_type, level, number, ordinal,
    heading, intro_text, content_text, lower(validity) as valid_from, upper(validity) as valid_to, ancestor_ids,
    rule_id, used_terms, tags, language, corpus, document_id
from legal_nodes
where jurisdiction = any(%(jurisdictions)s) and aliases && %(urns)s::text[] and urn <> all(%(urns)s)
order by urn, valid_from nulls first;

-- name: find_nodes_by_ids
-- The versions in force at a date.
select jurisdiction, id, node_id, urn, citation_path::text as path, kind, structure_type, level, number, ordinal,
    heading, intro_text, content_text, lower(validity) as valid_from, upper(validity) as valid_to, ancestor_ids,
    rule_id, used_terms, tags, language, corpus, document_id
from legal_nodes
where jurisdiction = any(%(jurisdictions)s) and node_id = any(%(node_ids)s) and validity @> %(at_date)s::date;

-- name: find_subtrees
-- Nodes of whole subtrees at a date: B-tree ranges over the citation path, which need no GiST index. The fence
-- (offset 0) keeps one index probe per range; without it the planner may scan the table and join.
select n.*
from unnest(%(path_jurisdictions)s::text[], %(starts)s::text[], %(ends)s::text[]) as t (jurisdiction, low, high)
cross join lateral (
    select jurisdiction, id, node_id, urn, citation_path::text as path, kind, structure_type, level, number, ordinal,
        heading, intro_text, content_text, lower(validity) as valid_from, upper(validity) as valid_to, ancestor_ids,
        rule_id, used_terms, tags, language, corpus, document_id
    from legal_nodes
    where jurisdiction = any(%(jurisdictions)s) and jurisdiction = t.jurisdiction
        and citation_path >= t.low::ltree and citation_path < t.high::ltree and validity @> %(at_date)s::date
    offset 0
) n;

-- name: find_definitions_in_scope
-- Definitions in force whose scope is one of these nodes, with the terms that their own text uses.
select d.jurisdiction, d.id, d.node_version_id, d.node_id, d.node_path::text as path, n.urn, d.term,
    d.normalised_term, d.term_id, d.relation, d.scope_id, d.scope_urn, nlevel(d.scope_path) as scope_depth,
    d.inferred, d.phrase, d.reference_urn, lower(d.validity) as valid_from,
    (select coalesce(array_agg(distinct u.term_id), '{}')
     from legal_nodes s cross join lateral unnest(s.used_terms) as u (term_id)
     where s.jurisdiction = any(%(jurisdictions)s) and s.jurisdiction = d.jurisdiction
        and s.citation_path >= d.node_path and s.citation_path < (d.node_path::text || '0')::ltree
        and s.validity @> %(at_date)s::date) as used_terms
from legal_definitions d
join legal_nodes n on n.jurisdiction = d.jurisdiction and n.id = d.node_version_id
where d.jurisdiction = any(%(jurisdictions)s) and n.jurisdiction = any(%(jurisdictions)s)
    and d.scope_id = any(%(scope_ids)s) and d.validity @> %(at_date)s::date;

-- name: find_edges_from
-- Edges that start at these nodes.
select e.jurisdiction, e.id, e.source_id, e.kind, e.reference, e.target_jurisdiction, e.target_urn, e.target_id,
    e.properties
from edges e
where e.jurisdiction = any(%(jurisdictions)s) and e.source_id = any(%(node_ids)s) and e.kind = any(%(kinds)s)
    and e.validity @> %(at_date)s::date
order by e.id;

-- name: find_edges_to
-- Edges elsewhere that name these nodes.
select e.jurisdiction, e.id, e.source_id, e.kind, e.reference, e.target_jurisdiction, e.target_urn, e.target_id,
    e.properties
from edges e
where e.jurisdiction = any(%(all_jurisdictions)s) and e.target_jurisdiction = any(%(jurisdictions)s)
    and e.target_id = any(%(node_ids)s) and e.kind = any(%(kinds)s) and e.validity @> %(at_date)s::date
order by e.id;

-- name: find_preemption
-- Federal rules recorded as overlapping a state rule, by the literal prefix of the state pattern.
select id, federal_pattern, state_pattern, kind, note, authority, lower(effective) as effective_from,
    upper(effective) as effective_to
from federal_preemption
where state_prefix = any(%(prefixes)s) and effective @> %(at_date)s::date
order by federal_pattern, id;

-- name: find_overrides
-- Court overrides in effect, by the literal prefix of their pattern; whole patterns are compared by the client.
select id, urn_pattern, status, severity, court, court_citation, message, lower(effective) as effective_from,
    upper(effective) as effective_to
from judicial_overrides
where pattern_prefix = any(%(prefixes)s) and effective @> %(at_date)s::date
order by urn_pattern, id;

-- name: find_siblings
-- Nodes next to one that is not there: children of the nearest known ancestor.
select urn, heading from legal_nodes
where jurisdiction = %(jurisdiction)s and citation_path >= %(low)s::ltree and citation_path < %(high)s::ltree
    and cardinality(ancestor_ids) = %(depth)s and validity @> %(at_date)s::date
order by ordinal limit 200;

-- name: list_sources
select urn, jurisdiction, title, language, publisher, licence, last_ingest from sources order by urn;
