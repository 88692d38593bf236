func.func @sums(%a: memref<16xi32>, %b: memref<16xi32>, %o: memref<16xi32>) {
  affine.for %i = 0 to 16 {
    %x = affine.load %a[%i] : memref<16xi32>
    %y = affine.load %b[%i] : memref<16xi32>
    %0 = arith.addi %x, %y : i32
    %1 = arith.subi %x, %y : i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %y, %x : i32
    %4 = arith.muli %2, %3 : i32
    affine.store %4, %o[%i] : memref<16xi32>
  }
  return
}

func.func @divisions(%a: memref<16xi32>, %o: memref<8x16xi32>) {
  %seven = arith.constant 7 : i32
  %minus = arith.constant -3 : i32
  affine.for %i = 0 to 16 {
    %x = affine.load %a[%i] : memref<16xi32>
    %0 = arith.divsi %x, %minus : i32
    %1 = arith.remsi %x, %minus : i32
    %2 = arith.divui %x, %seven : i32
    %3 = arith.remui %x, %seven : i32
    %4 = arith.floordivsi %x, %minus : i32
    %5 = arith.ceildivsi %x, %minus : i32
    %6 = arith.ceildivui %x, %seven : i32
    %7 = arith.floordivsi %x, %seven : i32
    affine.store %0, %o[0, %i] : memref<8x16xi32>
    affine.store %1, %o[1, %i] : memref<8x16xi32>
    affine.store %2, %o[2, %i] : memref<8x16xi32>
    affine.store %3, %o[3, %i] : memref<8x16xi32>
    affine.store %4, %o[4, %i] : memref<8x16xi32>
    affine.store %5, %o[5, %i] : memref<8x16xi32>
    affine.store %6, %o[6, %i] : memref<8x16xi32>
    affine.store %7, %o[7, %i] : memref<8x16xi32>
  }
  return
}

func.func @bits(%a: i8, %b: i8) -> (i8, i8, i8, i8, i8, i8, i8, i8, i8, i8) {
  %two = arith.constant 2 : i8
  %minus = arith.constant -77 : i8
  %0 = arith.andi %minus, %b : i8
  %1 = arith.ori %minus, %b : i8
  %2 = arith.xori %minus, %a : i8
  %3 = arith.shli %minus, %two : i8
  %4 = arith.shrsi %minus, %two : i8
  %5 = arith.shrui %minus, %two : i8
  %6 = arith.minsi %minus, %b : i8
  %7 = arith.minui %minus, %b : i8
  %8 = arith.maxsi %minus, %b : i8
  %9 = arith.maxui %minus, %b : i8
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : i8, i8, i8, i8, i8, i8, i8, i8, i8, i8
}

func.func @comparisons(%a: i32, %b: i32) -> (i1, i1, i1, i1, i1, i1, i1, i1, i32, i32) {
  %minus = arith.constant -1 : i32
  %0 = arith.cmpi eq, %a, %b : i32
  %1 = arith.cmpi ne, %a, %b : i32
  %2 = arith.cmpi slt, %minus, %b : i32
  %3 = arith.cmpi ult, %minus, %b : i32
  %4 = arith.cmpi sge, %minus, %b : i32
  %5 = arith.cmpi uge, %minus, %b : i32
  %6 = arith.xori %2, %3 : i1
  %7 = arith.addi %2, %5 : i1
  %8 = arith.select %2, %a, %b : i32
  %9 = arith.extui %2 : i1 to i32
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : i1, i1, i1, i1, i1, i1, i1, i1, i32, i32
}

func.func @wide(%a: i64, %b: i64) -> (i64, i64, i64, i64, i64, i1) {
  %big = arith.constant -6148914691236517205 : i64
  %0:2 = arith.mulsi_extended %big, %a : i64
  %1:2 = arith.mului_extended %big, %b : i64
  %2:2 = arith.addui_extended %big, %big : i64, i1
  return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : i64, i64, i64, i64, i64, i1
}
