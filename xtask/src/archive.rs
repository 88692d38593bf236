//! Archives of packages: `.tar.gz` whose bytes follow from what is in them, and the checksum beside them.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::path::Path;

use anyhow::Context as _;
use flate2::{Compression, GzBuilder, read::GzDecoder};
use sha2::{Digest as _, Sha256};

/// The files of a package by their paths, which use `/`. They are packed in the order of the paths.
#[derive(Debug, Default)]
pub(crate) struct Files(BTreeMap<String, Entry>);

#[derive(Debug)]
struct Entry {
    bytes: Vec<u8>,
    is_program: bool,
}

impl Files {
    /// Adds a file.
    pub(crate) fn add(&mut self, path: &str, bytes: impl Into<Vec<u8>>) {
        self.0.insert(path.to_owned(), Entry { bytes: bytes.into(), is_program: false });
    }

    /// Adds a file that can be started.
    pub(crate) fn add_program(&mut self, path: &str, bytes: Vec<u8>) {
        self.0.insert(path.to_owned(), Entry { bytes, is_program: true });
    }

    /// Adds the files of a folder and the folders in it, below `path`.
    ///
    /// # Errors
    /// If one cannot be read.
    pub(crate) fn add_folder(&mut self, path: &str, folder: &Path) -> anyhow::Result<()> {
        let cannot = || format!("cannot read {}", folder.display());
        for entry in std::fs::read_dir(folder).with_context(cannot)? {
            let entry = entry.with_context(cannot)?;
            let name = entry.file_name();
            let inner = format!("{path}/{}", name.to_str().context("a name is no text")?);
            match entry.file_type()?.is_dir() {
                true => self.add_folder(&inner, &entry.path())?,
                false => self.add(&inner, std::fs::read(entry.path()).with_context(cannot)?),
            }
        }
        Ok(())
    }

    /// The archive, with all files in the folder `root`, of one owner and one time (seconds since 1970). Equal files
    /// give equal bytes.
    pub(crate) fn pack(&self, root: &str, time: u64) -> anyhow::Result<Vec<u8>> {
        // No name and no time in the head of the compressed bytes.
        let zipped = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
        let mut archive = tar::Builder::new(zipped);
        for (path, entry) in &self.0 {
            let mut header = tar::Header::new_ustar();
            header.set_size(entry.bytes.len() as u64);
            header.set_mode(if entry.is_program { 0o755 } else { 0o644 });
            header.set_mtime(time);
            header.set_uid(0);
            header.set_gid(0);
            header.set_entry_type(tar::EntryType::Regular);
            archive.append_data(&mut header, format!("{root}/{path}"), &*entry.bytes)?;
        }
        Ok(archive.into_inner()?.finish()?)
    }
}

/// Unpacks an archive into a folder.
///
/// # Errors
/// If it is none, or a file cannot be written.
pub(crate) fn unpack(archive: &Path, folder: &Path) -> anyhow::Result<()> {
    let cannot = || format!("cannot unpack {}", archive.display());
    let file = std::fs::File::open(archive).with_context(cannot)?;
    tar::Archive::new(GzDecoder::new(file)).unpack(folder).with_context(cannot)
}

/// Writes the checksum of a file beside it, as `sha256sum --check` reads it.
///
/// # Errors
/// If one cannot be read or written.
pub(crate) fn write_checksum(path: &Path) -> anyhow::Result<()> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.read_to_end(&mut bytes)?;
    let name = path.file_name().and_then(|it| it.to_str()).context("the file has no name")?;
    let line = format!("{}  {name}\n", hex(&Sha256::digest(&bytes)));
    write_whole(&path.with_file_name(format!("{name}.sha256")), line.as_bytes())
}

/// Writes a file that is the old one or the new one, whatever happens in between.
///
/// # Errors
/// If the folder cannot be written to.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    let partial = path.with_file_name(format!(".part-{}", std::process::id()));
    std::fs::File::create(&partial).and_then(|mut it| it.write_all(bytes)).with_context(cannot)?;
    std::fs::rename(&partial, path).with_context(cannot)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|it| format!("{it:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn files(order: [usize; 2]) -> Files {
        let mut files = Files::default();
        for it in order {
            match it {
                0 => files.add_program("bin/p", b"\x7fELF".to_vec()),
                _ => files.add("share/doc/README.md", "text"),
            }
        }
        files
    }

    #[test]
    fn equal_files_give_equal_bytes_in_any_order() {
        let packed = |order| files(order).pack("p-1", 1_700_000_000).unwrap();
        assert_eq!(packed([0, 1]), packed([1, 0]));
    }

    #[test]
    fn what_is_unpacked_is_what_was_packed() {
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("p.tar.gz");
        write_whole(&archive, &files([0, 1]).pack("p-1", 1_700_000_000).unwrap()).unwrap();
        unpack(&archive, &folder.path().join("out")).unwrap();
        let text = std::fs::read_to_string(folder.path().join("out/p-1/share/doc/README.md"));
        assert_eq!(text.unwrap(), "text");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let program = std::fs::metadata(folder.path().join("out/p-1/bin/p")).unwrap();
            assert_eq!(program.permissions().mode() & 0o777, 0o755);
        }
    }

    #[test]
    fn a_long_path_is_kept_whole() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = Files::default();
        let path = format!("share/{}/x", "long/".repeat(50));
        files.add(&path, "text");
        let archive = folder.path().join("p.tar.gz");
        write_whole(&archive, &files.pack("p-1", 0).unwrap()).unwrap();
        unpack(&archive, folder.path()).unwrap();
        assert!(folder.path().join("p-1").join(path).is_file());
    }

    #[test]
    fn the_checksum_is_that_of_sha256sum() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a"), "abc").unwrap();
        write_checksum(&folder.path().join("a")).unwrap();
        let text = std::fs::read_to_string(folder.path().join("a.sha256")).unwrap();
        expect![[r#"
            ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a
        "#]]
        .assert_eq(&text);
    }
}
