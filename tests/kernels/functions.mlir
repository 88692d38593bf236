func.func @exact(%a: memref<8xf64>, %o: memref<8x8xf64>) {
  affine.for %i = 0 to 8 {
    %x = affine.load %a[%i] : memref<8xf64>
    %0 = math.absf %x : f64
    %1 = math.sqrt %0 : f64
    %2 = math.floor %x : f64
    %3 = math.ceil %x : f64
    %4 = math.copysign %1, %x : f64
    %5 = math.fma %x, %1, %2 : f64
    affine.store %0, %o[0, %i] : memref<8x8xf64>
    affine.store %1, %o[1, %i] : memref<8x8xf64>
    affine.store %2, %o[2, %i] : memref<8x8xf64>
    affine.store %3, %o[3, %i] : memref<8x8xf64>
    affine.store %4, %o[4, %i] : memref<8x8xf64>
    affine.store %5, %o[5, %i] : memref<8x8xf64>
    %6 = math.trunc %x : f64
    %7 = math.roundeven %x : f64
    affine.store %6, %o[6, %i] : memref<8x8xf64>
    affine.store %7, %o[7, %i] : memref<8x8xf64>
  }
  return
}

func.func @library(%a: memref<8xf32>, %o: memref<6x8xf32>) {
  affine.for %i = 0 to 8 {
    %x = affine.load %a[%i] : memref<8xf32>
    %0 = math.exp %x : f32
    %1 = math.log %0 : f32
    %2 = math.tanh %x : f32
    %3 = math.sin %x : f32
    %4 = math.powf %0, %x : f32
    %5 = math.rsqrt %0 : f32
    affine.store %0, %o[0, %i] : memref<6x8xf32>
    affine.store %1, %o[1, %i] : memref<6x8xf32>
    affine.store %2, %o[2, %i] : memref<6x8xf32>
    affine.store %3, %o[3, %i] : memref<6x8xf32>
    affine.store %4, %o[4, %i] : memref<6x8xf32>
    affine.store %5, %o[5, %i] : memref<6x8xf32>
  }
  return
}

func.func @counts(%a: i32) -> (i32, i32, i32, i32, i32) {
  %zero = arith.constant 0 : i32
  %minus = arith.constant -40 : i32
  %0 = math.ctlz %a : i32
  %1 = math.cttz %minus : i32
  %2 = math.ctpop %minus : i32
  %3 = math.absi %minus : i32
  %4 = math.ctlz %zero : i32
  return %0, %1, %2, %3, %4 : i32, i32, i32, i32, i32
}

func.func @indices(%a: index, %b: index) -> (index, index, index, index, index, i1, index) {
  %0 = index.add %a, %b
  %1 = index.mul %0, %b
  %2 = index.sub %a, %1
  %3 = index.floordivs %2, %b
  %4 = index.ceildivs %2, %b
  %5 = index.cmp slt(%2, %a)
  %6 = index.maxs %2, %a
  return %0, %1, %2, %3, %4, %5, %6 : index, index, index, index, index, i1, index
}
