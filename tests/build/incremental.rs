//! The cost of an edit in a workspace of 2,000 functions, by the counters of the build and by the store.

use serde_json::{Value, json};
use tests::kernels;

use crate::project::Project;

const FILES: usize = 100;
const SIZE: usize = 20;

/// Returns the number of artifacts in the store.
fn stored(project: &Project) -> u64 {
    let stat = project.json("cache stat --store out.store --format json");
    stat["kernels"]["entries"].as_u64().expect("a number")
}

fn work(parsed: usize, lowered: usize, generated: usize, found: usize, written: usize) -> Value {
    json!({
        "parsed": parsed, "lowered": lowered, "generated": generated, "found": found,
        "written": written, "repaired": 0,
    })
}

#[test]
fn an_edit_costs_only_the_kernels_it_reaches() {
    let project = Project::new();
    kernels::write(&project.kernels(), FILES, SIZE).expect("a workspace");
    let n = FILES * SIZE;
    // Sources, and a manifest for each file.
    assert_eq!(project.build(), work(FILES, n, n, 0, n + FILES));
    assert_eq!(stored(&project), n as u64);
    assert_eq!(project.build(), work(0, 0, 0, 0, 0));

    // Another body: one function is lowered and generated, one source and one manifest are written.
    let version = |it: usize| if it == 7 * SIZE + 3 { 2 } else { 0 };
    let edited = kernels::module(kernels::numbers(7, SIZE).map(|it| (it, version(it))));
    project.write(&kernels::file_name(7), &edited);
    assert_eq!(project.build(), work(1, 1, 1, SIZE - 1, 2));
    assert_eq!(stored(&project), n as u64 + 1);

    // A comment: in a function it is a new text of the same structure.
    let commented =
        edited.replacen("            B[bx", "            # a comment\n            B[bx", 1);
    project.write(&kernels::file_name(7), &commented);
    let done = project.build();
    assert_eq!((&done["lowered"], &done["generated"]), (&json!(1), &json!(0)));
    assert_eq!(stored(&project), n as u64 + 1);

    // Another name: the source is written anew, nothing is generated.
    let renamed = commented.replace("bx", "block");
    project.write(&kernels::file_name(7), &renamed);
    let done = project.build();
    assert_eq!((&done["lowered"], &done["generated"]), (&json!(SIZE), &json!(0)));
    assert_eq!(stored(&project), n as u64 + 1);

    // What was there before is not even parsed.
    project.write(&kernels::file_name(7), &edited);
    let done = project.build();
    assert_eq!((&done["parsed"], &done["generated"]), (&json!(0), &json!(0)));

    // The same bytes as from nothing.
    let cold = project.json("build kernels --out cold --format json");
    assert_eq!(cold["work"]["found"], 0);
    assert_eq!(project.outputs("cold"), project.outputs("out"));
}

#[test]
fn functions_that_are_equal_up_to_names_cost_one() {
    let project = Project::new();
    project.write("a.py", &kernels::module([(1, 0)]));
    project.write(
        "b.py",
        &kernels::module([(1, 0)]).replace("tx", "lane").replace("kernel_1", "other"),
    );
    let report = project.json("build kernels --out out --format json --jobs 4");
    assert_eq!(report["work"]["generated"], 1);
    let statuses: Vec<_> = report["kernels"].as_array().expect("kernels").iter().collect();
    assert_eq!(
        (&statuses[0]["status"], &statuses[1]["status"]),
        (&json!("built"), &json!("alias"))
    );
    assert_eq!(report["aliases"][0]["functions"][1]["name"], "other");
}
