-- Statements of rag/ingest: one document is one transaction over one jurisdiction.

-- name: lock_document
-- Serialises writers of one document until the transaction ends.
select pg_advisory_xact_lock(hashtextextended(%(urn)s, 0));

-- name: lock_summary
-- What is derived from the whole store is written by one ingest at a time.
select pg_advisory_xact_lock(hashtextextended('summary of the store', 0));

-- name: flush_later
-- A document need not be on disk before the next one is written: the run ends with a commit that waits for the disk.
set local synchronous_commit = off;

-- name: reserve_ids
-- Blocks of 256 ids; each row is the first id of a block.
select nextval('node_ids') from generate_series(1, %(blocks)s);

-- name: upsert_source
insert into sources (urn, jurisdiction, title, language, publisher, licence, url)
values (%(urn)s, %(jurisdiction)s, %(title)s, %(language)s, %(publisher)s, %(licence)s, %(url)s)
on conflict (urn) do update set
    title = excluded.title, language = excluded.language, publisher = excluded.publisher,
    licence = excluded.licence, url = excluded.url;

-- name: find_due_documents
-- Documents stored after what is derived of them: by this ingest, or by one that was killed.
select jurisdiction, id, generation, corpus_urn, nodes from documents
where jurisdiction = any(%(jurisdictions)s) and summarised < generation
order by jurisdiction, id;

-- name: set_summarised
update documents d set summarised = v.generation
from unnest(%(ids)s::bigint[], %(generations)s::integer[]) as v (id, generation)
where d.jurisdiction = %(jurisdiction)s and d.id = v.id;

-- name: find_coverage
select corpus_urn, count(*), sum(nodes) from documents
where jurisdiction = any(%(jurisdictions)s) and corpus_urn = any(%(urns)s) group by corpus_urn;

-- name: set_coverage
update sources s set documents = v.documents, nodes = v.nodes, last_ingest = now()
from unnest(%(urns)s::text[], %(documents)s::integer[], %(nodes)s::bigint[]) as v (urn, documents, nodes)
where s.urn = v.urn;

-- name: find_document
select id, parser_version, generation from documents where jurisdiction = %(jurisdiction)s and urn = %(urn)s;

-- name: find_latest_edition
select e.dating, e.day, e.source from documents d
join editions e on e.jurisdiction = d.jurisdiction and e.document_id = d.id
where d.jurisdiction = %(jurisdiction)s and e.jurisdiction = %(jurisdiction)s and d.urn = %(urn)s
order by e.dating <> 'none' desc, e.day desc, e.source collate "C" desc limit 1;

-- name: find_editions
select day, source, dating, source_hash, generation from editions
where jurisdiction = %(jurisdiction)s and document_id = %(document_id)s
order by day, source;

-- name: upsert_edition
insert into editions (jurisdiction, document_id, day, source, dating, source_hash, parser_version, generation)
values (%(jurisdiction)s, %(document_id)s, %(day)s, %(source)s, %(dating)s, %(source_hash)s, %(parser_version)s,
    %(generation)s)
on conflict (jurisdiction, document_id, day, source) do update set
    dating = excluded.dating, source_hash = excluded.source_hash, parser_version = excluded.parser_version,
    generation = excluded.generation;

-- name: forget_other_editions
-- Makes the files of all editions but one be read again.
update editions set parser_version = ''
where jurisdiction = %(jurisdiction)s and document_id = %(document_id)s
    and (day, source) <> (%(day)s, %(source)s);

-- name: delete_editions
delete from editions where jurisdiction = %(jurisdiction)s and document_id = %(document_id)s;

-- name: find_edition_nodes
select urn, since, source, lower(stated), upper(stated), encode(source_hash, 'hex') from edition_nodes
where jurisdiction = %(jurisdiction)s and document_id = %(document_id)s
order by urn, since, source, lower(stated) nulls first;

-- name: delete_edition_nodes
delete from edition_nodes
where jurisdiction = %(jurisdiction)s and document_id = %(document_id)s and urn = any(%(urns)s)
    and (since, source) in (select * from unnest(%(days)s::date[], %(sources)s::text[]));

-- name: copy_edition_nodes
copy edition_nodes (jurisdiction, document_id, urn, since, source, stated, source_hash) from stdin;

-- name: set_bounds
-- What the bounds of a document's versions rest on, and the days on which other words may have been in force. Where a
-- node began between two editions, those of the provision that it is a part of.
with told as (
    select * from unnest(%(urns)s::text[], %(starts)s::date[], %(from_bases)s::text[], %(to_bases)s::text[],
        %(uncertain)s::text[]) as t (urn, start, from_basis, to_basis, uncertain)
), begun as (
    select * from unnest(%(begun)s::text[], %(untils)s::date[], %(days)s::text[]) as b (urn, until, days)
), versions as materialized (
    select id, node_id, urn, kind, validity, ancestor_ids, from_basis, to_basis, uncertain from legal_nodes
    where jurisdiction = %(jurisdiction)s and document_id = %(document_id)s
), around as (
    select p.id, range_agg(r.days) as days
    from begun b
    join versions v on v.urn = b.urn and lower(v.validity) = b.until
    join versions p on p.node_id = v.ancestor_ids[cardinality(v.ancestor_ids) - 1] and p.kind <> 'section'
    cross join lateral unnest(b.days::datemultirange * datemultirange(p.validity)) as r (days)
    group by p.id
), wanted as (
    select v.id, t.from_basis, t.to_basis,
        nullif(coalesce(t.uncertain::datemultirange, '{}') + coalesce(a.days, '{}'), '{}') as uncertain
    from versions v
    join told t on t.urn = v.urn and t.start is not distinct from lower(v.validity)
    left join around a on a.id = v.id
)
update legal_nodes n set from_basis = w.from_basis, to_basis = w.to_basis, uncertain = w.uncertain
from wanted w join versions v on v.id = w.id
where n.jurisdiction = %(jurisdiction)s and n.id = w.id
    and (v.from_basis, v.to_basis, v.uncertain) is distinct from (w.from_basis, w.to_basis, w.uncertain);

-- name: upsert_document
insert into documents (jurisdiction, id, urn, corpus_urn, source, format, source_hash, parser_version, edition_date,
    generation, nodes)
values (%(jurisdiction)s, %(id)s, %(urn)s, %(corpus_urn)s, %(source)s, %(format)s, %(source_hash)s,
    %(parser_version)s, %(edition_date)s, %(generation)s, %(nodes)s)
on conflict (jurisdiction, id) do update set
    source = excluded.source, format = excluded.format, source_hash = excluded.source_hash,
    parser_version = excluded.parser_version, edition_date = excluded.edition_date,
    generation = excluded.generation, nodes = excluded.nodes, ingested_at = excluded.ingested_at;

-- name: count_generation
-- Of an edition that is not the latest, the document's row keeps only that something changed.
update documents set generation = %(generation)s, ingested_at = now()
where jurisdiction = %(jurisdiction)s and id = %(id)s;

-- name: find_document_nodes
-- The stored versions of a document, as far as a new parse is compared with them.
select id, node_id, urn, lower(validity) as valid_from, upper(validity) as valid_to,
    encode(source_hash, 'hex') as source_hash, encode(search_hash, 'hex') as search_hash,
    citation_path::text as path, ordinal, ancestor_ids, rule_id, used_terms, kind, subtree_ids, line_terms, scope_ids,
    context_ids
from legal_nodes
where jurisdiction = %(jurisdiction)s and document_id = %(document_id)s
order by urn, lower(validity) nulls first;

-- name: find_urns_elsewhere
-- URNs of this document that another document already holds.
select distinct urn from legal_nodes
where jurisdiction = %(jurisdiction)s and urn = any(%(urns)s) and document_id is distinct from
    (select id from documents where jurisdiction = %(jurisdiction)s and urn = %(urn)s)
order by urn limit 5;

-- name: find_corpus_root
-- Node id and ancestors of nodes outside the document, such as its corpus's root.
select urn, node_id, ancestor_ids, citation_path::text as path from legal_nodes
where jurisdiction = %(jurisdiction)s and urn = any(%(urns)s);

-- name: find_source_files
-- Files of several documents that were read to their end, with the hashes of those documents.
select source_hash, parser_version, source, documents from source_files where source = any(%(names)s);

-- name: upsert_source_file
insert into source_files (source, parser_version, source_hash, documents)
values (%(source)s, %(parser_version)s, %(source_hash)s, %(documents)s)
on conflict (source, parser_version, source_hash) do update set documents = excluded.documents;

-- name: find_document_hashes
-- What unchanged sources with these names are recognised by, before they are parsed. All jurisdictions: a source does not
-- name its own. Of editions that their sources do not date only the last one written counts: going back to an earlier
-- one is a change.
select e.source_hash, e.parser_version, e.source, e.jurisdiction, e.document_id
from editions e
where substring(e.source from '[^/]*$') = any(%(names)s) and (e.dating in ('own', 'nodes') or e.generation = (
    select max(u.generation) from editions u
    where u.jurisdiction = e.jurisdiction and u.document_id = e.document_id and u.source = e.source
        and u.dating in ('given', 'none')
));

-- name: has_law_readings
select true from law_readings limit 1;

-- name: find_law_readings
-- What models read in windows, by the digests of what they were sent.
select digest, model, items::text from law_readings where digest = any(%(digests)s::text[]) order by digest;

-- name: upsert_law_reading
insert into law_readings (digest, prompt_version, provider, model, items, dropped, usage)
values (%(digest)s, %(prompt_version)s, %(provider)s, %(model)s, %(items)s, %(dropped)s, %(usage)s)
on conflict (digest) do update set
    prompt_version = excluded.prompt_version, provider = excluded.provider, model = excluded.model, read_at = now(),
    items = excluded.items, dropped = excluded.dropped, usage = excluded.usage;

-- name: count_law_readings
select model, count(*) from law_readings group by model order by model;

-- name: measure_law_readings
-- How many windows models have read, what was kept and refused of their items, and how many seconds ago the last was.
select count(*),
    coalesce(sum(jsonb_array_length(items -> 'limits') + jsonb_array_length(items -> 'definitions')
        + jsonb_array_length(items -> 'other_laws')), 0)::bigint,
    coalesce(sum((select sum(number::bigint) from jsonb_each_text(dropped) as d (reason, number))), 0)::bigint,
    extract(epoch from now() - max(read_at))::float8
from law_readings;

-- name: list_corpora
select urn from sources where jurisdiction = any(%(jurisdictions)s) order by urn;

-- name: find_source_of
select source_hash, parser_version from documents where jurisdiction = %(jurisdiction)s and id = %(document_id)s;
