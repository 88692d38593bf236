//! Tests of the plans about programs of Paddle.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use frontend::{
    ops::{Severity, edits},
    pir::{Program, programs},
};
use ir::{
    effects::EffectTable,
    plan::{
        Preset,
        ops::{OpChange, OpPlan},
    },
    verify::verify,
};

use crate::ops::{OpOptions, plan, plan_counted, rewrite};

fn exact(program: &Program) -> OpPlan {
    let options = OpOptions { preset: Preset::Pir, allow_unsound: true };
    plan(&program.lowered.body, EffectTable::builtin(), &options)
}

/// A program of lines, in which `%x = op(%y) {a:1} : T` is short for the printed form; a line with `"` stands as it is.
fn program(lines: &str) -> String {
    let mut out = "{\n".to_owned();
    for line in lines.lines().map(str::trim).filter(|it| !it.is_empty()) {
        if line.contains('"') || line.starts_with(['}', '^']) {
            let _ = writeln!(out, "    {line}");
            continue;
        }
        let (results, rest) = line.split_once(" = ").unwrap_or(("", line));
        let (name, rest) = rest.split_once('(').expect("an operation has operands");
        let (operands, rest) = rest.split_once(')').expect("operands end");
        let (attrs, types) = rest.rsplit_once(" : ").unwrap_or((rest, "tensor<2xf32>"));
        let attrs = if attrs.trim().is_empty() { "{}" } else { attrs.trim() };
        let given =
            vec!["tensor<2xf32>"; operands.split(',').filter(|it| !it.trim().is_empty()).count()]
                .join(", ");
        let types = if results.is_empty() { "" } else { types.trim() };
        let _ = writeln!(
            out,
            "    ({results}) = \"{name}\" ({operands}) {attrs} : ({given}) -> {types}"
        );
    }
    out + "}\n"
}

/// Shows the actions and refusals of the plan, each by the line of the operation.
fn show(text: &str, program: &Program, plan: &OpPlan) -> String {
    let map = &program.lowered.source_map;
    let name = |op| {
        let line = &text[program.range][map.op(op)];
        let end = line.find(')').map_or(line.len(), |it| it + 1);
        match &line[..end] {
            "()" => {
                line[map.op_name(op).len().into()..].lines().next().unwrap_or_default().to_owned()
            }
            results => results.to_owned(),
        }
    };
    let mut out = String::new();
    for action in &plan.actions {
        let (into, copies) = match &action.change {
            OpChange::Merge { into } => (*into, 0),
            OpChange::MergeWithCopies { into, outputs } => (*into, outputs.len()),
            other => panic!("{other:?} has no meaning for PIR"),
        };
        let copies = if copies == 0 { String::new() } else { format!(" with {copies} outputs") };
        let _ =
            writeln!(out, "{} -> {} {}{copies}", name(action.op), name(into), action.kind.name());
    }
    for refusal in &plan.refusals {
        let into = refusal.into.map_or(String::new(), |it| format!(" -> {}", name(it)));
        let obstacle =
            refusal.obstacle.map_or(String::new(), |it| format!(" because of {}", name(it)));
        let _ = writeln!(out, "not {}{into}: {}{obstacle}", name(refusal.op), refusal.kind.name());
    }
    out
}

/// Plans of the preset, and of the default where that is different.
#[track_caller]
fn check(lines: &str, expected: Expect) {
    let text = program(lines);
    let programs = programs(&text);
    let [program] = &programs[..] else { panic!("one program") };
    let diagnostics = &program.lowered.diagnostics;
    assert!(diagnostics.iter().all(|it| it.severity == Severity::Hint), "{text} {diagnostics:?}");
    let mut out = String::new();
    for (preset, allow_unsound) in
        [(Preset::Pir, true), (Preset::Pir, false), (Preset::Default, false)]
    {
        let options = OpOptions { preset, allow_unsound };
        let plan = plan(&program.lowered.body, EffectTable::builtin(), &options);
        let title = if allow_unsound { "as Paddle" } else { preset.name() };
        let _ = writeln!(out, "[{title}]\n{}", show(&text, program, &plan).trim_end());
        check_text(&text, program, &plan);
    }
    expected.assert_eq(&out);
}

fn edits_of(text: &str, program: &Program, plan: &OpPlan) -> String {
    let lowered = &program.lowered;
    edits(text, &lowered.source_map, &lowered.body, plan).apply(text)
}

/// The edited text lowers to the rewritten body.
#[track_caller]
fn check_text(text: &str, program: &Program, plan: &OpPlan) {
    let rewritten = rewrite(&program.lowered.body, plan);
    assert_eq!(verify(&rewritten), []);
    let part = &text[program.range];
    let edited = edits_of(part, program, plan);
    let again = programs(&edited);
    assert_eq!(again.len(), 1, "{edited}");
    let diagnostics = &again[0].lowered.diagnostics;
    assert!(diagnostics.iter().all(|it| it.severity == Severity::Hint), "{edited} {diagnostics:?}");
    let (ours, theirs) =
        (ir::print::generic(&rewritten), ir::print::generic(&again[0].lowered.body));
    assert_eq!(ours, theirs);
}

#[test]
fn equal_operations_go_and_cascade() {
    check(
        "%0 = pd_op.data() {name:a}
         %1 = pd_op.data() {name:a}
         %2 = pd_op.add(%0, %1) {stop_gradient:[true]}
         %3 = pd_op.add(%1, %0) {stop_gradient:[false]}
         %4 = pd_op.subtract(%0, %1)
         %5 = pd_op.subtract(%1, %0)
         %6 = pd_op.exp(%2)
         %7 = pd_op.exp(%3)
         %8 = pd_op.exp(%3) : tensor<?xf32>
         %9 = pd_op.scale(%0, %1) {bias:0,op_role:1}
         %10 = pd_op.scale(%0, %1) {bias:0,op_role:2}
         %11 = pd_op.scale(%0, %1) {bias:1}",
        expect![[r#"
            [as Paddle]
            (%3) -> (%2) common-operation
            (%7) -> (%6) common-operation
            (%10) -> (%9) common-operation
            [pir]
            (%3) -> (%2) common-operation
            (%7) -> (%6) common-operation
            (%10) -> (%9) common-operation
            [default]
            (%3) -> (%2) common-operation
            (%7) -> (%6) common-operation
            (%10) -> (%9) common-operation
        "#]],
    );
}

#[test]
fn results_are_told_apart_and_absent_operands_are_equal() {
    check(
        "%0 = pd_op.data()
         (%1, %2) = \"pd_op.topk\" (%0, <<NULL VALUE>>) {axis:1} : (tensor<2xf32>, <<NULL TYPE>>) -> tensor<2xf32>, tensor<2xf32>
         (%3, %4) = \"pd_op.topk\" (%0, <<NULL VALUE>>) {axis:1} : (tensor<2xf32>, <<NULL TYPE>>) -> tensor<2xf32>, tensor<2xf32>
         %5 = pd_op.exp(%1)
         %6 = pd_op.exp(%4)
         %7 = pd_op.exp(%2)",
        expect![[r#"
            [as Paddle]
            (%3, %4) -> (%1, %2) common-operation
            (%7) -> (%6) common-operation
            [pir]
            (%3, %4) -> (%1, %2) common-operation
            (%7) -> (%6) common-operation
            [default]
            (%3, %4) -> (%1, %2) common-operation
            (%7) -> (%6) common-operation
        "#]],
    );
}

#[test]
fn side_effects_poison_what_depends_on_them() {
    check(
        "%0 = pd_op.data()
         %1 = pd_op.uniform(%0)
         %2 = pd_op.uniform(%0)
         %3 = pd_op.exp(%1)
         %4 = pd_op.exp(%1)
         %5 = pd_op.exp(%2)
         %6 = pd_op.exp(%0) : selected_rows<2xf32>
         %7 = pd_op.exp(%0) : selected_rows<2xf32>",
        expect![[r#"
            [as Paddle]

            [pir]

            [default]
            (%4) -> (%3) common-after-side-effect
            (%7) -> (%6) common-after-side-effect
            not (%2) -> (%1): not-deterministic
            not (%5) -> (%3): not-deterministic because of (%2)
        "#]],
    );
}

#[test]
fn random_draws_without_the_trait_are_merged_by_the_peer_only() {
    check(
        "%0 = pd_op.data()
         %1 = pd_op.bernoulli(%0)
         %2 = pd_op.bernoulli(%0)
         %3 = pd_op.exp(%1)
         %4 = pd_op.exp(%2)
         %5 = pd_op.exp(%1)",
        expect![[r#"
            [as Paddle]
            (%2) -> (%1) common-operation
            (%4) -> (%3) common-operation
            (%5) -> (%3) common-operation
            [pir]
            (%5) -> (%3) common-operation
            not (%2) -> (%1): not-deterministic
            not (%4) -> (%3): not-deterministic because of (%2)
            [default]
            (%5) -> (%3) common-operation
            not (%2) -> (%1): not-deterministic
            not (%4) -> (%3): not-deterministic because of (%2)
        "#]],
    );
}

#[test]
fn overwritten_value_is_another_one_afterwards() {
    check(
        "%0 = pd_op.data()
         %1 = pd_op.exp(%0)
         %2 = pd_op.relu_(%0)
         %3 = pd_op.exp(%0)
         %4 = pd_op.add(%0, %0)
         %5 = pd_op.add(%0, %0)
         %6 = pd_op.reshape(%4, %0)
         %7 = pd_op.relu_(%6)
         %8 = pd_op.tanh(%3)
         %9 = pd_op.tanh(%3)",
        expect![[r#"
            [as Paddle]
            (%3) -> (%1) common-operation
            (%5) -> (%4) common-operation
            (%9) -> (%8) common-operation
            [pir]
            (%9) -> (%8) common-operation
            not (%3) -> (%1): memory because of (%2)
            not (%5) -> (%4): shared-storage because of (%7)
            [default]
            (%9) -> (%8) common-operation
            not (%3) -> (%1): memory because of (%2)
            not (%5) -> (%4): shared-storage because of (%7)
        "#]],
    );
}

#[test]
fn a_write_in_a_loop_comes_round() {
    check(
        "%0 = pd_op.data()
         %1 = pd_op.data()
         %2 = pd_op.exp(%0)
         %3 = pd_op.exp(%1)
         (%4) = \"pd_op.while\" (cond=%0, inputs=%1) {
         ^%arg_0 {}
         %5 = pd_op.exp(%0)
         %6 = pd_op.relu_(%0)
         %7 = pd_op.tanh(%5)
         () = \"cf.yield\" (%0, %arg_0) {} : (tensor<2xf32>, tensor<2xf32>) ->
         }
         %8 = pd_op.exp(%0)
         %9 = pd_op.exp(%0)",
        expect![[r#"
            [as Paddle]
            (%5) -> (%2) common-operation
            (%8) -> (%2) common-operation
            (%9) -> (%2) common-operation
            [pir]
            (%9) -> (%8) common-operation
            not (%5) -> (%2): memory because of (%4)
            not (%8) -> (%2): memory because of (%6)
            [default]
            (%9) -> (%8) common-operation
            not (%5) -> (%2): memory because of (%4)
            not (%8) -> (%2): memory because of (%6)
        "#]],
    );
}

#[test]
fn sub_blocks_see_the_table_outside_and_give_nothing_back() {
    check(
        "%0 = pd_op.data()
         %1 = pd_op.exp(%0)
         (%2) = \"pd_op.if\" (%0) {} -> tensor<2xf32> {
         %3 = pd_op.exp(%0)
         %4 = pd_op.tanh(%3)
         %5 = pd_op.tanh(%1)
         %6 = pd_op.exp(%0)
         () = \"cf.yield\" (%6) {} : (tensor<2xf32>) ->
         } else {
         %7 = pd_op.tanh(%1)
         () = \"cf.yield\" (%7) {} : (tensor<2xf32>) ->
         }
         (%8) = \"pd_op.if\" (%0) {} -> tensor<2xf32> {
         () = \"cf.yield\" (%0) {} : (tensor<2xf32>) ->
         }
         %9 = pd_op.tanh(%2)
         %10 = pd_op.tanh(%2)
         %11 = pd_op.tanh(%8)",
        expect![[r#"
            [as Paddle]
            (%3) -> (%1) common-operation
            (%5) -> (%4) common-operation
            (%10) -> (%9) common-operation
            [pir]
            (%3) -> (%1) common-operation
            (%5) -> (%4) common-operation
            (%10) -> (%9) common-operation
            [default]
            (%3) -> (%1) common-operation
            (%5) -> (%4) common-operation
            (%10) -> (%9) common-operation
            not (%6) -> (%1): feeds-control-flow
        "#]],
    );
}

#[test]
fn rounded_constants_are_only_likely_equal() {
    check(
        "%0 = pd_op.full() {dtype:float32,shape:[1048576],value:0.797885}
         %1 = pd_op.full() {dtype:float32,shape:[1048576],value:0.797885}
         %2 = pd_op.full() {dtype:float32,shape:[1048576],value:0.5}
         %3 = pd_op.full() {dtype:float32,shape:[1048576],value:0.5}
         %4 = pd_op.add(%0, %2)
         %5 = pd_op.add(%1, %3)
         %6 = pd_op.add(%3, %0)",
        expect![[r#"
            [as Paddle]
            (%1) -> (%0) common-rounded-constant
            (%3) -> (%2) common-operation
            (%5) -> (%4) common-operation
            (%6) -> (%4) common-operation
            [pir]
            (%1) -> (%0) common-rounded-constant
            (%3) -> (%2) common-operation
            (%5) -> (%4) common-operation
            (%6) -> (%4) common-operation
            [default]
            (%3) -> (%2) common-operation
            (%6) -> (%4) common-operation
            not (%1) -> (%0): rounded-constant
            not (%5) -> (%4): rounded-constant because of (%1)
        "#]],
    );
}

#[test]
fn unknown_operations_are_named() {
    check(
        "%0 = pd_op.data()
         %1 = pd_op.exp(%0)
         %2 = pd_op.warpctc(%0)
         %3 = pd_op.warpctc(%0)
         %4 = pd_op.exp(%0)
         %5 = custom_op.mine(%4)
         %6 = pd_op.exp(%0)",
        expect![[r#"
            [as Paddle]
            (%3) -> (%2) common-operation
            (%4) -> (%1) common-operation
            (%6) -> (%1) common-operation
            [pir]
            not (%3) -> (%2): unknown-operation
            not (%4) -> (%1): shared-storage because of (%5)
            not (%6) -> (%1): memory because of (%5)
            [default]
            not (%3) -> (%2): unknown-operation
            not (%4) -> (%1): shared-storage because of (%5)
            not (%6) -> (%1): memory because of (%5)
        "#]],
    );
}

#[test]
fn outputs_get_copies() {
    let text = program(
        "%0 = pd_op.data()
         (%1, %2) = \"pd_op.topk\" (%0) {stop_gradient:[true,false]} : (tensor<2xf32>) -> tensor<2xf32>, tensor<2xi64>
         (%3, %4) = \"pd_op.topk\" (%0) {stop_gradient:[true,true]} : (tensor<2xf32>) -> tensor<2xf32>, tensor<2xi64>
         () = \"builtin.shadow_output\" (%1) {output_name:\"a\"} : (tensor<2xf32>) ->
         () = \"builtin.shadow_output\" (%3) {output_name:\"b\"} : (tensor<2xf32>) ->
         () = \"builtin.shadow_output\" (%4) {output_name:\"c\"} : (tensor<2xi64>) ->
         () = \"builtin.shadow_output\" (%4) {output_name:\"d\"} : (tensor<2xi64>) ->
         %5 = pd_op.exp(%3)",
    );
    let programs = programs(&text);
    let plan = exact(&programs[0]);
    check_text(&text, &programs[0], &plan);
    let part = &text[programs[0].range];
    let edited = edits_of(part, &programs[0], &plan);
    expect![[r#"
        {
            (%0) = "pd_op.data" () {} : () -> tensor<2xf32>
            (%1, %2) = "pd_op.topk" (%0) {stop_gradient:[true,false]} : (tensor<2xf32>) -> tensor<2xf32>, tensor<2xi64>
            (%7) = "pd_op.assign" (%2) {stop_gradient:[false]} : (tensor<2xi64>) -> tensor<2xi64>
            (%6) = "pd_op.assign" (%1) {stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
            () = "builtin.shadow_output" (%1) {output_name:"a"} : (tensor<2xf32>) ->
            () = "builtin.shadow_output" (%6) {output_name:"b"} : (tensor<2xf32>) ->
            () = "builtin.shadow_output" (%7) {output_name:"c"} : (tensor<2xi64>) ->
            () = "builtin.shadow_output" (%7) {output_name:"d"} : (tensor<2xi64>) ->
            (%5) = "pd_op.exp" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
        }"#]].assert_eq(&edited);
}

/// Plans of programs of `n` and `2 n` operations cost as much as their sizes say, and take half of the second copy
/// away.
#[track_caller]
fn check_growth(family: impl Fn(usize) -> String) {
    let costs = [5_000, 10_000].map(|n| {
        let text = family(n);
        let programs = programs(&text);
        let body = &programs[0].lowered.body;
        let options = OpOptions { preset: Preset::Pir, allow_unsound: true };
        let (plan, work) = plan_counted(body, EffectTable::builtin(), &options);
        assert_eq!(plan.actions.len(), (body.ops.len() - 1) / 2);
        (work.visited + work.compared, body.ops.len() as u64)
    });
    let [(small, n), (large, m)] = costs;
    assert!(small <= 8 * n, "{small} steps for {n} operations");
    assert!(large * n <= small * m * 11 / 10, "{small} then {large}");
}

/// The same lines twice, on values numbered on; `@` is the value before, `$` the next.
fn twice(n: usize, step: &[&str]) -> String {
    let mut lines = "%0 = pd_op.data()\n".to_owned();
    let mut next = 1;
    for _ in 0..2 {
        let mut last = 0;
        for _ in 0..n / 2 / step.len() {
            let first = next;
            for line in step {
                let line = line
                    .replace('@', &format!("%{last}"))
                    .replace('#', &format!("%{}", first.max(next - 1)))
                    .replace('$', &format!("%{next}"));
                lines.push_str(&line);
                lines.push('\n');
                next += 1;
            }
            last = next - 1;
        }
    }
    program(&lines)
}

#[test]
fn doubling_chains_are_linear() {
    check_growth(|n| twice(n, &["$ = pd_op.add(@, @)"]));
}

#[test]
fn linear_chains_are_linear() {
    check_growth(|n| twice(n, &["$ = pd_op.exp(@)"]));
}

#[test]
fn residual_nets_are_linear() {
    check_growth(|n| {
        twice(n, &["$ = pd_op.tanh(@)", "$ = pd_op.multiply(#, @)", "$ = pd_op.add(@, #)"])
    });
}

#[test]
fn deep_nests_and_many_blocks_are_linear() {
    let text = |n: usize| {
        let mut lines = "%0 = pd_op.data()\n%1 = pd_op.exp(%0)\n".to_owned();
        for at in 0..n {
            let _ =
                writeln!(lines, "() = \"pd_op.if\" (%0) {{}} -> {{\n%{} = pd_op.exp(%0)", at + 2);
        }
        lines.push_str(&"}\n".repeat(n));
        program(&lines)
    };
    let work = [2_000, 4_000].map(|n| {
        let programs = programs(&text(n));
        let options = OpOptions { preset: Preset::Pir, allow_unsound: false };
        let (plan, work) =
            plan_counted(&programs[0].lowered.body, EffectTable::builtin(), &options);
        assert_eq!(plan.actions.len(), n);
        work.visited + work.compared
    });
    assert!(work[1] <= work[0] * 21 / 10, "{work:?}");
}

#[test]
fn names_with_two_meanings_are_left_alone() {
    let text = program(
        "%0 = pd_op.data()
         %1 = pd_op.exp(%0)
         %1 = pd_op.tanh(%0)
         %2 = pd_op.exp(%0)
         %3 = pd_op.exp(%2)",
    );
    let programs = programs(&text);
    let plan = exact(&programs[0]);
    assert_eq!(plan.actions.len(), 1);
    assert_eq!(edits_of(&text, &programs[0], &plan), text);
}

/// The committed programs and Paddle's results for them.
#[test]
fn programs_become_what_paddle_makes_of_them() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/pir");
    let mut n_pairs = 0;
    for entry in std::fs::read_dir(folder).expect("the samples are there") {
        let path = entry.expect("it can be read").path();
        let answer = path.with_extension("cse.pir");
        if path.to_string_lossy().ends_with(".cse.pir") || !answer.exists() {
            continue;
        }
        let read = |path| std::fs::read_to_string(path).expect("it can be read");
        let (text, answer) = (read(path.clone()), read(answer));
        let (ours, theirs) = (programs(&text), programs(&answer));
        assert_eq!((ours.len(), theirs.len()), (1, 1));
        assert_eq!(ours[0].lowered.diagnostics, [], "{}", path.display());
        let plan = exact(&ours[0]);
        check_text(&text, &ours[0], &plan);
        let rewritten = ir::print::generic(&rewrite(&ours[0].lowered.body, &plan));
        assert_eq!(rewritten, ir::print::generic(&theirs[0].lowered.body), "{}", path.display());
        n_pairs += 1;
    }
    assert_eq!(n_pairs, 14);
}

#[test]
fn inside_of_unknown_operations_nothing_is_done() {
    check(
        r#"
        %1 = pd_op.full() {shape:[2]}
        (%2) = "my.match" () {} -> tensor<2xf32> {
            %3 = pd_op.full() {shape:[2]}
            %4 = pd_op.full() {shape:[2]}
            () = "my.yield" (%3, %4) {} : (tensor<2xf32>, tensor<2xf32>) ->
        }
        %5 = pd_op.full() {shape:[2]}
        "#,
        expect![[r#"
            [as Paddle]
            (%3) -> (%1) common-operation
            (%4) -> (%1) common-operation
            (%5) -> (%1) common-operation
            [pir]
            (%5) -> (%1) common-operation
            not (%3) -> (%1): shared-storage because of ield" (%3, %4) {} : (tensor<2xf32>, tensor<2xf32>) ->
            not (%4) -> (%1): shared-storage because of ield" (%3, %4) {} : (tensor<2xf32>, tensor<2xf32>) ->
            [default]
            (%5) -> (%1) common-operation
        "#]],
    );
}

#[test]
fn a_block_that_nothing_ends_keeps_its_last_operation() {
    check(
        r#"
        %0 = pd_op.data() {}
        (%c) = "pd_op.full" () {} : () -> tensor<b>
        %1 = pd_op.relu(%0)
        () = "pd_op.if" (%c) {} -> {
            %3 = pd_op.relu(%0)
        } else {
            %4 = pd_op.relu(%0)
            %5 = pd_op.relu(%0)
        }
        "#,
        expect![[r#"
            [as Paddle]
            (%3) -> (%1) common-operation
            (%4) -> (%1) common-operation
            (%5) -> (%1) common-operation
            [pir]
            (%3) -> (%1) common-operation
            (%4) -> (%1) common-operation
            (%5) -> (%1) common-operation
            [default]
            (%4) -> (%1) common-operation
        "#]],
    );
}
