// barrier0
func.func @f(%i: index, %o: memref<2xf32>, %c: index) {
  %a = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  %0 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  nvvm.barrier0
  %1 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  memref.store %0, %o[%i] : memref<2xf32>
  memref.store %1, %o[%c] : memref<2xf32>
  return
}
// -----
// barrier with operands
func.func @f(%i: index, %o: memref<2xf32>, %c: index, %n: i32) {
  %a = memref.alloc() : memref<8xf32, 3>
  %0 = memref.load %a[%i] : memref<8xf32, 3>
  nvvm.barrier id = %n number_of_threads = %n
  %1 = memref.load %a[%i] : memref<8xf32, 3>
  memref.store %0, %o[%i] : memref<2xf32>
  memref.store %1, %o[%c] : memref<2xf32>
  return
}
// -----
// wave barrier, memory of the function
func.func @f(%i: index, %a: memref<8xf32>) -> (f32, f32) {
  %0 = memref.load %a[%i] : memref<8xf32>
  rocdl.s.barrier
  %1 = memref.load %a[%i] : memref<8xf32>
  return %0, %1 : f32, f32
}
// -----
// barrier in its generic form, memory that does not escape
func.func @f(%i: index) -> (f32, f32) {
  %a = memref.alloca() : memref<8xf32, #gpu.address_space<workgroup>>
  %0 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  "rocdl.barrier"() : () -> ()
  %1 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  return %0, %1 : f32, f32
}
// -----
// barrier of the gpu dialect
func.func @f(%i: index) -> (f32, f32) {
  %a = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  %0 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  gpu.barrier
  %1 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  return %0, %1 : f32, f32
}
// -----
// a view of workgroup memory
func.func @f(%i: index) -> (f32, f32) {
  %a = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  %v = memref.cast %a : memref<8xf32, #gpu.address_space<workgroup>> to memref<?xf32, #gpu.address_space<workgroup>>
  %0 = memref.load %v[%i] : memref<?xf32, #gpu.address_space<workgroup>>
  amdgpu.lds_barrier
  %1 = memref.load %v[%i] : memref<?xf32, #gpu.address_space<workgroup>>
  return %0, %1 : f32, f32
}
// -----
// a barrier in a loop
func.func @f(%i: index, %n: index) -> (f32, f32) {
  %z = arith.constant 0 : index
  %s = arith.constant 1 : index
  %a = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  %0 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  scf.for %k = %z to %n step %s {
    nvvm.barrier0
  }
  %1 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  return %0, %1 : f32, f32
}
// -----
// a barrier in one arm
func.func @f(%i: index, %p: i1) -> (f32, f32) {
  %a = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  %0 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  scf.if %p {
    rocdl.barrier
  }
  %1 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  return %0, %1 : f32, f32
}
// -----
// an operation that nobody knows
func.func @f(%i: index) -> (f32, f32) {
  %a = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  %0 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  "mine.sync"() : () -> ()
  %1 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  return %0, %1 : f32, f32
}
// -----
// an operation that nobody knows, in a form that nobody knows
func.func @f(%i: index) -> (f32, f32) {
  %a = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  %0 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  mine.sync all [1, 2] -> "wave"
  %1 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  return %0, %1 : f32, f32
}
// -----
// a call of a private function, which may hold a barrier
func.func private @sync()
func.func @f(%i: index) -> (f32, f32) {
  %a = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  %0 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  func.call @sync() : () -> ()
  %1 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  return %0, %1 : f32, f32
}
// -----
// a call of LLVM
llvm.func @sync()
func.func @f(%i: index) -> (f32, f32) {
  %a = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  %0 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  llvm.call @sync() : () -> ()
  %1 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  return %0, %1 : f32, f32
}
// -----
// a fence
func.func @f(%i: index) -> (f32, f32) {
  %a = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  %0 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  llvm.fence seq_cst
  %1 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  return %0, %1 : f32, f32
}
// -----
// an atomic of other memory, which may be the flag that another thread sets
func.func @f(%i: index, %flag: memref<1xi32>, %v: i32) -> (f32, f32, i32) {
  %a = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  %0 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  %w = memref.atomic_rmw addi %v, %flag[%i] : (i32, memref<1xi32>) -> i32
  %1 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  return %0, %1, %w : f32, f32, i32
}
// -----
// an acquiring load of other memory
func.func @f(%i: index, %flag: !llvm.ptr) -> (f32, f32, i32) {
  %a = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  %0 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  %w = llvm.load %flag atomic acquire {alignment = 4 : i64} : !llvm.ptr -> i32
  %1 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  return %0, %1, %w : f32, f32, i32
}
// -----
// memory that an asynchronous region captures
func.func private @ext()
func.func @f(%i: index, %v: f32) -> (f32, f32) {
  %a = memref.alloc() : memref<8xf32>
  %t = async.execute {
    func.call @ext() : () -> ()
    memref.store %v, %a[%i] : memref<8xf32>
    async.yield
  }
  %0 = memref.load %a[%i] : memref<8xf32>
  async.await %t : !async.token
  %1 = memref.load %a[%i] : memref<8xf32>
  return %0, %1 : f32, f32
}
// -----
// a view of memory that an asynchronous region captures
func.func @f(%i: index, %v: f32) -> (f32, f32) {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.cast %a : memref<8xf32> to memref<?xf32>
  %t = async.execute {
    memref.store %v, %b[%i] : memref<?xf32>
    async.yield
  }
  %0 = memref.load %a[%i] : memref<8xf32>
  async.await %t : !async.token
  %1 = memref.load %a[%i] : memref<8xf32>
  return %0, %1 : f32, f32
}
// -----
// two groups of tasks
func.func @f(%n: index, %t: !async.token, %u: !async.token) -> (index, index) {
  %g = async.create_group %n : !async.group
  %h = async.create_group %n : !async.group
  %0 = async.add_to_group %t, %g : !async.token
  %1 = async.add_to_group %u, %h : !async.token
  async.await_all %g
  async.await_all %h
  return %0, %1 : index, index
}
// -----
// two groups of tasks, in the generic form
func.func @f(%n: index, %t: !async.token, %u: !async.token) -> (index, index) {
  %g = "async.create_group"(%n) : (index) -> !async.group
  %h = "async.create_group"(%n) : (index) -> !async.group
  %0 = "async.add_to_group"(%t, %g) : (!async.token, !async.group) -> index
  %1 = "async.add_to_group"(%u, %h) : (!async.token, !async.group) -> index
  return %0, %1 : index, index
}
// -----
// memory of the host that a kernel writes while it runs
func.func @f(%i: index, %n: index, %v: f32) -> (f32, f32) {
  %a = memref.alloc() : memref<8xf32>
  %0 = memref.load %a[%i] : memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    memref.store %v, %a[%tx] : memref<8xf32>
    gpu.terminator
  }
  %1 = memref.load %a[%i] : memref<8xf32>
  return %0, %1 : f32, f32
}
// -----
// a barrier in a kernel, memory of the host
func.func @f(%i: index, %n: index, %o: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %0 = memref.load %a[%i] : memref<8xf32>
    gpu.barrier
    %1 = memref.load %a[%i] : memref<8xf32>
    memref.store %0, %o[%tx] : memref<8xf32>
    memref.store %1, %o[%ty] : memref<8xf32>
    gpu.terminator
  }
  return
}
// -----
// workgroup attributions of a kernel
gpu.module @m {
  gpu.func @k(%i: index, %v: f32, %o: memref<2xf32>) workgroup(%a : memref<8xf32, #gpu.address_space<workgroup>>) kernel {
    %0 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
    amdgpu.lds_barrier
    %1 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
    memref.store %0, %o[%i] : memref<2xf32>
    gpu.barrier
    memref.store %1, %o[%i] : memref<2xf32>
    gpu.return
  }
}
// -----
// a parallel loop of an unknown dialect that captures memory
func.func @f(%i: index, %v: f32) -> (f32, f32) {
  %a = memref.alloc() : memref<8xf32>
  omp.parallel {
    %0 = memref.load %a[%i] : memref<8xf32>
    omp.barrier
    %1 = memref.load %a[%i] : memref<8xf32>
    "mine.use"(%0, %1) : (f32, f32) -> ()
    omp.terminator
  }
  %2 = memref.load %a[%i] : memref<8xf32>
  "omp.taskwait"() : () -> ()
  %3 = memref.load %a[%i] : memref<8xf32>
  return %2, %3 : f32, f32
}
// -----
// iterations that run at once, and an operation that may order them
func.func @f(%n: index, %o: memref<2xf32>) {
  %z = arith.constant 0 : index
  %s = arith.constant 1 : index
  %a = memref.alloc() : memref<8xf32>
  scf.parallel (%k) = (%z) to (%n) step (%s) {
    %0 = memref.load %a[%z] : memref<8xf32>
    "mine.sync"() : () -> ()
    %1 = memref.load %a[%z] : memref<8xf32>
    memref.store %0, %o[%k] : memref<2xf32>
    memref.store %1, %o[%s] : memref<2xf32>
    scf.reduce
  }
  return
}
// -----
// threads of a structured loop
func.func @f(%n: index, %o: memref<2xf32>) {
  %a = memref.alloc() : memref<8xf32>
  scf.forall (%k) in (%n) {
    %0 = memref.load %a[%n] : memref<8xf32>
    gpu.barrier
    %1 = memref.load %a[%n] : memref<8xf32>
    memref.store %0, %o[%k] : memref<2xf32>
    memref.store %1, %o[%n] : memref<2xf32>
  }
  return
}
// -----
// a copy that another engine makes
func.func @f(%i: index, %src: memref<8xf32>, %n: index) -> (f32, f32) {
  %a = memref.alloc() : memref<8xf32, 1>
  %tag = memref.alloc() : memref<1xi32>
  memref.dma_start %src[%i], %a[%i], %n, %tag[%i] : memref<8xf32>, memref<8xf32, 1>, memref<1xi32>
  %0 = memref.load %a[%i] : memref<8xf32, 1>
  memref.dma_wait %tag[%i], %n : memref<1xi32>
  %1 = memref.load %a[%i] : memref<8xf32, 1>
  return %0, %1 : f32, f32
}
// -----
// the same into memory that nobody else has, waited for in a form that nobody knows
func.func @f(%i: index, %src: memref<8xf32>, %n: index) -> (f32, f32) {
  %a = memref.alloc() : memref<8xf32>
  %tag = memref.alloc() : memref<1xi32>
  memref.dma_start %src[%i], %a[%i], %n, %tag[%i] : memref<8xf32>, memref<8xf32>, memref<1xi32>
  %0 = memref.load %a[%i] : memref<8xf32>
  mine.wait(%n)
  %1 = memref.load %a[%i] : memref<8xf32>
  return %0, %1 : f32, f32
}
// -----
// copies of a warp
func.func @f(%i: index, %src: memref<8xf32>) -> (f32, f32) {
  %a = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  %t = nvgpu.device_async_copy %src[%i], %a[%i], 4 : memref<8xf32> to memref<8xf32, #gpu.address_space<workgroup>>
  %g = nvgpu.device_async_create_group %t
  %0 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  nvgpu.device_async_wait %g
  %1 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  return %0, %1 : f32, f32
}
// -----
// a token of a stream
func.func @f(%i: index, %src: memref<8xf32>, %d: !gpu.async.token) -> (f32, f32) {
  %a = memref.alloc() : memref<8xf32>
  %t = gpu.memcpy async [%d] %a, %src : memref<8xf32>, memref<8xf32>
  %0 = memref.load %a[%i] : memref<8xf32>
  gpu.wait [%t]
  %1 = memref.load %a[%i] : memref<8xf32>
  return %0, %1 : f32, f32
}
// -----
// a token of an unknown dialect
func.func @f(%i: index) -> (f32, f32) {
  %a = memref.alloc() : memref<8xf32>
  %t = "mine.start"(%a) : (memref<8xf32>) -> !mine.token
  %0 = memref.load %a[%i] : memref<8xf32>
  "mine.wait"(%t) : (!mine.token) -> ()
  %1 = memref.load %a[%i] : memref<8xf32>
  return %0, %1 : f32, f32
}
// -----
// a region of an unknown operation that captures memory
func.func @f(%i: index, %v: f32) -> (f32, f32) {
  %a = memref.alloc() : memref<8xf32>
  %t = "mine.start"() ({
    memref.store %v, %a[%i] : memref<8xf32>
  }) : () -> !mine.token
  %0 = memref.load %a[%i] : memref<8xf32>
  "mine.wait"(%t) : (!mine.token) -> ()
  %1 = memref.load %a[%i] : memref<8xf32>
  return %0, %1 : f32, f32
}
// -----
// the same in a form that nobody knows
func.func @f(%i: index, %v: f32) -> (f32, f32) {
  %a = memref.alloc() : memref<8xf32>
  %t = mine.start later {
    memref.store %v, %a[%i] : memref<8xf32>
  }
  %0 = memref.load %a[%i] : memref<8xf32>
  mine.wait %t
  %1 = memref.load %a[%i] : memref<8xf32>
  return %0, %1 : f32, f32
}
// -----
// memory in memory
func.func @f(%i: index, %mm: memref<1xmemref<8xf32>>, %v: f32) -> (f32, f32) {
  %a = memref.alloc() : memref<8xf32>
  affine.store %a, %mm[0] : memref<1xmemref<8xf32>>
  %0 = memref.load %a[%i] : memref<8xf32>
  %b = affine.load %mm[0] : memref<1xmemref<8xf32>>
  memref.store %v, %b[%i] : memref<8xf32>
  %1 = memref.load %a[%i] : memref<8xf32>
  return %0, %1 : f32, f32
}
// -----
// a pattern that an unknown operation looks for
func.func @f(%root: !mine.op, %x: f32) {
  "mine.match"(%root) ({
    %0 = arith.addf %x, %x : f32
    %1 = arith.addf %x, %x : f32
    %2 = arith.mulf %0, %1 : f32
    %3 = tensor.empty() : tensor<4xf32>
  }) : (!mine.op) -> ()
  return
}
// -----
// the same in a form that nobody knows
func.func @f(%root: !mine.op, %x: f32) {
  %m = mine.match.dag from %root {
  ^bb0(%y: f32):
    %0 = arith.addf %x, %y : f32
    %1 = arith.mulf %0, %0 : f32
  } : (!mine.op) -> !mine.op
  mine.use %m
  return
}
// -----
// a pattern in a module
"mine.patterns"() ({
  %0 = "arith.constant"() <{value = 1 : i32}> : () -> i32
}) : () -> ()
// -----
// blocks of an unknown operation
func.func @f(%p: i1, %x: i32) {
  "mine.cfg"() ({
    %0 = arith.addi %x, %x : i32
    cf.cond_br %p, ^a(%x, %x : i32, i32), ^b
  ^a(%l: i32, %r: i32):
    %1 = arith.addi %x, %x : i32
    cf.br ^b
  ^b:
    "mine.end"() : () -> ()
  }) : () -> ()
  return
}
// -----
// a loop in an unknown operation
func.func @f(%n: index, %x: f32) {
  %z = arith.constant 0 : index
  %s = arith.constant 1 : index
  "mine.region"() ({
    %r:2 = scf.for %k = %z to %n step %s iter_args(%l = %x, %m = %x) -> (f32, f32) {
      %0 = arith.addf %l, %x : f32
      %1 = arith.addf %m, %x : f32
      scf.yield %0, %1 : f32, f32
    }
    "mine.end"() : () -> ()
  }) : () -> ()
  return
}
// -----
// arms in an unknown operation
func.func @f(%p: i1, %x: f32) {
  "mine.region"() ({
    scf.if %p {
      %0 = arith.addf %x, %x : f32
      "mine.use"(%0) : (f32) -> ()
    } else {
      %1 = arith.addf %x, %x : f32
      "mine.use"(%1) : (f32) -> ()
    }
    "mine.end"() : () -> ()
  }) : () -> ()
  return
}
// -----
// a known operation whose text is not understood
func.func @f(%p: i1, %x: i32) {
  async.execute weird {
    %0 = arith.addi %x, %x : i32
    %1 = arith.addi %x, %x : i32
    async.yield
  }
  return
}
// -----
// a barrier behind something that was not understood, on its line
func.func @f(%i: index, %a: memref<8xf32>) -> (f32, f32, i32) {
  %0 = memref.load %a[%i] : memref<8xf32>
  %x = rocdl.workitem.id.x odd : i32 nvvm.barrier0
  %1 = memref.load %a[%i] : memref<8xf32>
  return %0, %1, %x : f32, f32, i32
}
// -----
// a return from inside of a selection
spirv.module Logical GLSL450 {
  spirv.func @early(%cond : i1, %p: !spirv.ptr<i32, Function>, %v: i32) -> () "None" {
    spirv.mlir.selection {
      spirv.BranchConditional %cond, ^then, ^merge
    ^then:
      spirv.Return
    ^merge:
      spirv.mlir.merge
    }
    spirv.Store "Function" %p, %v : i32
    spirv.Return
  }
}
// -----
// a return from inside of a loop
spirv.module Logical GLSL450 {
  spirv.func @forever(%p: !spirv.ptr<i32, Function>, %v: i32) -> () "None" {
    spirv.mlir.loop {
      spirv.Branch ^header
    ^header:
      spirv.Branch ^body
    ^body:
      spirv.Return
    ^cont:
      spirv.Branch ^header
    ^merge:
      spirv.mlir.merge
    }
    spirv.Store "Function" %p, %v : i32
    spirv.Return
  }
}
// -----
// a return of a value, two selections deep
spirv.module Logical GLSL450 {
  spirv.func @early(%c : i1, %d : i1, %p: !spirv.ptr<i32, Function>, %v: i32) -> i32 "None" {
    spirv.mlir.selection {
      spirv.BranchConditional %c, ^then, ^merge
    ^then:
      spirv.mlir.selection {
        spirv.BranchConditional %d, ^then, ^merge
      ^then:
        spirv.ReturnValue %v : i32
      ^merge:
        spirv.mlir.merge
      }
      spirv.Branch ^merge
    ^merge:
      spirv.mlir.merge
    }
    spirv.Store "Function" %p, %v : i32
    spirv.ReturnValue %v : i32
  }
}
// -----
// a region that ends in an operation that nobody knows
func.func @f(%p: i1) {
  scf.if %p {
    "mine.throw"() : () -> ()
  }
  return
}
// -----
// volatile in the pretty form
spirv.module Logical GLSL450 {
  spirv.func @v(%p: !spirv.ptr<f32, Function>) -> f32 "None" {
    %0 = spirv.Load "Function" %p ["Volatile"] : f32
    %1 = spirv.Load "Function" %p ["Volatile"] : f32
    %2 = spirv.Load "Function" %p ["Volatile"] : f32
    %3 = spirv.FAdd %1, %2 : f32
    spirv.ReturnValue %3 : f32
  }
}
// -----
// volatile and aligned
spirv.module Logical GLSL450 {
  spirv.func @v(%p: !spirv.ptr<f32, Function>) -> f32 "None" {
    %0 = spirv.Load "Function" %p ["Volatile|Aligned", 4] : f32
    %1 = spirv.Load "Function" %p ["Volatile|Aligned", 4] : f32
    %3 = spirv.FAdd %1, %1 : f32
    spirv.ReturnValue %3 : f32
  }
}
// -----
// volatile in the generic form
"func.func"() <{sym_name = "v", function_type = (!spirv.ptr<f32, Function>) -> (f32, f32)}> ({
^bb0(%p: !spirv.ptr<f32, Function>):
  %0 = "spirv.Load"(%p) <{memory_access = #spirv.memory_access<Volatile>}> : (!spirv.ptr<f32, Function>) -> f32
  %1 = "spirv.Load"(%p) <{memory_access = #spirv.memory_access<Volatile>}> : (!spirv.ptr<f32, Function>) -> f32
  %2 = "spirv.Load"(%p) {memory_access = #spirv.memory_access<Volatile|Aligned>, alignment = 4 : i32} : (!spirv.ptr<f32, Function>) -> f32
  "func.return"(%0, %1) : (f32, f32) -> ()
}) : () -> ()
// -----
// visible to others
"func.func"() <{sym_name = "v", function_type = (!spirv.ptr<f32, Function>) -> (f32, f32)}> ({
^bb0(%p: !spirv.ptr<f32, Function>):
  %0 = "spirv.Load"(%p) <{memory_access = #spirv.memory_access<MakePointerVisible|NonPrivatePointer>}> : (!spirv.ptr<f32, Function>) -> f32
  %1 = "spirv.Load"(%p) <{memory_access = #spirv.memory_access<MakePointerVisible|NonPrivatePointer>}> : (!spirv.ptr<f32, Function>) -> f32
  "func.return"(%0, %1) : (f32, f32) -> ()
}) : () -> ()
// -----
// a member that is volatile
func.func @v(%p: !spirv.ptr<!spirv.struct<(f32 [0, Volatile])>, Uniform>) -> (f32, f32) {
  %0 = "spirv.Load"(%p) : (!spirv.ptr<!spirv.struct<(f32 [0, Volatile])>, Uniform>) -> f32
  %1 = "spirv.Load"(%p) : (!spirv.ptr<!spirv.struct<(f32 [0, Volatile])>, Uniform>) -> f32
  return %0, %1 : f32, f32
}
// -----
// volatile of LLVM
llvm.func @v(%p: !llvm.ptr) -> f32 {
  %0 = llvm.load volatile %p : !llvm.ptr -> f32
  %1 = llvm.load volatile %p : !llvm.ptr -> f32
  %2 = llvm.load volatile %p : !llvm.ptr -> f32
  %3 = llvm.fadd %1, %2 : f32
  llvm.return %3 : f32
}
// -----
// orders of LLVM, one of them new
llvm.func @v(%p: !llvm.ptr) -> f32 {
  %0 = llvm.load %p atomic monotonic {alignment = 4 : i64} : !llvm.ptr -> f32
  %1 = llvm.load %p atomic monotonic {alignment = 4 : i64} : !llvm.ptr -> f32
  %2 = llvm.load %p atomic newest {alignment = 4 : i64} : !llvm.ptr -> f32
  %3 = llvm.load %p atomic newest {alignment = 4 : i64} : !llvm.ptr -> f32
  %4 = llvm.fadd %0, %1 : f32
  llvm.return %4 : f32
}
// -----
// volatile of LLVM in the generic form
llvm.func @v(%p: !llvm.ptr) -> f32 {
  %0 = "llvm.load"(%p) <{ordering = 0 : i64, volatile_}> : (!llvm.ptr) -> f32
  %1 = "llvm.load"(%p) <{ordering = 0 : i64, volatile_}> : (!llvm.ptr) -> f32
  %2 = "llvm.load"(%p) <{ordering = 7 : i64, alignment = 4 : i64}> : (!llvm.ptr) -> f32
  %4 = llvm.fadd %0, %1 : f32
  llvm.return %4 : f32
}
// -----
// an intrinsic that is volatile
func.func @v(%p: !llvm.ptr, %m: vector<4xi1>, %x: vector<4xf32>) -> (vector<4xf32>, vector<4xf32>) {
  %0 = "llvm.intr.masked.load"(%p, %m, %x) <{alignment = 4 : i32}> {isVolatile = true} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  %1 = "llvm.intr.masked.load"(%p, %m, %x) <{alignment = 4 : i32}> {isVolatile = true} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  return %0, %1 : vector<4xf32>, vector<4xf32>
}
// -----
// attributes of one's own
func.func @v(%a: memref<8xf32>, %i: index) -> (f32, f32, f32, f32) {
  %0 = memref.load %a[%i] {volatile} : memref<8xf32>
  %1 = memref.load %a[%i] {volatile} : memref<8xf32>
  %2 = memref.load %a[%i] {mine.order = "acquire"} : memref<8xf32>
  %3 = memref.load %a[%i] {mine.order = "acquire"} : memref<8xf32>
  return %0, %1, %2, %3 : f32, f32, f32, f32
}
// -----
// a buffer whose policy says that it is volatile
func.func @v(%r: vector<4xi32>, %z: i32) -> (i32, i32, i32, i32) {
  %p = llvm.mlir.constant(-2147483648 : i32) : i32
  %0 = "rocdl.raw.buffer.load"(%r, %z, %z, %p) : (vector<4xi32>, i32, i32, i32) -> i32
  %1 = "rocdl.raw.buffer.load"(%r, %z, %z, %p) : (vector<4xi32>, i32, i32, i32) -> i32
  %2 = "rocdl.raw.buffer.load"(%r, %z, %z, %z) : (vector<4xi32>, i32, i32, i32) -> i32
  %3 = "rocdl.raw.buffer.load"(%r, %z, %z, %z) : (vector<4xi32>, i32, i32, i32) -> i32
  return %0, %1, %2, %3 : i32, i32, i32, i32
}
// -----
// assembly with effects
llvm.func @v(%x: i32) -> i32 {
  %0 = llvm.inline_asm has_side_effects "mov $0, $1", "=r,r" %x : (i32) -> i32
  %1 = llvm.inline_asm has_side_effects "mov $0, $1", "=r,r" %x : (i32) -> i32
  %2 = llvm.add %0, %1 : i32
  llvm.return %2 : i32
}
// -----
// threads that vote before and after some of them leave
spirv.module Logical GLSL450 {
  spirv.func @vote(%c : i1, %p: !spirv.ptr<i32, Function>) -> () "None" {
    %0 = spirv.GroupNonUniformElect <Subgroup> : i1
    spirv.mlir.selection {
      spirv.BranchConditional %c, ^then, ^merge
    ^then:
      spirv.Return
    ^merge:
      spirv.mlir.merge
    }
    %1 = spirv.GroupNonUniformElect <Subgroup> : i1
    %2 = spirv.Select %0, %0, %1 : i1, i1
    spirv.mlir.selection {
      spirv.BranchConditional %2, ^then, ^merge
    ^then:
      spirv.Return
    ^merge:
      spirv.mlir.merge
    }
    spirv.Return
  }
}
// -----
// threads that reduce around an operation in which some may leave
func.func @f(%x: f32) -> (f32, f32) {
  %0 = gpu.subgroup_reduce add %x : (f32) -> f32
  "mine.leave"() : () -> ()
  %1 = gpu.subgroup_reduce add %x : (f32) -> f32
  return %0, %1 : f32, f32
}
// -----
// threads that reduce under a condition
func.func @f(%x: f32, %p: i1, %o: memref<2xf32>, %i: index) {
  %0 = gpu.subgroup_reduce add %x : (f32) -> f32
  memref.store %0, %o[%i] : memref<2xf32>
  scf.if %p {
    %1 = gpu.subgroup_reduce add %x : (f32) -> f32
    memref.store %1, %o[%i] : memref<2xf32>
  }
  return
}
// -----
// a shuffle in both arms
func.func @f(%x: f32, %p: i1, %o: memref<2xf32>, %i: index, %w: i32) {
  scf.if %p {
    %1, %v = gpu.shuffle xor %x, %w, %w : f32
    memref.store %1, %o[%i] : memref<2xf32>
  } else {
    %2, %u = gpu.shuffle xor %x, %w, %w : f32
    memref.store %2, %o[%i] : memref<2xf32>
  }
  return
}
// -----
// a reduction of the block, which is a barrier
gpu.module @m {
  gpu.func @k(%x: f32, %i: index) workgroup(%a : memref<8xf32, #gpu.address_space<workgroup>>) kernel {
    %0 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
    %s = gpu.all_reduce add %x uniform {
    } : (f32) -> (f32)
    %1 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
    %2 = arith.addf %0, %s : f32
    %3 = arith.mulf %1, %2 : f32
    gpu.barrier
    memref.store %3, %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
// -----
// threads of two kernels
func.func @f(%n: index, %o: memref<8xindex>) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %0 = gpu.lane_id
    memref.store %0, %o[%tx] : memref<8xindex>
    gpu.launch blocks(%cx, %cy, %cz) in (%hx = %n, %hy = %n, %hz = %n) threads(%ux, %uy, %uz) in (%qx = %n, %qy = %n, %qz = %n) {
      %1 = gpu.lane_id
      memref.store %1, %o[%ux] : memref<8xindex>
      gpu.terminator
    }
    gpu.terminator
  }
  return
}
// -----
// a check between loads, and facts
func.func private @may_free(memref<8xf32>)
func.func @f(%p: i1, %a: memref<8xf32>, %i: index) -> (f32, f32) {
  %0 = memref.load %a[%i] : memref<8xf32>
  cf.assert %p, "no"
  func.call @may_free(%a) : (memref<8xf32>) -> ()
  llvm.intr.assume %p : i1
  llvm.intr.assume %p : i1
  cf.assert %p, "no"
  %1 = memref.load %a[%i] : memref<8xf32>
  return %0, %1 : f32, f32
}
// -----
// a block before the one with the allocation that it views
func.func @f(%i: index, %v: f32) -> (f32, f32) {
  cf.br ^b
^a:
  %w = memref.cast %m : memref<8xf32> to memref<?xf32>
  %0 = memref.load %w[%i] : memref<?xf32>
  memref.store %v, %m[%i] : memref<8xf32>
  %1 = memref.load %w[%i] : memref<?xf32>
  return %0, %1 : f32, f32
^b:
  %m = memref.alloc() : memref<8xf32>
  cf.br ^a
}
// -----
// an unknown region in a choice, and choices in it
func.func @f(%p: i1, %x: i32) {
  scf.if %p {
    %0 = arith.addi %x, %x : i32
    "mine.r"() ({
      %1 = arith.addi %x, %x : i32
      scf.if %p {
        %2 = arith.muli %1, %1 : i32
      }
      %3 = arith.addi %x, %x : i32
    }) : () -> ()
    "mine.use"(%0) : (i32) -> ()
  }
  return
}
// -----
// branches of an operation that nobody knows
func.func @h(%p: i1, %a: memref<8xf32>, %i: index, %v: f32) -> f32 {
  %0 = memref.load %a[%i] : memref<8xf32>
  mine.br %p [^a, ^b]
^a:
  memref.store %v, %a[%i] : memref<8xf32>
  cf.br ^b
^b:
  %1 = memref.load %a[%i] : memref<8xf32>
  %2 = arith.addf %0, %1 : f32
  return %2 : f32
}
// -----
// a copy of the affine dialect
func.func @l(%i: index, %n: index, %v: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32, 1>
  %t = memref.alloc() : memref<1xi32>
  affine.dma_start %a[%c0], %b[%c0], %t[%c0], %n : memref<8xf32>, memref<8xf32, 1>, memref<1xi32>
  %0 = memref.load %b[%i] : memref<8xf32, 1>
  affine.dma_wait %t[%c0], %n : memref<1xi32>
  %1 = memref.load %b[%i] : memref<8xf32, 1>
  return %0, %1 : f32, f32
}
// -----
// the index of a structured operation in another
func.func @m(%o: memref<4xindex>, %q: memref<4xindex>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%o : memref<4xindex>) {
  ^bb0(%x: index):
    %0 = linalg.index 0 : index
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%q : memref<4xindex>) {
    ^bb0(%y: index):
      %1 = linalg.index 0 : index
      linalg.yield %1 : index
    }
    linalg.yield %0 : index
  }
  return
}
// -----
// memory that is one of two
func.func @n(%p: i1, %i: index, %v: f32) -> (f32, f32) {
  %a = memref.alloca() : memref<8xf32>
  %b = memref.alloca() : memref<8xf32>
  %s = arith.select %p, %a, %b : memref<8xf32>
  %0 = memref.load %a[%i] : memref<8xf32>
  memref.store %v, %s[%i] : memref<8xf32>
  %1 = memref.load %a[%i] : memref<8xf32>
  return %0, %1 : f32, f32
}
// -----
// memory that a loop carries
func.func @o(%n: index, %i: index, %v: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloca() : memref<8xf32>
  %b = memref.alloca() : memref<8xf32>
  %0 = memref.load %a[%i] : memref<8xf32>
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (memref<8xf32>, memref<8xf32>) {
    memref.store %v, %y[%i] : memref<8xf32>
    scf.yield %y, %x : memref<8xf32>, memref<8xf32>
  }
  %1 = memref.load %a[%i] : memref<8xf32>
  return %0, %1 : f32, f32
}
// -----
// memory by its address
func.func @q(%i: index, %v: f32) -> (f32, f32) {
  %a = memref.alloca() : memref<8xf32>
  %0 = memref.load %a[%i] : memref<8xf32>
  %p = memref.extract_aligned_pointer_as_index %a : memref<8xf32> -> index
  %x = arith.index_cast %p : index to i64
  %y = llvm.inttoptr %x : i64 to !llvm.ptr
  llvm.store %v, %y : f32, !llvm.ptr
  %1 = memref.load %a[%i] : memref<8xf32>
  return %0, %1 : f32, f32
}
// -----
// memory by its parts
func.func @r(%i: index, %v: f32) -> (f32, f32) {
  %a = memref.alloca() : memref<8xf32>
  %base, %o, %s, %st = memref.extract_strided_metadata %a : memref<8xf32> -> memref<f32>, index, index, index
  %0 = memref.load %a[%i] : memref<8xf32>
  memref.store %v, %base[] : memref<f32>
  %1 = memref.load %a[%i] : memref<8xf32>
  return %0, %1 : f32, f32
}
// -----
// vectors written to memory
func.func @s(%a: memref<8xf32>, %i: index, %m: vector<4xi1>, %w: vector<4xf32>, %ix: vector<4xi32>) -> (f32, f32, f32) {
  %0 = memref.load %a[%i] : memref<8xf32>
  vector.scatter %a[%i] [%ix], %m, %w : memref<8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>
  %1 = memref.load %a[%i] : memref<8xf32>
  vector.compressstore %a[%i], %m, %w : memref<8xf32>, vector<4xi1>, vector<4xf32>
  %2 = memref.load %a[%i] : memref<8xf32>
  return %0, %1, %2 : f32, f32, f32
}
// -----
// the only operation of a module in the generic form
"gpu.module"() <{sym_name = "x"}> ({
  %0 = "arith.constant"() <{value = 1 : i32}> : () -> i32
}) : () -> ()
// -----
// variables of a dialect
func.func @t(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tosa.variable.read @v : tensor<4xf32>
  tosa.variable.write @v, %x : tensor<4xf32>
  %1 = tosa.variable.read @v : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
// -----
// two tasks that are alike
func.func @u(%n: index, %c: i1) -> (!async.token) {
  %t, %v = async.execute -> !async.value<f32> {
    %z = arith.constant 0.0 : f32
    async.yield %z : f32
  }
  %t2, %v2 = async.execute -> !async.value<f32> {
    %z = arith.constant 0.0 : f32
    async.yield %z : f32
  }
  async.await %t : !async.token
  return %t2 : !async.token
}
// -----
// memory that a task polls
func.func @w(%i: index, %o: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %t = async.execute {
    %0 = memref.load %a[%i] : memref<8xf32>
    "mine.poll"() : () -> ()
    %1 = memref.load %a[%i] : memref<8xf32>
    memref.store %0, %o[%i] : memref<8xf32>
    memref.store %1, %o[%i] : memref<8xf32>
    async.yield
  }
  async.await %t : !async.token
  return
}
// -----
// names that a form which nobody knows may define
func.func @x(%a: i32, %b: i32) -> (i32, i32) {
  mine.for %i in %a {
    "mine.use"(%i) : (i32) -> ()
  }
  %e = arith.addi %a, %b : i32
  %i = arith.addi %a, %b : i32
  return %e, %i : i32, i32
}
// -----
// the same where nothing is in the region
func.func @y(%a: i32, %b: i32) -> (i32, i32) {
  mine.for %i in %a {
  }
  %e = arith.addi %a, %b : i32
  %i = arith.addi %a, %b : i32
  return %e, %i : i32, i32
}
// -----
// a name that is used before its definition, or defined
func.func @z(%a: i32, %b: i32) -> (i32, i32) {
  cf.br ^late
^use:
  mine.region %i {
    "mine.use"(%i) : (i32) -> ()
  }
  return %a, %e : i32, i32
^late:
  %e = arith.addi %a, %b : i32
  %i = arith.addi %a, %b : i32
  cf.br ^use
}
