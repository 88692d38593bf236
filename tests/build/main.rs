//! `tir-analyzer build` as processes: what an edit costs, kills at any moment, two at once, watching.

mod incremental;
mod kills;
mod launch;
mod project;
mod watch;
