-- Statements that resolve references: what people write, as a TagQuery, to the nodes of the store.

-- name: run_tag_query
-- One TagQuery, whose predicates fill the slot, all over bound values. Of each node the version at the date, without a
-- date the one in force today, else the latest. A tag `in_force` that is neither true nor false says nothing.
select one.jurisdiction, one.node_id, one.id, one.urn, one.kind, one.language, one.heading, one.tags, one.valid_from,
    one.valid_to, one.from_basis, one.to_basis, one.uncertain, one.aliases, s.title as corpus_title
from (
    select distinct on (n.jurisdiction, n.node_id) n.jurisdiction, n.node_id, n.id, n.urn, n.kind, n.language,
        n.heading, n.tags, n.corpus, n.aliases, lower(n.validity) as valid_from, upper(n.validity) as valid_to,
        n.from_basis, n.to_basis, n.uncertain::text as uncertain,
        case lower(n.tags ->> 'in_force') when 'true' then true when 'false' then false
            else n.validity @> %(today)s::date end as in_force
    from legal_nodes n
    where n.jurisdiction = any(%(jurisdictions)s)
        and (%(language)s::text is null or n.language = %(language)s)
        and (%(kind)s::text is null or n.kind = %(kind)s)
        and (%(at_date)s::date is null or n.validity @> %(at_date)s::date)
        and /*slot:filters*/
    order by n.jurisdiction, n.node_id, n.validity @> %(today)s::date desc, lower(n.validity) desc nulls last
) one
left join sources s on s.urn = one.corpus
order by case when %(in_force_first)s then one.in_force end desc nulls last, one.valid_from desc nulls last,
    one.urn collate "C"
limit %(limit)s;

-- name: probe_many_tags
-- Of each set of tags, the rows that hold it, found by one tag of it: the index would merge the long list of a whole
-- code's rows with that of a number. Where too many rows hold the one tag, only their count says something.
select f.probed, f.ids
from jsonb_array_elements(%(tags)s::jsonb) with ordinality as q (tags, position)
cross join lateral (
    select count(*)::int as probed, array_agg(p.id) filter (where p.tags @> (q.tags -> 'all')) as ids
    from (
        select l.id, l.tags from legal_nodes l
        where l.jurisdiction = any(%(jurisdictions)s) and l.tags @> (q.tags -> 'one')
        limit %(most)s
    ) p
) f
order by q.position;

-- name: find_ids_by_tags
-- The same by all tags at once, up to a limit.
select f.held, f.ids
from jsonb_array_elements(%(tags)s::jsonb) with ordinality as q (tags, position)
cross join lateral (
    select count(*)::int as held, array_agg(p.id) as ids
    from (
        select l.id from legal_nodes l
        where l.jurisdiction = any(%(jurisdictions)s) and l.tags @> (q.tags -> 'all')
        limit %(most)s
    ) p
) f
order by q.position;

-- name: find_versions_by_id
select n.jurisdiction, n.node_id, n.id, n.urn, n.kind, n.language, n.heading, n.tags, lower(n.validity) as valid_from,
    upper(n.validity) as valid_to, n.from_basis, n.to_basis, n.uncertain::text as uncertain, n.aliases,
    s.title as corpus_title
from legal_nodes n
left join sources s on s.urn = n.corpus
where n.jurisdiction = any(%(jurisdictions)s) and n.id = any(%(ids)s);

-- name: find_versions_of_nodes
-- All versions of the nodes that hold one of these names as URN or alias, oldest first.
select n.jurisdiction, n.node_id, n.id, n.urn, n.kind, n.language, n.heading, n.tags, lower(n.validity) as valid_from,
    upper(n.validity) as valid_to, n.from_basis, n.to_basis, n.uncertain::text as uncertain, n.aliases,
    s.title as corpus_title
from legal_nodes n
left join sources s on s.urn = n.corpus
where n.jurisdiction = any(%(jurisdictions)s) and (n.jurisdiction, n.node_id) in (
    select distinct a.jurisdiction, a.node_id from legal_nodes a
    where a.jurisdiction = any(%(jurisdictions)s) and (a.urn = any(%(names)s) or a.aliases && %(names)s::text[])
    order by a.jurisdiction, a.node_id
    limit %(most)s
)
order by n.jurisdiction, n.node_id, lower(n.validity) nulls first, n.id;

-- name: find_urns_at_path
-- The URN of the node with this citation path.
select distinct n.urn from legal_nodes n
where n.jurisdiction = any(%(jurisdictions)s) and n.citation_path::text collate "C" = %(path)s;

-- name: find_urns_around_path
-- The URNs of the nodes with these citation paths, the deepest first.
select distinct n.urn, nlevel(n.citation_path) from legal_nodes n
where n.jurisdiction = any(%(jurisdictions)s) and n.citation_path::text collate "C" = any(%(paths)s::text[])
order by 2 desc, 1;

-- name: find_versions_of_urns
-- All versions of the nodes with these URNs, oldest first.
select n.jurisdiction, n.node_id, n.id, n.urn, n.kind, n.language, n.heading, n.tags, lower(n.validity) as valid_from,
    upper(n.validity) as valid_to, n.from_basis, n.to_basis, n.uncertain::text as uncertain, n.aliases,
    s.title as corpus_title
from legal_nodes n
left join sources s on s.urn = n.corpus
where n.jurisdiction = any(%(jurisdictions)s) and n.urn = any(%(urns)s)
order by n.jurisdiction, n.node_id, lower(n.validity) nulls first, n.id;

-- name: find_urns_of_aliases
-- The URNs of the nodes that bear these aliases. Name by name: an overlap with thousands of names would be compared
-- with every row.
select distinct b.urn
from unnest(%(names)s::text[]) as w (name)
cross join lateral (
    select l.urn from legal_nodes l where l.jurisdiction = any(%(jurisdictions)s) and l.aliases @> array[w.name]
) b;

-- name: count_citing
-- How many provisions cite each of these or a part of it, by resolved edges in force at the date; its own parts aside.
-- Parts are found by their paths (`offset 0`: a plain join reads all nodes), edges by the parts' ids.
with own as materialized (
    select distinct c.urn, c.jurisdiction, part.node_id as id
    from (
        select distinct n.jurisdiction, n.urn, n.citation_path::text as path from legal_nodes n
        where n.jurisdiction = any(%(jurisdictions)s) and n.urn = any(%(urns)s)
    ) c, lateral (
        select n.node_id from legal_nodes n
        where n.jurisdiction = any(%(jurisdictions)s) and n.jurisdiction = c.jurisdiction
            and n.citation_path::text collate "C" >= c.path
            and n.citation_path::text collate "C" < c.path || '0'
        offset 0
    ) part
), citing as materialized (
    select e.target_jurisdiction, e.target_id, e.jurisdiction, e.source_id from edges e
    where e.jurisdiction = any(%(everywhere)s) and e.validity @> %(at_date)s::date
        and e.target_jurisdiction = any(array(select distinct jurisdiction from own))
        and e.target_id = any(array(select id from own))
)
select urn, count(*)
from (
    select own.urn, e.jurisdiction, e.source_id
    from own join citing e on e.target_jurisdiction = own.jurisdiction and e.target_id = own.id
    except select urn, jurisdiction, id from own
) found
group by urn;

-- name: find_repealing
-- What the citation graph says ended a provision: (repealed URN, the repealing provision's URN, its first day).
with c as materialized (
    select distinct n.jurisdiction, n.node_id, n.urn from legal_nodes n
    where n.jurisdiction = any(%(jurisdictions)s) and n.urn = any(%(urns)s)
), ended as materialized (
    select c.urn, e.jurisdiction, e.node_version_id
    from c
    join edges e on e.target_jurisdiction = c.jurisdiction and e.target_id = c.node_id
    where e.jurisdiction = any(%(jurisdictions)s) and e.kind = any(%(kinds)s)
)
select c.urn, s.urn, lower(s.validity)
from ended c
join legal_nodes s on s.jurisdiction = c.jurisdiction and s.id = c.node_version_id
where s.jurisdiction = any(%(jurisdictions)s)
order by 1, 3 desc nulls last, 2;

-- name: list_outgoing_edges
-- The edges of a provision and of what lies within it, with the total before the limit.
with page as materialized (
    select e.kind, e.id, s.urn as source_urn, s.heading as source_heading, e.target_urn, e.target_jurisdiction,
        e.target_id, e.reference, lower(e.validity) as valid_from, upper(e.validity) as valid_to,
        count(*) over () as total
    from legal_nodes s
    join edges e on e.jurisdiction = s.jurisdiction and e.node_version_id = s.id
    where s.jurisdiction = %(own)s and e.jurisdiction = %(own)s and s.citation_path::text collate "C" >= %(low)s
        and s.citation_path::text collate "C" < %(high)s and e.validity @> %(at_date)s::date
        and (%(kind)s::text is null or e.kind = %(kind)s)
    order by s.urn collate "C", e.kind, e.id
    limit %(limit)s offset %(offset)s
), targets as materialized (
    select distinct on (n.jurisdiction, n.node_id) n.jurisdiction, n.node_id, n.urn, n.heading
    from page p join legal_nodes n on n.jurisdiction = p.target_jurisdiction and n.node_id = p.target_id
    where n.jurisdiction = any(%(jurisdictions)s)
    order by n.jurisdiction, n.node_id, n.validity @> %(at_date)s::date desc, lower(n.validity) desc nulls last
)
select p.kind, p.source_urn, p.source_heading, coalesce(t.urn, p.target_urn) as target_urn,
    coalesce(t.heading, '') as target_heading, p.reference, p.target_id is not null as resolved, p.valid_from,
    p.valid_to, p.total
from page p left join targets t on t.jurisdiction = p.target_jurisdiction and t.node_id = p.target_id
order by p.source_urn collate "C", p.kind, p.id;

-- name: list_incoming_edges
-- The resolved edges that point to a provision or to what lies within it, with the total before the limit.
with targets as materialized (
    select distinct on (n.jurisdiction, n.node_id) n.jurisdiction, n.node_id, n.urn, n.heading from legal_nodes n
    where n.jurisdiction = %(own)s and n.citation_path::text collate "C" >= %(low)s
        and n.citation_path::text collate "C" < %(high)s
    order by n.jurisdiction, n.node_id, n.validity @> %(at_date)s::date desc, lower(n.validity) desc nulls last
), found as materialized (
    select e.kind, e.id, e.jurisdiction, e.node_version_id, t.urn as target_urn, t.heading as target_heading,
        e.reference, lower(e.validity) as valid_from, upper(e.validity) as valid_to
    from targets t
    join edges e on e.target_jurisdiction = t.jurisdiction and e.target_id = t.node_id
    where e.jurisdiction = any(%(jurisdictions)s) and e.validity @> %(at_date)s::date
        and (%(kind)s::text is null or e.kind = %(kind)s)
)
select f.kind, s.urn as source_urn, s.heading as source_heading, f.target_urn, f.target_heading, f.reference,
    true as resolved, f.valid_from, f.valid_to, count(*) over () as total
from found f
join legal_nodes s on s.jurisdiction = f.jurisdiction and s.id = f.node_version_id
where s.jurisdiction = any(%(jurisdictions)s)
order by f.target_urn collate "C", s.urn collate "C", f.kind, f.id
limit %(limit)s offset %(offset)s;

-- name: list_outgoing_edge_kinds
select distinct e.kind
from legal_nodes s
join edges e on e.jurisdiction = s.jurisdiction and e.node_version_id = s.id
where s.jurisdiction = %(own)s and e.jurisdiction = %(own)s and s.citation_path::text collate "C" >= %(low)s
    and s.citation_path::text collate "C" < %(high)s and e.validity @> %(at_date)s::date
order by e.kind;

-- name: list_incoming_edge_kinds
select distinct e.kind from edges e
where e.jurisdiction = any(%(jurisdictions)s) and e.validity @> %(at_date)s::date and e.target_jurisdiction = %(own)s
    and e.target_id = any(array(
        select t.node_id from legal_nodes t
        where t.jurisdiction = %(own)s and t.citation_path::text collate "C" >= %(low)s
            and t.citation_path::text collate "C" < %(high)s))
order by e.kind;

-- name: list_unresolved_references
-- The words of the edges without a target, each once. Those that a grammar read as a URN are known by it.
select distinct e.reference, e.target_urn <> '' as named from edges e
where e.jurisdiction = %(jurisdiction)s and e.target_id is null and e.reference <> ''
order by 1, 2;

-- name: count_unresolved_edges
select count(*) from edges where jurisdiction = any(%(jurisdictions)s) and target_id is null;

-- name: resolve_edge_references
-- Targets for edges by the words of their source.
update edges e set target_id = v.node_id, target_jurisdiction = v.jurisdiction
from unnest(%(references)s::text[], %(named)s::boolean[], %(target_jurisdictions)s::text[], %(node_ids)s::bigint[])
    as v (reference, named, jurisdiction, node_id)
where e.jurisdiction = %(jurisdiction)s and e.target_id is null and e.reference = v.reference
    and (e.target_urn <> '') = v.named;

-- name: find_node_ids
-- The nodes that bear these URNs, whatever the version.
select distinct n.jurisdiction, n.urn, n.node_id from legal_nodes n
where n.jurisdiction = any(%(jurisdictions)s) and n.urn = any(%(urns)s);

-- name: find_cases
-- Decisions by a clue: the signs of a number and of a name do not count, nor does case; `v` is also written `vs`. A name
-- has the clue whole, or where none does its words in their order (`name_words`, a pattern).
-- A whole citation counts as a number, its division in brackets or not; a court is known by its series in the URN, too.
with described as (
    select n.urn, n.aliases, n.tags,
        coalesce(n.tags ->> 'date', lower(n.validity)::text, '') as decided,
        string_to_array(lex_number(coalesce(n.tags ->> 'case_number', '')), ';') as numbers,
        array(
            select translate(lex_number(spelling), '[]', '')
            from unnest(case when n.tags ? 'case_name' then n.aliases else '{}' end
                    || array[n.tags ->> 'neutral_citation', n.tags ->> 'ecli']) as a (alias),
                unnest(array[alias, regexp_replace(alias, '\s*\([^()]*\)\s*$', '')]) as s (spelling)
            where spelling <> ''
        ) as citations,
        regexp_replace(regexp_replace(regexp_replace(lower(lex_unaccent(normalize(coalesce(n.tags ->> 'case_name', ''), NFKC))),
            '[''’](?=\w)', '', 'g'), '[^[:alnum:]]+', ' ', 'g'), '\y(vs|versus)\y', 'v', 'g') as name
    from legal_nodes n
    where n.jurisdiction = any(%(jurisdictions)s) and n.kind = 'decision'
        and n.tags ?| array['case_number', 'case_name', 'court', 'ecli']
        -- A paragraph bears its decision's number, and is no decision.
        and not exists (
            select from legal_nodes above
            where above.jurisdiction = any(%(jurisdictions)s) and above.jurisdiction = n.jurisdiction
                and above.node_id = any(n.ancestor_ids) and above.node_id <> n.node_id and above.kind = 'decision')
        and (cardinality(%(courts)s::text[]) = 0 or exists (
            select from unnest(%(courts)s::text[]) as c (court)
            where strpos(
                lower(lex_unaccent(normalize(coalesce(n.tags ->> 'court', ''), NFKC))),
                lower(lex_unaccent(normalize(c.court, NFKC)))) > 0
            or starts_with(split_part(n.urn, ':', 4),
                regexp_replace(trim(lower(c.court)), '[^[:alnum:]]+', '-', 'g') || '-')))
), fitting as (
    select d.*,
        exists (
            select from unnest(%(numbers)s::text[]) as w (number)
            where lex_number(w.number) = any(d.numbers)
                or translate(lex_number(w.number), '[]', '') = any(d.citations)
        ) or coalesce(strpos(d.name, c.name) > 0, false) as whole
    from described d
    cross join (select trim(regexp_replace(regexp_replace(regexp_replace(lower(lex_unaccent(normalize(%(name)s::text, NFKC))),
        '[''’](?=\w)', '', 'g'), '[^[:alnum:]]+', ' ', 'g'), '\y(vs|versus)\y', 'v', 'g')) as name) c
    where (cardinality(%(numbers)s::text[]) = 0 or exists (
            select from unnest(%(numbers)s::text[]) as w (number), unnest(d.numbers) as h (number)
            where strpos(h.number, lex_number(w.number)) > 0)
        or exists (
            select from unnest(%(numbers)s::text[]) as w (number)
            where translate(lex_number(w.number), '[]', '') = any(d.citations)))
        and (c.name is null or strpos(d.name, c.name) > 0 or d.name ~ %(name_words)s)
        and (%(first)s::text is null or (d.decided collate "C" >= %(first)s and d.decided collate "C" < %(after)s))
)
select f.urn, coalesce(f.tags ->> 'court', '') as court, f.decided as date,
    coalesce(f.tags ->> 'case_number', '') as case_number, coalesce(f.tags ->> 'case_name', '') as case_name,
    f.aliases as citations, f.whole
from fitting f
where f.whole or not exists (select from fitting g where g.whole)
order by f.decided collate "C" desc, f.urn collate "C"
limit %(limit)s;

-- name: find_a_case
-- Any decision of some jurisdictions.
select n.jurisdiction from legal_nodes n where n.jurisdiction = any(%(jurisdictions)s) and n.kind = 'decision' limit 1;

-- name: find_urns_by_prefix
-- URNs in force that begin like one that is not there and end in the same segment; of each beginning the first few.
select distinct near.urn
from unnest(%(prefixes)s::text[]) as q (prefix)
cross join lateral (
    select n.urn from legal_nodes n
    where n.jurisdiction = %(jurisdiction)s and n.urn >= q.prefix and starts_with(n.urn, q.prefix)
        and strpos(substr(n.urn, length(%(base)s) + 1), ':') = 0 and n.validity @> %(at_date)s::date
    order by n.urn
    limit 100
) near;

-- name: find_held_parts
-- The documents in which some laws are held, the law itself among them where it is held whole. What only frames parts
-- has no source.
select corpus_urn, urn from documents
where jurisdiction = any(%(jurisdictions)s) and corpus_urn = any(%(urns)s) and source <> ''
order by urn;

-- name: find_begun_urns
-- Of beginnings of URNs those that a node has, whenever it is in force: the next URN in order has it, or none does.
select distinct q.beginning
from unnest(%(beginnings)s::text[]) as q (beginning)
cross join lateral (
    select n.urn from legal_nodes n
    where n.jurisdiction = %(jurisdiction)s and n.urn >= q.beginning
    order by n.urn
    limit 1
) next
where starts_with(next.urn, q.beginning);

-- name: find_range
-- Provisions of one kind below one node, for those of them whose numbers lie in a range.
select distinct urn from legal_nodes
where jurisdiction = %(jurisdiction)s and citation_path::text collate "C" >= %(low)s
    and citation_path::text collate "C" < %(high)s
    and structure_type = %(structure_type)s and starts_with(urn, %(base)s)
    and strpos(substr(urn, length(%(base)s) + 1), ':') = 0 and validity @> %(at_date)s::date;

-- name: find_near_numbers
-- Nodes that fit a query but for the number in one tag, nearest by that number's first digits.
select near.urn, near.number from (
    select distinct on (n.jurisdiction, n.node_id) n.urn, n.tags ->> %(key)s as number
    from legal_nodes n
    where n.jurisdiction = any(%(jurisdictions)s) and n.language = %(language)s
        and (%(kind)s::text is null or n.kind = %(kind)s)
        and n.validity @> coalesce(%(at_date)s::date, %(today)s::date)
        and /*slot:filters*/
    order by n.jurisdiction, n.node_id
) near
order by abs(coalesce(substring(near.number from '[0-9]{1,18}')::numeric, 0) - %(number)s), near.number, near.urn
limit %(near)s;

-- name: list_named_documents
-- The documents that may be cited by name, with their titles, other names and the level of their first provision; only
-- those with one of some folded words in a name, if given. Chunks have no provisions, and decisions are cited by their
-- own forms.
select s.urn, s.language, s.title, named.others,
    coalesce((select c.level from legal_nodes c
        where c.jurisdiction = any(%(jurisdictions)s) and c.jurisdiction = s.jurisdiction
            and c.urn >= s.urn || ':1' and c.urn < s.urn || '::'
        order by c.urn limit 1), '') as level
from sources s
join legal_nodes n on n.jurisdiction = s.jurisdiction and n.urn = s.urn
cross join lateral (select array_remove(array[n.heading, n.tags ->> 'abbreviation', n.tags ->> 'short_title',
    n.tags ->> 'act_title'] || n.aliases, null) as others) named
where s.jurisdiction = any(%(jurisdictions)s) and n.jurisdiction = any(%(jurisdictions)s)
    and n.structure_type = 'ROOT' and n.kind not in ('record', 'decision') and upper_inf(n.validity)
    and (%(words)s::text[] is null or exists (
        select from unnest(%(words)s::text[]) w (word)
        where strpos(lower(lex_unaccent(s.title || ' ' || array_to_string(named.others, ' '))), w.word) > 0))
order by s.urn
limit %(most)s;
