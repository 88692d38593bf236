//! Memory: allocations, accesses, arguments.
//!
//! Written elements are tracked byte by byte; a byte that was never written, or stored poison, is a fixed pattern and
//! an event when it is read. An access out of bounds of its view is an error, as an event it reads zero and writes
//! nothing.

use std::rc::Rc;

use super::super::{
    Array, EventKind, RunErrorKind,
    memory::{Copies, PATTERN, Storage, read_scalar, write_scalar},
    ops::{Val, zero},
};
use super::{
    machine::{Machine, Run},
    types::{MAX_ELEMENTS, MemrefTy, count, row_major},
    value::{Value, View, elements, fits, indices, to_array},
};
use ir::DataType;

/// All memory of a run, at most.
const MAX_BYTES: usize = 1 << 30;

impl Machine<'_> {
    /// Fresh memory of so many bytes.
    fn storage(&mut self, bytes: usize) -> Run<usize> {
        self.allocated = self.allocated.saturating_add(bytes);
        if self.allocated > MAX_BYTES {
            return self.fail(
                RunErrorKind::StepLimit,
                format!("all memory has more than {MAX_BYTES} bytes"),
            );
        }
        self.step(bytes as u64 / 64)?;
        self.storages.push(Storage::fresh(bytes, Copies::One, 1));
        self.freed.push(false);
        Ok(self.storages.len() - 1)
    }

    /// A view of fresh memory of a type and extents.
    pub(super) fn allocate(
        &mut self,
        ty: &MemrefTy,
        shape: Vec<i64>,
        symbols: &[i64],
    ) -> Run<View> {
        let Some((strides, offset)) = ty.layout.strides(&shape, symbols) else {
            return self.unsupported("a layout that is no strides");
        };
        let mut view = View {
            storage: 0,
            base: 0,
            offset,
            shape,
            strides,
            dtype: ty.dtype,
            lanes: ty.lanes.clone(),
        };
        let Some(positions) = extent(&view) else {
            return self.fail(
                RunErrorKind::StepLimit,
                format!("an allocation has more than {MAX_BYTES} bytes"),
            );
        };
        view.storage = self.storage(positions * view.bytes())?;
        Ok(view)
    }

    /// The view of a memory argument; none if the array does not fit the type.
    pub(super) fn argument(&mut self, ty: &MemrefTy, array: &Array) -> Run<Option<Value>> {
        let lanes = ty.lanes.as_deref().unwrap_or_default();
        let Some(rank) = array.shape.len().checked_sub(lanes.len()) else { return Ok(None) };
        let (shape, rest) = array.shape.split_at(rank);
        if !fits(&ty.shape, shape) || rest != lanes || ty.dtype != array.dtype {
            return Ok(None);
        }
        let view = self.allocate(ty, shape.to_vec(), &[])?;
        let bytes = view.bytes().max(1);
        if count(&array.shape).map(|n| n * view.dtype.bytes()) != Some(array.data.len()) {
            return Ok(None);
        }
        for (index, cell) in indices(&view.shape).zip(array.data.chunks_exact(bytes)) {
            let Some(at) = self.place(&view, &index) else { continue };
            let storage = &mut self.storages[view.storage];
            storage.bytes[at..at + bytes].copy_from_slice(cell);
            storage.written[at..at + bytes].fill(true);
        }
        Ok(Some(Value::View(Rc::new(view))))
    }

    /// Returns the contents of memory, with a mark for each scalar that was written.
    pub(super) fn snapshot(&mut self, view: &View) -> Run<(Array, Vec<bool>)> {
        let lanes = view.lanes.as_deref().unwrap_or_default();
        let shape: Vec<i64> = view.shape.iter().chain(lanes).copied().collect();
        let Some(n) = count(&shape) else {
            return self.fail(
                RunErrorKind::StepLimit,
                format!("a result has more than {MAX_ELEMENTS} elements"),
            );
        };
        let mut values = Vec::with_capacity(n);
        for index in indices(&view.shape) {
            match self.place(view, &index) {
                Some(at) => {
                    for lane in 0..view.n_lanes() {
                        values.push(self.read(view, at + lane * view.dtype.bytes()));
                    }
                }
                None => values.extend(vec![Val::Unit; view.n_lanes()]),
            }
        }
        Ok(to_array(view.dtype, &shape, &values))
    }

    // ---- elements ----

    /// The byte of an element; none if it is outside of the view or of its memory.
    fn place(&self, view: &View, index: &[i64]) -> Option<usize> {
        if index.len() != view.shape.len() || self.freed[view.storage] {
            return None;
        }
        let mut at = view.offset;
        for ((&index, &size), &stride) in index.iter().zip(&view.shape).zip(&view.strides) {
            if index < 0 || index >= size {
                return None;
            }
            at = at.checked_add(index.checked_mul(stride)?)?;
        }
        let bytes = i64::try_from(view.bytes()).ok()?;
        let byte = at.checked_mul(bytes)?.checked_add(view.base)?;
        self.storages[view.storage].locate(byte, view.bytes(), 0)
    }

    /// A scalar at a byte; poison if it was never written.
    fn read(&self, view: &View, at: usize) -> Val {
        let storage = &self.storages[view.storage];
        let bytes = at..at + view.dtype.bytes();
        if !storage.written[bytes.clone()].iter().all(|it| *it) {
            return Val::Unit;
        }
        read_scalar(view.dtype, &storage.bytes[bytes]).unwrap_or(Val::Unit)
    }

    fn read_or_pattern(&mut self, view: &View, at: usize) -> Run<Val> {
        match self.read(view, at) {
            Val::Unit => {
                let kind = EventKind::UninitializedRead;
                self.event(kind, || kind.message().to_owned());
                let pattern = [PATTERN; 8];
                let cell = pattern.get(..view.dtype.bytes()).unwrap_or_default();
                Ok(read_scalar(view.dtype, cell).unwrap_or(Val::Unit))
            }
            value => Ok(value),
        }
    }

    fn write(&mut self, view: &View, at: usize, value: &Val) {
        let storage = &mut self.storages[view.storage];
        let bytes = at..at + view.dtype.bytes();
        let is_written = write_scalar(view.dtype, value, &mut storage.bytes[bytes.clone()]);
        if !is_written {
            storage.bytes[bytes.clone()].fill(PATTERN);
        }
        storage.written[bytes].fill(is_written);
    }

    fn out_of_bounds(&mut self, view: &View, index: &[i64]) -> Run<()> {
        let is_freed = self.freed[view.storage];
        self.error(EventKind::OutOfBounds, || {
            if is_freed {
                "memory is accessed after its deallocation".to_owned()
            } else {
                format!("index {index:?} is outside of the extents {:?}", view.shape)
            }
        })
    }

    /// Reads an element.
    pub(super) fn load(&mut self, view: &View, index: &[i64]) -> Run<Value> {
        let n = view.n_lanes();
        let values = match self.place(view, index) {
            Some(at) if view.lanes.is_none() => {
                return Ok(Value::Scalar(self.read_or_pattern(view, at)?));
            }
            Some(at) => {
                let bytes = view.dtype.bytes();
                let lanes: Run<Vec<Val>> =
                    (0..n).map(|lane| self.read_or_pattern(view, at + lane * bytes)).collect();
                lanes?
            }
            None => {
                self.out_of_bounds(view, index)?;
                vec![zero(view.dtype); n]
            }
        };
        Ok(match (&view.lanes, &values[..]) {
            (None, [value]) => Value::Scalar(value.clone()),
            (lanes, _) => elements(lanes.clone().unwrap_or_default(), values),
        })
    }

    /// Writes an element.
    pub(super) fn store(&mut self, view: &View, index: &[i64], value: &Value) -> Run<()> {
        let scalars = value.scalars();
        if scalars.len() != view.n_lanes() {
            return self.unsupported("a value that does not fit the element");
        }
        match self.place(view, index) {
            Some(at) => {
                for (lane, value) in scalars.iter().enumerate() {
                    self.write(view, at + lane * view.dtype.bytes(), value);
                }
                Ok(())
            }
            None => self.out_of_bounds(view, index),
        }
    }

    /// Copies all elements as they are, from memory that may overlap.
    pub(super) fn copy(&mut self, from: &View, to: &View) -> Run<()> {
        if from.shape != to.shape || from.bytes() != to.bytes() {
            return self.error(EventKind::OutOfBounds, || {
                format!("a copy of {:?} elements to {:?}", from.shape, to.shape)
            });
        }
        let n = count(&from.shape).unwrap_or(usize::MAX);
        self.step(n as u64)?;
        let bytes = from.bytes();
        let mut cells = Vec::with_capacity(n);
        for index in indices(&from.shape) {
            match self.place(from, &index) {
                Some(at) => {
                    let storage = &self.storages[from.storage];
                    let bytes = at..at + bytes;
                    cells.push((
                        storage.bytes[bytes.clone()].to_vec(),
                        storage.written[bytes].to_vec(),
                    ));
                }
                None => return self.out_of_bounds(from, &index),
            }
        }
        for (index, (data, written)) in indices(&to.shape).zip(cells) {
            match self.place(to, &index) {
                Some(at) => {
                    let storage = &mut self.storages[to.storage];
                    storage.bytes[at..at + bytes].copy_from_slice(&data);
                    storage.written[at..at + bytes].copy_from_slice(&written);
                }
                None => return self.out_of_bounds(to, &index),
            }
        }
        Ok(())
    }

    /// Memory that is no longer to be accessed; twice is an error.
    pub(super) fn free(&mut self, view: &View) -> Run<()> {
        if self.freed[view.storage] {
            return self.error(EventKind::OutOfBounds, || "memory is deallocated twice".to_owned());
        }
        self.freed[view.storage] = true;
        let storage = &mut self.storages[view.storage];
        self.allocated = self.allocated.saturating_sub(storage.bytes.len());
        *storage = Storage::fresh(0, Copies::One, 1);
        Ok(())
    }
}

/// Positions that a view needs, from 0; none if it is too large or has a negative one.
pub(super) fn extent(view: &View) -> Option<usize> {
    if view.shape.contains(&0) {
        return Some(0);
    }
    let mut last = view.offset;
    if last < 0 {
        return None;
    }
    for (&size, &stride) in view.shape.iter().zip(&view.strides) {
        if stride < 0 || size < 0 {
            return None;
        }
        last = last.checked_add((size - 1).checked_mul(stride)?)?;
    }
    let n = usize::try_from(last).ok()?.checked_add(1)?;
    (n.checked_mul(view.bytes().max(1))? <= MAX_BYTES).then_some(n)
}

/// A dense view of memory that another one begins.
pub(super) fn dense(storage: usize, base: i64, shape: Vec<i64>, dtype: DataType) -> View {
    let strides = row_major(&shape);
    View { storage, base, offset: 0, shape, strides, dtype, lanes: None }
}
