//! Sends notices by the system's curl and its certificate store. Options are passed on standard input, because every
//! user can see arguments. Redirections are not followed: a receiver could choose an address in the network of the hub.

use crate::outside::{AddressRefusal, Server};
use std::time::Duration;

/// Exit status of curl for a connection that was refused (curl(1), EXIT CODES).
const NOT_CONNECTED: i32 = 7;

/// Sends with curl; an empty value makes an option a flag. Unless `allow_private`, curl connects only to a public
/// address that the name was resolved to just before. An error is one sentence without a full stop.
pub(crate) fn send(url: &str, allow_private: bool, options: &[(&str, &str)], time_max: Duration) -> Result<(), String> {
    let addressed = [&[("url", url)], options].concat();
    if allow_private {
        return once(&addressed, time_max).map_err(|failed| failed.why);
    }
    let server = Server::of(url).ok_or("the address is not valid")?;
    let mut sent = Err("its name has no address".to_owned());
    for address in server.addresses().map_err(AddressRefusal::sentence)? {
        let options = [&addressed[..], &[("connect-to", &address)]].concat();
        match once(&options, time_max) {
            // The server may have an IPv6 address that is unreachable from here.
            Err(failed) if failed.status == Some(NOT_CONNECTED) => sent = Err(failed.why),
            done => return done.map_err(|failed| failed.why),
        }
    }
    sent
}

struct SendError {
    why: String,
    status: Option<i32>,
}

fn once(options: &[(&str, &str)], time_max: Duration) -> Result<(), SendError> {
    let mut config = format!(
        "silent\nshow-error\ngloboff\noutput = \"/dev/null\"\nwrite-out = \"%{{http_code}}\"\nmax-time = {}\n",
        time_max.as_secs_f64()
    );
    for (name, value) in options {
        config.push_str(&if value.is_empty() {
            format!("{name}\n")
        } else {
            format!("{name} = \"{}\"\n", quoted(value))
        });
    }
    let missing = |why: std::io::Error| SendError {
        why: format!("notices need curl, which cannot be started: {why}"),
        status: None,
    };
    let child = process::curl::start(&config).map_err(missing)?;
    let ended = child.wait_with_output().map_err(missing)?;
    let said = String::from_utf8_lossy(&ended.stdout);
    let why = if ended.status.success() {
        if said.starts_with('2') {
            return Ok(());
        }
        format!("the answer is {}", facts::plain(&said))
    } else {
        facts::plain(&String::from_utf8_lossy(&ended.stderr))
    };
    Err(SendError { why, status: ended.status.code() })
}

/// Quotes a value of curl's configuration (curl(1), `--config`).
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
