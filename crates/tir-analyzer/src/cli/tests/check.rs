//! `check`.

use expect_test::expect;
use serde_json::Value;

use super::{BROKEN, CLEAN, Project, SHARED};

#[test]
fn findings_are_shown_with_their_lines() {
    Project::new(&[("b.py", BROKEN), ("a.py", SHARED)]).run("check").check(expect![[r#"
        error[undefined-name]: `missing` is not defined here
         --> b.py:6:12
          |
        6 |     A[0] = missing
          |            ^^^^^^^

        hint[common-subexpression]: `n * 4` is computed 3 times
         --> a.py:6:7
          |
        6 |     A[n * 4] = 1  # first
          |       ^^^^^
        7 |     A[n * 4 + 1] = n * 4
          |       -----        ----- computed again here
          |       |
          |       computed again here
          |
          = help: Computed once as `cse_v1` before `A[n * 4] = 1`, it saves 2 evaluations of 1 operation each.

        2 files checked: 1 error, 1 hint
        1 value can be computed once: `tir-analyzer fix --diff` shows how
        --- exit code 1
    "#]]);
}

#[test]
fn places_that_go_with_a_larger_value_are_named_too() {
    let text = SHARED.replace("n * 4 + 1] = n * 4", "n * 4 + 1] = n * 4 + 1");
    Project::new(&[("a.py", &text)]).run("check").check(expect![[r#"
        hint[common-subexpression]: `n * 4` is computed 3 times
         --> a.py:6:7
          |
        6 |     A[n * 4] = 1  # first
          |       ^^^^^
        7 |     A[n * 4 + 1] = n * 4 + 1
          |       -----        ----- computed again here
          |       |
          |       computed again here
          |
          = help: Computed once as `cse_v1` before `A[n * 4] = 1`, it saves 2 evaluations of 1 operation each.

        hint[common-subexpression]: `n * 4 + 1` is computed 2 times
         --> a.py:7:20
          |
        7 |     A[n * 4 + 1] = n * 4 + 1
          |       ---------    ^^^^^^^^^
          |       |
          |       computed again here
          |
          = help: Computed once as `cse_v2` before `A[n * 4 + 1] = n * 4 + 1`, it saves 1 evaluation of 2 operations each.

        1 file checked: 2 hints
        2 values can be computed once: `tir-analyzer fix --diff` shows how
        --- exit code 0
    "#]]);
}

#[test]
fn level_hides_what_is_milder_and_the_summary_counts_it() {
    Project::new(&[("a.py", SHARED)]).run("check --level warning").check(expect![[r#"
        1 file checked: 1 hint
        1 value can be computed once: `tir-analyzer fix --diff` shows how
        --- exit code 0
    "#]]);
}

#[test]
fn clean_files_have_a_summary_only() {
    Project::new(&[("a.py", CLEAN)]).run("check").check(expect![[r#"
        1 file checked: nothing to report
        --- exit code 0
    "#]]);
}

#[test]
fn limit_keeps_the_worst() {
    let both = format!("{SHARED}\n\n{}", BROKEN.replace("main", "other"));
    Project::new(&[("a.py", &both)]).run("check --limit 1").check(expect![[r#"
        error[undefined-name]: `missing` is not defined here
          --> a.py:19:12
           |
        19 |     A[0] = missing
           |            ^^^^^^^

        1 error     undefined-name        a name that is not defined here
        1 hint    * common-subexpression  a value is computed at several places

        1 file checked: 1 error, 1 hint
        1 more finding: `--limit 0` shows all, `--level warning` those that matter most
        1 value can be computed once: `tir-analyzer fix --diff` shows how
        --- exit code 1
    "#]]);
}

#[test]
fn the_file_of_the_worst_comes_first() {
    let project = Project::new(&[("a.py", SHARED), ("b.py", BROKEN)]);
    assert_eq!(project.run("check").places(), ["b.py:6:12", "a.py:6:7"]);
    assert_eq!(project.run("check --limit 0").places(), ["a.py:6:7", "b.py:6:12"]);
}

#[test]
fn standard_input_has_the_name_it_is_given() {
    let project = Project::new(&[]);
    project.run_with("check --stdin --stdin-filename k/x.py", BROKEN.as_bytes()).check(expect![[
        r#"
            error[undefined-name]: `missing` is not defined here
             --> k/x.py:6:12
              |
            6 |     A[0] = missing
              |            ^^^^^^^

            1 file checked: 1 error
            --- exit code 1
        "#
    ]]);
}

#[test]
fn settings_of_the_nearest_folder_count() {
    let settings = "[diagnostics]\ncommon-subexpressions = false\n[hints]\nmany = 3\n";
    let project = Project::new(&[("a/tir-analyzer.toml", settings), ("a/b/x.py", SHARED)]);
    let outcome = project.run("check a");
    assert_eq!(outcome.out(), "1 file checked: nothing to report\n");
    assert!(
        outcome.err().contains("tir-analyzer.toml:4:1: `hints.many`: there is no such setting"),
        "{}",
        outcome.err()
    );
}

#[test]
fn wrong_settings_are_an_error_with_a_way_out() {
    let project = Project::new(&[("tir-analyzer.toml", "[hints\n"), ("x.py", CLEAN)]);
    let outcome = project.run("check");
    assert_eq!(outcome.code, 2);
    assert!(outcome.err().contains("tir-analyzer.toml"), "{}", outcome.err());
}

#[test]
fn wrong_settings_of_a_folder_cost_its_files_and_no_others() {
    let project = Project::new(&[
        ("bad/tir-analyzer.toml", "[hints\n"),
        ("bad/x.py", CLEAN),
        ("bad/in/y.py", BROKEN),
        ("good/z.py", BROKEN),
    ]);
    let outcome = project.run("check --level error");
    assert_eq!(outcome.code, 2);
    let summary = "1 file checked: 1 error; 1 path could not be read\n";
    assert!(outcome.out().contains("good/z.py:6:12") && outcome.out().ends_with(summary));
    let told = "bad/tir-analyzer.toml:1:7: unclosed table, expected `]`; 2 files with these settings left out\n";
    assert!(outcome.err().ends_with(told), "{}", outcome.err());
    assert_eq!(outcome.err().lines().count(), 1);
}

#[test]
fn what_fails_is_asked_for() {
    let project = Project::new(&[("a.py", SHARED), ("b.py", CLEAN)]);
    let code = |arguments: &str| project.run(&format!("check --quiet {arguments}")).code;
    assert_eq!([code(""), code("--fail-on warning"), code("--fail-on hint")], [0, 0, 1]);
    // What is not reported fails nothing.
    assert_eq!(code("--fail-on hint --level warning"), 0);
    assert_eq!(code("--fail-on hint b.py"), 0);
    assert_eq!(code("--fail-on hint --statistics"), 1);
    assert_eq!(code("--fail-on hint --exit-zero"), 2);
}

#[test]
fn ignored_files_are_not_read() {
    let project = Project::new(&[
        (".gitignore", "build/\n"),
        ("build/a.py", BROKEN),
        ("src/b.py", CLEAN),
        ("src/c.txt", BROKEN),
        (".hidden/d.py", BROKEN),
    ]);
    assert_eq!(project.run("check").out(), "1 file checked: nothing to report\n");
    assert_eq!(project.run("check --no-ignore").code, 1);
    assert_eq!(project.run("check build/a.py").code, 1);
}

#[test]
fn missing_files_do_not_keep_others_from_being_checked() {
    let project = Project::new(&[("a.py", BROKEN)]);
    let outcome = project.run("check nowhere.py a.py");
    assert_eq!(outcome.code, 2);
    assert!(outcome.err().starts_with("error: cannot read nowhere.py: "), "{}", outcome.err());
    assert!(outcome.out().contains("undefined-name"), "{}", outcome.out());
}

#[test]
fn json_has_a_version_and_counts() {
    let project = Project::new(&[("b.py", BROKEN), ("a.py", SHARED), ("c.py", CLEAN)]);
    let outcome = project.run("check --format json");
    let value: Value = serde_json::from_slice(&outcome.out).unwrap();
    expect![[r#"
        {
          "version": 2,
          "toolVersion": "0.1.0",
          "files": [
            {
              "path": "a.py",
              "diagnostics": [
                {
                  "code": "common-subexpression",
                  "severity": "hint",
                  "message": "`n * 4` is computed 3 times",
                  "help": "Computed once as `cse_v1` before `A[n * 4] = 1`, it saves 2 evaluations of 1 operation each.",
                  "range": {
                    "start": {
                      "line": 6,
                      "column": 7,
                      "offset": 110
                    },
                    "end": {
                      "line": 6,
                      "column": 12,
                      "offset": 115
                    }
                  },
                  "related": [
                    {
                      "message": "computed again here",
                      "range": {
                        "start": {
                          "line": 7,
                          "column": 20,
                          "offset": 149
                        },
                        "end": {
                          "line": 7,
                          "column": 25,
                          "offset": 154
                        }
                      }
                    },
                    {
                      "message": "computed again here",
                      "range": {
                        "start": {
                          "line": 7,
                          "column": 7,
                          "offset": 136
                        },
                        "end": {
                          "line": 7,
                          "column": 12,
                          "offset": 141
                        }
                      }
                    }
                  ],
                  "source": null
                }
              ],
              "notShown": 0
            },
            {
              "path": "b.py",
              "diagnostics": [
                {
                  "code": "undefined-name",
                  "severity": "error",
                  "message": "`missing` is not defined here",
                  "help": null,
                  "range": {
                    "start": {
                      "line": 6,
                      "column": 12,
                      "offset": 97
                    },
                    "end": {
                      "line": 6,
                      "column": 19,
                      "offset": 104
                    }
                  },
                  "related": [],
                  "source": null
                }
              ],
              "notShown": 0
            }
          ],
          "summary": {
            "files": 3,
            "errors": 1,
            "warnings": 0,
            "info": 0,
            "hints": 1,
            "fixable": 1
          },
          "failures": []
        }"#]].assert_eq(&serde_json::to_string_pretty(&value).unwrap());
}

#[test]
fn sarif_names_rules_and_regions() {
    let project = Project::new(&[("sub dir/b.py", BROKEN), ("a.py", SHARED), ("c.py", CLEAN)]);
    let outcome = project.run("check --format sarif nowhere a.py c.py .");
    let mut value: Value = serde_json::from_slice(&outcome.out).unwrap();
    let rules = value["runs"][0]["tool"]["driver"]["rules"].take();
    let results = value["runs"][0]["results"].as_array().unwrap();
    for result in results {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
    expect![[r#"
        {
          "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
          "version": "2.1.0",
          "runs": [
            {
              "tool": {
                "driver": {
                  "name": "tir-analyzer",
                  "version": "0.1.0",
                  "semanticVersion": "0.1.0",
                  "rules": null
                }
              },
              "columnKind": "unicodeCodePoints",
              "newlineSequences": [
                "\r\n",
                "\n",
                "\r"
              ],
              "results": [
                {
                  "ruleId": "common-subexpression",
                  "level": "note",
                  "message": {
                    "text": "`n * 4` is computed 3 times. Computed once as `cse_v1` before `A[n * 4] = 1`, it saves 2 evaluations of 1 operation each."
                  },
                  "locations": [
                    {
                      "physicalLocation": {
                        "artifactLocation": {
                          "uri": "a.py"
                        },
                        "region": {
                          "startLine": 6,
                          "startColumn": 7,
                          "endLine": 6,
                          "endColumn": 12
                        }
                      }
                    }
                  ],
                  "ruleIndex": 7,
                  "relatedLocations": [
                    {
                      "id": 0,
                      "physicalLocation": {
                        "artifactLocation": {
                          "uri": "a.py"
                        },
                        "region": {
                          "startLine": 7,
                          "startColumn": 20,
                          "endLine": 7,
                          "endColumn": 25
                        }
                      },
                      "message": {
                        "text": "computed again here"
                      }
                    },
                    {
                      "id": 1,
                      "physicalLocation": {
                        "artifactLocation": {
                          "uri": "a.py"
                        },
                        "region": {
                          "startLine": 7,
                          "startColumn": 7,
                          "endLine": 7,
                          "endColumn": 12
                        }
                      },
                      "message": {
                        "text": "computed again here"
                      }
                    }
                  ]
                },
                {
                  "ruleId": "undefined-name",
                  "level": "error",
                  "message": {
                    "text": "`missing` is not defined here"
                  },
                  "locations": [
                    {
                      "physicalLocation": {
                        "artifactLocation": {
                          "uri": "sub%20dir/b.py"
                        },
                        "region": {
                          "startLine": 6,
                          "startColumn": 12,
                          "endLine": 6,
                          "endColumn": 19
                        }
                      }
                    }
                  ],
                  "ruleIndex": 70
                }
              ],
              "invocations": [
                {
                  "executionSuccessful": false,
                  "toolExecutionNotifications": [
                    {
                      "level": "error",
                      "message": {
                        "text": "cannot read nowhere: No such file or directory (os error 2)"
                      }
                    }
                  ]
                }
              ]
            }
          ]
        }"#]].assert_eq(&serde_json::to_string_pretty(&value).unwrap());
}

#[test]
fn reports_do_not_depend_on_the_number_of_threads() {
    let texts: Vec<(String, String)> = (0..40)
        .map(|it| (format!("f{it:02}.py"), SHARED.replace("* 4", &format!("* {it}"))))
        .collect();
    let files: Vec<(&str, &str)> = texts.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let project = Project::new(&files);
    assert_eq!(project.run("check -j 1").out(), project.run("check -j 5").out());
}

#[test]
fn only_the_first_fixes_are_reported_where_a_number_is_given() {
    let project = Project::new(&[("a.py", SHARED), ("b.py", SHARED)]);
    let n_findings = |command: &str| project.run(command).out().matches("is computed").count();
    assert_eq!(n_findings("check"), 2);
    assert_eq!(n_findings("check --max-fixes 1"), 1);
    assert_eq!(n_findings("check --max-fixes 0"), 0);
    assert_eq!(n_findings("check --min-occurrences 4"), 0);
}

#[test]
fn cells_of_a_notebook_are_read_in_order() {
    let notebook = r##"{"cells": [
        {"cell_type": "markdown", "source": "# A kernel"},
        {"cell_type": "code", "source": ["%pip install tvm\n", "from tvm.script import tirx as T"]},
        {"cell_type": "code", "source": ["@T.prim_func\n", "def f(A: T.Buffer((8,), \"int32\")):\n", "    A[0] = missing"]}
    ], "metadata": {}}"##;
    let project = Project::new(&[("a.ipynb", notebook)]);
    project.run("check a.ipynb").check(expect![[r#"
        error[undefined-name]: `missing` is not defined here
         --> a.ipynb: cell 3:3:12
          |
        3 |     A[0] = missing
          |            ^^^^^^^

        1 file checked: 1 error
        --- exit code 1
    "#]]);
    project.run("fix a.ipynb").check(expect![[r#"
        --- errors
        error: a.ipynb is a notebook: only `check` reads its cells
        nothing to fix
        1 failure, see above
        --- exit code 2
    "#]]);
    project.run("build a.ipynb --out out").check(expect![[r#"
        0 kernels: 0 built, 0 reused; 0 functions not built
        --- errors
        error: a.ipynb is a notebook: only `check` reads its cells
        --- exit code 2
    "#]]);
}
