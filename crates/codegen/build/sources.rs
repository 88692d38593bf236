//! A hash over the sources of some crates, for build scripts: a variable of the compiler's environment.
//!
//! In: names of crates. Out: FNV-1a over names and contents of all files in their `src`, and of the tables beside it.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

/// Sets `variable` for the crate that is being built. A crate that is not there counts as empty.
pub(crate) fn tell(variable: &str, crates: &[&str]) -> io::Result<()> {
    let manifest = env::var("CARGO_MANIFEST_DIR").map(PathBuf::from).map_err(io::Error::other)?;
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for name in crates {
        let folder = manifest.join("..").join(name);
        for source in [folder.join("src"), folder.join("effects.toml")] {
            if source.exists() {
                println!("cargo:rerun-if-changed={}", source.display());
                add(&source, &mut hash)?;
            }
        }
    }
    println!("cargo:rustc-env={variable}={hash:016x}");
    Ok(())
}

/// A file, or all of a folder in the order of names.
fn add(path: &Path, hash: &mut u64) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    name.iter().for_each(|&byte| mix(hash, byte));
    if !path.is_dir() {
        fs::read(path)?.into_iter().for_each(|byte| mix(hash, byte));
        return Ok(());
    }
    let mut entries =
        fs::read_dir(path)?.map(|it| it.map(|it| it.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    entries.iter().try_for_each(|it| add(it, hash))
}

fn mix(hash: &mut u64, byte: u8) {
    *hash = (*hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
}
