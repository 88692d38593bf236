//! Asynchronous copies from global to shared memory, and the waits for them (SEMANTICS: Y3, Y4).
//!
//! A copy begins at its call and ends at the wait of its thread that covers its group. Between, its target holds
//! arbitrary values (here: the pattern of memory that was never written) and its source must stay as it is; an access
//! to the target or a write to the source is reported ([`EventKind::InFlight`]). The bytes are taken from the source
//! when the copy ends: the latest moment that a machine may choose. A commit closes the group of a thread's copies so
//! far; `wait n` ends all but the newest `n` groups that were closed. Copies without a wait are dropped with the
//! block's shared memory.
//!
//! In: the calls as TVM spells them, today's and those up to 0.22. Not executed: copies that signal a barrier object,
//! bulk and tensor copies. Cost: O(bytes) a copy; a byte of memory that is copied from or to costs three more.

use std::collections::VecDeque;

use super::{
    EventKind, RunError, RunErrorKind,
    exec::Machine,
    memory::{Copies, PATTERN},
    ops::Val,
};
use ir::{
    DataType, ExprId, ExprKind,
    effects::names::{NameBuffer, normal_tir},
};

type Result<T> = std::result::Result<T, Box<RunError>>;

/// Bytes of a storage that copies in flight read or write.
#[derive(Clone, Debug)]
pub(super) struct Traffic {
    /// True for each byte that is the target of a copy in flight.
    landing: Vec<bool>,
    /// Of how many a byte is the source.
    leaving: Vec<u16>,
}

/// A copy in flight.
#[derive(Debug)]
struct Flight {
    group: u64,
    /// Storage and position.
    to: (usize, usize),
    from: (usize, usize),
    /// Bytes that are written.
    len: usize,
    /// Bytes that are copied; the rest becomes zero.
    copied: usize,
}

/// The copies of one thread.
#[derive(Default, Debug)]
struct Queue {
    /// The number of the group that is open.
    open: u64,
    flights: VecDeque<Flight>,
}

/// The copies of a block.
#[derive(Default, Debug)]
pub(super) struct Flights {
    by_thread: Vec<Queue>,
    n_in_flight: usize,
}

impl Flights {
    /// Returns true if any copy is in flight, so that accesses have to be checked.
    pub(super) fn is_any(&self) -> bool {
        self.n_in_flight > 0
    }

    fn of_thread(&mut self, thread: u32) -> &mut Queue {
        let thread = thread as usize;
        if self.by_thread.len() <= thread {
            self.by_thread.resize_with(thread + 1, Queue::default);
        }
        &mut self.by_thread[thread]
    }
}

/// The kind of an asynchronous call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Request {
    /// With offsets in elements beside the pointers.
    CopyAt,
    Copy,
    Commit,
    Wait,
    WaitAll,
}

fn request_of(name: &str) -> Option<Request> {
    // Most calls are none of these: they are told by their first letters before they are spelled out.
    if !name.starts_with("ptx") && !name.starts_with("s_tir") {
        return None;
    }
    let mut buffer = NameBuffer::new();
    Some(match normal_tir(name, &mut buffer) {
        "s.tir.cp.async.raw" | "ptx.cp.async" => Request::CopyAt,
        "ptx.cp.async.commit.group" | "ptx.commit.group" => Request::Commit,
        "ptx.cp.async.wait.group" | "ptx.wait.group" => Request::Wait,
        "ptx.cp.async.wait.all" => Request::WaitAll,
        copy => match copy.strip_prefix("ptx.cp.async.c")?.split_once('.')? {
            ("a" | "g", form) if form.starts_with("shared.") => Request::Copy,
            _ => return None,
        },
    })
}

/// Returns true if a call is one of these.
#[cfg(test)]
pub(super) fn is_async(name: &str) -> bool {
    request_of(name).is_some()
}

impl Machine<'_> {
    /// An asynchronous copy, a commit or a wait; none if the name is no such call.
    pub(super) fn async_call(
        &mut self,
        name: &str,
        args: &[ExprId],
        dtype: DataType,
        lane: usize,
    ) -> Option<Result<Val>> {
        let request = request_of(name)?;
        // A data type in front is no operand.
        let is_text = |it: &ExprId| matches!(self.body.expr(*it).kind, ExprKind::Str(_));
        let args = if args.first().is_some_and(is_text) { &args[1..] } else { args };
        let thread = self.frame.threads[lane];
        Some(match (request, args) {
            (Request::CopyAt, [to, to_offset, from, from_offset, len, rest @ ..]) => {
                self.copy_at([*to, *to_offset], [*from, *from_offset], *len, rest, dtype, lane)
            }
            (Request::Copy, [to, from, len, rest @ ..]) => self.copy(*to, *from, *len, rest, lane),
            (Request::Commit, []) => {
                self.flights.of_thread(thread).open += 1;
                Ok(Val::Unit)
            }
            (Request::Wait, [newest]) => self.int(*newest, lane).and_then(|newest| {
                let open = self.flights.of_thread(thread).open;
                self.arrive(open.saturating_sub(newest.max(0) as u64), thread, lane)
            }),
            (Request::WaitAll, []) => {
                self.flights.of_thread(thread).open += 1;
                let open = self.flights.of_thread(thread).open;
                self.arrive(open, thread, lane)
            }
            _ => self.fail(RunErrorKind::Unsupported, format!("this form of the call T.{name}")),
        })
    }

    /// `(to, offset, from, offset, bytes)`, with a predicate or not: where that is false, zeros are stored at once.
    fn copy_at(
        &mut self,
        to: [ExprId; 2],
        from: [ExprId; 2],
        len: ExprId,
        rest: &[ExprId],
        dtype: DataType,
        lane: usize,
    ) -> Result<Val> {
        let to = self.offset_pointer(to, dtype, lane)?;
        let from = self.offset_pointer(from, dtype, lane)?;
        let len = self.copy_size(len, lane)?;
        let copied = match *rest {
            [] => len,
            [predicate] if self.int(predicate, lane)? != 0 => len,
            [_] => 0,
            _ => return self.fail(RunErrorKind::Unsupported, "a copy of this form".to_owned()),
        };
        self.take_off(to, from, len, copied, lane)
    }

    /// `(to, from, bytes)`, with the number of bytes to read or not: the rest becomes zero.
    fn copy(
        &mut self,
        to: ExprId,
        from: ExprId,
        len: ExprId,
        rest: &[ExprId],
        lane: usize,
    ) -> Result<Val> {
        let (to, from) = (self.pointer(to, lane)?, self.pointer(from, lane)?);
        let len = self.copy_size(len, lane)?;
        let copied = match *rest {
            [] => len,
            [size] if self.body.dtype(size).is_some_and(|it| it.is_integer()) => {
                usize::try_from(self.int(size, lane)?).map_or(0, |it| it.min(len))
            }
            _ => return self.fail(RunErrorKind::Unsupported, "a copy of this form".to_owned()),
        };
        self.take_off(to, from, len, copied, lane)
    }

    fn copy_size(&mut self, len: ExprId, lane: usize) -> Result<usize> {
        match self.int(len, lane)? {
            len @ (4 | 8 | 16) => Ok(len as usize),
            len => {
                let message = format!("an asynchronous copy of {len} bytes");
                self.fail(RunErrorKind::Program, message)
            }
        }
    }

    /// A pointer and an offset from it in elements of its target.
    pub(super) fn offset_pointer(
        &mut self,
        [pointer, offset]: [ExprId; 2],
        otherwise: DataType,
        lane: usize,
    ) -> Result<(usize, i64)> {
        let (storage, at) = self.pointer(pointer, lane)?;
        let bytes = self.pointee(pointer).unwrap_or(otherwise).bytes() as i64;
        let offset = self.int(offset, lane)?;
        Ok((storage, at.wrapping_add(offset.wrapping_mul(bytes))))
    }

    /// Starts a copy.
    fn take_off(
        &mut self,
        (to, to_offset): (usize, i64),
        (from, from_offset): (usize, i64),
        len: usize,
        copied: usize,
        lane: usize,
    ) -> Result<Val> {
        if to_offset % len as i64 != 0 || from_offset % len as i64 != 0 {
            let message = format!("an asynchronous copy of {len} bytes that is not aligned so");
            return self.fail(RunErrorKind::Program, message);
        }
        let memory = &self.storages[to];
        if memory.written.is_empty() || memory.copies != Copies::One {
            let message = "an asynchronous copy into memory that is not shared".to_owned();
            return self.fail(RunErrorKind::Program, message);
        }
        let Some(target) = self.locate(None, to, to_offset, len, lane, true)? else {
            return Ok(Val::Unit);
        };
        let source = match copied {
            0 => 0,
            _ => match self.locate(None, from, from_offset, copied, lane, false)? {
                Some(source) => source,
                None => return Ok(Val::Unit),
            },
        };
        let memory = &mut self.storages[to];
        memory.bytes[target..target + len].fill(PATTERN);
        memory.written[target..target + len].fill(false);
        memory.traffic_mut().landing[target..target + len].fill(true);
        for count in &mut self.storages[from].traffic_mut().leaving[source..source + copied] {
            *count = count.saturating_add(1);
        }
        let queue = self.flights.of_thread(self.frame.threads[lane]);
        let flight =
            Flight { group: queue.open, to: (to, target), from: (from, source), len, copied };
        queue.flights.push_back(flight);
        self.flights.n_in_flight += 1;
        Ok(Val::Unit)
    }

    /// Ends the copies of a thread in the groups before `group`.
    fn arrive(&mut self, group: u64, thread: u32, lane: usize) -> Result<Val> {
        while let Some(flight) =
            self.flights.of_thread(thread).flights.pop_front_if(|it| it.group < group)
        {
            self.clear(&flight);
            let Flight { to: (to, target), from: (from, source), len, copied, .. } = flight;
            let mut bytes = self.storages[from].bytes[source..source + copied].to_vec();
            bytes.resize(len, 0);
            // Here it is that the thread's write becomes visible: to others after their barrier.
            self.note_access(None, to, target, len, lane, true);
            let memory = &mut self.storages[to];
            memory.bytes[target..target + len].copy_from_slice(&bytes);
            memory.written[target..target + len].fill(true);
        }
        Ok(Val::Unit)
    }

    /// Takes a copy off the maps of its memory.
    fn clear(&mut self, flight: &Flight) {
        let (to, target) = flight.to;
        self.storages[to].traffic_mut().landing[target..target + flight.len].fill(false);
        let (from, source) = flight.from;
        let leaving = &mut self.storages[from].traffic_mut().leaving;
        for count in &mut leaving[source..source + flight.copied] {
            *count = count.saturating_sub(1);
        }
        self.flights.n_in_flight -= 1;
    }

    /// The block ends: its copies can no longer be waited for.
    pub(super) fn drop_flights(&mut self) {
        for queue in std::mem::take(&mut self.flights.by_thread) {
            queue.flights.iter().for_each(|it| self.clear(it));
        }
    }

    /// Reports an access to bytes that a copy in flight writes, or a write to some that it reads.
    pub(super) fn check_traffic(&mut self, storage: usize, at: usize, len: usize, is_write: bool) {
        let Some(traffic) = &self.storages[storage].traffic else { return };
        let is_landing = traffic.landing[at..at + len].contains(&true);
        let is_leaving = is_write && traffic.leaving[at..at + len].iter().any(|it| *it > 0);
        if is_landing || is_leaving {
            let verb = if is_write { "written" } else { "read" };
            let end = if is_landing { "to" } else { "from" };
            self.event_with(EventKind::InFlight, |_| {
                format!("memory is {verb} before a copy {end} it was waited for")
            });
        }
    }
}

impl super::memory::Storage {
    fn traffic_mut(&mut self) -> &mut Traffic {
        let n = self.bytes.len();
        self.traffic.get_or_insert_with(|| {
            Box::new(Traffic { landing: vec![false; n], leaving: vec![0; n] })
        })
    }

    /// Returns true if one of these bytes is the target of a copy in flight.
    pub(super) fn is_landing(&self, at: usize, len: usize) -> bool {
        self.traffic.as_ref().is_some_and(|it| it.landing[at..at + len].contains(&true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_known_in_all_spellings() {
        let spellings = [
            ("s_tir.cp_async_raw", Some(Request::CopyAt)),
            ("ptx_cp_async", Some(Request::CopyAt)),
            ("ptx.cp.async_.ca.shared.global_", Some(Request::Copy)),
            ("ptx.cp.async_.cg.shared__cta.global_.L2__128B", Some(Request::Copy)),
            ("ptx.cp.async_.commit_group", Some(Request::Commit)),
            ("ptx_commit_group", Some(Request::Commit)),
            ("ptx.cp.async_.wait_group", Some(Request::Wait)),
            ("ptx_wait_group", Some(Request::Wait)),
            ("ptx.cp.async_.wait_all", Some(Request::WaitAll)),
            ("ptx.cp.async_.bulk.wait_group", None),
            ("ptx_cp_async_bulk", None),
            ("exp", None),
        ];
        for (name, request) in spellings {
            assert_eq!(request_of(name), request, "{name}");
        }
    }
}
