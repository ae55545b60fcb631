-- How much a token may keep, and what it keeps: the compressed originals of its results and a share for each row.
ALTER TABLE token ADD COLUMN quota_bytes BIGINT;
ALTER TABLE token ADD COLUMN kept_bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE result ADD COLUMN kept_bytes BIGINT NOT NULL DEFAULT 0;
UPDATE result SET kept_bytes = 4096 + coalesce((SELECT length(packed) FROM original WHERE original.hash = result.hash), 0);
UPDATE token SET kept_bytes = coalesce((SELECT sum(kept_bytes) FROM result WHERE result.owner = token.id), 0)
