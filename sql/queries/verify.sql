-- Statements of rag/verify_resolve.py: what the store can speak of at all.

-- name: find_held_urns
-- Of some URNs, those that are a document of the store or a corpus with a document.
select w.urn
from unnest(%(urns)s::text[]) as w (urn)
where exists (
    select from documents d
    where d.jurisdiction = any(%(jurisdictions)s) and (d.urn = w.urn or d.corpus_urn = w.urn)
);
