//! What `tir-analyzer explain NAME` says about the rules and refusals of plans.
//!
//! In: a name as [`crate::plan::Refusal::name`] gives it, or that of a rule. Out: a summary of one line and a page of text with an
//! example. The table is sorted by name.

/// The documentation of one name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Doc {
    /// Kebab-case name.
    pub name: &'static str,
    /// One line, without a full stop.
    pub summary: &'static str,
    /// Markdown: what it is, an example, what can be done.
    pub text: &'static str,
}

/// The rule that a plan of common subexpressions follows.
pub const COMMON_SUBEXPRESSION: &str = "common-subexpression";

/// The documentation of a name.
pub fn find(name: &str) -> Option<&'static Doc> {
    DOCS.binary_search_by_key(&name, |it| it.name).ok().map(|at| &DOCS[at])
}

/// All names, sorted.
pub fn all() -> &'static [Doc] {
    DOCS
}

static DOCS: &[Doc] = &[
    Doc {
        name: "allowed",
        summary: "a comment or an attribute allows it here",
        text: "\
The text says that this may be computed again:

```python
A[i] = x * y          # tir: allow(common-subexpression)
```

At the end of a line the comment is for the statement there (of a `for`, `if` or `with`: for its header); on a line of its own for the
next statement and all in it; right above the function, on the line of its `def` or before its first statement for the whole
function. `T.func_attr({\"tir.allow\": \"common-subexpression\"})` does the same for a function, also where it has no text. Any rule can
be allowed like this, several at once with commas between. What is allowed is neither counted nor replaced.
",
    },
    Doc {
        name: "common-after-side-effect",
        summary: "an equal operation, which Paddle does not dare to replace",
        text: "\
An operation before it, in its block or around it, has the same name, declared attributes, operands and result types, so this one goes. Paddle's pass
leaves both: it replaces nothing that depends on an operation with a side effect or on what is written in place, and nothing but dense tensors.

```
(%1) = \"pd_op.dropout\" (%0) …
(%2) = \"pd_op.exp\" (%1) …
(%3) = \"pd_op.exp\" (%1) …        // equal to %2: there is one draw, and both read it
```
",
    },
    Doc {
        name: "common-operation",
        summary: "an equal operation dominates it",
        text: "\
An operation before it, on every path to it, has the same name, operands, attributes and types, and either nothing that they read was written in between or they read
nothing. This one goes, and its uses become uses of the other.

```mlir
%0 = arith.addi %a, %b : i32
%1 = arith.addi %a, %b : i32       // goes; uses of %1 become uses of %0
```
",
    },
    Doc {
        name: "common-rounded-constant",
        summary: "equal text, but its constants are printed with six digits",
        text: "\
The preset `pir` compares programs by their text, as they are printed. Paddle compares the numbers in memory, so it may keep what this preset merges:
see `rounded-constant`.
",
    },
    Doc {
        name: COMMON_SUBEXPRESSION,
        summary: "a value is computed at several places",
        text: "\
The same expression is evaluated more than once, and one evaluation, bound to a name, would do:

```python
A[i] = x * y + i          # before
B[i] = x * y - i

cse_v1: T.let[T.int32] = x * y
A[i] = cse_v1 + i         # after
B[i] = cse_v1 - i
```

Two expressions are the same if operators, types, constants and variables are, and the memory that they read. How alike they must be is
`--equivalence`: `syntactic` (the same tree), `commutative` (`x * y` and `y * x`, no bit changes; the default), `associative` (terms of
integer sums in any order, where no intermediate can overflow) or `arithmetic` (equal sums of products); each contains the ones
before it, and a hint says when it was needed. A variable counts as what it is bound to.

The binding stands right before the first statement that uses it in the innermost scope that holds all uses. If the value is a part of
larger values that are bound themselves, only what remains counts, and nothing is bound that would be used once. A binding that is
there already (`n: T.let[T.int32] = x * y`) is used for the expressions after it. Loads, calls that are values of their operands and bounds
of launches are shared too; arguments of `T.likely` are, the hint itself stays.

The fix never changes what the function computes, and never makes it fail where it did not: see `may-trap`.
",
    },
    Doc {
        name: "commuted-operation",
        summary: "the same operation with its operands in another order",
        text: "\
Two operations compute the same from the same values, in another order: the operation is commutative, or it is a comparison and its mirror.

```mlir
%0 = arith.cmpi slt, %a, %b : i32
%1 = arith.cmpi sgt, %b, %a : i32      // equal to %0
```

The second goes, and its uses become uses of the first. `mlir-opt -cse` knows the order of operands to be free for operations with the trait
`Commutative` only, which comparisons do not have.
",
    },
    Doc {
        name: "convergent",
        summary: "it depends on which threads arrive together",
        text: "\
A shuffle, a vote or a call that nobody knows more of than that it is pure exchanges values with the threads that execute it together.
Two of them are one only in the same list of statements, with no branch or loop between; one that stands in a branch stays there.

```python
s = T.tvm_warp_shuffle(mask, v, 0, 32, 32)
if tx < 5:
    A[tx] = T.tvm_warp_shuffle(mask, v, 0, 32, 32)   # other threads may be missing here
```
",
    },
    Doc {
        name: "dead-operation",
        summary: "nothing uses its results, and it does nothing else",
        text: "\
No operation uses a result of it, and it has no effect but to read memory, or to make memory that nobody sees. It goes, with its regions.

```mlir
%0 = memref.load %m[%i] : memref<8xf32>   // never used
```

What depends on the threads that arrive together, what is there for its place (a clock, an assumption), and what nobody knows stays.
",
    },
    Doc {
        name: "dead-operation-chain",
        summary: "only operations that go themselves use its results",
        text: "\
All users of its results are dead or are merged into others, so nothing will use it. `mlir-opt -cse` deletes an operation if nothing uses it
when the pass gets there, and then its users are still there: a chain of dead operations loses one of them a run.
",
    },
    Doc {
        name: "different-flags",
        summary: "an equal operation promises what this one does not",
        text: "\
The operations are equal but for promises about overflow or floating point (`overflow<nsw>`, `fastmath<nnan>`). One that promises less may stand for one that
promises more, not the other way round: where the promise does not hold, its result is poison.

```mlir
%0 = arith.addi %a, %b overflow<nsw> : i32
%1 = arith.addi %a, %b : i32               // must not become %0
```

Take the promise out of the first, and the second is merged into it.
",
    },
    Doc {
        name: "downstream",
        summary: "with a name for it, TVM would evaluate something where the text does not",
        text: "\
TVM takes what loads memory or calls something for no common subexpression, and for nothing that it may evaluate early. A name hides the load, and
TVM's passes look at what is left around the name with other eyes. `CommonSubexprElim` binds what is computed twice above all its uses,
guarded ones too:

```python
O[2] = C[0] + C[1]
O[0] = T.if_then_else(a != 0, (C[0] + C[1]) // a, b)
O[1] = T.if_then_else(a != 0, (C[0] + C[1]) // a, b + 1)
```

With `v` for `C[0] + C[1]` it computes `v // a` first, and for `a == 0` the compiled program fails where the text does not. `RewriteUnsafeSelect` makes a
`T.Select` lazy that has a load in an arm; without the load both arms are evaluated, with a division in the other one.

With `--downstream tvm` (`cse.downstream = \"tvm\"` in the settings) such values stay unbound. Without it they are bound, which is right by what TVMScript
means, and `fix` and `opt` say which pass could go wrong with it.
",
    },
    Doc {
        name: "equal-block-arguments",
        summary: "a block argument always equals another value",
        text: "\
Every branch to the block hands over the same value, or the same as for another argument of the block. Uses of the argument become uses of that value; the
argument itself goes if it can (`unneeded-block-argument`).

```mlir
  cf.br ^loop(%n, %n : i32, i32)
^loop(%i: i32, %j: i32):                   // %j is %i
```

`mlir-opt -cse` does not look at block arguments.
",
    },
    Doc {
        name: "equal-carried-values",
        summary: "a value that a loop or a choice hands on always equals another one",
        text: "\
Two values that go round a loop begin equal, and each iteration makes the next ones of them by the same operations; or a loop, or the arms of an `if`, hand on
the same value on every way. So they are equal each time, and uses of the one become uses of the other. The value
itself goes if it can (`unneeded-carried-value`).

```mlir
%r:2 = scf.for %i = %lo to %hi step %s iter_args(%x = %a, %y = %a) -> (i32, i32) {
  %n = arith.addi %x, %b : i32
  %m = arith.addi %y, %b : i32             // %y is %x, so this is %n
  scf.yield %n, %m : i32, i32
}                                          // %r#1 is %r#0
```

`mlir-opt -cse` compares operations in the order in which they stand, and what makes these equal comes at the end of the loop.
",
    },
    Doc {
        name: "equal-in-branches",
        summary: "every path from a common place computes it",
        text: "\
Two arms of an `if`, or two blocks to which a branch leads, compute the same; or something is computed in a region and again behind it. It moves to where all of them
see it, and is computed once.

```mlir
scf.if %c {
  %0 = arith.muli %a, %b : i32     // moves before the `scf.if`
} else {
  %1 = arith.muli %a, %b : i32     // becomes the same
}
```

Only what cannot trap, reads no memory and does not depend on threads moves, and only to a place from where every path computes it, so no path computes more than
before. `mlir-opt -cse` moves nothing.
",
    },
    Doc {
        name: "feeds-control-flow",
        summary: "a result ends a block or goes into a loop",
        text: "\
A result is given to `cf.yield` or `pd_op.while`. Paddle's executor frees such a value when its user is done, so nothing else may use it, and an equal operation
cannot take its place. Paddle's pass leaves it for the same reason.
",
    },
    Doc {
        name: "few-occurrences",
        summary: "it is computed at fewer places than the settings ask for",
        text: "\
A value is bound if it is computed at two places or more. `--min-occurrences N`, or in `tir-analyzer.toml`

```toml
[cse]
min-occurrences = 3
```

asks for more; what has less is found and left alone. What it is made of may still be bound.
",
    },
    Doc {
        name: "impure-call",
        summary: "a call in it is not a value that can be shared",
        text: "\
The expression contains a call with effects, or one that may give another result each time. It must be executed as often as it is
written.

```python
A[i] = T.call_extern(\"float32\", \"next_random\") * 2.0
B[i] = T.call_extern(\"float32\", \"next_random\") + 1.0
```

Functions that are values of their operands (`T.exp`, `T.sqrt`) are shared. If a call of yours is one, say so in `tir-analyzer.toml`.
",
    },
    Doc {
        name: "last-in-block",
        summary: "its region would be left without a block",
        text: "\
Nothing ends the block, and the operation is its last. Without it the region might have no block at all, which the operation around it may not allow:
in the generic form `({ })` is a region without blocks. So it stays.
",
    },
    Doc {
        name: "launch-bound",
        summary: "the binding would stand above a kernel launch",
        text: "\
The occurrences are in different kernels, or on the host and in a kernel. A binding above both is host code, and its value
becomes one more argument of the kernel. That is done only for values which the host computes anyway, bounds of launches included, and to
the same bits: `T.exp` and its like are other functions on the device (`share-intrinsics-across-launch` shares them all the same).

```python
with T.launch_thread(\"blockIdx.x\", 16) as bx:
    A[bx] = x * y         # kernel 1
with T.launch_thread(\"blockIdx.x\", 16) as bx:
    B[bx] = x * y         # kernel 2
```
",
    },
    Doc {
        name: "leaves-region",
        summary: "control may leave more than its regions from inside of it",
        text: "\
There is a return, or another end of more than the region, inside of the operation, as in a `spirv.mlir.selection` that returns early. What stands behind it
is executed only if control does not leave there, so it stays, whether its results are used or not.
",
    },
    Doc {
        name: "limit",
        summary: "more bindings were planned than were asked for",
        text: "\
`--max-fixes N` applies the first N bindings of the plan; this one comes later. Without the option it is applied.
",
    },
    Doc {
        name: "load-across-blocks",
        summary: "the memory is what it was at an equal load of another block",
        text: "\
Nothing on any path between the two loads can have written the memory: no store to it, no call, no barrier, no other iteration of a loop. Memory that an
`alloc` of the function made and that never leaves it is only written by stores that name it; if other threads see it (it is in workgroup memory, or
used in a kernel or an asynchronous region), also by whatever orders threads, and by operations that are not known.

`mlir-opt -cse` merges loads within one block only, and takes every store for a store to all memory.
",
    },
    Doc {
        name: "marker",
        summary: "its place is its meaning",
        text: "\
The operation is there because of its place: it states a fact that holds here, reads a clock, or tells the compiler something. It is neither merged nor deleted.
",
    },
    Doc {
        name: "may-trap",
        summary: "evaluating it early could fail where the program does not",
        text: "\
Integer division and remainder fail for a zero divisor, a conversion from float to integer and a shift fail out of range. Such a value is
bound only where it is certain to be computed anyway, or cannot fail.

```python
A[0] = T.if_then_else(y != 0, x // y, -1)
A[1] = T.if_then_else(y != 0, x // y, -2)
```

`x // y` is guarded twice. Bound above the first statement it would divide by zero when `y` is 0; TVM's own pass does that.
A branch of an `if`, the right side of `and` and `or`, an arm of `T.if_then_else` and of `T.Select`, the body of a loop that may run no
iteration, and what follows a `return`, `break`, `assert` or `while` are not certain to be executed. Two uses inside one guard are bound
inside it. To share more, put the uses under one `if`.
",
    },
    Doc {
        name: "memory",
        summary: "memory that it reads may be written between",
        text: "\
Two loads of one address are one value only while nothing may write there between them: no store to the buffer or to one that may
overlap it, no call with unknown effects, no barrier or wait (other threads write before it), no next iteration of a loop that writes.

```python
A[i] = B[i] * 2.0
C[i] = B[i] + 1.0         # B[i] again: does A overlap B?
```

Without `T.func_attr({\"tirx.noalias\": True})` two buffer parameters may be the same memory, so the store to `A` may change `B[i]`. If they
never are, say so. A `view`, `decl_buffer(data=...)` or `match_buffer` is the memory of what it was made from. Memory of one
thread whose address is not handed out survives barriers and calls.

To share a value that you know does not change, bind it by hand: `b: T.let[T.float32] = B[i]`.
",
    },
    Doc {
        name: "narrow-integer",
        summary: "C and CUDA would cut the value to its width only because it gets a name",
        text: "\
`+ - *` on 8 and 16 bit integers are computed in `int` by C and CUDA and cut only when they are stored, cast or bound. A
binding would make the code wrap earlier than the text that is compiled now.

```python
A[0] = T.Cast(\"int32\", a8 + b8)   # int8: 100 + 100 is 200 in C, -56 as defined
A[1] = T.Cast(\"int32\", a8 + b8) * 2
```

If the value fits, bind it by hand; the results are then the same everywhere.
",
    },
    Doc {
        name: "no-binding-site",
        summary: "the text has no place for the binding",
        text: "\
The binding would have to stand where no statement can be written: between two axes of one `T.grid`, before an `elif`, between two
statements on one line, inside a macro; and no legal place around it or inside it serves at least two of the uses.

```python
for i, j in T.grid(n, i * m):   # nothing fits between the two loops
    ...
```

Write the loops one below the other, or the statement on a line of its own.
",
    },
    Doc {
        name: "no-path-twice",
        summary: "its uses exclude each other",
        text: "\
Whatever way the program takes, it computes the value at most once: the uses are in arms of an `if` or of a `T.if_then_else` of which only
one is executed. And on some way it does not compute it at all, so a binding above the arms would add work there and save none elsewhere.

```python
if i < n:
    A[i] = T.exp(x)
elif i < m:
    B[i] = T.exp(x)
```

If every way computes it exactly once, with an `else` that does so here, a binding adds no work, and it is made.
",
    },
    Doc {
        name: "not-deterministic",
        summary: "two executions may give two results",
        text: "\
The operation may give another result each time, a clock or a random number for instance, so one execution cannot stand for two. `mlir-opt -cse` merges two
reads of a clock, and the measured time is 0; `--allow-unsound` does so too.
",
    },
    Doc {
        name: "overflow",
        summary: "another order of the terms could overflow",
        text: "\
At the levels `associative` and `arithmetic` two sums are equal when their terms are. The value that both get is computed in one of the
orders, and an intermediate sum of that order may leave its type where those of the other do not.

```python
A[0] = x + y - z          # x + y may overflow
A[1] = x - z + y
```

They are shared where bounds show that no intermediate overflows: ranges of loops, shapes, conditions around, `T.assume`.
",
    },
    Doc {
        name: "partial-redundancy",
        summary: "some paths to its uses have computed it, others have not",
        text: "\
A value is computed, then memory that it reads is written on one path only, and it is computed again:

```python
if A[i] * 2 > limit:      # computed here
    A[i] = limit          # not the same any more
B[i] = A[i] * 2           # computed again, also if nothing was written
```

No one binding can stand for both: which value it would have depends on the path. A scalar that every path stores can. That needs
code *inserted* where the path has not computed it: at the end of the arm that writes. It is done on request (`--partial-redundancies`
for `opt`, `fix` and `check`, `cse.partial-redundancies` in the settings, the action *Compute … on every path* in an editor):

```python
cse_v1: T.float32 = A[i] * 2
if cse_v1 > limit:
    A[i] = limit
    cse_v1 = A[i] * 2     # inserted
B[i] = cse_v1
```

No path computes more than before: code is inserted only where every path from there computes the value anyway (*anticipated*), with
nothing written between, so that it adds no trap either. It is not done, and said so, where

- `not-anticipated`: some path through the insertion does not compute the value now;
- `no-scalar`: the legacy dialect has no scalar that can be stored twice, and in a vectorised loop each lane would need its own;
- `no-place`: the text has no place for a store (an `elif`, two axes of one `T.grid`, a suite on the line of its `if`);
- `overlaps`: what is computed is part of something that gets a name first; the next run sees what is left.
",
    },
    Doc {
        name: "predicate",
        summary: "conditions read better where they are",
        text: "\
The value is a bool. It is found and counted, but stays inline: a condition is clearer in its `if`, costs one operation, and later passes
recognise it there. This is also what TVM does.

```python
if i < n:
    A[i] = x
if i < n:
    B[i] = y
```
",
    },
    Doc {
        name: "reassociated-operation",
        summary: "the same sum or product with its terms in another order",
        text: "\
A sum of three terms or more, or a product, is equal to an earlier one when terms may stand in any order.

```mlir
%0 = arith.addi %a, %b : i32
%1 = arith.addi %0, %c : i32
%2 = arith.addi %b, %c : i32
%3 = arith.addi %a, %2 : i32       // equal to %1
```

Integers wrap, so any order gives the same bits; the one that stays must promise nothing about overflow, since its intermediate sums are others. Sums of
floats count only where `fastmath<reassoc>` allows it. `mlir-opt -cse` compares operations with equal operands only.
",
    },
    Doc {
        name: "region-that-reads",
        summary: "an equal operation with regions, and memory is what it was",
        text: "\
The operation has regions that read memory and write nothing, an equal one stands before it, and nothing between the two can have written. `mlir-opt -cse`
merges operations with regions only if nothing in them reads.
",
    },
    Doc {
        name: "rounded-constant",
        summary: "equal constants of a printed program may be different numbers",
        text: "\
Paddle prints floating-point numbers with six digits. A text with six of them, or with an exponent, may stand for several numbers, and so may all that is computed
from it: the two are likely equal, and nothing says that they are.

```
(%0) = \"pd_op.full\" () {…,value:0.797885} …    // 0.7978845608
(%1) = \"pd_op.full\" () {…,value:0.797885} …    // 0.7978849
```

The preset `pir` merges them (`common-rounded-constant`); `default` and `fix` do not.
",
    },
    Doc {
        name: "shared-storage",
        summary: "both results may be one piece of memory afterwards",
        text: "\
The results name memory that may be written later. Merging the two would make one piece of memory of two.
",
    },
    Doc {
        name: "simplifies",
        summary: "it is always equal to a constant or a variable",
        text: "\
By arithmetic the expression has a value that needs no computation, so it is not worth a name.

```python
A[x - x] = y + x - x      # x - x is 0, y + x - x is y
```

Write what it is equal to.
",
    },
    Doc {
        name: "under-binder",
        summary: "it depends on the variable of a binder inside an expression",
        text: "\
The expression names the variable of a `T.Let` or of a reducer around it, so it cannot leave the body of that, and a statement cannot be
written inside an expression. What is in the body and does not name the variable is shared as everything else.

```python
A[0] = T.Let(v * v + (x + v), where={v: x + y})
```

Write the let as a statement: `v: T.let[T.int32] = x + y`.
",
    },
    Doc {
        name: "unknown-operation",
        summary: "nobody knows what the operation does",
        text: "\
The operation is in no table, so it may read and write everything. If it is one of yours, say what it does in `tir-analyzer.toml`:

```toml
[[effects.mlir]]
ops = [\"mydialect.add\"]
commutative = \"all\"
```
",
    },
    Doc {
        name: "unknown-region",
        summary: "it is inside of an operation that nobody knows",
        text: "\
The operation around it is in no table, or its text was not understood. Its regions may be executed never, twice, or by many threads at once, or be
patterns that are compared with other programs: what nothing uses may be what they look for. So nothing in them is merged, moved or deleted.

```mlir
\"mine.match\"(%root) ({
  %0 = arith.addf %a, %b : f32             // nothing uses it: it is what is looked for
}) : (!mine.op) -> ()
```

`mlir-opt -cse` deletes it. If the operation is one of yours, say what it does in `tir-analyzer.toml`.
",
    },
    Doc {
        name: "unknown-value",
        summary: "it depends on something unknown",
        text: "\
It contains a name from outside the function that could not be resolved, an unknown call or a part that was not understood. What is unknown
may have effects or another value each time.

Define the name in the same file, or describe the operation in `tir-analyzer.toml`.
",
    },
    Doc {
        name: "unneeded-block-argument",
        summary: "a block argument that nothing needs",
        text: "\
Nothing needs the argument, but perhaps what the branches hand over for the next time round. It goes, with what every branch hands over for it and the
operations that only it needed. Arguments of blocks are left out to which other operations than `cf.br` and `cf.cond_br` branch.

```mlir
  cf.br ^loop(%zero, %a : index, i32)
^loop(%i: index, %j: i32):
  %next = arith.addi %j, %a : i32          // needed by %j only, which nobody else needs
  cf.cond_br %c, ^loop(%i, %next : index, i32), ^end
```
",
    },
    Doc {
        name: "unneeded-carried-value",
        summary: "a value that a loop carries and nothing needs",
        text: "\
Nothing needs what the loop carries from one iteration to the next, but perhaps itself, and nothing uses its result: an equal value took its place, or it
only counts. It goes, with what it begins with, what is yielded for it, the result, and the operations that only it needed. Of loops, `scf.for` is looked at.

```mlir
%r:2 = scf.for %i = %a to %b step %c iter_args(%x = %n, %y = %n) -> (i32, i32) {
  %p = arith.muli %x, %k : i32
  %q = arith.muli %y, %k : i32             // %y is %x, so nothing needs %y and %q
  scf.yield %p, %q : i32, i32
}
```
",
    },
    Doc {
        name: "virtual-only",
        summary: "it has no text of its own",
        text: "\
Fewer than two of the occurrences are written in the text: the others come from a macro, a compile-time name or a conversion that is
implied. There is nothing that a fix could replace by the name.

```python
v = T.meta_var(x * y)
A[0] = v                  # two uses of x * y, one text
A[1] = v
```

Make the name a binding: `v: T.let[T.int32] = x * y`.
",
    },
    Doc {
        name: "weaker-flags",
        summary: "an equal operation promises less and is right for both",
        text: "\
The earlier operation is the same but for promises about overflow or floating point that it does not make. What it gives is right for this one too, whose result is
poison where its promise does not hold. `mlir-opt -cse` merges operations with equal attributes only.
",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_texts_are_whole() {
        assert!(DOCS.is_sorted_by_key(|it| it.name));
        for doc in DOCS {
            assert_eq!(find(doc.name), Some(doc));
            assert!(!doc.summary.ends_with('.') && doc.text.ends_with('\n'), "{}", doc.name);
        }
    }
}
