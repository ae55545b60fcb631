//! Notices over TLS: by the machine's own curl and its store of certificates, as `sbc-bench` sends its results. What it is
//! told stands in no argument, which every user could see.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Has curl do what its options say, each with a value or as a flag without one.
///
/// # Errors
/// One sentence: curl cannot be started, what it said, or the status of the answer.
pub(crate) fn send(options: &[(&str, &str)], time_max: Duration) -> Result<(), String> {
    let mut config = format!(
        "silent\nshow-error\noutput = \"/dev/null\"\nwrite-out = \"%{{http_code}}\"\nmax-time = {}\n",
        time_max.as_secs()
    );
    for (name, value) in options {
        config.push_str(&if value.is_empty() {
            format!("{name}\n")
        } else {
            format!("{name} = \"{}\"\n", quoted(value))
        });
    }
    let missing = |why: std::io::Error| format!("TLS needs curl, which cannot be started: {why}");
    // -q: no configuration of the user changes what is verified.
    let mut curl = Command::new("curl");
    curl.args(["-q", "--config", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = curl.spawn().map_err(missing)?;
    if let Some(mut stdin) = child.stdin.take() {
        let _ = stdin.write_all(config.as_bytes());
    }
    let ended = child.wait_with_output().map_err(missing)?;
    let said = String::from_utf8_lossy(&ended.stdout);
    match ended.status.success() {
        true if said.starts_with('2') => Ok(()),
        true => Err(format!("the answer is {}", explain::plain(&said))),
        false => Err(explain::plain(&String::from_utf8_lossy(&ended.stderr))),
    }
}

/// A value of curl's configuration (curl(1), `--config`).
fn quoted(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\r', "\\r").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_end_no_quotation_and_no_line() {
        assert_eq!(quoted("a\"b\\\r\nurl = x"), "a\\\"b\\\\\\r\\nurl = x");
    }
}
