//! The one writer: a file is always whole, the old one or the new one, whatever happens in between.
//!
//! The new bytes go to a temporary file in the same folder, which then takes the name of the old one. Symbolic links
//! are followed, permissions and (where allowed) the owner are kept. A file that was changed since it was read is left
//! alone. Only regular files are replaced: pipes and devices are written to, folders, disks and sockets refused; the
//! names of this program's own streams (`/dev/stdout`) are these streams.

use std::{
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use codegen::store::place::{self, Place};

use crate::cli::{interrupt, io::Io};

/// Prefix of temporary files.
const TEMPORARY: &str = ".tir-analyzer-";
/// Links that are followed to a stream.
const MAX_LINKS: usize = 8;

/// Replaces `before`, the contents of the file when it was read, by `after`.
pub(crate) fn replace(path: &Path, shown: &str, before: &[u8], after: &[u8]) -> anyhow::Result<()> {
    let cannot = || format!("cannot write {shown}");
    let (target, Some(metadata)) = Place::file(path).with_context(cannot)? else {
        bail!("cannot write {shown}: it is gone");
    };
    put(&target, Some(&metadata), shown, after, || {
        if files::read(&target, files::ARTIFACT).with_context(cannot)? != before {
            bail!(
                "{shown} was changed by somebody else meanwhile and is left as it is; run the command again"
            );
        }
        Ok(())
    })
}

/// Writes the requested output to a path: a file that may exist or not appears, or replaces the old one, as a whole.
pub(crate) fn create(
    path: &Path,
    shown: &str,
    bytes: &[u8],
    io: &mut Io<'_>,
) -> anyhow::Result<()> {
    let cannot = || format!("cannot write {shown}");
    match own_stream(path) {
        Some(Own::Out) => return io.out.write_all(bytes).with_context(cannot),
        Some(Own::Err) => return io.err.write_all(bytes).with_context(cannot),
        None => {}
    }
    match Place::of(path).with_context(cannot)? {
        Place::File { path, metadata } => put(&path, metadata.as_ref(), shown, bytes, || Ok(())),
        Place::Stream => {
            let mut stream = place::open_stream(path).with_context(cannot)?;
            stream.write_all(bytes).with_context(cannot)
        }
    }
}

/// Writes a file beside another, and puts it in its place if `may_replace` has nothing against that.
fn put(
    target: &Path,
    metadata: Option<&fs::Metadata>,
    shown: &str,
    bytes: &[u8],
    may_replace: impl FnOnce() -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let cannot = || format!("cannot write {shown}");
    if metadata.is_some_and(|it| it.permissions().readonly()) {
        bail!("cannot write {shown}: it is read-only; make it writable");
    }
    // An interrupt waits for the end of this: no temporary file is left behind.
    let _section = interrupt::critical_section();
    let mut temporary = place::beside(target, metadata, TEMPORARY)
        .with_context(|| format!("cannot write {shown}: no new file can be made beside it"))?;
    temporary.write_all(bytes).with_context(cannot)?;
    if let Some(metadata) = metadata {
        keep_owner(temporary.as_file(), metadata);
        // A new owner may have taken bits away.
        temporary.as_file().set_permissions(metadata.permissions()).with_context(cannot)?;
    }
    temporary.as_file().sync_all().with_context(cannot)?;
    may_replace()?;
    temporary.persist(target).with_context(cannot)?;
    Ok(())
}

/// A stream of this program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Own {
    Out,
    Err,
}

/// The stream of this program that a path names, also by links. Opened anew it would have a position of its own, and
/// overwrite other output to it.
fn own_stream(path: &Path) -> Option<Own> {
    let mut path: PathBuf = path.to_owned();
    for _ in 0..MAX_LINKS {
        match path.to_str() {
            Some("/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1") => return Some(Own::Out),
            Some("/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2") => return Some(Own::Err),
            _ => {}
        }
        let link = fs::read_link(&path).ok()?;
        path = path.parent()?.join(link);
    }
    None
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

    #[cfg(unix)]
    #[test]
    fn own_streams_are_known_by_all_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("page.html");
        std::os::unix::fs::symlink("/dev/stdout", &link).unwrap();
        for (path, own) in [
            (link.as_path(), Some(Own::Out)),
            (Path::new("/dev/fd/2"), Some(Own::Err)),
            (Path::new("/dev/null"), None),
            (folder.path(), None),
        ] {
            assert_eq!(own_stream(path), own, "{}", path.display());
        }
    }

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
