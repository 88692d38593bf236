//! A folder as an object store; and the servers that the environment names.

mod webdav;

use std::sync::Arc;

use codegen::{
    action::Action,
    store::{
        Kind,
        layer::{Layer, file_of},
    },
};

use self::webdav::Webdav;
use super::*;
use crate::connect;

fn entries() -> Vec<(Action, Vec<u8>)> {
    let entry = |number: u8| {
        let action = Action::of_text(&[number; 32], "objects");
        let file = file_of(Kind::Text, action.key(), &vec![number; 3000 * usize::from(number)]);
        (action, file)
    };
    (0..20).map(entry).collect()
}

fn layer(address: &str) -> Arc<dyn Layer> {
    layer_with(address, &|name| std::env::var(name).ok())
}

fn layer_with(address: &str, environment: Environment<'_>) -> Arc<dyn Layer> {
    let address = Address::parse(address).expect("an address");
    let settings = Settings { address, upload: true, timeout: Duration::from_secs(5) };
    connect(&settings, environment).expect("a layer")
}

/// Keeps entries and fetches them with another client.
fn check_there_and_back(address: &str) {
    check_there_and_back_with(address, &|name| std::env::var(name).ok());
}

fn check_there_and_back_with(address: &str, environment: Environment<'_>) {
    let layer = |address: &str| layer_with(address, environment);
    let entries = entries();
    let first = layer(address);
    for (action, file) in &entries {
        first.offer(Kind::Text, action, file.clone(), Duration::from_millis(3));
    }
    let report = first.finish();
    assert_eq!((report.kept, report.notes), (20, vec![]));
    let second = layer(address);
    let absent = Action::of_text(&[99; 32], "objects");
    let mut wanted: Vec<_> = entries.iter().map(|it| (Kind::Text, &it.0)).collect();
    wanted.push((Kind::Text, &absent));
    let fetched = second.fetch(&wanted);
    for ((_, file), fetched) in entries.iter().zip(&fetched) {
        let cost = Some(Duration::from_millis(3));
        assert_eq!(fetched.as_ref(), Some(&Fetched { file: file.clone(), cost }));
    }
    assert_eq!(fetched[20], None);
    assert_eq!(second.finish().notes, Vec::<String>::new());
}

#[test]
fn a_folder_is_a_cache_and_damage_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let address = format!("file://{}", folder.path().display());
    check_there_and_back(&address);
    let (action, _) = &entries()[7];
    let path = folder.path().join("ac").join(action.key().to_string());
    let whole = std::fs::read(&path).expect("an object");
    for at in (0..whole.len()).step_by(311) {
        let mut bytes = whole.clone();
        bytes[at] ^= 16;
        std::fs::write(&path, bytes).expect("a flip");
        let layer = layer(&address);
        let fetched = layer.fetch(&[(Kind::Text, action)]);
        // The time of making is no part of an entry.
        let is_whole = |it: &Fetched| it.file == entries()[7].1;
        assert!(fetched[0].as_ref().is_none_or(is_whole), "byte {at}");
    }
    std::fs::write(&path, &whole[..whole.len() / 2]).expect("a cut");
    let layer = layer(&address);
    assert_eq!(layer.fetch(&[(Kind::Text, action)]), [None]);
    assert_eq!(layer.finish().notes, ["it gives an object that is no result"]);
}

#[test]
fn nobody_is_there() {
    let layer = layer("redis://127.0.0.1:1/0");
    let (action, file) = entries().remove(1);
    assert_eq!(layer.fetch(&[(Kind::Text, &action)]), [None]);
    layer.offer(Kind::Text, &action, file, Duration::ZERO);
    assert_eq!(layer.finish().notes.len(), 1);
}

#[test]
fn webdav_is_a_cache_for_who_has_the_password() {
    let headers = |user: &'static str| {
        move |name: &str| {
            let text = || format!("127.0.0.1 username: {user}\n127.0.0.1 password: secret");
            (name == credentials::HEADERS).then(text)
        }
    };
    // RFC 7617: `kernels:secret`.
    let server = Webdav::start("Basic a2VybmVsczpzZWNyZXQ=");
    check_there_and_back_with(server.address(), &headers("kernels"));
    assert_eq!(server.counts().0, 20);
    let stranger = layer_with(server.address(), &headers("stranger"));
    let (action, file) = entries().remove(3);
    assert_eq!(stranger.fetch(&[(Kind::Text, &action)]), [None]);
    stranger.offer(Kind::Text, &action, file, Duration::ZERO);
    let notes = stranger.finish().notes;
    assert_eq!(notes.len(), 1, "{notes:?}");
}

#[test]
fn webdav_that_fails_or_is_damaged_gives_nothing() {
    let server = Webdav::start("");
    check_there_and_back(server.address());
    let (action, file) = entries().remove(3);
    for failure in [403, 500, 503, 507] {
        server.fail(Some(failure));
        let layer = layer(server.address());
        assert_eq!(layer.fetch(&[(Kind::Text, &action)]), [None], "{failure}");
        layer.offer(Kind::Text, &action, file.clone(), Duration::ZERO);
        let report = layer.finish();
        assert_eq!((report.kept, report.notes.len()), (0, 1), "{failure}");
    }
    server.fail(None);
    server.flip();
    let layer = layer(server.address());
    // The last byte is that of the time, or of the entry: a wrong entry is not given.
    let fetched = layer.fetch(&[(Kind::Text, &action)]).remove(0);
    assert!(fetched.is_none_or(|it| it.file == file));
}

/// The address of a server in a variable of the environment.
fn server(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| panic!("{variable} names the server"))
}

#[test]
#[ignore = "needs Redis: TIR_ANALYZER_TEST_REDIS"]
fn by_redis() {
    check_there_and_back(&server("TIR_ANALYZER_TEST_REDIS"));
}

#[test]
#[ignore = "needs a server of S3: TIR_ANALYZER_TEST_S3 and AWS_ENDPOINT_URL"]
fn by_s3() {
    check_there_and_back(&server("TIR_ANALYZER_TEST_S3"));
}
