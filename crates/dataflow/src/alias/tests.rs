//! Tests of [`super`].

use expect_test::{Expect, expect};
use ir::{BufferOrigin, DataType, ExprKind, OpKind};

use super::*;
use crate::memory::tests::fixture::{Fixture, parse};

/// The buffers that may overlap, each set with its reach.
#[track_caller]
fn check_body(fixture: &Fixture, expect: Expect) {
    let aliases = AliasClasses::build(&fixture.body, EffectTable::builtin());
    let mut sets: Vec<(AliasClass, Vec<&str>)> = Vec::new();
    for (buffer, _) in fixture.body.buffers.iter() {
        let class = aliases.class(buffer);
        let name = fixture.name(buffer);
        match sets.iter_mut().find(|it| it.0 == class) {
            Some((_, names)) => names.push(name),
            None => sets.push((class, vec![name])),
        }
    }
    let lines: Vec<String> = sets
        .iter()
        .map(|(class, names)| {
            let end = if aliases.outlives(*class) { ", outlives" } else { "" };
            format!("{}: {:?}{end}\n", names.join(" "), aliases.reach(*class))
        })
        .collect();
    expect.assert_eq(&lines.concat());
}

#[track_caller]
fn check(text: &str, expect: Expect) {
    check_body(&parse(&test_utils::trim_indent(text)), expect);
}

#[test]
fn parameters_overlap_allocations_do_not() {
    check(
        "
        param A
        param B
        local L
        shared S
        global G
        cell x
        ",
        expect![[r#"
            A B: Visible, outlives
            L: Private
            S: Visible
            G: Visible
            x: Private
        "#]],
    );
    check(
        "noalias\nparam A\nparam B\n",
        expect![[r#"
        A: Visible, outlives
        B: Visible, outlives
    "#]],
    );
}

#[test]
fn views_of_views_share_their_root() {
    check(
        "
        noalias
        param A
        param B
        local L
        view V A
        view W V
        view M L
        ",
        expect![[r#"
            A V W: Visible, outlives
            B: Visible, outlives
            L M: Private
        "#]],
    );
}

#[test]
fn an_address_given_to_an_unknown_call_escapes() {
    check(
        "
        local L
        local M
        local N
        local K
        call call_extern &L M.data
        call ptx.ldmatrix &N
        let exp K
        ",
        expect![[r#"
            L: Escaped
            M: Escaped
            N: Private
            K: Private
        "#]],
    );
}

#[test]
fn unknown_pointers_reach_what_escapes_and_parameters() {
    check(
        "
        noalias
        param A
        local L
        local M
        shared S
        call call_extern &L S.data
        pointer P
        pointer Q
        ",
        expect![[r#"
            A L S P Q: Visible, outlives
            M: Private
        "#]],
    );
}

/// `decl_buffer(data=pointer)`
fn declare(fixture: &mut Fixture, name: &str, pointer: ExprId) {
    let one = fixture.body.make(ExprKind::Int(1), DataType::INT32.into());
    let buffer = ir::Buffer {
        name: fixture.body.intern(name),
        dtype: DataType::INT32,
        shape: vec![one],
        strides: None,
        elem_offset: None,
        scope: fixture.body.memory_scope("local"),
        origin: BufferOrigin::Decl { data: Some(pointer) },
        attrs: Body::no_attrs(),
    };
    fixture.body.buffers.push(buffer);
}

fn call(fixture: &mut Fixture, name: &str, args: &[ExprId]) -> ExprId {
    let callee = fixture.body.operator(name);
    fixture.body.call(callee, args, Body::no_attrs(), DataType::HANDLE.into(), false)
}

#[test]
fn a_pointer_keeps_its_root_through_names_and_arithmetic() {
    let mut fixture = parse("local L\nlocal M\nlocal N\n");
    let root = fixture.body.root;
    let block = fixture.body.entry(root);
    let handle = DataType::HANDLE;
    let l = fixture.buffers["L"];
    let data = fixture.body.buffer_field(l, ir::BufferField::Data, handle.into());
    let bind = fixture.body.push_op(block, OpKind::Bind, &[data]);
    let p = fixture.body.push_result(bind, "p", handle.into());
    let p = fixture.body.value_expr(p);
    let eight = fixture.body.make(ExprKind::Int(8), DataType::INT32.into());
    let moved = call(&mut fixture, "handle_add_byte_offset", &[p, eight]);
    declare(&mut fixture, "OnL", moved);
    // Through an integer.
    let m = fixture.buffers["M"];
    let data = fixture.body.buffer_field(m, ir::BufferField::Data, handle.into());
    let number = fixture.body.make(ExprKind::Cast(data), DataType::INT64.into());
    let bind = fixture.body.push_op(block, OpKind::Bind, &[number]);
    let q = fixture.body.push_result(bind, "q", DataType::INT64.into());
    let q = fixture.body.value_expr(q);
    let back = call(&mut fixture, "reinterpret", &[q]);
    declare(&mut fixture, "OnM", back);
    check_body(
        &fixture,
        expect![[r#"
        L OnL: Private
        M OnM: Private
        N: Private
    "#]],
    );
}

#[test]
fn a_choice_of_two_pointers_is_both() {
    let mut fixture = parse("local L\nlocal M\nlocal N\n");
    let handle = DataType::HANDLE;
    let data = ["L", "M"].map(|it| {
        let buffer = fixture.buffers[it];
        fixture.body.buffer_field(buffer, ir::BufferField::Data, handle.into())
    });
    let condition = fixture.body.make(ExprKind::Int(1), DataType::BOOL.into());
    let either = fixture.body.select(condition, data[0], data[1]);
    declare(&mut fixture, "Either", either);
    check_body(
        &fixture,
        expect![[r#"
        L M Either: Private
        N: Private
    "#]],
    );
}

#[test]
fn a_pointer_that_is_stored_escapes() {
    let mut fixture = parse("noalias\nparam A\nlocal L\nlocal M\n");
    let root = fixture.body.root;
    let block = fixture.body.entry(root);
    let (a, l) = (fixture.buffers["A"], fixture.buffers["L"]);
    let data = fixture.body.buffer_field(l, ir::BufferField::Data, DataType::HANDLE.into());
    let zero = fixture.body.make(ExprKind::Int(0), DataType::INT32.into());
    let kind = OpKind::Store { buffer: a, predicated: false };
    fixture.body.push_op(block, kind, &[data, zero]);
    check_body(
        &fixture,
        expect![[r#"
        A: Visible, outlives
        L: Escaped
        M: Private
    "#]],
    );
}
