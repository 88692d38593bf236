"""The package without any compiler: texts and files in, findings and answers out."""

import importlib.metadata
import json
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest
import tir_analyzer as ta

KERNEL = """\
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "int32"), n: T.int32):
    A[n * 4] = 1
    A[n * 4 + 1] = n * 4
"""

MLIR = """\
func.func @f(%a: i32) -> i32 {
  %0 = arith.muli %a, %a : i32
  %1 = arith.muli %a, %a : i32
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}
"""


def test_a_text_has_findings_with_places():
    [found] = ta.check(KERNEL)
    assert (found.rule, found.level, found.message) == ("common-subexpression", "hint", "`n * 4` is computed 3 times")
    assert (found.span.start.line, found.span.start.column) == (5, 7)
    assert [it.span.start.line for it in found.related] == [6, 6]
    assert str(found).startswith("<text>:5:7: hint[common-subexpression]: ")


def test_mlir_is_known_by_its_words():
    assert [it.rule for it in ta.check(MLIR)] == ["common-operation"]


LLVM = MLIR.replace("func.func", "llvm.func").replace("arith.", "llvm.").replace("return", "llvm.return")


@pytest.mark.parametrize(
    "text",
    [
        LLVM.replace("muli", "mul").replace("addi", "add"),
        f"module @m {{\n{MLIR}}}\n",
        f"module attributes {{m}} {{\n{MLIR}}}\n",
        f"// a remark\n!t = i32\n{MLIR}",
        f"#map = affine_map<(d0) -> (d0)>\n{MLIR}",
    ],
)
def test_mlir_of_any_words_is_no_clean_python(text):
    assert [it.rule for it in ta.check(text)] == ["common-operation"]
    assert ta.opt(text).count("mul") == 1


def test_a_path_is_read(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text(KERNEL)
    assert len(ta.check(path)) == len(ta.check(str(path))) == 1
    assert ta.check(path)[0].span.path == str(path)
    with pytest.raises(ta.AnalyzerError, match="cannot read"):
        ta.check(tmp_path / "none.py")


@pytest.mark.parametrize("path", ["kernels", "kernels/softmax", "a.txt", "C:\\kernels", "a b", "", "a.py", "naïve"])
def test_a_path_of_nothing_is_no_clean_text(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for question in (ta.check, ta.opt, ta.run, ta.device_code):
        with pytest.raises(FileNotFoundError) as told:
            question(path)
        assert repr(path) in str(told.value) and isinstance(told.value, ta.AnalyzerError)


def test_a_folder_without_kernels_is_not_clean(tmp_path):
    with pytest.raises(ta.AnalyzerError, match="there is no file to read"):
        ta.check(tmp_path)
    (tmp_path / "kernel.py").write_text(KERNEL)
    assert len(ta.check(tmp_path)) == len(ta.check(str(tmp_path))) == 1


@pytest.mark.parametrize(
    "text", ["func.func private @f()", "module {}", "%0 = arith.constant 1 : i32", "T.evaluate(0)", "\n", "kernels\n"]
)
def test_a_line_of_code_is_a_text(text):
    assert ta.check(text).at_least("warning") == []


def test_an_unknown_object_is_refused():
    with pytest.raises(ta.AnalyzerError, match="nothing is known of builtins.int"):
        ta.check(1)


def test_levels():
    found = ta.check(KERNEL)
    assert len(found.at_least("warning")) == 0
    found.assert_clean(level="warning")
    with pytest.raises(ta.NotClean, match="1 finding\n"):
        found.assert_clean()
    with pytest.raises(ValueError, match="there is no level"):
        found.assert_clean(level="bad")


def test_sarif():
    log = ta.check(KERNEL).to_sarif()
    [result] = json.loads(json.dumps(log))["runs"][0]["results"]
    assert result["ruleId"] == "common-subexpression"
    assert result["level"] == "note"
    assert result["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 5, "startColumn": 7, "endLine": 5, "endColumn": 12,
    }


def test_html_is_escaped():
    place = ta.Place(1, 1)
    span = ta.Span("<script>.py", place, place)
    text = ta.Findings([ta.Finding("r", "hint", "<b>", "<i>", span, None, ())])._repr_html_()
    assert "<script>" not in text and "<b>" not in text and "<i>" not in text


def test_simplify():
    done = ta.simplify("min(n, n + 1)")
    assert str(done) == "n"
    assert [it.rule for it in done.steps] == ["min-operand"]
    assert str(ta.simplify("x % 4", ["0 <= x", "x < 4"])) == "x"
    with pytest.raises(ta.AnalyzerError):
        ta.simplify("n +")


def test_opt_of_a_text():
    after = ta.opt(KERNEL)
    assert "cse_v1" in after and len(ta.check(after)) == 0
    assert ta.opt(MLIR).count("muli") == 1


def test_run_on_arrays():
    done = ta.run(KERNEL, [np.zeros(64, "int32"), 3])
    assert list(np.nonzero(done.arrays["A"])[0]) == [12, 13]
    assert done.arrays["A"][13] == 12
    done.assert_clean()


def test_run_tells_what_goes_wrong():
    done = ta.run(KERNEL, ["zeros", 100])
    assert done.events and done.events[0].span.start.line == 5
    with pytest.raises(AssertionError):
        done.assert_clean()


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float16"])
def test_narrow_floats(name):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    text = f"""\
from tvm.script import tir as T

@T.prim_func
def copy(A: T.Buffer((4,), "{name}"), B: T.Buffer((4,), "{name}")):
    for i in range(4):
        B[i] = A[i]
"""
    values = np.array([1, -2, 0.5, 4], dtype)
    after = ta.run(text, [values, "zeros"]).arrays["B"]
    assert after.dtype == dtype
    assert list(after) == list(values)


def test_device_code():
    text = """\
from tvm.script import tir as T

@T.prim_func
def double(A: T.Buffer((64,), "float32")):
    for i in T.thread_binding(64, thread="threadIdx.x"):
        A[i] = A[i] * T.float32(2)
"""
    code = ta.device_code(text)
    assert [it.function for it in code.kernels] == ["double"]
    assert "__global__" in str(code)
    assert "__kernel" in str(ta.device_code(text, "opencl"))


def test_nothing_of_others_is_imported():
    script = "import sys, tir_analyzer; print([it for it in ('numpy', 'tvm', 'torch', 'triton') if it in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout == "[]\n"


def test_the_program_is_the_command_line():
    command = [sys.executable, "-m", "tir_analyzer", "check", "--stdin"]
    done = subprocess.run(command, input=KERNEL, capture_output=True, text=True)
    assert "common-subexpression" in done.stdout and done.returncode == 0
    version = subprocess.run([*command[:3], "--version"], capture_output=True, text=True).stdout
    assert version.startswith(f"tir-analyzer {ta.__version__}")


@pytest.mark.parametrize("known", [{"given": "0 <= i"}, {"given": ["0 <= i"]}, {"sizes": "i"}, {"sizes": "n, i"}])
def test_one_condition_needs_no_list(known):
    assert str(ta.simplify("max(i, 0)", **known)) == "i"


def test_a_condition_of_python_and_none():
    assert str(ta.simplify("n", True)) == str(ta.simplify("n", None)) == "n"
    assert str(ta.simplify(True)) == "T.bool(True)"
    assert str(ta.simplify(float("inf"))) == 'T.float32("inf")'
    assert str(ta.simplify("max(n, 0)", sizes="")) == "T.max(n, 0)"
    for expr in (None, b"n"):
        with pytest.raises(ta.AnalyzerError, match="is no expression"):
            ta.simplify(expr)
    with pytest.raises(ta.AnalyzerError, match="`3` is no condition"):
        ta.simplify("n", 3)


def test_a_value_of_mlir_is_asked_by_its_place(tmp_path):
    path = tmp_path / "kernel.mlir"
    path.write_text("func.func @f(%a: i32) -> i32 {\n  %0 = arith.addi %a, %a : i32\n  return %0 : i32\n}\n")
    done = ta.simplify(f"{path}:2:3")
    assert (done.before, done.after, done.dtype) == ("%a + %a", "%a * 2", "i32")


@pytest.mark.parametrize("passes", ["cse", ["cse"], "simplify,cse", ("simplify", "cse"), iter(["cse"])])
def test_one_pass_needs_no_list(passes):
    assert "cse_v1" in ta.opt(KERNEL, passes=passes)


def test_no_passes():
    assert ta.opt(KERNEL, passes=[]) == ta.opt(KERNEL, passes=()) == KERNEL


SCALARS = """\
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((), "int32"), B: T.Buffer((1,), "uint64"), n: T.int32, x: T.float32, y: T.uint64):
    A[()] = A[()] + T.Cast("int32", x)
    B[0] = T.Cast("uint64", n) + y
"""


@pytest.mark.parametrize("number", [np.int32, np.int64, np.array, np.uint8, int])
@pytest.mark.parametrize("real", [np.float32, np.float64, np.array, float, int])
def test_single_values_are_numbers_or_arrays_as_the_parameter_says(number, real):
    big = (1 << 63) + 1
    done = ta.run(SCALARS, [np.array(5, "int32"), np.zeros(1, "uint64"), number(7), real(2), big])
    assert done.arrays["A"] == 7 and done.arrays["B"][0] == big + 7
    done = ta.run(SCALARS, [np.int32(5), "zeros", number(7), real(2), np.uint64(big)])
    assert done.arrays["A"] == 7 and done.arrays["B"][0] == big + 7


def test_a_single_narrow_float():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    text = SCALARS.replace("T.float32)", "T.bfloat16)").replace("x: T.float32", "x: T.bfloat16")
    done = ta.run(text, [np.int32(5), "zeros", np.bool_(True), ml_dtypes.bfloat16(2), 0])
    assert done.arrays["A"] == 7 and done.arrays["B"][0] == 1


def test_single_values_of_mlir():
    text = """\
func.func @f(%a: i32, %b: tensor<i32>, %c: memref<f32>) -> i32 {
  %0 = tensor.extract %b[] : tensor<i32>
  %1 = arith.addi %0, %a : i32
  return %1 : i32
}
"""
    assert ta.run(text, [np.int32(3), np.int32(4), np.float32(0)]).results == (7,)
    assert ta.run(text, {"a": 3, "%b": np.array(4, "int32"), "c": "zeros"}).results == (7,)
    with pytest.raises(ta.AnalyzerError, match="the function has 3 parameters, and `inputs` has 0"):
        ta.run(text, [])


def test_inputs_by_their_names():
    inputs = {"n": np.int64(3), "A": np.zeros(64, "int32")}
    assert list(np.nonzero(ta.run(KERNEL, inputs).arrays["A"])[0]) == [12, 13]
    with pytest.raises(ta.AnalyzerError, match="`inputs` has none for `A`; the parameters are A, n"):
        ta.run(KERNEL, {"n": 3})
    with pytest.raises(ta.AnalyzerError, match="there is no parameter `m`; the parameters are A, n"):
        ta.run(KERNEL, {"A": "zeros", "n": 1, "m": 3})
    assert ta.run(SYMBOLIC, {"A": np.zeros(2, "float32")}).arrays["A"].sum() == 2


def test_no_inputs_are_no_random_inputs():
    for inputs in ([], (), {}, iter(()), None, b"zeros"):
        with pytest.raises(ta.AnalyzerError, match="input"):
            ta.run(KERNEL, inputs)
    empty = "from tvm.script import tir as T\n\n@T.prim_func\ndef main():\n    T.evaluate(0)\n"
    for inputs in ([], {}, "random"):
        assert ta.run(empty, inputs).arrays == {}


def test_inputs_in_one_word():
    assert ta.run(KERNEL, "zeros,3").arrays["A"][13] == 12
    assert ta.run(KERNEL, ["zeros", "3"]).arrays["A"][13] == 12
    assert ta.run(KERNEL, (it for it in ["zeros", 3])).arrays["A"][13] == 12
    assert ta.run(KERNEL, "zeros").arrays["A"][0] == 1


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("foo.npy", "input 1 is 'foo.npy'"),
        ("1,2", "input 1 is '1,2'"),
        (None, "input 1 is no array of numbers"),
        (b"zeros", "input 1 is no array of numbers"),
        ([[1], [2, 3]], "input 1 is no array of numbers"),
        (np.complex64(1), "input 1 is no array of numbers, but of complex64"),
        (np.zeros(2, [("a", "i4")]), "input 1 is no array of numbers"),
        (1 << 64, "input 1 does not fit in 64 bits"),
        (2.5, "`n` takes an integer, not 2.5"),
        (np.zeros(3, "int32"), "`n` is a scalar: give a number or `random`, not an array"),
    ],
)
def test_what_is_no_input_is_told_by_its_number(value, told):
    with pytest.raises(ta.AnalyzerError, match=re.escape(told)):
        ta.run(KERNEL, ["zeros", value])


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (lambda: ta.opt(KERNEL, function="f"), "<text> has no function `f`"),
        (lambda: ta.opt(KERNEL, instance="f(1)"), "<text> has no factory `f`"),
        (lambda: ta.opt(KERNEL, passes="none,such"), "for `passes`"),
        (lambda: ta.opt(KERNEL, preset="such"), "for `preset`"),
        (lambda: ta.run(KERNEL, ["zeros"]), "has 2 parameters, and `inputs` has 1"),
        (lambda: ta.run(KERNEL, [1, 2, 3]), "has 2 parameters (A, n), and `inputs` has 3 entries"),
        (lambda: ta.run(KERNEL, [3, 3]), "`A` is an array of int32: give an array, `random` or `zeros`"),
        (lambda: ta.run(KERNEL, [np.zeros(64, "int8"), 3]), "input 0 does not fit `A`"),
        (lambda: ta.run(KERNEL, schedule="such"), "for `schedule`"),
        (lambda: ta.run(KERNEL, sizes={"m": 1}), "has no symbol `m`"),
        (lambda: ta.run(SYMBOLIC), 'give it one with `sizes={"m": …}`'),
        (lambda: ta.run(MLIR + MLIR.replace("@f", "@g")), "several functions: choose one with `function`: f, g"),
        (lambda: ta.device_code(KERNEL, "such"), "for `target`"),
        (lambda: ta.simplify("x", types={"x": "such"}), "`types`: `such` is no type"),
        (lambda: ta.simplify("x", sizes="1"), "`sizes`: `1` is no name"),
    ],
)
def test_messages_name_keywords_and_no_private_files(question, told):
    with pytest.raises(ta.AnalyzerError) as error:
        question()
    text = str(error.value)
    assert told in text
    assert "--" not in text and "tir-analyzer-" not in text and "text.py" not in text and ".npy" not in text


SYMBOLIC = """\
from tvm.script import tir as T

@T.prim_func
def main(a: T.handle):
    m = T.int64()
    A = T.match_buffer(a, (m,), "float32")
    for i in range(m):
        A[i] = 1.0
"""


def test_a_symbol_of_64_bits():
    assert ta.run(SYMBOLIC, sizes={"m": np.int64(3)}).arrays["A"].shape == (3,)
    assert ta.run(SYMBOLIC, [np.zeros(5, "float32")]).arrays["A"].sum() == 5
    assert ta.run(SYMBOLIC, np.zeros(5, "float32")).arrays["A"].sum() == 5
    with pytest.raises(TypeError):
        ta.run(SYMBOLIC, sizes={"m": 3.5})


def test_findings_are_a_sequence():
    found = ta.check(KERNEL)
    assert found == list(found) and found == tuple(found) and found != [] and found[:0] == []
    assert found[0] in found and [*reversed(found)] == [*found]
    assert found + [] == found + ta.Findings() == found


def test_errors_are_copied():
    with pytest.raises(ta.NotClean) as clean:
        ta.check(KERNEL).assert_clean()
    with pytest.raises(FileNotFoundError) as path:
        ta.check("kernels/none")
    for error in (clean.value, path.value):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again)) == (type(error), str(error))


def test_half_a_character_is_read_as_by_check():
    text = "# \udc80\n" + KERNEL
    assert len(ta.check(text)) == 1
    assert "cse_v1" in ta.opt(text)
    ta.run(text, "zeros").assert_clean()


def test_pytest_plug_in(pytester):
    pytester.makepyfile(
        f"""
        import pytest
        TEXT = {KERNEL!r}

        @pytest.mark.kernel_clean(TEXT, level="warning")
        def test_marked():
            pass

        @pytest.mark.kernel_clean(TEXT)
        def test_marked_with_a_hint():
            pass

        @pytest.mark.kernel_clean("kernels/missing")
        def test_marked_with_a_path_of_nothing():
            pass

        def test_fixture(kernel_check):
            assert len(kernel_check(TEXT, level="error")) == 1
        """
    )
    done = run_with_plug_in(pytester)
    done.assert_outcomes(passed=2, failed=2)
    done.stdout.fnmatch_lines(["*NoSuchPath*'kernels/missing'"])


@pytest.mark.parametrize(
    ("mark", "told"),
    [
        ("", "kernel_clean has no objects"),
        ("(make)", "make: kernel_clean has no objects"),
        ("(level='error')", "kernel_clean has no objects"),
        ("('a.py', levl='error')", "kernel_clean has no keyword `levl`; there is `level`"),
        ("('a.py', level='bad')", "kernel_clean has no level 'bad': error, warning, info, hint"),
    ],
)
def test_a_mark_that_checks_nothing_is_an_error(pytester, mark, told):
    pytester.makepyfile(
        f"""
        import pytest

        def make(what): pass

        @pytest.mark.kernel_clean{mark}
        def test_marked(): pass
        """
    )
    done = run_with_plug_in(pytester)
    assert done.ret in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERRUPTED)
    assert told in f"{done.stderr}{done.stdout}"


def run_with_plug_in(pytester):
    is_loaded = any(it.name == "tir_analyzer" for it in importlib.metadata.entry_points(group="pytest11"))
    return pytester.runpytest(*([] if is_loaded else ["-p", "tir_analyzer.pytest_plugin"]))
