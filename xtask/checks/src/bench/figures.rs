//! The figures of one part of the benchmark: printed when they are known, and kept for the page of proof.

use serde_json::{Value, json};

use crate::proof;
use crate::workspace::{Workspace, say};

/// One thing that was measured, with the peer's figure of the same run.
#[derive(Clone, Debug, Default)]
pub(super) struct Figure {
    what: String,
    ours: String,
    peer: Option<String>,
    ratios: Vec<f64>,
    growth: Option<String>,
}

impl Figure {
    /// The thing, and our figure with its unit.
    pub(super) fn new(what: impl Into<String>, ours: impl Into<String>) -> Figure {
        Figure { what: what.into(), ours: ours.into(), ..Figure::default() }
    }

    /// The peer's figure, with its name, and how many times it is ours (of each of our figures, if there are several).
    pub(super) fn beside(mut self, peer: impl Into<String>, ratios: &[f64]) -> Figure {
        self.peer = Some(peer.into());
        self.ratios = ratios.to_vec();
        self
    }

    /// By how much our figure grows with the input.
    pub(super) fn grows(mut self, growth: impl Into<String>) -> Figure {
        self.growth = Some(growth.into());
        self
    }

    fn ratio(&self) -> Option<String> {
        let times: Vec<_> = self.ratios.iter().map(|it| format!("{it:.1}")).collect();
        (!times.is_empty()).then(|| times.join(" and "))
    }

    fn line(&self) -> String {
        let mut line = format!("{}: {}", self.what, self.ours);
        if let Some(peer) = &self.peer {
            line += &format!("; {peer}");
        }
        if let Some(ratio) = self.ratio() {
            line += &format!(": {ratio} times");
        }
        if let Some(growth) = &self.growth {
            line += &format!("; growth {growth}");
        }
        line
    }

    fn record(&self) -> Value {
        json!({
            "what": self.what, "ours": self.ours, "peer": self.peer, "ratio": self.ratio(), "growth": self.growth,
        })
    }
}

/// The figures of one part, in the order in which they were measured.
#[derive(Debug)]
pub(super) struct Figures {
    part: &'static str,
    figures: Vec<Figure>,
}

impl Figures {
    pub(super) fn of(part: &'static str) -> Figures {
        Figures { part, figures: Vec::new() }
    }

    /// Prints a figure and keeps it.
    pub(super) fn tell(&mut self, figure: Figure) {
        say(format_args!("{}", figure.line()));
        self.figures.push(figure);
    }

    /// Leaves a record for the page of proof, with what the inputs were.
    ///
    /// # Errors
    /// The file cannot be written, or there is no date.
    pub(super) fn write(&self, inputs: &str, ws: &Workspace) -> anyhow::Result<()> {
        let figures: Vec<_> = self.figures.iter().map(Figure::record).collect();
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let record = json!({ "inputs": inputs, "processors": processors, "figures": figures });
        proof::write(&format!("bench-{}", self.part), record, ws)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_figure_is_a_line() {
        let figure = Figure::new("opt, flat", "one thread 2.0 s, two 1.0 s")
            .beside("mlir-opt 8.0 s", &[4.0, 8.0]);
        expect![
            "opt, flat: one thread 2.0 s, two 1.0 s; mlir-opt 8.0 s: 4.0 and 8.0 times; growth 2.1"
        ]
        .assert_eq(&figure.grows("2.1").line());
        expect!["check: 3 s"].assert_eq(&Figure::new("check", "3 s").line());
    }
}
