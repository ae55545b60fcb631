-- The latest counts of listed results by name, as JSON in one row: a hub that starts has them at once.
CREATE TABLE counted (
    id BIGINT PRIMARY KEY,
    counts TEXT NOT NULL
)
