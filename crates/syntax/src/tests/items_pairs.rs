//! The pretty and the generic form of one program: the same operations with the same values, operand by operand.

use std::collections::{BTreeMap, BTreeSet};

use parser::mlir::Shapes;
use test_utils::ir_samples;

use crate::{
    AstNode as _, Language, SyntaxKind, SyntaxNode,
    ast::mlir::{Operation, ValueDef, ValueUse},
    parse_as,
};

/// One operation, its values by number.
struct Op {
    name: String,
    /// The names that it defines, those of its regions' first blocks and labels included.
    results: Vec<String>,
    args: Vec<String>,
    operands: Vec<String>,
    is_opaque: bool,
}

/// Operations that one of the forms leaves out.
fn is_implied(name: &str) -> bool {
    matches!(
        name,
        "scf.yield"
            | "affine.yield"
            | "builtin.module"
            | "scf.reduce"
            | "scf.forall.in_parallel"
            | "gpu.module_end"
            | "vector.yield"
            | "memref.alloca_scope.return"
    )
}

fn is_named_linalg(name: &str) -> bool {
    name.starts_with("linalg.")
        && !matches!(name, "linalg.generic" | "linalg.yield" | "linalg.index")
}

/// The single results of `%0:2`.
fn unpacked(def: &ValueDef) -> Vec<String> {
    let name = def.value_id_token().map(|it| it.text().to_owned()).unwrap_or_default();
    match def.int_token().and_then(|it| it.text().parse::<u32>().ok()) {
        Some(count) => (0..count).map(|i| format!("{name}#{i}")).collect(),
        None => vec![name],
    }
}

fn values(nodes: impl Iterator<Item = SyntaxNode>) -> Vec<String> {
    nodes.map(|it| it.text()).collect()
}

/// Returns the arguments that a pretty form defines for its regions, then the labels of all its blocks.
fn arguments(operation: &Operation) -> Vec<String> {
    let mut res = Vec::new();
    let mut stack: Vec<SyntaxNode> = operation.syntax().children().collect();
    stack.reverse();
    while let Some(node) = stack.pop() {
        let is_result = node.kind() == SyntaxKind::MLIR_RESULT_LIST;
        let is_op = Operation::can_cast(node.kind());
        if is_result || is_op {
            continue;
        }
        match ValueDef::cast(node.clone()) {
            Some(it) => res.push(it.syntax().text()),
            None => stack.extend(node.children().collect::<Vec<_>>().into_iter().rev()),
        }
    }
    res
}

fn read(text: &str) -> Vec<Op> {
    let parse = parse_as(Language::Mlir, text);
    let mut res = Vec::new();
    let mut skip_until = 0.into();
    for operation in parse.syntax().descendants().filter_map(Operation::cast) {
        let name = operation.name().map(|it| it.full().to_owned()).unwrap_or_default();
        if operation.text_range().start() < skip_until {
            continue;
        }
        if is_named_linalg(&name) {
            // Its region is only in the generic form.
            skip_until = operation.text_range().end();
        }
        let successors = operation.successors();
        let of_successors = successors.iter().flat_map(|it| it.syntax().descendants());
        let uses = operation.operands().into_iter().map(|it| it.syntax().clone());
        let passed = of_successors.filter(|it| ValueUse::can_cast(it.kind()));
        if is_implied(&name) {
            continue;
        }
        let args = if is_named_linalg(&name) { Vec::new() } else { arguments(&operation) };
        res.push(Op {
            name,
            results: operation.results().flat_map(|it| unpacked(&it)).collect(),
            args,
            operands: values(uses.chain(passed)),
            is_opaque: matches!(operation, Operation::OpaqueOp(_)),
        });
    }
    res
}

/// The operations whose operands stand in another order or number in the two forms.
pub(super) fn differences(pretty: &str, generic: &str) -> Result<BTreeSet<String>, String> {
    let (pretty, generic) = (read(pretty), read(generic));
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut res = BTreeSet::new();
    for (p, g) in pretty.iter().zip(&generic) {
        if p.name != g.name {
            return Err(format!("{} and {}", p.name, g.name));
        }
        // The first of a pack may be written without its number.
        let operand = |it: &String| {
            let found = names.get(it).or_else(|| names.get(&format!("{it}#0")));
            found.cloned().unwrap_or_else(|| "?".to_owned())
        };
        let mut mapped: Vec<String> = p.operands.iter().map(operand).collect();
        if Shapes::builtin().is_swapped(&p.name) {
            mapped.swap(0, 1);
        }
        let is_equal = |(a, b): (&String, &String)| a == b || a == "?" || *a == format!("{b}#0");
        let is_somewhere = |a: &String| g.operands.iter().any(|b| is_equal((a, b)));
        let same = mapped.len() == g.operands.len()
            && match Shapes::builtin().keeps_order(&p.name) {
                true => mapped.iter().zip(&g.operands).all(is_equal),
                false => mapped.iter().all(is_somewhere),
            };
        // Of an unknown pretty form it is not known which values are uses.
        if !same && !p.is_opaque {
            res.insert(p.name.clone());
        }
        // A function's declaration has no arguments in the generic form.
        let is_declaration = g.args.is_empty() || p.is_opaque;
        if p.args.len() != g.args.len() && !is_declaration {
            res.insert(format!("{} arguments", p.name));
        }
        for (from, to) in p.results.iter().chain(&p.args).zip(g.results.iter().chain(&g.args)) {
            names.insert(from.clone(), to.clone());
        }
    }
    if pretty.len() != generic.len() {
        return Err(format!("{} and {} operations", pretty.len(), generic.len()));
    }
    Ok(res)
}

#[test]
fn both_forms_of_a_sample_have_the_same_operations_and_operands() {
    let samples = ir_samples();
    let mut compared = 0;
    for pretty in &samples {
        let Some(stem) = pretty.name.strip_suffix(".mlir") else { continue };
        let other = format!("{stem}.generic.mlir");
        let Some(generic) = samples.iter().find(|it| it.name == other) else { continue };
        assert_eq!(
            differences(&pretty.text, &generic.text),
            Ok(BTreeSet::new()),
            "{}",
            pretty.name
        );
        compared += 1;
    }
    assert!(compared > 20, "{compared} pairs were compared");
}
