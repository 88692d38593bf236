//! Kernels of MLIR and their converted form, as TVMScript.

use expect_test::{Expect, expect};
use frontend::mlir::{UnitKind, lower_file};
use ir::Body;

use super::kernels;

/// The kernels of a text, or their refusals.
fn converted(text: &str) -> String {
    let (mut functions, mut frame): (Vec<Body>, Option<Body>) = (Vec::new(), None);
    lower_file(text, frontend::mlir::Shapes::builtin(), &mut |unit| match unit.kind {
        UnitKind::Frame => frame = Some(unit.lowered.body),
        _ => functions.push(unit.lowered.body),
    });
    let functions: Vec<&Body> = functions.iter().collect();
    let mut out = String::new();
    for it in kernels(&functions, frame.as_ref()) {
        match it.kernel {
            Ok(kernel) => {
                ir::verify::assert_valid(&kernel.body);
                out.push_str(&ir::print::tvmscript(&kernel.body, 0));
            }
            Err(refusal) => {
                out.push_str(&format!("{}: {} [{}]\n", it.name, refusal.detail, refusal.reason));
            }
        }
    }
    out
}

#[track_caller]
fn check(text: &str, expect: Expect) {
    expect.assert_eq(&converted(text));
}

#[test]
fn a_launch_takes_what_it_uses() {
    check(
        r#"func.func @add(%a: memref<64xf32>, %n: index) {
            %c8 = arith.constant 8 : index
            %c1 = arith.constant 1 : index
            gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
                       threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) {
              %0 = arith.muli %bx, %sx : index
              %1 = arith.addi %0, %tx : index
              %2 = memref.load %a[%1] : memref<64xf32>
              %3 = arith.addf %2, %2 : f32
              memref.store %3, %a[%1] : memref<64xf32>
              gpu.terminator
            }
            return
        }"#,
        expect![[r#"
            @T.prim_func
            def add(a: T.Buffer((T.int64(64),), "float32"), grid_x: T.int64):
                bx = T.launch_thread("blockIdx.x", grid_x)
                tx = T.launch_thread("threadIdx.x", T.int64(8))
                v1: T.let[T.int64] = bx * T.int64(8) + tx
                v2: T.let[T.float32] = a[v1]
                a[v1] = v2 + v2
        "#]],
    );
}

#[test]
fn a_kernel_has_the_sizes_of_its_launches() {
    check(
        r#"module attributes {gpu.container_module} {
          gpu.module @m {
            gpu.func @k(%a: memref<?x4xf32, strided<[?, 1], offset: ?>>, %n: i32) kernel {
              %x = gpu.thread_id x
              %y = gpu.block_dim x
              %c1 = arith.constant 1 : i32
              %0 = arith.addi %n, %c1 : i32
              %1 = arith.sitofp %0 : i32 to f32
              memref.store %1, %a[%y, %x] : memref<?x4xf32, strided<[?, 1], offset: ?>>
              gpu.return
            }
          }
          gpu.module @other {
            gpu.func @k(%a: memref<4xf32>) kernel {
              gpu.return
            }
          }
          func.func @f(%a: memref<?x4xf32, strided<[?, 1], offset: ?>>, %n: i32, %m: index) {
            %c4 = arith.constant 4 : index
            %c1 = arith.constant 1 : index
            gpu.launch_func @m::@k blocks in (%m, %c1, %c1) threads in (%c4, %c1, %c1)
              args(%a : memref<?x4xf32, strided<[?, 1], offset: ?>>, %n : i32)
            return
          }
        }"#,
        expect![[r#"
            @T.prim_func
            def m_k(a: T.Buffer(("a_dim0", T.int64(4)), "float32", strides=("a_stride0", T.int64(1)), elem_offset="a_offset"), n: T.int32, grid_x: T.int64):
                a_dim0 = T.int64(is_size_var=True)
                a_stride0 = T.int64()
                a_offset = T.int64()
                bx = T.launch_thread("blockIdx.x", grid_x)
                tx = T.launch_thread("threadIdx.x", T.int64(4))
                a[T.int64(4), tx] = T.Cast("float32", T.Cast("int32", T.Cast("uint32", n) + T.uint32(1)))
            other_k: nothing in the file launches it, and it has no known_block_size [unknown-launch]
        "#]],
    );
}

#[test]
fn loop_carried_value_is_local_memory() {
    check(
        r#"gpu.module @m {
            gpu.func @k(%a: memref<8x8xf32>, %s: index) workgroup(%w: memref<8xf32, #gpu.address_space<workgroup>>)
                kernel attributes {known_block_size = array<i32: 8, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
              %x = gpu.thread_id x
              %c0 = arith.constant 0 : index
              %c8 = arith.constant 8 : index
              %zero = arith.constant 0.0 : f32
              %sum = scf.for %i = %c0 to %c8 step %s iter_args(%acc = %zero) -> (f32) {
                %v = memref.load %a[%x, %i] : memref<8x8xf32>
                %next = arith.addf %acc, %v : f32
                scf.yield %next : f32
              }
              %isPos = arith.cmpf ogt, %sum, %zero : f32
              %r = scf.if %isPos -> (f32) {
                scf.yield %sum : f32
              } else {
                %q = arith.negf %sum : f32
                scf.yield %q : f32
              }
              memref.store %r, %w[%x] : memref<8xf32, #gpu.address_space<workgroup>>
              gpu.barrier
              %row = memref.subview %a[%x, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<8xf32, strided<[1], offset: ?>>
              %f = memref.load %w[%c0] : memref<8xf32, #gpu.address_space<workgroup>>
              memref.store %f, %row[%c0] : memref<8xf32, strided<[1], offset: ?>>
              gpu.return
            }
          }"#,
        expect![[r#"
            @T.prim_func
            def m_k(a: T.Buffer((T.int64(8), T.int64(8)), "float32"), s: T.int64):
                bx = T.launch_thread("blockIdx.x", T.int64(1))
                tx = T.launch_thread("threadIdx.x", T.int64(8))
                w = T.alloc_shared((T.int64(8),))
                acc_cell = T.alloc_local((1,))
                acc_cell[0] = T.float32(0.0)
                for i in range((T.int64(8) + (s - T.int64(1))) // s):
                    i_1: T.let[T.int64] = i * s
                    acc: T.let[T.float32] = acc_cell[0]
                    v: T.let[T.float32] = a[tx, i_1]
                    acc_cell[0] = acc + v
                sum: T.let[T.float32] = acc_cell[0]
                r_cell = T.alloc_local((1,))
                if sum > T.float32(0.0):
                    r_cell[0] = sum
                else:
                    r_cell[0] = sum * T.float32(-1.0)
                r: T.let[T.float32] = r_cell[0]
                w[tx] = r
                T.tvm_storage_sync("shared")
                f: T.let[T.float32] = w[T.int64(0)]
                a[tx, T.int64(0)] = f
        "#]],
    );
}

#[test]
fn integers_wrap_and_floats_know_nan() {
    check(
        r#"gpu.module @m {
            gpu.func @k(%a: memref<8xi32>, %f: memref<8xf32>, %n: i32, %b: f32)
                kernel attributes {known_block_size = array<i32: 1, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
              %c0 = arith.constant 0 : index
              %0 = arith.addi %n, %n overflow<nsw> : i32
              %1 = arith.muli %0, %n : i32
              %2 = arith.shrui %1, %n : i32
              memref.store %2, %a[%c0] : memref<8xi32>
              %3 = arith.cmpi ult, %n, %0 : i32
              %4 = arith.extui %3 : i1 to i32
              memref.store %4, %a[%c0] : memref<8xi32>
              %v = memref.load %f[%c0] : memref<8xf32>
              %5 = arith.maximumf %v, %b fastmath<nsz> : f32
              memref.store %5, %f[%c0] : memref<8xf32>
              %6 = arith.cmpf ult, %v, %b : f32
              %7 = arith.select %6, %v, %b : f32
              memref.store %7, %f[%c0] : memref<8xf32>
              gpu.return
            }
          }"#,
        expect![[r#"
            @T.prim_func
            def m_k(a: T.Buffer((T.int64(8),), "int32"), f: T.Buffer((T.int64(8),), "float32"), n: T.int32, b: T.float32):
                bx = T.launch_thread("blockIdx.x", T.int64(1))
                tx = T.launch_thread("threadIdx.x", T.int64(1))
                v0: T.let[T.int32] = n + n
                a[T.int64(0)] = T.Cast("int32", T.Cast("uint32", T.Cast("int32", T.Cast("uint32", v0) * T.Cast("uint32", n))) >> T.Cast("uint32", n))
                a[T.int64(0)] = T.Cast("int32", T.Cast("uint32", n) < T.Cast("uint32", v0))
                v: T.let[T.float32] = f[T.int64(0)]
                f[T.int64(0)] = T.Select(T.isnan(v), v, T.max(v, b))
                f[T.int64(0)] = T.Select(not v >= b, v, b)
        "#]],
    );
}

#[test]
fn unsupported_operation_is_refused_by_name() {
    check(
        r#"gpu.module @m {
            gpu.func @shuffle(%a: memref<8xf32>, %o: i32, %v: f32)
                kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
              %r, %p = gpu.shuffle xor %v, %o, %o : f32
              gpu.return
            }
            gpu.func @unlaunched(%a: memref<8xf32>) kernel {
              gpu.return
            }
            gpu.func @branches(%c: i1) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
              cf.cond_br %c, ^a, ^b
            ^a:
              gpu.return
            ^b:
              gpu.return
            }
            gpu.func @vectors(%a: memref<8xvector<4xf32>>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
              gpu.return
            }
          }"#,
        expect![[r#"
            m_shuffle: `gpu.shuffle` is not written as statements [operation]
            m_unlaunched: nothing in the file launches it, and it has no known_block_size [unknown-launch]
            m_branches: blocks with branches between them [branches]
            m_vectors: memory of type `memref<8xvector<4xf32>>` [type]
        "#]],
    );
}
