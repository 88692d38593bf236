//! The work between two looks at the flag that ends a computation: it does not grow with the function that the question
//! is about. So a question about a function of 100,000 lines ends as soon as one about a small one.
//!
//! Work is counted in allocations, which no other load of the machine changes: almost whatever is done for each part of
//! a text makes something. What a computation that is given up has made is freed all the same, as it unwinds. Times are
//! printed by the bench `latency` alone.

#![expect(unsafe_code, reason = "an allocator is unsafe to write")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

use ide::{
    Analysis, AnalysisHost, DiagnosticsConfig, FileId, InlayHintsConfig, Language, TextRange,
};
use ir::interrupt::observed;
use test_utils::operations::{Shape, mlir};

thread_local! {
    static WORK: Cell<u64> = const { Cell::new(0) };
    /// At the last look.
    static BEFORE: Cell<u64> = const { Cell::new(0) };
    static LONGEST: Cell<u64> = const { Cell::new(0) };
    static LOOKS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: hands every call on, with the arguments that it got.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        WORK.set(WORK.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn look() {
    let work = WORK.get();
    LONGEST.set(LONGEST.get().max(work - BEFORE.get()));
    LOOKS.set(LOOKS.get() + 1);
    BEFORE.set(work);
}

/// The longest stretch between two looks, of so many.
fn stretches(run: impl FnOnce()) -> (u64, u64) {
    LONGEST.set(0);
    LOOKS.set(0);
    BEFORE.set(WORK.get());
    observed(look, run);
    look();
    (LONGEST.get(), LOOKS.get())
}

/// One function of `n` statements, which shares values and has some findings.
fn statements(n: usize) -> String {
    let mut text = String::from(
        "from tvm.script import tirx as T\n\n\n@T.prim_func\n\
         def f(A: T.Buffer((1024,), \"int32\"), B: T.Buffer((1024,), \"int32\"), n: T.int32):\n",
    );
    for it in 0..n {
        let (a, b, c) = (it % 97, it % 13, it % 31);
        text.push_str(&format!("    A[n * {a} + {b}] = B[n * {a} + {it}] + n * {c}\n"));
    }
    text
}

const FILE: FileId = FileId(0);

type Question = fn(&Analysis, TextRange);

/// The questions that editors ask without a command of their user. Each is asked of a fresh host.
const QUESTIONS: &[(&str, Question)] = &[
    ("hints on the screen", |it, screen| {
        let config = InlayHintsConfig { tooltips: false, ..InlayHintsConfig::default() };
        it.inlay_hints(FILE, Some(screen), &config).unwrap();
    }),
    ("all hints", |it, _| {
        let config = InlayHintsConfig { all: true, ..InlayHintsConfig::default() };
        it.inlay_hints(FILE, None, &config).unwrap();
    }),
    ("diagnostics", |it, _| {
        it.diagnostics(FILE, &DiagnosticsConfig::default()).unwrap();
    }),
    ("tokens", |it, _| {
        it.semantic_tokens(FILE, None).unwrap();
    }),
    ("hover", |it, screen| {
        it.hover(FILE, screen.start()).unwrap();
    }),
    ("actions", |it, screen| {
        it.code_action_titles(FILE, screen, &|_| true).unwrap();
    }),
    ("symbols", |it, _| {
        it.document_symbols(FILE).unwrap();
    }),
    ("folds", |it, _| {
        it.folding_ranges(FILE).unwrap();
    }),
    ("references", |it, screen| {
        it.references(FILE, screen.start(), true).unwrap();
    }),
    ("highlights", |it, screen| {
        it.highlights(FILE, screen.start()).unwrap();
    }),
];

/// The longest stretches of the questions about a text.
fn of_questions(language: Language, text: &str) -> Vec<(&'static str, u64)> {
    let middle = text.len() / 2;
    let at = middle + text[middle..].find(" = ").unwrap_or_default() + 4;
    let screen = TextRange::new((at as u32).into(), (at as u32 + 1000).into());
    let ask = |&(name, question): &(&'static str, Question)| {
        let mut host = AnalysisHost::new();
        host.open_file(FILE, syntax::parse_as(language, text));
        let analysis = host.analysis();
        let (longest, n_looks) = stretches(|| question(&analysis, screen));
        assert!(n_looks > 0, "{name} does not look at all");
        (name, longest)
    };
    QUESTIONS.iter().map(ask).collect()
}

#[track_caller]
fn check(language: Language, text: fn(usize) -> String) {
    const SMALL: usize = 1_000;
    // Tables that grow are moved as a whole now and then.
    const ROOM: u64 = 2_000;
    let (small, large) = (text(SMALL), text(4 * SMALL));
    let (small, large) = (of_questions(language, &small), of_questions(language, &large));
    let grown: Vec<_> = small.iter().zip(&large).filter(|(a, b)| b.1 > a.1.max(ROOM)).collect();
    assert!(grown.is_empty(), "longest stretches that grow with the function: {grown:#?}");
}

#[test]
fn questions_about_long_functions_of_operations_end_at_once() {
    check(Language::Mlir, |n| mlir(Shape::Flat, n));
}

#[test]
fn questions_about_long_functions_of_statements_end_at_once() {
    check(Language::TvmScript, statements);
}
