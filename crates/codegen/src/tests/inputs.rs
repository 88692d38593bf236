//! Every input of an artifact is in its key.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

#[path = "../../build/sources.rs"]
mod sources;

/// The crates whose hashes are in keys.
const ROOTS: [&str; 2] = ["codegen", "build-kernels"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("a workspace")
}

/// All files of Rust in a folder.
fn rust(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            rust(&path, found);
        } else if path.extension().is_some_and(|it| it == "rs") {
            found.push(path);
        }
    }
}

/// The crates of the workspace that have a file among the inputs.
fn crates(inputs: &sources::Inputs, root: &Path) -> BTreeSet<PathBuf> {
    let folder = root.join("crates");
    let name =
        |it: &PathBuf| it.strip_prefix(&folder).ok()?.iter().next().map(|it| folder.join(it));
    inputs.files.iter().filter_map(name).collect()
}

#[test]
fn included_files_are_hashed() {
    let root = root();
    for name in ROOTS {
        let inputs = sources::inputs_of(&root, name).expect("inputs");
        let mut n_included = 0;
        for file in inputs.files.iter().filter(|it| it.extension().is_some_and(|it| it == "rs")) {
            let text = fs::read_to_string(file).expect("a source");
            for part in text.split("include_").skip(1) {
                let path = part.strip_prefix("str!(\"").or_else(|| part.strip_prefix("bytes!(\""));
                let Some((path, _)) = path.and_then(|it| it.split_once('"')) else { continue };
                let path =
                    file.parent().expect("a folder").join(path).canonicalize().expect("a file");
                n_included += 1;
                assert!(
                    inputs.files.contains(&path) || path.extension().is_some_and(|it| it == "md"),
                    "{} includes {}, which no key has",
                    file.display(),
                    path.display()
                );
            }
        }
        assert!(n_included > 5);
    }
}

#[test]
fn unhashed_files_are_compiled_for_tests_only() {
    let root = root();
    for name in ROOTS {
        let inputs = sources::inputs_of(&root, name).expect("inputs");
        for folder in crates(&inputs, &root) {
            let mut all = Vec::new();
            rust(&folder.join("src"), &mut all);
            for file in all.iter().filter(|it| !inputs.files.contains(*it)) {
                // The folder `tests` belongs to `tests.rs`.
                let above =
                    file.ancestors().find(|it| it.file_name().is_some_and(|it| it == "tests"));
                let module = above.unwrap_or(file).with_extension("");
                let name = module.file_name().expect("a name").to_string_lossy().into_owned();
                let parent = module.parent().expect("a folder");
                let declaring =
                    [parent.with_extension("rs"), parent.join("mod.rs"), parent.join("lib.rs")];
                let text = declaring.iter().find_map(|it| fs::read_to_string(it).ok());
                let text = text.unwrap_or_else(|| panic!("nobody declares {}", file.display()));
                let declared = format!("#[cfg(test)]\nmod {name};");
                let is_for_tests = text.contains(&declared)
                    || text.contains(&format!("#[cfg(test)]\npub(crate) mod {name};"))
                    || text.contains(&format!("#[cfg(test)]\npub(super) mod {name};"));
                assert!(is_for_tests, "{} is in no key", file.display());
            }
        }
    }
}

#[test]
fn every_crate_and_every_package_that_decides_is_hashed() {
    let root = root();
    let names = |name: &str| {
        let inputs = sources::inputs_of(&root, name).expect("inputs");
        let crates = crates(&inputs, &root);
        let name = |it: &PathBuf| it.file_name().expect("a name").to_string_lossy().into_owned();
        (crates.iter().map(name).collect::<BTreeSet<_>>(), inputs)
    };
    let (crates, generator) = names("codegen");
    let is_in = |it: &str| crates.contains(it);
    assert!(
        ["arith", "codegen", "dataflow", "ir", "transform"].into_iter().all(is_in),
        "{crates:?}"
    );
    let (readers, reader) = names("build-kernels");
    assert!(readers.is_superset(&crates));
    let is_in = |it: &str| readers.contains(it);
    assert!(
        ["build-kernels", "frontend", "parser", "syntax"].into_iter().all(is_in),
        "{readers:?}"
    );
    for file in ["ir/tvm_ops.toml", "ir/paddle_ops.txt", "ir/effects.toml", "codegen/Cargo.toml"] {
        assert!(generator.files.contains(&root.join("crates").join(file)), "{file}");
    }
    // Each package that a manifest names has a version among the inputs.
    for (inputs, package) in
        [(&generator, "naga"), (&generator, "naga-types"), (&generator, "half"), (&reader, "rowan")]
    {
        let name = format!("name = \"{package}\" version = ");
        assert!(inputs.packages.iter().any(|it| it.starts_with(&name)), "{package}");
    }
    assert!(generator.packages.iter().all(|it| it.contains("checksum = ")));
}
