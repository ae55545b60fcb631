//! Mail by SMTP (RFC 5321), sent by curl: without encryption to a relay, with a password over TLS only.

use crate::curl;
use crate::outside::Server;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::time::Duration;

/// Format of the target of a mail.
pub const TARGET: &str = "smtp://RELAY:25/?from=A&to=B, smtp://USER:PASSWORD@SERVER:587/?from=A&to=B or smtps://...";

#[derive(Debug, Clone, PartialEq, Eq)]
struct Target {
    /// Server with scheme, user and port.
    url: String,
    from: String,
    to: String,
    has_user: bool,
}

#[derive(Debug, Clone, Copy)]
pub struct Mail<'a> {
    pub subject: &'a str,
    pub text: &'a str,
    /// Number of the change; makes repeated mails about it recognisable.
    pub number: i64,
    pub now_utc_ms: i64,
}

fn parse(target: &str) -> Option<Target> {
    let (url, query) = target.split_once("/?")?;
    let server = Server::of(url).filter(|server| ["smtp", "smtps"].contains(&server.scheme))?;
    let is_whole = !url.split_once("://")?.1.contains(['/', '?', '#']);
    let value = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let is_address =
            |text: &str| text.contains('@') && text.chars().all(|c| c.is_ascii_graphic() && !"<>".contains(c));
        pairs.find(|(known, text)| *known == name && is_address(text)).map(|(_, text)| text.to_owned())
    };
    let target = Target { url: url.to_owned(), from: value("from")?, to: value("to")?, has_user: server.has_user };
    is_whole.then_some(target)
}

pub fn is_target(target: &str) -> bool {
    parse(target).is_some()
}

/// Headers (RFC 5322, 3.6).
fn headers(target: &Target, mail: &Mail<'_>) -> Vec<String> {
    let at = Timestamp::from_millisecond(mail.now_utc_ms).unwrap_or_default().to_zoned(TimeZone::UTC);
    let date = jiff::fmt::rfc2822::to_string(&at).unwrap_or_default();
    let domain = target.from.rsplit('@').next().unwrap_or_default();
    vec![
        format!("Date: {date}"),
        format!("From: <{}>", target.from),
        format!("To: <{}>", target.to),
        format!("Message-ID: <sbc-bench-change-{}@{domain}>", mail.number),
        format!("Subject: {}", facts::plain(mail.subject)),
    ]
}

/// Sends a mail. An error is one sentence without a full stop.
pub fn send(target: &str, allow_private: bool, mail: &Mail<'_>, time_max: Duration) -> Result<(), String> {
    let target = parse(target).ok_or_else(|| format!("the target of mails is {TARGET}"))?;
    // curl introduces itself by the word behind the server's name.
    let url = format!("{}/sbc-bench-hub", target.url);
    let (headers, part) = (headers(&target, mail), part(mail.text));
    let mut options = vec![("proto", "=smtp,smtps"), ("mail-from", &target.from), ("mail-rcpt", &target.to)];
    options.push(("form", &part));
    options.extend(headers.iter().map(|header| ("header", header.as_str())));
    if target.has_user {
        options.push(("ssl-reqd", ""));
    }
    curl::send(&url, allow_private, &options, time_max)
}

/// The text as the only part of a mail. Quotes keep its content from being options of the part.
fn part(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(facts::plain).collect();
    let text = lines.join("\r\n").replace('\\', "\\\\").replace('"', "\\\"");
    format!("=\"{text}\";type=text/plain; charset=utf-8;encoder=quoted-printable")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::TcpListener;

    #[test]
    fn targets_are_plain_addresses() {
        for (target, has_user) in [
            ("smtp://relay/?from=a@b&to=c@d", false),
            ("smtp://relay:26/?from=a@b&to=c@d", false),
            ("smtp://me:secret@server:587/?from=a@b&to=c@d", true),
            ("smtps://server/?from=a@b&to=c@d", false),
        ] {
            assert_eq!(parse(target).map(|target| target.has_user), Some(has_user), "{target}");
        }
        for wrong in [
            "http://x/?from=a@b&to=c@d",
            "smtp://x/?from=a@b",
            "smtp://x/y/?from=a@b&to=c@d",
            "smtp:///?from=a@b&to=c@d",
            "smtps://x\"\nurl=y/?from=a@b&to=c@d",
            "smtp://x/?from=a@b>\r\nDATA&to=c@d",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn server_that_never_ends_its_answer_is_left() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let target = format!("smtp://{}/?from=a@b&to=c@d", listener.local_addr().unwrap());
        let serve = move || {
            let (mut stream, _) = listener.accept().unwrap();
            // Each line arrives long before a timeout between lines.
            while stream.write_all(b"220-more\r\n").is_ok() {
                std::thread::sleep(Duration::from_millis(50));
            }
        };
        let serving = std::thread::Builder::new().spawn(serve).unwrap();
        let mail = Mail { subject: "a", text: "b", number: 7, now_utc_ms: 1 };
        let sent = send(&target, true, &mail, Duration::from_secs(1));
        assert!(sent.as_ref().is_err_and(|why| why.contains("timed out")), "{sent:?}");
        serving.join().unwrap();
    }

    #[test]
    fn text_adds_no_header_and_no_option() {
        let target = parse("smtp://relay/?from=a@b&to=c@d").unwrap();
        let mail = Mail { subject: "a\r\nBcc: e@f", text: "", number: 7, now_utc_ms: 1_767_225_600_000 };
        let headers = headers(&target, &mail);
        assert_eq!(headers[..2], ["Date: Thu, 1 Jan 2026 00:00:00 +0000", "From: <a@b>"]);
        assert_eq!(headers[3..], ["Message-ID: <sbc-bench-change-7@b>", "Subject: a Bcc: e@f"]);
        let part = part("one\n.\n\";filename=/etc/passwd\\");
        assert_eq!(
            part,
            "=\"one\r\n.\r\n\\\";filename=/etc/passwd\\\\\";type=text/plain; charset=utf-8;encoder=quoted-printable"
        );
    }
}
