//! Builds with a real server: buildbox-casd on the loopback, with what befalls it.

use std::{
    net::TcpListener,
    process::{Child, Command, Stdio},
};

use super::*;

/// The program, as the environment names it.
const CASD: &str = "TIR_ANALYZER_TEST_CASD";

/// A running server with its folder.
struct Casd {
    child: Child,
    folder: tempfile::TempDir,
    settings: Settings,
}

impl Casd {
    fn start() -> Casd {
        Casd::start_in(tempfile::tempdir().expect("a folder"), &[])
    }

    /// Another one before this one: what it lacks it gets there.
    fn before(&self) -> Casd {
        let remote = format!("--remote=http://{}", self.settings.address.host);
        Casd::start_in(tempfile::tempdir().expect("a folder"), &[&remote])
    }

    fn start_in(folder: tempfile::TempDir, arguments: &[&str]) -> Casd {
        let program = std::env::var_os(CASD).expect("the environment names the server");
        // Free now; nobody else asks for it so soon.
        let port = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port");
        let child = Command::new(program)
            .args(["--bind", &port.to_string()])
            .args(arguments)
            .arg(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let address = Address::parse(&format!("grpc://{port}")).expect("an address");
        let settings = Settings { address, upload: true, timeout: Duration::from_secs(5) };
        let casd = Casd { child, folder, settings };
        let end = Instant::now() + Duration::from_secs(20);
        while std::net::TcpStream::connect(port).is_err() {
            assert!(Instant::now() < end, "it does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        casd
    }

    fn layer(&self) -> Arc<dyn Layer> {
        layer(&self.settings)
    }

    /// The files of contents.
    fn contents(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.folder.path().join("cas/objects")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                match entry.path() {
                    path if path.is_dir() => folders.push(path),
                    path => found.push(path),
                }
            }
        }
        found.sort();
        found
    }
}

impl Drop for Casd {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writable, whatever the server thinks of it.
fn replace(path: &Path, bytes: &[u8]) {
    let _ = fs::remove_file(path);
    fs::write(path, bytes).expect("a file");
}

#[test]
#[ignore = "needs buildbox-casd: TIR_ANALYZER_TEST_CASD"]
fn by_casd_entries_come_back() {
    let casd = Casd::start();
    let mut entries = some();
    entries.extend([entry(100, 300_000), entry(101, 9_000_000)]);
    let first = casd.layer();
    for (action, file) in &entries {
        first.offer(Kind::Text, action, file.clone(), Duration::ZERO);
    }
    let report = first.finish();
    assert_eq!((report.kept, report.notes), (22, vec![]));
    // Straight, and through another one.
    let proxy = casd.before();
    for layer in [casd.layer(), proxy.layer()] {
        let wanted: Vec<_> = entries.iter().map(|it| (Kind::Text, &it.0)).collect();
        for ((_, file), fetched) in entries.iter().zip(layer.fetch(&wanted)) {
            assert_eq!(fetched.map(|it| it.file).as_ref(), Some(file));
        }
        assert_eq!(layer.finish().notes, Vec::<String>::new());
    }
}

#[test]
#[ignore = "needs buildbox-casd: TIR_ANALYZER_TEST_CASD"]
fn by_casd_checkouts_share_and_damage_is_built_anew() {
    let alone = Checkout::new();
    alone.build(None);
    let expected = alone.outputs();
    let casd = Casd::start();
    let first = Checkout::new();
    assert!(first.build(Some(casd.layer())).report.work.generated > 0);
    assert_eq!(first.outputs(), expected);
    let second = Checkout::new();
    let report = second.build(Some(casd.layer())).report;
    assert_eq!((report.work.parsed, report.work.generated), (0, 0));
    assert_eq!(second.outputs(), expected);
    // Bits flipped in each content on its disk; then the contents are gone, and the results are not.
    let contents = casd.contents();
    assert!(contents.len() > 10, "{contents:?}");
    let whole: Vec<_> = contents.iter().map(|it| fs::read(it).expect("a content")).collect();
    for (path, bytes) in contents.iter().zip(&whole) {
        let mut bytes = bytes.clone();
        if let Some(middle) = bytes.len().checked_sub(1) {
            bytes[middle / 2] ^= 8;
        }
        replace(path, &bytes);
    }
    let third = Checkout::new();
    let readonly = layer(&Settings { upload: false, ..casd.settings.clone() });
    assert!(third.build(Some(readonly)).report.work.generated > 0);
    assert_eq!(third.outputs(), expected);
    contents.iter().for_each(|it| drop(fs::remove_file(it)));
    let fourth = Checkout::new();
    fourth.build(Some(casd.layer()));
    assert_eq!(fourth.outputs(), expected);
}

#[test]
#[ignore = "needs buildbox-casd: TIR_ANALYZER_TEST_CASD"]
fn by_casd_it_may_be_killed_at_any_moment() {
    let alone = Checkout::new();
    alone.build(None);
    let expected = alone.outputs();
    for moment in 0..20 {
        let mut casd = Casd::start();
        let layer = layer(&Settings { timeout: TIMEOUT, ..casd.settings.clone() });
        let killer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(1 + moment * moment));
            let _ = casd.child.kill();
            casd
        });
        let checkout = Checkout::new();
        checkout.build(Some(layer));
        assert_eq!(checkout.outputs(), expected, "moment {moment}");
        drop(killer.join().expect("an end"));
    }
}
