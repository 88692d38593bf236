//! A change cancels the requests on older snapshots, and nothing hangs.

use std::{sync::mpsc::channel, thread};

use db::Database as _;
use ir::interrupt::counted;

use super::{FILE, function, host};
use crate::{AnalysisHost, Cancelled, DiagnosticsConfig, InlayHintsConfig, Language, Worth};

/// Every line has a hint.
const ALL: InlayHintsConfig = InlayHintsConfig {
    all: false,
    tiles: true,
    worth: Worth::ALL,
    tooltips: true,
    limit: usize::MAX,
};

fn large() -> String {
    let lines: String = (2..402).map(|it| format!("A[i * {it} + j] = B[i * {it} + j]\n")).collect();
    function(&lines)
}

#[test]
fn change_cancels_a_question_that_is_being_answered() {
    let mut host = host(&large());
    let analysis = host.analysis();
    let (begin, begun) = channel();
    let asking = thread::spawn(move || {
        analysis.ask(FILE, |db, _| {
            begin.send(()).unwrap();
            loop {
                db.unwind_if_revision_cancelled();
            }
        })
    });
    begun.recv().unwrap();
    host.open_file(FILE, syntax::parse(&large().replace("j]", "n]")));
    assert_eq!(asking.join().unwrap(), Err::<(), _>(Cancelled));
    let hints = host.analysis().inlay_hints(FILE, None, &ALL).unwrap();
    assert_eq!(hints.len(), 400);
}

#[test]
fn question_that_a_change_does_not_cancel_has_seen_a_whole_state() {
    let mut host = host("");
    let texts = [large(), large().replace("j]", "n]")];
    for round in 0..20 {
        host.open_file(FILE, syntax::parse(&texts[round % 2]));
        let analysis = host.analysis();
        let (begin, begun) = channel();
        let asking = thread::Builder::new()
            .stack_size(16 << 20)
            .spawn(move || {
                begin.send(()).unwrap();
                analysis.inlay_hints(FILE, None, &ALL)
            })
            .unwrap();
        begun.recv().unwrap();
        host.open_file(FILE, syntax::parse(&texts[(round + 1) % 2]));
        if let Ok(hints) = asking.join().unwrap() {
            assert_eq!(hints.len(), 400);
        }
    }
    let hints = host.analysis().inlay_hints(FILE, None, &ALL).unwrap();
    assert_eq!(hints.len(), 400);
}

#[test]
fn token_cancels_one_snapshot_only() {
    let host = host(&large());
    let analysis = host.analysis();
    analysis.cancellation_token().cancel();
    assert_eq!(analysis.inlay_hints(FILE, None, &ALL), Err(Cancelled));
    assert!(host.analysis().inlay_hints(FILE, None, &ALL).is_ok());
}

#[test]
fn what_is_done_for_each_part_of_a_large_unit_comes_by_the_flag() {
    const N_OPS: u64 = 1000;
    let ops: String = (0..N_OPS).map(|it| format!("  %{it} = arith.addi %a, %a : i32\n")).collect();
    let text = format!("func.func @f(%a: i32) {{\n{ops}  return\n}}\n");
    let mut host = AnalysisHost::new();
    host.open_file(FILE, syntax::parse_as(Language::Mlir, &text));
    let analysis = host.analysis();
    let (tokens, looks) = counted(|| analysis.semantic_tokens(FILE, None).unwrap().len());
    assert!(tokens as u64 > N_OPS && looks > N_OPS, "{looks} for {tokens} tokens");
    let config = DiagnosticsConfig::default();
    let (_, looks) = counted(|| analysis.diagnostics(FILE, &config).unwrap());
    assert!(looks > N_OPS, "{looks} for {N_OPS} operations");
}
