-- A new, empty store over the workers of a Citus cluster, on its coordinator, as a superuser, after `lexscope init`:
--     psql -v ON_ERROR_STOP=1 -f sql/distribute.sql DATABASE
-- The schema is distributed as it stands. Every growing table goes by its jurisdiction and beside the others, so that keys
-- and exclusion constraints hold on one worker; what is small and rarely written is on all of them.

-- In force for the sessions after this one: first, and before any reference table.
ALTER DATABASE :"DBNAME" SET citus.enable_local_reference_table_foreign_keys = off;
ALTER DATABASE :"DBNAME" SET citus.propagate_set_commands = 'local';  -- SET LOCAL reaches the workers
\c

SELECT create_reference_table('sources');
SELECT create_reference_table('legal_synonyms');
SELECT create_reference_table('judicial_overrides');
SELECT create_reference_table('override_proposals');
SELECT create_reference_table('federal_preemption');

SELECT create_distributed_table('documents', 'jurisdiction', colocate_with => 'none', shard_count => 32);
SELECT create_distributed_table('editions', 'jurisdiction', colocate_with => 'documents');
SELECT create_distributed_table('edition_nodes', 'jurisdiction', colocate_with => 'documents');
SELECT create_distributed_table('legal_nodes', 'jurisdiction', colocate_with => 'documents');
SELECT create_distributed_table('node_embeddings', 'jurisdiction', colocate_with => 'documents');
SELECT create_distributed_table('lexeme_stats', 'jurisdiction', colocate_with => 'documents');
SELECT create_distributed_table('language_stats', 'jurisdiction', colocate_with => 'documents');
SELECT create_distributed_table('legal_definitions', 'jurisdiction', colocate_with => 'documents');
SELECT create_distributed_table('edges', 'jurisdiction', colocate_with => 'documents');

-- On the coordinator alone: schema_migrations, store_settings, source_files, traces, trace_verdicts, quality_checks.
