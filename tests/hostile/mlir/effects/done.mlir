// memory that only this thread has, over a barrier and over what nobody knows
func.func @f(%i: index) -> (f32, f32, f32) {
  %a = memref.alloca() : memref<8xf32>
  %0 = memref.load %a[%i] : memref<8xf32>
  nvvm.barrier0
  %1 = memref.load %a[%i] : memref<8xf32>
  mine.sync all [1, 2] -> "wave"
  %2 = memref.load %a[%i] : memref<8xf32>
  return %0, %1, %2 : f32, f32, f32
}
// -----
// the same, used in a loop and in a choice
func.func @f(%i: index, %p: i1, %o: memref<8xf32>) {
  %z = arith.constant 0 : index
  %s = arith.constant 1 : index
  %a = memref.alloc() : memref<8xf32, #gpu.address_space<private>>
  scf.for %k = %z to %i step %s {
    scf.if %p {
      %0 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<private>>
      gpu.barrier
      %1 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<private>>
      memref.store %0, %o[%k] : memref<8xf32>
      memref.store %1, %o[%i] : memref<8xf32>
    }
  }
  return
}
// -----
// workgroup memory, over a store to other memory
func.func @f(%i: index, %v: f32, %o: memref<8xf32>) -> (f32, f32) {
  %a = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  %0 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  memref.store %v, %o[%i] : memref<8xf32>
  %1 = memref.load %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  return %0, %1 : f32, f32
}
// -----
// an access that says where it is aligned
spirv.module Logical GLSL450 {
  spirv.func @v(%p: !spirv.ptr<f32, Function>) -> f32 "None" {
    %0 = spirv.Load "Function" %p ["Aligned", 4] : f32
    %1 = spirv.Load "Function" %p ["Aligned", 4] : f32
    %2 = spirv.FAdd %0, %1 : f32
    spirv.ReturnValue %2 : f32
  }
}
// -----
// an access that is kept out of caches, which is no order
func.func @f(%a: memref<8xf32>, %i: index) -> (f32, f32) {
  %0 = memref.load %a[%i] {nontemporal = true} : memref<8xf32>
  %1 = memref.load %a[%i] {nontemporal = true} : memref<8xf32>
  return %0, %1 : f32, f32
}
// -----
// an access whose policy is nothing
func.func @f(%r: vector<4xi32>, %z: i32) -> (i32, i32) {
  %p = llvm.mlir.constant(0 : i32) : i32
  %0 = "rocdl.raw.buffer.load"(%r, %z, %z, %p) : (vector<4xi32>, i32, i32, i32) -> i32
  %1 = "rocdl.raw.buffer.load"(%r, %z, %z, %p) : (vector<4xi32>, i32, i32, i32) -> i32
  return %0, %1 : i32, i32
}
// -----
// threads that reduce twice with nothing between
func.func @f(%x: f32) -> (f32, f32) {
  %0 = gpu.subgroup_reduce add %x : (f32) -> f32
  %1 = gpu.subgroup_reduce add %x : (f32) -> f32
  return %0, %1 : f32, f32
}
// -----
// values around a region that nobody knows
func.func @f(%x: f32) -> (f32, f32) {
  %0 = arith.addf %x, %x : f32
  "mine.region"() ({
    %1 = arith.addf %x, %x : f32
    "mine.use"(%1) : (f32) -> ()
  }) : () -> ()
  %2 = arith.addf %x, %x : f32
  return %0, %2 : f32, f32
}
// -----
// a selection that goes on behind itself
func.func @f(%p: i1, %x: i32) {
  scf.if %p {
    %0 = arith.addi %x, %x : i32
  }
  return
}
// -----
// an identifier of a thread, twice in one kernel
func.func @f(%n: index, %o: memref<8xindex>, %p: i1) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %0 = gpu.lane_id
    memref.store %0, %o[%tx] : memref<8xindex>
    scf.if %p {
      %1 = gpu.lane_id
      memref.store %1, %o[%ty] : memref<8xindex>
    }
    gpu.terminator
  }
  return
}
