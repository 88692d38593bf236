//! Calls that are given a pointer or a place: the memory that they may write is neither known before nor unused, and
//! they stay.
//!
//! Each row of the table is a call, with its preparation. It stands between two equal values of the memory that it is
//! given, before the first read of that memory, and behind stores that nothing else reads: nothing may be found in any
//! of these programs. The findings around a call that is given no pointer show that the programs are ones with
//! findings.

use super::{FILE, analysis, function};
use crate::DiagnosticsConfig;

/// Calls that may write `d`, a local buffer of 4 integers.
const WRITES: &[&str] = &[
    // Pointers as operands of helpers that return nothing, and of such that would be values of numbers.
    "T.cuda.half8tofloat8(A.data, d.data)",
    "T.cuda.float8tohalf8(A.data, d.data)",
    "T.evaluate(T.cuda.half2float(d.data))",
    "T.evaluate(T.cuda.any_sync(d.data, 1))",
    "T.evaluate(T.cuda.fdividef(d.data, F[0]))",
    "T.evaluate(T.popcount(d.data))",
    // Destinations by keyword, alone and in lists; the form that TVM prints.
    "T.cuda.ldg(A.data, \"int32\", dst=d.ptr_to([0]), vec=\"v4\")",
    "T.cuda.ldg(A.data, \"int32\", dst=(d.ptr_to([0]), d.ptr_to([1])), vec=\"v2\")",
    "T.cuda.ldg(A.data, \"int32\", dst=[d.ptr_to([0]), d.ptr_to([1])], vec=\"v2\")",
    "T.cuda.ldg(d.ptr_to([0]), d.ptr_to([1]), A.data, \"int32\", \"v2\", 2)",
    // Descriptors.
    "T.cuda.runtime_instr_desc(d.ptr_to([0]), i)",
    // Atomics, waits, timers.
    "T.evaluate(T.cuda.atomic_add(d.ptr_to([0]), 1))",
    "T.evaluate(T.cuda.atomic_cas(d.ptr_to([0]), 1, 2))",
    "T.cuda.wait_until(d[0], A.ptr_to([0]), d[0] == 3, \"gpu\", \"global\", \"\", 0)",
    "T.cuda.timer_init(A.data, B.data, d.data, 1, 0)",
    "T.evaluate(T.cuda.cta_reduce(i, \"sum\", 4, d.ptr_to([0])))",
    "T.evaluate(T.cuda.cta_sum(i, 4, scratch=d.ptr_to([0])))",
    // Registers of PTX, in all spellings.
    "T.ptx.ld.global_.s32(d[0], A.ptr_to([0]))",
    "T.ptx[\"ld.global.s32\"](d[0], A.ptr_to([0]))",
    "T.ptx[\"ld.weak.global.v2.s32\"](d[0], d[1], A.ptr_to([0]), pred=i > 0)",
    "T.ptx.ld.relaxed.sys.global_.s32(d[0], A.ptr_to([0]))",
    "T.ptx.ld(d[0], A.ptr_to([0]), \"acquire\", \"gpu\", \"global\", \"s32\", \"\")",
    "T.ptx.ldu.global_.s32(d[0], A.data)",
    "T.ptx.mov.u32(d[0], i)",
    "T.ptx.add.s32(d[0], i, j)",
    "T.ptx.setp.lt.s32(d[0], d[1], i, j)",
    "T.ptx.shfl.sync.idx.b32(d[0], i, j, 31, -1)",
    "T.ptx.activemask.b32(d[0])",
    "T.ptx.elect.sync(d[0], d[1], -1)",
    "T.ptx.vote.sync.any.pred(d[0], i > 0, -1)",
    "T.ptx.redux.sync.add.s32(d[0], i, -1)",
    "T.ptx.atom.global_.add.s32(d[0], A.ptr_to([0]), 1)",
    "T.ptx.ldmatrix.sync.aligned.m8n8.x2.shared.b16((d[0], d[1]), A.ptr_to([0]))",
    "T.ptx.mma.sync.aligned([d[0], d[1]], [i, j], [n], [0, 0])",
    "T.ptx.mbarrier.arrive.shared.b64(d[0], A.data)",
    "T.ptx.createpolicy.fractional.b64(d[0], 1)",
    // Fragments and matrices.
    "T.mma_fill(\"int32\", 4, d.data, 0)",
    "T.simdgroup_load(d.data, 0, A.data, 8, 8, 8, False)",
    "T.s_tir.ldg32(d[0], True, A[0], 0)",
    // Other machines.
    "T.nvshmem.getmem_nbi(d.data, A.data, 4, 0)",
    "T.nki.load(d[0:4], A[0:4])",
    "T.texture2d_store(d.data, i, j, 1)",
    "T.dma_copy(0, d.data, A.data, 4, 0)",
    // The host.
    "T.tvm_struct_set(d.data, 0, 1, 3)",
    "T.evaluate(T.call_extern(\"int32\", \"f\", d.data))",
    "T.evaluate(T.call_pure_extern(\"float32\", \"modff\", F[0], d.data))",
    "T.evaluate(T.call_llvm_pure_intrin(\"int32\", \"llvm.f\", 1, d.data))",
    "T.evaluate(T.call_packed(\"f\", d.data))",
    // Nobody knows: buffers, elements, regions, lists, keywords, dictionaries, text.
    "T.foo(d)",
    "T.foo(d[0])",
    "T.foo(d[0:4])",
    "T.foo(d.data)",
    "T.foo([d[0], 1])",
    "T.foo(((1, d.ptr_to([0])), 2))",
    "T.foo(T.tvm_tuple(d.data, 1))",
    "T.foo({\"a\": d.data})",
    "T.foo(k=d)",
    "T.foo(k=d[0])",
    "T.foo(k=d[0:4])",
    "T.foo(k={\"a\": [d.ptr_to([0])]})",
    "T.foo(k=lambda x: d[0] + x)",
    "T.foo(**d)",
    "helper(d)",
    "helper(d[0])",
    "helper(1, out=d.ptr_to([0]))",
    // Pointers made of pointers.
    "T.foo(T.address_of(d[0]))",
    "T.foo(d.access_ptr(\"w\"))",
    "T.foo(T.tvm_access_ptr(T.type_annotation(\"int32\"), d.data, 0, 4, 2))",
    "T.foo(T.handle_add_byte_offset(d.data, 4))",
    "T.foo(T.reinterpret(\"uint64\", d.data) + T.uint64(4))",
    "T.foo(T.if_then_else(i > 0, d.data, d.ptr_to([2])))",
    // In the argument of another call.
    "T.evaluate(T.max(T.foo(d.data), 1))",
    "T.evaluate(T.exp(T.call_extern(\"float32\", \"f\", d.data)))",
    "T.evaluate(T.cuda.half2float(T.cuda.ldg(A.data, \"int32\", dst=d.data, vec=\"v4\")))",
    "T.foo(T.likely(T.foo(d.data) > 0))",
    // Through a variable, a view, another buffer.
    "p: T.let[T.handle(\"int32\", \"local\")] = d.data\nT.foo(p)",
    "p: T.let[T.uint64] = T.reinterpret(\"uint64\", d.data)\nT.foo(p + T.uint64(8))",
    "e = T.decl_buffer((4,), \"int32\", data=d.data, scope=\"local\")\nT.ptx.ld.global_.s32(e[0], A.data)",
    "e = d.view(2, 2)\nT.ptx.mov.u32(e[0, 0], i)",
    // Through an address that lies in memory.
    "h = T.alloc_local((1,), \"uint64\")\nh[0] = T.reinterpret(\"uint64\", d.data)\nT.ptx.st.local.u32(h[0], 1)",
    "h = T.alloc_local((1,), \"int32\")\nh[0] = T.Cast(\"int32\", T.reinterpret(\"uint64\", d.data))\nT.ptx.st.local.u32(h[0], 1)",
    "h = T.alloc_local((1,), \"uint64\")\nT.ptx.mov.u64(h[0], d.ptr_to([0]))\nT.ptx.st.local.u32(h[0], 1)",
    "h = T.alloc_local((1,), \"uint64\")\nT.ptx.cvta.to.local.u64(h[0], d.data)\nT.foo(h[0])",
];

/// Calls that only write the memory of `d` that they are given: a store before them may be dead.
const ONLY_WRITES: &[&str] = &[
    "T.cuda.float22half2(d.ptr_to([0]), A.ptr_to([0]))",
    "T.cuda.float22half2(dst=d.ptr_to([0]), src=A.ptr_to([0]))",
    "T.cuda.wgmma_encode_matrix_descriptor(d.ptr_to([0]), A.data, 1, 2, 3)",
    "T.cuda.wgmma.encode_matrix_descriptor(desc=d.data, addr=A.data, ldo=1, sdo=2, swizzle=3)",
    "T.cuda.tcgen05_encode_matrix_descriptor(d.ptr_to([0]), A.ptr_to([0]), 1, 2, 3)",
    "T.cuda.tcgen05.encode_instr_descriptor(d.ptr_to([0]), d_dtype=\"float32\", M=i, N=j)",
    "T.tensormap_encode_tiled(d.data, \"int32\", 1, A.data, 4)",
    "T.tvm_fill_fragment(d.data, 16, 16, 16, 0, 0)",
    "T.tvm_load_matrix_sync(d.data, 16, 16, 16, 0, A.data, 16, \"row_major\")",
    "T.cuda.float22half2(T.handle_add_byte_offset(d.data, 0), A.data)",
    "p: T.let[T.handle(\"int32\", \"local\")] = d.ptr_to([0])\nT.cuda.float22half2(p, A.data)",
    "e = T.decl_buffer((2,), \"int64\", data=d.data, scope=\"local\")\nT.cuda.float22half2(e.data, A.data)",
    "h: T.let[T.uint32] = T.cuda.cvta_generic_to_shared(d.ptr_to([0]))\nT.ptx.st.shared.u32(h, 1)",
];

/// Calls that only read `d`.
const READS: &[&str] = &[
    "T.mma_store(\"int32\", 16, 16, A.data, d.data, 0, 16)",
    "T.tvm_store_matrix_sync(d.data, 16, 16, 16, 0, A.data, 16, \"row_major\")",
    "T.cuda.timer_start(0, A.data, d.data, B.data, 1, True)",
    "T.print_buffer(d.data, \"int32\", 1, 4)",
    "T.cuda.float22half2(A.data, d.data)",
    "T.nvshmem.putmem_nbi(A.data, d.data, 4, 0)",
    "T.ptx.st.global_.s32(A.data, d[0])",
    "T.ptx.cp.async_.cg.shared.global_(A.data, d.data, 16)",
    "C[5] = T.cuda.ldg(d.data, \"int32\")",
    "C[5] = T.tvm_struct_get(d.data, 0, 1, \"int32\")",
];

/// Returns the codes of the findings in a function of these statements, without hints about unknown facts.
fn found(body: &str) -> Vec<String> {
    let text = function(body);
    let analysis = analysis(&text);
    let found = analysis.diagnostics(FILE, &DiagnosticsConfig::default()).unwrap();
    let unknown = ["unknown-intrinsic", "unresolved-capture", "undefined-name"];
    let codes = found.iter().map(|it| it.code.to_owned());
    codes.filter(|it| !unknown.contains(&it.as_str())).collect()
}

fn between(call: &str) -> String {
    format!(
        "d = T.alloc_local((4,), \"int32\")\nd[0] = n\nC[0] = d[0] * 3\n{call}\nC[1] = d[0] * 3"
    )
}

fn before_read(call: &str) -> String {
    format!("d = T.alloc_local((4,), \"int32\")\n{call}\nC[1] = d[0]")
}

fn behind_store(call: &str) -> String {
    format!("d = T.alloc_local((4,), \"int32\")\nd[0] = i * j\nd[1] = n\n{call}")
}

#[test]
fn programs_are_ones_in_which_something_is_found() {
    let call = "T.evaluate(T.max(i, j))";
    assert_eq!(found(&between(call)), ["common-subexpression", "no-op"]);
    assert_eq!(found(&before_read(call)), ["no-op", "read-before-write"]);
    assert_eq!(found(&behind_store(call)), ["dead-store", "dead-store", "no-op"]);
}

#[test]
fn nothing_is_known_of_what_a_call_may_write() {
    let mut wrong = Vec::new();
    let all = WRITES.iter().chain(ONLY_WRITES).flat_map(|it| [between(it), before_read(it)]);
    for program in all.chain(WRITES.iter().map(|it| behind_store(it))) {
        let found = found(&program);
        if !found.is_empty() {
            wrong.push(format!("{found:?} in\n{program}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn memory_that_a_call_may_read_stays() {
    let wrong: Vec<_> = READS.iter().filter(|it| !found(&behind_store(it)).is_empty()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A destination is not replaced by a name for its value, which equal values around it have.
#[test]
fn places_are_not_values() {
    for call in ["T.ptx.mov.u32(d[i], n)", "T.foo((d[i], d[i]))", "T.foo(k=[d[i]])"] {
        let text = format!("d = T.alloc_local((4,), \"int32\")\nd[i] = n\nC[0] = d[i] + 1\n{call}");
        assert_eq!(found(&text), [""; 0], "{call}");
    }
}
