#![doc = include_str!("../README.md")]

pub mod cli;
pub mod config;
mod mcp;
mod notebook;
pub mod server;
mod solver;
mod suggest;
mod tilelang;
mod version;
mod walk;
