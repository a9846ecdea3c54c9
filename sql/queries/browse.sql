-- Statements of searching without a question: browse, discover, the list of documents, and the structure of the law.
-- The predicates of a request (predicates.sql) fill the slot `filters`.

-- name: browse_nodes
-- The topmost nodes that fit, latest first: an article and not its paragraphs, a decision and not its pages. Dated by
-- the nearest date that a decision or document gives, else by the first day of the version. One row at least, for the
-- total.
with matched as materialized (
    select n.jurisdiction, n.id, n.node_id, n.urn, n.ancestor_ids, n.validity
    from legal_nodes n
    where n.jurisdiction = any(%(jurisdictions)s) and n.language = any(%(languages)s) and n.validity @> %(at_date)s::date
        and n.kind = any(%(kinds)s) and /*slot:filters*/
), inner_nodes as (
    select distinct m.jurisdiction, m.node_id
    from matched m cross join lateral unnest(m.ancestor_ids[:cardinality(m.ancestor_ids) - 1]) as u (id)
    join matched p on p.jurisdiction = m.jurisdiction and p.node_id = u.id
), topmost as (
    select m.* from matched m
    left join inner_nodes i on i.jurisdiction = m.jurisdiction and i.node_id = m.node_id
    where i.node_id is null
), dated as (
    select t.jurisdiction, t.node_id, t.urn, coalesce(d.day, to_char(lower(t.validity), 'YYYY-MM-DD')) as day
    from topmost t
    left join lateral (
        select a.tags ->> 'date' as day from legal_nodes a
        where a.jurisdiction = any(%(jurisdictions)s) and a.jurisdiction = t.jurisdiction
            and a.node_id = any(t.ancestor_ids) and a.validity @> %(at_date)s::date
            and a.tags ->> 'date' ~ '^\d\d\d\d-\d\d-\d\d$'
        order by cardinality(a.ancestor_ids) desc limit 1
    ) d on true
)
select c.total, p.jurisdiction, p.node_id, p.day, p.urn
from (select count(*) as total from topmost) c
left join lateral (
    select * from dated order by day collate "C" desc nulls last, urn collate "C", jurisdiction limit %(limit)s offset %(offset)s
) p on true
order by p.day collate "C" desc nulls last, p.urn collate "C", p.jurisdiction;

-- name: find_served_as
-- The date of some nodes, as browsing dates them, their kind, which for a chunk is that of its document, the URN of their
-- document, and the URNs of all that contains them, from the root on, and of themselves.
select n.jurisdiction, n.node_id, coalesce(d.day, to_char(lower(n.validity), 'YYYY-MM-DD')), coalesce(k.kind, n.kind),
    w.urn, array(
        select a.urn from legal_nodes a
        where a.jurisdiction = any(%(jurisdictions)s) and a.jurisdiction = n.jurisdiction
            and a.node_id = any(n.ancestor_ids) and a.validity @> %(at_date)s::date
        order by cardinality(a.ancestor_ids)
    )
from legal_nodes n
join documents w on w.jurisdiction = any(%(jurisdictions)s) and w.jurisdiction = n.jurisdiction and w.id = n.document_id
left join lateral (
    select a.tags ->> 'date' as day from legal_nodes a
    where a.jurisdiction = any(%(jurisdictions)s) and a.jurisdiction = n.jurisdiction
        and a.node_id = any(n.ancestor_ids) and a.validity @> %(at_date)s::date
        and a.tags ->> 'date' ~ '^\d\d\d\d-\d\d-\d\d$'
    order by cardinality(a.ancestor_ids) desc limit 1
) d on true
left join lateral (
    select a.kind from legal_nodes a
    where n.kind = 'chunk' and a.jurisdiction = any(%(jurisdictions)s) and a.jurisdiction = n.jurisdiction
        and a.node_id = any(n.ancestor_ids) and a.validity @> %(at_date)s::date and a.kind not in ('chunk', 'section')
    order by cardinality(a.ancestor_ids) desc limit 1
) k on true
where n.jurisdiction = any(%(jurisdictions)s) and n.node_id = any(%(ids)s) and n.validity @> %(at_date)s::date;

-- name: find_first_words
-- The first words that stand below some nodes: what a node without words of its own begins with.
select n.jurisdiction, n.node_id, w.words
from legal_nodes n
cross join lateral (
    select concat_ws(' ', nullif(d.intro_text, ''), nullif(d.content_text, '')) as words
    from legal_nodes d
    where d.jurisdiction = any(%(jurisdictions)s) and d.jurisdiction = n.jurisdiction and d.validity @> %(at_date)s::date
        and d.citation_path::text collate "C" >= n.citation_path::text
        and d.citation_path::text collate "C" < n.citation_path::text || '0'
        and (d.intro_text <> '' or d.content_text <> '')
    order by d.node_id limit 1
) w
where n.jurisdiction = any(%(jurisdictions)s) and n.node_id = any(%(ids)s) and n.validity @> %(at_date)s::date;

-- name: discover_values
-- The values of one tag among the nodes that fit, most frequent first; one row at least, for the total.
with counted as (
    select n.tags ->> %(key)s as value, count(*) as nodes
    from legal_nodes n
    where n.jurisdiction = any(%(jurisdictions)s) and n.language = any(%(languages)s) and n.validity @> %(at_date)s::date
        and n.kind = any(%(kinds)s) and n.tags ? %(key)s and /*slot:filters*/
    group by 1
)
select c.total, p.value, p.nodes
from (select count(*) as total from counted) c
left join lateral (
    select * from counted order by nodes desc, value collate "C" limit %(limit)s offset %(offset)s
) p on true
order by p.nodes desc nulls last, p.value collate "C";

-- name: discover_keys
-- The keys of the tags among the nodes that fit, with the nodes that hold them.
with counted as (
    select t.key as value, count(*) as nodes
    from legal_nodes n cross join lateral jsonb_object_keys(n.tags) as t (key)
    where n.jurisdiction = any(%(jurisdictions)s) and n.language = any(%(languages)s) and n.validity @> %(at_date)s::date
        and n.kind = any(%(kinds)s) and n.tags <> '{}' and /*slot:filters*/
    group by 1
)
select c.total, p.value, p.nodes
from (select count(*) as total from counted) c
left join lateral (
    select * from counted order by nodes desc, value collate "C" limit %(limit)s offset %(offset)s
) p on true
order by p.nodes desc nulls last, p.value collate "C";

-- name: discover_edge_kinds
-- The kinds of edges that leave the nodes that fit.
with counted as (
    select e.kind as value, count(*) as nodes
    from edges e
    join legal_nodes n on n.jurisdiction = e.jurisdiction and n.id = e.node_version_id
    where e.jurisdiction = any(%(jurisdictions)s) and e.validity @> %(at_date)s::date
        and n.jurisdiction = any(%(jurisdictions)s) and n.language = any(%(languages)s) and n.validity @> %(at_date)s::date
        and n.kind = any(%(kinds)s) and /*slot:filters*/
    group by 1
)
select c.total, p.value, p.nodes
from (select count(*) as total from counted) c
left join lateral (
    select * from counted order by nodes desc, value collate "C" limit %(limit)s offset %(offset)s
) p on true
order by p.nodes desc nulls last, p.value collate "C";

-- name: discover_columns
-- The values of a key that is a column, each with the topmost nodes that fit: articles, decisions, documents.
with matched as materialized (
    select n.jurisdiction, n.node_id, n.ancestor_ids, case %(key)s
            when 'kind' then n.kind
            when 'jurisdiction' then n.jurisdiction
            when 'language' then n.language
            when 'corpus' then n.corpus
            when 'structure_type' then lower(n.structure_type)
            when 'level' then lower(n.level)
            when 'in_force' then coalesce(lower(n.tags ->> 'in_force'), 'true')
            when 'source' then (
                select coalesce(r.tags ->> 'source', split_part(d.format, '_', 1)) from documents d
                left join legal_nodes r on r.jurisdiction = d.jurisdiction and r.urn = d.urn and r.validity @> %(at_date)s::date
                    and r.jurisdiction = any(%(jurisdictions)s)
                where d.jurisdiction = any(%(jurisdictions)s) and d.jurisdiction = n.jurisdiction and d.id = n.document_id
            )
        end as value
    from legal_nodes n
    where n.jurisdiction = any(%(jurisdictions)s) and n.language = any(%(languages)s) and n.validity @> %(at_date)s::date
        and n.kind = any(%(kinds)s) and /*slot:filters*/
), inner_nodes as (
    select distinct m.jurisdiction, m.node_id
    from matched m cross join lateral unnest(m.ancestor_ids[:cardinality(m.ancestor_ids) - 1]) as u (id)
    join matched p on p.jurisdiction = m.jurisdiction and p.node_id = u.id
), counted as (
    select m.value, count(*) as nodes
    from matched m
    left join inner_nodes i on i.jurisdiction = m.jurisdiction and i.node_id = m.node_id
    where i.node_id is null and m.value is not null
    group by 1
)
select c.total, p.value, p.nodes
from (select count(*) as total from counted) c
left join lateral (
    select * from counted order by nodes desc, value collate "C" limit %(limit)s offset %(offset)s
) p on true
order by p.nodes desc nulls last, p.value collate "C";

-- name: find_lexemes
-- What full-text search makes of words.
select t.word, tsvector_to_array(to_tsvector(%(config)s::regconfig, lex_words(t.word)))
from unnest(%(words)s::text[]) as t (word);

-- name: browse_sections
-- The headings of the law as a tree, in the order of the publications, with the depth below the root. Jurisdiction,
-- language and date hold for the root and for every step down, so that no tree mixes them; the other filters say which
-- nodes are listed, wherever in the tree they stand.
with recursive scope as materialized (
    select n.jurisdiction, n.node_id, n.urn, n.kind, n.language, n.structure_type, n.level, n.number, n.heading,
        n.ancestor_ids, n.citation_path,
        coalesce(n.ancestor_ids[cardinality(n.ancestor_ids) - 1], 0) as parent_id,
        (/*slot:filters*/) as fits,
        (lpad(n.ordinal::text, 9, '0') || ' ' || lpad(coalesce(substring(n.number from '^[0-9]{1,12}'), ''), 12, '0')
            || ' ' || n.urn) as place
    from legal_nodes n
    where n.jurisdiction = any(%(jurisdictions)s) and n.language = any(%(languages)s) and n.validity @> %(at_date)s::date
        and (n.kind = 'section' or n.node_id = %(root)s::bigint or (%(provisions)s and n.kind = any(%(kinds)s))
            or (n.kind = 'legislation' and cardinality(n.ancestor_ids) = 1))
        and (%(low)s::text is null or (n.citation_path::text collate "C" >= %(low)s::text
        and n.citation_path::text collate "C" < %(high)s::text))
), tree as (
    select s.*, 0 as depth, null::text collate "C" as parent_urn, array[s.place] as places
    from scope s
    where case when %(root)s::bigint is null
        then cardinality(s.ancestor_ids) = 1 and (s.kind = 'section' or (s.jurisdiction, s.node_id) in (
            select h.jurisdiction, h.parent_id from scope h where h.kind = 'section'))
        else s.node_id = %(root)s::bigint end
    union all
    select s.*, t.depth + 1, t.urn collate "C", t.places || s.place
    from tree t join scope s on s.jurisdiction = t.jurisdiction and s.parent_id = t.node_id and s.language = t.language
    where t.depth < %(depth)s and (t.kind = 'section' or t.depth = 0)
)
select c.total, p.jurisdiction, p.urn, p.parent_urn, p.kind, p.language, p.structure_type, p.level, p.number, p.heading,
    p.depth, b.sections, b.provisions
from (select count(*) as total from tree where fits) c
left join lateral (
    select * from tree where fits order by jurisdiction, places collate "C" limit %(limit)s offset %(offset)s
) p on true
left join lateral (
    select count(*) filter (where k.kind = 'section') as sections, count(*) filter (where k.kind <> 'section') as provisions
    from legal_nodes k
    where k.jurisdiction = any(%(jurisdictions)s) and k.jurisdiction = p.jurisdiction and k.validity @> %(at_date)s::date
        and k.citation_path::text collate "C" >= p.citation_path::text
        and k.citation_path::text collate "C" < p.citation_path::text || '0'
        and cardinality(k.ancestor_ids) = cardinality(p.ancestor_ids) + 1
) b on true
order by p.jurisdiction, p.places collate "C";

-- name: list_documents
-- The documents that fit, in URN order, each once however many chunks it has. What a document is comes from its root: a
-- judgment, and as such a decision too.
-- A corpus that several documents share is none itself.
with fitting as (
    select d.jurisdiction, d.id, d.urn, d.corpus_urn, d.format, d.source, d.edition_date, n.heading, n.language, n.tags,
        case n.kind when 'section' then 'legislation' else n.kind end as kind,
        coalesce(n.tags ->> 'type', n.tags ->> 'document_type', case n.kind when 'section' then 'legislation' else n.kind end)
            as type
    from documents d
    join lateral (
        select n.* from legal_nodes n
        where n.jurisdiction = any(%(jurisdictions)s) and n.jurisdiction = d.jurisdiction and n.urn = d.urn
            and n.validity @> %(at_date)s::date and n.language = any(%(languages)s) and /*slot:filters*/
    ) n on true
    where d.jurisdiction = any(%(jurisdictions)s) and d.format <> 'corpus'
), typed as (
    select * from fitting where %(types)s::text[] is null or type = any(%(types)s) or kind = any(%(types)s)
)
select c.total, p.jurisdiction, p.urn, p.heading, p.type, p.language, p.corpus_urn, s.title, p.format, p.source,
    p.edition_date, p.tags, k.chunks, k.nodes
from (select count(*) as total from typed) c
left join lateral (select * from typed order by urn collate "C", jurisdiction limit %(limit)s offset %(offset)s) p on true
left join sources s on s.urn = p.corpus_urn
left join lateral (
    select count(*) as nodes, case when bool_or(n.kind = 'chunk') then count(*) filter (where n.kind = 'chunk')
        else count(*) filter (where n.kind <> 'section' and n.fts_length > 0) end as chunks
    from legal_nodes n
    where n.jurisdiction = any(%(jurisdictions)s) and n.jurisdiction = p.jurisdiction and n.document_id = p.id
        and n.validity @> %(at_date)s::date
) k on true
order by p.urn collate "C", p.jurisdiction;

-- name: list_document_types
-- The types of the documents of some jurisdictions.
select coalesce(n.tags ->> 'type', n.tags ->> 'document_type', case n.kind when 'section' then 'legislation' else n.kind end)
    as type, count(*) as documents
from documents d
join legal_nodes n on n.jurisdiction = d.jurisdiction and n.urn = d.urn
where d.jurisdiction = any(%(jurisdictions)s) and d.format <> 'corpus' and n.jurisdiction = any(%(jurisdictions)s)
    and n.validity @> %(at_date)s::date and n.language = any(%(languages)s)
group by 1 order by 2 desc, 1;
