func.func @padded(%m: memref<3x5xf32>, %i: index) -> (vector<2x4xf32>, vector<4x2xf32>, vector<4xf32>) {
  %one = arith.constant 1 : index
  %p = arith.constant -1.0 : f32
  %a = vector.transfer_read %m[%i, %i], %p : memref<3x5xf32>, vector<2x4xf32>
  %b = vector.transfer_read %m[%one, %i], %p {permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<3x5xf32>, vector<4x2xf32>
  %c = vector.transfer_read %m[%one, %i], %p {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (0)>} : memref<3x5xf32>, vector<4xf32>
  return %a, %b, %c : vector<2x4xf32>, vector<4x2xf32>, vector<4xf32>
}

func.func @written(%m: memref<3x5xf32>, %i: index, %n: index) {
  %one = arith.constant 1 : index
  %p = arith.constant -1.0 : f32
  %zero = arith.constant 0 : index
  %v = vector.transfer_read %m[%zero, %zero], %p {in_bounds = [true, true]} : memref<3x5xf32>, vector<2x4xf32>
  vector.transfer_write %v, %m[%i, %i] : vector<2x4xf32>, memref<3x5xf32>
  %k = vector.create_mask %n : vector<4xi1>
  %r = vector.extract %v[1] : vector<4xf32> from vector<2x4xf32>
  vector.transfer_write %r, %m[%zero, %zero], %k {in_bounds = [true]} : vector<4xf32>, memref<3x5xf32>
  %w = vector.transfer_read %m[%zero, %zero], %p, %k {in_bounds = [true]} : memref<3x5xf32>, vector<4xf32>
  vector.transfer_write %w, %m[%one, %zero] {in_bounds = [true]} : vector<4xf32>, memref<3x5xf32>
  return
}

func.func @masked(%m: memref<8xf32>, %n: index) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %k = vector.create_mask %n : vector<4xi1>
  %other = arith.constant dense<[9.0, 8.0, 7.0, 6.0]> : vector<4xf32>
  %at = arith.constant dense<[3, 0, 2, 1]> : vector<4xi32>
  %mask = arith.constant dense<[true, false, true, true]> : vector<4xi1>
  %a = vector.maskedload %m[%one], %k, %other : memref<8xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %b = vector.gather %m[%one] [%at], %mask, %other : memref<8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %c = vector.expandload %m[%one], %mask, %other : memref<8xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.maskedstore %m[%zero], %mask, %b : memref<8xf32>, vector<4xi1>, vector<4xf32>
  vector.compressstore %m[%one], %mask, %a : memref<8xf32>, vector<4xi1>, vector<4xf32>
  vector.scatter %m[%n] [%at], %k, %c : memref<8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>
  return %a, %b, %c : vector<4xf32>, vector<4xf32>, vector<4xf32>
}
