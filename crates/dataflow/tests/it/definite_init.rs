//! Definite initialisation (`# init:`): the written part of memory that the function allocates.

use dataflow::{
    definite_init::{Initialisation, Initialised},
    touch::Touches,
};
use ir::BufferOrigin;

use crate::support::{buffer_name, check};

#[track_caller]
fn check_init(statements: &str) {
    check("init", statements, |flow, aliases, points| {
        let initialisation = Initialisation::build(flow, Touches::build(flow, aliases));
        let mut cursor = initialisation.cursor();
        points
            .iter()
            .map(|&point| {
                let Some(state) = cursor.at_point(point).cloned() else { return "none".to_owned() };
                let of_buffer = |buffer| {
                    let how = match initialisation.of_buffer(&state, buffer) {
                        Initialised::Never => "never",
                        Initialised::Perhaps => "perhaps",
                        Initialised::Always => "always",
                    };
                    format!("{} {how}", buffer_name(flow.body, buffer))
                };
                let made = |it: &ir::BufferId| {
                    let origin = &flow.body.buffers[*it].origin;
                    matches!(origin, BufferOrigin::Alloc | BufferOrigin::Cell)
                };
                flow.body.buffers.ids().filter(made).map(of_buffer).collect::<Vec<_>>().join(", ")
            })
            .collect()
    });
}

#[test]
fn a_cell_is_written_by_a_store_on_every_path() {
    check_init(
        "
        x: T.int32
        # init: x never
        if n > 0:
            x = 1
            # init: x always
        # init: x perhaps
        if n > 1:
            x = 2
        else:
            x = 3
        # init: x always
        B[0] = x
        ",
    );
}

#[test]
fn a_loop_over_all_of_a_buffer_writes_it() {
    check_init(
        "
        C = T.alloc_buffer((n, 16), \"int32\")
        D = T.alloc_buffer((n,), \"int32\")
        # init: C never, D never
        for i in range(n):
            for j in range(16):
                C[i, j] = 0
                # init: C perhaps, D never
            # init: C perhaps, D never
        # init: C always, D never
        for i in range(n):
            if i > 3:
                D[i] = 1
        # init: C always, D perhaps
        ",
    );
}

#[test]
fn a_loop_that_is_left_or_skips_does_not() {
    check_init(
        "
        C = T.alloc_buffer((16,), \"int32\")
        D = T.alloc_buffer((16,), \"int32\")
        for i in range(16):
            C[i] = 0
            if A[i] > 0:
                break
        for i in range(15):
            D[i] = 0
        # init: C perhaps, D perhaps
        ",
    );
}

#[test]
fn reallocated_memory_is_unwritten() {
    check_init(
        "
        for i in range(4):
            C = T.alloc_buffer((16,), \"int32\")
            # init: C never
            C[0] = 1
            # init: C perhaps
        ",
    );
}
