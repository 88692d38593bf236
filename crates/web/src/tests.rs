//! The session, asked as the page asks it.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::Session;

const KERNEL: &str = r#"# é𝔁
@T.prim_func
def copy(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32")):
    for i in T.thread_binding(256, thread="blockIdx.x"):
        for j in T.thread_binding(4, thread="threadIdx.x"):
            B[i * 4 + j] = A[i * 4 + j]
"#;

fn ask(session: &mut Session, request: &Value) -> Value {
    let answer: Value =
        serde_json::from_slice(&session.call(request.to_string().as_bytes())).unwrap();
    match answer.get("error") {
        Some(error) => json!({ "error": error }),
        None => answer["answer"].clone(),
    }
}

fn opened(text: &str) -> Session {
    let mut session = Session::default();
    ask(&mut session, &json!({ "ask": "open", "text": text }));
    session
}

/// The UTF-16 offset of a text in another.
fn at(text: &str, what: &str) -> usize {
    text[..text.find(what).unwrap()].encode_utf16().count()
}

#[track_caller]
fn check(text: &str, request: &Value, expected: Expect) {
    let answer = ask(&mut opened(text), request);
    expected.assert_eq(&answer.to_string());
}

#[test]
fn hints_stand_at_utf16_offsets() {
    let end = at(KERNEL, "i * 4 + j") + "i * 4 + j".len();
    let hints = ask(&mut opened(KERNEL), &json!({ "ask": "hints" }));
    assert_eq!(hints[0]["at"], end);
    assert_eq!(hints[0]["parts"][0]["text"], "cse_v1");
}

#[test]
fn action_has_the_edits() {
    let place = at(KERNEL, "i * 4");
    let mut session = opened(KERNEL);
    let actions = ask(&mut session, &json!({ "ask": "actions", "from": place, "to": place }));
    assert_eq!(actions[0]["title"], "Extract `i * 4 + j` into `cse_v1` (2 occurrences)");
    assert_eq!(actions[1]["title"], "Extract all common subexpressions in this file");
    assert_eq!(actions[0]["edits"][1]["from"], place);
}

#[test]
fn every_target_has_device_code() {
    let mut session = opened(KERNEL);
    let about = ask(&mut session, &json!({ "ask": "about" }));
    for target in about["targets"].as_array().unwrap() {
        let code = ask(&mut session, &json!({ "ask": "device-code", "at": 0, "target": target }));
        assert_eq!(code["function"], "copy", "{target}");
        assert_eq!(code["notes"], json!([]), "{target}");
    }
}

#[test]
fn passes_follow_the_rules_of_the_preset() {
    let mut session = opened(KERNEL);
    let request = |preset| json!({ "ask": "passes", "at": 0, "passes": ["cse"], "preset": preset });
    for preset in ["default", "tvm", "tvm-2022", "default"] {
        let answer = ask(&mut session, &request(preset));
        let after = answer["stages"][0]["text"].as_str().unwrap();
        assert!(after.contains("cse_v1"), "{preset}: {after}");
    }
}

#[test]
fn presets_name_languages_that_there_are() {
    let about = ask(&mut Session::default(), &json!({ "ask": "about" }));
    let languages = about["languages"].as_array().unwrap();
    for preset in about["presets"].as_array().unwrap() {
        let language = &preset["language"];
        assert!(language.is_null() || languages.iter().any(|it| it["id"] == *language));
    }
}

#[test]
fn program_of_paddle_is_all_of_its_text() {
    check(
        "{\n    (%0) = \"pd_op.data\" () {} : () -> tensor<f32>\n}",
        &json!({ "ask": "functions" }),
        expect![[r#"[{"name":"program","range":[0,53],"selection":[0,53],"isKernel":false}]"#]],
    );
}

#[test]
fn explanation_of_an_expression() {
    let place = at(KERNEL, "* 4 + j");
    let answer = ask(&mut opened(KERNEL), &json!({ "ask": "explain", "at": place }));
    let what = &answer["what"];
    expect!["It is part of the value that is computed once as `cse_v1`."]
        .assert_eq(what["reasons"][0].as_str().unwrap());
    expect![[
        r#"["bounds: `0 <= value <= 1020`","congruence: `4*k`","known from `0 <= i < 256`"]"#
    ]]
    .assert_eq(&what["known"].to_string());
    assert_eq!(what["decision"], "covered");
    assert_eq!(what["range"], json!([place - 2, place + 3]));
}

#[test]
fn request_that_cannot_be_read_is_an_error() {
    let nonsense = ask(&mut opened(KERNEL), &json!({ "ask": "nonsense" }));
    assert!(nonsense["error"].as_str().unwrap().starts_with("unknown variant `nonsense`"));
    check(
        KERNEL,
        &json!({ "ask": "open", "text": "", "language": "latin" }),
        expect![[r#"{"error":"there is no language `latin`"}"#]],
    );
    check(
        KERNEL,
        &json!({ "ask": "device-code", "at": 0, "target": "abacus" }),
        expect![[
            r#"{"error":"there is no target `abacus`; targets are cuda, opencl, hip, c, spirv, wgsl, metal"}"#
        ]],
    );
}

#[test]
fn places_beyond_the_text_are_its_end() {
    let mut session = opened("# é");
    for name in ["hover", "explain", "plan", "completions", "mentions"] {
        ask(&mut session, &json!({ "ask": name, "at": u32::MAX }));
    }
    for name in ["tokens", "actions", "facts"] {
        let answer = ask(&mut session, &json!({ "ask": name, "from": u32::MAX, "to": 7 }));
        assert_eq!(answer, json!([]), "{name}");
    }
}
