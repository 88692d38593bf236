//! Instances of factories: what is shown of them, and what an edit computes anew.

use std::sync::Arc;

use expect_test::{Expect, expect};

use super::{FILE, host};
use crate::{
    AnalysisHost, ClosedFile, FileId, Group, InlayHintsConfig, Instance, Language, Request,
    Settings, TextSize,
};

const TEXT: &str = "from tvm.script import tirx as T


def scale(n, k=2, dtype=\"float32\"):
    block = n // k

    @T.prim_func
    def main(A: T.Buffer((n,), dtype), B: T.Buffer((n,), dtype)):
        for i in range(block):
            B[i * k + 1] = A[i * k + 1] * A[i * k + 1]

    return main


def other(n):
    @T.prim_func
    def copy(A: T.Buffer((n,), \"float32\"), B: T.Buffer((n,), \"float32\")):
        for i in range(n):
            B[i * n] = A[i * n]

    return copy


first = scale(128)
second = scale(256, 4)
same = scale(k=2, n=128)
third = other(8)
";

fn instance(host: &AnalysisHost, factory: usize, number: usize) -> Arc<Instance> {
    host.analysis().instances(FILE, &[]).unwrap()[factory].instances[number].clone()
}

fn hover(host: &AnalysisHost, text: &str, at: &str) -> String {
    let offset = TextSize::from(text.find(at).unwrap() as u32);
    let hover = host.analysis().hover(FILE, offset).unwrap();
    hover.map_or_else(String::new, |it| it.markdown)
}

fn hints(host: &AnalysisHost) {
    host.analysis().inlay_hints(FILE, None, &InlayHintsConfig::default()).unwrap();
}

#[test]
fn calls_and_requests_are_listed_once_in_order() {
    let mut host = host(TEXT);
    let request = |text: &str| Request::parse(text).unwrap();
    let requests = [request("scale(n=64)"), request("scale(128)"), request("no(1)")].into();
    host.set_settings(Group::default(), Settings { requests, ..Settings::default() });
    let found = host.analysis().instances(FILE, &[]).unwrap();
    let shown: Vec<(&str, Vec<String>)> = found
        .iter()
        .map(|it| (&TEXT[it.range], it.instances.iter().map(|it| it.arguments()).collect()))
        .collect();
    assert_eq!(
        shown,
        [
            (
                "scale",
                vec![
                    "n=128, k=2, dtype=\"float32\"".to_owned(),
                    "n=256, k=4, dtype=\"float32\"".to_owned(),
                    "n=64, k=2, dtype=\"float32\"".to_owned(),
                ]
            ),
            ("other", vec!["n=8".to_owned()])
        ]
    );
    assert!(found.iter().all(|it| it.chosen.is_none()));
}

#[test]
fn the_chosen_instance_is_shown_by_hovers_and_previews() {
    let mut host = host(TEXT);
    assert!(!hover(&host, TEXT, "block):").contains("here"));
    let chosen = instance(&host, 0, 1);
    host.choose_instance(FILE, "scale", Some(chosen));
    let text = hover(&host, TEXT, "block):");
    assert!(
        text.starts_with("`block = 64` here, in `scale(n=256, k=4, dtype=\"float32\")`"),
        "{text}"
    );
    let at = TextSize::from(TEXT.find("B[i * k").unwrap() as u32);
    let preview = host.analysis().view_passes(FILE, at, &[]).unwrap().unwrap();
    assert!(preview.before.contains("A: T.Buffer((256,), \"float32\")"), "{}", preview.before);
    assert_eq!(host.analysis().instances(FILE, &[]).unwrap()[0].chosen, Some(1));
    host.choose_instance(FILE, "scale", None);
    assert!(!hover(&host, TEXT, "block):").contains("here"));
}

#[test]
fn an_edit_of_a_factory_computes_its_instances_only() {
    let mut host = host(TEXT);
    let (scale, other) = (instance(&host, 0, 0), instance(&host, 1, 0));
    host.choose_instance(FILE, "scale", Some(scale));
    host.choose_instance(FILE, "other", Some(other));
    hints(&host);
    let lowered = |host: &AnalysisHost| -> Vec<String> {
        let log = host.take_query_log();
        log.into_iter().filter(|it| it.starts_with("lowered(")).collect()
    };
    // The function of the factory.
    host.start_query_log();
    let text = TEXT.replace("B[i * k + 1] =", "B[i * k + 2] =");
    host.set_text(FILE, Language::TvmScript, text.as_str().into());
    hints(&host);
    assert_eq!(lowered(&host), ["lowered(main[n=128, k=2, dtype=\"float32\"])"]);
    // The Python in the factory.
    host.start_query_log();
    let text = text.replace("block = n // k", "block = n // k - 1");
    host.set_text(FILE, Language::TvmScript, text.as_str().into());
    hints(&host);
    assert_eq!(lowered(&host), ["lowered(main[n=128, k=2, dtype=\"float32\"])"]);
    // Another call makes another instance, and changes none.
    host.start_query_log();
    let text = text.replace("third = other(8)", "third = other(16)");
    host.set_text(FILE, Language::TvmScript, text.as_str().into());
    hints(&host);
    assert_eq!(lowered(&host), [""; 0]);
    // The chosen one stays.
    let found = host.analysis().instances(FILE, &[]).unwrap();
    let shown: Vec<String> = found[1].instances.iter().map(|it| it.arguments()).collect();
    assert_eq!((shown, found[1].chosen), (vec!["n=16".to_owned(), "n=8".to_owned()], Some(1)));
}

#[test]
fn fixes_are_those_of_the_general_function() {
    let mut host = host(TEXT);
    let range = crate::TextRange::up_to(TextSize::of(TEXT));
    let titles = |host: &AnalysisHost| -> Vec<String> {
        let actions = host.analysis().code_actions(FILE, range, &|_| true).unwrap();
        actions.into_iter().map(|it| it.title).collect()
    };
    let general = titles(&host);
    let chosen = instance(&host, 0, 0);
    host.choose_instance(FILE, "scale", Some(chosen));
    assert_eq!(titles(&host), general);
}

#[test]
fn calls_in_other_files_are_instances() {
    let mut host = host(TEXT);
    let calls = "from ops.scale import other, scale\n\nscale(512)\nother(8)\nother(n=32)\n";
    host.set_text(FileId(1), Language::TvmScript, calls.into());
    let closed = "import ops.scale as s\ns.scale(1024, 4)\n";
    let read = ClosedFile::read(FileId(9), Language::TvmScript, closed, &mut || true).unwrap();
    host.workspace_index().replace(FileId(9), read);
    let analysis = host.analysis();
    let called = analysis.foreign_calls(FILE, "home.ops.scale").unwrap();
    let files: Vec<u32> = called.iter().map(|it| it.0.0).collect();
    assert_eq!(files, [1, 1, 1, 9]);
    let requests: Vec<Request> = called.into_iter().map(|it| it.1).collect();
    let found = analysis.instances(FILE, &requests).unwrap();
    let shown: Vec<String> =
        found.iter().flat_map(|it| &it.instances).map(|it| it.to_string()).collect();
    assert_eq!(
        shown,
        [
            "scale(n=128, k=2, dtype=\"float32\")",
            "scale(n=256, k=4, dtype=\"float32\")",
            "scale(n=512, k=2, dtype=\"float32\")",
            "scale(n=1024, k=4, dtype=\"float32\")",
            "other(n=8)",
            "other(n=32)",
        ]
    );
    assert!(analysis.foreign_calls(FILE, "home.other").unwrap().is_empty());
}

/// The findings of the file, with the text at their places.
fn mistakes(calls: &str) -> Vec<String> {
    let text = format!(
        "import tilelang
import tilelang.language as T


def make(n, threads=128):
    @T.prim_func
    def f(A: T.Tensor((n, 64), \"float16\")):
        with T.Kernel(4, threads=threads) as bx:
            S = T.alloc_shared((32, 64), \"float16\")
            T.copy(A[0, 0], S)
            S[n, 0] = S[0, 0]

    return f


{calls}
"
    );
    let host = host(&text);
    let all = host.analysis().diagnostics(FILE, &crate::DiagnosticsConfig::default()).unwrap();
    let mistakes = all.into_iter().filter(|it| it.severity == crate::Severity::Error);
    mistakes.map(|it| format!("{}: {}: {}", it.code, &text[it.range], it.message)).collect()
}

#[test]
fn mistakes_of_instances_are_told_once_with_the_first_that_has_them() {
    let check = |calls: &str, expected: Expect| expected.assert_debug_eq(&mistakes(calls));
    check(
        "",
        expect![[r#"
        []
    "#]],
    );
    check(
        "make(16)",
        expect![[r#"
        []
    "#]],
    );
    check(
        "make(16, threads=2048)",
        expect![[r#"
        [
            "launch-limit: bx: a block of 2048 threads: no device has more than 1024 (in `make(n=16, threads=2048)`)",
        ]
    "#]],
    );
    check(
        "make(64)\nmake(32)\nmake(16)\nmake(128)",
        expect![[r#"
        [
            "out-of-bounds: S[n, 0] = S[0, 0]: `S[n, 0] = S[0, 0]` is outside of `S`: dimension 0 has extent 32, and the index is 64 (in `make(n=64, threads=128)` and 2 more instances)",
        ]
    "#]],
    );
    // A call whose arguments are not known makes no instance.
    check(
        "make(read())",
        expect![[r#"
        []
    "#]],
    );
}

#[test]
fn what_a_tuner_leaves_out_is_no_mistake() {
    let found = mistakes(
        "@tilelang.autotune(configs=[{\"threads\": 128}, {\"threads\": 2048}])
@tilelang.jit
def tuned(n, threads=128):
    @T.prim_func
    def g(A: T.Tensor((n, 64), \"float16\")):
        with T.Kernel(4, threads=threads) as bx:
            S = T.alloc_shared((32, 64), \"float16\")
            T.copy(A[0, 0], S)

    return g


tuned(64)",
    );
    assert_eq!(found, [""; 0]);
}

#[test]
fn an_argument_that_is_not_known_is_not_the_default_of_its_parameter() {
    let host = host(
        "import tilelang
import tilelang.language as T


@tilelang.jit
def scale(A, n, groups=1, k=2):
    m = T.const(\"m\")
    A: T.Tensor[[m, n], \"float32\"]
    with T.Kernel(m, threads=128) as bx:
        A[bx, 0] = A[bx, 0] * groups + k


def run(a, G):
    scale(a, n=64, groups=G)
    scale(a, 64, G, k=3)
    scale(a, 64)
",
    );
    let found = host.analysis().instances(FILE, &[]).unwrap();
    let shown: Vec<String> = found[0].instances.iter().map(|it| it.arguments()).collect();
    assert_eq!(shown, ["n=64, k=2", "n=64, k=3", "n=64, groups=1, k=2"]);
}
