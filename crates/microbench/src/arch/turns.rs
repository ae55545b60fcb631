//! What every loop of assembly has around its own instructions, written once: the function, alignment, counting of
//! turns and the registers that all share. An instruction set gives `again!`, the end of its loops.
//!
//! `first` are instructions before the loop, `then` those after it. Operands of the loop's own come last, in the words of
//! `asm!`; the macros name `{source}`, `{destination}` and `{turns}`.

/// A [`CopyTurns`](crate::routine::CopyTurns).
macro_rules! copy_turns {
    ($(#[$about:meta])* $name:ident [$($turn:expr),* $(,)?] $(then [$($after:expr),*])?; $($operand:tt)*) => {
        $(#[$about])*
        unsafe fn $name(destination: *mut u8, source: *const u8, turns: usize) {
            // SAFETY: the caller promises memory for `turns` turns, aligned as the table asks, and the units that
            // are used. A prefetch beyond the end of the source is a hint and never faults.
            unsafe {
                asm!(
                    ".p2align 5",
                    "2:",
                    $($turn,)*
                    again!("{turns}"),
                    $($($after,)*)?
                    source = inout(reg) source => _,
                    destination = inout(reg) destination => _,
                    turns = inout(reg) turns => _,
                    $($operand)*
                    options(nostack),
                );
            }
        }
    };
}

/// A [`FillTurns`](crate::routine::FillTurns); `byte => name = value` says in which form the loop gets its byte.
macro_rules! fill_turns {
    ($(#[$about:meta])* $name:ident $byte:ident => $form:ident = $value:expr;
     $(first [$($before:expr),*])? [$($turn:expr),* $(,)?] $(then [$($after:expr),*])?; $($operand:tt)*) => {
        $(#[$about])*
        unsafe fn $name(destination: *mut u8, $byte: u8, turns: usize) {
            // SAFETY: the caller promises memory for `turns` turns, aligned as the table asks, and the units that
            // are used.
            unsafe {
                asm!(
                    $($($before,)*)?
                    ".p2align 5",
                    "2:",
                    $($turn,)*
                    again!("{turns}"),
                    $($($after,)*)?
                    $form = in(reg) $value,
                    destination = inout(reg) destination => _,
                    turns = inout(reg) turns => _,
                    $($operand)*
                    options(nostack),
                );
            }
        }
    };
}

/// A [`ReadTurns`](crate::routine::ReadTurns); `(sums): (types) => value` are what the loop leaves and what it returns.
macro_rules! read_turns {
    ($(#[$about:meta])* $name:ident $sums:pat_param, $types:ty => $value:expr;
     $(first [$($before:expr),*])? [$($turn:expr),* $(,)?] $(then [$($after:expr),* $(,)?])?; $($operand:tt)*) => {
        $(#[$about])*
        unsafe fn $name(source: *const u8, turns: usize) -> u64 {
            let $sums: $types;
            // SAFETY: the caller promises memory for `turns` turns, aligned as the table asks, and the units that
            // are used. A prefetch beyond the end of the source is a hint and never faults.
            unsafe {
                asm!(
                    $($($before,)*)?
                    ".p2align 5",
                    "2:",
                    $($turn,)*
                    again!("{turns}"),
                    $($($after,)*)?
                    source = inout(reg) source => _,
                    turns = inout(reg) turns => _,
                    $($operand)*
                    options(nostack, readonly),
                );
            }
            $value
        }
    };
}

/// A loop on registers alone: its instructions so many times a turn, from an address that `$align` zero bits end.
/// All operands are the caller's, the counter among them.
macro_rules! register_turns {
    ($align:literal, $times:literal, $turns:literal, $(first [$($before:expr),* $(,)?])? [$($turn:expr),* $(,)?]
     $(then [$($after:expr),*])?; $($operand:tt)*) => {
        // SAFETY: works on the named registers only; who calls the loop has looked for the unit.
        unsafe {
            asm!(
                $($($before,)*)?
                concat!(".p2align ", $align),
                "2:",
                concat!(".rept ", $times),
                $($turn,)*
                ".endr",
                again!($turns),
                $($($after,)*)?
                $($operand)*
                options(nomem, nostack),
            );
        }
    };
}
