//! `opt --preset mlir` against `mlir-opt --cse`: whole processes on the same synthetic files, one after the other.
//!
//! The time of a file is the least of a few runs, which take turns with the peer's: a machine that slows down for half
//! a minute slows down both. Superlinear growth shows in the last column.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use test_utils::operations::{Shape, mlir};

use super::figures::{Figure, Figures};
use super::memory::{high_water_mark, release_binary};
use crate::conformance::mlir::mlir_opt;
use crate::workspace::{Workspace, complain};

const ROUNDS: usize = 4;

/// Shapes with the number of operations that they are measured at: fewer where a peer is quadratic.
const SIZES: [(Shape, usize); 8] = [
    (Shape::Flat, 1_000_000),
    (Shape::Functions, 1_000_000),
    (Shape::Chain, 1_000_000),
    (Shape::Diamonds, 1_000_000),
    (Shape::Nest, 1_000_000),
    (Shape::LoadStore, 1_000_000),
    (Shape::Loads, 15_000),
    (Shape::Regions, 4_000),
];

/// The cost of running a program.
#[derive(Clone, Copy)]
struct Cost {
    seconds: f64,
    peak: u64,
}

impl Cost {
    /// The run that took less time.
    fn or(self, other: Cost) -> Cost {
        if other.seconds < self.seconds { other } else { self }
    }
}

pub(super) fn run(ws: &Workspace) -> anyhow::Result<Figures> {
    let mut figures = Figures::of("operations");
    let ours = release_binary(ws)?;
    let peer = match mlir_opt() {
        Ok(path) => Some(path),
        Err(skip) => {
            complain(format_args!("skipped: {skip}"));
            None
        }
    };
    let folder = tempfile::tempdir()?;
    for (shape, n) in SIZES {
        let file = |n: usize| -> anyhow::Result<(PathBuf, u64)> {
            let path = folder.path().join(format!("{n}.mlir"));
            let text = mlir(shape, n);
            std::fs::write(&path, &text)?;
            Ok((path, text.len() as u64))
        };
        let (small, small_bytes) = file(n / 2)?;
        let (whole, bytes) = file(n)?;
        let opt = |path: &Path, jobs: &str| {
            let args = ["opt", "--preset", "mlir", "--jobs", jobs];
            measure(&ours, &args, path)
        };
        let cse = |program: &PathBuf| {
            let args = ["--cse", "--allow-unregistered-dialect", "--mlir-disable-threading"];
            measure(program, &args, &whole)
        };
        let (mut one, mut two, mut half) =
            (opt(&whole, "1")?, opt(&whole, "2")?, opt(&small, "1")?);
        let mut peer_cost = peer.as_ref().map(cse).transpose()?;
        for _ in 1..ROUNDS {
            one = one.or(opt(&whole, "1")?);
            two = two.or(opt(&whole, "2")?);
            half = half.or(opt(&small, "1")?);
            if let (Some(cost), Some(program)) = (&mut peer_cost, &peer) {
                *cost = cost.or(cse(program)?);
            }
        }
        let figure = Figure::new(
            format!(
                "opt --preset mlir, {} ({n} operations, {:.1} MB)",
                shape.name(),
                bytes as f64 / 1e6
            ),
            format!(
                "one thread {:.3} s, two {:.3} s, {:.1} times the text in memory",
                one.seconds,
                two.seconds,
                one.peak as f64 / bytes as f64
            ),
        )
        .grows(format!(
            "{:.2} from the half, for {:.2} times the text",
            one.seconds / half.seconds,
            bytes as f64 / small_bytes as f64
        ));
        figures.tell(match peer_cost {
            Some(peer) => {
                let times_text = peer.peak as f64 / bytes as f64;
                figure.beside(
                    format!("mlir-opt --cse {:.3} s, {times_text:.1} times the text", peer.seconds),
                    &[peer.seconds / one.seconds, peer.seconds / two.seconds],
                )
            }
            None => figure,
        });
    }
    Ok(figures)
}

fn measure(program: &Path, args: &[&str], file: &Path) -> anyhow::Result<Cost> {
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(args)
        .arg(file)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let mut peak = 0;
    loop {
        peak = high_water_mark(child.id()).unwrap_or(peak);
        if let Some(status) = child.try_wait()? {
            anyhow::ensure!(status.success(), "{} failed: {status}", program.display());
            return Ok(Cost { seconds: start.elapsed().as_secs_f64(), peak });
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
