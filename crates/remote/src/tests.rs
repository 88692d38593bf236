//! Builds with a server of the tests that can be told to be slow, down, full, wrong and hostile: outputs are those of a
//! build without it, and nothing waits for long.

mod casd;
mod execution;
#[cfg(unix)]
mod farm;
#[cfg(unix)]
mod parts;
mod server;
mod tls;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use bazel_remote_apis::build::bazel::remote::execution::v2 as api;
use build_kernels::{Artifacts, Builder, Target};
use codegen::{
    Options,
    action::{Action, Digest},
    store::{
        Kind,
        layer::{Layer, file_of, is_file_of},
    },
};
use expect_test::expect;
use prost::Message as _;

use self::server::{Fault, Server};
use crate::{Address, Settings, connect, credentials};

/// The longest that a test lets one call take.
const TIMEOUT: Duration = Duration::from_millis(500);
/// The longest that a build may take with any server.
const PATIENCE: Duration = Duration::from_secs(60);

fn settings(server: &Server) -> Settings {
    let address = Address::parse(&server.address()).expect("an address");
    Settings { address, upload: true, timeout: TIMEOUT }
}

fn layer(settings: &Settings) -> Arc<dyn Layer> {
    connect(settings, &|_| None).expect("a layer")
}

/// An action of the tests, and the file of its entry with so many bytes.
fn entry(number: u8, bytes: usize) -> (Action, Vec<u8>) {
    let action = Action::of_text(&[number; 32], "tests");
    let data: Vec<u8> = (0..bytes).map(|it| (it % 251) as u8 ^ number).collect();
    let file = file_of(Kind::Text, action.key(), &data);
    (action, file)
}

/// Keeps entries and fetches them with another client: hits, and the notes of both.
fn there_and_back(server: &Server, entries: &[(Action, Vec<u8>)]) -> (usize, Vec<String>) {
    // Who expects entries to come back waits for a busy machine.
    let patient = Settings { timeout: Duration::from_secs(60), ..settings(server) };
    let first = layer(&patient);
    for (action, file) in entries {
        first.offer(Kind::Text, action, file.clone(), Duration::from_millis(7));
    }
    let mut notes = first.finish().notes;
    let second = layer(&patient);
    let wanted: Vec<_> = entries.iter().map(|it| (Kind::Text, &it.0)).collect();
    let mut hits = 0;
    for ((action, file), fetched) in entries.iter().zip(second.fetch(&wanted)) {
        let Some(fetched) = fetched else { continue };
        if is_file_of(Kind::Text, action.key(), &fetched.file) {
            assert_eq!(&fetched.file, file);
            assert_eq!(fetched.cost, Some(Duration::from_millis(7)));
            hits += 1;
        }
    }
    notes.extend(second.finish().notes);
    (hits, notes)
}

fn some() -> Vec<(Action, Vec<u8>)> {
    (0..20).map(|it| entry(it, 1000 * usize::from(it))).collect()
}

#[test]
fn messages_of_keys_are_those_of_the_interface() {
    let (target, options) = (Target::Cuda, Options::default());
    let flags = ["-O3".to_owned()];
    for action in [
        Action::of_artifact(Digest::of(b"f"), target, &options),
        Action::of_unknown(&[3; 32], target, &options),
        Action::of_text(&[3; 32], "reader"),
        Action::of_binary("source", &flags, "sm_90", "nvcc 13", "runner"),
    ] {
        let message = api::Action::decode(action.message()).expect("a message");
        let command = api::Command::decode(action.command()).expect("a message");
        let root = api::Directory::decode(action.root()).expect("a message");
        // Nothing is lost and nothing is written in another way.
        assert_eq!(message.encode_to_vec(), action.message());
        assert_eq!(command.encode_to_vec(), action.command());
        assert_eq!(root.encode_to_vec(), action.root());
        let of = |bytes: &[u8]| Some(crate::grpc::message(Digest::of(bytes)));
        assert_eq!(message.command_digest, of(action.command()));
        assert_eq!(message.input_root_digest, of(action.root()));
        assert_eq!(action.key().0, Digest::of(action.message()).hash);
        assert_eq!(
            (command.arguments[0].as_str(), command.output_paths.len()),
            ("tir-analyzer", 1)
        );
    }
}

#[test]
fn entries_come_back_whatever_the_server_can_do() {
    let mut entries = some();
    // Above the limit of a batch, and of a message.
    entries.extend([entry(100, 300_000), entry(101, 5_000_000)]);
    for (batch, packs, inlines) in
        [(0, false, false), (0, true, true), (200_000, false, true), (200_000, true, false)]
    {
        let server = Server::start(Fault::None);
        server.set(|it| (it.batch, it.packs, it.inlines) = (batch, packs, inlines));
        assert_eq!(there_and_back(&server, &entries), (entries.len(), vec![]));
    }
}

#[test]
fn contents_that_are_there_are_not_sent_again() {
    let server = Server::start(Fault::None);
    let entries = some();
    let kept = |entries: &[(Action, Vec<u8>)]| {
        let layer = layer(&settings(&server));
        for (action, file) in entries {
            layer.offer(Kind::Text, action, file.clone(), Duration::ZERO);
        }
        layer.finish()
    };
    let first = kept(&entries);
    assert_eq!((first.kept, first.notes), (20, vec![]));
    assert!(first.bytes_out > 190_000);
    let again = kept(&entries);
    assert_eq!((again.kept, again.bytes_out), (20, 0));
}

#[test]
fn what_is_not_to_be_uploaded_is_not() {
    let server = Server::start(Fault::None);
    let layer = layer(&Settings { upload: false, ..settings(&server) });
    let (action, file) = entry(1, 100);
    layer.offer(Kind::Text, &action, file, Duration::ZERO);
    assert_eq!(layer.finish().kept, 0);
    assert_eq!(server.set(|it| it.contents.len() + it.results.len()), 0);
}

/// Describes what a client says and finds that meets this fault after entries were kept.
fn check_note(fault: Fault, expected: &expect_test::Expect) {
    let server = Server::start(Fault::None);
    let entries = some();
    assert_eq!(there_and_back(&server, &entries).0, entries.len());
    server.set(|it| {
        it.fault = fault;
        it.inlines = false;
    });
    let start = Instant::now();
    let layer = layer(&settings(&server));
    let wanted: Vec<_> = entries.iter().map(|it| (Kind::Text, &it.0)).collect();
    let mut hits = 0;
    for ((action, file), fetched) in entries.iter().zip(layer.fetch(&wanted)) {
        let Some(fetched) = fetched else { continue };
        match is_file_of(Kind::Text, action.key(), &fetched.file) {
            true => {
                assert_eq!(&fetched.file, file);
                hits += 1;
            }
            false => layer.refuse(Kind::Text, action),
        }
    }
    // Who failed is left alone: nothing waits again.
    assert!(layer.fetch(&wanted).iter().flatten().count() <= hits);
    let took = start.elapsed();
    assert!(took < 8 * TIMEOUT, "{took:?}");
    let notes = layer.finish().notes;
    assert!(notes.len() <= 1);
    let note = notes.first().map_or("-", |it| it.split(" (and").next().unwrap_or_default());
    expected.assert_eq(&format!("{hits}: {note}"));
}

#[test]
fn each_fault_is_one_note() {
    check_note(Fault::None, &expect!["20: -"]);
    check_note(Fault::Silent, &expect!["0: it does not answer in time"]);
    check_note(
        Fault::Refuses,
        &expect![
            "0: The caller does not have permission to execute the specified operation: not you"
        ],
    );
    check_note(Fault::Unavailable, &expect!["0: The service is currently unavailable: not now"]);
    check_note(Fault::Evicted, &expect!["0: -"]);
    check_note(Fault::Flipped, &expect!["0: it gives a content that does not have its digest"]);
    check_note(Fault::Truncated, &expect!["0: it gives a content that does not have its digest"]);
    check_note(
        Fault::Swapped,
        &expect!["0: it gives an entry of `texts` that is another's or broken"],
    );
    check_note(Fault::Enormous, &expect!["0: it gives an output that is too large"]);
    check_note(Fault::NoOutput, &expect!["0: it gives a result without the output"]);
    check_note(
        Fault::OtherInstance,
        &expect!["0: Client specified an invalid argument: no such instance"],
    );
    check_note(Fault::OtherDigests, &expect!["0: it does not know contents by SHA-256"]);
    check_note(Fault::Bomb, &expect!["0: it gives a content that is packed wrongly"]);
}

#[test]
fn a_server_that_fills_up_is_noted_once() {
    let server = Server::start(Fault::Full);
    let (hits, notes) = there_and_back(&server, &some());
    assert_eq!(hits, 0);
    expect!["Some resource has been exhausted: no room"].assert_eq(&notes.join("\n"));
}

#[test]
fn nobody_is_there() {
    let server = Server::start(Fault::None);
    let settings = settings(&server);
    server.stop();
    let start = Instant::now();
    let layer = layer(&settings);
    let (action, file) = entry(1, 100);
    assert_eq!(layer.fetch(&[(Kind::Text, &action)]), [None]);
    layer.offer(Kind::Text, &action, file, Duration::ZERO);
    assert_eq!(layer.finish().notes.len(), 1);
    assert!(start.elapsed() < 8 * TIMEOUT);
}

#[test]
fn headers_of_the_environment_are_sent_to_their_host() {
    let server = Server::start(Fault::None);
    server.set(|it| it.token = Some("Bearer kernels".to_owned()));
    let keep = |headers: &'static str| {
        let environment = |name: &str| (name == credentials::HEADERS).then(|| headers.to_owned());
        let layer = connect(&settings(&server), &environment).expect("a layer");
        let (action, file) = entry(1, 100);
        layer.offer(Kind::Text, &action, file, Duration::ZERO);
        let report = layer.finish();
        (report.kept, report.notes.join(""))
    };
    let refused = "The request does not have valid authentication credentials: who are you?";
    assert_eq!(keep(""), (0, refused.to_owned()));
    assert_eq!(keep("elsewhere authorization: Bearer kernels"), (0, refused.to_owned()));
    assert_eq!(keep("127.0.0.1 authorization: Bearer kernels"), (1, String::new()));
}

#[test]
fn entries_without_the_seal_of_the_team_are_not_used() {
    let server = Server::start(Fault::None);
    let with = |secret: &'static str| {
        let environment = |name: &str| (name == crate::seal::SECRET).then(|| secret.to_owned());
        connect(&settings(&server), &environment).expect("a layer")
    };
    let (action, file) = entry(1, 100);
    let fetched = |layer: Arc<dyn Layer>| {
        let found = layer.fetch(&[(Kind::Text, &action)]).remove(0).map(|it| it.file);
        (found == Some(file.clone()), layer.finish().notes.join(""))
    };
    // Somebody else can write to the server.
    let other = layer(&settings(&server));
    other.offer(Kind::Text, &action, file.clone(), Duration::ZERO);
    assert_eq!(other.finish().kept, 1);
    let foreign = "it gives an entry without our seal";
    assert_eq!(fetched(with("the secret of a team")), (false, foreign.to_owned()));
    let ours = with("the secret of a team");
    ours.offer(Kind::Text, &action, file.clone(), Duration::ZERO);
    assert_eq!(ours.finish().kept, 1);
    assert_eq!(fetched(with("the secret of a team")), (true, String::new()));
    assert_eq!(fetched(with("the secret of others")), (false, foreign.to_owned()));
}

// ---- builds ----

/// Kernels of the samples, in a folder of their own: a checkout of somebody.
struct Checkout(tempfile::TempDir);

const SAMPLES: [&str; 4] = ["te_un_tanh", "te_red_all", "te_gelu_tanh", "te_bin_add"];

impl Checkout {
    fn new() -> Checkout {
        let folder = tempfile::tempdir().expect("a folder");
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/lowered_cuda");
        fs::create_dir(folder.path().join("kernels")).expect("a folder");
        for name in SAMPLES {
            let name = format!("{name}.py");
            let to = folder.path().join("kernels").join(&name);
            fs::copy(samples.join(&name), to).expect("a sample");
        }
        Checkout(folder)
    }

    fn build(&self, layer: Option<Arc<dyn Layer>>) -> Artifacts {
        let start = Instant::now();
        let (kernels, out) = (self.0.path().join("kernels"), self.0.path().join("out"));
        let mut builder =
            Builder::new(kernels, out).target(Target::Cuda).target(Target::Hip).jobs(2);
        if let Some(layer) = layer {
            builder = builder.layer(layer);
        }
        let artifacts = builder.build().expect("a build");
        assert!(start.elapsed() < PATIENCE);
        artifacts
    }

    /// All outputs.
    fn outputs(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        outputs_in(&self.0.path().join("out"))
    }
}

/// All files of a folder, with their bytes.
fn outputs_in(out: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![out.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(out).expect("inside").to_owned();
                found.insert(name, fs::read(path).expect("a file"));
            }
        }
    }
    found
}

#[test]
fn a_second_checkout_generates_nothing_and_has_the_same_outputs() {
    let alone = Checkout::new();
    let expected = alone.build(None).report;
    let server = Server::start(Fault::None);
    let first = Checkout::new();
    let report = first.build(Some(layer(&settings(&server)))).report;
    assert_eq!(report.work.generated, expected.work.generated);
    assert_eq!(first.outputs(), alone.outputs());
    let second = Checkout::new();
    let report = second.build(Some(layer(&settings(&server)))).report;
    assert_eq!((report.work.parsed, report.work.generated), (0, 0));
    assert_eq!(second.outputs(), alone.outputs());
    assert!(report.kernels.iter().all(|it| it.is_fetched));
    // What is kept on disk is not asked for again.
    let calls = server.set(|it| it.calls);
    assert_eq!(second.build(Some(layer(&settings(&server)))).report.work, Default::default());
    assert_eq!(server.set(|it| it.calls), calls);
}

#[test]
fn outputs_are_the_same_with_any_fault() {
    let alone = Checkout::new();
    alone.build(None);
    let expected = alone.outputs();
    let server = Server::start(Fault::None);
    Checkout::new().build(Some(layer(&settings(&server))));
    for fault in Fault::ALL {
        server.set(|it| it.fault = fault);
        let checkout = Checkout::new();
        checkout.build(Some(layer(&settings(&server))));
        assert_eq!(checkout.outputs(), expected, "{fault:?}");
    }
}

#[test]
fn outputs_are_the_same_when_one_call_of_twenty_fails() {
    let alone = Checkout::new();
    alone.build(None);
    let expected = alone.outputs();
    for seed in 1..=5 {
        let server = Server::start(Fault::Sometimes(seed));
        for _ in 0..3 {
            let checkout = Checkout::new();
            checkout.build(Some(layer(&settings(&server))));
            assert_eq!(checkout.outputs(), expected, "seed {seed}");
        }
    }
}

/// Builds beside a server that is killed after each of these times.
fn check_kills(times: impl Iterator<Item = Duration>) {
    let alone = Checkout::new();
    alone.build(None);
    let expected = alone.outputs();
    let warm = Server::start(Fault::None);
    Checkout::new().build(Some(layer(&settings(&warm))));
    for (at, time) in times.enumerate() {
        // Half of them are killed while entries are kept, half while they are fetched.
        let server = Server::start(Fault::None);
        if at % 2 == 1 {
            server.take_contents_of(&warm);
        }
        let settings = settings(&server);
        let killer = std::thread::spawn(move || {
            std::thread::sleep(time);
            server.stop();
        });
        let checkout = Checkout::new();
        checkout.build(Some(layer(&settings)));
        assert_eq!(checkout.outputs(), expected, "{time:?}");
        killer.join().expect("an end");
    }
}

#[test]
fn a_server_may_be_killed_at_any_moment() {
    // At this time a build is in its middle.
    check_kills((0..20).map(|it| Duration::from_millis(1 + it * it)));
}

#[test]
#[ignore = "200 builds; on request"]
fn a_server_may_be_killed_at_any_of_200_moments() {
    check_kills((0..200).map(|it| Duration::from_millis(2 * it)));
}
