-- What law that is not in force at a date says of a question that law in force does not answer.

-- name: find_law_of_other_days
-- Versions with words of a question whose nodes have none in force at the date, but for one that says that it is
-- repealed: (URN, first day, first day no longer, URN of the rule it is read as, rank), the best by their words.
with words as (
    select string_agg('(' || q.word::text || ')', ' | ')::tsquery as query
    from (
        select plainto_tsquery(%(config)s::regconfig, lex_words(t.word)) as word from unnest(%(words)s::text[]) as t (word)
    ) q
    where numnode(q.word) > 0
), best as materialized (
    select n.jurisdiction, n.urn, n.validity, n.rule_id, ts_rank(n.fts, w.query) as rank
    from words w
    join legal_nodes n on n.jurisdiction = any(%(jurisdictions)s) and n.fts @@ w.query
    where n.language = %(language)s and n.kind = any(%(kinds)s) and not n.validity @> %(at_date)s::date
        and not exists (
            select 1 from legal_nodes c
            where c.jurisdiction = any(%(jurisdictions)s) and c.jurisdiction = n.jurisdiction
                and c.node_id = n.node_id and c.validity @> %(at_date)s::date
                and coalesce(c.tags ->> 'enforcement_status', 'in_force') = 'in_force'
        )
    order by rank desc, n.urn, n.validity desc limit %(limit)s
)
select b.urn, lower(b.validity), upper(b.validity), r.urn, b.rank
from best b
cross join lateral (
    select v.urn from legal_nodes v
    where v.jurisdiction = any(%(jurisdictions)s) and v.jurisdiction = b.jurisdiction and v.node_id = b.rule_id limit 1
) r
order by b.rank desc, b.urn, b.validity desc;
