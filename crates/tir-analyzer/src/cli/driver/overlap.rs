//! Two-threaded work on a file of MLIR.
//!
//! In: a text of MLIR, and the work on a unit of it. Out: the results, in the order of the units. This thread parses.
//! The other lowers functions and works on them; when it has enough to do, this thread does the same with the next
//! small function itself, so that many functions are shared evenly. Of a large function the other thread gets the
//! pieces as they come, a few batches at a time: memory does not grow with the text.

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError, channel, sync_channel};

use frontend::mlir::{
    FileReader, FunctionReader, Offload, Outline, Piece, Shapes, Unit, Units,
    lower_file_without_names, parse_into,
};

/// Pieces of a batch, about. A function of fewer is small.
const BATCH: usize = 4 * 1024;
/// Messages that wait.
const WAITING: usize = 8;
/// Stack of the other thread: as much as a main thread has.
const STACK: usize = 8 << 20;

/// The messages to the other thread.
enum Message {
    /// All pieces of a function.
    Function(Job, Vec<Piece>),
    /// The first pieces of a function; more follow.
    Begins(Job, Vec<Piece>),
    Continues(Vec<Piece>),
    Ends,
}

/// A function, and the place of its result.
struct Job {
    number: usize,
    outline: Outline,
}

/// Works on all units of a file, on two threads; on one where no second can be had.
pub(crate) fn on_two_threads<R: Send>(
    text: &str,
    shapes: &Shapes,
    work: &(dyn Fn(Unit) -> R + Sync),
) -> Vec<R> {
    let (full, messages) = sync_channel(WAITING);
    let (used, empty) = channel();
    let bench = Bench { text, shapes, work };
    std::thread::scope(|scope| {
        let other = move || bench.serve(messages, &used);
        let thread = std::thread::Builder::new().stack_size(STACK);
        let Ok(other) = thread.spawn_scoped(scope, other) else {
            let mut results = Vec::new();
            lower_file_without_names(text, shapes, &mut |unit| results.push(work(unit)));
            return results;
        };
        let mut sharer = Sharer {
            bench,
            n_units: 0,
            job: None,
            pieces: Vec::new(),
            is_sent: false,
            full,
            empty,
            results: Vec::new(),
        };
        parse_into(text, shapes, &mut FileReader::offloading(text, shapes, &mut sharer));
        let Sharer { full, results, .. } = sharer;
        // The other thread goes on until nobody can send any more.
        drop(full);
        let others = other.join().unwrap_or_else(|panic| resume_unwind(panic));
        in_order(results, others)
    })
}

/// Two lists of numbered results, each in order, as one.
fn in_order<R>(a: Vec<(usize, R)>, b: Vec<(usize, R)>) -> Vec<R> {
    let mut res = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.into_iter().peekable(), b.into_iter().peekable());
    loop {
        let is_first = match (a.peek(), b.peek()) {
            (Some(a), Some(b)) => a.0 < b.0,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => return res,
        };
        let next = if is_first { a.next() } else { b.next() };
        res.extend(next.map(|it| it.1));
    }
}

/// The data that both threads use.
struct Bench<'a, R> {
    text: &'a str,
    shapes: &'a Shapes,
    work: &'a (dyn Fn(Unit) -> R + Sync),
}

impl<R> Clone for Bench<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Bench<'_, R> {}

impl<'a, R> Bench<'a, R> {
    fn reader(&self, outline: Outline) -> FunctionReader<'a> {
        FunctionReader::new(self.text, self.shapes, outline).without_names()
    }

    fn function(&self, outline: Outline, pieces: &[Piece]) -> R {
        let mut reader = self.reader(outline);
        reader.pieces(pieces);
        (self.work)(reader.finish())
    }

    /// The other thread.
    fn serve(&self, messages: Receiver<Message>, used: &Sender<Vec<Piece>>) -> Vec<(usize, R)> {
        let mut results = Vec::new();
        let mut open: Option<(usize, FunctionReader<'_>)> = None;
        // The parser has ended if it wants no more.
        let give_back = |mut pieces: Vec<Piece>| {
            pieces.clear();
            let _ = used.send(pieces);
        };
        for message in messages {
            match message {
                Message::Function(job, pieces) => {
                    results.push((job.number, self.function(job.outline, &pieces)));
                    give_back(pieces);
                }
                Message::Begins(job, pieces) => {
                    let mut reader = self.reader(job.outline);
                    reader.pieces(&pieces);
                    open = Some((job.number, reader));
                    give_back(pieces);
                }
                Message::Continues(pieces) => {
                    if let Some((_, reader)) = &mut open {
                        reader.pieces(&pieces);
                    }
                    give_back(pieces);
                }
                Message::Ends => {
                    if let Some((number, reader)) = open.take() {
                        results.push((number, (self.work)(reader.finish())));
                    }
                }
            }
        }
        results
    }
}

/// Shares out the functions of a file.
struct Sharer<'a, R> {
    bench: Bench<'a, R>,
    n_units: usize,
    /// The function that is open, if nothing of it was sent.
    job: Option<Job>,
    /// Steps of it that were not sent.
    pieces: Vec<Piece>,
    is_sent: bool,
    full: SyncSender<Message>,
    /// Lists to be filled again.
    empty: Receiver<Vec<Piece>>,
    results: Vec<(usize, R)>,
}

impl<R> Sharer<'_, R> {
    fn number(&mut self) -> usize {
        self.n_units += 1;
        self.n_units - 1
    }

    fn take_pieces(&mut self) -> Vec<Piece> {
        let next = self.empty.try_recv().unwrap_or_default();
        std::mem::replace(&mut self.pieces, next)
    }

    /// Sends the available pieces of a large function. If the channel is closed, the other thread has panicked, and its
    /// panic is reported.
    fn send_pieces(&mut self) {
        let pieces = self.take_pieces();
        let message = match self.job.take() {
            Some(job) => Message::Begins(job, pieces),
            None => Message::Continues(pieces),
        };
        self.is_sent = true;
        let _ = self.full.send(message);
    }
}

impl<R> Units for Sharer<'_, R> {
    fn unit(&mut self, unit: Unit) {
        let number = self.number();
        self.results.push((number, (self.bench.work)(unit)));
    }
}

impl<R> Offload for Sharer<'_, R> {
    fn function_begins(&mut self, outline: Outline) {
        let number = self.number();
        self.job = Some(Job { number, outline });
        self.is_sent = false;
    }

    fn pieces(&mut self, pieces: &[Piece]) {
        self.pieces.extend_from_slice(pieces);
        if self.pieces.len() >= BATCH {
            self.send_pieces();
        }
    }

    fn function_ends(&mut self) {
        if self.is_sent {
            self.send_pieces();
            let _ = self.full.send(Message::Ends);
            return;
        }
        let Some(job) = self.job.take() else { return };
        let pieces = self.take_pieces();
        let sent = self.full.try_send(Message::Function(job, pieces));
        // Else it was sent, or nobody listens.
        if let Err(TrySendError::Full(Message::Function(job, mut pieces))) = sent {
            self.results.push((job.number, self.bench.function(job.outline, &pieces)));
            pieces.clear();
            self.pieces = pieces;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small functions, some large ones, and aliases between them.
    fn many_functions() -> String {
        let function = |it: usize| {
            let operation = |of| format!("  %{of} = arith.addi %a, %a : i64\n");
            let n = if it % 500 == 7 { 9_000 } else { it % 40 };
            let operations: String = (0..n).map(operation).collect();
            let alias = if it % 7 == 3 { format!("!t{it} = i{it}\n") } else { String::new() };
            let split = if it.is_multiple_of(3) { "// -----\n" } else { "" };
            let ty = if it % 7 == 3 { format!("!t{it}") } else { "i8".to_owned() };
            format!(
                "{alias}func.func @f{it}(%a: i64, %b: {ty}) {{\n{operations}  return\n}}\n{split}"
            )
        };
        (0..2000).map(function).collect()
    }

    #[test]
    fn two_threads_give_the_units_of_one() {
        let text = many_functions();
        let shapes = Shapes::builtin();
        let seen = |it: Unit| {
            let lowered = it.lowered;
            (it.kind, it.offset, it.document, lowered.body, lowered.source_map)
        };
        let mut alone = Vec::new();
        lower_file_without_names(&text, shapes, &mut |it| alone.push(seen(it)));
        assert!(alone.len() > 2000 && alone == on_two_threads(&text, shapes, &seen));
    }

    #[test]
    fn a_panic_in_the_middle_ends_both_threads() {
        let text = many_functions();
        for at in [0, 7, 1000] {
            let run = || {
                let work = |it: Unit| assert!(*it.lowered.body.name != *format!("f{at}"));
                on_two_threads(&text, Shapes::builtin(), &work);
            };
            assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
        }
    }
}
