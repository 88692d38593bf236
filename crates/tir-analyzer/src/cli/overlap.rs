//! A file read by two threads: one parses, the other lowers what is parsed.
//!
//! In: a text of MLIR. Out: its units, as `lower_file` gives them, in the same order and on the calling thread. What one thread gives
//! the other are batches of steps, a few of them at a time, so memory does not grow with the text.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use frontend::mlir::{FileReader, Shapes, Sink, Step, Unit, parse_into};

/// Steps of a batch, about.
const BATCH: usize = 32 * 1024;
/// Batches that wait.
const WAITING: usize = 4;
/// Stack of the parsing thread: as much as a main thread has.
const STACK: usize = 8 << 20;

/// What comes between two steps of a batch.
enum Mark {
    FunctionBegins(usize),
    FunctionEnds(usize),
}

/// Some steps, and the marks that stand before the step of a number.
#[derive(Default)]
struct Batch {
    steps: Vec<Step>,
    marks: Vec<(usize, Mark)>,
}

/// Lowers a file, with its parser on a thread of its own. Where no thread can be had, all is done on this one.
pub(crate) fn lower_file_beside_parsing(text: &str, shapes: &Shapes, unit: &mut dyn FnMut(Unit)) {
    parse_beside(text, shapes, &mut FileReader::new(text, shapes, unit));
}

fn parse_beside(text: &str, shapes: &Shapes, sink: &mut dyn Sink) {
    let (full, batches) = sync_channel(WAITING);
    let (used, empty) = channel();
    std::thread::scope(|scope| {
        let parse = move || {
            let mut batcher = Batcher { batch: Batch::default(), full, empty, alone: false };
            parse_into(text, shapes, &mut batcher);
            batcher.send();
        };
        let thread = std::thread::Builder::new().stack_size(STACK);
        match thread.spawn_scoped(scope, parse) {
            // The receiver goes with `replay`, so that a parser that waits hears if `sink` panics.
            Ok(_) => replay(batches, &used, sink),
            Err(_) => parse_into(text, shapes, sink),
        }
    });
}

fn replay(batches: Receiver<Batch>, used: &Sender<Batch>, sink: &mut dyn Sink) {
    for mut batch in batches {
        let mut done = 0;
        for (at, mark) in batch.marks.drain(..) {
            if done < at {
                sink.steps(&batch.steps[done..at]);
                done = at;
            }
            match mark {
                Mark::FunctionBegins(offset) => sink.function_begins(offset),
                Mark::FunctionEnds(offset) => sink.function_ends(offset),
            }
        }
        sink.steps(&batch.steps[done..]);
        batch.steps.clear();
        // The parser has ended if it wants no more.
        let _ = used.send(batch);
    }
}

struct Batcher {
    batch: Batch,
    full: SyncSender<Batch>,
    /// Batches to be filled again.
    empty: Receiver<Batch>,
    /// Nobody listens: the other thread has panicked, and what it says is what the caller hears.
    alone: bool,
}

impl Batcher {
    fn send(&mut self) {
        let next = self.empty.try_recv().unwrap_or_default();
        let batch = std::mem::replace(&mut self.batch, next);
        self.alone |= self.full.send(batch).is_err();
    }

    fn mark(&mut self, mark: Mark) {
        self.batch.marks.push((self.batch.steps.len(), mark));
    }
}

impl Sink for Batcher {
    fn steps(&mut self, steps: &[Step]) {
        if self.alone {
            return;
        }
        self.batch.steps.extend_from_slice(steps);
        if self.batch.steps.len() >= BATCH {
            self.send();
        }
    }

    fn function_begins(&mut self, offset: usize) {
        self.mark(Mark::FunctionBegins(offset));
    }

    fn function_ends(&mut self, offset: usize) {
        self.mark(Mark::FunctionEnds(offset));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontend::mlir::lower_file;

    fn many_functions() -> String {
        let function = |it| {
            let operation = |of| format!("  %{of} = arith.addi %a, %a : i64\n");
            let operations: String = (0..it % 40).map(operation).collect();
            format!("func.func @f{it}(%a: i64) {{\n{operations}  return\n}}\n// -----\n")
        };
        (0..2000).map(function).collect()
    }

    #[test]
    fn two_threads_give_the_units_of_one() {
        let text = many_functions();
        let units = |lower: fn(&str, &Shapes, &mut dyn FnMut(Unit))| {
            let mut units = Vec::new();
            lower(&text, Shapes::builtin(), &mut |it| {
                units.push((
                    it.kind,
                    it.offset,
                    it.document,
                    it.lowered.body,
                    it.lowered.source_map,
                ));
            });
            units
        };
        let alone = units(lower_file);
        assert!(alone.len() > 2000 && alone == units(lower_file_beside_parsing));
    }

    #[test]
    fn a_panic_in_the_middle_ends_both_threads() {
        let text = many_functions();
        let run = || {
            lower_file_beside_parsing(&text, Shapes::builtin(), &mut |_| panic!("as planned"));
        };
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
    }
}
