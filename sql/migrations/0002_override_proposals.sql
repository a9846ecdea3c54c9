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
