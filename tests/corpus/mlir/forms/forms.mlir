// Every shape of the table, written by hand; mlir-opt 19 reads it, and forms.generic.mlir is its answer.
#map = affine_map<(d0)[s0] -> (d0 + s0)>
#set = affine_set<(d0)[s0] : (d0 - s0 >= 0)>
memref.global "private" constant @table : memref<4xf32> = dense<[0.0, 1.0, 2.0, 3.0]>
memref.global @later : memref<4xf32> = uninitialized
func.func private @callee(i32, f32) -> (i32, f32)
func.func @arith(%a: i32, %b: i32, %x: f32, %y: f32, %c: i1) -> i32 {
  %0 = arith.addi %a, %b overflow<nsw, nuw> : i32
  %sum, %carry = arith.addui_extended %a, %b : i32, i1
  %1 = arith.cmpf oeq, %x, %y fastmath<nnan> : f32
  %2 = arith.mulf %x, %y fastmath<fast> : f32
  %3 = arith.negf %x : f32
  %4 = arith.select %c, %a, %b : i32
  %5 = arith.truncf %x : f32 to f16
  %6 = arith.extui %c : i1 to i32
  %7 = arith.constant dense<1.0> : vector<4xf32>
  %8 = arith.constant true
  %9 = math.powf %x, %y : f32
  %10 = math.fpowi %x, %a : f32, i32
  %11 = math.ctlz %a : i32
  %12:2 = func.call @callee(%a, %x) : (i32, f32) -> (i32, f32)
  %f = func.constant @callee : (i32, f32) -> (i32, f32)
  %13:2 = func.call_indirect %f(%a, %x) : (i32, f32) -> (i32, f32)
  %14 = index.constant 3
  %15 = index.add %14, %14
  %16 = index.cmp slt(%14, %15)
  %17 = index.casts %a : i32 to index
  %18 = builtin.unrealized_conversion_cast %a : i32 to i64
  %19 = complex.create %x, %y : complex<f32>
  %20 = complex.re %19 : complex<f32>
  %21 = complex.constant [1.0 : f32, 2.0 : f32] : complex<f32>
  cf.assert %c, "message"
  cf.switch %a : i32, [
    default: ^bb1(%a : i32),
    42: ^bb1(%b : i32),
    -7: ^bb2
  ]
^bb1(%p: i32):
  cf.cond_br %c, ^bb2, ^bb1(%p : i32)
^bb2:
  return %a : i32
}
func.func @memref(%m: memref<?x8xf32>, %i: index, %v: f32, %p: memref<4xi32>, %k: i32) {
  %0 = memref.alloc(%i) {alignment = 16 : i64} : memref<?x8xf32>
  %1 = memref.alloca() : memref<4xf32>
  %s = memref.alloc(%i)[%i] : memref<?xf32, affine_map<(d0)[s0] -> (d0 + s0)>>
  %2 = memref.load %m[%i, %i] : memref<?x8xf32>
  memref.store %v, %m[%i, %i] {nontemporal = true} : memref<?x8xf32>
  %3 = memref.dim %m, %i : memref<?x8xf32>
  %4 = memref.subview %m[%i, 0] [2, 4] [1, 1] : memref<?x8xf32> to memref<2x4xf32, strided<[8, 1], offset: ?>>
  %5 = memref.cast %m : memref<?x8xf32> to memref<?x?xf32>
  %6 = memref.get_global @table : memref<4xf32>
  %7 = memref.reinterpret_cast %m to offset: [%i], sizes: [4, %i], strides: [%i, 1] : memref<?x8xf32> to memref<4x?xf32, strided<[?, 1], offset: ?>>
  %8 = memref.atomic_rmw addf %v, %m[%i, %i] : (f32, memref<?x8xf32>) -> f32
  %9 = memref.generic_atomic_rmw %p[%i] : memref<4xi32> {
  ^bb0(%old: i32):
    memref.atomic_yield %old : i32
  }
  %10 = memref.collapse_shape %m [[0, 1]] : memref<?x8xf32> into memref<?xf32>
  %11 = memref.expand_shape %10 [[0, 1]] output_shape [%i, 8] : memref<?xf32> into memref<?x8xf32>
  memref.assume_alignment %m, 16 : memref<?x8xf32>
  memref.copy %0, %m : memref<?x8xf32> to memref<?x8xf32>
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %m : memref<?x8xf32> -> memref<f32>, index, index, index, index, index
  %12 = memref.extract_aligned_pointer_as_index %m : memref<?x8xf32> -> index
  %13 = memref.realloc %1 : memref<4xf32> to memref<8xf32>
  %bytes = memref.alloc() : memref<64xi8>
  %14 = memref.view %bytes[%i][] : memref<64xi8> to memref<4xf32>
  %15 = memref.rank %m : memref<?x8xf32>
  %16 = memref.memory_space_cast %m : memref<?x8xf32> to memref<?x8xf32, 3>
  memref.prefetch %m[%i, %i], read, locality<3>, data : memref<?x8xf32>
  memref.alloca_scope {
    memref.alloca_scope.return
  }
  %t = memref.transpose %m (i, j) -> (j, i) : memref<?x8xf32> to memref<8x?xf32, strided<[1, 8]>>
  memref.dealloc %0 : memref<?x8xf32>
  return
}
func.func @scf(%lb: index, %ub: index, %c: i1, %x: f32, %k: i32) -> f32 {
  %0 = scf.for %i = %lb to %ub step %lb iter_args(%acc = %x) -> (f32) {
    scf.yield %acc : f32
  } {loop.note}
  scf.for %i = %k to %k step %k : i32 {
  }
  %1:2 = scf.if %c -> (f32, i32) {
    scf.yield %x, %k : f32, i32
  } else {
    scf.yield %x, %k : f32, i32
  }
  %2:2 = scf.while (%a = %k, %b = %x) : (i32, f32) -> (f32, i32) {
    scf.condition(%c) %b, %a : f32, i32
  } do {
  ^bb0(%p: f32, %q: i32):
    scf.yield %q, %p : i32, f32
  } attributes {note}
  %3 = scf.parallel (%i, %j) = (%lb, %lb) to (%ub, %ub) step (%lb, %lb) init (%x) -> f32 {
    scf.reduce(%x : f32) {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      scf.reduce.return %s : f32
    }
  }
  scf.parallel (%i) = (%lb) to (%ub) step (%lb) {
  }
  %4 = scf.execute_region -> f32 {
    scf.yield %x : f32
  }
  %5 = scf.index_switch %lb {note} -> f32
  case 2 {
    scf.yield %x : f32
  }
  case 5 {
    scf.yield %x : f32
  }
  default {
    scf.yield %x : f32
  }
  scf.index_switch %lb
  default {
  }
  return %0 : f32
}
func.func @affine(%m: memref<8x8xf32>, %n: index, %v: vector<4xf32>) {
  affine.for %i = max #map(%n)[%n] to min affine_map<(d0) -> (d0, 10)>(%n) step 2 {
    %0 = affine.load %m[%i + 1, symbol(%n) * 2] : memref<8x8xf32>
    affine.store %0, %m[%i floordiv 2, %n mod 4] : memref<8x8xf32>
    %1 = affine.apply #map(%i)[%n]
    %2 = affine.min affine_map<(d0) -> (d0, 5)>(%i)
    affine.if #set(%i)[%n] {
    } else {
    }
    %3 = affine.vector_load %m[%i, %n] : memref<8x8xf32>, vector<4xf32>
    affine.vector_store %v, %m[%i, %n] : memref<8x8xf32>, vector<4xf32>
    affine.prefetch %m[%i, %n + 1], read, locality<2>, data : memref<8x8xf32>
  } {note}
  %sum = affine.for %i = 0 to %n iter_args(%a = %v) -> (vector<4xf32>) {
    affine.yield %a : vector<4xf32>
  }
  affine.parallel (%i, %j) = (0, %n) to (10, min(20, %n)) step (1, 2) {
  }
  %r = affine.parallel (%i) = (0) to (8) reduce ("addf") -> (f32) {
    %z = arith.constant 0.0 : f32
    affine.yield %z : f32
  }
  return
}
func.func @vector(%v: vector<4xf32>, %w: vector<4x4xf32>, %x: f32, %i: index, %m: memref<?xf32>, %k: vector<4xi1>, %t: vector<4xindex>) {
  %0 = vector.broadcast %x : f32 to vector<4xf32>
  %1 = vector.extract %w[0, 1] : f32 from vector<4x4xf32>
  %2 = vector.extract %w[%i] : vector<4xf32> from vector<4x4xf32>
  %3 = vector.insert %x, %w[0, 1] : f32 into vector<4x4xf32>
  %4 = vector.extractelement %v[%i : index] : vector<4xf32>
  %5 = vector.insertelement %x, %v[%i : index] : vector<4xf32>
  %6 = vector.fma %v, %v, %v : vector<4xf32>
  %7 = vector.reduction <add>, %v, %x fastmath<reassoc> : vector<4xf32> into f32
  %8 = vector.multi_reduction <mul>, %w, %v [0] : vector<4x4xf32> to vector<4xf32>
  %9 = vector.shuffle %v, %v [0, 5, 2, 7] : vector<4xf32>, vector<4xf32>
  %10 = vector.transpose %w, [1, 0] : vector<4x4xf32> to vector<4x4xf32>
  %11 = vector.shape_cast %w : vector<4x4xf32> to vector<16xf32>
  %12 = vector.transfer_read %m[%i], %x, %k {in_bounds = [true]} : memref<?xf32>, vector<4xf32>
  vector.transfer_write %v, %m[%i], %k {in_bounds = [true]} : vector<4xf32>, memref<?xf32>
  %13 = vector.load %m[%i] : memref<?xf32>, vector<4xf32>
  vector.store %v, %m[%i] : memref<?xf32>, vector<4xf32>
  %14 = vector.maskedload %m[%i], %k, %v : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.maskedstore %m[%i], %k, %v : memref<?xf32>, vector<4xi1>, vector<4xf32>
  %15 = vector.gather %m[%i] [%t], %k, %v : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.scatter %m[%i] [%t], %k, %v : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
  %16 = vector.expandload %m[%i], %k, %v : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.compressstore %m[%i], %k, %v : memref<?xf32>, vector<4xi1>, vector<4xf32>
  %17 = vector.create_mask %i : vector<4xi1>
  %18 = vector.constant_mask [3] : vector<4xi1>
  %19 = vector.mask %k { vector.reduction <add>, %v : vector<4xf32> into f32 } : vector<4xi1> -> f32
  %20 = vector.outerproduct %v, %v, %w {kind = #vector.kind<add>} : vector<4xf32>, vector<4xf32>
  %21 = vector.contract {indexing_maps = [affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>} %v, %w, %v : vector<4xf32>, vector<4x4xf32> into vector<4xf32>
  %22 = vector.splat %x : vector<4xf32>
  %23 = vector.bitcast %v : vector<4xf32> to vector<4xi32>
  %24 = vector.interleave %v, %v : vector<4xf32> -> vector<8xf32>
  %25, %26 = vector.deinterleave %24 : vector<8xf32> -> vector<4xf32>
  %27 = vector.step : vector<4xindex>
  %28 = vector.vscale
  %29, %30 = vector.scan <add>, %w, %v {inclusive = false, reduction_dim = 0 : i64} : vector<4x4xf32>, vector<4xf32>
  %31 = vector.extract_strided_slice %v {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  %32 = vector.insert_strided_slice %31, %v {offsets = [0], strides = [1]} : vector<2xf32> into vector<4xf32>
  %sv = arith.constant dense<0.0> : vector<[4]xf32>
  %34 = vector.scalable.insert %v, %sv[0] : vector<4xf32> into vector<[4]xf32>
  %35 = vector.scalable.extract %sv[0] : vector<4xf32> from vector<[4]xf32>
  %36 = vector.from_elements %x, %x : vector<2xf32>
  return
}
func.func @tensor(%t: tensor<?x4xf32>, %i: index, %x: f32, %u: tensor<2x4xf32>, %s: tensor<2xindex>, %ix: tensor<1x1xindex>) -> tensor<?x4xf32> {
  %0 = tensor.empty(%i) : tensor<?x4xf32>
  %1 = tensor.extract %t[%i, %i] : tensor<?x4xf32>
  %2 = tensor.insert %x into %t[%i, %i] : tensor<?x4xf32>
  %3 = tensor.extract_slice %t[%i, 0] [2, 4] [1, 1] : tensor<?x4xf32> to tensor<2x4xf32>
  %4 = tensor.insert_slice %3 into %t[0, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<?x4xf32>
  %5 = tensor.cast %t : tensor<?x4xf32> to tensor<?x?xf32>
  %6 = tensor.dim %t, %i : tensor<?x4xf32>
  %7 = tensor.collapse_shape %t [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %8 = tensor.expand_shape %7 [[0, 1]] output_shape [%i, 4] : tensor<?xf32> into tensor<?x4xf32>
  %9 = tensor.from_elements %x, %x : tensor<2xf32>
  %10 = tensor.splat %x : tensor<4xf32>
  %11 = tensor.generate %i {
  ^bb0(%a: index, %b: index):
    tensor.yield %x : f32
  } : tensor<?x4xf32>
  %12 = tensor.pad %t low[%i, 0] high[0, 1] {
  ^bb0(%a: index, %b: index):
    tensor.yield %x : f32
  } : tensor<?x4xf32> to tensor<?x5xf32>
  %13 = tensor.concat dim(0) %u, %u : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %14 = tensor.reshape %t(%s) : (tensor<?x4xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  %15 = tensor.rank %t : tensor<?x4xf32>
  %16 = tensor.gather %u[%ix] gather_dims([0]) : (tensor<2x4xf32>, tensor<1x1xindex>) -> tensor<1x1x4xf32>
  %17 = tensor.bitcast %u : tensor<2x4xf32> to tensor<2x4xi32>
  %18 = bufferization.alloc_tensor() copy(%u) : tensor<2x4xf32>
  %19 = bufferization.to_memref %u : memref<2x4xf32>
  %20 = bufferization.to_tensor %19 restrict : memref<2x4xf32>
  %21 = bufferization.clone %19 : memref<2x4xf32> to memref<2x4xf32>
  %pk = tensor.empty() : tensor<1x1x2x4xf32>
  %22 = tensor.pack %u inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %pk : tensor<2x4xf32> -> tensor<1x1x2x4xf32>
  %23 = tensor.unpack %22 inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %u : tensor<1x1x2x4xf32> -> tensor<2x4xf32>
  return %t : tensor<?x4xf32>
}
func.func @linalg(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>, %x: f32, %v: tensor<4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.fill ins(%x : f32) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.matmul {note} ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%0 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) attrs = {note} {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    linalg.yield %in : f32
  } -> tensor<4x4xf32>
  %3 = linalg.transpose ins(%c : tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) permutation = [1, 0]
  %4 = linalg.broadcast ins(%v : tensor<4xf32>) outs(%c : tensor<4x4xf32>) dimensions = [0]
  %5 = linalg.reduce ins(%c : tensor<4x4xf32>) outs(%v : tensor<4xf32>) dimensions = [1]
    (%in: f32, %init: f32) {
      %s = arith.addf %in, %init : f32
      %p = arith.mulf %s, %init : f32
      linalg.yield %p : f32
    }
  %6 = linalg.reduce { arith.addf } ins(%c : tensor<4x4xf32>) outs(%v : tensor<4xf32>) dimensions = [1]
  %7 = linalg.map { math.absf } ins(%c : tensor<4x4xf32>) outs(%c : tensor<4x4xf32>)
  %8 = linalg.elemwise_unary {fun = #linalg.unary_fn<exp>} ins(%c : tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  %9 = linalg.softmax dimension(1) ins(%c : tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
gpu.module @kernels [#nvvm.target<chip = "sm_90">] attributes {note} {
  gpu.func @kernel(%m: memref<32xf32>) workgroup(%shared: memref<32xf32, 3>) private(%own: memref<1xf32, 5>) kernel attributes {note} {
    %x = gpu.thread_id x
    %y = gpu.block_id y upper_bound 64
    %l = gpu.lane_id
    %c = arith.constant 1 : i32
    %v = memref.load %m[%x] : memref<32xf32>
    %s, %ok = gpu.shuffle xor %v, %c, %c : f32
    %r = gpu.all_reduce add %v {} : (f32) -> f32
    %q = gpu.subgroup_reduce add %v uniform : (f32) -> f32
    gpu.barrier
    gpu.printf "%f" %v : f32
    %d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    gpu.return
  }
}
func.func @host(%n: index, %m: memref<32xf32>, %c: i32) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) dynamic_shared_memory_size %c {
    gpu.terminator
  }
  %t0 = gpu.wait async
  %a, %t1 = gpu.alloc async [%t0] () : memref<32xf32>
  %t2 = gpu.memcpy async [%t1] %a, %m : memref<32xf32>, memref<32xf32>
  gpu.dealloc %a : memref<32xf32>
  gpu.wait [%t2]
  return
}
llvm.mlir.global internal constant @text("hello\00") {addr_space = 0 : i32} : !llvm.array<6 x i8>
llvm.mlir.global external @value() : i32 {
  %0 = llvm.mlir.constant(1 : i32) : i32
  llvm.return %0 : i32
}
llvm.func @printf(!llvm.ptr, ...) -> i32
llvm.func internal @llvm(%a: i32, %p: !llvm.ptr {llvm.noalias}, %c: i1, %x: f32) -> (i32 {llvm.noundef}) attributes {passthrough = ["nounwind"]} {
  %0 = llvm.add %a, %a overflow<nsw> : i32
  %1 = llvm.icmp "eq" %a, %a : i32
  %2 = llvm.fcmp "olt" %x, %x {fastmathFlags = #llvm.fastmath<fast>} : f32
  %3 = llvm.load volatile %p {alignment = 4 : i64} : !llvm.ptr -> i32
  %4 = llvm.load %p atomic monotonic {alignment = 4 : i64} : !llvm.ptr -> i32
  llvm.store %a, %p {nontemporal} : i32, !llvm.ptr
  %5 = llvm.getelementptr inbounds %p[%a, 1] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.struct<(i32, array<4 x f32>)>
  %6 = llvm.alloca %a x f32 {alignment = 8 : i64} : (i32) -> !llvm.ptr
  %7 = llvm.call @printf(%p, %a) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i32) -> i32
  %8 = llvm.mlir.addressof @text : !llvm.ptr
  %9 = llvm.call %8(%a) : !llvm.ptr, (i32) -> i32
  %10 = llvm.mlir.undef : !llvm.struct<(i32, f32)>
  %11 = llvm.insertvalue %a, %10[0] : !llvm.struct<(i32, f32)>
  %12 = llvm.extractvalue %11[0] : !llvm.struct<(i32, f32)>
  %13 = llvm.select %c, %a, %a : i1, i32
  %14 = llvm.zext %c : i1 to i32
  %15 = llvm.intr.fma(%x, %x, %x) : (f32, f32, f32) -> f32
  %16 = llvm.atomicrmw add %p, %a monotonic : !llvm.ptr, i32
  %17 = llvm.cmpxchg %p, %a, %a acq_rel monotonic : !llvm.ptr, i32
  %18 = llvm.fneg %x : f32
  %19 = llvm.freeze %a : i32
  %20 = llvm.mlir.zero : !llvm.ptr
  llvm.switch %a : i32, ^bb1(%a : i32) [
    1: ^bb1(%0 : i32),
    2: ^bb2
  ]
^bb1(%q: i32):
  llvm.cond_br %c weights([5, 11]), ^bb2, ^bb2
^bb2:
  llvm.unreachable
}
