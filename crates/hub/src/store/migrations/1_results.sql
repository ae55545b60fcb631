-- Who may do what. The secret itself is nowhere: only its SHA-256.
CREATE TABLE token (
    id {id},
    name TEXT NOT NULL UNIQUE,
    secret_hash TEXT NOT NULL UNIQUE,
    scopes TEXT NOT NULL,
    made_utc_ms BIGINT NOT NULL,
    revoked_utc_ms BIGINT
);
-- Programs that derived something; the one with the highest number is the newest.
CREATE TABLE build (
    id {id},
    name TEXT NOT NULL UNIQUE
);
-- What was sent, redacted and compressed, by the SHA-256 of the redacted bytes.
CREATE TABLE original (
    hash TEXT PRIMARY KEY,
    size BIGINT NOT NULL,
    packed BYTEA NOT NULL
);
-- Boards, SoCs, core types, sets of cores, kernels, distributions.
CREATE TABLE name (
    id {id},
    kind TEXT NOT NULL,
    words TEXT NOT NULL,
    slug TEXT NOT NULL,
    UNIQUE (kind, words),
    UNIQUE (kind, slug)
);
-- Which core types a set of cores has.
CREATE TABLE name_core (
    cores_id BIGINT NOT NULL,
    core_id BIGINT NOT NULL,
    PRIMARY KEY (cores_id, core_id)
);
CREATE INDEX name_core_by_core ON name_core (core_id);
CREATE TABLE result (
    id {id},
    slug TEXT NOT NULL UNIQUE,
    owner BIGINT NOT NULL,
    received_hash TEXT NOT NULL,
    received_utc_ms BIGINT NOT NULL,
    hash TEXT NOT NULL,
    quarantined TEXT,
    published_utc_ms BIGINT,
    -- What people may find: published and not quarantined.
    listed BIGINT NOT NULL,
    listed_utc_ms BIGINT NOT NULL,
    derived_by BIGINT NOT NULL,
    -- What its sender calls the machine; empty where it is known by board and cores.
    alias TEXT NOT NULL,
    -- From here on all is derived from the original.
    kind TEXT NOT NULL,
    machine TEXT NOT NULL,
    started_utc_ms BIGINT,
    board_id BIGINT,
    soc_id BIGINT,
    cores_id BIGINT,
    kernel_id BIGINT,
    distribution_id BIGINT,
    verdict TEXT NOT NULL,
    died_in TEXT,
    headline TEXT NOT NULL,
    cells TEXT NOT NULL,
    figures TEXT NOT NULL,
    clock_khz DOUBLE PRECISION,
    sevenzip_multi_mips DOUBLE PRECISION,
    sevenzip_single_mips DOUBLE PRECISION,
    aes_kb_per_s DOUBLE PRECISION,
    copy_mb_per_s DOUBLE PRECISION,
    fill_mb_per_s DOUBLE PRECISION,
    cpuminer_kh_per_s DOUBLE PRECISION,
    UNIQUE (owner, received_hash)
);
CREATE INDEX result_hash ON result (hash);
CREATE INDEX result_derived ON result (derived_by, id);
CREATE INDEX result_machine ON result (owner, machine, started_utc_ms, id);
CREATE INDEX result_board ON result (board_id, listed);
CREATE INDEX result_soc ON result (soc_id, listed);
CREATE INDEX result_cores ON result (cores_id, listed);
CREATE INDEX result_kernel ON result (kernel_id, listed);
CREATE INDEX result_distribution ON result (distribution_id, listed);
CREATE INDEX result_died ON result (board_id) WHERE listed = 1 AND died_in IS NOT NULL;
CREATE INDEX result_newest ON result (listed_utc_ms DESC, id DESC) WHERE listed = 1;
CREATE INDEX result_clock ON result (clock_khz DESC, id DESC) WHERE listed = 1 AND clock_khz IS NOT NULL;
CREATE INDEX result_multi ON result (sevenzip_multi_mips DESC, id DESC) WHERE listed = 1 AND sevenzip_multi_mips IS NOT NULL;
CREATE INDEX result_single ON result (sevenzip_single_mips DESC, id DESC) WHERE listed = 1 AND sevenzip_single_mips IS NOT NULL;
CREATE INDEX result_aes ON result (aes_kb_per_s DESC, id DESC) WHERE listed = 1 AND aes_kb_per_s IS NOT NULL;
CREATE INDEX result_copy ON result (copy_mb_per_s DESC, id DESC) WHERE listed = 1 AND copy_mb_per_s IS NOT NULL;
CREATE INDEX result_fill ON result (fill_mb_per_s DESC, id DESC) WHERE listed = 1 AND fill_mb_per_s IS NOT NULL;
CREATE INDEX result_cpuminer ON result (cpuminer_kh_per_s DESC, id DESC) WHERE listed = 1 AND cpuminer_kh_per_s IS NOT NULL
