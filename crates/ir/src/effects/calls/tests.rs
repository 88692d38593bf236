//! Tests of the effects of calls on their operands: properties of all rows.

use expect_test::expect;

use super::super::{
    Basis, CallEffectKind, EffectRows, EffectTable, MemoryEffect, Namespace, OpEffects, Operand,
    OperandUse, tir, tvm_ops,
};
use crate::{
    Body, Buffer, BufferField, BufferOrigin, DataType, Dialect, ExprId, ExprKind, Type, ValueKind,
};

/// A call of a name with these operands.
fn call_of(body: &mut Body, name: &str, args: &[ExprId]) -> ExprKind {
    let callee = body.operator(name);
    let call = body.call(callee, args, Body::no_attrs(), DataType::INT32.into(), true);
    body.expr(call).kind
}

/// Pointers in all forms: a variable, a buffer, its data, the address of an element, lists of them.
fn pointers(body: &mut Body) -> Vec<ExprId> {
    let (name, scope) = (body.intern("B"), body.memory_scope("local"));
    let buffer = body.buffers.push(Buffer {
        name,
        dtype: DataType::INT32,
        shape: Vec::new(),
        strides: None,
        elem_offset: None,
        scope,
        origin: BufferOrigin::Alloc,
        attrs: Body::no_attrs(),
    });
    let ty = Type::Pointer { element: DataType::INT32, scope: body.memory_scope("local") };
    let data = body.buffer_field(buffer, BufferField::Data, ty);
    let whole = body.make(ExprKind::Buffer(buffer), DataType::HANDLE.into());
    let variable = body.new_value("p", ty, ValueKind::Symbol);
    let variable = body.value_expr(variable);
    let zero = body.int(0, DataType::INT32);
    let element = body.load(buffer, &[zero], None);
    let callee = body.operator("address_of");
    let address = body.call(callee, &[element], Body::no_attrs(), ty, false);
    let items = body.list(&[zero, address]);
    let list = body.make(ExprKind::Tuple(items), DataType::HANDLE.into());
    vec![data, whole, variable, address, list]
}

/// The rows of TIR that are no node, by a name that meets them.
fn call_rows() -> Vec<(String, OpEffects)> {
    let rows: EffectRows = toml::from_str(include_str!("../../../effects.toml")).unwrap();
    let mut res = Vec::new();
    for (i, row) in rows.tir.iter().enumerate() {
        let typed = row.check(Namespace::Tir, i, Basis::Source).unwrap();
        let names = row.ops.iter().map(|it| it.replace('*', "zz"));
        res.extend(names.map(|it| (it, typed.clone())));
    }
    res
}

#[test]
fn no_mild_row_holds_for_a_pointer_of_which_it_does_not_speak() {
    let table = EffectTable::builtin();
    let mut body = Body::new("f", Dialect::Tirx);
    let pointers = pointers(&mut body);
    let number = body.int(1, DataType::INT32);
    for (name, row) in call_rows() {
        if row.may_write() {
            continue;
        }
        for position in 0..4 {
            for &pointer in &pointers {
                let mut args = [number; 4];
                args[position] = pointer;
                let args = &args[..row.arity.map_or(4, usize::from).max(position + 1).min(4)];
                let call = call_of(&mut body, &name, args);
                let is_stated = matches!(
                    row.operands.of(Operand::At(position)),
                    Some(OperandUse::Address | OperandUse::Place | OperandUse::Reads)
                ) && row.arity.is_none_or(|it| usize::from(it) == args.len());
                let effects = table.call(&body, call);
                assert_eq!(effects.may_write(), !is_stated, "{name}, operand {position}");
                assert_eq!(effects.is_fresh(), !is_stated || row.is_fresh(), "{name}");
            }
        }
    }
}

#[test]
fn a_pointer_by_keyword_is_an_operand_like_others() {
    let table = EffectTable::builtin();
    let mut body = Body::new("f", Dialect::Tirx);
    let pointers = pointers(&mut body);
    let number = body.int(1, DataType::INT32);
    let attrs = body.attr_dict(vec![("dst".into(), crate::Attr::Operand(2))]);
    for (name, row) in call_rows().iter().filter(|it| !it.1.may_write()) {
        let callee = body.operator(name);
        let is_stated = matches!(
            row.operands.of(Operand::Named("dst")),
            Some(OperandUse::Address | OperandUse::Place | OperandUse::Reads)
        ) && row.arity.is_none_or(|it| it == 3);
        for &pointer in &pointers {
            let effects = table.given(&body, callee, &[number, number, pointer], attrs);
            assert_eq!(effects.may_write(), !is_stated, "{name}");
        }
    }
}

#[test]
fn a_number_of_unknown_type_is_no_pointer_where_the_row_says_so() {
    let table = EffectTable::builtin();
    let mut body = Body::new("f", Dialect::Tirx);
    let unknown = body.new_value("x", Type::Unknown, ValueKind::Captured);
    let unknown = body.value_expr(unknown);
    let effect = |body: &mut Body, name: &str| {
        let call = call_of(body, name, &[unknown]);
        table.call(body, call).memory_effect
    };
    assert_eq!(effect(&mut body, "exp"), MemoryEffect::None);
    assert_eq!(effect(&mut body, "cuda.half2float"), MemoryEffect::None);
    assert_eq!(effect(&mut body, "call_pure_extern"), MemoryEffect::Unknown);
}

/// A row that is milder than TVM's label explains why its operands allow it, or its calls have none.
#[test]
fn rows_that_are_milder_than_the_label_speak_of_their_operands() {
    let mut silent = Vec::new();
    for op in &tvm_ops::registry().ops {
        let name = format!("tirx.{}", op.name);
        let row = tir(&name);
        let is_milder = match op.effect {
            Some(CallEffectKind::Pure | CallEffectKind::ControlJump) => false,
            Some(CallEffectKind::ReadState) => row.memory_effect == MemoryEffect::None,
            _ => !row.may_write(),
        };
        if is_milder && row.operands.is_empty() {
            silent.push(format!("{} {:?}", op.name, op.arity));
        }
    }
    // None of these has an operand but names and numbers; given a pointer, they are unknown.
    expect![[r#"
        undef Some(0)
        cuda.clock64 None
        cuda.elect_sync None
        nvshmem.my_pe None
        nvshmem.n_pes None
        tvm_warp_activemask None
        lookup_param Some(4)
        tvm_static_handle Some(0)"#]]
    .assert_eq(&silent.join("\n"));
}

#[test]
fn wrong_statements_about_operands_are_found() {
    let text = r#"
        [[tir]]
        ops = ["a"]
        reads = [0]
        [[tir]]
        ops = ["b"]
        effect = "read"
        memory = "argument"
        writes = ["dst"]
        [[tir]]
        ops = ["c"]
        numbers = [1]
        addresses = [1]
        [[tir]]
        ops = ["d"]
        effect = "write"
        memory = "argument"
        arity = 2
    "#;
    let messages: Vec<String> = toml::from_str::<EffectRows>(text)
        .unwrap()
        .tir
        .iter()
        .enumerate()
        .map(|(i, it)| it.check(Namespace::Tir, i, Basis::User).unwrap_err().to_string())
        .collect();
    expect![[r#"
        [[tir]] row 1 (`a`), `reads`: effect `none` reads no operand
        [[tir]] row 2 (`b`), `writes`: effect `read` writes no operand
        [[tir]] row 3 (`c`), `addresses`: operand 1 is in two lists that exclude each other
        [[tir]] row 4 (`d`), `arity`: only a row that writes nothing has one"#]]
    .assert_eq(&messages.join("\n"));
}
