//! Reaching stores (`# writes:`): for each buffer the values of the stores that may have written it.

use dataflow::{
    reaching::{ReachingStores, Written},
    touch::Touches,
};
use ir::{OpKind, print::expr_text};

use crate::support::{buffer_name, check};

#[track_caller]
fn check_writes(statements: &str) {
    check("writes", statements, |flow, aliases, points| {
        let reaching = ReachingStores::build(flow, Touches::build(flow, aliases));
        let mut cursor = reaching.cursor();
        let text = |written: &Written| match *written {
            Written::Entry => "entry".to_owned(),
            Written::By(op) => match flow.body.ops[op].kind {
                OpKind::Store { .. } => expr_text(flow.body, flow.body.ops[op].operands[0]),
                OpKind::Alloc { .. } => "new".to_owned(),
                _ => "call".to_owned(),
            },
        };
        points
            .iter()
            .map(|&point| {
                let Some(state) = cursor.at_point(point).cloned() else { return "none".to_owned() };
                let of_buffer = |buffer| {
                    let writes = reaching.of_class(&state, aliases.class(buffer));
                    let list: Vec<String> = writes.iter().map(text).collect();
                    format!("{} = {}", buffer_name(flow.body, buffer), list.join(" | "))
                };
                flow.body.buffers.ids().map(of_buffer).collect::<Vec<_>>().join("; ")
            })
            .collect()
    });
}

#[test]
fn stores_to_elements_gather_and_stores_to_cells_replace() {
    check_writes(
        "
        # writes: A = entry; B = entry; x = entry
        x: T.int32 = n
        B[0] = m
        # writes: A = entry; B = entry | m; x = n
        if n > 0:
            x = 1
            B[1] = 2
        # writes: A = entry; B = entry | m | 2; x = n | 1
        x = 3
        # writes: A = entry; B = entry | m | 2; x = 3
        ",
    );
}

#[test]
fn an_iteration_sees_what_the_one_before_it_wrote() {
    check_writes(
        "
        x: T.int32 = 0
        for i in range(n):
            # writes: A = entry; B = entry; x = 0 | i
            if x == 7:
                continue
            x = i
        # writes: A = entry; B = entry; x = 0 | i
        B[0] = x
        ",
    );
}

#[test]
fn calls_write_what_they_reach() {
    check_writes(
        "
        L = T.alloc_buffer((4,), \"int32\", scope=\"local\")
        L[0] = 1
        T.evaluate(T.call_extern(\"int32\", \"g\", B.data))
        # writes: A = entry | call; B = entry | call; L = new | 1
        ",
    );
}
