-- What the filters of a search ask for. `retrieval/search_filters.py` puts these into the statements of the legs, as sets
-- that the server builds once a statement; the names of bound values are numbered there.

-- name: filter_tagged_nodes
-- Nodes that themselves hold a tag.
select n.jurisdiction, n.node_id from legal_nodes n
where n.jurisdiction = any(%(jurisdictions)s) and n.validity @> %(at_date)s::date and (/*filters*/ true);

-- name: filter_source_documents
-- Documents by what they came from: what the publication itself calls its source, format, the format's family, file,
-- file without ending, corpus, or the document itself.
select d.jurisdiction, d.id from documents d
where d.jurisdiction = any(%(jurisdictions)s)
    and (array[d.format, split_part(d.format, '_', 1), d.source, regexp_replace(d.source, '\.[^./]*$', ''), d.corpus_urn, d.urn]
            && %(sources)s::text[]
        or exists (
            select 1 from legal_nodes r
            where r.jurisdiction = any(%(jurisdictions)s) and r.jurisdiction = d.jurisdiction and r.urn = d.urn
                and r.validity @> %(at_date)s::date and r.tags ->> 'source' = any(%(sources)s::text[])
        ));

-- name: filter_given_nodes
select e.code, e.id from unnest(%(unit_codes)s::text[], %(unit_ids)s::bigint[]) as e (code, id);

-- name: filter_rules_with_phrases
-- Rules whose own words hold one of some phrases; a heading above the rule is not among them.
select x.jurisdiction, x.rule_id
from unnest(%(phrases)s::text[]) as p (phrase)
join legal_nodes x on x.fts @@ phraseto_tsquery(%(config)s::regconfig, lex_words(p.phrase))
where x.jurisdiction = any(%(jurisdictions)s) and x.validity @> %(at_date)s::date
    and ts_filter(x.fts, array['a', 'd']::"char"[]) @@ phraseto_tsquery(%(config)s::regconfig, lex_words(p.phrase));

-- name: find_edge_units
-- The units (articles, sections, decisions, documents: the topmost nodes that search serves) that have an edge of a kind
-- to one of some targets or to what lies within it.
with target as (
    select t.jurisdiction, t.node_id
    from unnest(%(lows)s::text[], %(highs)s::text[]) as w (low, high)
    join legal_nodes t on t.citation_path >= w.low::ltree and t.citation_path < w.high::ltree
    where t.jurisdiction = any(%(target_jurisdictions)s)
), source as (
    select e.jurisdiction, e.node_version_id from edges e join target t
        on e.target_jurisdiction = t.jurisdiction and e.target_id = t.node_id
    where e.jurisdiction = any(%(jurisdictions)s) and e.target_jurisdiction = any(%(target_jurisdictions)s)
        and e.validity @> %(at_date)s::date and (%(kind)s::text is null or e.kind = %(kind)s)
    union
    select e.jurisdiction, e.node_version_id from edges e
    where e.jurisdiction = any(%(jurisdictions)s) and e.target_jurisdiction = any(%(target_jurisdictions)s)
        and e.target_urn = any(%(urns)s) and e.target_id is null
        and e.validity @> %(at_date)s::date and (%(kind)s::text is null or e.kind = %(kind)s)
)
select distinct on (s.jurisdiction, s.node_id) a.jurisdiction, a.node_id
from source o
join legal_nodes s on s.jurisdiction = o.jurisdiction and s.id = o.node_version_id
join legal_nodes a on a.jurisdiction = s.jurisdiction and a.node_id = any(s.ancestor_ids)
where s.jurisdiction = any(%(jurisdictions)s) and a.jurisdiction = any(%(jurisdictions)s) and a.kind <> 'section'
    and a.validity @> %(at_date)s::date
order by s.jurisdiction, s.node_id, cardinality(a.ancestor_ids), a.node_id;

-- name: filter_named_nodes
-- Which of some versions fit.
select n.jurisdiction, n.id from legal_nodes n
where n.jurisdiction = any(%(jurisdictions)s) and n.id = any(%(ids)s) and n.validity @> %(at_date)s::date
    and /*filters*/ true;
