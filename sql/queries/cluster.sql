-- Statements about Citus, which are sent only where its extension is.

-- name: is_distributed
select exists (select from pg_dist_partition where logicalrelid = to_regclass('legal_nodes') and partmethod = 'h');

-- name: count_workers
-- Servers of the cluster that hold law.
select count(*) from pg_dist_node where isactive and shouldhaveshards and noderole = 'primary';

-- name: describe_distribution
-- How tables are distributed: `local`, `reference`, or the column they are distributed by; and with which others they lie.
select t.name, case when p.logicalrelid is null then 'local' when p.partmethod = 'n' then 'reference'
    else column_to_column_name(p.logicalrelid, p.partkey) end, p.colocationid
from unnest(%(tables)s::text[]) as t (name)
left join pg_dist_partition p on p.logicalrelid = to_regclass(t.name)
order by t.name;

-- name: may_vacuum_nodes
-- Whether this role may do so, as owner or, from PostgreSQL 17 on, by MAINTAIN; else it is only skipped, with a warning.
select case when current_setting('server_version_num')::integer >= 170000
    then has_table_privilege('legal_nodes', 'MAINTAIN') else pg_has_role(relowner, 'USAGE') end
from pg_class where oid = 'legal_nodes'::regclass;

-- name: vacuum_nodes
-- What waits for the indexes of words, on every worker: to merge it by name reaches none.
vacuum legal_nodes;
