//! Compilers of the tests (scripts), on a machine of the tests: this one.
#![cfg(unix)]

use std::{os::unix::fs::PermissionsExt as _, process::Command};

use codegen::build::Compiler as _;

use super::*;

/// Runs jobs in folders of their own.
#[derive(Debug)]
struct ThisMachine;

impl Executor for ThisMachine {
    fn name(&self) -> &str {
        "here"
    }

    fn execute(&self, job: &Job, _: &Stop) -> Result<Done, NotDone> {
        let folder = tempfile::tempdir().expect("a folder");
        for file in &job.files {
            let path = folder.path().join(&file.path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(&path, file.content.bytes().expect("bytes")).expect("a file");
            let mode = if file.is_executable { 0o755 } else { 0o644 };
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("a mode");
        }
        let mut command = Command::new(&job.arguments[0]);
        command.args(&job.arguments[1..]).env_clear().envs(job.environment.iter().cloned());
        let output = command.current_dir(folder.path()).output().expect("a shell");
        let read = |it: &String| Some((it.clone(), fs::read(folder.path().join(it)).ok()?));
        Ok(Done {
            exit_code: output.status.code().unwrap_or(-1),
            outputs: job.outputs.iter().filter_map(read).collect(),
            stdout: output.stdout,
            stderr: output.stderr,
            worker: "w1".to_owned(),
            is_cached: false,
        })
    }
}

/// An installation with scripts for programs.
fn installation(version: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: String| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode");
    };
    let program = |what: &str| {
        format!(
            "#!/bin/sh\nif [ \"$1\" = --version ]; then echo release V{version}; exit; fi\n{what}\n"
        )
    };
    // The arguments are a part of the output; what it reads beside itself, too.
    let nvcc = "grep -q bad kernel.cu && { echo 'kernel.cu(1): error: bad'; exit 2; }\n\
                (cat kernel.cu \"$(dirname \"$0\")/../nvvm/libdevice\"; echo \"$@\") > kernel.ptx";
    write("bin/nvcc", program(nvcc));
    write("bin/ptxas", program("cp kernel.ptx kernel.cubin; echo 'Used 7 registers' >&2"));
    write("nvvm/libdevice", "library\n".to_owned());
    folder
}

fn group(texts: &[&str]) -> Vec<Source> {
    let flags: Arc<[String]> = ["-O3".to_owned(), "-DX='a b'".to_owned()].into();
    let one = |it: &&str| Source { text: (*it).into(), flags: flags.clone(), arch: "sm_80".into() };
    texts.iter().map(one).collect()
}

/// Compares what comes back with what the compilers give here; true for each source that came.
fn check(here: &Path, there: Option<&Path>) -> Result<Vec<bool>, NotDone> {
    let compiler = CudaCompiler::find(Some(here)).expect("scripts");
    let settings = WorkerSettings {
        cuda: there.map(|it| it.display().to_string()),
        platform: Vec::new(),
        timeout: Duration::from_secs(60),
    };
    let jobs = CudaJobs::new(compiler.clone(), Arc::new(ThisMachine), settings);
    let group = group(&["one", "bad", "t'wo"]);
    let done = jobs.compile(&group, &Stop::default())?;
    assert_eq!(&*done.worker, "w1");
    let is_same = |(source, there): (&Source, &Option<Compiled>)| {
        let Source { text, flags, arch } = source;
        let here = compiler.compile(text, flags, arch);
        assert_eq!(here.is_ok(), !text.contains("bad"));
        assert!(there.is_none() || *there == here.ok(), "{there:?}");
        there.is_some()
    };
    Ok(group.iter().zip(&done.compiled).map(is_same).collect())
}

#[test]
fn compilers_that_are_sent_give_what_they_give_here() {
    let here = installation("13.0.88");
    assert_eq!(check(here.path(), None), Ok(vec![true, false, true]));
}

#[test]
fn compilers_of_the_worker_have_to_be_of_this_version() {
    let here = installation("13.0.88");
    let same = installation("13.0.88");
    assert_eq!(check(here.path(), Some(same.path())), Ok(vec![true, false, true]));
    let other = installation("12.9.1");
    let NotDone::Failed(said) = check(here.path(), Some(other.path())).expect_err("another") else {
        panic!("it failed")
    };
    assert_eq!(
        said,
        "the compilers there are nvcc V12.9.1, ptxas V12.9.1, and here nvcc V13.0.88, ptxas V13.0.88"
    );
    let none = tempfile::tempdir().expect("a folder");
    assert!(check(here.path(), Some(none.path())).is_err());
}
