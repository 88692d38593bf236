//! Hand-written getters beyond the grammar's rules: the parts of operations in any form, the functions of a file.

use parser::{SyntaxKind::*, mlir::Shapes};

use super::{
    AstChildren, AstNode, Block, File, FunctionType, Operation, Region, ResultList, Successor,
    SymbolDef, Type, ValueDef, ValueUse, support,
};
use crate::{SyntaxNode, TokenText};

/// The name of an operation, shared with the tree.
#[derive(Debug, Clone)]
pub struct OpName {
    text: TokenText,
}

impl OpName {
    /// The name as it is written, without quotes. [`OpName::full`] has the dialect too.
    pub fn as_str(&self) -> &str {
        self.text.as_str().trim_matches('"')
    }

    /// The name with its dialect: `func.return` for `return`.
    pub fn full(&self) -> &str {
        Shapes::builtin().full_name(self.as_str())
    }
}

impl Operation {
    /// The name; `None` where it is missing in broken code.
    pub fn name(&self) -> Option<OpName> {
        let kind = match self {
            Operation::GenericOp(_) => STRING,
            Operation::CustomOp(_) | Operation::OpaqueOp(_) => IDENT,
        };
        Some(OpName { text: support::token(self.syntax(), kind)?.shared_text() })
    }

    /// The values that it defines.
    pub fn results(&self) -> impl Iterator<Item = ValueDef> + use<> {
        let list: Option<ResultList> = support::child(self.syntax());
        list.into_iter().flat_map(|it| it.value_defs())
    }

    /// The values that it uses, in the order of the text: those of lists and groups too, those of successors and
    /// regions not.
    pub fn operands(&self) -> Vec<ValueUse> {
        self.parts(|kind| matches!(kind, MLIR_REGION | MLIR_SUCCESSOR))
            .filter_map(ValueUse::cast)
            .collect()
    }

    /// Its successors, in the order of the text.
    pub fn successors(&self) -> Vec<Successor> {
        self.parts(|kind| kind == MLIR_REGION).filter_map(Successor::cast).collect()
    }

    /// Its regions, in the order of the text.
    pub fn regions(&self) -> Vec<Region> {
        self.parts(|kind| kind == MLIR_REGION).filter_map(Region::cast).collect()
    }

    /// The types that stand directly in it, in the order of the text; those of its generic form are in
    /// [`Operation::function_type`].
    pub fn types(&self) -> AstChildren<Type> {
        support::children(self.syntax())
    }

    /// The function type that stands directly in it.
    pub fn function_type(&self) -> Option<FunctionType> {
        support::child(self.syntax())
    }

    /// The symbol that it defines in its pretty form.
    pub fn symbol(&self) -> Option<SymbolDef> {
        support::child(self.syntax())
    }

    /// Returns true if something in it could not be read, outside of its regions.
    pub fn has_error(&self) -> bool {
        self.parts(|kind| kind == MLIR_REGION)
            .any(|it| matches!(it.kind(), ERROR_NODE | MLIR_UNREAD | MLIR_MISSING | TOO_DEEP))
    }

    /// The nodes below it in the order of the text, without the inside of nodes of a kind that `closed` names.
    fn parts(
        &self,
        closed: impl Fn(crate::SyntaxKind) -> bool,
    ) -> impl Iterator<Item = SyntaxNode> {
        let mut stack = vec![self.syntax().children()];
        std::iter::from_fn(move || {
            loop {
                match stack.last_mut()?.next() {
                    Some(node) => {
                        if !closed(node.kind()) {
                            stack.push(node.children());
                        }
                        return Some(node);
                    }
                    None => {
                        stack.pop();
                    }
                }
            }
        })
    }
}

impl Block {
    /// Returns true if the block is only the trivia between two braces: the region has no block then.
    pub fn is_trivia(&self) -> bool {
        self.syntax().first_child().is_none()
    }
}

/// A function of a file: a unit that is read, lowered and remembered by itself.
#[derive(Debug, Clone)]
pub struct Function {
    /// The operation: `func.func`, `gpu.func`, `llvm.func` …
    pub operation: Operation,
    /// The chunk in which it stands.
    pub chunk: usize,
    /// The names of the modules around it that have one, outermost first, as written.
    pub path: Vec<TokenText>,
}

impl File {
    /// The functions of all chunks, in the order of the text. Costs the operations outside of functions.
    pub fn functions(&self) -> Vec<Function> {
        let mut res = Vec::new();
        for (chunk, node) in self.chunks().enumerate() {
            collect(node.operations(), chunk, &mut res);
        }
        res
    }
}

/// Lists that are being walked, with whether their operation has a name on the path.
fn collect(operations: AstChildren<Operation>, chunk: usize, res: &mut Vec<Function>) {
    let mut path: Vec<TokenText> = Vec::new();
    let mut stack = vec![(operations, false)];
    let mut waiting: Vec<Vec<AstChildren<Operation>>> = vec![Vec::new()];
    while let Some((list, named)) = stack.last_mut() {
        let named = *named;
        let Some(operation) = list.next() else {
            // The next block of the same operation, or back to the list around it.
            let next = waiting.last_mut().and_then(Vec::pop);
            stack.pop();
            match next {
                Some(next) => stack.push((next, named)),
                None => {
                    waiting.pop();
                    if named {
                        path.pop();
                    }
                }
            }
            continue;
        };
        let is_function =
            operation.name().is_some_and(|it| Shapes::builtin().is_function(it.as_str()));
        if is_function {
            res.push(Function { operation, chunk, path: path.clone() });
            continue;
        }
        let mut blocks: Vec<_> = operation
            .regions()
            .iter()
            .flat_map(|it| it.blocks().map(|it| it.operations()).collect::<Vec<_>>())
            .collect();
        blocks.reverse();
        if let Some(first) = blocks.pop() {
            let name = operation.symbol().and_then(|it| it.symbol_id_token());
            let named = name.is_some();
            path.extend(name.map(|it| it.shared_text()));
            stack.push((first, named));
            waiting.push(blocks);
        }
    }
}
