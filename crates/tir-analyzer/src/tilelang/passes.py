"""Lowers one kernel of TileLang, and tells its IR before and after each pass, and the device code.

    stdin: {"path", "call", "function", "target"}
    stdout: a JSON object a line: {"function", "before", "lines"}, then {"pass", "text", "lines"} for each pass that changes
        something, then {"code"}, or {"error"} at any time. "lines" are pairs of a line of the text and the line of the file
        that it comes from, both from 0, where that is known.

"call" is a call of the factory, as `matmul(M=1024)`; null for a kernel at the top of the file. The file is imported, which executes it:
the user has asked for that. Nothing is compiled for a device, and no GPU is needed.
"""

import contextlib
import importlib.util
import json
import os
import re
import sys

# Where the answers go; what the file prints goes to the standard error stream.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def tell(**it):
    answers.write(json.dumps(it) + "\n")
    answers.flush()


def kernel(given):
    """The function of TIR that the request means."""
    path = os.path.realpath(given["path"])
    sys.path.insert(0, os.path.dirname(path))
    sys.argv = [path]
    spec = importlib.util.spec_from_file_location("tir_analyzer_kernel", path)
    module = sys.modules["tir_analyzer_kernel"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if given["call"] is None:
        found = getattr(module, given["function"])
    else:
        name, arguments = given["call"].split("(", 1)
        factory = module
        for part in name.split("."):
            factory = getattr(factory, part)
        # A tuner is asked for no configuration, and a compiler for its IR alone.
        factory = getattr(factory, "jit_impl", factory)
        factory = getattr(factory, "get_tir", factory)
        found = eval(f"factory({arguments}", {"factory": factory})  # noqa: S307 - the values of the user's command
    for it in found if isinstance(found, (list, tuple)) else [found]:
        it = getattr(it, "prim_func", it)
        if hasattr(it, "script"):
            return it
    raise TypeError(f"{type(found).__name__} is no kernel")


# The mark of a statement's line, as a comment behind it, or in front of one that has statements inside.
MARK = re.compile(r"\s*# tir-analyzer-line (\d+)$")


def lines_of(module, path):
    """By statement, the line of the file that its span names. Spans are in the JSON of a module alone."""
    from tilelang import tvm

    graph = json.loads(tvm.ir.save_json(module))
    nodes = graph["nodes"]

    def data(at):
        return nodes[at].get("data")

    pairs = data(data(graph["root_index"])["functions"])
    named = {data(data(key)["name_hint"]): value for key, value in zip(pairs[::2], pairs[1::2])}
    functions = [(var.name_hint, it) for var, it in module.functions.items() if hasattr(it, "body")]
    left = [(it.body, data(named[name])["body"]) for name, it in functions]
    found = {}
    while left:
        it, at = left.pop()
        fields = data(at)
        if not isinstance(fields, dict):
            continue
        span = data(fields["span"]) if "span" in fields else None
        if isinstance(span, dict) and os.path.realpath(str(data(span["source_name"]))) == path:
            found[it] = span["line"]
        for name in ("body", "block", "then_case", "else_case", "init"):
            inner = getattr(it, name, None)
            if inner is not None and isinstance(fields.get(name), int):
                left.append((inner, fields[name]))
        if "seq" in fields:
            left.extend(zip(it.seq, data(fields["seq"])))
    return found


def text_of(module, path):
    """The text of a module, and its lines that come from lines of the file."""
    if not hasattr(module, "functions"):
        return (module.script() if hasattr(module, "script") else str(module)), []
    try:
        notes = {it: f"tir-analyzer-line {line}" for it, line in lines_of(module, path).items()}
        marked = module.script(obj_to_annotate=notes)
    except Exception:  # noqa: BLE001 - a TileLang without spans, or with other ones: the text is what matters
        return module.script(), []
    text, lines, above = [], [], None
    for line in marked.split("\n"):
        mark = MARK.search(line)
        rest = line[: mark.start()] if mark else line
        of = int(mark.group(1)) if mark else None
        if mark and not rest.strip():
            above = of
            continue
        of, above = (above if of is None else of), None
        if of is not None:
            lines.append([len(text), of - 1])
        text.append(rest)
    return "\n".join(text), lines


def lower(given):
    import tilelang
    from tilelang import tvm

    path = os.path.realpath(given["path"])
    function = kernel(given)
    symbol = (function.attrs or {}).get("global_symbol") if function.attrs else None
    name = str(symbol) if symbol else given["function"]
    # As a module, which passes run on: so the first one is shown by what it changes.
    before, lines = text_of(tvm.IRModule({name: function}), path)
    tell(function=name, before=before, lines=lines)
    last = [before]

    @tvm.instrument.pass_instrument
    class Passes:
        def run_after_pass(self, module, info):
            # Passes run on other modules too, as on the ones that a tile operation is made of. What a pass of a
            # sequence has told is not told again by the sequence.
            text, lines = text_of(module, path)
            if f"def {name}" in text and text != last[0]:
                last[0] = text
                tell(**{"pass": str(info.name), "text": text, "lines": lines})

    target = tvm.target.Target(given["target"])
    with target, tvm.transform.PassContext(opt_level=3, instruments=[Passes()]):
        artifact = tilelang.lower(function, target=target)
    tell(code=artifact.kernel_source or "")


def main():
    given = json.loads(sys.stdin.readline())
    os.environ.setdefault("TILELANG_DISABLE_CACHE", "1")
    os.environ.setdefault("TILELANG_DEFAULT_TARGET", json.dumps(given["target"]))
    try:
        lower(given)
    except BaseException as error:  # noqa: BLE001 - it is told
        lines = str(error).strip().splitlines() or [""]
        with contextlib.suppress(OSError):
            tell(error=f"{type(error).__name__}: {lines[0][:400]}")
    answers.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
