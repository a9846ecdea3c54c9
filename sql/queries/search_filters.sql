-- Statements about the filters of a search; the predicates themselves are in predicates.sql.

-- name: nodes_with
-- Nodes that themselves fit, for `node_within`.
select n.jurisdiction, n.node_id from legal_nodes n
where n.jurisdiction = any(%(jurisdictions)s) and n.validity @> %(at_date)s::date and (/*slot:predicate*/);

-- name: nodes_given
-- Nodes by their keys, for `node_within`.
select e.code, e.id from unnest(/*slot:codes*/::text[], /*slot:ids*/::bigint[]) as e (code, id);

-- name: find_edge_units
-- The units (articles, sections, decisions, documents: the topmost nodes that search serves) that have an edge of a kind
-- to one of some targets or to what lies within it.
with target as materialized (
    select t.jurisdiction, t.node_id
    from unnest(%(lows)s::text[], %(highs)s::text[]) as w (low, high)
    join legal_nodes t on t.citation_path::text collate "C" >= w.low and t.citation_path::text collate "C" < w.high
    where t.jurisdiction = any(%(target_jurisdictions)s)
), source as materialized (
    select e.jurisdiction, e.node_version_id from edges e join target t
        on e.target_jurisdiction = t.jurisdiction and e.target_id = t.node_id
    where e.jurisdiction = any(%(jurisdictions)s) and e.target_jurisdiction = any(%(target_jurisdictions)s)
        and e.validity @> %(at_date)s::date and (%(kind)s::text is null or e.kind = %(kind)s)
    union
    select e.jurisdiction, e.node_version_id from edges e
    where e.jurisdiction = any(%(jurisdictions)s) and e.target_jurisdiction = any(%(target_jurisdictions)s)
        and e.target_urn = any(%(urns)s) and e.target_id is null
        and e.validity @> %(at_date)s::date and (%(kind)s::text is null or e.kind = %(kind)s)
), named as materialized (
    select s.jurisdiction, s.node_id, s.ancestor_ids
    from source o join legal_nodes s on s.jurisdiction = o.jurisdiction and s.id = o.node_version_id
    where s.jurisdiction = any(%(jurisdictions)s)
)
select distinct on (s.jurisdiction, s.node_id) a.jurisdiction, a.node_id
from named s
join legal_nodes a on a.jurisdiction = s.jurisdiction and a.node_id = any(s.ancestor_ids)
where a.jurisdiction = any(%(jurisdictions)s) and a.kind <> 'section'
    and a.validity @> %(at_date)s::date
order by s.jurisdiction, s.node_id, cardinality(a.ancestor_ids), a.node_id;

-- name: filter_named_nodes
-- Which of some versions fit.
select n.jurisdiction, n.id from legal_nodes n
where n.jurisdiction = any(%(jurisdictions)s) and n.id = any(%(ids)s) and n.validity @> %(at_date)s::date
    and /*slot:filters*/;
