-- Statements of rag/telemetry.py; each on a connection of its own, after the read transaction ended.

-- name: insert_trace
insert into traces (id, privacy, status, context_digest, body)
values (%(id)s, %(privacy)s, %(status)s, %(context_digest)s, %(body)s);

-- name: find_trace
select body from traces where id = %(id)s;

-- name: find_latest_trace
select body from traces where recorded_by = session_user order by created_at desc, id limit 1;

-- name: list_traces
select id, created_at, body ->> 'request', status,
       array(select jsonb_array_elements_text(body -> 'jurisdictions')),
       array(select jsonb_array_elements_text(body #> '{context,targets}'))
from traces
where (%(status)s::text is null or status = %(status)s) and (%(since)s::date is null or created_at >= %(since)s)
order by created_at desc, id limit %(limit)s;
