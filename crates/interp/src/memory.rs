//! Memory: arrays of arguments, storage of buffers, and elements as values.

use rustc_hash::FxHashSet;

use super::{async_copy::Traffic, fragments::Fragments, nan, ops::Val, races::WARP};
use ir::{DataType, Lanes, TypeCode};

/// A dense row-major array.
#[derive(Clone, PartialEq, Debug)]
pub struct Array {
    /// Element type.
    pub dtype: DataType,
    /// Extents.
    pub shape: Vec<i64>,
    /// Little-endian elements, `dtype.bytes()` each.
    pub data: Vec<u8>,
}

impl Array {
    /// An array of zeros.
    pub fn zeros(dtype: DataType, shape: &[i64]) -> Array {
        let n: i64 = shape.iter().product();
        Array { dtype, shape: shape.to_vec(), data: vec![0; n.max(0) as usize * dtype.bytes()] }
    }
    /// All scalar elements as doubles.
    pub fn to_f64s(&self) -> Vec<f64> {
        let bytes = self.dtype.element().bytes().max(1);
        let read = |chunk: &[u8]| match read_scalar(self.dtype.element(), chunk) {
            Some(Val::Int(value, _)) => value as f64,
            Some(Val::Float(value)) => value,
            _ => f64::NAN,
        };
        self.data.chunks_exact(bytes).map(read).collect()
    }
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.data.len().checked_div(self.dtype.bytes()).unwrap_or(0)
    }
    /// Returns true if the storage has no elements.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }
    /// One scalar element as a double (exact for all but 64-bit integers).
    pub fn get_f64(&self, index: usize) -> Option<f64> {
        let bytes = self.dtype.bytes();
        match read_scalar(self.dtype.element(), self.data.get(index * bytes..(index + 1) * bytes)?)?
        {
            Val::Int(value, _) => Some(value as f64),
            Val::Float(value) => Some(value),
            _ => None,
        }
    }
    /// Writes one scalar element, rounded or wrapped to the type.
    pub fn set_f64(&mut self, index: usize, value: f64) {
        let bytes = self.dtype.bytes();
        let dtype = self.dtype.element();
        let value =
            if dtype.is_float() { Val::Float(value) } else { Val::Int(value as i64, false) };
        if let Some(cell) = self.data.get_mut(index * bytes..(index + 1) * bytes) {
            write_scalar(dtype, &value, cell);
        }
    }
}

/// The sharing of an allocation among the threads of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Copies {
    /// All threads: there is one copy.
    One,
    /// Nobody: each thread has its own copy.
    PerThread,
    /// The threads of a warp.
    PerWarp,
}

impl Copies {
    /// Returns the number of copies for a block of threads.
    pub(super) fn count(self, threads: usize) -> usize {
        match self {
            Copies::One => 1,
            Copies::PerThread => threads,
            Copies::PerWarp => threads.div_ceil(WARP as usize),
        }
    }
}

/// The memory behind buffers: as many copies as it has, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Storage {
    pub(super) bytes: Vec<u8>,
    /// True for each byte that was ever written; empty when all count as written (arguments).
    pub(super) written: Vec<bool>,
    /// Bytes of one copy.
    pub(super) stride: usize,
    pub(super) copies: Copies,
    /// True if accesses to it can race: it is neither private nor memory of a schedulable block, whose place lowering
    /// decides.
    pub(super) is_watched: bool,
    /// The asynchronous copies to and from it without a wait so far.
    pub(super) traffic: Option<Box<Traffic>>,
    /// The contents, if those are matrix fragments.
    pub(super) fragments: Option<Fragments>,
    /// The place where wrapped integers lie in the scalars of the program: reading one gives it back as it was
    /// (SEMANTICS: I1, E6).
    pub(super) wrapped: FxHashSet<usize>,
}

/// The byte that uninitialised memory is filled with: large as an integer, an odd number without NaN as a float.
pub(super) const PATTERN: u8 = 0xCB;

impl Storage {
    pub(super) fn argument(data: Vec<u8>) -> Storage {
        Storage {
            stride: data.len(),
            bytes: data,
            written: Vec::new(),
            copies: Copies::One,
            is_watched: true,
            traffic: None,
            fragments: None,
            wrapped: FxHashSet::default(),
        }
    }

    /// Memory of `stride` bytes for each holder of a copy, in a block of `threads`.
    pub(super) fn fresh(stride: usize, copies: Copies, threads: usize) -> Storage {
        let size = stride * copies.count(threads);
        Storage {
            bytes: vec![PATTERN; size],
            written: vec![false; size],
            stride,
            copies,
            is_watched: copies != Copies::PerThread,
            traffic: None,
            fragments: None,
            wrapped: FxHashSet::default(),
        }
    }

    /// Returns true if [`Storage::fresh`] would make one of this size.
    pub(super) fn is_like(&self, stride: usize, copies: Copies, threads: usize) -> bool {
        let size = stride * copies.count(threads);
        self.stride == stride
            && self.copies == copies
            && self.bytes.len() == size
            && self.written.len() == size
    }

    /// As if never written.
    pub(super) fn refresh(&mut self) {
        self.bytes.fill(PATTERN);
        self.written.fill(false);
        self.wrapped.clear();
    }

    /// Keeps the mark of the value written to a position; `is_wrapped` only where marks are kept at all.
    pub(super) fn mark(&mut self, at: usize, is_wrapped: bool) {
        if is_wrapped {
            self.wrapped.insert(at);
        } else if !self.wrapped.is_empty() {
            self.wrapped.remove(&at);
        }
    }

    /// Returns a value that was read from a position, with its mark.
    pub(super) fn marked(&self, at: usize, value: Val) -> Val {
        match value {
            Val::Int(value, _) if !self.wrapped.is_empty() && self.wrapped.contains(&at) => {
                Val::Int(value, true)
            }
            other => other,
        }
    }

    /// The position of byte `offset` of a thread's copy, if the whole access is inside.
    pub(super) fn locate(&self, offset: i64, len: usize, thread: usize) -> Option<usize> {
        let offset = usize::try_from(offset).ok()?;
        if offset.checked_add(len)? > self.stride {
            return None;
        }
        Some(match self.copies {
            Copies::One => offset,
            Copies::PerThread => thread * self.stride + offset,
            Copies::PerWarp => thread / WARP as usize * self.stride + offset,
        })
    }
}

/// Reads a scalar; none for formats that are only stored, never computed with, here.
pub(super) fn read_scalar(dtype: DataType, bytes: &[u8]) -> Option<Val> {
    let mut word = [0u8; 8];
    word.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let raw = u64::from_le_bytes(word);
    Some(match (dtype.code, dtype.bits) {
        (TypeCode::Bool, _) => Val::Int(i64::from(raw != 0), false),
        (TypeCode::Int | TypeCode::UInt, _) => Val::Int(dtype.wrap_int(i128::from(raw)), false),
        (TypeCode::Float, 64) => Val::Float(f64::from_bits(raw)),
        (TypeCode::Float, 32) => Val::Float(nan::of_single(raw as u32)),
        (TypeCode::Float, 16) => Val::Float(nan::of_half(raw as u16)),
        (TypeCode::BFloat, _) => Val::Float(nan::of_brain(raw as u16)),
        (code, _) => Val::Float(nan::of_narrow(code, raw as u8)?),
    })
}

/// The bytes of a scalar in the low end of a word.
pub(super) fn scalar_bits(dtype: DataType, value: &Val) -> Option<u64> {
    Some(match (dtype.code, dtype.bits, value) {
        (TypeCode::Bool, _, Val::Int(value, _)) => u64::from(*value != 0),
        (TypeCode::Int | TypeCode::UInt, bits, Val::Int(value, _)) => {
            *value as u64 & (u64::MAX >> (64 - u32::from(bits.clamp(1, 64))))
        }
        (TypeCode::Float, 64, Val::Float(value)) => value.to_bits(),
        (TypeCode::Float, 32, Val::Float(value)) => u64::from(nan::single_bits(*value)),
        (TypeCode::Float, 16, Val::Float(value)) => u64::from(nan::half_bits(*value)),
        (TypeCode::BFloat, _, Val::Float(value)) => u64::from(nan::brain_bits(*value)),
        (code, _, Val::Float(value)) => u64::from(nan::narrow_bits(code, *value)?),
        _ => return None,
    })
}

/// Writes a scalar into exactly its bytes; false if the value does not fit the type's kind.
pub(super) fn write_scalar(dtype: DataType, value: &Val, cell: &mut [u8]) -> bool {
    let Some(bits) = scalar_bits(dtype, value) else { return false };
    let bytes = bits.to_le_bytes();
    let n = cell.len().min(8);
    cell[..n].copy_from_slice(&bytes[..n]);
    true
}

/// Lane `k` of a vector of elements narrower than a byte.
pub(super) fn read_packed(element: DataType, cell: &[u8], k: usize) -> Option<Val> {
    let first = k * usize::from(element.bits);
    let low = *cell.get(first / 8)?;
    let high = cell.get(first / 8 + 1).copied().unwrap_or(0);
    let bits = u16::from_le_bytes([low, high]) >> (first % 8) & ((1 << element.bits) - 1);
    read_scalar(element, &[bits as u8])
}

/// Writes lane `k` of a vector of elements narrower than a byte.
pub(super) fn write_packed(element: DataType, value: &Val, cell: &mut [u8], k: usize) -> bool {
    let Some(bits) = scalar_bits(element, value) else { return false };
    let first = k * usize::from(element.bits);
    for bit in 0..usize::from(element.bits) {
        let Some(byte) = cell.get_mut((first + bit) / 8) else { return false };
        let mask = 1u8 << ((first + bit) % 8);
        *byte = if bits >> bit & 1 == 1 { *byte | mask } else { *byte & !mask };
    }
    true
}

/// Number of lanes, where it is fixed.
pub(super) fn fixed_lanes(dtype: DataType) -> Option<usize> {
    match dtype.lanes {
        Lanes::Fixed(lanes) => Some(lanes.into()),
        Lanes::Scalable(_) => None,
    }
}
