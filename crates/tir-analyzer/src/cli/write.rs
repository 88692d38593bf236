//! Writing a file so that it is always whole: the old one or the new one, whatever happens in between.
//!
//! The new bytes go to a temporary file in the same folder, which then takes the name of the old one. Symbolic links
//! are followed, permissions and (where allowed) the owner are kept. A file that was changed since it was read is left
//! alone.

use std::{
    fs::{self, File},
    io::Write as _,
    path::Path,
};

use anyhow::{Context as _, bail};

use crate::cli::interrupt;

/// Puts `after` in the place of `before`, which is what the file held when it was read.
pub(crate) fn replace(path: &Path, shown: &str, before: &[u8], after: &[u8]) -> anyhow::Result<()> {
    let cannot = || format!("cannot write {shown}");
    // The link stays a link: its target is replaced.
    let target = path.canonicalize().with_context(cannot)?;
    let metadata = target.metadata().with_context(cannot)?;
    if metadata.permissions().readonly() {
        bail!(
            "cannot write {shown}: it is read-only; make it writable, or use --diff and apply the patch"
        );
    }
    let folder = target.parent().with_context(cannot)?;
    // An interrupt waits for the end of this: no temporary file is left behind.
    let _section = interrupt::critical_section();
    let mut temporary = tempfile::Builder::new()
        .prefix(".tir-analyzer-")
        .tempfile_in(folder)
        .with_context(|| format!("cannot write {shown}: no new file can be made beside it"))?;
    temporary.write_all(after).with_context(cannot)?;
    keep_owner(temporary.as_file(), &metadata);
    temporary.as_file().set_permissions(metadata.permissions()).with_context(cannot)?;
    temporary.as_file().sync_all().with_context(cannot)?;
    if files::read(&target, files::ARTIFACT).with_context(cannot)? != before {
        bail!(
            "{shown} was changed by somebody else meanwhile and is left as it is; run the command again"
        );
    }
    temporary.persist(&target).with_context(cannot)?;
    Ok(())
}

/// Writes a file that may be there or not: it appears, or takes the place of the old one, as a whole.
pub(crate) fn create(path: &Path, shown: &str, bytes: &[u8]) -> anyhow::Result<()> {
    let cannot = || format!("cannot write {shown}");
    let folder = path.parent().with_context(cannot)?;
    let _section = interrupt::critical_section();
    let mut temporary = tempfile::Builder::new()
        .prefix(".tir-analyzer-")
        .tempfile_in(folder)
        .with_context(|| format!("cannot write {shown}: no new file can be made beside it"))?;
    temporary.write_all(bytes).with_context(cannot)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // Others may read results, as if the file had been made without the detour.
        temporary
            .as_file()
            .set_permissions(fs::Permissions::from_mode(0o644))
            .with_context(cannot)?;
    }
    temporary.as_file().sync_all().with_context(cannot)?;
    temporary.persist(path).with_context(cannot)?;
    Ok(())
}

/// Gives the new file the owner of the old one where this user may do that; else it is the user's.
fn keep_owner(file: &File, metadata: &fs::Metadata) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, fchown};
        let is_same = file
            .metadata()
            .is_ok_and(|it| it.uid() == metadata.uid() && it.gid() == metadata.gid());
        if !is_same {
            let _ = fchown(file, Some(metadata.uid()), Some(metadata.gid()));
        }
    }
    #[cfg(not(unix))]
    let _ = (file, metadata);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_that_was_changed_meanwhile_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.py");
        fs::write(&path, "theirs").unwrap();
        let error = replace(&path, "a.py", b"old", b"new").unwrap_err();
        assert!(error.to_string().contains("run the command again"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a.py"), folder.path().join("link.py"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o754)).unwrap();
        symlink("a.py", &link).unwrap();
        replace(&link, "link.py", b"old", b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(link.is_symlink());
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o754);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn read_only_file_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.py");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        assert!(replace(&path, "a.py", b"old", b"new").is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }
}
