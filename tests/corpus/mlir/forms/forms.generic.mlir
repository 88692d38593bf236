#map = affine_map<(d0)[s0] -> (d0 + s0)>
#map1 = affine_map<(d0, d1) -> (d1, d0)>
#map2 = affine_map<(d0)[s0] -> (d0 + 1, s0 * 2)>
#map3 = affine_map<(d0, d1) -> (d0 floordiv 2, d1 mod 4)>
#map4 = affine_map<(d0) -> (d0, 5)>
#map5 = affine_map<(d0, d1) -> (d0, d1)>
#map6 = affine_map<(d0, d1) -> (d0, d1 + 1)>
#map7 = affine_map<(d0) -> (d0, 10)>
#map8 = affine_map<() -> (0)>
#map9 = affine_map<()[s0] -> (s0)>
#map10 = affine_map<(d0) -> (0, d0)>
#map11 = affine_map<(d0) -> (10, 20, d0)>
#map12 = affine_map<() -> (8)>
#map13 = affine_map<(d0) -> (d0)>
#map14 = affine_map<(d0, d1) -> (d1)>
#map15 = affine_map<(d0, d1) -> (d0)>
#map16 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map17 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map18 = affine_map<(d0, d1, d2) -> (d0, d1)>
#set = affine_set<(d0)[s0] : (d0 - s0 >= 0)>
"builtin.module"() ({
  "memref.global"() <{constant, initial_value = dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<4xf32>, sym_name = "table", sym_visibility = "private", type = memref<4xf32>}> : () -> ()
  "memref.global"() <{initial_value, sym_name = "later", type = memref<4xf32>}> : () -> ()
  "func.func"() <{function_type = (i32, f32) -> (i32, f32), sym_name = "callee", sym_visibility = "private"}> ({
  }) : () -> ()
  "func.func"() <{function_type = (i32, i32, f32, f32, i1) -> i32, sym_name = "arith"}> ({
  ^bb0(%arg94: i32, %arg95: i32, %arg96: f32, %arg97: f32, %arg98: i1):
    %149 = "arith.addi"(%arg94, %arg95) <{overflowFlags = #arith.overflow<nsw, nuw>}> : (i32, i32) -> i32
    %150:2 = "arith.addui_extended"(%arg94, %arg95) : (i32, i32) -> (i32, i1)
    %151 = "arith.cmpf"(%arg96, %arg97) <{fastmath = #arith.fastmath<nnan>, predicate = 1 : i64}> : (f32, f32) -> i1
    %152 = "arith.mulf"(%arg96, %arg97) <{fastmath = #arith.fastmath<fast>}> : (f32, f32) -> f32
    %153 = "arith.negf"(%arg96) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %154 = "arith.select"(%arg98, %arg94, %arg95) : (i1, i32, i32) -> i32
    %155 = "arith.truncf"(%arg96) : (f32) -> f16
    %156 = "arith.extui"(%arg98) : (i1) -> i32
    %157 = "arith.constant"() <{value = dense<1.000000e+00> : vector<4xf32>}> : () -> vector<4xf32>
    %158 = "arith.constant"() <{value = true}> : () -> i1
    %159 = "math.powf"(%arg96, %arg97) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %160 = "math.fpowi"(%arg96, %arg94) <{fastmath = #arith.fastmath<none>}> : (f32, i32) -> f32
    %161 = "math.ctlz"(%arg94) : (i32) -> i32
    %162:2 = "func.call"(%arg94, %arg96) <{callee = @callee}> : (i32, f32) -> (i32, f32)
    %163 = "func.constant"() <{value = @callee}> : () -> ((i32, f32) -> (i32, f32))
    %164:2 = "func.call_indirect"(%163, %arg94, %arg96) : ((i32, f32) -> (i32, f32), i32, f32) -> (i32, f32)
    %165 = "index.constant"() <{value = 3 : index}> : () -> index
    %166 = "index.add"(%165, %165) : (index, index) -> index
    %167 = "index.cmp"(%165, %166) <{pred = #index<cmp_predicate slt>}> : (index, index) -> i1
    %168 = "index.casts"(%arg94) : (i32) -> index
    %169 = "builtin.unrealized_conversion_cast"(%arg94) : (i32) -> i64
    %170 = "complex.create"(%arg96, %arg97) : (f32, f32) -> complex<f32>
    %171 = "complex.re"(%170) <{fastmath = #arith.fastmath<none>}> : (complex<f32>) -> f32
    %172 = "complex.constant"() <{value = [1.000000e+00 : f32, 2.000000e+00 : f32]}> : () -> complex<f32>
    "cf.assert"(%arg98) <{msg = "message"}> : (i1) -> ()
    "cf.switch"(%arg94, %arg94, %arg95)[^bb1, ^bb1, ^bb2] <{case_operand_segments = array<i32: 1, 0>, case_values = dense<[42, -7]> : vector<2xi32>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (i32, i32, i32) -> ()
  ^bb1(%173: i32):  // 3 preds: ^bb0, ^bb0, ^bb1
    "cf.cond_br"(%arg98, %173)[^bb2, ^bb1] <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (i1, i32) -> ()
  ^bb2:  // 2 preds: ^bb0, ^bb1
    "func.return"(%arg94) : (i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (memref<?x8xf32>, index, f32, memref<4xi32>, i32) -> (), sym_name = "memref"}> ({
  ^bb0(%arg88: memref<?x8xf32>, %arg89: index, %arg90: f32, %arg91: memref<4xi32>, %arg92: i32):
    %128 = "memref.alloc"(%arg89) <{alignment = 16 : i64, operandSegmentSizes = array<i32: 1, 0>}> : (index) -> memref<?x8xf32>
    %129 = "memref.alloca"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<4xf32>
    %130 = "memref.alloc"(%arg89, %arg89) <{operandSegmentSizes = array<i32: 1, 1>}> : (index, index) -> memref<?xf32, #map>
    %131 = "memref.load"(%arg88, %arg89, %arg89) : (memref<?x8xf32>, index, index) -> f32
    "memref.store"(%arg90, %arg88, %arg89, %arg89) <{nontemporal = true}> : (f32, memref<?x8xf32>, index, index) -> ()
    %132 = "memref.dim"(%arg88, %arg89) : (memref<?x8xf32>, index) -> index
    %133 = "memref.subview"(%arg88, %arg89) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = array<i64: 2, 4>, static_strides = array<i64: 1, 1>}> : (memref<?x8xf32>, index) -> memref<2x4xf32, strided<[8, 1], offset: ?>>
    %134 = "memref.cast"(%arg88) : (memref<?x8xf32>) -> memref<?x?xf32>
    %135 = "memref.get_global"() <{name = @table}> : () -> memref<4xf32>
    %136 = "memref.reinterpret_cast"(%arg88, %arg89, %arg89, %arg89) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>, static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: 4, -9223372036854775808>, static_strides = array<i64: -9223372036854775808, 1>}> : (memref<?x8xf32>, index, index, index) -> memref<4x?xf32, strided<[?, 1], offset: ?>>
    %137 = "memref.atomic_rmw"(%arg90, %arg88, %arg89, %arg89) <{kind = 0 : i64}> : (f32, memref<?x8xf32>, index, index) -> f32
    %138 = "memref.generic_atomic_rmw"(%arg91, %arg89) ({
    ^bb0(%arg93: i32):
      "memref.atomic_yield"(%arg93) : (i32) -> ()
    }) : (memref<4xi32>, index) -> i32
    %139 = "memref.collapse_shape"(%arg88) <{reassociation = [[0, 1]]}> : (memref<?x8xf32>) -> memref<?xf32>
    %140 = "memref.expand_shape"(%139, %arg89) <{reassociation = [[0, 1]], static_output_shape = array<i64: -9223372036854775808, 8>}> : (memref<?xf32>, index) -> memref<?x8xf32>
    "memref.assume_alignment"(%arg88) <{alignment = 16 : i32}> : (memref<?x8xf32>) -> ()
    "memref.copy"(%128, %arg88) : (memref<?x8xf32>, memref<?x8xf32>) -> ()
    %141:6 = "memref.extract_strided_metadata"(%arg88) : (memref<?x8xf32>) -> (memref<f32>, index, index, index, index, index)
    %142 = "memref.extract_aligned_pointer_as_index"(%arg88) : (memref<?x8xf32>) -> index
    %143 = "memref.realloc"(%129) : (memref<4xf32>) -> memref<8xf32>
    %144 = "memref.alloc"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<64xi8>
    %145 = "memref.view"(%144, %arg89) : (memref<64xi8>, index) -> memref<4xf32>
    %146 = "memref.rank"(%arg88) : (memref<?x8xf32>) -> index
    %147 = "memref.memory_space_cast"(%arg88) : (memref<?x8xf32>) -> memref<?x8xf32, 3>
    "memref.prefetch"(%arg88, %arg89, %arg89) <{isDataCache = true, isWrite = false, localityHint = 3 : i32}> : (memref<?x8xf32>, index, index) -> ()
    "memref.alloca_scope"() ({
      "memref.alloca_scope.return"() : () -> ()
    }) : () -> ()
    %148 = "memref.transpose"(%arg88) <{permutation = #map1}> : (memref<?x8xf32>) -> memref<8x?xf32, strided<[1, 8]>>
    "memref.dealloc"(%128) : (memref<?x8xf32>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
  "func.func"() <{function_type = (index, index, i1, f32, i32) -> f32, sym_name = "scf"}> ({
  ^bb0(%arg71: index, %arg72: index, %arg73: i1, %arg74: f32, %arg75: i32):
    %121 = "scf.for"(%arg71, %arg72, %arg71, %arg74) ({
    ^bb0(%arg86: index, %arg87: f32):
      "scf.yield"(%arg87) : (f32) -> ()
    }) {loop.note} : (index, index, index, f32) -> f32
    "scf.for"(%arg75, %arg75, %arg75) ({
    ^bb0(%arg85: i32):
      "scf.yield"() : () -> ()
    }) : (i32, i32, i32) -> ()
    %122:2 = "scf.if"(%arg73) ({
      "scf.yield"(%arg74, %arg75) : (f32, i32) -> ()
    }, {
      "scf.yield"(%arg74, %arg75) : (f32, i32) -> ()
    }) : (i1) -> (f32, i32)
    %123:2 = "scf.while"(%arg75, %arg74) ({
    ^bb0(%arg83: i32, %arg84: f32):
      "scf.condition"(%arg73, %arg84, %arg83) : (i1, f32, i32) -> ()
    }, {
    ^bb0(%arg81: f32, %arg82: i32):
      "scf.yield"(%arg82, %arg81) : (i32, f32) -> ()
    }) {note} : (i32, f32) -> (f32, i32)
    %124 = "scf.parallel"(%arg71, %arg71, %arg72, %arg72, %arg71, %arg71, %arg74) <{operandSegmentSizes = array<i32: 2, 2, 2, 1>}> ({
    ^bb0(%arg77: index, %arg78: index):
      "scf.reduce"(%arg74) ({
      ^bb0(%arg79: f32, %arg80: f32):
        %127 = "arith.addf"(%arg79, %arg80) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "scf.reduce.return"(%127) : (f32) -> ()
      }) : (f32) -> ()
    }) : (index, index, index, index, index, index, f32) -> f32
    "scf.parallel"(%arg71, %arg72, %arg71) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%arg76: index):
      "scf.reduce"() : () -> ()
    }) : (index, index, index) -> ()
    %125 = "scf.execute_region"() ({
      "scf.yield"(%arg74) : (f32) -> ()
    }) : () -> f32
    %126 = "scf.index_switch"(%arg71) <{cases = array<i64: 2, 5>}> ({
      "scf.yield"(%arg74) : (f32) -> ()
    }, {
      "scf.yield"(%arg74) : (f32) -> ()
    }, {
      "scf.yield"(%arg74) : (f32) -> ()
    }) {note} : (index) -> f32
    "scf.index_switch"(%arg71) <{cases = array<i64>}> ({
      "scf.yield"() : () -> ()
    }) : (index) -> ()
    "func.return"(%121) : (f32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (memref<8x8xf32>, index, vector<4xf32>) -> (), sym_name = "affine"}> ({
  ^bb0(%arg62: memref<8x8xf32>, %arg63: index, %arg64: vector<4xf32>):
    "affine.for"(%arg63, %arg63, %arg63) <{lowerBoundMap = #map, operandSegmentSizes = array<i32: 2, 1, 0>, step = 2 : index, upperBoundMap = #map7}> ({
    ^bb0(%arg70: index):
      %117 = "affine.load"(%arg62, %arg70, %arg63) <{map = #map2}> : (memref<8x8xf32>, index, index) -> f32
      "affine.store"(%117, %arg62, %arg70, %arg63) <{map = #map3}> : (f32, memref<8x8xf32>, index, index) -> ()
      %118 = "affine.apply"(%arg70, %arg63) <{map = #map}> : (index, index) -> index
      %119 = "affine.min"(%arg70) <{map = #map4}> : (index) -> index
      "affine.if"(%arg70, %arg63) ({
        "affine.yield"() : () -> ()
      }, {
        "affine.yield"() : () -> ()
      }) {condition = #set} : (index, index) -> ()
      %120 = "affine.vector_load"(%arg62, %arg70, %arg63) <{map = #map5}> : (memref<8x8xf32>, index, index) -> vector<4xf32>
      "affine.vector_store"(%arg64, %arg62, %arg70, %arg63) <{map = #map5}> : (vector<4xf32>, memref<8x8xf32>, index, index) -> ()
      "affine.prefetch"(%arg62, %arg70, %arg63) <{isDataCache = true, isWrite = false, localityHint = 2 : i32, map = #map6}> : (memref<8x8xf32>, index, index) -> ()
      "affine.yield"() : () -> ()
    }) {note} : (index, index, index) -> ()
    %114 = "affine.for"(%arg63, %arg64) <{lowerBoundMap = #map8, operandSegmentSizes = array<i32: 0, 1, 1>, step = 1 : index, upperBoundMap = #map9}> ({
    ^bb0(%arg68: index, %arg69: vector<4xf32>):
      "affine.yield"(%arg69) : (vector<4xf32>) -> ()
    }) : (index, vector<4xf32>) -> vector<4xf32>
    "affine.parallel"(%arg63, %arg63) <{lowerBoundsGroups = dense<1> : tensor<2xi32>, lowerBoundsMap = #map10, reductions = [], steps = [1, 2], upperBoundsGroups = dense<[1, 2]> : tensor<2xi32>, upperBoundsMap = #map11}> ({
    ^bb0(%arg66: index, %arg67: index):
      "affine.yield"() : () -> ()
    }) : (index, index) -> ()
    %115 = "affine.parallel"() <{lowerBoundsGroups = dense<1> : tensor<1xi32>, lowerBoundsMap = #map8, reductions = [0], steps = [1], upperBoundsGroups = dense<1> : tensor<1xi32>, upperBoundsMap = #map12}> ({
    ^bb0(%arg65: index):
      %116 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
      "affine.yield"(%116) : (f32) -> ()
    }) : () -> f32
    "func.return"() : () -> ()
  }) : () -> ()
  "func.func"() <{function_type = (vector<4xf32>, vector<4x4xf32>, f32, index, memref<?xf32>, vector<4xi1>, vector<4xindex>) -> (), sym_name = "vector"}> ({
  ^bb0(%arg55: vector<4xf32>, %arg56: vector<4x4xf32>, %arg57: f32, %arg58: index, %arg59: memref<?xf32>, %arg60: vector<4xi1>, %arg61: vector<4xindex>):
    %78 = "vector.broadcast"(%arg57) : (f32) -> vector<4xf32>
    %79 = "vector.extract"(%arg56) <{static_position = array<i64: 0, 1>}> : (vector<4x4xf32>) -> f32
    %80 = "vector.extract"(%arg56, %arg58) <{static_position = array<i64: -9223372036854775808>}> : (vector<4x4xf32>, index) -> vector<4xf32>
    %81 = "vector.insert"(%arg57, %arg56) <{static_position = array<i64: 0, 1>}> : (f32, vector<4x4xf32>) -> vector<4x4xf32>
    %82 = "vector.extractelement"(%arg55, %arg58) : (vector<4xf32>, index) -> f32
    %83 = "vector.insertelement"(%arg57, %arg55, %arg58) : (f32, vector<4xf32>, index) -> vector<4xf32>
    %84 = "vector.fma"(%arg55, %arg55, %arg55) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %85 = "vector.reduction"(%arg55, %arg57) <{fastmath = #arith.fastmath<reassoc>, kind = #vector.kind<add>}> : (vector<4xf32>, f32) -> f32
    %86 = "vector.multi_reduction"(%arg56, %arg55) <{kind = #vector.kind<mul>, reduction_dims = [0]}> : (vector<4x4xf32>, vector<4xf32>) -> vector<4xf32>
    %87 = "vector.shuffle"(%arg55, %arg55) <{mask = [0, 5, 2, 7]}> : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %88 = "vector.transpose"(%arg56) <{permutation = array<i64: 1, 0>}> : (vector<4x4xf32>) -> vector<4x4xf32>
    %89 = "vector.shape_cast"(%arg56) : (vector<4x4xf32>) -> vector<16xf32>
    %90 = "vector.transfer_read"(%arg59, %arg58, %arg57, %arg60) <{in_bounds = [true], operandSegmentSizes = array<i32: 1, 1, 1, 1>, permutation_map = #map13}> : (memref<?xf32>, index, f32, vector<4xi1>) -> vector<4xf32>
    "vector.transfer_write"(%arg55, %arg59, %arg58, %arg60) <{in_bounds = [true], operandSegmentSizes = array<i32: 1, 1, 1, 1>, permutation_map = #map13}> : (vector<4xf32>, memref<?xf32>, index, vector<4xi1>) -> ()
    %91 = "vector.load"(%arg59, %arg58) : (memref<?xf32>, index) -> vector<4xf32>
    "vector.store"(%arg55, %arg59, %arg58) : (vector<4xf32>, memref<?xf32>, index) -> ()
    %92 = "vector.maskedload"(%arg59, %arg58, %arg60, %arg55) : (memref<?xf32>, index, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    "vector.maskedstore"(%arg59, %arg58, %arg60, %arg55) : (memref<?xf32>, index, vector<4xi1>, vector<4xf32>) -> ()
    %93 = "vector.gather"(%arg59, %arg58, %arg61, %arg60, %arg55) : (memref<?xf32>, index, vector<4xindex>, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    "vector.scatter"(%arg59, %arg58, %arg61, %arg60, %arg55) : (memref<?xf32>, index, vector<4xindex>, vector<4xi1>, vector<4xf32>) -> ()
    %94 = "vector.expandload"(%arg59, %arg58, %arg60, %arg55) : (memref<?xf32>, index, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    "vector.compressstore"(%arg59, %arg58, %arg60, %arg55) : (memref<?xf32>, index, vector<4xi1>, vector<4xf32>) -> ()
    %95 = "vector.create_mask"(%arg58) : (index) -> vector<4xi1>
    %96 = "vector.constant_mask"() <{mask_dim_sizes = [3]}> : () -> vector<4xi1>
    %97 = "vector.mask"(%arg60) ({
      %113 = "vector.reduction"(%arg55) <{fastmath = #arith.fastmath<none>, kind = #vector.kind<add>}> : (vector<4xf32>) -> f32
      "vector.yield"(%113) : (f32) -> ()
    }) : (vector<4xi1>) -> f32
    %98 = "vector.outerproduct"(%arg55, %arg55, %arg56) <{kind = #vector.kind<add>}> : (vector<4xf32>, vector<4xf32>, vector<4x4xf32>) -> vector<4x4xf32>
    %99 = "vector.contract"(%arg55, %arg56, %arg55) <{indexing_maps = [#map14, #map5, #map15], iterator_types = [#vector.iterator_type<parallel>, #vector.iterator_type<reduction>], kind = #vector.kind<add>}> : (vector<4xf32>, vector<4x4xf32>, vector<4xf32>) -> vector<4xf32>
    %100 = "vector.splat"(%arg57) : (f32) -> vector<4xf32>
    %101 = "vector.bitcast"(%arg55) : (vector<4xf32>) -> vector<4xi32>
    %102 = "vector.interleave"(%arg55, %arg55) : (vector<4xf32>, vector<4xf32>) -> vector<8xf32>
    %103:2 = "vector.deinterleave"(%102) : (vector<8xf32>) -> (vector<4xf32>, vector<4xf32>)
    %104 = "vector.step"() : () -> vector<4xindex>
    %105 = "vector.vscale"() : () -> index
    %106:2 = "vector.scan"(%arg56, %arg55) <{inclusive = false, kind = #vector.kind<add>, reduction_dim = 0 : i64}> : (vector<4x4xf32>, vector<4xf32>) -> (vector<4x4xf32>, vector<4xf32>)
    %107 = "vector.extract_strided_slice"(%arg55) <{offsets = [0], sizes = [2], strides = [1]}> : (vector<4xf32>) -> vector<2xf32>
    %108 = "vector.insert_strided_slice"(%107, %arg55) <{offsets = [0], strides = [1]}> : (vector<2xf32>, vector<4xf32>) -> vector<4xf32>
    %109 = "arith.constant"() <{value = dense<0.000000e+00> : vector<[4]xf32>}> : () -> vector<[4]xf32>
    %110 = "vector.scalable.insert"(%arg55, %109) <{pos = 0 : i64}> : (vector<4xf32>, vector<[4]xf32>) -> vector<[4]xf32>
    %111 = "vector.scalable.extract"(%109) <{pos = 0 : i64}> : (vector<[4]xf32>) -> vector<4xf32>
    %112 = "vector.from_elements"(%arg57, %arg57) : (f32, f32) -> vector<2xf32>
    "func.return"() : () -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<?x4xf32>, index, f32, tensor<2x4xf32>, tensor<2xindex>, tensor<1x1xindex>) -> tensor<?x4xf32>, sym_name = "tensor"}> ({
  ^bb0(%arg45: tensor<?x4xf32>, %arg46: index, %arg47: f32, %arg48: tensor<2x4xf32>, %arg49: tensor<2xindex>, %arg50: tensor<1x1xindex>):
    %53 = "tensor.empty"(%arg46) : (index) -> tensor<?x4xf32>
    %54 = "tensor.extract"(%arg45, %arg46, %arg46) : (tensor<?x4xf32>, index, index) -> f32
    %55 = "tensor.insert"(%arg47, %arg45, %arg46, %arg46) : (f32, tensor<?x4xf32>, index, index) -> tensor<?x4xf32>
    %56 = "tensor.extract_slice"(%arg45, %arg46) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = array<i64: 2, 4>, static_strides = array<i64: 1, 1>}> : (tensor<?x4xf32>, index) -> tensor<2x4xf32>
    %57 = "tensor.insert_slice"(%56, %arg45) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 2, 4>, static_strides = array<i64: 1, 1>}> : (tensor<2x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %58 = "tensor.cast"(%arg45) : (tensor<?x4xf32>) -> tensor<?x?xf32>
    %59 = "tensor.dim"(%arg45, %arg46) : (tensor<?x4xf32>, index) -> index
    %60 = "tensor.collapse_shape"(%arg45) <{reassociation = [[0, 1]]}> : (tensor<?x4xf32>) -> tensor<?xf32>
    %61 = "tensor.expand_shape"(%60, %arg46) <{reassociation = [[0, 1]], static_output_shape = array<i64: -9223372036854775808, 4>}> : (tensor<?xf32>, index) -> tensor<?x4xf32>
    %62 = "tensor.from_elements"(%arg47, %arg47) : (f32, f32) -> tensor<2xf32>
    %63 = "tensor.splat"(%arg47) : (f32) -> tensor<4xf32>
    %64 = "tensor.generate"(%arg46) ({
    ^bb0(%arg53: index, %arg54: index):
      "tensor.yield"(%arg47) : (f32) -> ()
    }) : (index) -> tensor<?x4xf32>
    %65 = "tensor.pad"(%arg45, %arg46) <{operandSegmentSizes = array<i32: 1, 1, 0>, static_high = array<i64: 0, 1>, static_low = array<i64: -9223372036854775808, 0>}> ({
    ^bb0(%arg51: index, %arg52: index):
      "tensor.yield"(%arg47) : (f32) -> ()
    }) : (tensor<?x4xf32>, index) -> tensor<?x5xf32>
    %66 = "tensor.concat"(%arg48, %arg48) <{dim = 0 : i64}> : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
    %67 = "tensor.reshape"(%arg45, %arg49) : (tensor<?x4xf32>, tensor<2xindex>) -> tensor<?x?xf32>
    %68 = "tensor.rank"(%arg45) : (tensor<?x4xf32>) -> index
    %69 = "tensor.gather"(%arg48, %arg50) <{gather_dims = array<i64: 0>}> : (tensor<2x4xf32>, tensor<1x1xindex>) -> tensor<1x1x4xf32>
    %70 = "tensor.bitcast"(%arg48) : (tensor<2x4xf32>) -> tensor<2x4xi32>
    %71 = "bufferization.alloc_tensor"(%arg48) <{operandSegmentSizes = array<i32: 0, 1, 0>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %72 = "bufferization.to_memref"(%arg48) : (tensor<2x4xf32>) -> memref<2x4xf32>
    %73 = "bufferization.to_tensor"(%72) <{restrict}> : (memref<2x4xf32>) -> tensor<2x4xf32>
    %74 = "bufferization.clone"(%72) : (memref<2x4xf32>) -> memref<2x4xf32>
    %75 = "tensor.empty"() : () -> tensor<1x1x2x4xf32>
    %76 = "tensor.pack"(%arg48, %75) <{inner_dims_pos = array<i64: 0, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_inner_tiles = array<i64: 2, 4>}> : (tensor<2x4xf32>, tensor<1x1x2x4xf32>) -> tensor<1x1x2x4xf32>
    %77 = "tensor.unpack"(%76, %arg48) <{inner_dims_pos = array<i64: 0, 1>, static_inner_tiles = array<i64: 2, 4>}> : (tensor<1x1x2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    "func.return"(%arg45) : (tensor<?x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<8x4xf32>, tensor<4x4xf32>, f32, tensor<4xf32>) -> tensor<4x4xf32>, sym_name = "linalg"}> ({
  ^bb0(%arg22: tensor<4x8xf32>, %arg23: tensor<8x4xf32>, %arg24: tensor<4x4xf32>, %arg25: f32, %arg26: tensor<4xf32>):
    %35 = "linalg.fill"(%arg25, %arg24) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg43: f32, %arg44: f32):
      "linalg.yield"(%arg43) : (f32) -> ()
    }) : (f32, tensor<4x4xf32>) -> tensor<4x4xf32>
    %36 = "linalg.matmul"(%arg22, %arg23, %35) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg40: f32, %arg41: f32, %arg42: f32):
      %51 = "arith.mulf"(%arg40, %arg41) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %52 = "arith.addf"(%arg42, %51) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%52) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map16, #map17, #map18], note} : (tensor<4x8xf32>, tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %37 = "linalg.generic"(%36, %arg24) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg38: f32, %arg39: f32):
      %50 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      "linalg.yield"(%arg38) : (f32) -> ()
    }) {note} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %38 = "linalg.transpose"(%arg24, %arg24) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg36: f32, %arg37: f32):
      "linalg.yield"(%arg36) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %39 = "linalg.broadcast"(%arg26, %arg24) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg34: f32, %arg35: f32):
      "linalg.yield"(%arg34) : (f32) -> ()
    }) : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %40 = "linalg.reduce"(%arg24, %arg26) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg32: f32, %arg33: f32):
      %48 = "arith.addf"(%arg32, %arg33) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %49 = "arith.mulf"(%48, %arg33) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%49) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %41 = "linalg.reduce"(%arg24, %arg26) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg30: f32, %arg31: f32):
      %47 = "arith.addf"(%arg31, %arg30) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%47) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %42 = "linalg.map"(%arg24, %arg24) ({
    ^bb0(%arg29: f32):
      %46 = "math.absf"(%arg29) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%46) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %43 = "linalg.elemwise_unary"(%arg24, %arg24) <{fun = #linalg.unary_fn<exp>, operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg27: f32, %arg28: f32):
      %45 = "math.exp"(%arg27) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%45) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %44 = "linalg.softmax"(%arg24, %arg24) <{dimension = 1 : i64}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    "func.return"(%36) : (tensor<4x4xf32>) -> ()
  }) : () -> ()
  "gpu.module"() <{sym_name = "kernels", targets = [#nvvm.target<chip = "sm_90">]}> ({
    "gpu.func"() <{function_type = (memref<32xf32>) -> ()}> ({
    ^bb0(%arg19: memref<32xf32>, %arg20: memref<32xf32, 3>, %arg21: memref<1xf32, 5>):
      %26 = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
      %27 = "gpu.block_id"() <{dimension = #gpu<dim y>, upper_bound = 64 : index}> : () -> index
      %28 = "gpu.lane_id"() : () -> index
      %29 = "arith.constant"() <{value = 1 : i32}> : () -> i32
      %30 = "memref.load"(%arg19, %26) : (memref<32xf32>, index) -> f32
      %31:2 = "gpu.shuffle"(%30, %29, %29) <{mode = #gpu<shuffle_mode xor>}> : (f32, i32, i32) -> (f32, i1)
      %32 = "gpu.all_reduce"(%30) <{op = #gpu<all_reduce_op add>}> ({
      }) : (f32) -> f32
      %33 = "gpu.subgroup_reduce"(%30) <{op = #gpu<all_reduce_op add>, uniform}> : (f32) -> f32
      "gpu.barrier"() : () -> ()
      "gpu.printf"(%30) <{format = "%f"}> : (f32) -> ()
      %34 = "gpu.dynamic_shared_memory"() : () -> memref<?xi8, #gpu.address_space<workgroup>>
      "gpu.return"() : () -> ()
    }) {gpu.kernel, note, sym_name = "kernel", workgroup_attributions = 1 : i64} : () -> ()
    "gpu.module_end"() : () -> ()
  }) {note} : () -> ()
  "func.func"() <{function_type = (index, memref<32xf32>, i32) -> (), sym_name = "host"}> ({
  ^bb0(%arg4: index, %arg5: memref<32xf32>, %arg6: i32):
    "gpu.launch"(%arg4, %arg4, %arg4, %arg4, %arg4, %arg4, %arg6) <{operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1>}> ({
    ^bb0(%arg7: index, %arg8: index, %arg9: index, %arg10: index, %arg11: index, %arg12: index, %arg13: index, %arg14: index, %arg15: index, %arg16: index, %arg17: index, %arg18: index):
      "gpu.terminator"() : () -> ()
    }) {workgroup_attributions = 0 : i64} : (index, index, index, index, index, index, i32) -> ()
    %23 = "gpu.wait"() : () -> !gpu.async.token
    %24:2 = "gpu.alloc"(%23) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!gpu.async.token) -> (memref<32xf32>, !gpu.async.token)
    %25 = "gpu.memcpy"(%24#1, %24#0, %arg5) : (!gpu.async.token, memref<32xf32>, memref<32xf32>) -> !gpu.async.token
    "gpu.dealloc"(%24#0) : (memref<32xf32>) -> ()
    "gpu.wait"(%25) : (!gpu.async.token) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
  "llvm.mlir.global"() <{addr_space = 0 : i32, constant, global_type = !llvm.array<6 x i8>, linkage = #llvm.linkage<internal>, sym_name = "text", unnamed_addr = 0 : i64, value = "hello\00", visibility_ = 0 : i64}> ({
  }) : () -> ()
  "llvm.mlir.global"() <{addr_space = 0 : i32, global_type = i32, linkage = #llvm.linkage<external>, sym_name = "value", unnamed_addr = 0 : i64, visibility_ = 0 : i64}> ({
    %22 = "llvm.mlir.constant"() <{value = 1 : i32}> : () -> i32
    "llvm.return"(%22) : (i32) -> ()
  }) : () -> ()
  "llvm.func"() <{CConv = #llvm.cconv<ccc>, function_type = !llvm.func<i32 (ptr, ...)>, linkage = #llvm.linkage<external>, sym_name = "printf", unnamed_addr = 0 : i64, visibility_ = 0 : i64}> ({
  }) : () -> ()
  "llvm.func"() <{CConv = #llvm.cconv<ccc>, arg_attrs = [{}, {llvm.noalias}, {}, {}], function_type = !llvm.func<i32 (i32, ptr, i1, f32)>, linkage = #llvm.linkage<internal>, passthrough = ["nounwind"], res_attrs = [{llvm.noundef}], sym_name = "llvm", unnamed_addr = 0 : i64, visibility_ = 0 : i64}> ({
  ^bb0(%arg0: i32, %arg1: !llvm.ptr, %arg2: i1, %arg3: f32):
    %0 = "llvm.add"(%arg0, %arg0) <{overflowFlags = #llvm.overflow<nsw>}> : (i32, i32) -> i32
    %1 = "llvm.icmp"(%arg0, %arg0) <{predicate = 0 : i64}> : (i32, i32) -> i1
    %2 = "llvm.fcmp"(%arg3, %arg3) <{fastmathFlags = #llvm.fastmath<fast>, predicate = 4 : i64}> : (f32, f32) -> i1
    %3 = "llvm.load"(%arg1) <{alignment = 4 : i64, ordering = 0 : i64, volatile_}> : (!llvm.ptr) -> i32
    %4 = "llvm.load"(%arg1) <{alignment = 4 : i64, ordering = 2 : i64}> : (!llvm.ptr) -> i32
    "llvm.store"(%arg0, %arg1) <{nontemporal, ordering = 0 : i64}> : (i32, !llvm.ptr) -> ()
    %5 = "llvm.getelementptr"(%arg1, %arg0) <{elem_type = !llvm.struct<(i32, array<4 x f32>)>, inbounds, rawConstantIndices = array<i32: -2147483648, 1>}> : (!llvm.ptr, i32) -> !llvm.ptr
    %6 = "llvm.alloca"(%arg0) <{alignment = 8 : i64, elem_type = f32}> : (i32) -> !llvm.ptr
    %7 = "llvm.call"(%arg1, %arg0) <{CConv = #llvm.cconv<ccc>, TailCallKind = #llvm.tailcallkind<none>, callee = @printf, fastmathFlags = #llvm.fastmath<none>, var_callee_type = !llvm.func<i32 (ptr, ...)>}> : (!llvm.ptr, i32) -> i32
    %8 = "llvm.mlir.addressof"() <{global_name = @text}> : () -> !llvm.ptr
    %9 = "llvm.call"(%8, %arg0) <{CConv = #llvm.cconv<ccc>, TailCallKind = #llvm.tailcallkind<none>, fastmathFlags = #llvm.fastmath<none>}> : (!llvm.ptr, i32) -> i32
    %10 = "llvm.mlir.undef"() : () -> !llvm.struct<(i32, f32)>
    %11 = "llvm.insertvalue"(%10, %arg0) <{position = array<i64: 0>}> : (!llvm.struct<(i32, f32)>, i32) -> !llvm.struct<(i32, f32)>
    %12 = "llvm.extractvalue"(%11) <{position = array<i64: 0>}> : (!llvm.struct<(i32, f32)>) -> i32
    %13 = "llvm.select"(%arg2, %arg0, %arg0) <{fastmathFlags = #llvm.fastmath<none>}> : (i1, i32, i32) -> i32
    %14 = "llvm.zext"(%arg2) : (i1) -> i32
    %15 = "llvm.intr.fma"(%arg3, %arg3, %arg3) <{fastmathFlags = #llvm.fastmath<none>}> : (f32, f32, f32) -> f32
    %16 = "llvm.atomicrmw"(%arg1, %arg0) <{bin_op = 1 : i64, ordering = 2 : i64}> : (!llvm.ptr, i32) -> i32
    %17 = "llvm.cmpxchg"(%arg1, %arg0, %arg0) <{failure_ordering = 2 : i64, success_ordering = 6 : i64}> : (!llvm.ptr, i32, i32) -> !llvm.struct<(i32, i1)>
    %18 = "llvm.fneg"(%arg3) <{fastmathFlags = #llvm.fastmath<none>}> : (f32) -> f32
    %19 = "llvm.freeze"(%arg0) : (i32) -> i32
    %20 = "llvm.mlir.zero"() : () -> !llvm.ptr
    "llvm.switch"(%arg0, %arg0, %0)[^bb1, ^bb1, ^bb2] <{case_operand_segments = array<i32: 1, 0>, case_values = dense<[1, 2]> : vector<2xi32>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (i32, i32, i32) -> ()
  ^bb1(%21: i32):  // 2 preds: ^bb0, ^bb0
    "llvm.cond_br"(%arg2)[^bb2, ^bb2] <{branch_weights = array<i32: 5, 11>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
  ^bb2:  // 3 preds: ^bb0, ^bb1, ^bb1
    "llvm.unreachable"() : () -> ()
  }) : () -> ()
}) : () -> ()

