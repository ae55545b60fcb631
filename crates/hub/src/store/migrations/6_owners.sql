-- An owner's results, the newest first: also those that nobody else finds.
CREATE INDEX result_owner ON result (owner, id DESC)
