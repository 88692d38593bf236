#bound = affine_map<(d0)[s0] -> (d0 + s0, 7)>
#odd = affine_set<(d0, d1) : (d0 - d1 >= 0, d0 mod 2 - 1 == 0)>

func.func @loops(%m: memref<8x8xf32>, %n: index) {
  affine.for %i = 0 to 8 {
    affine.for %j = max affine_map<(d0) -> (d0 - 2, 0)>(%i) to min #bound(%i)[%n] step 2 {
      %v = affine.load %m[%i, %j + 1] : memref<8x8xf32>
      affine.if #odd(%i, %j) {
        affine.store %v, %m[%i floordiv 2, (%i + %j) mod 8] : memref<8x8xf32>
      } else {
        %w = arith.addf %v, %v : f32
        affine.store %w, %m[%i, %j] : memref<8x8xf32>
      }
    }
  }
  return
}

func.func @maps(%i: index, %n: index) -> (index, index, index, index) {
  %a = affine.apply affine_map<(d0)[s0] -> (d0 * 3 + s0 floordiv 2 - 7)>(%i)[%n]
  %b = affine.apply affine_map<(d0) -> (d0 ceildiv 4 + (d0 - 9) mod 5)>(%a)
  %c = affine.min affine_map<(d0, d1) -> (d0, d1, 2)>(%a, %b)
  %d = affine.max affine_map<(d0, d1) -> (d0 - d1, d1)>(%a, %b)
  return %a, %b, %c, %d : index, index, index, index
}

func.func @carried(%m: memref<8xf32>) -> f32 {
  %z = arith.constant 1.0 : f32
  %s = affine.for %i = 1 to 7 step 2 iter_args(%a = %z) -> f32 {
    %v = affine.load %m[%i] : memref<8xf32>
    %w = affine.load %m[%i] : memref<8xf32>
    %t = arith.addf %a, %v : f32
    %u = arith.addf %t, %w : f32
    affine.yield %u : f32
  }
  return %s : f32
}

func.func @parallel(%m: memref<4x8xf32>) {
  affine.parallel (%i, %j) = (0, 1) to (4, 8) step (1, 2) {
    %v = affine.load %m[%i, %j] : memref<4x8xf32>
    %w = arith.mulf %v, %v : f32
    affine.store %w, %m[%i, %j - 1] : memref<4x8xf32>
  }
  return
}

func.func @vectors(%m: memref<4x8xf32>) {
  affine.for %i = 0 to 4 {
    %v = affine.vector_load %m[%i, 0] : memref<4x8xf32>, vector<4xf32>
    %w = arith.addf %v, %v : vector<4xf32>
    affine.vector_store %w, %m[%i, 4] : memref<4x8xf32>, vector<4xf32>
  }
  return
}
