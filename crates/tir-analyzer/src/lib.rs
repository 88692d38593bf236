#![doc = include_str!("../README.md")]

pub mod cli;
pub mod config;
pub mod server;
mod suggest;
mod walk;
