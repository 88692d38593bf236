//! Operands of tile operations that do not fit each other: TileLang refuses them when it builds the kernel.
//!
//! In: the facts. Out: a finding for each product, reduction, scan and copy whose extents, types or memories are known
//! and break a rule of TileLang's sources (`language/gemm_op.py`, `language/reduce_op.py`, `language/scan_op.py`,
//! `language/copy_op.py`, `op/copy.cc`, `cuda/op/copy_analysis.cc`, `language/dtypes.py`). An extent that is not known
//! fits everything; what only some targets refuse is told by `shapes`. O(calls).

use ir::{
    Attr, AttrDictId, Body, Callee, DataType, ExprId, ExprKind, Intrinsic, ScopeFamily,
    plan::finding::Place,
};
use rules::{Rule, Severity};

use super::{
    super::{Finding, FindingFacts, FindingKind, FindingRule, Sentence, Word, edit_title},
    engine,
    extents::{Part, is_fragment, number, part},
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
`B`, after transposition; each has two dimensions, and others only of extent 1; `A` and `B` have one type, except for floats \
of 4 to 8 bits; of a fragment it takes all; all three are numbers when the kernel is built; none is local memory, which each thread has alone; `k_pack` \
is 1 or 2;
- `T.reduce_*(src, dst, dim)`: `dst` has the extents of `src` without `dim`, or with 1 there; both are shared tiles or \
fragments, or both local; `batch` is 1 or more;
- `T.cumsum(src, dst, dim)` and `T.cummax`: `src` has the dimension, `dst` the same extents; both are shared tiles or fragments;
- `T.copy(src, dst)`: both have as many extents that are not 1, and none of a nearer target is less than that of the source; \
two whole buffers have one shape;
- `T.tma_copy` goes between global and shared memory, of one type, with a barrier where it loads; what it copies of a row, \
and the distance of the rows in global memory, are multiples of 16 bytes;
- `T.async_copy` goes from global to shared memory, of one type, in rows of a multiple of 4 bytes;
- `T.transpose` takes two dimensions or more.

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
    let mut launches = super::launches(body);
    let Some((_, attrs)) = launches.next() else { return };
    let is_of_cpu = attrs.iter().any(|it| &*it.0 == "is_cpu");
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
                if is_split {
                    None
                } else {
                    of_product(body, args)
                        .or_else(|| packed(body, attrs))
                        .or_else(|| of_memories(body, args, is_of_cpu))
                        .or_else(|| of_fragments(body, args))
                }
            }
            Intrinsic::TlReduce => of_reduction(body, args).or_else(|| batched(body, attrs)),
            Intrinsic::TlCumSum | Intrinsic::TlCumMax => of_scan(body, args),
            Intrinsic::TlCopy | Intrinsic::TlTmaCopy if of_whole(body, args).is_some() => {
                of_whole(body, args)
            }
            Intrinsic::TlTmaCopy => parts(body, args)
                .and_then(|(a, b)| engine::of_engine(body, &a, &b, attrs, args.len())),
            Intrinsic::TlCopy => of_copy(body, args),
            Intrinsic::TlAsyncCopy => {
                of_whole(body, args).or_else(|| of_async(body, args)).or_else(|| {
                    let (from, to) = parts(body, args)?;
                    engine::of_instructions(body, &from, &to)
                })
            }
            Intrinsic::TlTranspose => of_transposition(body, args),
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
    if let Some(it) = [&a, &b, &c].into_iter().find(|it| it.extents.len() < 2) {
        return Some(format!(" multiplies matrices, and `{}` has one dimension", name(it)));
    }
    for it in [&a, &b, &c] {
        let further = it.extents.split_last_chunk::<2>().map_or(&[][..], |it| it.0);
        if let Some(extent) = further.iter().flatten().find(|it| **it != 1) {
            return Some(format!(
                " multiplies matrices, and `{}` has {extent} of them along its dimensions before the last two",
                name(it)
            ));
        }
    }
    let (left, right) = (body.buffers[a.buffer].dtype, body.buffers[b.buffer].dtype);
    let is_tensor_memory = body.scope_name(body.buffers[a.buffer].scope).contains("tmem");
    if left != right
        && ![left, right].iter().any(|it| it.is_symbolic() || it.is_tensor_float() || is_small(*it))
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
    let name = |it: &Part| body.name(body.buffers[it.buffer].name);
    let global = [&from, &to].into_iter().find(|it| body.buffers[it.buffer].scope.is_global());
    if let Some(it) = global {
        return Some(format!(
            " needs shared tiles or fragments, and `{}` is global memory",
            name(it)
        ));
    }
    let is_local = |it: &Part| body.buffers[it.buffer].scope.is_local();
    let sides = [(&from, &to), (&to, &from)];
    if let Some((a, b)) =
        sides.into_iter().find(|it| is_local(it.0) && is_shared_or_fragment(body, it.1))
    {
        return Some(format!(
            " needs memory of one kind: `{}` is of each thread alone, `{}` is not",
            name(a),
            name(b)
        ));
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

/// Memory that a block of threads works on together.
fn is_shared_or_fragment(body: &Body, it: &Part) -> bool {
    body.buffers[it.buffer].scope.is_shared() || is_fragment(body, it.buffer)
}

/// The memory of a part, in words, if it is global or that of a thread alone.
fn far_memory(body: &Body, it: &Part) -> Option<&'static str> {
    let scope = body.buffers[it.buffer].scope;
    match () {
        () if scope.is_global() => Some("global memory"),
        () if scope.is_local() => Some("memory of each thread alone"),
        () => None,
    }
}

/// Why a product cannot have its operands where they are. On a CPU it can, and on Metal they may be global memory.
fn of_memories(body: &Body, args: &[ExprId], is_of_cpu: bool) -> Option<String> {
    let parts = args.get(..3)?.iter().map(|&it| part(body, it));
    let parts: Vec<Part> = parts.collect::<Option<_>>().filter(|_| !is_of_cpu)?;
    let is_local = |it: &&Part| body.buffers[it.buffer].scope.is_local();
    let name = body.name(body.buffers[parts.iter().find(is_local)?.buffer].name);
    Some(format!(" needs shared tiles or fragments, and `{name}` is memory of each thread alone"))
}

/// Why a product does not take a part of a fragment, whose layout is one of the whole.
fn of_fragments(body: &Body, args: &[ExprId]) -> Option<String> {
    args.get(..3)?.iter().find_map(|&it| {
        let part = part(body, it)?;
        if !is_fragment(body, part.buffer) {
            return None;
        }
        let data = &body.buffers[part.buffer];
        let shape = data.shape.iter().map(|&it| number(body, it));
        let is_less = |(part, all): (&Option<i64>, Option<i64>)| {
            part.zip(all).is_some_and(|(part, all)| part < all)
        };
        part.extents.iter().zip(shape).any(is_less).then(|| {
            format!(" takes all of a fragment, and this is a part of `{}`", body.name(data.name))
        })
    })
}

/// The first two operands of a copy.
fn parts(body: &Body, args: &[ExprId]) -> Option<(Part, Part)> {
    let &[from, to, ..] = args else { return None };
    Some((part(body, from)?, part(body, to)?))
}

/// Why the parts of a reduction are not combined at once.
fn batched(body: &Body, attrs: AttrDictId) -> Option<String> {
    match body.dict(attrs).iter().find(|it| &*it.0 == "batch")?.1 {
        Attr::Int(it, _) if it < 1 => {
            Some(format!(" combines {it} elements at once: 1 is the least"))
        }
        _ => None,
    }
}

/// Why a scan is refused.
fn of_scan(body: &Body, args: &[ExprId]) -> Option<String> {
    let &[from, to, dim, ..] = args else { return None };
    let (from, to) = (part(body, from)?, part(body, to)?);
    let rank = from.extents.len();
    if let Some(dim) = number(body, dim)
        && usize::try_from(dim).map_or(true, |it| it >= rank)
    {
        return Some(format!(" has no dimension {dim}: there are {rank}"));
    }
    let differ = from.extents.iter().zip(&to.extents).any(|it| match it {
        (Some(a), Some(b)) => a != b,
        _ => false,
    });
    let name = |it: &Part| body.name(body.buffers[it.buffer].name);
    if rank != to.extents.len() || differ {
        return Some(format!(" needs one shape for `{}` and `{}`", name(&from), name(&to)));
    }
    let (it, memory) = [&from, &to].into_iter().find_map(|it| Some((it, far_memory(body, it)?)))?;
    Some(format!(" needs a shared tile or fragment, and `{}` is {memory}", name(it)))
}

/// Why two whole buffers are not copied: they have two shapes.
fn of_whole(body: &Body, args: &[ExprId]) -> Option<String> {
    let &[from, to, ..] = args else { return None };
    let [ExprKind::Buffer(_), ExprKind::Buffer(_)] = [from, to].map(|it| body.expr(it).kind) else {
        return None;
    };
    let (from, to) = (part(body, from)?, part(body, to)?);
    let differ = |it: (&Option<i64>, &Option<i64>)| it.0.zip(*it.1).is_some_and(|it| it.0 != it.1);
    let is_other =
        from.extents.len() != to.extents.len() || from.extents.iter().zip(&to.extents).any(differ);
    let shape = |it: &Part| {
        let all: Option<Vec<i64>> = it.extents.iter().copied().collect();
        all.map_or("another shape".to_owned(), |it| list(&it))
    };
    is_other.then(|| {
        format!(
            " copies all of `{}` ({}) to all of `{}` ({})",
            body.name(body.buffers[from.buffer].name),
            shape(&from),
            body.name(body.buffers[to.buffer].name),
            shape(&to)
        )
    })
}

/// Why an asynchronous copy is refused.
fn of_async(body: &Body, args: &[ExprId]) -> Option<String> {
    let &[from, to, ..] = args else { return None };
    let (from, to) = (part(body, from)?, part(body, to)?);
    let name = |it: &Part| body.name(body.buffers[it.buffer].name);
    if !body.buffers[from.buffer].scope.is_global() && is_shared_or_fragment(body, &from) {
        return Some(format!(" copies from global memory, and `{}` is none", name(&from)));
    }
    let is_near = far_memory(body, &to).is_some() || is_shared_or_fragment(body, &to);
    (is_near && !body.buffers[to.buffer].scope.is_shared())
        .then(|| format!(" copies to a shared tile, and `{}` is none", name(&to)))
}

/// Why a transposition is refused.
fn of_transposition(body: &Body, args: &[ExprId]) -> Option<String> {
    let &[from, to, ..] = args else { return None };
    let (from, to) = (part(body, from)?, part(body, to)?);
    let it = [&from, &to].into_iter().find(|it| it.extents.len() < 2)?;
    let name = body.name(body.buffers[it.buffer].name);
    Some(format!(" needs two dimensions, and `{name}` has one"))
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
