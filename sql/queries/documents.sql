-- Statements of rag/documents.py. Keys travel as (jurisdiction, id).

-- name: find_urns_by_alias
-- Nodes that a publication or another system calls by one of these names, whatever their date.
select distinct jurisdiction, urn, language
from legal_nodes
where jurisdiction = any(%(jurisdictions)s) and aliases && %(names)s::text[]
order by urn
limit %(limit)s;

-- name: find_outline
-- The shape of a subtree at a date, without its words: enough to order it, to number its blocks and to size them.
select id, node_id, urn, citation_path::text as path, ordinal, ancestor_ids,
    char_length(intro_text) as intro_length, char_length(content_text) as content_length
from legal_nodes
where jurisdiction = any(%(jurisdictions)s) and citation_path >= %(low)s::ltree and citation_path < %(high)s::ltree
    and validity @> %(at_date)s::date;

-- name: find_texts
-- The words of node versions.
select id, heading, intro_text, content_text
from legal_nodes
where jurisdiction = any(%(jurisdictions)s) and id = any(%(ids)s);

-- name: find_document_source
-- The document that a node belongs to, and the corpus it was taken from.
select d.urn, s.urn, s.title, s.publisher, s.licence, s.url, s.last_ingest
from documents d
join sources s on s.urn = d.corpus_urn
where d.jurisdiction = any(%(jurisdictions)s) and d.id = any(%(ids)s);
