//! Generations of the database: a change waits for nobody, and closed files are not kept.

use std::{sync::mpsc, thread};

use super::{FILE, function, host};
use crate::{Cancelled, FileId, InlayHintsConfig, Language};

const TWICE: &str = "A[i] = B[i * 7 + j] + B[i * 7 + j]\n";

fn n_hints(host: &crate::AnalysisHost, file: FileId) -> usize {
    host.analysis().inlay_hints(file, None, &InlayHintsConfig::default()).unwrap().len()
}

#[test]
fn change_does_not_wait_for_who_does_not_look() {
    let mut host = host(&function(TWICE));
    let (begun, has_begun) = mpsc::channel();
    let (free, is_free) = mpsc::channel::<()>();
    let analysis = host.analysis();
    let reader = thread::spawn(move || {
        begun.send(()).unwrap();
        // As a computation that looks at nothing.
        is_free.recv().unwrap();
        analysis.inlay_hints(FILE, None, &InlayHintsConfig::default())
    });
    has_begun.recv().unwrap();
    host.open_file(FILE, syntax::parse(&function(&TWICE.repeat(2))));
    assert_eq!(host.generation(), 1);
    assert_eq!(n_hints(&host, FILE), 2);
    free.send(()).unwrap();
    assert_eq!(reader.join().unwrap(), Err(Cancelled));
    // With nobody left the next change is an ordinary one.
    host.open_file(FILE, syntax::parse(&function(TWICE)));
    assert_eq!(host.generation(), 1);
}

#[test]
fn passes_are_stopped_where_they_are() {
    let host = host("");
    let analysis = host.analysis();
    let token = analysis.cancellation_token();
    let reader = thread::spawn(move || analysis.hang(true));
    thread::sleep(core::time::Duration::from_millis(20));
    token.cancel();
    assert_eq!(reader.join().unwrap(), Err(Cancelled));
}

#[test]
fn closed_files_are_dropped_once_they_outweigh_open_ones() {
    let mut host = host(&function(TWICE));
    let other = FileId(7);
    // Small files are kept: most are opened again.
    host.set_text(other, Language::TvmScript, function(TWICE).into());
    assert_eq!(n_hints(&host, other), 1);
    host.close_file(other);
    assert_eq!((host.generation(), n_hints(&host, other)), (0, 0));
    let large = format!("{}# {}\n", function(TWICE), "x".repeat(300_000));
    host.set_text(other, Language::TvmScript, large.into());
    assert_eq!(n_hints(&host, other), 1);
    host.close_file(other);
    assert_eq!((host.generation(), n_hints(&host, other)), (1, 0));
    assert_eq!(n_hints(&host, FILE), 1);
    // Nothing is open: nothing is kept.
    host.close_file(FILE);
    assert_eq!(host.generation(), 2);
}
