//! `tir-analyzer build` as processes: what an edit costs, binaries, kills at any moment, two at once, watching.

mod binaries;
mod incremental;
mod kills;
mod launch;
mod project;
mod watch;
