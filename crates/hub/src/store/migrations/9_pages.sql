-- Finished pages of results, compressed. The key is a hash of all that a page is made of.
CREATE TABLE page (
    result_id BIGINT PRIMARY KEY REFERENCES result (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    packed BYTEA NOT NULL
)
