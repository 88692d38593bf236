//! Hovers of the script's names: signature, sentence, types, effects, and what the targets make of them.

use codegen::{Target, TargetOptions};
use expect_test::{Expect, expect};
use frontend::tvmscript::{Namespace, script_names};

use super::{FILE, analysis, function, with_cursor};

/// The first part of the hover at the cursor: that about the name.
#[track_caller]
fn check_text(text: &str, expected: Expect) {
    let (text, offset) = with_cursor(text);
    let hover = analysis(&text).hover(FILE, offset).unwrap();
    let markdown = hover.map_or("none".to_owned(), |it| it.markdown);
    expected.assert_eq(markdown.split("\n\n---").next().unwrap_or_default());
}

#[track_caller]
fn check(body: &str, expected: Expect) {
    check_text(&function(body), expected);
}

#[test]
fn a_function_says_what_it_is_and_what_the_targets_make_of_it() {
    check(
        "F[i] = T.ex$0p(F[i])",
        expect![[r#"
        ```python
        T.exp(x)
        ```
        The exponential function, e to the power of x.

        of vectors lane by lane · no effect on memory

        In device code (of 32-bit numbers):

        - cuda, hip, c: `expf`
        - opencl, spirv, wgsl, metal: `exp`"#]],
    );
    check(
        "A[i] = T.popcount$0(B[i])",
        expect![[r#"
        ```python
        T.popcount(x)
        ```
        The number of bits that are set.

        of vectors lane by lane · no effect on memory

        In device code (of 32-bit numbers):

        - cuda, hip: `__popc`
        - opencl: `popcount`
        - c: `__builtin_popcount`
        - spirv, wgsl, metal: `countOneBits`"#]],
    );
    check(
        "A[i] = T.if_then$0_else(i < 4, B[i], 0)",
        expect![[r#"
            ```python
            T.if_then_else(cond, t, f)
            ```
            One of two values by a condition. Only the chosen one is evaluated, so it may guard an access.

            no effect on memory

            In device code (of 32-bit numbers):

            - cuda, opencl, hip, c: `c ? t : f`
            - spirv, wgsl, metal: `select(f, t, c), or if`"#]],
    );
}

#[test]
fn the_words_of_a_dotted_name_are_one_name() {
    check(
        "T.evaluate(T.pt$0x.cp_async_wait_group(0))",
        expect![[r#"
            ```python
            T.ptx.cp_async_wait_group(*args)
            ```
            Waits until only so many groups of copies of this thread are left.

            reads and writes memory

            In device code (of 32-bit numbers):

            - cuda: `cp.async.wait_group (inline PTX)`
            - opencl, hip, c, spirv, wgsl, metal: none"#]],
    );
    check(
        "T.cuda.cta_s$0ync()",
        expect![[r#"
        ```python
        T.cuda.cta_sync(*args)
        ```
        A barrier of the block of threads.

        reads and writes memory, depends on which threads arrive together"#]],
    );
    check(
        "F[i] = T.float$032(1.0)",
        expect![[r#"
        ```python
        T.float32(expr)
        ```
        A number as a float of this width.

        no effect on memory"#]],
    );
}

#[test]
fn tiles_say_what_they_read_and_write() {
    let kernel = "import tilelang.language as T\n\n\n@T.prim_func\n\
        def f(A: T.Tensor((64,), \"float16\"), B: T.Tensor((64,), \"float16\")):\n    \
        with T.Kernel(1, threads=64) as b:\n        T.co$0py(A, B)\n";
    check_text(
        kernel,
        expect![[r#"
        ```python
        T.copy(src, dst)
        ```
        Copies a tile to another, cast to its type. What is out of bounds is read as zero and not written.

        reads tile 1, writes tile 2 · a statement · reads and writes memory, may trap for some operands, depends on which threads arrive together"#]],
    );
}

#[test]
fn what_is_no_name_of_the_script_is_left_alone() {
    check(
        "A[i] = B[i] + $0n",
        expect![[r#"
        ```python
        n: int32
        ```
        parameter"#]],
    );
    check("A[i] = $0T.max(i, j)", expect!["`T.max(i, j)`: int32 · computed once"]);
}

/// A kernel with a statement for each of some functions.
fn kernel(functions: &[(String, usize)]) -> String {
    let n = functions.len().max(1);
    let mut text = format!(
        "from tvm.script import tirx as T\n\n\n@T.prim_func\ndef f(F: T.Buffer((64,), \"float32\"), \
         I: T.Buffer((64,), \"int32\"), X: T.Buffer((64, {n}), \"float32\"), \
         Y: T.Buffer((64, {n}), \"int32\")):\n    t = T.launch_thread(\"threadIdx.x\", 64)\n"
    );
    for (at, (name, n_operands)) in functions.iter().enumerate() {
        let call = |buffer: &str| {
            let operands = vec![format!("{buffer}[t]"); *n_operands].join(", ");
            format!("T.{name}({operands})")
        };
        let line = match &**name {
            "popcount" | "clz" | "truncdiv" | "truncmod" => format!("Y[t, {at}] = {}", call("I")),
            it if it.starts_with("shift_") || it.starts_with("bitwise_") => {
                format!("Y[t, {at}] = {}", call("I"))
            }
            "if_then_else" | "Select" => format!("X[t, {at}] = T.{name}(t < 4, F[t], F[t])"),
            "cast" => format!("X[t, {at}] = T.cast(I[t], \"float32\")"),
            "Cast" => format!("X[t, {at}] = T.Cast(\"float32\", I[t])"),
            "isnan" | "isinf" | "isfinite" => {
                format!("Y[t, {at}] = T.Select({}, 1, 0)", call("F"))
            }
            "abs" => format!("X[t, {at}] = {}\n    Y[t, {at}] = {}", call("F"), call("I")),
            _ => format!("X[t, {at}] = {}", call("F")),
        };
        text.push_str(&format!("    {line}\n"));
    }
    text
}

/// The code of a kernel for a target, and what of it is refused.
fn code(text: &str, target: Target) -> (String, Vec<String>) {
    let offset = (text.find("launch").unwrap_or_default() as u32).into();
    let options = TargetOptions::default();
    let view = analysis(text).view_device_code(FILE, offset, target, &options).unwrap();
    view.map(|it| (it.text, it.notes)).unwrap_or_default()
}

/// Words of spellings that are no names.
const SMALL: &[&str] = &["and", "bits", "comparison", "infinity", "sign", "the", "with"];

#[test]
fn the_code_of_each_target_has_the_spellings_that_are_told() {
    let of_name = |name: &str| Some(script_names::parameters(Namespace::Tirx, name)?.len());
    let is_function = |it: &&str| {
        let is_known = Target::ALL.iter().any(|target| target.spelling(it).is_some());
        // Functions of a warp and its instructions are more than a call of numbers.
        is_known && !it.starts_with("tvm_") && !it.starts_with("ptx")
    };
    let names = script_names::names(Namespace::Tirx);
    let names: Vec<&str> = names.keys().map(|it| &**it).filter(is_function).collect();
    assert!(names.len() > 30, "{names:?}");
    for target in Target::ALL {
        let (known, none): (Vec<&str>, Vec<&str>) =
            names.iter().partition(|it| target.spelling(it).is_some());
        let with_operands =
            |it: &&str| Some(((*it).to_owned(), of_name(it)?)).filter(|it| it.1 > 0);
        let functions: Vec<(String, usize)> = known.iter().filter_map(with_operands).collect();
        let (text, notes) = code(&kernel(&functions), target);
        assert!(notes.is_empty(), "{target:?}: {notes:?}");
        for name in &known {
            let spelling = target.spelling(name).unwrap();
            let is_word = |it: &&str| it.len() > 2 && !SMALL.contains(it);
            let is_name = |it: char| it.is_ascii_alphanumeric() || it == '_';
            // Metal has its own names for those of WGSL.
            let words = spelling.split(|it| !is_name(it)).filter(is_word);
            for word in
                words.filter(|it| target != Target::Metal && !it.starts_with(char::is_numeric))
            {
                assert!(text.contains(word), "{target:?} {name}: {word}\n{text}");
            }
        }
        for name in none {
            let (text, notes) = code(&kernel(&[(name.to_owned(), of_name(name).unwrap())]), target);
            assert!(!notes.is_empty() || text.starts_with("//"), "{target:?} has {name}:\n{text}");
        }
    }
}

#[test]
fn a_part_of_a_tile_is_no_pointer() {
    check_text(
        "import tilelang.language as T\n\n@T.prim_func\ndef f(A: T.Tensor((64, 64), \"float32\")):\n    \
         with T.Kernel(4, threads=32) as bx:\n        B = T.alloc_shared((16, 64), \"float32\")\n        \
         T.copy(A[bx * 16,$0 0], B)\n",
        expect!["`A[bx * 16, 0]`: part of a buffer of float32 · computed once"],
    );
}

#[test]
fn functions_of_python_say_what_they_are() {
    const TEXT: &str = "from tvm.script import tirx as T
from unknown import other


def clamp(i, most=3):
    return T.min(i, most)


@T.macro
def store(A, i):
    A[i] = 3


def make(N):
    def half(i):
        return i // 2

    @T.prim_func
    def kernel(A: T.Buffer((8,), \"int32\")):
        A[clamp(half(3))] = 1
        store(A, clamp(other(4)))
    return kernel
";
    let check = |at: &str, with: &str, expected| check_text(&TEXT.replacen(at, with, 1), expected);
    check(
        "A[clamp",
        "A[cl$0amp",
        expect![[r#"
            ```python
            def clamp(i, most=3)
            ```
            function of Python of this file"#]],
    );
    check(
        "(half",
        "(ha$0lf",
        expect![[r#"
            ```python
            def half(i)
            ```
            function of Python in `make`"#]],
    );
    check(
        " store(A, clamp",
        " sto$0re(A, clamp",
        expect![[r#"
            ```python
            def store(A, i)
            ```
            macro of this file: its statements stand in the place of each call"#]],
    );
    check(
        "def make",
        "def ma$0ke",
        expect![[r#"
            ```python
            def make(N)
            ```
            factory of this file: a call of it makes the kernels inside"#]],
    );
    check(
        "def kernel",
        "def ker$0nel",
        expect![[r#"
            ```python
            def kernel(A: T.Buffer((8,), "int32"))
            ```
            kernel in `make`"#]],
    );
    check("def clamp", "def cl$0amp", expect!["none"]);
    check(
        "(other(",
        "(oth$0er(",
        expect![[r#"
            ```python
            other
            ```
            captured from Python"#]],
    );
}

/// All of the hover at the cursor.
#[track_caller]
fn check_all(text: &str, expected: Expect) {
    let (text, offset) = with_cursor(text);
    let hover = analysis(&text).hover(FILE, offset).unwrap();
    expected.assert_eq(&hover.map_or("none".to_owned(), |it| it.markdown));
}

#[test]
fn statements_are_not_counted_and_names_do_not_describe_what_is_around_them() {
    check_all(
        &function("T.ev$0aluate(T.tvm_storage_sync(\"shared\"))"),
        expect![[r#"
        ```python
        T.evaluate(value)
        ```
        A statement that is a call; its value is not used."#]],
    );
    check_all(
        &function("T.tvm_storage_sy$0nc(\"shared\")"),
        expect![[r#"
        ```python
        T.tvm_storage_sync(*args)
        ```
        A barrier of the scope that is named: `shared` waits for all threads of the block.

        reads and writes memory, depends on which threads arrive together

        In device code (of 32-bit numbers):

        - cuda, hip: `__syncthreads()`
        - opencl: `barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)`
        - c: none
        - spirv, wgsl, metal: `workgroupBarrier`"#]],
    );
    check_all(
        &function("F[i] = T.if_then_else(i < 4, T.float$032(0), F[j])"),
        expect![[r#"
        ```python
        T.float32(expr)
        ```
        A number as a float of this width.

        no effect on memory"#]],
    );
    check_all(
        &function("F[i] = T.if_then$0_else(i < 4, T.float32(0), F[j])"),
        expect![[r#"
        ```python
        T.if_then_else(cond, t, f)
        ```
        One of two values by a condition. Only the chosen one is evaluated, so it may guard an access.

        no effect on memory

        In device code (of 32-bit numbers):

        - cuda, opencl, hip, c: `c ? t : f`
        - spirv, wgsl, metal: `select(f, t, c), or if`

        ---

        `T.if_then_else(i < 4, T.float32(0), F[j])`: float32 · computed once"#]],
    );
    check_all(
        &function("A[i] = T.max(i, j) + n$0"),
        expect![[r#"
        ```python
        n: int32
        ```
        parameter

        ---

        `T.max(i, j) + n`: int32 · computed once"#]],
    );
}

#[test]
fn operators_have_a_row_for_each_target() {
    let row = |name: &str, call: &str| {
        let call = call.replacen(name, &format!("{name}$0"), 1);
        let (text, offset) = with_cursor(&function(&format!("A[i] = {call}")));
        let hover = analysis(&text).hover(FILE, offset).unwrap().expect("a hover").markdown;
        let rows = hover.lines().filter(|it| it.starts_with("- ")).collect::<Vec<_>>().join("\n");
        format!("{name}\n{rows}\n")
    };
    let rows = [
        row("max", "T.max(i, j)"),
        row("Select", "T.Select(i < j, i, j)"),
        row("if_then_else", "T.if_then_else(i < j, i, j)"),
        row("cast", "T.cast(F[i], \"int32\")"),
        row("truncmod", "T.truncmod(i, 3)"),
        row("shift_left", "T.shift_left(i, 2)"),
        row("cp_async", "T.ptx.cp_async(A.data, 0, B.data, 0, 16)"),
    ];
    expect![[r#"
        max
        - cuda, opencl, hip, c: `a > b ? a : b`
        - spirv, wgsl, metal: `select(b, a, a > b)`
        Select
        - cuda, opencl, hip, c: `c ? t : f`
        - spirv, wgsl, metal: `select(f, t, c), or if`
        if_then_else
        - cuda, opencl, hip, c: `c ? t : f`
        - spirv, wgsl, metal: `select(f, t, c), or if`
        cast
        - cuda, opencl, hip, c: `(float)x`
        - spirv, wgsl, metal: `f32(x)`
        truncmod
        - cuda, opencl, hip, c, spirv, wgsl, metal: `a % b`
        shift_left
        - cuda, hip: `(int)((unsigned int)a << b)`
        - opencl: `(int)((uint)a << b)`
        - c: `(int32_t)((uint32_t)a << b)`
        - spirv, wgsl, metal: `a << u32(b)`
        cp_async
        - cuda: `cp.async (inline PTX)`
        - opencl, hip, c, spirv, wgsl, metal: none
    "#]]
    .assert_eq(&rows.concat());
}
