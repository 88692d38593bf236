//! Long sessions of a server: its memory after many edits, documents and folders is that after a few.
//!
//! Each test repeats one thing, and compares the memory of the second half of its rounds with that of the first: it
//! must not grow. The short form runs with all tests; `TIR_SOAK=long` runs the form whose figures are in
//! `tests/README.md`.

mod session;

use session::{Session, is_long};

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs /proc")]
fn edits() {
    let mut session = Session::start();
    let mut documents = session.open_samples();
    session.soak("edits", if is_long() { 100_000 } else { 1_500 }, |session, round| {
        session.edit(&mut documents, round);
    });
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs /proc")]
fn documents_opened_and_closed() {
    let mut session = Session::start();
    session.soak(
        "documents opened and closed",
        if is_long() { 10_000 } else { 150 },
        |session, round| {
            session.open_and_close(round);
        },
    );
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs /proc")]
fn documents_opened_and_closed_beside_an_open_one() {
    let mut session = Session::start();
    let _open = session.open_samples();
    session.soak("beside open ones", if is_long() { 10_000 } else { 150 }, |session, round| {
        session.open_and_close(round);
    });
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs /proc")]
fn large_document_closed_and_reopened() {
    let mut session = Session::start();
    let document = session.large(if is_long() { 754_000 } else { 60_000 });
    let rounds = if is_long() { 50 } else { 20 };
    session.soak("one large document", rounds, |session, _| session.open_ask_close(&document));
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs /proc")]
fn folders_added_and_removed() {
    let mut session = Session::start();
    session.soak("folders", if is_long() { 1_000 } else { 60 }, |session, round| {
        session.change_folders(round);
    });
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs /proc")]
fn many_documents_at_once() {
    let mut session = Session::start();
    session.open_and_close(0);
    let before = session.settled();
    let n = if is_long() { 2_000 } else { 60 };
    let n_bytes = session.open_all(n);
    let open = session.settled();
    session.close_all(n);
    let after = session.at_rest();
    session.report(
        &format!("{n} documents ({} KB) open at once, then closed", n_bytes / 1000),
        &[before, open, after],
    );
    // What the process has beside what it holds differs by some pages.
    let most = before.resident * 3 / 2;
    assert!(after.resident <= most, "{before:?}, {after:?}");
}
