//! `tir-analyzer build` as processes: the cost of an edit, binaries, kills at any moment, two at once, watching.

mod binaries;
mod incremental;
mod kills;
mod launch;
mod project;
mod watch;
