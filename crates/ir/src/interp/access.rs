//! Reading buffers, and the addresses of accesses (SEMANTICS: M1, M3, M11, S8).

use std::rc::Rc;

use smallvec::SmallVec;

use super::{
    EventKind, RunError, RunErrorKind,
    exec::{BoundBuffer, Machine},
    memory::{fixed_lanes, read_scalar},
    ops::Val,
};
use crate::{BufferId, DataType, ExprId, ExprListId, arena::Id};

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
    /// A lane that a predicate switches off.
    pub(super) const OFF: i64 = i64::MIN;

    pub(super) fn as_slice(&self) -> &[i64] {
        match self {
            Offsets::One(offset) => std::slice::from_ref(offset),
            Offsets::Lanes(offsets) => offsets,
        }
    }
}

impl Machine<'_> {
    /// Evaluates the indices of an access, then its predicate, and checks the active lanes against the bounds.
    pub(super) fn offsets(
        &mut self,
        buffer: BufferId,
        indices: &[ExprId],
        predicate: Option<ExprId>,
        lane: usize,
    ) -> Result<Offsets> {
        let mut values: SmallVec<[Val; 4]> = SmallVec::new();
        for &index in indices {
            values.push(self.eval(index, lane)?);
        }
        let predicate = predicate.map(|it| self.eval(it, lane)).transpose()?;
        let Some(bound) = self.frame.buffers[buffer.index()].clone() else {
            let name = self.body.name(self.body.buffers[buffer].name);
            return self.fail(RunErrorKind::Unsupported, format!("buffer `{name}` has no memory"));
        };
        if values.len() != bound.shape.len() {
            return self.fail(RunErrorKind::Program, "wrong number of indices".to_owned());
        }
        let n_lanes = |value: &Val| if let Val::Vector(it) = value { Some(it.len()) } else { None };
        let Some(n) = values.iter().chain(&predicate).filter_map(n_lanes).max() else {
            let is_off = matches!(predicate, Some(Val::Int(0, _)));
            let offset =
                if is_off { Offsets::OFF } else { self.offset(buffer, &bound, &values, 0)? };
            return Ok(Offsets::One(offset));
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
        Ok(Offsets::Lanes(offsets))
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
                let name = self.body.name(self.body.buffers[buffer].name);
                let message = format!(
                    "index {position} of dimension {dim} of `{name}` is not in 0..{extent}"
                );
                return self.fail(RunErrorKind::Program, message);
            }
            elements = elements.wrapping_add(position.wrapping_mul(bound.strides[dim]));
        }
        Ok(bound.base + elements.wrapping_mul(bound.element_bytes))
    }

    pub(super) fn load(
        &mut self,
        buffer: BufferId,
        indices: ExprListId,
        predicate: Option<ExprId>,
        lane: usize,
    ) -> Result<Val> {
        let body = self.body;
        let offsets = self.offsets(buffer, body.items(indices), predicate, lane)?;
        let dtype = body.buffers[buffer].dtype;
        if let Offsets::One(offset) = offsets
            && dtype.is_scalar()
            && offset != Offsets::OFF
        {
            return self.load_scalar(buffer, dtype, offset, lane);
        }
        let element = dtype.element();
        let mut loaded = Vec::with_capacity(offsets.as_slice().len());
        for &offset in offsets.as_slice() {
            for k in 0..fixed_lanes(dtype).unwrap_or(1) {
                // A lane that is switched off has an arbitrary value: zero here.
                loaded.push(match offset {
                    Offsets::OFF if dtype.is_float() => Val::Float(0.0),
                    Offsets::OFF => Val::Int(0, false),
                    _ => {
                        let at = offset + (k * element.bytes()) as i64;
                        self.load_scalar(buffer, element, at, lane)?
                    }
                });
            }
        }
        match (&loaded[..], &offsets) {
            ([one], Offsets::One(_)) => Ok(one.clone()),
            _ => Ok(Val::Vector(loaded.into())),
        }
    }

    fn load_scalar(
        &mut self,
        buffer: BufferId,
        dtype: DataType,
        offset: i64,
        lane: usize,
    ) -> Result<Val> {
        let bytes = dtype.bytes();
        let thread = self.frame.threads[lane] as usize;
        let at = self.locate(buffer, offset, bytes, thread)?;
        let storage = self.storage_of(buffer);
        let is_written =
            storage.written.get(at..at + bytes).is_none_or(|it| it.iter().all(|it| *it));
        let value = read_scalar(dtype, &storage.bytes[at..at + bytes]);
        if !is_written {
            self.event(EventKind::UninitializedRead);
        }
        match value {
            Some(value) => Ok(value),
            None => self.fail(RunErrorKind::Unsupported, format!("arithmetic on {dtype}")),
        }
    }
}
