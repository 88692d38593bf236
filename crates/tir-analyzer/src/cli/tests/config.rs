//! `config`: which settings hold for a file and where they come from; what is wrong in a settings file, with its place.

use expect_test::{Expect, expect};
use serde_json::Value;

use super::*;

const CLEAN: &str = "x = 1\n";

/// The lines of `config PATH` about settings that are not the defaults.
fn shown(project: &Project, path: &str) -> String {
    let outcome = project.run(&format!("config {path}"));
    assert_eq!(outcome.code, 0, "{}", outcome.err());
    let folder = project.path().display().to_string();
    let is_told = |it: &&str| it.contains('#');
    let text = outcome.out();
    let lines: Vec<&str> = text.lines().filter(is_told).collect();
    lines.join("\n").replace(&folder, "ROOT") + "\n"
}

#[test]
fn values_have_their_sources() {
    let outer = "[hints]\nlimit = 3\n[facts]\nM = \"M >= 1\"\n";
    let inner = "[cse]\npreset = \"tvm\"\n[findings]\ndead-store = \"off\"\n[targets.cuda]\narch = \"sm_90\"\n\
                 [[instance]]\nfunction = \"f\"\nargs = { n = 3 }\n[hint]\nall = true\n";
    let project = Project::new(&[
        ("tir-analyzer.toml", outer),
        ("a.py", CLEAN),
        ("inner/tir-analyzer.toml", inner),
        ("inner/deep/b.py", CLEAN),
    ]);
    expect![[r##"
        # settings of ROOT/tir-analyzer.toml
        hints.limit = 3                               # tir-analyzer.toml
        facts.M = "M >= 1"                            # tir-analyzer.toml
    "##]]
    .assert_eq(&shown(&project, "a.py"));
    expect![[r##"
        # settings of ROOT/inner/tir-analyzer.toml
        # `hint`: there is no such setting; did you mean `hints`?
        cse.preset = "tvm"                            # tir-analyzer.toml
        findings.dead-store = "off"                   # tir-analyzer.toml
        instance = [{ args = { n = 3 }, function = "f" }]  # tir-analyzer.toml
        targets = { cuda = { arch = "sm_90" } }  # tir-analyzer.toml
    "##]]
    .assert_eq(&shown(&project, "inner/deep/b.py"));
    assert_eq!(shown(&project, "inner/deep"), shown(&project, "inner/deep/b.py"));
    let outcome = project.run("config nowhere.py");
    assert_eq!(outcome.code, 2);
    assert!(outcome.err().contains("nowhere.py is neither a file nor a folder"));
}

#[test]
fn output_is_a_settings_file_with_the_same_meaning() {
    let settings = "[cse]\npreset = \"tvm\"\n[facts]\nM = \"M >= 1\"\n\"f.n\" = \"n >= 2\"\n\
                    [device-code]\nbuilt = \"a \\\"b\\\"\"\n[targets.cuda]\nmax-threads = 512\n";
    let project = Project::new(&[("tir-analyzer.toml", settings)]);
    let first = project.run("config");
    project.write("tir-analyzer.toml", first.out().as_bytes());
    let json = |project: &Project| -> Value {
        let outcome = project.run("config --format json");
        assert_eq!(outcome.code, 0, "{}", outcome.err());
        serde_json::from_str(&outcome.out()).unwrap()
    };
    let second = json(&project);
    assert_eq!(second["unknown"], serde_json::json!([]));
    project.write("tir-analyzer.toml", settings.as_bytes());
    let values = |it: &Value| -> Vec<(String, Value)> {
        let rows = it["settings"].as_object().unwrap();
        rows.iter().map(|(key, row)| (key.clone(), row["value"].clone())).collect()
    };
    assert_eq!(values(&json(&project)), values(&second));
    assert_eq!(json(&project)["tables"], second["tables"]);
}

#[track_caller]
fn check(settings: &str, expected: Expect) {
    let project = Project::new(&[("a.py", CLEAN), ("tir-analyzer.toml", settings)]);
    let outcome = project.run("check a.py");
    let folder = format!("{}/", project.path().display());
    expected.assert_eq(&outcome.err().replace(&folder, ""));
}

#[test]
fn mistakes_have_a_place_and_say_what_is_expected() {
    check(
        "cse = 3\n",
        expect![[r#"
        error: tir-analyzer.toml:1:1: `cse`: a table is expected: `[cse]`
    "#]],
    );
    check(
        "[hints]\nenable = true\nall = 3\n",
        expect![[r#"
        error: tir-analyzer.toml:3:1: `hints.all`: `true` or `false` is expected, not `3`
    "#]],
    );
    check(
        "[hints]\nlimit = -3\n",
        expect![[r#"
        error: tir-analyzer.toml:2:1: `hints.limit`: a whole number from 0 to 18446744073709551615 is expected, not `-3`
    "#]],
    );
    check(
        "[cse]\npreset = \"tvmm\"\n",
        expect![[r#"
        error: tir-analyzer.toml:2:1: `cse.preset`: one of "default", "tvm", "tvm-2022", "mlir", "mlir-24", "pir" is expected, not `"tvmm"`
    "#]],
    );
    check(
        "[hints\n",
        expect![[r#"
        error: tir-analyzer.toml:1:7: unclosed table, expected `]`
    "#]],
    );
    check(
        "[[effects.tir]]\nops = [\"f\"]\nefect = \"read\"\n",
        expect![[r#"
            error: tir-analyzer.toml:3:1: `effects.tir.efect`: there is no such setting; did you mean `effect`?
        "#]],
    );
    check(
        "[[effects.tir]]\nops = [\"f\"]\n\n[[effects.tir]]\nops = [\"g\"]\neffect = \"reads\"\n",
        expect![[r#"
            error: tir-analyzer.toml:6:1: `effects.tir.effect`: `reads` is none of none, read, write, readwrite, alloc, free, unknown
        "#]],
    );
    check(
        "[[effects.mlir]]\nops = [\"my.f\"]\nshape = 3\n",
        expect![[r#"
            error: tir-analyzer.toml:3:1: `effects.mlir.shape`: a `shape` is a text
        "#]],
    );
    check(
        "[[effects.mlir]]\ncommutative = \"all\"\nops = \"my.f\"\n",
        expect![[r#"
            error: tir-analyzer.toml:3:1: `effects.mlir.ops`: a list of texts is expected, not `"my.f"`
        "#]],
    );
    check(
        "[findings]\ndead-store = \"loud\"\n",
        expect![[r#"
            error: tir-analyzer.toml:2:1: `findings.dead-store`: one of "off", "hint", "info", "warning", "error" is expected, not `"loud"`
        "#]],
    );
    check(
        "[targets.cuda]\narch = \"sm_1\"\n",
        expect![[r#"
        error: tir-analyzer.toml:2:1: `targets.cuda.arch`: `arch=sm_1` of cuda: it is unknown; known are sm_70, sm_72, sm_75, sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, sm_100, sm_100a, sm_103, sm_120, sm_121
    "#]],
    );
    check(
        "[[effects.mlir]]\nops = [\"a.b\"]\n[[effects.mlir]]\nops = 3\n",
        expect![[r#"
            error: tir-analyzer.toml:4:1: `effects.mlir.ops`: a list of texts is expected, not `3`
        "#]],
    );
    check(
        "[[effects.mlir]]\nops = [\"a.b\"]\neffect = \"loud\"\n",
        expect![[r#"
            error: tir-analyzer.toml:3:1: `effects.mlir.effect`: `loud` is none of none, read, write, readwrite, alloc, free, unknown
        "#]],
    );
    check(
        "[[instance]]\nfunction = \"f\"\n[[instance]]\nfn = 3\n",
        expect![[r#"
        error: tir-analyzer.toml:3:1: `instance`: there is no key `fn`; a row has `function` and `args`
    "#]],
    );
    check(
        "instance = 3\n",
        expect![[r#"
        error: tir-analyzer.toml:1:1: `instance`: a list of rows is expected: `[[instance]]`
    "#]],
    );
    check(
        "[facts]\nn = \"n >\"\n",
        expect![[r#"
        error: tir-analyzer.toml:2:1: `facts.n`: `` is neither a number, a name, nor the remainder of one (`n % 16`)
    "#]],
    );
}

#[test]
fn keys_that_mean_nothing_are_warnings_with_what_may_be_meant() {
    check(
        "[hint]\nall = true\n",
        expect![[r#"
        warning: tir-analyzer.toml:1:2: `hint`: there is no such setting; did you mean `hints`?
    "#]],
    );
    check(
        "[hints]\nmax = 3\nlimits = 4\n",
        expect![[r#"
            warning: tir-analyzer.toml:2:1: `hints.max`: there is no such setting; did you mean `hints.all` or `hints.limit`?
            warning: tir-analyzer.toml:3:1: `hints.limits`: there is no such setting; did you mean `hints.limit` or `hints.tiles`?
        "#]],
    );
    check(
        "[findings]\ndead-stores = \"off\"\n",
        expect![[r#"
        warning: tir-analyzer.toml:2:1: `findings.dead-stores`: there is no such setting; did you mean `findings.dead-store` or `findings.dead-binding`?
    "#]],
    );
    check(
        "[targets.cude]\n[targets.cuda]\nthreads = 1\n",
        expect![[r#"
        warning: tir-analyzer.toml:1:10: `targets.cude`: there is no such setting; did you mean `cuda` or `c`?
        warning: tir-analyzer.toml:3:1: `targets.cuda.threads`: there is no such setting; did you mean `max-threads`?
    "#]],
    );
    check(
        "[[effects.tirx]]\nops = []\n",
        expect![[r#"
        warning: tir-analyzer.toml:1:11: `effects.tirx`: there is no such setting; did you mean `tir` or `pir`?
    "#]],
    );
}

#[test]
fn schema_has_every_setting_with_its_default() {
    let project = Project::new(&[]);
    let outcome = project.run("config --schema");
    let schema: Value = serde_json::from_str(&outcome.out()).unwrap();
    for it in crate::config::settings() {
        let (section, name) = it.key.split_once('.').unwrap();
        let row = &schema["properties"][section]["properties"][name];
        assert_eq!(row["description"], it.doc.trim(), "{}", it.key);
        let default = it.value(&crate::config::Config::default());
        assert_eq!(row["default"], default, "{}", it.key);
        let is_possible = match (&row["type"], row["enum"].as_array()) {
            (_, Some(all)) => all.contains(&default),
            (Value::String(kind), None) => match kind.as_str() {
                "boolean" => default.is_boolean(),
                "integer" => default.is_u64(),
                "array" => default.is_array(),
                _ => default.is_string(),
            },
            _ => false,
        };
        assert!(is_possible, "{}: {row}", it.key);
    }
}
