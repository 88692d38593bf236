//! Findings about bodies of operations (MLIR): what their integers tell.
//!
//! In: a body, the effects table, the facts that a user states. Out: [`OpFinding`]s in program order, each proven: it
//! holds on every run that reaches the operation, or a witness names values under which it happens. What is only
//! possible is not told.
//!
//! | module | finds |
//! |---|---|
//! | `conditions` | conditions and masks that are always true or never |
//! | `divisions` | divisions by zero |
//! | `accesses` | accesses outside of a memref |
//! | `offsets` | products of offsets that int32 cannot hold |
//! | `stores` | stores that the next one overwrites, and loads of what was just stored |
//! | `debugging` | operations that only debugging needs: nothing is told about them |

mod accesses;
mod conditions;
mod debugging;
mod divisions;
mod offsets;
mod stores;

use std::borrow::Cow;

use arith::operations::{Decider, OperationFacts, Witness};
use ir::{
    Body, Dialect, OpId, ValueId,
    arena::Table,
    effects::EffectTable,
    plan::simplify::{CONSTANT_CONDITION, REDUNDANT_CONDITION},
};
use rules::{
    Rule,
    Severity::{Error, Hint, Warning},
};

use super::op_traits::{Bits, OpTraits};
use crate::findings::{dead_store::DEAD_STORE, redundant_load::REDUNDANT_LOAD};

pub use arith::operations::StatedFacts;
pub use debugging::Debugging;

/// Masks that let everything through, or nothing.
const REDUNDANT_MASK: Rule = Rule::reported(
    "redundant-mask",
    Hint,
    "a mask that lets every element through",
    "\
Every element of the mask of a load or store is true, whatever the inputs are: the ranges of `tt.make_range` and loops, \
and the conditions on the way, decide it. Without the mask the access is shorter and may be made wider.

```mlir
%i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
%m = arith.cmpi slt, %i, %c64 : tensor<64xi32>   // 64 elements, all below 64
%x = tt.load %p, %m : tensor<64x!tt.ptr<f32>>
```

If the mask was to guard something, it guards nothing: look whether another bound was meant.
",
);

/// Divisions by zero.
const ZERO_DIVISOR: Rule = Rule::reported(
    "zero-divisor",
    Warning,
    "an integer division whose divisor is zero",
    "\
The divisor is zero whenever the operation is executed, or for the values that the message names, which occur. The \
behaviour is undefined: on a CPU the program dies, on a GPU the result is arbitrary.
",
);

/// Accesses outside of a memref or a tile.
pub(crate) const OUT_OF_BOUNDS: Rule = Rule::reported(
    "out-of-bounds",
    Warning,
    "an access outside of a memref or a tile",
    "\
An index is outside of the static extents of the memref, or of a tile of TileLang, whenever the operation is executed, or for the values that the \
message names, which occur.

```mlir
scf.for %i = %c0 to %c16 step %c1 {
  %j = arith.addi %i, %c1 : index
  %x = memref.load %m[%j] : memref<16xf32>       // for %i = 15
}
```

TileLang guards accesses of global memory, and the tails of copies; it does not guard elements of shared tiles, \
fragments and local memory, nor the parts that `T.fill`, `T.gemm` and `T.reduce_*` are given. In its kernels it is an \
error: the message names the iteration, the block and the thread that are outside.

```python
S = T.alloc_shared((64,), \"float32\")
for i in T.Parallel(128):
    S[i] = 0.0                                     # for i = 127
```
",
)
.with_shown(Error);

/// Products of offsets that int32 cannot hold.
pub(crate) const OFFSET_OVERFLOW: Rule = Rule::reported(
    "offset-overflow",
    Warning,
    "the product in an offset cannot be held by int32",
    "\
An offset is multiplied in 32 bits, and for values that are stated the product is 2^31 or more (or less than -2^31): \
the address is another one. Stated are values in `[facts]` of the settings, in `tl.assume` and `llvm.intr.assume`:

```toml
[facts]
M = \"1 <= M <= 65536\"
\"matmul.stride_am\" = \"1 <= stride_am <= 65536\"
program_id_x = \"program_id_x < 4096\"
```

The ends of what is stated are taken to occur. The message has a witness: values for all that the product is made of, \
for which the access is not masked out. Nothing is told without one.

Widen before the multiplication: `offs.to(tl.int64) * stride`, not `(offs * stride).to(tl.int64)`. In MLIR, `arith.extsi` \
the operands, not the product.

In kernels of TileLang the extents of launches and loops are what is stated. TileLang widens an index that is a sum of \
products by itself; it does not widen what is divided, compared, converted or bound to a name before. Write \
`T.cast(bx, \"int64\") * N`. In its kernels it is an error: the message names the block and the iteration.
",
)
.with_shown(Error);

rules::kinds! {
    /// The kind of a finding. Names are kebab-case and stable.
    pub enum OpFindingKind {
        /// A condition that ranges and constants decide.
        ConstantCondition = CONSTANT_CONDITION;
        /// A store that the next one overwrites.
        DeadStore = DEAD_STORE.rule;
        /// A product of offsets that int32 cannot hold.
        OffsetOverflow = OFFSET_OVERFLOW;
        /// An access outside of a memref.
        OutOfBounds = OUT_OF_BOUNDS;
        /// A condition that a condition on the way decides.
        RedundantCondition = REDUNDANT_CONDITION;
        /// A load of what was just stored.
        RedundantLoad = REDUNDANT_LOAD.rule;
        /// A mask that lets everything through.
        RedundantMask = REDUNDANT_MASK;
        /// A division by zero.
        ZeroDivisor = ZERO_DIVISOR;
    }
}

/// A part of a sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OpWord {
    /// Text, spaces included.
    Text(Cow<'static, str>),
    /// The name of a value, in code marks.
    Value(ValueId),
}

/// A finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpFinding {
    /// Its kind.
    pub kind: OpFindingKind,
    /// The operation that it is about.
    pub op: OpId,
    /// The message, without a full stop.
    pub message: Vec<OpWord>,
    /// Operations that it rests on, and what they do.
    pub related: Vec<(OpId, &'static str)>,
    /// The advice.
    pub help: Option<String>,
}

/// All findings, in program order. O(operations + work of the analyzer).
pub fn findings(
    body: &Body,
    effects: &EffectTable,
    facts: &StatedFacts,
    debugging: &Debugging,
) -> Vec<OpFinding> {
    if body.dialect != Dialect::Mlir {
        return Vec::new();
    }
    let traits = OpTraits::collect(body, effects, ir::plan::Preset::Default);
    let mut search = Search {
        facts: OperationFacts::new(body, facts),
        stated: facts,
        traits: &traits,
        found: Vec::new(),
        n_witnesses: 0,
    };
    search.stores(body.root);
    let mut order = Table::filled(body.ops.len(), 0u32);
    for (number, op) in body.ops_preorder().enumerate() {
        ir::interrupt::check();
        order[op] = number as u32;
        if debugging.is_only_for(op) || search.facts.before(op).is_none() {
            continue;
        }
        if !search.is_inside_unknown(op) && !traits.of(op).has(Bits::UNKNOWN) {
            body.ops[op].regions.iter().for_each(|&region| search.stores(region));
        }
        let name = arith::operations::name_of(body, op);
        search.condition(op, name);
        search.division(op, name);
        search.access(op, name);
        search.offset(op, name);
    }
    search.found.retain(|it| !debugging.is_only_for(it.op));
    search.found.sort_by_key(|it| order[it.op]);
    search.found
}

/// Searches for a witness in one body; further ones are not looked for.
const MOST_WITNESSES: u32 = 256;

/// The search in one body.
struct Search<'s> {
    facts: OperationFacts<'s>,
    stated: &'s StatedFacts,
    traits: &'s OpTraits,
    found: Vec<OpFinding>,
    n_witnesses: u32,
}

impl<'s> Search<'s> {
    fn body(&self) -> &'s Body {
        self.facts.body()
    }

    fn witness(
        &mut self,
        at: OpId,
        conditions: &[ir::ExprId],
        masks: &[ir::ExprId],
        terms: &[ir::ExprId],
    ) -> Option<Witness> {
        self.n_witnesses += 1;
        if self.n_witnesses > MOST_WITNESSES {
            return None;
        }
        self.facts.witness(at, conditions, masks, terms)
    }

    /// The reason, for people: the operation, or the fact in words.
    fn because(&self, decider: Option<Decider>) -> (Vec<(OpId, &'static str)>, Option<String>) {
        match decider {
            Some(Decider::Op(op)) => (vec![(op, "this decides it")], None),
            Some(Decider::Stated(number)) => {
                let fact = self.stated.iter().nth(number);
                (Vec::new(), fact.map(|it| format!("It is stated that `{}`", it.text)))
            }
            Some(Decider::Attribute) => {
                (Vec::new(), Some("`tt.divisibility` of an argument says it".to_owned()))
            }
            None => (Vec::new(), None),
        }
    }
}

/// ` for %i = 15, %j = 0`, empty if the witness names nothing.
fn for_values(witness: &Witness) -> Vec<OpWord> {
    let mut words: Vec<OpWord> = Vec::new();
    for (value, number) in &witness.values {
        let before = if words.is_empty() { " for " } else { ", " };
        words.extend([
            OpWord::Text(before.into()),
            OpWord::Value(*value),
            OpWord::Text(format!(" = {number}").into()),
        ]);
    }
    for (name, number) in &witness.programs {
        let before = if words.is_empty() { " in " } else { ", " };
        let axis = name.rsplit('_').next().unwrap_or_default();
        words.push(OpWord::Text(format!("{before}program {number} ({axis})").into()));
    }
    words
}

fn text(text: impl Into<Cow<'static, str>>) -> OpWord {
    OpWord::Text(text.into())
}

/// True for an operation of this name that was read.
fn is_named(body: &Body, op: OpId, name: ir::NameId) -> bool {
    body.ops[op].kind == ir::OpKind::Named(name)
}
