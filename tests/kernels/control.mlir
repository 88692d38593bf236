func.func @loop(%m: memref<8xf32>) -> (f32, index) {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %eight = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  %r:2 = scf.for %i = %zero to %eight step %two iter_args(%s = %z, %n = %zero) -> (f32, index) {
    %v = memref.load %m[%i] : memref<8xf32>
    %t = arith.addf %s, %v : f32
    %k = arith.addi %n, %i : index
    scf.yield %t, %k : f32, index
  }
  return %r#0, %r#1 : f32, index
}

func.func @condition(%a: i32, %b: i32) -> (i32, i32) {
  %c = arith.cmpi slt, %a, %b : i32
  %0:2 = scf.if %c -> (i32, i32) {
    %x = arith.addi %a, %b : i32
    %y = arith.muli %a, %b : i32
    scf.yield %x, %y : i32, i32
  } else {
    %x = arith.addi %b, %a : i32
    scf.yield %x, %a : i32, i32
  }
  return %0#0, %0#1 : i32, i32
}

func.func @collatz(%n: i64) -> (i64, i64) {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %zero = arith.constant 0 : i64
  %start = arith.constant 27 : i64
  %r:2 = scf.while (%x = %start, %k = %zero) : (i64, i64) -> (i64, i64) {
    %c = arith.cmpi ne, %x, %one : i64
    scf.condition(%c) %x, %k : i64, i64
  } do {
  ^bb0(%x: i64, %k: i64):
    %odd = arith.remui %x, %two : i64
    %c = arith.cmpi eq, %odd, %zero : i64
    %h = arith.divui %x, %two : i64
    %t = arith.muli %x, %three : i64
    %u = arith.addi %t, %one : i64
    %y = arith.select %c, %h, %u : i64
    %l = arith.addi %k, %one : i64
    scf.yield %y, %l : i64, i64
  }
  return %r#0, %r#1 : i64, i64
}

func.func @blocks(%n: i32, %m: memref<4xi32>) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i = arith.constant 2 : index
  cf.br ^head(%n, %one : i32, i32)
^head(%k: i32, %p: i32):
  %c = arith.cmpi sgt, %k, %zero : i32
  cf.cond_br %c, ^body, ^exit(%p : i32)
^body:
  %v = memref.load %m[%i] : memref<4xi32>
  %q = arith.muli %p, %k : i32
  %w = arith.addi %q, %v : i32
  %j = arith.subi %k, %one : i32
  cf.br ^head(%j, %w : i32, i32)
^exit(%r: i32):
  %u = memref.load %m[%i] : memref<4xi32>
  %s = arith.addi %r, %u : i32
  return %s : i32
}

func.func @switches(%a: i32, %k: index) -> (i32, i32) {
  %s = scf.index_switch %k -> i32
  case 3 {
    %x = arith.constant 30 : i32
    scf.yield %x : i32
  }
  case 5 {
    %x = arith.constant 50 : i32
    scf.yield %x : i32
  }
  default {
    scf.yield %a : i32
  }
  cf.switch %a : i32, [
    default: ^d,
    2: ^e(%s : i32),
    7: ^e(%a : i32)
  ]
^d:
  return %s, %a : i32, i32
^e(%v: i32):
  %w = arith.addi %v, %v : i32
  return %v, %w : i32, i32
}

func.func @parallel(%m: memref<4x4xf32>, %n: memref<4x4xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  scf.parallel (%i, %j) = (%zero, %zero) to (%four, %four) step (%one, %one) {
    %v = memref.load %m[%i, %j] : memref<4x4xf32>
    %w = memref.load %m[%j, %i] : memref<4x4xf32>
    %x = arith.mulf %v, %w : f32
    memref.store %x, %n[%j, %i] : memref<4x4xf32>
    scf.reduce
  }
  return
}

func.func @reduced(%m: memref<8xf32>) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %z = arith.constant 10.0 : f32
  %r = scf.parallel (%i) = (%zero) to (%eight) step (%one) init (%z) -> f32 {
    %v = memref.load %m[%i] : memref<8xf32>
    scf.reduce(%v : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}

func.func private @twice(%x: f32, %k: i32) -> (i32, f32) {
  %y = arith.addf %x, %x : f32
  %l = arith.addi %k, %k : i32
  return %l, %y : i32, f32
}

func.func @calls(%x: f32, %k: i32) -> (i32, f32, i32, f32) {
  %a:2 = call @twice(%x, %k) : (f32, i32) -> (i32, f32)
  %b:2 = call @twice(%a#1, %a#0) : (f32, i32) -> (i32, f32)
  return %a#0, %a#1, %b#0, %b#1 : i32, f32, i32, f32
}
