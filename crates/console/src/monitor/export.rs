//! Latest values for other programs: served to Prometheus, or in a file for the textfile collector of node_exporter.

use super::Viewer;
use crate::output;
use anyhow::Context;
use explain::monitor::{Watch, metrics};
use machine::files::{self, Access};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Serves the latest values from a copy of the watch, so that server and monitor never wait for each other.
pub(super) struct Prometheus {
    shared: Arc<Mutex<Watch>>,
}

impl Prometheus {
    /// Listens before anything is shown, so that an address in use is an error at the start.
    ///
    /// # Errors
    /// The address cannot be listened on.
    pub(super) fn start(address: SocketAddr) -> anyhow::Result<Self> {
        let shared = Arc::new(Mutex::new(Watch::new(record::nothing_known())));
        let served = Arc::clone(&shared);
        let page = move || metrics(&served.lock().unwrap_or_else(PoisonError::into_inner));
        let bound = net::exporter::serve(address, page).with_context(|| format!("Cannot listen on {address}"))?;
        if address.port() == 0 {
            output::note(&format!("Serving metrics at http://{bound}/metrics..."));
        }
        Ok(Self { shared })
    }
}

impl Viewer for Prometheus {
    fn begin(&mut self, watch: &Watch) -> anyhow::Result<()> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        *shared = watch.clone();
        Ok(())
    }

    fn row(&mut self, watch: &Watch) -> anyhow::Result<bool> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.follow(watch);
        Ok(true)
    }
}

/// Writes the latest values into a file.
pub(super) struct Textfile {
    path: PathBuf,
    /// Keep the file at the end, as after a fixed number of samples.
    is_kept: bool,
    /// The last write failed, which was noted.
    failed: bool,
    notes: Vec<String>,
}

impl Textfile {
    pub(super) fn new(path: &Path, is_kept: bool) -> Self {
        if path.extension().is_none_or(|extension| extension != "prom") {
            let name = path.display();
            output::note(&format!("node_exporter reads only files named *.prom; {name} is not."));
        }
        Self { path: path.to_path_buf(), is_kept, failed: false, notes: Vec::new() }
    }

    /// The collector runs as another user. Values are not synced: they are obsolete after a loss of power.
    fn replace(&self, text: &str) -> Result<(), files::Error> {
        files::replace_unsynced(&self.path, text.as_bytes(), Access::World)
    }
}

impl Viewer for Textfile {
    fn begin(&mut self, _watch: &Watch) -> anyhow::Result<()> {
        Ok(())
    }

    fn row(&mut self, watch: &Watch) -> anyhow::Result<bool> {
        let written = self.replace(&metrics(watch));
        if let (Err(error), false) = (&written, self.failed) {
            self.notes.push(format!("{error}. Monitoring continues."));
        }
        self.failed = written.is_err();
        Ok(true)
    }

    fn take_notes(&mut self, notes: &mut Vec<String>) {
        notes.append(&mut self.notes);
    }

    /// Removes the file, because readers would take its values for current ones.
    fn end(&mut self, _watch: &Watch) -> anyhow::Result<()> {
        if !self.is_kept {
            let _ = std::fs::remove_file(&self.path);
        }
        Ok(())
    }
}
