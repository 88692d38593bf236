//! Symbols of the workspace.

use expect_test::{Expect, expect};
use frontend::tvmscript::skim;

use super::FILE;
use crate::{AnalysisHost, ClosedFile, FileId, Language, WorkspacePlace, outline::OTHERS};

const OPEN: &str = "\
from tvm.script import tirx as T, ir as I


def helper(n):
    return n


def matmul(n):
    @T.prim_func
    def kernel(A: T.Buffer((16,), \"int32\")):
        A[0] = 1

    return kernel


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((16,), \"int32\")):
        A[0] = 1
";

const CLOSED: &str = "\
module {
  func.func @matmul_tiled(%a: i32) -> i32 {
    return %a : i32
  }
  func.func private @other()
}
";

/// The symbols of an open file of Python, and of a closed and an open one of MLIR.
#[track_caller]
fn check(query: &str, expected: Expect) {
    let mut host = AnalysisHost::new();
    host.open_file(FILE, syntax::parse(OPEN));
    host.open_file(FileId(1), syntax::parse_as(Language::Mlir, CLOSED));
    let read = ClosedFile::read(FileId(9), Language::Mlir, CLOSED, &mut || true).unwrap();
    host.workspace_index().replace(FileId(9), read);
    let mut shown = String::new();
    for it in host.analysis().workspace_symbols(query).unwrap() {
        let place = match it.place {
            WorkspacePlace::Open(file, range) => format!("{} {:?}", file.0, range.0),
            WorkspacePlace::Closed(file, spot) => {
                format!(
                    "{} line {} {:?}",
                    file.0,
                    spot.line,
                    spot.columns(syntax::ColumnEncoding::Utf8)
                )
            }
        };
        shown.push_str(&format!("{:?} {} in `{}` at {place}\n", it.kind, it.name, it.container));
    }
    expected.assert_eq(&shown);
}

#[test]
fn symbols_are_found_by_the_letters_of_their_names() {
    check(
        "matmul",
        expect![[r#"
        Function matmul in `` at 0 78..84
        Function matmul_tiled in `` at 1 21..34
        Function matmul_tiled in `` at 9 line 1 (12, 25)
    "#]],
    );
    check(
        "MN",
        expect![[r#"
        Function main in `Module` at 0 241..245
    "#]],
    );
    check(
        "modu",
        expect![[r#"
        Module Module in `` at 0 208..214
    "#]],
    );
    check("helper", expect![[""]]);
    check(
        "",
        expect![[r#"
        Module Module in `` at 0 208..214
        Function kernel in `matmul` at 0 114..120
        Function main in `Module` at 0 241..245
        Function matmul in `` at 0 78..84
        Function matmul_tiled in `` at 1 21..34
        Function matmul_tiled in `` at 9 line 1 (12, 25)
        Function other in `` at 1 97..103
        Function other in `` at 9 line 4 (20, 26)
    "#]],
    );
}

/// Of the samples, and of the files below `TIR_OUTLINES`.
#[test]
fn the_outline_of_a_closed_file_is_that_of_its_whole_text() {
    let mut samples = test_utils::sample_files();
    let more = std::env::var_os("TIR_OUTLINES").map(|it| test_utils::samples_below(it.as_ref()));
    samples.extend(more.into_iter().flatten());
    let mut n = [0; 3];
    for sample in &samples {
        let text = &sample.text;
        let whole = || ClosedFile::outline_of_whole(Language::TvmScript, text);
        if let Some(names) = skim::names(text, &OTHERS) {
            n[2] += 1;
            assert_eq!(ClosedFile::of_names(&names), whole(), "{}", sample.name);
        }
        if skim::is_plain(text, &OTHERS) {
            n[0] += 1;
            assert_eq!(ClosedFile::default(), whole(), "{}", sample.name);
            continue;
        }
        let short = skim::skim(text, &OTHERS);
        let skimmed = short.and_then(|it| ClosedFile::skimmed(Language::TvmScript, text, &it));
        if let Some(skimmed) = skimmed {
            n[1] += 1;
            assert_eq!(skimmed, whole(), "{}", sample.name);
        }
    }
    assert!(n[1] > 20 && n[2] > 20, "{n:?}");
}
