-- Statements of rag/export.py: everything the store holds of a document, in one read-only snapshot.

-- name: find_export_documents
-- The documents that a URN names: one itself, or all of a corpus. The root that a corpus of several documents has
-- for itself is made anew by every ingest and is no document of anybody's.
select d.jurisdiction, d.id, d.urn, d.source, d.format, d.edition_date, s.urn as corpus_urn, s.title, s.language,
    s.publisher, s.licence, s.url
from documents d
join sources s on s.urn = d.corpus_urn
where d.jurisdiction = any(%(jurisdictions)s) and (d.urn = any(%(urns)s) or d.corpus_urn = any(%(urns)s))
    and d.format <> 'corpus'
order by d.urn;

-- name: find_export_nodes
-- All versions of a document's nodes; the newest version of a node comes last.
select n.id, n.node_id, n.ancestor_ids, n.urn, n.citation_path::text as path, n.kind, n.structure_type, n.level,
    n.number, n.ordinal, n.heading, n.intro_text, n.content_text, n.tags, n.aliases, lower(n.validity) as valid_from,
    upper(n.validity) as valid_to, n.used_terms
from legal_nodes n
where n.jurisdiction = %(jurisdiction)s and n.document_id = %(document_id)s
order by n.urn, lower(n.validity) nulls first;

-- name: find_export_definitions
select d.node_version_id, d.term, d.scope_urn, d.relation, d.inferred, d.phrase, d.reference_urn,
    d.own_terms as used_terms, array(
        select distinct a.urn from legal_nodes a where a.jurisdiction = %(jurisdiction)s and a.node_id = any(d.apart_ids)
        order by a.urn
    ) as apart
from legal_definitions d
join legal_nodes n on n.jurisdiction = d.jurisdiction and n.id = d.node_version_id
where d.jurisdiction = %(jurisdiction)s and n.jurisdiction = %(jurisdiction)s and n.document_id = %(document_id)s
order by d.id;

-- name: find_export_links
select e.node_version_id, e.kind, e.reference, e.target_urn, e.properties
from edges e
join legal_nodes n on n.jurisdiction = e.jurisdiction and n.id = e.node_version_id
where e.jurisdiction = %(jurisdiction)s and n.jurisdiction = %(jurisdiction)s and n.document_id = %(document_id)s
order by e.id;

-- name: find_export_terms
-- The terms behind the numbers that nodes keep of the terms they use.
select distinct d.term_id, d.normalised_term from legal_definitions d
where d.jurisdiction = %(jurisdiction)s and d.term_id = any(%(term_ids)s)
order by d.term_id, d.normalised_term;
