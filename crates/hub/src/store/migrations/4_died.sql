-- Runs that died are few: in the order of each figure, with their names, so that one of them is found without its row.
DROP INDEX result_died;
CREATE INDEX result_died_names ON result (board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE listed = 1 AND died_in IS NOT NULL;
CREATE INDEX result_died_newest ON result (listed_utc_ms DESC, id DESC, listed, verdict, board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE died_in IS NOT NULL;
CREATE INDEX result_died_clock ON result (clock_khz DESC, id DESC, listed, verdict, board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE died_in IS NOT NULL AND clock_khz IS NOT NULL;
CREATE INDEX result_died_multi ON result (sevenzip_multi_mips DESC, id DESC, listed, verdict, board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE died_in IS NOT NULL AND sevenzip_multi_mips IS NOT NULL;
CREATE INDEX result_died_single ON result (sevenzip_single_mips DESC, id DESC, listed, verdict, board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE died_in IS NOT NULL AND sevenzip_single_mips IS NOT NULL;
CREATE INDEX result_died_aes ON result (aes_kb_per_s DESC, id DESC, listed, verdict, board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE died_in IS NOT NULL AND aes_kb_per_s IS NOT NULL;
CREATE INDEX result_died_copy ON result (copy_mb_per_s DESC, id DESC, listed, verdict, board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE died_in IS NOT NULL AND copy_mb_per_s IS NOT NULL;
CREATE INDEX result_died_fill ON result (fill_mb_per_s DESC, id DESC, listed, verdict, board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE died_in IS NOT NULL AND fill_mb_per_s IS NOT NULL;
CREATE INDEX result_died_cpuminer ON result (cpuminer_kh_per_s DESC, id DESC, listed, verdict, board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE died_in IS NOT NULL AND cpuminer_kh_per_s IS NOT NULL;
-- So are those that say nothing valid.
CREATE INDEX result_invalid_newest ON result (listed_utc_ms DESC, id DESC, listed, board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE verdict = 'invalid';
CREATE INDEX result_invalid_clock ON result (clock_khz DESC, id DESC, listed, board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE verdict = 'invalid' AND clock_khz IS NOT NULL;
CREATE INDEX result_invalid_multi ON result (sevenzip_multi_mips DESC, id DESC, listed, board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE verdict = 'invalid' AND sevenzip_multi_mips IS NOT NULL;
CREATE INDEX result_invalid_single ON result (sevenzip_single_mips DESC, id DESC, listed, board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE verdict = 'invalid' AND sevenzip_single_mips IS NOT NULL;
CREATE INDEX result_invalid_aes ON result (aes_kb_per_s DESC, id DESC, listed, board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE verdict = 'invalid' AND aes_kb_per_s IS NOT NULL;
CREATE INDEX result_invalid_copy ON result (copy_mb_per_s DESC, id DESC, listed, board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE verdict = 'invalid' AND copy_mb_per_s IS NOT NULL;
CREATE INDEX result_invalid_fill ON result (fill_mb_per_s DESC, id DESC, listed, board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE verdict = 'invalid' AND fill_mb_per_s IS NOT NULL;
CREATE INDEX result_invalid_cpuminer ON result (cpuminer_kh_per_s DESC, id DESC, listed, board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE verdict = 'invalid' AND cpuminer_kh_per_s IS NOT NULL
