//! Overwritten stores: their lines end in `# dead`.

use dataflow::{analyses::Analyses, overwritten::Overwritten};
use ir::{Occurrences, effects::EffectTable};

use crate::support::{kernel, lowered};

/// Lines that end in `# dead` hold the dead stores, and no others.
#[track_caller]
fn check(statements: &str) {
    let text = kernel(statements);
    let (lowered, start) = lowered(&text);
    assert!(lowered.diagnostics.is_empty(), "{:?}", lowered.diagnostics);
    let body = &lowered.body;
    let occurrences = Occurrences::collect(body);
    let analyses = Analyses::of(body, &occurrences, EffectTable::builtin());
    let (flow, aliases) = (analyses.flow(), analyses.aliases());
    let found: Vec<usize> = Overwritten::build(&flow, aliases)
        .stores()
        .iter()
        .map(|&(op, _)| {
            let at = start + usize::from(lowered.source_map.op_range(op).start());
            text[..at].matches('\n').count()
        })
        .collect();
    let is_dead = |it: &(usize, &str)| it.1.ends_with("# dead");
    let expected: Vec<usize> = text.lines().enumerate().filter(is_dead).map(|it| it.0).collect();
    let lines: Vec<&str> = text.lines().collect();
    let shown: Vec<&str> = found.iter().map(|&it| lines[it]).collect();
    assert!(found == expected, "dead are:\n{}", shown.join("\n"));
}

#[test]
fn every_path_writes_over_it() {
    check(
        "
        A[n] = 1  # dead
        A[m] = 1
        if n < m:
            A[n] = 2  # dead
            A[m] = 2
        else:
            A[n] = 3  # dead
        for i in range(4):
            A[n] = i
        A[0] = A[m]
        ",
    );
}

#[test]
fn variables_of_a_loop_have_another_value_in_each_iteration() {
    check(
        "
        for i in range(4):
            A[i] = 1  # dead
            A[i + 1] = 2
            A[i] = 3
        for i in range(4):
            A[0] = i  # dead
            x: T.let = n + i
            A[x] = 1
        for i in range(4):
            A[0] = i + 1  # dead
        A[0] = 5
        for i in range(4):
            x: T.let = n + i
            A[x] = 2
            x2: T.let = n * i
            A[x2] = 2  # dead
            A[x2] = 3
        ",
    );
}

#[test]
fn jumps_and_loops_that_may_not_end_are_paths() {
    check(
        "
        A[n] = 1
        assert n < m, \"m\"
        A[n] = 2  # dead
        for i in range(4):
            if i == m:
                break
            A[i] = i
        A[n] = 3
        while A[m] < 4:
            A[n] = 4
        A[n] = 5
        ",
    );
}

#[test]
fn reads_of_the_memory_keep_all_its_elements() {
    check(
        "
        A[n] = 1
        B[0] = A[m]
        A[n] = 2  # dead
        B[1] = B[2]
        A[n] = 3
        T.call_extern(\"int32\", \"f\", A.data)
        A[n] = 4
        ",
    );
}

#[test]
fn memory_made_anew_is_another() {
    check(
        "
        for i in range(4):
            L = T.alloc_buffer((4,), \"int32\", scope=\"local\")
            L[0] = i  # dead
            L[0] = n
            B[i] = L[0]
            L[0] = 7
        ",
    );
}

#[test]
fn whole_buffers_are_written_by_loops() {
    check(
        "
        C = T.alloc_buffer((8,), \"int32\")
        C[n] = 1  # dead
        for i in range(8):
            C[i] = i
        B[0] = C[m]
        C[n] = 2
        for i in range(7):
            C[i] = i
        B[1] = C[m]
        C[n] = 3
        for i in range(8):
            if i < m:
                C[i] = i
        B[2] = C[m]
        C[n] = 4
        for i in range(8):
            B[i] = C[i]
            C[i] = 0
        B[3] = C[m]
        A[n] = 1  # dead
        for i in range(1024):
            A[i] = 2
        ",
    );
}

#[test]
fn other_threads_see_shared_memory_at_barriers_and_after_branches() {
    check(
        "
        with T.launch_thread(\"blockIdx.x\", 4) as bx:
            S = T.alloc_buffer((32,), \"int32\", scope=\"shared\")
            L = T.alloc_buffer((1,), \"int32\", scope=\"local\")
            tx = T.launch_thread(\"threadIdx.x\", 32)
            S[tx] = 1
            L[0] = 1  # dead
            T.tvm_storage_sync(\"shared\")
            S[tx] = 2  # dead
            L[0] = 2  # dead
            S[tx] = 3
            L[0] = 3  # dead
            if n < tx:
                S[tx] = 4
                L[0] = 4  # dead
            S[tx] = 5
            L[0] = 5
            A[tx] = S[31 - tx] + L[0]
            A[tx + 32] = 1
        for i in range(4):
            A[i] = 2
        ",
    );
}
