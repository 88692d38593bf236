//! The files at the place of a report, a baseline, an array or an edited file.

use std::{
    fs,
    io::Read as _,
    os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink},
    process::Stdio,
};

use super::{Here, is_almighty, said};

/// Something to find, to fix and to run.
const MODULE: &str = r#"from tvm.script import tirx as T

@T.prim_func
def f(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32")):
    for i, j in T.grid(8, 8):
        B[i, j] = A[i * 2 // 2, j] + A[i * 2 // 2, j]
"#;

/// Each command that writes one file, with the file as `PATH`.
const WRITERS: [&str; 2] = ["report a.py --html PATH", "check a.py --write-baseline PATH"];

fn here() -> Here {
    let here = Here::new();
    here.write("a.py", MODULE);
    here
}

fn pipe(here: &Here, name: &str) {
    let made = std::process::Command::new("mkfifo").arg(here.at(name)).status();
    assert!(made.expect("mkfifo").success());
}

#[test]
fn links_are_followed_and_permissions_stay() {
    for writer in WRITERS {
        let here = here();
        here.write("real/page", "old");
        fs::set_permissions(here.at("real/page"), fs::Permissions::from_mode(0o640)).expect("mode");
        symlink("real/page", here.at("link")).expect("a link");
        symlink("real/new", here.at("dangling")).expect("a link");
        for path in ["link", "dangling"] {
            let output = here.run(&writer.replace("PATH", path));
            assert!(output.status.code() < Some(2), "{}", said(&output));
            assert!(here.at(path).is_symlink(), "{writer}");
        }
        assert_ne!(here.read("real/page"), "old");
        assert!(!here.read("real/new").is_empty());
        let mode = fs::metadata(here.at("real/page")).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o640, "{writer}");
        assert_eq!(here.files("real").len(), 2, "nothing is left behind");
    }
}

#[test]
fn pipes_and_devices_are_written_to_and_stay() {
    for writer in WRITERS {
        let here = here();
        pipe(&here, "pipe");
        let mut reader = std::process::Command::new("cat")
            .arg(here.at("pipe"))
            .stdout(Stdio::piped())
            .spawn()
            .expect("cat");
        // Opening a pipe for reading waits for a writer, so it may take a while until there is a reader.
        let mut output = here.run(&writer.replace("PATH", "pipe"));
        for _ in 0..200 {
            if output.status.code() < Some(2) {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
            output = here.run(&writer.replace("PATH", "pipe"));
        }
        assert!(output.status.code() < Some(2), "{}", said(&output));
        let mut text = String::new();
        reader.stdout.take().expect("a stream").read_to_string(&mut text).expect("text");
        assert!(reader.wait().expect("an end").success());
        assert!(!text.is_empty(), "{writer}");
        assert!(fs::symlink_metadata(here.at("pipe")).expect("a pipe").file_type().is_fifo());

        let page = here.run(&writer.replace("PATH", "/dev/stdout"));
        assert!(said(&page).contains(text.lines().next().expect("a line")), "{}", said(&page));
        let null = here.run(&writer.replace("PATH", "/dev/null"));
        assert!(null.status.code() < Some(2));
        assert!(here.refused(&writer.replace("PATH", "/dev/full")).contains("/dev/full"));
        for device in ["/dev/null", "/dev/full"] {
            assert!(fs::metadata(device).expect("a device").file_type().is_char_device());
        }
        assert!(fs::symlink_metadata("/dev/stdout").expect("a link").is_symlink());
    }
}

#[test]
fn irregular_file_is_refused_and_stays() {
    for writer in WRITERS {
        let here = here();
        pipe(&here, "pipe");
        fs::create_dir(here.at("folder")).expect("a folder");
        let socket = std::os::unix::net::UnixListener::bind(here.at("socket")).expect("a socket");
        symlink("round", here.at("round")).expect("a link");
        symlink("folder", here.at("linked")).expect("a link");
        for (path, why) in [
            ("pipe", ""),
            ("folder", "it is a folder"),
            ("linked", "it is a folder"),
            ("socket", "it is a socket"),
            ("round", "circle"),
            ("no/such/folder", ""),
            ("a.py/x", ""),
        ] {
            let told = here.refused(&writer.replace("PATH", path));
            assert!(told.contains(why) && told.contains(path), "{writer} {path}: {told}");
        }
        drop(socket);
        assert!(fs::symlink_metadata(here.at("pipe")).expect("a pipe").file_type().is_fifo());
        assert!(fs::symlink_metadata(here.at("socket")).expect("it").file_type().is_socket());
        assert_eq!(here.read("a.py"), MODULE);
    }
}

#[test]
fn read_only_files_and_folders_are_refused() {
    for writer in WRITERS {
        let here = here();
        here.write("page", "old");
        fs::set_permissions(here.at("page"), fs::Permissions::from_mode(0o444)).expect("mode");
        assert!(here.refused(&writer.replace("PATH", "page")).contains("read-only"));
        assert_eq!(here.read("page"), "old");
        if !is_almighty(here.0.path()) {
            fs::set_permissions(here.at("closed"), fs::Permissions::from_mode(0o555))
                .expect("mode");
            here.refused(&writer.replace("PATH", "closed/page"));
        }
    }
}

#[test]
fn arrays_of_a_run_follow_links_and_refuse_folders() {
    let here = here();
    fs::create_dir(here.at("out")).expect("a folder");
    here.write("real.npy", "old");
    symlink("../real.npy", here.at("out/A.npy")).expect("a link");
    here.ok("run a.py --output out");
    assert!(here.at("out/A.npy").is_symlink());
    assert!(fs::read(here.at("real.npy")).expect("a file").starts_with(b"\x93NUMPY"));
    fs::remove_file(here.at("out/B.npy")).expect("a file");
    fs::create_dir(here.at("out/B.npy")).expect("a folder");
    assert!(here.refused("run a.py --output out").contains("it is a folder"));
    pipe(&here, "pipe");
    here.refused("run a.py --output pipe");
}

#[test]
fn a_fix_follows_links() {
    let here = here();
    here.write("real.py", MODULE);
    symlink("real.py", here.at("link.py")).expect("a link");
    fs::set_permissions(here.at("real.py"), fs::Permissions::from_mode(0o600)).expect("mode");
    here.ok("fix link.py");
    assert!(here.at("link.py").is_symlink());
    assert_ne!(here.read("real.py"), MODULE);
    let mode = fs::metadata(here.at("real.py")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
