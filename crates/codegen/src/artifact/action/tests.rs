//! Each input of a key changes it, and nothing else does.

use std::collections::BTreeMap;

use expect_test::expect;

use super::*;
use crate::{
    TargetOptions,
    test_bodies::{add_dynamic, normalize_rows},
};

/// The action of a function under settings as a user writes them, with passes.
fn code(function: &[u8], spec: &str, passes: &[&str]) -> Action {
    let (target, options) = TargetOptions::parse(spec).expect("settings");
    let options = Options {
        passes: passes.iter().map(|&it| it.to_owned()).collect(),
        ..Options::default().with(&options)
    };
    Action::of_artifact(Digest::of(function), target, &options)
}

fn binary(source: &str, flags: &[&str], arch: &str, compiler: &str, runner: &str) -> Action {
    let flags: Vec<String> = flags.iter().map(|&it| it.to_owned()).collect();
    Action::of_binary(source, &flags, arch, compiler, runner)
}

/// Fails if two of the actions have one key.
fn check_all_differ(actions: &[(&str, Action)]) {
    let mut seen: BTreeMap<Key, &str> = BTreeMap::new();
    for (input, action) in actions {
        if let Some(other) = seen.insert(action.key(), input) {
            panic!("{input} has the key of {other}");
        }
    }
}

#[test]
fn every_input_changes_the_key() {
    let cuda = |spec| code(b"f", spec, &["cse"]);
    check_all_differ(&[
        ("a function", cuda("cuda")),
        ("another function", code(b"g", "cuda", &["cse"])),
        ("a longer function", code(b"ff", "cuda", &["cse"])),
        ("another target", cuda("hip")),
        ("fused sums", cuda("cuda:contract=true")),
        ("wide indices", cuda("cuda:index-bits=64")),
        ("narrow indices", cuda("cuda:index-bits=32")),
        ("shared memory", cuda("cuda:shared-memory=96K")),
        ("shared memory of an architecture", cuda("cuda:arch=sm_90")),
        ("a language", cuda("spirv")),
        ("its version", cuda("spirv:arch=1.4")),
        ("no passes", code(b"f", "cuda", &[])),
        ("passes", code(b"f", "cuda", &["simplify", "cse"])),
        ("passes in another order", code(b"f", "cuda", &["cse", "simplify"])),
        ("an unknown function", Action::of_unknown(&[1; 32], Target::Cuda, &Options::default())),
        (
            "another unknown function",
            Action::of_unknown(&[2; 32], Target::Cuda, &Options::default()),
        ),
        ("a text", Action::of_text(&[1; 32], "reader")),
        ("another text", Action::of_text(&[2; 32], "reader")),
        ("another reader", Action::of_text(&[1; 32], "reader 2")),
        ("another program's", Action::of_other("triton/a/b")),
        ("another name", Action::of_other("triton/a/c")),
        ("a binary", binary("s", &["-O3"], "sm_80", "nvcc 13", "runner")),
        ("another source", binary("t", &["-O3"], "sm_80", "nvcc 13", "runner")),
        ("other flags", binary("s", &["-O2"], "sm_80", "nvcc 13", "runner")),
        ("one flag more", binary("s", &["-O3", "-g"], "sm_80", "nvcc 13", "runner")),
        ("flags that are one", binary("s", &["-O3 -g"], "sm_80", "nvcc 13", "runner")),
        ("another architecture", binary("s", &["-O3"], "sm_90", "nvcc 13", "runner")),
        ("another compiler", binary("s", &["-O3"], "sm_80", "nvcc 12", "runner")),
        ("another runner", binary("s", &["-O3"], "sm_80", "nvcc 13", "runner 2")),
    ]);
}

#[test]
fn the_generator_is_in_every_key_of_this_program() {
    let has_it = |action: &Action| {
        action.command().windows(GENERATOR.len()).any(|it| it == GENERATOR.as_bytes())
    };
    assert!(has_it(&code(b"f", "cuda", &[])) && has_it(&Action::of_text(&[1; 32], "reader")));
    let of = |argument| Action::new(&[argument], &[], &[]).key();
    assert_ne!(of("1"), of("2"));
}

#[test]
fn limits_and_flags_of_sources_change_no_key() {
    for (spec, from) in [
        ("cuda:max-threads=512", "cuda"),
        // Devices with as much shared memory.
        ("cuda:arch=sm_80", "cuda:arch=sm_87"),
        ("cuda:fast-math=true", "cuda:contract=true"),
        ("opencl:arch=2.0", "opencl"),
    ] {
        assert_eq!(code(b"f", spec, &["cse"]), code(b"f", from, &["cse"]), "{spec} {from}");
    }
}

#[test]
fn order_of_inputs_and_needs_changes_nothing() {
    let (a, b) = (("a", Digest::of(b"1")), ("b", Digest::of(b"2")));
    let (x, y) = (("x", "1"), ("y", "2"));
    let action = Action::new(&[], &[a, b], &[x, y]);
    assert_eq!(action, Action::new(&[], &[b, a], &[y, x]));
    assert_ne!(action, Action::new(&[], &[("a", b.1), ("b", a.1)], &[x, y]));
    assert_ne!(action, Action::new(&[], &[a, b], &[("x", "2"), ("y", "1")]));
}

#[test]
fn names_change_no_normal_form() {
    let form = |body: &ir::Body| ir::fingerprint::normal_form(body).expect("nothing unknown");
    let body = add_dynamic("add", "A", 1.0);
    assert_eq!(form(&body), form(&add_dynamic("plus", "input", 1.0)));
    assert_ne!(form(&body), form(&add_dynamic("add", "A", 2.0)));
    assert_ne!(form(&body), form(&normalize_rows()));
    assert_eq!(
        ir::fingerprint::of_normal_form(&form(&body)),
        ir::fingerprint::of_function(&body).expect("one")
    );
}

#[test]
fn messages_are_those_of_the_interface() {
    // As `protoc --encode` writes them.
    let action = Action::new(&["x"], &[("f", Digest::of(b""))], &[("k", "v")]);
    let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).escape_debug().to_string();
    expect![[r#"\n\u{c}tir-analyzer\n\u{1}x:\u{5}entry"#]].assert_eq(&show(action.command()));
    expect![[
        r#"\nG\n\u{1}f\u{12}B\n@e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"#
    ]]
    .assert_eq(&show(action.root()));
    expect![[r#"\nD\n@a620cfb58d4a072412cce7854c3987d7b8ad1caf398cbbda981f3ec1979931ae\u{10}\u{18}\u{12}D\n@2594d3659c6c1a492d2746855fdf2202160656cd527780662769b8ace5dafbcb\u{10}IR\u{8}\n\u{6}\n\u{1}k\u{12}\u{1}v"#]].assert_eq(&show(action.message()));
    assert_eq!(action.key().0, Digest::of(action.message()).hash);
}
