-- A value of another kind than its readers take, which another program wrote, would fail every statement that meets it.
DO $$
DECLARE
    spoiled text;
BEGIN
    SELECT string_agg(place, '; ' ORDER BY place) INTO spoiled FROM (
        (SELECT format('legal_nodes.tags of %s (id %s)', urn, id) AS place FROM legal_nodes
        WHERE jsonb_typeof(tags) <> 'object' ORDER BY 1 LIMIT 5)
        UNION ALL
        (SELECT format('edges.properties of %s, id %s', jurisdiction, id) FROM edges
        WHERE NOT (jsonb_typeof(properties) = 'object' AND coalesce(properties ->> 'start' ~ '^\d{1,9}$', true)
            AND coalesce(properties ->> 'end' ~ '^\d{1,9}$', true)) ORDER BY 1 LIMIT 5)
        UNION ALL
        (SELECT format('store_settings.value of %s', key) FROM store_settings
        WHERE jsonb_typeof(value) <> CASE key WHEN 'analyzed_nodes' THEN 'number' WHEN 'rules_without_vectors' THEN 'array'
            WHEN 'embedding_model' THEN 'object' WHEN 'dictionaries' THEN 'object' ELSE jsonb_typeof(value) END
        ORDER BY 1 LIMIT 5)
        UNION ALL
        (SELECT format('law_readings of %s', digest) FROM law_readings
        WHERE NOT (jsonb_typeof(items) = 'object' AND jsonb_typeof(dropped) = 'object' AND jsonb_typeof(usage) = 'object')
        ORDER BY 1 LIMIT 5)
        UNION ALL
        (SELECT format('traces.body of %s', id) FROM traces
        WHERE NOT (jsonb_typeof(body) = 'object' AND coalesce(jsonb_typeof(body -> 'jurisdictions'), 'array') = 'array'
            AND coalesce(jsonb_typeof(body -> 'statements'), 'array') = 'array'
            AND coalesce(jsonb_typeof(body -> 'told'), 'array') = 'array'
            AND coalesce(jsonb_typeof(body #> '{context,warnings}'), 'array') = 'array'
            AND coalesce(jsonb_typeof(body #> '{context,targets}'), 'array') = 'array') ORDER BY 1 LIMIT 5)
    ) rows;
    IF spoiled IS NOT NULL THEN
        RAISE check_violation USING MESSAGE = format('Another program wrote JSON of the wrong kind into this store: %s. '
            'Nothing was changed. Set it right with psql (legal_nodes.tags and edges.properties to an object, ''{}'' at the '
            'least; the row of a trace, a setting or a reading may be deleted), run `lexscope init`, and ingest the documents '
            'of such provisions again.', spoiled);
    END IF;
END
$$;

ALTER TABLE legal_nodes ADD CONSTRAINT legal_nodes_tags_check CHECK (jsonb_typeof(tags) = 'object');
ALTER TABLE edges ADD CONSTRAINT edges_properties_check CHECK (jsonb_typeof(properties) = 'object'
    AND coalesce(properties ->> 'start' ~ '^\d{1,9}$', true) AND coalesce(properties ->> 'end' ~ '^\d{1,9}$', true));
ALTER TABLE store_settings ADD CONSTRAINT store_settings_value_check CHECK (jsonb_typeof(value) = CASE key
    WHEN 'analyzed_nodes' THEN 'number' WHEN 'rules_without_vectors' THEN 'array' WHEN 'embedding_model' THEN 'object'
    WHEN 'dictionaries' THEN 'object' ELSE jsonb_typeof(value) END);
ALTER TABLE law_readings ADD CONSTRAINT law_readings_json_check CHECK
    (jsonb_typeof(items) = 'object' AND jsonb_typeof(dropped) = 'object' AND jsonb_typeof(usage) = 'object');
ALTER TABLE traces ADD CONSTRAINT traces_body_check CHECK (jsonb_typeof(body) = 'object'
    AND coalesce(jsonb_typeof(body -> 'jurisdictions'), 'array') = 'array'
    AND coalesce(jsonb_typeof(body -> 'statements'), 'array') = 'array'
    AND coalesce(jsonb_typeof(body -> 'told'), 'array') = 'array'
    AND coalesce(jsonb_typeof(body #> '{context,warnings}'), 'array') = 'array'
    AND coalesce(jsonb_typeof(body #> '{context,targets}'), 'array') = 'array');
