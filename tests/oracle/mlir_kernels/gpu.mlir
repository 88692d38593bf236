// Kernels: a region of a function, and functions of modules with what launches them.

func.func @saxpy(%x: memref<64xf32>, %y: memref<64xf32>, %s: f32) {
  %c8 = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c8, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) {
    %0 = arith.muli %bx, %sx : index
    %1 = arith.addi %0, %tx : index
    %2 = memref.load %x[%1] : memref<64xf32>
    %3 = memref.load %y[%1] : memref<64xf32>
    %4 = arith.mulf %2, %s : f32
    %5 = arith.addf %4, %3 : f32
    memref.store %5, %y[%1] : memref<64xf32>
    gpu.terminator
  }
  return
}

// -----

// What is read before a write stays what it was.
func.func @swap(%x: memref<8xi32>, %y: memref<8xi32>) {
  %c8 = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) {
    %a = memref.load %x[%tx] : memref<8xi32>
    %b = memref.load %y[%tx] : memref<8xi32>
    memref.store %b, %x[%tx] : memref<8xi32>
    memref.store %a, %y[%tx] : memref<8xi32>
    gpu.terminator
  }
  return
}

// -----

gpu.module @kernels {
  gpu.func @row_sums(%a: memref<8x?xf32>, %out: memref<8xf32>, %step: index)
      workgroup(%w: memref<8xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 8, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %x = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %zero = arith.constant 0.0 : f32
    %n = memref.dim %a, %c1 : memref<8x?xf32>
    %by = arith.addi %step, %c1 : index
    %sum = scf.for %i = %c0 to %n step %by iter_args(%acc = %zero) -> (f32) {
      %v = memref.load %a[%x, %i] : memref<8x?xf32>
      %next = arith.addf %acc, %v : f32
      scf.yield %next : f32
    }
    memref.store %sum, %w[%x] : memref<8xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %other = arith.subi %c7, %x : index
    %o = memref.load %w[%other] : memref<8xf32, #gpu.address_space<workgroup>>
    %larger = arith.maximumf %sum, %o : f32
    memref.store %larger, %out[%x] : memref<8xf32>
    gpu.return
  }
  gpu.func @integers(%a: memref<8xi32>, %b: memref<8xi32>, %s: memref<8xi8>)
      kernel attributes {known_block_size = array<i32: 4, 2, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %x = gpu.thread_id x
    %y = gpu.thread_id y
    %w = gpu.block_dim x
    %0 = arith.muli %y, %w : index
    %i = arith.addi %0, %x : index
    %c3 = arith.constant 3 : i32
    %c1 = arith.constant 1 : i32
    %p = memref.load %a[%i] : memref<8xi32>
    %q = memref.load %b[%i] : memref<8xi32>
    %1 = arith.muli %p, %q : i32
    %2 = arith.shrui %1, %c3 : i32
    %3 = arith.xori %2, %p : i32
    %4 = arith.cmpi ult, %3, %q : i32
    %5 = arith.minui %p, %q : i32
    %6 = arith.select %4, %3, %5 : i32
    %odd = arith.ori %q, %c1 : i32
    %7 = arith.remui %6, %odd : i32
    memref.store %7, %a[%i] : memref<8xi32>
    %t = memref.load %s[%i] : memref<8xi8>
    %u = arith.addi %t, %t : i8
    %v = arith.extui %u : i8 to i32
    %8 = arith.floordivsi %v, %c3 : i32
    %9 = arith.ceildivsi %8, %c3 : i32
    memref.store %9, %b[%i] : memref<8xi32>
    gpu.return
  }
  gpu.func @floats(%a: memref<16xf32>, %b: memref<16xf32>)
      kernel attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %x = gpu.thread_id x
    %p = memref.load %a[%x] : memref<16xf32>
    %q = memref.load %b[%x] : memref<16xf32>
    %0 = arith.maximumf %p, %q : f32
    %1 = arith.minimumf %p, %q : f32
    %2 = arith.maxnumf %p, %q : f32
    %3 = arith.cmpf ult, %p, %q : f32
    %4 = arith.select %3, %0, %1 : f32
    %5 = arith.cmpf one, %p, %q : f32
    %6 = scf.if %5 -> (f32) {
      %n = arith.negf %4 : f32
      scf.yield %n : f32
    } else {
      scf.yield %2 : f32
    }
    memref.store %6, %a[%x] : memref<16xf32>
    memref.store %4, %b[%x] : memref<16xf32>
    gpu.return
  }
  gpu.func @collatz(%a: memref<8xi32>)
      kernel attributes {known_block_size = array<i32: 8, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %x = gpu.thread_id x
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %first = memref.load %a[%x] : memref<8xi32>
    %last, %steps = scf.while (%at = %first, %n = %zero) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi sgt, %at, %one : i32
      scf.condition(%more) %at, %n : i32, i32
    } do {
    ^bb0(%at: i32, %n: i32):
      %half = arith.divsi %at, %two : i32
      %next = arith.addi %n, %one : i32
      scf.yield %half, %next : i32, i32
    }
    %sum = arith.addi %last, %steps : i32
    memref.store %sum, %a[%x] : memref<8xi32>
    gpu.return
  }
  gpu.func @part(%a: memref<8x16xf32, strided<[?, ?], offset: ?>>, %at: index)
      private(%p: memref<4xf32, #gpu.address_space<private>>)
      kernel attributes {known_block_size = array<i32: 4, 1, 1>, known_grid_size = array<i32: 2, 1, 1>} {
    %x = gpu.thread_id x
    %b = gpu.block_id x
    %row = arith.addi %b, %at : index
    %0 = memref.subview %a[%row, 2] [1, 4] [1, 3]
      : memref<8x16xf32, strided<[?, ?], offset: ?>> to memref<4xf32, strided<[?], offset: ?>>
    %v = memref.load %0[%x] : memref<4xf32, strided<[?], offset: ?>>
    memref.store %v, %p[%x] : memref<4xf32, #gpu.address_space<private>>
    %w = memref.load %p[%x] : memref<4xf32, #gpu.address_space<private>>
    %r = math.sqrt %w : f32
    memref.store %r, %0[%x] : memref<4xf32, strided<[?], offset: ?>>
    gpu.return
  }
}
