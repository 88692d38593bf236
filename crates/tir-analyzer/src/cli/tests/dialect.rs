//! `dialect`: definitions become files, files become known operations.

use expect_test::expect;

use super::Project;

/// The output of `llvm-tblgen --dump-json` for a dialect with four operations, shortened to what counts.
const DUMP: &str = r#"{
  "!instanceof": { "Op": ["Toy_AddOp", "Toy_LoadOp", "Toy_RunOp", "Toy_DoOp"] },
  "Toy_Dialect": { "!name": "Toy_Dialect", "name": "toy" },
  "Pure": { "!name": "Pure", "traits": [{ "def": "AlwaysSpeculatable" }, { "def": "NoMemoryEffect" }] },
  "AlwaysSpeculatable": { "!name": "AlwaysSpeculatable", "traits": [] },
  "NoMemoryEffect": { "!name": "NoMemoryEffect", "effects": [], "cppInterfaceName": "MemoryEffectOpInterface" },
  "IsCommutative": { "!name": "Commutative", "trait": "IsCommutative" },
  "Recursive": { "!name": "RecursiveMemoryEffects", "trait": "HasRecursiveMemoryEffects" },
  "AnyType": { "!name": "AnyType", "!superclasses": ["Constraint", "TypeConstraint", "Type"] },
  "Indices": { "!name": "a0", "!superclasses": ["Constraint", "TypeConstraint", "Variadic"] },
  "UnitAttr": { "!name": "UnitAttr", "!superclasses": ["AttrConstraint", "Attr"], "isOptional": 1 },
  "Read": { "!name": "MemRead", "!superclasses": ["MemoryEffect"], "effect": "::mlir::MemoryEffects::Read",
            "resource": "::mlir::SideEffects::DefaultResource" },
  "Memory": { "!name": "a1", "!superclasses": ["OpVariable", "Arg"], "constraint": { "def": "AnyType" },
              "decorators": [{ "def": "Read" }] },
  "AnyRegion": { "!name": "AnyRegion", "!superclasses": ["Constraint", "RegionConstraint", "Region"] },
  "Toy_AddOp": { "opName": "add", "opDialect": { "def": "Toy_Dialect" }, "summary": "adds\n  two values",
    "traits": [{ "def": "Pure" }, { "def": "IsCommutative" }],
    "arguments": { "args": [[{ "def": "AnyType" }, "lhs"], [{ "def": "AnyType" }, "rhs"]] },
    "results": { "args": [[{ "def": "AnyType" }, "sum"]] }, "regions": { "args": [] }, "successors": { "args": [] },
    "assemblyFormat": "$lhs `,` $rhs\n   attr-dict `:` type($sum)" },
  "Toy_LoadOp": { "opName": "load", "opDialect": { "def": "Toy_Dialect" }, "traits": [],
    "arguments": { "args": [[{ "def": "Memory" }, "memory"], [{ "def": "Indices" }, "indices"], [{ "def": "UnitAttr" }, "cached"]] },
    "results": { "args": [[{ "def": "AnyType" }, "value"]] }, "regions": { "args": [] }, "successors": { "args": [] },
    "assemblyFormat": "$memory `[` $indices `]` (`cached` $cached^)? attr-dict `:` type($memory) `,` type($value)" },
  "Toy_RunOp": { "opName": "run", "opDialect": { "def": "Toy_Dialect" }, "traits": [{ "def": "Recursive" }],
    "arguments": { "args": [] }, "results": { "args": [] }, "regions": { "args": [[{ "def": "AnyRegion" }, "body"]] },
    "successors": { "args": [] }, "assemblyFormat": null, "hasCustomAssemblyFormat": 1 },
  "Toy_DoOp": { "opName": "do", "opDialect": { "def": "Toy_Dialect" }, "traits": [], "arguments": { "args": [] },
    "results": { "args": [] }, "regions": { "args": [] }, "successors": { "args": [] }, "assemblyFormat": "attr-dict" }
}"#;

const TOY: &str = "\
func.func @f(%a: i32, %m: !toy.mem) -> i32 {
  %0 = toy.add %a, %a : i32
  %1 = toy.add %a, %a : i32
  %2 = toy.load %m[%0, %1] cached : !toy.mem, i32
  toy.do
  toy.strange %2
  toy.stranger %2
  toy.strange %1
  %3 = toy.add %1, %2 : i32
  return %3 : i32
}
";

#[test]
fn a_dump_becomes_the_file_of_a_dialect() {
    let project = Project::new(&[("dump.json", DUMP)]);
    project.run("dialect import dump.json --source toy-1.0").check(expect![[r#"
        dialects/toy.toml: 4 operations, 3 with effects, 3 with a form
        --- exit code 0
    "#]]);
    expect![[r#"
        dialect = "toy"
        source = "toy-1.0"

        [[operations]]
        ops = ["add"]
        operands = ["lhs", "rhs"]
        results = ["sum"]
        attributes = []
        regions = []
        successors = []
        traits = ["AlwaysSpeculatable", "Commutative", "IsCommutative", "NoMemoryEffect", "Pure"]
        effects = ["none"]
        format = "$lhs `,` $rhs attr-dict `:` type($sum)"
        summary = "adds two values"

        [[operations]]
        ops = ["do"]
        operands = []
        results = []
        attributes = []
        regions = []
        successors = []
        format = "attr-dict"

        [[operations]]
        ops = ["load"]
        operands = ["memory", "indices*"]
        results = ["value"]
        attributes = ["cached!"]
        regions = []
        successors = []
        effects = ["read $memory"]
        format = "$memory `[` $indices `]` (`cached` $cached^)? attr-dict `:` type($memory) `,` type($value)"

        [[operations]]
        ops = ["run"]
        operands = []
        results = []
        attributes = []
        regions = ["body"]
        successors = []
        traits = ["RecursiveMemoryEffects"]
        effects = ["recursive"]
    "#]]
    .assert_eq(&project.read("dialects/toy.toml"));
    // A file of a dialect is read, and written as it is.
    let before = project.read("dialects/toy.toml");
    assert_eq!(project.run("dialect import dialects/toy.toml").code, 0);
    assert_eq!(project.read("dialects/toy.toml"), before);
}

/// Bindings as their generator writes them, shortened to what counts.
const BINDINGS: &str = r##"
@_ods_cext.register_dialect
class _Dialect(_ods_ir.Dialect):
  DIALECT_NAMESPACE = "toy"

@_ods_cext.register_operation(_Dialect)
class CopyOp(_ods_ir.OpView):
  r"""
  Copies, as in

  def __init__(self, nothing):
  OPERATION_NAME = "toy.nothing"
  """

  OPERATION_NAME = "toy.copy"

  _ODS_OPERAND_SEGMENTS = [1,-1,0,]

  _ODS_REGIONS = (0, True)

  def __init__(self, atom: _ods_ir.Value, src: _Sequence[_ods_ir.Value], *, pred: _Optional[_ods_ir.Value] = None, mode=None, cached: _Optional[bool] = None, kind=None, loc: _Optional[_ods_ir.Location] = None):
    operands = []
    attributes = {}
    regions = None
    operands.append(atom)
    operands.append(_get_op_results_or_values(src))
    operands.append(pred)
    _ods_context = _ods_get_default_loc_context(loc)
    attributes["mode"] = (mode if (
    isinstance(mode, _ods_ir.Attribute) or
    if bool(cached): attributes["cached"] = _ods_ir.UnitAttr.get(
      _ods_get_default_loc_context(loc))
    if kind is not None: attributes["kind"] = (kind if (
    results = []
    _ods_successors = None

  @builtins.property
  def src(self) -> _ods_ir.OpOperandList:
    operand_range = _ods_segmented_accessor(

@_ods_cext.register_op_adaptor(CopyOp)
class CopyOpAdaptor(_ods_ir.OpAdaptor):
  OPERATION_NAME = "toy.copy"

  @builtins.property
  def none(self) -> _ods_ir.OpResult:

def copy(atom, src, *, pred=None) -> CopyOp:
  return CopyOp(atom=atom, src=src)

@_ods_cext.register_operation(_Dialect)
class AddOp(_ods_ir.OpView):
  OPERATION_NAME = "toy.add"

  _ODS_REGIONS = (0, True)

  def __init__(self, lhs: _ods_ir.Value, rhs: _ods_ir.Value, *, results: _Optional[_Sequence[_ods_ir.Type]] = None):
    operands.append(lhs)
    operands.append(rhs)
    _ods_successors = None

  @builtins.property
  def sum(self) -> _ods_ir.OpResult:
    return self.operation.results[0]

@_ods_cext.register_operation(_Dialect)
class RunOp(_ods_ir.OpView):
  OPERATION_NAME = "toy.run"

  _ODS_REGIONS = (2, True)

  def __init__(self, results_, inits: _Sequence[_ods_ir.Value], *, step=None):
    operands.extend(_get_op_results_or_values(inits))
    if step is not None: operands.append(step)
    results = []
    results.extend(results_)
    _ods_successors = None

  @builtins.property
  def body(self) -> _ods_ir.Region:
    return self.regions[0]
"##;

#[test]
fn python_bindings_become_the_file_of_a_dialect() {
    let project = Project::new(&[("_toy_ops_gen.py", BINDINGS), ("other.py", "x = 1\n")]);
    project.run("dialect import _toy_ops_gen.py --source toy-1.0").check(expect![[r#"
        dialects/toy.toml: 3 operations, 0 with effects, 0 with a form
        --- exit code 0
    "#]]);
    expect![[r#"
        dialect = "toy"
        source = "toy-1.0"

        [[operations]]
        ops = ["add"]
        operands = ["lhs", "rhs"]
        results = ["sum"]
        attributes = []
        regions = []
        successors = []

        [[operations]]
        ops = ["copy"]
        operands = ["atom", "src*", "pred?"]
        results = []
        attributes = ["mode", "cached!", "kind?"]
        regions = []
        successors = []

        [[operations]]
        ops = ["run"]
        operands = ["inits*", "step?"]
        results = ["results*"]
        attributes = []
        regions = ["body", "region1"]
        successors = []
    "#]]
    .assert_eq(&project.read("dialects/toy.toml"));
    project.run("dialect import other.py").check(expect![[r#"
        --- errors
        error: other.py: there is no `DIALECT_NAMESPACE` in this text, so it has no bindings
        --- exit code 2
    "#]]);
}

#[test]
fn an_imported_dialect_is_known_to_all_commands() {
    let project = Project::new(&[("dump.json", DUMP), ("a.mlir", TOY)]);
    let told = |text: &str| project.run("check a.mlir").out().matches(text).count();
    assert_eq!(told("of the dialect `toy` are not known"), 1);
    assert!(!project.run("fix --diff a.mlir").out().contains("-  %1 = toy.add"));
    project.run("dialect import dump.json");
    assert!(project.run("fix --diff a.mlir").out().contains("-  %1 = toy.add"));
    assert_eq!(told("2 operations of the dialect `toy` are not known"), 1);
    // An operation whose definition states no effects is known, and may do anything.
    assert_eq!(told("toy.do"), 0);
}

#[test]
fn an_operation_is_shown_with_its_sources() {
    let project = Project::new(&[("dump.json", DUMP)]);
    project.run("dialect show toy.add").check(expect![[r#"
        --- errors
        error: nothing is known of `toy.add`; `tir-analyzer dialect import` makes a file of its dialect from the definitions
        --- exit code 1
    "#]]);
    project.run("dialect import dump.json --source toy-1.0");
    let shown = project.run("dialect show toy.add").out();
    for part in [
        "dialects/toy.toml (toy-1.0), line 4",
        "%a, %b : type",
        "no effect on memory",
        "adds two values",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let shown = project.run("dialect show affine.apply").out();
    for part in ["overlays/affine.toml", "definitions of LLVM 24", "departs"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let listed = project.run("dialect list").out();
    assert!(listed.starts_with("toy "), "{listed}");
    assert!(listed.contains("\nstablehlo "));
    assert!(project.run("dialect list --format json").out().contains("\"name\":\"toy\""));
    assert!(project.run("dialect show toy.add --format json").out().contains("\"key\":\"format\""));
}

#[test]
fn irdl_gives_the_parts_of_operations() {
    let text = "irdl.dialect @cmath {\n  irdl.operation @norm {\n    %0 = irdl.any // any\n    irdl.operands(in: %0, variadic %0)\n    \
                irdl.results(out: %0)\n    irdl.attributes {\"fast\" = %0}\n  }\n}\n";
    let project = Project::new(&[("cmath.irdl", text)]);
    assert_eq!(project.run("dialect import cmath.irdl").code, 0);
    let made = project.read("dialects/cmath.toml");
    assert!(made.contains("operands = [\"in\", \"operand1*\"]\nresults = [\"out\"]"), "{made}");
    assert!(made.contains("attributes = [\"fast\"]"), "{made}");
}

#[test]
fn definitions_that_cannot_be_read_are_named_and_write_nothing() {
    let bad_file = "dialect = \"x\"\n\n[[operations]]\nops = [\"a\"]\neffekt = \"none\"\n";
    let project = Project::new(&[
        ("a.json", "{ \"x\": "),
        ("b.json", "{}"),
        ("c.toml", bad_file),
        ("d.txt", ""),
        ("e.mlir", "module {\n}\n"),
        ("f.td", "class X;\n"),
    ]);
    for (command, message) in [
        ("dialect import a.json", "a.json:1:7: this is no JSON"),
        ("dialect import b.json", "b.json: this is no dump of operations"),
        ("dialect import c.toml", "c.toml:3:1: a row has no `effekt`"),
        ("dialect import d.txt", "d.txt is none of .td"),
        ("dialect import e.mlir", "e.mlir: there is no `irdl.dialect`"),
        ("dialect import gone.json", "cannot read gone.json"),
        (
            "dialect import f.td --tblgen no-such-program",
            "cannot run no-such-program: --tblgen names the `llvm-tblgen` to run",
        ),
    ] {
        let done = project.run(command);
        assert_eq!(done.code, 2, "{command}");
        assert!(done.err().contains(message), "{command}: {}", done.err());
    }
    assert!(!project.path().join("dialects").exists());
    // A file of the project that cannot be read stops every command, with its place.
    project.write("dialects/x.toml", bad_file.as_bytes());
    let done = project.run("check e.mlir");
    assert_eq!(done.code, 2);
    assert!(done.err().contains("x.toml:3:1: a row has no `effekt`"), "{}", done.err());
}
