//! Printed texts distinguish everything that TVM distinguishes: each text comes back as it is, or as the text beside
//! it, which TVM reads as the same.

use super::printed;

fn becomes(text: &str, expected: &str) {
    let header = "from tvm.script import tirx as T\nimport tvm\n\n@T.prim_func\ndef f(A: T.Buffer((16, n), \"float32\"), p: T.handle, x: T.int32):\n";
    let header = header.replace("n), ", "8), ");
    let indented = |text: &str| text.lines().map(|it| format!("    {it}\n")).collect::<String>();
    let print = printed(&format!("{header}{}", indented(text)));
    let (_, body) = print.split_once(":\n").expect("a function has a header");
    assert_eq!(body, indented(expected), "of\n{text}");
}

fn comes_back(text: &str) {
    becomes(text, text);
}

#[test]
fn a_number_of_python_is_no_constant() {
    comes_back("T.attr(0, \"key\", 1)\nT.evaluate(x)");
    comes_back("T.attr(T.int32(0), \"key\", 1)\nT.evaluate(x)");
    comes_back("T.attr(True, \"key\", 1)\nT.evaluate(x)");
    comes_back("T.ptx.some.op(p, 0, T.int32(0), True, 1.0, T.uint32(1))");
    comes_back("T.exp(T.float32(1.0))");
}

#[test]
fn pointers_keep_their_type() {
    comes_back(
        "q: T.let[T.handle(\"int64\", \"global\")] = T.tvm_struct_get(p, 0, 4, T.handle(\"int64\", \"global\").ty)\nT.evaluate(q)",
    );
    becomes(
        "q = T.ptr_byte_offset(A.data, 4, \"float16\")\nT.evaluate(q)",
        "q = T.bind(T.ptr_byte_offset(A.data, 4, \"float16\"))\nT.evaluate(q)",
    );
    becomes(
        "T.call_extern(\"f\", dtype=T.handle(\"int32\", \"global\").ty)",
        "T.call_extern(T.handle(\"int32\", \"global\").ty, \"f\")",
    );
    comes_back("q = T.handle(\"float32\", \"global\")\nT.evaluate(q)");
}

#[test]
fn a_pointer_by_the_method_of_a_buffer_has_a_type_of_its_own() {
    let call = |ty: &str, data: &str| {
        format!(
            "T.call_intrin({ty}, \"tirx.tvm_access_ptr\", T.type_annotation(\"float32\"), {data}.data, 0, 128, 1)"
        )
    };
    becomes("T.evaluate(A.access_ptr(\"r\"))", &call("\"handle\"", "A"));
    comes_back(&call("\"handle\"", "A"));
    let shared = "S = T.alloc_shared((128,))\n";
    let of_shared = format!("{shared}{}", call("T.handle(\"void\", \"shared\").ty", "S"));
    becomes(&format!("{shared}T.evaluate(S.access_ptr(\"r\"))"), &of_shared);
    comes_back(&of_shared);
    comes_back("T.tvm_access_ptr(T.type_annotation(\"float32\"), A.data, 0, 128, 1)");
    // What is written is dropped by TVM.
    comes_back(
        "T.tvm_access_ptr(T.type_annotation(\"float32\"), A.data, 0, 128, 1, dtype=\"handle\")",
    );
}

#[test]
fn scalars_keep_their_memory() {
    comes_back("s: T.uint64\nT.evaluate(s)");
    becomes(
        "s = T.shared_scalar(\"uint64\")\ns = T.uint64(1)",
        "s = T.alloc_scalar(\"uint64\", scope=\"shared\")\ns = T.uint64(1)",
    );
    becomes(
        "s = T.alloc_scalar(\"uint64\")\nT.evaluate(s)",
        "s = T.alloc_scalar(\"uint64\", scope=\"global\")\nT.evaluate(s)",
    );
    comes_back("s = T.alloc_scalar(\"uint64\", scope=\"shared.dyn\")\nT.evaluate(s)");
}

#[test]
fn indices_of_threads_are_names_whatever_their_type() {
    comes_back("tx = T.thread_id([128], dtype=\"uint32\")\nA[tx, 0] = T.float32(0.0)");
}

#[test]
fn parts_of_a_vector_are_cast() {
    becomes(
        "A[0, T.Ramp(0, 1, 4)] = T.Broadcast(1, 4)",
        "A[0, T.Ramp(0, 1, 4)] = T.Broadcast(T.float32(1.0), 4)",
    );
    comes_back("A[0, T.Ramp(0, 1, 4)] = T.Cast(\"float32x4\", T.Broadcast(x, 4))");
    becomes(
        "T.evaluate(T.Ramp(x, 1, 4).astype(\"int64x4\"))",
        "T.evaluate(T.Ramp(T.Cast(\"int64\", x), T.int64(1), 4))",
    );
}

#[test]
fn a_buffer_that_nothing_declares_stays_one() {
    comes_back("B = T.Buffer((128,), data=A.data)\nB[0] = T.float32(0.0)");
    comes_back("B = T.decl_buffer((128,), data=A.data)\nB[0] = T.float32(0.0)");
}

#[test]
fn a_matched_part_has_the_type_of_its_buffer() {
    becomes(
        "with T.sblock(\"b\"):\n    H = T.alloc_buffer((4,), \"int8\")\n    B = T.match_buffer(H[0:2])\n    T.evaluate(B[0])",
        "with T.sblock(\"b\"):\n    H = T.alloc_buffer((4,), \"int8\")\n    B = T.match_buffer(H[0:2], (2,), \"int8\")\n    T.evaluate(B[0])",
    );
}

#[test]
fn a_key_that_is_given_twice_is_given_twice() {
    comes_back(
        "with T.sblock(\"b\"):\n    T.sblock_attr({\"k\": {\"a\": 1}, \"l\": 1})\n    T.sblock_attr({\"k\": {\"b\": 2}})\n    T.evaluate(0)",
    );
}

#[test]
fn symbols_of_one_name_in_several_blocks_are_several() {
    let block = |s: &str| {
        format!(
            "with T.sblock(\"b\"):\n    B = T.match_buffer(A[0:16, 0:8], (16, 8), strides=({s}, 1))\n    T.evaluate(B[0, 0])\n"
        )
    };
    becomes(
        &[block("\"s\""), block("\"s\"")].concat(),
        &["s = T.int32()\ns_1 = T.int32()\n", &block("s"), &block("s_1")].concat(),
    );
}

#[test]
fn a_constant_of_python_is_one() {
    becomes("T.evaluate(tvm.tirx.const(True, \"bool\"))", "T.evaluate(T.bool(True))");
    becomes("T.evaluate(tvm.tirx.const(3, \"int64\"))", "T.evaluate(T.int64(3))");
    becomes("T.evaluate(tvm.tirx.const(3))", "T.evaluate(3)");
}

#[test]
fn an_older_let_is_a_let() {
    let older = "v = T.int32()\nT.evaluate(T.let(v, 1, v + 1))\n";
    let newer = "v = T.int32()\nT.evaluate(T.Let(v + 1, where={v: 1}))\n";
    becomes(older, newer);
    becomes(&older.replace(".let", ".Let"), newer);
    // A pointer gives the buffers that were described with it their memory.
    becomes(
        "p = T.handle(\"float32\")\nT.evaluate(T.Let(p, A.data, 1))\n",
        "T.evaluate(T.Let(p, A.data, 1))\n",
    );
}

#[test]
fn arguments_are_found_by_the_names_of_parameters() {
    becomes(
        "B = T.alloc_buffer((4,), \"float32\", None, None, None, None, \"shared\")\nB[0] = T.float32(0.0)",
        "B = T.alloc_shared((4,))\nB[0] = T.float32(0.0)",
    );
    becomes(
        "B = T.sblock_alloc_buffer((4,), \"float32\", None, None, None, \"shared\")\nB[0] = T.float32(0.0)",
        "B = T.sblock_alloc_buffer((4,), scope=\"shared\")\nB[0] = T.float32(0.0)",
    );
    comes_back("B = T.alloc_local((4,), data=A.data)\nB[0] = T.float32(0.0)");
    becomes(
        "B = T.alloc_local((4,), \"float32\", A.data)\nB[0] = T.float32(0.0)",
        "B = T.alloc_local((4,), data=A.data)\nB[0] = T.float32(0.0)",
    );
    becomes(
        "for i in T.thread_binding(4, None, \"threadIdx.x\"):\n    A[i, 0] = T.float32(0.0)",
        "for i in T.thread_binding(4, thread=\"threadIdx.x\"):\n    A[i, 0] = T.float32(0.0)",
    );
}

#[test]
fn block_with_default_regions_prints_them() {
    becomes(
        "with T.sblock(\"root\", no_realize=False):\n    A[0, 0] = T.float32(0.0)",
        "with T.sblock(\"root\"):\n    A[0, 0] = T.float32(0.0)",
    );
}

#[test]
fn arguments_without_a_place_keep_the_text_of_the_statement() {
    comes_back("with T.sblock(\"root\", True):\n    A[0, 0] = T.float32(0.0)");
    comes_back("with T.Assert(x > 1, \"text\", \"ValueError\"):\n    A[0, 0] = T.float32(0.0)");
}

#[test]
fn a_pair_of_a_grid_is_a_start_and_an_extent() {
    becomes(
        "for i, j in T.grid(4, (2, 12)):\n    A[i, j] = T.float32(0.0)",
        "for i in range(4):\n    for j in range(2, 14):\n        A[i, j] = T.float32(0.0)",
    );
}

#[test]
fn a_binding_has_the_type_that_is_written() {
    becomes(
        "q = T.bind(T.address_of(A[0, 0]), T.handle(\"float32\"))\nT.evaluate(q)",
        "q: T.let[T.handle(\"float32\", \"global\")] = T.address_of(A[0, 0])\nT.evaluate(q)",
    );
}

#[test]
fn a_launch_by_an_attribute_of_its_index_stays_one() {
    comes_back(
        "tx = T.env_thread(\"threadIdx.x\")\nwith T.attr(tx, \"thread_extent\", 16):\n    A[tx, 0] = T.float32(1.0)\nT.evaluate(x)",
    );
}

#[test]
fn a_text_that_becomes_a_pointer_is_no_pointer_yet() {
    comes_back("T.tvm_struct_set(p, 0, 15, T.reinterpret(\"handle\", \"payload\"))");
}

#[test]
fn a_vector_that_has_no_name_is_bound_without_its_type() {
    comes_back("y: T.let = T.Broadcast(x, 2)\nT.evaluate(y)");
    comes_back("y: T.let[T.int32x4] = T.Broadcast(x, 4)\nT.evaluate(y)");
    comes_back("y = T.Broadcast(x, 2)\nT.evaluate(y)");
    comes_back("T.evaluate(T.cast(0, \"int1\"))");
}
