//! Hashes all that turns texts into bodies and runs compilers, so that nothing that a store remembers outlives a change of it.

#[path = "../codegen/build/sources.rs"]
mod sources;
#[path = "../codegen/build/tell.rs"]
mod tell;

fn main() -> std::io::Result<()> {
    tell::tell("READER_SOURCES", "build-kernels")
}
