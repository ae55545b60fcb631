//! Names of Linux errors for messages, because users would have to look up "error 5". Numbers: Linux
//! include/uapi/asm-generic/errno-base.h and errno.h, which every supported architecture uses.

/// Numbers, names and descriptions, ordered by number.
const ERRORS: &[(i32, &str, &str)] = &[
    (1, "EPERM", "operation not permitted"),
    (3, "ESRCH", "no such process"),
    (4, "EINTR", "interrupted"),
    (5, "EIO", "input/output error"),
    (6, "ENXIO", "no such device"),
    (11, "EAGAIN", "temporarily unavailable"),
    (12, "ENOMEM", "out of memory"),
    (16, "EBUSY", "device or resource busy"),
    (19, "ENODEV", "no such device"),
    (20, "ENOTDIR", "not a directory"),
    (21, "EISDIR", "is a directory"),
    (22, "EINVAL", "invalid argument"),
    (23, "ENFILE", "too many open files in the system"),
    (24, "EMFILE", "too many open files"),
    (28, "ENOSPC", "no space left on device"),
    (30, "EROFS", "read-only file system"),
    (34, "ERANGE", "out of range"),
    (40, "ELOOP", "too many symbolic links"),
    (61, "ENODATA", "no data available"),
    (71, "EPROTO", "protocol error"),
    (75, "EOVERFLOW", "value too large"),
    (95, "EOPNOTSUPP", "not supported"),
    (101, "ENETUNREACH", "network unreachable"),
    (104, "ECONNRESET", "connection reset"),
    (107, "ENOTCONN", "not connected"),
    (110, "ETIMEDOUT", "timed out"),
    (111, "ECONNREFUSED", "connection refused"),
    (112, "EHOSTDOWN", "host is down"),
    (113, "EHOSTUNREACH", "no route to host"),
    (116, "ESTALE", "stale file handle"),
    (121, "EREMOTEIO", "remote input/output error"),
];

/// `input/output error (EIO)`, or the number of an unknown error.
pub fn errno_words(errno: i32) -> String {
    match ERRORS.binary_search_by_key(&errno, |(number, ..)| *number) {
        Ok(at) => format!("{} ({})", ERRORS[at].2, ERRORS[at].1),
        Err(_) => format!("error {errno}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_sorted_and_have_words() {
        assert!(ERRORS.is_sorted_by_key(|(number, ..)| *number));
        assert_eq!(errno_words(5), "input/output error (EIO)");
        assert_eq!(errno_words(4095), "error 4095");
    }
}
