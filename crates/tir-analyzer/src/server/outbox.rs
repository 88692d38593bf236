//! The outbox: a bounded queue of finished messages, between the threads that answer and the thread that writes.
//!
//! A client that does not read must not make the server keep all its messages. Three things bound the queue:
//!
//! - a message that a later one makes obsolete is replaced in its place ([`Key`]): diagnostics of a file, progress, the
//!   request that the client ask again; messages for people that do not fit are dropped;
//! - threads with answers wait for room ([`Outbox::answer`]); they hold no snapshot then;
//! - the main loop receives no message while there is no room ([`Outbox::wait_for_room`]), which the client notices.
//!
//! So it holds at most [`ROOM`] bytes, one message of each thread, and the few small ones that the main loop sends.

use std::{
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use lsp_types::Uri;
use rustc_hash::FxHashMap;

use crate::server::transport::Frame;

/// The limit in bytes beyond which senders wait.
const ROOM: usize = 8 << 20;

/// Messages of which only the last counts.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Key {
    /// The diagnostics of a document.
    Diagnostics(Uri),
    /// The diagnostics of a cell of a notebook.
    Cell(String),
    /// The request that the client ask for this again. The answer does not matter.
    Refresh(&'static str),
    /// The progress of the work with this token.
    Progress(String),
}

/// The queue. Clones are one queue.
#[derive(Clone, Default)]
pub(crate) struct Outbox(Arc<Shared>);

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    entries: VecDeque<(Frame, Option<Key>)>,
    /// The number of messages that were taken out: that of the first entry.
    n_taken: u64,
    n_bytes: usize,
    /// Numbers of entries that a later message replaces.
    by_key: FxHashMap<Key, u64>,
    /// Nothing comes in any more.
    is_ended: bool,
}

impl Queue {
    fn has_room(&self) -> bool {
        self.n_bytes <= ROOM || self.is_ended
    }

    fn push(&mut self, frame: Frame, key: Option<Key>) {
        if self.is_ended {
            return;
        }
        self.n_bytes += frame.len();
        let place = key.as_ref().and_then(|it| self.by_key.get(it));
        if let Some(place) = place.map(|it| (it - self.n_taken) as usize) {
            let old = std::mem::replace(&mut self.entries[place].0, frame);
            self.n_bytes -= old.len();
            return;
        }
        if let Some(key) = key.clone() {
            self.by_key.insert(key, self.n_taken + self.entries.len() as u64);
        }
        self.entries.push_back((frame, key));
    }

    fn pop(&mut self) -> Option<Frame> {
        let (frame, key) = self.entries.pop_front()?;
        self.n_taken += 1;
        self.n_bytes -= frame.len();
        if let Some(key) = key {
            self.by_key.remove(&key);
        }
        Some(frame)
    }
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while(&self, is_waiting: impl Fn(&Queue) -> bool) -> MutexGuard<'_, Queue> {
        let waiting = self.0.changed.wait_while(self.lock(), |it| is_waiting(it));
        waiting.unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a message, whether or not there is room. For the main loop, which waits for room before it takes the next
    /// message in.
    pub(crate) fn send(&self, frame: Frame) {
        self.lock().push(frame, None);
        self.0.changed.notify_all();
    }

    /// Like [`Outbox::send`], replacing an unsent message with the same key.
    pub(crate) fn replace(&self, key: Key, frame: Frame) {
        self.lock().push(frame, Some(key));
        self.0.changed.notify_all();
    }

    /// Sends a message if there is room.
    pub(crate) fn offer(&self, frame: Frame) {
        let mut queue = self.lock();
        if queue.has_room() {
            queue.push(frame, None);
        }
        drop(queue);
        self.0.changed.notify_all();
    }

    /// Sends a message as soon as there is room. For threads of the pool, when they hold nothing that others wait for.
    pub(crate) fn answer(&self, frame: Frame) {
        self.wait_while(|it| !it.has_room()).push(frame, None);
        self.0.changed.notify_all();
    }

    /// As [`Outbox::answer`], in the place of an earlier message with the same key.
    pub(crate) fn answer_with(&self, key: Key, frame: Frame) {
        let is_full = |it: &Queue| !it.has_room() && !it.by_key.contains_key(&key);
        let mut queue = self.wait_while(is_full);
        queue.push(frame, Some(key));
        drop(queue);
        self.0.changed.notify_all();
    }

    /// Returns when there is room, or nothing is written any more.
    pub(crate) fn wait_for_room(&self) {
        drop(self.wait_while(|it| !it.has_room()));
    }

    /// Lets nothing more in. Its contents can still be taken.
    pub(crate) fn end(&self) {
        self.lock().is_ended = true;
        self.0.changed.notify_all();
    }

    /// The next message, as soon as there is one; none at the end.
    pub(crate) fn take(&self) -> Option<Frame> {
        let mut queue = self.wait_while(|it| it.entries.is_empty() && !it.is_ended);
        let frame = queue.pop();
        drop(queue);
        self.0.changed.notify_all();
        frame
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(outbox: &Outbox) -> Vec<String> {
        outbox.end();
        std::iter::from_fn(|| outbox.take()).map(|it| String::from_utf8(it).unwrap()).collect()
    }

    #[test]
    fn later_message_takes_the_place_of_an_earlier_one() {
        let outbox = Outbox::default();
        let key = |name: &str| Key::Progress(name.to_owned());
        outbox.replace(key("a"), b"a1".to_vec());
        outbox.send(b"answer".to_vec());
        assert_eq!(outbox.take(), Some(b"a1".to_vec()));
        outbox.replace(key("b"), b"b1".to_vec());
        outbox.replace(key("a"), b"a2".to_vec());
        outbox.replace(key("b"), b"b2 is longer".to_vec());
        outbox.replace(key("a"), b"a3".to_vec());
        assert_eq!(outbox.lock().n_bytes, 20);
        assert_eq!(all(&outbox), ["answer", "b2 is longer", "a3"]);
        assert_eq!(outbox.lock().n_bytes, 0);
        assert!(outbox.lock().by_key.is_empty());
    }

    #[test]
    fn excess_messages_wait_or_are_dropped() {
        let outbox = Outbox::default();
        outbox.send(vec![b'x'; ROOM + 1]);
        outbox.offer(b"for people".to_vec());
        let thread = std::thread::spawn({
            let outbox = outbox.clone();
            move || {
                outbox.wait_for_room();
                outbox.answer(b"late".to_vec());
            }
        });
        assert_eq!(outbox.take().map(|it| it.len()), Some(ROOM + 1));
        thread.join().unwrap();
        assert_eq!(all(&outbox), ["late"]);
    }

    #[test]
    fn end_frees_those_who_wait() {
        let outbox = Outbox::default();
        outbox.send(vec![b'x'; ROOM + 1]);
        let waiting = std::thread::spawn({
            let outbox = outbox.clone();
            move || outbox.answer(b"lost".to_vec())
        });
        outbox.end();
        waiting.join().unwrap();
        assert_eq!(all(&outbox).len(), 1);
    }
}
