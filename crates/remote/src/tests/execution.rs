//! Jobs on a worker of the tests, and on one that is bad at it.

use codegen::execute::{Content, Done, Executor, Job, JobFile, NotDone, Stop};

use super::*;

fn workers(server: &Server) -> Arc<dyn Executor> {
    crate::workers(&settings(server), &|_| None).expect("workers")
}

/// A job of the shell.
fn job(script: &str) -> Job {
    let file = |path: &str, text: &str| JobFile {
        path: path.to_owned(),
        content: Content::of_bytes(text.as_bytes()),
        is_executable: path == "run",
    };
    Job {
        arguments: vec!["./run".to_owned(), "b".to_owned()],
        environment: vec![("GREETING".to_owned(), "hello".to_owned())],
        files: vec![
            file("run", &format!("#!/bin/sh\n{script}\n")),
            file("a/in", "one\n"),
            file("a/b/in", "two\n"),
        ],
        outputs: ["a/out", "a/b/out", "absent"].map(str::to_owned).to_vec(),
        platform: vec![("OSFamily".to_owned(), "linux".to_owned())],
        timeout: Duration::from_secs(5),
    }
}

const SCRIPT: &str =
    "cat a/in a/$1/in > a/out; echo $GREETING; echo trouble >&2; : > a/b/out; exit 3";

fn check_done(outcome: Result<Done, NotDone>, is_cached: bool) {
    let done = outcome.expect("done");
    let outputs =
        [("a/out".to_owned(), b"one\ntwo\n".to_vec()), ("a/b/out".to_owned(), Vec::new())];
    let mut found = done.outputs.clone();
    found.sort();
    let mut wanted = outputs.to_vec();
    wanted.sort();
    assert_eq!(found, wanted);
    assert_eq!((done.exit_code, done.is_cached), (3, is_cached));
    assert_eq!((&*done.stdout, &*done.stderr), (&b"hello\n"[..], &b"trouble\n"[..]));
    assert_eq!(done.worker, "worker-1");
}

#[cfg(unix)]
#[test]
fn a_job_leaves_what_it_would_leave_here() {
    let server = Server::start(Fault::None);
    check_done(workers(&server).execute(&job(SCRIPT), &Stop::default()), false);
    // A failure is not remembered.
    check_done(workers(&server).execute(&job(SCRIPT), &Stop::default()), false);
    let good = job("echo 1 > a/out");
    let workers = workers(&server);
    for is_cached in [false, true] {
        let done = workers.execute(&good, &Stop::default()).expect("done");
        assert_eq!((done.exit_code, done.is_cached), (0, is_cached));
        assert_eq!(done.outputs, [("a/out".to_owned(), b"1\n".to_vec())]);
    }
    assert_eq!(server.set(|it| it.run), 3);
}

#[cfg(unix)]
#[test]
fn what_passes_is_got_over() {
    for fault in [Fault::LosesInputs, Fault::Breaks] {
        let server = Server::start(fault);
        check_done(workers(&server).execute(&job(SCRIPT), &Stop::default()), false);
        assert_eq!(server.set(|it| it.run), 1, "{fault:?}");
    }
    for seed in 1..20 {
        let server = Server::start(Fault::Sometimes(seed));
        match workers(&server).execute(&job(SCRIPT), &Stop::default()) {
            // A wrong bit is never passed on.
            Err(NotDone::Failed(_)) => {}
            outcome => check_done(outcome, false),
        }
    }
}

#[cfg(unix)]
#[test]
fn outputs_that_are_gone_are_made_anew() {
    let server = Server::start(Fault::None);
    let job = job("echo 1 > a/out");
    workers(&server).execute(&job, &Stop::default()).expect("done");
    let output = codegen::Key(Digest::of(b"1\n").hash).to_string();
    server.set(|it| it.contents.remove(&output));
    let done = workers(&server).execute(&job, &Stop::default()).expect("done");
    assert_eq!((done.is_cached, done.outputs.len()), (false, 1));
}

#[cfg(unix)]
#[test]
fn programs_of_jobs_that_begin_at_once_are_sent_once() {
    let server = Server::start(Fault::None);
    let settings = Settings { timeout: Duration::from_secs(20), ..settings(&server) };
    let workers = crate::workers(&settings, &|_| None).expect("workers");
    std::thread::scope(|scope| {
        for number in 0..6 {
            let mut job = job(&format!("echo {number} > a/out"));
            job.files.push(JobFile {
                path: "tools/program".to_owned(),
                content: Content::of_bytes(vec![7; 5 << 20]),
                is_executable: true,
            });
            let workers = &workers;
            scope.spawn(move || workers.execute(&job, &Stop::default()).expect("done"));
        }
    });
    assert_eq!(server.set(|it| (it.run, it.streamed)), (6, 1));
}

/// Describes what a client says of a service with this fault.
fn check_note(fault: Fault, expected: &expect_test::Expect) {
    let server = Server::start(Fault::None);
    server.set(|it| it.fault = fault);
    let start = Instant::now();
    let workers = workers(&server);
    let job = Job { timeout: Duration::from_millis(500), ..job(SCRIPT) };
    let mut said = String::new();
    for _ in 0..4 {
        match workers.execute(&job, &Stop::default()) {
            Err(NotDone::Failed(it)) => said.push_str(&format!("{it}\n")),
            Err(NotDone::LeftAlone) => said.push_str("left alone\n"),
            outcome => panic!("{outcome:?}"),
        }
    }
    let took = start.elapsed();
    assert!(took < 20 * TIMEOUT, "{took:?}");
    expected.assert_eq(&said);
}

#[cfg(unix)]
#[test]
fn a_bad_service_is_left_alone() {
    check_note(
        Fault::Silent,
        &expect![[r#"
            it does not answer in time
            left alone
            left alone
            left alone
        "#]],
    );
    check_note(
        Fault::Refuses,
        &expect![[r#"
            The caller does not have permission to execute the specified operation: not you
            left alone
            left alone
            left alone
        "#]],
    );
    check_note(
        Fault::Unavailable,
        &expect![[r#"
            The service is currently unavailable: not now
            The service is currently unavailable: not now
            The service is currently unavailable: not now
            left alone
        "#]],
    );
    check_note(
        Fault::Flipped,
        &expect![[r#"
            it gives a content that does not have its digest
            left alone
            left alone
            left alone
        "#]],
    );
    check_note(
        Fault::Truncated,
        &expect![[r#"
            it gives a content that does not have its digest
            left alone
            left alone
            left alone
        "#]],
    );
    check_note(
        Fault::Full,
        &expect![[r#"
            Some resource has been exhausted: no room
            Some resource has been exhausted: no room
            Some resource has been exhausted: no room
            left alone
        "#]],
    );
}

/// Ends a job that runs; returns true if the service was told.
#[cfg(unix)]
fn is_told_of_an_end(server: &Server) -> bool {
    let (workers, stop) = (workers(server), Stop::default());
    let before = server.set(|it| it.run);
    // Another each time: what was run is known.
    let job = job(&format!("sleep 3; echo {before}"));
    std::thread::scope(|scope| {
        let running = scope.spawn(|| workers.execute(&job, &stop));
        while server.set(|it| it.run) == before {
            std::thread::sleep(Duration::from_millis(5));
        }
        // The client hears of the name.
        std::thread::sleep(Duration::from_millis(100));
        let start = Instant::now();
        stop.set();
        assert_eq!(running.join().expect("an end"), Err(NotDone::Stopped));
        assert!(start.elapsed() < Duration::from_secs(2));
    });
    let end = Instant::now() + Duration::from_secs(1);
    while Instant::now() < end {
        if server.set(|it| !it.cancelled.is_empty()) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}

#[cfg(unix)]
#[test]
fn an_end_is_passed_on() {
    let server = Server::start(Fault::None);
    // On a machine with much to do it may not have heard of the name yet.
    assert!((0..5).any(|_| is_told_of_an_end(&server)));
    // It does not wait for the job.
    server.stop();
}
