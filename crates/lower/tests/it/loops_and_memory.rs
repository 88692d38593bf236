//! Lowering of loops and memory: the result of each pass for a few lines.

mod flatten_buffers;
mod legalize_floats;
mod loop_partition;
mod narrow_indices;
mod neutral_operands;
mod serial_threads;
mod storage_reuse;
mod unroll;
mod vectorize;
mod virtual_threads;

use barriers::refusal::LowerRefusal;
use expect_test::Expect;
use ir::Body;
use lower::{LOWERINGS, LowerOptions};

use crate::support::{read, statements};

/// The statements after a pass, or its refusal.
#[track_caller]
pub(crate) fn check(pass: &str, statements_in: &str, expected: Expect) {
    check_with(
        pass,
        "A: T.Buffer((1024,), \"int32\"), x: T.int32, y: T.int32",
        statements_in,
        expected,
    );
}

/// As [`check`], with these parameters.
#[track_caller]
pub(crate) fn check_with(pass: &str, params: &str, statements_in: &str, expected: Expect) {
    expected.assert_eq(&after(pass, params, statements_in));
}

fn after(pass: &str, params: &str, statements_in: &str) -> String {
    let mut text =
        format!("from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\ndef f({params}):\n");
    for line in test_utils::trim_indent(statements_in).lines() {
        text.push_str(if line.is_empty() { "" } else { "    " });
        text.push_str(line);
        text.push('\n');
    }
    let it = &read(&text)[0];
    assert!(it.diagnostics.is_empty(), "{:?}", it.diagnostics);
    match run(pass, &it.body) {
        Ok(body) => {
            assert_eq!(ir::verify::verify(&body), []);
            // Lowering twice is lowering once.
            let again = run(pass, &body).expect("a pass takes what it makes");
            let [once, twice] = [&body, &again].map(|it| ir::print::tvmscript(it, 0));
            assert_eq!(once, twice);
            statements(&once)
        }
        Err(LowerRefusal { reason, detail, .. }) => format!("{reason}: {detail}\n"),
    }
}

fn run(pass: &str, body: &Body) -> Result<Body, LowerRefusal> {
    let pass = LOWERINGS.iter().find(|it| it.name == pass).expect("a pass of this name");
    pass.run(body, &LowerOptions::default())
}
