//! Guards around the items of an answer: a panic costs one item, not the answer.
//!
//! In: a closure that makes an item of an answer, and the function that it is about. Out: the item, or `None`. Panics
//! are collected until the question is answered, and are given beside the answer ([`crate::Analysis::take_lost`]).

use std::cell::RefCell;

use db::{RootDatabase, SourceFile};
use ir::guard::{Panicked, Stage, guarded};
use syntax::TextSize;

thread_local! {
    /// The items that this thread's answers lost to panics.
    static LOST: RefCell<Vec<Panicked>> = const { RefCell::new(Vec::new()) };
}

/// Makes an item of an answer about a function; none if that panics.
pub(crate) fn item<T>(function: &str, make: impl FnOnce() -> T) -> Option<T> {
    try_item(function, make).map_err(lose).ok()
}

/// Like [`item`], for callers that report panics themselves.
pub(crate) fn try_item<T>(function: &str, make: impl FnOnce() -> T) -> Result<T, Panicked> {
    guarded(Stage::Showing, function, make)
}

/// The name of the unit at an offset; empty where there is none.
pub(crate) fn name_at(db: &RootDatabase, file: SourceFile, offset: TextSize) -> &str {
    db::unit_at(db, file, offset).map_or("", |it| it.unit.name(db))
}

/// Answers a question about one place; with nothing if that panics.
pub(crate) fn at<T: Default>(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
    question: impl FnOnce(&RootDatabase, SourceFile, TextSize) -> T,
) -> T {
    try_at(db, file, offset, question).map_err(lose).unwrap_or_default()
}

/// As [`at`], for those who tell it themselves.
pub(crate) fn try_at<T>(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
    question: impl FnOnce(&RootDatabase, SourceFile, TextSize) -> T,
) -> Result<T, Panicked> {
    try_item(name_at(db, file, offset), || question(db, file, offset))
}

fn lose(panicked: Panicked) {
    LOST.with_borrow_mut(|it| it.push(panicked));
}

/// Takes the lost items since the last call, on this thread.
pub(crate) fn take_lost() -> Vec<Panicked> {
    LOST.take()
}
