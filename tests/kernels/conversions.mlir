func.func @widths(%a: i8, %b: i64) -> (i32, i32, i8, i1, index, i16, index) {
  %minus = arith.constant -5 : i8
  %0 = arith.extsi %minus : i8 to i32
  %1 = arith.extui %minus : i8 to i32
  %2 = arith.trunci %b : i64 to i8
  %3 = arith.trunci %b : i64 to i1
  %4 = arith.index_cast %0 : i32 to index
  %5 = arith.index_cast %4 : index to i16
  %6 = arith.index_castui %minus : i8 to index
  return %0, %1, %2, %3, %4, %5, %6 : i32, i32, i8, i1, index, i16, index
}

func.func @numbers(%a: f32) -> (i32, i32, f32, f64, f32, f16, f32, i32, f32) {
  %minus = arith.constant -5 : i32
  %third = arith.constant 0.33333333333333333 : f64
  %x = arith.constant -2.75 : f32
  %0 = arith.fptosi %x : f32 to i32
  %1 = arith.fptoui %a : f32 to i32
  %2 = arith.sitofp %minus : i32 to f32
  %3 = arith.uitofp %minus : i32 to f64
  %4 = arith.truncf %third : f64 to f32
  %5 = arith.truncf %a : f32 to f16
  %6 = arith.extf %5 : f16 to f32
  %7 = arith.bitcast %x : f32 to i32
  %8 = arith.bitcast %minus : i32 to f32
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : i32, i32, f32, f64, f32, f16, f32, i32, f32
}
