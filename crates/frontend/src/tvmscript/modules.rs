//! The files that a file imports: from the words of an import to a file of the workspace, and to its scopes.
//!
//! In: the roots of a workspace, and what stands at a path ([`Files`]). Out: the file of a module ([`resolve()`]), and
//! for who asks without a database the scopes of each file, read once a run ([`Workspace`]). A file outside of the
//! roots is never asked for, and nothing is executed.
//!
//! Paths are absolute texts with `/`. The number of a module ([`Modules`](super::Modules)) is the path of its file;
//! that of a package without `__init__.py` is the path of its folder, with `/` at the end.

mod resolve;
#[cfg(test)]
mod tests;
mod workspace;

use std::fmt;

use crate::tvmscript::discover::{Scopes, functions};

pub use resolve::resolve;
pub use workspace::{FileModules, Workspace};

/// The kind of an entry at a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Entry {
    /// A file.
    File,
    /// A folder.
    Folder,
}

/// The files of a workspace.
pub trait Files: Send + Sync {
    /// The folders of the workspace, without `/` at the end.
    fn roots(&self) -> &[Box<str>];

    /// Returns what stands at a path in one of the roots.
    fn entry(&self, path: &str) -> Option<Entry>;

    /// Returns the text of a file in one of the roots; none if it is too large, no text, or a link that leads out.
    fn text(&self, path: &str) -> Option<String>;

    /// Returns the scopes of a file.
    fn scopes(&self, path: &str) -> Option<Scopes> {
        Some(functions(&syntax::parse(&self.text(path)?)).scopes().clone())
    }
}

impl fmt::Debug for dyn Files {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.roots()).finish()
    }
}
