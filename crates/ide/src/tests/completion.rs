//! Completion in units of operations.

use expect_test::{Expect, expect};

use super::FILE;
use crate::{AnalysisHost, CompletionKind, Language};

/// The completions at `$0`: the kind, the name, the detail; and the text that they replace.
#[track_caller]
fn check_in(language: Language, text: &str, expected: Expect) {
    let at = text.find("$0").expect("the place");
    let text = text.replacen("$0", "", 1);
    let mut host = AnalysisHost::new();
    host.open_file(FILE, syntax::parse_as(language, &text));
    let Some(found) = host.analysis().completions(FILE, (at as u32).into()).unwrap() else {
        return expected.assert_eq("none");
    };
    let mut shown = format!("replaces `{}`\n", &text[found.replaced]);
    for it in found.items {
        let detail = it.detail.map(|it| format!("   {it}")).unwrap_or_default();
        shown.push_str(&format!("{:?} {}{detail}\n", it.kind, it.label));
    }
    expected.assert_eq(&shown);
}

#[track_caller]
fn check(text: &str, expected: Expect) {
    check_in(Language::Mlir, text, expected);
}

#[test]
fn values_in_scope_are_offered_from_the_nearest() {
    check(
        "func.func @f(%n: index, %m: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %p:2 = \"my.pair\"() : () -> (i32, f32)
  scf.for %i = %c0 to %n step %c0 {
    %x = memref.load %m[%i] : memref<?xf32>
    %y = arith.addf %$0
    %z = arith.addf %x, %x : f32
  }
  %late = arith.constant 1 : index
  return
}
func.func @g(%other: index) {
  return
}
",
        expect![[r#"
            replaces `%`
            Value %x   f32
            Value %i   index
            Value %p#0   i32
            Value %p#1   f32
            Value %c0   index
            Value %n   index
            Value %m   memref<?xf32>
        "#]],
    );
}

#[test]
fn values_of_blocks_that_do_not_dominate_are_not_offered() {
    check(
        "func.func @f(%c: i1) -> i32 {
  %a = arith.constant 0 : i32
  cf.cond_br %c, ^one, ^two
^one:
  %b = arith.constant 1 : i32
  cf.br ^three(%b : i32)
^two:
  %d = arith.constant 2 : i32
  cf.br ^three(%d : i32)
^three(%r: i32):
  %s = arith.addi %$0, %a : i32
  return %s : i32
}
",
        expect![[r#"
            replaces `%`
            Value %r   i32
            Value %a   i32
            Value %c   i1
        "#]],
    );
}

#[test]
fn blocks_of_the_region_are_offered() {
    check(
        "func.func @f(%c: i1) {
  cf.br ^$0
^one(%a: i32):
  return
^other:
  return
}
",
        expect![[r#"
            replaces `^`
            Block ^one   (i32)
            Block ^other
        "#]],
    );
}

#[test]
fn symbols_that_can_be_seen_are_offered() {
    check(
        "module {
  func.func private @g(i32) -> i32
  func.func @f(%a: i32) -> i32 {
    %0 = call @$0(%a) : (i32) -> i32
    return %0 : i32
  }
  gpu.module @k {
    gpu.func @inner() kernel {
      gpu.return
    }
  }
}
",
        expect![[r#"
            replaces `@`
            Symbol @g   func.func private @g(i32) -> i32
            Symbol @f   func.func @f(%a: i32) -> i32
            Symbol @k   gpu.module @k
        "#]],
    );
}

#[test]
fn aliases_of_the_document_are_offered() {
    let text = "#map = affine_map<(d0) -> (d0)>\n#set = affine_set<(d0) : (d0 >= 0)>\n!t = i32\n";
    check(
        &format!("{text}func.func @f() {{\n  \"x\"() {{m = #m$0}} : () -> ()\n  return\n}}\n"),
        expect![[r#"
            replaces `#m`
            Attribute #map   affine_map<(d0) -> (d0)>
        "#]],
    );
    check(
        &format!("{text}func.func @f() {{\n  %0 = \"x\"() : () -> !$0\n  return\n}}\n"),
        expect![[r#"
            replaces `!`
            Type !t   i32
        "#]],
    );
}

#[test]
fn operations_follow_their_dialect() {
    check(
        "func.func @f(%a: index) {\n  %0 = index.ca$0\n  return\n}\n",
        expect![[r#"
            replaces `index.ca`
            Operation index.casts   %a : type to type
            Operation index.castu   %a : type to type
            Operation index.bool.constant   attribute
            Operation index.constant   attribute
        "#]],
    );
    check(
        "func.func @f(%a: index) {\n  aff$0\n  return\n}\n",
        expect![[r#"
        replaces `aff`
        Dialect affine.
    "#]],
    );
    check(
        "func.func @f(%a: index) {\n  \"index.ca$0\n  return\n}\n",
        expect![[r#"
            replaces `index.ca`
            Operation index.casts   %a : type to type
            Operation index.castu   %a : type to type
            Operation index.bool.constant   attribute
            Operation index.constant   attribute
        "#]],
    );
}

/// The operations that are offered behind a dialect's name, and whether there are more.
fn offered(prefix: &str) -> (Vec<String>, bool) {
    let text = format!("func.func @f() {{\n  %z = {prefix}\n  return\n}}\n");
    let at = text.find(prefix).expect("the prefix") + prefix.len();
    let mut host = AnalysisHost::new();
    host.open_file(FILE, syntax::parse_as(Language::Mlir, &text));
    let found = host.analysis().completions(FILE, (at as u32).into()).unwrap().expect("names");
    (found.items.into_iter().map(|it| it.label).collect(), found.is_incomplete)
}

#[test]
fn all_operations_that_a_dialect_defines_are_offered() {
    for (dialect, n_operations, some) in [
        ("tt", 54, ["tt.reduce", "tt.atomic_rmw", "tt.assert"]),
        ("ttg", 28, ["ttg.barrier", "ttg.local_load", "ttg.warp_specialize"]),
        ("stablehlo", 118, ["stablehlo.while", "stablehlo.dot_general", "stablehlo.reduce"]),
        ("onnx", 260, ["onnx.Conv", "onnx.MatMul", "onnx.Softmax"]),
        ("llvm", 352, ["llvm.call", "llvm.intr.fma", "llvm.store"]),
        ("nvvm", 228, ["nvvm.barrier", "nvvm.mma.sync", "nvvm.shfl.sync"]),
        ("tpu", 90, ["tpu.matmul", "tpu.enqueue_dma", "tpu.iota"]),
        ("aie", 37, ["aie.core", "aie.tile", "aie.device"]),
        ("mpmd", 12, ["mpmd.fragment", "mpmd.transfer", "mpmd.for"]),
    ] {
        let (names, _) = offered(&format!("{dialect}."));
        assert!(names.len() >= n_operations, "{} of {dialect}", names.len());
        let missing: Vec<_> =
            some.into_iter().filter(|it| !names.iter().any(|n| n == it)).collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert!(names.is_sorted(), "{names:?}");
    }
    // Of more than one answer holds, a longer prefix has them.
    let (names, is_incomplete) = offered("torch.");
    assert_eq!((names.len(), is_incomplete), (500, true));
    assert!(offered("torch.vtensor").0.contains(&"torch.vtensor.literal".to_owned()));
}

#[test]
fn operations_of_programs_of_paddle_are_offered() {
    check_in(
        Language::Pir,
        "{\n    (%0) = \"pd_op.ful$0\" () {} : () -> tensor<2xf32>\n}\n",
        expect![[r#"
            replaces `pd_op.ful`
            Operation pd_op.full
            Operation pd_op.full_batch_size_like
            Operation pd_op.full_int_array
            Operation pd_op.full_like
            Operation pd_op.full_with_tensor
            Operation pd_op.c_softmax_with_multi_label_cross_entropy_grad
            Operation pd_op.distributed_fused_lamb_init
            Operation pd_op.fused_gemm_epilogue
            Operation pd_op.fused_softmax_mask_upper_triangle
        "#]],
    );
}

#[test]
fn nothing_is_offered_elsewhere() {
    for text in [
        "func.func @f() {\n  // %$0\n  return\n}\n",
        "func.func @f() {\n  %0 = arith.constant 1 : i$0\n  return\n}\n",
        "func.func @f(%a: i32) {\n  %0:2 = \"x\"(%a#$0) : () -> ()\n  return\n}\n",
    ] {
        check(text, expect!["none"]);
    }
    check_in(Language::TvmScript, "x = a.$0\n", expect!["none"]);
}

#[test]
fn keys_of_a_dictionary_are_those_of_the_definition() {
    check(
        "func.func @f(%m: memref<4xf32>, %i: index) {
  %0 = memref.load %m[%i] {non$0} : memref<4xf32>
  return
}
",
        expect![[r#"
            replaces `non`
            Key nontemporal
        "#]],
    );
    check(
        "func.func @f() {
  %0 = \"memref.subview\"(%m) <{
    static_sizes = array<i64: 4>,
    $0}> : (memref<4xf32>) -> memref<4xf32>
  return
}
",
        expect![[r#"
            replaces ``
            Key static_offsets
            Key static_strides
        "#]],
    );
    // A region may begin here.
    check(
        "func.func @f(%c: i1) {\n  scf.if %c { memref.lo$0\n  return\n}\n",
        expect![[r#"
        replaces `memref.lo`
        Operation memref.load   %a[…] : type
        Operation memref.alloc   (%a) : type
        Operation memref.alloca   (%a) : type
        Operation memref.alloca_scope   { … }
        Operation memref.alloca_scope.return   %a
        Operation memref.dealloc   %a
        Operation memref.extract_aligned_pointer_as_index   %a : type -> type
        Operation memref.get_global   @name : type
        Operation memref.global   @name : type
        Operation memref.realloc   %a : type to type
    "#]],
    );
}

/// The keys that are offered at the end of a line, and whether operations or dialects are.
#[track_caller]
fn check_keys(line: &str, expected: Expect) {
    let text = format!("func.func @f(%a: tensor<4xf32>, %c: i1) {{\n  {line}$0\n  return\n}}\n");
    let at = text.find("$0").expect("the place");
    let mut host = AnalysisHost::new();
    host.open_file(FILE, syntax::parse_as(Language::Mlir, &text.replace("$0", "")));
    let found = host.analysis().completions(FILE, (at as u32).into()).unwrap();
    let (keys, others): (Vec<_>, Vec<_>) =
        found.into_iter().flat_map(|it| it.items).partition(|it| it.kind == CompletionKind::Key);
    let keys: Vec<_> = keys.into_iter().map(|it| it.label).collect();
    let others = if others.is_empty() { "" } else { " and operations" };
    expected.assert_eq(&format!("{}{others}", keys.join(", ")));
}

#[test]
fn behind_a_brace_stand_keys_or_a_region() {
    check_keys("%z = memref.alloc() {", expect!["alignment"]);
    check_keys("%z = memref.alloc() {al", expect!["alignment"]);
    check_keys("linalg.generic {", expect!["indexing_maps, iterator_types, doc, library_call"]);
    check_keys(
        "linalg.generic {indexing_maps = [], ",
        expect!["iterator_types, doc, library_call"],
    );
    check_keys("linalg.generic {indexing_maps = [], it", expect!["iterator_types"]);
    check_keys("linalg.reduce ins(%a : tensor<4xf32>) {", expect!["dimensions and operations"]);
    check_keys(
        "%z = tensor.pad %a low[0] {",
        expect!["static_low, static_high, nofold and operations"],
    );
    check_keys("%z = tensor.pad %a low[0] high[0] {", expect![" and operations"]);
    check_keys("%z = arith.addf %a, %a {", expect!["fastmath"]);
    check_keys("%z = \"tensor.pad\"(%a) {", expect!["static_low, static_high, nofold"]);
    check_keys("%z = \"tensor.pad\"(%a) ({", expect![" and operations"]);
    check_keys("scf.for %i = %a to %a step %a {", expect![" and operations"]);
    check_keys("scf.for %i = %a to %a step %a {} {", expect![""]);
    check_keys("scf.if %c {", expect![" and operations"]);
    check_keys("func.func @g() attributes {", expect![""]);
    check_keys("func.func @g() {", expect![" and operations"]);
    check_keys("my.op %a {", expect![" and operations"]);
    check_keys("return %a {", expect![""]);
    check_keys(
        "%z = \"onnx.Conv\"(%a, %a) {group = 1 : si64, ",
        expect!["auto_pad, dilations, kernel_shape, pads, strides"],
    );
}

#[test]
fn words_of_enumerations_are_offered() {
    let in_function = |line: &str| format!("func.func @f(%a: i32) {{\n  {line}\n  return\n}}\n");
    check(
        &in_function("%0 = arith.cmpi sl$0, %a, %a : i32"),
        expect![[r#"
        replaces `sl`
        Word slt
        Word sle
    "#]],
    );
    check(
        &in_function("%0 = llvm.icmp \"ul$0"),
        expect![[r#"
        replaces `ul`
        Word ult
        Word ule
    "#]],
    );
    check(
        &in_function("%0 = arith.addi %a, %a overflow<nsw, $0> : i32"),
        expect![[r#"
        replaces ``
        Word nuw
    "#]],
    );
    check(
        &in_function("%0 = arith.addf %a, %a fastmath<nn$0"),
        expect![[r#"
        replaces `nn`
        Word nnan
        Word ninf
    "#]],
    );
}

/// True if names are offered at `$0`.
fn is_offered(text: &str) -> bool {
    let at = text.find("$0").expect("the place");
    let mut host = AnalysisHost::new();
    host.open_file(FILE, syntax::parse_as(Language::Mlir, &text.replace("$0", "")));
    let found = host.analysis().completions(FILE, (at as u32).into()).unwrap();
    found.is_some_and(|it| !it.items.is_empty())
}

#[test]
fn nothing_is_offered_where_a_name_is_given() {
    let inside = |line: &str| {
        format!(
            "func.func @f(%a: i32) {{\n  %b = \"my.op\"() : () -> i32  // one\n  {line}\n  return\n^bb1(%z: i32):\n  return\n}}\n"
        )
    };
    let given = [
        inside("%$0"),
        inside("%c, %$0"),
        inside("%$0 = arith.addi %a, %a : i32"),
        inside("scf.for %$0"),
        inside("scf.for %i = %a to %a step %a iter_args(%$0"),
        inside("%r:2 = scf.for %i = %a to %a step %a iter_args(%x = %a, %$0"),
        inside("scf.parallel (%i, %$0"),
        inside("scf.forall (%$0"),
        inside("%r = scf.while (%$0"),
        inside("^$0"),
        inside("^bb2(%x: i32, %$0"),
        "func.func @f(%a: i32, %$0) {\n  return\n}\n".to_owned(),
        "func.func @f()\nfunc.func private @$0\n".to_owned(),
    ];
    for text in given {
        assert!(!is_offered(&text), "{text}");
    }
    let used = [
        inside("\"my.op\"(%$0"),
        inside("\"my.op\"(%a,\n    %$0"),
        inside("call @f(%$0"),
        inside("call @$0"),
        inside("%c = arith.addi %a, %$0"),
        inside("scf.for %i = %$0"),
        inside("scf.for %i = %a to %a step %a iter_args(%x = %$0"),
        inside("scf.parallel (%i) = (%$0"),
        inside("scf.parallel (%i) = (%a) to (%a, %$0"),
        inside("scf.yield %a, %$0"),
        inside("\"my.op\"(\n    %$0"),
        inside("cf.br ^bb1(%$0"),
        inside("cf.br ^$0"),
    ];
    for text in used {
        assert!(is_offered(&text), "{text}");
    }
}
