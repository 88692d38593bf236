//! Panics while an answer is made: they cost the part about one function, or less; every feature answers for the rest.

use ir::guard::{Stage, planted::plant};

use super::FILE;
use crate::{
    Analysis, AnalysisHost, DiagnosticsConfig, InlayHintsConfig, Language, Target, TargetOptions,
    TextRange, TextSize,
};

/// A file of two functions with something to say about each, of which the first one panics where it is worded.
struct Case {
    text: String,
    analysis: Analysis,
    /// A place in the first function.
    at: TextSize,
}

impl Case {
    fn new(language: Language, bad: &str) -> Case {
        plant(Stage::Showing, bad);
        Case::of(language, bad)
    }

    /// The same file; nothing is planted in it.
    fn of(language: Language, bad: &str) -> Case {
        let function = |name: &str| match language {
            Language::TvmScript => format!(
                "@T.prim_func\ndef {name}(A: T.Buffer((8,), \"int32\"), x: T.int32):\n    \
                 with T.launch_thread(\"threadIdx.x\", 8) as tx:\n        A[tx] = (x + 1) * (x + 1)\n\n\n"
            ),
            _ => format!(
                "func.func @{name}(%a: i32) -> i32 {{\n  %0 = arith.addi %a, %a : i32\n  \
                 %1 = arith.addi %a, %a : i32\n  %2 = arith.muli %0, %1 : i32\n  return %2 : i32\n}}\n"
            ),
        };
        let head = match language {
            Language::TvmScript => "from tvm.script import tirx as T\n\n\n",
            _ => "",
        };
        let text = format!("{head}{}{}", function(bad), function("good"));
        let mut host = AnalysisHost::new();
        host.set_text(FILE, language, text.as_str().into());
        let at = text.find("(x + 1").or_else(|| text.find("%1 =")).expect("a place") + 3;
        Case { analysis: host.analysis(), at: TextSize::from(at as u32), text }
    }

    fn all(&self) -> TextRange {
        TextRange::up_to(TextSize::of(&self.text))
    }

    /// Asks every feature about all of the file; each list has something of the function that does not panic.
    fn check(&self) {
        let Case { analysis: it, at, .. } = self;
        let good = TextSize::from(self.text.find("good").expect("the other") as u32);
        let config = InlayHintsConfig { all: true, ..InlayHintsConfig::default() };
        let hints = it.inlay_hints(FILE, None, &config).unwrap();
        assert!(hints.iter().any(|it| it.offset > good) && hints.iter().all(|it| it.offset > good));
        let found = it.diagnostics(FILE, &DiagnosticsConfig::default()).unwrap();
        let codes: Vec<&str> = found.iter().map(|it| it.code).collect();
        assert_eq!(codes.iter().filter(|it| **it == "internal-error").count(), 1, "{codes:?}");
        assert!(found.iter().any(|it| it.range.start() > good), "{codes:?}");
        assert!(!it.code_actions(FILE, self.all(), &|_| true).unwrap().is_empty());
        assert!(!it.document_symbols(FILE).unwrap().is_empty());
        let folds = it.folding_ranges(FILE).unwrap();
        assert!(folds.iter().any(|it| it.range.end() > good));
        let tokens = it.semantic_tokens(FILE, None).unwrap();
        assert!(tokens.iter().any(|it| it.range.start() > good));
        it.device_lenses(FILE, true).unwrap();
        it.facts(FILE, self.all(), 100).unwrap();
        it.hover(FILE, *at).unwrap();
        it.explain(FILE, *at).unwrap();
        it.findings_at(FILE, *at).unwrap();
        it.references(FILE, *at, true).unwrap();
        it.highlights(FILE, *at).unwrap();
        it.selection_ranges(FILE, *at).unwrap();
        it.definitions(FILE, *at).unwrap();
        it.elsewhere(FILE, *at).unwrap();
        it.view_passes(FILE, *at, &[crate::Pass::Cse]).unwrap();
        it.internal_errors(FILE, *at).unwrap();
        let told = format!("internal error in `{}`", self.bad());
        let refused = it.prepare_rename(FILE, *at).unwrap().unwrap_err();
        assert!(refused.starts_with(&told), "{refused}");
        let refused = it.rename(FILE, *at, "other").unwrap().unwrap_err();
        assert!(refused.starts_with(&told), "{refused}");
        it.view_device_code(FILE, *at, Target::Cuda, &TargetOptions::default()).unwrap();
        assert_eq!(it.n_functions(FILE).unwrap(), 2);
        let lost = it.take_lost();
        assert!(!lost.is_empty() && lost.iter().all(|it| *it.function == *self.bad()));
    }

    fn bad(&self) -> &str {
        let start = self.text.find("panics_").expect("the first");
        let end = self.text[start..].find('(').expect("its parameters");
        &self.text[start..start + end]
    }
}

#[test]
fn panic_in_wording_costs_one_function_of_python() {
    let case = Case::new(Language::TvmScript, "panics_showing");
    case.check();
    let hover = case.analysis.hover(FILE, case.at).unwrap().expect("a hover");
    assert!(hover.markdown.contains("internal error in `panics_showing`"), "{}", hover.markdown);
}

#[test]
fn panic_in_wording_costs_one_function_of_mlir() {
    Case::new(Language::Mlir, "panics_showing_mlir").check();
}

#[test]
fn panic_in_emission_is_the_reason_why_there_is_no_code() {
    plant(Stage::Emitting, "panics_emitting");
    let case = Case::of(Language::TvmScript, "panics_emitting");
    let options = TargetOptions::default();
    let view = case.analysis.view_device_code(FILE, case.at, Target::Cuda, &options).unwrap();
    let text = view.expect("a view").text;
    assert!(text.starts_with("// internal: internal error in the function (emitting)"), "{text}");
}
