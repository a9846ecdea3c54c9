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

-- name: find_unsummarised
-- Jurisdictions with documents that were stored after the last summary: by this ingest, or by one that was killed.
select distinct v.jurisdiction from (
    select jurisdiction, corpus_urn, sum(generation) as generations
    from documents where jurisdiction = any(%(jurisdictions)s) group by jurisdiction, corpus_urn
) v
join sources s on s.urn = v.corpus_urn
where s.summarised <> v.generations
order by v.jurisdiction;

-- name: find_coverage
select corpus_urn, count(*), sum(nodes), sum(generation)
from documents where jurisdiction = any(%(jurisdictions)s) group by corpus_urn;

-- name: set_coverage
update sources s set documents = v.documents, nodes = v.nodes, summarised = v.summarised,
    last_ingest = case when s.summarised = v.summarised then s.last_ingest else now() end
from unnest(%(urns)s::text[], %(documents)s::integer[], %(nodes)s::bigint[], %(summarised)s::bigint[])
    as v (urn, documents, nodes, summarised)
where s.urn = v.urn;

-- name: find_document
select id, parser_version, generation from documents where jurisdiction = %(jurisdiction)s and urn = %(urn)s;

-- name: find_latest_day
select max(e.day) from documents d
join editions e on e.jurisdiction = d.jurisdiction and e.document_id = d.id
where d.jurisdiction = %(jurisdiction)s and e.jurisdiction = %(jurisdiction)s and d.urn = %(urn)s;

-- name: find_editions
select day, source, dated, source_hash, generation from editions
where jurisdiction = %(jurisdiction)s and document_id = %(document_id)s
order by day, source;

-- name: upsert_edition
insert into editions (jurisdiction, document_id, day, source, dated, source_hash, parser_version, generation)
values (%(jurisdiction)s, %(document_id)s, %(day)s, %(source)s, %(dated)s, %(source_hash)s, %(parser_version)s,
    %(generation)s)
on conflict (jurisdiction, document_id, day, source) do update set
    dated = excluded.dated, source_hash = excluded.source_hash, parser_version = excluded.parser_version,
    generation = excluded.generation;

-- name: forget_other_editions
-- Makes the files of all editions but one be read again.
update editions set parser_version = ''
where jurisdiction = %(jurisdiction)s and document_id = %(document_id)s and day <> %(day)s;

-- name: delete_editions
delete from editions where jurisdiction = %(jurisdiction)s and document_id = %(document_id)s;

-- name: find_edition_nodes
select urn, since, lower(stated), upper(stated), source_hash from edition_nodes
where jurisdiction = %(jurisdiction)s and document_id = %(document_id)s
order by urn, since, lower(stated) nulls first;

-- name: delete_edition_nodes
delete from edition_nodes
where jurisdiction = %(jurisdiction)s and document_id = %(document_id)s and urn = any(%(urns)s)
    and since = any(%(days)s);

-- name: copy_edition_nodes
copy edition_nodes (jurisdiction, document_id, urn, since, stated, source_hash) from stdin;

-- name: mark_gaps
-- Tags a version that ends with a change between two editions with their days. A node that begins so has no words
-- before: there the provision that it becomes a part of is tagged.
with gaps as (
    select * from unnest(%(urns)s::text[], %(sinces)s::date[], %(untils)s::date[], %(begins)s::boolean[])
        as g (urn, since, until, begins)
), versions as materialized (
    select id, node_id, urn, kind, validity, ancestor_ids, tags from legal_nodes
    where jurisdiction = %(jurisdiction)s and document_id = %(document_id)s
), marked as (
    select v.id, g.since, g.until from gaps g join versions v on v.urn = g.urn and upper(v.validity) = g.until
    where not g.begins
    union
    select p.id, g.since, g.until
    from gaps g
    join versions v on v.urn = g.urn and lower(v.validity) = g.until
    join versions p on p.node_id = v.ancestor_ids[cardinality(v.ancestor_ids) - 1] and p.kind <> 'section'
        and p.validity && daterange(g.since, g.until)
    where g.begins
), said as (
    select id, string_agg(to_char(since, 'YYYY-MM-DD') || '/' || to_char(until, 'YYYY-MM-DD'), ' ' order by since) as days
    from marked group by id
)
update legal_nodes n
set tags = case when s.days is null then n.tags - %(tag)s::text
    else n.tags || jsonb_build_object(%(tag)s::text, s.days) end
from (
    select v.id, said.days from versions v left join said on said.id = v.id
    where v.tags ->> %(tag)s::text is distinct from said.days
) s
where n.jurisdiction = %(jurisdiction)s and n.id = s.id;

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
select id, node_id, urn, lower(validity) as valid_from, upper(validity) as valid_to, source_hash, search_hash,
    citation_path::text as path, ordinal, ancestor_ids, rule_id, used_terms
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

-- name: create_stage
-- It stays for the session, empty: making one for each document would cost as much as a small document itself.
create temp table if not exists stage_nodes (
    id bigint, node_id bigint, urn text, citation_path text, kind text, structure_type text, level text, number text,
    ordinal integer, heading text, intro_text text, content_text text, tags text, aliases text[], valid_from date,
    valid_to date, ancestor_ids bigint[], rule_id bigint, used_terms integer[], search_heading text,
    search_titles text, search_leads text, search_body text, source_line integer, source_hash text, search_hash text
) on commit delete rows;

-- name: copy_stage
copy stage_nodes from stdin;

-- name: insert_staged_nodes
insert into legal_nodes (jurisdiction, id, node_id, document_id, urn, citation_path, language, corpus, kind,
    structure_type, level, number, ordinal, heading, intro_text, content_text, tags, aliases, validity, ancestor_ids,
    rule_id, used_terms, fts, fts_length, source, source_line, source_hash, search_hash)
select %(jurisdiction)s, s.id, s.node_id, %(document_id)s, s.urn, s.citation_path::ltree, %(language)s, %(corpus)s,
    s.kind, s.structure_type, s.level, s.number, s.ordinal, s.heading, s.intro_text, s.content_text, s.tags::jsonb,
    s.aliases, daterange(s.valid_from, s.valid_to), s.ancestor_ids, s.rule_id, s.used_terms,
    v.own || v.around, coalesce((select sum(cardinality(u.positions)) from unnest(v.own) u), 0), %(source)s, s.source_line,
    s.source_hash, s.search_hash
from stage_nodes s
cross join lateral (
    -- A node's own words come first, so that what is around it does not move their positions.
    select setweight(to_tsvector(%(config)s::regconfig, lex_unaccent(s.search_heading)), 'A')
        || to_tsvector(%(config)s::regconfig, lex_unaccent(s.search_body)) as own,
        setweight(to_tsvector(%(config)s::regconfig, lex_unaccent(s.search_titles)), 'B')
        || setweight(to_tsvector(%(config)s::regconfig, lex_unaccent(s.search_leads)), 'C') as around
) v
order by s.id;

-- name: update_staged_nodes
-- Versions whose words did not change but whose place or derived columns did.
update legal_nodes n set
    citation_path = s.citation_path::ltree, ordinal = s.ordinal, ancestor_ids = s.ancestor_ids, rule_id = s.rule_id,
    used_terms = s.used_terms, validity = daterange(s.valid_from, s.valid_to), search_hash = s.search_hash,
    fts = v.own || v.around,
    fts_length = coalesce((select sum(cardinality(u.positions)) from unnest(v.own) u), 0)
from stage_nodes s
cross join lateral (
    -- A node's own words come first, so that what is around it does not move their positions.
    select setweight(to_tsvector(%(config)s::regconfig, lex_unaccent(s.search_heading)), 'A')
        || to_tsvector(%(config)s::regconfig, lex_unaccent(s.search_body)) as own,
        setweight(to_tsvector(%(config)s::regconfig, lex_unaccent(s.search_titles)), 'B')
        || setweight(to_tsvector(%(config)s::regconfig, lex_unaccent(s.search_leads)), 'C') as around
) v
where n.jurisdiction = %(jurisdiction)s and n.id = s.id;

-- name: redate_nodes
update legal_nodes n set validity = daterange(v.valid_from, v.valid_to)
from unnest(%(ids)s::bigint[], %(starts)s::date[], %(ends)s::date[]) as v (id, valid_from, valid_to)
where n.jurisdiction = %(jurisdiction)s and n.id = v.id;

-- name: set_used_terms
update legal_nodes set used_terms = %(used_terms)s where jurisdiction = %(jurisdiction)s and id = %(id)s;

-- name: copy_versions
-- Words that are stored already hold once more, at another time.
insert into legal_nodes (jurisdiction, id, node_id, document_id, urn, citation_path, language, corpus, kind,
    structure_type, level, number, ordinal, heading, intro_text, content_text, tags, aliases, validity, ancestor_ids,
    rule_id, used_terms, fts, fts_length, source, source_line, source_hash, search_hash)
select n.jurisdiction, v.id, n.node_id, n.document_id, n.urn, n.citation_path, n.language, n.corpus, n.kind,
    n.structure_type, n.level, n.number, n.ordinal, n.heading, n.intro_text, n.content_text, n.tags, n.aliases,
    daterange(v.valid_from, v.valid_to), n.ancestor_ids, n.rule_id, n.used_terms, n.fts, n.fts_length, n.source,
    n.source_line, n.source_hash, n.search_hash
from unnest(%(ids)s::bigint[], %(origins)s::bigint[], %(starts)s::date[], %(ends)s::date[])
    as v (id, origin, valid_from, valid_to)
join legal_nodes n on n.jurisdiction = %(jurisdiction)s and n.id = v.origin;

-- name: find_definitions_of
select id, node_version_id from legal_definitions
where jurisdiction = %(jurisdiction)s and node_version_id = any(%(ids)s)
order by id;

-- name: find_edges_of
select id, node_version_id from edges
where jurisdiction = %(jurisdiction)s and node_version_id = any(%(ids)s)
order by id;

-- name: copy_version_definitions
insert into legal_definitions (jurisdiction, id, node_version_id, node_id, node_path, term, normalised_term, term_id,
    relation, scope_id, scope_path, scope_urn, inferred, phrase, reference_urn, language, validity)
select d.jurisdiction, v.id, v.node_version_id, d.node_id, d.node_path, d.term, d.normalised_term, d.term_id,
    d.relation, d.scope_id, d.scope_path, d.scope_urn, d.inferred, d.phrase, d.reference_urn, d.language, n.validity
from unnest(%(ids)s::bigint[], %(origins)s::bigint[], %(versions)s::bigint[]) as v (id, origin, node_version_id)
join legal_definitions d on d.jurisdiction = %(jurisdiction)s and d.id = v.origin
join legal_nodes n on n.jurisdiction = %(jurisdiction)s and n.id = v.node_version_id;

-- name: copy_version_edges
insert into edges (jurisdiction, id, node_version_id, source_id, kind, reference, target_jurisdiction, target_urn,
    target_id, properties, validity)
select e.jurisdiction, v.id, v.node_version_id, e.source_id, e.kind, e.reference, e.target_jurisdiction,
    e.target_urn, e.target_id, e.properties, n.validity
from unnest(%(ids)s::bigint[], %(origins)s::bigint[], %(versions)s::bigint[]) as v (id, origin, node_version_id)
join edges e on e.jurisdiction = %(jurisdiction)s and e.id = v.origin
join legal_nodes n on n.jurisdiction = %(jurisdiction)s and n.id = v.node_version_id;

-- name: copy_version_embeddings
insert into node_embeddings (jurisdiction, node_version_id, model, text_hash, validity, embedding)
select e.jurisdiction, v.id, e.model, e.text_hash, n.validity, e.embedding
from unnest(%(ids)s::bigint[], %(origins)s::bigint[]) as v (id, origin)
join node_embeddings e on e.jurisdiction = %(jurisdiction)s and e.node_version_id = v.origin
join legal_nodes n on n.jurisdiction = %(jurisdiction)s and n.id = v.id;

-- name: delete_nodes
delete from legal_nodes where jurisdiction = %(jurisdiction)s and id = any(%(ids)s);

-- name: lock_statistics
select pg_advisory_xact_lock(hashtextextended('statistics of ' || %(jurisdiction)s, 0));

-- name: share_statistics
select pg_advisory_xact_lock_shared(hashtextextended('statistics of ' || %(jurisdiction)s, 0));

-- name: adjust_lexeme_stats
-- Adds (sign 1) or takes away (sign -1) what versions contribute; sorted, so that two documents never deadlock.
insert into lexeme_stats (jurisdiction, language, lexeme, document_frequency)
select n.jurisdiction, n.language, u.lexeme, %(sign)s * count(*)
from legal_nodes n cross join lateral unnest(n.fts) u
where n.jurisdiction = %(jurisdiction)s and n.id = any(%(ids)s)
group by n.jurisdiction, n.language, u.lexeme
order by n.jurisdiction, n.language, u.lexeme
on conflict (jurisdiction, language, lexeme) do update
set document_frequency = lexeme_stats.document_frequency + excluded.document_frequency;

-- name: adjust_language_stats
insert into language_stats (jurisdiction, language, nodes, words)
select n.jurisdiction, n.language, %(sign)s * count(*), %(sign)s * coalesce(sum(n.fts_length), 0)
from legal_nodes n
where n.jurisdiction = %(jurisdiction)s and n.id = any(%(ids)s) and n.fts_length > 0
group by n.jurisdiction, n.language
on conflict (jurisdiction, language) do update
set nodes = language_stats.nodes + excluded.nodes, words = language_stats.words + excluded.words;

-- name: delete_definitions
delete from legal_definitions where jurisdiction = %(jurisdiction)s and node_version_id = any(%(ids)s);

-- name: delete_edges
delete from edges where jurisdiction = %(jurisdiction)s and node_version_id = any(%(ids)s);

-- name: copy_definitions
copy legal_definitions (jurisdiction, id, node_version_id, node_id, node_path, term, normalised_term, term_id,
    relation, scope_id, scope_path, scope_urn, inferred, phrase, reference_urn, language, validity) from stdin;

-- name: copy_edges
copy edges (jurisdiction, id, node_version_id, source_id, kind, reference, target_jurisdiction, target_urn,
    properties, validity) from stdin;

-- name: follow_redated_definitions
-- The definitions of a version hold as long as it does.
update legal_definitions d set validity = n.validity from legal_nodes n
where d.jurisdiction = %(jurisdiction)s and n.jurisdiction = %(jurisdiction)s and n.id = d.node_version_id
    and n.id = any(%(ids)s);

-- name: follow_redated_edges
update edges e set validity = n.validity from legal_nodes n
where e.jurisdiction = %(jurisdiction)s and n.jurisdiction = %(jurisdiction)s and n.id = e.node_version_id
    and n.id = any(%(ids)s);

-- name: follow_redated_embeddings
update node_embeddings e set validity = n.validity from legal_nodes n
where e.jurisdiction = %(jurisdiction)s and n.jurisdiction = %(jurisdiction)s and n.id = e.node_version_id
    and n.id = any(%(ids)s);

-- name: find_definition_uses
-- What the definitions of a document use, over all versions of its nodes, beside what was derived before.
with found as materialized (
    select d.id, d.term_id, d.node_path, d.scope_id, d.used_terms, d.needed_terms, d.beyond_document
    from legal_nodes n
    join legal_definitions d on d.jurisdiction = n.jurisdiction and d.node_version_id = n.id
    where n.jurisdiction = %(jurisdiction)s and d.jurisdiction = %(jurisdiction)s and n.document_id = %(document_id)s
), uses as materialized (
    -- A node may define hundreds of terms: its subtree is read once.
    select p.node_path, array(
        select distinct u.term_id from legal_nodes s cross join lateral unnest(s.used_terms) as u (term_id)
        where s.jurisdiction = %(jurisdiction)s and s.citation_path >= p.node_path
            and s.citation_path < (p.node_path::text || '0')::ltree
        order by u.term_id
    ) as used
    from (select distinct node_path from found) p
)
select f.id, f.term_id, u.used,
    not exists (select from legal_nodes s where s.jurisdiction = %(jurisdiction)s and s.node_id = f.scope_id
        and s.document_id = %(document_id)s) as beyond,
    f.used_terms, f.needed_terms, f.beyond_document
from found f join uses u on u.node_path = f.node_path;

-- name: write_definition_uses
update legal_definitions d
set used_terms = v.used::integer[], needed_terms = v.needed::integer[], beyond_document = v.beyond
from unnest(%(ids)s::bigint[], %(used)s::text[], %(needed)s::text[], %(beyond)s::boolean[])
    as v (id, used, needed, beyond)
where d.jurisdiction = %(jurisdiction)s and d.id = v.id;

-- name: estimate_nodes
-- How many rows the planner expects.
select greatest(reltuples, 0) from pg_class where oid = 'legal_nodes'::regclass;

-- name: analyze_nodes
-- The planner must know of the new rows before foreign keys to them are checked one by one; of their words later.
analyze legal_nodes (jurisdiction, id, node_id, document_id, citation_path);

-- name: analyze_store
analyze legal_nodes, legal_definitions, edges, lexeme_stats, legal_synonyms;

-- name: clean_pending
-- New rows wait in lists that every search and look-up would read until they are merged into the indexes.
select gin_clean_pending_list('legal_nodes_fts_idx'), gin_clean_pending_list('legal_nodes_aliases_idx'),
    gin_clean_pending_list('legal_nodes_tags_idx');

-- name: delete_tag_stats
delete from tag_stats where jurisdiction = any(%(jurisdictions)s);

-- name: insert_tag_stats
-- Facets: keys whose values sort nodes into groups. Where most values stand at one node only, as case numbers and
-- positions in a text do, the key tells nodes apart and is none; of a few values nothing is said either way.
with counted as (
    select n.jurisdiction, t.key, t.value, count(*) as nodes
    from legal_nodes n cross join lateral jsonb_each_text(n.tags) t
    where n.jurisdiction = any(%(jurisdictions)s) and upper_inf(n.validity) and length(t.value) <= 200
        and t.key <> all(array['start', 'end', 'page', 'last_page', 'characters', 'changed_between'])
    group by n.jurisdiction, t.key, t.value
), judged as (
    select c.*, count(*) over w as values, count(*) filter (where c.nodes = 1) over w as alone
    from counted c window w as (partition by c.jurisdiction, c.key)
)
insert into tag_stats (jurisdiction, key, value, nodes)
select jurisdiction, key, value, nodes from judged where values <= 20 or alone * 2 <= values;

-- name: find_unresolved_targets
select distinct target_jurisdiction, target_urn from edges
where jurisdiction = any(%(jurisdictions)s) and target_id is null and target_urn <> ''
order by target_jurisdiction, target_urn;

-- name: unresolve_edges
-- References to nodes of which no version is left. They may stand in any jurisdiction.
update edges set target_id = null
where jurisdiction = any(%(jurisdictions)s) and target_jurisdiction = %(target_jurisdiction)s
    and target_id = any(%(node_ids)s);

-- name: find_targets
-- Nodes by URN or alias, whatever their dates.
select urn, node_id, '{}'::text[] as matched from legal_nodes
where jurisdiction = %(jurisdiction)s and urn = any(%(urns)s)
union
select urn, node_id, aliases from legal_nodes
where jurisdiction = %(jurisdiction)s and aliases && %(urns)s::text[];

-- name: resolve_edges
update edges e set target_id = v.node_id
from unnest(%(urns)s::text[], %(node_ids)s::bigint[]) as v (urn, node_id)
where e.jurisdiction = any(%(jurisdictions)s) and e.target_jurisdiction = %(target_jurisdiction)s
    and e.target_urn = v.urn and e.target_id is null;

-- name: find_source_files
-- Files of several documents that were read to their end, with the hashes of those documents.
select source_hash, parser_version, source, documents from source_files;

-- name: upsert_source_file
insert into source_files (source, parser_version, source_hash, documents)
values (%(source)s, %(parser_version)s, %(source_hash)s, %(documents)s)
on conflict (source, parser_version, source_hash) do update set documents = excluded.documents;

-- name: find_stored_jurisdictions
select distinct jurisdiction from documents order by jurisdiction;

-- name: find_document_hashes
-- What an unchanged source is recognised by, before it is parsed. All jurisdictions: a source does not name its own.
-- Of editions that their sources do not date only the last one written counts: going back to an earlier one is a change.
select e.source_hash, e.parser_version, e.source, e.jurisdiction, e.document_id, s.language
from (
    select jurisdiction, document_id, source, source_hash, parser_version, dated, generation,
        max(generation) filter (where not dated) over (partition by jurisdiction, document_id) as last_undated
    from editions
) e
join documents d on d.jurisdiction = e.jurisdiction and d.id = e.document_id
join sources s on s.urn = d.corpus_urn
where e.dated or e.generation = e.last_undated;
