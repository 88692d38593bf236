//! The work of each stage, counted: allocations and bytes of them for a kilobyte of text, and seconds; one JSON object
//! a line on standard output.
//!
//! `cargo bench -p transform --bench work -- all FOLDER…`, or one of [`STAGES`] in the place of `all`. Counts do not
//! depend on what else the machine does. For instructions, run the built program under `valgrind --tool=callgrind
//! --collect-atstart=no --toggle-collect='*stage_lower*'`, or any other stage of [`STAGES`].

#![expect(unsafe_code, reason = "an allocator is unsafe to write")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    hint::black_box,
    io::Write as _,
    path::Path,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Instant,
};

use dataflow::analyses::Analyses;
use ir::{Body, Occurrences, effects::EffectTable, plan::Preset};
use serde_json::json;
use syntax::Parse;
use transform::{
    cse::{self, CseOptions},
    simplify::{self, SimplifyOptions},
};

static COUNT: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

struct Counting;

// SAFETY: hands every call on, with the arguments that it got.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(ptr, layout, size) }
    }
}

fn count(size: usize) {
    // Two plain steps: the program has one thread, and a locked instruction would cost more than many allocations.
    COUNT.store(COUNT.load(Relaxed) + 1, Relaxed);
    BYTES.store(BYTES.load(Relaxed) + size as u64, Relaxed);
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[inline(never)]
fn stage_parse(texts: &[String]) -> Vec<Parse> {
    texts.iter().map(|it| syntax::parse(it)).collect()
}

#[inline(never)]
fn stage_lower(parses: &[Parse]) -> Vec<Body> {
    let mut bodies = Vec::new();
    for parse in parses {
        let functions = frontend::tvmscript::functions(parse);
        for item in &functions.functions {
            let lowered = frontend::tvmscript::lower(&item.source, &functions.environment(item));
            bodies.push(black_box(lowered).body);
        }
    }
    bodies
}

fn cse(bodies: &[Body], preset: Preset) {
    let allow_unsound = preset != Preset::Default;
    let options = CseOptions { preset, allow_unsound, ..CseOptions::default() };
    for body in bodies {
        let occurrences = Occurrences::collect(body);
        let analyses = Analyses::of(body, &occurrences, EffectTable::builtin());
        black_box(cse::plan(&analyses, None, &options));
    }
}

#[inline(never)]
fn stage_tvm(bodies: &[Body]) {
    cse(bodies, Preset::Tvm);
}

#[inline(never)]
fn stage_default(bodies: &[Body]) {
    cse(bodies, Preset::Default);
}

#[inline(never)]
fn stage_simplify(bodies: &[Body]) {
    for body in bodies {
        let occurrences = Occurrences::collect(body);
        let analyses = Analyses::of(body, &occurrences, EffectTable::builtin());
        let plan = simplify::plan(&analyses, None, &SimplifyOptions::default());
        black_box(simplify::rewrite(body, &occurrences, &plan));
    }
}

/// All stages, by name.
const STAGES: [&str; 5] = ["parse", "lower", "tvm", "default", "simplify"];

fn counted<T>(bytes: usize, stage: &str, wanted: &str, run: impl Fn() -> T) -> std::io::Result<T> {
    let before = (COUNT.load(Relaxed), BYTES.load(Relaxed));
    let result = run();
    let (allocations, allocated) = (COUNT.load(Relaxed) - before.0, BYTES.load(Relaxed) - before.1);
    if wanted != "all" && wanted != stage {
        return Ok(result);
    }
    let mut seconds = f64::INFINITY;
    for _ in 0..if wanted == "all" { 5 } else { 0 } {
        let start = Instant::now();
        let again = run();
        seconds = seconds.min(start.elapsed().as_secs_f64());
        drop(again);
    }
    let kilobytes = bytes as f64 / 1e3;
    let line = json!({
        "bench": "work", "stage": stage, "bytes": bytes, "seconds": seconds,
        "megabytes_per_second": bytes as f64 / 1e6 / seconds,
        "allocations_per_kilobyte": allocations as f64 / kilobytes,
        "bytes_allocated_per_byte": allocated as f64 / bytes as f64,
    });
    writeln!(std::io::stdout().lock(), "{line}")?;
    Ok(result)
}

fn main() -> std::io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    let wanted = args.first().map_or("all", String::as_str);
    assert!(wanted == "all" || STAGES.contains(&wanted), "no stage {wanted}: {STAGES:?}");
    let mut texts = Vec::new();
    for folder in args.iter().skip(1) {
        for file in test_utils::python_files(Path::new(folder))? {
            texts.extend(std::fs::read_to_string(file).ok());
        }
    }
    let bytes = texts.iter().map(String::len).sum();
    let parses = counted(bytes, "parse", wanted, || stage_parse(&texts))?;
    let bodies = counted(bytes, "lower", wanted, || stage_lower(&parses))?;
    for (stage, run) in [
        ("tvm", stage_tvm as fn(&[Body])),
        ("default", stage_default),
        ("simplify", stage_simplify),
    ] {
        if wanted == "all" || wanted == stage {
            counted(bytes, stage, wanted, || run(&bodies))?;
        }
    }
    Ok(())
}
