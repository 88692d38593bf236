#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d2, d0)>
#map4 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map5 = affine_map<(d0, d1, d2) -> ()>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#map11 = affine_map<(d0, d1, d2, d3) -> ()>
#map12 = affine_map<(d0, d1, d2, d3) -> (d1, d2)>
#map13 = affine_map<(d0, d1) -> (d0, d1)>
#map14 = affine_map<(d0, d1) -> (d1)>
#map15 = affine_map<(d0, d1) -> (d0)>
#map16 = affine_map<(d0, d1) -> (d1, d0)>
#map17 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map18 = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#map19 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d3, d5)>
#map20 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d4, d5)>
#map21 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d3, d4)>
#map22 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d3, d4, d6)>
#map23 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2, d3, d5, d6)>
#map24 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d4, d5)>
#map25 = affine_map<(d0) -> (d0)>
#map26 = affine_map<(d0) -> ()>
#map27 = affine_map<(d0, d1) -> (d0 + d1)>
#map28 = affine_map<(d0, d1, d2, d3) -> (d0 + d2, d1 + d3)>
#map29 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map30 = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
#map31 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 + d3, d1 + d4, d2 + d5)>
#map32 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d4, d5)>
#map33 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2)>
#map34 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d3, d4)>
#map35 = affine_map<(d0, d1, d2, d3, d4) -> (d3, d4, d2)>
#map36 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
#map37 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2 + d4)>
#map38 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4)>
#map39 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d4, d2 + d5, d6)>
#map40 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>
#map41 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
#map42 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d3, d4, d5, d6)>
#map43 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> ()>
#map44 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5, d3 + d6)>
#map45 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
#map46 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d5, d3 + d6, d4 + d7)>
#map47 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d2, d1, d5, d6, d7)>
#map48 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2, d3, d4)>
#map49 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1, d2, d5, d6, d7)>
#map50 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> ()>
#map51 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d1 + d5, d2 + d6, d3 + d7, d8)>
#map52 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d5, d6, d7, d8, d4)>
#map53 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d1, d2, d3, d4)>
#map54 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> ()>
#map55 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d8, d1 + d5, d2 + d6, d3 + d7)>
#map56 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d4, d8, d5, d6, d7)>
#map57 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d4, d1, d2, d3)>
#map58 = affine_map<(d0, d1, d2, d3) -> (d0, d1 + d3, d2)>
#map59 = affine_map<(d0, d1, d2, d3) -> (d3, d2)>
#map60 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1 + d3)>
#map61 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1)>
#map62 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d4, d2)>
#map63 = affine_map<(d0, d1, d2, d3, d4) -> (d4, d2, d3)>
#map64 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map65 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d4, d2 + d5, d3)>
#map66 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5, d3)>
#map67 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
#map68 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d1 + d4, d2 + d5)>
#map69 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d1, d2)>
#map70 = affine_map<(d0, d1, d2, d3, d4, d5) -> ()>
#map71 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d5, d2 + d6, d3)>
#map72 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d5, d6, d3, d4)>
#map73 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3, d4)>
#map74 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1 + d4, d2 + d5, d3 + d6, d7)>
#map75 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d4, d5, d6, d7)>
#map76 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2, d3, d7)>
#map77 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d7, d1 + d4, d2 + d5, d3 + d6)>
#map78 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d7, d4, d5, d6)>
#map79 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d7, d1, d2, d3)>
#map80 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d1, d2, d3, d8, d4)>
#map81 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>
#map82 = affine_map<(d0, d1, d2, d3) -> (d3)>
#map83 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2 + d4, d3 + d5)>
#map84 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 + d3)>
#map85 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1 + d5, d2 + d6, d3 + d7, d4)>
#map86 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d5, d6, d7)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "abs_1"}> ({
  ^bb0(%arg1202: tensor<4x8xf32>, %arg1203: tensor<4x8xf32>):
    %631 = "linalg.abs"(%arg1202, %arg1203) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg1204: f32, %arg1205: f32):
      %632 = "math.absf"(%arg1204) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%632) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%631) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "ceil_1"}> ({
  ^bb0(%arg1198: tensor<4x8xf32>, %arg1199: tensor<4x8xf32>):
    %629 = "linalg.ceil"(%arg1198, %arg1199) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg1200: f32, %arg1201: f32):
      %630 = "math.ceil"(%arg1200) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%630) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%629) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "erf_1"}> ({
  ^bb0(%arg1194: tensor<4x8xf32>, %arg1195: tensor<4x8xf32>):
    %627 = "linalg.erf"(%arg1194, %arg1195) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg1196: f32, %arg1197: f32):
      %628 = "math.erf"(%arg1196) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%628) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%627) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "exp_1"}> ({
  ^bb0(%arg1190: tensor<4x8xf32>, %arg1191: tensor<4x8xf32>):
    %625 = "linalg.exp"(%arg1190, %arg1191) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg1192: f32, %arg1193: f32):
      %626 = "math.exp"(%arg1192) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%626) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%625) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "floor_1"}> ({
  ^bb0(%arg1186: tensor<4x8xf32>, %arg1187: tensor<4x8xf32>):
    %623 = "linalg.floor"(%arg1186, %arg1187) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg1188: f32, %arg1189: f32):
      %624 = "math.floor"(%arg1188) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%624) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%623) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "log_1"}> ({
  ^bb0(%arg1182: tensor<4x8xf32>, %arg1183: tensor<4x8xf32>):
    %621 = "linalg.log"(%arg1182, %arg1183) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg1184: f32, %arg1185: f32):
      %622 = "math.log"(%arg1184) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%622) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%621) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "negf_1"}> ({
  ^bb0(%arg1178: tensor<4x8xf32>, %arg1179: tensor<4x8xf32>):
    %619 = "linalg.negf"(%arg1178, %arg1179) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg1180: f32, %arg1181: f32):
      %620 = "arith.negf"(%arg1180) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%620) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%619) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "reciprocal_1"}> ({
  ^bb0(%arg1174: tensor<4x8xf32>, %arg1175: tensor<4x8xf32>):
    %616 = "linalg.reciprocal"(%arg1174, %arg1175) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg1176: f32, %arg1177: f32):
      %617 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
      %618 = "arith.divf"(%617, %arg1176) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%618) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%616) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "round_1"}> ({
  ^bb0(%arg1170: tensor<4x8xf32>, %arg1171: tensor<4x8xf32>):
    %614 = "linalg.round"(%arg1170, %arg1171) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg1172: f32, %arg1173: f32):
      %615 = "math.round"(%arg1172) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%615) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%614) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "rsqrt_1"}> ({
  ^bb0(%arg1166: tensor<4x8xf32>, %arg1167: tensor<4x8xf32>):
    %612 = "linalg.rsqrt"(%arg1166, %arg1167) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg1168: f32, %arg1169: f32):
      %613 = "math.rsqrt"(%arg1168) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%613) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%612) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "sqrt_1"}> ({
  ^bb0(%arg1162: tensor<4x8xf32>, %arg1163: tensor<4x8xf32>):
    %610 = "linalg.sqrt"(%arg1162, %arg1163) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg1164: f32, %arg1165: f32):
      %611 = "math.sqrt"(%arg1164) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%611) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%610) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "square_1"}> ({
  ^bb0(%arg1158: tensor<4x8xf32>, %arg1159: tensor<4x8xf32>):
    %608 = "linalg.square"(%arg1158, %arg1159) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg1160: f32, %arg1161: f32):
      %609 = "arith.mulf"(%arg1160, %arg1160) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%609) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%608) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "tanh_1"}> ({
  ^bb0(%arg1154: tensor<4x8xf32>, %arg1155: tensor<4x8xf32>):
    %606 = "linalg.tanh"(%arg1154, %arg1155) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg1156: f32, %arg1157: f32):
      %607 = "math.tanh"(%arg1156) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%607) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%606) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "elemwise_unary_1"}> ({
  ^bb0(%arg1150: tensor<4x8xf32>, %arg1151: tensor<4x8xf32>):
    %604 = "linalg.elemwise_unary"(%arg1150, %arg1151) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg1152: f32, %arg1153: f32):
      %605 = "math.exp"(%arg1152) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%605) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%604) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf16>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "elemwise_unary_2"}> ({
  ^bb0(%arg1146: tensor<4x8xf16>, %arg1147: tensor<4x8xf32>):
    %601 = "linalg.elemwise_unary"(%arg1146, %arg1147) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg1148: f16, %arg1149: f32):
      %602 = "arith.extf"(%arg1148) : (f16) -> f32
      %603 = "math.exp"(%602) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%603) : (f32) -> ()
    }) : (tensor<4x8xf16>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%601) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf16>) -> tensor<4x8xf16>, sym_name = "elemwise_unary_3"}> ({
  ^bb0(%arg1142: tensor<4x8xf32>, %arg1143: tensor<4x8xf16>):
    %598 = "linalg.elemwise_unary"(%arg1142, %arg1143) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg1144: f32, %arg1145: f16):
      %599 = "arith.truncf"(%arg1144) : (f32) -> f16
      %600 = "math.exp"(%599) <{fastmath = #arith.fastmath<none>}> : (f16) -> f16
      "linalg.yield"(%600) : (f16) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf16>) -> tensor<4x8xf16>
    "func.return"(%598) : (tensor<4x8xf16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "add_1"}> ({
  ^bb0(%arg1136: tensor<4x8xf32>, %arg1137: tensor<4x8xf32>, %arg1138: tensor<4x8xf32>):
    %596 = "linalg.add"(%arg1136, %arg1137, %arg1138) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1139: f32, %arg1140: f32, %arg1141: f32):
      %597 = "arith.addf"(%arg1139, %arg1140) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%597) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%596) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi1>, tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>, sym_name = "add_2"}> ({
  ^bb0(%arg1130: tensor<4x8xi1>, %arg1131: tensor<4x8xi1>, %arg1132: tensor<4x8xi1>):
    %594 = "linalg.add"(%arg1130, %arg1131, %arg1132) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1133: i1, %arg1134: i1, %arg1135: i1):
      %595 = "arith.ori"(%arg1133, %arg1134) : (i1, i1) -> i1
      "linalg.yield"(%595) : (i1) -> ()
    }) : (tensor<4x8xi1>, tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>
    "func.return"(%594) : (tensor<4x8xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>, sym_name = "add_3"}> ({
  ^bb0(%arg1124: tensor<4x8xcomplex<f32>>, %arg1125: tensor<4x8xcomplex<f32>>, %arg1126: tensor<4x8xcomplex<f32>>):
    %592 = "linalg.add"(%arg1124, %arg1125, %arg1126) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1127: complex<f32>, %arg1128: complex<f32>, %arg1129: complex<f32>):
      %593 = "complex.add"(%arg1127, %arg1128) <{fastmath = #arith.fastmath<none>}> : (complex<f32>, complex<f32>) -> complex<f32>
      "linalg.yield"(%593) : (complex<f32>) -> ()
    }) : (tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
    "func.return"(%592) : (tensor<4x8xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "add_4"}> ({
  ^bb0(%arg1118: tensor<4x8xi32>, %arg1119: tensor<4x8xi32>, %arg1120: tensor<4x8xi32>):
    %590 = "linalg.add"(%arg1118, %arg1119, %arg1120) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1121: i32, %arg1122: i32, %arg1123: i32):
      %591 = "arith.addi"(%arg1121, %arg1122) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%591) : (i32) -> ()
    }) : (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%590) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "sub_1"}> ({
  ^bb0(%arg1112: tensor<4x8xf32>, %arg1113: tensor<4x8xf32>, %arg1114: tensor<4x8xf32>):
    %588 = "linalg.sub"(%arg1112, %arg1113, %arg1114) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1115: f32, %arg1116: f32, %arg1117: f32):
      %589 = "arith.subf"(%arg1115, %arg1116) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%589) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%588) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi1>, tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>, sym_name = "sub_2"}> ({
  ^bb0(%arg1106: tensor<4x8xi1>, %arg1107: tensor<4x8xi1>, %arg1108: tensor<4x8xi1>):
    %586 = "linalg.sub"(%arg1106, %arg1107, %arg1108) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1109: i1, %arg1110: i1, %arg1111: i1):
      %587 = "arith.subi"(%arg1109, %arg1110) <{overflowFlags = #arith.overflow<none>}> : (i1, i1) -> i1
      "linalg.yield"(%587) : (i1) -> ()
    }) : (tensor<4x8xi1>, tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>
    "func.return"(%586) : (tensor<4x8xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>, sym_name = "sub_3"}> ({
  ^bb0(%arg1100: tensor<4x8xcomplex<f32>>, %arg1101: tensor<4x8xcomplex<f32>>, %arg1102: tensor<4x8xcomplex<f32>>):
    %584 = "linalg.sub"(%arg1100, %arg1101, %arg1102) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1103: complex<f32>, %arg1104: complex<f32>, %arg1105: complex<f32>):
      %585 = "complex.sub"(%arg1103, %arg1104) <{fastmath = #arith.fastmath<none>}> : (complex<f32>, complex<f32>) -> complex<f32>
      "linalg.yield"(%585) : (complex<f32>) -> ()
    }) : (tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
    "func.return"(%584) : (tensor<4x8xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "sub_4"}> ({
  ^bb0(%arg1094: tensor<4x8xi32>, %arg1095: tensor<4x8xi32>, %arg1096: tensor<4x8xi32>):
    %582 = "linalg.sub"(%arg1094, %arg1095, %arg1096) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1097: i32, %arg1098: i32, %arg1099: i32):
      %583 = "arith.subi"(%arg1097, %arg1098) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%583) : (i32) -> ()
    }) : (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%582) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "mul_1"}> ({
  ^bb0(%arg1088: tensor<4x8xf32>, %arg1089: tensor<4x8xf32>, %arg1090: tensor<4x8xf32>):
    %580 = "linalg.mul"(%arg1088, %arg1089, %arg1090) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1091: f32, %arg1092: f32, %arg1093: f32):
      %581 = "arith.mulf"(%arg1091, %arg1092) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%581) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%580) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi1>, tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>, sym_name = "mul_2"}> ({
  ^bb0(%arg1082: tensor<4x8xi1>, %arg1083: tensor<4x8xi1>, %arg1084: tensor<4x8xi1>):
    %578 = "linalg.mul"(%arg1082, %arg1083, %arg1084) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1085: i1, %arg1086: i1, %arg1087: i1):
      %579 = "arith.andi"(%arg1085, %arg1086) : (i1, i1) -> i1
      "linalg.yield"(%579) : (i1) -> ()
    }) : (tensor<4x8xi1>, tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>
    "func.return"(%578) : (tensor<4x8xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>, sym_name = "mul_3"}> ({
  ^bb0(%arg1076: tensor<4x8xcomplex<f32>>, %arg1077: tensor<4x8xcomplex<f32>>, %arg1078: tensor<4x8xcomplex<f32>>):
    %576 = "linalg.mul"(%arg1076, %arg1077, %arg1078) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1079: complex<f32>, %arg1080: complex<f32>, %arg1081: complex<f32>):
      %577 = "complex.mul"(%arg1079, %arg1080) <{fastmath = #arith.fastmath<none>}> : (complex<f32>, complex<f32>) -> complex<f32>
      "linalg.yield"(%577) : (complex<f32>) -> ()
    }) : (tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
    "func.return"(%576) : (tensor<4x8xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "mul_4"}> ({
  ^bb0(%arg1070: tensor<4x8xi32>, %arg1071: tensor<4x8xi32>, %arg1072: tensor<4x8xi32>):
    %574 = "linalg.mul"(%arg1070, %arg1071, %arg1072) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1073: i32, %arg1074: i32, %arg1075: i32):
      %575 = "arith.muli"(%arg1073, %arg1074) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%575) : (i32) -> ()
    }) : (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%574) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "div_1"}> ({
  ^bb0(%arg1064: tensor<4x8xf32>, %arg1065: tensor<4x8xf32>, %arg1066: tensor<4x8xf32>):
    %572 = "linalg.div"(%arg1064, %arg1065, %arg1066) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1067: f32, %arg1068: f32, %arg1069: f32):
      %573 = "arith.divf"(%arg1067, %arg1068) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%573) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%572) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi1>, tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>, sym_name = "div_2"}> ({
  ^bb0(%arg1058: tensor<4x8xi1>, %arg1059: tensor<4x8xi1>, %arg1060: tensor<4x8xi1>):
    %570 = "linalg.div"(%arg1058, %arg1059, %arg1060) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1061: i1, %arg1062: i1, %arg1063: i1):
      %571 = "arith.divsi"(%arg1061, %arg1062) : (i1, i1) -> i1
      "linalg.yield"(%571) : (i1) -> ()
    }) : (tensor<4x8xi1>, tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>
    "func.return"(%570) : (tensor<4x8xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>, sym_name = "div_3"}> ({
  ^bb0(%arg1052: tensor<4x8xcomplex<f32>>, %arg1053: tensor<4x8xcomplex<f32>>, %arg1054: tensor<4x8xcomplex<f32>>):
    %568 = "linalg.div"(%arg1052, %arg1053, %arg1054) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1055: complex<f32>, %arg1056: complex<f32>, %arg1057: complex<f32>):
      %569 = "complex.div"(%arg1055, %arg1056) <{fastmath = #arith.fastmath<none>}> : (complex<f32>, complex<f32>) -> complex<f32>
      "linalg.yield"(%569) : (complex<f32>) -> ()
    }) : (tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
    "func.return"(%568) : (tensor<4x8xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "div_4"}> ({
  ^bb0(%arg1046: tensor<4x8xi32>, %arg1047: tensor<4x8xi32>, %arg1048: tensor<4x8xi32>):
    %566 = "linalg.div"(%arg1046, %arg1047, %arg1048) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1049: i32, %arg1050: i32, %arg1051: i32):
      %567 = "arith.divsi"(%arg1049, %arg1050) : (i32, i32) -> i32
      "linalg.yield"(%567) : (i32) -> ()
    }) : (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%566) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi1>, tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>, sym_name = "div_unsigned_1"}> ({
  ^bb0(%arg1040: tensor<4x8xi1>, %arg1041: tensor<4x8xi1>, %arg1042: tensor<4x8xi1>):
    %564 = "linalg.div_unsigned"(%arg1040, %arg1041, %arg1042) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1043: i1, %arg1044: i1, %arg1045: i1):
      %565 = "arith.divui"(%arg1043, %arg1044) : (i1, i1) -> i1
      "linalg.yield"(%565) : (i1) -> ()
    }) : (tensor<4x8xi1>, tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>
    "func.return"(%564) : (tensor<4x8xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "div_unsigned_2"}> ({
  ^bb0(%arg1034: tensor<4x8xi32>, %arg1035: tensor<4x8xi32>, %arg1036: tensor<4x8xi32>):
    %562 = "linalg.div_unsigned"(%arg1034, %arg1035, %arg1036) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1037: i32, %arg1038: i32, %arg1039: i32):
      %563 = "arith.divui"(%arg1037, %arg1038) : (i32, i32) -> i32
      "linalg.yield"(%563) : (i32) -> ()
    }) : (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%562) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "max_1"}> ({
  ^bb0(%arg1028: tensor<4x8xf32>, %arg1029: tensor<4x8xf32>, %arg1030: tensor<4x8xf32>):
    %560 = "linalg.max"(%arg1028, %arg1029, %arg1030) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1031: f32, %arg1032: f32, %arg1033: f32):
      %561 = "arith.maximumf"(%arg1031, %arg1032) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%561) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%560) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi1>, tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>, sym_name = "max_2"}> ({
  ^bb0(%arg1022: tensor<4x8xi1>, %arg1023: tensor<4x8xi1>, %arg1024: tensor<4x8xi1>):
    %558 = "linalg.max"(%arg1022, %arg1023, %arg1024) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1025: i1, %arg1026: i1, %arg1027: i1):
      %559 = "arith.maxsi"(%arg1025, %arg1026) : (i1, i1) -> i1
      "linalg.yield"(%559) : (i1) -> ()
    }) : (tensor<4x8xi1>, tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>
    "func.return"(%558) : (tensor<4x8xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "max_3"}> ({
  ^bb0(%arg1016: tensor<4x8xi32>, %arg1017: tensor<4x8xi32>, %arg1018: tensor<4x8xi32>):
    %556 = "linalg.max"(%arg1016, %arg1017, %arg1018) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1019: i32, %arg1020: i32, %arg1021: i32):
      %557 = "arith.maxsi"(%arg1019, %arg1020) : (i32, i32) -> i32
      "linalg.yield"(%557) : (i32) -> ()
    }) : (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%556) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "min_1"}> ({
  ^bb0(%arg1010: tensor<4x8xf32>, %arg1011: tensor<4x8xf32>, %arg1012: tensor<4x8xf32>):
    %554 = "linalg.min"(%arg1010, %arg1011, %arg1012) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1013: f32, %arg1014: f32, %arg1015: f32):
      %555 = "arith.minimumf"(%arg1013, %arg1014) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%555) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%554) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi1>, tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>, sym_name = "min_2"}> ({
  ^bb0(%arg1004: tensor<4x8xi1>, %arg1005: tensor<4x8xi1>, %arg1006: tensor<4x8xi1>):
    %552 = "linalg.min"(%arg1004, %arg1005, %arg1006) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1007: i1, %arg1008: i1, %arg1009: i1):
      %553 = "arith.minsi"(%arg1007, %arg1008) : (i1, i1) -> i1
      "linalg.yield"(%553) : (i1) -> ()
    }) : (tensor<4x8xi1>, tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>
    "func.return"(%552) : (tensor<4x8xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "min_3"}> ({
  ^bb0(%arg998: tensor<4x8xi32>, %arg999: tensor<4x8xi32>, %arg1000: tensor<4x8xi32>):
    %550 = "linalg.min"(%arg998, %arg999, %arg1000) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1001: i32, %arg1002: i32, %arg1003: i32):
      %551 = "arith.minsi"(%arg1001, %arg1002) : (i32, i32) -> i32
      "linalg.yield"(%551) : (i32) -> ()
    }) : (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%550) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "powf_1"}> ({
  ^bb0(%arg992: tensor<4x8xf32>, %arg993: tensor<4x8xf32>, %arg994: tensor<4x8xf32>):
    %548 = "linalg.powf"(%arg992, %arg993, %arg994) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg995: f32, %arg996: f32, %arg997: f32):
      %549 = "math.powf"(%arg995, %arg996) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%549) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%548) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "elemwise_binary_1"}> ({
  ^bb0(%arg986: tensor<4x8xf32>, %arg987: tensor<4x8xf32>, %arg988: tensor<4x8xf32>):
    %546 = "linalg.elemwise_binary"(%arg986, %arg987, %arg988) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg989: f32, %arg990: f32, %arg991: f32):
      %547 = "arith.addf"(%arg989, %arg990) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%547) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%546) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi8>, tensor<4x8xi8>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "elemwise_binary_2"}> ({
  ^bb0(%arg980: tensor<4x8xi8>, %arg981: tensor<4x8xi8>, %arg982: tensor<4x8xi32>):
    %542 = "linalg.elemwise_binary"(%arg980, %arg981, %arg982) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg983: i8, %arg984: i8, %arg985: i32):
      %543 = "arith.extsi"(%arg983) : (i8) -> i32
      %544 = "arith.extsi"(%arg984) : (i8) -> i32
      %545 = "arith.addi"(%543, %544) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%545) : (i32) -> ()
    }) : (tensor<4x8xi8>, tensor<4x8xi8>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%542) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi8>, tensor<4x8xi8>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "elemwise_binary_3"}> ({
  ^bb0(%arg974: tensor<4x8xi8>, %arg975: tensor<4x8xi8>, %arg976: tensor<4x8xi32>):
    %538 = "linalg.elemwise_binary"(%arg974, %arg975, %arg976) <{cast = #linalg.type_fn<cast_unsigned>, operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg977: i8, %arg978: i8, %arg979: i32):
      %539 = "arith.extui"(%arg977) : (i8) -> i32
      %540 = "arith.extui"(%arg978) : (i8) -> i32
      %541 = "arith.addi"(%539, %540) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%541) : (i32) -> ()
    }) : (tensor<4x8xi8>, tensor<4x8xi8>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%538) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf16>, tensor<4x8xf16>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "elemwise_binary_4"}> ({
  ^bb0(%arg968: tensor<4x8xf16>, %arg969: tensor<4x8xf16>, %arg970: tensor<4x8xf32>):
    %534 = "linalg.elemwise_binary"(%arg968, %arg969, %arg970) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg971: f16, %arg972: f16, %arg973: f32):
      %535 = "arith.extf"(%arg971) : (f16) -> f32
      %536 = "arith.extf"(%arg972) : (f16) -> f32
      %537 = "arith.addf"(%535, %536) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%537) : (f32) -> ()
    }) : (tensor<4x8xf16>, tensor<4x8xf16>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%534) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi1>, tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>, sym_name = "elemwise_binary_5"}> ({
  ^bb0(%arg962: tensor<4x8xi1>, %arg963: tensor<4x8xi1>, %arg964: tensor<4x8xi1>):
    %532 = "linalg.elemwise_binary"(%arg962, %arg963, %arg964) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg965: i1, %arg966: i1, %arg967: i1):
      %533 = "arith.ori"(%arg965, %arg966) : (i1, i1) -> i1
      "linalg.yield"(%533) : (i1) -> ()
    }) : (tensor<4x8xi1>, tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>
    "func.return"(%532) : (tensor<4x8xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>, sym_name = "elemwise_binary_6"}> ({
  ^bb0(%arg956: tensor<4x8xcomplex<f32>>, %arg957: tensor<4x8xcomplex<f32>>, %arg958: tensor<4x8xcomplex<f32>>):
    %530 = "linalg.elemwise_binary"(%arg956, %arg957, %arg958) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg959: complex<f32>, %arg960: complex<f32>, %arg961: complex<f32>):
      %531 = "complex.add"(%arg959, %arg960) <{fastmath = #arith.fastmath<none>}> : (complex<f32>, complex<f32>) -> complex<f32>
      "linalg.yield"(%531) : (complex<f32>) -> ()
    }) : (tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
    "func.return"(%530) : (tensor<4x8xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "elemwise_binary_7"}> ({
  ^bb0(%arg950: tensor<4x8xf32>, %arg951: tensor<4x8xf32>, %arg952: tensor<4x8xi32>):
    %526 = "linalg.elemwise_binary"(%arg950, %arg951, %arg952) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg953: f32, %arg954: f32, %arg955: i32):
      %527 = "arith.fptosi"(%arg953) : (f32) -> i32
      %528 = "arith.fptosi"(%arg954) : (f32) -> i32
      %529 = "arith.addi"(%527, %528) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%529) : (i32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%526) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "elemwise_binary_8"}> ({
  ^bb0(%arg944: tensor<4x8xi32>, %arg945: tensor<4x8xi32>, %arg946: tensor<4x8xi32>):
    %524 = "linalg.elemwise_binary"(%arg944, %arg945, %arg946) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg947: i32, %arg948: i32, %arg949: i32):
      %525 = "arith.addi"(%arg947, %arg948) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%525) : (i32) -> ()
    }) : (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%524) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xindex>, tensor<4x8xindex>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "elemwise_binary_9"}> ({
  ^bb0(%arg938: tensor<4x8xindex>, %arg939: tensor<4x8xindex>, %arg940: tensor<4x8xi32>):
    %520 = "linalg.elemwise_binary"(%arg938, %arg939, %arg940) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg941: index, %arg942: index, %arg943: i32):
      %521 = "arith.index_cast"(%arg941) : (index) -> i32
      %522 = "arith.index_cast"(%arg942) : (index) -> i32
      %523 = "arith.addi"(%521, %522) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%523) : (i32) -> ()
    }) : (tensor<4x8xindex>, tensor<4x8xindex>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%520) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf16>) -> tensor<4x8xf16>, sym_name = "elemwise_binary_10"}> ({
  ^bb0(%arg932: tensor<4x8xf32>, %arg933: tensor<4x8xf32>, %arg934: tensor<4x8xf16>):
    %516 = "linalg.elemwise_binary"(%arg932, %arg933, %arg934) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg935: f32, %arg936: f32, %arg937: f16):
      %517 = "arith.truncf"(%arg935) : (f32) -> f16
      %518 = "arith.truncf"(%arg936) : (f32) -> f16
      %519 = "arith.addf"(%517, %518) <{fastmath = #arith.fastmath<none>}> : (f16, f16) -> f16
      "linalg.yield"(%519) : (f16) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf16>) -> tensor<4x8xf16>
    "func.return"(%516) : (tensor<4x8xf16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "select_1"}> ({
  ^bb0(%arg924: tensor<4x8xi1>, %arg925: tensor<4x8xf32>, %arg926: tensor<4x8xf32>, %arg927: tensor<4x8xf32>):
    %514 = "linalg.select"(%arg924, %arg925, %arg926, %arg927) <{operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg928: i1, %arg929: f32, %arg930: f32, %arg931: f32):
      %515 = "arith.select"(%arg928, %arg929, %arg930) : (i1, f32, f32) -> f32
      "linalg.yield"(%515) : (f32) -> ()
    }) : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%514) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi1>, tensor<4x8xi1>, tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>, sym_name = "select_2"}> ({
  ^bb0(%arg916: tensor<4x8xi1>, %arg917: tensor<4x8xi1>, %arg918: tensor<4x8xi1>, %arg919: tensor<4x8xi1>):
    %512 = "linalg.select"(%arg916, %arg917, %arg918, %arg919) <{operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg920: i1, %arg921: i1, %arg922: i1, %arg923: i1):
      %513 = "arith.select"(%arg920, %arg921, %arg922) : (i1, i1, i1) -> i1
      "linalg.yield"(%513) : (i1) -> ()
    }) : (tensor<4x8xi1>, tensor<4x8xi1>, tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>
    "func.return"(%512) : (tensor<4x8xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi1>, tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>, sym_name = "select_3"}> ({
  ^bb0(%arg908: tensor<4x8xi1>, %arg909: tensor<4x8xcomplex<f32>>, %arg910: tensor<4x8xcomplex<f32>>, %arg911: tensor<4x8xcomplex<f32>>):
    %510 = "linalg.select"(%arg908, %arg909, %arg910, %arg911) <{operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg912: i1, %arg913: complex<f32>, %arg914: complex<f32>, %arg915: complex<f32>):
      %511 = "arith.select"(%arg912, %arg913, %arg914) : (i1, complex<f32>, complex<f32>) -> complex<f32>
      "linalg.yield"(%511) : (complex<f32>) -> ()
    }) : (tensor<4x8xi1>, tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>, tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
    "func.return"(%510) : (tensor<4x8xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi1>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "select_4"}> ({
  ^bb0(%arg900: tensor<4x8xi1>, %arg901: tensor<4x8xi32>, %arg902: tensor<4x8xi32>, %arg903: tensor<4x8xi32>):
    %508 = "linalg.select"(%arg900, %arg901, %arg902, %arg903) <{operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg904: i1, %arg905: i32, %arg906: i32, %arg907: i32):
      %509 = "arith.select"(%arg904, %arg905, %arg906) : (i1, i32, i32) -> i32
      "linalg.yield"(%509) : (i32) -> ()
    }) : (tensor<4x8xi1>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%508) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "copy_1"}> ({
  ^bb0(%arg896: tensor<4x8xf32>, %arg897: tensor<4x8xf32>):
    %507 = "linalg.copy"(%arg896, %arg897) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg898: f32, %arg899: f32):
      "linalg.yield"(%arg898) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%507) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi8>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "copy_2"}> ({
  ^bb0(%arg892: tensor<4x8xi8>, %arg893: tensor<4x8xi32>):
    %505 = "linalg.copy"(%arg892, %arg893) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg894: i8, %arg895: i32):
      %506 = "arith.extsi"(%arg894) : (i8) -> i32
      "linalg.yield"(%506) : (i32) -> ()
    }) : (tensor<4x8xi8>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%505) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi8>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "copy_3"}> ({
  ^bb0(%arg888: tensor<4x8xi8>, %arg889: tensor<4x8xi32>):
    %503 = "linalg.copy"(%arg888, %arg889) <{cast = #linalg.type_fn<cast_unsigned>, operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg890: i8, %arg891: i32):
      %504 = "arith.extui"(%arg890) : (i8) -> i32
      "linalg.yield"(%504) : (i32) -> ()
    }) : (tensor<4x8xi8>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%503) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf16>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "copy_4"}> ({
  ^bb0(%arg884: tensor<4x8xf16>, %arg885: tensor<4x8xf32>):
    %501 = "linalg.copy"(%arg884, %arg885) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg886: f16, %arg887: f32):
      %502 = "arith.extf"(%arg886) : (f16) -> f32
      "linalg.yield"(%502) : (f32) -> ()
    }) : (tensor<4x8xf16>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%501) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>, sym_name = "copy_5"}> ({
  ^bb0(%arg880: tensor<4x8xi1>, %arg881: tensor<4x8xi1>):
    %500 = "linalg.copy"(%arg880, %arg881) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg882: i1, %arg883: i1):
      "linalg.yield"(%arg882) : (i1) -> ()
    }) : (tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>
    "func.return"(%500) : (tensor<4x8xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "copy_6"}> ({
  ^bb0(%arg876: tensor<4x8xf32>, %arg877: tensor<4x8xi32>):
    %498 = "linalg.copy"(%arg876, %arg877) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg878: f32, %arg879: i32):
      %499 = "arith.fptosi"(%arg878) : (f32) -> i32
      "linalg.yield"(%499) : (i32) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%498) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "copy_7"}> ({
  ^bb0(%arg872: tensor<4x8xi32>, %arg873: tensor<4x8xi32>):
    %497 = "linalg.copy"(%arg872, %arg873) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg874: i32, %arg875: i32):
      "linalg.yield"(%arg874) : (i32) -> ()
    }) : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%497) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xindex>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "copy_8"}> ({
  ^bb0(%arg868: tensor<4x8xindex>, %arg869: tensor<4x8xi32>):
    %495 = "linalg.copy"(%arg868, %arg869) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg870: index, %arg871: i32):
      %496 = "arith.index_cast"(%arg870) : (index) -> i32
      "linalg.yield"(%496) : (i32) -> ()
    }) : (tensor<4x8xindex>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%495) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<4x8xf16>) -> tensor<4x8xf16>, sym_name = "copy_9"}> ({
  ^bb0(%arg864: tensor<4x8xf32>, %arg865: tensor<4x8xf16>):
    %493 = "linalg.copy"(%arg864, %arg865) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg866: f32, %arg867: f16):
      %494 = "arith.truncf"(%arg866) : (f32) -> f16
      "linalg.yield"(%494) : (f16) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf16>) -> tensor<4x8xf16>
    "func.return"(%493) : (tensor<4x8xf16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (f32, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "fill_1"}> ({
  ^bb0(%arg860: f32, %arg861: tensor<4x8xf32>):
    %492 = "linalg.fill"(%arg860, %arg861) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg862: f32, %arg863: f32):
      "linalg.yield"(%arg862) : (f32) -> ()
    }) : (f32, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%492) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i8, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "fill_2"}> ({
  ^bb0(%arg856: i8, %arg857: tensor<4x8xi32>):
    %490 = "linalg.fill"(%arg856, %arg857) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg858: i8, %arg859: i32):
      %491 = "arith.extsi"(%arg858) : (i8) -> i32
      "linalg.yield"(%491) : (i32) -> ()
    }) : (i8, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%490) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (f16, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "fill_3"}> ({
  ^bb0(%arg852: f16, %arg853: tensor<4x8xf32>):
    %488 = "linalg.fill"(%arg852, %arg853) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg854: f16, %arg855: f32):
      %489 = "arith.extf"(%arg854) : (f16) -> f32
      "linalg.yield"(%489) : (f32) -> ()
    }) : (f16, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%488) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i1, tensor<4x8xi1>) -> tensor<4x8xi1>, sym_name = "fill_4"}> ({
  ^bb0(%arg848: i1, %arg849: tensor<4x8xi1>):
    %487 = "linalg.fill"(%arg848, %arg849) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg850: i1, %arg851: i1):
      "linalg.yield"(%arg850) : (i1) -> ()
    }) : (i1, tensor<4x8xi1>) -> tensor<4x8xi1>
    "func.return"(%487) : (tensor<4x8xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (f32, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "fill_5"}> ({
  ^bb0(%arg844: f32, %arg845: tensor<4x8xi32>):
    %485 = "linalg.fill"(%arg844, %arg845) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg846: f32, %arg847: i32):
      %486 = "arith.fptosi"(%arg846) : (f32) -> i32
      "linalg.yield"(%486) : (i32) -> ()
    }) : (f32, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%485) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "fill_6"}> ({
  ^bb0(%arg840: i32, %arg841: tensor<4x8xi32>):
    %484 = "linalg.fill"(%arg840, %arg841) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg842: i32, %arg843: i32):
      "linalg.yield"(%arg842) : (i32) -> ()
    }) : (i32, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%484) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (index, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "fill_7"}> ({
  ^bb0(%arg836: index, %arg837: tensor<4x8xi32>):
    %482 = "linalg.fill"(%arg836, %arg837) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg838: index, %arg839: i32):
      %483 = "arith.index_cast"(%arg838) : (index) -> i32
      "linalg.yield"(%483) : (i32) -> ()
    }) : (index, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%482) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (f32, tensor<4x8xf16>) -> tensor<4x8xf16>, sym_name = "fill_8"}> ({
  ^bb0(%arg832: f32, %arg833: tensor<4x8xf16>):
    %480 = "linalg.fill"(%arg832, %arg833) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg834: f32, %arg835: f16):
      %481 = "arith.truncf"(%arg834) : (f32) -> f16
      "linalg.yield"(%481) : (f16) -> ()
    }) : (f32, tensor<4x8xf16>) -> tensor<4x8xf16>
    "func.return"(%480) : (tensor<4x8xf16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>, sym_name = "matmul_1"}> ({
  ^bb0(%arg826: tensor<4x8xf32>, %arg827: tensor<8x16xf32>, %arg828: tensor<4x16xf32>):
    %477 = "linalg.matmul"(%arg826, %arg827, %arg828) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg829: f32, %arg830: f32, %arg831: f32):
      %478 = "arith.mulf"(%arg829, %arg830) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %479 = "arith.addf"(%arg831, %478) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%479) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    "func.return"(%477) : (tensor<4x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi8>, tensor<8x16xi8>, tensor<4x16xi32>) -> tensor<4x16xi32>, sym_name = "matmul_2"}> ({
  ^bb0(%arg820: tensor<4x8xi8>, %arg821: tensor<8x16xi8>, %arg822: tensor<4x16xi32>):
    %472 = "linalg.matmul"(%arg820, %arg821, %arg822) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg823: i8, %arg824: i8, %arg825: i32):
      %473 = "arith.extsi"(%arg823) : (i8) -> i32
      %474 = "arith.extsi"(%arg824) : (i8) -> i32
      %475 = "arith.muli"(%473, %474) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %476 = "arith.addi"(%arg825, %475) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%476) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<4x8xi8>, tensor<8x16xi8>, tensor<4x16xi32>) -> tensor<4x16xi32>
    "func.return"(%472) : (tensor<4x16xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi8>, tensor<8x16xi8>, tensor<4x16xi32>) -> tensor<4x16xi32>, sym_name = "matmul_3"}> ({
  ^bb0(%arg814: tensor<4x8xi8>, %arg815: tensor<8x16xi8>, %arg816: tensor<4x16xi32>):
    %467 = "linalg.matmul"(%arg814, %arg815, %arg816) <{cast = #linalg.type_fn<cast_unsigned>, operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg817: i8, %arg818: i8, %arg819: i32):
      %468 = "arith.extui"(%arg817) : (i8) -> i32
      %469 = "arith.extui"(%arg818) : (i8) -> i32
      %470 = "arith.muli"(%468, %469) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %471 = "arith.addi"(%arg819, %470) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%471) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<4x8xi8>, tensor<8x16xi8>, tensor<4x16xi32>) -> tensor<4x16xi32>
    "func.return"(%467) : (tensor<4x16xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf16>, tensor<8x16xf16>, tensor<4x16xf32>) -> tensor<4x16xf32>, sym_name = "matmul_4"}> ({
  ^bb0(%arg808: tensor<4x8xf16>, %arg809: tensor<8x16xf16>, %arg810: tensor<4x16xf32>):
    %462 = "linalg.matmul"(%arg808, %arg809, %arg810) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg811: f16, %arg812: f16, %arg813: f32):
      %463 = "arith.extf"(%arg811) : (f16) -> f32
      %464 = "arith.extf"(%arg812) : (f16) -> f32
      %465 = "arith.mulf"(%463, %464) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %466 = "arith.addf"(%arg813, %465) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%466) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<4x8xf16>, tensor<8x16xf16>, tensor<4x16xf32>) -> tensor<4x16xf32>
    "func.return"(%462) : (tensor<4x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x4xf32>, tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>, sym_name = "matmul_transpose_a_1"}> ({
  ^bb0(%arg802: tensor<8x4xf32>, %arg803: tensor<8x16xf32>, %arg804: tensor<4x16xf32>):
    %459 = "linalg.matmul_transpose_a"(%arg802, %arg803, %arg804) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg805: f32, %arg806: f32, %arg807: f32):
      %460 = "arith.mulf"(%arg805, %arg806) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %461 = "arith.addf"(%arg807, %460) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%461) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map3, #map1, #map2]} : (tensor<8x4xf32>, tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    "func.return"(%459) : (tensor<4x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x4xi8>, tensor<8x16xi8>, tensor<4x16xi32>) -> tensor<4x16xi32>, sym_name = "matmul_transpose_a_2"}> ({
  ^bb0(%arg796: tensor<8x4xi8>, %arg797: tensor<8x16xi8>, %arg798: tensor<4x16xi32>):
    %454 = "linalg.matmul_transpose_a"(%arg796, %arg797, %arg798) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg799: i8, %arg800: i8, %arg801: i32):
      %455 = "arith.extsi"(%arg799) : (i8) -> i32
      %456 = "arith.extsi"(%arg800) : (i8) -> i32
      %457 = "arith.muli"(%455, %456) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %458 = "arith.addi"(%arg801, %457) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%458) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map3, #map1, #map2]} : (tensor<8x4xi8>, tensor<8x16xi8>, tensor<4x16xi32>) -> tensor<4x16xi32>
    "func.return"(%454) : (tensor<4x16xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<16x8xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>, sym_name = "matmul_transpose_b_1"}> ({
  ^bb0(%arg790: tensor<4x8xf32>, %arg791: tensor<16x8xf32>, %arg792: tensor<4x16xf32>):
    %451 = "linalg.matmul_transpose_b"(%arg790, %arg791, %arg792) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg793: f32, %arg794: f32, %arg795: f32):
      %452 = "arith.mulf"(%arg793, %arg794) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %453 = "arith.addf"(%arg795, %452) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%453) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map4, #map2]} : (tensor<4x8xf32>, tensor<16x8xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    "func.return"(%451) : (tensor<4x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi8>, tensor<16x8xi8>, tensor<4x16xi32>) -> tensor<4x16xi32>, sym_name = "matmul_transpose_b_2"}> ({
  ^bb0(%arg784: tensor<4x8xi8>, %arg785: tensor<16x8xi8>, %arg786: tensor<4x16xi32>):
    %446 = "linalg.matmul_transpose_b"(%arg784, %arg785, %arg786) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg787: i8, %arg788: i8, %arg789: i32):
      %447 = "arith.extsi"(%arg787) : (i8) -> i32
      %448 = "arith.extsi"(%arg788) : (i8) -> i32
      %449 = "arith.muli"(%447, %448) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %450 = "arith.addi"(%arg789, %449) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%450) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map4, #map2]} : (tensor<4x8xi8>, tensor<16x8xi8>, tensor<4x16xi32>) -> tensor<4x16xi32>
    "func.return"(%446) : (tensor<4x16xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<8x16xf32>, i32, i32, tensor<4x16xf32>) -> tensor<4x16xf32>, sym_name = "quantized_matmul_1"}> ({
  ^bb0(%arg774: tensor<4x8xf32>, %arg775: tensor<8x16xf32>, %arg776: i32, %arg777: i32, %arg778: tensor<4x16xf32>):
    %439 = "linalg.quantized_matmul"(%arg774, %arg775, %arg776, %arg777, %arg778) <{operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg779: f32, %arg780: f32, %arg781: i32, %arg782: i32, %arg783: f32):
      %440 = "arith.sitofp"(%arg781) : (i32) -> f32
      %441 = "arith.subf"(%arg779, %440) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %442 = "arith.sitofp"(%arg782) : (i32) -> f32
      %443 = "arith.subf"(%arg780, %442) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %444 = "arith.mulf"(%441, %443) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %445 = "arith.addf"(%arg783, %444) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%445) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map5, #map5, #map2]} : (tensor<4x8xf32>, tensor<8x16xf32>, i32, i32, tensor<4x16xf32>) -> tensor<4x16xf32>
    "func.return"(%439) : (tensor<4x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi8>, tensor<8x16xi8>, i32, i32, tensor<4x16xi32>) -> tensor<4x16xi32>, sym_name = "quantized_matmul_2"}> ({
  ^bb0(%arg764: tensor<4x8xi8>, %arg765: tensor<8x16xi8>, %arg766: i32, %arg767: i32, %arg768: tensor<4x16xi32>):
    %432 = "linalg.quantized_matmul"(%arg764, %arg765, %arg766, %arg767, %arg768) <{operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg769: i8, %arg770: i8, %arg771: i32, %arg772: i32, %arg773: i32):
      %433 = "arith.extsi"(%arg769) : (i8) -> i32
      %434 = "arith.subi"(%433, %arg771) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %435 = "arith.extsi"(%arg770) : (i8) -> i32
      %436 = "arith.subi"(%435, %arg772) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %437 = "arith.muli"(%434, %436) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %438 = "arith.addi"(%arg773, %437) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%438) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map5, #map5, #map2]} : (tensor<4x8xi8>, tensor<8x16xi8>, i32, i32, tensor<4x16xi32>) -> tensor<4x16xi32>
    "func.return"(%432) : (tensor<4x16xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x8xf32>, tensor<2x8x16xf32>, tensor<2x4x16xf32>) -> tensor<2x4x16xf32>, sym_name = "batch_matmul_1"}> ({
  ^bb0(%arg758: tensor<2x4x8xf32>, %arg759: tensor<2x8x16xf32>, %arg760: tensor<2x4x16xf32>):
    %429 = "linalg.batch_matmul"(%arg758, %arg759, %arg760) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg761: f32, %arg762: f32, %arg763: f32):
      %430 = "arith.mulf"(%arg761, %arg762) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %431 = "arith.addf"(%arg763, %430) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%431) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map6, #map7, #map8]} : (tensor<2x4x8xf32>, tensor<2x8x16xf32>, tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
    "func.return"(%429) : (tensor<2x4x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x8xi8>, tensor<2x8x16xi8>, tensor<2x4x16xi32>) -> tensor<2x4x16xi32>, sym_name = "batch_matmul_2"}> ({
  ^bb0(%arg752: tensor<2x4x8xi8>, %arg753: tensor<2x8x16xi8>, %arg754: tensor<2x4x16xi32>):
    %424 = "linalg.batch_matmul"(%arg752, %arg753, %arg754) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg755: i8, %arg756: i8, %arg757: i32):
      %425 = "arith.extsi"(%arg755) : (i8) -> i32
      %426 = "arith.extsi"(%arg756) : (i8) -> i32
      %427 = "arith.muli"(%425, %426) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %428 = "arith.addi"(%arg757, %427) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%428) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map6, #map7, #map8]} : (tensor<2x4x8xi8>, tensor<2x8x16xi8>, tensor<2x4x16xi32>) -> tensor<2x4x16xi32>
    "func.return"(%424) : (tensor<2x4x16xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x8x4xf32>, tensor<2x8x16xf32>, tensor<2x4x16xf32>) -> tensor<2x4x16xf32>, sym_name = "batch_matmul_transpose_a_1"}> ({
  ^bb0(%arg746: tensor<2x8x4xf32>, %arg747: tensor<2x8x16xf32>, %arg748: tensor<2x4x16xf32>):
    %421 = "linalg.batch_matmul_transpose_a"(%arg746, %arg747, %arg748) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg749: f32, %arg750: f32, %arg751: f32):
      %422 = "arith.mulf"(%arg749, %arg750) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %423 = "arith.addf"(%arg751, %422) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%423) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map9, #map7, #map8]} : (tensor<2x8x4xf32>, tensor<2x8x16xf32>, tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
    "func.return"(%421) : (tensor<2x4x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x8xf32>, tensor<2x16x8xf32>, tensor<2x4x16xf32>) -> tensor<2x4x16xf32>, sym_name = "batch_matmul_transpose_b_1"}> ({
  ^bb0(%arg740: tensor<2x4x8xf32>, %arg741: tensor<2x16x8xf32>, %arg742: tensor<2x4x16xf32>):
    %418 = "linalg.batch_matmul_transpose_b"(%arg740, %arg741, %arg742) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg743: f32, %arg744: f32, %arg745: f32):
      %419 = "arith.mulf"(%arg743, %arg744) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %420 = "arith.addf"(%arg745, %419) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%420) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map6, #map10, #map8]} : (tensor<2x4x8xf32>, tensor<2x16x8xf32>, tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
    "func.return"(%418) : (tensor<2x4x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x8xf32>, tensor<2x8x16xf32>, i32, i32, tensor<2x4x16xf32>) -> tensor<2x4x16xf32>, sym_name = "quantized_batch_matmul_1"}> ({
  ^bb0(%arg730: tensor<2x4x8xf32>, %arg731: tensor<2x8x16xf32>, %arg732: i32, %arg733: i32, %arg734: tensor<2x4x16xf32>):
    %411 = "linalg.quantized_batch_matmul"(%arg730, %arg731, %arg732, %arg733, %arg734) <{operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg735: f32, %arg736: f32, %arg737: i32, %arg738: i32, %arg739: f32):
      %412 = "arith.sitofp"(%arg737) : (i32) -> f32
      %413 = "arith.subf"(%arg735, %412) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %414 = "arith.sitofp"(%arg738) : (i32) -> f32
      %415 = "arith.subf"(%arg736, %414) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %416 = "arith.mulf"(%413, %415) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %417 = "arith.addf"(%arg739, %416) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%417) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map6, #map7, #map11, #map11, #map8]} : (tensor<2x4x8xf32>, tensor<2x8x16xf32>, i32, i32, tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
    "func.return"(%411) : (tensor<2x4x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x8xi8>, tensor<2x8x16xi8>, i32, i32, tensor<2x4x16xi32>) -> tensor<2x4x16xi32>, sym_name = "quantized_batch_matmul_2"}> ({
  ^bb0(%arg720: tensor<2x4x8xi8>, %arg721: tensor<2x8x16xi8>, %arg722: i32, %arg723: i32, %arg724: tensor<2x4x16xi32>):
    %404 = "linalg.quantized_batch_matmul"(%arg720, %arg721, %arg722, %arg723, %arg724) <{operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg725: i8, %arg726: i8, %arg727: i32, %arg728: i32, %arg729: i32):
      %405 = "arith.extsi"(%arg725) : (i8) -> i32
      %406 = "arith.subi"(%405, %arg727) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %407 = "arith.extsi"(%arg726) : (i8) -> i32
      %408 = "arith.subi"(%407, %arg728) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %409 = "arith.muli"(%406, %408) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %410 = "arith.addi"(%arg729, %409) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%410) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map6, #map7, #map11, #map11, #map8]} : (tensor<2x4x8xi8>, tensor<2x8x16xi8>, i32, i32, tensor<2x4x16xi32>) -> tensor<2x4x16xi32>
    "func.return"(%404) : (tensor<2x4x16xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x8xf32>, tensor<2x8x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>, sym_name = "batch_reduce_matmul_1"}> ({
  ^bb0(%arg714: tensor<2x4x8xf32>, %arg715: tensor<2x8x16xf32>, %arg716: tensor<4x16xf32>):
    %401 = "linalg.batch_reduce_matmul"(%arg714, %arg715, %arg716) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg717: f32, %arg718: f32, %arg719: f32):
      %402 = "arith.mulf"(%arg717, %arg718) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %403 = "arith.addf"(%arg719, %402) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%403) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map6, #map7, #map12]} : (tensor<2x4x8xf32>, tensor<2x8x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    "func.return"(%401) : (tensor<4x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x8xi1>, tensor<2x8x16xi1>, tensor<4x16xi1>) -> tensor<4x16xi1>, sym_name = "batch_reduce_matmul_2"}> ({
  ^bb0(%arg708: tensor<2x4x8xi1>, %arg709: tensor<2x8x16xi1>, %arg710: tensor<4x16xi1>):
    %398 = "linalg.batch_reduce_matmul"(%arg708, %arg709, %arg710) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg711: i1, %arg712: i1, %arg713: i1):
      %399 = "arith.andi"(%arg711, %arg712) : (i1, i1) -> i1
      %400 = "arith.ori"(%arg713, %399) : (i1, i1) -> i1
      "linalg.yield"(%400) : (i1) -> ()
    }) {linalg.memoized_indexing_maps = [#map6, #map7, #map12]} : (tensor<2x4x8xi1>, tensor<2x8x16xi1>, tensor<4x16xi1>) -> tensor<4x16xi1>
    "func.return"(%398) : (tensor<4x16xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>) -> tensor<4xf32>, sym_name = "matvec_1"}> ({
  ^bb0(%arg702: tensor<4x8xf32>, %arg703: tensor<8xf32>, %arg704: tensor<4xf32>):
    %395 = "linalg.matvec"(%arg702, %arg703, %arg704) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg705: f32, %arg706: f32, %arg707: f32):
      %396 = "arith.mulf"(%arg705, %arg706) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %397 = "arith.addf"(%arg707, %396) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%397) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map13, #map14, #map15]} : (tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>) -> tensor<4xf32>
    "func.return"(%395) : (tensor<4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi8>, tensor<8xi8>, tensor<4xi32>) -> tensor<4xi32>, sym_name = "matvec_2"}> ({
  ^bb0(%arg696: tensor<4x8xi8>, %arg697: tensor<8xi8>, %arg698: tensor<4xi32>):
    %390 = "linalg.matvec"(%arg696, %arg697, %arg698) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg699: i8, %arg700: i8, %arg701: i32):
      %391 = "arith.extsi"(%arg699) : (i8) -> i32
      %392 = "arith.extsi"(%arg700) : (i8) -> i32
      %393 = "arith.muli"(%391, %392) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %394 = "arith.addi"(%arg701, %393) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%394) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map13, #map14, #map15]} : (tensor<4x8xi8>, tensor<8xi8>, tensor<4xi32>) -> tensor<4xi32>
    "func.return"(%390) : (tensor<4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xf32>, tensor<8x4xf32>, tensor<4xf32>) -> tensor<4xf32>, sym_name = "vecmat_1"}> ({
  ^bb0(%arg690: tensor<8xf32>, %arg691: tensor<8x4xf32>, %arg692: tensor<4xf32>):
    %387 = "linalg.vecmat"(%arg690, %arg691, %arg692) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg693: f32, %arg694: f32, %arg695: f32):
      %388 = "arith.mulf"(%arg693, %arg694) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %389 = "arith.addf"(%arg695, %388) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%389) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map14, #map16, #map15]} : (tensor<8xf32>, tensor<8x4xf32>, tensor<4xf32>) -> tensor<4xf32>
    "func.return"(%387) : (tensor<4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x8xf32>, tensor<2x8xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>, sym_name = "batch_matvec_1"}> ({
  ^bb0(%arg684: tensor<2x4x8xf32>, %arg685: tensor<2x8xf32>, %arg686: tensor<2x4xf32>):
    %384 = "linalg.batch_matvec"(%arg684, %arg685, %arg686) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg687: f32, %arg688: f32, %arg689: f32):
      %385 = "arith.mulf"(%arg687, %arg688) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %386 = "arith.addf"(%arg689, %385) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%386) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map17, #map, #map2]} : (tensor<2x4x8xf32>, tensor<2x8xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    "func.return"(%384) : (tensor<2x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x8xi8>, tensor<2x8xi8>, tensor<2x4xi32>) -> tensor<2x4xi32>, sym_name = "batch_matvec_2"}> ({
  ^bb0(%arg678: tensor<2x4x8xi8>, %arg679: tensor<2x8xi8>, %arg680: tensor<2x4xi32>):
    %379 = "linalg.batch_matvec"(%arg678, %arg679, %arg680) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg681: i8, %arg682: i8, %arg683: i32):
      %380 = "arith.extsi"(%arg681) : (i8) -> i32
      %381 = "arith.extsi"(%arg682) : (i8) -> i32
      %382 = "arith.muli"(%380, %381) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %383 = "arith.addi"(%arg683, %382) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%383) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map17, #map, #map2]} : (tensor<2x4x8xi8>, tensor<2x8xi8>, tensor<2x4xi32>) -> tensor<2x4xi32>
    "func.return"(%379) : (tensor<2x4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x8xf32>, tensor<2x8x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>, sym_name = "batch_vecmat_1"}> ({
  ^bb0(%arg672: tensor<2x8xf32>, %arg673: tensor<2x8x4xf32>, %arg674: tensor<2x4xf32>):
    %376 = "linalg.batch_vecmat"(%arg672, %arg673, %arg674) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg675: f32, %arg676: f32, %arg677: f32):
      %377 = "arith.mulf"(%arg675, %arg676) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %378 = "arith.addf"(%arg677, %377) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%378) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map18, #map2]} : (tensor<2x8xf32>, tensor<2x8x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    "func.return"(%376) : (tensor<2x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3x4x8xf32>, tensor<5x3x6x8xf32>, tensor<2x5x4x6xf32>) -> tensor<2x5x4x6xf32>, sym_name = "mmt4d_1"}> ({
  ^bb0(%arg666: tensor<2x3x4x8xf32>, %arg667: tensor<5x3x6x8xf32>, %arg668: tensor<2x5x4x6xf32>):
    %373 = "linalg.mmt4d"(%arg666, %arg667, %arg668) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg669: f32, %arg670: f32, %arg671: f32):
      %374 = "arith.mulf"(%arg669, %arg670) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %375 = "arith.addf"(%arg671, %374) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%375) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map19, #map20, #map21]} : (tensor<2x3x4x8xf32>, tensor<5x3x6x8xf32>, tensor<2x5x4x6xf32>) -> tensor<2x5x4x6xf32>
    "func.return"(%373) : (tensor<2x5x4x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<7x2x3x4x8xf32>, tensor<7x5x3x6x8xf32>, tensor<7x2x5x4x6xf32>) -> tensor<7x2x5x4x6xf32>, sym_name = "batch_mmt4d_1"}> ({
  ^bb0(%arg660: tensor<7x2x3x4x8xf32>, %arg661: tensor<7x5x3x6x8xf32>, %arg662: tensor<7x2x5x4x6xf32>):
    %370 = "linalg.batch_mmt4d"(%arg660, %arg661, %arg662) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg663: f32, %arg664: f32, %arg665: f32):
      %371 = "arith.mulf"(%arg663, %arg664) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %372 = "arith.addf"(%arg665, %371) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%372) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map22, #map23, #map24]} : (tensor<7x2x3x4x8xf32>, tensor<7x5x3x6x8xf32>, tensor<7x2x5x4x6xf32>) -> tensor<7x2x5x4x6xf32>
    "func.return"(%370) : (tensor<7x2x5x4x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xf32>, tensor<8xf32>, tensor<f32>) -> tensor<f32>, sym_name = "dot_1"}> ({
  ^bb0(%arg654: tensor<8xf32>, %arg655: tensor<8xf32>, %arg656: tensor<f32>):
    %367 = "linalg.dot"(%arg654, %arg655, %arg656) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg657: f32, %arg658: f32, %arg659: f32):
      %368 = "arith.mulf"(%arg657, %arg658) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %369 = "arith.addf"(%arg659, %368) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%369) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map25, #map25, #map26]} : (tensor<8xf32>, tensor<8xf32>, tensor<f32>) -> tensor<f32>
    "func.return"(%367) : (tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xi8>, tensor<8xi8>, tensor<i32>) -> tensor<i32>, sym_name = "dot_2"}> ({
  ^bb0(%arg648: tensor<8xi8>, %arg649: tensor<8xi8>, %arg650: tensor<i32>):
    %362 = "linalg.dot"(%arg648, %arg649, %arg650) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg651: i8, %arg652: i8, %arg653: i32):
      %363 = "arith.extsi"(%arg651) : (i8) -> i32
      %364 = "arith.extsi"(%arg652) : (i8) -> i32
      %365 = "arith.muli"(%363, %364) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %366 = "arith.addi"(%arg653, %365) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%366) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map25, #map25, #map26]} : (tensor<8xi8>, tensor<8xi8>, tensor<i32>) -> tensor<i32>
    "func.return"(%362) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xf16>, tensor<8xf16>, tensor<f32>) -> tensor<f32>, sym_name = "dot_3"}> ({
  ^bb0(%arg642: tensor<8xf16>, %arg643: tensor<8xf16>, %arg644: tensor<f32>):
    %357 = "linalg.dot"(%arg642, %arg643, %arg644) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg645: f16, %arg646: f16, %arg647: f32):
      %358 = "arith.extf"(%arg645) : (f16) -> f32
      %359 = "arith.extf"(%arg646) : (f16) -> f32
      %360 = "arith.mulf"(%358, %359) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %361 = "arith.addf"(%arg647, %360) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%361) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map25, #map25, #map26]} : (tensor<8xf16>, tensor<8xf16>, tensor<f32>) -> tensor<f32>
    "func.return"(%357) : (tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xi1>, tensor<8xi1>, tensor<i1>) -> tensor<i1>, sym_name = "dot_4"}> ({
  ^bb0(%arg636: tensor<8xi1>, %arg637: tensor<8xi1>, %arg638: tensor<i1>):
    %354 = "linalg.dot"(%arg636, %arg637, %arg638) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg639: i1, %arg640: i1, %arg641: i1):
      %355 = "arith.andi"(%arg639, %arg640) : (i1, i1) -> i1
      %356 = "arith.ori"(%arg641, %355) : (i1, i1) -> i1
      "linalg.yield"(%356) : (i1) -> ()
    }) {linalg.memoized_indexing_maps = [#map25, #map25, #map26]} : (tensor<8xi1>, tensor<8xi1>, tensor<i1>) -> tensor<i1>
    "func.return"(%354) : (tensor<i1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>, sym_name = "dot_5"}> ({
  ^bb0(%arg630: tensor<8xcomplex<f32>>, %arg631: tensor<8xcomplex<f32>>, %arg632: tensor<complex<f32>>):
    %351 = "linalg.dot"(%arg630, %arg631, %arg632) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg633: complex<f32>, %arg634: complex<f32>, %arg635: complex<f32>):
      %352 = "complex.mul"(%arg633, %arg634) <{fastmath = #arith.fastmath<none>}> : (complex<f32>, complex<f32>) -> complex<f32>
      %353 = "complex.add"(%arg635, %352) <{fastmath = #arith.fastmath<none>}> : (complex<f32>, complex<f32>) -> complex<f32>
      "linalg.yield"(%353) : (complex<f32>) -> ()
    }) {linalg.memoized_indexing_maps = [#map25, #map25, #map26]} : (tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
    "func.return"(%351) : (tensor<complex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xf32>, tensor<8xf32>, tensor<i32>) -> tensor<i32>, sym_name = "dot_6"}> ({
  ^bb0(%arg624: tensor<8xf32>, %arg625: tensor<8xf32>, %arg626: tensor<i32>):
    %346 = "linalg.dot"(%arg624, %arg625, %arg626) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg627: f32, %arg628: f32, %arg629: i32):
      %347 = "arith.fptosi"(%arg627) : (f32) -> i32
      %348 = "arith.fptosi"(%arg628) : (f32) -> i32
      %349 = "arith.muli"(%347, %348) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %350 = "arith.addi"(%arg629, %349) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%350) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map25, #map25, #map26]} : (tensor<8xf32>, tensor<8xf32>, tensor<i32>) -> tensor<i32>
    "func.return"(%346) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xi32>, tensor<8xi32>, tensor<i32>) -> tensor<i32>, sym_name = "dot_7"}> ({
  ^bb0(%arg618: tensor<8xi32>, %arg619: tensor<8xi32>, %arg620: tensor<i32>):
    %343 = "linalg.dot"(%arg618, %arg619, %arg620) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg621: i32, %arg622: i32, %arg623: i32):
      %344 = "arith.muli"(%arg621, %arg622) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %345 = "arith.addi"(%arg623, %344) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%345) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map25, #map25, #map26]} : (tensor<8xi32>, tensor<8xi32>, tensor<i32>) -> tensor<i32>
    "func.return"(%343) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xindex>, tensor<8xindex>, tensor<i32>) -> tensor<i32>, sym_name = "dot_8"}> ({
  ^bb0(%arg612: tensor<8xindex>, %arg613: tensor<8xindex>, %arg614: tensor<i32>):
    %338 = "linalg.dot"(%arg612, %arg613, %arg614) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg615: index, %arg616: index, %arg617: i32):
      %339 = "arith.index_cast"(%arg615) : (index) -> i32
      %340 = "arith.index_cast"(%arg616) : (index) -> i32
      %341 = "arith.muli"(%339, %340) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %342 = "arith.addi"(%arg617, %341) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%342) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map25, #map25, #map26]} : (tensor<8xindex>, tensor<8xindex>, tensor<i32>) -> tensor<i32>
    "func.return"(%338) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xf32>, tensor<8xf32>, tensor<f16>) -> tensor<f16>, sym_name = "dot_9"}> ({
  ^bb0(%arg606: tensor<8xf32>, %arg607: tensor<8xf32>, %arg608: tensor<f16>):
    %333 = "linalg.dot"(%arg606, %arg607, %arg608) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg609: f32, %arg610: f32, %arg611: f16):
      %334 = "arith.truncf"(%arg609) : (f32) -> f16
      %335 = "arith.truncf"(%arg610) : (f32) -> f16
      %336 = "arith.mulf"(%334, %335) <{fastmath = #arith.fastmath<none>}> : (f16, f16) -> f16
      %337 = "arith.addf"(%arg611, %336) <{fastmath = #arith.fastmath<none>}> : (f16, f16) -> f16
      "linalg.yield"(%337) : (f16) -> ()
    }) {linalg.memoized_indexing_maps = [#map25, #map25, #map26]} : (tensor<8xf32>, tensor<8xf32>, tensor<f16>) -> tensor<f16>
    "func.return"(%333) : (tensor<f16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<10xf32>, tensor<3xf32>, tensor<8xf32>) -> tensor<8xf32>, sym_name = "conv_1d_1"}> ({
  ^bb0(%arg600: tensor<10xf32>, %arg601: tensor<3xf32>, %arg602: tensor<8xf32>):
    %330 = "linalg.conv_1d"(%arg600, %arg601, %arg602) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg603: f32, %arg604: f32, %arg605: f32):
      %331 = "arith.mulf"(%arg603, %arg604) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %332 = "arith.addf"(%arg605, %331) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%332) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map27, #map14, #map15]} : (tensor<10xf32>, tensor<3xf32>, tensor<8xf32>) -> tensor<8xf32>
    "func.return"(%330) : (tensor<8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<10x10xf32>, tensor<3x3xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>, sym_name = "conv_2d_1"}> ({
  ^bb0(%arg594: tensor<10x10xf32>, %arg595: tensor<3x3xf32>, %arg596: tensor<8x8xf32>):
    %327 = "linalg.conv_2d"(%arg594, %arg595, %arg596) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg597: f32, %arg598: f32, %arg599: f32):
      %328 = "arith.mulf"(%arg597, %arg598) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %329 = "arith.addf"(%arg599, %328) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%329) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map28, #map29, #map30]} : (tensor<10x10xf32>, tensor<3x3xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    "func.return"(%327) : (tensor<8x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<10x10xi8>, tensor<3x3xi8>, tensor<8x8xi32>) -> tensor<8x8xi32>, sym_name = "conv_2d_2"}> ({
  ^bb0(%arg588: tensor<10x10xi8>, %arg589: tensor<3x3xi8>, %arg590: tensor<8x8xi32>):
    %322 = "linalg.conv_2d"(%arg588, %arg589, %arg590) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg591: i8, %arg592: i8, %arg593: i32):
      %323 = "arith.extsi"(%arg591) : (i8) -> i32
      %324 = "arith.extsi"(%arg592) : (i8) -> i32
      %325 = "arith.muli"(%323, %324) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %326 = "arith.addi"(%arg593, %325) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%326) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map28, #map29, #map30]} : (tensor<10x10xi8>, tensor<3x3xi8>, tensor<8x8xi32>) -> tensor<8x8xi32>
    "func.return"(%322) : (tensor<8x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<10x10x10xf32>, tensor<3x3x3xf32>, tensor<8x8x8xf32>) -> tensor<8x8x8xf32>, sym_name = "conv_3d_1"}> ({
  ^bb0(%arg582: tensor<10x10x10xf32>, %arg583: tensor<3x3x3xf32>, %arg584: tensor<8x8x8xf32>):
    %319 = "linalg.conv_3d"(%arg582, %arg583, %arg584) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg585: f32, %arg586: f32, %arg587: f32):
      %320 = "arith.mulf"(%arg585, %arg586) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %321 = "arith.addf"(%arg587, %320) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%321) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map31, #map32, #map33]} : (tensor<10x10x10xf32>, tensor<3x3x3xf32>, tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
    "func.return"(%319) : (tensor<8x8x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x4xf32>, tensor<3x4x5xf32>, tensor<2x8x5xf32>) -> tensor<2x8x5xf32>, sym_name = "conv_1d_nwc_wcf_1"}> ({
  ^bb0(%arg576: tensor<2x10x4xf32>, %arg577: tensor<3x4x5xf32>, %arg578: tensor<2x8x5xf32>):
    %316 = "linalg.conv_1d_nwc_wcf"(%arg576, %arg577, %arg578) <{dilations = dense<1> : tensor<1xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<1xi64>}> ({
    ^bb0(%arg579: f32, %arg580: f32, %arg581: f32):
      %317 = "arith.mulf"(%arg579, %arg580) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %318 = "arith.addf"(%arg581, %317) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%318) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map34, #map35, #map36]} : (tensor<2x10x4xf32>, tensor<3x4x5xf32>, tensor<2x8x5xf32>) -> tensor<2x8x5xf32>
    "func.return"(%316) : (tensor<2x8x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x10xf32>, tensor<5x4x3xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>, sym_name = "conv_1d_ncw_fcw_1"}> ({
  ^bb0(%arg570: tensor<2x4x10xf32>, %arg571: tensor<5x4x3xf32>, %arg572: tensor<2x5x8xf32>):
    %313 = "linalg.conv_1d_ncw_fcw"(%arg570, %arg571, %arg572) <{dilations = dense<1> : tensor<1xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<1xi64>}> ({
    ^bb0(%arg573: f32, %arg574: f32, %arg575: f32):
      %314 = "arith.mulf"(%arg573, %arg574) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %315 = "arith.addf"(%arg575, %314) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%315) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map37, #map38, #map36]} : (tensor<2x4x10xf32>, tensor<5x4x3xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    "func.return"(%313) : (tensor<2x5x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xf32>, tensor<3x3x4x5xf32>, tensor<2x8x8x5xf32>) -> tensor<2x8x8x5xf32>, sym_name = "conv_2d_nhwc_hwcf_1"}> ({
  ^bb0(%arg564: tensor<2x10x10x4xf32>, %arg565: tensor<3x3x4x5xf32>, %arg566: tensor<2x8x8x5xf32>):
    %310 = "linalg.conv_2d_nhwc_hwcf"(%arg564, %arg565, %arg566) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg567: f32, %arg568: f32, %arg569: f32):
      %311 = "arith.mulf"(%arg567, %arg568) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %312 = "arith.addf"(%arg569, %311) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%312) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map39, #map40, #map41]} : (tensor<2x10x10x4xf32>, tensor<3x3x4x5xf32>, tensor<2x8x8x5xf32>) -> tensor<2x8x8x5xf32>
    "func.return"(%310) : (tensor<2x8x8x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xi8>, tensor<3x3x4x5xi8>, tensor<2x8x8x5xi32>) -> tensor<2x8x8x5xi32>, sym_name = "conv_2d_nhwc_hwcf_2"}> ({
  ^bb0(%arg558: tensor<2x10x10x4xi8>, %arg559: tensor<3x3x4x5xi8>, %arg560: tensor<2x8x8x5xi32>):
    %305 = "linalg.conv_2d_nhwc_hwcf"(%arg558, %arg559, %arg560) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg561: i8, %arg562: i8, %arg563: i32):
      %306 = "arith.extsi"(%arg561) : (i8) -> i32
      %307 = "arith.extsi"(%arg562) : (i8) -> i32
      %308 = "arith.muli"(%306, %307) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %309 = "arith.addi"(%arg563, %308) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%309) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map39, #map40, #map41]} : (tensor<2x10x10x4xi8>, tensor<3x3x4x5xi8>, tensor<2x8x8x5xi32>) -> tensor<2x8x8x5xi32>
    "func.return"(%305) : (tensor<2x8x8x5xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xf32>, tensor<5x3x3x4xf32>, tensor<2x8x8x5xf32>) -> tensor<2x8x8x5xf32>, sym_name = "conv_2d_nhwc_fhwc_1"}> ({
  ^bb0(%arg552: tensor<2x10x10x4xf32>, %arg553: tensor<5x3x3x4xf32>, %arg554: tensor<2x8x8x5xf32>):
    %302 = "linalg.conv_2d_nhwc_fhwc"(%arg552, %arg553, %arg554) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg555: f32, %arg556: f32, %arg557: f32):
      %303 = "arith.mulf"(%arg555, %arg556) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %304 = "arith.addf"(%arg557, %303) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%304) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map39, #map42, #map41]} : (tensor<2x10x10x4xf32>, tensor<5x3x3x4xf32>, tensor<2x8x8x5xf32>) -> tensor<2x8x8x5xf32>
    "func.return"(%302) : (tensor<2x8x8x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xf32>, tensor<3x3x4x5xf32>, i32, i32, tensor<2x8x8x5xf32>) -> tensor<2x8x8x5xf32>, sym_name = "conv_2d_nhwc_hwcf_q_1"}> ({
  ^bb0(%arg542: tensor<2x10x10x4xf32>, %arg543: tensor<3x3x4x5xf32>, %arg544: i32, %arg545: i32, %arg546: tensor<2x8x8x5xf32>):
    %295 = "linalg.conv_2d_nhwc_hwcf_q"(%arg542, %arg543, %arg544, %arg545, %arg546) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 4, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg547: f32, %arg548: f32, %arg549: i32, %arg550: i32, %arg551: f32):
      %296 = "arith.sitofp"(%arg549) : (i32) -> f32
      %297 = "arith.subf"(%arg547, %296) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %298 = "arith.sitofp"(%arg550) : (i32) -> f32
      %299 = "arith.subf"(%arg548, %298) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %300 = "arith.mulf"(%297, %299) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %301 = "arith.addf"(%arg551, %300) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%301) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map39, #map40, #map43, #map43, #map41]} : (tensor<2x10x10x4xf32>, tensor<3x3x4x5xf32>, i32, i32, tensor<2x8x8x5xf32>) -> tensor<2x8x8x5xf32>
    "func.return"(%295) : (tensor<2x8x8x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xi8>, tensor<3x3x4x5xi8>, i32, i32, tensor<2x8x8x5xi32>) -> tensor<2x8x8x5xi32>, sym_name = "conv_2d_nhwc_hwcf_q_2"}> ({
  ^bb0(%arg532: tensor<2x10x10x4xi8>, %arg533: tensor<3x3x4x5xi8>, %arg534: i32, %arg535: i32, %arg536: tensor<2x8x8x5xi32>):
    %288 = "linalg.conv_2d_nhwc_hwcf_q"(%arg532, %arg533, %arg534, %arg535, %arg536) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 4, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg537: i8, %arg538: i8, %arg539: i32, %arg540: i32, %arg541: i32):
      %289 = "arith.extsi"(%arg537) : (i8) -> i32
      %290 = "arith.subi"(%289, %arg539) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %291 = "arith.extsi"(%arg538) : (i8) -> i32
      %292 = "arith.subi"(%291, %arg540) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %293 = "arith.muli"(%290, %292) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %294 = "arith.addi"(%arg541, %293) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%294) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map39, #map40, #map43, #map43, #map41]} : (tensor<2x10x10x4xi8>, tensor<3x3x4x5xi8>, i32, i32, tensor<2x8x8x5xi32>) -> tensor<2x8x8x5xi32>
    "func.return"(%288) : (tensor<2x8x8x5xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xf16>, tensor<3x3x4x5xf16>, i32, i32, tensor<2x8x8x5xf32>) -> tensor<2x8x8x5xf32>, sym_name = "conv_2d_nhwc_hwcf_q_3"}> ({
  ^bb0(%arg522: tensor<2x10x10x4xf16>, %arg523: tensor<3x3x4x5xf16>, %arg524: i32, %arg525: i32, %arg526: tensor<2x8x8x5xf32>):
    %279 = "linalg.conv_2d_nhwc_hwcf_q"(%arg522, %arg523, %arg524, %arg525, %arg526) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 4, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg527: f16, %arg528: f16, %arg529: i32, %arg530: i32, %arg531: f32):
      %280 = "arith.extf"(%arg527) : (f16) -> f32
      %281 = "arith.sitofp"(%arg529) : (i32) -> f32
      %282 = "arith.subf"(%280, %281) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %283 = "arith.extf"(%arg528) : (f16) -> f32
      %284 = "arith.sitofp"(%arg530) : (i32) -> f32
      %285 = "arith.subf"(%283, %284) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %286 = "arith.mulf"(%282, %285) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %287 = "arith.addf"(%arg531, %286) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%287) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map39, #map40, #map43, #map43, #map41]} : (tensor<2x10x10x4xf16>, tensor<3x3x4x5xf16>, i32, i32, tensor<2x8x8x5xf32>) -> tensor<2x8x8x5xf32>
    "func.return"(%279) : (tensor<2x8x8x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xi1>, tensor<3x3x4x5xi1>, i32, i32, tensor<2x8x8x5xi1>) -> tensor<2x8x8x5xi1>, sym_name = "conv_2d_nhwc_hwcf_q_4"}> ({
  ^bb0(%arg512: tensor<2x10x10x4xi1>, %arg513: tensor<3x3x4x5xi1>, %arg514: i32, %arg515: i32, %arg516: tensor<2x8x8x5xi1>):
    %272 = "linalg.conv_2d_nhwc_hwcf_q"(%arg512, %arg513, %arg514, %arg515, %arg516) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 4, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg517: i1, %arg518: i1, %arg519: i32, %arg520: i32, %arg521: i1):
      %273 = "arith.trunci"(%arg519) : (i32) -> i1
      %274 = "arith.subi"(%arg517, %273) <{overflowFlags = #arith.overflow<none>}> : (i1, i1) -> i1
      %275 = "arith.trunci"(%arg520) : (i32) -> i1
      %276 = "arith.subi"(%arg518, %275) <{overflowFlags = #arith.overflow<none>}> : (i1, i1) -> i1
      %277 = "arith.andi"(%274, %276) : (i1, i1) -> i1
      %278 = "arith.ori"(%arg521, %277) : (i1, i1) -> i1
      "linalg.yield"(%278) : (i1) -> ()
    }) {linalg.memoized_indexing_maps = [#map39, #map40, #map43, #map43, #map41]} : (tensor<2x10x10x4xi1>, tensor<3x3x4x5xi1>, i32, i32, tensor<2x8x8x5xi1>) -> tensor<2x8x8x5xi1>
    "func.return"(%272) : (tensor<2x8x8x5xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xf32>, tensor<5x3x3x4xf32>, i32, i32, tensor<2x8x8x5xf32>) -> tensor<2x8x8x5xf32>, sym_name = "conv_2d_nhwc_fhwc_q_1"}> ({
  ^bb0(%arg502: tensor<2x10x10x4xf32>, %arg503: tensor<5x3x3x4xf32>, %arg504: i32, %arg505: i32, %arg506: tensor<2x8x8x5xf32>):
    %265 = "linalg.conv_2d_nhwc_fhwc_q"(%arg502, %arg503, %arg504, %arg505, %arg506) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 4, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg507: f32, %arg508: f32, %arg509: i32, %arg510: i32, %arg511: f32):
      %266 = "arith.sitofp"(%arg509) : (i32) -> f32
      %267 = "arith.subf"(%arg507, %266) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %268 = "arith.sitofp"(%arg510) : (i32) -> f32
      %269 = "arith.subf"(%arg508, %268) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %270 = "arith.mulf"(%267, %269) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %271 = "arith.addf"(%arg511, %270) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%271) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map39, #map42, #map43, #map43, #map41]} : (tensor<2x10x10x4xf32>, tensor<5x3x3x4xf32>, i32, i32, tensor<2x8x8x5xf32>) -> tensor<2x8x8x5xf32>
    "func.return"(%265) : (tensor<2x8x8x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xi8>, tensor<5x3x3x4xi8>, i32, i32, tensor<2x8x8x5xi32>) -> tensor<2x8x8x5xi32>, sym_name = "conv_2d_nhwc_fhwc_q_2"}> ({
  ^bb0(%arg492: tensor<2x10x10x4xi8>, %arg493: tensor<5x3x3x4xi8>, %arg494: i32, %arg495: i32, %arg496: tensor<2x8x8x5xi32>):
    %258 = "linalg.conv_2d_nhwc_fhwc_q"(%arg492, %arg493, %arg494, %arg495, %arg496) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 4, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg497: i8, %arg498: i8, %arg499: i32, %arg500: i32, %arg501: i32):
      %259 = "arith.extsi"(%arg497) : (i8) -> i32
      %260 = "arith.subi"(%259, %arg499) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %261 = "arith.extsi"(%arg498) : (i8) -> i32
      %262 = "arith.subi"(%261, %arg500) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %263 = "arith.muli"(%260, %262) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %264 = "arith.addi"(%arg501, %263) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%264) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map39, #map42, #map43, #map43, #map41]} : (tensor<2x10x10x4xi8>, tensor<5x3x3x4xi8>, i32, i32, tensor<2x8x8x5xi32>) -> tensor<2x8x8x5xi32>
    "func.return"(%258) : (tensor<2x8x8x5xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x10x10xf32>, tensor<5x4x3x3xf32>, tensor<2x5x8x8xf32>) -> tensor<2x5x8x8xf32>, sym_name = "conv_2d_nchw_fchw_1"}> ({
  ^bb0(%arg486: tensor<2x4x10x10xf32>, %arg487: tensor<5x4x3x3xf32>, %arg488: tensor<2x5x8x8xf32>):
    %255 = "linalg.conv_2d_nchw_fchw"(%arg486, %arg487, %arg488) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg489: f32, %arg490: f32, %arg491: f32):
      %256 = "arith.mulf"(%arg489, %arg490) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %257 = "arith.addf"(%arg491, %256) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%257) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map44, #map45, #map41]} : (tensor<2x4x10x10xf32>, tensor<5x4x3x3xf32>, tensor<2x5x8x8xf32>) -> tensor<2x5x8x8xf32>
    "func.return"(%255) : (tensor<2x5x8x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x10x10xi8>, tensor<5x4x3x3xi8>, tensor<2x5x8x8xi32>) -> tensor<2x5x8x8xi32>, sym_name = "conv_2d_nchw_fchw_2"}> ({
  ^bb0(%arg480: tensor<2x4x10x10xi8>, %arg481: tensor<5x4x3x3xi8>, %arg482: tensor<2x5x8x8xi32>):
    %250 = "linalg.conv_2d_nchw_fchw"(%arg480, %arg481, %arg482) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg483: i8, %arg484: i8, %arg485: i32):
      %251 = "arith.extsi"(%arg483) : (i8) -> i32
      %252 = "arith.extsi"(%arg484) : (i8) -> i32
      %253 = "arith.muli"(%251, %252) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %254 = "arith.addi"(%arg485, %253) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%254) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map44, #map45, #map41]} : (tensor<2x4x10x10xi8>, tensor<5x4x3x3xi8>, tensor<2x5x8x8xi32>) -> tensor<2x5x8x8xi32>
    "func.return"(%250) : (tensor<2x5x8x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x6x4x10x10xf32>, tensor<5x6x4x3x3xf32>, tensor<2x6x5x8x8xf32>) -> tensor<2x6x5x8x8xf32>, sym_name = "conv_2d_ngchw_fgchw_1"}> ({
  ^bb0(%arg474: tensor<2x6x4x10x10xf32>, %arg475: tensor<5x6x4x3x3xf32>, %arg476: tensor<2x6x5x8x8xf32>):
    %247 = "linalg.conv_2d_ngchw_fgchw"(%arg474, %arg475, %arg476) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg477: f32, %arg478: f32, %arg479: f32):
      %248 = "arith.mulf"(%arg477, %arg478) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %249 = "arith.addf"(%arg479, %248) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%249) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map46, #map47, #map48]} : (tensor<2x6x4x10x10xf32>, tensor<5x6x4x3x3xf32>, tensor<2x6x5x8x8xf32>) -> tensor<2x6x5x8x8xf32>
    "func.return"(%247) : (tensor<2x6x5x8x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x6x4x10x10xf32>, tensor<6x5x4x3x3xf32>, tensor<2x6x5x8x8xf32>) -> tensor<2x6x5x8x8xf32>, sym_name = "conv_2d_ngchw_gfchw_1"}> ({
  ^bb0(%arg468: tensor<2x6x4x10x10xf32>, %arg469: tensor<6x5x4x3x3xf32>, %arg470: tensor<2x6x5x8x8xf32>):
    %244 = "linalg.conv_2d_ngchw_gfchw"(%arg468, %arg469, %arg470) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg471: f32, %arg472: f32, %arg473: f32):
      %245 = "arith.mulf"(%arg471, %arg472) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %246 = "arith.addf"(%arg473, %245) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%246) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map46, #map49, #map48]} : (tensor<2x6x4x10x10xf32>, tensor<6x5x4x3x3xf32>, tensor<2x6x5x8x8xf32>) -> tensor<2x6x5x8x8xf32>
    "func.return"(%244) : (tensor<2x6x5x8x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x6x4x10x10xf32>, tensor<6x5x4x3x3xf32>, i32, i32, tensor<2x6x5x8x8xf32>) -> tensor<2x6x5x8x8xf32>, sym_name = "conv_2d_ngchw_gfchw_q_1"}> ({
  ^bb0(%arg458: tensor<2x6x4x10x10xf32>, %arg459: tensor<6x5x4x3x3xf32>, %arg460: i32, %arg461: i32, %arg462: tensor<2x6x5x8x8xf32>):
    %237 = "linalg.conv_2d_ngchw_gfchw_q"(%arg458, %arg459, %arg460, %arg461, %arg462) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 4, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg463: f32, %arg464: f32, %arg465: i32, %arg466: i32, %arg467: f32):
      %238 = "arith.sitofp"(%arg465) : (i32) -> f32
      %239 = "arith.subf"(%arg463, %238) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %240 = "arith.sitofp"(%arg466) : (i32) -> f32
      %241 = "arith.subf"(%arg464, %240) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %242 = "arith.mulf"(%239, %241) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %243 = "arith.addf"(%arg467, %242) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%243) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map46, #map49, #map50, #map50, #map48]} : (tensor<2x6x4x10x10xf32>, tensor<6x5x4x3x3xf32>, i32, i32, tensor<2x6x5x8x8xf32>) -> tensor<2x6x5x8x8xf32>
    "func.return"(%237) : (tensor<2x6x5x8x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x6x4x10x10xi8>, tensor<6x5x4x3x3xi8>, i32, i32, tensor<2x6x5x8x8xi32>) -> tensor<2x6x5x8x8xi32>, sym_name = "conv_2d_ngchw_gfchw_q_2"}> ({
  ^bb0(%arg448: tensor<2x6x4x10x10xi8>, %arg449: tensor<6x5x4x3x3xi8>, %arg450: i32, %arg451: i32, %arg452: tensor<2x6x5x8x8xi32>):
    %230 = "linalg.conv_2d_ngchw_gfchw_q"(%arg448, %arg449, %arg450, %arg451, %arg452) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 4, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg453: i8, %arg454: i8, %arg455: i32, %arg456: i32, %arg457: i32):
      %231 = "arith.extsi"(%arg453) : (i8) -> i32
      %232 = "arith.subi"(%231, %arg455) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %233 = "arith.extsi"(%arg454) : (i8) -> i32
      %234 = "arith.subi"(%233, %arg456) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %235 = "arith.muli"(%232, %234) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %236 = "arith.addi"(%arg457, %235) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%236) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map46, #map49, #map50, #map50, #map48]} : (tensor<2x6x4x10x10xi8>, tensor<6x5x4x3x3xi8>, i32, i32, tensor<2x6x5x8x8xi32>) -> tensor<2x6x5x8x8xi32>
    "func.return"(%230) : (tensor<2x6x5x8x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x10x4xf32>, tensor<3x3x3x4x5xf32>, tensor<2x8x8x8x5xf32>) -> tensor<2x8x8x8x5xf32>, sym_name = "conv_3d_ndhwc_dhwcf_1"}> ({
  ^bb0(%arg442: tensor<2x10x10x10x4xf32>, %arg443: tensor<3x3x3x4x5xf32>, %arg444: tensor<2x8x8x8x5xf32>):
    %227 = "linalg.conv_3d_ndhwc_dhwcf"(%arg442, %arg443, %arg444) <{dilations = dense<1> : tensor<3xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<3xi64>}> ({
    ^bb0(%arg445: f32, %arg446: f32, %arg447: f32):
      %228 = "arith.mulf"(%arg445, %arg446) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %229 = "arith.addf"(%arg447, %228) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%229) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map51, #map52, #map53]} : (tensor<2x10x10x10x4xf32>, tensor<3x3x3x4x5xf32>, tensor<2x8x8x8x5xf32>) -> tensor<2x8x8x8x5xf32>
    "func.return"(%227) : (tensor<2x8x8x8x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x10x4xf32>, tensor<3x3x3x4x5xf32>, i32, i32, tensor<2x8x8x8x5xf32>) -> tensor<2x8x8x8x5xf32>, sym_name = "conv_3d_ndhwc_dhwcf_q_1"}> ({
  ^bb0(%arg432: tensor<2x10x10x10x4xf32>, %arg433: tensor<3x3x3x4x5xf32>, %arg434: i32, %arg435: i32, %arg436: tensor<2x8x8x8x5xf32>):
    %220 = "linalg.conv_3d_ndhwc_dhwcf_q"(%arg432, %arg433, %arg434, %arg435, %arg436) <{dilations = dense<1> : tensor<3xi64>, operandSegmentSizes = array<i32: 4, 1>, strides = dense<1> : tensor<3xi64>}> ({
    ^bb0(%arg437: f32, %arg438: f32, %arg439: i32, %arg440: i32, %arg441: f32):
      %221 = "arith.sitofp"(%arg439) : (i32) -> f32
      %222 = "arith.subf"(%arg437, %221) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %223 = "arith.sitofp"(%arg440) : (i32) -> f32
      %224 = "arith.subf"(%arg438, %223) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %225 = "arith.mulf"(%222, %224) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %226 = "arith.addf"(%arg441, %225) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%226) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map51, #map52, #map54, #map54, #map53]} : (tensor<2x10x10x10x4xf32>, tensor<3x3x3x4x5xf32>, i32, i32, tensor<2x8x8x8x5xf32>) -> tensor<2x8x8x8x5xf32>
    "func.return"(%220) : (tensor<2x8x8x8x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x10x4xi8>, tensor<3x3x3x4x5xi8>, i32, i32, tensor<2x8x8x8x5xi32>) -> tensor<2x8x8x8x5xi32>, sym_name = "conv_3d_ndhwc_dhwcf_q_2"}> ({
  ^bb0(%arg422: tensor<2x10x10x10x4xi8>, %arg423: tensor<3x3x3x4x5xi8>, %arg424: i32, %arg425: i32, %arg426: tensor<2x8x8x8x5xi32>):
    %213 = "linalg.conv_3d_ndhwc_dhwcf_q"(%arg422, %arg423, %arg424, %arg425, %arg426) <{dilations = dense<1> : tensor<3xi64>, operandSegmentSizes = array<i32: 4, 1>, strides = dense<1> : tensor<3xi64>}> ({
    ^bb0(%arg427: i8, %arg428: i8, %arg429: i32, %arg430: i32, %arg431: i32):
      %214 = "arith.extsi"(%arg427) : (i8) -> i32
      %215 = "arith.subi"(%214, %arg429) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %216 = "arith.extsi"(%arg428) : (i8) -> i32
      %217 = "arith.subi"(%216, %arg430) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %218 = "arith.muli"(%215, %217) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %219 = "arith.addi"(%arg431, %218) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%219) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map51, #map52, #map54, #map54, #map53]} : (tensor<2x10x10x10x4xi8>, tensor<3x3x3x4x5xi8>, i32, i32, tensor<2x8x8x8x5xi32>) -> tensor<2x8x8x8x5xi32>
    "func.return"(%213) : (tensor<2x8x8x8x5xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x10x10x10xf32>, tensor<5x4x3x3x3xf32>, tensor<2x5x8x8x8xf32>) -> tensor<2x5x8x8x8xf32>, sym_name = "conv_3d_ncdhw_fcdhw_1"}> ({
  ^bb0(%arg416: tensor<2x4x10x10x10xf32>, %arg417: tensor<5x4x3x3x3xf32>, %arg418: tensor<2x5x8x8x8xf32>):
    %210 = "linalg.conv_3d_ncdhw_fcdhw"(%arg416, %arg417, %arg418) <{dilations = dense<1> : tensor<3xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<3xi64>}> ({
    ^bb0(%arg419: f32, %arg420: f32, %arg421: f32):
      %211 = "arith.mulf"(%arg419, %arg420) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %212 = "arith.addf"(%arg421, %211) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%212) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map55, #map56, #map57]} : (tensor<2x4x10x10x10xf32>, tensor<5x4x3x3x3xf32>, tensor<2x5x8x8x8xf32>) -> tensor<2x5x8x8x8xf32>
    "func.return"(%210) : (tensor<2x5x8x8x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x4xf32>, tensor<3x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>, sym_name = "depthwise_conv_1d_nwc_wc_1"}> ({
  ^bb0(%arg410: tensor<2x10x4xf32>, %arg411: tensor<3x4xf32>, %arg412: tensor<2x8x4xf32>):
    %207 = "linalg.depthwise_conv_1d_nwc_wc"(%arg410, %arg411, %arg412) <{dilations = dense<1> : tensor<1xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<1xi64>}> ({
    ^bb0(%arg413: f32, %arg414: f32, %arg415: f32):
      %208 = "arith.mulf"(%arg413, %arg414) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %209 = "arith.addf"(%arg415, %208) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%209) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map58, #map59, #map8]} : (tensor<2x10x4xf32>, tensor<3x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    "func.return"(%207) : (tensor<2x8x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x10xf32>, tensor<4x3xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>, sym_name = "depthwise_conv_1d_ncw_cw_1"}> ({
  ^bb0(%arg404: tensor<2x4x10xf32>, %arg405: tensor<4x3xf32>, %arg406: tensor<2x4x8xf32>):
    %204 = "linalg.depthwise_conv_1d_ncw_cw"(%arg404, %arg405, %arg406) <{dilations = dense<1> : tensor<1xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<1xi64>}> ({
    ^bb0(%arg407: f32, %arg408: f32, %arg409: f32):
      %205 = "arith.mulf"(%arg407, %arg408) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %206 = "arith.addf"(%arg409, %205) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%206) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map60, #map29, #map61]} : (tensor<2x4x10xf32>, tensor<4x3xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    "func.return"(%204) : (tensor<2x4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x4xf32>, tensor<3x4x5xf32>, tensor<2x8x4x5xf32>) -> tensor<2x8x4x5xf32>, sym_name = "depthwise_conv_1d_nwc_wcm_1"}> ({
  ^bb0(%arg398: tensor<2x10x4xf32>, %arg399: tensor<3x4x5xf32>, %arg400: tensor<2x8x4x5xf32>):
    %201 = "linalg.depthwise_conv_1d_nwc_wcm"(%arg398, %arg399, %arg400) <{dilations = dense<1> : tensor<1xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<1xi64>}> ({
    ^bb0(%arg401: f32, %arg402: f32, %arg403: f32):
      %202 = "arith.mulf"(%arg401, %arg402) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %203 = "arith.addf"(%arg403, %202) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%203) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map62, #map63, #map64]} : (tensor<2x10x4xf32>, tensor<3x4x5xf32>, tensor<2x8x4x5xf32>) -> tensor<2x8x4x5xf32>
    "func.return"(%201) : (tensor<2x8x4x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xf32>, tensor<3x3x4xf32>, tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>, sym_name = "depthwise_conv_2d_nhwc_hwc_1"}> ({
  ^bb0(%arg392: tensor<2x10x10x4xf32>, %arg393: tensor<3x3x4xf32>, %arg394: tensor<2x8x8x4xf32>):
    %198 = "linalg.depthwise_conv_2d_nhwc_hwc"(%arg392, %arg393, %arg394) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg395: f32, %arg396: f32, %arg397: f32):
      %199 = "arith.mulf"(%arg395, %arg396) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %200 = "arith.addf"(%arg397, %199) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%200) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map65, #map66, #map67]} : (tensor<2x10x10x4xf32>, tensor<3x3x4xf32>, tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
    "func.return"(%198) : (tensor<2x8x8x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xi8>, tensor<3x3x4xi8>, tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32>, sym_name = "depthwise_conv_2d_nhwc_hwc_2"}> ({
  ^bb0(%arg386: tensor<2x10x10x4xi8>, %arg387: tensor<3x3x4xi8>, %arg388: tensor<2x8x8x4xi32>):
    %193 = "linalg.depthwise_conv_2d_nhwc_hwc"(%arg386, %arg387, %arg388) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg389: i8, %arg390: i8, %arg391: i32):
      %194 = "arith.extsi"(%arg389) : (i8) -> i32
      %195 = "arith.extsi"(%arg390) : (i8) -> i32
      %196 = "arith.muli"(%194, %195) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %197 = "arith.addi"(%arg391, %196) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%197) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map65, #map66, #map67]} : (tensor<2x10x10x4xi8>, tensor<3x3x4xi8>, tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32>
    "func.return"(%193) : (tensor<2x8x8x4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x10x10xf32>, tensor<4x3x3xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>, sym_name = "depthwise_conv_2d_nchw_chw_1"}> ({
  ^bb0(%arg380: tensor<2x4x10x10xf32>, %arg381: tensor<4x3x3xf32>, %arg382: tensor<2x4x8x8xf32>):
    %190 = "linalg.depthwise_conv_2d_nchw_chw"(%arg380, %arg381, %arg382) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg383: f32, %arg384: f32, %arg385: f32):
      %191 = "arith.mulf"(%arg383, %arg384) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %192 = "arith.addf"(%arg385, %191) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%192) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map68, #map32, #map69]} : (tensor<2x4x10x10xf32>, tensor<4x3x3xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
    "func.return"(%190) : (tensor<2x4x8x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xf32>, tensor<3x3x4xf32>, i32, i32, tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>, sym_name = "depthwise_conv_2d_nhwc_hwc_q_1"}> ({
  ^bb0(%arg370: tensor<2x10x10x4xf32>, %arg371: tensor<3x3x4xf32>, %arg372: i32, %arg373: i32, %arg374: tensor<2x8x8x4xf32>):
    %183 = "linalg.depthwise_conv_2d_nhwc_hwc_q"(%arg370, %arg371, %arg372, %arg373, %arg374) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 4, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg375: f32, %arg376: f32, %arg377: i32, %arg378: i32, %arg379: f32):
      %184 = "arith.sitofp"(%arg377) : (i32) -> f32
      %185 = "arith.subf"(%arg375, %184) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %186 = "arith.sitofp"(%arg378) : (i32) -> f32
      %187 = "arith.subf"(%arg376, %186) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %188 = "arith.mulf"(%185, %187) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %189 = "arith.addf"(%arg379, %188) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%189) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map65, #map66, #map70, #map70, #map67]} : (tensor<2x10x10x4xf32>, tensor<3x3x4xf32>, i32, i32, tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
    "func.return"(%183) : (tensor<2x8x8x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xi8>, tensor<3x3x4xi8>, i32, i32, tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32>, sym_name = "depthwise_conv_2d_nhwc_hwc_q_2"}> ({
  ^bb0(%arg360: tensor<2x10x10x4xi8>, %arg361: tensor<3x3x4xi8>, %arg362: i32, %arg363: i32, %arg364: tensor<2x8x8x4xi32>):
    %176 = "linalg.depthwise_conv_2d_nhwc_hwc_q"(%arg360, %arg361, %arg362, %arg363, %arg364) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 4, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg365: i8, %arg366: i8, %arg367: i32, %arg368: i32, %arg369: i32):
      %177 = "arith.extsi"(%arg365) : (i8) -> i32
      %178 = "arith.subi"(%177, %arg367) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %179 = "arith.extsi"(%arg366) : (i8) -> i32
      %180 = "arith.subi"(%179, %arg368) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %181 = "arith.muli"(%178, %180) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %182 = "arith.addi"(%arg369, %181) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%182) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map65, #map66, #map70, #map70, #map67]} : (tensor<2x10x10x4xi8>, tensor<3x3x4xi8>, i32, i32, tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32>
    "func.return"(%176) : (tensor<2x8x8x4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xf32>, tensor<3x3x4x5xf32>, tensor<2x8x8x4x5xf32>) -> tensor<2x8x8x4x5xf32>, sym_name = "depthwise_conv_2d_nhwc_hwcm_1"}> ({
  ^bb0(%arg354: tensor<2x10x10x4xf32>, %arg355: tensor<3x3x4x5xf32>, %arg356: tensor<2x8x8x4x5xf32>):
    %173 = "linalg.depthwise_conv_2d_nhwc_hwcm"(%arg354, %arg355, %arg356) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg357: f32, %arg358: f32, %arg359: f32):
      %174 = "arith.mulf"(%arg357, %arg358) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %175 = "arith.addf"(%arg359, %174) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%175) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map71, #map72, #map73]} : (tensor<2x10x10x4xf32>, tensor<3x3x4x5xf32>, tensor<2x8x8x4x5xf32>) -> tensor<2x8x8x4x5xf32>
    "func.return"(%173) : (tensor<2x8x8x4x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xf32>, tensor<3x3x4x5xf32>, i32, i32, tensor<2x8x8x4x5xf32>) -> tensor<2x8x8x4x5xf32>, sym_name = "depthwise_conv_2d_nhwc_hwcm_q_1"}> ({
  ^bb0(%arg344: tensor<2x10x10x4xf32>, %arg345: tensor<3x3x4x5xf32>, %arg346: i32, %arg347: i32, %arg348: tensor<2x8x8x4x5xf32>):
    %166 = "linalg.depthwise_conv_2d_nhwc_hwcm_q"(%arg344, %arg345, %arg346, %arg347, %arg348) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 4, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg349: f32, %arg350: f32, %arg351: i32, %arg352: i32, %arg353: f32):
      %167 = "arith.sitofp"(%arg351) : (i32) -> f32
      %168 = "arith.subf"(%arg349, %167) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %169 = "arith.sitofp"(%arg352) : (i32) -> f32
      %170 = "arith.subf"(%arg350, %169) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %171 = "arith.mulf"(%168, %170) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %172 = "arith.addf"(%arg353, %171) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%172) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map71, #map72, #map43, #map43, #map73]} : (tensor<2x10x10x4xf32>, tensor<3x3x4x5xf32>, i32, i32, tensor<2x8x8x4x5xf32>) -> tensor<2x8x8x4x5xf32>
    "func.return"(%166) : (tensor<2x8x8x4x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xi8>, tensor<3x3x4x5xi8>, i32, i32, tensor<2x8x8x4x5xi32>) -> tensor<2x8x8x4x5xi32>, sym_name = "depthwise_conv_2d_nhwc_hwcm_q_2"}> ({
  ^bb0(%arg334: tensor<2x10x10x4xi8>, %arg335: tensor<3x3x4x5xi8>, %arg336: i32, %arg337: i32, %arg338: tensor<2x8x8x4x5xi32>):
    %159 = "linalg.depthwise_conv_2d_nhwc_hwcm_q"(%arg334, %arg335, %arg336, %arg337, %arg338) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 4, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg339: i8, %arg340: i8, %arg341: i32, %arg342: i32, %arg343: i32):
      %160 = "arith.extsi"(%arg339) : (i8) -> i32
      %161 = "arith.subi"(%160, %arg341) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %162 = "arith.extsi"(%arg340) : (i8) -> i32
      %163 = "arith.subi"(%162, %arg342) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %164 = "arith.muli"(%161, %163) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %165 = "arith.addi"(%arg343, %164) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%165) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map71, #map72, #map43, #map43, #map73]} : (tensor<2x10x10x4xi8>, tensor<3x3x4x5xi8>, i32, i32, tensor<2x8x8x4x5xi32>) -> tensor<2x8x8x4x5xi32>
    "func.return"(%159) : (tensor<2x8x8x4x5xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x10x4xf32>, tensor<3x3x3x4xf32>, tensor<2x8x8x8x4xf32>) -> tensor<2x8x8x8x4xf32>, sym_name = "depthwise_conv_3d_ndhwc_dhwc_1"}> ({
  ^bb0(%arg328: tensor<2x10x10x10x4xf32>, %arg329: tensor<3x3x3x4xf32>, %arg330: tensor<2x8x8x8x4xf32>):
    %156 = "linalg.depthwise_conv_3d_ndhwc_dhwc"(%arg328, %arg329, %arg330) <{dilations = dense<1> : tensor<3xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<3xi64>}> ({
    ^bb0(%arg331: f32, %arg332: f32, %arg333: f32):
      %157 = "arith.mulf"(%arg331, %arg332) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %158 = "arith.addf"(%arg333, %157) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%158) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map74, #map75, #map76]} : (tensor<2x10x10x10x4xf32>, tensor<3x3x3x4xf32>, tensor<2x8x8x8x4xf32>) -> tensor<2x8x8x8x4xf32>
    "func.return"(%156) : (tensor<2x8x8x8x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x10x10x10xf32>, tensor<4x3x3x3xf32>, tensor<2x4x8x8x8xf32>) -> tensor<2x4x8x8x8xf32>, sym_name = "depthwise_conv_3d_ncdhw_cdhw_1"}> ({
  ^bb0(%arg322: tensor<2x4x10x10x10xf32>, %arg323: tensor<4x3x3x3xf32>, %arg324: tensor<2x4x8x8x8xf32>):
    %153 = "linalg.depthwise_conv_3d_ncdhw_cdhw"(%arg322, %arg323, %arg324) <{dilations = dense<1> : tensor<3xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<3xi64>}> ({
    ^bb0(%arg325: f32, %arg326: f32, %arg327: f32):
      %154 = "arith.mulf"(%arg325, %arg326) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %155 = "arith.addf"(%arg327, %154) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%155) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map77, #map78, #map79]} : (tensor<2x4x10x10x10xf32>, tensor<4x3x3x3xf32>, tensor<2x4x8x8x8xf32>) -> tensor<2x4x8x8x8xf32>
    "func.return"(%153) : (tensor<2x4x8x8x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x10x4xf32>, tensor<3x3x3x4x5xf32>, tensor<2x8x8x8x4x5xf32>) -> tensor<2x8x8x8x4x5xf32>, sym_name = "depthwise_conv_3d_ndhwc_dhwcm_1"}> ({
  ^bb0(%arg316: tensor<2x10x10x10x4xf32>, %arg317: tensor<3x3x3x4x5xf32>, %arg318: tensor<2x8x8x8x4x5xf32>):
    %150 = "linalg.depthwise_conv_3d_ndhwc_dhwcm"(%arg316, %arg317, %arg318) <{dilations = dense<1> : tensor<3xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<3xi64>}> ({
    ^bb0(%arg319: f32, %arg320: f32, %arg321: f32):
      %151 = "arith.mulf"(%arg319, %arg320) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %152 = "arith.addf"(%arg321, %151) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%152) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map51, #map52, #map80]} : (tensor<2x10x10x10x4xf32>, tensor<3x3x3x4x5xf32>, tensor<2x8x8x8x4x5xf32>) -> tensor<2x8x8x8x4x5xf32>
    "func.return"(%150) : (tensor<2x8x8x8x4x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xf32>, tensor<3x3xf32>, tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>, sym_name = "pooling_nhwc_sum_1"}> ({
  ^bb0(%arg310: tensor<2x10x10x4xf32>, %arg311: tensor<3x3xf32>, %arg312: tensor<2x8x8x4xf32>):
    %148 = "linalg.pooling_nhwc_sum"(%arg310, %arg311, %arg312) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg313: f32, %arg314: f32, %arg315: f32):
      %149 = "arith.addf"(%arg315, %arg313) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%149) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map65, #map81, #map67]} : (tensor<2x10x10x4xf32>, tensor<3x3xf32>, tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
    "func.return"(%148) : (tensor<2x8x8x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xi8>, tensor<3x3xi8>, tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32>, sym_name = "pooling_nhwc_sum_2"}> ({
  ^bb0(%arg304: tensor<2x10x10x4xi8>, %arg305: tensor<3x3xi8>, %arg306: tensor<2x8x8x4xi32>):
    %145 = "linalg.pooling_nhwc_sum"(%arg304, %arg305, %arg306) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg307: i8, %arg308: i8, %arg309: i32):
      %146 = "arith.extsi"(%arg307) : (i8) -> i32
      %147 = "arith.addi"(%arg309, %146) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%147) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map65, #map81, #map67]} : (tensor<2x10x10x4xi8>, tensor<3x3xi8>, tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32>
    "func.return"(%145) : (tensor<2x8x8x4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x4xf32>, tensor<3xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>, sym_name = "pooling_nwc_sum_1"}> ({
  ^bb0(%arg298: tensor<2x10x4xf32>, %arg299: tensor<3xf32>, %arg300: tensor<2x8x4xf32>):
    %143 = "linalg.pooling_nwc_sum"(%arg298, %arg299, %arg300) <{dilations = dense<1> : tensor<1xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<1xi64>}> ({
    ^bb0(%arg301: f32, %arg302: f32, %arg303: f32):
      %144 = "arith.addf"(%arg303, %arg301) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%144) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map58, #map82, #map8]} : (tensor<2x10x4xf32>, tensor<3xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    "func.return"(%143) : (tensor<2x8x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x4xi8>, tensor<3xi8>, tensor<2x8x4xi32>) -> tensor<2x8x4xi32>, sym_name = "pooling_nwc_sum_2"}> ({
  ^bb0(%arg292: tensor<2x10x4xi8>, %arg293: tensor<3xi8>, %arg294: tensor<2x8x4xi32>):
    %140 = "linalg.pooling_nwc_sum"(%arg292, %arg293, %arg294) <{dilations = dense<1> : tensor<1xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<1xi64>}> ({
    ^bb0(%arg295: i8, %arg296: i8, %arg297: i32):
      %141 = "arith.extsi"(%arg295) : (i8) -> i32
      %142 = "arith.addi"(%arg297, %141) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%142) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map58, #map82, #map8]} : (tensor<2x10x4xi8>, tensor<3xi8>, tensor<2x8x4xi32>) -> tensor<2x8x4xi32>
    "func.return"(%140) : (tensor<2x8x4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xf32>, tensor<3x3xf32>, tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>, sym_name = "pooling_nhwc_max_1"}> ({
  ^bb0(%arg286: tensor<2x10x10x4xf32>, %arg287: tensor<3x3xf32>, %arg288: tensor<2x8x8x4xf32>):
    %138 = "linalg.pooling_nhwc_max"(%arg286, %arg287, %arg288) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg289: f32, %arg290: f32, %arg291: f32):
      %139 = "arith.maximumf"(%arg291, %arg289) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%139) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map65, #map81, #map67]} : (tensor<2x10x10x4xf32>, tensor<3x3xf32>, tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
    "func.return"(%138) : (tensor<2x8x8x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xi8>, tensor<3x3xi8>, tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32>, sym_name = "pooling_nhwc_max_2"}> ({
  ^bb0(%arg280: tensor<2x10x10x4xi8>, %arg281: tensor<3x3xi8>, %arg282: tensor<2x8x8x4xi32>):
    %135 = "linalg.pooling_nhwc_max"(%arg280, %arg281, %arg282) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg283: i8, %arg284: i8, %arg285: i32):
      %136 = "arith.extsi"(%arg283) : (i8) -> i32
      %137 = "arith.maxsi"(%arg285, %136) : (i32, i32) -> i32
      "linalg.yield"(%137) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map65, #map81, #map67]} : (tensor<2x10x10x4xi8>, tensor<3x3xi8>, tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32>
    "func.return"(%135) : (tensor<2x8x8x4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x4xf32>, tensor<3xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>, sym_name = "pooling_nwc_max_1"}> ({
  ^bb0(%arg274: tensor<2x10x4xf32>, %arg275: tensor<3xf32>, %arg276: tensor<2x8x4xf32>):
    %133 = "linalg.pooling_nwc_max"(%arg274, %arg275, %arg276) <{dilations = dense<1> : tensor<1xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<1xi64>}> ({
    ^bb0(%arg277: f32, %arg278: f32, %arg279: f32):
      %134 = "arith.maximumf"(%arg279, %arg277) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%134) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map58, #map82, #map8]} : (tensor<2x10x4xf32>, tensor<3xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    "func.return"(%133) : (tensor<2x8x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x4xi8>, tensor<3xi8>, tensor<2x8x4xi32>) -> tensor<2x8x4xi32>, sym_name = "pooling_nwc_max_2"}> ({
  ^bb0(%arg268: tensor<2x10x4xi8>, %arg269: tensor<3xi8>, %arg270: tensor<2x8x4xi32>):
    %130 = "linalg.pooling_nwc_max"(%arg268, %arg269, %arg270) <{dilations = dense<1> : tensor<1xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<1xi64>}> ({
    ^bb0(%arg271: i8, %arg272: i8, %arg273: i32):
      %131 = "arith.extsi"(%arg271) : (i8) -> i32
      %132 = "arith.maxsi"(%arg273, %131) : (i32, i32) -> i32
      "linalg.yield"(%132) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map58, #map82, #map8]} : (tensor<2x10x4xi8>, tensor<3xi8>, tensor<2x8x4xi32>) -> tensor<2x8x4xi32>
    "func.return"(%130) : (tensor<2x8x4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xf32>, tensor<3x3xf32>, tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>, sym_name = "pooling_nhwc_max_unsigned_1"}> ({
  ^bb0(%arg262: tensor<2x10x10x4xf32>, %arg263: tensor<3x3xf32>, %arg264: tensor<2x8x8x4xf32>):
    %128 = "linalg.pooling_nhwc_max_unsigned"(%arg262, %arg263, %arg264) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg265: f32, %arg266: f32, %arg267: f32):
      %129 = "arith.maximumf"(%arg267, %arg265) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%129) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map65, #map81, #map67]} : (tensor<2x10x10x4xf32>, tensor<3x3xf32>, tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
    "func.return"(%128) : (tensor<2x8x8x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xi8>, tensor<3x3xi8>, tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32>, sym_name = "pooling_nhwc_max_unsigned_2"}> ({
  ^bb0(%arg256: tensor<2x10x10x4xi8>, %arg257: tensor<3x3xi8>, %arg258: tensor<2x8x8x4xi32>):
    %125 = "linalg.pooling_nhwc_max_unsigned"(%arg256, %arg257, %arg258) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg259: i8, %arg260: i8, %arg261: i32):
      %126 = "arith.extui"(%arg259) : (i8) -> i32
      %127 = "arith.maxui"(%arg261, %126) : (i32, i32) -> i32
      "linalg.yield"(%127) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map65, #map81, #map67]} : (tensor<2x10x10x4xi8>, tensor<3x3xi8>, tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32>
    "func.return"(%125) : (tensor<2x8x8x4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xf16>, tensor<3x3xf16>, tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>, sym_name = "pooling_nhwc_max_unsigned_3"}> ({
  ^bb0(%arg250: tensor<2x10x10x4xf16>, %arg251: tensor<3x3xf16>, %arg252: tensor<2x8x8x4xf32>):
    %122 = "linalg.pooling_nhwc_max_unsigned"(%arg250, %arg251, %arg252) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg253: f16, %arg254: f16, %arg255: f32):
      %123 = "arith.extf"(%arg253) : (f16) -> f32
      %124 = "arith.maximumf"(%arg255, %123) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%124) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map65, #map81, #map67]} : (tensor<2x10x10x4xf16>, tensor<3x3xf16>, tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
    "func.return"(%122) : (tensor<2x8x8x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xi1>, tensor<3x3xi1>, tensor<2x8x8x4xi1>) -> tensor<2x8x8x4xi1>, sym_name = "pooling_nhwc_max_unsigned_4"}> ({
  ^bb0(%arg244: tensor<2x10x10x4xi1>, %arg245: tensor<3x3xi1>, %arg246: tensor<2x8x8x4xi1>):
    %120 = "linalg.pooling_nhwc_max_unsigned"(%arg244, %arg245, %arg246) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg247: i1, %arg248: i1, %arg249: i1):
      %121 = "arith.maxui"(%arg249, %arg247) : (i1, i1) -> i1
      "linalg.yield"(%121) : (i1) -> ()
    }) {linalg.memoized_indexing_maps = [#map65, #map81, #map67]} : (tensor<2x10x10x4xi1>, tensor<3x3xi1>, tensor<2x8x8x4xi1>) -> tensor<2x8x8x4xi1>
    "func.return"(%120) : (tensor<2x8x8x4xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x4xf32>, tensor<3xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>, sym_name = "pooling_nwc_max_unsigned_1"}> ({
  ^bb0(%arg238: tensor<2x10x4xf32>, %arg239: tensor<3xf32>, %arg240: tensor<2x8x4xf32>):
    %118 = "linalg.pooling_nwc_max_unsigned"(%arg238, %arg239, %arg240) <{dilations = dense<1> : tensor<1xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<1xi64>}> ({
    ^bb0(%arg241: f32, %arg242: f32, %arg243: f32):
      %119 = "arith.maximumf"(%arg243, %arg241) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%119) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map58, #map82, #map8]} : (tensor<2x10x4xf32>, tensor<3xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    "func.return"(%118) : (tensor<2x8x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x4xi8>, tensor<3xi8>, tensor<2x8x4xi32>) -> tensor<2x8x4xi32>, sym_name = "pooling_nwc_max_unsigned_2"}> ({
  ^bb0(%arg232: tensor<2x10x4xi8>, %arg233: tensor<3xi8>, %arg234: tensor<2x8x4xi32>):
    %115 = "linalg.pooling_nwc_max_unsigned"(%arg232, %arg233, %arg234) <{dilations = dense<1> : tensor<1xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<1xi64>}> ({
    ^bb0(%arg235: i8, %arg236: i8, %arg237: i32):
      %116 = "arith.extui"(%arg235) : (i8) -> i32
      %117 = "arith.maxui"(%arg237, %116) : (i32, i32) -> i32
      "linalg.yield"(%117) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map58, #map82, #map8]} : (tensor<2x10x4xi8>, tensor<3xi8>, tensor<2x8x4xi32>) -> tensor<2x8x4xi32>
    "func.return"(%115) : (tensor<2x8x4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xf32>, tensor<3x3xf32>, tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>, sym_name = "pooling_nhwc_min_1"}> ({
  ^bb0(%arg226: tensor<2x10x10x4xf32>, %arg227: tensor<3x3xf32>, %arg228: tensor<2x8x8x4xf32>):
    %113 = "linalg.pooling_nhwc_min"(%arg226, %arg227, %arg228) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg229: f32, %arg230: f32, %arg231: f32):
      %114 = "arith.minimumf"(%arg231, %arg229) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%114) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map65, #map81, #map67]} : (tensor<2x10x10x4xf32>, tensor<3x3xf32>, tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
    "func.return"(%113) : (tensor<2x8x8x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xi8>, tensor<3x3xi8>, tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32>, sym_name = "pooling_nhwc_min_2"}> ({
  ^bb0(%arg220: tensor<2x10x10x4xi8>, %arg221: tensor<3x3xi8>, %arg222: tensor<2x8x8x4xi32>):
    %110 = "linalg.pooling_nhwc_min"(%arg220, %arg221, %arg222) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg223: i8, %arg224: i8, %arg225: i32):
      %111 = "arith.extsi"(%arg223) : (i8) -> i32
      %112 = "arith.minsi"(%arg225, %111) : (i32, i32) -> i32
      "linalg.yield"(%112) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map65, #map81, #map67]} : (tensor<2x10x10x4xi8>, tensor<3x3xi8>, tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32>
    "func.return"(%110) : (tensor<2x8x8x4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x4xf32>, tensor<3xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>, sym_name = "pooling_nwc_min_1"}> ({
  ^bb0(%arg214: tensor<2x10x4xf32>, %arg215: tensor<3xf32>, %arg216: tensor<2x8x4xf32>):
    %108 = "linalg.pooling_nwc_min"(%arg214, %arg215, %arg216) <{dilations = dense<1> : tensor<1xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<1xi64>}> ({
    ^bb0(%arg217: f32, %arg218: f32, %arg219: f32):
      %109 = "arith.minimumf"(%arg219, %arg217) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%109) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map58, #map82, #map8]} : (tensor<2x10x4xf32>, tensor<3xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    "func.return"(%108) : (tensor<2x8x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x4xi8>, tensor<3xi8>, tensor<2x8x4xi32>) -> tensor<2x8x4xi32>, sym_name = "pooling_nwc_min_2"}> ({
  ^bb0(%arg208: tensor<2x10x4xi8>, %arg209: tensor<3xi8>, %arg210: tensor<2x8x4xi32>):
    %105 = "linalg.pooling_nwc_min"(%arg208, %arg209, %arg210) <{dilations = dense<1> : tensor<1xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<1xi64>}> ({
    ^bb0(%arg211: i8, %arg212: i8, %arg213: i32):
      %106 = "arith.extsi"(%arg211) : (i8) -> i32
      %107 = "arith.minsi"(%arg213, %106) : (i32, i32) -> i32
      "linalg.yield"(%107) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map58, #map82, #map8]} : (tensor<2x10x4xi8>, tensor<3xi8>, tensor<2x8x4xi32>) -> tensor<2x8x4xi32>
    "func.return"(%105) : (tensor<2x8x4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xf32>, tensor<3x3xf32>, tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>, sym_name = "pooling_nhwc_min_unsigned_1"}> ({
  ^bb0(%arg202: tensor<2x10x10x4xf32>, %arg203: tensor<3x3xf32>, %arg204: tensor<2x8x8x4xf32>):
    %103 = "linalg.pooling_nhwc_min_unsigned"(%arg202, %arg203, %arg204) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg205: f32, %arg206: f32, %arg207: f32):
      %104 = "arith.minimumf"(%arg207, %arg205) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%104) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map65, #map81, #map67]} : (tensor<2x10x10x4xf32>, tensor<3x3xf32>, tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
    "func.return"(%103) : (tensor<2x8x8x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x4xi8>, tensor<3x3xi8>, tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32>, sym_name = "pooling_nhwc_min_unsigned_2"}> ({
  ^bb0(%arg196: tensor<2x10x10x4xi8>, %arg197: tensor<3x3xi8>, %arg198: tensor<2x8x8x4xi32>):
    %100 = "linalg.pooling_nhwc_min_unsigned"(%arg196, %arg197, %arg198) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg199: i8, %arg200: i8, %arg201: i32):
      %101 = "arith.extui"(%arg199) : (i8) -> i32
      %102 = "arith.minui"(%arg201, %101) : (i32, i32) -> i32
      "linalg.yield"(%102) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map65, #map81, #map67]} : (tensor<2x10x10x4xi8>, tensor<3x3xi8>, tensor<2x8x8x4xi32>) -> tensor<2x8x8x4xi32>
    "func.return"(%100) : (tensor<2x8x8x4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x4xf32>, tensor<3xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>, sym_name = "pooling_nwc_min_unsigned_1"}> ({
  ^bb0(%arg190: tensor<2x10x4xf32>, %arg191: tensor<3xf32>, %arg192: tensor<2x8x4xf32>):
    %98 = "linalg.pooling_nwc_min_unsigned"(%arg190, %arg191, %arg192) <{dilations = dense<1> : tensor<1xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<1xi64>}> ({
    ^bb0(%arg193: f32, %arg194: f32, %arg195: f32):
      %99 = "arith.minimumf"(%arg195, %arg193) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%99) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map58, #map82, #map8]} : (tensor<2x10x4xf32>, tensor<3xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    "func.return"(%98) : (tensor<2x8x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x4xi8>, tensor<3xi8>, tensor<2x8x4xi32>) -> tensor<2x8x4xi32>, sym_name = "pooling_nwc_min_unsigned_2"}> ({
  ^bb0(%arg184: tensor<2x10x4xi8>, %arg185: tensor<3xi8>, %arg186: tensor<2x8x4xi32>):
    %95 = "linalg.pooling_nwc_min_unsigned"(%arg184, %arg185, %arg186) <{dilations = dense<1> : tensor<1xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<1xi64>}> ({
    ^bb0(%arg187: i8, %arg188: i8, %arg189: i32):
      %96 = "arith.extui"(%arg187) : (i8) -> i32
      %97 = "arith.minui"(%arg189, %96) : (i32, i32) -> i32
      "linalg.yield"(%97) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map58, #map82, #map8]} : (tensor<2x10x4xi8>, tensor<3xi8>, tensor<2x8x4xi32>) -> tensor<2x8x4xi32>
    "func.return"(%95) : (tensor<2x8x4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x10x10xf32>, tensor<3x3xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>, sym_name = "pooling_nchw_sum_1"}> ({
  ^bb0(%arg178: tensor<2x4x10x10xf32>, %arg179: tensor<3x3xf32>, %arg180: tensor<2x4x8x8xf32>):
    %93 = "linalg.pooling_nchw_sum"(%arg178, %arg179, %arg180) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg181: f32, %arg182: f32, %arg183: f32):
      %94 = "arith.addf"(%arg183, %arg181) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%94) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map83, #map81, #map67]} : (tensor<2x4x10x10xf32>, tensor<3x3xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
    "func.return"(%93) : (tensor<2x4x8x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x10x10xi8>, tensor<3x3xi8>, tensor<2x4x8x8xi32>) -> tensor<2x4x8x8xi32>, sym_name = "pooling_nchw_sum_2"}> ({
  ^bb0(%arg172: tensor<2x4x10x10xi8>, %arg173: tensor<3x3xi8>, %arg174: tensor<2x4x8x8xi32>):
    %90 = "linalg.pooling_nchw_sum"(%arg172, %arg173, %arg174) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg175: i8, %arg176: i8, %arg177: i32):
      %91 = "arith.extsi"(%arg175) : (i8) -> i32
      %92 = "arith.addi"(%arg177, %91) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%92) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map83, #map81, #map67]} : (tensor<2x4x10x10xi8>, tensor<3x3xi8>, tensor<2x4x8x8xi32>) -> tensor<2x4x8x8xi32>
    "func.return"(%90) : (tensor<2x4x8x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x10xf32>, tensor<3xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>, sym_name = "pooling_ncw_sum_1"}> ({
  ^bb0(%arg166: tensor<2x4x10xf32>, %arg167: tensor<3xf32>, %arg168: tensor<2x4x8xf32>):
    %88 = "linalg.pooling_ncw_sum"(%arg166, %arg167, %arg168) <{dilations = dense<1> : tensor<1xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<1xi64>}> ({
    ^bb0(%arg169: f32, %arg170: f32, %arg171: f32):
      %89 = "arith.addf"(%arg171, %arg169) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%89) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map84, #map82, #map8]} : (tensor<2x4x10xf32>, tensor<3xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    "func.return"(%88) : (tensor<2x4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x10xi8>, tensor<3xi8>, tensor<2x4x8xi32>) -> tensor<2x4x8xi32>, sym_name = "pooling_ncw_sum_2"}> ({
  ^bb0(%arg160: tensor<2x4x10xi8>, %arg161: tensor<3xi8>, %arg162: tensor<2x4x8xi32>):
    %85 = "linalg.pooling_ncw_sum"(%arg160, %arg161, %arg162) <{dilations = dense<1> : tensor<1xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<1xi64>}> ({
    ^bb0(%arg163: i8, %arg164: i8, %arg165: i32):
      %86 = "arith.extsi"(%arg163) : (i8) -> i32
      %87 = "arith.addi"(%arg165, %86) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%87) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map84, #map82, #map8]} : (tensor<2x4x10xi8>, tensor<3xi8>, tensor<2x4x8xi32>) -> tensor<2x4x8xi32>
    "func.return"(%85) : (tensor<2x4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x10x10xf32>, tensor<3x3xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>, sym_name = "pooling_nchw_max_1"}> ({
  ^bb0(%arg154: tensor<2x4x10x10xf32>, %arg155: tensor<3x3xf32>, %arg156: tensor<2x4x8x8xf32>):
    %83 = "linalg.pooling_nchw_max"(%arg154, %arg155, %arg156) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg157: f32, %arg158: f32, %arg159: f32):
      %84 = "arith.maximumf"(%arg159, %arg157) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%84) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map83, #map81, #map67]} : (tensor<2x4x10x10xf32>, tensor<3x3xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
    "func.return"(%83) : (tensor<2x4x8x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x10x10xi8>, tensor<3x3xi8>, tensor<2x4x8x8xi32>) -> tensor<2x4x8x8xi32>, sym_name = "pooling_nchw_max_2"}> ({
  ^bb0(%arg148: tensor<2x4x10x10xi8>, %arg149: tensor<3x3xi8>, %arg150: tensor<2x4x8x8xi32>):
    %80 = "linalg.pooling_nchw_max"(%arg148, %arg149, %arg150) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg151: i8, %arg152: i8, %arg153: i32):
      %81 = "arith.extsi"(%arg151) : (i8) -> i32
      %82 = "arith.maxsi"(%arg153, %81) : (i32, i32) -> i32
      "linalg.yield"(%82) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map83, #map81, #map67]} : (tensor<2x4x10x10xi8>, tensor<3x3xi8>, tensor<2x4x8x8xi32>) -> tensor<2x4x8x8xi32>
    "func.return"(%80) : (tensor<2x4x8x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x10xf32>, tensor<3xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>, sym_name = "pooling_ncw_max_1"}> ({
  ^bb0(%arg142: tensor<2x4x10xf32>, %arg143: tensor<3xf32>, %arg144: tensor<2x4x8xf32>):
    %78 = "linalg.pooling_ncw_max"(%arg142, %arg143, %arg144) <{dilations = dense<1> : tensor<1xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<1xi64>}> ({
    ^bb0(%arg145: f32, %arg146: f32, %arg147: f32):
      %79 = "arith.maximumf"(%arg147, %arg145) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%79) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map84, #map82, #map8]} : (tensor<2x4x10xf32>, tensor<3xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    "func.return"(%78) : (tensor<2x4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x10xi8>, tensor<3xi8>, tensor<2x4x8xi32>) -> tensor<2x4x8xi32>, sym_name = "pooling_ncw_max_2"}> ({
  ^bb0(%arg136: tensor<2x4x10xi8>, %arg137: tensor<3xi8>, %arg138: tensor<2x4x8xi32>):
    %75 = "linalg.pooling_ncw_max"(%arg136, %arg137, %arg138) <{dilations = dense<1> : tensor<1xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<1xi64>}> ({
    ^bb0(%arg139: i8, %arg140: i8, %arg141: i32):
      %76 = "arith.extsi"(%arg139) : (i8) -> i32
      %77 = "arith.maxsi"(%arg141, %76) : (i32, i32) -> i32
      "linalg.yield"(%77) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map84, #map82, #map8]} : (tensor<2x4x10xi8>, tensor<3xi8>, tensor<2x4x8xi32>) -> tensor<2x4x8xi32>
    "func.return"(%75) : (tensor<2x4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x10x4xf32>, tensor<3x3x3xf32>, tensor<2x8x8x8x4xf32>) -> tensor<2x8x8x8x4xf32>, sym_name = "pooling_ndhwc_sum_1"}> ({
  ^bb0(%arg130: tensor<2x10x10x10x4xf32>, %arg131: tensor<3x3x3xf32>, %arg132: tensor<2x8x8x8x4xf32>):
    %73 = "linalg.pooling_ndhwc_sum"(%arg130, %arg131, %arg132) <{dilations = dense<1> : tensor<3xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<3xi64>}> ({
    ^bb0(%arg133: f32, %arg134: f32, %arg135: f32):
      %74 = "arith.addf"(%arg135, %arg133) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%74) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map85, #map86, #map48]} : (tensor<2x10x10x10x4xf32>, tensor<3x3x3xf32>, tensor<2x8x8x8x4xf32>) -> tensor<2x8x8x8x4xf32>
    "func.return"(%73) : (tensor<2x8x8x8x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x10x4xi8>, tensor<3x3x3xi8>, tensor<2x8x8x8x4xi32>) -> tensor<2x8x8x8x4xi32>, sym_name = "pooling_ndhwc_sum_2"}> ({
  ^bb0(%arg124: tensor<2x10x10x10x4xi8>, %arg125: tensor<3x3x3xi8>, %arg126: tensor<2x8x8x8x4xi32>):
    %70 = "linalg.pooling_ndhwc_sum"(%arg124, %arg125, %arg126) <{dilations = dense<1> : tensor<3xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<3xi64>}> ({
    ^bb0(%arg127: i8, %arg128: i8, %arg129: i32):
      %71 = "arith.extsi"(%arg127) : (i8) -> i32
      %72 = "arith.addi"(%arg129, %71) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%72) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map85, #map86, #map48]} : (tensor<2x10x10x10x4xi8>, tensor<3x3x3xi8>, tensor<2x8x8x8x4xi32>) -> tensor<2x8x8x8x4xi32>
    "func.return"(%70) : (tensor<2x8x8x8x4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x10x4xf32>, tensor<3x3x3xf32>, tensor<2x8x8x8x4xf32>) -> tensor<2x8x8x8x4xf32>, sym_name = "pooling_ndhwc_max_1"}> ({
  ^bb0(%arg118: tensor<2x10x10x10x4xf32>, %arg119: tensor<3x3x3xf32>, %arg120: tensor<2x8x8x8x4xf32>):
    %68 = "linalg.pooling_ndhwc_max"(%arg118, %arg119, %arg120) <{dilations = dense<1> : tensor<3xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<3xi64>}> ({
    ^bb0(%arg121: f32, %arg122: f32, %arg123: f32):
      %69 = "arith.maximumf"(%arg123, %arg121) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%69) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map85, #map86, #map48]} : (tensor<2x10x10x10x4xf32>, tensor<3x3x3xf32>, tensor<2x8x8x8x4xf32>) -> tensor<2x8x8x8x4xf32>
    "func.return"(%68) : (tensor<2x8x8x8x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x10x4xi8>, tensor<3x3x3xi8>, tensor<2x8x8x8x4xi32>) -> tensor<2x8x8x8x4xi32>, sym_name = "pooling_ndhwc_max_2"}> ({
  ^bb0(%arg112: tensor<2x10x10x10x4xi8>, %arg113: tensor<3x3x3xi8>, %arg114: tensor<2x8x8x8x4xi32>):
    %65 = "linalg.pooling_ndhwc_max"(%arg112, %arg113, %arg114) <{dilations = dense<1> : tensor<3xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<3xi64>}> ({
    ^bb0(%arg115: i8, %arg116: i8, %arg117: i32):
      %66 = "arith.extsi"(%arg115) : (i8) -> i32
      %67 = "arith.maxsi"(%arg117, %66) : (i32, i32) -> i32
      "linalg.yield"(%67) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map85, #map86, #map48]} : (tensor<2x10x10x10x4xi8>, tensor<3x3x3xi8>, tensor<2x8x8x8x4xi32>) -> tensor<2x8x8x8x4xi32>
    "func.return"(%65) : (tensor<2x8x8x8x4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x10x4xf32>, tensor<3x3x3xf32>, tensor<2x8x8x8x4xf32>) -> tensor<2x8x8x8x4xf32>, sym_name = "pooling_ndhwc_min_1"}> ({
  ^bb0(%arg106: tensor<2x10x10x10x4xf32>, %arg107: tensor<3x3x3xf32>, %arg108: tensor<2x8x8x8x4xf32>):
    %63 = "linalg.pooling_ndhwc_min"(%arg106, %arg107, %arg108) <{dilations = dense<1> : tensor<3xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<3xi64>}> ({
    ^bb0(%arg109: f32, %arg110: f32, %arg111: f32):
      %64 = "arith.minimumf"(%arg111, %arg109) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%64) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map85, #map86, #map48]} : (tensor<2x10x10x10x4xf32>, tensor<3x3x3xf32>, tensor<2x8x8x8x4xf32>) -> tensor<2x8x8x8x4xf32>
    "func.return"(%63) : (tensor<2x8x8x8x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x10x10x10x4xi8>, tensor<3x3x3xi8>, tensor<2x8x8x8x4xi32>) -> tensor<2x8x8x8x4xi32>, sym_name = "pooling_ndhwc_min_2"}> ({
  ^bb0(%arg100: tensor<2x10x10x10x4xi8>, %arg101: tensor<3x3x3xi8>, %arg102: tensor<2x8x8x8x4xi32>):
    %60 = "linalg.pooling_ndhwc_min"(%arg100, %arg101, %arg102) <{dilations = dense<1> : tensor<3xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<3xi64>}> ({
    ^bb0(%arg103: i8, %arg104: i8, %arg105: i32):
      %61 = "arith.extsi"(%arg103) : (i8) -> i32
      %62 = "arith.minsi"(%arg105, %61) : (i32, i32) -> i32
      "linalg.yield"(%62) : (i32) -> ()
    }) {linalg.memoized_indexing_maps = [#map85, #map86, #map48]} : (tensor<2x10x10x10x4xi8>, tensor<3x3x3xi8>, tensor<2x8x8x8x4xi32>) -> tensor<2x8x8x8x4xi32>
    "func.return"(%60) : (tensor<2x8x8x8x4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf16>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "unary_exp"}> ({
  ^bb0(%arg96: tensor<4x8xf16>, %arg97: tensor<4x8xf32>):
    %57 = "linalg.elemwise_unary"(%arg96, %arg97) <{fun = #linalg.unary_fn<exp>, operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg98: f16, %arg99: f32):
      %58 = "arith.extf"(%arg98) : (f16) -> f32
      %59 = "math.exp"(%58) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%59) : (f32) -> ()
    }) : (tensor<4x8xf16>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%57) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf16>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "unary_log"}> ({
  ^bb0(%arg92: tensor<4x8xf16>, %arg93: tensor<4x8xf32>):
    %54 = "linalg.elemwise_unary"(%arg92, %arg93) <{fun = #linalg.unary_fn<log>, operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg94: f16, %arg95: f32):
      %55 = "arith.extf"(%arg94) : (f16) -> f32
      %56 = "math.log"(%55) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%56) : (f32) -> ()
    }) : (tensor<4x8xf16>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%54) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf16>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "unary_abs"}> ({
  ^bb0(%arg88: tensor<4x8xf16>, %arg89: tensor<4x8xf32>):
    %51 = "linalg.elemwise_unary"(%arg88, %arg89) <{fun = #linalg.unary_fn<abs>, operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg90: f16, %arg91: f32):
      %52 = "arith.extf"(%arg90) : (f16) -> f32
      %53 = "math.absf"(%52) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%53) : (f32) -> ()
    }) : (tensor<4x8xf16>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%51) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf16>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "unary_ceil"}> ({
  ^bb0(%arg84: tensor<4x8xf16>, %arg85: tensor<4x8xf32>):
    %48 = "linalg.elemwise_unary"(%arg84, %arg85) <{fun = #linalg.unary_fn<ceil>, operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg86: f16, %arg87: f32):
      %49 = "arith.extf"(%arg86) : (f16) -> f32
      %50 = "math.ceil"(%49) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%50) : (f32) -> ()
    }) : (tensor<4x8xf16>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%48) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf16>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "unary_floor"}> ({
  ^bb0(%arg80: tensor<4x8xf16>, %arg81: tensor<4x8xf32>):
    %45 = "linalg.elemwise_unary"(%arg80, %arg81) <{fun = #linalg.unary_fn<floor>, operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg82: f16, %arg83: f32):
      %46 = "arith.extf"(%arg82) : (f16) -> f32
      %47 = "math.floor"(%46) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%47) : (f32) -> ()
    }) : (tensor<4x8xf16>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%45) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf16>, tensor<4x8xf32>) -> tensor<4x8xf32>, sym_name = "unary_negf"}> ({
  ^bb0(%arg76: tensor<4x8xf16>, %arg77: tensor<4x8xf32>):
    %42 = "linalg.elemwise_unary"(%arg76, %arg77) <{fun = #linalg.unary_fn<negf>, operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg78: f16, %arg79: f32):
      %43 = "arith.extf"(%arg78) : (f16) -> f32
      %44 = "arith.negf"(%43) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%44) : (f32) -> ()
    }) : (tensor<4x8xf16>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%42) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi8>, tensor<4x8xi16>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "binary_add"}> ({
  ^bb0(%arg70: tensor<4x8xi8>, %arg71: tensor<4x8xi16>, %arg72: tensor<4x8xi32>):
    %38 = "linalg.elemwise_binary"(%arg70, %arg71, %arg72) <{fun = #linalg.binary_fn<add>, operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg73: i8, %arg74: i16, %arg75: i32):
      %39 = "arith.extsi"(%arg73) : (i8) -> i32
      %40 = "arith.extsi"(%arg74) : (i16) -> i32
      %41 = "arith.addi"(%39, %40) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%41) : (i32) -> ()
    }) : (tensor<4x8xi8>, tensor<4x8xi16>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%38) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi8>, tensor<4x8xi16>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "binary_sub"}> ({
  ^bb0(%arg64: tensor<4x8xi8>, %arg65: tensor<4x8xi16>, %arg66: tensor<4x8xi32>):
    %34 = "linalg.elemwise_binary"(%arg64, %arg65, %arg66) <{fun = #linalg.binary_fn<sub>, operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg67: i8, %arg68: i16, %arg69: i32):
      %35 = "arith.extsi"(%arg67) : (i8) -> i32
      %36 = "arith.extsi"(%arg68) : (i16) -> i32
      %37 = "arith.subi"(%35, %36) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%37) : (i32) -> ()
    }) : (tensor<4x8xi8>, tensor<4x8xi16>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%34) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi8>, tensor<4x8xi16>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "binary_mul"}> ({
  ^bb0(%arg58: tensor<4x8xi8>, %arg59: tensor<4x8xi16>, %arg60: tensor<4x8xi32>):
    %30 = "linalg.elemwise_binary"(%arg58, %arg59, %arg60) <{fun = #linalg.binary_fn<mul>, operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg61: i8, %arg62: i16, %arg63: i32):
      %31 = "arith.extsi"(%arg61) : (i8) -> i32
      %32 = "arith.extsi"(%arg62) : (i16) -> i32
      %33 = "arith.muli"(%31, %32) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%33) : (i32) -> ()
    }) : (tensor<4x8xi8>, tensor<4x8xi16>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%30) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi8>, tensor<4x8xi16>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "binary_div"}> ({
  ^bb0(%arg52: tensor<4x8xi8>, %arg53: tensor<4x8xi16>, %arg54: tensor<4x8xi32>):
    %26 = "linalg.elemwise_binary"(%arg52, %arg53, %arg54) <{fun = #linalg.binary_fn<div>, operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg55: i8, %arg56: i16, %arg57: i32):
      %27 = "arith.extsi"(%arg55) : (i8) -> i32
      %28 = "arith.extsi"(%arg56) : (i16) -> i32
      %29 = "arith.divsi"(%27, %28) : (i32, i32) -> i32
      "linalg.yield"(%29) : (i32) -> ()
    }) : (tensor<4x8xi8>, tensor<4x8xi16>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%26) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi8>, tensor<4x8xi16>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "binary_max_signed"}> ({
  ^bb0(%arg46: tensor<4x8xi8>, %arg47: tensor<4x8xi16>, %arg48: tensor<4x8xi32>):
    %22 = "linalg.elemwise_binary"(%arg46, %arg47, %arg48) <{fun = #linalg.binary_fn<max_signed>, operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg49: i8, %arg50: i16, %arg51: i32):
      %23 = "arith.extsi"(%arg49) : (i8) -> i32
      %24 = "arith.extsi"(%arg50) : (i16) -> i32
      %25 = "arith.maxsi"(%23, %24) : (i32, i32) -> i32
      "linalg.yield"(%25) : (i32) -> ()
    }) : (tensor<4x8xi8>, tensor<4x8xi16>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%22) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi8>, tensor<4x8xi16>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "binary_min_signed"}> ({
  ^bb0(%arg40: tensor<4x8xi8>, %arg41: tensor<4x8xi16>, %arg42: tensor<4x8xi32>):
    %18 = "linalg.elemwise_binary"(%arg40, %arg41, %arg42) <{fun = #linalg.binary_fn<min_signed>, operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg43: i8, %arg44: i16, %arg45: i32):
      %19 = "arith.extsi"(%arg43) : (i8) -> i32
      %20 = "arith.extsi"(%arg44) : (i16) -> i32
      %21 = "arith.minsi"(%19, %20) : (i32, i32) -> i32
      "linalg.yield"(%21) : (i32) -> ()
    }) : (tensor<4x8xi8>, tensor<4x8xi16>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%18) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi8>, tensor<4x8xi16>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "binary_max_unsigned"}> ({
  ^bb0(%arg34: tensor<4x8xi8>, %arg35: tensor<4x8xi16>, %arg36: tensor<4x8xi32>):
    %14 = "linalg.elemwise_binary"(%arg34, %arg35, %arg36) <{fun = #linalg.binary_fn<max_unsigned>, operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg37: i8, %arg38: i16, %arg39: i32):
      %15 = "arith.extsi"(%arg37) : (i8) -> i32
      %16 = "arith.extsi"(%arg38) : (i16) -> i32
      %17 = "arith.maxui"(%15, %16) : (i32, i32) -> i32
      "linalg.yield"(%17) : (i32) -> ()
    }) : (tensor<4x8xi8>, tensor<4x8xi16>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%14) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi8>, tensor<4x8xi16>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "binary_min_unsigned"}> ({
  ^bb0(%arg28: tensor<4x8xi8>, %arg29: tensor<4x8xi16>, %arg30: tensor<4x8xi32>):
    %10 = "linalg.elemwise_binary"(%arg28, %arg29, %arg30) <{fun = #linalg.binary_fn<min_unsigned>, operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg31: i8, %arg32: i16, %arg33: i32):
      %11 = "arith.extsi"(%arg31) : (i8) -> i32
      %12 = "arith.extsi"(%arg32) : (i16) -> i32
      %13 = "arith.minui"(%11, %12) : (i32, i32) -> i32
      "linalg.yield"(%13) : (i32) -> ()
    }) : (tensor<4x8xi8>, tensor<4x8xi16>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%10) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xi8>, tensor<4x8xi16>, tensor<4x8xi32>) -> tensor<4x8xi32>, sym_name = "binary_div_unsigned"}> ({
  ^bb0(%arg22: tensor<4x8xi8>, %arg23: tensor<4x8xi16>, %arg24: tensor<4x8xi32>):
    %6 = "linalg.elemwise_binary"(%arg22, %arg23, %arg24) <{fun = #linalg.binary_fn<div_unsigned>, operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg25: i8, %arg26: i16, %arg27: i32):
      %7 = "arith.extsi"(%arg25) : (i8) -> i32
      %8 = "arith.extsi"(%arg26) : (i16) -> i32
      %9 = "arith.divui"(%7, %8) : (i32, i32) -> i32
      "linalg.yield"(%9) : (i32) -> ()
    }) : (tensor<4x8xi8>, tensor<4x8xi16>, tensor<4x8xi32>) -> tensor<4x8xi32>
    "func.return"(%6) : (tensor<4x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (memref<4x8xf16>, memref<8x16xf16>, memref<?x16xf32>, f32, memref<8x4xf16>, memref<4xf16>) -> (), sym_name = "memory"}> ({
  ^bb0(%arg7: memref<4x8xf16>, %arg8: memref<8x16xf16>, %arg9: memref<?x16xf32>, %arg10: f32, %arg11: memref<8x4xf16>, %arg12: memref<4xf16>):
    "linalg.fill"(%arg10, %arg9) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg20: f32, %arg21: f32):
      "linalg.yield"(%arg20) : (f32) -> ()
    }) : (f32, memref<?x16xf32>) -> ()
    "linalg.matmul"(%arg7, %arg8, %arg9) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg17: f16, %arg18: f16, %arg19: f32):
      %2 = "arith.extf"(%arg17) : (f16) -> f32
      %3 = "arith.extf"(%arg18) : (f16) -> f32
      %4 = "arith.mulf"(%2, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %5 = "arith.addf"(%arg19, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%5) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (memref<4x8xf16>, memref<8x16xf16>, memref<?x16xf32>) -> ()
    "linalg.transpose"(%arg7, %arg11) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg15: f16, %arg16: f16):
      "linalg.yield"(%arg15) : (f16) -> ()
    }) : (memref<4x8xf16>, memref<8x4xf16>) -> ()
    "linalg.broadcast"(%arg12, %arg11) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg13: f16, %arg14: f16):
      "linalg.yield"(%arg13) : (f16) -> ()
    }) : (memref<4xf16>, memref<8x4xf16>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<8x4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>), sym_name = "shapes"}> ({
  ^bb0(%arg0: tensor<4x8xf32>, %arg1: tensor<8x4xf32>, %arg2: tensor<4xf32>):
    %0 = "linalg.transpose"(%arg0, %arg1) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg5: f32, %arg6: f32):
      "linalg.yield"(%arg5) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = "linalg.broadcast"(%arg2, %arg1) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg3: f32, %arg4: f32):
      "linalg.yield"(%arg3) : (f32) -> ()
    }) : (tensor<4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    "func.return"(%0, %1) : (tensor<8x4xf32>, tensor<8x4xf32>) -> ()
  }) : () -> ()
}) : () -> ()

