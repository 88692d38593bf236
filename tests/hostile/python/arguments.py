"""Every parameter of every form of TVMScript, by position and by keyword.

`make FILE` writes a module: for each form and each parameter of TVM's own signature, a function that gives it. `compare BEFORE AFTER`
reads both texts and prints, a line each, what came of each function.
"""

import inspect
import json
import sys

import tvm
import tvm_ffi
from tvm.script import tirx as T

HEAD = "from tvm.script import tirx as T\n\n\n"
DECORATOR = "@T.prim_func(s_tir=True)"
START = DECORATOR + """
def {name}(h: T.handle, A: T.Buffer((16, 16), "float32"), B: T.Buffer((16,), "int32"), n: T.int32):
"""

# What stands around a form: `$` is its call.
STATEMENT = "    $\n    B[0] = 1\n"
NAMED = "    v = $\n    v[0, 0] = v[0, 0]\n"
SCALAR = "    v = $\n    v = 1\n"
SCOPE = "    with $:\n        B[0] = 1\n"
INDEX = "    with $ as x:\n        B[x] = 1\n"
LOOP = "    for i in $:\n        B[i] = 1\n"
AXIS = "    for i in range(8):\n        with T.sblock(\"b\"):\n            vi = $\n            B[vi] = 1\n"
BLOCK = "    for i in range(8):\n        with T.sblock(\"b\"):\n            vi = T.axis.spatial(8, i)\n            $\n            B[vi] = 1\n"
OWNED = BLOCK.replace("$", "v = $")
VALUE = "    B[0] = T.Cast(\"int32\", $)\n"
EVALUATE = "    T.evaluate($)\n"
VARIABLE = "    v = $\n    B[0] = T.Cast(\"int32\", v)\n"

# Values that are none of the defaults, by parameter. The first ones of a required parameter are used by all functions of its form.
VALUES = {
    "shape": ["(4, 4)"], "extents": ["(4, 4)"], "dtype": ['"int32"', '"int64"'], "data": ["A.data"], "strides": ["[4, 1]", "[8, 1]"],
    "elem_offset": ["4"], "byte_offset": ["16"], "scope": ['"shared"', '"local"'], "align": ["128"], "offset_factor": ["2"],
    "layout": ["None", '"default"'], "allocated_addr": ["64"], "annotations": ['{"k": 1}'], "param": ["h"],
    "name": ['"root"'], "no_realize": ["False", "True"], "exec_scope": ['""', '"cta"'], "thread": ['"threadIdx.x"'], "extent": ["8"],
    "thread_tag": ['"threadIdx.x"'], "node_or_dict": ["0"], "attr_key": ['"pragma_x"'], "value": ["n + 1"], "condition": ["n > 1"],
    "message": ['"text"'], "error_kind": ['"RuntimeError"', '"ValueError"'], "start": ["2"], "stop": ["8", "None"], "step": ["2", "None"],
    "unroll": ["True", "False", "4"], "dom": ["8", "(2, 8)"], "binding": ["i"], "kinds": ['"S"'], "bindings": ["[i]"],
    "predicate": ["vi < 6"], "attrs": ['{"k": 1}'], "type_annotation": ["None", '"int32"', "T.int32"], "buffer": ["B"], "indices": ["[n]"],
    "a": ["n"], "b": ["n + 2"], "x": ["n"], "y": ["n + 2"], "lhs": ["n"], "rhs": ["3"], "cond": ["n > 1"], "t": ["n"], "f": ["2"],
    "true_value": ["n"], "false_value": ["2"], "expr": ["n + 3"], "storage_scope": ['"shared"'], "span": ["None"], "base": ["n"],
    "stride": ["1", "2"], "lanes": ["4"], "access_mask": ['"rw"', '"w"', "1"], "ptr_type": ['"handle"', '"int32"'],
    "content_lanes": ["4"], "offset": ["8"], "begin": ["[n, 1]"],
}
BY_FORM = {
    ("sblock_attr", "attrs"): ['{"k": 1}'], ("thread_binding", "stop"): ['"threadIdx.x"', "8", "None"],
    ("Assert", "message"): ['"text"', '["a", "b"]'], ("bind", "var"): [], ("Bind", "var"): [], ("Select", "condition"): ["n > 1"],
    ("float32", "expr"): ["n", "1.5"], ("int32", "expr"): ["n", "3"], ("int64", "expr"): ["n", "3"], ("isnan", "x"): ["A[0, 0]"],
    ("pow", "x"): ["A[0, 0]"], ("pow", "y"): ["A[0, 1]"], ("isinf", "x"): ["A[0, 0]"], ("isfinite", "x"): ["A[0, 0]"], ("min_value", "dtype"): ['"int32"'], ("Cast", "value"): ["n"],
    ("cast", "value"): ["n"], ("buffer_store", "value"): ["n"], ("And", "a"): ["n > 1"], ("And", "b"): ["n > 2"],
    ("Not", "a"): ["n > 1"], ("vstore", "value"): ["A[0, 0] + T.float32(1)"], ("match_buffer", "dtype"): ['"float32"', '"int32"'],
    ("ceildiv", "lhs"): ["n"], ("handle", "dtype"): ['"float32"'], ("env_thread", "dtype"): ['"int64"'], ("where", "predicate"): ["vi < 6"],
    ("astype", "dtype"): ['"int32"'], ("Broadcast", "value"): ["n"], ("broadcast", "value"): ["n"], ("cta_id", "extents"): ["[4]"],
    ("thread_id", "extents"): ["[4]"], ("warp_id", "extents"): ["[4]"], ("lane_id", "extents"): ["[32]"],
    ("warpgroup_id", "extents"): ["[4]"], ("cluster_id", "extents"): ["[4]"], ("cta_id_in_cluster", "extents"): ["[2]"],
}
LANES = "    v: T.let = $\n    B[v] = 1\n"
IDS = "    T.device_entry()\n    v = $\n    B[v] = 1\n"

FORMS = {
    STATEMENT: ["func_attr", "evaluate", "buffer_store"],
    NAMED: ["alloc_buffer", "alloc_local", "alloc_shared", "smem", "tmem", "decl_buffer", "Buffer", "match_buffer"],
    SCALAR: ["local_scalar", "shared_scalar", "alloc_scalar"],
    SCOPE: ["sblock", "attr", "launch_thread", "Assert"],
    INDEX: ["launch_thread"],
    LOOP: ["range", "serial", "parallel", "vectorized", "unroll", "thread_binding", "grid"],
    AXIS: ["axis.spatial", "axis.S", "axis.reduce", "axis.R", "axis.scan", "axis.opaque", "axis.remap"],
    BLOCK: ["where", "sblock_attr", "reads", "writes"],
    OWNED: ["sblock_alloc_buffer"],
    VARIABLE: ["bind", "Bind"],
    IDS: ["cta_id", "thread_id", "warp_id", "lane_id", "warpgroup_id", "cluster_id", "cta_id_in_cluster"],
    VALUE: [
        "Cast", "cast", "Select", "if_then_else", "Not", "bitwise_not", "max", "min", "floordiv", "floormod", "truncdiv", "truncmod",
        "shift_left", "shift_right", "bitwise_and", "bitwise_or", "bitwise_xor", "ceildiv", "pow", "abs", "isinf", "isfinite", "isnan",
        "min_value", "max_value", "infinity", "Add", "Sub", "Mul", "Div", "Mod", "FloorDiv", "FloorMod", "Min", "Max", "EQ", "NE",
        "LT", "LE", "GT", "GE", "And", "Or", "float32", "int32", "int64",
    ],
    EVALUATE: ["Ramp", "ramp", "Broadcast", "broadcast"],
}
METHODS = {
    VALUE: [("A", "vload"), ("A[0, 0]", "astype")],
    STATEMENT: [("A", "vstore")],
    EVALUATE: [("A", "access_ptr"), ("A", "ptr_to")],
}
PYTHON = {"range": "start, stop=0, step=1, /", "astype": "dtype, span=None"}


def signature(form, of):
    if form in PYTHON:
        return eval("inspect.signature(lambda " + PYTHON[form] + ": 0)")
    for part in form.split("."):
        of = getattr(of, part)
    return inspect.signature(of)


def calls(form, parameters):
    """All argument lists of a form: every value of every parameter, with the required ones before it."""
    kinds = inspect.Parameter
    parameters = [it for it in parameters if it.name != "self"]
    rest = {"grid": ["4", "8"], "reads": ["A[vi, 0]", "B[vi]"], "writes": ["A[vi, 0]", "B[vi]"]}.get(form, [])
    values = lambda it: BY_FORM.get((form, it.name), VALUES.get(it.name, []))
    required = [it for it in parameters if it.default is kinds.empty and it.kind is kinds.POSITIONAL_OR_KEYWORD]
    some = [values(it)[0] for it in required]
    found = [rest + some, [f"{it.name}={value}" for it, value in zip(required, some)]]
    for at, parameter in enumerate(parameters):
        for value in values(parameter):
            others = [it for it in required if it is not parameter]
            named = [f"{it.name}={values(it)[0]}" for it in others]
            if parameter.kind is not kinds.POSITIONAL_ONLY:
                found.append(rest + named + [f"{parameter.name}={value}"])
            if parameter.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD):
                before = [values(it)[0] if it in required else repr(it.default) for it in parameters[:at]]
                after = [f"{it.name}={values(it)[0]}" for it in required if it in parameters[at + 1 :]]
                found.append(before + [value] + after)
                # Those before it say something, too.
                said = [(values(it) or [repr(it.default)])[-1] for it in parameters[:at]]
                found.append(said + [value] + after)
    return list(dict.fromkeys(", ".join(it) for it in found if it or form in ("sblock",)))


def make(path):
    texts, count = [HEAD], 0
    forms = [(context, it if it == "range" else "T." + it, it, T) for context, all in FORMS.items() for it in all]
    forms += [(context, f"{base}.{it}", it, tvm.ir.Var) for context, all in METHODS.items() for base, it in all]
    for context, callee, form, of in forms:
        for arguments in calls(form, signature(form, of).parameters.values()):
            name = f"f{count}"
            texts.append(START.format(name=name) + context.replace("$", f"{callee}({arguments})") + "\n\n")
            count += 1
    with open(path, "w") as file:
        file.write("".join(texts))


def functions(path):
    """The functions of a text, each read alone: what TVM makes of it, or why it refuses."""
    parts = open(path).read().split(DECORATOR)
    for part in parts[1:]:
        name = part.split("def ", 1)[1].split("(", 1)[0]
        try:
            yield name, DECORATOR + part, tvm.script.from_source(DECORATOR + part, extra_vars={"T": T}), None
        except BaseException as error:
            yield name, DECORATOR + part, None, (str(error).strip() or type(error).__name__).splitlines()[-1]


def compare(before, after):
    printed = {name: rest for name, *rest in functions(after)}
    for name, text, original, unread in functions(before):
        new, function, error = printed.get(name, ("", None, "it is not there"))
        if original is None:
            kind = "unread"
        elif function is None:
            kind = "refused"
        elif new.strip() == text.strip():
            kind = "left"
        elif tvm_ffi.structural_equal(original, function):
            kind = "equal"
        else:
            kind = "changed"
        print(json.dumps({"kind": kind, "text": text, "printed": new, "why": unread or error}))


if __name__ == "__main__":
    {"make": make, "compare": compare}[sys.argv[1]](*sys.argv[2:])
