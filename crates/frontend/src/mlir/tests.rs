//! Assembly forms of operations, and their bodies.

use expect_test::{Expect, expect};
use ir::{Attr, Body, ExprKind, OpId, Type, arena::Id};
use parser::mlir::Shapes;

use super::{Unit, lower_file};

mod attributes;
mod diagnostics;
mod foreseen;
mod generic;
mod lines;
mod pairs;
mod relower;

/// The units of a file, functions and frame, as text: one line an operation.
fn dump(text: &str) -> String {
    let mut out = String::new();
    lower_file(text, Shapes::builtin(), &mut |unit: Unit| {
        out.push_str(&format!("{:?} {}\n", unit.kind, unit.lowered.body.name));
        show(&unit.lowered.body, &mut out);
        for it in &unit.lowered.diagnostics {
            out.push_str(&format!("{} {:?}: {}\n", it.code, it.range, it.message));
        }
    });
    out
}

#[track_caller]
fn check(text: &str, expect: Expect) {
    expect.assert_eq(&dump(text));
}

fn type_text(body: &Body, ty: Type) -> String {
    match ty {
        Type::Named(name) => body.name(name).to_owned(),
        other => format!("{other:?}"),
    }
}

/// Prints a body, without recursion.
fn show(body: &Body, out: &mut String) {
    let value = |it: ir::ValueId| body.name(body.values[it].name).to_owned();
    let mut stack = vec![(body.root, 1usize)];
    let attrs = |dict: &ir::AttrDict| {
        let text = |attr: &Attr| match attr {
            Attr::Text(text) => text.to_string(),
            other => format!("{other:?}"),
        };
        let items: Vec<_> = dict.iter().map(|(key, it)| format!("{key} = {}", text(it))).collect();
        if items.is_empty() { String::new() } else { format!(" {{{}}}", items.join(", ")) }
    };
    out.push_str(&format!("{}\n", attrs(&body.attrs).trim()));
    while let Some((region, depth)) = stack.pop() {
        for &block in &body.regions[region].blocks {
            let args: Vec<_> = body.blocks[block]
                .args
                .iter()
                .copied()
                .map(|it| format!("{}: {}", value(it), type_text(body, body.values[it].ty)))
                .collect();
            out.push_str(&format!(
                "{}^b{}({}) of r{}\n",
                "  ".repeat(depth - 1),
                block.index(),
                args.join(", "),
                region.index()
            ));
            for &op in &body.blocks[block].ops {
                out.push_str(&format!("{}{}\n", "  ".repeat(depth), op_line(body, op, &attrs)));
                stack.extend(body.ops[op].regions.iter().rev().map(|&it| (it, depth + 1)));
            }
        }
    }
}

fn op_line(body: &Body, op: OpId, attrs: &dyn Fn(&ir::AttrDict) -> String) -> String {
    let data = &body.ops[op];
    let name = match data.kind {
        ir::OpKind::Named(name) => body.name(name).to_owned(),
        ir::OpKind::Opaque(name) => format!("?{}", body.name(name)),
        other => format!("{other:?}"),
    };
    let use_ = |it: ir::ExprId| match body.expr(it).kind {
        ExprKind::Value(value) => body.name(body.values[value].name).to_owned(),
        other => format!("{other:?}"),
    };
    let operands: Vec<_> = data.operands.iter().map(|&it| use_(it)).collect();
    let results: Vec<_> = data
        .results
        .iter()
        .map(|&it| {
            format!("{}: {}", body.name(body.values[it].name), type_text(body, body.values[it].ty))
        })
        .collect();
    let successors: Vec<_> = data
        .successors
        .iter()
        .map(|it| {
            format!(
                " ^b{}({})",
                it.block.index(),
                body.items(it.args).iter().map(|&it| use_(it)).collect::<Vec<_>>().join(", ")
            )
        })
        .collect();
    let regions: Vec<_> = data.regions.iter().map(|it| format!(" r{}", it.index())).collect();
    let results =
        if results.is_empty() { String::new() } else { format!("{} = ", results.join(", ")) };
    format!(
        "{results}{name}({}){}{}{}",
        operands.join(", "),
        successors.concat(),
        attrs(body.dict(data.attrs)),
        regions.concat()
    )
}
