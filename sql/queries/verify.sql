-- Statements of rag/verify_resolve.py: what the store can speak of at all.

-- name: find_held_urns
-- Of some URNs, those that are a document of the store or a corpus with a document.
select urn from documents where jurisdiction = any(%(jurisdictions)s) and urn = any(%(urns)s)
union
select corpus_urn from documents where jurisdiction = any(%(jurisdictions)s) and corpus_urn = any(%(urns)s);

-- name: list_own_documents
-- The plain documents that number their provisions, with their titles.
select s.urn, s.title
from sources s
join legal_nodes n on n.jurisdiction = s.jurisdiction and n.urn = s.urn
where s.jurisdiction = any(%(jurisdictions)s) and n.jurisdiction = any(%(jurisdictions)s)
    and n.structure_type = 'ROOT' and n.kind = 'section' and upper_inf(n.validity) and s.urn like 'urn:lex:%%:doc:%%'
order by s.urn
limit %(most)s;
