//! Hashes everything that turns texts into bodies and runs compilers, so that no store entry outlives a change of it.

#[path = "../codegen/build/sources.rs"]
mod sources;
#[path = "../codegen/build/tell.rs"]
mod tell;

fn main() -> std::io::Result<()> {
    tell::tell("READER_SOURCES", "build-kernels")
}
