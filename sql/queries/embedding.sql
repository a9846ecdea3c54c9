-- Statements of rag/ingest/embed.py and of the dense leg's set-up.

-- name: read_store_setting
select value from store_settings where key = %(key)s;

-- name: write_store_setting
insert into store_settings (key, value) values (%(key)s, %(value)s)
on conflict (key) do nothing;

-- name: find_unembedded
-- Searchable versions of a document that have no vector of this model yet, with their heading chain.
select n.id, n.validity, n.heading, n.intro_text, n.content_text,
    (select coalesce(string_agg(a.heading, ' > ' order by nlevel(a.citation_path)), '')
     from legal_nodes a
     where a.jurisdiction = %(jurisdiction)s and a.node_id = any(n.ancestor_ids) and a.node_id <> n.node_id
        and upper_inf(a.validity)) as headings
from legal_nodes n
left join node_embeddings e
    on e.jurisdiction = %(jurisdiction)s and e.node_version_id = n.id and e.model = %(model)s
where n.jurisdiction = %(jurisdiction)s and n.document_id = %(document_id)s and n.kind <> 'section'
    and (n.intro_text <> '' or n.content_text <> '') and e.node_version_id is null
order by n.id;

-- name: copy_embeddings
copy node_embeddings (jurisdiction, node_version_id, model, text_hash, validity, embedding) from stdin;

-- name: find_embeddings_by_text
-- Vectors of this model that the same text already has.
select distinct on (text_hash) text_hash, embedding from node_embeddings
where jurisdiction = %(jurisdiction)s and model = %(model)s and text_hash = any(%(hashes)s)
order by text_hash, node_version_id;

-- name: count_embeddings
select count(*) from node_embeddings where jurisdiction = %(jurisdiction)s;

-- name: find_unindexed_vectors
-- Jurisdictions that have vectors and no index over them.
select v.jurisdiction
from unnest(%(jurisdictions)s::text[], %(indexes)s::text[]) as v (jurisdiction, index)
where to_regclass(v.index) is null and exists (
    select from node_embeddings e where e.jurisdiction = any(%(jurisdictions)s) and e.jurisdiction = v.jurisdiction
);

-- name: lock_vector_index
-- Two runs that end at once build an index once.
select pg_advisory_xact_lock(hashtextextended('vector index of ' || %(jurisdiction)s, 0));
