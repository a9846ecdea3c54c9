-- Statements of rag/ingest that derive: statistics, closures of definitions, targets of edges, facets.

-- name: find_definition_places
-- Where the stored definitions of a document stand and what they govern, over all versions.
select distinct d.node_id, d.term_id, d.scope_id from legal_nodes n
join legal_definitions d on d.jurisdiction = n.jurisdiction and d.node_version_id = n.id
where n.jurisdiction = %(jurisdiction)s and d.jurisdiction = %(jurisdiction)s and n.document_id = %(document_id)s;

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

-- name: find_definition_uses
-- What the definitions of a document use, over all versions of its nodes, and where they stand, beside what was derived
-- before.
with found as materialized (
    select d.id, d.term_id, d.node_path, d.scope_id, n.urn, n.ancestor_ids,
        case when cardinality(n.subtree_ids) > 0 and cardinality(d.apart_ids) = 0 then n.subtree_ids else array(
            -- A container lists no parts of its own accord; one that defines is rare.
            select distinct s.node_id from legal_nodes s
            where s.jurisdiction = %(jurisdiction)s and s.citation_path::text collate "C" >= n.citation_path::text
                and s.citation_path::text collate "C" < n.citation_path::text || '0' and not s.ancestor_ids && d.apart_ids
            order by s.node_id
        ) end as subtree_ids, d.own_terms, d.apart_ids, d.used_terms, d.needed_terms, d.beyond_document, d.urn as known_urn,
        d.ancestor_ids as known_ancestor_ids, d.subtree_ids as known_subtree_ids
    from legal_nodes n
    join legal_definitions d on d.jurisdiction = n.jurisdiction and d.node_version_id = n.id
    where n.jurisdiction = %(jurisdiction)s and d.jurisdiction = %(jurisdiction)s and n.document_id = %(document_id)s
), uses as materialized (
    -- A node may define hundreds of terms: its subtree is read once.
    select p.node_path, array(
        select distinct u.term_id from legal_nodes s cross join lateral unnest(s.used_terms) as u (term_id)
        where s.jurisdiction = %(jurisdiction)s and s.citation_path::text collate "C" >= p.node_path::text
            and s.citation_path::text collate "C" < p.node_path::text || '0'
        order by u.term_id
    ) as used
    from (select distinct node_path from found) p
)
select f.id, f.term_id, case when f.own_terms is not null then f.own_terms when cardinality(f.apart_ids) = 0 then u.used
    else array(
        select distinct u.term_id from legal_nodes s cross join lateral unnest(s.used_terms) as u (term_id)
        where s.jurisdiction = %(jurisdiction)s and s.citation_path::text collate "C" >= f.node_path::text
            and s.citation_path::text collate "C" < f.node_path::text || '0' and not s.ancestor_ids && f.apart_ids
        order by u.term_id
    ) end as used,
    not exists (select from legal_nodes s where s.jurisdiction = %(jurisdiction)s and s.node_id = f.scope_id
        and s.document_id = %(document_id)s) as beyond,
    f.urn, f.ancestor_ids, f.subtree_ids,
    f.used_terms, f.needed_terms, f.beyond_document, f.known_urn, f.known_ancestor_ids, f.known_subtree_ids
from found f join uses u on u.node_path = f.node_path;

-- name: write_definition_uses
with v as materialized (
    select id, used::integer[], needed::integer[], beyond, urn, ancestor_ids::bigint[], subtree_ids::bigint[]
    from unnest(%(ids)s::bigint[], %(used)s::text[], %(needed)s::text[], %(beyond)s::boolean[], %(urns)s::text[],
        %(ancestor_ids)s::text[], %(subtree_ids)s::text[])
        as v (id, used, needed, beyond, urn, ancestor_ids, subtree_ids)
)
update legal_definitions d
set used_terms = v.used, needed_terms = v.needed, beyond_document = v.beyond, urn = v.urn,
    ancestor_ids = v.ancestor_ids, subtree_ids = v.subtree_ids
from v
where d.jurisdiction = %(jurisdiction)s and d.id = v.id;

-- name: analyze_store
select lex_analyze_store();

-- name: clean_pending
select lex_merge_pending();

-- name: list_packed
select i.indexrelid::regclass::text from pg_index i join pg_class c on c.oid = i.indexrelid
where i.indrelid = any('{legal_nodes,legal_definitions,edges,lexeme_stats}'::regclass[])
    and c.relam = (select oid from pg_am where amname = 'btree')
order by 1;

-- name: pack_index
select lex_pack_index(%(index)s);

-- name: find_unresolved_targets
select distinct target_jurisdiction, target_urn from edges
where jurisdiction = any(%(jurisdictions)s) and target_id is null and target_urn <> ''
order by target_jurisdiction, target_urn;

-- name: find_unresolved_targets_of
-- The same of the edges of some documents.
select distinct e.target_jurisdiction, e.target_urn from legal_nodes n
join edges e on e.jurisdiction = n.jurisdiction and e.node_version_id = n.id
where n.jurisdiction = %(jurisdiction)s and e.jurisdiction = %(jurisdiction)s and n.document_id = any(%(document_ids)s)
    and e.target_id is null and e.target_urn <> '';

-- name: find_names
-- What edges may call the nodes of some documents.
select urn from legal_nodes where jurisdiction = %(jurisdiction)s and document_id = any(%(document_ids)s)
union
select u.alias from legal_nodes cross join lateral unnest(aliases) as u (alias)
where jurisdiction = %(jurisdiction)s and document_id = any(%(document_ids)s) and u.alias like 'urn:lex:%%';

-- name: find_wanted
-- Which of some URNs unresolved edges name.
select distinct target_urn from edges
where jurisdiction = any(%(jurisdictions)s) and target_jurisdiction = %(target_jurisdiction)s and target_id is null
    and target_urn = any(%(urns)s);

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
