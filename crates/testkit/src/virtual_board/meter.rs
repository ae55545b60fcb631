//! Power meter on loopback that answers like NETIO's sockets, in JSON.
//!
//! Every request gets an answer; a meter that has disappeared closes the connection.

use super::lock;
use super::model::Model;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// Time limit for a client's request.
const PATIENCE: Duration = Duration::from_millis(500);

/// Server, stopped on drop.
pub(super) struct Meter {
    /// Address of the server.
    pub(super) address: SocketAddr,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Meter {
    pub(super) fn serve(model: &Arc<Mutex<Model>>) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let is_over = Arc::new(AtomicBool::new(false));
        let (model, over) = (Arc::clone(model), Arc::clone(&is_over));
        let thread = std::thread::Builder::new().spawn(move || {
            for stream in listener.incoming() {
                if over.load(Ordering::Relaxed) {
                    return;
                }
                let metered = lock(&model).metered();
                // A client may close the connection early.
                let _ = stream.and_then(|stream| reply(stream, metered));
            }
        });
        Ok(Self { address, is_over, thread: Some(thread?) })
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        // A connection wakes the server, so that it notices the end.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn reply(mut stream: TcpStream, metered: Option<(f64, f64, f64)>) -> std::io::Result<()> {
    let Some(metered) = metered else { return Ok(()) };
    stream.set_read_timeout(Some(PATIENCE))?;
    let _ = stream.read(&mut [0; 1024])?;
    let body = json(metered);
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// Answer of a socket with one output, after the documentation of NETIO's JSON interface. The current is derived from
/// the power, because the protocol has no other exact power.
fn json((watts, volts, _): (f64, f64, f64)) -> String {
    let milliamperes = 1000.0 * watts / volts;
    format!(
        "{{\"Agent\":{{\"Model\":\"Virtual board\",\"NumOutputs\":1}},\"GlobalMeasure\":{{\"Voltage\":{volts}}},\
         \"Outputs\":[{{\"ID\":1,\"State\":1,\"Current\":{milliamperes:.0},\"PowerFactor\":1.0,\"Load\":{watts:.0}}}]}}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::virtual_board::Board;

    fn ask(address: SocketAddr) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(b"GET /netio.json HTTP/1.1\r\n\r\n").unwrap();
        let mut text = String::new();
        let _ = stream.read_to_string(&mut text);
        text
    }

    #[test]
    fn meter_answers_until_removed() {
        let text = "name = \"test\"\n[[policy]]\ncpus = [0]\ncore_w = 2\nopps = [[600000, 0.8]]\n\
                    [thermal]\nambient_c = 25\nk_per_w = 10\ntau_s = 10\nidle_w = 1.5\n\
                    [meter]\nplace = \"network\"\nvolts = 5.0\ngone_after_s = 60.0\n";
        let model = Arc::new(Mutex::new(Model::new(Board::parse(text).unwrap())));
        let meter = Meter::serve(&model).unwrap();
        let answer = ask(meter.address);
        assert!(answer.contains("\"Voltage\":5}") && answer.contains("\"Current\":300,"), "{answer}");
        lock(&model).at_s = 61.0;
        assert_eq!(ask(meter.address), "");
    }
}
