//! Passes the test cases of a report to LAVA through the command on its boards, which stores them and signals them as
//! configured by the lab.

use super::child::{Child, ChildSpec};
use super::tools::Tools;
use machine::Root;
use record::Failure;
use std::time::Duration;

const COMMAND: &str = "lava-test-case";
/// Maximum time: the command is a shell script that writes a few small files.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// Passes each signal of a report to the command and returns its output; without the command, returns the signals.
///
/// # Errors
/// The command does not work.
pub fn give(tools: &Tools, signals: &str) -> Result<String, Failure> {
    let Some(program) = tools.program(COMMAND) else { return Ok(signals.to_owned()) };
    let mut printed = String::new();
    for signal in signals.lines() {
        let argv = command_line(&program.display().to_string(), signal);
        let ended = Child::spawn(&ChildSpec::new(&argv, TIME_LIMIT))?.wait(&Root::system());
        ended.outcome?;
        printed.push_str(&ended.output);
    }
    Ok(printed)
}

/// Command line for `<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=a RESULT=pass UNITS=s MEASUREMENT=1>`.
fn command_line(program: &str, signal: &str) -> Vec<String> {
    let mut argv = vec![program.to_owned()];
    for (key, value) in signal.trim_end_matches('>').split(' ').filter_map(|word| word.split_once('=')) {
        if key != "TEST_CASE_ID" {
            argv.push(format!("--{}", key.to_ascii_lowercase()));
        }
        argv.push(value.to_owned());
    }
    argv
}
