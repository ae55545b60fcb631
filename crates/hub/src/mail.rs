//! Mail by SMTP (RFC 5321) to a relay of the operator's own, on this host or in its network: without encryption.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

/// Where a mail goes: `smtp://HOST:PORT/?from=A&to=B`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Target {
    relay: String,
    from: String,
    to: String,
}

fn parse(target: &str) -> Option<Target> {
    let rest = target.strip_prefix("smtp://")?;
    let (relay, query) = rest.split_once("/?")?;
    let value = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let is_address =
            |text: &str| text.contains('@') && text.chars().all(|c| c.is_ascii_graphic() && !"<>".contains(c));
        pairs.find(|(known, text)| *known == name && is_address(text)).map(|(_, text)| text.to_owned())
    };
    let relay = if relay.contains(':') { relay.to_owned() } else { format!("{relay}:25") };
    Some(Target { relay, from: value("from")?, to: value("to")? })
}

/// Sends a mail.
///
/// # Errors
/// One sentence: the target is wrong, or what the relay said.
pub fn send(target: &str, subject: &str, text: &str, time_max: Duration) -> Result<(), String> {
    let target = parse(target).ok_or("the target of mails is smtp://HOST:PORT/?from=A&to=B")?;
    let io = |error: std::io::Error| format!("{}: {error}", target.relay);
    let mut addresses = target.relay.to_socket_addrs().map_err(io)?;
    let address = addresses.next().ok_or("the relay has no address")?;
    let stream = TcpStream::connect_timeout(&address, time_max).map_err(io)?;
    stream.set_read_timeout(Some(time_max)).map_err(io)?;
    stream.set_write_timeout(Some(time_max)).map_err(io)?;
    let mut out = stream.try_clone().map_err(io)?;
    let mut answers = BufReader::new(stream);
    let mut say = |line: &str, expected: char| -> Result<(), String> {
        out.write_all(line.as_bytes()).map_err(io)?;
        loop {
            let mut answer = String::new();
            answers.read_line(&mut answer).map_err(io)?;
            match answer.as_bytes().get(3) {
                Some(b'-') => {}
                _ if answer.starts_with(expected) => return Ok(()),
                _ => return Err(format!("{} answers {}", target.relay, explain::plain(&answer))),
            }
        }
    };
    say("", '2')?;
    say("EHLO sbc-bench-hub\r\n", '2')?;
    say(&format!("MAIL FROM:<{}>\r\n", target.from), '2')?;
    say(&format!("RCPT TO:<{}>\r\n", target.to), '2')?;
    say("DATA\r\n", '3')?;
    say(&message(&target, subject, text), '2')?;
    say("QUIT\r\n", '2')
}

fn message(target: &Target, subject: &str, text: &str) -> String {
    let mut message = format!(
        "From: <{}>\r\nTo: <{}>\r\nSubject: {}\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\
         Content-Transfer-Encoding: 8bit\r\n\r\n",
        target.from,
        target.to,
        explain::plain(subject)
    );
    for line in text.lines() {
        // A line that is one dot would end the mail.
        let dot = if line.starts_with('.') { "." } else { "" };
        message.push_str(&format!("{dot}{}\r\n", explain::plain(line)));
    }
    message + ".\r\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_plain_addresses() {
        let target = parse("smtp://relay/?from=a@b&to=c@d").unwrap();
        assert_eq!(target, Target { relay: "relay:25".into(), from: "a@b".into(), to: "c@d".into() });
        for wrong in ["http://x/?from=a@b&to=c@d", "smtp://x/?from=a@b", "smtp://x/?from=a@b>\r\nDATA&to=c@d"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn text_does_not_end_the_mail() {
        let target = parse("smtp://relay/?from=a@b&to=c@d").unwrap();
        let message = message(&target, "a\r\nBcc: e@f", "one\n.\nQUIT");
        assert!(
            message.contains("Subject: a Bcc: e@f\r\n") && message.ends_with("one\r\n..\r\nQUIT\r\n.\r\n"),
            "{message}"
        );
    }
}
