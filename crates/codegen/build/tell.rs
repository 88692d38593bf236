//! Sets an environment variable of the compiler to a hash of the inputs that determine a crate's output.
//!
//! In: a crate of this workspace. Out: FNV-1a over names and contents of the files of its inputs, and over the
//! packages.

use std::{env, fs, io, path::PathBuf};

use crate::sources::inputs_of;

/// Sets `variable` for the crate that is being built: the hash of the inputs that determine the output of `name`.
pub(crate) fn tell(variable: &str, name: &str) -> io::Result<()> {
    let manifest = env::var("CARGO_MANIFEST_DIR").map(PathBuf::from).map_err(io::Error::other)?;
    let root = manifest.join("../..");
    let inputs = inputs_of(&root, name)?;
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for file in &inputs.files {
        let name = file.strip_prefix(&root).unwrap_or(file).as_os_str().as_encoded_bytes();
        name.iter().for_each(|&byte| mix(&mut hash, byte));
        fs::read(file)?.into_iter().for_each(|byte| mix(&mut hash, byte));
        println!("cargo:rerun-if-changed={}", file.display());
        // New files count, too.
        if let Some(sources) = file.ancestors().find(|it| it.ends_with("src")) {
            println!("cargo:rerun-if-changed={}", sources.display());
        }
    }
    println!("cargo:rerun-if-changed={}", root.join("Cargo.lock").display());
    inputs.packages.iter().flat_map(|it| it.bytes()).for_each(|byte| mix(&mut hash, byte));
    println!("cargo:rustc-env={variable}={hash:016x}");
    Ok(())
}

fn mix(hash: &mut u64, byte: u8) {
    *hash = (*hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
}
