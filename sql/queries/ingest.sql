-- Statements of rag/ingest: one document is one transaction over one jurisdiction.

-- name: lock_document
-- Serialises writers of one document until the transaction ends.
select pg_advisory_xact_lock(hashtextextended(%(urn)s, 0));

-- name: reserve_ids
-- Blocks of 256 ids; each row is the first id of a block.
select nextval('node_ids') from generate_series(1, %(blocks)s);

-- name: upsert_source
insert into sources (urn, jurisdiction, title, language, publisher, licence, url)
values (%(urn)s, %(jurisdiction)s, %(title)s, %(language)s, %(publisher)s, %(licence)s, %(url)s)
on conflict (urn) do update set
    title = excluded.title, language = excluded.language, publisher = excluded.publisher,
    licence = excluded.licence, url = excluded.url, last_ingest = excluded.last_ingest;

-- name: find_document
select id, source_hash, parser_version, edition_date, generation
from documents where jurisdiction = %(jurisdiction)s and urn = %(urn)s;

-- name: upsert_document
insert into documents (jurisdiction, id, urn, corpus_urn, source, format, source_hash, parser_version, edition_date,
    generation, nodes)
values (%(jurisdiction)s, %(id)s, %(urn)s, %(corpus_urn)s, %(source)s, %(format)s, %(source_hash)s,
    %(parser_version)s, %(edition_date)s, %(generation)s, %(nodes)s)
on conflict (jurisdiction, id) do update set
    source = excluded.source, format = excluded.format, source_hash = excluded.source_hash,
    parser_version = excluded.parser_version, edition_date = excluded.edition_date,
    generation = excluded.generation, nodes = excluded.nodes, ingested_at = excluded.ingested_at;

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
where jurisdiction = %(jurisdiction)s and urn = any(%(urns)s) and document_id <> %(document_id)s
order by urn limit 5;

-- name: find_node_ids
-- Node id and ancestors of nodes outside the document, such as its corpus's root.
select urn, node_id, ancestor_ids, citation_path::text as path from legal_nodes
where jurisdiction = %(jurisdiction)s and urn = any(%(urns)s);

-- name: create_stage
create temp table stage_nodes (
    id bigint, node_id bigint, urn text, citation_path text, kind text, structure_type text, level text, number text,
    ordinal integer, heading text, intro_text text, content_text text, tags text, aliases text[], valid_from date,
    valid_to date, ancestor_ids bigint[], rule_id bigint, used_terms integer[], search_heading text,
    search_titles text, search_leads text, search_body text, source_line integer, source_hash text, search_hash text
) on commit drop;

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

-- name: close_nodes
-- Ends versions at a date; what started on or after it never came into force and goes.
update legal_nodes set validity = daterange(lower(validity), %(valid_to)s)
where jurisdiction = %(jurisdiction)s and id = any(%(ids)s);

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

-- name: follow_closed_definitions
-- The definitions of an ended version end with it.
update legal_definitions d set validity = n.validity from legal_nodes n
where d.jurisdiction = %(jurisdiction)s and n.jurisdiction = %(jurisdiction)s and n.id = d.node_version_id
    and n.id = any(%(ids)s);

-- name: follow_closed_edges
update edges e set validity = n.validity from legal_nodes n
where e.jurisdiction = %(jurisdiction)s and n.jurisdiction = %(jurisdiction)s and n.id = e.node_version_id
    and n.id = any(%(ids)s);

-- name: follow_closed_embeddings
update node_embeddings e set validity = n.validity from legal_nodes n
where e.jurisdiction = %(jurisdiction)s and n.jurisdiction = %(jurisdiction)s and n.id = e.node_version_id
    and n.id = any(%(ids)s);

-- name: analyze_nodes
-- The planner must know the new rows before foreign keys to them are checked one by one.
analyze legal_nodes;

-- name: analyze_store
analyze legal_nodes, legal_definitions, edges, lexeme_stats, legal_synonyms;

-- name: clean_pending_fts
-- New rows wait in a list that every search would read until it is merged into the index.
select gin_clean_pending_list('legal_nodes_fts_idx');

-- name: delete_tag_stats
delete from tag_stats where jurisdiction = any(%(jurisdictions)s);

-- name: insert_tag_stats
insert into tag_stats (jurisdiction, key, value, nodes)
select n.jurisdiction, t.key, t.value, count(*)
from legal_nodes n cross join lateral jsonb_each_text(n.tags) t
where n.jurisdiction = any(%(jurisdictions)s) and upper_inf(n.validity) and length(t.value) <= 200
group by n.jurisdiction, t.key, t.value;

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

-- name: find_stored_jurisdictions
select distinct jurisdiction from documents order by jurisdiction;

-- name: find_document_hashes
-- What an unchanged source is recognised by, before it is parsed. All jurisdictions: a source does not name its own.
select d.source_hash, d.parser_version, d.jurisdiction, d.id, s.language
from documents d join sources s on s.urn = d.corpus_urn;
