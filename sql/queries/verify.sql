-- Statements of rag/verify_resolve.py: what the store can speak of at all.

-- name: find_held_urns
-- Of some URNs, those that are a document of the store or a corpus with a document.
select urn from documents where jurisdiction = any(%(jurisdictions)s) and urn = any(%(urns)s)
union
select corpus_urn from documents where jurisdiction = any(%(jurisdictions)s) and corpus_urn = any(%(urns)s);
