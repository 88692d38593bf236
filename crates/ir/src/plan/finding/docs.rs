//! What `tir-analyzer explain NAME` says about each kind of finding.
//!
//! In: a kind. Out: a summary of one line and a page of text with an example. One page a kind, sorted by name.

use super::FindingKind;
use crate::plan::docs::Doc;

/// The page of a kind.
pub fn of(kind: FindingKind) -> &'static Doc {
    &DOCS[kind as usize]
}

/// All pages, sorted by name.
pub fn all() -> &'static [Doc] {
    DOCS
}

static DOCS: &[Doc] = &[
    Doc {
        name: "constant-condition",
        summary: "a condition is always true, or never",
        text: "\
Constants, the ranges of loop variables and thread indices, and the shapes of buffers decide the condition for every input.

```python
for i in range(16):
    if i < 32:            # always true
        A[i] = 0.0
```

The fix keeps the arm that is executed, or writes the side of `and` and `or` that still decides. If the condition guards
against something, it guards against nothing: look whether another bound was meant.
",
    },
    Doc {
        name: "copy-propagation",
        summary: "a value is read from a copy while the original still holds it",
        text: "\
A buffer element was copied, neither the copy nor the original was written since, and the copy is read.

```python
C[0] = B[0]
D[0] = C[0] + 1.0         # the same as B[0] + 1.0
```

The fix reads the original. The copy may become a dead store by that, and its buffer superfluous.
",
    },
    Doc {
        name: "dead-binding",
        summary: "a name whose value nothing uses",
        text: "\
The value of a binding (`x: T.let = e`) or of a mutable scalar (`x = e`) is never used, or only by bindings that are never used
themselves.

```python
x: T.let[T.int32] = n * 4     # nothing reads x
A[i] = n
```

The fix removes the statements. Nothing is said of a value with a call that may have an effect: that must be executed. A name
that begins with an underscore is meant to be unused.
",
    },
    Doc {
        name: "dead-store",
        summary: "a store that nothing can read",
        text: "\
The elements that are written are written again on every path before anything reads them, or the memory belongs to this function and
nothing reads it afterwards. Memory that other threads reach is read, for all that is known, at every barrier.

```python
A[i] = 0.0                # overwritten in both arms
if n > 0:
    A[i] = B[i]
else:
    A[i] = C[i]
```

The fix removes the store. Writes to parameters count as read when the function ends. A value with a call that may have an effect
is not removed.
",
    },
    Doc {
        name: "loop-invariant",
        summary: "a loop computes the same value in every iteration",
        text: "\
Nothing that the value is computed from changes while the loop runs, and it can be computed before the loop without a new
error.

```python
for i in range(128):
    A[i] = B[i] * T.exp(s)               # T.exp(s) is the same 128 times

value_v1: T.let[T.float32] = T.exp(s)    # after
for i in range(128):
    A[i] = B[i] * value_v1
```

Compilers hoist cheap integer arithmetic by themselves; only values that cost at least `loop-invariant-cost` (of the section
`findings` of `tir-analyzer.toml`) are reported. The fix binds the value before the loop.
",
    },
    Doc {
        name: "missing-barrier",
        summary: "threads exchange shared memory with no barrier between",
        text: "\
A thread reads what another thread of the block wrote, or writes what another one reads, and no `T.tvm_storage_sync(\"shared\")` stands
between. Which comes first is chance.

```python
S[tx] = A[tx]
B[tx] = S[127 - tx]       # written by another thread
```

It is reported only in kernels that have barriers already: TVM puts them itself (ThreadSync) into those that have none yet, and so does `build`.
And only where it is certain: both accesses are executed, by threads of different warps, at one address. Put the barrier before the later access.
",
    },
    Doc {
        name: "missing-noalias",
        summary: "parameters may overlap, so less can be shared",
        text: "\
Without the attribute `tirx.noalias` (`tir.noalias` before TVM 0.24) two buffer parameters may be the same memory. After a store to
one of them, every other one has to be read again.

```python
B[0] = A[0] * 2.0
C[0] = A[0] * 2.0         # B could be A: read and multiplied again
```

If no caller passes overlapping buffers, add the attribute: that is what the fix does. It is a promise that this tool cannot check, so
fixing all leaves it out.
",
    },
    Doc {
        name: "read-before-write",
        summary: "memory is read that nothing has written",
        text: "\
An allocated buffer has arbitrary content until it is written. Here nothing writes the element before it is read, or on some path
nothing does.

```python
acc = T.alloc_buffer((1,), scope=\"local\")
for k in range(16):
    acc[0] = acc[0] + A[k]    # the first iteration reads what was never written
```

Write the first value before. There is no fix: only you know which.
",
    },
    Doc {
        name: "redundant-condition",
        summary: "an enclosing condition already decides this one",
        text: "\
Inside an `if`, an assertion or a loop the condition is known.

```python
if i < n:
    if i < n + 1:         # true whenever i < n is
        A[i] = 0.0
```

The fix keeps the arm that is executed, or the side of `and` and `or` that still decides.
",
    },
    Doc {
        name: "redundant-load",
        summary: "a value is read from memory although a name or a store has it",
        text: "\
The element was read into a name, or stored, and nothing wrote it since.

```python
x: T.let[T.float32] = A[i]
B[i] = A[i] + 1.0         # the same as x + 1.0
```

The fix uses the name. Loads that are repeated without a name are common subexpressions.
",
    },
    Doc {
        name: "superfluous-barrier",
        summary: "a barrier across which threads exchange nothing",
        text: "\
Without this `T.tvm_storage_sync`, and without the others that are reported, every thread still sees what it depends on: it reads only
shared memory that it wrote itself, or another barrier stands between.

```python
S[tx] = A[tx]
T.tvm_storage_sync(\"shared\")
B[tx] = S[tx]             # each thread reads its own element
```

A barrier stops all threads of a block until the last one is there. Nothing is reported where one may order something else: global memory
that the kernel reads and writes, calls with effects, parameters that may overlap.
",
    },
    Doc {
        name: "unreachable",
        summary: "statements that are never executed",
        text: "\
They follow a `return`, `break` or `continue`, stand in an arm whose condition is never true, or in a loop without iterations.

```python
for i in range(0):
    A[i] = 0.0            # no iteration
```

The fix removes them.
",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_whole_page_for_each_kind() {
        assert_eq!(DOCS.len(), FindingKind::ALL.len());
        for (doc, kind) in DOCS.iter().zip(FindingKind::ALL) {
            assert_eq!(doc.name, kind.name());
            assert!(!doc.summary.ends_with('.') && doc.text.ends_with('\n'), "{}", doc.name);
        }
    }
}
