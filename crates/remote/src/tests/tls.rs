//! Caches behind TLS: whose certificate counts, and who may come in.
//!
//! The certificates are made by `openssl` for each test, valid for a day.

use std::process::{Command, Stdio};

use tonic::transport::{Certificate, Identity, ServerTlsConfig};

use super::*;

/// Two authorities and what they vouch for, as PEM files in a folder.
struct Certificates(tempfile::TempDir);

impl Certificates {
    fn new() -> Certificates {
        let all = Certificates(tempfile::tempdir().expect("a folder"));
        for authority in ["ours", "theirs"] {
            all.openssl(&format!(
                "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN={authority} -keyout \
                 {authority}.key -out {authority}.pem"
            ));
        }
        for (name, authority, names) in [
            ("server", "ours", "IP:127.0.0.1"),
            ("elsewhere", "ours", "DNS:elsewhere.example"),
            ("client", "ours", "DNS:client"),
            ("stranger", "theirs", "DNS:client"),
        ] {
            let extension = format!("subjectAltName={names}\nbasicConstraints=CA:FALSE\n");
            fs::write(all.path("extension"), extension).expect("a file");
            all.openssl(&format!(
                "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN={name} -keyout {name}.key -out \
                 {name}.request"
            ));
            all.openssl(&format!(
                "x509 -req -in {name}.request -CA {authority}.pem -CAkey {authority}.key -CAcreateserial -days 1 \
                 -extfile extension -out {name}.pem"
            ));
        }
        all
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a certificate")
    }

    fn openssl(&self, words: &str) {
        let mut command = Command::new("openssl");
        command.args(words.split_whitespace()).current_dir(self.0.path()).stdin(Stdio::null());
        let output = command.output().expect("openssl");
        assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// A server with this certificate, which lets in clients of `authority` only, if one is named.
    fn server(&self, name: &str, authority: Option<&str>) -> Server {
        let identity = Identity::from_pem(
            self.read(&format!("{name}.pem")),
            self.read(&format!("{name}.key")),
        );
        let mut tls = ServerTlsConfig::new().identity(identity);
        if let Some(authority) = authority {
            tls = tls.client_ca_root(Certificate::from_pem(self.read(&format!("{authority}.pem"))));
        }
        Server::start_with(Fault::None, Some(tls))
    }

    /// Keeps an entry and fetches it: whether that went well, and the notes. Names are of an authority, and of the
    /// client's own certificate.
    fn check(&self, address: &str, authority: Option<&str>, own: Option<&str>) -> String {
        let path = |name: Option<&str>, ending: &str| {
            name.map(|it| self.path(&format!("{it}.{ending}")).display().to_string())
        };
        let (authority, own, key) = (path(authority, "pem"), path(own, "pem"), path(own, "key"));
        let environment = |name: &str| match name {
            "TIR_ANALYZER_CACHE_CA" => authority.clone(),
            "TIR_ANALYZER_CACHE_CERT" => own.clone(),
            "TIR_ANALYZER_CACHE_KEY" => key.clone(),
            _ => None,
        };
        let address = Address::parse(address).expect("an address");
        let settings = Settings { address, upload: true, timeout: 4 * TIMEOUT };
        let start = Instant::now();
        let (action, file) = entry(1, 100);
        let mut said = Vec::new();
        for _ in 0..2 {
            let layer = connect(&settings, &environment).expect("a layer");
            let fetched = layer.fetch(&[(Kind::Text, &action)]).remove(0);
            said.push(fetched.is_some_and(|it| it.file == file).to_string());
            layer.offer(Kind::Text, &action, file.clone(), Duration::ZERO);
            said.extend(layer.finish().notes);
        }
        assert!(start.elapsed() < PATIENCE);
        said.join("\n")
    }
}

#[test]
#[ignore = "needs openssl"]
fn whose_certificate_is_vouched_for_is_trusted_by_openssl() {
    let all = Certificates::new();
    let server = all.server("server", None);
    let address = server.address();
    expect!["false\ntrue"].assert_eq(&all.check(&address, Some("ours"), None));
    let refused = |said: &str| {
        assert!(!said.contains("true"), "{said}");
        assert!(said.contains("certificate"), "{said}");
        let note = said.lines().nth(1).unwrap_or_default();
        note.split(" (and").next().unwrap_or_default().to_owned()
    };
    expect!["The service is currently unavailable: invalid peer certificate: UnknownIssuer"]
        .assert_eq(&refused(&all.check(&address, Some("theirs"), None)));
    // The authorities of the system do not know it.
    refused(&all.check(&address, None, None));
    // A certificate of another host.
    let elsewhere = all.server("elsewhere", None);
    refused(&all.check(&elsewhere.address(), Some("ours"), None));
    assert_eq!(elsewhere.set(|it| it.calls), 0);
}

#[test]
#[ignore = "needs openssl"]
fn who_has_a_certificate_comes_in_by_openssl() {
    let all = Certificates::new();
    let server = all.server("server", Some("ours"));
    let address = server.address();
    expect!["false\ntrue"].assert_eq(&all.check(&address, Some("ours"), Some("client")));
    let calls = server.set(|it| it.calls);
    for own in [None, Some("stranger")] {
        let said = all.check(&address, Some("ours"), own);
        assert!(said.starts_with("false\n") && !said.contains("true"), "{own:?}: {said}");
    }
    // Nothing that they ask for is heard.
    assert_eq!(server.set(|it| it.calls), calls);
}

#[test]
#[ignore = "needs openssl"]
fn one_side_without_tls_is_a_note_by_openssl() {
    let all = Certificates::new();
    let (with, without) = (all.server("server", None), Server::start(Fault::None));
    for address in [
        format!("grpc://127.0.0.1:{}/main", with.port()),
        format!("grpcs://127.0.0.1:{}/main", without.port()),
    ] {
        let said = all.check(&address, Some("ours"), None);
        assert_eq!(said.lines().filter(|it| *it == "false").count(), 2, "{said}");
        assert!(said.lines().count() > 2, "{said}");
    }
}

#[test]
fn a_certificate_without_its_key_and_files_that_are_not_there_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.pem");
    let refused = |variables: &[&str]| {
        let environment =
            |name: &str| variables.contains(&name).then(|| path.display().to_string());
        let address = Address::parse("grpcs://127.0.0.1:1/main").expect("an address");
        let settings = Settings { address, upload: true, timeout: TIMEOUT };
        let error = connect(&settings, &environment).expect_err("refused");
        error.replace(&path.display().to_string(), "PATH")
    };
    let missing = refused(&["TIR_ANALYZER_CACHE_CA"]);
    assert!(
        missing.starts_with("cannot read PATH, which TIR_ANALYZER_CACHE_CA names: "),
        "{missing}"
    );
    fs::write(&path, "no certificate").expect("a file");
    expect!["TIR_ANALYZER_CACHE_CERT and TIR_ANALYZER_CACHE_KEY belong together"]
        .assert_eq(&refused(&["TIR_ANALYZER_CACHE_CERT"]));
    let broken = refused(&["TIR_ANALYZER_CACHE_CERT", "TIR_ANALYZER_CACHE_KEY"]);
    assert!(broken.contains("grpcs://127.0.0.1:1/main"), "{broken}");
}
