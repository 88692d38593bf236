//! Products whose tiles the matrix instructions of a device do not take.
//!
//! In: the facts. Out: a finding for each product whose extents, types and threads are known, and that TileLang refuses
//! for the devices that the message names (its `cuda/op/gemm.cc`, `cuda/op/gemm/gemm_mma.py`,
//! `intrinsics/macro/mma_macro_generator.py`; each was given to TileLang 0.1.15 for `sm_80`, `sm_90a` and `sm_100a`).
//! Other devices may take it: a CPU any tile, Metal 8 rows, `sm_70` and `sm_75` by other instructions. O(calls).

use ir::{Body, Callee, DataType, ExprId, ExprKind, Intrinsic, OccurrenceId, plan::finding::Place};
use rules::{Rule, Severity};

use super::{
    super::{Finding, FindingFacts, FindingKind, FindingRule, Sentence, Word, edit_title},
    around,
    extents::{Part, is_fragment, number, part},
    told,
};

/// Tiles that the matrix instructions of a device do not take.
pub(in super::super) const TILE_SHAPE: FindingRule = FindingRule {
    rule: Rule::reported(
        "tile-shape",
        Severity::Warning,
        "a product of tiles that the instructions of NVIDIA's devices do not take",
        "\
TileLang refuses the product when it builds the kernel for a device of NVIDIA since `sm_80`:

- the rows of `C` are a multiple of 16, its columns of 8;
- the warps of the block share `C` evenly: each has a multiple of 16 rows and of 8 columns; a block has a warp or more;
- the columns of `A` are a multiple of what an instruction takes, if they are more: 16 of 16 bits, 32 of 8 bits;
- `T.wgmma_gemm` (`sm_90a`): `C` has 64 rows or more, the block a multiple of 128 threads, `B` is a shared tile, and \
`A` and `B` are of 8 or 16 bits or `tfloat32`.

```python
C = T.alloc_fragment((24, 128), \"float32\")
T.gemm(A_shared, B_shared, C)            # 24 rows: a warp takes 16 at once
```

Other devices take other tiles: on a CPU or with Metal this may be right, so it is a warning. Only what is known is \
told.
",
    ),
    plan,
    title: edit_title,
    is_unnecessary: false,
};

/// Rows and columns that an instruction makes at once.
const ROWS: i64 = 16;
const COLUMNS: i64 = 8;

fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let body = facts.body;
    let Some((_, attrs)) = super::launches(body).next() else { return };
    if attrs.iter().any(|it| &*it.0 == "is_cpu") {
        return;
    }
    for (id, occurrence) in facts.occurrences.iter() {
        let ExprKind::Call { callee: Callee::Intrinsic(_, it), args, attrs, .. } =
            body.expr(occurrence.expr).kind
        else {
            continue;
        };
        let is_warpgroup = it == Intrinsic::TlWgmmaGemm;
        let is_split = || body.dict(attrs).iter().any(|it| it.0.contains("cta"));
        if !(is_warpgroup || it == Intrinsic::TlGemm) || is_split() {
            continue;
        }
        let Some(product) = Product::of(body, body.items(args)) else { continue };
        let warps = || warps(facts, id);
        let why = match is_warpgroup {
            true => product.of_warpgroups(body, warps),
            false => product.of_warps(body, warps),
        };
        let Some(why) = why else { continue };
        let place = Place::Occurrence(id);
        let message = Sentence::of([place.into(), Word::Text(why.into())]);
        found.push(told(FindingKind::TileShape, place, message));
    }
}

/// The operands of a product, and how many rows, columns and steps it has.
struct Product {
    a: Part,
    b: Part,
    c: Part,
    rows: Option<i64>,
    columns: Option<i64>,
    steps: Option<i64>,
}

impl Product {
    /// None where an operand is in memory of another kind: tensor memory, memory of Metal's instructions.
    fn of(body: &Body, args: &[ExprId]) -> Option<Product> {
        let &[a, b, c, transpose_a, ..] = args else { return None };
        let (a, b, c) = (part(body, a)?, part(body, b)?, part(body, c)?);
        let is_tile = |it: &Part| {
            body.buffers[it.buffer].scope.is_plain_shared() || is_fragment(body, it.buffer)
        };
        if ![&a, &b, &c].into_iter().all(is_tile) {
            return None;
        }
        let ([.., rows, columns], [.., first, last]) = (&c.extents[..], &a.extents[..]) else {
            return None;
        };
        let steps = if number(body, transpose_a)? == 0 { *last } else { *first };
        let (rows, columns) = (*rows, *columns);
        Some(Product { a, b, c, rows, columns, steps })
    }

    fn of_warps(&self, body: &Body, warps: impl Fn() -> Option<i64>) -> Option<String> {
        let on = "on NVIDIA's devices since `sm_80`";
        let name = |it: &Part| body.name(body.buffers[it.buffer].name);
        // Metal adds to shared tiles.
        if !is_fragment(body, self.c.buffer) {
            return None;
        }
        // Of doubles and of numbers below a byte instructions have other shapes.
        let dtypes = [&self.a, &self.b].map(|it| body.buffers[it.buffer].dtype);
        if !dtypes.iter().all(|it| it.is_scalar() && matches!(it.bits, 8 | 16 | 32)) {
            return None;
        }
        if let Some(why) = self.uneven(on) {
            return Some(why);
        }
        if let (Some(steps), 8 | 16, 8 | 16) = (self.steps, dtypes[0].bits, dtypes[1].bits) {
            let at_once = 256 / i64::from(dtypes[0].bits.max(dtypes[1].bits));
            if steps > at_once && steps % at_once != 0 {
                return Some(format!(
                    " multiplies {steps} columns of `{}`: {on} an instruction takes {at_once} of {} at once",
                    name(&self.a),
                    body.dtype_name(body.buffers[self.a.buffer].dtype)
                ));
            }
        }
        let (rows, columns, warps) = (self.rows?, self.columns?, warps()?);
        let fits = |down: i64| {
            let right = warps / down;
            down * right == warps && rows % (down * ROWS) == 0 && columns % (right * COLUMNS) == 0
        };
        if warps == 0 {
            return Some(format!(
                " is one of a block of less than a warp: {on} 32 threads share it"
            ));
        }
        (!(1..=warps).any(fits)).then(|| {
            format!(
                " shares {rows} × {columns} of `{}` between {warps} warps: {on} each takes a multiple of {ROWS} rows and \
                 of {COLUMNS} columns, and no split does",
                name(&self.c)
            )
        })
    }

    /// Rows or columns that no number of instructions makes.
    fn uneven(&self, on: &str) -> Option<String> {
        let sides = [(self.rows, ROWS, "rows"), (self.columns, COLUMNS, "columns")];
        sides.into_iter().find_map(|(extent, at_once, what)| {
            let extent = extent.filter(|it| it % at_once != 0)?;
            Some(format!(" makes {extent} {what}: {on} a warp makes a multiple of {at_once}"))
        })
    }

    fn of_warpgroups(&self, body: &Body, warps: impl Fn() -> Option<i64>) -> Option<String> {
        let name = |it: &Part| body.name(body.buffers[it.buffer].name);
        if is_fragment(body, self.b.buffer) {
            let b = name(&self.b);
            return Some(format!(" reads `{b}` from shared memory only, and it is a fragment"));
        }
        if let Some(rows) = self.rows.filter(|&it| it < 64) {
            return Some(format!(" makes {rows} rows: a group of warps makes 64 or more"));
        }
        if let Some(why) = self.uneven("on `sm_90a`") {
            return Some(why);
        }
        let dtype = body.buffers[self.b.buffer].dtype;
        if dtype == DataType::float(32) || dtype == DataType::float(64) {
            let dtype = body.dtype_name(dtype);
            return Some(format!(" multiplies {dtype}, and its instructions take 8 or 16 bits"));
        }
        if let (Some(steps), 8 | 16) = (self.steps, dtype.bits) {
            let at_once = 256 / i64::from(dtype.bits);
            if steps % at_once != 0 {
                return Some(format!(
                    " multiplies {steps} columns of `{}`: an instruction takes {at_once} at once",
                    name(&self.a)
                ));
            }
        }
        let threads = warps()? * 32;
        (threads % 128 != 0)
            .then(|| format!(" is one of a block of {threads} threads: a group of warps has 128"))
    }
}

/// The warps that come to a product together; none if only a part of the block may.
fn warps(facts: &FindingFacts<'_>, id: OccurrenceId) -> Option<i64> {
    let around = around::of_occurrence(facts, id)?;
    match around.threads {
        [Some(all), Some(1), Some(1)] if around.guards.is_empty() => {
            i64::try_from(all).ok().map(|it| it / 32)
        }
        _ => None,
    }
}
