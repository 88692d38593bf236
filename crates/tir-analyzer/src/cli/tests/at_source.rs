//! `check` of MLIR that was made of another source: at its lines.

use expect_test::expect;
use serde_json::Value;

use super::Project;

const KERNEL: &str = r##"
#loc = loc("k.py":7:1)
func.func @f(%a: i32, %b: i32) -> i32 {
  %0 = arith.addi %a, %b : i32 loc(#loc2)
  %1 = arith.addi %a, %b : i32 loc(#loc3)
  %2 = arith.addi %a, %b : i32 loc(#loc3)
  %3 = arith.muli %0, %1 : i32 loc(unknown)
  %4 = arith.muli %0, %2 : i32 loc(unknown)
  %5 = arith.addi %3, %4 : i32 loc("-":1:1)
  return %5 : i32 loc(#loc)
} loc(#loc)
#loc1 = loc("k.py":9:12)
#loc2 = loc("x"(#loc1))
#loc3 = loc(callsite("lib/site-packages/t.py":1:1 at fused["k.py":12:3, #loc1]))
"##;

#[test]
fn findings_stand_at_the_lines_of_the_source_once() {
    Project::new(&[("k.mlir", KERNEL)]).run("check --at-source k.mlir").check(expect![[r#"
        hint[common-operation]: `arith.addi` computes the same value as `%0` (and 1 more of this line)
        --> k.py:12:3
         = note: in the IR at k.mlir:5:8
         = help: Use `%0` instead of `%1`

        hint[common-operation]: `arith.muli` computes the same value as `%3`
         --> k.mlir:8:8
          |
        7 |   %3 = arith.muli %0, %1 : i32 loc(unknown)
          |        ---------- this one stays
        8 |   %4 = arith.muli %0, %2 : i32 loc(unknown)
          |        ^^^^^^^^^^
          |
          = help: Use `%3` instead of `%4`

        1 file checked: 2 hints
        3 superfluous parts can be removed: `tir-analyzer fix --diff` shows how
        --- exit code 0
    "#]]);
}

#[test]
fn lines_of_the_source_are_told() {
    Project::new(&[("k.mlir", KERNEL)]).run("check k.mlir").check(expect![[r#"
        hint[common-operation]: `arith.addi` computes the same value as `%0`
         --> k.mlir:5:8
          |
        4 |   %0 = arith.addi %a, %b : i32 loc(#loc2)
          |        ---------- this one stays
        5 |   %1 = arith.addi %a, %b : i32 loc(#loc3)
          |        ^^^^^^^^^^
          |
          = info: of k.py:12:3
          = help: Use `%0` instead of `%1`

        hint[common-operation]: `arith.addi` computes the same value as `%0`
         --> k.mlir:6:8
          |
        4 |   %0 = arith.addi %a, %b : i32 loc(#loc2)
          |        ---------- this one stays
        5 |   %1 = arith.addi %a, %b : i32 loc(#loc3)
        6 |   %2 = arith.addi %a, %b : i32 loc(#loc3)
          |        ^^^^^^^^^^
          |
          = info: of k.py:12:3
          = help: Use `%0` instead of `%2`

        hint[common-operation]: `arith.muli` computes the same value as `%3`
         --> k.mlir:8:8
          |
        7 |   %3 = arith.muli %0, %1 : i32 loc(unknown)
          |        ---------- this one stays
        8 |   %4 = arith.muli %0, %2 : i32 loc(unknown)
          |        ^^^^^^^^^^
          |
          = help: Use `%3` instead of `%4`

        1 file checked: 3 hints
        3 superfluous parts can be removed: `tir-analyzer fix --diff` shows how
        --- exit code 0
    "#]]);
}

#[test]
fn programs_read_both_places() {
    let project = Project::new(&[("k.mlir", KERNEL)]);
    let json = project.run("check --at-source --format json k.mlir");
    let json: Value = serde_json::from_str(&json.out()).unwrap();
    let files = json["files"].as_array().unwrap();
    let places = files.iter().flat_map(|file| {
        file["diagnostics"].as_array().unwrap().iter().map(|it| {
            let at = &it["range"]["start"];
            let ir = &it["ir"]["range"]["start"]["line"];
            format!("{} {}:{}, {} in the IR\n", file["path"], at["line"], at["column"], ir)
        })
    });
    expect![[r#"
        "k.py" 12:3, 5 in the IR
        "k.mlir" 8:8, null in the IR
    "#]]
    .assert_eq(&places.collect::<String>());
    let sarif = project.run("check --at-source --format sarif k.mlir");
    let sarif: Value = serde_json::from_str(&sarif.out()).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    expect![[r#"
        [{"physicalLocation":{"artifactLocation":{"uri":"k.py"},"region":{"startLine":12,"startColumn":3}}}]
        [{"physicalLocation":{"artifactLocation":{"uri":"k.mlir"},"region":{"startLine":5,"startColumn":8,"endLine":5,"endColumn":18}},"message":{"text":"in the IR"},"id":0},{"id":1,"physicalLocation":{"artifactLocation":{"uri":"k.mlir"},"region":{"startLine":4,"startColumn":8,"endLine":4,"endColumn":18}},"message":{"text":"this one stays"}}]
    "#]].assert_eq(&format!("{}\n{}\n", result["locations"], result["relatedLocations"]));
}

#[test]
fn stated_facts_are_settings() {
    let kernel = r#"
func.func @f(%m: memref<?xf32>, %x: i32, %stride_x: i32) -> f32 {
  %0 = arith.muli %x, %stride_x : i32
  %1 = arith.index_cast %0 : i32 to index
  %2 = memref.load %m[%1] : memref<?xf32>
  return %2 : f32
}
"#;
    let facts = "[facts]\nx = \"0 <= x < 65536\"\n\"f.stride_x\" = \"1 <= stride_x <= 65536\"\n";
    let project = Project::new(&[("k.mlir", kernel), ("tir-analyzer.toml", facts)]);
    project.run("check k.mlir").check(expect![[r#"
        warning[offset-overflow]: `%0` is 65535 * 65536 = 4294901760, which int32 cannot hold, for `%stride_x` = 65536, `%x` = 65535
         --> k.mlir:3:8
          |
        3 |   %0 = arith.muli %x, %stride_x : i32
          |        ^^^^^^^^^^
        4 |   %1 = arith.index_cast %0 : i32 to index
        5 |   %2 = memref.load %m[%1] : memref<?xf32>
          |        ----------- this access is at the offset
          |
          = help: Widen the operands before the multiplication, by `arith.extsi`

        1 file checked: 1 warning
        --- exit code 0
    "#]]);
    let wrong = "[facts]\nx = \"x is large\"\n";
    let outcome =
        Project::new(&[("k.mlir", kernel), ("tir-analyzer.toml", wrong)]).run("check k.mlir");
    assert!(outcome.err().contains("tir-analyzer.toml:2:1: `facts.x`: "), "{}", outcome.err());
}

#[test]
fn operations_of_an_assembly_format_are_equal_wherever_they_were_written() {
    let text = r#"
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.sine %a : tensor<4xf32> loc(#one)
  %1 = stablehlo.sine %a : tensor<4xf32> loc("k.py":4:7 to :12)
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
#here = loc("k.py":3:7 to :12)
#one = loc("jit(f)/sin"(#here))
"#;
    let project = Project::new(&[("a.mlir", text)]);
    let outcome = project.run("check --at-source a.mlir");
    assert_eq!(outcome.places(), ["k.py:4:7"], "{}", outcome.out());
}
