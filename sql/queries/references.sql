-- Statements that resolve references: what people write, as a TagQuery, to the nodes of the store.

-- name: run_tag_query
-- One TagQuery. `/*filters*/ true` is where retrieval/tag_sql.py puts the predicates, all over bound values. Of each
-- node the version at the date, without a date the one in force today, else the latest. A tag `in_force` that is
-- neither true nor false says nothing.
select one.jurisdiction, one.node_id, one.id, one.urn, one.kind, one.language, one.heading, one.tags, one.valid_from,
    one.valid_to, one.aliases, s.title as corpus_title
from (
    select distinct on (n.jurisdiction, n.node_id) n.jurisdiction, n.node_id, n.id, n.urn, n.kind, n.language,
        n.heading, n.tags, n.corpus, n.aliases, lower(n.validity) as valid_from, upper(n.validity) as valid_to,
        case lower(n.tags ->> 'in_force') when 'true' then true when 'false' then false
            else n.validity @> %(today)s::date end as in_force
    from legal_nodes n
    where n.jurisdiction = any(%(jurisdictions)s)
        and (%(language)s::text is null or n.language = %(language)s)
        and (%(kind)s::text is null or n.kind = %(kind)s)
        and (%(at_date)s::date is null or n.validity @> %(at_date)s::date)
        and /*filters*/ true
    order by n.jurisdiction, n.node_id, n.validity @> %(today)s::date desc, lower(n.validity) desc nulls last
) one
left join sources s on s.urn = one.corpus
order by case when %(in_force_first)s then one.in_force end desc nulls last, one.valid_from desc nulls last, one.urn
limit %(limit)s;

-- name: find_versions_of_nodes
-- All versions of the nodes that hold one of these names as URN or alias, oldest first.
select n.jurisdiction, n.node_id, n.id, n.urn, n.kind, n.language, n.heading, n.tags, lower(n.validity) as valid_from,
    upper(n.validity) as valid_to, n.aliases, s.title as corpus_title
from legal_nodes n
left join sources s on s.urn = n.corpus
where n.jurisdiction = any(%(jurisdictions)s) and (n.jurisdiction, n.node_id) in (
    select a.jurisdiction, a.node_id from legal_nodes a
    where a.jurisdiction = any(%(jurisdictions)s) and (a.urn = any(%(names)s) or a.aliases && %(names)s::text[])
    limit 200
)
order by n.jurisdiction, n.node_id, lower(n.validity) nulls first, n.id;
