//! Each method on a real kernel: the answers are consistent, and the edits have the promised effect.

use serde_json::{Value, json};
use tests::document::Document;
use tests::lsp::{Server, code, usual_capabilities};

use crate::{hints, label, server_with, softmax};

/// The code actions at a place.
#[track_caller]
fn actions(
    server: &mut Server,
    document: &Document,
    start: usize,
    end: usize,
    only: &[&str],
) -> Vec<Value> {
    let mut params = document.over(start, end);
    params["context"] = match only {
        [] => json!({ "diagnostics": [] }),
        _ => json!({ "diagnostics": [], "only": only }),
    };
    match server.request("textDocument/codeAction", params) {
        Ok(Value::Array(actions)) => actions,
        Ok(Value::Null) => Vec::new(),
        other => panic!("code actions are {other:?}"),
    }
}

/// Applies a code action to the document, after asking for its edit if it comes without one.
#[track_caller]
fn apply(server: &mut Server, document: &mut Document, mut action: Value) {
    if action.get("edit").is_none_or(Value::is_null) {
        action = server.request("codeAction/resolve", action).expect("the action can be resolved");
    }
    let edit = &action["edit"];
    let edits = match edit["documentChanges"].as_array() {
        Some(changes) => {
            assert_eq!(changes.len(), 1, "one document is edited: {edit}");
            assert_eq!(changes[0]["textDocument"]["uri"], document.uri());
            changes[0]["edits"].clone()
        }
        None => edit["changes"][document.uri()].clone(),
    };
    document.apply(&edits);
    let change = document.change_all_params();
    server.change(change);
}

#[test]
fn hint_names_a_binding_and_tells_more_on_demand() {
    let document = softmax();
    let (mut server, _dir) = server_with(&document);
    let hints = hints(&mut server, &document);
    assert!(hints.len() >= 3, "{hints:#?}");
    for hint in &hints {
        let label = label(hint);
        assert!(label.trim_start().starts_with("cse_v"), "{label}");
        assert!(label.chars().count() <= 43, "VS Code cuts longer labels: {label}");
        let has_tooltip = !hint["tooltip"].is_null()
            || hint["label"]
                .as_array()
                .is_some_and(|parts| parts.iter().any(|part| !part["tooltip"].is_null()))
            || !hint["data"].is_null();
        assert!(has_tooltip, "{hint:#}");
    }
}

#[test]
fn hint_gets_its_tooltip_when_somebody_reads_it() {
    let mut document = softmax();
    let (mut server, _dir) = server_with(&document);
    let at_once = hints(&mut server, &document);

    let dir = tempfile::tempdir().expect("a folder");
    let mut server = Server::spawn(dir.path());
    let mut capabilities = usual_capabilities();
    // As VS Code and Neovim say it.
    capabilities["textDocument"]["inlayHint"] =
        json!({ "resolveSupport": { "properties": ["tooltip", "label.location"] } });
    let able = server.initialize(capabilities, dir.path()).expect("the server is ready");
    assert_eq!(able["capabilities"]["inlayHintProvider"]["resolveProvider"], true);
    server.open(&document);
    let named = hints(&mut server, &document);
    assert_eq!(named.len(), at_once.len());
    for (named, at_once) in named.iter().zip(&at_once) {
        assert_eq!(named["tooltip"], Value::Null);
        let read = server.request("inlayHint/resolve", named.clone()).expect("a hint");
        assert_eq!(read["tooltip"], at_once["tooltip"], "{named}");
        assert_eq!((&read["label"], &read["position"]), (&at_once["label"], &at_once["position"]));
    }
    // Of a text that is no more, nothing is told.
    let change = document.replace(0, 0, "# edited\n");
    server.change(change);
    let stale = server.request("inlayHint/resolve", named[0].clone());
    assert_eq!(stale.expect_err("the text changed").code, code::CONTENT_MODIFIED);
    // A hint that needs nothing more comes back as it is.
    let whole = server.request("inlayHint/resolve", at_once[0].clone());
    assert_eq!(whole.expect("a hint")["tooltip"], at_once[0]["tooltip"]);
}

#[test]
fn hints_are_asked_for_by_range() {
    let document = softmax();
    let (mut server, _dir) = server_with(&document);
    let all = hints(&mut server, &document);
    let middle =
        document.find("                in_thread_T_softmax_expsum_shared[0] = T.float32(0.0)");
    let (upper, lower) = (document.over(0, middle), document.over(middle, document.text().len()));
    let count = |result: Result<Value, _>| result.expect("hints").as_array().map_or(0, Vec::len);
    let upper = count(server.request("textDocument/inlayHint", upper));
    let lower = count(server.request("textDocument/inlayHint", lower));
    assert_eq!(upper + lower, all.len());
    assert!(upper > 0 && lower > 0);
}

#[test]
fn extraction_binds_the_name_that_the_hint_said() {
    let mut document = softmax();
    let (mut server, _dir) = server_with(&document);
    let before = hints(&mut server, &document);
    let at = document.find("n * m,), data=A.data");
    let found = actions(&mut server, &document, at, at, &[]);
    let extract = found
        .into_iter()
        .find(|it| it["title"].as_str().is_some_and(|title| title.contains("Extract")));
    let extract = extract.expect("the expression under the cursor can be extracted");
    assert_eq!(extract["kind"], "refactor.extract");
    apply(&mut server, &mut document, extract);
    assert!(document.text().contains(": T.let[T.int64] = n * m\n"), "{}", document.text());
    assert!(!document.text().contains("((n * m,)"), "{}", document.text());
    let after = hints(&mut server, &document);
    assert!(after.len() < before.len(), "its hints are gone: {after:#?}");
}

#[test]
fn fixes_of_a_file_are_asked_for_by_kind() {
    let document = softmax();
    let (mut server, _dir) = server_with(&document);
    let end = document.text().len();
    let mut kinds = |only: &str| -> Vec<String> {
        let found = actions(&mut server, &document, 0, end, &[only]);
        let kind = |it: &Value| it["kind"].as_str().unwrap_or_default().to_owned();
        found.iter().map(kind).collect()
    };
    for all in ["source.fixAll", "source.fixAll.tir-analyzer"] {
        assert_eq!(kinds(all), [all]);
    }
    assert_eq!(kinds("source"), ["source.fixAll"]);
    let of_rule = "source.fixAll.tir-analyzer.common-subexpression";
    assert_eq!(kinds(of_rule), [of_rule]);
    for none in ["source.fixAll.tir-analyzer.dead-store", "source.fixAll.ruff", "source.fixAllOf"] {
        assert_eq!(kinds(none), Vec::<String>::new());
    }
}

#[test]
fn fix_all_leaves_nothing_to_fix() {
    let mut document = softmax();
    let (mut server, _dir) = server_with(&document);
    let end = document.text().len();
    let found = actions(&mut server, &document, 0, end, &["source.fixAll"]);
    assert_eq!(found.len(), 1, "{found:#?}");
    apply(&mut server, &mut document, found[0].clone());
    assert!(document.text().contains("cse_v"), "{}", document.text());
    let end = document.text().len();
    assert_eq!(hints(&mut server, &document), Vec::<Value>::new(), "{}", document.text());
    assert_eq!(actions(&mut server, &document, 0, end, &["source.fixAll"]), Vec::<Value>::new());
}

#[test]
fn only_the_kinds_asked_for_are_given() {
    let document = softmax();
    let (mut server, _dir) = server_with(&document);
    let at = document.find("n * m,), data=A.data");
    for action in actions(&mut server, &document, at, at, &["refactor.extract"]) {
        assert!(
            action["kind"].as_str().is_some_and(|kind| kind.starts_with("refactor.extract")),
            "{action}"
        );
    }
    assert_eq!(
        actions(&mut server, &document, at, at, &["source.organizeImports"]),
        Vec::<Value>::new()
    );
}

#[test]
fn unchanged_diagnostics_are_not_sent_again() {
    let mut document = softmax();
    let (mut server, _dir) = server_with(&document);
    let change = document.replace_once(
        "threadIdx_x == T.int64(0):\n                    T_softmax_maxelem_shared[0] = c",
        "threadIdx_x == no_such_name:\n                    T_softmax_maxelem_shared[0] = c",
    );
    server.change(change);
    let pull = |server: &mut Server, document: &Document, previous: Option<&Value>| {
        let mut params = json!({ "textDocument": document.identifier() });
        if let Some(previous) = previous {
            params["previousResultId"] = previous.clone();
        }
        server.request("textDocument/diagnostic", params).expect("diagnostics")
    };
    let first = pull(&mut server, &document, None);
    assert_eq!(first["kind"], "full");
    let items = first["items"].as_array().expect("items");
    let about_name = items
        .iter()
        .find(|it| it["message"].as_str().is_some_and(|text| text.contains("no_such_name")));
    let about_name =
        about_name.unwrap_or_else(|| panic!("the unknown name is reported: {items:#?}"));
    let start = document.offset(&about_name["range"]["start"]);
    let end = document.offset(&about_name["range"]["end"]);
    assert_eq!(&document.text()[start..end], "no_such_name");
    let again = pull(&mut server, &document, Some(&first["resultId"]));
    assert_eq!(again["kind"], "unchanged");
    assert_eq!(again["resultId"], first["resultId"]);
    let change = document.replace_once("no_such_name", "T.int64(0)");
    server.change(change);
    let fixed = pull(&mut server, &document, Some(&first["resultId"]));
    assert_eq!(fixed["kind"], "full");
}

#[test]
fn hover_explains_the_expression() {
    let document = softmax();
    let (mut server, _dir) = server_with(&document);
    let at = document.find("n * m,), data=A.data");
    let hover = server.request("textDocument/hover", document.at(at + 2)).expect("hover");
    let text = hover["contents"].to_string();
    assert!(text.contains("int64"), "it says the type: {text}");
    assert!(text.contains("n * m"), "it says the expression: {text}");
}

#[test]
fn names_inside_a_function_lead_to_their_definition() {
    let document = softmax();
    let (mut server, _dir) = server_with(&document);
    let used = document.find("in_thread_T_softmax_maxelem_shared[0] = T.float32");
    let result =
        server.request("textDocument/definition", document.at(used + 3)).expect("definition");
    let place = if result.is_array() { &result[0] } else { &result };
    let range =
        if place["range"].is_null() { &place["targetSelectionRange"] } else { &place["range"] };
    let start = document.offset(&range["start"]);
    assert!(
        document.text()[start..].starts_with("in_thread_T_softmax_maxelem_shared = T.alloc_local"),
        "{place}"
    );

    let mut params = document.at(used + 3);
    params["context"] = json!({ "includeDeclaration": true });
    let references = server.request("textDocument/references", params).expect("references");
    assert_eq!(references.as_array().map(Vec::len), Some(5), "{references:#}");
}

#[test]
fn symbols_and_folds_follow_the_functions() {
    let document = softmax();
    let (mut server, _dir) = server_with(&document);
    let symbols = server
        .request("textDocument/documentSymbol", json!({ "textDocument": document.identifier() }))
        .expect("symbols");
    assert!(symbols.to_string().contains("\"softmax_dyn\""), "{symbols:#}");
    let folds = server
        .request("textDocument/foldingRange", json!({ "textDocument": document.identifier() }))
        .expect("folding ranges");
    let function = document.position(document.find("    def softmax_dyn"))["line"].clone();
    let folds = folds.as_array().expect("an array");
    assert!(folds.iter().any(|fold| fold["startLine"] == function), "{folds:#?}");
}

#[test]
fn mlir_is_laid_out() {
    let text = "func.func @f(%a:i32) {\n // kept\n   return}\nfunc.func @g() {\n       return\n}\n";
    let document = Document::new("file:///sample/a.mlir", text.to_owned());
    let (mut server, _dir) = server_with(&document);
    let options = json!({ "tabSize": 8, "insertSpaces": true });
    let params = json!({ "textDocument": document.identifier(), "options": options });
    let edits = server.request("textDocument/formatting", params.clone()).expect("edits");
    let mut laid_out = document.clone();
    laid_out.apply(&edits);
    let function = "func.func @f(%a: i32) {\n  // kept\n  return\n}\n";
    assert_eq!(laid_out.text(), format!("{function}func.func @g() {{\n  return\n}}\n"));
    let mut params = params;
    params["range"] = json!({
        "start": { "line": 0, "character": 0 },
        "end": { "line": 2, "character": 1 },
    });
    let edits = server.request("textDocument/rangeFormatting", params).expect("edits");
    let mut laid_out = document;
    laid_out.apply(&edits);
    assert_eq!(laid_out.text(), format!("{function}func.func @g() {{\n       return\n}}\n"));
}

#[test]
fn device_code_is_shown_for_the_kernel_under_the_cursor() {
    let document = softmax();
    let (mut server, _dir) = server_with(&document);
    let at = document.find("T_softmax_maxelem_shared[0] = cross_thread");
    for (target, word) in [("cuda", "__global__"), ("opencl", "__kernel")] {
        let mut params = document.at(at);
        params["target"] = json!(target);
        let result = server.request("tir-analyzer/viewDeviceCode", params).expect("device code");
        let text = result["text"].as_str().expect("a text");
        assert!(text.contains(word), "{target}: {text}");
    }
}

#[test]
fn lines_of_device_code_lead_to_the_source_and_to_what_is_computed_once() {
    let document = softmax();
    let dir = tempfile::tempdir().expect("a temporary folder can be made");
    let mut server = Server::spawn(dir.path());
    let mut capabilities = tests::lsp::usual_capabilities();
    capabilities["experimental"] =
        json!({ "commands": { "commands": ["tir-analyzer.viewDeviceCode"] } });
    server.initialize(capabilities, dir.path()).expect("the server is ready");
    server.open(&document);
    // The lens above the kernel leads to its code.
    let params = json!({ "textDocument": document.identifier() });
    let lenses = server.request("textDocument/codeLens", params).expect("lenses");
    let lens = &lenses[0]["command"];
    let title = lens["title"].as_str().expect("a title");
    assert!(title.starts_with("device code: cuda · ") && title.ends_with(" commoned"), "{title}");
    let mut params = json!({ "textDocument": { "uri": lens["arguments"][0] } });
    params["position"] = lens["arguments"][1].clone();
    let result = server.request("tir-analyzer/viewDeviceCode", params).expect("device code");
    let code: Vec<&str> = result["text"].as_str().expect("a text").lines().collect();
    let source: Vec<&str> = document.text().lines().collect();
    let number = |it: &Value| usize::try_from(it.as_u64().expect("a number")).expect("small");
    // A store is where the code says that it comes from.
    let lines = result["lines"].as_array().expect("lines");
    let pairs = lines.iter().map(|it| (code[number(&it["line"])], source[number(&it["source"])]));
    let is_store = |it: &(&str, &str)| it.0.contains("T_softmax_norm[");
    let stores: Vec<_> = pairs.filter(is_store).collect();
    assert!(!stores.is_empty(), "{result:#}");
    for (code, source) in stores {
        assert!(source.contains("T_softmax_norm_1["), "{code} / {source}");
    }
    // What a line computes once is used by statements of the source that compute it.
    let shared = result["shared"].as_array().expect("shared lines");
    assert!(!shared.is_empty(), "{result:#}");
    for it in shared {
        let row = code[number(&it["line"])];
        let text = it["text"].as_str().expect("words");
        let name = text.split('`').nth(1).expect("a name");
        assert!(row.contains(&format!(" {name} = ")), "{row}: {text}");
        assert!(!it["sources"].as_array().expect("lines").is_empty(), "{it:#}");
    }
}

/// A kernel that is a function, and one in a function, with the launch of the first.
const GPU_MODULE: &str = r#"module attributes {gpu.container_module} {
  func.func @host(%a: memref<64xf32>, %s: f32) {
    %c8 = arith.constant 8 : index
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@twice blocks in (%c8, %c1, %c1) threads in (%c8, %c1, %c1) args(%a : memref<64xf32>)
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c8, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%nx = %c8, %ny = %c1, %nz = %c1) {
      memref.store %s, %a[%tx] : memref<64xf32>
      gpu.terminator
    }
    return
  }
  gpu.module @kernels {
    gpu.func @twice(%a: memref<64xf32>) kernel {
      %b = gpu.block_id x
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %0 = arith.muli %b, %n : index
      %1 = arith.addi %0, %t : index
      %2 = memref.load %a[%1] : memref<64xf32>
      %3 = arith.addf %2, %2 : f32
      memref.store %3, %a[%1] : memref<64xf32>
      gpu.return
    }
    gpu.func @unknown(%a: memref<64xf32>) kernel {
      %t = gpu.thread_id x
      gpu.return
    }
  }
}
"#;

#[test]
fn device_code_of_mlir_is_shown_with_a_lens_and_its_lines() {
    let document = Document::new("file:///sample/net.mlir", GPU_MODULE.to_owned());
    let dir = tempfile::tempdir().expect("a temporary folder can be made");
    let mut server = Server::spawn(dir.path());
    let mut capabilities = tests::lsp::usual_capabilities();
    capabilities["experimental"] =
        json!({ "commands": { "commands": ["tir-analyzer.viewDeviceCode"] } });
    server.initialize(capabilities, dir.path()).expect("the server is ready");
    server.open(&document);
    let params = json!({ "textDocument": document.identifier() });
    let lenses = server.request("textDocument/codeLens", params).expect("lenses");
    let lenses = lenses.as_array().expect("a list");
    let source: Vec<&str> = document.text().lines().collect();
    let number = |it: &Value| usize::try_from(it.as_u64().expect("a number")).expect("small");
    let above: Vec<&str> = lenses
        .iter()
        .map(|it| source[number(&it["range"]["start"]["line"])].split('(').next().expect("a line"))
        .collect();
    assert_eq!(above, ["  func.func @host", "    gpu.func @twice", "    gpu.func @unknown"]);
    assert_eq!(lenses[1]["command"]["title"], "device code: cuda");

    let view = |server: &mut Server, position: Value| {
        let params = json!({ "textDocument": document.identifier(), "position": position });
        server.request("tir-analyzer/viewDeviceCode", params).expect("device code")
    };
    let result = view(&mut server, lenses[1]["command"]["arguments"][1].clone());
    assert_eq!(result["function"], "twice");
    let code: Vec<&str> = result["text"].as_str().expect("a text").lines().collect();
    let lines = result["lines"].as_array().expect("lines");
    let of = |word: &str| -> Vec<&str> {
        let row = code.iter().position(|it| it.contains(word)).expect("a row");
        let it = lines.iter().rfind(|it| number(&it["line"]) <= row).expect("a place");
        vec![code[row].trim(), source[number(&it["source"])].trim()]
    };
    assert_eq!(of("] = ")[1], "memref.store %3, %a[%1] : memref<64xf32>");

    // Inside of a launch its own code, elsewhere in the function that of all of its launches.
    let result =
        view(&mut server, document.at(document.find("memref.store %s"))["position"].clone());
    assert_eq!(result["function"], "host");
    assert!(result["text"].as_str().is_some_and(|it| it.contains("host_kernel(")), "{result:#}");
    // Why there is none is told at its place.
    let result = view(&mut server, lenses[2]["command"]["arguments"][1].clone());
    let text = result["text"].as_str().expect("a text");
    assert!(text.starts_with("// unknown-launch: nothing in the file launches it"), "{text}");
    let result = view(&mut server, json!({ "line": 0, "character": 0 }));
    assert_eq!(result, Value::Null);
}

#[cfg(unix)]
#[test]
fn lens_shows_registers_of_the_same_structure() {
    let document = softmax();
    let dir = tempfile::tempdir().expect("a temporary folder can be made");
    std::fs::write(dir.path().join("k.py"), document.text()).expect("it can be written");
    tests::pretend::cuda_compilers(&dir.path().join("cuda"), "1.0", "42");
    let output = tests::binary::command()
        .args(["build", "k.py", "--out", "build/kernels", "--ptxas", "--cuda-path", "cuda"])
        .current_dir(dir.path())
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{output:?}");
    let mut server = Server::spawn(dir.path());
    let mut capabilities = tests::lsp::usual_capabilities();
    capabilities["experimental"] =
        json!({ "commands": { "commands": ["tir-analyzer.viewDeviceCode"] } });
    server.initialize(capabilities, dir.path()).expect("the server is ready");
    let mut title = |document: &Document| {
        server.open(document);
        let params = json!({ "textDocument": document.identifier() });
        let lenses = server.request("textDocument/codeLens", params).expect("lenses");
        lenses[0]["command"]["title"].as_str().expect("a title").to_owned()
    };
    let shown = title(&document);
    assert!(shown.ends_with(" commoned · 42 registers"), "{shown}");
    // Another structure was not measured.
    let other = document.text().replace("T.float32(0.0)", "T.float32(1.0)");
    let shown = title(&Document::new("file:///sample/other.py", other));
    assert!(shown.ends_with(" commoned"), "{shown}");
}

#[test]
fn function_is_shown_before_and_after_passes() {
    let document = softmax();
    let (mut server, _dir) = server_with(&document);
    let at = document.find("T_softmax_maxelem_shared[0] = cross_thread");
    let mut params = document.at(at);
    params["passes"] = json!(["simplify", "cse"]);
    let result = server.request("tir-analyzer/viewPasses", params).expect("a preview");
    let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
    assert!(!text(&result["before"]).contains("cse_v1"));
    let stages = result["stages"].as_array().expect("stages");
    let passes: Vec<String> = stages.iter().map(|it| text(&it["pass"])).collect();
    assert_eq!(passes, ["simplify", "cse"]);
    assert!(text(&stages[1]["text"]).contains("cse_v1"));
    let mut unknown = document.at(at);
    unknown["passes"] = json!(["nothing"]);
    assert!(server.request("tir-analyzer/viewPasses", unknown).is_err());
}

#[test]
fn plain_python_is_left_alone() {
    let document =
        Document::new("file:///sample/plain.py", "import os\nx = os.name * 2 + os.name * 2\n");
    let (mut server, _dir) = server_with(&document);
    assert_eq!(hints(&mut server, &document), Vec::<Value>::new());
    let hover = server
        .request("textDocument/hover", document.at(document.find("os\n")))
        .expect("an answer");
    assert!(hover.is_null(), "{hover}");
    let end = document.text().len();
    assert_eq!(actions(&mut server, &document, 0, end, &[]), Vec::<Value>::new());
}

#[test]
fn facts_are_lenses_where_they_are_wanted() {
    let document = softmax();
    let lenses = |settings: &str| {
        let dir = tempfile::tempdir().expect("a temporary folder can be made");
        std::fs::write(dir.path().join("tir-analyzer.toml"), settings).expect("it can be written");
        let mut server = Server::start(dir.path());
        server.open(&document);
        let params = json!({ "textDocument": document.identifier() });
        let lenses = server.request("textDocument/codeLens", params).expect("lenses");
        lenses.as_array().cloned().unwrap_or_default()
    };
    assert_eq!(lenses(""), Vec::<Value>::new(), "off by default");
    assert_eq!(lenses("[facts]\nenable = true\nlimit = 3\n").len(), 3);
    let all = lenses("[facts]\nenable = true\n");
    let title = |lens: &Value| lens["command"]["title"].as_str().unwrap_or_default().to_owned();
    assert!(all.iter().all(|it| title(it).starts_with("live: ")), "{all:#?}");
    let line = document.find("in_thread_T_softmax_expsum_shared[0] = T.float32(0.0)");
    let line = document.position(line)["line"].clone();
    let at = all.iter().find(|it| it["range"]["start"]["line"] == line).expect("a lens there");
    assert!(title(at).contains("in_thread_T_softmax_expsum_shared: "), "{at:#}");
}

/// A factory with two instances.
const FACTORY: &str = "from tvm.script import tirx as T


def scale(n, k=2):
    block = n // k

    @T.prim_func
    def main(A: T.Buffer((n,), \"float32\"), B: T.Buffer((n,), \"float32\")):
        for i in T.thread_binding(block, thread=\"threadIdx.x\"):
            B[i * k + 1] = A[i * k + 1] * A[i * k + 1]

    return main


kernels = [scale(16), scale(64, k=4)]
";

#[test]
fn a_lens_above_a_factory_chooses_the_instance_that_is_shown() {
    let document = Document::new("file:///sample/scale.py", FACTORY.to_owned());
    let dir = tempfile::tempdir().expect("a temporary folder can be made");
    std::fs::write(
        dir.path().join("tir-analyzer.toml"),
        "[[instance]]\nfunction = \"scale\"\nargs = { n = 8 }\n",
    )
    .expect("it can be written");
    let mut server = Server::spawn(dir.path());
    let mut capabilities = tests::lsp::usual_capabilities();
    let commands = ["tir-analyzer.viewDeviceCode", "tir-analyzer.chooseInstance"];
    capabilities["experimental"] = json!({ "commands": { "commands": commands } });
    server.initialize(capabilities, dir.path()).expect("the server is ready");
    server.open(&document);
    let lens = |server: &mut Server| {
        let params = json!({ "textDocument": document.identifier() });
        let lenses = server.request("textDocument/codeLens", params).expect("lenses");
        let is_it = |it: &&Value| it["command"]["command"] == "tir-analyzer.chooseInstance";
        let all: Vec<Value> =
            lenses.as_array().expect("a list").iter().filter(is_it).cloned().collect();
        assert_eq!(all.len(), 1, "{all:#?}");
        all[0].clone()
    };
    let shown = lens(&mut server);
    assert_eq!(shown["range"]["start"], json!({ "line": 3, "character": 4 }));
    assert_eq!(shown["command"]["title"], "3 instances · n=16, k=2 …");
    let arguments = &shown["command"]["arguments"];
    assert_eq!(arguments[1], "scale");
    assert_eq!(arguments[2], json!(["n=16, k=2", "n=64, k=4", "n=8, k=2"]));
    assert_eq!(arguments[3], Value::Null);

    let hover = |server: &mut Server| {
        let hover = server
            .request("textDocument/hover", document.at(document.find("block, thread")))
            .expect("a hover");
        hover["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    let code = |server: &mut Server| {
        let at = document.at(document.find("B[i * k"));
        let code = server.request("tir-analyzer/viewDeviceCode", at).expect("device code");
        code["text"].as_str().unwrap_or_default().to_owned()
    };
    assert!(!hover(&mut server).contains("here"));
    let choose = |server: &mut Server, instance: Value| {
        let params = json!({
            "textDocument": document.identifier(), "factory": "scale", "instance": instance,
        });
        server.request("tir-analyzer/chooseInstance", params)
    };
    choose(&mut server, json!("n=64, k=4")).expect("it is chosen");
    assert_eq!(lens(&mut server)["command"]["title"], "instance 2 of 3 · n=64, k=4");
    assert_eq!(lens(&mut server)["command"]["arguments"][3], 1);
    assert!(hover(&mut server).starts_with("`block = 16` here, in `scale(n=64, k=4)`"));
    assert!(code(&mut server).contains("* 4 + 1"), "{}", code(&mut server));
    choose(&mut server, json!("n=8, k=2")).expect("it is chosen");
    assert!(code(&mut server).contains("* 2 + 1"), "{}", code(&mut server));
    // What is no instance is refused, and nothing changes.
    assert!(choose(&mut server, json!("n=9")).is_err());
    assert_eq!(lens(&mut server)["command"]["title"], "instance 3 of 3 · n=8, k=2");
    // A call in another document is one too.
    let other = "from scale import scale\n\n\ndef test():\n    scale(32)\n";
    server.open(&Document::new("file:///sample/test_scale.py", other.to_owned()));
    assert_eq!(lens(&mut server)["command"]["title"], "instance 4 of 4 · n=8, k=2");
    assert_eq!(lens(&mut server)["command"]["arguments"][2][2], "n=32, k=2");
    choose(&mut server, json!("n=32, k=2")).expect("it is chosen");
    choose(&mut server, Value::Null).expect("the general function");
    assert!(!hover(&mut server).contains("here"));
    assert_eq!(lens(&mut server)["command"]["title"], "4 instances · n=16, k=2 …");
}
