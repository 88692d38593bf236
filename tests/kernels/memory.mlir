memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.5, -3.0, 4.0]>

func.func @globals(%i: index) -> (f32, f32) {
  %zero = arith.constant 0 : index
  %t = memref.get_global @table : memref<4xf32>
  %0 = memref.load %t[%i] : memref<4xf32>
  %1 = memref.load %t[%zero] : memref<4xf32>
  return %0, %1 : f32, f32
}

func.func @forward(%m: memref<4x4xi32>, %i: index, %v: i32) -> i32 {
  %one = arith.constant 1 : index
  %a = memref.load %m[%i, %one] : memref<4x4xi32>
  memref.store %v, %m[%one, %i] : memref<4x4xi32>
  %b = memref.load %m[%i, %one] : memref<4x4xi32>
  %c = memref.load %m[%i, %one] : memref<4x4xi32>
  %d = arith.subi %b, %a : i32
  %e = arith.addi %d, %c : i32
  return %e : i32
}

func.func @views(%m: memref<6x8xf32>, %i: index) -> (f32, f32, index, index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %s = memref.subview %m[%i, 1] [2, 3] [2, 2] : memref<6x8xf32> to memref<2x3xf32, strided<[16, 2], offset: ?>>
  %a = memref.load %s[%one, %one] : memref<2x3xf32, strided<[16, 2], offset: ?>>
  memref.store %a, %s[%zero, %one] : memref<2x3xf32, strided<[16, 2], offset: ?>>
  %r = memref.subview %m[3, 0] [1, 8] [1, 1] : memref<6x8xf32> to memref<8xf32, strided<[1], offset: 24>>
  %b = memref.load %r[%i] : memref<8xf32, strided<[1], offset: 24>>
  %e = memref.expand_shape %m [[0, 1], [2]] output_shape [2, 3, 8] : memref<6x8xf32> into memref<2x3x8xf32>
  %c = memref.load %e[%one, %one, %i] : memref<2x3x8xf32>
  %f = memref.collapse_shape %m [[0, 1]] : memref<6x8xf32> into memref<48xf32>
  memref.store %c, %f[%one] : memref<48xf32>
  %d = memref.dim %s, %one : memref<2x3xf32, strided<[16, 2], offset: ?>>
  %g = memref.dim %e, %zero : memref<2x3x8xf32>
  return %b, %c, %d, %g : f32, f32, index, index
}

func.func @reinterpreted(%m: memref<16xf32>, %n: index) -> (f32, f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %v = memref.reinterpret_cast %m to offset: [%n], sizes: [3, 2], strides: [4, %n] : memref<16xf32> to memref<3x2xf32, strided<[4, ?], offset: ?>>
  %a = memref.load %v[%one, %one] : memref<3x2xf32, strided<[4, ?], offset: ?>>
  %t = memref.transpose %v (i, j) -> (j, i) : memref<3x2xf32, strided<[4, ?], offset: ?>> to memref<2x3xf32, strided<[?, 4], offset: ?>>
  memref.store %a, %t[%one, %zero] : memref<2x3xf32, strided<[?, 4], offset: ?>>
  %b = memref.load %t[%one, %one] : memref<2x3xf32, strided<[?, 4], offset: ?>>
  return %a, %b : f32, f32
}

func.func @allocated(%n: index) -> memref<?xi64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %m = memref.alloc(%n) : memref<?xi64>
  %d = memref.dim %m, %zero : memref<?xi64>
  scf.for %i = %zero to %d step %one {
    %s = memref.alloca() : memref<1xi64>
    %w = arith.index_cast %i : index to i64
    %x = arith.muli %w, %w : i64
    memref.store %x, %s[%zero] : memref<1xi64>
    %y = memref.load %s[%zero] : memref<1xi64>
    memref.store %y, %m[%i] : memref<?xi64>
  }
  return %m : memref<?xi64>
}

func.func @copied(%a: memref<8xf32>, %b: memref<8xf32>) {
  memref.copy %a, %b : memref<8xf32> to memref<8xf32>
  return
}

func.func @atomics(%m: memref<4xi32>, %i: index, %f: memref<4xf32>, %v: i32, %x: f32) -> (i32, f32, i32) {
  %a = memref.atomic_rmw addi %v, %m[%i] : (i32, memref<4xi32>) -> i32
  %b = memref.atomic_rmw addf %x, %f[%i] : (f32, memref<4xf32>) -> f32
  %c = memref.atomic_rmw maxs %v, %m[%i] : (i32, memref<4xi32>) -> i32
  return %a, %b, %c : i32, f32, i32
}

func.func @metadata(%m: memref<?x4xf32, strided<[?, ?], offset: ?>>) -> (index, index, index) {
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %m : memref<?x4xf32, strided<[?, ?], offset: ?>> -> memref<f32>, index, index, index, index, index
  return %offset, %sizes#0, %strides#0 : index, index, index
}
