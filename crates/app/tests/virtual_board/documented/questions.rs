//! The flags that ask one question: kernel, storage, heat, efficiency, other people's benchmarks.

use super::{LOOK, ROW, RUN, Row, check};
use crate::rig::Concurrency;

#[test]
fn kernel_storage_and_help() {
    check(&[
        Row { line: "sbc-bench -k", flags: "", says: &["CONFIG_HZ=", "Kernel "], ..LOOK },
        Row { line: "sbc-bench -S", flags: "", ..LOOK },
        Row { line: "sbc-bench --help", flags: "", says: &["Usage: ", "-R", "Exit status:"], ..ROW },
        Row { line: "sbc-bench -u", says: &["knows no key of releases", "--key FILE"], status: &[1], ..ROW },
    ]);
}

#[test]
fn thermal_tests() {
    check(&[
        Row { line: "sbc-bench -t", end: "4", status: &[130], ..ROW },
        Row { line: "sbc-bench -t 60", end: "4", status: &[130], ..ROW },
        Row { line: "sbc-bench -T", end: "4", status: &[130], ..ROW },
        Row { line: "sbc-bench -T 40", end: "5", status: &[130], ..ROW },
        Row { line: "sbc-bench -t cold", says: &["-t must be a temperature in °C"], status: &[1], ..ROW },
    ]);
}

#[test]
fn efficiency_of_every_set() {
    check(&[
        Row { line: "sbc-bench -g", says: &["720", "1800", "MIPS"], ..RUN },
        Row { line: "sbc-bench -g cores", end: "4", status: &[130], ..ROW },
        Row { line: "sbc-bench -g clusters", end: "4", status: &[130], ..ROW },
        Row { line: "sbc-bench -g coreclusters", end: "4", status: &[130], ..ROW },
        Row { line: "sbc-bench -g all", end: "4", status: &[130], ..ROW },
        Row { line: "sbc-bench -g 0-1", end: "4", status: &[130], ..ROW },
        Row { line: "sbc-bench -g 7", says: &["CPU 7 is not online"], status: &[1], ..ROW },
        Row { line: "sbc-bench -M", says: &["AES"], ..RUN },
        Row {
            line: "sbc-bench scaling",
            flags: "",
            says: &["of the sum alone", "Clock: against the clock of these CPUs", "Bandwidth of several"],
            ..RUN
        },
    ]);
}

#[test]
fn verbs_that_set_clocks() {
    check(&[
        Row {
            line: "sbc-bench run --cpus 0 --others-off --repeat 2 -- sleep 0.1",
            company: Concurrency::Nothing,
            flags: "",
            says: &["sleep 0.1"],
            ..RUN
        },
        Row {
            line: "sbc-bench ab --a maxkhz=720000 --b maxkhz=1800000 --blocks 6 -- sleep 0.05",
            flags: "",
            says: &["maxkhz=720000"],
            ..RUN
        },
        Row { line: "sbc-bench sensitivity -- sleep 0.05", flags: "", end: "8", status: &[0, 2, 3, 130], ..ROW },
        Row {
            line: "sbc-bench thermal --duration 6s --cool-down 1s; \
                   sbc-bench report /var/log/sbc-bench.json --plots plots && ls plots",
            flags: "",
            says: &["°C", ".png", ".svg"],
            ..RUN
        },
        Row { line: "sbc-bench efficiency cores --idle 1s", flags: "", says: &["720", "1800"], ..RUN },
        Row { line: "sbc-bench restore", flags: "", says: &["Nothing to restore"], ..ROW },
    ]);
}

#[test]
fn external_benchmarks() {
    check(&[
        Row { line: "sbc-bench -G", says: &["Geekbench"], ..RUN },
        Row { line: "sbc-bench -P compress-7zip", says: &["compress-7zip"], ..RUN },
        Row { line: "sbc-bench -P", says: &["-P needs at least one test name"], status: &[1], ..ROW },
        Row {
            line: "sbc-bench -G",
            without: "geekbench6",
            says: &["Geekbench is not installed"],
            never: &["memory copy"],
            status: &[1],
            ..ROW
        },
        Row {
            line: "sbc-bench -P compress-7zip",
            without: "phoronix-test-suite",
            says: &["Phoronix Test Suite is not installed"],
            status: &[1],
            ..ROW
        },
    ]);
}
