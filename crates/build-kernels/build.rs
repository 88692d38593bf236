//! Hashes all that turns texts into bodies and runs compilers, so that nothing that a store remembers outlives a change of it.

#[path = "../codegen/build/sources.rs"]
mod sources;

fn main() -> std::io::Result<()> {
    sources::tell("READER_SOURCES", "build-kernels")
}
