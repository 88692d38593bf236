//! Files that are not regular, too large, or elsewhere.

use super::*;

fn said<T: std::fmt::Debug>(result: io::Result<T>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn regular_files_are_read_up_to_their_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.py");
    fs::write(&path, "12345").unwrap();
    assert_eq!(read(&path, 5).unwrap(), b"12345");
    assert_eq!(said(read(&path, 4)), "it has more than 4 bytes, which are the most that is read");
    assert_eq!(said(read_named(&path, 4)), said(read(&path, 4)));
    assert_eq!(read_text_within(folder.path(), &path, 5).unwrap(), "12345");
    assert_eq!(said(open(folder.path())), "it is a folder");
    assert!(open_folder(folder.path()).is_ok());
    assert!(open_folder(&path).is_err());
    assert_eq!(read(&folder.path().join("b"), 5).unwrap_err().kind(), io::ErrorKind::NotFound);
}

#[test]
fn sparse_file_of_a_terabyte_takes_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.py");
    File::create(&path).unwrap().set_len(1 << 40).unwrap();
    assert!(said(read(&path, ARTIFACT)).contains("more than 1073741824 bytes"));
}

#[cfg(unix)]
#[test]
fn irregular_file_is_refused_at_once() {
    use std::os::unix::{fs::symlink, net::UnixListener};
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    rustix::fs::mkfifoat(rustix::fs::CWD, at("fifo"), rustix::fs::Mode::RWXU).unwrap();
    let _socket = UnixListener::bind(at("socket")).unwrap();
    symlink("/dev/zero", at("zero")).unwrap();
    symlink(at("fifo"), at("link")).unwrap();
    for (name, kind) in
        [("fifo", "a FIFO"), ("link", "a FIFO"), ("socket", "a socket"), ("zero", "a device")]
    {
        let expected = format!("it is {kind}, and only regular files are read");
        assert_eq!(said(read(&at(name), ARTIFACT)), expected, "{name}");
    }
    // Whoever names a device has it read, and no more of it than may be.
    assert!(said(read_named(&at("zero"), 1 << 16)).contains("more than 65536 bytes"));
    assert_eq!(read_named(Path::new("/dev/null"), 5).unwrap(), b"");
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_of_the_folder_only() {
    use std::os::unix::fs::symlink;
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a"), "inside").unwrap();
    fs::write(other.path().join("a"), "outside").unwrap();
    symlink("a", at("good")).unwrap();
    symlink(other.path().join("a"), at("bad")).unwrap();
    symlink(other.path(), at("folder")).unwrap();
    assert_eq!(read_text_within(folder.path(), &at("good"), 99).unwrap(), "inside");
    for name in ["bad", "folder/a"] {
        let error = said(read_within(folder.path(), &at(name), 99));
        assert!(error.starts_with("it is a link that leads out of "), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn files_by_their_last_folder_are_read_as_others_are() {
    use std::os::unix::fs::symlink;
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("in")).unwrap();
    fs::write(at("in/a"), "inside").unwrap();
    fs::write(at("b"), "above").unwrap();
    fs::write(other.path().join("a"), "outside").unwrap();
    fs::write(other.path().join("b"), "outside").unwrap();
    symlink("in/a", at("good")).unwrap();
    symlink(other.path().join("a"), at("bad")).unwrap();
    symlink(other.path(), at("folder")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, at("fifo"), rustix::fs::Mode::RWXU).unwrap();
    let mut last = LastFolder::default();
    for name in ["in/a", "in/a", "b", "good", "bad", "folder/a", "in/none", "none/a", "in", "fifo"]
    {
        for limit in [99, 3] {
            let now = last.read_text_within(folder.path(), &at(name), limit);
            let shown = |it: io::Result<String>| it.map_err(|it| it.to_string());
            assert_eq!(
                shown(now),
                shown(read_text_within(folder.path(), &at(name), limit)),
                "{name}"
            );
        }
    }
    // A folder that was replaced by a link out of the root is not followed, and what is there now is read again.
    assert_eq!(last.read_text_within(folder.path(), &at("in/a"), 99).unwrap(), "inside");
    fs::rename(at("in"), at("was")).unwrap();
    symlink(other.path(), at("in")).unwrap();
    fs::write(at("was/b"), "inside as well").unwrap();
    assert_eq!(last.read_text_within(folder.path(), &at("in/b"), 99).unwrap(), "inside as well");
    last.forget();
    let error = said(last.read_text_within(folder.path(), &at("in/b"), 99));
    assert!(error.starts_with("it is a link that leads out of "), "{error}");
}
