//! A long session, and the resources of its process.

use std::{path::Path, thread, time::Duration};

use serde_json::{Value, json};
use tests::{
    binary,
    document::Document,
    lsp::{Server, uri_of, usual_capabilities},
    metrics::Metrics,
    samples,
};

/// Returns true if the long form was requested.
pub(crate) fn is_long() -> bool {
    std::env::var("TIR_SOAK").is_ok_and(|it| it == "long")
}

/// The number of measurements of a test.
const N_MEASURED: usize = 20;

/// The memory of the second half may differ by this, in percent; a short form is short.
fn allowed_slope() -> f64 {
    if is_long() { 1.0 } else { 6.0 }
}

/// A server, and a folder with a few kernels.
pub(crate) struct Session {
    server: Server,
    dir: tempfile::TempDir,
}

impl Session {
    /// Starts a server. Where nothing can be measured, the tests are ignored.
    pub(crate) fn start() -> Session {
        let dir = tempfile::tempdir().expect("a folder");
        for name in ["one", "two"] {
            std::fs::create_dir(dir.path().join(name)).expect("a folder");
            let text = samples::text("lowered_cuda", "te_softmax_dyn");
            std::fs::write(dir.path().join(name).join("kernel.py"), text).expect("a file");
        }
        let mut command = binary::command();
        // What is free goes back after a moment and not after ten seconds, so that measuring does not wait for it.
        command.arg("server").env("_RJEM_MALLOC_CONF", "dirty_decay_ms:100,muzzy_decay_ms:0");
        let mut server = Server::spawn_program(command, dir.path());
        let mut capabilities = usual_capabilities();
        capabilities["workspace"]["inlayHint"] = json!({ "refreshSupport": false });
        server.initialize(capabilities, dir.path()).expect("the server is ready");
        assert!(Metrics::of(server.process()).is_some(), "nothing can be measured");
        Session { server, dir }
    }

    /// Does something again and again; fails if memory, threads or handles grow in the second half.
    pub(crate) fn soak(
        &mut self,
        name: &str,
        n: usize,
        mut round: impl FnMut(&mut Session, usize),
    ) {
        let mut figures = Vec::new();
        for i in 0..n {
            round(self, i);
            if (i + 1) % (n / N_MEASURED) == 0 {
                figures.push(self.settled());
            }
        }
        self.report(&format!("{n} × {name}"), &figures);
        let (_, second) = figures.split_at(figures.len() / 2);
        let (early, late) = second.split_at(second.len() / 2);
        let mean =
            |of: &[Metrics]| of.iter().map(|it| it.resident as f64).sum::<f64>() / of.len() as f64;
        let slope = (mean(late) / mean(early) - 1.0) * 100.0;
        assert!(slope <= allowed_slope(), "{name}: memory grows by {slope:.1} %: {second:#?}");
        let of =
            |figure: fn(&Metrics) -> u64| (figure(&second[0]), figure(&second[second.len() - 1]));
        let (threads, handles) = (of(|it| it.threads), of(|it| it.handles));
        assert!(
            threads.1 <= threads.0 && handles.1 <= handles.0,
            "{name}: {threads:?} {handles:?}"
        );
    }

    /// The figures once the server has nothing to do.
    pub(crate) fn settled(&mut self) -> Metrics {
        // Asked twice: what was asked before is done, and so is what it left behind.
        for _ in 0..2 {
            let _ = self.server.request(
                "textDocument/hover",
                json!({
                    "textDocument": { "uri": "file:///nothing.py" },
                    "position": { "line": 0, "character": 0 },
                }),
            );
            thread::sleep(Duration::from_millis(150));
        }
        Metrics::of(self.server.process()).expect("the server lives")
    }

    /// The figures once the memory stops falling: dropping a gigabyte takes a busy machine some seconds.
    pub(crate) fn at_rest(&mut self) -> Metrics {
        let mut last = self.settled();
        for _ in 0..100 {
            let now = self.settled();
            if now.resident >= last.resident {
                return now;
            }
            last = now;
        }
        last
    }

    /// Prints metrics to the output of the test.
    #[expect(clippy::print_stdout, reason = "the report of a test, shown with --nocapture")]
    pub(crate) fn report(&self, name: &str, figures: &[Metrics]) {
        let all: Vec<String> =
            figures.iter().map(|it| format!("{:.1}", it.resident as f64 / 1000.0)).collect();
        let last = figures[figures.len() - 1];
        let (threads, handles) = (last.threads, last.handles);
        println!("{name}: {} MB, {threads} threads, {handles} handles", all.join(" "));
    }

    /// A document of TVMScript and one of MLIR, open.
    pub(crate) fn open_samples(&mut self) -> [Document; 2] {
        let documents = [self.document("open", 0), self.document("open", 1)];
        documents.iter().for_each(|it| self.server.open(it));
        documents
    }

    fn document(&self, name: &str, number: usize) -> Document {
        let dir = uri_of(self.dir.path());
        if number.is_multiple_of(2) {
            let text = samples::text("lowered_cuda", "te_softmax_dyn");
            return Document::new(format!("{dir}/{name}{number}.py"), text);
        }
        Document::new(format!("{dir}/{name}{number}.mlir"), mlir(20))
    }

    /// One edit: inside a function, of its name, of the text around it, a function more or less.
    pub(crate) fn edit(&mut self, documents: &mut [Document; 2], round: usize) {
        let document = &mut documents[round % 2];
        let is_mlir = round % 2 == 1;
        let mark = if is_mlir { "//" } else { "#" };
        let (from, to) = match (round / 2 % 5, is_mlir) {
            (0, false) => name_after(document.text(), "def "),
            (0, true) => name_after(document.text(), "func.func @"),
            _ => (0, 0),
        };
        let new = match round / 2 % 5 {
            0 => format!("f{round}"),
            1 => format!("{mark} {round}\n"),
            2 if is_mlir => format!("func.func @g{round}() {{\n  return\n}}\n"),
            2 => format!("@T.prim_func\ndef g{round}():\n    pass\n\n"),
            _ => String::new(),
        };
        let change = match round / 2 % 5 {
            // What was added goes again.
            3 => {
                let whole = if is_mlir {
                    mlir(20)
                } else {
                    samples::text("lowered_cuda", "te_softmax_dyn")
                };
                let len = document.text().len();
                document.replace(0, len, &whole)
            }
            _ => document.replace(from, to, &new),
        };
        self.server.change(change);
        if round.is_multiple_of(7) {
            self.ask(document);
        }
    }

    fn ask(&mut self, document: &Document) {
        for (method, params) in [
            ("textDocument/inlayHint", document.over_all()),
            ("textDocument/diagnostic", json!({ "textDocument": { "uri": document.uri() } })),
            (
                "textDocument/semanticTokens/full",
                json!({ "textDocument": { "uri": document.uri() } }),
            ),
        ] {
            if let Err(error) = self.server.request(method, params) {
                panic!("{method}: {error:?}");
            }
        }
    }

    /// Opens one of a few documents, asks, and closes it.
    pub(crate) fn open_and_close(&mut self, round: usize) {
        let document = self.document("document", round % 4);
        self.open_ask_close(&document);
    }

    /// Opens a document, asks for its hints and whatever else editors ask for, and closes it.
    pub(crate) fn open_ask_close(&mut self, document: &Document) {
        self.server.open(document);
        self.ask(document);
        self.close(document);
    }

    /// A document of so many bytes of real functions.
    pub(crate) fn large(&self, len: usize) -> Document {
        let text = samples::text("lowered_cuda", "te_softmax_dyn");
        let copies = (0..).map(|i| text.replacen("class Module", &format!("class Module{i}"), 1));
        let mut all = String::new();
        for copy in copies {
            if all.len() + copy.len() > len {
                break;
            }
            all.push_str(&copy);
        }
        Document::new(format!("{}/large.py", uri_of(self.dir.path())), all)
    }

    fn close(&mut self, document: &Document) {
        self.server
            .notify("textDocument/didClose", json!({ "textDocument": document.identifier() }));
    }

    /// Opens so many documents, all of them with other texts, and asks for the hints of each. Gives the length of their
    /// texts.
    pub(crate) fn open_all(&mut self, n: usize) -> usize {
        let mut len = 0;
        for number in 0..n {
            let document = self.numbered(number);
            len += document.text().len();
            self.server.open(&document);
            self.ask(&document);
        }
        len
    }

    /// Closes them.
    pub(crate) fn close_all(&mut self, n: usize) {
        for number in 0..n {
            let document = self.numbered(number);
            self.close(&document);
        }
    }

    fn numbered(&self, number: usize) -> Document {
        let document = self.document("many", number);
        let mark = if number.is_multiple_of(2) { "#" } else { "//" };
        // The long form has documents as large as those of a real workspace.
        let text = if is_long() && number.is_multiple_of(2) {
            samples::text("lowered_cpu", "model_llama_decode1")
        } else {
            document.text().to_owned()
        };
        Document::new(document.uri(), format!("{mark} {number}\n{text}"))
    }

    /// Takes a folder out of the workspace, or puts it in again.
    pub(crate) fn change_folders(&mut self, round: usize) {
        let folder = |name: &str| -> Value {
            let path: &Path = &self.dir.path().join(name);
            json!({ "uri": uri_of(path), "name": name })
        };
        let (added, removed) =
            if round.is_multiple_of(2) { ("one", "two") } else { ("two", "one") };
        let event = json!({ "added": [folder(added)], "removed": [folder(removed)] });
        self.server.notify("workspace/didChangeWorkspaceFolders", json!({ "event": event }));
        self.open_and_close(round);
    }
}

/// A module of so many functions with equal operations.
fn mlir(n: usize) -> String {
    (0..n)
        .map(|i| {
            format!(
                "func.func @f{i}(%a: i32, %b: i32) -> i32 {{\n  %0 = arith.addi %a, %b : i32\n  %1 = arith.addi %a, %b : i32\n  %2 = arith.muli %0, %1 : i32\n  return %2 : i32\n}}\n"
            )
        })
        .collect()
}

/// Returns the place where the name of the first function is.
fn name_after(text: &str, word: &str) -> (usize, usize) {
    let start = text.find(word).expect("a function") + word.len();
    let len = text[start..].find('(').expect("parameters");
    (start, start + len)
}
