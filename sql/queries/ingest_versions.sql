-- Statements of rag/ingest/writer.py: the versions of one document and what hangs on them, in one transaction.

-- name: create_stage
-- It stays for the session, empty: making one for each document would cost as much as a small document itself.
create temp table if not exists stage_nodes (
    id bigint, node_id bigint, urn text, citation_path text, kind text, structure_type text, level text, number text,
    ordinal integer, heading text, intro_text text, content_text text, tags text, aliases text[], valid_from date,
    valid_to date, ancestor_ids bigint[], rule_id bigint, used_terms integer[], search_heading text,
    search_titles text, search_leads text, search_body text, source_line integer, source_hash text, search_hash text,
    from_basis text, to_basis text, uncertain text, subtree_ids bigint[], line_terms integer[], scope_ids bigint[], context_ids bigint[]
) on commit delete rows;

-- name: copy_stage
copy stage_nodes from stdin;

-- name: insert_staged_nodes
insert into legal_nodes (jurisdiction, id, node_id, document_id, urn, citation_path, language, corpus, kind,
    structure_type, level, number, ordinal, heading, intro_text, content_text, tags, aliases, validity, ancestor_ids,
    rule_id, used_terms, subtree_ids, line_terms, scope_ids, context_ids, fts, fts_length, source, source_line,
    source_hash, search_hash, from_basis, to_basis, uncertain)
select %(jurisdiction)s, s.id, s.node_id, %(document_id)s, s.urn, s.citation_path::ltree, %(language)s, %(corpus)s,
    s.kind, s.structure_type, s.level, s.number, s.ordinal, s.heading, s.intro_text, s.content_text, s.tags::jsonb,
    s.aliases, daterange(s.valid_from, s.valid_to), s.ancestor_ids, s.rule_id, s.used_terms, s.subtree_ids,
    s.line_terms, s.scope_ids, s.context_ids,
    v.own || v.around, coalesce((select sum(cardinality(u.positions)) from unnest(v.own) u), 0), %(source)s, s.source_line,
    decode(s.source_hash, 'hex'), decode(s.search_hash, 'hex'), s.from_basis, s.to_basis, s.uncertain::datemultirange
from stage_nodes s
cross join lateral (
    -- A node's own words come first, so that what is around it does not move their positions.
    select setweight(to_tsvector(%(config)s::regconfig, lex_words(s.search_heading)), 'A')
        || to_tsvector(%(config)s::regconfig, lex_words(s.search_body)) as own,
        setweight(to_tsvector(%(config)s::regconfig, lex_words(s.search_titles)), 'B')
        || setweight(to_tsvector(%(config)s::regconfig, lex_words(s.search_leads)), 'C') as around
) v
order by s.id;

-- name: update_staged_nodes
-- Versions whose words did not change but whose place or derived columns did.
update legal_nodes n set
    citation_path = s.citation_path::ltree, ordinal = s.ordinal, ancestor_ids = s.ancestor_ids, rule_id = s.rule_id,
    used_terms = s.used_terms, validity = daterange(s.valid_from, s.valid_to), search_hash = decode(s.search_hash, 'hex'),
    kind = s.kind, structure_type = s.structure_type, level = s.level, number = s.number, tags = s.tags::jsonb,
    aliases = s.aliases, fts = v.own || v.around,
    fts_length = coalesce((select sum(cardinality(u.positions)) from unnest(v.own) u), 0)
from stage_nodes s
cross join lateral (
    -- A node's own words come first, so that what is around it does not move their positions.
    select setweight(to_tsvector(%(config)s::regconfig, lex_words(s.search_heading)), 'A')
        || to_tsvector(%(config)s::regconfig, lex_words(s.search_body)) as own,
        setweight(to_tsvector(%(config)s::regconfig, lex_words(s.search_titles)), 'B')
        || setweight(to_tsvector(%(config)s::regconfig, lex_words(s.search_leads)), 'C') as around
) v
where n.jurisdiction = %(jurisdiction)s and n.id = s.id;

-- name: redate_nodes
update legal_nodes n set validity = daterange(v.valid_from, v.valid_to)
from unnest(%(ids)s::bigint[], %(starts)s::date[], %(ends)s::date[]) as v (id, valid_from, valid_to)
where n.jurisdiction = %(jurisdiction)s and n.id = v.id;

-- name: set_reach
-- The derived columns of versions whose document changed around them; arrays of unequal length travel as text.
with v as materialized (
    select id, subtree_ids::bigint[], line_terms::integer[], scope_ids::bigint[], context_ids::bigint[]
    from unnest(%(ids)s::bigint[], %(subtree_ids)s::text[], %(line_terms)s::text[], %(scope_ids)s::text[],
        %(context_ids)s::text[]) as v (id, subtree_ids, line_terms, scope_ids, context_ids)
)
update legal_nodes n
set subtree_ids = v.subtree_ids, line_terms = v.line_terms, scope_ids = v.scope_ids, context_ids = v.context_ids
from v
where n.jurisdiction = %(jurisdiction)s and n.id = v.id;

-- name: set_used_terms
update legal_nodes set used_terms = %(used_terms)s where jurisdiction = %(jurisdiction)s and id = %(id)s;

-- name: copy_versions
-- Words that are stored already hold once more, at another time.
insert into legal_nodes (jurisdiction, id, node_id, document_id, urn, citation_path, language, corpus, kind,
    structure_type, level, number, ordinal, heading, intro_text, content_text, tags, aliases, validity, ancestor_ids,
    rule_id, used_terms, subtree_ids, line_terms, scope_ids, context_ids, fts, fts_length, source, source_line,
    source_hash, search_hash)
select n.jurisdiction, v.id, n.node_id, n.document_id, n.urn, n.citation_path, n.language, n.corpus, n.kind,
    n.structure_type, n.level, n.number, n.ordinal, n.heading, n.intro_text, n.content_text, n.tags, n.aliases,
    daterange(v.valid_from, v.valid_to), n.ancestor_ids, n.rule_id, n.used_terms, n.subtree_ids, n.line_terms,
    n.scope_ids, n.context_ids, n.fts, n.fts_length, n.source, n.source_line, n.source_hash, n.search_hash
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
    relation, scope_id, scope_path, scope_urn, inferred, phrase, reference_urn, language, validity, urn, ancestor_ids,
    subtree_ids, own_terms, apart_ids)
select d.jurisdiction, v.id, v.node_version_id, d.node_id, d.node_path, d.term, d.normalised_term, d.term_id,
    d.relation, d.scope_id, d.scope_path, d.scope_urn, d.inferred, d.phrase, d.reference_urn, d.language, n.validity,
    n.urn, n.ancestor_ids, n.subtree_ids, d.own_terms, d.apart_ids
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

-- name: delete_definitions
delete from legal_definitions where jurisdiction = %(jurisdiction)s and node_version_id = any(%(ids)s);

-- name: delete_edges
delete from edges where jurisdiction = %(jurisdiction)s and node_version_id = any(%(ids)s);

-- name: copy_definitions
copy legal_definitions (jurisdiction, id, node_version_id, node_id, node_path, term, normalised_term, term_id,
    relation, scope_id, scope_path, scope_urn, inferred, phrase, reference_urn, language, validity, used_terms,
    needed_terms, beyond_document, urn, ancestor_ids, subtree_ids, own_terms, apart_ids) from stdin;

-- name: copy_edges
copy edges (jurisdiction, id, node_version_id, source_id, kind, reference, target_jurisdiction, target_urn, target_id,
    properties, validity) from stdin;

-- name: follow_redated_definitions
-- The definitions of a version hold as long as it does.
update legal_definitions d set validity = n.validity
from unnest(%(ids)s::bigint[]) as r (id) join legal_nodes n on n.jurisdiction = %(jurisdiction)s and n.id = r.id
where d.jurisdiction = %(jurisdiction)s and d.node_version_id = r.id;

-- name: follow_redated_edges
update edges e set validity = n.validity
from unnest(%(ids)s::bigint[]) as r (id) join legal_nodes n on n.jurisdiction = %(jurisdiction)s and n.id = r.id
where e.jurisdiction = %(jurisdiction)s and e.node_version_id = r.id;

-- name: follow_redated_embeddings
update node_embeddings e set validity = n.validity
from unnest(%(ids)s::bigint[]) as r (id) join legal_nodes n on n.jurisdiction = %(jurisdiction)s and n.id = r.id
where e.jurisdiction = %(jurisdiction)s and e.node_version_id = r.id;

-- name: estimate_nodes
-- How many rows the planner expects; on a cluster, how many it was told of.
select greatest(reltuples, (select value::bigint from store_settings where key = 'analyzed_nodes'), 0)
from pg_class where oid = 'legal_nodes'::regclass;

-- name: count_analyzed
insert into store_settings (key, value) values ('analyzed_nodes', to_jsonb(%(nodes)s::bigint))
on conflict (key) do update set value = to_jsonb(store_settings.value::bigint + %(nodes)s::bigint);

-- name: analyze_nodes
select lex_analyze_nodes();
