//! Any JSON as a Record, such as one that another program wrote or that was cut: checked by every
//! rule, written in every form, compared. A Record that can be read can be written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(record) = serde_json::from_slice::<record::Record>(data) {
        sbc_bench_fuzz::explain_all(&record);
        let json = serde_json::to_string(&record).expect("a Record can be written");
        serde_json::from_str::<record::Record>(&json).expect("and read again");
    }
});
