//! Completion in functions of statements.

use expect_test::{Expect, expect};

use super::{FILE, analysis, function};

/// The first completions at `$0`: the kind, the name, the detail; and the text that they replace.
#[track_caller]
fn check_text(text: &str, n: usize, expected: Expect) {
    let at = text.find("$0").expect("the place");
    let text = text.replacen("$0", "", 1);
    let found = analysis(&text).completions(FILE, (at as u32).into()).unwrap();
    let Some(found) = found else { return expected.assert_eq("none") };
    let mut shown = format!("replaces `{}`\n", &text[found.replaced]);
    for it in found.items.into_iter().take(n) {
        let detail = it.detail.map(|it| format!("   {it}")).unwrap_or_default();
        shown.push_str(&format!("{:?} {}{detail}\n", it.kind, it.label));
    }
    expected.assert_eq(&shown);
}

#[track_caller]
fn check(body: &str, n: usize, expected: Expect) {
    check_text(&function(body), n, expected);
}

#[test]
fn members_of_the_script_are_offered_behind_its_dot() {
    check(
        "A[i] = T.if_$0",
        2,
        expect![[r#"
        replaces `if_`
        Form if_then_else   (cond, t, f)
        Operation q_multiply_shift_per_axis   (x1, x2, x3, x4, x5, x6, x7)
    "#]],
    );
    check(
        "F[i] = T.log$0",
        9,
        expect![[r#"
            replaces `log`
            Operation log10   (x)
            Operation log1p   (x)
            Operation log2   (x)
            Form alloc_cast_frag   (src, dtype)
            Form alloc_tcgen05_ldst_frag   (instr_shape, tensor_shape, dtype)
        "#]],
    );
    check(
        "F[i] = T.bfl$0",
        9,
        expect![[r#"
        replaces `bfl`
        Type bfloat16   (expr)
    "#]],
    );
    check(
        "T.ptx.mma_s$0",
        3,
        expect![[r#"
        replaces `mma_s`
    "#]],
    );
    check(
        "T.pt$0",
        2,
        expect![[r#"
        replaces `pt`
        Form ptr   (dtype, storage_scope, is_size_var=False)
        Operation ptr_byte_offset   (x1, x2, x3)
    "#]],
    );
    check("A.dat$0", 2, expect!["none"]);
}

#[test]
fn names_in_scope_are_offered_from_the_nearest() {
    check(
        "for k in range(4):\n    x: T.let = i + k\n    A[k] = $0\nfor l in range(4):\n    A[l] = 1",
        20,
        expect![[r#"
            replaces ``
            Value x   int32
            Value k   int32
            Value n   int32
            Value j   int32
            Value i   int32
            Buffer F   T.Buffer((128,), "float32")
            Buffer C   T.Buffer((128,), "int32")
            Buffer B   T.Buffer((128,), "int32")
            Buffer A   T.Buffer((128,), "int32")
        "#]],
    );
    check(
        "for k in range(4):\n    A[k] = 1\nA[0] = $0",
        3,
        expect![[r#"
        replaces ``
        Value n   int32
        Value j   int32
        Value i   int32
    "#]],
    );
    check("A[0] = 1  # $0", 3, expect!["none"]);
    check("A[0] = 1$0", 3, expect!["none"]);
}

#[test]
fn rules_are_offered_in_comments_that_allow_them() {
    check(
        "A[0] = 1  # tir: allow(dead-st$0",
        3,
        expect![[r#"
        replaces `dead-st`
        Rule dead-store   a store that nothing can read
    "#]],
    );
    check(
        "A[0] = 1  # tir: allow(dead-store, common$0",
        3,
        expect![[r#"
        replaces `common`
        Rule common-subexpression   a value is computed at several places
    "#]],
    );
    for rule in [
        "simplifiable",
        "parallel-race",
        "divergent-barrier",
        "copy-in-flight",
        "launch-limit",
        "tile-layout",
        "tile-operands",
        "barrier-phase",
        "redundant-guard",
        "undefined-name",
    ] {
        let part = &rule[..rule.len() - 1];
        let (text, offset) =
            super::with_cursor(&function(&format!("A[0] = 1  # tir: allow({part}$0")));
        let found = analysis(&text).completions(FILE, offset).unwrap().expect("rules");
        assert!(found.items.iter().any(|it| it.label == rule), "{rule}");
    }
    check("A[0] = 1  # tir: allow(dead-store) $0", 3, expect!["none"]);
    check_text(
        "# tir: allow(common$0\nx = 1\n",
        3,
        expect![[r#"
        replaces `common`
        Rule common-subexpression   a value is computed at several places
    "#]],
    );
}

#[test]
fn names_that_tilelang_reads_by_hand_are_offered() {
    for name in [
        "alloc_barrier",
        "empty",
        "alloc_var",
        "annotate_layout",
        "annotate_safe_value",
        "ws",
        "call_extern",
        "import_source",
        "print",
        "Fragment",
        "Serial",
        "Vectorized",
    ] {
        let text = format!(
            "import tilelang.language as T\n\n\n@T.prim_func\ndef f(A: T.Tensor((16,), 'float32')):\n    \
             with T.Kernel(4, threads=32) as bx:\n        T.{}$0\n",
            &name[..name.len() - 1]
        );
        let (text, offset) = super::with_cursor(&text);
        let found = analysis(&text).completions(FILE, offset).unwrap().expect("names");
        let item = found.items.iter().find(|it| it.label == name);
        let item = item.unwrap_or_else(|| panic!("{name}"));
        assert!(item.detail.is_some() && item.documentation.is_some(), "{item:?}");
    }
}

#[test]
fn tilelang_has_names_of_its_own() {
    check_text(
        "import tilelang.language as T\n\n\n@T.prim_func\ndef f(A: T.Tensor((16,), 'float32')):\n    \
         with T.Kernel(4, threads=32) as bx:\n        a = T.alloc_fragment((4,), 'float32')\n        T.copy(A[bx * 4], a)\n        T.redu$0\n",
        4,
        expect![[r#"
            replaces `redu`
            Form reduce   (buffer, out, reduce_type, dim, clear)
            Form reduce_absmax   (buffer, out, dim, clear)
            Form reduce_abssum   (buffer, out, dim, clear)
            Form reduce_bitand   (buffer, out, dim, clear)
        "#]],
    );
}
