//! Mail by SMTP (RFC 5321): without encryption to a relay of the operator's own, on this host or in its network; to a server
//! that asks for a password over TLS alone, by curl.

use crate::curl;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

/// What targets of mails look like.
pub const TARGET: &str = "smtp://RELAY:25/?from=A&to=B, smtp://USER:PASSWORD@SERVER:587/?from=A&to=B or smtps://...";

/// Where a mail goes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Target {
    /// Its server with scheme, user and port.
    url: String,
    from: String,
    to: String,
}

impl Target {
    /// The relay that is spoken to in clear text; none of a server that is sent to over TLS.
    fn relay(&self) -> Option<String> {
        let relay = self.url.strip_prefix("smtp://").filter(|relay| !relay.contains('@'))?;
        Some(if relay.contains(':') { relay.to_owned() } else { format!("{relay}:25") })
    }
}

/// A mail.
#[derive(Debug, Clone, Copy)]
pub struct Mail<'a> {
    /// What it is about.
    pub subject: &'a str,
    /// Its lines.
    pub text: &'a str,
    /// What is told: the same thing has the same number, however often it is sent.
    pub number: i64,
    /// When it is sent, UTC in milliseconds.
    pub now_utc_ms: i64,
}

fn parse(target: &str) -> Option<Target> {
    let (url, query) = target.split_once("/?")?;
    let is_server =
        |server: &str| !server.is_empty() && server.chars().all(|c| c.is_ascii_graphic() && !"/\"\\<>".contains(c));
    ["smtp://", "smtps://"].iter().find_map(|scheme| url.strip_prefix(scheme)).filter(|server| is_server(server))?;
    let value = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let is_address =
            |text: &str| text.contains('@') && text.chars().all(|c| c.is_ascii_graphic() && !"<>".contains(c));
        pairs.find(|(known, text)| *known == name && is_address(text)).map(|(_, text)| text.to_owned())
    };
    Some(Target { url: url.to_owned(), from: value("from")?, to: value("to")? })
}

/// Whether mails can be sent to a target.
pub fn is_target(target: &str) -> bool {
    parse(target).is_some()
}

/// Sends a mail.
///
/// # Errors
/// One sentence: the target is wrong, or what its server said.
pub fn send(target: &str, mail: &Mail<'_>, time_max: Duration) -> Result<(), String> {
    let target = parse(target).ok_or_else(|| format!("the target of mails is {TARGET}"))?;
    match target.relay() {
        Some(relay) => in_clear_text(&relay, &target, mail, time_max),
        None => over_tls(&target, mail, time_max),
    }
}

/// RFC 5322, 3.6.
fn headers(target: &Target, mail: &Mail<'_>) -> Vec<String> {
    let at = Timestamp::from_millisecond(mail.now_utc_ms).unwrap_or_default().to_zoned(TimeZone::UTC);
    let date = jiff::fmt::rfc2822::to_string(&at).unwrap_or_default();
    let domain = target.from.rsplit('@').next().unwrap_or_default();
    vec![
        format!("Date: {date}"),
        format!("From: <{}>", target.from),
        format!("To: <{}>", target.to),
        format!("Message-ID: <sbc-bench-change-{}@{domain}>", mail.number),
        format!("Subject: {}", explain::plain(mail.subject)),
    ]
}

fn over_tls(target: &Target, mail: &Mail<'_>, time_max: Duration) -> Result<(), String> {
    // A word behind the server's name is how curl introduces itself.
    let url = format!("{}/sbc-bench-hub", target.url);
    let headers = headers(target, mail);
    let text: Vec<String> = mail.text.lines().map(explain::plain).collect();
    // Within quotes nothing is an option of the part.
    let text = text.join("\r\n").replace('\\', "\\\\").replace('"', "\\\"");
    let part = format!("=\"{text}\";type=\"text/plain; charset=utf-8\";encoder=quoted-printable");
    let mut options =
        vec![("url", url.as_str()), ("proto", "=smtp,smtps"), ("ssl-reqd", ""), ("mail-from", &target.from)];
    options.extend([("mail-rcpt", target.to.as_str()), ("form", part.as_str())]);
    options.extend(headers.iter().map(|header| ("header", header.as_str())));
    curl::send(&options, time_max)
}

fn in_clear_text(relay: &str, target: &Target, mail: &Mail<'_>, time_max: Duration) -> Result<(), String> {
    let io = |error: std::io::Error| format!("{relay}: {error}");
    let mut addresses = relay.to_socket_addrs().map_err(io)?;
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
                _ => return Err(format!("{relay} answers {}", explain::plain(&answer))),
            }
        }
    };
    say("", '2')?;
    say("EHLO sbc-bench-hub\r\n", '2')?;
    say(&format!("MAIL FROM:<{}>\r\n", target.from), '2')?;
    say(&format!("RCPT TO:<{}>\r\n", target.to), '2')?;
    say("DATA\r\n", '3')?;
    say(&message(target, mail), '2')?;
    say("QUIT\r\n", '2')
}

fn message(target: &Target, mail: &Mail<'_>) -> String {
    let mut message = headers(target, mail).join("\r\n");
    message.push_str(
        "\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n",
    );
    for line in mail.text.lines() {
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
        for (target, relay) in [
            ("smtp://relay/?from=a@b&to=c@d", Some("relay:25")),
            ("smtp://relay:26/?from=a@b&to=c@d", Some("relay:26")),
            ("smtp://me:secret@server:587/?from=a@b&to=c@d", None),
            ("smtps://server/?from=a@b&to=c@d", None),
        ] {
            assert_eq!(parse(target).unwrap().relay().as_deref(), relay, "{target}");
        }
        for wrong in [
            "http://x/?from=a@b&to=c@d",
            "smtp://x/?from=a@b",
            "smtp:///?from=a@b&to=c@d",
            "smtps://x\"\nurl=y/?from=a@b&to=c@d",
            "smtp://x/?from=a@b>\r\nDATA&to=c@d",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn text_does_not_end_the_mail() {
        let target = parse("smtp://relay/?from=a@b&to=c@d").unwrap();
        let mail = Mail { subject: "a\r\nBcc: e@f", text: "one\n.\nQUIT", number: 7, now_utc_ms: 1_767_225_600_000 };
        let message = message(&target, &mail);
        assert!(message.starts_with("Date: Thu, 1 Jan 2026 00:00:00 +0000\r\nFrom: <a@b>\r\n"), "{message}");
        assert!(message.contains("Message-ID: <sbc-bench-change-7@b>\r\nSubject: a Bcc: e@f\r\n"), "{message}");
        assert!(message.ends_with("one\r\n..\r\nQUIT\r\n.\r\n"), "{message}");
    }
}
