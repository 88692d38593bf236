//! Reading and writing buffers, and the addresses of accesses (SEMANTICS: M1, M3, M11, S8).

use std::rc::Rc;

use smallvec::SmallVec;

use super::{
    EventKind, RunError, RunErrorKind,
    exec::{Binding, BoundBuffer, Machine},
    memory::{fixed_lanes, read_packed, read_scalar, write_packed, write_scalar},
    ops::{self, Val},
    races::Agent,
    wrapped::is_wrapped,
};
use ir::{BufferId, DataType, ExprId, ExprKind, ExprListId, arena::Id};

type Result<T> = std::result::Result<T, Box<RunError>>;

/// The byte offsets of an access.
#[derive(Debug)]
pub(super) enum Offsets {
    /// Of scalar indices.
    One(i64),
    /// Of vector indices, one a lane.
    Lanes(Vec<i64>),
}

impl Offsets {
    /// A lane that a predicate switches off, or that is out of bounds where that is an event.
    pub(super) const OFF: i64 = i64::MIN;

    pub(super) fn as_slice(&self) -> &[i64] {
        match self {
            Offsets::One(offset) => std::slice::from_ref(offset),
            Offsets::Lanes(offsets) => offsets,
        }
    }
}

/// An access whose indices are evaluated: the memory, and where in it.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) storage: usize,
    pub(super) offsets: Offsets,
}

impl Machine<'_> {
    /// The memory and layout of a buffer as a lane sees it.
    pub(super) fn bound(&self, buffer: BufferId, lane: usize) -> Option<&Rc<BoundBuffer>> {
        match &self.frame.buffers[buffer.index()] {
            Binding::Empty => None,
            Binding::Uniform(bound) => Some(bound),
            Binding::Lanes(lanes) => lanes[lane].as_ref(),
        }
    }

    /// Evaluates the indices of an access, then its predicate, and checks the active lanes against the bounds.
    pub(super) fn place(
        &mut self,
        buffer: BufferId,
        indices: &[ExprId],
        predicate: Option<ExprId>,
        lane: usize,
    ) -> Result<Place> {
        let mut values: SmallVec<[Val; 4]> = SmallVec::new();
        for &index in indices {
            values.push(self.eval(index, lane)?);
        }
        let predicate = predicate.map(|it| self.eval(it, lane)).transpose()?;
        let Some(bound) = self.bound(buffer, lane).cloned() else {
            let name = self.body.name(self.body.buffers[buffer].name);
            return self.fail(RunErrorKind::Unsupported, format!("buffer `{name}` has no memory"));
        };
        let storage = bound.storage;
        if values.len() != bound.shape.len() {
            return self.fail(RunErrorKind::Program, "wrong number of indices".to_owned());
        }
        let n_lanes = |value: &Val| if let Val::Vector(it) = value { Some(it.len()) } else { None };
        let Some(n) = values.iter().chain(&predicate).filter_map(n_lanes).max() else {
            let is_off = matches!(predicate, Some(Val::Int(0, _)));
            let offset =
                if is_off { Offsets::OFF } else { self.offset(buffer, &bound, &values, 0)? };
            return Ok(Place { storage, offsets: Offsets::One(offset) });
        };
        let mut offsets = Vec::with_capacity(n);
        for k in 0..n {
            let is_off = match &predicate {
                Some(Val::Vector(lanes)) => matches!(lanes.get(k), Some(Val::Int(0, _))),
                Some(Val::Int(0, _)) => true,
                _ => false,
            };
            let offset =
                if is_off { Offsets::OFF } else { self.offset(buffer, &bound, &values, k)? };
            offsets.push(offset);
        }
        Ok(Place { storage, offsets: Offsets::Lanes(offsets) })
    }

    /// The place of an element by its indices, checked against the bounds.
    pub(super) fn element_place(
        &mut self,
        buffer: BufferId,
        indices: &[i64],
        lane: usize,
    ) -> Result<Place> {
        let Some(bound) = self.bound(buffer, lane).cloned() else {
            return self.fail(RunErrorKind::Unsupported, "an element of no memory".to_owned());
        };
        let indices: SmallVec<[Val; 4]> = indices.iter().map(|&it| Val::Int(it, false)).collect();
        let offset = self.offset(buffer, &bound, &indices, 0)?;
        Ok(Place { storage: bound.storage, offsets: Offsets::One(offset) })
    }

    /// The byte offset of one element, whose address is taken; it may be one past the end.
    pub(super) fn address(
        &mut self,
        buffer: BufferId,
        indices: &[ExprId],
        lane: usize,
    ) -> Result<(usize, i64)> {
        let mut positions: SmallVec<[i64; 4]> = SmallVec::new();
        for &index in indices {
            positions.push(self.int(index, lane)?);
        }
        let Some(bound) = self.bound(buffer, lane) else {
            return self.fail(RunErrorKind::Unsupported, "an address in no memory".to_owned());
        };
        let products = positions.iter().zip(&bound.strides).map(|(a, b)| a.wrapping_mul(*b));
        let elements = products.fold(0i64, i64::wrapping_add);
        Ok((bound.storage, bound.base + elements.wrapping_mul(bound.element_bytes)))
    }

    /// The byte offset of lane `k` of the indices.
    fn offset(
        &mut self,
        buffer: BufferId,
        bound: &Rc<BoundBuffer>,
        indices: &[Val],
        k: usize,
    ) -> Result<i64> {
        let mut elements = 0i64;
        for (dim, index) in indices.iter().enumerate() {
            let position = match index {
                Val::Vector(lanes) => match lanes.get(k) {
                    Some(value) => self.used(value)?,
                    None => {
                        let message = "index vectors of different lengths".to_owned();
                        return self.fail(RunErrorKind::Unsupported, message);
                    }
                },
                scalar => self.used(scalar)?,
            };
            let extent = bound.shape[dim];
            if position < 0 || position >= extent {
                self.error(EventKind::OutOfBounds, |machine| {
                    let name = machine.body.name(machine.body.buffers[buffer].name);
                    format!("index {position} of dimension {dim} of `{name}` is not in 0..{extent}")
                })?;
                return Ok(Offsets::OFF);
            }
            elements = elements.wrapping_add(position.wrapping_mul(bound.strides[dim]));
        }
        Ok(bound.base + elements.wrapping_mul(bound.element_bytes))
    }

    // ---- loads ----

    pub(super) fn load(
        &mut self,
        buffer: BufferId,
        indices: ExprListId,
        predicate: Option<ExprId>,
        lane: usize,
    ) -> Result<Val> {
        let body = self.body;
        let place = self.place(buffer, body.items(indices), predicate, lane)?;
        let dtype = body.buffers[buffer].dtype;
        let element = dtype.element();
        if let Offsets::One(offset) = place.offsets
            && dtype.is_scalar()
        {
            return self.load_scalar(buffer, &place, dtype, offset, lane);
        }
        let n = fixed_lanes(dtype).unwrap_or(1);
        let mut loaded = Vec::with_capacity(place.offsets.as_slice().len() * n);
        for &offset in place.offsets.as_slice() {
            if n > 1 && element.bits < 8 && !element.is_bool() {
                self.load_packed(buffer, &place, dtype, offset, lane, &mut loaded)?;
                continue;
            }
            for k in 0..n {
                let at = match offset {
                    Offsets::OFF => Offsets::OFF,
                    _ => offset + (k * element.bytes()) as i64,
                };
                loaded.push(self.load_scalar(buffer, &place, element, at, lane)?);
            }
        }
        match (&loaded[..], &place.offsets) {
            ([one], Offsets::One(_)) => Ok(one.clone()),
            _ => Ok(Val::Vector(loaded.into())),
        }
    }

    /// Reads an element; one that is switched off has an arbitrary value: zero here.
    fn load_scalar(
        &mut self,
        buffer: BufferId,
        place: &Place,
        dtype: DataType,
        offset: i64,
        lane: usize,
    ) -> Result<Val> {
        if offset == Offsets::OFF {
            return Ok(ops::zero(dtype));
        }
        let bytes = dtype.bytes();
        let Some(at) = self.locate(Some(buffer), place.storage, offset, bytes, lane, false)? else {
            return Ok(ops::zero(dtype));
        };
        let memory = &self.storages[place.storage];
        match read_scalar(dtype, &memory.bytes[at..at + bytes]) {
            Some(value) => Ok(memory.marked(at, value)),
            None => self.fail(RunErrorKind::Unsupported, format!("arithmetic on {dtype}")),
        }
    }

    /// Reads a vector whose lanes are narrower than a byte: they lie densely, the first one in the low bits.
    fn load_packed(
        &mut self,
        buffer: BufferId,
        place: &Place,
        dtype: DataType,
        offset: i64,
        lane: usize,
        loaded: &mut Vec<Val>,
    ) -> Result<()> {
        let (n, bytes) = (fixed_lanes(dtype).unwrap_or(1), dtype.bytes());
        let at = match offset {
            Offsets::OFF => None,
            _ => self.locate(Some(buffer), place.storage, offset, bytes, lane, false)?,
        };
        for k in 0..n {
            let cell = at.map(|at| &self.storages[place.storage].bytes[at..at + bytes]);
            match cell.map(|cell| read_packed(dtype.element(), cell, k)) {
                Some(Some(value)) => loaded.push(value),
                Some(None) => {
                    return self.fail(RunErrorKind::Unsupported, format!("arithmetic on {dtype}"));
                }
                None => loaded.push(ops::zero(dtype.element())),
            }
        }
        Ok(())
    }

    /// The position of an access in its storage, which is checked and noted; none if it is out of the memory and that
    /// is an event. The buffer is for messages: accesses through pointers have none.
    pub(super) fn locate(
        &mut self,
        buffer: Option<BufferId>,
        storage: usize,
        offset: i64,
        len: usize,
        lane: usize,
        is_write: bool,
    ) -> Result<Option<usize>> {
        let thread = self.frame.threads[lane];
        let memory = &self.storages[storage];
        let Some(at) = memory.locate(offset, len, thread as usize) else {
            self.error(EventKind::OutOfBounds, |machine| {
                format!("byte {offset} is outside the memory of {}", machine.quoted(buffer))
            })?;
            return Ok(None);
        };
        if self.flights.is_any() {
            self.check_traffic(storage, at, len, is_write);
        }
        let memory = &self.storages[storage];
        if !is_write
            && memory.written.get(at..at + len).is_some_and(|it| it.contains(&false))
            && !memory.is_landing(at, len)
        {
            self.event_with(EventKind::UninitializedRead, |machine| {
                format!("{} is read where it was never written", machine.quoted(buffer))
            });
        }
        self.note_access(buffer, storage, at, len, lane, is_write);
        Ok(Some(at))
    }

    /// Tells the search for races of an access.
    pub(super) fn note_access(
        &mut self,
        buffer: Option<BufferId>,
        storage: usize,
        at: usize,
        len: usize,
        lane: usize,
        is_write: bool,
    ) {
        let thread = self.frame.threads[lane];
        if let Some(agent) = self.agent
            && self.storages[storage].is_watched
            && self.races.access(storage, at, len, Agent { thread, ..agent }, is_write)
        {
            self.event_with(EventKind::Race, |machine| {
                let verb = if is_write { "writes" } else { "reads" };
                let name = machine.quoted(buffer);
                format!("thread {thread} {verb} a byte of {name} that another thread accessed")
            });
        }
    }

    /// A buffer's name for messages.
    fn quoted(&self, buffer: Option<BufferId>) -> String {
        match buffer {
            Some(buffer) => format!("`{}`", self.body.name(self.body.buffers[buffer].name)),
            None => "what a pointer points to".to_owned(),
        }
    }

    /// Reads a scalar through a pointer; none if it is out of bounds and that is an event.
    pub(super) fn read_through(
        &mut self,
        (storage, offset): (usize, i64),
        dtype: DataType,
        lane: usize,
    ) -> Result<Option<Val>> {
        let bytes = dtype.bytes();
        let Some(at) = self.locate(None, storage, offset, bytes, lane, false)? else {
            return Ok(None);
        };
        let memory = &self.storages[storage];
        match read_scalar(dtype, &memory.bytes[at..at + bytes]) {
            Some(value) => Ok(Some(memory.marked(at, value))),
            None => self.fail(RunErrorKind::Unsupported, format!("arithmetic on {dtype}")),
        }
    }

    // ---- stores ----

    /// Writes a value to a place.
    pub(super) fn write_to(
        &mut self,
        buffer: BufferId,
        place: &Place,
        lane: u32,
        value: &Val,
    ) -> Result<()> {
        let dtype = self.body.buffers[buffer].dtype;
        let (n, element) = (fixed_lanes(dtype).unwrap_or(1), dtype.element());
        // A scalar of the program is a variable: its value is used where it is read.
        let is_variable = self.body.buffers[buffer].is_cell() && n == 1;
        if !is_variable {
            self.mark_used(value);
        }
        let offsets = place.offsets.as_slice();
        if !self.body.buffers[buffer].is_cell() {
            self.counts.stores += (offsets.len() * n) as u64;
        }
        for (position, &offset) in offsets.iter().enumerate() {
            if offset == Offsets::OFF {
                continue;
            }
            for k in 0..n {
                let part = match value {
                    Val::Vector(values) => values.get(position * n + k),
                    scalar => Some(scalar),
                };
                let Some(part) = part else {
                    let message = "a store of too few lanes".to_owned();
                    return self.fail(RunErrorKind::Unsupported, message);
                };
                let part = part.clone();
                if n > 1 && element.bits < 8 && !element.is_bool() {
                    self.write_packed_lane(buffer, place.storage, offset, lane, &part, k)?;
                } else {
                    let at = offset + (k * element.bytes()) as i64;
                    self.write(Some(buffer), (place.storage, at), element, lane as usize, &part)?;
                }
            }
        }
        Ok(())
    }

    /// Writes a scalar to a place in memory; the buffer is for messages.
    pub(super) fn write(
        &mut self,
        buffer: Option<BufferId>,
        (storage, offset): (usize, i64),
        dtype: DataType,
        lane: usize,
        value: &Val,
    ) -> Result<()> {
        let bytes = dtype.bytes();
        let at = self.locate(buffer, storage, offset, bytes, lane, true)?;
        let Some(at) = at else { return Ok(()) };
        let memory = &mut self.storages[storage];
        if !write_scalar(dtype, value, &mut memory.bytes[at..at + bytes]) {
            let message = format!("a store of {value:?} as {dtype}");
            return self.fail(RunErrorKind::Unsupported, message);
        }
        let is_cell = buffer.is_some_and(|it| self.body.buffers[it].is_cell());
        memory.mark(at, is_cell && is_wrapped(value));
        if let Some(written) = memory.written.get_mut(at..at + bytes) {
            written.fill(true);
        }
        Ok(())
    }

    fn write_packed_lane(
        &mut self,
        buffer: BufferId,
        storage: usize,
        offset: i64,
        lane: u32,
        value: &Val,
        k: usize,
    ) -> Result<()> {
        let dtype = self.body.buffers[buffer].dtype;
        let bytes = dtype.bytes();
        let at = self.locate(Some(buffer), storage, offset, bytes, lane as usize, true)?;
        let Some(at) = at else { return Ok(()) };
        let memory = &mut self.storages[storage];
        if !write_packed(dtype.element(), value, &mut memory.bytes[at..at + bytes], k) {
            let message = format!("a store of {value:?} as {dtype}");
            return self.fail(RunErrorKind::Unsupported, message);
        }
        if let Some(written) = memory.written.get_mut(at..at + bytes) {
            written.fill(true);
        }
        Ok(())
    }

    /// Writes one scalar element given as in a load expression (for results of thread reductions).
    pub(super) fn write_back(&mut self, target: ExprId, lane: u32, value: &Val) -> Result<()> {
        let ExprKind::Load { buffer, indices, .. } = self.body.expr(target).kind else {
            return self.fail(
                RunErrorKind::Unsupported,
                "a reduction into something that is no load".to_owned(),
            );
        };
        let place = self.place(buffer, self.body.items(indices), None, lane as usize)?;
        self.write_to(buffer, &place, lane, value)
    }
}
