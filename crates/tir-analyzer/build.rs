//! Tells the program which sources it is made of, and how: the text behind `--version`.

#[path = "build/commit.rs"]
mod commit;

use std::env::var;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    let target = var("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=TIR_ANALYZER_TARGET={target}");
    println!("cargo::rustc-env=TIR_ANALYZER_PROFILE={}", profile());
    let folder = PathBuf::from(var("CARGO_MANIFEST_DIR").unwrap_or_default());
    // A build for development is made of what is in the editor, not of a commit; and it would be made again at each.
    let found = match var("PROFILE").as_deref() {
        Ok("release") => commit::of(&folder),
        _ => None,
    };
    let number = var("CARGO_PKG_VERSION").unwrap_or_default();
    let version = match &found {
        Some(commit) => format!("{number} ({})", commit.short()),
        None => number,
    };
    let commit = found.as_ref().map_or("not known".to_owned(), commit::Commit::long);
    println!("cargo::rustc-env=TIR_ANALYZER_VERSION={version}");
    println!("cargo::rustc-env=TIR_ANALYZER_COMMIT={commit}");
    for path in found.iter().flat_map(|it| &it.changes_with) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}

/// The profile by its name, which cargo tells only by the folder that this script writes to:
/// `PROFILE/build/PACKAGE-HASH/out`.
fn profile() -> String {
    let out = var("OUT_DIR").unwrap_or_default();
    let named = Path::new(&out).ancestors().find(|it| it.ends_with("build")).and_then(Path::parent);
    match named.and_then(Path::file_name).and_then(|it| it.to_str()) {
        Some(name) if name != "debug" => name.to_owned(),
        _ => match var("PROFILE").as_deref() {
            Ok("debug") | Err(_) => "dev".to_owned(),
            Ok(other) => other.to_owned(),
        },
    }
}
