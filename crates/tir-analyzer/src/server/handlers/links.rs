//! `textDocument/documentLink`: the files that a text names, where they are at hand.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lsp_types as lsp;

use crate::server::{
    client::{path, uri_of},
    snapshot::{Failure, Snapshot},
};

/// Names of files that are looked for to answer one request: a text may be made to name many.
const MAX_FILES: usize = 256;

/// `textDocument/documentLink`: a link leads to the line and column of a file, which exists. A path that is not
/// absolute is one from the folder of the document, or else from one of the workspace.
pub(crate) fn document_links(
    snapshot: &Snapshot,
    params: lsp::DocumentLinkParams,
) -> Result<Vec<lsp::DocumentLink>, Failure> {
    let document = snapshot.document(&params.text_document.uri)?;
    let links = snapshot.analysis.document_links(document.file)?;
    let places = snapshot.places(document);
    let beside = path(&document.uri).and_then(|it| Some(it.parent()?.to_owned()));
    let folders: Vec<&Path> = beside.iter().chain(&*snapshot.roots).map(PathBuf::as_path).collect();
    let mut known: BTreeMap<Box<str>, Option<String>> = BTreeMap::new();
    let mut res = Vec::new();
    for link in links {
        let place = link.place;
        let uri = match known.get(&place.path) {
            Some(it) => it.clone(),
            None if known.len() == MAX_FILES => continue,
            None => {
                let found = find(&place.path, &folders).map(|it| uri_of(&it));
                known.insert(place.path.clone(), found.clone());
                found
            }
        };
        let Some(uri) = uri else { continue };
        res.push(lsp::DocumentLink {
            range: places.range(link.range),
            target: Some(format!("{uri}#L{},{}", place.line, place.column).into()),
            tooltip: Some(format!("Line {} of {}", place.line, place.path)),
            data: None,
        });
    }
    Ok(res)
}

/// The file of a path. One of another machine is not asked for: the text could name a stranger's.
fn find(path: &str, folders: &[&Path]) -> Option<PathBuf> {
    if path.starts_with(r"\\") || path.starts_with("//") {
        return None;
    }
    let path = Path::new(path);
    let candidates = folders.iter().map(|it| it.join(path));
    match path.is_absolute() {
        true => Some(path.to_owned()).filter(|it| it.is_file()),
        false => candidates.into_iter().find(|it| it.is_file()),
    }
}
