//! The parts of a type that the interpreter needs: element, shape, layout.
//!
//! In: the canonical text of a type. Out: a [`Ty`]; [`Ty::Other`] for an unsupported type. Linear in the text.

use ir::{
    Body, DataType, Type, TypeCode,
    dtype::Float8,
    text::{
        affine::Map,
        cursor::items,
        types::{body_of, element_of, shape_of},
    },
};

/// A type.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Ty {
    /// An integer, index or float.
    Scalar(DataType),
    /// `vector<2x4xf32>`
    Vector(Vec<i64>, DataType),
    /// `tensor<?x4xf32>`
    Tensor(Vec<Option<i64>>, DataType),
    /// `memref<…>`
    Memref(Box<MemrefTy>),
    /// Anything else.
    Other,
}

/// A type of memory.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct MemrefTy {
    pub(super) shape: Vec<Option<i64>>,
    pub(super) dtype: DataType,
    /// Shape of an element that is a vector; none for a scalar.
    pub(super) lanes: Option<Vec<i64>>,
    pub(super) layout: Layout,
}

/// The place where elements lie.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Layout {
    /// Row-major.
    Identity,
    /// `strided<[?, 1], offset: ?>`
    Strided { strides: Vec<Option<i64>>, offset: Option<i64> },
    /// A map to one position.
    Map(Map),
}

/// `index` has 64 bits. Of all integers of one bit, `i1` too, true is −1.
pub(super) const INDEX: DataType = DataType::INT64;

/// The data type of an element; all integers are signed here, unless an operator treats them otherwise.
pub(super) fn element(text: &str) -> Option<DataType> {
    let float8 = |format| Some(DataType::scalar(TypeCode::Float8(format), 8));
    match text {
        "index" => return Some(INDEX),
        "bf16" => return Some(DataType::scalar(TypeCode::BFloat, 16)),
        "f16" | "f32" | "f64" => return DataType::parse(text),
        "f8E3M4" => return float8(Float8::E3M4),
        "f8E4M3" => return float8(Float8::E4M3),
        "f8E4M3FN" => return float8(Float8::E4M3Fn),
        "f8E4M3FNUZ" => return float8(Float8::E4M3Fnuz),
        "f8E4M3B11FNUZ" => return float8(Float8::E4M3B11Fnuz),
        "f8E5M2" => return float8(Float8::E5M2),
        "f8E5M2FNUZ" => return float8(Float8::E5M2Fnuz),
        "f8E8M0FNU" => return float8(Float8::E8M0Fnu),
        "f6E2M3FN" => return Some(DataType::scalar(TypeCode::Float6E2M3, 6)),
        "f6E3M2FN" => return Some(DataType::scalar(TypeCode::Float6E3M2, 6)),
        "f4E2M1FN" => return Some(DataType::scalar(TypeCode::Float4, 4)),
        _ => {}
    }
    let digits = text.trim_start_matches(['s', 'u']).strip_prefix('i')?;
    let bits: u8 = digits.parse().ok().filter(|it| (1..=64).contains(it))?;
    Some(DataType::int(bits))
}

impl Ty {
    /// The type with this text.
    pub(super) fn read(text: &str) -> Ty {
        Ty::shaped(text).or_else(|| element(text).map(Ty::Scalar)).unwrap_or(Ty::Other)
    }

    /// The type of a value of a body.
    pub(super) fn of(body: &Body, ty: Type) -> Ty {
        match ty {
            Type::Named(name) => Ty::read(body.name(name)),
            Type::Prim(dtype) => Ty::Scalar(dtype),
            _ => Ty::Other,
        }
    }

    fn shaped(text: &str) -> Option<Ty> {
        let inner = element_of(text).filter(|_| body_of(text).is_some())?;
        let dimensions = shape_of(text);
        let shape = || -> Option<Vec<Option<i64>>> {
            let size =
                |it: &&str| if *it == "?" { Some(None) } else { Some(Some(it.parse().ok()?)) };
            dimensions.iter().map(size).collect()
        };
        if text.starts_with("vector<") {
            let shape: Option<Vec<i64>> = dimensions.iter().map(|it| it.parse().ok()).collect();
            return Some(Ty::Vector(shape?, element(inner)?));
        }
        if text.starts_with("tensor<") {
            return Some(Ty::Tensor(shape()?, element(inner)?));
        }
        let (dtype, lanes) = match Ty::read_vector(inner) {
            Some((lanes, dtype)) => (dtype, Some(lanes)),
            None => (element(inner)?, None),
        };
        let layout = match items(&text["memref".len()..]).get(1) {
            Some(text) => Layout::read(text)?,
            None => Layout::Identity,
        };
        Some(Ty::Memref(Box::new(MemrefTy { shape: shape()?, dtype, lanes, layout })))
    }

    fn read_vector(text: &str) -> Option<(Vec<i64>, DataType)> {
        match text.starts_with("vector<").then(|| Ty::shaped(text))?? {
            Ty::Vector(lanes, dtype) => Some((lanes, dtype)),
            _ => None,
        }
    }

    /// The data type of its elements.
    pub(super) fn dtype(&self) -> Option<DataType> {
        match self {
            Ty::Scalar(dtype) | Ty::Vector(_, dtype) | Ty::Tensor(_, dtype) => Some(*dtype),
            Ty::Memref(memref) => Some(memref.dtype),
            Ty::Other => None,
        }
    }

    /// The shape of a vector, or of a tensor whose shape is fixed.
    pub(super) fn fixed_shape(&self) -> Option<Vec<i64>> {
        match self {
            Ty::Vector(shape, _) => Some(shape.clone()),
            Ty::Tensor(shape, _) => shape.iter().copied().collect(),
            _ => None,
        }
    }
}

impl Layout {
    /// The second item of a type of memory: a layout, or the space it lies in.
    fn read(text: &str) -> Option<Layout> {
        if let Some(body) = text.strip_prefix("affine_map<") {
            return Some(Layout::Map(Map::parse(body.strip_suffix('>')?, false)?));
        }
        let Some(body) = text.strip_prefix("strided") else { return Some(Layout::Identity) };
        let number = |it: &str| if it == "?" { Some(None) } else { Some(Some(it.parse().ok()?)) };
        let parts = items(body);
        let list: Vec<&str> = items(parts.first()?);
        let strides: Option<Vec<Option<i64>>> = list.into_iter().map(number).collect();
        let offset = match parts.get(1) {
            Some(text) => number(text.split(':').nth(1)?.trim())?,
            None => Some(0),
        };
        Some(Layout::Strided { strides: strides?, offset })
    }

    /// Strides and offset for a shape: those that are not known are as if the memory were dense.
    pub(super) fn strides(&self, shape: &[i64], symbols: &[i64]) -> Option<(Vec<i64>, i64)> {
        match self {
            Layout::Identity => Some((row_major(shape), 0)),
            Layout::Strided { strides, offset } => {
                let mut res = vec![0; shape.len()];
                let mut next = 1i64;
                for at in (0..shape.len()).rev() {
                    res[at] = strides.get(at).copied()?.unwrap_or(next);
                    next = res[at].checked_mul(shape[at].max(1))?;
                }
                Some((res, offset.unwrap_or(0)))
            }
            Layout::Map(map) => {
                // Only maps that are strides: the steps along each dimension must give its value at the far corner.
                let at = |dims: &[i64]| match &map.evaluate(dims, symbols)?[..] {
                    [one] => Some(*one),
                    _ => None,
                };
                let mut dims = vec![0; shape.len()];
                let offset = at(&dims)?;
                let mut strides = Vec::new();
                for dim in 0..shape.len() {
                    dims[dim] = 1;
                    strides.push(at(&dims)?.checked_sub(offset)?);
                    dims[dim] = 0;
                }
                let corner: Vec<i64> = shape.iter().map(|it| it.saturating_sub(1).max(0)).collect();
                let expected = corner
                    .iter()
                    .zip(&strides)
                    .try_fold(offset, |sum, (a, b)| sum.checked_add(a.checked_mul(*b)?))?;
                (at(&corner)? == expected).then_some((strides, offset))
            }
        }
    }
}

/// Strides of a dense row-major shape.
pub(super) fn row_major(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1i64; shape.len()];
    for at in (1..shape.len()).rev() {
        strides[at - 1] = strides[at].wrapping_mul(shape[at].max(1));
    }
    strides
}

/// The most elements of a shape.
pub(super) const MAX_ELEMENTS: usize = 1 << 24;

/// The number of elements of a shape; none if it is too large.
pub(super) fn count(shape: &[i64]) -> Option<usize> {
    let n = shape.iter().try_fold(1i64, |n, &it| n.checked_mul(it.max(0)))?;
    usize::try_from(n).ok().filter(|&it| it <= MAX_ELEMENTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_say_element_shape_and_layout() {
        assert_eq!(Ty::read("index"), Ty::Scalar(INDEX));
        assert_eq!(Ty::read("i48"), Ty::Scalar(DataType::int(48)));
        assert_eq!(Ty::read("i128"), Ty::Other);
        assert_eq!(Ty::read("vector<2x4xf32>"), Ty::Vector(vec![2, 4], DataType::FLOAT32));
        assert_eq!(Ty::read("vector<[4]xf32>"), Ty::Other);
        assert_eq!(Ty::read("tensor<?x4xi1>"), Ty::Tensor(vec![None, Some(4)], DataType::int(1)));
        assert_eq!(Ty::read("!llvm.ptr"), Ty::Other);
        let Ty::Memref(memref) =
            Ty::read("memref<4x?xvector<8xf32>, strided<[?, 1], offset: ?>, 3>")
        else {
            panic!("a memref");
        };
        assert_eq!(memref.shape, [Some(4), None]);
        assert_eq!(memref.lanes, Some(vec![8]));
        let strides = vec![None, Some(1)];
        assert_eq!(memref.layout, Layout::Strided { strides, offset: None });
        let Ty::Memref(memref) = Ty::read("memref<f32, 3>") else { panic!("a memref") };
        assert_eq!((memref.shape, memref.layout), (vec![], Layout::Identity));
    }

    #[test]
    fn a_map_that_is_strides_is_a_layout() {
        let of = |text: &str| Layout::Map(Map::parse(text, false).expect("a map"));
        let strides = of("(d0, d1)[s0] -> (d0 * 8 + d1 * 2 + s0)").strides(&[4, 4], &[3]);
        assert_eq!(strides, Some((vec![8, 2], 3)));
        assert_eq!(of("(d0) -> (d0 mod 2)").strides(&[4], &[]), None);
    }
}
