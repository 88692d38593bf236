//! Why an action of a plan about operations is right, and why something is not done.
//!
//! Each kind stands beside its declaration; those that common subexpressions have too are declared in
//! [`crate::plan::Refusal`]'s file.

use rules::{Fix, Rule, Severity::Hint, kinds};

use crate::plan::refusal;

kinds! {
    /// The reason why an action is right.
    pub enum OpActionKind {
        /// Equal operation, equal operands; but Paddle does not dare to: a side effect before it, or a
        /// result that is no dense tensor.
        AfterSideEffect = Rule::reported(
            "common-after-side-effect",
            Hint,
            "an equal operation, which Paddle does not dare to replace",
            "\
An operation before it, in its block or around it, has the same name, declared attributes, operands and result \
types, so this one goes. Paddle's pass
leaves both: it replaces nothing that depends on an operation with a side effect or on what is written in place, and \
nothing but dense tensors.

```
(%1) = \"pd_op.dropout\" (%0) …
(%2) = \"pd_op.exp\" (%1) …
(%3) = \"pd_op.exp\" (%1) …        // equal to %2: there is one draw, and both read it
```
",
        )
        .with_fix(Fix::ByDefault);
        /// Equal operation, equal operands, and the first dominates.
        Common = Rule::reported(
            "common-operation",
            Hint,
            "an equal operation dominates it",
            "\
An operation before it, on every path to it, has the same name, operands, attributes and types, and either nothing \
that they read was written in between or they read
nothing. This one goes, and its uses become uses of the other.

```mlir
%0 = arith.addi %a, %b : i32
%1 = arith.addi %a, %b : i32       // goes; uses of %1 become uses of %0
```
",
        )
        .with_fix(Fix::ByDefault);
        /// Equal text; but its constants are printed with six digits, so that they may differ.
        RoundedConstant = Rule::reported(
            "common-rounded-constant",
            Hint,
            "equal text, but its constants are printed with six digits",
            "\
The preset `pir` compares programs by their text, as they are printed. Paddle compares the numbers in memory, so it \
may keep what this preset merges:
see `rounded-constant`.
",
        );
        /// The same operands in another order; the operation is commutative.
        Commuted = Rule::reported(
            "commuted-operation",
            Hint,
            "the same operation with its operands in another order",
            "\
Two operations compute the same from the same values, in another order: the operation is commutative, or it is a \
comparison and its mirror.

```mlir
%0 = arith.cmpi slt, %a, %b : i32
%1 = arith.cmpi sgt, %b, %a : i32      // equal to %0
```

The second goes, and its uses become uses of the first. `mlir-opt -cse` knows the order of operands to be free for \
operations with the trait
`Commutative` only, which comparisons do not have.
",
        )
        .with_fix(Fix::ByDefault);
        /// Nothing uses it, and it does nothing else.
        Dead = Rule::reported(
            "dead-operation",
            Hint,
            "nothing uses its results, and it does nothing else",
            "\
No operation uses a result of it, and it has no effect but to read memory, or to make memory that nobody sees. It \
goes, with its regions.

```mlir
%0 = memref.load %m[%i] : memref<8xf32>   // never used
```

What depends on the threads that arrive together, what is there for its place (a clock, an assumption), and what \
nobody knows stays.

A loop counts as one that ends, as for `mlir-opt`, unless it says `mustProgress = false`. A loop that waits for \
another thread must read by a volatile or ordered access, or meet it at a barrier: then it stays.
",
        )
        .with_fix(Fix::ByDefault);
        /// Nothing live uses it: its users are dead themselves.
        DeadChain = Rule::reported(
            "dead-operation-chain",
            Hint,
            "only operations that go themselves use its results",
            "\
All users of its results are dead or are merged into others, so nothing will use it. `mlir-opt -cse` deletes an \
operation if nothing uses it
when the pass gets there, and then its users are still there: a chain of dead operations loses one of them a run.
",
        )
        .with_fix(Fix::ByDefault);
        /// Two block arguments have the same value on every way in.
        EqualArguments = Rule::reported(
            "equal-block-arguments",
            Hint,
            "a block argument always equals another value",
            "\
Every branch to the block passes the same value, or the same as for another argument of the block. Uses of the \
argument become uses of that value; the
argument itself goes if it can (`unneeded-block-argument`).

```mlir
  cf.br ^loop(%n, %n : i32, i32)
^loop(%i: i32, %j: i32):                   // %j is %i
```

`mlir-opt -cse` does not look at block arguments.
",
        )
        .with_fix(Fix::ByDefault);
        /// Two loop-carried values, or two results of a choice, are equal on every incoming edge, each time.
        EqualCarried = Rule::reported(
            "equal-carried-values",
            Hint,
            "a loop-carried value, or a result of a choice, always equals another one",
            "\
Two values that go round a loop begin equal, and each iteration makes the next ones of them by the same operations; \
or a loop, or the arms of an `if`, hand on
the same value on every way. So they are equal each time, and uses of the one become uses of the other. The value
itself goes if it can (`unneeded-carried-value`).

```mlir
%r:2 = scf.for %i = %lo to %hi step %s iter_args(%x = %a, %y = %a) -> (i32, i32) {
  %n = arith.addi %x, %b : i32
  %m = arith.addi %y, %b : i32             // %y is %x, so this is %n
  scf.yield %n, %m : i32, i32
}                                          // %r#1 is %r#0
```

`mlir-opt -cse` compares operations in the order in which they stand, and what makes these equal comes at the end of \
the loop.
",
        )
        .with_fix(Fix::ByDefault);
        /// Every path from a common dominator computes it.
        EqualInBranches = Rule::reported(
            "equal-in-branches",
            Hint,
            "every path from a common place computes it",
            "\
Two arms of an `if`, or two blocks to which a branch leads, compute the same; or something is computed in a region \
and again behind it. It moves to where all of them
see it, and is computed once.

```mlir
scf.if %c {
  %0 = arith.muli %a, %b : i32     // moves before the `scf.if`
} else {
  %1 = arith.muli %a, %b : i32     // becomes the same
}
```

Only operations that cannot trap, read no memory and do not depend on threads move, and only to a place from where every \
path computes it, so no path computes more than
before. `mlir-opt -cse` moves nothing.
",
        )
        .with_fix(Fix::ByDefault);
        /// The same load from memory that nothing wrote in between, in another block.
        LoadAcrossBlocks = Rule::reported(
            "load-across-blocks",
            Hint,
            "the memory is unchanged since an equal load of another block",
            "\
Nothing on any path between the two loads can have written the memory: no store to it, no call, no barrier, no other \
iteration of a loop. Memory that an
`alloc` of the function made and that never leaves it is only written by stores that name it; if other threads see \
it (it is in workgroup memory, or
used in a kernel or an asynchronous region), also by whatever orders threads, and by operations that are not known.

`mlir-opt -cse` merges loads within one block only, and takes every store for a store to all memory.
",
        )
        .with_fix(Fix::ByDefault);
        /// The same sum or product with its terms in another order.
        Reassociated = Rule::reported(
            "reassociated-operation",
            Hint,
            "the same sum or product with its terms in another order",
            "\
A sum of three terms or more, or a product, is equal to an earlier one when terms may stand in any order.

```mlir
%0 = arith.addi %a, %b : i32
%1 = arith.addi %0, %c : i32
%2 = arith.addi %b, %c : i32
%3 = arith.addi %a, %2 : i32       // equal to %1
```

Integers wrap, so any order gives the same bits; the one that stays must promise nothing about overflow, since its \
intermediate sums are others. Sums of
floats count only where `fastmath<reassoc>` allows it. `mlir-opt -cse` compares operations with equal operands only.
",
        )
        .with_fix(Fix::ByDefault);
        /// Nothing uses the argument that the branches to a block pass.
        UnneededArgument = Rule::reported(
            "unneeded-block-argument",
            Hint,
            "a block argument that nothing needs",
            "\
Nothing needs the argument, but perhaps what the branches hand over for the next time round. It goes, with what \
every branch hands over for it and the
operations that only it needed. Arguments of blocks are left out to which other operations than `cf.br` and \
`cf.cond_br` branch.

```mlir
  cf.br ^loop(%zero, %a : index, i32)
^loop(%i: index, %j: i32):
  %next = arith.addi %j, %a : i32          // needed by %j only, which nothing else needs
  cf.cond_br %c, ^loop(%i, %next : index, i32), ^end
```
",
        )
        .with_fix(Fix::ByDefault);
        /// Nothing uses a loop-carried value, except perhaps its own computation.
        UnneededCarried = Rule::reported(
            "unneeded-carried-value",
            Hint,
            "a value that a loop carries and nothing needs",
            "\
Nothing needs the value that the loop carries from one iteration to the next, except perhaps its own computation, and nothing uses its result: \
an equal value took its place, or it
only counts. It goes, with what it begins with, what is yielded for it, the result, and the operations that only it \
needed. Of loops, `scf.for` is looked at.

```mlir
%r:2 = scf.for %i = %a to %b step %c iter_args(%x = %n, %y = %n) -> (i32, i32) {
  %p = arith.muli %x, %k : i32
  %q = arith.muli %y, %k : i32             // %y is %x, so nothing needs %y and %q
  scf.yield %p, %q : i32, i32
}
```
",
        )
        .with_fix(Fix::ByDefault);
        /// An operation with regions that read memory, which nothing wrote in between.
        RegionThatReads = Rule::reported(
            "region-that-reads",
            Hint,
            "an equal operation with regions, and memory is unchanged",
            "\
The operation has regions that read memory and write nothing, an equal one stands before it, and nothing between the \
two can have written. `mlir-opt -cse`
merges operations with regions only if nothing in them reads.
",
        )
        .with_fix(Fix::ByDefault);
        /// The first promises less (overflow, fast math) and is right for both.
        WeakerFlags = Rule::reported(
            "weaker-flags",
            Hint,
            "an equal operation promises less and is right for both",
            "\
The earlier operation is the same but for promises about overflow or floating point that it does not make. What it \
gives is right for this one too, whose result is
poison where its promise does not hold. `mlir-opt -cse` merges operations with equal attributes only.
",
        )
        .with_fix(Fix::ByDefault);
    }
}

impl OpActionKind {
    /// Returns the reason why the peer's pass does not do it; none if it does.
    pub fn why_not_by_peer(self) -> Option<&'static str> {
        match self {
            OpActionKind::Common | OpActionKind::Dead | OpActionKind::RoundedConstant => None,
            OpActionKind::AfterSideEffect => Some(
                "it replaces nothing that depends on a side effect or on what is written in place, and nothing but \
                 dense tensors",
            ),
            OpActionKind::Commuted => {
                Some("it compares the operands of this operation in their order only")
            }
            OpActionKind::DeadChain => Some(
                "it deletes unused operations when it reaches them, and its users were still there",
            ),
            OpActionKind::EqualInBranches => {
                Some("neither operation dominates the other, and it moves nothing")
            }
            OpActionKind::EqualArguments | OpActionKind::UnneededArgument => {
                Some("it does not look at block arguments")
            }
            OpActionKind::EqualCarried | OpActionKind::UnneededCarried => {
                Some("it does not look at loop-carried values and block arguments")
            }
            OpActionKind::LoadAcrossBlocks => Some("it merges loads within one block only"),
            OpActionKind::Reassociated => Some("it compares operations with equal operands only"),
            OpActionKind::RegionThatReads => {
                Some("it merges operations with regions only if nothing in them reads memory")
            }
            OpActionKind::WeakerFlags => Some("it merges operations with equal attributes only"),
        }
    }
}

kinds! {
    /// The reason why something is not done.
    pub enum OpRefusalKind {
        /// It depends on which threads arrive together, and the two are in different blocks.
        Convergent = refusal::CONVERGENT;
        /// The promises (overflow, fast math) of neither hold for both.
        Flags = Rule::not_shared(
            "different-flags",
            "an equal operation makes promises that this one does not make",
            "\
The operations are equal but for promises about overflow or floating point (`overflow<nsw>`, `fastmath<nnan>`). One \
that promises less may stand for one that
promises more, not the other way round: where the promise does not hold, its result is poison.

```mlir
%0 = arith.addi %a, %b overflow<nsw> : i32
%1 = arith.addi %a, %b : i32               // must not become %0
```

Take the promise out of the first, and the second is merged into it.
",
        );
        /// A result ends a block or goes into a loop, where the peer's executor frees it.
        ControlFlow = Rule::not_shared(
            "feeds-control-flow",
            "a result ends a block or goes into a loop",
            "\
A result is given to `cf.yield` or `pd_op.while`. Paddle's executor frees such a value when its user is done, so \
nothing else may use it, and an equal operation
cannot take its place. Paddle's pass leaves it for the same reason.
",
        );
        /// Its block would be left without operations, and a region without a block.
        LastInBlock = Rule::not_shared(
            "last-in-block",
            "its region would be left without a block",
            "\
Nothing ends the block, and the operation is its last. Without it the region might have no block at all, which the \
operation around it may not allow:
in the generic form `({ })` is a region without blocks. So it stays.
",
        );
        /// Control may leave more than its regions from inside of it.
        Leaves = Rule::not_shared(
            "leaves-region",
            "control may leave more than its regions from inside of it",
            "\
There is a return, or another end of more than the region, inside of the operation, as in a `spirv.mlir.selection` \
that returns early. What stands behind it
is executed only if control does not leave there, so it stays, whether its results are used or not.
",
        );
        /// Its place is its meaning.
        Marker = Rule::not_shared(
            "marker",
            "its place is its meaning",
            "\
The operation is there because of its place: it states a fact that holds here, reads a clock, or tells the compiler \
something. It is neither merged nor deleted.
",
        );
        /// It would be evaluated where it was not, and may trap there.
        MayTrap = refusal::MAY_TRAP;
        /// The memory that it reads may be written between the two.
        Memory = refusal::MEMORY;
        /// Two executions may give two results.
        NotDeterministic = Rule::not_shared(
            "not-deterministic",
            "two executions may give two results",
            "\
The operation may give another result each time, a clock or a random number for instance, so one execution cannot \
stand for two. `mlir-opt -cse` merges two
reads of a clock, and the measured time is 0; `--allow-unsound` does so too.
",
        );
        /// Constants are printed with six digits: equal texts may be different numbers. Likely equal.
        RoundedConstant = Rule::not_shared(
            "rounded-constant",
            "equal constants of a printed program may be different numbers",
            "\
Paddle prints floating-point numbers with six digits. A text with six of them, or with an exponent, may stand for \
several numbers, and so may all that is computed
from it: the two are likely equal, and nothing says that they are.

```
(%0) = \"pd_op.full\" () {…,value:0.797885} …    // 0.7978845608
(%1) = \"pd_op.full\" () {…,value:0.797885} …    // 0.7978849
```

The preset `pir` merges them (`common-rounded-constant`); `default` and `fix` do not.
",
        );
        /// Both results may share one piece of memory afterwards, and one of them may be written.
        Alias = Rule::not_shared(
            "shared-storage",
            "both results may be one piece of memory afterwards",
            "\
The results name memory that may be written later. Merging the two would make one piece of memory of two.
",
        );
        /// The effects of the operation are unknown.
        UnknownOperation = UNKNOWN_OPERATION;
        /// It is inside an unknown operation.
        UnknownRegion = Rule::not_shared(
            "unknown-region",
            "it is inside an unknown operation",
            "\
The operation around it is in no table, or its text was not understood. Its regions may be executed never, twice, or \
by many threads at once, or be
patterns that are compared with other programs: an unused operation may be the one that they look for. So nothing in them is \
merged, moved or deleted.

```mlir
\"mine.match\"(%root) ({
  %0 = arith.addf %a, %b : f32             // nothing uses it: the pattern looks for it
}) : (!mine.op) -> ()
```

`mlir-opt -cse` deletes it. If the operation is one of yours, declare its effects in `tir-analyzer.toml`.
",
        );
    }
}

/// An operation that is in no table: a reason here, and a diagnostic of the frontends.
pub const UNKNOWN_OPERATION: Rule = Rule::reported(
    "unknown-operation",
    Hint,
    "an operation that is in no table",
    "The effects of the operation are unknown: it may read and write anything, so nothing is merged with it or moved \
         over it. It is told once a file for each dialect. `tir-analyzer dialect import` makes it known from the definitions \
         of its dialect; single operations can be declared in `tir-analyzer.toml`.\n",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_documented() {
        let actions = OpActionKind::ALL.iter().map(|it| it.rule());
        for rule in actions.chain(OpRefusalKind::ALL.iter().map(|it| it.rule())) {
            assert!(!rule.summary.ends_with('.') && rule.docs.ends_with('\n'), "{}", rule.name);
        }
    }
}
