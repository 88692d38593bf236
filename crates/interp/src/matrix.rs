//! Matrix instructions that a warp executes together, on registers of its threads: `mma`, `ldmatrix`, and TVM's loops
//! that fill and store such registers (SEMANTICS: P8, Y6).
//!
//! In: a statement with such a call and the threads that execute it. Out: the registers (elements of `local` memory, or
//! of `warp` memory before that is lowered) and the memory that they are stored to. Terms: in a warp of 32 threads the
//! *group* of a thread is its number divided by 4, its *place* the remainder; a *register* has 32 bits, or one element
//! of 64. Sums (SEMANTICS: Y7): products and their sum in order of `k` in float64, rounded once to the accumulator's
//! type; integers exactly, then wrapped, or saturated if the call asks for it. Instructions on whole fragments:
//! `fragments`. Not executed: tf32, elements narrower than a byte, sparse and asynchronous (`wgmma`, `tcgen05`)
//! instructions, and those that name each register. O(m n k) a warp.

use smallvec::SmallVec;

use super::{
    EventKind, RunError, RunErrorKind, exec::Machine, memory::Copies, ops::Val, races::WARP,
};
use ir::{BufferField, Callee, DataType, ExprId, ExprKind, Type};

type Result<T> = std::result::Result<T, Box<RunError>>;

/// Extents of a product: `m × k` times `k × n`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    pub(super) m: usize,
    pub(super) n: usize,
    pub(super) k: usize,
}

impl Shape {
    /// `m16n8k16`
    fn parse(text: &str) -> Option<Shape> {
        let (m, rest) = text.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        Some(Shape { m: m.parse().ok()?, n: n.parse().ok()?, k: k.parse().ok()? })
    }

    /// Returns true if there is an instruction of this shape whose threads hold elements of this many bits as
    /// [`Operand`] says.
    fn is_instruction(self, bits: u8) -> bool {
        matches!(
            (bits, self.m, self.n, self.k),
            (16, 16, 8, 8 | 16) | (8, 16, 8, 16 | 32) | (8, 8, 8, 16) | (64, 8, 8, 4)
        )
    }
}

/// A matrix of a product, held by the threads of a warp.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operand {
    A,
    B,
    Accumulator,
}

impl Operand {
    /// Elements in each thread.
    fn elements(self, Shape { m, n, k }: Shape) -> usize {
        let all = match self {
            Operand::A => m * k,
            Operand::B => k * n,
            Operand::Accumulator => m * n,
        };
        all / WARP as usize
    }

    /// Row and column of an element of a thread; `packed` elements of A and B are in one register.
    fn position(self, shape: Shape, packed: usize, thread: usize, element: usize) -> [usize; 2] {
        let (group, place) = (thread / 4, thread % 4);
        let (register, part) = (element / packed, element % packed);
        let rows = shape.m / 8;
        match self {
            Operand::A => {
                let column = register / rows * 4 * packed + place * packed + part;
                [group + 8 * (register % rows), column]
            }
            Operand::B => [register * 4 * packed + place * packed + part, group],
            Operand::Accumulator => [group + 8 * (element / 2), place * 2 + element % 2],
        }
    }

    fn columns(self, shape: Shape) -> usize {
        if self == Operand::A { shape.k } else { shape.n }
    }
}

/// A matrix operand of a call: pointer and offset, and its type.
struct Registers {
    at: [ExprId; 2],
    dtype: DataType,
    operand: Operand,
    shape: Shape,
    packed: usize,
}

/// Returns true if a warp executes the call as one.
pub(super) fn is_collective(name: &str) -> bool {
    matches!(
        name,
        "ptx_legacy.mma"
            | "ptx_mma"
            | "ptx_legacy.ldmatrix"
            | "ptx_ldmatrix"
            | "cuda.mma_fill"
            | "cuda.mma_fill_legacy"
            | "mma_fill"
            | "cuda.mma_store"
            | "cuda.mma_store_legacy"
            | "mma_store"
    ) || super::fragments::is_fragment_call(name)
}

/// Elements of a type in a register.
fn packed(dtype: DataType) -> usize {
    (32 / usize::from(dtype.bits)).max(1)
}

/// An element type as PTX and TVM call it.
fn element_type(name: &str) -> Option<DataType> {
    DataType::parse(match name {
        "fp16" | "f16" => "float16",
        "fp32" | "f32" => "float32",
        "fp64" | "f64" => "float64",
        "bf16" => "bfloat16",
        "s8" => "int8",
        "u8" => "uint8",
        "s32" => "int32",
        "e4m3" => "float8_e4m3fn",
        "e5m2" => "float8_e5m2",
        "tf32" => return None,
        other => other,
    })
    .filter(|it| it.is_scalar() && it.bits >= 8)
}

/// `c + a · b`, all in rows; none for elements that are no numbers.
pub(super) fn multiply(
    Shape { m, n, k }: Shape,
    [a, b, c]: [&[Val]; 3],
    dtype: DataType,
    saturates: bool,
) -> Option<Vec<Val>> {
    let mut result = Vec::with_capacity(m * n);
    for (row, column) in (0..m).flat_map(|row| (0..n).map(move |column| (row, column))) {
        let pairs = (0..k).map(|step| (&a[row * k + step], &b[step * n + column]));
        result.push(match &c[row * n + column] {
            Val::Int(start, _) => {
                let mut sum = i128::from(*start);
                for pair in pairs {
                    let (Val::Int(x, _), Val::Int(y, _)) = pair else { return None };
                    sum += i128::from(*x) * i128::from(*y);
                }
                let wrapped = dtype.wrap_int(sum);
                let limit = if sum < 0 { i64::from(i32::MIN) } else { i64::from(i32::MAX) };
                Val::Int(
                    if saturates && i128::from(wrapped) != sum { limit } else { wrapped },
                    false,
                )
            }
            Val::Float(start) => {
                let mut sum = *start;
                for pair in pairs {
                    let (Val::Float(x), Val::Float(y)) = pair else { return None };
                    sum = x.mul_add(*y, sum);
                }
                Val::Float(dtype.round_float(sum))
            }
            _ => return None,
        });
    }
    Some(result)
}

impl Machine<'_> {
    /// Executes a call that [`is_collective`] in each warp of the active lanes.
    pub(super) fn collective(&mut self, call: ExprId, active: &[u32]) -> Result<()> {
        let body = self.body;
        let ExprKind::Call { callee: Callee::Intrinsic(name, _), args, .. } = body.expr(call).kind
        else {
            return Ok(());
        };
        let name = body.name(name);
        if self.kernel.is_none() {
            let message = format!("a matrix instruction outside of a kernel, T.{name}");
            return self.fail(RunErrorKind::Program, message);
        }
        self.counts.calls += active.len() as u64;
        let is_text = |it: &&ExprId| matches!(body.expr(**it).kind, ExprKind::Str(_));
        let mut texts: Vec<&str> = Vec::new();
        for text in body.items(args).iter().filter(is_text) {
            if let ExprKind::Str(text) = body.expr(*text).kind {
                texts.push(body.name(text));
            }
        }
        let values: Vec<ExprId> =
            body.items(args).iter().filter(|it| !is_text(it)).copied().collect();
        for warp in self.whole_warps(active) {
            match name {
                "ptx_legacy.mma" | "ptx_mma" => self.mma(&texts, &values, &warp)?,
                "ptx_legacy.ldmatrix" | "ptx_ldmatrix" => self.ldmatrix(&values, &warp)?,
                "cuda.mma_fill" | "cuda.mma_fill_legacy" | "mma_fill" => {
                    self.mma_fill(&values, &warp)?;
                }
                "cuda.mma_store" | "cuda.mma_store_legacy" | "mma_store" => {
                    self.mma_store(&values, &warp)?;
                }
                _ => self.fragment_call(name, &texts, &values, &warp)?,
            }
        }
        Ok(())
    }

    /// The lanes of each warp that is there as a whole, in order of its threads; an event for those that are not.
    fn whole_warps(&mut self, active: &[u32]) -> Vec<Vec<usize>> {
        let mut lanes: Vec<usize> = active.iter().map(|it| *it as usize).collect();
        lanes.sort_unstable_by_key(|it| self.frame.threads[*it]);
        let warp_of = |it: &usize| self.frame.threads[*it] / WARP;
        let warps: Vec<Vec<usize>> =
            lanes.chunk_by(|a, b| warp_of(a) == warp_of(b)).map(<[usize]>::to_vec).collect();
        let (whole, parts): (Vec<_>, Vec<_>) =
            warps.into_iter().partition(|it| it.len() == WARP as usize);
        for part in parts {
            self.event_with(EventKind::InactiveLane, |_| {
                format!("{} of {WARP} threads of a warp execute a matrix instruction", part.len())
            });
        }
        whole
    }

    pub(super) fn malformed<T>(&self, what: &str) -> Result<T> {
        self.fail(RunErrorKind::Unsupported, format!("a matrix instruction of this form: {what}"))
    }

    /// Returns the type behind a pointer expression, where its type or its form shows it.
    pub(super) fn pointee(&self, pointer: ExprId) -> Option<DataType> {
        let body = self.body;
        let of_type = match body.expr(pointer).ty {
            Type::Pointer { element, .. } if element.bits > 0 => Some(element),
            _ => None,
        };
        match body.expr(pointer).kind {
            ExprKind::BufferField(buffer, BufferField::Data) => Some(body.buffers[buffer].dtype),
            ExprKind::Call { args, .. } => match body.items(args) {
                [first, ..] => match body.expr(*first).kind {
                    ExprKind::Load { buffer, .. } => Some(body.buffers[buffer].dtype),
                    _ => of_type.or_else(|| body.dtype(*first)),
                },
                [] => of_type,
            },
            _ => of_type,
        }
        .map(DataType::element)
    }

    /// `(shape, layouts, types, a, offset, b, offset, accumulator, offset, saturate)`: the accumulator is the result.
    fn mma(&mut self, texts: &[&str], values: &[ExprId], warp: &[usize]) -> Result<()> {
        let texts = match texts {
            [result, rest @ ..] if DataType::parse(result).is_some() => rest,
            all => all,
        };
        let (
            &[shape, "row", "col", a_type, b_type, c_type],
            &[a, a_offset, b, b_offset, c, c_offset, ref rest @ ..],
        ) = (texts, values)
        else {
            return self.malformed(&texts.join(" "));
        };
        let types = [a_type, b_type, c_type].map(element_type);
        let (Some(shape), [Some(a_type), Some(b_type), Some(c_type)]) =
            (Shape::parse(shape), types)
        else {
            return self.malformed(&texts.join(" "));
        };
        if !shape.is_instruction(a_type.bits) || a_type.bits != b_type.bits {
            return self.malformed(&texts.join(" "));
        }
        let saturates = match rest.first() {
            Some(it) => self.int(*it, warp[0])? != 0,
            None => false,
        };
        let packed = packed(a_type);
        let registers = |at, dtype, operand| Registers { at, dtype, operand, shape, packed };
        let a = registers([a, a_offset], a_type, Operand::A);
        let b = registers([b, b_offset], b_type, Operand::B);
        let c = registers([c, c_offset], c_type, Operand::Accumulator);
        let (a, b) = (self.gather(&a, warp)?, self.gather(&b, warp)?);
        let old = self.gather(&c, warp)?;
        match multiply(shape, [&a, &b, &old], c_type, saturates) {
            Some(sums) => self.scatter(&c, warp, &sums),
            None => self.malformed(&texts.join(" ")),
        }
    }

    /// The matrix that the threads of a warp hold, in rows.
    fn gather(&mut self, from: &Registers, warp: &[usize]) -> Result<Vec<Val>> {
        let elements = from.operand.elements(from.shape);
        let mut matrix = vec![super::ops::zero(from.dtype); elements * warp.len()];
        for (thread, &lane) in warp.iter().enumerate() {
            let (storage, first) = self.offset_pointer(from.at, from.dtype, lane)?;
            for element in 0..elements {
                let at = first + (element * from.dtype.bytes()) as i64;
                let [row, column] = from.operand.position(from.shape, from.packed, thread, element);
                if let Some(value) = self.read_through((storage, at), from.dtype, lane)? {
                    matrix[row * from.operand.columns(from.shape) + column] = value;
                }
            }
        }
        Ok(matrix)
    }

    fn scatter(&mut self, to: &Registers, warp: &[usize], matrix: &[Val]) -> Result<()> {
        for (thread, &lane) in warp.iter().enumerate() {
            let (storage, first) = self.offset_pointer(to.at, to.dtype, lane)?;
            for element in 0..to.operand.elements(to.shape) {
                let at = first + (element * to.dtype.bytes()) as i64;
                let [row, column] = to.operand.position(to.shape, to.packed, thread, element);
                let value = &matrix[row * to.operand.columns(to.shape) + column];
                self.write(None, (storage, at), to.dtype, lane, value)?;
            }
        }
        Ok(())
    }

    /// `(transposed, number, registers, offset, memory, offset)`: up to four matrices of 8 × 8 halves. Thread `8 j + r`
    /// gives the start of row `r` of matrix `j`; each thread gets two neighbours of its group's row (or column), as an
    /// accumulator has them.
    fn ldmatrix(&mut self, values: &[ExprId], warp: &[usize]) -> Result<()> {
        let &[transposed, number, to, to_offset, from, from_offset] = values else {
            return self.malformed("ldmatrix");
        };
        let is_transposed = self.int(transposed, warp[0])? != 0;
        let number = self.int(number, warp[0])?;
        let element = self.pointee(from).unwrap_or(DataType::uint(16));
        if is_transposed && element.bits == 8 {
            return self.transposed_bytes([to, to_offset], [from, from_offset], element, warp);
        }
        if !matches!(number, 1 | 2 | 4) {
            return self.malformed("ldmatrix");
        }
        let half = DataType::uint(16);
        let mut halves = Vec::new();
        for &lane in &warp[..8 * number as usize] {
            let (storage, row) = self.offset_pointer([from, from_offset], element, lane)?;
            for column in 0..8 {
                let value = self.read_through((storage, row + 2 * column), half, lane)?;
                halves.push(value.unwrap_or(Val::Int(0, false)));
            }
        }
        for (thread, &lane) in warp.iter().enumerate() {
            let (storage, first) = self.offset_pointer([to, to_offset], element, lane)?;
            let (group, place) = (thread / 4, thread % 4);
            for (matrix, part) in (0..number as usize).flat_map(|it| [(it, 0), (it, 1)]) {
                let (mut row, mut column) = (group, 2 * place + part);
                if is_transposed {
                    (row, column) = (column, row);
                }
                let at = first + (4 * matrix + 2 * part) as i64;
                let value = &halves[(matrix * 8 + row) * 8 + column];
                self.write(None, (storage, at), half, lane, value)?;
            }
        }
        Ok(())
    }

    /// TVM's loop for a transposed `ldmatrix` of bytes, which no instruction does: the offset is the stride of a row.
    fn transposed_bytes(
        &mut self,
        to: [ExprId; 2],
        [from, stride]: [ExprId; 2],
        element: DataType,
        warp: &[usize],
    ) -> Result<()> {
        for (thread, &lane) in warp.iter().enumerate() {
            let (storage, first) = self.offset_pointer(to, element, lane)?;
            let (source, begin) = self.pointer(from, lane)?;
            let stride = self.int(stride, lane)?;
            for byte in 0..16i64 {
                let row = byte % 8 / 4 * 16 + (thread % 4 * 4) as i64 + byte % 4;
                let at = row * stride + (thread / 4) as i64 + byte / 8 * 8;
                let value = self.read_through((source, begin + at), DataType::uint(8), lane)?;
                let value = value.unwrap_or(Val::Int(0, false));
                self.write(None, (storage, first + byte), DataType::uint(8), lane, &value)?;
            }
        }
        Ok(())
    }

    /// The first of a thread's `size` registers: in memory of the warp each thread has its part.
    fn own_registers(
        &mut self,
        at: [ExprId; 2],
        size: i64,
        dtype: DataType,
        (thread, lane): (usize, usize),
    ) -> Result<(usize, i64)> {
        let (storage, first) = self.offset_pointer(at, dtype, lane)?;
        let part = match self.storages[storage].copies {
            Copies::PerWarp => thread as i64 * size * dtype.bytes() as i64,
            Copies::One | Copies::PerThread => 0,
        };
        Ok((storage, first + part))
    }

    /// `(number, registers, offset)`: zeros.
    fn mma_fill(&mut self, values: &[ExprId], warp: &[usize]) -> Result<()> {
        let &[size, to, offset] = values else { return self.malformed("mma_fill") };
        let Some(dtype) = self.pointee(to) else { return self.malformed("mma_fill") };
        for (thread, &lane) in warp.iter().enumerate() {
            let size = self.int(size, lane)?;
            let (storage, first) = self.own_registers([to, offset], size, dtype, (thread, lane))?;
            for element in 0..size {
                let at = first + element * dtype.bytes() as i64;
                self.write(None, (storage, at), dtype, lane, &super::ops::zero(dtype))?;
            }
        }
        Ok(())
    }

    /// `(16, 16, memory, registers, offset, stride)`: two accumulators side by side go to memory.
    fn mma_store(&mut self, values: &[ExprId], warp: &[usize]) -> Result<()> {
        let &[m, n, to, from, offset, stride] = values else { return self.malformed("mma_store") };
        let is_tile = self.int(m, warp[0])? == 16 && self.int(n, warp[0])? == 16;
        let dtype = match (self.pointee(to), self.pointee(from)) {
            (Some(to), Some(from)) if to == from && is_tile => to,
            _ => return self.malformed("mma_store"),
        };
        let half = Shape { m: 16, n: 8, k: 0 };
        let mut writes: SmallVec<[((usize, i64), usize, Val); 8]> = SmallVec::new();
        for (thread, &lane) in warp.iter().enumerate() {
            let (source, first) = self.own_registers([from, offset], 8, dtype, (thread, lane))?;
            let (storage, begin) = self.pointer(to, lane)?;
            let stride = self.int(stride, lane)?;
            for element in 0..8 {
                let [row, column] = Operand::Accumulator.position(half, 1, thread, element % 4);
                let column = column + element / 4 * 8;
                let at = begin + (row as i64 * stride + column as i64) * dtype.bytes() as i64;
                let from = first + (element * dtype.bytes()) as i64;
                if let Some(value) = self.read_through((source, from), dtype, lane)? {
                    writes.push(((storage, at), lane, value));
                }
            }
        }
        for (place, lane, value) in writes {
            self.write(None, place, dtype, lane, &value)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_element_of_a_matrix_is_in_one_thread() {
        let shapes =
            [(16, 16, 8, 16), (16, 16, 8, 8), (8, 16, 8, 32), (8, 8, 8, 16), (64, 8, 8, 4)];
        for (bits, m, n, k) in shapes {
            let shape = Shape { m, n, k };
            assert!(shape.is_instruction(bits));
            for operand in [Operand::A, Operand::B, Operand::Accumulator] {
                let packed = (32 / usize::from(bits)).max(1);
                let mut seen = std::collections::BTreeSet::new();
                for thread in 0..32 {
                    for element in 0..operand.elements(shape) {
                        seen.insert(operand.position(shape, packed, thread, element));
                    }
                }
                let rows = if operand == Operand::B { k } else { m };
                let all = (0..rows).flat_map(|i| (0..operand.columns(shape)).map(move |j| [i, j]));
                assert!(seen.into_iter().eq(all), "{shape:?} {operand:?}");
            }
        }
    }

    #[test]
    fn integers_wrap_or_saturate() {
        let shape = Shape { m: 1, n: 1, k: 1 };
        let [a, b, c] =
            [[Val::Int(2, false)], [Val::Int(3, false)], [Val::Int(i64::from(i32::MAX), false)]];
        let sum = |saturates| multiply(shape, [&a, &b, &c], DataType::INT32, saturates);
        assert_eq!(sum(true), Some(vec![Val::Int(i64::from(i32::MAX), false)]));
        assert_eq!(sum(false), Some(vec![Val::Int(i64::from(i32::MIN) + 5, false)]));
    }
}
