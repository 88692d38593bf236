//! Documents of MLIR as programs, and arguments for their functions.

use frontend::mlir::{self, Shapes, UnitKind};
use interp::{
    Argument,
    mlir::{Need, needs},
};
use ir::Body;
use test_utils::Rng;

use crate::inputs::{self, Flavour};

/// A function, or the text around functions.
pub(crate) struct Unit {
    pub(crate) body: Body,
    pub(crate) is_function: bool,
}

/// The units between two `// -----` lines.
#[derive(Default)]
pub(crate) struct Document {
    pub(crate) units: Vec<Unit>,
}

/// The documents of a text.
pub(crate) fn documents(text: &str) -> Vec<Document> {
    let mut res: Vec<Document> = Vec::new();
    mlir::lower_file(text, Shapes::builtin(), &mut |unit| {
        res.resize_with(res.len().max(unit.document + 1), Document::default);
        let is_function = unit.kind == UnitKind::Function;
        res[unit.document].units.push(Unit { body: unit.lowered.body, is_function });
    });
    res
}

/// More elements are too many for all of a corpus.
const MAX_ELEMENTS: i64 = 1 << 22;

/// Arguments for a function; extents that are not said are `extent`.
pub(crate) fn arguments(
    body: &Body,
    extent: i64,
    flavour: Flavour,
    seed: u64,
) -> Result<Vec<Argument>, String> {
    let mut rng = Rng::new(seed ^ flavour as u64);
    let mut res = Vec::new();
    for need in needs(body)? {
        res.push(match need {
            Need::Attribution => continue,
            Need::Scalar(dtype) if dtype.is_float() => {
                Argument::Float(dtype.round_float(inputs::float(flavour, &mut rng)))
            }
            Need::Scalar(dtype) => Argument::Int(inputs::int(dtype, flavour, &mut rng)),
            Need::Array(shape, dtype) => {
                let shape: Vec<i64> = shape.into_iter().map(|it| it.unwrap_or(extent)).collect();
                let n = shape.iter().try_fold(1i64, |n, it| n.checked_mul(*it));
                if n.is_none_or(|it| it > MAX_ELEMENTS) {
                    return Err("arguments too large".into());
                }
                Argument::Array(inputs::array(dtype, &shape, flavour, &mut rng))
            }
        });
    }
    Ok(res)
}
