func.func @operators(%a: memref<8xf32>, %b: memref<8xf32>, %o: memref<8xf32>) {
  %half = arith.constant 0.5 : f32
  affine.for %i = 0 to 8 {
    %x = affine.load %a[%i] : memref<8xf32>
    %y = affine.load %b[%i] : memref<8xf32>
    %0 = arith.addf %x, %half : f32
    %1 = arith.divf %y, %0 : f32
    %2 = arith.mulf %1, %1 : f32
    %3 = arith.subf %2, %x : f32
    %4 = arith.negf %3 : f32
    %5 = arith.remf %4, %half : f32
    %6 = arith.addf %half, %x : f32
    %7 = arith.addf %5, %6 : f32
    affine.store %7, %o[%i] : memref<8xf32>
  }
  return
}

func.func @extrema(%a: f32) -> (f32, f32, f32, f32, f32, f32) {
  %nan = arith.constant 0x7FC00000 : f32
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant -0.0 : f32
  %0 = arith.maximumf %a, %nan : f32
  %1 = arith.minimumf %a, %nan : f32
  %2 = arith.maxnumf %a, %nan : f32
  %3 = arith.minnumf %nan, %a : f32
  %4 = arith.maximumf %minus, %zero : f32
  %5 = arith.minimumf %zero, %minus : f32
  return %0, %1, %2, %3, %4, %5 : f32, f32, f32, f32, f32, f32
}

func.func @comparisons(%a: f64) -> (i1, i1, i1, i1, i1, i1, i1, i1) {
  %nan = arith.constant 0x7FF8000000000000 : f64
  %one = arith.constant 1.0 : f64
  %0 = arith.cmpf olt, %a, %one : f64
  %1 = arith.cmpf ult, %a, %nan : f64
  %2 = arith.cmpf one, %a, %nan : f64
  %3 = arith.cmpf une, %a, %nan : f64
  %4 = arith.cmpf ord, %a, %nan : f64
  %5 = arith.cmpf uno, %a, %nan : f64
  %6 = arith.cmpf oge, %a, %a : f64
  %7 = arith.cmpf ueq, %a, %nan : f64
  return %0, %1, %2, %3, %4, %5, %6, %7 : i1, i1, i1, i1, i1, i1, i1, i1
}

func.func @halves(%a: memref<8xf16>, %o: memref<8xf16>) {
  %third = arith.constant 0.333 : f16
  affine.for %i = 0 to 8 {
    %x = affine.load %a[%i] : memref<8xf16>
    %0 = arith.mulf %x, %third : f16
    %1 = arith.addf %0, %third : f16
    %2 = arith.divf %1, %third : f16
    affine.store %2, %o[%i] : memref<8xf16>
  }
  return
}
