//! Tests of [`super`]: by hand-made nests, against walking up parent by parent.

use ir::{Body, DataType, Dialect, ExprKind, OpId, OpKind, Successor};

use super::*;

/// A body whose statements are `if`s, nested by `parents`: `parents[i]` is the `if` around the `i`-th one.
fn nested(parents: &[Option<usize>]) -> (Body, Vec<OpId>) {
    let mut body = Body::new("f", Dialect::Tirx);
    let condition = body.make(ExprKind::Int(1), DataType::BOOL.into());
    let mut ops: Vec<OpId> = Vec::new();
    for parent in parents {
        let block = match parent {
            Some(parent) => body.entry(body.ops[ops[*parent]].regions[0]),
            None => body.entry(body.root),
        };
        let op = body.push_op(block, OpKind::If, &[condition]);
        body.push_region(op);
        ops.push(op);
    }
    (body, ops)
}

/// A random nest, the same in every run.
fn random_parents(n: usize, mut seed: u64) -> Vec<Option<usize>> {
    (0..n)
        .map(|i| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let pick = (seed >> 33) as usize % (i + 1);
            // Deep rather than flat.
            if pick == 0 { None } else { Some(i - 1 - (pick - 1) % 3.min(i)) }
        })
        .collect()
}

fn path(tree: &ScopeTree, mut scope: ScopeId) -> Vec<ScopeId> {
    let mut path = vec![scope];
    while let Some(parent) = tree.parent(scope) {
        scope = parent;
        path.push(scope);
    }
    path.reverse();
    path
}

#[test]
fn ancestors_agree_with_walking_up() {
    for seed in 1..5 {
        let (body, _) = nested(&random_parents(120, seed));
        let tree = ScopeTree::build(&body);
        for a in tree.ids() {
            let up = path(&tree, a);
            assert_eq!(tree.depth(a) as usize, up.len() - 1);
            for b in tree.ids() {
                let other = path(&tree, b);
                let shared = up.iter().zip(&other).take_while(|(x, y)| x == y).count();
                assert_eq!(tree.common(a, b), up[shared - 1]);
                assert_eq!(tree.is_ancestor(a, b), other.contains(&a));
                let child = (shared == up.len() && shared < other.len()).then(|| other[shared]);
                assert_eq!(tree.child_towards(a, b), child);
            }
        }
    }
}

#[test]
fn depth_10000_is_built_and_asked_without_recursion() {
    let parents: Vec<Option<usize>> = (0..10_000usize).map(|i| i.checked_sub(1)).collect();
    let (body, ops) = nested(&parents);
    let tree = ScopeTree::build(&body);
    let deepest = tree.of_block(body.entry(body.ops[ops[9_999]].regions[0]));
    assert_eq!(tree.depth(deepest), 10_000);
    assert_eq!(tree.common(deepest, tree.root()), tree.root());
    let child = tree.child_towards(tree.root(), deepest).unwrap();
    assert_eq!(tree.creator(child), Some(ops[0]));
}

#[test]
fn order_is_program_order_and_dominance_follows_the_nest() {
    let (body, ops) = nested(&[None, Some(0), Some(0), None]);
    let tree = ScopeTree::build(&body);
    let orders: Vec<u32> = ops.iter().map(|&it| tree.order(it)).collect();
    assert_eq!(orders, [0, 1, 2, 3]);
    assert!(tree.dominates(ops[0], ops[2]) && tree.dominates(ops[1], ops[2]));
    assert!(!tree.dominates(ops[2], ops[3]) && tree.dominates(ops[0], ops[3]));
}

#[test]
fn blocks_of_a_region_are_related_by_dominance() {
    // entry -> left, right; both -> end
    let mut body = Body::new("f", Dialect::Mlir);
    let root = body.root;
    let [left, right, end] = [(); 3].map(|()| body.new_block(root));
    let entry = body.entry(root);
    let name = body.intern("cf.br");
    let mut jump = |from, to: &[ir::BlockId]| {
        let args = body.list(&[]);
        let op = body.push_op(from, OpKind::Named(name), &[]);
        body.ops[op].successors = to.iter().map(|&block| Successor { block, args }).collect();
        op
    };
    let branch = jump(entry, &[left, right]);
    let in_left = jump(left, &[end]);
    let in_right = jump(right, &[end]);
    let last = jump(end, &[]);
    let tree = ScopeTree::build(&body);
    for op in [in_left, in_right, last] {
        assert_eq!(tree.parent(tree.of_op(op)), Some(tree.root()));
        assert_eq!(tree.creator(tree.of_op(op)), Some(branch));
        assert_eq!(tree.kind(tree.of_op(op)), ScopeKind::Successor);
        assert!(tree.dominates(branch, op));
    }
    assert!(!tree.dominates(in_left, last) && !tree.dominates(in_left, in_right));
}

#[test]
fn values_are_visible_after_their_definition() {
    let mut body = Body::new("f", Dialect::Tirx);
    let zero = body.make(ExprKind::Int(0), DataType::INT32.into());
    let block = body.entry(body.root);
    let bind = body.push_op(block, OpKind::Bind, &[zero]);
    let bound = body.push_result(bind, "a", DataType::INT32.into());
    let outer = body.push_op(block, OpKind::For(ForKind::Serial), &[zero, zero]);
    let region = body.push_region(outer);
    let inside = body.entry(region);
    let index = body.new_block_arg(inside, "i", DataType::INT32.into());
    let inner = body.push_op(inside, OpKind::Break, &[]);
    let tree = ScopeTree::build(&body);
    assert_eq!(tree.visible_from(&body, bound), tree.order(outer));
    assert_eq!(tree.visible_from(&body, index), tree.order(inner));
    assert!(tree.visible_from(&body, index) > tree.order(outer));
}

#[test]
fn the_kernel_is_the_outermost_launch() {
    let mut body = Body::new("f", Dialect::Tirx);
    let four = body.make(ExprKind::Int(4), DataType::INT32.into());
    let mut block = body.entry(body.root);
    let mut scopes = Vec::new();
    for tag in ["blockIdx.x", "threadIdx.x"] {
        let tag = body.thread_tag(tag);
        let op = body.push_op(block, OpKind::Return, &[four]);
        let region = body.push_region(op);
        block = body.entry(region);
        let var = body.new_block_arg(block, "t", DataType::INT32.into());
        body.ops[op].kind = OpKind::LaunchThread { tag, var };
        scopes.push(block);
    }
    let tree = ScopeTree::build(&body);
    let outer = tree.of_block(scopes[0]);
    assert_eq!(tree.kernel(tree.root()), None);
    assert_eq!(tree.kernel(outer), Some(outer));
    assert_eq!(tree.kernel(tree.of_block(scopes[1])), Some(outer));
}
