//! The files of a workspace on disk, for imports: only what is in its folders, wherever links lead.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

use frontend::tvmscript::modules::{Entry, Files};

/// The files in some folders.
#[derive(Clone, Debug)]
pub struct WorkspaceFiles {
    folders: Vec<PathBuf>,
    roots: Vec<Box<str>>,
}

impl WorkspaceFiles {
    /// Those in these folders; one whose path is no text has none.
    pub fn new(folders: impl IntoIterator<Item = PathBuf>) -> WorkspaceFiles {
        let all = folders.into_iter().filter_map(|it| Some((module_path(&it)?, it)));
        let (roots, folders) = all.map(|it| (it.0.trim_end_matches('/').into(), it.1)).unzip();
        WorkspaceFiles { folders, roots }
    }

    /// The folder that a path is in.
    fn folder(&self, path: &str) -> Option<&Path> {
        let all = self.roots.iter().zip(&self.folders);
        let is_in = |root: &str| {
            path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        all.filter(|it| is_in(it.0)).max_by_key(|it| it.0.len()).map(|it| it.1.as_path())
    }
}

impl Files for WorkspaceFiles {
    fn roots(&self) -> &[Box<str>] {
        &self.roots
    }

    fn entry(&self, path: &str) -> Option<Entry> {
        let kind = fs::metadata(path).ok()?;
        files::check_within(self.folder(path)?, Path::new(path)).ok()?;
        match kind.is_dir() {
            true => Some(Entry::Folder),
            false => kind.is_file().then_some(Entry::File),
        }
    }

    fn text(&self, path: &str) -> Option<String> {
        files::read_text_within(self.folder(path)?, Path::new(path), files::MODULE).ok()
    }
}

/// Returns a path as modules are named: with `/`, without `.`; none if it is no text.
pub fn module_path(path: &Path) -> Option<String> {
    let path: PathBuf = path.components().filter(|it| *it != Component::CurDir).collect();
    let text = path.to_str()?;
    Some(if cfg!(windows) { text.replace('\\', "/") } else { text.to_owned() })
}

#[cfg(all(test, unix))]
mod tests {
    use std::{os::unix::fs::symlink, sync::Arc};

    use frontend::tvmscript::modules::Workspace;

    use super::*;

    #[test]
    fn only_regular_files_of_the_workspace_are_read() {
        let all = tempfile::tempdir().expect("a folder");
        let at = |name: &str| all.path().join(name);
        fs::create_dir_all(at("w/in")).expect("a folder");
        fs::create_dir(at("out")).expect("a folder");
        fs::write(at("w/in/a.py"), "K = 1\n").expect("a file");
        fs::write(at("out/b.py"), "K = 2\n").expect("a file");
        fs::write(at("w/large.py"), vec![b'#'; files::MODULE as usize + 1]).expect("a file");
        symlink(at("out"), at("w/link")).expect("a link");
        symlink(at("out/b.py"), at("w/b.py")).expect("a link");
        symlink("/dev/zero", at("w/zero.py")).expect("a link");
        let files = WorkspaceFiles::new([at("w")]);
        let path = |name: &str| module_path(&at(name)).expect("a text");
        assert_eq!(files.entry(&path("w/in")), Some(Entry::Folder));
        assert_eq!(files.entry(&path("w/in/a.py")), Some(Entry::File));
        for name in ["out", "out/b.py", "w/link", "w/link/b.py", "w/b.py", "w/zero.py", "w/none.py"]
        {
            assert_eq!((files.entry(&path(name)), files.text(&path(name))), (None, None), "{name}");
        }
        assert_eq!(files.text(&path("w/large.py")), None);
        assert_eq!(files.text(&path("w/in/a.py")).as_deref(), Some("K = 1\n"));
        let workspace = Workspace::new(Arc::new(files));
        let found = workspace.module(&path("w/run.py"), "in.a").expect("a module");
        assert_eq!(*found, path("w/in/a.py"));
        assert_eq!(workspace.module(&path("w/run.py"), "b"), None);
    }
}
