module {
  func.func @abs_1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.abs ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @ceil_1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.ceil ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @erf_1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.erf ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @exp_1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.exp ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @floor_1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.floor ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @log_1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.log ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @negf_1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.negf ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @reciprocal_1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.reciprocal ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @round_1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.round ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @rsqrt_1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.rsqrt ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @sqrt_1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.sqrt ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @square_1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.square ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @tanh_1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.tanh ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @elemwise_unary_1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.elemwise_unary ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @elemwise_unary_2(%arg0: tensor<4x8xf16>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.elemwise_unary ins(%arg0 : tensor<4x8xf16>) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @elemwise_unary_3(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf16>) -> tensor<4x8xf16> {
    %0 = linalg.elemwise_unary ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<4x8xf16>) -> tensor<4x8xf16>
    return %0 : tensor<4x8xf16>
  }
  func.func @add_1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>, %arg2: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.add ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%arg2 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @add_2(%arg0: tensor<4x8xi1>, %arg1: tensor<4x8xi1>, %arg2: tensor<4x8xi1>) -> tensor<4x8xi1> {
    %0 = linalg.add ins(%arg0, %arg1 : tensor<4x8xi1>, tensor<4x8xi1>) outs(%arg2 : tensor<4x8xi1>) -> tensor<4x8xi1>
    return %0 : tensor<4x8xi1>
  }
  func.func @add_3(%arg0: tensor<4x8xcomplex<f32>>, %arg1: tensor<4x8xcomplex<f32>>, %arg2: tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>> {
    %0 = linalg.add ins(%arg0, %arg1 : tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>) outs(%arg2 : tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
    return %0 : tensor<4x8xcomplex<f32>>
  }
  func.func @add_4(%arg0: tensor<4x8xi32>, %arg1: tensor<4x8xi32>, %arg2: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.add ins(%arg0, %arg1 : tensor<4x8xi32>, tensor<4x8xi32>) outs(%arg2 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @sub_1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>, %arg2: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.sub ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%arg2 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @sub_2(%arg0: tensor<4x8xi1>, %arg1: tensor<4x8xi1>, %arg2: tensor<4x8xi1>) -> tensor<4x8xi1> {
    %0 = linalg.sub ins(%arg0, %arg1 : tensor<4x8xi1>, tensor<4x8xi1>) outs(%arg2 : tensor<4x8xi1>) -> tensor<4x8xi1>
    return %0 : tensor<4x8xi1>
  }
  func.func @sub_3(%arg0: tensor<4x8xcomplex<f32>>, %arg1: tensor<4x8xcomplex<f32>>, %arg2: tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>> {
    %0 = linalg.sub ins(%arg0, %arg1 : tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>) outs(%arg2 : tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
    return %0 : tensor<4x8xcomplex<f32>>
  }
  func.func @sub_4(%arg0: tensor<4x8xi32>, %arg1: tensor<4x8xi32>, %arg2: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.sub ins(%arg0, %arg1 : tensor<4x8xi32>, tensor<4x8xi32>) outs(%arg2 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @mul_1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>, %arg2: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.mul ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%arg2 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @mul_2(%arg0: tensor<4x8xi1>, %arg1: tensor<4x8xi1>, %arg2: tensor<4x8xi1>) -> tensor<4x8xi1> {
    %0 = linalg.mul ins(%arg0, %arg1 : tensor<4x8xi1>, tensor<4x8xi1>) outs(%arg2 : tensor<4x8xi1>) -> tensor<4x8xi1>
    return %0 : tensor<4x8xi1>
  }
  func.func @mul_3(%arg0: tensor<4x8xcomplex<f32>>, %arg1: tensor<4x8xcomplex<f32>>, %arg2: tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>> {
    %0 = linalg.mul ins(%arg0, %arg1 : tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>) outs(%arg2 : tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
    return %0 : tensor<4x8xcomplex<f32>>
  }
  func.func @mul_4(%arg0: tensor<4x8xi32>, %arg1: tensor<4x8xi32>, %arg2: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.mul ins(%arg0, %arg1 : tensor<4x8xi32>, tensor<4x8xi32>) outs(%arg2 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @div_1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>, %arg2: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.div ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%arg2 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @div_2(%arg0: tensor<4x8xi1>, %arg1: tensor<4x8xi1>, %arg2: tensor<4x8xi1>) -> tensor<4x8xi1> {
    %0 = linalg.div ins(%arg0, %arg1 : tensor<4x8xi1>, tensor<4x8xi1>) outs(%arg2 : tensor<4x8xi1>) -> tensor<4x8xi1>
    return %0 : tensor<4x8xi1>
  }
  func.func @div_3(%arg0: tensor<4x8xcomplex<f32>>, %arg1: tensor<4x8xcomplex<f32>>, %arg2: tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>> {
    %0 = linalg.div ins(%arg0, %arg1 : tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>) outs(%arg2 : tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
    return %0 : tensor<4x8xcomplex<f32>>
  }
  func.func @div_4(%arg0: tensor<4x8xi32>, %arg1: tensor<4x8xi32>, %arg2: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.div ins(%arg0, %arg1 : tensor<4x8xi32>, tensor<4x8xi32>) outs(%arg2 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @div_unsigned_1(%arg0: tensor<4x8xi1>, %arg1: tensor<4x8xi1>, %arg2: tensor<4x8xi1>) -> tensor<4x8xi1> {
    %0 = linalg.div_unsigned ins(%arg0, %arg1 : tensor<4x8xi1>, tensor<4x8xi1>) outs(%arg2 : tensor<4x8xi1>) -> tensor<4x8xi1>
    return %0 : tensor<4x8xi1>
  }
  func.func @div_unsigned_2(%arg0: tensor<4x8xi32>, %arg1: tensor<4x8xi32>, %arg2: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.div_unsigned ins(%arg0, %arg1 : tensor<4x8xi32>, tensor<4x8xi32>) outs(%arg2 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @max_1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>, %arg2: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.max ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%arg2 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @max_2(%arg0: tensor<4x8xi1>, %arg1: tensor<4x8xi1>, %arg2: tensor<4x8xi1>) -> tensor<4x8xi1> {
    %0 = linalg.max ins(%arg0, %arg1 : tensor<4x8xi1>, tensor<4x8xi1>) outs(%arg2 : tensor<4x8xi1>) -> tensor<4x8xi1>
    return %0 : tensor<4x8xi1>
  }
  func.func @max_3(%arg0: tensor<4x8xi32>, %arg1: tensor<4x8xi32>, %arg2: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.max ins(%arg0, %arg1 : tensor<4x8xi32>, tensor<4x8xi32>) outs(%arg2 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @min_1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>, %arg2: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.min ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%arg2 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @min_2(%arg0: tensor<4x8xi1>, %arg1: tensor<4x8xi1>, %arg2: tensor<4x8xi1>) -> tensor<4x8xi1> {
    %0 = linalg.min ins(%arg0, %arg1 : tensor<4x8xi1>, tensor<4x8xi1>) outs(%arg2 : tensor<4x8xi1>) -> tensor<4x8xi1>
    return %0 : tensor<4x8xi1>
  }
  func.func @min_3(%arg0: tensor<4x8xi32>, %arg1: tensor<4x8xi32>, %arg2: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.min ins(%arg0, %arg1 : tensor<4x8xi32>, tensor<4x8xi32>) outs(%arg2 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @powf_1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>, %arg2: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.powf ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%arg2 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @elemwise_binary_1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>, %arg2: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.elemwise_binary ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%arg2 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @elemwise_binary_2(%arg0: tensor<4x8xi8>, %arg1: tensor<4x8xi8>, %arg2: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.elemwise_binary ins(%arg0, %arg1 : tensor<4x8xi8>, tensor<4x8xi8>) outs(%arg2 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @elemwise_binary_3(%arg0: tensor<4x8xi8>, %arg1: tensor<4x8xi8>, %arg2: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.elemwise_binary {cast = #linalg.type_fn<cast_unsigned>} ins(%arg0, %arg1 : tensor<4x8xi8>, tensor<4x8xi8>) outs(%arg2 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @elemwise_binary_4(%arg0: tensor<4x8xf16>, %arg1: tensor<4x8xf16>, %arg2: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.elemwise_binary ins(%arg0, %arg1 : tensor<4x8xf16>, tensor<4x8xf16>) outs(%arg2 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @elemwise_binary_5(%arg0: tensor<4x8xi1>, %arg1: tensor<4x8xi1>, %arg2: tensor<4x8xi1>) -> tensor<4x8xi1> {
    %0 = linalg.elemwise_binary ins(%arg0, %arg1 : tensor<4x8xi1>, tensor<4x8xi1>) outs(%arg2 : tensor<4x8xi1>) -> tensor<4x8xi1>
    return %0 : tensor<4x8xi1>
  }
  func.func @elemwise_binary_6(%arg0: tensor<4x8xcomplex<f32>>, %arg1: tensor<4x8xcomplex<f32>>, %arg2: tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>> {
    %0 = linalg.elemwise_binary ins(%arg0, %arg1 : tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>) outs(%arg2 : tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
    return %0 : tensor<4x8xcomplex<f32>>
  }
  func.func @elemwise_binary_7(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>, %arg2: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.elemwise_binary ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%arg2 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @elemwise_binary_8(%arg0: tensor<4x8xi32>, %arg1: tensor<4x8xi32>, %arg2: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.elemwise_binary ins(%arg0, %arg1 : tensor<4x8xi32>, tensor<4x8xi32>) outs(%arg2 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @elemwise_binary_9(%arg0: tensor<4x8xindex>, %arg1: tensor<4x8xindex>, %arg2: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.elemwise_binary ins(%arg0, %arg1 : tensor<4x8xindex>, tensor<4x8xindex>) outs(%arg2 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @elemwise_binary_10(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>, %arg2: tensor<4x8xf16>) -> tensor<4x8xf16> {
    %0 = linalg.elemwise_binary ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%arg2 : tensor<4x8xf16>) -> tensor<4x8xf16>
    return %0 : tensor<4x8xf16>
  }
  func.func @select_1(%arg0: tensor<4x8xi1>, %arg1: tensor<4x8xf32>, %arg2: tensor<4x8xf32>, %arg3: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.select ins(%arg0, %arg1, %arg2 : tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xf32>) outs(%arg3 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @select_2(%arg0: tensor<4x8xi1>, %arg1: tensor<4x8xi1>, %arg2: tensor<4x8xi1>, %arg3: tensor<4x8xi1>) -> tensor<4x8xi1> {
    %0 = linalg.select ins(%arg0, %arg1, %arg2 : tensor<4x8xi1>, tensor<4x8xi1>, tensor<4x8xi1>) outs(%arg3 : tensor<4x8xi1>) -> tensor<4x8xi1>
    return %0 : tensor<4x8xi1>
  }
  func.func @select_3(%arg0: tensor<4x8xi1>, %arg1: tensor<4x8xcomplex<f32>>, %arg2: tensor<4x8xcomplex<f32>>, %arg3: tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>> {
    %0 = linalg.select ins(%arg0, %arg1, %arg2 : tensor<4x8xi1>, tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>) outs(%arg3 : tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
    return %0 : tensor<4x8xcomplex<f32>>
  }
  func.func @select_4(%arg0: tensor<4x8xi1>, %arg1: tensor<4x8xi32>, %arg2: tensor<4x8xi32>, %arg3: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.select ins(%arg0, %arg1, %arg2 : tensor<4x8xi1>, tensor<4x8xi32>, tensor<4x8xi32>) outs(%arg3 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @copy_1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.copy ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @copy_2(%arg0: tensor<4x8xi8>, %arg1: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.copy ins(%arg0 : tensor<4x8xi8>) outs(%arg1 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @copy_3(%arg0: tensor<4x8xi8>, %arg1: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.copy {cast = #linalg.type_fn<cast_unsigned>} ins(%arg0 : tensor<4x8xi8>) outs(%arg1 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @copy_4(%arg0: tensor<4x8xf16>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.copy ins(%arg0 : tensor<4x8xf16>) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @copy_5(%arg0: tensor<4x8xi1>, %arg1: tensor<4x8xi1>) -> tensor<4x8xi1> {
    %0 = linalg.copy ins(%arg0 : tensor<4x8xi1>) outs(%arg1 : tensor<4x8xi1>) -> tensor<4x8xi1>
    return %0 : tensor<4x8xi1>
  }
  func.func @copy_6(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.copy ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @copy_7(%arg0: tensor<4x8xi32>, %arg1: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.copy ins(%arg0 : tensor<4x8xi32>) outs(%arg1 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @copy_8(%arg0: tensor<4x8xindex>, %arg1: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.copy ins(%arg0 : tensor<4x8xindex>) outs(%arg1 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @copy_9(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf16>) -> tensor<4x8xf16> {
    %0 = linalg.copy ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<4x8xf16>) -> tensor<4x8xf16>
    return %0 : tensor<4x8xf16>
  }
  func.func @fill_1(%arg0: f32, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.fill ins(%arg0 : f32) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @fill_2(%arg0: i8, %arg1: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.fill ins(%arg0 : i8) outs(%arg1 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @fill_3(%arg0: f16, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.fill ins(%arg0 : f16) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @fill_4(%arg0: i1, %arg1: tensor<4x8xi1>) -> tensor<4x8xi1> {
    %0 = linalg.fill ins(%arg0 : i1) outs(%arg1 : tensor<4x8xi1>) -> tensor<4x8xi1>
    return %0 : tensor<4x8xi1>
  }
  func.func @fill_5(%arg0: f32, %arg1: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.fill ins(%arg0 : f32) outs(%arg1 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @fill_6(%arg0: i32, %arg1: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.fill ins(%arg0 : i32) outs(%arg1 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @fill_7(%arg0: index, %arg1: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.fill ins(%arg0 : index) outs(%arg1 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @fill_8(%arg0: f32, %arg1: tensor<4x8xf16>) -> tensor<4x8xf16> {
    %0 = linalg.fill ins(%arg0 : f32) outs(%arg1 : tensor<4x8xf16>) -> tensor<4x8xf16>
    return %0 : tensor<4x8xf16>
  }
  func.func @matmul_1(%arg0: tensor<4x8xf32>, %arg1: tensor<8x16xf32>, %arg2: tensor<4x16xf32>) -> tensor<4x16xf32> {
    %0 = linalg.matmul ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<8x16xf32>) outs(%arg2 : tensor<4x16xf32>) -> tensor<4x16xf32>
    return %0 : tensor<4x16xf32>
  }
  func.func @matmul_2(%arg0: tensor<4x8xi8>, %arg1: tensor<8x16xi8>, %arg2: tensor<4x16xi32>) -> tensor<4x16xi32> {
    %0 = linalg.matmul ins(%arg0, %arg1 : tensor<4x8xi8>, tensor<8x16xi8>) outs(%arg2 : tensor<4x16xi32>) -> tensor<4x16xi32>
    return %0 : tensor<4x16xi32>
  }
  func.func @matmul_3(%arg0: tensor<4x8xi8>, %arg1: tensor<8x16xi8>, %arg2: tensor<4x16xi32>) -> tensor<4x16xi32> {
    %0 = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%arg0, %arg1 : tensor<4x8xi8>, tensor<8x16xi8>) outs(%arg2 : tensor<4x16xi32>) -> tensor<4x16xi32>
    return %0 : tensor<4x16xi32>
  }
  func.func @matmul_4(%arg0: tensor<4x8xf16>, %arg1: tensor<8x16xf16>, %arg2: tensor<4x16xf32>) -> tensor<4x16xf32> {
    %0 = linalg.matmul ins(%arg0, %arg1 : tensor<4x8xf16>, tensor<8x16xf16>) outs(%arg2 : tensor<4x16xf32>) -> tensor<4x16xf32>
    return %0 : tensor<4x16xf32>
  }
  func.func @matmul_transpose_a_1(%arg0: tensor<8x4xf32>, %arg1: tensor<8x16xf32>, %arg2: tensor<4x16xf32>) -> tensor<4x16xf32> {
    %0 = linalg.matmul_transpose_a ins(%arg0, %arg1 : tensor<8x4xf32>, tensor<8x16xf32>) outs(%arg2 : tensor<4x16xf32>) -> tensor<4x16xf32>
    return %0 : tensor<4x16xf32>
  }
  func.func @matmul_transpose_a_2(%arg0: tensor<8x4xi8>, %arg1: tensor<8x16xi8>, %arg2: tensor<4x16xi32>) -> tensor<4x16xi32> {
    %0 = linalg.matmul_transpose_a ins(%arg0, %arg1 : tensor<8x4xi8>, tensor<8x16xi8>) outs(%arg2 : tensor<4x16xi32>) -> tensor<4x16xi32>
    return %0 : tensor<4x16xi32>
  }
  func.func @matmul_transpose_b_1(%arg0: tensor<4x8xf32>, %arg1: tensor<16x8xf32>, %arg2: tensor<4x16xf32>) -> tensor<4x16xf32> {
    %0 = linalg.matmul_transpose_b ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<16x8xf32>) outs(%arg2 : tensor<4x16xf32>) -> tensor<4x16xf32>
    return %0 : tensor<4x16xf32>
  }
  func.func @matmul_transpose_b_2(%arg0: tensor<4x8xi8>, %arg1: tensor<16x8xi8>, %arg2: tensor<4x16xi32>) -> tensor<4x16xi32> {
    %0 = linalg.matmul_transpose_b ins(%arg0, %arg1 : tensor<4x8xi8>, tensor<16x8xi8>) outs(%arg2 : tensor<4x16xi32>) -> tensor<4x16xi32>
    return %0 : tensor<4x16xi32>
  }
  func.func @quantized_matmul_1(%arg0: tensor<4x8xf32>, %arg1: tensor<8x16xf32>, %arg2: i32, %arg3: i32, %arg4: tensor<4x16xf32>) -> tensor<4x16xf32> {
    %0 = linalg.quantized_matmul ins(%arg0, %arg1, %arg2, %arg3 : tensor<4x8xf32>, tensor<8x16xf32>, i32, i32) outs(%arg4 : tensor<4x16xf32>) -> tensor<4x16xf32>
    return %0 : tensor<4x16xf32>
  }
  func.func @quantized_matmul_2(%arg0: tensor<4x8xi8>, %arg1: tensor<8x16xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<4x16xi32>) -> tensor<4x16xi32> {
    %0 = linalg.quantized_matmul ins(%arg0, %arg1, %arg2, %arg3 : tensor<4x8xi8>, tensor<8x16xi8>, i32, i32) outs(%arg4 : tensor<4x16xi32>) -> tensor<4x16xi32>
    return %0 : tensor<4x16xi32>
  }
  func.func @batch_matmul_1(%arg0: tensor<2x4x8xf32>, %arg1: tensor<2x8x16xf32>, %arg2: tensor<2x4x16xf32>) -> tensor<2x4x16xf32> {
    %0 = linalg.batch_matmul ins(%arg0, %arg1 : tensor<2x4x8xf32>, tensor<2x8x16xf32>) outs(%arg2 : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
    return %0 : tensor<2x4x16xf32>
  }
  func.func @batch_matmul_2(%arg0: tensor<2x4x8xi8>, %arg1: tensor<2x8x16xi8>, %arg2: tensor<2x4x16xi32>) -> tensor<2x4x16xi32> {
    %0 = linalg.batch_matmul ins(%arg0, %arg1 : tensor<2x4x8xi8>, tensor<2x8x16xi8>) outs(%arg2 : tensor<2x4x16xi32>) -> tensor<2x4x16xi32>
    return %0 : tensor<2x4x16xi32>
  }
  func.func @batch_matmul_transpose_a_1(%arg0: tensor<2x8x4xf32>, %arg1: tensor<2x8x16xf32>, %arg2: tensor<2x4x16xf32>) -> tensor<2x4x16xf32> {
    %0 = linalg.batch_matmul_transpose_a ins(%arg0, %arg1 : tensor<2x8x4xf32>, tensor<2x8x16xf32>) outs(%arg2 : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
    return %0 : tensor<2x4x16xf32>
  }
  func.func @batch_matmul_transpose_b_1(%arg0: tensor<2x4x8xf32>, %arg1: tensor<2x16x8xf32>, %arg2: tensor<2x4x16xf32>) -> tensor<2x4x16xf32> {
    %0 = linalg.batch_matmul_transpose_b ins(%arg0, %arg1 : tensor<2x4x8xf32>, tensor<2x16x8xf32>) outs(%arg2 : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
    return %0 : tensor<2x4x16xf32>
  }
  func.func @quantized_batch_matmul_1(%arg0: tensor<2x4x8xf32>, %arg1: tensor<2x8x16xf32>, %arg2: i32, %arg3: i32, %arg4: tensor<2x4x16xf32>) -> tensor<2x4x16xf32> {
    %0 = linalg.quantized_batch_matmul ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x4x8xf32>, tensor<2x8x16xf32>, i32, i32) outs(%arg4 : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
    return %0 : tensor<2x4x16xf32>
  }
  func.func @quantized_batch_matmul_2(%arg0: tensor<2x4x8xi8>, %arg1: tensor<2x8x16xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x4x16xi32>) -> tensor<2x4x16xi32> {
    %0 = linalg.quantized_batch_matmul ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x4x8xi8>, tensor<2x8x16xi8>, i32, i32) outs(%arg4 : tensor<2x4x16xi32>) -> tensor<2x4x16xi32>
    return %0 : tensor<2x4x16xi32>
  }
  func.func @batch_reduce_matmul_1(%arg0: tensor<2x4x8xf32>, %arg1: tensor<2x8x16xf32>, %arg2: tensor<4x16xf32>) -> tensor<4x16xf32> {
    %0 = linalg.batch_reduce_matmul ins(%arg0, %arg1 : tensor<2x4x8xf32>, tensor<2x8x16xf32>) outs(%arg2 : tensor<4x16xf32>) -> tensor<4x16xf32>
    return %0 : tensor<4x16xf32>
  }
  func.func @batch_reduce_matmul_2(%arg0: tensor<2x4x8xi1>, %arg1: tensor<2x8x16xi1>, %arg2: tensor<4x16xi1>) -> tensor<4x16xi1> {
    %0 = linalg.batch_reduce_matmul ins(%arg0, %arg1 : tensor<2x4x8xi1>, tensor<2x8x16xi1>) outs(%arg2 : tensor<4x16xi1>) -> tensor<4x16xi1>
    return %0 : tensor<4x16xi1>
  }
  func.func @matvec_1(%arg0: tensor<4x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<4xf32>) -> tensor<4xf32> {
    %0 = linalg.matvec ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<8xf32>) outs(%arg2 : tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @matvec_2(%arg0: tensor<4x8xi8>, %arg1: tensor<8xi8>, %arg2: tensor<4xi32>) -> tensor<4xi32> {
    %0 = linalg.matvec ins(%arg0, %arg1 : tensor<4x8xi8>, tensor<8xi8>) outs(%arg2 : tensor<4xi32>) -> tensor<4xi32>
    return %0 : tensor<4xi32>
  }
  func.func @vecmat_1(%arg0: tensor<8xf32>, %arg1: tensor<8x4xf32>, %arg2: tensor<4xf32>) -> tensor<4xf32> {
    %0 = linalg.vecmat ins(%arg0, %arg1 : tensor<8xf32>, tensor<8x4xf32>) outs(%arg2 : tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @batch_matvec_1(%arg0: tensor<2x4x8xf32>, %arg1: tensor<2x8xf32>, %arg2: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %0 = linalg.batch_matvec ins(%arg0, %arg1 : tensor<2x4x8xf32>, tensor<2x8xf32>) outs(%arg2 : tensor<2x4xf32>) -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
  func.func @batch_matvec_2(%arg0: tensor<2x4x8xi8>, %arg1: tensor<2x8xi8>, %arg2: tensor<2x4xi32>) -> tensor<2x4xi32> {
    %0 = linalg.batch_matvec ins(%arg0, %arg1 : tensor<2x4x8xi8>, tensor<2x8xi8>) outs(%arg2 : tensor<2x4xi32>) -> tensor<2x4xi32>
    return %0 : tensor<2x4xi32>
  }
  func.func @batch_vecmat_1(%arg0: tensor<2x8xf32>, %arg1: tensor<2x8x4xf32>, %arg2: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %0 = linalg.batch_vecmat ins(%arg0, %arg1 : tensor<2x8xf32>, tensor<2x8x4xf32>) outs(%arg2 : tensor<2x4xf32>) -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
  func.func @mmt4d_1(%arg0: tensor<2x3x4x8xf32>, %arg1: tensor<5x3x6x8xf32>, %arg2: tensor<2x5x4x6xf32>) -> tensor<2x5x4x6xf32> {
    %0 = linalg.mmt4d ins(%arg0, %arg1 : tensor<2x3x4x8xf32>, tensor<5x3x6x8xf32>) outs(%arg2 : tensor<2x5x4x6xf32>) -> tensor<2x5x4x6xf32>
    return %0 : tensor<2x5x4x6xf32>
  }
  func.func @batch_mmt4d_1(%arg0: tensor<7x2x3x4x8xf32>, %arg1: tensor<7x5x3x6x8xf32>, %arg2: tensor<7x2x5x4x6xf32>) -> tensor<7x2x5x4x6xf32> {
    %0 = linalg.batch_mmt4d ins(%arg0, %arg1 : tensor<7x2x3x4x8xf32>, tensor<7x5x3x6x8xf32>) outs(%arg2 : tensor<7x2x5x4x6xf32>) -> tensor<7x2x5x4x6xf32>
    return %0 : tensor<7x2x5x4x6xf32>
  }
  func.func @dot_1(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = linalg.dot ins(%arg0, %arg1 : tensor<8xf32>, tensor<8xf32>) outs(%arg2 : tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @dot_2(%arg0: tensor<8xi8>, %arg1: tensor<8xi8>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = linalg.dot ins(%arg0, %arg1 : tensor<8xi8>, tensor<8xi8>) outs(%arg2 : tensor<i32>) -> tensor<i32>
    return %0 : tensor<i32>
  }
  func.func @dot_3(%arg0: tensor<8xf16>, %arg1: tensor<8xf16>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = linalg.dot ins(%arg0, %arg1 : tensor<8xf16>, tensor<8xf16>) outs(%arg2 : tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @dot_4(%arg0: tensor<8xi1>, %arg1: tensor<8xi1>, %arg2: tensor<i1>) -> tensor<i1> {
    %0 = linalg.dot ins(%arg0, %arg1 : tensor<8xi1>, tensor<8xi1>) outs(%arg2 : tensor<i1>) -> tensor<i1>
    return %0 : tensor<i1>
  }
  func.func @dot_5(%arg0: tensor<8xcomplex<f32>>, %arg1: tensor<8xcomplex<f32>>, %arg2: tensor<complex<f32>>) -> tensor<complex<f32>> {
    %0 = linalg.dot ins(%arg0, %arg1 : tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>) outs(%arg2 : tensor<complex<f32>>) -> tensor<complex<f32>>
    return %0 : tensor<complex<f32>>
  }
  func.func @dot_6(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = linalg.dot ins(%arg0, %arg1 : tensor<8xf32>, tensor<8xf32>) outs(%arg2 : tensor<i32>) -> tensor<i32>
    return %0 : tensor<i32>
  }
  func.func @dot_7(%arg0: tensor<8xi32>, %arg1: tensor<8xi32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = linalg.dot ins(%arg0, %arg1 : tensor<8xi32>, tensor<8xi32>) outs(%arg2 : tensor<i32>) -> tensor<i32>
    return %0 : tensor<i32>
  }
  func.func @dot_8(%arg0: tensor<8xindex>, %arg1: tensor<8xindex>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = linalg.dot ins(%arg0, %arg1 : tensor<8xindex>, tensor<8xindex>) outs(%arg2 : tensor<i32>) -> tensor<i32>
    return %0 : tensor<i32>
  }
  func.func @dot_9(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<f16>) -> tensor<f16> {
    %0 = linalg.dot ins(%arg0, %arg1 : tensor<8xf32>, tensor<8xf32>) outs(%arg2 : tensor<f16>) -> tensor<f16>
    return %0 : tensor<f16>
  }
  func.func @conv_1d_1(%arg0: tensor<10xf32>, %arg1: tensor<3xf32>, %arg2: tensor<8xf32>) -> tensor<8xf32> {
    %0 = linalg.conv_1d ins(%arg0, %arg1 : tensor<10xf32>, tensor<3xf32>) outs(%arg2 : tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func @conv_2d_1(%arg0: tensor<10x10xf32>, %arg1: tensor<3x3xf32>, %arg2: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = linalg.conv_2d ins(%arg0, %arg1 : tensor<10x10xf32>, tensor<3x3xf32>) outs(%arg2 : tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
  func.func @conv_2d_2(%arg0: tensor<10x10xi8>, %arg1: tensor<3x3xi8>, %arg2: tensor<8x8xi32>) -> tensor<8x8xi32> {
    %0 = linalg.conv_2d ins(%arg0, %arg1 : tensor<10x10xi8>, tensor<3x3xi8>) outs(%arg2 : tensor<8x8xi32>) -> tensor<8x8xi32>
    return %0 : tensor<8x8xi32>
  }
  func.func @conv_3d_1(%arg0: tensor<10x10x10xf32>, %arg1: tensor<3x3x3xf32>, %arg2: tensor<8x8x8xf32>) -> tensor<8x8x8xf32> {
    %0 = linalg.conv_3d ins(%arg0, %arg1 : tensor<10x10x10xf32>, tensor<3x3x3xf32>) outs(%arg2 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
    return %0 : tensor<8x8x8xf32>
  }
  func.func @conv_1d_nwc_wcf_1(%arg0: tensor<2x10x4xf32>, %arg1: tensor<3x4x5xf32>, %arg2: tensor<2x8x5xf32>) -> tensor<2x8x5xf32> {
    %0 = linalg.conv_1d_nwc_wcf {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x10x4xf32>, tensor<3x4x5xf32>) outs(%arg2 : tensor<2x8x5xf32>) -> tensor<2x8x5xf32>
    return %0 : tensor<2x8x5xf32>
  }
  func.func @conv_1d_ncw_fcw_1(%arg0: tensor<2x4x10xf32>, %arg1: tensor<5x4x3xf32>, %arg2: tensor<2x5x8xf32>) -> tensor<2x5x8xf32> {
    %0 = linalg.conv_1d_ncw_fcw {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x4x10xf32>, tensor<5x4x3xf32>) outs(%arg2 : tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    return %0 : tensor<2x5x8xf32>
  }
  func.func @conv_2d_nhwc_hwcf_1(%arg0: tensor<2x10x10x4xf32>, %arg1: tensor<3x3x4x5xf32>, %arg2: tensor<2x8x8x5xf32>) -> tensor<2x8x8x5xf32> {
    %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x10x10x4xf32>, tensor<3x3x4x5xf32>) outs(%arg2 : tensor<2x8x8x5xf32>) -> tensor<2x8x8x5xf32>
    return %0 : tensor<2x8x8x5xf32>
  }
  func.func @conv_2d_nhwc_hwcf_2(%arg0: tensor<2x10x10x4xi8>, %arg1: tensor<3x3x4x5xi8>, %arg2: tensor<2x8x8x5xi32>) -> tensor<2x8x8x5xi32> {
    %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x10x10x4xi8>, tensor<3x3x4x5xi8>) outs(%arg2 : tensor<2x8x8x5xi32>) -> tensor<2x8x8x5xi32>
    return %0 : tensor<2x8x8x5xi32>
  }
  func.func @conv_2d_nhwc_fhwc_1(%arg0: tensor<2x10x10x4xf32>, %arg1: tensor<5x3x3x4xf32>, %arg2: tensor<2x8x8x5xf32>) -> tensor<2x8x8x5xf32> {
    %0 = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x10x10x4xf32>, tensor<5x3x3x4xf32>) outs(%arg2 : tensor<2x8x8x5xf32>) -> tensor<2x8x8x5xf32>
    return %0 : tensor<2x8x8x5xf32>
  }
  func.func @conv_2d_nhwc_hwcf_q_1(%arg0: tensor<2x10x10x4xf32>, %arg1: tensor<3x3x4x5xf32>, %arg2: i32, %arg3: i32, %arg4: tensor<2x8x8x5xf32>) -> tensor<2x8x8x5xf32> {
    %0 = linalg.conv_2d_nhwc_hwcf_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x10x10x4xf32>, tensor<3x3x4x5xf32>, i32, i32) outs(%arg4 : tensor<2x8x8x5xf32>) -> tensor<2x8x8x5xf32>
    return %0 : tensor<2x8x8x5xf32>
  }
  func.func @conv_2d_nhwc_hwcf_q_2(%arg0: tensor<2x10x10x4xi8>, %arg1: tensor<3x3x4x5xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x8x8x5xi32>) -> tensor<2x8x8x5xi32> {
    %0 = linalg.conv_2d_nhwc_hwcf_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x10x10x4xi8>, tensor<3x3x4x5xi8>, i32, i32) outs(%arg4 : tensor<2x8x8x5xi32>) -> tensor<2x8x8x5xi32>
    return %0 : tensor<2x8x8x5xi32>
  }
  func.func @conv_2d_nhwc_hwcf_q_3(%arg0: tensor<2x10x10x4xf16>, %arg1: tensor<3x3x4x5xf16>, %arg2: i32, %arg3: i32, %arg4: tensor<2x8x8x5xf32>) -> tensor<2x8x8x5xf32> {
    %0 = linalg.conv_2d_nhwc_hwcf_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x10x10x4xf16>, tensor<3x3x4x5xf16>, i32, i32) outs(%arg4 : tensor<2x8x8x5xf32>) -> tensor<2x8x8x5xf32>
    return %0 : tensor<2x8x8x5xf32>
  }
  func.func @conv_2d_nhwc_hwcf_q_4(%arg0: tensor<2x10x10x4xi1>, %arg1: tensor<3x3x4x5xi1>, %arg2: i32, %arg3: i32, %arg4: tensor<2x8x8x5xi1>) -> tensor<2x8x8x5xi1> {
    %0 = linalg.conv_2d_nhwc_hwcf_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x10x10x4xi1>, tensor<3x3x4x5xi1>, i32, i32) outs(%arg4 : tensor<2x8x8x5xi1>) -> tensor<2x8x8x5xi1>
    return %0 : tensor<2x8x8x5xi1>
  }
  func.func @conv_2d_nhwc_fhwc_q_1(%arg0: tensor<2x10x10x4xf32>, %arg1: tensor<5x3x3x4xf32>, %arg2: i32, %arg3: i32, %arg4: tensor<2x8x8x5xf32>) -> tensor<2x8x8x5xf32> {
    %0 = linalg.conv_2d_nhwc_fhwc_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x10x10x4xf32>, tensor<5x3x3x4xf32>, i32, i32) outs(%arg4 : tensor<2x8x8x5xf32>) -> tensor<2x8x8x5xf32>
    return %0 : tensor<2x8x8x5xf32>
  }
  func.func @conv_2d_nhwc_fhwc_q_2(%arg0: tensor<2x10x10x4xi8>, %arg1: tensor<5x3x3x4xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x8x8x5xi32>) -> tensor<2x8x8x5xi32> {
    %0 = linalg.conv_2d_nhwc_fhwc_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x10x10x4xi8>, tensor<5x3x3x4xi8>, i32, i32) outs(%arg4 : tensor<2x8x8x5xi32>) -> tensor<2x8x8x5xi32>
    return %0 : tensor<2x8x8x5xi32>
  }
  func.func @conv_2d_nchw_fchw_1(%arg0: tensor<2x4x10x10xf32>, %arg1: tensor<5x4x3x3xf32>, %arg2: tensor<2x5x8x8xf32>) -> tensor<2x5x8x8xf32> {
    %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x4x10x10xf32>, tensor<5x4x3x3xf32>) outs(%arg2 : tensor<2x5x8x8xf32>) -> tensor<2x5x8x8xf32>
    return %0 : tensor<2x5x8x8xf32>
  }
  func.func @conv_2d_nchw_fchw_2(%arg0: tensor<2x4x10x10xi8>, %arg1: tensor<5x4x3x3xi8>, %arg2: tensor<2x5x8x8xi32>) -> tensor<2x5x8x8xi32> {
    %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x4x10x10xi8>, tensor<5x4x3x3xi8>) outs(%arg2 : tensor<2x5x8x8xi32>) -> tensor<2x5x8x8xi32>
    return %0 : tensor<2x5x8x8xi32>
  }
  func.func @conv_2d_ngchw_fgchw_1(%arg0: tensor<2x6x4x10x10xf32>, %arg1: tensor<5x6x4x3x3xf32>, %arg2: tensor<2x6x5x8x8xf32>) -> tensor<2x6x5x8x8xf32> {
    %0 = linalg.conv_2d_ngchw_fgchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x6x4x10x10xf32>, tensor<5x6x4x3x3xf32>) outs(%arg2 : tensor<2x6x5x8x8xf32>) -> tensor<2x6x5x8x8xf32>
    return %0 : tensor<2x6x5x8x8xf32>
  }
  func.func @conv_2d_ngchw_gfchw_1(%arg0: tensor<2x6x4x10x10xf32>, %arg1: tensor<6x5x4x3x3xf32>, %arg2: tensor<2x6x5x8x8xf32>) -> tensor<2x6x5x8x8xf32> {
    %0 = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x6x4x10x10xf32>, tensor<6x5x4x3x3xf32>) outs(%arg2 : tensor<2x6x5x8x8xf32>) -> tensor<2x6x5x8x8xf32>
    return %0 : tensor<2x6x5x8x8xf32>
  }
  func.func @conv_2d_ngchw_gfchw_q_1(%arg0: tensor<2x6x4x10x10xf32>, %arg1: tensor<6x5x4x3x3xf32>, %arg2: i32, %arg3: i32, %arg4: tensor<2x6x5x8x8xf32>) -> tensor<2x6x5x8x8xf32> {
    %0 = linalg.conv_2d_ngchw_gfchw_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x6x4x10x10xf32>, tensor<6x5x4x3x3xf32>, i32, i32) outs(%arg4 : tensor<2x6x5x8x8xf32>) -> tensor<2x6x5x8x8xf32>
    return %0 : tensor<2x6x5x8x8xf32>
  }
  func.func @conv_2d_ngchw_gfchw_q_2(%arg0: tensor<2x6x4x10x10xi8>, %arg1: tensor<6x5x4x3x3xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x6x5x8x8xi32>) -> tensor<2x6x5x8x8xi32> {
    %0 = linalg.conv_2d_ngchw_gfchw_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x6x4x10x10xi8>, tensor<6x5x4x3x3xi8>, i32, i32) outs(%arg4 : tensor<2x6x5x8x8xi32>) -> tensor<2x6x5x8x8xi32>
    return %0 : tensor<2x6x5x8x8xi32>
  }
  func.func @conv_3d_ndhwc_dhwcf_1(%arg0: tensor<2x10x10x10x4xf32>, %arg1: tensor<3x3x3x4x5xf32>, %arg2: tensor<2x8x8x8x5xf32>) -> tensor<2x8x8x8x5xf32> {
    %0 = linalg.conv_3d_ndhwc_dhwcf {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x10x10x10x4xf32>, tensor<3x3x3x4x5xf32>) outs(%arg2 : tensor<2x8x8x8x5xf32>) -> tensor<2x8x8x8x5xf32>
    return %0 : tensor<2x8x8x8x5xf32>
  }
  func.func @conv_3d_ndhwc_dhwcf_q_1(%arg0: tensor<2x10x10x10x4xf32>, %arg1: tensor<3x3x3x4x5xf32>, %arg2: i32, %arg3: i32, %arg4: tensor<2x8x8x8x5xf32>) -> tensor<2x8x8x8x5xf32> {
    %0 = linalg.conv_3d_ndhwc_dhwcf_q {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x10x10x10x4xf32>, tensor<3x3x3x4x5xf32>, i32, i32) outs(%arg4 : tensor<2x8x8x8x5xf32>) -> tensor<2x8x8x8x5xf32>
    return %0 : tensor<2x8x8x8x5xf32>
  }
  func.func @conv_3d_ndhwc_dhwcf_q_2(%arg0: tensor<2x10x10x10x4xi8>, %arg1: tensor<3x3x3x4x5xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x8x8x8x5xi32>) -> tensor<2x8x8x8x5xi32> {
    %0 = linalg.conv_3d_ndhwc_dhwcf_q {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x10x10x10x4xi8>, tensor<3x3x3x4x5xi8>, i32, i32) outs(%arg4 : tensor<2x8x8x8x5xi32>) -> tensor<2x8x8x8x5xi32>
    return %0 : tensor<2x8x8x8x5xi32>
  }
  func.func @conv_3d_ncdhw_fcdhw_1(%arg0: tensor<2x4x10x10x10xf32>, %arg1: tensor<5x4x3x3x3xf32>, %arg2: tensor<2x5x8x8x8xf32>) -> tensor<2x5x8x8x8xf32> {
    %0 = linalg.conv_3d_ncdhw_fcdhw {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x4x10x10x10xf32>, tensor<5x4x3x3x3xf32>) outs(%arg2 : tensor<2x5x8x8x8xf32>) -> tensor<2x5x8x8x8xf32>
    return %0 : tensor<2x5x8x8x8xf32>
  }
  func.func @depthwise_conv_1d_nwc_wc_1(%arg0: tensor<2x10x4xf32>, %arg1: tensor<3x4xf32>, %arg2: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
    %0 = linalg.depthwise_conv_1d_nwc_wc {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x10x4xf32>, tensor<3x4xf32>) outs(%arg2 : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    return %0 : tensor<2x8x4xf32>
  }
  func.func @depthwise_conv_1d_ncw_cw_1(%arg0: tensor<2x4x10xf32>, %arg1: tensor<4x3xf32>, %arg2: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
    %0 = linalg.depthwise_conv_1d_ncw_cw {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x4x10xf32>, tensor<4x3xf32>) outs(%arg2 : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    return %0 : tensor<2x4x8xf32>
  }
  func.func @depthwise_conv_1d_nwc_wcm_1(%arg0: tensor<2x10x4xf32>, %arg1: tensor<3x4x5xf32>, %arg2: tensor<2x8x4x5xf32>) -> tensor<2x8x4x5xf32> {
    %0 = linalg.depthwise_conv_1d_nwc_wcm {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x10x4xf32>, tensor<3x4x5xf32>) outs(%arg2 : tensor<2x8x4x5xf32>) -> tensor<2x8x4x5xf32>
    return %0 : tensor<2x8x4x5xf32>
  }
  func.func @depthwise_conv_2d_nhwc_hwc_1(%arg0: tensor<2x10x10x4xf32>, %arg1: tensor<3x3x4xf32>, %arg2: tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32> {
    %0 = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x10x10x4xf32>, tensor<3x3x4xf32>) outs(%arg2 : tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
    return %0 : tensor<2x8x8x4xf32>
  }
  func.func @depthwise_conv_2d_nhwc_hwc_2(%arg0: tensor<2x10x10x4xi8>, %arg1: tensor<3x3x4xi8>, %arg2: tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32> {
    %0 = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x10x10x4xi8>, tensor<3x3x4xi8>) outs(%arg2 : tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32>
    return %0 : tensor<2x8x8x4xi32>
  }
  func.func @depthwise_conv_2d_nchw_chw_1(%arg0: tensor<2x4x10x10xf32>, %arg1: tensor<4x3x3xf32>, %arg2: tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32> {
    %0 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x4x10x10xf32>, tensor<4x3x3xf32>) outs(%arg2 : tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
    return %0 : tensor<2x4x8x8xf32>
  }
  func.func @depthwise_conv_2d_nhwc_hwc_q_1(%arg0: tensor<2x10x10x4xf32>, %arg1: tensor<3x3x4xf32>, %arg2: i32, %arg3: i32, %arg4: tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32> {
    %0 = linalg.depthwise_conv_2d_nhwc_hwc_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x10x10x4xf32>, tensor<3x3x4xf32>, i32, i32) outs(%arg4 : tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
    return %0 : tensor<2x8x8x4xf32>
  }
  func.func @depthwise_conv_2d_nhwc_hwc_q_2(%arg0: tensor<2x10x10x4xi8>, %arg1: tensor<3x3x4xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32> {
    %0 = linalg.depthwise_conv_2d_nhwc_hwc_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x10x10x4xi8>, tensor<3x3x4xi8>, i32, i32) outs(%arg4 : tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32>
    return %0 : tensor<2x8x8x4xi32>
  }
  func.func @depthwise_conv_2d_nhwc_hwcm_1(%arg0: tensor<2x10x10x4xf32>, %arg1: tensor<3x3x4x5xf32>, %arg2: tensor<2x8x8x4x5xf32>) -> tensor<2x8x8x4x5xf32> {
    %0 = linalg.depthwise_conv_2d_nhwc_hwcm {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x10x10x4xf32>, tensor<3x3x4x5xf32>) outs(%arg2 : tensor<2x8x8x4x5xf32>) -> tensor<2x8x8x4x5xf32>
    return %0 : tensor<2x8x8x4x5xf32>
  }
  func.func @depthwise_conv_2d_nhwc_hwcm_q_1(%arg0: tensor<2x10x10x4xf32>, %arg1: tensor<3x3x4x5xf32>, %arg2: i32, %arg3: i32, %arg4: tensor<2x8x8x4x5xf32>) -> tensor<2x8x8x4x5xf32> {
    %0 = linalg.depthwise_conv_2d_nhwc_hwcm_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x10x10x4xf32>, tensor<3x3x4x5xf32>, i32, i32) outs(%arg4 : tensor<2x8x8x4x5xf32>) -> tensor<2x8x8x4x5xf32>
    return %0 : tensor<2x8x8x4x5xf32>
  }
  func.func @depthwise_conv_2d_nhwc_hwcm_q_2(%arg0: tensor<2x10x10x4xi8>, %arg1: tensor<3x3x4x5xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x8x8x4x5xi32>) -> tensor<2x8x8x4x5xi32> {
    %0 = linalg.depthwise_conv_2d_nhwc_hwcm_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x10x10x4xi8>, tensor<3x3x4x5xi8>, i32, i32) outs(%arg4 : tensor<2x8x8x4x5xi32>) -> tensor<2x8x8x4x5xi32>
    return %0 : tensor<2x8x8x4x5xi32>
  }
  func.func @depthwise_conv_3d_ndhwc_dhwc_1(%arg0: tensor<2x10x10x10x4xf32>, %arg1: tensor<3x3x3x4xf32>, %arg2: tensor<2x8x8x8x4xf32>) -> tensor<2x8x8x8x4xf32> {
    %0 = linalg.depthwise_conv_3d_ndhwc_dhwc {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x10x10x10x4xf32>, tensor<3x3x3x4xf32>) outs(%arg2 : tensor<2x8x8x8x4xf32>) -> tensor<2x8x8x8x4xf32>
    return %0 : tensor<2x8x8x8x4xf32>
  }
  func.func @depthwise_conv_3d_ncdhw_cdhw_1(%arg0: tensor<2x4x10x10x10xf32>, %arg1: tensor<4x3x3x3xf32>, %arg2: tensor<2x4x8x8x8xf32>) -> tensor<2x4x8x8x8xf32> {
    %0 = linalg.depthwise_conv_3d_ncdhw_cdhw {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x4x10x10x10xf32>, tensor<4x3x3x3xf32>) outs(%arg2 : tensor<2x4x8x8x8xf32>) -> tensor<2x4x8x8x8xf32>
    return %0 : tensor<2x4x8x8x8xf32>
  }
  func.func @depthwise_conv_3d_ndhwc_dhwcm_1(%arg0: tensor<2x10x10x10x4xf32>, %arg1: tensor<3x3x3x4x5xf32>, %arg2: tensor<2x8x8x8x4x5xf32>) -> tensor<2x8x8x8x4x5xf32> {
    %0 = linalg.depthwise_conv_3d_ndhwc_dhwcm {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x10x10x10x4xf32>, tensor<3x3x3x4x5xf32>) outs(%arg2 : tensor<2x8x8x8x4x5xf32>) -> tensor<2x8x8x8x4x5xf32>
    return %0 : tensor<2x8x8x8x4x5xf32>
  }
  func.func @pooling_nhwc_sum_1(%arg0: tensor<2x10x10x4xf32>, %arg1: tensor<3x3xf32>, %arg2: tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32> {
    %0 = linalg.pooling_nhwc_sum {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x10x10x4xf32>, tensor<3x3xf32>) outs(%arg2 : tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
    return %0 : tensor<2x8x8x4xf32>
  }
  func.func @pooling_nhwc_sum_2(%arg0: tensor<2x10x10x4xi8>, %arg1: tensor<3x3xi8>, %arg2: tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32> {
    %0 = linalg.pooling_nhwc_sum {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x10x10x4xi8>, tensor<3x3xi8>) outs(%arg2 : tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32>
    return %0 : tensor<2x8x8x4xi32>
  }
  func.func @pooling_nwc_sum_1(%arg0: tensor<2x10x4xf32>, %arg1: tensor<3xf32>, %arg2: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
    %0 = linalg.pooling_nwc_sum {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x10x4xf32>, tensor<3xf32>) outs(%arg2 : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    return %0 : tensor<2x8x4xf32>
  }
  func.func @pooling_nwc_sum_2(%arg0: tensor<2x10x4xi8>, %arg1: tensor<3xi8>, %arg2: tensor<2x8x4xi32>) -> tensor<2x8x4xi32> {
    %0 = linalg.pooling_nwc_sum {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x10x4xi8>, tensor<3xi8>) outs(%arg2 : tensor<2x8x4xi32>) -> tensor<2x8x4xi32>
    return %0 : tensor<2x8x4xi32>
  }
  func.func @pooling_nhwc_max_1(%arg0: tensor<2x10x10x4xf32>, %arg1: tensor<3x3xf32>, %arg2: tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32> {
    %0 = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x10x10x4xf32>, tensor<3x3xf32>) outs(%arg2 : tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
    return %0 : tensor<2x8x8x4xf32>
  }
  func.func @pooling_nhwc_max_2(%arg0: tensor<2x10x10x4xi8>, %arg1: tensor<3x3xi8>, %arg2: tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32> {
    %0 = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x10x10x4xi8>, tensor<3x3xi8>) outs(%arg2 : tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32>
    return %0 : tensor<2x8x8x4xi32>
  }
  func.func @pooling_nwc_max_1(%arg0: tensor<2x10x4xf32>, %arg1: tensor<3xf32>, %arg2: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
    %0 = linalg.pooling_nwc_max {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x10x4xf32>, tensor<3xf32>) outs(%arg2 : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    return %0 : tensor<2x8x4xf32>
  }
  func.func @pooling_nwc_max_2(%arg0: tensor<2x10x4xi8>, %arg1: tensor<3xi8>, %arg2: tensor<2x8x4xi32>) -> tensor<2x8x4xi32> {
    %0 = linalg.pooling_nwc_max {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x10x4xi8>, tensor<3xi8>) outs(%arg2 : tensor<2x8x4xi32>) -> tensor<2x8x4xi32>
    return %0 : tensor<2x8x4xi32>
  }
  func.func @pooling_nhwc_max_unsigned_1(%arg0: tensor<2x10x10x4xf32>, %arg1: tensor<3x3xf32>, %arg2: tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32> {
    %0 = linalg.pooling_nhwc_max_unsigned {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x10x10x4xf32>, tensor<3x3xf32>) outs(%arg2 : tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
    return %0 : tensor<2x8x8x4xf32>
  }
  func.func @pooling_nhwc_max_unsigned_2(%arg0: tensor<2x10x10x4xi8>, %arg1: tensor<3x3xi8>, %arg2: tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32> {
    %0 = linalg.pooling_nhwc_max_unsigned {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x10x10x4xi8>, tensor<3x3xi8>) outs(%arg2 : tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32>
    return %0 : tensor<2x8x8x4xi32>
  }
  func.func @pooling_nhwc_max_unsigned_3(%arg0: tensor<2x10x10x4xf16>, %arg1: tensor<3x3xf16>, %arg2: tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32> {
    %0 = linalg.pooling_nhwc_max_unsigned {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x10x10x4xf16>, tensor<3x3xf16>) outs(%arg2 : tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
    return %0 : tensor<2x8x8x4xf32>
  }
  func.func @pooling_nhwc_max_unsigned_4(%arg0: tensor<2x10x10x4xi1>, %arg1: tensor<3x3xi1>, %arg2: tensor<2x8x8x4xi1>) -> tensor<2x8x8x4xi1> {
    %0 = linalg.pooling_nhwc_max_unsigned {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x10x10x4xi1>, tensor<3x3xi1>) outs(%arg2 : tensor<2x8x8x4xi1>) -> tensor<2x8x8x4xi1>
    return %0 : tensor<2x8x8x4xi1>
  }
  func.func @pooling_nwc_max_unsigned_1(%arg0: tensor<2x10x4xf32>, %arg1: tensor<3xf32>, %arg2: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
    %0 = linalg.pooling_nwc_max_unsigned {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x10x4xf32>, tensor<3xf32>) outs(%arg2 : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    return %0 : tensor<2x8x4xf32>
  }
  func.func @pooling_nwc_max_unsigned_2(%arg0: tensor<2x10x4xi8>, %arg1: tensor<3xi8>, %arg2: tensor<2x8x4xi32>) -> tensor<2x8x4xi32> {
    %0 = linalg.pooling_nwc_max_unsigned {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x10x4xi8>, tensor<3xi8>) outs(%arg2 : tensor<2x8x4xi32>) -> tensor<2x8x4xi32>
    return %0 : tensor<2x8x4xi32>
  }
  func.func @pooling_nhwc_min_1(%arg0: tensor<2x10x10x4xf32>, %arg1: tensor<3x3xf32>, %arg2: tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32> {
    %0 = linalg.pooling_nhwc_min {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x10x10x4xf32>, tensor<3x3xf32>) outs(%arg2 : tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
    return %0 : tensor<2x8x8x4xf32>
  }
  func.func @pooling_nhwc_min_2(%arg0: tensor<2x10x10x4xi8>, %arg1: tensor<3x3xi8>, %arg2: tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32> {
    %0 = linalg.pooling_nhwc_min {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x10x10x4xi8>, tensor<3x3xi8>) outs(%arg2 : tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32>
    return %0 : tensor<2x8x8x4xi32>
  }
  func.func @pooling_nwc_min_1(%arg0: tensor<2x10x4xf32>, %arg1: tensor<3xf32>, %arg2: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
    %0 = linalg.pooling_nwc_min {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x10x4xf32>, tensor<3xf32>) outs(%arg2 : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    return %0 : tensor<2x8x4xf32>
  }
  func.func @pooling_nwc_min_2(%arg0: tensor<2x10x4xi8>, %arg1: tensor<3xi8>, %arg2: tensor<2x8x4xi32>) -> tensor<2x8x4xi32> {
    %0 = linalg.pooling_nwc_min {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x10x4xi8>, tensor<3xi8>) outs(%arg2 : tensor<2x8x4xi32>) -> tensor<2x8x4xi32>
    return %0 : tensor<2x8x4xi32>
  }
  func.func @pooling_nhwc_min_unsigned_1(%arg0: tensor<2x10x10x4xf32>, %arg1: tensor<3x3xf32>, %arg2: tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32> {
    %0 = linalg.pooling_nhwc_min_unsigned {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x10x10x4xf32>, tensor<3x3xf32>) outs(%arg2 : tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
    return %0 : tensor<2x8x8x4xf32>
  }
  func.func @pooling_nhwc_min_unsigned_2(%arg0: tensor<2x10x10x4xi8>, %arg1: tensor<3x3xi8>, %arg2: tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32> {
    %0 = linalg.pooling_nhwc_min_unsigned {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x10x10x4xi8>, tensor<3x3xi8>) outs(%arg2 : tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32>
    return %0 : tensor<2x8x8x4xi32>
  }
  func.func @pooling_nwc_min_unsigned_1(%arg0: tensor<2x10x4xf32>, %arg1: tensor<3xf32>, %arg2: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
    %0 = linalg.pooling_nwc_min_unsigned {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x10x4xf32>, tensor<3xf32>) outs(%arg2 : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    return %0 : tensor<2x8x4xf32>
  }
  func.func @pooling_nwc_min_unsigned_2(%arg0: tensor<2x10x4xi8>, %arg1: tensor<3xi8>, %arg2: tensor<2x8x4xi32>) -> tensor<2x8x4xi32> {
    %0 = linalg.pooling_nwc_min_unsigned {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x10x4xi8>, tensor<3xi8>) outs(%arg2 : tensor<2x8x4xi32>) -> tensor<2x8x4xi32>
    return %0 : tensor<2x8x4xi32>
  }
  func.func @pooling_nchw_sum_1(%arg0: tensor<2x4x10x10xf32>, %arg1: tensor<3x3xf32>, %arg2: tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32> {
    %0 = linalg.pooling_nchw_sum {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x4x10x10xf32>, tensor<3x3xf32>) outs(%arg2 : tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
    return %0 : tensor<2x4x8x8xf32>
  }
  func.func @pooling_nchw_sum_2(%arg0: tensor<2x4x10x10xi8>, %arg1: tensor<3x3xi8>, %arg2: tensor<2x4x8x8xi32>) -> tensor<2x4x8x8xi32> {
    %0 = linalg.pooling_nchw_sum {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x4x10x10xi8>, tensor<3x3xi8>) outs(%arg2 : tensor<2x4x8x8xi32>) -> tensor<2x4x8x8xi32>
    return %0 : tensor<2x4x8x8xi32>
  }
  func.func @pooling_ncw_sum_1(%arg0: tensor<2x4x10xf32>, %arg1: tensor<3xf32>, %arg2: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
    %0 = linalg.pooling_ncw_sum {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x4x10xf32>, tensor<3xf32>) outs(%arg2 : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    return %0 : tensor<2x4x8xf32>
  }
  func.func @pooling_ncw_sum_2(%arg0: tensor<2x4x10xi8>, %arg1: tensor<3xi8>, %arg2: tensor<2x4x8xi32>) -> tensor<2x4x8xi32> {
    %0 = linalg.pooling_ncw_sum {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x4x10xi8>, tensor<3xi8>) outs(%arg2 : tensor<2x4x8xi32>) -> tensor<2x4x8xi32>
    return %0 : tensor<2x4x8xi32>
  }
  func.func @pooling_nchw_max_1(%arg0: tensor<2x4x10x10xf32>, %arg1: tensor<3x3xf32>, %arg2: tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32> {
    %0 = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x4x10x10xf32>, tensor<3x3xf32>) outs(%arg2 : tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
    return %0 : tensor<2x4x8x8xf32>
  }
  func.func @pooling_nchw_max_2(%arg0: tensor<2x4x10x10xi8>, %arg1: tensor<3x3xi8>, %arg2: tensor<2x4x8x8xi32>) -> tensor<2x4x8x8xi32> {
    %0 = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x4x10x10xi8>, tensor<3x3xi8>) outs(%arg2 : tensor<2x4x8x8xi32>) -> tensor<2x4x8x8xi32>
    return %0 : tensor<2x4x8x8xi32>
  }
  func.func @pooling_ncw_max_1(%arg0: tensor<2x4x10xf32>, %arg1: tensor<3xf32>, %arg2: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
    %0 = linalg.pooling_ncw_max {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x4x10xf32>, tensor<3xf32>) outs(%arg2 : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    return %0 : tensor<2x4x8xf32>
  }
  func.func @pooling_ncw_max_2(%arg0: tensor<2x4x10xi8>, %arg1: tensor<3xi8>, %arg2: tensor<2x4x8xi32>) -> tensor<2x4x8xi32> {
    %0 = linalg.pooling_ncw_max {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x4x10xi8>, tensor<3xi8>) outs(%arg2 : tensor<2x4x8xi32>) -> tensor<2x4x8xi32>
    return %0 : tensor<2x4x8xi32>
  }
  func.func @pooling_ndhwc_sum_1(%arg0: tensor<2x10x10x10x4xf32>, %arg1: tensor<3x3x3xf32>, %arg2: tensor<2x8x8x8x4xf32>) -> tensor<2x8x8x8x4xf32> {
    %0 = linalg.pooling_ndhwc_sum {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x10x10x10x4xf32>, tensor<3x3x3xf32>) outs(%arg2 : tensor<2x8x8x8x4xf32>) -> tensor<2x8x8x8x4xf32>
    return %0 : tensor<2x8x8x8x4xf32>
  }
  func.func @pooling_ndhwc_sum_2(%arg0: tensor<2x10x10x10x4xi8>, %arg1: tensor<3x3x3xi8>, %arg2: tensor<2x8x8x8x4xi32>) -> tensor<2x8x8x8x4xi32> {
    %0 = linalg.pooling_ndhwc_sum {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x10x10x10x4xi8>, tensor<3x3x3xi8>) outs(%arg2 : tensor<2x8x8x8x4xi32>) -> tensor<2x8x8x8x4xi32>
    return %0 : tensor<2x8x8x8x4xi32>
  }
  func.func @pooling_ndhwc_max_1(%arg0: tensor<2x10x10x10x4xf32>, %arg1: tensor<3x3x3xf32>, %arg2: tensor<2x8x8x8x4xf32>) -> tensor<2x8x8x8x4xf32> {
    %0 = linalg.pooling_ndhwc_max {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x10x10x10x4xf32>, tensor<3x3x3xf32>) outs(%arg2 : tensor<2x8x8x8x4xf32>) -> tensor<2x8x8x8x4xf32>
    return %0 : tensor<2x8x8x8x4xf32>
  }
  func.func @pooling_ndhwc_max_2(%arg0: tensor<2x10x10x10x4xi8>, %arg1: tensor<3x3x3xi8>, %arg2: tensor<2x8x8x8x4xi32>) -> tensor<2x8x8x8x4xi32> {
    %0 = linalg.pooling_ndhwc_max {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x10x10x10x4xi8>, tensor<3x3x3xi8>) outs(%arg2 : tensor<2x8x8x8x4xi32>) -> tensor<2x8x8x8x4xi32>
    return %0 : tensor<2x8x8x8x4xi32>
  }
  func.func @pooling_ndhwc_min_1(%arg0: tensor<2x10x10x10x4xf32>, %arg1: tensor<3x3x3xf32>, %arg2: tensor<2x8x8x8x4xf32>) -> tensor<2x8x8x8x4xf32> {
    %0 = linalg.pooling_ndhwc_min {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x10x10x10x4xf32>, tensor<3x3x3xf32>) outs(%arg2 : tensor<2x8x8x8x4xf32>) -> tensor<2x8x8x8x4xf32>
    return %0 : tensor<2x8x8x8x4xf32>
  }
  func.func @pooling_ndhwc_min_2(%arg0: tensor<2x10x10x10x4xi8>, %arg1: tensor<3x3x3xi8>, %arg2: tensor<2x8x8x8x4xi32>) -> tensor<2x8x8x8x4xi32> {
    %0 = linalg.pooling_ndhwc_min {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x10x10x10x4xi8>, tensor<3x3x3xi8>) outs(%arg2 : tensor<2x8x8x8x4xi32>) -> tensor<2x8x8x8x4xi32>
    return %0 : tensor<2x8x8x8x4xi32>
  }
  func.func @unary_exp(%arg0: tensor<4x8xf16>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.elemwise_unary {fun = #linalg.unary_fn<exp>} ins(%arg0 : tensor<4x8xf16>) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @unary_log(%arg0: tensor<4x8xf16>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.elemwise_unary {fun = #linalg.unary_fn<log>} ins(%arg0 : tensor<4x8xf16>) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @unary_abs(%arg0: tensor<4x8xf16>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.elemwise_unary {fun = #linalg.unary_fn<abs>} ins(%arg0 : tensor<4x8xf16>) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @unary_ceil(%arg0: tensor<4x8xf16>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.elemwise_unary {fun = #linalg.unary_fn<ceil>} ins(%arg0 : tensor<4x8xf16>) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @unary_floor(%arg0: tensor<4x8xf16>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.elemwise_unary {fun = #linalg.unary_fn<floor>} ins(%arg0 : tensor<4x8xf16>) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @unary_negf(%arg0: tensor<4x8xf16>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.elemwise_unary {fun = #linalg.unary_fn<negf>} ins(%arg0 : tensor<4x8xf16>) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @binary_add(%arg0: tensor<4x8xi8>, %arg1: tensor<4x8xi16>, %arg2: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.elemwise_binary {fun = #linalg.binary_fn<add>} ins(%arg0, %arg1 : tensor<4x8xi8>, tensor<4x8xi16>) outs(%arg2 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @binary_sub(%arg0: tensor<4x8xi8>, %arg1: tensor<4x8xi16>, %arg2: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.elemwise_binary {fun = #linalg.binary_fn<sub>} ins(%arg0, %arg1 : tensor<4x8xi8>, tensor<4x8xi16>) outs(%arg2 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @binary_mul(%arg0: tensor<4x8xi8>, %arg1: tensor<4x8xi16>, %arg2: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.elemwise_binary {fun = #linalg.binary_fn<mul>} ins(%arg0, %arg1 : tensor<4x8xi8>, tensor<4x8xi16>) outs(%arg2 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @binary_div(%arg0: tensor<4x8xi8>, %arg1: tensor<4x8xi16>, %arg2: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.elemwise_binary {fun = #linalg.binary_fn<div>} ins(%arg0, %arg1 : tensor<4x8xi8>, tensor<4x8xi16>) outs(%arg2 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @binary_max_signed(%arg0: tensor<4x8xi8>, %arg1: tensor<4x8xi16>, %arg2: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.elemwise_binary {fun = #linalg.binary_fn<max_signed>} ins(%arg0, %arg1 : tensor<4x8xi8>, tensor<4x8xi16>) outs(%arg2 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @binary_min_signed(%arg0: tensor<4x8xi8>, %arg1: tensor<4x8xi16>, %arg2: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.elemwise_binary {fun = #linalg.binary_fn<min_signed>} ins(%arg0, %arg1 : tensor<4x8xi8>, tensor<4x8xi16>) outs(%arg2 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @binary_max_unsigned(%arg0: tensor<4x8xi8>, %arg1: tensor<4x8xi16>, %arg2: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.elemwise_binary {fun = #linalg.binary_fn<max_unsigned>} ins(%arg0, %arg1 : tensor<4x8xi8>, tensor<4x8xi16>) outs(%arg2 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @binary_min_unsigned(%arg0: tensor<4x8xi8>, %arg1: tensor<4x8xi16>, %arg2: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.elemwise_binary {fun = #linalg.binary_fn<min_unsigned>} ins(%arg0, %arg1 : tensor<4x8xi8>, tensor<4x8xi16>) outs(%arg2 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @binary_div_unsigned(%arg0: tensor<4x8xi8>, %arg1: tensor<4x8xi16>, %arg2: tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = linalg.elemwise_binary {fun = #linalg.binary_fn<div_unsigned>} ins(%arg0, %arg1 : tensor<4x8xi8>, tensor<4x8xi16>) outs(%arg2 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
  func.func @memory(%arg0: memref<4x8xf16>, %arg1: memref<8x16xf16>, %arg2: memref<?x16xf32>, %arg3: f32, %arg4: memref<8x4xf16>, %arg5: memref<4xf16>) {
    linalg.fill ins(%arg3 : f32) outs(%arg2 : memref<?x16xf32>)
    linalg.matmul ins(%arg0, %arg1 : memref<4x8xf16>, memref<8x16xf16>) outs(%arg2 : memref<?x16xf32>)
    linalg.transpose ins(%arg0 : memref<4x8xf16>) outs(%arg4 : memref<8x4xf16>) permutation = [1, 0] 
    linalg.broadcast ins(%arg5 : memref<4xf16>) outs(%arg4 : memref<8x4xf16>) dimensions = [0] 
    return
  }
  func.func @shapes(%arg0: tensor<4x8xf32>, %arg1: tensor<8x4xf32>, %arg2: tensor<4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
    %transposed = linalg.transpose ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<8x4xf32>) permutation = [1, 0] 
    %broadcasted = linalg.broadcast ins(%arg2 : tensor<4xf32>) outs(%arg1 : tensor<8x4xf32>) dimensions = [0] 
    return %transposed, %broadcasted : tensor<8x4xf32>, tensor<8x4xf32>
  }
}

