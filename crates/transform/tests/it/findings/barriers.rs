//! Barriers that are missing, and that order nothing.

use expect_test::{Expect, expect};
use transform::findings::FindingKind;

/// Checks the findings of both kinds in a kernel of 128 threads with shared memory `S` and noalias.
#[track_caller]
fn check(statements: &str, expected: Expect) {
    check_kinds(
        &[FindingKind::MissingBarrier, FindingKind::SuperfluousBarrier],
        statements,
        expected,
    );
}

#[track_caller]
fn check_kinds(kinds: &[FindingKind], statements: &str, expected: Expect) {
    let mut file = String::from(
        "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((128,), \"int32\"), \
         B: T.Buffer((128,), \"int32\"), n: T.int32):\n    T.func_attr({\"tirx.noalias\": True})\n    \
         tx = T.launch_thread(\"threadIdx.x\", 128)\n    S = T.alloc_buffer((128,), \"int32\", scope=\"shared\")\n",
    );
    for line in test_utils::trim_indent(statements).lines() {
        file.push_str(&format!("    {line}\n"));
    }
    let mut options = super::only(kinds[0]);
    kinds.iter().for_each(|it| options.kinds.insert(*it));
    super::check_file(&options, &file, expected);
}

const SYNC: &str = "T.tvm_storage_sync(\"shared\")";

#[test]
fn exchange_with_another_warp_needs_a_barrier() {
    check(
        &format!("B[tx] = 0\nS[tx] = A[tx]\n{SYNC}\nB[tx] = S[127 - tx]\nS[tx] = B[tx]"),
        expect![[r#"
            # missing-barrier at 8 `S[tx] = B[tx]`: this writes shared memory that another thread reads, with no barrier between; another thread reads it here: 7 `B[tx] = S[127 - tx]`; no fix
        "#]],
    );
    check(
        &format!("{SYNC}\nS[tx] = A[tx]\nB[tx] = S[127 - tx]"),
        expect![[r#"
            # missing-barrier at 6 `B[tx] = S[127 - tx]`: this reads shared memory that another thread writes, with no barrier between; another thread writes it here: 5 `S[tx] = A[tx]`; no fix
        "#]],
    );
}

#[test]
fn an_exchange_of_iterations_needs_two_barriers() {
    check(
        &format!("for k in range(4):\n    S[tx] = A[tx] + k\n    {SYNC}\n    B[tx] = S[127 - tx]"),
        expect![[r#"
            # missing-barrier at 5 `S[tx] = A[tx] + k`: this writes shared memory that another thread reads, with no barrier between; another thread reads it here: 7 `B[tx] = S[127 - tx]`; no fix
        "#]],
    );
    check(
        &format!(
            "for k in range(4):\n    {SYNC}\n    S[tx] = A[tx] + k\n    {SYNC}\n    B[tx] = S[127 - tx]"
        ),
        expect![[""]],
    );
}

#[test]
fn impossible_conflict_needs_no_barrier() {
    // A thread of the same warp; a path around the accesses; a path around the barrier; no barrier at all.
    for statements in [
        format!("{SYNC}\nS[tx] = A[tx]\nB[tx] = S[tx // 32 * 32 + 31 - tx % 32]\n{SYNC}"),
        format!("{SYNC}\nif n > 0:\n    S[tx] = A[tx]\nif n < 0:\n    B[tx] = S[127 - tx]"),
        format!("S[tx] = A[tx]\nfor k in range(n):\n    {SYNC}\nB[tx] = S[127 - tx]"),
        "S[tx] = A[tx]\nB[tx] = S[127 - tx]".to_owned(),
    ] {
        check_kinds(&[FindingKind::MissingBarrier], &statements, expect![[""]]);
    }
}

#[test]
fn a_barrier_between_accesses_of_one_thread_orders_nothing() {
    check(
        &format!("S[tx] = A[tx]\n{SYNC}\nB[tx] = S[tx]"),
        expect![[r##"
        # superfluous-barrier at 5 `T.tvm_storage_sync("shared")`: no thread depends across this barrier on an access of another one; no fix
    "##]],
    );
    // Of two, one is enough.
    check(
        &format!("S[tx] = A[tx]\n{SYNC}\n{SYNC}\nB[tx] = S[127 - tx]"),
        expect![[r##"
        # superfluous-barrier at 5 `T.tvm_storage_sync("shared")`: no thread depends across this barrier on an access of another one; no fix
    "##]],
    );
}

#[test]
fn a_barrier_may_order_other_memory() {
    check(&format!("B[tx] = A[tx]\n{SYNC}\nS[tx] = B[127 - tx]"), expect![[""]]);
    check(&format!("{SYNC}\nT.call_extern(\"int32\", \"poll\", n)"), expect![[""]]);
}

/// Each thread copies its element.
const COPY: &str = "T.s_tir.cp_async_raw(T.tvm_access_ptr(T.type_annotation(\"int32\"), S.data, tx, 1, 2), 0, \
                    T.tvm_access_ptr(T.type_annotation(\"int32\"), A.data, tx, 1, 1), 0, 4)";

#[test]
fn a_copy_writes_when_it_is_waited_for() {
    let wait = "T.ptx.cp.async_.wait_group(0)";
    // A barrier between the copy and the wait orders nothing of it.
    check(
        &format!("{COPY}\n{SYNC}\n{wait}\nB[tx] = S[127 - tx]"),
        expect![[r#"
            # missing-barrier at 7 `B[tx] = S[127 - tx]`: this reads shared memory that another thread writes, with no barrier between; another thread writes it here: 4 `T.s_tir.cp_async_raw(T.tvm_access_ptr(T.type_annotation("int32"), S.data, tx, 1, 2), 0, T.tvm_access_ptr(T.type_annotation("int32"), A.data, tx, 1, 1), 0, 4)`; no fix
        "#]],
    );
    check(&format!("{COPY}\n{wait}\n{SYNC}\nB[tx] = S[127 - tx]"), expect![[""]]);
    // What a thread copied itself is there after its wait.
    check(
        &format!("{COPY}\n{wait}\n{SYNC}\nB[tx] = S[tx]"),
        expect![[r#"
            # superfluous-barrier at 6 `T.tvm_storage_sync("shared")`: no thread depends across this barrier on an access of another one; no fix
        "#]],
    );
}

#[test]
fn a_warp_reads_for_all_of_its_threads() {
    let load = "R = T.alloc_buffer((8,), \"int32\", scope=\"local\")\nT.ptx_legacy.ldmatrix(T.bool(False), 4, \".b16\", R.data, 0, \
                T.tvm_access_ptr(T.type_annotation(\"int32\"), S.data, 0, 128, 1), 4 * (tx % 32), dtype=\"int32\")";
    check(
        &format!("{SYNC}\nS[tx] = A[tx]\n{load}"),
        expect![[r#"
            # missing-barrier at 7 `T.ptx_legacy.ldmatrix(T.bool(False), 4, ".b16", R.data, 0, T.tvm_access_ptr(T.type_annotation("int32"), S.data, 0, 128, 1), 4 * (tx % 32), dtype="int32")`: this reads shared memory that another thread writes, with no barrier between; another thread writes it here: 5 `S[tx] = A[tx]`; no fix
        "#]],
    );
    check(&format!("S[tx] = A[tx]\n{SYNC}\n{load}"), expect![[""]]);
    // Other rows than those that were written.
    let far = load.replace("4 * (tx % 32)", "4 * (tx % 32) + 128");
    check(
        &format!("S[tx] = A[tx]\n{SYNC}\n{far}"),
        expect![[r#"
            # superfluous-barrier at 5 `T.tvm_storage_sync("shared")`: no thread depends across this barrier on an access of another one; no fix
        "#]],
    );
}

#[test]
fn iterations_that_are_further_apart_than_threads_reach_do_not_meet() {
    let fill = |stride: &str| {
        format!(
            "F = T.alloc_buffer((512,), \"int32\", scope=\"shared\")\nfor i in range(4):\n    F[i * {stride} + tx] = A[tx]\n    {SYNC}\nB[tx] = F[tx * 3]"
        )
    };
    // One barrier after the loop would do, so the one in it is no superfluous one; a second one there is.
    check(
        &format!("{}\n{SYNC}", fill("128")),
        expect![[r##"
        # superfluous-barrier at 9 `T.tvm_storage_sync("shared")`: no thread depends across this barrier on an access of another one; no fix
    "##]],
    );
    let twice = fill("128").replace("B[tx] = F", &format!("{SYNC}\nB[tx] = F"));
    check(
        &twice,
        expect![[r##"
        # superfluous-barrier at 7 `T.tvm_storage_sync("shared")`: no thread depends across this barrier on an access of another one; no fix
    "##]],
    );
    let overlapping = fill("64").replace("B[tx] = F", &format!("{SYNC}\nB[tx] = F"));
    check(
        &overlapping,
        expect![[r##"
        # superfluous-barrier at 8 `T.tvm_storage_sync("shared")`: no thread depends across this barrier on an access of another one; no fix
    "##]],
    );
}

#[test]
fn rows_that_no_other_iteration_reaches_are_apart() {
    // 2 × 16 rows of 40 elements, of which 32 lanes fill one at a time: 16 rows lie between the halves.
    let fill = |row: &str, reach: &str| {
        format!(
            "S = T.alloc_buffer((4096,), \"int32\", scope=\"shared\")\n\
             for i in range({reach}):\n    {SYNC}\n    S[{row} + tx % 32] = A[tx]\n{SYNC}\nB[tx] = S[127 - tx]"
        )
    };
    let superfluous = || {
        expect![[r##"
        # superfluous-barrier at 6 `T.tvm_storage_sync("shared")`: no thread depends across this barrier on an access of another one; no fix
    "##]]
    };
    for (row, reach) in [
        ("(tx // 32 * 16 + i) * 40", "16"),
        ("(tx // 32 * 16 + i) * 32", "16"),
        ("(tx // 32 * 16 + (15 - i)) * 40", "16"),
        ("tx // 32 * 640 + i % 16 * 40", "n"),
        ("tx // 32 * 640 + i // 4 * 40", "64"),
    ] {
        check(&fill(row, reach), superfluous());
    }
    // A seventeenth row is the first one of the next warp; a row of 30 elements ends in the next one.
    for (row, reach) in [
        ("(tx // 32 * 16 + i) * 40", "17"),
        ("(tx // 32 * 16 + i) * 30", "16"),
        ("tx // 32 * 640 + i % 17 * 40", "n"),
        ("tx // 32 * 640 + i * 40", "n"),
        ("tx // 32 * 640 + i // 4 * 40", "65"),
    ] {
        check(&fill(row, reach), expect![[""]]);
    }
}

#[test]
fn elements_of_a_fused_index_are_apart() {
    let fill = |index: &str, reach: &str| {
        format!(
            "S = T.alloc_buffer((4096,), \"int32\", scope=\"shared\")\n\
             for i in range({reach}):\n    {SYNC}\n    S[{index}] = A[tx]\n{SYNC}\nB[tx] = S[127 - tx]"
        )
    };
    for index in [
        "(i * 128 + tx) // 16 * 24 + (i * 128 + tx) % 16",
        "(i * 128 + tx) // 64 * 72 + (i * 128 + tx) % 64",
        "i // 2 * 256 + (i * 128 + tx) % 256",
        "(i * 128 + tx + 64) // 64 * 64 + (i * 128 + tx) % 64",
    ] {
        check(
            &fill(index, "8"),
            expect![[r##"
                # superfluous-barrier at 6 `T.tvm_storage_sync("shared")`: no thread depends across this barrier on an access of another one; no fix
            "##]],
        );
    }
    // Iterations that overlap, and rows that are shorter than what is put into them.
    for index in [
        "(i * 64 + tx) // 16 * 24 + (i * 64 + tx) % 16",
        "(i * 128 + tx) // 16 * 8 + (i * 128 + tx) % 16",
        "(i * 64 + tx) % 256",
    ] {
        check(&fill(index, "8"), expect![[""]]);
    }
}
