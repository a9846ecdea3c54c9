-- What language models read in windows of laws, found by what they were sent: the same words are read once.
CREATE TABLE law_readings (
    digest text PRIMARY KEY,                 -- SHA-256 of the prompt's version and text
    prompt_version text NOT NULL,
    provider text NOT NULL,
    model text NOT NULL,
    read_at timestamptz NOT NULL DEFAULT now(),
    items jsonb NOT NULL,                    -- what the law's words bear out, by the numbers of the window
    dropped jsonb NOT NULL DEFAULT '{}',     -- reason -> items that they do not bear out
    usage jsonb NOT NULL DEFAULT '{}'        -- kind -> tokens
);
