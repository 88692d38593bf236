//! Values of MLIR: scalars, vectors and tensors, views of memory; and how arguments become values.

use std::rc::Rc;

use super::super::{
    Argument, Array,
    memory::{PATTERN, read_scalar, write_scalar},
    ops::Val,
};
use super::types::{Ty, count};
use ir::DataType;

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value {
    /// An integer, index or float; [`Val::Unit`] is poison.
    Scalar(Val),
    /// A vector or a tensor.
    Elements(Rc<Elements>),
    /// A view of memory.
    View(Rc<View>),
    /// A function by its name.
    Function(Rc<str>),
    /// A token: it only orders.
    Token,
}

/// Elements in row-major order.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Elements {
    pub(super) shape: Vec<i64>,
    pub(super) values: Vec<Val>,
}

/// The place where the elements of a memref lie.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct View {
    pub(super) storage: usize,
    /// The byte at which position 0 is.
    pub(super) base: i64,
    /// In elements, as strides are.
    pub(super) offset: i64,
    pub(super) shape: Vec<i64>,
    pub(super) strides: Vec<i64>,
    pub(super) dtype: DataType,
    /// Shape of an element that is a vector.
    pub(super) lanes: Option<Vec<i64>>,
}

impl View {
    /// Scalars of an element.
    pub(super) fn n_lanes(&self) -> usize {
        self.lanes.as_deref().map_or(1, |it| count(it).unwrap_or(0))
    }

    /// Bytes of an element.
    pub(super) fn bytes(&self) -> usize {
        self.n_lanes() * self.dtype.bytes()
    }
}

/// An integer or index.
pub(super) fn int(value: i64) -> Value {
    Value::Scalar(Val::Int(value, false))
}

/// A truth value as an `i1`.
pub(super) fn bit(holds: bool) -> Val {
    Val::Int(-i64::from(holds), false)
}

/// A vector or tensor.
pub(super) fn elements(shape: Vec<i64>, values: Vec<Val>) -> Value {
    Value::Elements(Rc::new(Elements { shape, values }))
}

impl Value {
    /// Its scalars in row-major order.
    pub(super) fn scalars(&self) -> &[Val] {
        match self {
            Value::Scalar(value) => std::slice::from_ref(value),
            Value::Elements(elements) => &elements.values,
            _ => &[],
        }
    }

    /// The shape of a vector or tensor; empty for a scalar.
    pub(super) fn shape(&self) -> &[i64] {
        match self {
            Value::Elements(elements) => &elements.shape,
            Value::View(view) => &view.shape,
            _ => &[],
        }
    }

    /// Scalars with the shape of a type: a scalar alone, else elements.
    pub(super) fn shaped(is_scalar: bool, shape: Vec<i64>, mut values: Vec<Val>) -> Value {
        match values.pop() {
            Some(only) if is_scalar && values.is_empty() => Value::Scalar(only),
            last => {
                values.extend(last);
                elements(shape, values)
            }
        }
    }
}

/// Every index of a shape in row-major order.
pub(super) fn indices(shape: &[i64]) -> impl Iterator<Item = Vec<i64>> + use<> {
    let shape = shape.to_vec();
    let mut next = (!shape.iter().any(|it| *it <= 0)).then(|| vec![0i64; shape.len()]);
    std::iter::from_fn(move || {
        let res = next.take()?;
        let mut ahead = res.clone();
        for at in (0..shape.len()).rev() {
            ahead[at] += 1;
            if ahead[at] < shape[at] {
                next = Some(ahead);
                break;
            }
            ahead[at] = 0;
        }
        Some(res)
    })
}

/// The position of an index in row-major order.
pub(super) fn position(shape: &[i64], index: &[i64]) -> usize {
    let at = shape
        .iter()
        .zip(index)
        .fold(0i64, |at, (size, index)| at.wrapping_mul(*size).wrapping_add(*index));
    usize::try_from(at).unwrap_or(usize::MAX)
}

// ---- arguments ----

/// The elements of an array.
pub(super) fn of_array(array: &Array) -> Vec<Val> {
    let bytes = array.dtype.bytes().max(1);
    let read = |cell: &[u8]| read_scalar(array.dtype, cell).unwrap_or(Val::Unit);
    array.data.chunks_exact(bytes).map(read).collect()
}

/// The array of elements, and which of them are defined.
pub(super) fn to_array(dtype: DataType, shape: &[i64], values: &[Val]) -> (Array, Vec<bool>) {
    let bytes = dtype.bytes();
    let mut data = vec![PATTERN; bytes * values.len()];
    let mut defined = Vec::with_capacity(values.len());
    for (at, value) in values.iter().enumerate() {
        defined.push(write_scalar(dtype, value, &mut data[at * bytes..(at + 1) * bytes]));
    }
    (Array { dtype, shape: shape.to_vec(), data }, defined)
}

/// The value of an argument that is no memory; none if it does not fit the type.
pub(super) fn of_argument(argument: &Argument, ty: &Ty) -> Option<Value> {
    match (argument, ty) {
        (Argument::Int(value), Ty::Scalar(dtype)) if dtype.is_integer() => {
            Some(int(dtype.wrap_int((*value).into())))
        }
        (Argument::Float(value), Ty::Scalar(dtype)) if dtype.is_float() => {
            Some(Value::Scalar(Val::Float(dtype.round_float(*value))))
        }
        (Argument::Array(array), Ty::Vector(..) | Ty::Tensor(..)) => {
            let shape: Vec<Option<i64>> = match ty {
                Ty::Vector(shape, _) => shape.iter().map(|&it| Some(it)).collect(),
                Ty::Tensor(shape, _) => shape.clone(),
                _ => return None,
            };
            let fits = ty.dtype() == Some(array.dtype) && fits(&shape, &array.shape);
            fits.then(|| elements(array.shape.clone(), of_array(array)))
        }
        _ => None,
    }
}

/// Returns true if a shape is one of a type.
pub(super) fn fits(ty: &[Option<i64>], shape: &[i64]) -> bool {
    ty.len() == shape.len() && ty.iter().zip(shape).all(|(a, b)| a.is_none_or(|it| it == *b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_row_major() {
        let all: Vec<Vec<i64>> = indices(&[2, 2]).collect();
        assert_eq!(all, [[0, 0], [0, 1], [1, 0], [1, 1]]);
        assert_eq!(indices(&[]).count(), 1);
        assert_eq!(indices(&[3, 0]).count(), 0);
        assert!(all.iter().enumerate().all(|(at, it)| position(&[2, 2], it) == at));
    }
}
