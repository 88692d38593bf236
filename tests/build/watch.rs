//! `build --watch`: the rebuild after a save, its messages, and its end.

use std::{
    io::{BufRead as _, BufReader},
    process::{Child, ChildStdout, Command},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use tests::kernels;

use crate::project::Project;

/// Longer than any machine needs.
const PATIENCE: Duration = Duration::from_secs(120);

struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn start(project: &Project, words: &str) -> Watching {
        let mut child = project.command(words).spawn().expect("the program runs");
        let lines = lines(child.stdout.take().expect("its output"));
        Watching { child, lines }
    }

    /// All lines up to one that begins like this.
    fn until(&self, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            lines.push(line.unwrap_or_else(|_| panic!("no `{beginning}` after {lines:?}")));
            if lines.last().is_some_and(|it| it.starts_with(beginning)) {
                return lines;
            }
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines(output: ChildStdout) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        BufReader::new(output).lines().map_while(Result::ok).try_for_each(|it| sender.send(it))
    });
    lines
}

#[test]
fn a_save_builds_what_it_reaches_and_an_interrupt_ends_it() {
    let project = Project::new();
    project.write("a.py", &kernels::module([(1, 0), (2, 0)]));
    // The output lies in the folder that is watched.
    let mut watching = Watching::start(&project, "build . --out kernels/out --watch");
    let first = watching.until("watching").join("\n");
    assert!(first.contains("2 kernels: 2 built"), "{first}");

    project.write("a.py", &kernels::module([(1, 0), (2, 1)]));
    let edited = watching.until("in ").join("\n");
    assert!(edited.contains("a.py was saved"), "{edited}");
    assert!(edited.contains("kernel_2_kernel.cu (the function changed)"), "{edited}");
    assert!(edited.contains("1 built, 1 reused"), "{edited}");

    project.write("new/b.py", &kernels::module([(3, 0)]));
    let added = watching.until("in ").join("\n");
    assert!(added.contains("kernel_3_kernel.cu (new)"), "{added}");

    let broken = project.kernels().join("new");
    std::fs::remove_dir_all(broken).expect("a folder");
    let gone = watching.until("in ").join("\n");
    assert!(gone.contains("outputs of 1 file that are gone stay"), "{gone}");
    assert!(project.outputs("kernels/out").keys().any(|it| it.ends_with("kernel_3_kernel.cu")));

    #[cfg(unix)]
    {
        let id = watching.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill").success());
        assert_eq!(watching.child.wait().expect("an end").code(), Some(130));
        assert!(project.run("cache verify --store kernels/out.store").status.success());
    }
    #[cfg(not(unix))]
    let _ = Command::new("true");
}
