//! Hashes the sources that decide what code is generated, so that no artifact outlives a change of the generator.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

fn main() -> io::Result<()> {
    let manifest = env::var("CARGO_MANIFEST_DIR").map(PathBuf::from).map_err(io::Error::other)?;
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for source in ["../arith", "../codegen", "../dataflow", "../ir", "../transform"] {
        let source = manifest.join(source).join("src");
        if source.is_dir() {
            println!("cargo:rerun-if-changed={}", source.display());
            hash_folder(&source, &mut hash)?;
        }
    }
    println!("cargo:rustc-env=CODEGEN_SOURCES={hash:016x}");
    Ok(())
}

/// FNV-1a over names and contents, in the order of names.
fn hash_folder(folder: &Path, hash: &mut u64) -> io::Result<()> {
    let mut entries =
        fs::read_dir(folder)?.map(|it| it.map(|it| it.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        name.iter().for_each(|&byte| mix(hash, byte));
        if path.is_dir() {
            hash_folder(&path, hash)?;
        } else {
            fs::read(&path)?.into_iter().for_each(|byte| mix(hash, byte));
        }
    }
    Ok(())
}

fn mix(hash: &mut u64, byte: u8) {
    *hash = (*hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
}
