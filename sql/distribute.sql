-- A new, empty store over the workers of a Citus cluster. `lexscope init --distribute` runs this on the coordinator; so can an
-- administrator, after `lexscope init`, once and then in a new session again:
--     psql -v ON_ERROR_STOP=1 -f sql/distribute.sql DATABASE
-- The schema is distributed as it stands. Every growing table goes by its jurisdiction and beside the others, so that keys
-- and exclusion constraints hold on one worker; what is small and rarely written is on all of them. What is distributed
-- already is left as it is.

-- For sessions to come, this one not included: before any reference table; and SET LOCAL reaches the workers.
DO $$BEGIN EXECUTE format('ALTER DATABASE %I SET citus.enable_local_reference_table_foreign_keys = off', current_database()); EXECUTE format('ALTER DATABASE %I SET citus.propagate_set_commands = %L', current_database(), 'local'); END$$;
SET citus.enable_local_reference_table_foreign_keys = off;

SELECT create_reference_table('sources')
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'sources'::regclass);
SELECT create_reference_table('legal_synonyms')
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'legal_synonyms'::regclass);
SELECT create_reference_table('judicial_overrides')
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'judicial_overrides'::regclass);
SELECT create_reference_table('override_proposals')
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'override_proposals'::regclass);
SELECT create_reference_table('federal_preemption')
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'federal_preemption'::regclass);
SELECT create_reference_table('law_readings')
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'law_readings'::regclass);

SELECT create_distributed_table('documents', 'jurisdiction', colocate_with => 'none', shard_count => 32)
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'documents'::regclass);
SELECT create_distributed_table('editions', 'jurisdiction', colocate_with => 'documents')
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'editions'::regclass);
SELECT create_distributed_table('edition_nodes', 'jurisdiction', colocate_with => 'documents')
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'edition_nodes'::regclass);
SELECT create_distributed_table('legal_nodes', 'jurisdiction', colocate_with => 'documents')
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'legal_nodes'::regclass);
SELECT create_distributed_table('node_embeddings', 'jurisdiction', colocate_with => 'documents')
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'node_embeddings'::regclass);
SELECT create_distributed_table('section_vectors', 'jurisdiction', colocate_with => 'documents')
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'section_vectors'::regclass);
SELECT create_distributed_table('lexeme_stats', 'jurisdiction', colocate_with => 'documents')
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'lexeme_stats'::regclass);
SELECT create_distributed_table('language_stats', 'jurisdiction', colocate_with => 'documents')
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'language_stats'::regclass);
SELECT create_distributed_table('legal_definitions', 'jurisdiction', colocate_with => 'documents')
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'legal_definitions'::regclass);
SELECT create_distributed_table('edges', 'jurisdiction', colocate_with => 'documents')
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'edges'::regclass);

-- On the coordinator alone: schema_migrations, store_settings, source_files, traces, trace_verdicts, quality_checks.
