//! Write behaviour of a board's kernel. A board stores everything written to its files; real kernels reject or round
//! values, and change other files.

use std::fmt;
use std::sync::Arc;

/// Input: path and value; output: content of the file afterwards, or an errno.
type Kernel = dyn Fn(&str, &str) -> Result<String, i32> + Send + Sync;

/// Handling of writes by the kernel of a board. Clones share the kernel.
#[derive(Clone)]
pub struct WritePolicy(Arc<Kernel>);

impl WritePolicy {
    /// Creates a kernel. Input: path and value; output: content of the file afterwards, or an errno.
    pub fn new(kernel: impl Fn(&str, &str) -> Result<String, i32> + Send + Sync + 'static) -> Self {
        Self(Arc::new(kernel))
    }

    pub(super) fn of(&self, path: &str, value: &str) -> Result<String, i32> {
        (self.0)(path, value)
    }
}

impl fmt::Debug for WritePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WritePolicy")
    }
}
