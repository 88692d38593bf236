//! The results of single operations of MLIR.

use expect_test::{Expect, expect};
use interp::{
    Argument, Array, OnError, Options,
    mlir::{self, Final, Program},
};

use super::{LAUNCH, program::documents};

fn show(value: &Final) -> String {
    let scalar = |it: f64| if it == it.trunc() { format!("{it:.0}") } else { format!("{it}") };
    let defined = |at: usize, text: String| if value.defined[at] { text } else { "?".to_owned() };
    match &value.value {
        Argument::Int(it) => defined(0, it.to_string()),
        Argument::Float(it) => defined(0, scalar(*it)),
        Argument::Array(array) => {
            let all = array.to_f64s().into_iter().enumerate();
            let all: Vec<String> = all.map(|(at, it)| defined(at, scalar(it))).collect();
            format!("{:?} [{}]", array.shape, all.join(", "))
        }
    }
}

/// Runs the function `f` of a text: its results, its memory, its events.
fn run(text: &str, arguments: Vec<Argument>) -> String {
    let documents = documents(text);
    let program = Program::new(documents[0].units.iter().map(|it| &it.body));
    let options = Options { on_error: OnError::Event, max_steps: 1_000_000, ..Options::default() };
    let number = program.function("f").expect("the function is there");
    match mlir::run(&program, number, arguments, LAUNCH, &options) {
        Ok(outcome) => {
            let mut lines: Vec<String> = outcome.returned.iter().map(show).collect();
            let arrays = |it: &&Final| matches!(it.value, Argument::Array(_));
            let memory = outcome.arguments.iter().filter(arrays);
            lines.extend(memory.map(|it| format!("memory {}", show(it))));
            let bound = outcome.bound.iter();
            lines.extend(
                bound.map(|((binding, at), byte)| format!("bound {binding}[{at}] = {byte}")),
            );
            lines.extend(outcome.events.iter().map(|it| format!("event {}", it.1.kind.name())));
            lines.join("\n")
        }
        Err(error) => format!("error: {error}"),
    }
}

fn check(text: &str, arguments: Vec<Argument>, expected: Expect) {
    expected.assert_eq(&run(text, arguments));
}

/// `0, 1, 2 …` as float32.
fn floats(shape: &[i64]) -> Argument {
    let mut array = Array::zeros(ir::DataType::FLOAT32, shape);
    for at in 0..array.len() {
        array.set_f64(at, at as f64);
    }
    Argument::Array(array)
}

fn ints(values: &[i64]) -> Argument {
    let mut array = Array::zeros(ir::DataType::INT32, &[values.len() as i64]);
    for (at, value) in values.iter().enumerate() {
        array.set_f64(at, *value as f64);
    }
    Argument::Array(array)
}

#[test]
fn integers_wrap_and_promises_make_poison() {
    check(
        "func.func @f(%a: i8, %b: i8) -> (i8, i8, i8, i8, i8, i8) {
            %0 = arith.addi %a, %b : i8
            %1 = arith.addi %a, %b overflow<nsw> : i8
            %2 = arith.addi %a, %b overflow<nuw> : i8
            %3 = arith.divui %a, %b : i8
            %4 = arith.floordivsi %a, %b : i8
            %5 = arith.ceildivsi %a, %b : i8
            return %0, %1, %2, %3, %4, %5 : i8, i8, i8, i8, i8, i8
        }",
        vec![Argument::Int(-100), Argument::Int(-100)],
        expect![[r#"
            56
            ?
            ?
            1
            1
            1"#]],
    );
}

#[test]
fn a_shift_by_the_width_is_poison_and_a_branch_on_it_an_event() {
    check(
        "func.func @f(%a: i32, %n: i32) -> i32 {
            %0 = arith.shli %a, %n : i32
            %c = arith.cmpi eq, %0, %a : i32
            %r = scf.if %c -> i32 { scf.yield %a : i32 } else { scf.yield %n : i32 }
            return %r : i32
        }",
        vec![Argument::Int(1), Argument::Int(32)],
        expect![[r#"
            32
            event poison-use"#]],
    );
}

#[test]
fn comparisons_and_booleans() {
    check(
        "func.func @f(%a: i32, %b: i32, %x: f32, %y: f32) -> (i1, i1, i1, i1, i32, i32) {
            %0 = arith.cmpi slt, %a, %b : i32
            %1 = arith.cmpi ult, %a, %b : i32
            %2 = arith.cmpf olt, %x, %y : f32
            %3 = arith.xori %0, %1 : i1
            %4 = arith.extui %0 : i1 to i32
            %5 = arith.extsi %0 : i1 to i32
            return %0, %1, %2, %3, %4, %5 : i1, i1, i1, i1, i32, i32
        }",
        vec![Argument::Int(-1), Argument::Int(1), Argument::Float(0.5), Argument::Float(f64::NAN)],
        expect![[r#"
            -1
            0
            0
            -1
            1
            -1"#]],
    );
}

#[test]
fn a_sum_of_truth_values_is_their_disjunction() {
    check(
        "func.func @f() -> (i1, i1) {
            %t = arith.constant dense<[true, false]> : tensor<2xi1>
            %u = arith.constant dense<true> : tensor<2xi1>
            %s = linalg.add ins(%t, %u : tensor<2xi1>, tensor<2xi1>) outs(%u : tensor<2xi1>) -> tensor<2xi1>
            %c0 = arith.constant 0 : index
            %c1 = arith.constant 1 : index
            %0 = tensor.extract %s[%c0] : tensor<2xi1>
            %1 = tensor.extract %s[%c1] : tensor<2xi1>
            return %0, %1 : i1, i1
        }",
        vec![],
        expect![[r#"
            -1
            -1"#]],
    );
}

#[test]
fn loops_carry_values() {
    check(
        "func.func @f(%n: index, %m: memref<?xf32>) -> f32 {
            %c0 = arith.constant 0 : index
            %c1 = arith.constant 1 : index
            %z = arith.constant 0.0 : f32
            %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> f32 {
                %v = memref.load %m[%i] : memref<?xf32>
                %t = arith.addf %acc, %v : f32
                memref.store %t, %m[%i] : memref<?xf32>
                scf.yield %t : f32
            }
            return %s : f32
        }",
        vec![Argument::Int(4), floats(&[5])],
        expect![[r#"
            6
            memory [5] [0, 1, 3, 6, 4]"#]],
    );
}

#[test]
fn blocks_branch_with_arguments_and_functions_call() {
    check(
        "func.func @f(%n: i32) -> i32 {
            %c0 = arith.constant 0 : i32
            %c1 = arith.constant 1 : i32
            cf.br ^head(%n, %c1 : i32, i32)
        ^head(%i: i32, %p: i32):
            %c = arith.cmpi sgt, %i, %c0 : i32
            cf.cond_br %c, ^body, ^exit
        ^body:
            %q = func.call @times(%p, %i) : (i32, i32) -> i32
            %j = arith.subi %i, %c1 : i32
            cf.br ^head(%j, %q : i32, i32)
        ^exit:
            return %p : i32
        }
        func.func @times(%a: i32, %b: i32) -> i32 {
            %0 = arith.muli %a, %b : i32
            return %0 : i32
        }",
        vec![Argument::Int(5)],
        expect!["120"],
    );
}

#[test]
fn while_switch_and_parallel_reduce() {
    check(
        "func.func @f(%n: i32, %k: index) -> (i32, i32, i32) {
            %c1 = arith.constant 1 : i32
            %i0 = arith.constant 0 : index
            %i1 = arith.constant 1 : index
            %i4 = arith.constant 4 : index
            %w = scf.while (%x = %n) : (i32) -> i32 {
                %c100 = arith.constant 100 : i32
                %c = arith.cmpi slt, %x, %c100 : i32
                scf.condition(%c) %x : i32
            } do {
            ^bb0(%x: i32):
                %d = arith.addi %x, %x : i32
                scf.yield %d : i32
            }
            %s = scf.index_switch %k -> i32
            case 2 { scf.yield %n : i32 }
            default { scf.yield %c1 : i32 }
            %p = scf.parallel (%i, %j) = (%i0, %i0) to (%i4, %i4) step (%i1, %i1) init (%c1) -> i32 {
                %v = arith.index_cast %j : index to i32
                scf.reduce(%v : i32) {
                ^bb0(%a: i32, %b: i32):
                    %t = arith.addi %a, %b : i32
                    scf.reduce.return %t : i32
                }
            }
            return %w, %s, %p : i32, i32, i32
        }",
        vec![Argument::Int(7), Argument::Int(2)],
        expect![[r#"
            112
            7
            25"#]],
    );
}

#[test]
fn views_of_memory() {
    check(
        "func.func @f(%m: memref<4x4xf32>, %i: index) -> (f32, f32, memref<2x2xf32, strided<[8, 2], offset: ?>>, memref<16xf32>) {
            %c0 = arith.constant 0 : index
            %c1 = arith.constant 1 : index
            %s = memref.subview %m[%i, 1] [2, 2] [2, 2] : memref<4x4xf32> to memref<2x2xf32, strided<[8, 2], offset: ?>>
            %a = memref.load %s[%c1, %c1] : memref<2x2xf32, strided<[8, 2], offset: ?>>
            %r = memref.subview %m[2, 0] [1, 4] [1, 1] : memref<4x4xf32> to memref<4xf32, strided<[1], offset: 8>>
            %b = memref.load %r[%c1] : memref<4xf32, strided<[1], offset: 8>>
            %flat = memref.collapse_shape %m [[0, 1]] : memref<4x4xf32> into memref<16xf32>
            return %a, %b, %s, %flat : f32, f32, memref<2x2xf32, strided<[8, 2], offset: ?>>, memref<16xf32>
        }",
        vec![floats(&[4, 4]), Argument::Int(1)],
        expect![[r#"
            15
            9
            [2, 2] [5, 7, 13, 15]
            [16] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
            memory [4, 4] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]"#]],
    );
}

#[test]
fn errors_of_memory_are_events() {
    check(
        "func.func @f(%m: memref<2xi32>, %i: index) -> (i32, i32) {
            %c0 = arith.constant 0 : index
            %a = memref.load %m[%i] : memref<2xi32>
            %n = memref.alloc() : memref<2xi32>
            %b = memref.load %n[%c0] : memref<2xi32>
            memref.dealloc %n : memref<2xi32>
            %c = memref.load %n[%c0] : memref<2xi32>
            return %a, %c : i32, i32
        }",
        vec![ints(&[1, 2]), Argument::Int(2)],
        expect![[r#"
            0
            0
            memory [2] [1, 2]
            event out-of-bounds
            event uninitialized-read
            event out-of-bounds"#]],
    );
}

#[test]
fn affine_loops_and_maps() {
    check(
        "#map = affine_map<(d0)[s0] -> (d0 + s0, 4)>
        #set = affine_set<(d0) : (d0 - 2 >= 0)>
        func.func @f(%m: memref<8xf32>, %n: index) -> (index, index) {
            affine.for %i = 0 to min #map(%n)[%n] step 2 {
                %v = affine.load %m[%i + 1] : memref<8xf32>
                affine.if #set(%i) {
                    affine.store %v, %m[%i floordiv 2] : memref<8xf32>
                }
            }
            %a = affine.apply affine_map<(d0) -> (d0 mod 3)>(%n)
            %b = affine.max affine_map<(d0) -> (d0, 5)>(%n)
            return %a, %b : index, index
        }",
        vec![floats(&[8]), Argument::Int(4)],
        expect![[r#"
            1
            5
            memory [8] [0, 3, 2, 3, 4, 5, 6, 7]"#]],
    );
}

#[test]
fn vectors_and_transfers() {
    check(
        "func.func @f(%m: memref<3x5xf32>) -> (vector<2x4xf32>, vector<4x2xf32>, f32, vector<2x4xf32>) {
            %c1 = arith.constant 1 : index
            %c2 = arith.constant 2 : index
            %p = arith.constant -1.0 : f32
            %a = vector.transfer_read %m[%c2, %c2], %p : memref<3x5xf32>, vector<2x4xf32>
            %t = vector.transpose %a, [1, 0] : vector<2x4xf32> to vector<4x2xf32>
            %row = vector.extract %a[0] : vector<4xf32> from vector<2x4xf32>
            %s = vector.reduction <add>, %row : vector<4xf32> into f32
            %mask = vector.create_mask %c1, %c2 : vector<2x4xi1>
            %b = vector.transfer_read %m[%c1, %c1], %p, %mask : memref<3x5xf32>, vector<2x4xf32>
            vector.transfer_write %b, %m[%c1, %c1], %mask {in_bounds = [true, true]} : vector<2x4xf32>, memref<3x5xf32>
            return %a, %t, %s, %b : vector<2x4xf32>, vector<4x2xf32>, f32, vector<2x4xf32>
        }",
        vec![floats(&[3, 5])],
        expect![[r#"
            [2, 4] [12, 13, 14, -1, -1, -1, -1, -1]
            [4, 2] [12, -1, 13, -1, 14, -1, -1, -1]
            38
            [2, 4] [6, 7, -1, -1, -1, -1, -1, -1]
            memory [3, 5] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]"#]],
    );
}

#[test]
fn products_of_vectors() {
    check(
        "#a = affine_map<(m, n, k) -> (m, k)>
        #b = affine_map<(m, n, k) -> (k, n)>
        #c = affine_map<(m, n, k) -> (m, n)>
        func.func @f(%m: memref<2x2xf32>) -> (vector<2x2xf32>, vector<2x2xf32>, vector<4xf32>) {
            %i = arith.constant 0 : index
            %x = vector.load %m[%i, %i] : memref<2x2xf32>, vector<2x2xf32>
            %z = arith.constant dense<0.0> : vector<2x2xf32>
            %c = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = [\"parallel\", \"parallel\", \"reduction\"], kind = #vector.kind<add>} %x, %x, %z : vector<2x2xf32>, vector<2x2xf32> into vector<2x2xf32>
            %r = vector.extract %x[1] : vector<2xf32> from vector<2x2xf32>
            %o = vector.outerproduct %r, %r, %x : vector<2xf32>, vector<2xf32>
            %s = vector.shuffle %r, %r [0, 3, 2, 1] : vector<2xf32>, vector<2xf32>
            return %c, %o, %s : vector<2x2xf32>, vector<2x2xf32>, vector<4xf32>
        }",
        vec![floats(&[2, 2])],
        expect![[r#"
            [2, 2] [2, 3, 6, 11]
            [2, 2] [4, 7, 8, 12]
            [4] [2, 3, 2, 3]
            memory [2, 2] [0, 1, 2, 3]"#]],
    );
}

#[test]
fn threads_meet_at_a_barrier() {
    check(
        "func.func @f(%m: memref<4xf32>) {
            %c1 = arith.constant 1 : index
            %c3 = arith.constant 3 : index
            %c4 = arith.constant 4 : index
            gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                       threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1)
                       workgroup(%w : memref<4xf32, 3>) {
                %v = memref.load %m[%tx] : memref<4xf32>
                memref.store %v, %w[%tx] : memref<4xf32, 3>
                gpu.barrier
                %o = arith.subi %c3, %tx : index
                %u = memref.load %w[%o] : memref<4xf32, 3>
                %s = gpu.all_reduce add %v {} : (f32) -> (f32)
                %r = arith.addf %u, %s : f32
                memref.store %r, %m[%tx] : memref<4xf32>
                gpu.terminator
            }
            return
        }",
        vec![floats(&[4])],
        expect!["memory [4] [9, 8, 7, 6]"],
    );
}

#[test]
fn a_kernel_in_a_module_is_launched_by_its_name() {
    check(
        "func.func @f(%m: memref<4xf32>) {
            %c1 = arith.constant 1 : index
            %c2 = arith.constant 2 : index
            gpu.launch_func @kernels::@k blocks in (%c2, %c1, %c1) threads in (%c2, %c1, %c1) args(%m : memref<4xf32>)
            return
        }
        gpu.module @kernels {
            gpu.func @k(%m: memref<4xf32>) kernel {
                %b = gpu.block_id x
                %s = gpu.block_dim x
                %t = gpu.thread_id x
                %0 = arith.muli %b, %s : index
                %1 = arith.addi %0, %t : index
                %v = memref.load %m[%1] : memref<4xf32>
                %w = arith.addf %v, %v : f32
                memref.store %w, %m[%1] : memref<4xf32>
                gpu.return
            }
        }",
        vec![floats(&[4])],
        expect!["memory [4] [0, 2, 4, 6]"],
    );
}

#[test]
fn structured_operations() {
    check(
        "#id = affine_map<(i, j) -> (i, j)>
        #t = affine_map<(i, j) -> (j, i)>
        func.func @f(%a: memref<2x2xf32>, %b: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
            linalg.generic {indexing_maps = [#id], iterator_types = [\"parallel\", \"parallel\"]} outs(%a : memref<2x2xf32>) {
            ^bb0(%x: f32):
                %i = linalg.index 0 : index
                %k = arith.index_cast %i : index to i32
                %f = arith.sitofp %k : i32 to f32
                %s = arith.addf %x, %f : f32
                linalg.yield %s : f32
            }
            %z = arith.constant 0.0 : f32
            %e = tensor.empty() : tensor<2x2xf32>
            %0 = linalg.fill ins(%z : f32) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
            %1 = linalg.matmul ins(%b, %b : tensor<2x2xf32>, tensor<2x2xf32>) outs(%0 : tensor<2x2xf32>) -> tensor<2x2xf32>
            %2 = linalg.transpose ins(%b : tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) permutation = [1, 0]
            return %1, %2 : tensor<2x2xf32>, tensor<2x2xf32>
        }",
        vec![floats(&[2, 2]), floats(&[2, 2])],
        expect![[r#"
            [2, 2] [2, 3, 6, 11]
            [2, 2] [0, 2, 1, 3]
            memory [2, 2] [0, 1, 3, 4]
            memory [2, 2] [0, 1, 2, 3]"#]],
    );
}

#[test]
fn tensors_are_values() {
    check(
        "func.func @f(%a: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<2xf32>, tensor<?xf32>) {
            %c1 = arith.constant 1 : index
            %v = tensor.extract %a[%n] : tensor<?xf32>
            %b = tensor.insert %v into %a[%c1] : tensor<?xf32>
            %s = tensor.extract_slice %a[%c1] [2] [1] : tensor<?xf32> to tensor<2xf32>
            %p = tensor.pad %s low[1] high[%n] {
            ^bb0(%i: index):
                tensor.yield %v : f32
            } : tensor<2xf32> to tensor<?xf32>
            return %b, %s, %p : tensor<?xf32>, tensor<2xf32>, tensor<?xf32>
        }",
        vec![floats(&[4]), Argument::Int(3)],
        expect![[r#"
            [4] [0, 3, 2, 3]
            [2] [1, 2]
            [6] [3, 1, 2, 3, 3, 3]
            memory [4] [0, 1, 2, 3]"#]],
    );
}

#[test]
fn unsupported_operation_is_named() {
    check(
        "func.func @f() { \"mystery.op\"() : () -> () return }",
        vec![],
        expect!["error: mystery.op"],
    );
    check(
        "func.func private @g()\nfunc.func @f() { call @g() : () -> () return }",
        vec![],
        expect!["error: func.call of @g, which has no body here"],
    );
}

#[test]
fn shapes_and_lanes_outside_of_memory_are_not_made_up() {
    let expand = "func.func @f(%m: memref<?xf32>, %i: index) -> f32 {
            %c1 = arith.constant 1 : index
            %c2 = arith.constant 2 : index
            %e = memref.expand_shape %m [[0, 1]] output_shape [%i, 2] : memref<?xf32> into memref<?x2xf32>
            %a = memref.load %e[%c2, %c1] : memref<?x2xf32>
            return %a : f32
        }";
    check(
        expand,
        vec![floats(&[6]), Argument::Int(3)],
        expect![[r#"
        5
        memory [6] [0, 1, 2, 3, 4, 5]"#]],
    );
    check(expand, vec![floats(&[6]), Argument::Int(4)], expect!["error: a shape of another size"]);
    let load = |mask: &str| {
        format!(
            "func.func @f(%m: memref<f32>) -> vector<2xf32> {{
            %mask = arith.constant dense<{mask}> : vector<2xi1>
            %other = arith.constant dense<7.0> : vector<2xf32>
            %a = vector.maskedload %m[], %mask, %other : memref<f32>, vector<2xi1>, vector<2xf32> into vector<2xf32>
            return %a : vector<2xf32>
        }}"
        )
    };
    check(
        &load("[true, false]"),
        vec![floats(&[])],
        expect![[r#"
        [2] [0, 7]
        memory [] [0]"#]],
    );
    check(&load("[true, true]"), vec![floats(&[])], expect!["error: an index outside of memory"]);
}

#[test]
fn a_loop_without_end_ends_at_the_limit() {
    check(
        "func.func @f() { cf.br ^a\n^a: cf.br ^a }",
        vec![],
        expect!["error: the limit of steps is reached"],
    );
}

#[test]
fn memory_that_a_runtime_binds() {
    check(
        "func.func @f() -> f32 {
            %c0 = arith.constant 0 : index
            %c1 = arith.constant 1 : index
            %one = arith.constant 1.0 : f32
            %m = \"hal.interface.binding.subspan\"(%c0) <{binding = 1 : index, operandSegmentSizes = array<i32: 1, 0>}> : (index) -> memref<4xf32>
            %v = memref.load %m[%c1] : memref<4xf32>
            memref.store %one, %m[%c1] : memref<4xf32>
            return %v : f32
        }",
        vec![],
        expect![[r#"
            0.75
            bound 1[6] = 128"#]],
    );
}
