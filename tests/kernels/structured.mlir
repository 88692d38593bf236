#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#t = affine_map<(i, j) -> (j, i)>

func.func @generic(%a: memref<4x4xf32>, %b: memref<4xf32>) {
  linalg.generic {indexing_maps = [#t, #row], iterator_types = ["parallel", "reduction"]} ins(%a : memref<4x4xf32>) outs(%b : memref<4xf32>) {
  ^bb0(%x: f32, %s: f32):
    %i = linalg.index 1 : index
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    %p = arith.mulf %x, %f : f32
    %q = arith.mulf %f, %x : f32
    %u = arith.addf %p, %q : f32
    %r = arith.addf %s, %u : f32
    linalg.yield %r : f32
  }
  return
}

func.func @matmul(%a: memref<3x4xf32>, %b: memref<4x5xf32>, %c: memref<3x5xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%c : memref<3x5xf32>)
  linalg.matmul ins(%a, %b : memref<3x4xf32>, memref<4x5xf32>) outs(%c : memref<3x5xf32>)
  return
}

func.func @widened(%a: memref<3x4xi8>, %b: memref<4x5xi8>, %c: memref<3x5xi32>) {
  linalg.matmul ins(%a, %b : memref<3x4xi8>, memref<4x5xi8>) outs(%c : memref<3x5xi32>)
  return
}

func.func @batch(%a: memref<2x3x4xf32>, %b: memref<2x4x5xf32>, %c: memref<2x3x5xf32>) {
  linalg.batch_matmul ins(%a, %b : memref<2x3x4xf32>, memref<2x4x5xf32>) outs(%c : memref<2x3x5xf32>)
  return
}

func.func @convolved(%a: memref<1x2x7x7xf32>, %k: memref<3x2x3x3xf32>, %c: memref<1x3x3x3xf32>) {
  linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a, %k : memref<1x2x7x7xf32>, memref<3x2x3x3xf32>) outs(%c : memref<1x3x3x3xf32>)
  return
}

func.func @pooled(%a: memref<1x2x6x6xf32>, %c: memref<1x2x3x3xf32>) {
  %w = memref.alloc() : memref<2x2xf32>
  linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a, %w : memref<1x2x6x6xf32>, memref<2x2xf32>) outs(%c : memref<1x2x3x3xf32>)
  return
}

func.func @spread(%a: memref<4xf32>, %b: memref<3x4xf32>, %c: memref<4x3xf32>) {
  linalg.broadcast ins(%a : memref<4xf32>) outs(%b : memref<3x4xf32>) dimensions = [0]
  linalg.transpose ins(%b : memref<3x4xf32>) outs(%c : memref<4x3xf32>) permutation = [1, 0]
  return
}

func.func @tensors(%n: index, %a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<2x2xf32>, f32) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.fill ins(%z : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%0 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #t, #id], iterator_types = ["parallel", "parallel"]} ins(%1, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.subf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %3 = tensor.extract_slice %2[1, %n] [2, 2] [2, 1] : tensor<4x4xf32> to tensor<2x2xf32>
  %4 = tensor.extract %2[%n, %n] : tensor<4x4xf32>
  return %2, %3, %4 : tensor<4x4xf32>, tensor<2x2xf32>, f32
}
