//! Frames between hub and worker: the lengths of both parts, a head in JSON, and bytes.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{Error, ErrorKind, Read, Result, Write};

/// Maximum length of a part; a page of the largest Record is smaller.
const BYTES_MAX: usize = 256 << 20;

pub(super) fn send(out: &mut impl Write, head: &impl Serialize, bytes: &[u8]) -> Result<()> {
    let head = serde_json::to_vec(head)?;
    for part in [&head, bytes] {
        let length = u32::try_from(part.len()).map_err(|_| Error::from(ErrorKind::InvalidInput))?;
        out.write_all(&length.to_le_bytes())?;
    }
    out.write_all(&head)?;
    out.write_all(bytes)?;
    out.flush()
}

pub(super) fn receive<T: DeserializeOwned>(from: &mut impl Read) -> Result<(T, Vec<u8>)> {
    let mut lengths = [0_usize; 2];
    for length in &mut lengths {
        let mut bytes = [0; 4];
        from.read_exact(&mut bytes)?;
        *length = u32::from_le_bytes(bytes) as usize;
    }
    let [head, bytes] = lengths.map(|length| {
        if length > BYTES_MAX {
            return Err(Error::from(ErrorKind::InvalidData));
        }
        let mut part = vec![0; length];
        from.read_exact(&mut part)?;
        Ok(part)
    });
    Ok((serde_json::from_slice(&head?)?, bytes?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_and_half_a_frame_is_an_error() {
        let mut sent = Vec::new();
        send(&mut sent, &("head", 1), b"bytes").unwrap();
        send(&mut sent, &("next", 2), b"").unwrap();
        let mut from = sent.as_slice();
        assert_eq!(receive::<(String, u32)>(&mut from).unwrap(), (("head".to_owned(), 1), b"bytes".to_vec()));
        assert_eq!(receive::<(String, u32)>(&mut from).unwrap(), (("next".to_owned(), 2), Vec::new()));
        assert!(receive::<(String, u32)>(&mut from).is_err());
        for end in 0..sent.len() / 2 {
            assert!(receive::<(String, u32)>(&mut &sent[..end]).is_err(), "{end}");
        }
        assert!(receive::<u32>(&mut &[255_u8; 32][..]).is_err(), "a length without end");
    }
}
