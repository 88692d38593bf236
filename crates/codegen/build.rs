//! Hashes everything that determines the generated code, so that no artifact outlives a change of the generator.

#[path = "build/sources.rs"]
mod sources;
#[path = "build/tell.rs"]
mod tell;

fn main() -> std::io::Result<()> {
    tell::tell("CODEGEN_SOURCES", "codegen")
}
