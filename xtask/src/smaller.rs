//! Archives of the format zip, compressed as far as any reader of them allows: by Zopfli, which takes a minute for what
//! others do in a second, and gives 3 % less.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;

use anyhow::Context as _;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Levels of the library behind 9 are rounds of Zopfli. More rounds take longer each, for a thousandth less.
const ONE_ROUND: i64 = 10;

/// Writes the files of an archive, with their names, times and permissions and in their order, into another one.
///
/// # Errors
/// If one cannot be read, or the other not written.
pub(crate) fn write(from: &Path, to: &Path) -> anyhow::Result<()> {
    let cannot = || format!("cannot read {}", from.display());
    let mut old = ZipArchive::new(File::open(from).with_context(cannot)?).with_context(cannot)?;
    let cannot_write = || format!("cannot write {}", to.display());
    let mut new = ZipWriter::new(File::create(to).with_context(cannot_write)?);
    for number in 0..old.len() {
        let mut file = old.by_index(number).with_context(cannot)?;
        let mut options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(ONE_ROUND));
        if let Some(time) = file.last_modified() {
            options = options.last_modified_time(time);
        }
        if let Some(mode) = file.unix_mode() {
            options = options.unix_permissions(mode);
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).with_context(cannot)?;
        let name = file.name().to_owned();
        new.start_file(name, options).with_context(cannot_write)?;
        new.write_all(&bytes).with_context(cannot_write)?;
    }
    new.finish().with_context(cannot_write)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_has_the_same_files_in_fewer_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("a.whl"), folder.path().join("b.whl"));
        let text: String =
            (0..20_000).map(|it| format!("{} {}\n", it % 97, it * it % 1013)).collect();
        let files = [("a/program", 0o755, text.as_str()), ("a/empty", 0o644, "")];
        let mut archive = ZipWriter::new(File::create(&from).unwrap());
        for (name, mode, text) in files {
            let options = SimpleFileOptions::default()
                .compression_method(CompressionMethod::Deflated)
                .compression_level(Some(9))
                .unix_permissions(mode);
            archive.start_file(name, options).unwrap();
            archive.write_all(text.as_bytes()).unwrap();
        }
        archive.finish().unwrap();

        write(&from, &to).unwrap();
        let mut archive = ZipArchive::new(File::open(&to).unwrap()).unwrap();
        assert_eq!(archive.len(), files.len());
        for (number, (name, mode, text)) in files.into_iter().enumerate() {
            let mut file = archive.by_index(number).unwrap();
            let mut read = String::new();
            file.read_to_string(&mut read).unwrap();
            let permissions = file.unix_mode().map(|it| it & 0o777);
            let is = (file.name().to_owned(), permissions, read);
            assert_eq!(is, (name.to_owned(), Some(mode), text.to_owned()));
        }
        assert!(to.metadata().unwrap().len() < from.metadata().unwrap().len());
    }
}
