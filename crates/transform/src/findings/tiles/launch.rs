//! Launches that no device accepts.
//!
//! In: the facts. Out: a finding for each launch of TileLang with a number of threads or blocks that is known and that
//! no device has, and for each statement whose shared tiles together are larger than the shared memory of a block on
//! every device. TileLang lets tiles share memory that are not needed at once, so that only those of one statement
//! count, and those that a pipeline keeps, once a stage. Nothing is told of a kernel for a compiler made of TileLang,
//! whose devices are others: it has a keyword, a note or a call that TileLang has not. O(operations).

use ir::{
    AttrDict, Body, BufferId, Callee, ExprKind, ForKind, OpId, OpKind, ThreadTag,
    effects::{MatchKind, Namespace, tilelang_op, tvm_op},
    plan::finding::Place,
};
use rules::{Rule, Severity};

use super::{
    super::{Finding, FindingFacts, FindingKind, FindingRule, Sentence, Word, edit_title},
    extents::number,
    launches, threads, told,
};
use crate::tile_memory::{THREADS, bytes, pipelines};

/// A launch that no device accepts.
pub(in super::super) const LAUNCH_LIMIT: FindingRule = FindingRule {
    rule: Rule::reported(
        "launch-limit",
        Severity::Error,
        "a launch that no device accepts",
        "\
A block has 1 to 1024 threads (64 along the third dimension), the second and third dimension of a grid have 1 to 65535 \
blocks, and a block has at most 227 KiB of shared memory, on NVIDIA's devices of compute capability 9.0 and 10.0; other \
devices have less. A loop of `T.Pipelined(…, num_stages=n)` keeps each tile that it copies `n` times.

```python
with T.Kernel(4, threads=2048):            # 1024 is the most
    S = T.alloc_shared((512, 512), \"float16\")
    T.copy(A, S)                           # 512 KiB
```

Only what is known is told: `T.Kernel(M, threads=n)` is not, until an instance says what they are. Nothing is told of a \
kernel for other devices: with `is_cpu`, or with a keyword of `T.Kernel` or a function of `T` that TileLang has not, as \
compilers made of it have.
",
    ),
    plan,
    title: edit_title,
    is_unnecessary: false,
};

/// Keywords of `T.Kernel` and notes to TileLang's compiler, now and before.
const KEYS: [&str; 16] = [
    THREADS,
    "cluster_dims",
    "is_cpu",
    "prelude",
    "tl.annotate_compile_flags",
    "tl.annotate_l2_hit_ratio",
    "tl.annotate_layout",
    "tl.annotate_min_blocks_per_sm",
    "tl.annotate_padding",
    "tl.annotate_pass_configs",
    "tl.annotate_restrict_buffers",
    "tl.annotate_safe_value",
    "tl.annotate_ws_schedule",
    "tl.import_source",
    "tl.type_annotation",
    "tl.use_swizzle",
];

/// The most shared memory of a block on any device: 227 KiB.
const MOST_SHARED: u64 = 227 << 10;

fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let body = facts.body;
    let mut tell = |place: Place, text: String| {
        let message = Sentence::of([Word::Text(text.into())]);
        found.push(told(FindingKind::LaunchLimit, place, message));
    };
    let mut is_launched = false;
    if launches(body).next().is_none() || is_for_others(facts) {
        return;
    }
    for (op, attrs) in launches(body) {
        if attrs.iter().any(|it| &*it.0 == "is_cpu") {
            return;
        }
        is_launched = true;
        let counts = threads(attrs);
        let place = place(body, op);
        if let Some(count) = counts.iter().flatten().find(|it| **it <= 0) {
            tell(place, format!("a block of {count} threads: there is at least one"));
        } else if let [Some(x), Some(y), Some(z)] = counts {
            let all = x.saturating_mul(y).saturating_mul(z);
            if all > 1024 {
                tell(place, format!("a block of {all} threads: no device has more than 1024"));
            } else if z > 64 {
                tell(place, format!("{z} threads along the third dimension: 64 are the most"));
            }
        }
        grid(body, op, &mut tell);
    }
    if !is_launched {
        return;
    }
    for it in pipelines(body) {
        let known: Option<Vec<u64>> = it.tiles.iter().map(|&it| bytes(body, it)).collect();
        let one = known.unwrap_or_default().into_iter().fold(0, u64::saturating_add);
        let all = one.saturating_mul(it.stages);
        if all > MOST_SHARED {
            let names: Vec<String> = it
                .tiles
                .iter()
                .map(|&it| format!("`{}`", body.name(body.buffers[it].name)))
                .collect();
            let (one, all) = (one.div_ceil(1 << 10), all.div_ceil(1 << 10));
            let text = format!(
                "{all} KiB of shared memory, {one} KiB ({}) for each of {} stages: no device has more than 227 KiB a block",
                names.join(", "),
                it.stages
            );
            tell(Place::Op(it.op), text);
            return;
        }
    }
    for op in body.ops_preorder() {
        let (bytes, names) = shared(facts, op);
        if bytes > MOST_SHARED {
            let kib = bytes.div_ceil(1 << 10);
            tell(
                Place::Op(op),
                format!(
                    "{kib} KiB of shared memory at once ({names}): no device has more than 227 KiB a block"
                ),
            );
            return;
        }
    }
}

/// Returns true for a kernel that TileLang itself does not read: a compiler made of it does, and its devices may be
/// others.
fn is_for_others(facts: &FindingFacts<'_>) -> bool {
    let body = facts.body;
    let has_others = |attrs: &AttrDict| attrs.iter().any(|it| !KEYS.contains(&&*it.0));
    let has_notes = |(key, _): &(Box<str>, _)| key.starts_with("tl.") && !KEYS.contains(&&**key);
    launches(body).any(|(_, attrs)| has_others(attrs))
        || body.attrs.iter().any(has_notes)
        || facts.occurrences.iter().any(|(_, it)| match body.expr(it.expr).kind {
            ExprKind::Call { callee: Callee::Intrinsic(name, _), .. } => {
                is_of_others(facts, body.name(name))
            }
            _ => false,
        })
}

/// Returns true for a function that TileLang has not, by the name that its calls have in the IR.
fn is_of_others(facts: &FindingFacts<'_>, name: &str) -> bool {
    let is_listed = || {
        tilelang_op(name).is_some()
            || tvm_op(name).is_some()
            || facts.effects.explain(Namespace::Tir, name).kind != MatchKind::Default
    };
    // The tile primitives of TVM are no functions of TileLang.
    name.starts_with("tile.") || name.starts_with("tl.") && !is_listed()
}

/// The place of a launch: the name of its first block, as the launch itself has no statement of its own.
fn place(body: &Body, op: OpId) -> Place {
    let mut place = Place::Op(op);
    let mut at = Some(op);
    while let Some(op) = at {
        if let OpKind::For(ForKind::ThreadBinding(_)) = body.ops[op].kind
            && let Some(&var) = body.blocks[body.entry(body.ops[op].regions[0])].args.first()
        {
            place = Place::Value(var);
        }
        at = body.parent_op(op);
    }
    place
}

/// The dimensions of the grid around the block of a launch.
fn grid(body: &Body, launch: OpId, tell: &mut dyn FnMut(Place, String)) {
    let mut at = launch;
    while let Some(parent) = body.parent_op(at) {
        if let OpKind::For(ForKind::ThreadBinding(tag)) = body.ops[parent].kind
            && let Some(count) = body.ops[parent].operands.get(1).and_then(|&it| number(body, it))
        {
            let name = body.tag_name(tag);
            let most = if tag == ThreadTag::LAUNCH[0] { i64::from(i32::MAX) } else { 65535 };
            if count <= 0 || count > most {
                let text = format!("a grid of {count} blocks along `{name}`: it has 1 to {most}");
                tell(place(body, parent), text);
            }
        }
        at = parent;
    }
}

/// The bytes of the shared tiles that a statement names, and their names.
fn shared(facts: &FindingFacts<'_>, op: OpId) -> (u64, String) {
    let body = facts.body;
    let mut seen: Vec<BufferId> = Vec::new();
    for id in facts.occurrences.of_op(op) {
        if let ExprKind::Region(buffer, _)
        | ExprKind::Buffer(buffer)
        | ExprKind::Load { buffer, .. } = body.expr(facts.occurrences[id].expr).kind
            && !seen.contains(&buffer)
            && seen.len() < 16
        {
            seen.push(buffer);
        }
    }
    let (mut sum, mut names) = (0u64, Vec::new());
    for buffer in seen {
        let data = &body.buffers[buffer];
        if !data.scope.is_plain_shared() {
            continue;
        }
        let Some(bytes) = bytes(body, buffer) else { continue };
        sum = sum.saturating_add(bytes);
        names.push(format!("`{}`", body.name(data.name)));
    }
    (sum, names.join(", "))
}
