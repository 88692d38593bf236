//! Hashes all that decides what code is generated, so that no artifact outlives a change of the generator.

#[path = "build/sources.rs"]
mod sources;

fn main() -> std::io::Result<()> {
    sources::tell("CODEGEN_SOURCES", "codegen")
}
