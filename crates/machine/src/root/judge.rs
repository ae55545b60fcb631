//! What the kernel of a board makes of a write: boards are files, and files keep everything written to them;
//! kernels refuse, round, and change something else as well.

use std::fmt;
use std::sync::Arc;

/// Path and value go in; what the file reads afterwards comes out, or an errno.
type Kernel = dyn Fn(&str, &str) -> Result<String, i32> + Send + Sync;

/// How the kernel of a board handles a write. Clones are the same kernel.
#[derive(Clone)]
pub struct WritePolicy(Arc<Kernel>);

impl WritePolicy {
    /// A kernel: path and value go in; what the file reads afterwards comes out, or an errno.
    pub fn new(kernel: impl Fn(&str, &str) -> Result<String, i32> + Send + Sync + 'static) -> Self {
        Self(Arc::new(kernel))
    }

    pub(super) fn of(&self, path: &str, value: &str) -> Result<String, i32> {
        (self.0)(path, value)
    }
}

impl fmt::Debug for WritePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Judge")
    }
}
