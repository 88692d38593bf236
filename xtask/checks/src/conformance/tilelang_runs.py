"""Runs kernels of TileLang's examples in the interpreter, and compares what they compute with NumPy.

    {"op": "version"} -> {"version"}
    {"op": "cases"} -> {"cases": [NAME]}
    {"op": "run", "program": P, "examples": DIR, "case": NAME} -> {"kind": "equal" | "different" | "refused", "why"}

A case is an example's file, a call of one of its factories with small sizes, the arrays of the kernel's parameters in their order (`None` for
one that the kernel only writes), and the same result by NumPy. The program is `tir-analyzer run FILE --instance CALL --inputs …`: nothing of
the example is executed. Results are compared in the type of the output, within a tolerance where sums are rounded in another order.
"""

import math
import os
import re
import subprocess
import tempfile

import ml_dtypes
import numpy as np

from worker_loop import serve

SECONDS = 120
BF16, FP8 = ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn
CASES = {}


class Case:
    def __init__(self, file, call, arrays, reference, function, symbols, tolerance):
        self.file, self.call, self.arrays, self.reference = file, call, arrays, reference
        self.function, self.symbols, self.tolerance = function, symbols, tolerance


def case(file, call, arrays, reference, function=None, symbols=None, tolerance=1e-2):
    """`arrays` are made by calls of the random source; `reference` takes those that are given by their names, and gives those that are not."""
    name = f"{file}: {call}" + (f" {function}" if function else "")
    assert name not in CASES, name
    CASES[name] = Case(file, call, arrays, reference, function, symbols, tolerance)


def normal(*shape, dtype=np.float16):
    return lambda random: random.standard_normal(shape).astype(np.float32).astype(dtype)


def integers(low, high, *shape, dtype=np.int8):
    return lambda random: random.integers(low, high, shape).astype(dtype)


def fixed(*values, dtype=np.int32):
    return lambda _random: np.array(values, dtype)


def filled(value, *shape, dtype=np.float32):
    return lambda _random: np.full(shape, value, dtype)


def f(it):
    return np.asarray(it).astype(np.float32)


# ---- products ----

def product(a, b, transpose_b=False):
    return f(a) @ (f(b).T if transpose_b else f(b))


def gemm(file, call, transpose_b=False, m=64, n=64, k=64, dtype=np.float16, after=lambda it: it, **options):
    b = normal(n, k, dtype=dtype) if transpose_b else normal(k, n, dtype=dtype)
    arrays = {"A": normal(m, k, dtype=dtype), "B": b, "C": None}
    case(file, call, arrays, lambda A, B: {"C": after(product(A, B, transpose_b))}, tolerance=3e-2, **options)


SIZES = "M=64, N=64, K=64"
BLOCKS = "block_M=32, block_N=32, block_K=32"
case(
    "elementwise/example_elementwise_add.py",
    'elementwise_add(block_M=32, block_N=32, in_dtype="float32", out_dtype="float32", threads=128, M=80, N=48)',
    {"A": normal(80, 48, dtype=np.float32), "B": normal(80, 48, dtype=np.float32), "C": None},
    lambda A, B: {"C": A + B},
    tolerance=1e-6,
)
gemm("gemm/example_gemm.py", f"matmul({BLOCKS}, {SIZES})")
gemm("gemm/example_gemm.py", f"matmul({BLOCKS}, M=48, N=80, K=72)", m=48, n=80, k=72)
gemm("gemm/example_gemm_persistent.py", f"matmul_non_persistent({BLOCKS}, threads=128, num_stages=2, {SIZES})", function="matmul_non_persistent")
gemm("gemm/example_gemm_persistent.py", f"matmul_persistent({BLOCKS}, threads=128, num_stages=2, {SIZES})", function="matmul_persistent")
TUNED = f"{SIZES}, {BLOCKS}, num_stages=2, thread_num=128"
gemm("gemm/example_gemm_advanced_autotune.py", f"matmul({TUNED}, enable_rasteration=True)", True, function="gemm_autotune")
gemm("gemm/example_gemm_autotune.py", f"matmul({TUNED}, enable_rasteration=True)", True, function="gemm_autotune")
gemm("gemm/example_gemm_autotune_early_stop.py", f"matmul_early_stop({TUNED})", True)
gemm("gemm/example_gemm_autotune_pass_configs.py", f"matmul_decorator({TUNED})", True)
gemm("quickstart.py", f"matmul({BLOCKS}, {SIZES})", after=lambda it: np.maximum(it, 0))
gemm("visual_layout_inference/visual_layout_inference.py", f"matmul({BLOCKS}, {SIZES})")
gemm("gemm_fp8/example_tilelang_gemm_fp8.py", f'matmul({BLOCKS}, dtype="float8_e4m3fn", {SIZES})', True, dtype=FP8)
gemm("gemm_fp8/example_tilelang_gemm_fp8_2xAcc.py", f'matmul({BLOCKS}, dtype="float8_e4m3fn", M=64, N=64, K=160)', True, k=160, dtype=FP8)
gemm(
    "dynamic_shape/example_dynamic.py",
    f'matmul_dynamic_mnk({BLOCKS}, trans_A=False, trans_B=False, in_dtype="float16", out_dtype="float16", accum_dtype="float32", num_stages=2, threads=128)',
    m=48, n=40, k=72, symbols="m=48,n=40,k=72",
)
for split in ["example_tilelang_gemm_splitk.py", "example_tilelang_gemm_splitk_vectorize_atomicadd.py"]:
    case(
        f"gemm_splitk/{split}",
        f"matmul({BLOCKS}, split_k=2, {SIZES})",
        {"A": normal(64, 64), "B": normal(64, 64), "C": filled(1, 64, 64)},
        lambda A, B, C: {"C": C + product(A, B)},
    )
case(
    "gemm_int4/example_tilelang_gemm_int4.py",
    f"matmul_nt_int4({SIZES}, {BLOCKS})",
    {"A": lambda r: r.integers(-8, 8, (64, 64)).astype(ml_dtypes.int4), "B": lambda r: r.integers(-8, 8, (64, 64)).astype(ml_dtypes.int4), "C": None},
    lambda A, B: {"C": product(A, B, True)},
    tolerance=0,
)
case(
    "blocksparse_gemm/example_blocksparse_gemm.py",
    f"blocksparse_matmul({BLOCKS}, num_stages=2, thread_num=128, enable_rasteration=True, {SIZES})",
    {"A": normal(64, 64), "B": normal(64, 64), "BlockMask": integers(0, 2, 2, 2, 2, dtype=bool), "C": None},
    lambda A, B, BlockMask: {"C": sum(
        np.kron(BlockMask[:, :, k], np.ones((32, 32))) * product(A[:, 32 * k : 32 * k + 32], B[32 * k : 32 * k + 32]) for k in range(2)
    )},
)
case(
    "grouped_gemm/example_grouped_gemm_fwd.py",
    f"grouped_gemm(batch_sizes_list=[40, 24], {BLOCKS}, K=64, N=64)",
    {
        "A": normal(64, 64), "B": normal(2, 64, 64), "batch_sizes": fixed(40, 24), "batch_offsets": fixed(0, 40),
        "batch_padded_offsets": fixed(0, 64), "C": None,
    },
    lambda A, B, **_: {"C": np.concatenate([product(A[:40], B[0]), product(A[40:], B[1])])},
)
for warps in ["gemm_copy_0_gemm_1", "gemm_copy_1_gemm_0", "gemm_copy_gemm_0_1", "gemm_softpipe_stage2", "gemm_barrierpipe_stage2"]:
    factory = "matmul" if "stage2" in warps else f"matmul_warp_specialize_{warps.removeprefix('gemm_')}"
    gemm(f"warp_specialize/example_warp_specialize_{warps}.py", f"{factory}({BLOCKS}, {SIZES})")

# ---- products of a vector ----
VECTOR = {"A": normal(256), "B": normal(16, 256), "C": None}
for call in [
    "naive_splitk_gemv(BLOCK_N=8, BLOCK_K=32", "splitk_gemv(BLOCK_N=8, BLOCK_K=32, reduce_threads=8",
    "splitk_gemv_vectorized(BLOCK_N=2, reduce_threads=32", "splitk_gemv_vectorized_tvm(BLOCK_N=2, reduce_threads=32",
    "get_autotuned_kernel(BLOCK_N=2, reduce_threads=32",
]:
    factory = call.split("(")[0]
    case("gemv/example_gemv.py", f"{call}, N=16, K=256)", VECTOR, lambda A, B: {"C": product(B, A)}, factory)
# A thread for each row, so that a block has as many rows as it has threads.
case("gemv/example_gemv.py", "naive_gemv(BLOCK_N=128, BLOCK_K=32, N=128, K=64)", {"A": normal(64), "B": normal(128, 64), "C": None},
     lambda A, B: {"C": product(B, A)}, "naive_gemv")
case(
    "gemv/example_gemv.py",
    "gemv_alloc_reducer(block_M=16, block_N=32, num_stages=2, threads=128, M=32, N=64)",
    {"a": normal(32, 64), "x": normal(64), "o": None},
    lambda a, x: {"o": product(a, x)},
    "gemv_alloc_reducer",
)

# ---- convolutions ----

def convolution(data, kernel, stride, dilation, padding):
    n, h, w, c = data.shape
    size, _, _, features = kernel.shape
    padded = np.pad(f(data), [(0, 0), (padding, padding), (padding, padding), (0, 0)])
    oh = (h + 2 * padding - dilation * (size - 1) - 1) // stride + 1
    ow = (w + 2 * padding - dilation * (size - 1) - 1) // stride + 1
    out = np.zeros((n, oh, ow, features), np.float32)
    for y in range(size):
        for x in range(size):
            part = padded[:, y * dilation : y * dilation + stride * oh : stride, x * dilation : x * dilation + stride * ow : stride][:, :oh, :ow]
            out += part @ f(kernel[y, x])
    return out


for file, factory, threads in [
    ("convolution/example_convolution.py", "convolution", "threads=128"),
    ("convolution/example_convolution_autotune.py", "convolution", "thread_num=128, enable_rasteration=False"),
    ("analyze/example_conv_analyze.py", "kernel", "threads=128"),
]:
    case(
        file,
        f"{factory}(S=1, D=1, P=1, block_M=32, block_N=32, block_K=32, num_stages=2, {threads}, N=1, C=32, H=8, W=8, F=32, K=3)",
        {"data": normal(1, 8, 8, 32), "kernel": normal(3, 3, 32, 32), "out": None},
        lambda data, kernel: {"out": convolution(data, kernel, 1, 1, 1)},
        tolerance=3e-2,
    )

# ---- norms, softmax, selection ----

def layer_norm(X, gamma, beta):
    mean = X.mean(1)
    rstd = 1 / np.sqrt((X * X).mean(1) - mean**2 + 1e-5)
    return {"Y": (X - mean[:, None]) * rstd[:, None] * gamma + beta, "Mean": mean, "Rstd": rstd}


case(
    "norm/layernorm.py",
    '_layernorm_fwd(N=6, D=64, blk_m=2, threads=128, in_dtype="float32", out_dtype="float32")',
    {"X": normal(6, 64, dtype=np.float32), "gamma": normal(64, dtype=np.float32), "beta": normal(64, dtype=np.float32), "Y": None, "Mean": None, "Rstd": None},
    layer_norm,
    tolerance=1e-4,
)
for call in ["rms_norm(blk_m=2", "rms_norm_splitk(blk_m=2, blk_k=32"]:
    case(
        "norm/rms_norm.py",
        f"{call}, M=6, N=64)",
        {"A": normal(6, 64, dtype=np.float32), "B": None},
        lambda A: {"B": A / np.sqrt((A * A).mean(1, keepdims=True) + 1e-12)},
        call.split("(")[0],
        tolerance=1e-4,
    )


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def quantized(X, group, low=1e-4):
    rows, columns = X.shape
    parts = f(X).reshape(rows, columns // group, group)
    scale = np.maximum(np.abs(parts).max(2), low) / np.float32(448)
    return np.clip(parts / scale[:, :, None], -448, 448).reshape(rows, columns), scale


def per_token(X):
    values, scale = quantized(X, 128)
    return {"X_fp8": values, "X_amax": scale}


case(
    "cast/example_per_token_cast_to_fp8.py",
    "per_token_cast_to_fp8(blk_m=2, M=4, N=256)",
    {"X": normal(4, 256, dtype=np.float32), "X_fp8": None, "X_amax": None},
    per_token,
    tolerance=0.07,
)


def best(logits):
    order = np.argsort(-logits, axis=1)[:, :3]
    return {"topk_gates": np.take_along_axis(logits, order, 1), "topk_indices": order}


case("topk/example_topk.py", "tl_topk(topk=3, blk_m=4, threads=128, M=8, N=32)",
     {"logits": normal(8, 32, dtype=np.float32), "topk_gates": None, "topk_indices": None}, best, tolerance=0)


def hadamard(A):
    n = A.shape[1]
    matrix = np.ones((1, 1))
    while matrix.shape[0] < n:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return {"B": f(A) @ matrix}


case("hadamard_transform/example_hadamard.py", 'hadamard(n=64, dtype="float32", b=2)', {"A": normal(2, 64, dtype=np.float32), "B": None}, hadamard, "hadamard", tolerance=1e-4)

# ---- narrow types ----

def nibbles(packed):
    return np.stack([packed & 15, packed >> 4], -1).reshape(packed.shape[0], -1).astype(np.int32)


def fp4(packed):
    it = nibbles(packed)
    bits = ((it >> 3) << 15) | ((((it & 6) >> 1) + 14) << 10) | ((it & 1) << 9)
    return bits.astype(np.uint16).view(np.float16)


def int4(packed):
    it = nibbles(packed)
    return (it ^ 8) - 8


PACKED = integers(0, 256, 64, 32, dtype=np.uint8)
FOLDER = "dequantize_gemm"
case(f"{FOLDER}/example_dequant_gemm_fp4_hopper.py", 'test_convert(64, 64, 32, 32, "float16")', {"B": PACKED, "C": None},
     lambda B: {"C": fp4(B)}, "main", tolerance=0)
DEQUANTISED = "M=64, N=64, K=64, block_M=32, block_N=32, block_K=32, num_stages=1, threads=128"
for function in ["main", "main_split"]:
    split = "" if function == "main" else ", split=2"
    case(
        f"{FOLDER}/example_dequant_gemm_fp4_hopper.py",
        f'matmul({DEQUANTISED}, in_dtype="float16", out_dtype="float16", accum_dtype="float32"{split})',
        {"A": normal(64, 64), "B": PACKED, "Ct": None},
        lambda A, B: {"Ct": f(fp4(B)) @ f(A).T},
        function,
        tolerance=3e-2,
    )
case(f"{FOLDER}/example_dequant_gemm_w4a8.py", '_convert_test(64, 64, 32, 32, "int8")', {"B": PACKED, "C": None},
     lambda B: {"C": int4(B)}, "main", tolerance=0)
case(
    f"{FOLDER}/example_dequant_gemm_w4a8.py",
    f'matmul_int8xint4({DEQUANTISED}, in_dtype="int8", out_dtype="int32", accum_dtype="int32")',
    {"A": integers(-128, 128, 64, 64), "B": PACKED, "Ct": None},
    lambda A, B: {"Ct": f(int4(B)) @ f(A).T},
    "main",
    tolerance=0,
)


def rounded_scale(x):
    values = f(x).reshape(x.shape[0], -1, 128)
    amax = np.maximum(np.abs(values).max(2), np.float32(1e-4))
    scale = np.exp2(np.ceil(np.log2(amax * np.float32(1 / 448)))).astype(np.float32)
    return {"quant": np.clip(values / scale[:, :, None], -448, 448).reshape(x.shape), "scale": scale}


case("deepseek_v4/act_quant.py", "fp8_quant_kernel(N=256)", {"x": normal(32, 256, dtype=BF16), "quant": None, "scale": None},
     rounded_scale, "fp8_quant_kernel", "M=32", tolerance=0.07)

# ---- attention ----

def attention(Q, K, V, causal=False, sinks=None):
    """Of arrays `[batch, heads, length, dim]`."""
    scores = f(Q) @ f(K).swapaxes(-1, -2) / math.sqrt(Q.shape[-1])
    if causal:
        rows, columns = scores.shape[-2:]
        scores = np.where(np.arange(rows)[:, None] + columns - rows >= np.arange(columns), scores, -np.inf)
    if sinks is None:
        return softmax(scores) @ f(V)
    most = np.maximum(scores.max(-1, keepdims=True), f(sinks)[None, :, None, None])
    e = np.exp(scores - most)
    return e / (e.sum(-1, keepdims=True) + np.exp(f(sinks)[None, :, None, None] - most)) @ f(V)


def heads_first(it):
    return f(it).swapaxes(1, 2)


def flash(file, call, q, kv, reference, function="main", **more):
    case(file, call, {"Q": normal(*q), "K": normal(*kv), "V": normal(*kv), "Output": None} | more, reference, function, tolerance=2e-2)


for causal in [False, True]:
    flash(
        "flash_attention/example_mha_fwd_bhsd.py",
        f"flashattn(batch=1, heads=2, seq_q=32, seq_kv=64, dim=32, is_causal={causal}, block_M=16, block_N=16)",
        (1, 2, 32, 32), (1, 2, 64, 32),
        lambda Q, K, V, causal=causal: {"Output": attention(Q, K, V, causal)},
    )
    flash(
        "flash_attention/example_mha_fwd_bshd.py",
        f"flashattn(batch=1, heads=2, seq_len=64, dim=32, is_causal={causal}, block_M=16, block_N=16)",
        (1, 64, 2, 32), (1, 64, 2, 32),
        lambda Q, K, V, causal=causal: {"Output": heads_first(attention(heads_first(Q), heads_first(K), heads_first(V), causal))},
    )
    flash(
        "flash_attention/example_gqa_fwd_bshd.py",
        f"flashattn(batch=1, heads=4, seq_len=32, dim=32, is_causal={causal}, groups=2, block_M=16, block_N=16)",
        (1, 32, 4, 32), (1, 32, 2, 32),
        lambda Q, K, V, causal=causal: {"Output": heads_first(attention(
            heads_first(Q), heads_first(K).repeat(2, 1), heads_first(V).repeat(2, 1), causal))},
    )
    flash(
        "flash_decoding/example_mha_inference.py",
        f"flashattn(batch=1, heads=2, seqlen_q=16, seqlen_kv=128, dim=32, is_causal=False, block_M=16, block_N={32 if causal else 16})",
        (1, 16, 2, 32), (1, 128, 2, 32),
        lambda Q, K, V: {"Output": heads_first(attention(heads_first(Q), heads_first(K), heads_first(V)))},
        "flashattn_mha_inference",
    )
flash(
    "attention_sink/example_mha_sink_fwd_bhsd.py",
    "flashattn(batch=1, heads=2, seq_q=32, seq_kv=32, dim=32, block_M=16, block_N=16)",
    (1, 2, 32, 32), (1, 2, 32, 32),
    lambda Q, K, V, Sinks: {"Output": attention(Q, K, V, True, Sinks)},
    Sinks=normal(2),
)


def decoded(Q, K, V, mask):
    q = f(Q)[:, :, None, :]
    k, v = (heads_first(it).repeat(16, 1) for it in (K, V))
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    scores = np.where(heads_first(mask[..., None])[..., 0].repeat(16, 1)[:, :, None, :] != 0, scores, -np.inf)
    return {"Output": (softmax(scores) @ v)[:, :, 0, :]}


for split in [1, 2]:
    case(
        "flash_decoding/example_gqa_decode.py",
        f"flashattn(batch=1, heads=32, groups=2, seqlen_kv=64, dim=32, block_N=16, block_H=16, num_split={split}, num_stages=1, threads=128)",
        {"Q": normal(1, 32, 32), "K": normal(1, 64, 2, 32), "V": normal(1, 64, 2, 32), "mask": integers(0, 2, 1, 64, 2, dtype=np.uint8), "Output": None},
        decoded,
        "flashattn_gqa_decode_no_split" if split == 1 else "flashattn_gqa_decode_split",
        tolerance=2e-2,
    )


def linear(Q, K, V, O):
    q, k, v = (heads_first(it) for it in (Q, K, V))
    scores = np.tril(q @ k.swapaxes(-1, -2)) / math.sqrt(q.shape[-1])
    return {"O": heads_first(scores @ v), "final_state": k.swapaxes(-1, -2) @ v}


def retention(Q, K, V):
    q, k, v = (heads_first(it) for it in (Q, K, V))
    length = q.shape[2]
    distance = np.arange(length)[:, None] - np.arange(length)
    decay = np.log2(1 - np.exp2(-5.0 - np.arange(q.shape[1])))[:, None, None]
    mask = np.where(distance >= 0, np.exp2(distance * decay), 0)
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1]) * mask
    return {"O": heads_first(scores @ v)[None]}


LINEAR = {"Q": normal(1, 64, 1, 64), "K": normal(1, 64, 1, 64), "V": normal(1, 64, 1, 64)}
case("linear_attention/example_linear_attn_fwd.py", "tl_fused_chunk_fwd_kernel(1, 64, 1, 64, 64)",
     LINEAR | {"O": filled(0, 1, 64, 1, 64), "final_state": None}, linear, tolerance=5e-2)
case("linear_attention/example_retention_fwd.py", "chunk_retention_fwd_kernel(1, 64, 1, 64, 64)", LINEAR | {"O": None}, retention, tolerance=5e-2)


def mixed(a, b, c, d):
    return {"x": f(c)[:, :, None] * f(d)[:, None, :] + f(a).swapaxes(1, 2) @ f(b)}


case(
    "deepseek_mhc/example_mhc_post.py",
    "mhc_post_tilelang(hc=4, hidden=64, h_blk=32)",
    {"a": normal(3, 4, 4, dtype=np.float32), "b": normal(3, 4, 64, dtype=BF16), "c": normal(3, 4, dtype=np.float32), "d": normal(3, 64, dtype=BF16), "x": None},
    mixed,
    "mhc_post_tilelang",
    "num_tokens=3",
    tolerance=2e-2,
)


def placeless(message):
    """What a message says, without the file and the line."""
    return re.sub(r"^(error: )?\S+\.py(:\d+:\d+)?: ", "", message)


class Worker:
    def version(self, _request):
        return {"version": np.__version__}

    def cases(self, _request):
        return {"cases": list(CASES)}

    def run(self, request):
        it = CASES[request["case"]]
        random = np.random.default_rng(1)
        given = {name: make(random) for name, make in it.arrays.items() if make}
        with tempfile.TemporaryDirectory() as folder:
            entries = []
            for name in it.arrays:
                if name in given:
                    np.save(os.path.join(folder, f"{name}.in.npy"), given[name])
                entries.append(os.path.join(folder, f"{name}.in.npy") if name in given else "zeros")
            command = [request["program"], "run", os.path.join(request["examples"], it.file), "--color", "never", "--no-races"]
            command += ["--instance", it.call, "--inputs", ",".join(entries), "--output", folder]
            command += ["--function", it.function] if it.function else []
            command += ["--set", it.symbols] if it.symbols else []
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
            except subprocess.TimeoutExpired:
                return {"kind": "refused", "why": f"more than {SECONDS} seconds"}
            if done.returncode != 0:
                said = [line for line in (done.stderr + done.stdout).splitlines() if "error" in line] or (done.stderr + done.stdout).splitlines()
                return {"kind": "refused", "why": placeless(said[0]) if said else f"exit status {done.returncode}"}
            return self.judge(it, folder, it.reference(**given))

    @staticmethod
    def judge(it, folder, expected):
        for name, wanted in expected.items():
            place = os.path.join(folder, f"{name}.npy")
            if not os.path.exists(place):
                return {"kind": "refused", "why": f"no array {name}"}
            found = np.load(place)
            if found.dtype.kind == "V":
                found = found.view({1: FP8, 2: BF16}[found.dtype.itemsize])
            found, wanted = f(found), f(np.asarray(wanted).astype(found.dtype))
            if found.shape != wanted.shape:
                return {"kind": "different", "why": f"{name} has the shape {found.shape}, not {wanted.shape}"}
            off = np.abs(found - wanted) - it.tolerance * (1 + np.abs(wanted))
            if not (off <= 0).all():
                at = np.unravel_index(np.nanargmax(np.where(np.isnan(off), np.inf, off)), off.shape)
                place = ", ".join(str(int(n)) for n in at)
                return {"kind": "different", "why": f"{name}[{place}] is {found[at]}, not {wanted[at]}"}
        return {"kind": "equal", "why": ""}


if __name__ == "__main__":
    serve(Worker)
