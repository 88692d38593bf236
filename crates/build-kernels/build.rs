//! Hashes the sources that turn texts into bodies, so that nothing that a text remembers outlives a change of them.

#[path = "../codegen/build/sources.rs"]
mod sources;

fn main() -> std::io::Result<()> {
    sources::tell(
        "READER_SOURCES",
        &["build-kernels", "frontend", "ir", "parser", "syntax", "transform"],
    )
}
