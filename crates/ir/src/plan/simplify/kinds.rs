//! The kinds of simplifications, and the reasons why something that looks simplifiable stays.
//!
//! Each stands beside its declaration. Conditions that are known are findings too, which have the same declarations;
//! `may-trap` is the reason of common subexpressions.

use rules::{
    Fix, Rule,
    Severity::{Hint, Information},
    kinds,
};

use crate::plan::refusal;

/// A condition that is always true or never.
pub const CONSTANT_CONDITION: Rule = Rule::reported(
    "constant-condition",
    Information,
    "a condition is always true, or never",
    "\
Constants, the ranges of loop variables and thread indices, and the shapes of buffers decide the condition for every \
input.

```python
for i in range(16):
    if i < 32:            # always true
        A[i] = 0.0
```

The fix keeps the arm that is executed, or writes the side of `and` and `or` that still decides. If the condition \
guards
against something, it guards against nothing: look whether another bound was meant.
",
)
.with_fix(Fix::OnRequest);

/// A condition that an enclosing one already decides.
pub const REDUNDANT_CONDITION: Rule = Rule::reported(
    "redundant-condition",
    Hint,
    "an enclosing condition already decides this one",
    "\
Inside an `if`, an assertion or a loop the condition is known.

```python
if i < n:
    if i < n + 1:         # true whenever i < n is
        A[i] = 0.0
```

The fix keeps the arm that is executed, or the side of `and` and `or` that still decides.
",
)
.with_fix(Fix::ByDefault);

kinds! {
    /// The kind of a simplification. Names are kebab-case and stable.
    pub enum SimplificationKind {
        /// A condition that constants, ranges and shapes decide; also a finding, which reports it.
        ConstantCondition = CONSTANT_CONDITION;
        /// A loop that runs no iteration, or does nothing.
        EmptyLoop = Rule::reported(
            "empty-loop",
            Hint,
            "a loop that does nothing",
            "\
Its extent is never positive, or nothing is in it.

```python
for i in range(n - n):    # no iteration
    A[i] = 0
for i in range(n):        # nothing in it
    T.evaluate(0)
```

The loop is removed. Its bounds must be free of effects; a loop that binds a thread stays, as its extent is part of \
the launch. A
`while` stays: it may not end.
",
        )
        .with_fix(Fix::OnRequest);
        /// A guard that could stand around its loop.
        InvariantGuard = Rule::reported(
            "invariant-guard",
            Hint,
            "a guard inside a loop that could stand around it",
            "\
The loop's body is one `if` without an `else`, and its condition does not change while the loop runs.

```python
for i in range(n):
    if blk < m:
        A[i] = 0

if blk < m:               # after
    for i in range(n):
        A[i] = 0
```

The condition is evaluated once, and not at all more often than before: the loop may run no iteration, so the \
condition must not be able to
fail, and it must not read memory. Threads and barriers see the same conditions as before. Nothing is ever copied \
for this.
",
        )
        .with_fix(Fix::OnRequest);
        /// Two guards that could be one.
        MergeableGuards = Rule::reported(
            "mergeable-guards",
            Hint,
            "two guards that could be one",
            "\
A guard with nothing in it but another guard, or two neighbours with one condition that nothing in the first can \
change:

```python
if i < n:
    if j < m:
        A[i] = 0

if i < n and j < m:       # after
    A[i] = 0
```

```python
if i < n:
    A[i] = 0
if i < n:
    B[i] = 0

if i < n:                 # after
    A[i] = 0
    B[i] = 0
```

Some compilers evaluate both sides of `and`, so the inner condition must not be able to fail or overflow where the \
outer one is false.
",
        )
        .with_fix(Fix::OnRequest);
        /// A statement that does nothing.
        NoOp = Rule::reported(
            "no-op",
            Hint,
            "a statement that does nothing",
            "\
`T.evaluate` of a value without effect, an assertion that always holds, an empty `else`, a store of what was just \
loaded from the same place.

```python
T.evaluate(0)
if i < n:
    T.evaluate(0)
else:
    A[i] = 0

if i >= n:                # after
    A[i] = 0
```
",
        )
        .with_fix(Fix::OnRequest);
        /// A condition that another one decides; also a finding, which reports it.
        RedundantCondition = REDUNDANT_CONDITION;
        /// A guard around nothing, or whose condition has one value when it is simplified.
        RedundantGuard = Rule::reported(
            "redundant-guard",
            Hint,
            "a guard that decides nothing",
            "\
Nothing is in it, or its condition becomes a constant when it is simplified where it stands.

```python
if x < n:
    T.evaluate(0)
if (i * 4 + j) // 4 == i: # always, for 0 <= j < 4
    A[i] = 0
```

The guard goes, or the arm that is executed takes its place.
",
        )
        .with_fix(Fix::OnRequest);
        /// An expression that has a simpler form here.
        Simplifiable = Rule::reported(
            "simplifiable",
            Hint,
            "an expression that has a simpler form here",
            "\
What is known at this place (ranges of loops and threads, shapes, enclosing conditions) makes it equal to something \
smaller, for every
input.

```python
for i, j in T.grid(n, 16):
    A[(i * 16 + j) // 16] = 0     # i
    A[(i * 16 + j) % 16] = 0      # j
```

The rules that led there are listed; each has a page of its own. No rule adds an overflow, a division by zero or \
another failure, on any
input; a rule may remove one.
",
        )
        .with_fix(Fix::OnRequest);
        /// A loop that runs one iteration.
        SingleIterationLoop = Rule::reported(
            "single-iteration-loop",
            Hint,
            "a loop that runs one iteration",
            "\
Its extent is 1, as a constant or by the facts about it.

```python
for i in range(1):
    A[i + x] = 0

A[x] = 0                  # after
```

The body takes the place of the loop, and the first value the place of its variable. Loops that bind threads, loops \
with annotations and
loops around blocks that are still to be scheduled stay.
",
        )
        .with_fix(Fix::OnRequest);
    }
}

impl SimplificationKind {
    /// Returns true if a finding of the same name already reports it.
    pub fn is_finding(self) -> bool {
        matches!(
            self,
            SimplificationKind::ConstantCondition | SimplificationKind::RedundantCondition
        )
    }
}

kinds! {
    /// The reason why something that looks simplifiable stays.
    pub enum SimplifyRefusal {
        /// The loop has annotations, which say something to the scheduler.
        AnnotatedLoop = Rule::simplification(
            "annotated-loop",
            "the loop has annotations, which go with it",
            "\
A loop of one iteration could be replaced by its body, but it carries annotations or a pragma for a later pass or a \
scheduler.

```python
for i in T.serial(1, annotations={\"pragma_import_llvm\": 1}):
    A[i] = 0
```

Remove the annotations if nothing reads them.
",
        );
        /// The removed computation may have an effect.
        HasEffect = Rule::simplification(
            "has-effect",
            "its computation may have an effect",
            "\
The condition or bound would not be evaluated any more, and a call in it may do something: it has an effect, depends \
on which threads
arrive together, or is unknown.

```python
if T.call_extern(\"int32\", \"next\") * 0 > 0:
    A[0] = 1
```

Bind the call to a name first; the rest can be simplified.
",
        );
        /// A name would hide another, or be hidden.
        HidesName = Rule::simplification(
            "hides-name",
            "a name would mean something else at the other place",
            "\
The contents of an arm or a loop move one level out, where a name that it defines, or one that it uses, is also the name \
of something else.

```python
for i in range(1):
    v: T.let[T.int32] = x
    A[i] = v
for i in range(n):
    v: T.let[T.int32] = y
    B[i] = v
```

Rename one of them.
",
        );
        /// `break` or `continue` leaves the loop.
        LeavesLoop = Rule::simplification(
            "leaves-loop",
            "`break` or `continue` leaves the loop",
            "\
A loop of one iteration stays because a `break` or `continue` in it says what is skipped, and there is no statement \
for that without
the loop.
",
        );
        /// Evaluated at the other place, it may fail or overflow where the program does not.
        MayTrap = refusal::MAY_TRAP;
        /// The edited text would read back as something else than the simplified function.
        ReadsBackDifferently = Rule::simplification(
            "reads-back-differently",
            "the edited text would mean something else than the simplified function, or lose a comment",
            "\
Before an edit is offered or written, the text with it is read again and compared with the function as it was \
simplified. Where the two
differ, or the reader would say something that it does not say now, there is no edit. Nor is there one by which a \
comment would go, inside of a
statement of several lines or in an arm that is never executed: take it out by hand, with what the comment says in \
mind.

```python
A[i] = (T.Select(T.bool(False), a, T.float32(3)) - T.float32(3)) * x
```

The reader folds operators on constants while it reads, some of them to a different value: with `T.float32(3)` in \
the place of the
`T.Select` it makes `0` of the product, also where `x` is not a number.

The simplification itself is right: `tir-analyzer opt --passes simplify` does it on the function. By hand, write the \
operator by its name
(`T.Sub`), which the reader does not fold.

In MLIR and PIR every fix is read back in the same way. There it never happens unless something is wrong with this \
tool: please report it with
the function.
",
        );
        /// It reads memory, which may be written before the other place.
        ReadsMemory = Rule::simplification(
            "reads-memory",
            "it reads memory that may be written before the other place",
            "\
The condition or bound would be evaluated at another place, or once for several times, and what it reads may be \
written in between, or be
out of bounds there.

```python
for i in range(n):
    if B[0] > 0:          # B may overlap A
        A[i] = 0
```

Bind the value to a name in front.
",
        );
        /// Blocks in it are still to be scheduled.
        Schedulable = Rule::simplification(
            "schedulable",
            "blocks in it are still to be scheduled",
            "\
Schedules transform loops around blocks: `get_loops`, `split` and `fuse` find them by their place, and a \
block's variables have the
extents of the loops. They are not removed, nor are guards moved around them. Simplify after lowering.
",
        );
        /// The loop binds a thread: its extent is part of the launch.
        ThreadLoop = Rule::simplification(
            "thread-loop",
            "the loop binds a thread",
            "\
The extent of a loop over a thread index, or of `launch_thread`, is part of how the kernel is launched: also one of \
1, also one of 0. It stays,
and no guard moves across it, since above it is host code.
",
        );
        /// The first value of the loop is large and used more than once.
        WouldGrow = Rule::simplification(
            "would-grow",
            "the first value of the loop is large and used more than once",
            "\
Without the loop its first value would be computed wherever its variable is used.

```python
for i in range(x * y + z, x * y + z + 1):
    A[i] = B[i]
```

Bind the first value to a name, and begin the loop there.
",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_refusals_are_sorted() {
        assert!(SimplificationKind::ALL.is_sorted_by_key(|it| it.name()));
        for &kind in SimplificationKind::ALL {
            assert_eq!(SimplificationKind::from_name(kind.name()), Some(kind));
        }
        assert!(SimplifyRefusal::ALL.is_sorted_by_key(|it| it.name()));
    }
}
