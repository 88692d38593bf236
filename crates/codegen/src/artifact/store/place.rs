//! The place of an output file, so that only a file is ever replaced.
//!
//! In: a path. Out: the regular file that will be created or replaced, with all links followed, or a stream that takes
//! bytes as they come. Folders, sockets and disks are refused with an error that names them. A few looks at the file
//! system.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Links that are followed, as many as Linux follows.
const MAX_LINKS: usize = 40;
/// Bits of the permissions of a new file, of which the user's mask takes some.
#[cfg(unix)]
const NEW_FILE: u32 = 0o666;

/// The kind of file at a path.
#[derive(Debug)]
pub enum Place {
    /// Nothing or a regular file.
    File {
        /// The place where it is or will be: no link.
        path: PathBuf,
        /// Of the file that is there.
        metadata: Option<fs::Metadata>,
    },
    /// A pipe, or a device that takes bytes one after the other.
    Stream,
}

impl Place {
    /// Looks at a path.
    ///
    /// # Errors
    /// If something there is neither a file nor a stream, or cannot be inspected.
    pub fn of(path: &Path) -> io::Result<Place> {
        let mut path = path.to_owned();
        for _ in 0..MAX_LINKS {
            let metadata = match fs::symlink_metadata(&path) {
                Ok(metadata) => metadata,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(Place::File { path, metadata: None });
                }
                Err(error) => return Err(error),
            };
            if metadata.is_file() {
                return Ok(Place::File { path, metadata: Some(metadata) });
            }
            if !metadata.is_symlink() {
                return Place::of_special(&metadata);
            }
            // What the kernel shows as links to open files (`/proc/self/fd/1`) need not have a path.
            let target = fs::metadata(&path);
            if let Ok(metadata) = &target
                && !metadata.is_file()
            {
                return Place::of_special(metadata);
            }
            let link = fs::read_link(&path)?;
            path = path.parent().unwrap_or(Path::new("")).join(link);
        }
        Err(io::Error::new(io::ErrorKind::InvalidInput, "its links go in a circle"))
    }

    /// The kind of a path that is no file and no link.
    fn of_special(metadata: &fs::Metadata) -> io::Result<Place> {
        let refused = |what: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        if metadata.is_dir() {
            return refused("it is a folder");
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::FileTypeExt as _;
            let kind = metadata.file_type();
            if kind.is_fifo() || kind.is_char_device() {
                return Ok(Place::Stream);
            }
            if kind.is_block_device() {
                return refused("it is a disk");
            }
            if kind.is_socket() {
                return refused("it is a socket");
            }
        }
        refused("it is no regular file")
    }

    /// The file that is to be written; streams are refused, too.
    ///
    /// # Errors
    /// As [`Self::of`], and for a stream.
    pub fn file(path: &Path) -> io::Result<(PathBuf, Option<fs::Metadata>)> {
        match Place::of(path)? {
            Place::File { path, metadata } => Ok((path, metadata)),
            Place::Stream => Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "it is a pipe or a device, where a file has to be",
            )),
        }
    }
}

/// A temporary file beside `path`, with the permissions of the file that it will replace, or those of any new file.
///
/// # Errors
/// If none can be made there.
pub fn beside(
    path: &Path,
    metadata: Option<&fs::Metadata>,
    prefix: &str,
) -> io::Result<tempfile::NamedTempFile> {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(NEW_FILE));
    }
    let file = builder.tempfile_in(folder)?;
    if let Some(metadata) = metadata {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    Ok(file)
}

/// Opens a stream for writing. A pipe without a reader is an error, as waiting for a reader may never end.
///
/// # Errors
/// If it cannot be opened.
pub fn open_stream(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::File::options();
    options.write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(flags.bits() as i32);
    }
    let file = options.open(path)?;
    #[cfg(unix)]
    {
        // Only opening must not wait.
        let flags = rustix::fs::fcntl_getfl(&file)? - rustix::fs::OFlags::NONBLOCK;
        rustix::fs::fcntl_setfl(&file, flags)?;
    }
    Ok(file)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn links_lead_to_files_that_are_there_or_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "x").expect("a file");
        for (link, target) in [("one", "file"), ("two", "one"), ("new", "none"), ("round", "round")]
        {
            symlink(target, at(link)).expect("a link");
        }
        for (name, real, is_there) in
            [("file", "file", true), ("two", "file", true), ("new", "none", false)]
        {
            let (path, metadata) = Place::file(&at(name)).expect(name);
            assert_eq!((path, metadata.is_some()), (at(real), is_there), "{name}");
        }
        let told = |name: &str| Place::file(&at(name)).expect_err(name).to_string();
        assert!(told("round").contains("circle"));
        symlink(".", at("here")).expect("a link");
        assert_eq!(
            (told("here"), told("")),
            ("it is a folder".to_owned(), "it is a folder".to_owned())
        );
        assert!(matches!(Place::of(Path::new("/dev/null")), Ok(Place::Stream)));
        assert!(Place::file(Path::new("/dev/null")).is_err());
    }

    #[test]
    fn sockets_are_refused_and_pipes_that_nobody_reads_end_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let (socket, pipe) = (folder.path().join("s"), folder.path().join("p"));
        let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
        assert_eq!(Place::of(&socket).expect_err("a socket").to_string(), "it is a socket");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|it| it.success()));
        assert!(matches!(Place::of(&pipe), Ok(Place::Stream)));
        assert!(open_stream(&pipe).is_err());
    }

    #[test]
    fn permissions_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        fs::write(&path, "x").expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).expect("permissions");
        let (path, metadata) = Place::file(&path).expect("a file");
        let file = beside(&path, metadata.as_ref(), ".t").expect("a file");
        let mode = file.as_file().metadata().expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o750);
    }
}
