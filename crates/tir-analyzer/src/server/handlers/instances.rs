//! The instances of the factories of a document, from the calls of the whole workspace.

use std::path::{Component, Path, PathBuf};

use crate::server::{
    client::path,
    documents::Document,
    snapshot::{Failure, Snapshot},
};

/// The factories of a document that have instances. Calls in other files come in the order of their paths.
pub(crate) fn instances(
    snapshot: &Snapshot,
    document: &Document,
) -> Result<Vec<ide::FactoryInstances>, Failure> {
    let Some(path_of_file) = path(&document.uri) else {
        return Ok(snapshot.analysis.instances(document.file, &[])?);
    };
    let called = snapshot.analysis.foreign_calls(document.file, &module_of(&path_of_file))?;
    let documents = snapshot.documents.sorted();
    let mut open: Vec<PathBuf> = documents.iter().filter_map(|it| path(&it.uri)).collect();
    open.sort_unstable();
    let mut placed: Vec<(PathBuf, ide::Request)> = Vec::new();
    for (file, request) in called {
        let place = match snapshot.closed.path(file) {
            // What is open is known by its document.
            Some(path) => open.binary_search(&path.to_path_buf()).err().map(|_| path.to_path_buf()),
            None => {
                let at = documents.binary_search_by_key(&file, |it| it.file).ok();
                at.and_then(|at| path(&documents[at].uri))
            }
        };
        placed.extend(place.map(|it| (it, request)));
    }
    placed.sort_by(|a, b| a.0.cmp(&b.0));
    let called: Vec<ide::Request> = placed.into_iter().map(|it| it.1).collect();
    Ok(snapshot.analysis.instances(document.file, &called)?)
}

/// The dotted path of a module of Python: that of its folder for `__init__.py`.
fn module_of(path: &Path) -> String {
    let path = path.with_extension("");
    let is_folder = path.file_name().is_some_and(|it| it == "__init__");
    let path = if is_folder { path.parent().unwrap_or(&path) } else { &path };
    let parts = path.components().filter_map(|it| match it {
        Component::Normal(it) => Some(it.to_string_lossy()),
        _ => None,
    });
    parts.collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_named_by_their_folders() {
        assert_eq!(module_of(Path::new("/src/ops/gemm.py")), "src.ops.gemm");
        assert_eq!(module_of(Path::new("/src/ops/__init__.py")), "src.ops");
    }
}
