//! Operands of tile operations that do not fit each other: TileLang refuses them when it builds the kernel.
//!
//! In: the facts. Out: a finding for each product, reduction and copy whose extents or types are known and break a rule
//! of TileLang's sources (`language/gemm_op.py`, `language/reduce_op.py`, `op/copy.cc`, `language/dtypes.py`). An
//! extent that is not known fits everything. O(calls).

use ir::{
    Attr, AttrDictId, Body, Callee, DataType, ExprId, ExprKind, Intrinsic, ScopeFamily,
    plan::finding::Place,
};
use rules::{Rule, Severity};

use super::{
    super::{Finding, FindingFacts, FindingKind, FindingRule, Sentence, Word, edit_title},
    extents::{Part, number, part},
    linear::size,
    told,
};

/// Operands of a tile operation that do not fit.
pub(in super::super) const TILE_OPERANDS: FindingRule = FindingRule {
    rule: Rule::reported(
        "tile-operands",
        Severity::Error,
        "the operands of a tile operation do not fit each other",
        "\
TileLang refuses the operation when it builds the kernel:

- `T.gemm(A, B, C)`: the rows of `A` are those of `C`, the columns of `B` those of `C`, the columns of `A` the rows of \
`B`, after transposition; `A` and `B` have one type, except for floats of 4 to 8 bits; all three are numbers when the kernel \
is built; `k_pack` is 1 or 2;
- `T.reduce_*(src, dst, dim)`: `dst` has the extents of `src` without `dim`, or with 1 there;
- `T.copy(src, dst)`: both have as many extents that are not 1, and none of a nearer target is less than that of the source.

```python
A_shared = T.alloc_shared((128, 32), \"float16\")
B_shared = T.alloc_shared((64, 128), \"float16\")
T.gemm(A_shared, B_shared, C_local)      # 32 columns times 64 rows
```

Only what is known is compared: an extent that a caller gives fits everything, until an instance says what it is.
",
    ),
    plan,
    title: edit_title,
    is_unnecessary: false,
};

fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let body = facts.body;
    if super::launches(body).next().is_none() {
        return;
    }
    for (id, occurrence) in facts.occurrences.iter() {
        let ExprKind::Call { callee: Callee::Intrinsic(_, it), args, attrs, .. } =
            body.expr(occurrence.expr).kind
        else {
            continue;
        };
        let args = body.items(args);
        let why = match it {
            Intrinsic::TlGemm => {
                let is_split = body.dict(attrs).iter().any(|it| it.0.contains("cta"));
                if is_split { None } else { of_product(body, args).or_else(|| packed(body, attrs)) }
            }
            Intrinsic::TlReduce => of_reduction(body, args),
            Intrinsic::TlCopy => of_copy(body, args),
            _ => None,
        };
        let Some(why) = why else { continue };
        let place = Place::Occurrence(id);
        let message = Sentence::of([place.into(), Word::Text(why.into())]);
        found.push(told(FindingKind::TileOperands, place, message));
    }
}

/// The operands of a product that are its numbers of rows, columns and steps.
const SIZES: std::ops::Range<usize> = 5..8;

/// The last two extents.
fn matrix(part: &Part) -> [Option<i64>; 2] {
    match part.extents[..] {
        [.., rows, columns] => [rows, columns],
        _ => [None; 2],
    }
}

fn of_product(body: &Body, args: &[ExprId]) -> Option<String> {
    let &[a, b, c, transpose_a, transpose_b, ..] = args else { return None };
    let name = |it: &Part| body.name(body.buffers[it.buffer].name);
    let (a, b, c) = (part(body, a)?, part(body, b)?, part(body, c)?);
    let (left, right) = (body.buffers[a.buffer].dtype, body.buffers[b.buffer].dtype);
    let is_tensor_memory = body.scope_name(body.buffers[a.buffer].scope).contains("tmem");
    if left != right
        && ![left, right].iter().any(|it| it.is_symbolic() || is_small(*it))
        && !is_tensor_memory
    {
        let (left, right) = (body.dtype_name(left), body.dtype_name(right));
        return Some(format!(
            " multiplies `{}` of {left} by `{}` of {right}: both need one type",
            name(&a),
            name(&b)
        ));
    }
    if let Some(extent) = args.get(SIZES).into_iter().flatten().find_map(|&it| size(body, it)) {
        let extent = body.name(body.values[extent].name);
        return Some(format!(
            " multiplies tiles of `{extent}` elements: their extents are numbers when a kernel is built"
        ));
    }
    let turned = |it: &Part, flag: ExprId| {
        let [rows, columns] = matrix(it);
        Some(if number(body, flag)? == 0 { [rows, columns] } else { [columns, rows] })
    };
    let ([m_a, k_a], [k_b, n_b]) = (turned(&a, transpose_a)?, turned(&b, transpose_b)?);
    let [m, n] = matrix(&c);
    let differ = |x: Option<i64>, y: Option<i64>| x.zip(y).filter(|it| it.0 != it.1);
    if let Some((x, y)) = differ(k_a, k_b) {
        return Some(format!(
            " multiplies {x} columns of `{}` by {y} rows of `{}`",
            name(&a),
            name(&b)
        ));
    }
    if let Some((x, y)) = differ(m_a, m) {
        return Some(format!(" adds {x} rows of `{}` to {y} rows of `{}`", name(&a), name(&c)));
    }
    let (x, y) = differ(n_b, n)?;
    Some(format!(" adds {x} columns of `{}` to {y} columns of `{}`", name(&b), name(&c)))
}

/// Why a product cannot pack its operands as it is asked to.
fn packed(body: &Body, attrs: AttrDictId) -> Option<String> {
    match body.dict(attrs).iter().find(|it| &*it.0 == "k_pack")?.1 {
        Attr::Int(it, _) if !(1..=2).contains(&it) => {
            Some(format!(" packs {it} steps along `K` into one: `k_pack` is 1 or 2"))
        }
        _ => None,
    }
}

/// Floats of which a product takes two types.
fn is_small(dtype: DataType) -> bool {
    dtype.bits <= 8 && !dtype.is_integer()
}

fn of_reduction(body: &Body, args: &[ExprId]) -> Option<String> {
    let &[from, to, kind, dim, ..] = args else { return None };
    let (from, to) = (part(body, from)?, part(body, to)?);
    let dim = number(body, dim)?;
    let rank = from.extents.len();
    let at = match usize::try_from(dim) {
        Ok(at) if at < rank => at,
        _ => return Some(format!(" has no dimension {dim}: there are {rank}")),
    };
    if let ExprKind::Str(kind) = body.expr(kind).kind
        && body.name(kind).starts_with("bit")
        && body.buffers[to.buffer].dtype.is_float()
    {
        return Some(" combines the bits of floats".to_owned());
    }
    let mut left = from.extents.clone();
    left.remove(at);
    let left = Part { buffer: from.buffer, extents: left };
    let (wanted, given) = (left.lengths()?, to.lengths()?);
    (wanted != given).then(|| {
        let name = body.name(body.buffers[to.buffer].name);
        format!(
            " leaves {} without dimension {at}, but `{name}` has {}",
            list(&wanted),
            list(&given)
        )
    })
}

fn of_copy(body: &Body, args: &[ExprId]) -> Option<String> {
    let &[from, to, ..] = args else { return None };
    let (from, to) = (part(body, from)?, part(body, to)?);
    let (source, target) = (from.lengths()?, to.lengths()?);
    let nearness = |it: &Part| {
        let scope = body.buffers[it.buffer].scope;
        if scope.is_global() {
            Some(0)
        } else if scope.is_shared() {
            Some(1)
        } else {
            // Fragments of TileLang, too.
            (scope.family() == ScopeFamily::Thread).then_some(2)
        }
    };
    let (near, far) = (nearness(&to)?, nearness(&from)?);
    let name = |it: &Part| body.name(body.buffers[it.buffer].name);
    if source.len() != target.len() {
        return Some(format!(
            " copies {} extents of `{}` that are not 1 to {} of `{}`",
            source.len(),
            name(&from),
            target.len(),
            name(&to)
        ));
    }
    let (x, y) = source.iter().zip(&target).find(|it| it.1 < it.0)?;
    (near > far)
        .then(|| format!(" copies {x} elements of `{}` to {y} of `{}`", name(&from), name(&to)))
}

fn list(extents: &[i64]) -> String {
    let all: Vec<String> = extents.iter().map(ToString::to_string).collect();
    if all.is_empty() { "one element".to_owned() } else { format!("extents ({})", all.join(", ")) }
}
