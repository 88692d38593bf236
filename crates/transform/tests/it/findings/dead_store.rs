//! Stores that nothing reads.

use expect_test::{Expect, expect};
use transform::findings::FindingKind;

#[track_caller]
fn check(statements: &str, expected: Expect) {
    super::check(FindingKind::DeadStore, statements, expected);
}

#[test]
fn a_store_that_the_next_one_writes_over_goes() {
    check(
        "
        A[x] = 1
        A[y] = 2
        A[x] = 3
        ",
        expect![[r#"
            # dead-store at 1 `A[x] = 1`: this store is overwritten before anything reads it; overwritten here: 3 `A[x] = 3`
            A[y] = 2
            A[x] = 3
        "#]],
    );
    check(
        "
        A[x] = 1  # first
        A[x] = 2
        ",
        expect![[r#"
            # dead-store at 1 `A[x] = 1`: this store is overwritten before anything reads it; overwritten here: 2 `A[x] = 2`
            # first
            A[x] = 2
        "#]],
    );
}

#[test]
fn tile_primitive_that_nothing_reads_goes() {
    check(
        "
        s = T.alloc_local((8,), \"int32\")
        t = T.alloc_local((8,), \"int32\")
        T.tile.copy(s, A[0:8])
        T.tile.copy(t[0:4], A[4:8])
        T.tile.add(A[0:8], s, 1)
        ",
        expect![[r##"
            # dead-store at 4 `T.tile.copy(t[0:4], A[4:8])`: nothing reads the stored value
            s = T.alloc_local((8,), "int32")
            t = T.alloc_local((8,), "int32")
            T.tile.copy(s, A[0:8])
            T.tile.add(A[0:8], s, 1)
        "##]],
    );
}

#[test]
fn possible_read_between_keeps_the_store() {
    check(
        "
        A[x] = 1
        A[x] = A[x] + 1
        A[y] = 1
        T.call_extern(\"int32\", \"f\")
        A[y] = 2
        A[0] = 1
        for i in range(4):
            A[i + 1] = A[i]
        A[0] = 2
        A[1] = 1
        if x < y:
            T.evaluate(A[1])
        A[1] = 2
        ",
        expect![[""]],
    );
}

#[test]
fn possible_exit_between_keeps_the_store() {
    check(
        "
        for i in range(4):
            A[i] = 1
            if x < i:
                break
            A[i] = 2
        A[x] = 1
        assert x < y, \"m\"
        A[x] = 2
        A[y] = 1
        while A[0] < x:
            T.evaluate(0)
        A[y] = 2
        ",
        expect![[""]],
    );
}

#[test]
fn another_list_keeps_it() {
    check(
        "
        A[x] = 1
        if x < y:
            A[x] = 2
        for i in range(4):
            A[x + i] = 1
            A[x + i + 1] = 2
        ",
        expect![[""]],
    );
}

#[test]
fn every_arm_writes_over_it() {
    check(
        "
        A[x] = 1
        A[y] = 1
        if x < y:
            A[x] = 2
            A[y] = 2
        else:
            for i in range(4):
                A[i + 8] = 3
            A[x] = 3
        A[0] = 1
        if x < y:
            A[0] = 2
        A[0] = 3
        ",
        expect![[r#"
            # dead-store at 1 `A[x] = 1`: this store is overwritten before anything reads it; overwritten here: 4 `A[x] = 2`
            # dead-store at 10 `A[0] = 1`: this store is overwritten before anything reads it; overwritten here: 13 `A[0] = 3`
            # dead-store at 12 `A[0] = 2`: this store is overwritten before anything reads it; overwritten here: 13 `A[0] = 3`
            A[y] = 1
            if x < y:
                A[x] = 2
                A[y] = 2
            else:
                for i in range(4):
                    A[i + 8] = 3
                A[x] = 3
            if x < y:
                T.evaluate(0)
            A[0] = 3
        "#]],
    );
}

#[test]
fn a_loop_that_surely_runs_writes_over_it() {
    check(
        "
        A[x] = 1
        A[y] = 1
        for i in range(4):
            A[x] = i
        for i in range(n):
            A[y] = i
        for i in range(4):
            A[x + i] = 1
            A[x + i + 1] = 2
            A[x + i] = 3
        ",
        expect![[r#"
            # dead-store at 1 `A[x] = 1`: this store is overwritten before anything reads it; overwritten here: 4 `A[x] = i`
            # dead-store at 8 `A[x + i] = 1`: this store is overwritten before anything reads it; overwritten here: 10 `A[x + i] = 3`
            A[y] = 1
            for i in range(4):
                A[x] = i
            for i in range(n):
                A[y] = i
            for i in range(4):
                A[x + i + 1] = 2
                A[x + i] = 3
        "#]],
    );
}

#[test]
fn a_loop_over_the_whole_buffer_writes_over_all_of_it() {
    check(
        "
        B = T.alloc_buffer((4, 4), \"int32\")
        for i, j in T.grid(4, 4):
            B[i, j] = 0
        B[x, 0] = 1
        for i, j in T.grid(4, 4):
            B[i, j] = x
        B[y, 0] = 1
        for i, j in T.grid(4, 4):
            B[i, j] = B[j, i] + 1
        A[0] = B[x, y]
        B[0, 0] = 1
        for i, j in T.grid(4, 3):
            B[i, j] = x
        A[1] = B[x, y]
        ",
        expect![[r##"
            # dead-store at 3 `B[i, j] = 0`: this store is overwritten before anything reads it; overwritten here: 6 `B[i, j] = x`
            # dead-store at 4 `B[x, 0] = 1`: this store is overwritten before anything reads it; overwritten here: 6 `B[i, j] = x`
            B = T.alloc_buffer((4, 4), "int32")
            for i, j in T.grid(4, 4):
                T.evaluate(0)
            for i, j in T.grid(4, 4):
                B[i, j] = x
            B[y, 0] = 1
            for i, j in T.grid(4, 4):
                B[i, j] = B[j, i] + 1
            A[0] = B[x, y]
            B[0, 0] = 1
            for i, j in T.grid(4, 3):
                B[i, j] = x
            A[1] = B[x, y]
        "##]],
    );
}

#[test]
fn a_read_on_some_path_keeps_it() {
    check(
        "
        A[x] = 1
        if x < y:
            A[x] = A[y]
        else:
            A[x] = 3
        A[y] = 1
        for i in range(16):
            if x < i:
                break
            A[i] = x
        for i in range(4):
            A[i + 1] = 1
            if x < i:
                A[i + 1] = 2
        ",
        expect![[""]],
    );
}

#[test]
fn memory_of_other_threads_keeps_the_store() {
    check(
        "
        with T.launch_thread(\"blockIdx.x\", 1) as bx:
            S = T.alloc_buffer((32,), \"int32\", scope=\"shared\")
            tx = T.launch_thread(\"threadIdx.x\", 32)
            S[tx] = 1
            T.tvm_storage_sync(\"shared\")
            S[tx] = 2
            if x < y:
                S[tx] = 3
            S[tx] = 4
            if x < y:
                S[tx] = 5
            else:
                S[tx] = 6
            A[tx] = S[31 - tx]
        ",
        expect![[r##"
            # dead-store at 6 `S[tx] = 2`: this store is overwritten before anything reads it; overwritten here: 9 `S[tx] = 4`
            # dead-store at 9 `S[tx] = 4`: this store is overwritten before anything reads it; overwritten here: 11 `S[tx] = 5`
            with T.launch_thread("blockIdx.x", 1) as bx:
                S = T.alloc_buffer((32,), "int32", scope="shared")
                tx = T.launch_thread("threadIdx.x", 32)
                S[tx] = 1
                T.tvm_storage_sync("shared")
                if x < y:
                    S[tx] = 3
                if x < y:
                    S[tx] = 5
                else:
                    S[tx] = 6
                A[tx] = S[31 - tx]
        "##]],
    );
}

#[test]
fn indices_that_are_read_again_may_be_others() {
    check(
        "
        B = T.alloc_buffer((16,), \"int32\")
        B[0] = x
        A[B[0]] = 1
        B[0] = y
        A[B[0]] = 2
        A[B[0]] = 3
        ",
        expect![[r##"
            # dead-store at 5 `A[B[0]] = 2`: this store is overwritten before anything reads it; overwritten here: 6 `A[B[0]] = 3`
            B = T.alloc_buffer((16,), "int32")
            B[0] = x
            A[B[0]] = 1
            B[0] = y
            A[B[0]] = 3
        "##]],
    );
}

#[test]
fn memory_that_nothing_reads_afterwards() {
    check(
        "
        L = T.alloc_local((4,), \"int32\")
        M = T.alloc_local((4,), \"int32\")
        N = T.alloc_local((4,), \"int32\")
        L[0] = x
        for i in range(4):
            M[i] = x
            A[i] = N[i]
            N[i] = x
        A[x] = M[0]
        M[1] = y
        ",
        expect![[r##"
            # dead-store at 4 `L[0] = x`: nothing reads the stored value
            # dead-store at 10 `M[1] = y`: nothing reads the stored value
            L = T.alloc_local((4,), "int32")
            M = T.alloc_local((4,), "int32")
            N = T.alloc_local((4,), "int32")
            for i in range(4):
                M[i] = x
                A[i] = N[i]
                N[i] = x
            A[x] = M[0]
        "##]],
    );
}

#[test]
fn memory_that_others_may_read_keeps_it() {
    check(
        "
        L = T.alloc_local((4,), \"int32\")
        L[0] = x
        T.call_extern(\"int32\", \"f\", L.data)
        L[0] = y
        S = T.alloc_shared((4,), \"int32\")
        A[0] = S[0]
        S[0] = y
        ",
        expect![[""]],
    );
}

#[test]
fn operands_with_an_effect_keep_the_fix_away() {
    check(
        "
        L = T.alloc_local((4,), \"int32\")
        L[0] = T.cuda.atomic_add(T.address_of(A[x]), 1)
        ",
        expect![[r#"
            # dead-store at 2 `L[0] = T.cuda.atomic_add(T.address_of(A[x]), 1)`: nothing reads the stored value; no fix
        "#]],
    );
}

#[test]
fn store_of_the_same_value_is_dead() {
    check(
        "A[x] = A[x]",
        expect![[r#"
        # dead-store at 1 `A[x] = A[x]`: the memory holds this value already
        T.evaluate(0)
    "#]],
    );
    check(
        "
        A[y] = x
        T.evaluate(A[y])
        A[y] = x
        T.evaluate(A[x])
        A[x] = 1
        A[y] = x
        ",
        expect![[r#"
            # dead-store at 3 `A[y] = x`: the memory holds this value already; stored here: 1 `A[y] = x`
            A[y] = x
            T.evaluate(A[y])
            T.evaluate(A[x])
            A[x] = 1
            A[y] = x
        "#]],
    );
    check(
        "
        for i in T.vectorized(4):
            A[i] = A[i]
        A[x] = A[y]
        A[A[x]] = A[A[y]]
        ",
        expect![[""]],
    );
}

#[test]
fn volatile_memory_is_left_alone() {
    check(
        "
        L = T.alloc_buffer((4,), \"int32\", scope=\"local\", annotations={\"tirx.volatile\": True})
        L[0] = 1
        L[0] = 2
        ",
        expect![[""]],
    );
}

#[test]
fn a_store_of_what_the_element_holds_goes_by_the_value_of_its_index() {
    check(
        "
        for i, j in T.grid(4, 4):
            k: T.let[T.int32] = 4 * i + j
            A[4 * i + j] = A[k]
        ",
        expect![[r#"
            # dead-store at 3 `A[4 * i + j] = A[k]`: the memory holds this value already
            for i, j in T.grid(4, 4):
                k: T.let[T.int32] = 4 * i + j
        "#]],
    );
    check(
        "
        for i in range(16):
            if i != 0:
                A[i] = A[i - 1]
            else:
                A[i] = A[0]
        ",
        expect![[r#"
            # dead-store at 5 `A[i] = A[0]`: the memory holds this value already
            for i in range(16):
                if i != 0:
                    A[i] = A[i - 1]
                else:
                    T.evaluate(0)
        "#]],
    );
    // Nothing says that these are equal, and what is loaded for an index may be another value.
    check(
        "
        A[x] = A[y]
        if x <= y:
            A[x] = A[y]
        a: T.let[T.int32] = A[0]
        A[0] = y
        b: T.let[T.int32] = A[0]
        A[a] = A[b]
        ",
        expect![[""]],
    );
}
