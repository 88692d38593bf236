//! Liveness of variables (`# live:`) and of memory (`# memory:`).

use dataflow::liveness::Liveness;

use crate::support::{buffer_name, check, listed, value_name};

#[track_caller]
fn check_live(statements: &str) {
    check("live", statements, |flow, aliases, points| {
        let liveness = Liveness::build(flow, aliases);
        let mut cursor = liveness.cursor();
        let names = |live: &dataflow::liveness::Live| {
            listed(live.values().map(|it| value_name(flow.body, it)))
        };
        points.iter().map(|&it| cursor.at_point(it).map_or("unreachable".into(), names)).collect()
    });
}

#[track_caller]
fn check_memory(statements: &str) {
    check("memory", statements, |flow, aliases, points| {
        let liveness = Liveness::build(flow, aliases);
        let mut cursor = liveness.cursor();
        let names = |live: &dataflow::liveness::Live| {
            let buffers = flow.body.buffers.ids().filter(|&it| live.buffer(it, aliases));
            listed(buffers.map(|it| buffer_name(flow.body, it)))
        };
        points.iter().map(|&it| cursor.at_point(it).map_or("unreachable".into(), names)).collect()
    });
}

#[test]
fn a_variable_is_live_from_its_binding_to_its_last_use() {
    check_live(
        "
        # live: m, n
        x: T.let = n + 1
        # live: m, x
        y: T.let = x * m
        # live: m, y
        B[0] = y
        # live: m
        B[1] = m
        # live:
        ",
    );
}

#[test]
fn values_used_in_a_loop_are_live_throughout_it_and_its_variable_only_inside() {
    check_live(
        "
        x: T.let = n * n
        # live: m, x
        for i in range(m):
            # live: i, x
            y: T.let = i + x
            # live: i, x, y
            B[i] = y
            # live: x
        # live:
        ",
    );
}

#[test]
fn arms_are_joined_and_a_jump_takes_what_its_target_needs() {
    check_live(
        "
        x: T.let = n * 2
        y: T.let = n * 3
        z: T.let = n * 4
        for i in range(m):
            # live: i, x, y, z
            if i == 5:
                # live: z
                break
            # live: i, x, y, z
            if i > 3:
                # live: x, y, z
                B[0] = x
            else:
                # live: x, y, z
                B[1] = y
            # live: x, y, z
        # live: z
        B[2] = z
        ",
    );
}

#[test]
fn a_condition_of_a_while_is_used_again() {
    check_live(
        "
        x: T.let = n * 2
        # live: m, x
        while B[0] < x:
            # live: m, x
            B[0] = B[0] + m
            # live: m, x
        # live:
        ",
    );
}

#[test]
fn memory_is_live_while_it_may_be_read_and_parameters_at_the_end() {
    check_memory(
        "
        C = T.alloc_buffer((16,), \"int32\", scope=\"local\")
        # memory: A, B, C
        C[0] = A[0]
        # memory: A, B, C
        B[0] = C[0]
        # memory: A, B
        C[1] = 2
        # memory: A, B
        ",
    );
}

#[test]
fn a_store_to_a_cell_ends_what_was_in_it() {
    check_memory(
        "
        x: T.int32 = n
        # memory: A, B, x
        B[0] = x
        # memory: A, B
        x = m
        # memory: A, B, x
        for i in range(4):
            # memory: A, B, x
            x = x + i
        # memory: A, B, x
        B[1] = x
        ",
    );
}

#[test]
fn others_read_at_barriers() {
    check_memory(
        "
        tx = T.launch_thread(\"threadIdx.x\", 32)
        S = T.alloc_buffer((32,), \"int32\", scope=\"shared\")
        L = T.alloc_buffer((1,), \"int32\", scope=\"local\")
        S[tx] = A[tx]
        L[0] = 1
        # memory: A, B, S
        T.tvm_storage_sync(\"shared\")
        # memory: A, B, S
        B[tx] = S[31 - tx]
        ",
    );
}
