//! Findings in kernels of TileLang: they see through tile operations by the parts of buffers.

use expect_test::expect;

use super::{FILE, analysis};
use crate::{DiagnosticsConfig, TargetOptions};

/// A kernel of these statements.
fn kernel(statements: &str) -> String {
    let header = "# from tvm.script import tirx as T\n\n@T.prim_func\ndef f(A: T.Buffer((16, 16), \"float16\"), C: T.Buffer((16, 16), \"float32\")):\n    for bx in T.thread_binding(2, thread=\"blockIdx.x\"):\n        tx: T.int32 = T.launch_thread_idx(0)\n        with T.sblock(\"tilelang_root\"):\n            T.reads()\n            T.writes()\n            T.sblock_attr({\"tl.launch_threads\": [32, 1, 1]})\n            a = T.sblock_alloc_buffer((8, 8), \"float16\", scope=\"shared.dyn\")\n            c = T.sblock_alloc_buffer((8, 8), scope=\"local.fragment\")\n";
    let body: String = statements.trim().lines().map(|it| format!("            {it}\n")).collect();
    format!("{header}{body}")
}

/// The codes of the findings in a kernel of these statements.
#[track_caller]
fn found(statements: &str) -> Vec<&'static str> {
    let analysis = analysis(&kernel(statements));
    let config = DiagnosticsConfig { common_subexpressions: false, ..Default::default() };
    let all = analysis.diagnostics(FILE, &config).unwrap();
    // The tiles are smaller than those of any instruction.
    all.iter().map(|it| it.code).filter(|it| *it != "tile-shape").collect()
}

const COPY: &str = "T.copy(T.region(A[bx * 8, 0], 1, 8, 8), T.region(a[0, 0], 2, 8, 8))\n";
const CLEAR: &str = "T.fill(T.region(c[0, 0], 2, 8, 8), 0)\n";
const OUT: &str = "T.copy(T.region(c[0, 0], 1, 8, 8), T.region(C[bx * 8, 0], 2, 8, 8))\n";

fn gemm(clears: &str) -> String {
    format!(
        "T.gemm(T.region(a[0, 0], 1, 8, 8), T.region(a[0, 0], 1, 8, 8), T.region(c[0, 0], 3, 8, 8), T.bool(False), T.bool(False), 8, 8, 8, 0, {clears}, 0, 0, 0)\n"
    )
}

fn in_loop(statements: &str) -> String {
    let body: String = statements.lines().map(|it| format!("    {it}\n")).collect();
    format!("for k in range(4):\n{body}")
}

#[test]
fn an_accumulator_that_nothing_cleared_is_told() {
    let kept = gemm("T.bool(False)");
    let wrong = [
        format!("{COPY}{kept}{OUT}"),
        in_loop(&format!("{COPY}{kept}")) + OUT,
        format!("{COPY}{kept}{CLEAR}{kept}{OUT}"),
        format!(
            "{COPY}T.reduce(T.region(a[0, 0], 1, 8, 8), T.region(c[0, 0], 2, 8, 1), \"sum\", 1, T.bool(False))\n{OUT}"
        ),
        OUT.to_owned() + COPY + &gemm("T.bool(True)") + OUT,
    ];
    for statements in wrong {
        let found = found(&statements);
        assert!(found.contains(&"read-before-write"), "{found:?} of\n{statements}");
    }
}

#[test]
fn an_accumulator_that_is_cleared_is_not_told() {
    let kept = gemm("T.bool(False)");
    let right = [
        format!("{COPY}{CLEAR}{kept}{OUT}"),
        format!("{CLEAR}{}{OUT}", in_loop(&format!("{COPY}{kept}"))),
        in_loop(&format!("{COPY}{}", gemm("k == 0"))) + OUT,
        format!("{COPY}{}{OUT}", gemm("T.bool(True)")),
        format!(
            "{COPY}T.reduce(T.region(a[0, 0], 1, 8, 8), T.region(c[0, 0], 2, 8, 1), \"sum\", 1, T.bool(True))\n{OUT}"
        ),
        in_loop(&format!("if k == 0:\n    {CLEAR}{COPY}{kept}")) + OUT,
    ];
    for statements in right {
        let found = found(&statements);
        assert!(!found.contains(&"read-before-write"), "{found:?} of\n{statements}");
    }
}

#[test]
fn a_tile_that_nothing_reads_is_told() {
    assert_eq!(found(&format!("{COPY}{CLEAR}{OUT}")), ["dead-store"]);
    let clear_of_a = "T.fill(T.region(a[0, 0], 2, 8, 8), 0)\n";
    assert_eq!(found(&format!("{clear_of_a}{CLEAR}{OUT}")), ["dead-store"]);
    let kept = gemm("T.bool(False)");
    assert!(found(&format!("{COPY}{CLEAR}{kept}{OUT}")).is_empty());
    // Who reads what a barrier announces, is not known.
    let signalled = COPY.replace("8, 8))\n", "8, 8), barrier=A[0, 0])\n");
    assert!(found(&format!("{signalled}{CLEAR}{OUT}")).is_empty());
}

#[test]
fn elements_of_fragments_are_registers_and_no_values_to_share() {
    let shared = |statements: &str| {
        let values = crate::InlayHintsConfig { tiles: false, ..Default::default() };
        analysis(&kernel(statements)).inlay_hints(FILE, None, &values).unwrap().len()
    };
    let twice = |tile: &str| {
        in_loop(&format!(
            "C[bx, k] = T.if_then_else({tile}[0, k] > 0, {tile}[0, k] * {tile}[1, k], 1)"
        ))
    };
    assert_eq!(shared(&format!("{CLEAR}{}", twice("c"))), 0);
    assert_eq!(shared(&format!("{COPY}{}", twice("a"))), 1);
}

/// The sentence of a hover about the memory of a tile, in a kernel with 128 threads.
fn memory_of(name: &str, shape: &str, form: &str, loop_: &str) -> String {
    memory_on(&TargetOptions::default(), name, shape, form, loop_)
}

/// As `memory_of`, for a device.
fn memory_on(device: &TargetOptions, name: &str, shape: &str, form: &str, loop_: &str) -> String {
    let text = format!(
        "import tilelang.language as T\n\n@T.prim_func\ndef f(A: T.Tensor((1024, 1024), \"float16\"), n: T.int32):\n    with T.Kernel(4, threads=128) as bx:\n        {name} = T.{form}({shape}, \"float16\")\n        for k in {loop_}:\n            T.copy(A[k * 128, 0], {name})\n"
    );
    let offset = text.find(&format!("{name} = T.")).unwrap() as u32;
    let hover = analysis(&text).hover_for(FILE, offset.into(), device).unwrap().expect("a hover");
    hover.markdown.split("\n\n").nth(1).unwrap_or_default().to_owned()
}

#[test]
fn hover_of_a_launch_says_what_it_takes_of_the_device() {
    let text = "import tilelang.language as T\n\ndef make(n):\n    @T.prim_func\n    def f(A: T.Tensor((1024, 1024), \"float16\")):\n        with T.Kernel(4, threads=128) as bx:\n            S = T.alloc_shared((128, 64), \"float16\")\n            R = T.alloc_shared((64, 64), \"float16\")\n            F = T.alloc_fragment((128, 64), \"float32\")\n            Q = T.alloc_shared((n, 64), \"float16\")\n            for k in T.Pipelined(8, num_stages=3):\n                T.copy(A[k * 128, 0], S)\n    return f\n";
    let offset = text.find("Kernel").unwrap() as u32;
    let of = |device: &TargetOptions| {
        let hover =
            analysis(text).hover_for(FILE, offset.into(), device).unwrap().expect("a hover");
        hover.markdown.split("\n\n").nth(1).unwrap_or_default().to_owned()
    };
    expect![[r#"
        - 128 of 1024 threads a block
        - shared tiles 56 KiB of 227 KiB, if all are kept at once
        - fragments 64 of 255 registers of a thread, if all are kept at once
        - 1 tile of a size that is not known"#]]
    .assert_eq(&of(&TargetOptions::default()));
    let device = TargetOptions {
        shared_memory: Some(48 << 10),
        max_threads: Some(512),
        ..TargetOptions::default()
    };
    expect![[r#"
        - 128 of 512 threads a block
        - shared tiles 56 KiB of 48 KiB, if all are kept at once
        - fragments 64 of 255 registers of a thread, if all are kept at once
        - 1 tile of a size that is not known"#]]
    .assert_eq(&of(&device));
}

/// The hints of a file, each behind the name that it is about.
fn tile_hints(text: &str) -> Vec<String> {
    let hints = analysis(text).inlay_hints(FILE, None, &Default::default()).unwrap();
    let name = |at: usize| text[..at].rsplit([' ', '\n']).next().unwrap_or_default().to_owned();
    let label =
        |it: &crate::InlayHint| it.label.iter().map(|it| it.text.as_str()).collect::<String>();
    hints.iter().map(|it| format!("{}: {}", name(it.offset.into()), label(it))).collect()
}

#[test]
fn a_tile_has_a_hint_of_what_it_takes_of_a_block() {
    let text = "\
import tilelang.language as T

@T.prim_func
def f(A: T.Tensor((1024, 1024), \"float16\"), n: T.int32):
    with T.Kernel(4, threads=128) as bx:
        S = T.alloc_shared((128, 192), \"float16\")
        F = T.alloc_fragment((128, 128), \"float32\")
        V = T.alloc_fragment((128,), \"float16\")
        L = T.alloc_local((8,), \"int8\")
        U = T.alloc_shared((n, 8), \"float16\")
        for k in T.Pipelined(8, num_stages=3):
            T.copy(A[k * 128, 0], S)
";
    assert_eq!(
        tile_hints(text),
        [
            "S: float16[128, 192] 48 KiB × 3",
            "F: float32[128, 128] 128 registers",
            "V: float16[128] 1 register",
            "L: int8[8] 8 bytes",
        ]
    );
    let off = crate::InlayHintsConfig { tiles: false, ..Default::default() };
    assert_eq!(analysis(text).inlay_hints(FILE, None, &off).unwrap(), []);
}

#[test]
fn hover_of_a_tile_says_what_it_takes_of_a_block() {
    let pipelined = "T.Pipelined(8, num_stages=3)";
    assert_eq!(
        memory_of("S", "(128, 192)", "alloc_shared", pipelined),
        "48 KiB × 3 stages = 144 KiB of 227 KiB of shared memory (`shared.dyn`)"
    );
    assert_eq!(
        memory_of("S", "(3, 100)", "alloc_shared", "T.serial(8)"),
        "600 bytes of 227 KiB of shared memory (`shared.dyn`)"
    );
    assert_eq!(
        memory_of("F", "(128, 128)", "alloc_fragment", "T.serial(8)"),
        "32 KiB of registers, at least 64 of each of 128 threads (`local.fragment`)"
    );
    assert_eq!(memory_of("S", "(n, 8)", "alloc_shared", "T.serial(8)"), "");
    let older = TargetOptions { arch: Some("sm_80".to_owned()), ..TargetOptions::default() };
    assert_eq!(
        memory_on(&older, "S", "(128, 192)", "alloc_shared", "T.Pipelined(8, num_stages=3)"),
        "48 KiB × 3 stages = 144 KiB of 163 KiB of shared memory (`shared.dyn`)"
    );
    let stated = TargetOptions { shared_memory: Some(48 << 10), ..TargetOptions::default() };
    assert_eq!(
        memory_on(&stated, "S", "(128, 192)", "alloc_shared", "T.serial(8)"),
        "48 KiB of 48 KiB of shared memory (`shared.dyn`)"
    );
}
