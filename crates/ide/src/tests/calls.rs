//! Callers and callees.

use expect_test::{Expect, expect};

use super::{FILE, imports};
use crate::{
    AnalysisHost, CallEdge, CallFile, CallItem, CallPlace, CallTarget, ClosedFile, FileId, Language,
};

fn shown(it: &CallItem) -> String {
    let file = match &it.file {
        CallFile::Open(FILE) => String::new(),
        other => format!(" in {other:?}"),
    };
    let kind = it.kind.map(|it| format!(" ({it:?})")).unwrap_or_default();
    let name = if it.is_file { "<file>" } else { &it.path };
    format!("{name}{kind}{file}")
}

fn listed(text: &str, edges: Vec<CallEdge>) -> String {
    let mut out = String::new();
    for edge in edges {
        let place = |it: &CallPlace| match it {
            CallPlace::Range(_) if edge.item.file != CallFile::Open(FILE) => "…".to_owned(),
            CallPlace::Range(range) => {
                text.get(std::ops::Range::<usize>::from(*range)).unwrap_or("?").to_owned()
            }
            CallPlace::Spot(spot) => format!("line {}", spot.line + 1),
        };
        let calls: Vec<String> = edge.calls.iter().map(place).collect();
        out.push_str(&format!("  {}: {}\n", shown(&edge.item), calls.join(", ")));
    }
    out
}

/// The function at `$0`, who calls it, and whom it calls.
#[track_caller]
fn check(host: &mut AnalysisHost, language: Language, text: &str, expected: Expect) {
    let at = text.find("$0").expect("the place");
    let text = text.replacen("$0", "", 1);
    host.open_file(FILE, syntax::parse_as(language, &text));
    let analysis = host.analysis();
    let Some(item) = analysis.call_item(FILE, (at as u32).into()).unwrap() else {
        return expected.assert_eq("none");
    };
    let target = match (&item.file, item.selection) {
        (CallFile::Open(file), CallPlace::Range(range)) => CallTarget::At(*file, range.start()),
        (CallFile::Path(path), _) => CallTarget::Elsewhere(path.clone(), item.path.clone()),
        other => panic!("{other:?}"),
    };
    let callers = listed(&text, analysis.callers(&target).unwrap());
    let callees = listed(&text, analysis.callees(&target).unwrap());
    expected.assert_eq(&format!("{}\nfrom\n{callers}to\n{callees}", shown(&item)));
}

const KERNELS: &str = "\
from tvm.script import tirx as T, ir as I


def size(n):
    return n * 2


@T.macro
def add(A, i):
    A[i] = A[i] + size(3)


def make(n):
    m = size(n)

    @T.prim_func
    def kernel(A: T.Buffer((16,), \"int32\")):
        for i in range(size(8)):
            add(A, i)
            add(A, i + 1)

    return kernel


make(3)
";

#[test]
fn helpers_macros_and_factories_are_called_by_name() {
    let mut host = AnalysisHost::new();
    let at = |name: &str, with: &str| KERNELS.replacen(name, with, 1);
    let mut check = |text: String, expected| check(&mut host, Language::TvmScript, &text, expected);
    check(
        at("def size", "def s$0ize"),
        expect![[r#"
        size (Helper)
        from
          add (Macro): size
          make (Factory): size
          make.kernel (Kernel): size
        to
    "#]],
    );
    check(
        at("def add", "def a$0dd"),
        expect![[r#"
        add (Macro)
        from
          make.kernel (Kernel): add, add
        to
          size (Helper): size
    "#]],
    );
    check(
        at("def kernel", "def ker$0nel"),
        expect![[r#"
        make.kernel (Kernel)
        from
        to
          size (Helper): size
          add (Macro): add, add
    "#]],
    );
    check(
        at("m = size(", "m = siz$0e("),
        expect![[r#"
        size (Helper)
        from
          add (Macro): size
          make (Factory): size
          make.kernel (Kernel): size
        to
    "#]],
    );
    check(at("return n", "return$0 n"), expect!["none"]);
}

#[test]
fn functions_of_other_files_are_called_through_imports() {
    let (mut host, _disk) = imports::host();
    let kernel = imports::KERNEL.replacen("= scale(", "= sc$0ale(", 1);
    let kernel = kernel.replace("kernel = ", "def main():\n    return ");
    check(
        &mut host,
        Language::TvmScript,
        &kernel,
        expect![[r#"
        scale (Factory) in Path("/w/ops/sizes.py")
        from
          main (Helper): scale
        to
    "#]],
    );
    // One that is not open calls a function that is.
    let user = "from ops.kernel import make\n\n\ndef use():\n    return make(n)\n";
    let read = ClosedFile::read(
        FileId(9),
        Language::TvmScript,
        &format!("{user}\n{}", imports::SIZES),
        &mut || true,
    );
    host.workspace_index().replace(FileId(9), read.unwrap());
    check(
        &mut host,
        Language::TvmScript,
        &KERNELS.replacen("def make", "def ma$0ke", 1),
        expect![[r#"
            make (Factory)
            from
              <file>: make
              use in Closed(FileId(9)): line 5
            to
              size (Helper): size
        "#]],
    );
}

#[test]
fn statements_outside_of_functions_are_calls_of_their_file() {
    let (mut host, _disk) = imports::host();
    let text = "from tvm.script import tirx as T


def add(n):
    @T.prim_func
    def main(A: T.Buffer((n,), \"int32\")):
        A[0] = n

    return main


k = add(1024)
kernels = [add(2), add(4)]
";
    let path = "/w/ops/kernel.py";
    host.set_path(FILE, Some(path.into()));
    let other = "from tvm.script import tirx as T\nfrom .kernel import add\n\n\
                 @T.prim_func\ndef f(n: T.int32):\n    T.evaluate(n)\n\nkern2 = add(16)\n";
    let open = FileId(7);
    host.set_path(open, Some("/w/ops/open.py".into()));
    host.open_file(open, syntax::parse(other));
    let closed = other.replace(".kernel", "ops.kernel");
    let read = ClosedFile::read(FileId(9), Language::TvmScript, &closed, &mut || true);
    host.workspace_index().replace(FileId(9), read.unwrap());
    check(
        &mut host,
        Language::TvmScript,
        &text.replacen("def add", "def a$0dd", 1),
        expect![[r#"
            add (Factory)
            from
              <file>: add, add, add
              <file> in Open(FileId(7)): …
              <file> in Closed(FileId(9)): line 8
            to
        "#]],
    );
}

#[test]
fn functions_of_mlir_are_called_by_their_symbols() {
    let text = "\
module {
  func.func @f(%a: i32) -> i32 {
    %0 = call @g(%a) : (i32) -> i32
    %1 = func.call @g(%0) : (i32) -> i32
    return %1 : i32
  }
  func.func @g(%a: i32) -> i32 {
    gpu.launch_func @k::@run blocks in (%b, %b, %b) threads in (%b, %b, %b)
    return %a : i32
  }
  gpu.module @k {
    gpu.func @run() kernel {
      gpu.return
    }
  }
}
";
    let mut host = AnalysisHost::new();
    let mut check = |place: &str, with: &str, expected| {
        check(&mut host, Language::Mlir, &text.replacen(place, with, 1), expected);
    };
    check(
        "func.func @g",
        "func.func @$0g",
        expect![[r#"
        g
        from
          f: @g, @g
        to
          run: @run
    "#]],
    );
    check(
        "call @g",
        "call @$0g",
        expect![[r#"
        g
        from
          f: @g, @g
        to
          run: @run
    "#]],
    );
    check(
        "gpu.func @run",
        "gpu.func @ru$0n",
        expect![[r#"
        run
        from
          g: @run
        to
    "#]],
    );
    check("%1 = ", "%$01 = ", expect!["none"]);
}
