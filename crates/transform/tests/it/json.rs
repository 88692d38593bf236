//! The JSON form of plans.

use expect_test::expect;
use frontend::tvmscript::Lowered;
use ir::plan::{
    Between, COMMON_SUBEXPRESSION, Refusal,
    json::{Place, to_json},
};
use transform::cse::CseOptions;

use crate::support::{kernel, lowered, plan_of_text};

fn place(lowered: &Lowered, place: Place) -> serde_json::Value {
    let range = match place {
        Place::Occurrence(it) => lowered.source_map.occurrence_range(it),
        Place::Operation(it) => lowered.source_map.op_range(it),
    };
    format!("{range:?}").into()
}

#[test]
fn a_plan_has_texts_and_places_and_no_ids() {
    let text = kernel(
        "
        A[0] = (x + y) * 2 + T.if_then_else(y != 0, x // y, 0)
        A[1] = (x + y) * 2 + T.if_then_else(y > 0, x // y, 0)
        ",
    );
    let (_, _, it) = &lowered(&text)[0];
    let plan = plan_of_text(it, &CseOptions::default());
    let json = to_json(&it.body, &plan, &|at| place(it, at));
    expect![[r#"
        {
          "schema": "tir-analyzer.cse-plan",
          "version": 2,
          "preset": "default",
          "function": "f",
          "informational": false,
          "groups": [
            {
              "expression": "(x + y) * 2",
              "type": "int32",
              "occurrences": [
                "86..97",
                "145..156"
              ],
              "cost": 2,
              "saved": 1,
              "equivalence": "syntactic",
              "host_rounding": false,
              "exposed_to": null,
              "decision": {
                "kind": "bind",
                "binding": 0
              }
            },
            {
              "expression": "x + y",
              "type": "int32",
              "occurrences": [
                "87..92",
                "146..151"
              ],
              "cost": 1,
              "saved": 0,
              "equivalence": "syntactic",
              "host_rounding": false,
              "exposed_to": null,
              "decision": {
                "kind": "covered",
                "by": [
                  0
                ]
              }
            },
            {
              "expression": "x // y",
              "type": "int32",
              "occurrences": [
                "123..129",
                "181..187"
              ],
              "cost": 20,
              "saved": 0,
              "equivalence": "syntactic",
              "host_rounding": false,
              "exposed_to": null,
              "decision": {
                "kind": "refuse",
                "reason": "may-trap",
                "culprit": "x // y",
                "guarded": "123..129"
              }
            }
          ],
          "bindings": [
            {
              "name": "cse_v1",
              "group": 0,
              "value": "(x + y) * 2",
              "before": "79..133",
              "replaces": [
                "86..97",
                "145..156"
              ],
              "uses": [],
              "reuses": []
            }
          ],
          "cells": []
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&json).expect("a value has a text"));
}

#[test]
fn every_reason_is_documented() {
    use ir::{ExprId, NameId, OccurrenceId, OpId, arena::Id};
    let all = [
        Refusal::MayTrap { culprit: ExprId::new(0), guarded: OccurrenceId::new(0) },
        Refusal::NoBindingSite { before: OpId::new(0) },
        Refusal::VirtualOnly,
        Refusal::Unknown,
        Refusal::ImpureCall { callee: NameId::new(0) },
        Refusal::Memory { write: ir::OpId::new(0), what: Between::Store, around: None },
        Refusal::Predicate,
        Refusal::NoPathTwice,
        Refusal::Convergent,
        Refusal::Simplifies { to: ExprId::new(0) },
        Refusal::Overflow { value: OccurrenceId::new(0) },
        Refusal::UnderBinder,
        Refusal::LaunchBound,
        Refusal::NarrowInteger,
        Refusal::Downstream { pass: ir::plan::TvmPass::CommonSubexprElim },
        Refusal::Folds { beside: ExprId::new(0) },
        Refusal::Limit,
    ];
    for refusal in all {
        assert!(!refusal.rule().docs.is_empty(), "{}", refusal.name());
    }
    assert!(COMMON_SUBEXPRESSION.is_fixable());
}
