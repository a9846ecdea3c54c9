-- The store. Built from migrations; this file is the same schema in one piece (a test compares the two).
-- Rules that keep one schema right for a laptop, a replica and a Citus cluster:
--   jurisdiction in every key of every table that grows, foreign keys within a jurisdiction only, no triggers,
--   ids from one sequence in blocks assigned by the client, small rarely written tables without jurisdiction keys.

CREATE EXTENSION IF NOT EXISTS ltree;
CREATE EXTENSION IF NOT EXISTS btree_gist;
CREATE EXTENSION IF NOT EXISTS btree_gin;
CREATE EXTENSION IF NOT EXISTS unaccent;
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- Everything below is found where this transaction finds it: the extensions may be in any schemas, and no session's
-- temporary table comes first. Functions that run with their owner's rights keep this path.
SELECT set_config('search_path', concat_ws(', ', quote_ident(current_schema()), (
    SELECT string_agg(DISTINCT quote_ident(n.nspname), ', ') FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
    WHERE e.extname IN ('btree_gin', 'btree_gist', 'ltree', 'pg_trgm', 'unaccent', 'vector')
), 'pg_temp'), true);

-- A server without pgvector: vectors are arrays that nothing searches, and the stored weights of words, whose products
-- the lexical leg needs, are JSON by place. Where pgvector comes later, the law is ingested into a new database.
DO $stand_in$
BEGIN
    IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector') THEN
        CREATE EXTENSION IF NOT EXISTS vector;
    ELSE
        CREATE DOMAIN halfvec AS real[];
        CREATE DOMAIN sparsevec AS jsonb;
        CREATE FUNCTION lex_sparse(text) RETURNS sparsevec LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
            RETURN regexp_replace(split_part($1, '/', 1), '(\d+):', '"\1":', 'g')::jsonb;
        CREATE FUNCTION lex_product(jsonb, jsonb) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
            RETURN (SELECT coalesce(-sum(($1 ->> w.key)::float8 * w.value::float8), 0) FROM jsonb_each_text($2) w);
        CREATE OPERATOR <#> (LEFTARG = jsonb, RIGHTARG = jsonb, FUNCTION = lex_product);
        RETURN;
    END IF;
    CREATE FUNCTION lex_sparse(text) RETURNS sparsevec LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
        RETURN $1::sparsevec;
END
$stand_in$;

CREATE TABLE schema_migrations (
    version integer PRIMARY KEY,
    name text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);

-- Facts about the store as a whole, such as its one embedding model.
CREATE TABLE store_settings (
    key text PRIMARY KEY,
    value jsonb NOT NULL,
    CONSTRAINT store_settings_value_check CHECK (jsonb_typeof(value) = CASE key
        WHEN 'analyzed_nodes' THEN 'number' WHEN 'rules_without_vectors' THEN 'array' WHEN 'embedding_model' THEN 'object'
        WHEN 'dictionaries' THEN 'object' ELSE jsonb_typeof(value) END)
);

-- Each step hands a client a block of 256 ids, so that one document's rows are numbered together.
CREATE SEQUENCE node_ids AS bigint INCREMENT BY 256 START WITH 1;

-- unaccent() is only STABLE because its dictionary can be altered; ours never is. Bodies after RETURN are bound to what
-- they name when they are made, in whatever schema that is.
CREATE FUNCTION lex_unaccent(text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    RETURN unaccent('unaccent'::regdictionary, $1);

-- Text as full-text search reads it: without accents; without angle brackets, which guillemets become by that and between
-- which the parser sees a tag and no words; scripts that set no space between words as overlapping pairs of signs, so that
-- each pair is a word and a longer word is a phrase of pairs.
CREATE FUNCTION lex_words(text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    RETURN regexp_replace(translate(lex_unaccent($1), '<>', '  '), '(?<=[\u3005\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])([\u3005\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])(?=[\u3005\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])', '\1 \1', 'g');

-- A case number as it is compared: full-width signs folded, no space, point, hyphen or slash, upper case.
CREATE FUNCTION lex_number(text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$ SELECT upper(regexp_replace(normalize($1, NFKC), '[\s.\-/]', '', 'g')) $$;

-- What each word of a node counts for in search, in tenths of what its first occurrence does: BM25 as retrieval/bm25.py has
-- it, but for length and rarity. A word's place is a hash; where the vector has room for no more words than it may have,
-- the node is as long as a book, and its length outweighs any of them.
CREATE FUNCTION lex_weights(tsvector) RETURNS sparsevec
    LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    RETURN (
        SELECT lex_sparse('{' || coalesce(string_agg(w.place || ':' || w.weight, ','), '') || '}/268435456')
        FROM (
            SELECT ('x' || left(md5(u.lexeme), 7))::bit(28)::integer + 1 AS place,
                max(CASE u.weights[1]
                    WHEN 'A' THEN 190 * (cardinality(u.weights) + 1) / (10 * cardinality(u.weights) + 19)
                    WHEN 'B' THEN 95 * cardinality(u.weights) / (10 * cardinality(u.weights) + 9)
                    WHEN 'C' THEN 1
                    ELSE 190 * cardinality(u.weights) / (10 * cardinality(u.weights) + 9)
                END) AS weight
            FROM unnest($1) u GROUP BY 1 LIMIT 16000
        ) w
    );

-- Reference data: publisher, licence and coverage of a corpus.
CREATE TABLE sources (
    urn text PRIMARY KEY,
    jurisdiction text NOT NULL,
    title text NOT NULL,
    language text NOT NULL,
    publisher text NOT NULL DEFAULT '',
    licence text NOT NULL DEFAULT '',
    url text NOT NULL DEFAULT '',
    documents integer NOT NULL DEFAULT 0,    -- coverage: of the documents' latest editions
    nodes bigint NOT NULL DEFAULT 0,
    last_ingest timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE documents (
    jurisdiction text NOT NULL,
    id bigint NOT NULL,
    urn text NOT NULL,
    corpus_urn text NOT NULL REFERENCES sources (urn),
    source text NOT NULL,
    format text NOT NULL,
    source_hash text NOT NULL,
    parser_version text NOT NULL,
    edition_date date,
    generation integer NOT NULL DEFAULT 1,
    nodes integer NOT NULL,
    summarised integer NOT NULL DEFAULT 0,   -- the generation that what is derived across documents speaks of
    without_vectors integer NOT NULL DEFAULT 0,      -- rules in force that had none of the store's model then
    ingested_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT documents_pkey PRIMARY KEY (jurisdiction, id),
    CONSTRAINT documents_urn_key UNIQUE (jurisdiction, urn)
);
CREATE INDEX documents_due_idx ON documents (jurisdiction, id) WHERE summarised < generation;
CREATE INDEX documents_corpus_idx ON documents (jurisdiction, corpus_urn) INCLUDE (nodes, without_vectors);

-- The editions of a document: publications of all of it, each with the day of which it speaks.
CREATE TABLE editions (
    jurisdiction text NOT NULL,
    document_id bigint NOT NULL,
    day date NOT NULL,                       -- 0001-01-01: unknown, before every other
    source text NOT NULL,
    dating text NOT NULL,                    -- what its day rests on: its own date, its nodes' dates, the user, or nothing
    source_hash text NOT NULL,               -- with parser_version, what an unchanged source is recognised by
    parser_version text NOT NULL,
    generation integer NOT NULL,             -- the document's, when this edition was written
    CONSTRAINT editions_pkey PRIMARY KEY (jurisdiction, document_id, day, source),
    CONSTRAINT editions_dating_check CHECK (dating IN ('own', 'nodes', 'given', 'none')),
    CONSTRAINT editions_document_fkey FOREIGN KEY (jurisdiction, document_id)
        REFERENCES documents (jurisdiction, id) ON DELETE CASCADE
);
CREATE INDEX editions_file_idx ON editions ((substring(source from '[^/]*$')));

-- What the editions of a document with several show of each node, from the edition of `since` up to the next row's.
-- A document with one edition has no rows here: there the versions say it themselves.
CREATE TABLE edition_nodes (
    jurisdiction text NOT NULL,
    document_id bigint NOT NULL,
    urn text NOT NULL,
    since date NOT NULL,                     -- with source, the edition
    source text NOT NULL,
    stated daterange NOT NULL,               -- the dates that the source gives these words
    source_hash bytea NOT NULL,              -- legal_nodes.source_hash; empty where the edition lacks the node
    CONSTRAINT edition_nodes_pkey PRIMARY KEY (jurisdiction, document_id, urn, since, source, stated),
    CONSTRAINT edition_nodes_document_fkey FOREIGN KEY (jurisdiction, document_id)
        REFERENCES documents (jurisdiction, id) ON DELETE CASCADE
);

-- Files of several documents, each read to its end once. Such a file is unchanged where the store still has all of them
-- as the file says them, which is told without reading it again. Reference data: a file may span jurisdictions.
CREATE TABLE source_files (
    source text NOT NULL,
    parser_version text NOT NULL,
    source_hash text NOT NULL,
    documents text[] NOT NULL,               -- their source hashes, in the order of the file
    CONSTRAINT source_files_pkey PRIMARY KEY (source, parser_version, source_hash)
);

-- One row is one version of one node. `id` is the version; `node_id` is the id of the node's first version and
-- stays the same through all of them, so ancestor_ids, scope_id and target_id hold node ids.
CREATE TABLE legal_nodes (
    jurisdiction text NOT NULL,
    id bigint NOT NULL,
    node_id bigint NOT NULL,
    document_id bigint NOT NULL,
    urn text COLLATE "C" NOT NULL,           -- compared byte by byte: a locale's rules cost ten times as much
    citation_path ltree NOT NULL,
    language text NOT NULL,
    corpus text NOT NULL,
    kind text NOT NULL,
    structure_type text NOT NULL,
    level text NOT NULL,
    number text NOT NULL,
    ordinal integer NOT NULL,                -- position among its siblings, from 0
    heading text NOT NULL DEFAULT '',
    intro_text text NOT NULL DEFAULT '',     -- the words before its children
    content_text text NOT NULL DEFAULT '',   -- a leaf's words; a parent's words after its children
    tags jsonb NOT NULL DEFAULT '{}',
    aliases text[] NOT NULL DEFAULT '{}',
    validity daterange NOT NULL DEFAULT '(,)',
    from_basis text NOT NULL DEFAULT 'unknown',      -- what the bounds rest on: the source, two editions that differ
    to_basis text NOT NULL DEFAULT 'unknown',
    uncertain datemultirange,                -- days on which, for all the editions tell, other words were in force
    ancestor_ids bigint[] NOT NULL,          -- node ids, root to self; derived from citation_path on write
    rule_id bigint NOT NULL,                 -- the node that search offers as the rule when this one is hit
    used_terms integer[] NOT NULL DEFAULT '{}',
    -- Of a provision, derived when its document is written, over all versions (rag/ingest/writing/reach.py); empty of
    -- containers. NULL of a part of a rule, which is read by the keys of its rule:
    subtree_ids bigint[] NOT NULL DEFAULT '{}',      -- node ids of itself and its parts
    line_terms integer[],                    -- defined terms that its words and their definitions need
    scope_ids bigint[],                      -- nodes of its line that definitions of its document govern
    fts tsvector NOT NULL DEFAULT '',
    fts_length integer NOT NULL DEFAULT 0,   -- its own words in fts, without what is around it
    source text NOT NULL,
    source_line integer,
    source_hash bytea NOT NULL,              -- SHA-256 of heading and text
    search_hash bytea NOT NULL,              -- MD5 of the text that fts was made from, and of tags and the like
    word_weights sparsevec GENERATED ALWAYS AS (lex_weights(fts)) STORED,
    context_ids bigint[],                    -- derived as line_terms is: what else its context shows of its document
    CONSTRAINT legal_nodes_pkey PRIMARY KEY (jurisdiction, id),
    CONSTRAINT legal_nodes_document_fkey FOREIGN KEY (jurisdiction, document_id)
        REFERENCES documents (jurisdiction, id),
    CONSTRAINT unique_active_version EXCLUDE USING gist -- by hashes of 64 bits, which take a third of the URNs' room
        (jurisdiction WITH =, hashtextextended(urn, 0) WITH =, validity WITH &&),
    CONSTRAINT legal_nodes_kind_check CHECK
        (kind IN ('legislation', 'decision', 'record', 'notice', 'section', 'chunk')),
    CONSTRAINT legal_nodes_basis_check CHECK
        (from_basis IN ('stated', 'edition', 'unknown') AND to_basis IN ('stated', 'edition', 'unknown')),
    CONSTRAINT legal_nodes_validity_check CHECK (NOT isempty(validity)),
    CONSTRAINT legal_nodes_tags_check CHECK (jsonb_typeof(tags) = 'object')
);
ALTER TABLE legal_nodes ALTER COLUMN word_weights SET STORAGE MAIN; -- thousands are read for one question
CREATE INDEX legal_nodes_node_idx ON legal_nodes (jurisdiction, node_id);
CREATE INDEX legal_nodes_urn_idx ON legal_nodes (jurisdiction, urn);
-- The order of paths' text is that of ltree, and takes half its room.
CREATE INDEX legal_nodes_path_idx ON legal_nodes (jurisdiction, (citation_path::text) COLLATE "C");
CREATE INDEX legal_nodes_document_idx ON legal_nodes (jurisdiction, document_id);
-- New rows wait in lists until they are merged, whose room stays with the indexes.
CREATE INDEX legal_nodes_aliases_idx ON legal_nodes USING gin (aliases) WITH (gin_pending_list_limit = 128);
CREATE INDEX legal_nodes_tags_idx ON legal_nodes USING gin (tags jsonb_path_ops) WITH (gin_pending_list_limit = 128);
CREATE INDEX legal_nodes_case_number_idx ON legal_nodes (jurisdiction, lex_number(tags ->> 'case_number'))
    WHERE tags ? 'case_number';
CREATE INDEX legal_nodes_fts_idx ON legal_nodes USING gin (jurisdiction, fts) WITH (gin_pending_list_limit = 512);

-- The vector has no fixed size: a store has one embedding model, and while it goes over to another the vectors of both.
-- A partition's HNSW index is over the vectors of one model and names their size.
CREATE TABLE node_embeddings (
    jurisdiction text NOT NULL,
    node_version_id bigint NOT NULL,
    model text NOT NULL,                     -- its name and dimensions
    text_hash text NOT NULL,                 -- unchanged text is never embedded twice
    validity daterange NOT NULL,
    embedding halfvec NOT NULL,
    CONSTRAINT node_embeddings_pkey PRIMARY KEY (jurisdiction, node_version_id, model),
    CONSTRAINT node_embeddings_node_fkey FOREIGN KEY (jurisdiction, node_version_id)
        REFERENCES legal_nodes (jurisdiction, id) ON DELETE CASCADE
) PARTITION BY LIST (jurisdiction);
ALTER TABLE node_embeddings ALTER COLUMN embedding SET STORAGE PLAIN;
CREATE INDEX node_embeddings_text_idx ON node_embeddings USING hash (text_hash);

-- Where each rule stands and the mean of its section's vectors, over all versions: what searches would else make of the
-- vectors. A row is missing where it has not been made since its nodes or vectors changed; searches make it then.
CREATE TABLE section_vectors (
    jurisdiction text NOT NULL,
    node_id bigint NOT NULL,                 -- of a rule, or of a section
    model text NOT NULL,
    validity daterange NOT NULL,             -- all days on which it is so
    section_id bigint NOT NULL,              -- the section that it lies in, else itself; what follows is in that one's rows
    chapter_id bigint NOT NULL,              -- the node two levels above; 0 where there is none or no part has a vector
    words integer NOT NULL,                  -- of its parts that have a vector
    parts integer NOT NULL,                  -- how many these are
    embedding halfvec,                       -- the mean of theirs; NULL where there is none, or it has no parts but itself
    CONSTRAINT section_vectors_pkey PRIMARY KEY (jurisdiction, node_id, model, validity)
);
ALTER TABLE section_vectors ALTER COLUMN embedding SET STORAGE PLAIN;

CREATE TABLE lexeme_stats (
    jurisdiction text NOT NULL,
    language text NOT NULL,
    lexeme text COLLATE "C" NOT NULL,        -- in whose order words that begin with another one follow it
    document_frequency integer NOT NULL,
    CONSTRAINT lexeme_stats_pkey PRIMARY KEY (jurisdiction, language, lexeme)
);
-- Words that end with another one, as "Untermiete" does; those that begin with it, "Mietzins", the primary key finds.
CREATE INDEX lexeme_stats_ending_idx ON lexeme_stats (jurisdiction, language, reverse(lexeme) text_pattern_ops);

CREATE TABLE language_stats (
    jurisdiction text NOT NULL,
    language text NOT NULL,
    nodes integer NOT NULL,
    words bigint NOT NULL,
    CONSTRAINT language_stats_pkey PRIMARY KEY (jurisdiction, language)
);

CREATE TABLE legal_definitions (
    jurisdiction text NOT NULL,
    id bigint NOT NULL,
    node_version_id bigint NOT NULL,
    node_id bigint NOT NULL,                 -- the defining node
    node_path ltree NOT NULL,
    term text NOT NULL,
    normalised_term text NOT NULL,
    term_id integer NOT NULL,                -- hash of the normalised term; used_terms holds the same
    relation text NOT NULL,                  -- means, includes, excludes, reference
    scope_id bigint NOT NULL,                -- the node whose subtree the definition governs
    scope_path ltree NOT NULL,
    scope_urn text NOT NULL,
    inferred boolean NOT NULL,               -- the scope comes from position, not from a phrase
    phrase text NOT NULL DEFAULT '',
    reference_urn text NOT NULL DEFAULT '',
    language text NOT NULL,
    validity daterange NOT NULL,
    -- Derived when a document is written, over all versions, so that one look-up fetches what a rule's words need:
    used_terms integer[] NOT NULL DEFAULT '{}',      -- term ids that the defining node's subtree uses
    needed_terms integer[] NOT NULL DEFAULT '{}',    -- those, and what the document's definitions of them use in turn
    beyond_document boolean NOT NULL DEFAULT false,  -- its scope reaches beyond its own document
    -- Of the defining version, so that reading a definition reads no node:
    urn text NOT NULL DEFAULT '',
    ancestor_ids bigint[] NOT NULL DEFAULT '{}',
    subtree_ids bigint[] NOT NULL DEFAULT '{}',
    -- What of its node belongs to a definition, where that is not all of it:
    own_terms integer[],                     -- term ids that its words use, of several in one text
    apart_ids bigint[] NOT NULL DEFAULT '{}', -- parts of its node that define something else
    CONSTRAINT legal_definitions_pkey PRIMARY KEY (jurisdiction, id),
    CONSTRAINT legal_definitions_node_fkey FOREIGN KEY (jurisdiction, node_version_id)
        REFERENCES legal_nodes (jurisdiction, id) ON DELETE CASCADE
);
CREATE INDEX legal_definitions_scope_idx ON legal_definitions (jurisdiction, scope_id, term_id);
CREATE INDEX legal_definitions_beyond_idx ON legal_definitions (jurisdiction, scope_id) WHERE beyond_document;
CREATE INDEX legal_definitions_node_idx ON legal_definitions (jurisdiction, node_version_id);
CREATE INDEX legal_definitions_term_idx ON legal_definitions (jurisdiction, normalised_term);

CREATE TABLE edges (
    jurisdiction text NOT NULL,
    id bigint NOT NULL,
    node_version_id bigint NOT NULL,
    source_id bigint NOT NULL,               -- node id
    kind text NOT NULL,
    reference text NOT NULL,                 -- the words of the source
    target_jurisdiction text NOT NULL DEFAULT '',
    target_urn text NOT NULL DEFAULT '',     -- the grammar's reading, whether in the store or not
    target_id bigint,                        -- node id; NULL until resolved
    properties jsonb NOT NULL DEFAULT '{}',
    validity daterange NOT NULL,
    CONSTRAINT edges_pkey PRIMARY KEY (jurisdiction, id),
    CONSTRAINT edges_properties_check CHECK (jsonb_typeof(properties) = 'object'
        AND coalesce(properties ->> 'start' ~ '^\d{1,9}$', true) AND coalesce(properties ->> 'end' ~ '^\d{1,9}$', true)),
    CONSTRAINT edges_node_fkey FOREIGN KEY (jurisdiction, node_version_id)
        REFERENCES legal_nodes (jurisdiction, id) ON DELETE CASCADE
);
CREATE INDEX edges_source_idx ON edges (jurisdiction, source_id);
CREATE INDEX edges_node_idx ON edges (jurisdiction, node_version_id);
CREATE INDEX edges_target_idx ON edges (target_jurisdiction, target_id, kind);  -- much-cited nodes have many
CREATE INDEX edges_unresolved_idx ON edges (target_jurisdiction, target_urn) WHERE target_id IS NULL;

CREATE TABLE legal_synonyms (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    phrase text NOT NULL,                    -- colloquial, normalised
    phrase_key text NOT NULL,                -- what it is found by: its words' stems
    target text NOT NULL,                    -- a statutory term, or a URN
    language text NOT NULL,
    jurisdiction text NOT NULL DEFAULT '',   -- empty: every jurisdiction of the language
    weight real NOT NULL DEFAULT 1.0,
    CONSTRAINT legal_synonyms_key UNIQUE (phrase, language, jurisdiction, target),
    CONSTRAINT legal_synonyms_weight_check CHECK (weight > 0 AND weight <= 10)
);
CREATE INDEX legal_synonyms_key_idx ON legal_synonyms (language, phrase_key);

CREATE TABLE judicial_overrides (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    urn_pattern text NOT NULL,
    pattern_prefix text COLLATE "C" NOT NULL, -- its literal part up to the last whole segment: the look-up key
    status text NOT NULL,
    severity text NOT NULL DEFAULT 'CRITICAL',
    court text NOT NULL,
    court_citation text NOT NULL,
    message text NOT NULL DEFAULT '',
    effective daterange NOT NULL,
    source text NOT NULL DEFAULT '',         -- where the entry was read: a file, an address
    checked_on date,                         -- when somebody last compared it with what the court says
    check_by date,                           -- when somebody has to do so again
    CONSTRAINT judicial_overrides_status_check CHECK
        (status IN ('VOID', 'ENJOINED', 'SUSPENDED', 'VACATED', 'STAYED', 'PREEMPTED', 'LIMITED', 'QUESTIONED')),
    CONSTRAINT judicial_overrides_severity_check CHECK (severity IN ('WARNING', 'CRITICAL')),
    CONSTRAINT judicial_overrides_effective_check CHECK (NOT isempty(effective))
);
CREATE INDEX judicial_overrides_prefix_idx ON judicial_overrides (pattern_prefix);

-- What people decided about overrides that were proposed from the wording of decisions.
CREATE TABLE override_proposals (
    key text PRIMARY KEY,                    -- digest of decision, sentence, reference and treatment
    verdict text NOT NULL,
    decided_by text NOT NULL,
    decided_at timestamptz NOT NULL DEFAULT now(),
    treatment text NOT NULL,
    target_urn text NOT NULL,
    decision_urn text NOT NULL,
    sentence text NOT NULL,                  -- the evidence as it was shown
    override_id bigint,                      -- of judicial_overrides
    CONSTRAINT override_proposals_verdict_check CHECK (verdict IN ('accepted', 'rejected')),
    CONSTRAINT override_proposals_override_check CHECK ((verdict = 'accepted') = (override_id IS NOT NULL))
);

CREATE TABLE federal_preemption (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    federal_pattern text NOT NULL,
    state_pattern text NOT NULL,
    state_prefix text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    note text NOT NULL DEFAULT '',
    authority text NOT NULL DEFAULT '',
    effective daterange NOT NULL,
    -- Its literal part up to the last whole segment: the node whose text stands beside the warning.
    federal_prefix text NOT NULL GENERATED ALWAYS AS (CASE WHEN position('*' IN federal_pattern) = 0 THEN federal_pattern
        ELSE regexp_replace(split_part(federal_pattern, '*', 1), ':[^:]*$', '') END) STORED,
    CONSTRAINT federal_preemption_kind_check CHECK (kind IN ('express', 'conflict', 'field')),
    CONSTRAINT federal_preemption_effective_check CHECK (NOT isempty(effective))
);
CREATE INDEX federal_preemption_prefix_idx ON federal_preemption (state_prefix);

-- What language models read in windows of laws, found by what they were sent: the same words are read once.
CREATE TABLE law_readings (
    digest text PRIMARY KEY,                 -- SHA-256 of the prompt's version and text
    prompt_version text NOT NULL,
    provider text NOT NULL,
    model text NOT NULL,
    read_at timestamptz NOT NULL DEFAULT now(),
    items jsonb NOT NULL,                    -- what the law's words bear out, by the numbers of the window
    dropped jsonb NOT NULL DEFAULT '{}',     -- reason -> items that they do not bear out
    usage jsonb NOT NULL DEFAULT '{}',       -- kind -> tokens
    CONSTRAINT law_readings_json_check CHECK
        (jsonb_typeof(items) = 'object' AND jsonb_typeof(dropped) = 'object' AND jsonb_typeof(usage) = 'object')
);

-- Written after the read transaction ended, on a connection of their own; nothing joins these two.
CREATE TABLE traces (
    id text PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT now(),
    recorded_by text NOT NULL DEFAULT session_user,  -- whose `last` it is
    privacy text NOT NULL CHECK (privacy IN ('redacted', 'full')),
    status text NOT NULL,
    context_digest text,
    body jsonb NOT NULL,
    CONSTRAINT traces_body_check CHECK (jsonb_typeof(body) = 'object'
        AND coalesce(jsonb_typeof(body -> 'jurisdictions'), 'array') = 'array'
        AND coalesce(jsonb_typeof(body -> 'statements'), 'array') = 'array'
        AND coalesce(jsonb_typeof(body -> 'told'), 'array') = 'array'
        AND coalesce(jsonb_typeof(body #> '{context,warnings}'), 'array') = 'array'
        AND coalesce(jsonb_typeof(body #> '{context,targets}'), 'array') = 'array')
);
CREATE INDEX traces_created_idx ON traces (created_at);

-- What reviewers said of traces: codes alone, no words (rag/telemetry/verdicts.py); the latest verdict of each trace.
CREATE TABLE trace_verdicts (
    trace_id text PRIMARY KEY,
    verdict text NOT NULL CHECK (verdict IN ('agree', 'disagree')),
    reasons text[] NOT NULL DEFAULT '{}' CHECK (reasons <@ ARRAY['wrong_rule', 'rule_missing', 'limit_missing',
        'wrong_definition', 'wrong_date', 'wrong_jurisdiction', 'misread', 'unclear', 'not_answered', 'refused_wrongly']),
    recorded_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE quality_checks (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    recorded_on date NOT NULL,
    tool_name text NOT NULL DEFAULT 'quality_check' CHECK (tool_name = 'quality_check'),
    origin text NOT NULL CHECK (origin IN ('caller', 'engine')),
    mode text NOT NULL CHECK (mode IN ('research', 'correction')),
    model text NOT NULL,
    jurisdictions text[] NOT NULL DEFAULT '{}',
    queries_attempted integer NOT NULL DEFAULT 0,
    query_terms text[] NOT NULL DEFAULT '{}',        -- terms of the store that the queries hold
    tools_sequence text[] NOT NULL DEFAULT '{}',
    documents_cited text[] NOT NULL DEFAULT '{}',    -- URNs of legislation
    documents_other integer NOT NULL DEFAULT 0,      -- known documents of kinds that can name a party
    documents_unknown integer NOT NULL DEFAULT 0,
    tags_used text[] NOT NULL DEFAULT '{}',
    satisfaction text CHECK (satisfaction IN ('sufficient', 'partial', 'insufficient')),
    confidence text CHECK (confidence IN ('high', 'moderate', 'low')),
    gaps text[] NOT NULL DEFAULT '{}',               -- codes, as are difficulties and detail
    difficulties text[] NOT NULL DEFAULT '{}',
    concept text,
    error_type text CHECK (error_type IN ('fabricated_citation', 'wrong_jurisdiction', 'repealed_law',
        'misattribution', 'temporal_error', 'wrong_article', 'user_correction')),
    detail text[] NOT NULL DEFAULT '{}',
    severity text CHECK (severity IN ('critical', 'important', 'minor')),
    declared text[] NOT NULL DEFAULT '{}',           -- names of the self-audit booleans that the caller declared true
    detected text[] NOT NULL DEFAULT '{}',           -- names of those that a detector found true
    not_detected text[] NOT NULL DEFAULT '{}',       -- and of those that it looked for in vain
    highest_alert_severity text CHECK (highest_alert_severity IN ('STOP', 'DANGER', 'DRIFT', 'ATTENTION')),
    dropped_fields integer NOT NULL DEFAULT 0
);

-- What takes the owner's rights, for a role that only writes law (sql/roles.sql): each does one thing and takes names that
-- it makes or checks itself.

CREATE FUNCTION lex_add_partition(jurisdiction text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
    AS $$
    BEGIN
        EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF node_embeddings FOR VALUES IN (%L)',
            'node_embeddings_' || replace(jurisdiction, '-', '_'), jurisdiction);
    END $$;

CREATE FUNCTION lex_add_vector_index(partition text, index text, dimensions integer, model text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
    AS $$
    BEGIN
        EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %I USING hnsw ((embedding::halfvec(%s)) halfvec_cosine_ops)'
            ' WHERE model = %L', index, partition, dimensions, model);
    END $$;

CREATE FUNCTION lex_drop_vector_index(index text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
    AS $$
    BEGIN
        IF index NOT LIKE 'node\_embeddings\_%\_hnsw\_idx' THEN
            RAISE insufficient_privilege USING MESSAGE = 'not an index of vectors';
        END IF;
        EXECUTE format('DROP INDEX IF EXISTS %I', index);
    END $$;

-- The planner must know of new rows before foreign keys to them are checked one by one; of their words later.
CREATE FUNCTION lex_analyze_nodes() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
    AS $$
    BEGIN
        ANALYZE legal_nodes (jurisdiction, id, node_id, document_id, citation_path);
    END $$;

CREATE FUNCTION lex_analyze_store() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
    AS $$
    BEGIN
        ANALYZE legal_nodes, legal_definitions, edges, lexeme_stats;
    END $$;

-- New rows wait in lists that every search and look-up would read until they are merged into the indexes.
CREATE FUNCTION lex_merge_pending() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
    AS $$
    BEGIN
        PERFORM gin_clean_pending_list('legal_nodes_fts_idx'), gin_clean_pending_list('legal_nodes_aliases_idx'),
            gin_clean_pending_list('legal_nodes_tags_idx');
    END $$;

-- Built anew, an index whose keys came in another order than its own takes two thirds of the room. Whoever holds the table
-- for long is not waited for.
CREATE FUNCTION lex_pack_index(index text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
    AS $$
    BEGIN
        IF NOT EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass(index)
            AND indrelid = ANY ('{legal_nodes,legal_definitions,edges,lexeme_stats}'::regclass[])) THEN
            RAISE insufficient_privilege USING MESSAGE = 'not an index of law';
        END IF;
        PERFORM set_config('lock_timeout', '500ms', true);
        EXECUTE format('REINDEX INDEX %s', to_regclass(index));
    END $$;

CREATE FUNCTION lex_forget_traces(days integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
    AS $$
    BEGIN
        DELETE FROM traces WHERE created_at < now() - make_interval(days => greatest(days, 1));
    END $$;

REVOKE EXECUTE ON FUNCTION lex_add_partition, lex_add_vector_index, lex_drop_vector_index, lex_analyze_nodes,
    lex_analyze_store, lex_merge_pending, lex_pack_index, lex_forget_traces FROM PUBLIC;
