//! The contents of a store after kills, flipped bits, concurrent users, and a clean-up.

use super::{
    maintain::{Part, Shrunk},
    *,
};

fn key(byte: u8) -> Key {
    Key([byte; 32])
}

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::new(folder.path().join("store"));
    (folder, store)
}

fn write(store: &Store, byte: u8, data: &[u8]) {
    store.write(Kind::Kernel, key(byte), data).expect("a write");
}

fn read(store: &Store, byte: u8) -> Read {
    store.read(Kind::Kernel, key(byte)).expect("readable")
}

fn path(store: &Store, byte: u8) -> PathBuf {
    store.path(Kind::Kernel, key(byte))
}

/// As if the entry had last been used so many hours ago.
fn age(store: &Store, byte: u8, hours: u64) {
    let file = File::options().append(true).open(path(store, byte)).expect("the entry");
    let then = SystemTime::now() - Duration::from_secs(hours * 3600);
    file.set_modified(then).expect("a time");
}

#[test]
fn entries_after_a_kill_are_absent_or_found_corrupt() {
    let (_folder, store) = store();
    let data = b"int main() {}\n".repeat(100);
    write(&store, 1, &data);
    let whole = fs::read(path(&store, 1)).expect("the entry");
    for cut in 0..whole.len() {
        // A file system that kept a prefix only, and a temporary file that was never renamed.
        fs::write(path(&store, 1), &whole[..cut]).expect("a cut");
        fs::write(path(&store, 1).with_file_name(format!("{TEMPORARY}{cut}")), &whole[..cut])
            .expect("a leftover");
        assert_eq!(read(&store, 1), Read::Corrupt, "cut at {cut}");
    }
    assert_eq!(read(&store, 2), Read::Absent);
    write(&store, 1, &data);
    assert_eq!(read(&store, 1), Read::Found(data));
}

#[test]
fn one_flipped_bit_is_noticed() {
    let (_folder, store) = store();
    write(&store, 7, b"data");
    let path = path(&store, 7);
    let whole = fs::read(&path).expect("the entry");
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        fs::write(&path, bytes).expect("a flip");
        assert_eq!(read(&store, 7), Read::Corrupt, "byte {at}");
    }
    assert_eq!(store.verify().expect("readable").corrupt, [path]);
}

#[test]
fn an_entry_under_the_name_of_another_is_noticed() {
    let (_folder, store) = store();
    write(&store, 1, b"one");
    write(&store, 2, b"two");
    fs::copy(path(&store, 1), path(&store, 2)).expect("a copy");
    assert_eq!(read(&store, 2), Read::Corrupt);
    let verified = store.verify().expect("readable");
    assert_eq!(verified.corrupt, [path(&store, 2)]);
    assert_eq!(verified.whole.entries, 1);
}

#[test]
fn many_writers_and_readers_of_one_key_see_whole_entries_only() {
    let (_folder, store) = store();
    let data = b"0123456789".repeat(10_000);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..25).for_each(|_| write(&store, 3, &data)));
            scope.spawn(|| {
                for _ in 0..100 {
                    assert_ne!(read(&store, 3), Read::Corrupt);
                }
            });
        }
    });
    assert_eq!(read(&store, 3), Read::Found(data));
}

#[test]
fn least_recently_used_entries_are_removed_first() {
    let (_folder, store) = store();
    for byte in 1..=4 {
        write(&store, byte, &[byte; 935]);
        age(&store, byte, 10 - u64::from(byte));
    }
    // A read is a use, a check is none.
    assert_eq!(store.verify().expect("readable").whole.entries, 4);
    assert_eq!(read(&store, 1), Read::Found(vec![1; 935]));
    let shrunk = store.shrink(2500).expect("a clean-up");
    let two = Part { entries: 2, bytes: 2000 };
    assert_eq!(shrunk, Shrunk { removed: two, kept: two });
    let left: Vec<u8> = (1..=4).filter(|it| read(&store, *it) != Read::Absent).collect();
    assert_eq!(left, [1, 4]);
}

#[test]
fn a_store_shrinks_only_when_it_grew_over_its_limit() {
    let (_folder, store) = store();
    let grow = |byte: u8| {
        let written = store.write(Kind::Kernel, key(byte), &[byte; 935]).expect("a write");
        store.keep_below(3000, written).expect("a count")
    };
    assert_eq!([grow(1), grow(2), grow(3)], [None; 3]);
    let shrunk = grow(4).expect("over the limit");
    assert_eq!(shrunk.kept, Part { entries: 2, bytes: 2000 });
    assert_eq!(grow(5), None);
    assert_eq!(store.usage().expect("a count").kernels, Part { entries: 3, bytes: 3000 });
}

#[test]
fn binaries_count_for_the_limit() {
    let (_folder, store) = store();
    let written = store.write(Kind::Binary, key(1), &[1; 935]).expect("a write");
    let written = written + store.write(Kind::Binary, key(2), &[2; 935]).expect("a write");
    let shrunk = store.keep_below(1500, written).expect("a count").expect("over the limit");
    assert_eq!(shrunk.kept, Part { entries: 1, bytes: 1000 });
}

#[test]
fn files_of_others_in_the_folder_stay() {
    let (_folder, store) = store();
    write(&store, 1, b"one");
    let strange =
        ["notes.txt", "kernels/notes.txt", "kernels/zz/x", "src/ab/main.rs", "kernels/01/short"];
    for name in strange {
        let path = store.root().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, "mine").expect("a file");
    }
    assert_eq!(store.usage().expect("a count").kernels.entries, 1);
    assert_eq!(store.verify().expect("readable").corrupt, Vec::<PathBuf>::new());
    assert_eq!(store.shrink(0).expect("a clean-up").removed.entries, 1);
    assert!(strange.iter().all(|it| store.root().join(it).exists()));
}

#[test]
fn leftovers_of_kills_go_when_they_are_old() {
    let (_folder, store) = store();
    write(&store, 1, b"one");
    let leftover = path(&store, 1).with_file_name(format!("{TEMPORARY}x"));
    fs::write(&leftover, "half").expect("a leftover");
    store.shrink(u64::MAX).expect("a clean-up");
    assert!(leftover.exists(), "somebody may still write it");
    assert_eq!(store.usage().expect("a count").temporary, Part { entries: 1, bytes: 4 });
    let file = File::options().append(true).open(&leftover).expect("the leftover");
    file.set_modified(SystemTime::now() - 2 * STALE).expect("a time");
    store.shrink(u64::MAX).expect("a clean-up");
    assert!(!leftover.exists());
}
