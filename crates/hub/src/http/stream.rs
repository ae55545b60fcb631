//! Streams of originals: read from the database and unpacked piece by piece. While the network is slow, one piece is in
//! memory, and neither a thread nor a database connection is occupied.

use crate::hub_state::Hub;
use crate::originals::{self, Unpacking};
use crate::shares::Share;
use crate::store::StoreError;
use axum::body::{Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Size in bytes of a piece that is given to a connection.
pub(super) const PIECE_BYTES: usize = 64 << 10;
/// Memory of one stream: a compressed piece, an unpacked one, and one that is being sent.
pub(super) const ROOM_BYTES: usize = originals::PIECE_BYTES + 2 * PIECE_BYTES;

#[derive(Debug)]
pub(super) struct Stream {
    pieces: Receiver<Result<Bytes, StoreError>>,
    left: usize,
    _room: Share<IpAddr>,
}

impl HttpBody for Stream {
    type Data = Bytes;
    type Error = StoreError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, StoreError>>> {
        let piece = ready!(self.pieces.poll_recv(context));
        if let Some(Ok(piece)) = &piece {
            self.left = self.left.saturating_sub(piece.len());
        }
        Poll::Ready(piece.map(|piece| piece.map(Frame::data)))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left as u64)
    }
}

/// Starts the stream of an original. A damaged original ends before its length.
pub(super) async fn start(
    hub: Arc<Hub>,
    room: Share<IpAddr>,
    network: IpAddr,
    hash: String,
    size: usize,
) -> Result<Stream, StoreError> {
    let (mut reading, first) = piece(&hub, network, Unpacking::new(hash, size)).await;
    let mut next = first?;
    let (give, pieces) = channel(1);
    tokio::spawn(async move {
        while let Some(bytes) = next {
            if give.send(Ok(bytes)).await.is_err() {
                return;
            }
            let done = piece(&hub, network, reading).await;
            reading = done.0;
            next = match done.1 {
                Ok(bytes) => bytes,
                Err(trouble) => return failed(&give, trouble).await,
            };
        }
    });
    Ok(Stream { pieces, left: size, _room: room })
}

async fn failed(give: &Sender<Result<Bytes, StoreError>>, trouble: StoreError) {
    crate::log::event("store", &[("error", &trouble.message)]);
    let _ = give.send(Err(trouble)).await;
}

/// Reads the next piece on a blocking thread.
async fn piece(
    hub: &Arc<Hub>,
    network: IpAddr,
    mut reading: Unpacking,
) -> (Unpacking, Result<Option<Bytes>, StoreError>) {
    let turn = hub.queries.wait(network).await;
    let store = Arc::clone(&hub.store);
    let lost = Unpacking::new(String::new(), 0);
    let read = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let next = reading.next(&*store, PIECE_BYTES);
        (reading, next.map(|next| next.map(Bytes::from)))
    });
    read.await.unwrap_or_else(|_| (lost, Err(StoreError::of("A thread that reads an original ended."))))
}
