func.func @shapes(%m: memref<2x4xf32>, %x: f32) -> (vector<2x4xf32>, vector<8xf32>, vector<4x2xf32>, vector<4xf32>, f32, vector<2x2xf32>, vector<2x4xf32>) {
  %i = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %m[%i, %i], %p {in_bounds = [true, true]} : memref<2x4xf32>, vector<2x4xf32>
  %b = vector.broadcast %x : f32 to vector<4xf32>
  %c = vector.broadcast %b : vector<4xf32> to vector<2x4xf32>
  %s = arith.addf %v, %c : vector<2x4xf32>
  %f = vector.shape_cast %s : vector<2x4xf32> to vector<8xf32>
  %t = vector.transpose %s, [1, 0] : vector<2x4xf32> to vector<4x2xf32>
  %r = vector.extract %s[1] : vector<4xf32> from vector<2x4xf32>
  %e = vector.extract %s[1, 2] : f32 from vector<2x4xf32>
  %part = vector.extract_strided_slice %s {offsets = [0, 1], sizes = [2, 2], strides = [1, 1]} : vector<2x4xf32> to vector<2x2xf32>
  %n = vector.insert %b, %s[0] : vector<4xf32> into vector<2x4xf32>
  %o = vector.insert_strided_slice %part, %n {offsets = [0, 2], strides = [1, 1]} : vector<2x2xf32> into vector<2x4xf32>
  return %s, %f, %t, %r, %e, %part, %o : vector<2x4xf32>, vector<8xf32>, vector<4x2xf32>, vector<4xf32>, f32, vector<2x2xf32>, vector<2x4xf32>
}

func.func @lanes(%m: memref<4xf32>, %n: index) -> (vector<4xf32>, vector<4xf32>, f32, vector<4xf32>, vector<4xf32>) {
  %i = arith.constant 0 : index
  %v = vector.load %m[%i] : memref<4xf32>, vector<4xf32>
  %w = vector.shuffle %v, %v [3, 5, 0, 6] : vector<4xf32>, vector<4xf32>
  %a = vector.fma %v, %w, %v : vector<4xf32>
  %e = vector.extractelement %a[%n : index] : vector<4xf32>
  %z = vector.insertelement %e, %v[%i : index] : vector<4xf32>
  %s = vector.splat %e : vector<4xf32>
  return %w, %a, %e, %z, %s : vector<4xf32>, vector<4xf32>, f32, vector<4xf32>, vector<4xf32>
}

func.func @reductions(%m: memref<4xf32>, %k: memref<4xi32>, %x: f32) -> (f32, f32, f32, i32, i32, i32, f32) {
  %i = arith.constant 0 : index
  %v = vector.load %m[%i] : memref<4xf32>, vector<4xf32>
  %u = vector.load %k[%i] : memref<4xi32>, vector<4xi32>
  %0 = vector.reduction <add>, %v, %x : vector<4xf32> into f32
  %1 = vector.reduction <mul>, %v : vector<4xf32> into f32
  %2 = vector.reduction <maximumf>, %v : vector<4xf32> into f32
  %3 = vector.reduction <add>, %u : vector<4xi32> into i32
  %4 = vector.reduction <xor>, %u : vector<4xi32> into i32
  %5 = vector.reduction <minui>, %u : vector<4xi32> into i32
  %6 = vector.reduction <minnumf>, %v : vector<4xf32> into f32
  return %0, %1, %2, %3, %4, %5, %6 : f32, f32, f32, i32, i32, i32, f32
}

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @products(%m: memref<2x2xf32>, %n: memref<2x2xf32>) -> (vector<2x2xf32>, vector<2x2xf32>, vector<2xf32>) {
  %i = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %x = vector.transfer_read %m[%i, %i], %p {in_bounds = [true, true]} : memref<2x2xf32>, vector<2x2xf32>
  %y = vector.transfer_read %n[%i, %i], %p {in_bounds = [true, true]} : memref<2x2xf32>, vector<2x2xf32>
  %0 = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %x, %y, %x : vector<2x2xf32>, vector<2x2xf32> into vector<2x2xf32>
  %r = vector.extract %x[0] : vector<2xf32> from vector<2x2xf32>
  %s = vector.extract %y[1] : vector<2xf32> from vector<2x2xf32>
  %1 = vector.outerproduct %r, %s, %0 : vector<2xf32>, vector<2xf32>
  %2 = vector.multi_reduction <add>, %1, %r [0] : vector<2x2xf32> to vector<2xf32>
  return %0, %1, %2 : vector<2x2xf32>, vector<2x2xf32>, vector<2xf32>
}

func.func @bits(%m: memref<4xf32>) -> (vector<4xi32>, vector<8xi16>, vector<4xi1>) {
  %i = arith.constant 0 : index
  %n = arith.constant 3 : index
  %v = vector.load %m[%i] : memref<4xf32>, vector<4xf32>
  %0 = vector.bitcast %v : vector<4xf32> to vector<4xi32>
  %1 = vector.bitcast %v : vector<4xf32> to vector<8xi16>
  %2 = vector.create_mask %n : vector<4xi1>
  return %0, %1, %2 : vector<4xi32>, vector<8xi16>, vector<4xi1>
}

func.func @selected(%m: memref<4xi32>, %k: memref<4xi32>) -> (vector<4xi32>, vector<4xi1>) {
  %i = arith.constant 0 : index
  %v = vector.load %m[%i] : memref<4xi32>, vector<4xi32>
  %w = vector.load %k[%i] : memref<4xi32>, vector<4xi32>
  %c = arith.cmpi sgt, %v, %w : vector<4xi32>
  %s = arith.select %c, %v, %w : vector<4xi1>, vector<4xi32>
  return %s, %c : vector<4xi32>, vector<4xi1>
}
