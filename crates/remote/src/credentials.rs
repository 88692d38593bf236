//! Credentials: headers for a host, from the environment.
//!
//! In: a host, variables of the environment. Out: headers. `TIR_ANALYZER_CACHE_HEADERS` has lines `HOST NAME: VALUE`;
//! `TIR_ANALYZER_CREDENTIAL_HELPER` names a program (`PROGRAM`, or `HOST=PROGRAM` for hosts) of Bazel's protocol: it is
//! run as `PROGRAM get`, reads `{"uri": "https://HOST"}`, and writes `{"headers": {"NAME": ["VALUE"]}}`. A host is
//! written in full, or `*.example.com` for all below it. An address stands in a file of a workspace, which anybody may
//! have written: a secret goes only to the hosts that the environment names for it, and no file names a program.

use std::{
    io::{Read as _, Write as _},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use crate::Environment;

/// The headers by host.
pub(crate) const HEADERS: &str = "TIR_ANALYZER_CACHE_HEADERS";
/// The programs by host.
pub(crate) const HELPER: &str = "TIR_ANALYZER_CREDENTIAL_HELPER";
/// The longest that a helper may take.
const HELPER_TIME: Duration = Duration::from_secs(20);
/// The most bytes of its answer.
const HELPER_ANSWER: u64 = 1 << 20;

/// Names and values.
pub(crate) type Headers = Vec<(String, String)>;

/// The headers for a host.
///
/// # Errors
/// If the environment cannot be understood, or a helper fails; never with a secret in it.
pub(crate) fn headers(host: &str, environment: Environment<'_>) -> Result<Headers, String> {
    let mut headers = Vec::new();
    for line in environment(HEADERS).unwrap_or_default().lines() {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let parts =
            line.split_once(' ').and_then(|(host, rest)| Some((host, rest.split_once(':')?)));
        let (pattern, (name, value)) =
            parts.ok_or_else(|| format!("a line of {HEADERS} is `HOST NAME: VALUE`"))?;
        if covers(pattern, host) {
            headers.push((name.trim().to_lowercase(), value.trim().to_owned()));
        }
    }
    let helpers = environment(HELPER).unwrap_or_default();
    let program = helpers.split([',', '\n']).map(str::trim).filter(|it| !it.is_empty()).find_map(
        |it| match it.split_once('=') {
            Some((pattern, program)) => covers(pattern, host).then_some(program),
            None => Some(it),
        },
    );
    if let Some(program) = program {
        headers.extend(of_helper(program, host, HELPER_TIME)?);
    }
    Ok(headers)
}

/// Returns true if a host is one of those that a pattern names.
fn covers(pattern: &str, host: &str) -> bool {
    match pattern.strip_prefix("*.") {
        Some(domain) => host.strip_suffix(domain).is_some_and(|it| it.ends_with('.')),
        None => pattern == host,
    }
}

/// Asks a helper.
fn of_helper(program: &str, host: &str, time: Duration) -> Result<Headers, String> {
    let failed = |what: &str| format!("the credential helper {program} {what}");
    let mut child = Command::new(program)
        .arg("get")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|it| failed(&format!("does not start: {it}")))?;
    let request = serde_json::json!({ "uri": format!("https://{host}") }).to_string();
    // A helper that reads nothing ends the pipe, which is no failure.
    let _ = child.stdin.take().map(|mut it| it.write_all(request.as_bytes()));
    let output = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = output.map(|it| it.take(HELPER_ANSWER).read_to_end(&mut text));
        text
    });
    let end = Instant::now() + time;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < end => std::thread::sleep(Duration::from_millis(5)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(failed("does not answer"));
            }
        }
    };
    if !status.success() {
        return Err(failed(&format!("failed ({status})")));
    }
    // A program that it left behind may hold the pipe: that is waited for no longer.
    while !reader.is_finished() {
        if Instant::now() >= end {
            return Err(failed("does not end its answer"));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let text = reader.join().unwrap_or_default();
    let answer: serde_json::Value =
        serde_json::from_slice(&text).map_err(|_| failed("gives no JSON"))?;
    let mut headers = Vec::new();
    for (name, values) in answer["headers"].as_object().into_iter().flatten() {
        let values = values.as_array().ok_or_else(|| failed("gives a header that is no list"))?;
        let values = values.iter().filter_map(|it| it.as_str());
        headers.extend(values.map(|it| (name.to_lowercase(), it.to_owned())));
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(host: &str, headers: &str, helper: &str) -> Result<Headers, String> {
        super::headers(host, &|name| {
            let value = if name == HEADERS { headers } else { helper };
            (!value.is_empty()).then(|| value.to_owned())
        })
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn a_secret_goes_to_its_hosts_only() {
        let lines = "a.example.com Authorization: Bearer x:y\n\n*.example.com x-team: kernels\n";
        let found = |host| of(host, lines, "").expect("headers");
        let team = pair("x-team", "kernels");
        assert_eq!(found("a.example.com"), [pair("authorization", "Bearer x:y"), team.clone()]);
        assert_eq!(found("b.example.com"), [team]);
        for host in ["example.com", "badexample.com", "a.example.com.evil.org", "evil.org"] {
            assert_eq!(found(host), []);
        }
        let error = of("h", "authorization:secret", "").unwrap_err();
        assert!(!error.contains("secret"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn helpers_of_bazel_are_asked() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let helper = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("a file");
            let rights = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(&path, rights).expect("rights");
            path.display().to_string()
        };
        let good = helper(
            "good",
            r#"read uri; [ "$1" = get ] && echo "{\"headers\":{\"Asked\":[\"$(echo $uri | cut -d/ -f3 | tr -d '\"}')\"]}}""#,
        );
        assert_eq!(of("h.org", "", &good), Ok(vec![pair("asked", "h.org")]));
        let for_host = format!("*.org={good},other={good}");
        assert_eq!(of("h.org", "", &for_host), Ok(vec![pair("asked", "h.org")]));
        assert_eq!(of("h.com", "", &for_host), Ok(vec![]));
        let fails = |text: &str| of("h", "", &helper("bad", text)).unwrap_err();
        assert!(fails("exit 3").contains("failed"));
        assert!(fails("echo no").contains("no JSON"));
        let slow = helper("slow", "exec sleep 60");
        let start = Instant::now();
        assert!(of_helper(&slow, "h", Duration::from_millis(50)).is_err());
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}
