//! Paths that a call may name: those inside of the root, links followed.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::cli::input::place::Place;

/// The folder whose files may be read.
#[derive(Clone, Debug)]
pub(super) struct Root(PathBuf);

impl Root {
    /// # Errors
    ///
    /// A path that is no folder.
    pub(super) fn new(folder: &Path) -> anyhow::Result<Root> {
        let full = folder.canonicalize();
        let full = full.with_context(|| format!("cannot find the folder {}", folder.display()))?;
        anyhow::ensure!(full.is_dir(), "{} is no folder", folder.display());
        Ok(Root(full))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Returns a path relative to the root, if it is one of a file or folder inside.
    ///
    /// # Errors
    ///
    /// A text for the client: why the path is refused.
    pub(super) fn inside(&self, path: &str) -> Result<String, String> {
        let full = self.0.join(path).canonicalize();
        let full = full.map_err(|error| format!("cannot find `{path}`: {error}"))?;
        let inside = full.strip_prefix(&self.0);
        let inside = inside
            .map_err(|_| format!("`{path}` is outside of the folder {}", self.0.display()))?;
        let shown = if inside.as_os_str().is_empty() { Path::new(".") } else { inside };
        let text = shown.to_str().ok_or_else(|| format!("the name of `{path}` is no UTF-8"))?;
        // A name with a dash in front is no option, whoever reads it.
        Ok(if text.starts_with('-') { format!("./{text}") } else { text.to_owned() })
    }

    /// The same of `FILE:LINE` and `FILE:LINE:COLUMN`.
    ///
    /// # Errors
    ///
    /// A text for the client: why the path is refused.
    pub(super) fn place_inside(&self, place: &str) -> Result<String, String> {
        let file = Place::of_file(place).and_then(|it| it.file);
        let file = file.ok_or_else(|| {
            format!("`{place}` is no place: write `FILE:LINE` or `FILE:LINE:COLUMN`")
        })?;
        let numbers = &place[file.len()..];
        Ok(format!("{}{numbers}", self.inside(file)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_inside_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("root")).unwrap();
        std::fs::write(folder.path().join("secret.py"), "").unwrap();
        let root = Root::new(&folder.path().join("root")).unwrap();
        for name in ["a.py", "a:1.py", "-x.py"] {
            std::fs::write(root.path().join(name), "").unwrap();
        }
        assert_eq!(root.inside("."), Ok(".".to_owned()));
        assert_eq!(root.inside("a.py"), Ok("a.py".to_owned()));
        assert_eq!(root.inside("-x.py"), Ok("./-x.py".to_owned()));
        assert_eq!(root.place_inside("a.py:3:4"), Ok("a.py:3:4".to_owned()));
        assert_eq!(root.place_inside("a:1.py:3"), Ok("a:1.py:3".to_owned()));
        assert!(root.place_inside("a.py").unwrap_err().contains("is no place"));
        assert!(root.inside("../secret.py").unwrap_err().contains("is outside of"));
        assert!(root.inside("b.py").unwrap_err().starts_with("cannot find `b.py`"));
        #[cfg(unix)]
        {
            let link = root.path().join("link.py");
            std::os::unix::fs::symlink(folder.path().join("secret.py"), link).unwrap();
            assert!(root.inside("link.py").unwrap_err().contains("is outside of"));
        }
    }
}
