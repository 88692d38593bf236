//! The rule of common subexpressions, and the reasons why a value is not shared.
//!
//! To add a reason: a value of [`Refusal`], its declaration here and its row in [`Refusal::rule`]. Plans about
//! operations give some of the reasons too ([`super::ops`]).

use rules::{Fix, Rule, Severity};

use super::Refusal;

/// A value that is computed several times.
pub const COMMON_SUBEXPRESSION: Rule = Rule::reported(
    "common-subexpression",
    Severity::Hint,
    "a value is computed at several places",
    "\
The same expression is evaluated more than once, and one evaluation, bound to a name, would do:

```python
A[i] = x * y + i          # before
B[i] = x * y - i

cse_v1: T.let[T.int32] = x * y
A[i] = cse_v1 + i         # after
B[i] = cse_v1 - i
```

Two expressions are the same if operators, types, constants and variables are, and the memory that they read. How \
alike they must be is
`--equivalence`: `syntactic` (the same tree), `commutative` (`x * y` and `y * x`, no bit changes; the default), \
`associative` (terms of
integer sums in any order, where no intermediate can overflow) or `arithmetic` (equal sums of products); each \
contains the ones
before it, and a hint says when it was needed. A variable counts as its definition.

The binding stands right before the first statement that uses it in the innermost scope that holds all uses. If the \
value is a part of
larger values that are bound themselves, only what remains counts, and nothing is bound that would be used once. A \
binding that is
there already (`n: T.let[T.int32] = x * y`) is used for the expressions after it. Loads, calls that are values of \
their operands and bounds
of launches are shared too; arguments of `T.likely` are, the hint itself stays.

The fix never changes what the function computes, and never makes it fail where it did not: see `may-trap`.
",
)
.with_fix(Fix::ByDefault);

/// Every reason of [`Refusal`], sorted by name.
pub const REFUSALS: &[Rule] = &[
    ALLOWED,
    CONVERGENT,
    DOWNSTREAM,
    FEW_OCCURRENCES,
    FOLDS,
    IMPURE_CALL,
    LAUNCH_BOUND,
    LIMIT,
    MAY_TRAP,
    MEMORY,
    NARROW_INTEGER,
    NO_BINDING_SITE,
    NO_PATH_TWICE,
    OVERFLOW,
    PARTIAL_REDUNDANCY,
    PREDICATE,
    SIMPLIFIES,
    UNDER_BINDER,
    UNKNOWN_VALUE,
    VIRTUAL_ONLY,
];

impl Refusal {
    /// The declaration.
    pub fn rule(self) -> &'static Rule {
        match self {
            Refusal::MayTrap { .. } => &MAY_TRAP,
            Refusal::NoBindingSite { .. } => &NO_BINDING_SITE,
            Refusal::VirtualOnly => &VIRTUAL_ONLY,
            Refusal::Unknown => &UNKNOWN_VALUE,
            Refusal::ImpureCall { .. } => &IMPURE_CALL,
            Refusal::Memory { .. } => &MEMORY,
            Refusal::Predicate => &PREDICATE,
            Refusal::NoPathTwice => &NO_PATH_TWICE,
            Refusal::PartialRedundancy { .. } => &PARTIAL_REDUNDANCY,
            Refusal::Overflow { .. } => &OVERFLOW,
            Refusal::Simplifies { .. } => &SIMPLIFIES,
            Refusal::Convergent => &CONVERGENT,
            Refusal::UnderBinder => &UNDER_BINDER,
            Refusal::LaunchBound => &LAUNCH_BOUND,
            Refusal::NarrowInteger => &NARROW_INTEGER,
            Refusal::Downstream { .. } => &DOWNSTREAM,
            Refusal::Folds { .. } => &FOLDS,
            Refusal::FewOccurrences => &FEW_OCCURRENCES,
            Refusal::Allowed => &ALLOWED,
            Refusal::Limit => &LIMIT,
        }
    }

    /// Kebab-case name.
    pub fn name(self) -> &'static str {
        self.rule().name
    }
}

pub(super) const MAY_TRAP: Rule = Rule::not_shared(
    "may-trap",
    "evaluating it early could fail where the program does not",
    "\
Integer division and remainder fail for a zero divisor, a conversion from float to integer and a shift fail out of \
range. Such a value is
bound only where it is certain to be computed anyway, or cannot fail.

```python
A[0] = T.if_then_else(y != 0, x // y, -1)
A[1] = T.if_then_else(y != 0, x // y, -2)
```

`x // y` is guarded twice. Bound above the first statement it would divide by zero when `y` is 0; TVM's own pass \
does that.
A branch of an `if`, the right side of `and` and `or`, an arm of `T.if_then_else` and of `T.Select`, the body of a \
loop that may run no
iteration, and what follows a `return`, `break`, `assert` or `while` are not certain to be executed. Two uses inside \
one guard are bound
inside it. To share more, put the uses under one `if`.
",
);

const NO_BINDING_SITE: Rule = Rule::not_shared(
    "no-binding-site",
    "the text has no place for the binding",
    "\
The binding would have to stand where no statement can be written: between two axes of one `T.grid`, before an \
`elif`, between two
statements on one line, inside a macro; and no legal place around it or inside it serves at least two of the uses.

```python
for i, j in T.grid(n, i * m):   # nothing fits between the two loops
    ...
```

Write the loops one below the other, or the statement on a line of its own.
",
);

const VIRTUAL_ONLY: Rule = Rule::not_shared(
    "virtual-only",
    "it has no text of its own",
    "\
Fewer than two of the occurrences are written in the text: the others come from a macro, a compile-time name or a \
conversion that is
implied. There is nothing that a fix could replace by the name.

```python
v = T.meta_var(x * y)
A[0] = v                  # two uses of x * y, one text
A[1] = v
```

Make the name a binding: `v: T.let[T.int32] = x * y`.
",
);

const UNKNOWN_VALUE: Rule = Rule::not_shared(
    "unknown-value",
    "it depends on something unknown",
    "\
It contains a name from outside the function that could not be resolved, an unknown call or a part that was not \
understood. What is unknown
may have effects or another value each time.

Define the name in the same file, or describe the operation in `tir-analyzer.toml`.
",
);

const IMPURE_CALL: Rule = Rule::not_shared(
    "impure-call",
    "a call in it is not a value that can be shared",
    "\
The expression contains a call with effects, or one that may give another result each time. It must be executed as \
often as it is
written.

```python
A[i] = T.call_extern(\"float32\", \"next_random\") * 2.0
B[i] = T.call_extern(\"float32\", \"next_random\") + 1.0
```

Functions that are values of their operands (`T.exp`, `T.sqrt`) are shared. If a call of yours is one, say so in \
`tir-analyzer.toml`.
",
);

pub(super) const MEMORY: Rule = Rule::not_shared(
    "memory",
    "memory that it reads may be written between",
    "\
Two loads of one address are one value only while nothing may write there between them: no store to the buffer or to \
one that may
overlap it, no call with unknown effects, no barrier or wait (other threads write before it), no next iteration of a \
loop that writes.

```python
A[i] = B[i] * 2.0
C[i] = B[i] + 1.0         # B[i] again: does A overlap B?
```

Without `T.func_attr({\"tirx.noalias\": True})` two buffer parameters may be the same memory, so the store to `A` \
may change `B[i]`. If they
never are, say so. A `view`, `decl_buffer(data=...)` or `match_buffer` is the memory of its source. \
Memory of one
thread whose address is not handed out survives barriers and calls.

To share a value that you know does not change, bind it by hand: `b: T.let[T.float32] = B[i]`.
",
);

const PREDICATE: Rule = Rule::not_shared(
    "predicate",
    "conditions read better where they are",
    "\
The value is a bool. It is found and counted, but stays inline: a condition is clearer in its `if`, costs one \
operation, and later passes
recognise it there. TVM does the same.

```python
if i < n:
    A[i] = x
if i < n:
    B[i] = y
```
",
);

const NO_PATH_TWICE: Rule = Rule::not_shared(
    "no-path-twice",
    "its uses exclude each other",
    "\
Whatever way the program takes, it computes the value at most once: the uses are in arms of an `if` or of a \
`T.if_then_else` of which only
one is executed. And on some way it does not compute it at all, so a binding above the arms would add work there and \
save none elsewhere.

```python
if i < n:
    A[i] = T.exp(x)
elif i < m:
    B[i] = T.exp(x)
```

If every way computes it exactly once, with an `else` that does so here, a binding adds no work, and it is made.
",
);

const PARTIAL_REDUNDANCY: Rule = Rule::not_shared(
    "partial-redundancy",
    "some paths to its uses have computed it, others have not",
    "\
A value is computed, then memory that it reads is written on one path only, and it is computed again:

```python
if A[i] * 2 > limit:      # computed here
    A[i] = limit          # not the same any more
B[i] = A[i] * 2           # computed again, also if nothing was written
```

No one binding can stand for both: which value it would have depends on the path. A scalar that every path stores \
can. That needs
code *inserted* where the path has not computed it: at the end of the arm that writes. It is done on request \
(`--partial-redundancies`
for `opt`, `fix` and `check`, `cse.partial-redundancies` in the settings, the action *Compute … on every path* in an \
editor):

```python
cse_v1: T.float32 = A[i] * 2
if cse_v1 > limit:
    A[i] = limit
    cse_v1 = A[i] * 2     # inserted
B[i] = cse_v1
```

No path computes more than before: code is inserted only where every path from there computes the value anyway \
(*anticipated*), with
nothing written between, so that it adds no trap either. It is not done, and said so, where

- `not-anticipated`: some path through the insertion does not compute the value now;
- `no-scalar`: the legacy dialect has no scalar that can be stored twice, and in a vectorised loop each lane would \
need its own;
- `no-place`: the text has no place for a store (an `elif`, two axes of one `T.grid`, a suite on the line of its \
`if`);
- `overlaps`: the value is part of another one that gets a name first; the next run sees what is left.
",
);

const OVERFLOW: Rule = Rule::not_shared(
    "overflow",
    "another order of the terms could overflow",
    "\
At the levels `associative` and `arithmetic` two sums are equal when their terms are. The value that both get is \
computed in one of the
orders, and an intermediate sum of that order may leave its type where those of the other do not.

```python
A[0] = x + y - z          # x + y may overflow
A[1] = x - z + y
```

They are shared where bounds show that no intermediate overflows: ranges of loops, shapes, conditions around, \
`T.assume`.
",
);

const SIMPLIFIES: Rule = Rule::not_shared(
    "simplifies",
    "it is always equal to a constant or a variable",
    "\
By arithmetic the expression has a value that needs no computation, so it is not worth a name.

```python
A[x - x] = y + x - x      # x - x is 0, y + x - x is y
```

Write the equal expression.
",
);

pub(super) const CONVERGENT: Rule = Rule::not_shared(
    "convergent",
    "it depends on which threads arrive together",
    "\
A shuffle, a vote, or a call that is only known to be pure exchanges values with the threads that \
execute it together.
Two of them are one only in the same list of statements, with no branch or loop between; one that stands in a branch \
stays there.

```python
s = T.tvm_warp_shuffle(mask, v, 0, 32, 32)
if tx < 5:
    A[tx] = T.tvm_warp_shuffle(mask, v, 0, 32, 32)   # other threads may be missing here
```
",
);

const UNDER_BINDER: Rule = Rule::not_shared(
    "under-binder",
    "it depends on the variable of a binder inside an expression",
    "\
The expression names the variable of a `T.Let` or of a reducer around it, so it cannot leave the body of that, and a \
statement cannot be
written inside an expression. Expressions in the body that do not name the variable are shared like all others.

```python
A[0] = T.Let(v * v + (x + v), where={v: x + y})
```

Write the let as a statement: `v: T.let[T.int32] = x + y`.
",
);

const FOLDS: Rule = Rule::not_shared(
    "folds",
    "with a name for it, an operand beside it would be evaluated that may be dropped",
    "\
TVM folds `x % 1`, `x * 0`, `0 * y` as it reads them. So a value with a captured name in it may be a constant, and what \
stands beside it is gone then.

```python
def make(k):
    @T.prim_func
    def main(A: T.Buffer((8,), \"int32\"), x: T.int32, y: T.int32):
        A[x % k] = (x % k) * (8 // y)
```

For `k = 1` no division is left. A name for `x % k` would hide the zero, and the division by `y` would fail where it did \
not. State the value (an instance, or an assertion around the function), or write the name yourself.
",
);

const LAUNCH_BOUND: Rule = Rule::not_shared(
    "launch-bound",
    "the binding would stand above a kernel launch",
    "\
The occurrences are in different kernels, or on the host and in a kernel. A binding above both is host code, and its \
value
becomes one more argument of the kernel. That is done only for values which the host computes anyway, bounds of \
launches included, and to
the same bits: `T.exp` and its like are other functions on the device (`share-intrinsics-across-launch` shares them \
all the same).

```python
with T.launch_thread(\"blockIdx.x\", 16) as bx:
    A[bx] = x * y         # kernel 1
with T.launch_thread(\"blockIdx.x\", 16) as bx:
    B[bx] = x * y         # kernel 2
```
",
);

const NARROW_INTEGER: Rule = Rule::not_shared(
    "narrow-integer",
    "C and CUDA would cut the value to its width only because it gets a name",
    "\
`+ - *` on 8 and 16 bit integers are computed in `int` by C and CUDA and cut only when they are stored, cast or \
bound. A
binding would make the code wrap earlier than the text that is compiled now.

```python
A[0] = T.Cast(\"int32\", a8 + b8)   # int8: 100 + 100 is 200 in C, -56 as defined
A[1] = T.Cast(\"int32\", a8 + b8) * 2
```

If the value fits, bind it by hand; the results are then the same everywhere.
",
);

const DOWNSTREAM: Rule = Rule::not_shared(
    "downstream",
    "with a name for it, TVM would evaluate something where the text does not",
    "\
TVM takes what loads memory or calls something for no common subexpression, and for nothing that it may evaluate \
early. A name hides the load, and
TVM's passes look at what is left around the name with other eyes. `CommonSubexprElim` binds what is computed twice \
above all its uses,
guarded ones too:

```python
O[2] = C[0] + C[1]
O[0] = T.if_then_else(a != 0, (C[0] + C[1]) // a, b)
O[1] = T.if_then_else(a != 0, (C[0] + C[1]) // a, b + 1)
```

With `v` for `C[0] + C[1]` it computes `v // a` first, and for `a == 0` the compiled program fails where the text \
does not. `RewriteUnsafeSelect` makes a
`T.Select` lazy that has a load in an arm; without the load both arms are evaluated, with a division in the other one.

With `--downstream tvm` (`cse.downstream = \"tvm\"` in the settings) such values stay unbound. Without it they are \
bound, which is right by what TVMScript
means, and `fix` and `opt` say which pass could go wrong with it.
",
);

const FEW_OCCURRENCES: Rule = Rule::not_shared(
    "few-occurrences",
    "it is computed at fewer places than the settings ask for",
    "\
A value is bound if it is computed at two places or more. `--min-occurrences N`, or in `tir-analyzer.toml`

```toml
[cse]
min-occurrences = 3
```

asks for more; values with fewer are found and left alone. Their parts may still be bound.
",
);

const ALLOWED: Rule = Rule::not_shared(
    "allowed",
    "a comment or an attribute allows it here",
    "\
The text says that this may be computed again:

```python
A[i] = x * y          # tir: allow(common-subexpression)
```

At the end of a line the comment is for the statement there (of a `for`, `if` or `with`: for its header); on a line \
of its own for the
next statement and all in it; right above the function, on the line of its `def` or before its first statement for \
the whole
function. `T.func_attr({\"tir.allow\": \"common-subexpression\"})` does the same for a function, also where it has \
no text. Any rule
about a function of Python (TVMScript, TileLang) can be allowed like this, several at once with commas between. Allowed \
code is neither
counted nor replaced.

Comments of MLIR and PIR allow nothing: there `check --baseline FILE` leaves out the findings that are accepted.
",
);

const LIMIT: Rule = Rule::not_shared(
    "limit",
    "more bindings were planned than were asked for",
    "\
`--max-fixes N` applies the first N bindings of the plan; this one comes later. Without the option it is applied.
",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_texts_are_whole() {
        assert!(REFUSALS.is_sorted_by_key(|it| it.name));
        for rule in REFUSALS.iter().chain([&COMMON_SUBEXPRESSION]) {
            assert!(!rule.summary.ends_with('.') && rule.docs.ends_with('\n'), "{}", rule.name);
        }
    }
}
