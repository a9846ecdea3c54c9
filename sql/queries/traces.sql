-- Statements of rag/telemetry; each on a connection of its own, after the read transaction ended.

-- name: insert_trace
-- And forget those whose time is over; by a function, for who records traces may not read or delete any.
insert into traces (id, privacy, status, context_digest, body)
values (%(id)s, %(privacy)s, %(status)s, %(context_digest)s, %(body)s)
returning lex_forget_traces(%(days)s);

-- name: find_trace
select body, id from traces where id = %(id)s;

-- name: find_latest_trace
select body, id from traces where recorded_by = session_user order by created_at desc, id limit 1;

-- name: find_trace_ids
select id from traces where starts_with(id, %(beginning)s) order by created_at desc, id limit %(limit)s;

-- name: list_traces
select id, created_at, body ->> 'request', status,
       array(select jsonb_array_elements_text(body -> 'jurisdictions')),
       array(select jsonb_array_elements_text(body #> '{context,targets}'))
from traces
where (%(status)s::text is null or status = %(status)s) and (%(since)s::date is null or created_at >= %(since)s)
order by created_at desc, id limit %(limit)s;

-- name: list_reviewed_traces
-- One page of the stored traces that fit the filters, newest first.
select t.id, t.created_at, t.privacy, t.body ->> 'request' as request, t.status, (t.body ->> 'at_date')::date as at_date,
    array(select jsonb_array_elements_text(t.body -> 'jurisdictions')) as jurisdictions,
    t.body ->> 'provider' as provider, t.body ->> 'model' as model,
    array(select distinct s ->> 'level' from jsonb_array_elements(t.body -> 'statements') s order by 1) as levels,
    array(select distinct w ->> 'kind' from jsonb_array_elements(coalesce(t.body -> 'told', '[]')
        || coalesce(t.body #> '{context,warnings}', '[]')) w order by 1) as warnings,
    array(select jsonb_array_elements_text(coalesce(t.body #> '{context,targets}', '[]'))) as targets,
    t.body ->> 'scenario' as scenario, v.verdict, coalesce(v.reasons, '{}') as reasons, count(*) over () as total
from traces t
left join trace_verdicts v on v.trace_id = t.id
where (%(ids)s::text[] is null or t.id = any(%(ids)s))
    and (%(since)s::date is null or t.created_at >= %(since)s::date)
    and (%(until)s::date is null or t.created_at < %(until)s::date + 1)
    and (%(status)s::text is null or t.status = %(status)s)
    and (%(jurisdiction)s::text is null or t.body -> 'jurisdictions' @> to_jsonb(%(jurisdiction)s::text))
    and (%(provider)s::text is null or t.body ->> 'provider' = %(provider)s)
    and (%(level)s::text is null
        or t.body -> 'statements' @> jsonb_build_array(jsonb_build_object('level', %(level)s::text)))
    and (%(warning)s::text is null
        or t.body -> 'told' @> jsonb_build_array(jsonb_build_object('kind', %(warning)s::text))
        or t.body #> '{context,warnings}' @> jsonb_build_array(jsonb_build_object('kind', %(warning)s::text)))
    and (%(verdict)s::text is null or coalesce(v.verdict, 'none') = %(verdict)s)
order by t.created_at desc, t.id limit %(limit)s offset %(offset)s;

-- name: list_trace_values
-- What the newest thousand traces can be filtered by.
with newest as (
    select status, body from traces order by created_at desc, id limit 1000
)
select f.name, array_agg(distinct f.value order by f.value)
from (
    select 'status' as name, status as value from newest
    union all
    select 'jurisdiction', jsonb_array_elements_text(body -> 'jurisdictions') from newest
    union all
    select 'provider', body ->> 'provider' from newest
    union all
    select 'level', jsonb_array_elements(body -> 'statements') ->> 'level' from newest
    union all
    select 'warning', jsonb_array_elements(coalesce(body -> 'told', '[]')
        || coalesce(body #> '{context,warnings}', '[]')) ->> 'kind' from newest
) f
where f.value is not null group by f.name;

-- name: find_traces
select body, id from traces where id = any(%(ids)s::text[]) order by created_at desc, id;

-- name: record_verdict
-- Nothing is written for a trace that is not there.
insert into trace_verdicts (trace_id, verdict, reasons)
select id, %(verdict)s, %(reasons)s::text[] from traces where id = %(id)s
on conflict (trace_id) do update set verdict = excluded.verdict, reasons = excluded.reasons, recorded_at = now();

-- name: find_verdict
select verdict, reasons from trace_verdicts where trace_id = %(id)s;
