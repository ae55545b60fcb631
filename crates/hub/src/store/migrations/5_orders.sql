-- Orders have the names of each result, so that a name is looked for in them without reading results. Names have all that is
-- sorted by: where the results of a name stand at the end of an order, these are sorted instead.
DROP INDEX result_newest;
DROP INDEX result_clock;
DROP INDEX result_multi;
DROP INDEX result_single;
DROP INDEX result_aes;
DROP INDEX result_copy;
DROP INDEX result_fill;
DROP INDEX result_cpuminer;
DROP INDEX result_board;
DROP INDEX result_soc;
DROP INDEX result_cores;
DROP INDEX result_kernel;
DROP INDEX result_distribution;
CREATE INDEX result_newest ON result (listed_utc_ms DESC, id DESC, listed, verdict, board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE listed = 1;
CREATE INDEX result_clock ON result (clock_khz DESC, id DESC, listed, verdict, board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE listed = 1 AND clock_khz IS NOT NULL;
CREATE INDEX result_multi ON result (sevenzip_multi_mips DESC, id DESC, listed, verdict, board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE listed = 1 AND sevenzip_multi_mips IS NOT NULL;
CREATE INDEX result_single ON result (sevenzip_single_mips DESC, id DESC, listed, verdict, board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE listed = 1 AND sevenzip_single_mips IS NOT NULL;
CREATE INDEX result_aes ON result (aes_kb_per_s DESC, id DESC, listed, verdict, board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE listed = 1 AND aes_kb_per_s IS NOT NULL;
CREATE INDEX result_copy ON result (copy_mb_per_s DESC, id DESC, listed, verdict, board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE listed = 1 AND copy_mb_per_s IS NOT NULL;
CREATE INDEX result_fill ON result (fill_mb_per_s DESC, id DESC, listed, verdict, board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE listed = 1 AND fill_mb_per_s IS NOT NULL;
CREATE INDEX result_cpuminer ON result (cpuminer_kh_per_s DESC, id DESC, listed, verdict, board_id, soc_id, cores_id, kernel_id, distribution_id) WHERE listed = 1 AND cpuminer_kh_per_s IS NOT NULL;
CREATE INDEX result_board ON result (board_id, listed, listed_utc_ms DESC, id DESC, verdict, soc_id, cores_id, kernel_id, distribution_id, clock_khz, sevenzip_multi_mips, sevenzip_single_mips, aes_kb_per_s, copy_mb_per_s, fill_mb_per_s, cpuminer_kh_per_s);
CREATE INDEX result_soc ON result (soc_id, listed, listed_utc_ms DESC, id DESC, verdict, board_id, cores_id, kernel_id, distribution_id, clock_khz, sevenzip_multi_mips, sevenzip_single_mips, aes_kb_per_s, copy_mb_per_s, fill_mb_per_s, cpuminer_kh_per_s);
CREATE INDEX result_cores ON result (cores_id, listed, listed_utc_ms DESC, id DESC, verdict, board_id, soc_id, kernel_id, distribution_id, clock_khz, sevenzip_multi_mips, sevenzip_single_mips, aes_kb_per_s, copy_mb_per_s, fill_mb_per_s, cpuminer_kh_per_s);
CREATE INDEX result_kernel ON result (kernel_id, listed, listed_utc_ms DESC, id DESC, verdict, board_id, soc_id, cores_id, distribution_id, clock_khz, sevenzip_multi_mips, sevenzip_single_mips, aes_kb_per_s, copy_mb_per_s, fill_mb_per_s, cpuminer_kh_per_s);
CREATE INDEX result_distribution ON result (distribution_id, listed, listed_utc_ms DESC, id DESC, verdict, board_id, soc_id, cores_id, kernel_id, clock_khz, sevenzip_multi_mips, sevenzip_single_mips, aes_kb_per_s, copy_mb_per_s, fill_mb_per_s, cpuminer_kh_per_s)
