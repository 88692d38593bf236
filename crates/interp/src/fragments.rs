//! Matrix instructions on fragments, as TVM's `wmma` intrinsics have them: load, fill, multiply, store (SEMANTICS: P8,
//! Y7).
//!
//! A buffer of a `wmma` scope holds fragments, each a matrix of the shape that its loads and fills name. How its
//! elements are spread over the threads of a warp is the hardware's secret, so nothing but these calls may touch them:
//! here a warp has one copy of the buffer, and a fragment lies in rows. In: a call, its operands equal in all threads
//! of the warp. O(m n k) a warp.

use super::{
    RunError, RunErrorKind,
    exec::Machine,
    matrix::{Shape, multiply},
    ops::{Val, cast},
};
use ir::{DataType, ExprId, MemoryScope};

type Result<T> = std::result::Result<T, Box<RunError>>;

/// The matrix of a product that fragments belong to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    A,
    B,
    Accumulator,
}

/// The fragments of a buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fragments {
    role: Role,
    /// Of the product they take part in, once a load or fill has determined it.
    shape: Option<Shape>,
}

impl Fragments {
    /// The fragments that a storage scope is for.
    pub(super) fn of_scope(scope: MemoryScope) -> Option<Fragments> {
        let role = match scope {
            MemoryScope::MatrixA => Role::A,
            MemoryScope::MatrixB => Role::B,
            MemoryScope::Accumulator => Role::Accumulator,
            _ => return None,
        };
        Some(Fragments { role, shape: None })
    }
}

/// A fragment in memory.
struct Fragment {
    storage: usize,
    first: i64,
    rows: usize,
    columns: usize,
    dtype: DataType,
    shape: Shape,
}

pub(super) fn is_fragment_call(name: &str) -> bool {
    matches!(
        name,
        "tvm_load_matrix_sync" | "tvm_fill_fragment" | "tvm_mma_sync" | "tvm_store_matrix_sync"
    )
}

impl Machine<'_> {
    /// Executes such a call in a warp.
    pub(super) fn fragment_call(
        &mut self,
        name: &str,
        texts: &[&str],
        operands: &[ExprId],
        warp: &[usize],
    ) -> Result<()> {
        let mut values = Vec::new();
        for &operand in operands {
            let value = self.eval(operand, warp[0])?;
            for &lane in &warp[1..] {
                if self.eval(operand, lane)? != value {
                    let message = "an operand of a matrix instruction differs in a warp".to_owned();
                    return self.fail(RunErrorKind::Program, message);
                }
            }
            values.push(value);
        }
        let layout = texts.last().copied().unwrap_or_default();
        match (name, operands, &values[..]) {
            ("tvm_load_matrix_sync", [to, .., _, _], [.., memory, stride]) => {
                let fragment = self.fragment(*to, &values, warp[0])?;
                let element = self.pointee(operands[operands.len() - 2]);
                self.load_fragment(&fragment, memory, (self.stride(stride)?, layout), element, warp)
            }
            ("tvm_store_matrix_sync", [from, .., _, _], [.., memory, stride]) => {
                let fragment = self.fragment(*from, &values, warp[0])?;
                let element = self.pointee(operands[operands.len() - 2]);
                self.store_fragment(
                    &fragment,
                    memory,
                    (self.stride(stride)?, layout),
                    element,
                    warp,
                )
            }
            ("tvm_fill_fragment", [to, ..], [.., value]) => {
                let fragment = self.fragment(*to, &values, warp[0])?;
                // As the hardware's function does: `0.0` fills a fragment of integers, too.
                let from = operands.last().and_then(|it| self.body.dtype(*it));
                let from = from.unwrap_or(fragment.dtype);
                let value = self.operator(|events| cast(value, from, fragment.dtype, events))?;
                let all = vec![value; fragment.rows * fragment.columns];
                self.write_fragment(&fragment, &all, warp[0])
            }
            ("tvm_mma_sync", &[d, _, a, _, b, _, c, _], [_, i, _, j, _, k, _, l]) => {
                self.multiply_fragments([(d, i), (a, j), (b, k), (c, l)], warp[0])
            }
            _ => self.malformed(name),
        }
    }

    fn stride(&self, stride: &Val) -> Result<i64> {
        match stride {
            Val::Int(stride, _) => Ok(*stride),
            _ => self.malformed("its stride"),
        }
    }

    /// `(pointer, m, n, k, index, …)`: the fragment, whose buffer gets this shape.
    fn fragment(&mut self, pointer: ExprId, values: &[Val], lane: usize) -> Result<Fragment> {
        let [
            Val::Pointer { storage, .. },
            Val::Int(m, _),
            Val::Int(n, _),
            Val::Int(k, _),
            index,
            ..,
        ] = values
        else {
            return self.malformed("its fragment");
        };
        let extent = |it: &i64| usize::try_from(*it).ok().filter(|it| (1..=64).contains(it));
        let (Some(m), Some(n), Some(k)) = (extent(m), extent(n), extent(k)) else {
            return self.malformed("its shape");
        };
        let shape = Shape { m, n, k };
        match &mut self.storages[*storage].fragments {
            Some(fragments) if fragments.shape.is_none_or(|it| it == shape) => {
                fragments.shape = Some(shape);
            }
            Some(_) => {
                let message = "fragments of two shapes in one buffer".to_owned();
                return self.fail(RunErrorKind::Program, message);
            }
            None => return self.malformed("a fragment in other memory"),
        }
        self.fragment_at(pointer, index, lane)
    }

    /// A fragment of a buffer whose shape is known.
    fn fragment_at(&mut self, pointer: ExprId, index: &Val, lane: usize) -> Result<Fragment> {
        let (storage, offset) = self.pointer(pointer, lane)?;
        let fragments = self.storages[storage].fragments;
        let (Some(Fragments { role, shape: Some(shape) }), Val::Int(index, _), Some(dtype)) =
            (fragments, index, self.pointee(pointer).filter(|it| it.bits >= 8))
        else {
            return self.malformed("a fragment that nothing was loaded into");
        };
        let (rows, columns) = match role {
            Role::A => (shape.m, shape.k),
            Role::B => (shape.k, shape.n),
            Role::Accumulator => (shape.m, shape.n),
        };
        let bytes = (rows * columns * dtype.bytes()) as i64;
        let first = offset.wrapping_add(index.wrapping_mul(bytes));
        Ok(Fragment { storage, first, rows, columns, dtype, shape })
    }

    fn read_fragment(&mut self, from: &Fragment, lane: usize) -> Result<Vec<Val>> {
        let mut values = Vec::with_capacity(from.rows * from.columns);
        for element in 0..from.rows * from.columns {
            let at = from.first + (element * from.dtype.bytes()) as i64;
            let value = self.read_through((from.storage, at), from.dtype, lane)?;
            values.push(value.unwrap_or(super::ops::zero(from.dtype)));
        }
        Ok(values)
    }

    fn write_fragment(&mut self, to: &Fragment, values: &[Val], lane: usize) -> Result<()> {
        for (element, value) in values.iter().enumerate() {
            let at = to.first + (element * to.dtype.bytes()) as i64;
            self.write(None, (to.storage, at), to.dtype, lane, value)?;
        }
        Ok(())
    }

    /// The places of a fragment's elements in memory, row by row.
    fn places(
        &self,
        fragment: &Fragment,
        memory: &Val,
        (stride, layout): (i64, &str),
    ) -> Result<Vec<(usize, i64)>> {
        let Val::Pointer { storage, offset } = *memory else { return self.malformed("its memory") };
        let (by_row, by_column) = match layout {
            "row_major" => (stride, 1),
            "col_major" => (1, stride),
            other => return self.malformed(other),
        };
        let bytes = fragment.dtype.bytes() as i64;
        let at = |row: usize, column: usize| {
            let elements =
                (row as i64).wrapping_mul(by_row) + (column as i64).wrapping_mul(by_column);
            (storage, offset.wrapping_add(elements.wrapping_mul(bytes)))
        };
        let rows = 0..fragment.rows;
        Ok(rows
            .flat_map(|i| (0..fragment.columns).map(move |j| (i, j)))
            .map(|(i, j)| at(i, j))
            .collect())
    }

    fn load_fragment(
        &mut self,
        to: &Fragment,
        memory: &Val,
        layout: (i64, &str),
        element: Option<DataType>,
        warp: &[usize],
    ) -> Result<()> {
        if element.is_some_and(|it| it != to.dtype) {
            return self.malformed("a load of another type");
        }
        let mut values = Vec::new();
        // Which thread reads what is unknown: they take turns, so that the search for races sees several.
        for (place, &lane) in self.places(to, memory, layout)?.into_iter().zip(warp.iter().cycle())
        {
            let value = self.read_through(place, to.dtype, lane)?;
            values.push(value.unwrap_or(super::ops::zero(to.dtype)));
        }
        self.write_fragment(to, &values, warp[0])
    }

    fn store_fragment(
        &mut self,
        from: &Fragment,
        memory: &Val,
        layout: (i64, &str),
        element: Option<DataType>,
        warp: &[usize],
    ) -> Result<()> {
        if element.is_some_and(|it| it != from.dtype) {
            return self.malformed("a store of another type");
        }
        let values = self.read_fragment(from, warp[0])?;
        let places = self.places(from, memory, layout)?;
        for ((place, value), &lane) in places.into_iter().zip(values).zip(warp.iter().cycle()) {
            self.write(None, place, from.dtype, lane, &value)?;
        }
        Ok(())
    }

    /// `d = a · b + c`; the result's buffer has the shape of the others.
    fn multiply_fragments(&mut self, fragments: [(ExprId, &Val); 4], lane: usize) -> Result<()> {
        let [(d, d_index), a, b, c] = fragments;
        let a = self.fragment_at(a.0, a.1, lane)?;
        let b = self.fragment_at(b.0, b.1, lane)?;
        let c = self.fragment_at(c.0, c.1, lane)?;
        let (storage, _) = self.pointer(d, lane)?;
        if let Some(fragments) = &mut self.storages[storage].fragments {
            fragments.shape.get_or_insert(c.shape);
        }
        let d = self.fragment_at(d, d_index, lane)?;
        if [b.shape, c.shape, d.shape] != [a.shape; 3] {
            let message = "a product of fragments of several shapes".to_owned();
            return self.fail(RunErrorKind::Program, message);
        }
        let mut read = |it| self.read_fragment(it, lane);
        let (left, right, start) = (read(&a)?, read(&b)?, read(&c)?);
        match multiply(a.shape, [&left, &right, &start], d.dtype, false) {
            Some(sums) => self.write_fragment(&d, &sums, lane),
            None => self.malformed("its types"),
        }
    }
}
