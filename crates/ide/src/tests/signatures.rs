//! Signatures of calls and operations, while they are written.

use expect_test::{Expect, expect};

use super::{FILE, function};
use crate::{AnalysisHost, Language};

/// The signature at `$0`, with the parameter that is written in `⟨⟩`, and what is said of it.
#[track_caller]
fn check_in(language: Language, text: &str, expected: Expect) {
    let Some((label, said)) = label_in(language, text) else { return expected.assert_eq("none") };
    let said = said.map(|it| format!("   {it}")).unwrap_or_default();
    expected.assert_eq(&format!("{label}{said}"));
}

/// The signature at the cursor with its active parameter in brackets, and more about it.
fn label_in(language: Language, text: &str) -> Option<(String, Option<String>)> {
    let at = text.find("$0").expect("the place");
    let text = text.replacen("$0", "", 1);
    let mut host = AnalysisHost::new();
    host.open_file(FILE, syntax::parse_as(language, &text));
    let found = host.analysis().signature_help(FILE, (at as u32).into()).unwrap()?;
    let mut label = found.label;
    if let Some(range) = found.active.and_then(|it| found.parameters.get(it)) {
        label.insert(range.end, '⟩');
        label.insert(range.start, '⟨');
    }
    Some((label, found.documentation))
}

#[track_caller]
fn check(body: &str, expected: Expect) {
    check_in(Language::TvmScript, &function(body), expected);
}

#[track_caller]
fn check_mlir(line: &str, expected: Expect) {
    let text =
        format!("func.func @f(%a: f32, %m: memref<?xf32>, %i: index) {{\n  {line}\n  return\n}}\n");
    check_in(Language::Mlir, &text, expected);
}

/// Checks the labels of the signatures in lines of MLIR.
#[track_caller]
fn check_labels(lines: &[&str], expected: Expect) {
    let mut out = String::new();
    for line in lines {
        let text = format!("func.func @f() {{\n  {line}\n  return\n}}\n");
        let label = label_in(Language::Mlir, &text).map(|it| it.0);
        out.push_str(&format!("{line}\n    {}\n", label.as_deref().unwrap_or("none")));
    }
    expected.assert_eq(&out);
}

#[test]
fn forms_and_operators_have_their_parameters() {
    check(
        "A[i] = T.max(A[i], $0)",
        expect![[r#"
        T.max(a, ⟨b⟩)   The greater of two values.

        no effect on memory"#]],
    );
    check(
        "A[i] = T.max($0",
        expect![[r#"
        T.max(⟨a⟩, b)   The greater of two values.

        no effect on memory"#]],
    );
    check(
        "A[i] = T.if_then_else(i < 2, A[i]$0, 0)",
        expect![[r#"
            T.if_then_else(cond, ⟨t⟩, f)   One of two values by a condition. Only the chosen one is evaluated, so it may guard an access.

            no effect on memory"#]],
    );
    check(
        "F[i] = T.exp(F[i]$0)",
        expect![[r#"
        T.exp(⟨x⟩)   The exponential function, e to the power of x.

        no effect on memory"#]],
    );
    check(
        "for k in T.serial(4, annotations=$0):\n    A[k] = 1",
        expect![
            "T.serial(start, stop, *, ⟨annotations⟩, step, unroll, dtype)   A loop whose steps run in order."
        ],
    );
    check(
        "for k, l in T.grid(4, 4, $0):\n    A[k] = l",
        expect!["T.grid(⟨*args⟩, dtype)   A nest of loops from zero, one for each extent."],
    );
    check(
        "A[i] = T.min(T.max(i, j), $0)",
        expect![[r#"
        T.min(a, ⟨b⟩)   The lesser of two values.

        no effect on memory"#]],
    );
}

#[test]
fn what_is_no_call_of_the_script_is_left_to_others() {
    check("A[i] = $0T.max(i, j)", expect!["none"]);
    check("A[i] = T.max(i, j)$0", expect!["none"]);
    check("A[i] = print(i, $0)", expect!["none"]);
    check("A[i] = 1  # T.max(i, $0", expect!["none"]);
    check("A[i] = T.no_such_name($0)", expect!["none"]);
}

const FACTORY: &str = "\
from tvm.script import tirx as T


@T.macro
def add(A, i, amount=1):
    A[i] = A[i] + amount


def size(n: int, *, scale=2):
    return n * scale


def make(n, dtype=\"int32\"):
    @T.prim_func
    def kernel(A: T.Buffer((16,), \"int32\")):
        CALL
    return kernel


OUTSIDE
";

#[test]
fn macros_helpers_and_factories_have_those_of_their_def() {
    let inside = |call: &str| FACTORY.replace("CALL", call).replace("OUTSIDE", "");
    let outside = |call: &str| FACTORY.replace("CALL", "add(A, 0)").replace("OUTSIDE", call);
    let check = |text: String, expected: Expect| check_in(Language::TvmScript, &text, expected);
    check(inside("add(A, $0)"), expect!["add(A, ⟨i⟩, amount=1)"]);
    check(inside("add(A, amount=$0)"), expect!["add(A, i, ⟨amount=1⟩)"]);
    check(inside("A[0] = size($0)"), expect!["size(⟨n: int⟩, *, scale=2)"]);
    check(inside("A[0] = size(3, $0)"), expect!["size(n: int, *, scale=2)"]);
    check(outside("make(4, $0)"), expect![[r#"make(n, ⟨dtype="int32"⟩)"#]]);
    check(outside("size($0)"), expect!["none"]);
}

#[test]
fn operations_have_the_operands_of_their_definition() {
    check_mlir(
        "%x = arith.addf %a, $0",
        expect!["arith.addf lhs, ⟨rhs⟩ {fastmath}   no effect on memory"],
    );
    check_mlir(
        "memref.store %a, %m[$0",
        expect![
            "memref.store value, memref[⟨indices⟩] {alignment, nontemporal}   writes memory, may trap for some operands"
        ],
    );
    check_mlir(
        "%x = memref.load %m[%i, $0]",
        expect![
            "memref.load memref[⟨indices⟩] {alignment, nontemporal}   reads memory, may trap for some operands"
        ],
    );
    check_mlir(
        "%x = arith.addf %a, %a : $0",
        expect!["arith.addf lhs, rhs {fastmath}   no effect on memory"],
    );
    check_mlir(
        "%x = memref.dim $0",
        expect![
            "memref.dim ⟨source⟩, index -> result   no effect on memory, may trap for some operands"
        ],
    );
    check_mlir("%x = no.such $0", expect!["none"]);
    check_mlir("// arith.addf %a, $0", expect!["none"]);
}

#[test]
fn attributes_of_operations_are_parameters_too() {
    check_mlir(
        "%x = memref.load %m[%i] {nontemporal = $0} : memref<4xf32>",
        expect![
            "memref.load memref[indices] {alignment, ⟨nontemporal⟩}   reads memory, may trap for some operands"
        ],
    );
    check_mlir(
        "\"memref.store\"($0",
        expect![
            "memref.store value, memref[indices] {alignment, nontemporal}   writes memory, may trap for some operands"
        ],
    );
}

#[test]
fn the_operand_that_is_being_written_is_told_by_the_form() {
    check_labels(
        &[
            "%x = tensor.insert %v$0",
            "%x = tensor.insert %v into $0",
            "%x = tensor.insert %v into %t[%i, $0",
            "cf.cond_br %c$0",
            "cf.cond_br %c, ^bb1(%a$0 : i32), ^bb2",
            "cf.cond_br %c, ^bb1(%a : i32), ^bb2$0",
            "cf.cond_br %c, ^bb1, ^bb2(%a, $0",
            "%x = amdgpu.mfma 16x16x4 %a$0 * %b",
            "%x = amdgpu.mfma 16x16x4$0",
            "%x = amdgpu.mfma 16x16x4 %a * %b$0",
            "%x = amdgpu.mfma 16x16x4 %a * %b + $0",
            "%x = nvgpu.mma.sync (%a, %b, %c$0)",
            "%x = nvgpu.mma.sync (%a, %b, %c) mmaShape = [16, $0",
            "%x = stablehlo.pad %a, %p, low = [0$0]",
            "%x = stablehlo.pad %a, %p, low = [0], high = $0",
            "gpu.launch_func @m::@k blocks in ($0",
            "gpu.launch_func @m::@k blocks in (%x, %y, %z) threads in (%x, $0",
            "%x = vector.contract {kind = #vector.kind<add>} %a$0, %b, %c",
            "%x = vector.contract {kind = #vector.kind<add>} %a, %b, $0",
            "%x = vector.shuffle %a, $0",
            "%x = llvm.getelementptr %p[$0",
            "%x = stablehlo.select %p, $0",
            "%x = tt.load %p, %m$0",
            "%x = tt.load %p, %m, $0",
            "tt.store %p, %v, %m$0",
            "%x = tt.atomic_rmw fadd, acq_rel, gpu, %p, %v, %m$0",
            "%x = memref.subview %m[%a, $0",
            "%x = arith.addi %a, %b : $0",
            "scf.for %i = $0",
            "\"tensor.insert\"(%v, $0",
            "%x = gpu.memcpy async [%t] %d, $0",
        ],
        expect![[r#"
            %x = tensor.insert %v$0
                tensor.insert ⟨scalar⟩ into dest[indices] -> result
            %x = tensor.insert %v into $0
                tensor.insert scalar into ⟨dest⟩[indices] -> result
            %x = tensor.insert %v into %t[%i, $0
                tensor.insert scalar into dest[⟨indices⟩] -> result
            cf.cond_br %c$0
                cf.cond_br ⟨condition⟩, trueDest(trueDestOperands?), falseDest(falseDestOperands?)
            cf.cond_br %c, ^bb1(%a$0 : i32), ^bb2
                cf.cond_br condition, trueDest(⟨trueDestOperands⟩?), falseDest(falseDestOperands?)
            cf.cond_br %c, ^bb1(%a : i32), ^bb2$0
                cf.cond_br condition, trueDest(trueDestOperands?), ⟨falseDest⟩(falseDestOperands?)
            cf.cond_br %c, ^bb1, ^bb2(%a, $0
                cf.cond_br condition, trueDest(trueDestOperands?), falseDest(⟨falseDestOperands⟩?)
            %x = amdgpu.mfma 16x16x4 %a$0 * %b
                amdgpu.mfma m, n, k ⟨sourceA⟩ * sourceB + destC {abid, blgp, blocks, cbsz}
            %x = amdgpu.mfma 16x16x4$0
                amdgpu.mfma m, n, k sourceA * sourceB + destC {abid, blgp, blocks, cbsz}
            %x = amdgpu.mfma 16x16x4 %a * %b$0
                amdgpu.mfma m, n, k sourceA * ⟨sourceB⟩ + destC {abid, blgp, blocks, cbsz}
            %x = amdgpu.mfma 16x16x4 %a * %b + $0
                amdgpu.mfma m, n, k sourceA * sourceB + ⟨destC⟩ {abid, blgp, blocks, cbsz}
            %x = nvgpu.mma.sync (%a, %b, %c$0)
                nvgpu.mma.sync (matrixA, matrixB, ⟨matrixC⟩) mmaShape = mmaShape
            %x = nvgpu.mma.sync (%a, %b, %c) mmaShape = [16, $0
                nvgpu.mma.sync (matrixA, matrixB, matrixC) mmaShape = ⟨mmaShape⟩
            %x = stablehlo.pad %a, %p, low = [0$0]
                stablehlo.pad operand, padding_value, low = ⟨edge_padding_low⟩, high = edge_padding_high, interior = interior_padding
            %x = stablehlo.pad %a, %p, low = [0], high = $0
                stablehlo.pad operand, padding_value, low = edge_padding_low, high = ⟨edge_padding_high⟩, interior = interior_padding
            gpu.launch_func @m::@k blocks in ($0
                gpu.launch_func asyncDependencies<asyncObject?> kernel clusters in (clusterSizeX?, clusterSizeY?, clusterSizeZ?) blocks in (⟨gridSizeX⟩, gridSizeY, gridSizeZ) threads in (blockSizeX, blockSizeY, blockSizeZ) kernelOperands
            gpu.launch_func @m::@k blocks in (%x, %y, %z) threads in (%x, $0
                gpu.launch_func asyncDependencies<asyncObject?> kernel clusters in (clusterSizeX?, clusterSizeY?, clusterSizeZ?) blocks in (gridSizeX, gridSizeY, gridSizeZ) threads in (blockSizeX, ⟨blockSizeY⟩, blockSizeZ) kernelOperands
            %x = vector.contract {kind = #vector.kind<add>} %a$0, %b, %c
                vector.contract ⟨lhs⟩, rhs, acc {indexing_maps, iterator_types, kind} -> _
            %x = vector.contract {kind = #vector.kind<add>} %a, %b, $0
                vector.contract lhs, rhs, ⟨acc⟩ {indexing_maps, iterator_types, kind} -> _
            %x = vector.shuffle %a, $0
                vector.shuffle v1, ⟨v2⟩ mask -> vector
            %x = llvm.getelementptr %p[$0
                llvm.getelementptr base[dynamicIndices, rawConstantIndices] {noWrapFlags}
            %x = stablehlo.select %p, $0
                stablehlo.select ⟨operands⟩
            %x = tt.load %p, %m$0
                tt.load ptr, ⟨mask⟩?, other? {cache, evict, isVolatile} -> result
            %x = tt.load %p, %m, $0
                tt.load ptr, mask?, ⟨other⟩? {cache, evict, isVolatile} -> result
            tt.store %p, %v, %m$0
                tt.store ptr, value, ⟨mask⟩? {cache, evict, ignore_cta?}
            %x = tt.atomic_rmw fadd, acq_rel, gpu, %p, %v, %m$0
                tt.atomic_rmw atomic_rmw_op, sem, scope, ptr, val, ⟨mask⟩? -> result
            %x = memref.subview %m[%a, $0
                memref.subview source ⟨offsets⟩ sizes strides {static_offsets, static_sizes, static_strides} -> result
            %x = arith.addi %a, %b : $0
                arith.addi lhs, rhs {overflowFlags} -> result
            scf.for %i = $0
                scf.for %a = %b to %c step %d { … } -> results*
            "tensor.insert"(%v, $0
                tensor.insert scalar into ⟨dest⟩[indices] -> result
            %x = gpu.memcpy async [%t] %d, $0
                gpu.memcpy asyncDependencies dst, ⟨src⟩ -> asyncToken?
        "#]],
    );
}
