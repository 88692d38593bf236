//! Running a program.

use super::{GiveUp, Kind, Program, Step};
use crate::{
    counts::Counts,
    exec::{Machine, Slot},
    nan,
    ops::{self, Val},
};
use ir::{BinaryOp, BufferId, DataType, ValueId, arena::Id};

type Result<T> = std::result::Result<T, GiveUp>;

/// Bytes in memory.
pub(super) fn bytes(kind: Kind) -> usize {
    match kind {
        Kind::Bool => 1,
        Kind::Int(bits) | Kind::UInt(bits) => usize::from(bits / 8),
        Kind::F16 | Kind::BF16 => 2,
        Kind::F32 => 4,
        Kind::F64 => 8,
    }
}

/// The register of a scalar in memory.
#[inline]
fn read(kind: Kind, memory: &[u8], at: usize) -> Option<u64> {
    let n = bytes(kind);
    let cell = memory.get(at..at + n)?;
    Some(match (kind, cell) {
        (Kind::F32, &[a, b, c, d]) => nan::of_single(u32::from_le_bytes([a, b, c, d])).to_bits(),
        (Kind::Int(32), &[a, b, c, d]) => i64::from(i32::from_le_bytes([a, b, c, d])) as u64,
        _ => {
            let mut word = [0; 8];
            word[..n].copy_from_slice(cell);
            let raw = u64::from_le_bytes(word);
            match kind {
                Kind::Bool => u64::from(raw != 0),
                Kind::Int(bits) => (((raw << (64 - bits)) as i64) >> (64 - bits)) as u64,
                Kind::F16 => nan::of_half(raw as u16).to_bits(),
                Kind::BF16 => nan::of_brain(raw as u16).to_bits(),
                Kind::UInt(_) | Kind::F64 | Kind::F32 => raw,
            }
        }
    })
}

/// Writes a register as a scalar; the place is known to be in the memory.
#[inline]
pub(super) fn write(kind: Kind, register: u64, memory: &mut [u8], at: usize) {
    let float = f64::from_bits(register);
    let word = match kind {
        Kind::Bool => u64::from(register != 0),
        Kind::Int(_) | Kind::UInt(_) | Kind::F64 => register,
        Kind::F32 => u64::from(nan::single_bits(float)),
        Kind::F16 => u64::from(nan::half_bits(float)),
        Kind::BF16 => u64::from(nan::brain_bits(float)),
    };
    let n = bytes(kind);
    if let Some(cell) = memory.get_mut(at..at + n) {
        cell.copy_from_slice(&word.to_le_bytes()[..n]);
    }
}

impl Machine<'_> {
    /// Runs the code that is the same in all lanes.
    pub(super) fn run_uniform(&self, program: &mut Program, active: &[u32]) -> Result<u64> {
        let Program { uniform, registers, .. } = program;
        self.steps(uniform, registers, active[0] as usize, &[], &mut Counts::default())?;
        Ok(uniform.len() as u64)
    }

    /// Runs the code of one lane; gives the nodes evaluated.
    #[inline]
    pub(super) fn run_lane(
        &self,
        program: &mut Program,
        lane: usize,
        counts: &mut Counts,
    ) -> Result<u64> {
        let Program { varying, registers, arms, .. } = program;
        self.steps(varying, registers, lane, arms, counts)?;
        counts.add(program.counts, 1);
        Ok(program.n_steps)
    }

    /// Executes steps one after the other. A step is one line that calls a function below.
    fn steps(
        &self,
        steps: &[Step],
        r: &mut [u64],
        lane: usize,
        arms: &[Counts],
        counts: &mut Counts,
    ) -> Result<()> {
        let mut next = 0;
        while let Some(step) = steps.get(next) {
            next += 1;
            let at = |register: u32| register as usize;
            match *step {
                Step::Value(to, value, kind) => r[at(to)] = self.variable(value, kind, lane)?,
                Step::Load { to, buffer, indices, rank, kind } => {
                    r[at(to)] =
                        self.read(buffer, &r[at(indices)..at(indices + rank)], kind, lane)?;
                }
                Step::Copy(to, from) => r[at(to)] = r[at(from)],
                Step::Int32(to, op, a, b) => r[at(to)] = int32(op, r[at(a)], r[at(b)])?,
                Step::Int(to, op, dtype, a, b) => {
                    r[at(to)] = integer(op, dtype, r[at(a)], r[at(b)])?;
                }
                Step::Compare(to, op, a, b) => {
                    r[at(to)] = u64::from(compare(op, r[at(a)] as i64, r[at(b)] as i64));
                }
                Step::CompareUnsigned(to, op, a, b) => {
                    r[at(to)] = u64::from(compare(op, r[at(a)], r[at(b)]));
                }
                Step::CompareFloat(to, op, a, b) => {
                    r[at(to)] = u64::from(compare(op, float(r[at(a)]), float(r[at(b)])));
                }
                Step::Float32(to, op, a, b) => {
                    r[at(to)] = float32(op, float(r[at(a)]), float(r[at(b)]))?;
                }
                Step::Float(to, op, dtype, a, b) => {
                    r[at(to)] = any_float(op, dtype, float(r[at(a)]), float(r[at(b)]))?;
                }
                Step::Logic(to, op, a, b) => {
                    let (a, b) = (r[at(a)] != 0, r[at(b)] != 0);
                    r[at(to)] = u64::from(if op == BinaryOp::And { a && b } else { a || b });
                }
                Step::Not(to, a) => r[at(to)] = u64::from(r[at(a)] == 0),
                Step::BitNot(to, dtype, a) => {
                    r[at(to)] = dtype.wrap_int(!i128::from(r[at(a)] as i64)) as u64;
                }
                Step::Wrap(to, a, from, dtype) => {
                    r[at(to)] = dtype.wrap_int(wide(from, r[at(a)])) as u64;
                }
                Step::ToFloat(to, a, from, dtype) => r[at(to)] = to_float(r[at(a)], from, dtype)?,
                Step::ToInt(to, a, dtype) => r[at(to)] = to_int(float(r[at(a)]), dtype)?,
                Step::Round(to, a, dtype) => {
                    r[at(to)] = dtype.round_float(float(r[at(a)])).to_bits();
                }
                Step::Select(to, condition, then, otherwise) => {
                    r[at(to)] = r[at(if r[at(condition)] != 0 { then } else { otherwise })];
                }
                Step::Call1(to, function, dtype, x) => {
                    r[at(to)] = dtype.round_float(function(float(r[at(x)]))).to_bits();
                }
                Step::Call2(to, function, dtype, x, y) => {
                    let value = function(float(r[at(x)]), float(r[at(y)]));
                    r[at(to)] = dtype.round_float(value).to_bits();
                }
                Step::Test(to, function, x) => r[at(to)] = u64::from(function(float(r[at(x)]))),
                Step::Jump(to) => next = at(to),
                Step::JumpUnless(condition, to) if r[at(condition)] == 0 => next = at(to),
                Step::JumpIf(condition, to) if r[at(condition)] != 0 => next = at(to),
                Step::JumpUnless(..) | Step::JumpIf(..) => {}
                Step::Count(arm) => counts.add(arms[at(arm)], 1),
            }
        }
        Ok(())
    }

    /// The value of a variable, if it is a plain one.
    #[inline(always)]
    fn variable(&self, value: ValueId, kind: Kind, lane: usize) -> Result<u64> {
        let val = match &self.frame.slots[value.index()] {
            Slot::Uniform(val) => val,
            Slot::Lanes(vals) => &vals[lane],
            Slot::Empty => return Err(GiveUp),
        };
        match val {
            Val::Int(x, false) if !kind.is_float() => Ok(*x as u64),
            Val::Float(x) if kind.is_float() => Ok(x.to_bits()),
            _ => Err(GiveUp),
        }
    }

    /// An element that was written before.
    #[inline(always)]
    fn read(&self, buffer: BufferId, indices: &[u64], kind: Kind, lane: usize) -> Result<u64> {
        let (storage, at) = self.element(buffer, indices.iter().copied(), kind, lane)?;
        let memory = &self.storages[storage];
        let written = memory.written.get(at..at + bytes(kind));
        if !memory.wrapped.is_empty() || written.is_some_and(|it| it.contains(&false)) {
            return Err(GiveUp);
        }
        read(kind, &memory.bytes, at).ok_or(GiveUp)
    }

    /// The storage and position of an element that is in bounds.
    #[inline]
    pub(super) fn element(
        &self,
        buffer: BufferId,
        indices: impl ExactSizeIterator<Item = u64>,
        kind: Kind,
        lane: usize,
    ) -> Result<(usize, usize)> {
        let bound = self.bound(buffer, lane).ok_or(GiveUp)?;
        if indices.len() != bound.shape.len() {
            return Err(GiveUp);
        }
        let mut elements = 0i64;
        for ((index, extent), stride) in indices.zip(&bound.shape).zip(&bound.strides) {
            let index = index as i64;
            if index < 0 || index >= *extent {
                return Err(GiveUp);
            }
            elements = elements.wrapping_add(index.wrapping_mul(*stride));
        }
        let offset = bound.base + elements.wrapping_mul(bound.element_bytes);
        let thread = self.frame.threads[lane] as usize;
        let memory = &self.storages[bound.storage];
        Ok((bound.storage, memory.locate(offset, bytes(kind), thread).ok_or(GiveUp)?))
    }
}

#[inline(always)]
fn float(register: u64) -> f64 {
    f64::from_bits(register)
}

/// `+ - *` of int32 that do not overflow.
#[inline(always)]
fn int32(op: BinaryOp, a: u64, b: u64) -> Result<u64> {
    let (a, b) = (a as i64, b as i64);
    // No sum or product of two int32 leaves int64.
    let exact = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        _ => a * b,
    };
    if i64::from(exact as i32) == exact { Ok(exact as u64) } else { Err(GiveUp) }
}

#[inline(always)]
fn float32(op: BinaryOp, a: f64, b: f64) -> Result<u64> {
    let round = |exact| DataType::FLOAT32.round_float(exact);
    let pick = |is_first| if is_first { a } else { b };
    let value = match op {
        BinaryOp::Add => round(a + b),
        BinaryOp::Sub => round(a - b),
        BinaryOp::Mul => round(a * b),
        BinaryOp::Div => round(a / b),
        BinaryOp::Min => pick(a < b),
        BinaryOp::Max => pick(a > b),
        _ => return Err(GiveUp),
    };
    Ok(value.to_bits())
}

fn any_float(op: BinaryOp, dtype: DataType, a: f64, b: f64) -> Result<u64> {
    match ops::binary(op, dtype, &Val::Float(a), &Val::Float(b), &mut |_| Ok(())) {
        Ok(Val::Float(value)) => Ok(value.to_bits()),
        _ => Err(GiveUp),
    }
}

/// An integer that a double holds exactly, rounded to a float type.
#[inline(always)]
fn to_float(register: u64, from: DataType, to: DataType) -> Result<u64> {
    let exact = wide(from, register);
    if exact.unsigned_abs() >= 1 << 53 {
        return Err(GiveUp);
    }
    Ok(to.round_float(exact as f64).to_bits())
}

/// A float that is in the range of an integer type, truncated.
#[inline(always)]
fn to_int(x: f64, dtype: DataType) -> Result<u64> {
    if dtype.is_bool() {
        return Ok(u64::from(x != 0.0));
    }
    let truncated = x.trunc();
    // What is exact in a double and surely in range.
    if truncated.is_nan() || truncated.abs() >= 9_007_199_254_740_992.0 {
        return Err(GiveUp);
    }
    let exact = truncated as i128;
    let register = dtype.wrap_int(exact) as u64;
    if wide(dtype, register) == exact { Ok(register) } else { Err(GiveUp) }
}

#[inline]
fn compare<T: PartialOrd>(op: BinaryOp, a: T, b: T) -> bool {
    match op {
        BinaryOp::Eq => a == b,
        BinaryOp::Ne => a != b,
        BinaryOp::Lt => a < b,
        BinaryOp::Le => a <= b,
        BinaryOp::Gt => a > b,
        _ => a >= b,
    }
}

fn wide(dtype: DataType, register: u64) -> i128 {
    if dtype.is_uint() { register.into() } else { (register as i64).into() }
}

/// An operator on integers where it has no event; narrow types wrap.
fn integer(op: BinaryOp, dtype: DataType, a: u64, b: u64) -> Result<u64> {
    let (x, y) = (Val::Int(a as i64, false), Val::Int(b as i64, false));
    if let Some(Val::Int(value, false)) = ops::fast_binary(op, dtype, &x, &y) {
        return Ok(value as u64);
    }
    // An event of any kind, or a wrapped result, is for the general evaluator.
    let mut has_event = false;
    let result = ops::binary(op, dtype, &x, &y, &mut |_| {
        has_event = true;
        Ok(())
    });
    match result {
        Ok(Val::Int(value, false)) if !has_event => Ok(value as u64),
        _ => Err(GiveUp),
    }
}
