//! Frame of every assembly loop, written once: function, alignment, turn counter and shared registers. Each instruction
//! set provides `again!`, the end of its loops.
//!
//! `first` are instructions before the loop, `then` those after it. Operands of the loop itself come last, in the
//! syntax of `asm!`; the macros define `{source}`, `{destination}` and `{turns}`.

/// A [`CopyTurns`](crate::routine::CopyTurns).
macro_rules! copy_turns {
    ($(#[$about:meta])* $name:ident [$($turn:expr),* $(,)?] $(then [$($after:expr),*])?; $($operand:tt)*) => {
        $(#[$about])*
        unsafe fn $name(destination: *mut u8, source: *const u8, turns: usize) {
            // SAFETY: the caller guarantees memory for `turns` turns, aligned as the table requires, and the CPU
            // features used. A prefetch beyond the end of the source is a hint and never faults.
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

/// A [`FillTurns`](crate::routine::FillTurns); `byte => name = value` converts the byte to the form that the loop
/// needs.
macro_rules! fill_turns {
    ($(#[$about:meta])* $name:ident $byte:ident => $form:ident = $value:expr;
     $(first [$($before:expr),*])? [$($turn:expr),* $(,)?] $(then [$($after:expr),*])?; $($operand:tt)*) => {
        $(#[$about])*
        unsafe fn $name(destination: *mut u8, $byte: u8, turns: usize) {
            // SAFETY: the caller guarantees memory for `turns` turns, aligned as the table requires, and the CPU
            // features used.
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

/// A [`ReadTurns`](crate::routine::ReadTurns); `(sums): (types) => value` are the loop's results and the return value.
macro_rules! read_turns {
    ($(#[$about:meta])* $name:ident $sums:pat_param, $types:ty => $value:expr;
     $(first [$($before:expr),*])? [$($turn:expr),* $(,)?] $(then [$($after:expr),* $(,)?])?; $($operand:tt)*) => {
        $(#[$about])*
        unsafe fn $name(source: *const u8, turns: usize) -> u64 {
            let $sums: $types;
            // SAFETY: the caller guarantees memory for `turns` turns, aligned as the table requires, and the CPU
            // features used. A prefetch beyond the end of the source is a hint and never faults.
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

/// Loop on registers only: instructions repeated within a turn, from an address with `$align` trailing zero bits. The
/// caller provides all operands, including the counter.
macro_rules! register_turns {
    ($align:literal, $times:literal, $turns:literal, $(first [$($before:expr),* $(,)?])? [$($turn:expr),* $(,)?]
     $(then [$($after:expr),*])?; $($operand:tt)*) => {
        // SAFETY: works on the named registers only; the caller has checked the CPU features.
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

/// A [`TileTurns`](crate::flops::TileTurns); `first` loads what the first turn needs and clears the tile's registers,
/// `then` adds them to the tile. Defines `{left}`, `{right}`, `{product}`, `{stride}` and `{turns}`.
macro_rules! tile_turns {
    ($(#[$about:meta])* $name:ident first [$($before:expr),* $(,)?] [$($turn:expr),* $(,)?] then [$($after:expr),* $(,)?];
     $($operand:tt)*) => {
        $(#[$about])*
        unsafe fn $name(left: *const u8, right: *const u8, product: *mut u8, stride: usize, turns: usize) {
            // SAFETY: the caller guarantees panels of `turns` turns, the tile and the CPU features used.
            unsafe {
                asm!(
                    $($before,)*
                    ".p2align 5",
                    "2:",
                    $($turn,)*
                    again!("{turns}"),
                    $($after,)*
                    left = inout(reg) left => _,
                    right = inout(reg) right => _,
                    product = inout(reg) product => _,
                    stride = in(reg) stride,
                    turns = inout(reg) turns => _,
                    $($operand)*
                    options(nostack),
                );
            }
        }
    };
}

/// Adds sums to a column of a tile: loads the column, adds each sum to its register, stores, and moves on to the next.
#[allow(unused_macros, reason = "some instruction sets add in loops of the assembler")]
macro_rules! add_column {
    ($load:expr, $add:literal, [$($to:literal $sum:literal),*], $form:literal, $store:expr) => {
        concat!(
            $load, "\n", $($add, " ", $to, $form, ", ", $to, $form, ", ", $sum, $form, "\n",)*
            $store, "\nadd {product}, {product}, {stride}"
        )
    };
}
