#![doc = include_str!("../README.md")]

use std::{
    fs::{self, File, Metadata, OpenOptions},
    io::{self, Read as _},
    path::{Path, PathBuf},
};

/// The most bytes of a file of settings.
pub const SETTINGS: u64 = 4 << 20;
/// The most bytes of a file that is read because another one imports it.
pub const MODULE: u64 = 4 << 20;
/// The most bytes of a file that a build reads or has written.
pub const ARTIFACT: u64 = 1 << 30;
/// The most bytes of an array.
pub const DATA: u64 = 64 << 30;

/// Opens a regular file for reading. Never blocks.
///
/// # Errors
/// If it cannot be opened, or is something else.
pub fn open(path: &Path) -> io::Result<File> {
    // Looked at first, because opening some devices does something; and again, because it may be another one by now.
    expect_regular(&fs::metadata(path)?)?;
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    expect_regular(&file.metadata()?)?;
    Ok(file)
}

/// Opens a folder, for looking its files up.
///
/// # Errors
/// If it cannot be opened, or is something else.
pub fn open_folder(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    File::open(path)
}

/// The bytes of a regular file.
///
/// # Errors
/// If it cannot be read, is something else, or has more than `limit` bytes.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_open(&open(path)?, limit)
}

/// The text of a regular file.
///
/// # Errors
/// As [`read`], and if it is no UTF-8.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    text_of(read(path, limit)?)
}

/// The bytes of a regular file that is in a folder, wherever links on the way lead in it.
///
/// # Errors
/// As [`read`], and if it is not in the folder.
pub fn read_within(root: &Path, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read(&check_within(root, path)?, limit)
}

/// Returns the place where a path leads.
///
/// # Errors
/// If that is not in the folder.
pub fn check_within(root: &Path, path: &Path) -> io::Result<PathBuf> {
    let (real, root) = (path.canonicalize()?, root.canonicalize()?);
    if real.starts_with(&root) {
        return Ok(real);
    }
    let text = format!("it is a link that leads out of {}", root.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, text))
}

/// As [`read_within`], of text.
///
/// # Errors
/// As [`read_within`], and if it is no UTF-8.
pub fn read_text_within(root: &Path, path: &Path, limit: u64) -> io::Result<String> {
    text_of(read_within(root, path, limit)?)
}

/// The last folder of which a file was read, for many files one folder after the other: where it leads is asked once.
#[derive(Default, Debug)]
pub struct LastFolder {
    #[cfg(unix)]
    open: Option<(PathBuf, std::os::fd::OwnedFd)>,
}

impl LastFolder {
    /// As [`read_text_within`]. A folder that was moved or replaced since the last file of it was read is found by
    /// [`LastFolder::forget`] only: until then its files are read, wherever it is.
    ///
    /// # Errors
    /// As [`read_text_within`].
    pub fn read_text_within(&mut self, root: &Path, path: &Path, limit: u64) -> io::Result<String> {
        #[cfg(unix)]
        if let Some(file) = self.open(root, path)? {
            return text_of(read_open(&file, limit)?);
        }
        read_text_within(root, path, limit)
    }

    /// Looks anew where the next file is.
    pub fn forget(&mut self) {
        *self = LastFolder::default();
    }

    /// Opens a regular file by its folder; none if it is a link.
    #[cfg(unix)]
    fn open(&mut self, root: &Path, path: &Path) -> io::Result<Option<File>> {
        use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, statat};
        let Some((folder, name)) = path.parent().zip(path.file_name()) else { return Ok(None) };
        let open = match self.open.take().filter(|it| it.0.as_os_str() == folder.as_os_str()) {
            Some((_, open)) => open,
            None => open_folder(&check_within(root, folder)?)?.into(),
        };
        let (_, open) = self.open.insert((folder.to_owned(), open));
        // As of `open`: looked at first. A link may lead anywhere.
        let stat = statat(&*open, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Ok(None);
        }
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(openat(&*open, name, OFlags::RDONLY | flags, Mode::empty())?);
        expect_regular(&file.metadata()?)?;
        Ok(Some(file))
    }
}

/// The bytes of whatever a user named: a stream is read to its end, and waited for.
///
/// # Errors
/// If it cannot be read, or has more than `limit` bytes.
pub fn read_named(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    match fs::metadata(path)?.is_file() {
        true => read(path, limit),
        false => read_open(&File::open(path)?, limit),
    }
}

/// The bytes of an open file from here on.
///
/// # Errors
/// If it cannot be read, or has more than `limit` bytes.
pub fn read_open(file: &File, limit: u64) -> io::Result<Vec<u8>> {
    let len = file.metadata()?.len();
    if len > limit {
        return Err(too_large(limit));
    }
    // One more than there may be tells that there is more.
    let mut bytes = Vec::with_capacity(usize::try_from(len + 1).unwrap_or_default());
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > limit {
        true => Err(too_large(limit)),
        false => Ok(bytes),
    }
}

fn text_of(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "no UTF-8"))
}

fn expect_regular(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    if metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    let text = format!("it is {}, and only regular files are read", kind_of(metadata));
    Err(io::Error::new(io::ErrorKind::InvalidInput, text))
}

#[cfg(unix)]
fn kind_of(metadata: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    let kind = metadata.file_type();
    match () {
        () if kind.is_fifo() => "a FIFO",
        () if kind.is_socket() => "a socket",
        () if kind.is_char_device() || kind.is_block_device() => "a device",
        () => "no file",
    }
}

#[cfg(not(unix))]
fn kind_of(_: &Metadata) -> &'static str {
    "no file"
}

fn too_large(limit: u64) -> io::Error {
    let text = format!("it has more than {limit} bytes, which are the most that is read");
    io::Error::new(io::ErrorKind::FileTooLarge, text)
}

#[cfg(test)]
mod tests;
