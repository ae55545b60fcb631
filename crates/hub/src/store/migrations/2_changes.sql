-- Figures of a machine that changed permanently. Found once, sent once.
CREATE TABLE change (
    id {id},
    owner BIGINT NOT NULL,
    machine TEXT NOT NULL,
    figure TEXT NOT NULL,
    result_id BIGINT NOT NULL,
    since_utc_ms BIGINT NOT NULL,
    value_before DOUBLE PRECISION NOT NULL,
    value_after DOUBLE PRECISION NOT NULL,
    gain_percent DOUBLE PRECISION NOT NULL,
    cause TEXT NOT NULL,
    found_utc_ms BIGINT NOT NULL,
    acknowledged_utc_ms BIGINT,
    UNIQUE (owner, machine, figure, result_id)
);
-- Where changes of an owner's machines are sent.
CREATE TABLE hook (
    id {id},
    owner BIGINT NOT NULL,
    kind TEXT NOT NULL,
    target TEXT NOT NULL,
    UNIQUE (owner, kind, target)
);
-- What is still to be sent.
CREATE TABLE notice (
    id {id},
    change_id BIGINT NOT NULL,
    hook_id BIGINT NOT NULL,
    tries BIGINT NOT NULL,
    due_utc_ms BIGINT NOT NULL,
    sent_utc_ms BIGINT,
    last_error TEXT,
    UNIQUE (change_id, hook_id)
);
CREATE INDEX notice_due ON notice (due_utc_ms) WHERE sent_utc_ms IS NULL
