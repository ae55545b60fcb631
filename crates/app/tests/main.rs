//! Tests of the program as users run it, one module per subject.

mod bound_loads;
mod command_line;
mod doctor;
mod fake_tree;
#[path = "../../explain/tests/files/mod.rs"]
mod files;
mod foreign_folders;
mod hostile_tools;
mod hub_references;
mod identify;
mod jq;
mod loads;
mod lost_results;
mod mark;
mod monitor;
mod odd_boards;
mod old_records;
mod outputs;
mod placed;
mod readme;
mod recovery;
mod review;
mod rights;
mod secrets;
mod seeds;
mod served;
mod several;
mod signals;
mod site;
mod spaces;
mod survey;
mod terminal;
mod update;
mod upload;
mod verbs;
mod views;
