-- Which hooks reach private networks. Those that were there may, as before.
ALTER TABLE hook ADD COLUMN allow_private BIGINT NOT NULL DEFAULT 1
