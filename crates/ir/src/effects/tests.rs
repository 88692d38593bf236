//! Tests of the table, its lookup rules and TVM's registry.

use expect_test::{Expect, expect};

use super::*;
use crate::{BinaryOp, Body, DataType, Dialect, ExprId, ExprKind, UnaryOp, ValueKind};

/// The row of a name as one line.
fn show(namespace: Namespace, name: &str) -> String {
    let Match { kind, entry, effects: it } = EffectTable::builtin().explain(namespace, name);
    let mut res = format!("{kind:?} {entry}: {} {:?}", it.memory_effect.name(), it.memory);
    match it.may_trap {
        Trap::No => {}
        Trap::Yes => res.push_str(" traps"),
        Trap::Cond(kind) => res.push_str(&format!(" traps:{}", kind.name())),
    }
    for (is, word) in [(it.convergent, "convergent"), (!it.deterministic, "nondeterministic")] {
        if is {
            res.push_str(&format!(" {word}"));
        }
    }
    if it.asynchrony != Asynchrony::None {
        res.push_str(&format!(" async:{}", it.asynchrony.name()));
    }
    for (word, applies) in [("commutative", it.commutative), ("associative", it.associative)] {
        if applies != Applies::No {
            res.push_str(&format!(" {word}:{}", applies.name()));
        }
    }
    if it.lazy_operands != 0 {
        res.push_str(&format!(" lazy:{:#b}", it.lazy_operands));
    }
    for flag in it.flags.names() {
        res.push_str(&format!(" {flag}"));
    }
    res
}

#[track_caller]
fn check(namespace: Namespace, names: &[&str], expect: Expect) {
    let lines: Vec<String> =
        names.iter().map(|it| format!("{it} => {}", show(namespace, it))).collect();
    expect.assert_eq(&lines.join("\n"));
}

#[track_caller]
fn check_tir(names: &[&str], expect: Expect) {
    check(Namespace::Tir, names, expect);
}

fn rows(text: &str) -> EffectRows {
    toml::from_str(text).expect("test rows are TOML")
}

#[test]
fn every_row_is_valid_and_no_name_is_listed_twice() {
    let rows = source::rows().unwrap();
    EffectTable::from_rows(&rows).unwrap();
    let mut buffer = names::NameBuffer::new();
    for namespace in Namespace::ALL {
        let mut all: Vec<String> = rows
            .of(namespace)
            .iter()
            .flat_map(|row| &row.ops)
            .map(|op| match namespace {
                Namespace::Tir => names::normal_tir(op, &mut buffer).to_owned(),
                _ => op.clone(),
            })
            .collect();
        let listed = all.len();
        all.sort();
        all.dedup();
        assert_eq!(listed, all.len(), "{}", namespace.name());
    }
    let counts =
        Namespace::ALL.map(|it| rows.of(it).iter().map(|row| row.ops.len()).sum::<usize>());
    expect![[r#"
        [
            732,
            1091,
            431,
        ]
    "#]]
    .assert_debug_eq(&counts);
}

#[test]
fn every_row_is_found_by_its_own_name() {
    let rows = source::rows().unwrap();
    let table = EffectTable::builtin();
    for namespace in Namespace::ALL {
        for (i, row) in rows.of(namespace).iter().enumerate() {
            let typed = row.check(namespace, i, Basis::Source).unwrap();
            for op in &row.ops {
                // A name that a pattern stands for: the star as one more letter is not another pattern's name.
                let name = op.replace('*', "zz");
                assert_eq!(table.lookup(namespace, &name), &typed, "{op}");
            }
        }
    }
}

#[test]
fn effects_of_definitions_are_those_of_their_fields() {
    let rows = source::stated().unwrap();
    assert!(rows.len() > 20, "{}", rows.len());
    for (number, row) in rows.iter().enumerate() {
        let row = row.as_ref().map(|it| it.check(Namespace::Mlir, 0, Basis::Source).unwrap());
        assert_eq!(product::stated(number as u16), row.as_ref(), "{number}");
    }
}

#[test]
fn rows_of_a_user_are_in_the_order_of_all_rows() {
    let user = rows(
        r#"
        [[mlir]]
        ops = ["arith.*"]
        effect = "read"
        memory = "global"
        [[mlir]]
        ops = ["arith.addi"]
        effect = "write"
        memory = "global"
        [[mlir]]
        ops = ["gpu.*", "nvvm.m*"]
        effect = "free"
        memory = "global"
        [[tir]]
        ops = ["T.exp"]
        effect = "read"
        memory = "global"
        "#,
    );
    let table = EffectTable::builtin().overlay(&user).unwrap();
    let effect = |namespace, name| {
        let found = table.explain(namespace, name);
        (found.entry.to_owned(), found.effects.memory_effect)
    };
    // An exact name of the product is stronger than a pattern of a user, which is stronger than a shorter one.
    let product = EffectTable::builtin();
    for (name, entry, expected) in [
        ("arith.addi", "arith.addi", MemoryEffect::Write),
        ("arith.muli", "arith.muli", MemoryEffect::None),
        ("arith.new", "arith.*", MemoryEffect::Read),
        ("gpu.new", "gpu.*", MemoryEffect::Free),
        ("nvvm.mnew", "nvvm.m*", MemoryEffect::Free),
    ] {
        assert_eq!(effect(Namespace::Mlir, name), (entry.to_owned(), expected), "{name}");
    }
    for spelling in ["T.exp", "tirx.exp", "exp"] {
        assert_eq!(effect(Namespace::Tir, spelling).1, MemoryEffect::Read);
        assert_eq!(table.tir(spelling).memory_effect, MemoryEffect::Read);
    }
    assert_eq!(table.tir("tvm_call_packed"), product.tir("tvm_call_packed"));
    assert_ne!(table.digest(), product.digest());
    assert_eq!(product.overlay(&EffectRows::default()).unwrap(), *product);
    assert!(table.entries(Namespace::Mlir).is_sorted());
}

#[test]
fn expression_nodes_have_their_traps_and_algebra() {
    check_tir(
        &["Add", "And", "Cast", "FloorDiv", "Max", "Select", "BufferLoad", "BufferStore", "Sub"],
        expect![[r#"
            Add => Exact Add: none {} commutative:all associative:integers
            And => Exact And: none {} commutative:all associative:all lazy:0b10 idem
            Cast => Exact Cast: none {} traps:f2i
            FloorDiv => Exact FloorDiv: none {} traps:div departs
            Max => Exact Max: none {} commutative:integers associative:integers idem
            Select => Exact Select: none {}
            BufferLoad => Exact BufferLoad: read {"argument"} traps:mem
            BufferStore => Exact BufferStore: write {"argument"} traps:mem
            Sub => Exact Sub: none {}"#]],
    );
}

#[test]
fn calls_depart_from_their_labels_where_these_are_wrong() {
    check_tir(
        &[
            "T.exp",
            "T.if_then_else",
            "T.clz",
            "T.likely",
            "T.assume",
            "T.call_extern",
            "T.call_pure_extern",
            "T.tvm_load_matrix_sync",
            "T.tvm_storage_sync",
            "T.cuda.mov_sreg",
            "T.tvm_warp_shuffle_down",
            "T.undef",
            "T.atomic_add",
        ],
        expect![[r#"
            T.exp => Exact exp: none {}
            T.if_then_else => Exact if.then.else: none {} lazy:0b110
            T.clz => Exact clz: none {} traps:zero departs
            T.likely => Exact likely: none {} marker
            T.assume => Exact assume: none {} traps:fact marker departs
            T.call_extern => Exact call.extern: unknown {"argument", "global", "shared", "local"} traps convergent nondeterministic
            T.call_pure_extern => Exact call.pure.extern: none {} traps convergent departs
            T.tvm_load_matrix_sync => Exact tvm.load.matrix.sync: readwrite {"argument"} traps:mem convergent dst departs
            T.tvm_storage_sync => Exact tvm.storage.sync: readwrite {"argument", "global", "shared", "local"} convergent barrier
            T.cuda.mov_sreg => Exact cuda.mov.sreg: none {} nondeterministic departs
            T.tvm_warp_shuffle_down => Exact tvm.warp.shuffle.down: none {} convergent departs
            T.undef => Exact undef: none {} nondeterministic departs
            T.atomic_add => Exact atomic.add: readwrite {"argument"} traps:mem nondeterministic atomic"#]],
    );
}

#[test]
fn spellings_of_all_versions_meet() {
    check_tir(
        &[
            "T.ptx.cp.async_.wait_group",
            "tirx.ptx.cp_async_wait_group",
            "ptx_cp_async_wait_group",
            "tir.ptx.cp.async.wait.all",
            "T.ptx_mma",
            "prim.exp",
            "tirx.prim.exp",
            "__exp__",
        ],
        expect![[r#"
            T.ptx.cp.async_.wait_group => Pattern ptx.cp.async.wait.*: readwrite {"argument", "global", "shared", "local"} async:wait barrier
            tirx.ptx.cp_async_wait_group => Pattern ptx.cp.async.wait.*: readwrite {"argument", "global", "shared", "local"} async:wait barrier
            ptx_cp_async_wait_group => Pattern ptx.cp.async.wait.*: readwrite {"argument", "global", "shared", "local"} async:wait barrier
            tir.ptx.cp.async.wait.all => Pattern ptx.cp.async.wait.*: readwrite {"argument", "global", "shared", "local"} async:wait barrier
            T.ptx_mma => Pattern ptx.mma.*: readwrite {"argument"} convergent dst
            prim.exp => Exact exp: none {}
            tirx.prim.exp => Exact exp: none {}
            __exp__ => Exact exp: none {}"#]],
    );
}

#[test]
fn most_literal_characters_win_among_patterns() {
    check_tir(
        &[
            "ptx.fabric_wait",
            "ptx.cp.x",
            "ptx.cp.async",
            "ptx.cp.async.bulk",
            "ptx.cp.async.bulk.wait.group",
            "ptx.cp.asynchronous",
        ],
        expect![[r#"
            ptx.fabric_wait => Pattern ptx.*: unknown {"argument", "global", "shared", "local"} traps convergent nondeterministic
            ptx.cp.x => Pattern ptx.*: unknown {"argument", "global", "shared", "local"} traps convergent nondeterministic
            ptx.cp.async => Pattern ptx.cp.async.*: readwrite {"argument"} traps:mem async:copy
            ptx.cp.async.bulk => Pattern ptx.cp.async.bulk.*: readwrite {"argument"} traps:mem async:copy
            ptx.cp.async.bulk.wait.group => Pattern ptx.cp.async.bulk.wait.*: readwrite {"argument", "global", "shared", "local"} async:wait barrier
            ptx.cp.asynchronous => Pattern ptx.*: unknown {"argument", "global", "shared", "local"} traps convergent nondeterministic"#]],
    );
    check(
        Namespace::Pir,
        &["pd_op.add", "pd_op.add_", "pd_op.c_allreduce_sum_", "pd_op.never_heard_of", "pd_op._"],
        expect![[r#"
            pd_op.add => Exact pd_op.add: none {} commutative:all
            pd_op.add_ => Pattern pd_op.*_: readwrite {"argument"} traps:mem nondeterministic inplace
            pd_op.c_allreduce_sum_ => Pattern pd_op.c_*: readwrite {"global"} traps:mem convergent
            pd_op.never_heard_of => Default *: unknown {"argument", "global", "shared", "local"} traps convergent nondeterministic
            pd_op._ => Pattern pd_op.*_: readwrite {"argument"} traps:mem nondeterministic inplace"#]],
    );
}

#[test]
fn trailing_dot_star_matches_the_bare_name_but_not_a_longer_word() {
    check_tir(
        &["ptx", "ptx.abs", "ptx.absolute", "ptxas"],
        expect![[r#"
        ptx => Pattern ptx.*: unknown {"argument", "global", "shared", "local"} traps convergent nondeterministic
        ptx.abs => Pattern ptx.abs.*: write {"argument"} dst
        ptx.absolute => Pattern ptx.*: unknown {"argument", "global", "shared", "local"} traps convergent nondeterministic
        ptxas => Default *: unknown {"argument", "global", "shared", "local"} traps convergent nondeterministic"#]],
    );
}

#[test]
fn tile_calls_are_not_the_scalar_functions_of_the_same_name() {
    check_tir(
        &["T.exp", "Tx.exp", "tirx.tile.exp", "Tx.copy_async"],
        expect![[r#"
            T.exp => Exact exp: none {}
            Tx.exp => Exact tile.exp: readwrite {"argument"} traps:mem convergent dst departs
            tirx.tile.exp => Exact tile.exp: readwrite {"argument"} traps:mem convergent dst departs
            Tx.copy_async => Exact tile.copy.async: readwrite {"argument"} traps:mem convergent async:copy dst departs"#]],
    );
}

#[test]
fn unknown_names_may_do_anything() {
    check_tir(
        &["T.no_such_thing", "", "Tx", "___", "T.", "é.ü"],
        expect![[r#"
        T.no_such_thing => Default *: unknown {"argument", "global", "shared", "local"} traps convergent nondeterministic
         => Default *: unknown {"argument", "global", "shared", "local"} traps convergent nondeterministic
        Tx => Default *: unknown {"argument", "global", "shared", "local"} traps convergent nondeterministic
        ___ => Default *: unknown {"argument", "global", "shared", "local"} traps convergent nondeterministic
        T. => Default *: unknown {"argument", "global", "shared", "local"} traps convergent nondeterministic
        é.ü => Default *: unknown {"argument", "global", "shared", "local"} traps convergent nondeterministic"#]],
    );
    check(
        Namespace::Mlir,
        &["my.op", "", "arith"],
        expect![[r#"
        my.op => Default *: unknown {"argument", "global", "shared", "local"} traps convergent nondeterministic
         => Default *: unknown {"argument", "global", "shared", "local"} traps convergent nondeterministic
        arith => Default *: unknown {"argument", "global", "shared", "local"} traps convergent nondeterministic"#]],
    );
    assert_eq!(tir("T.no_such_thing").reason, tir("*").reason);
    let it = OpEffects::unknown();
    assert!(it.may_read() && it.may_write() && !it.is_deletable() && it.merge() == Merge::Never);
    assert_eq!(it.memory, MemorySet::ALL);
}

#[test]
fn mlir_rows() {
    check(
        Namespace::Mlir,
        &[
            "arith.addi",
            "arith.divsi",
            "arith.remsi",
            "arith.maximumf",
            "linalg.matmul",
            "scf.for",
            "memref.load",
            "gpu.barrier",
            "gpu.thread_id",
            "nvvm.cp.async.commit.group",
        ],
        expect![[r#"
            arith.addi => Exact arith.addi: none {} commutative:all associative:all
            arith.divsi => Exact arith.divsi: none {} traps:div departs
            arith.remsi => Exact arith.remsi: none {} traps:div departs
            arith.maximumf => Exact arith.maximumf: none {} commutative:all idem
            linalg.matmul => Exact linalg.matmul: readwrite {"argument"} traps:mem recursive tensor-none implied-region
            scf.for => Exact scf.for: unknown {"argument", "global", "shared", "local"} traps:body recursive same-thread structured
            memref.load => Exact memref.load: read {"argument"} traps:mem
            gpu.barrier => Exact gpu.barrier: readwrite {"argument", "global", "shared", "local"} convergent barrier
            gpu.thread_id => Exact gpu.thread_id: none {} per-thread
            nvvm.cp.async.commit.group => Exact nvvm.cp.async.commit.group: readwrite {"argument", "global", "shared", "local"} async:commit"#]],
    );
}

#[test]
fn every_operation_of_real_programs_has_a_row() {
    let list = include_str!("../../test_data/op_names.txt");
    let mut by_default = Vec::new();
    for line in list.lines().filter(|it| !it.starts_with('#')) {
        let (namespace, name) = line.split_once(' ').unwrap();
        let namespace = Namespace::ALL.into_iter().find(|it| it.name() == namespace).unwrap();
        if EffectTable::builtin().explain(namespace, name).kind == MatchKind::Default {
            by_default.push(line);
        }
    }
    expect![""].assert_eq(&by_default.join("\n"));
}

#[test]
fn predicates_follow_the_row() {
    let names = [
        "T.exp",
        "FloorDiv",
        "BufferLoad",
        "T.likely",
        "T.tvm_warp_shuffle",
        "T.undef",
        "T.call_extern",
        "T.tvm_stack_alloca",
        "T.ptx_commit_group",
        "T.evaluate",
    ];
    let lines: Vec<String> = names
        .iter()
        .map(|name| {
            let it = tir(name);
            format!(
                "{name}: merge={:?} pure={} speculatable={} div-proved={} read={} write={} barrier={} deletable={}",
                it.merge(),
                it.is_pure_value(),
                it.is_speculatable(),
                it.is_speculatable_if(|kind| kind == TrapKind::Division),
                it.may_read(),
                it.may_write(),
                it.is_barrier(),
                it.is_deletable(),
            )
        })
        .collect();
    expect![[r#"
        T.exp: merge=Dominated pure=true speculatable=true div-proved=true read=false write=false barrier=false deletable=true
        FloorDiv: merge=Dominated pure=true speculatable=false div-proved=true read=false write=false barrier=false deletable=true
        BufferLoad: merge=Dominated pure=false speculatable=false div-proved=false read=true write=false barrier=false deletable=true
        T.likely: merge=Never pure=false speculatable=false div-proved=false read=false write=false barrier=false deletable=false
        T.tvm_warp_shuffle: merge=SameBlock pure=false speculatable=false div-proved=false read=false write=false barrier=false deletable=false
        T.undef: merge=Never pure=false speculatable=false div-proved=false read=false write=false barrier=false deletable=true
        T.call_extern: merge=Never pure=false speculatable=false div-proved=false read=true write=true barrier=false deletable=false
        T.tvm_stack_alloca: merge=Never pure=false speculatable=false div-proved=false read=true write=false barrier=false deletable=true
        T.ptx_commit_group: merge=Never pure=false speculatable=false div-proved=false read=true write=true barrier=false deletable=false
        T.evaluate: merge=Never pure=false speculatable=false div-proved=false read=true write=true barrier=false deletable=false"#]].assert_eq(&lines.join("\n"));
    assert!(tir("T.if_then_else").is_lazy(1) && !tir("T.if_then_else").is_lazy(0));
    assert!(tir("Max").commutative.holds_for(true) && !tir("Max").commutative.holds_for(false));
    assert!(mlir("linalg.matmul").without_memref().memory.is_empty());
}

#[test]
fn user_rows_replace_and_add() {
    let user = rows(
        r#"
        [[tir]]
        ops = ["T.my_intrin", "call_extern"]
        reason = "ours are values"
        [[tir]]
        ops = ["my.*"]
        effect = "write"
        memory = "shared+global"
        [[mlir]]
        ops = ["arith.*", "my.add"]
        commutative = "all"
        "#,
    );
    let table = EffectTable::builtin().overlay(&user).unwrap();
    assert!(table.tir("tirx.my.intrin").is_pure_value());
    assert!(table.tir("T.call_extern").is_pure_value());
    assert_eq!(table.tir("T.my.other").memory, MemorySet::SHARED.union(MemorySet::GLOBAL));
    assert_eq!(table.mlir("my.add").basis, Basis::User);
    // An exact name beats a user's pattern.
    assert_eq!(table.mlir("arith.divsi").may_trap, Trap::Cond(TrapKind::Division));
    assert_ne!(table.digest(), EffectTable::builtin().digest());
    assert_eq!(table.version(), EffectTable::builtin().version());
    let none = EffectTable::builtin().overlay(&EffectRows::default()).unwrap();
    assert_eq!(none.digest(), EffectTable::builtin().digest());
    assert_eq!(&none, EffectTable::builtin());
}

#[test]
fn a_users_rows_travel() {
    let user = rows(
        r#"
        [[tir]]
        ops = ["T.my_load"]
        effect = "read"
        memory = "argument"
        may_trap = "mem"
        reads = [0, "source"]
        lazy = [1]
        "#,
    );
    let table = EffectTable::builtin().overlay(&user).unwrap();
    let table =
        table.overlay(&rows("[[mlir]]\nops = [\"my.add\"]\ncommutative = \"all\"")).unwrap();
    let text = serde_json::to_string(table.added_rows()).unwrap();
    let arrived: Vec<EffectRows> = serde_json::from_str(&text).unwrap();
    let over = |table: EffectTable, rows| table.overlay(rows).unwrap();
    let again = arrived.iter().fold(EffectTable::builtin().clone(), over);
    assert_eq!(again, table);
    assert_eq!(again.rows_of_user(), table.rows_of_user());
}

#[test]
fn wrong_user_rows_say_where_and_what() {
    let wrong = [
        r#"ops = []"#,
        r#"ops = ["a b"]"#,
        r#"ops = ["a*b*"]"#,
        r#"ops = ["a"]
           effect = "reads""#,
        r#"ops = ["a"]
           effect = "read""#,
        r#"ops = ["a"]
           memory = "shared""#,
        r#"ops = ["a"]
           may_trap = "maybe""#,
        r#"ops = ["a"]
           flags = ["fast"]"#,
        r#"ops = ["a"]
           lazy = [8]"#,
        r#"ops = ["a"]
           departs = true"#,
    ];
    let messages: Vec<String> = wrong
        .iter()
        .map(|text| {
            EffectTable::builtin()
                .overlay(&rows(&format!("[[mlir]]\n{text}")))
                .unwrap_err()
                .to_string()
        })
        .collect();
    expect![[r#"
        [[mlir]] row 1 (``), `ops`: at least one name is needed
        [[mlir]] row 1 (`a b`), `ops`: `a b` is not a name
        [[mlir]] row 1 (`a*b*`), `ops`: `a*b*` has more than one `*`
        [[mlir]] row 1 (`a`), `effect`: `reads` is none of none, read, write, readwrite, alloc, free, unknown
        [[mlir]] row 1 (`a`), `memory`: effect `read` needs one
        [[mlir]] row 1 (`a`), `memory`: effect `none` touches none
        [[mlir]] row 1 (`a`), `may_trap`: `maybe` is none of div, symdiv, oob, mem, f2i, shift, zero, dim, fact, body
        [[mlir]] row 1 (`a`), `flags`: `fast` is none of terminator, symbol, recursive, tensor-none, per-thread, marker, dst, alias, barrier, atomic, random, inplace, io, const, idem, departs, implied-region, runs-once, same-thread, structured, choice, region-end, reassoc, isolated, stated-none
        [[mlir]] row 1 (`a`), `lazy`: operand 8 is beyond the 8 that a row can name
        [[mlir]] row 1 (`a`), `reason`: a row that departs from its peer says why"#]].assert_eq(&messages.join("\n"));
    let unknown = toml::from_str::<EffectRows>("[[tir]]\nops = ['a']\nefect = 'none'").unwrap_err();
    assert!(unknown.message().contains("efect"), "{unknown}");
}

#[test]
fn tvm_registry_knows_names_labels_and_printing() {
    let names = [
        "T.exp",
        "tirx.exp",
        "Tx.exp",
        "T.reinterpret",
        "T.tvm_struct_get",
        "T.call_packed",
        "tir.tvm_call_packed",
        "T.isinf",
        "T.ptx.cp",
        "tirx.ptx.cp_async_ca",
        "T.ptx.and_",
        "T.metal.simdgroup_load",
        "T.fma",
        "T.no_such_thing",
    ];
    let lines: Vec<String> = names
        .iter()
        .map(|name| match tvm_op(name) {
            None => format!("{name}: -"),
            Some(it) => format!(
                "{name}: {} printed={} {} dtype={} arity={:?}{}",
                it.name,
                it.printed.as_deref().unwrap_or("-"),
                it.effect.map_or("-", CallEffectKind::name),
                it.dtype.name(),
                it.arity,
                if it.vectorizable { " vectorizable" } else { "" },
            ),
        })
        .collect();
    expect![[r#"
        T.exp: exp printed=exp pure dtype=none arity=Some(1) vectorizable
        tirx.exp: exp printed=exp pure dtype=none arity=Some(1) vectorizable
        Tx.exp: tile.exp printed=exp - dtype=none arity=None
        T.reinterpret: reinterpret printed=reinterpret pure dtype=first arity=Some(1)
        T.tvm_struct_get: tvm_struct_get printed=tvm_struct_get read_state dtype=last arity=Some(3)
        T.call_packed: tvm_call_packed printed=call_packed opaque dtype=none arity=None
        tir.tvm_call_packed: tvm_call_packed printed=call_packed opaque dtype=none arity=None
        T.isinf: isinf printed=- - dtype=none arity=None
        T.ptx.cp: ptx.cp_async_bulk_commit_group printed=ptx.cp opaque dtype=none arity=None
        tirx.ptx.cp_async_ca: ptx.cp_async_ca printed=ptx.cp opaque dtype=none arity=None
        T.ptx.and_: ptx.and printed=ptx.and_ opaque dtype=none arity=None
        T.metal.simdgroup_load: simdgroup_load printed=metal.simdgroup_load opaque dtype=none arity=None
        T.fma: fma printed=fma pure dtype=none arity=Some(3) vectorizable
        T.no_such_thing: -"#]].assert_eq(&lines.join("\n"));
    assert_eq!(tvm_ops::registry().ops.len(), 789);
    assert!(tvm_ops_printed_as("T.ptx.cp").count() > 50);
    assert_eq!(tvm_ops_printed_as("T.exp").count(), 1);
}

#[test]
fn every_tvm_operator_is_found_by_name_and_has_valid_fields() {
    for op in &tvm_ops::registry().ops {
        assert_eq!(tvm_op(&format!("tirx.{}", op.name)), Some(op));
        if let Some(printed) = op.printed.as_deref().filter(|_| !op.is_tile()) {
            assert!(tvm_ops_printed_as(printed).any(|it| it == op), "{printed}");
        }
    }
    let text: toml::Table = toml::from_str(include_str!("../../tvm_ops.toml")).unwrap();
    for group in text["op"].as_array().unwrap() {
        if let Some(effect) = group.get("effect") {
            assert!(CallEffectKind::from_name(effect.as_str().unwrap()).is_some());
        }
        if let Some(dtype) = group.get("dtype") {
            assert!(DtypePosition::from_name(dtype.as_str().unwrap()).is_some());
        }
    }
}

#[test]
fn enum_names_are_in_the_order_of_the_variants() {
    for &(name, it) in MemoryEffect::NAMES {
        assert_eq!((it.name(), MemoryEffect::from_name(name)), (name, Some(it)));
    }
    for &(name, it) in TrapKind::NAMES {
        assert_eq!((it.name(), TrapKind::from_name(name)), (name, Some(it)));
    }
    for &(name, it) in Flags::NAMES {
        assert_eq!((it.names().next(), Flags::from_name(name)), (Some(name), Some(it)));
    }
}

#[track_caller]
fn check_node(make: impl FnOnce(&mut Body) -> ExprId, trap: Trap, cost: u32) {
    let mut body = Body::new("f", Dialect::Tirx);
    let expr = make(&mut body);
    let table = EffectTable::builtin();
    assert_eq!((table.own_trap(&body, expr), table.own_cost(&body, expr)), (trap, cost));
}

fn variable(body: &mut Body, dtype: DataType) -> ExprId {
    let value = body.new_value("x", dtype.into(), ValueKind::Symbol);
    body.value_expr(value)
}

fn binary_with(
    op: BinaryOp,
    dtype: DataType,
    right: Option<i128>,
) -> impl FnOnce(&mut Body) -> ExprId {
    move |body| {
        let lhs = variable(body, dtype);
        let rhs = match right {
            Some(value) => body.int(value, dtype),
            None => variable(body, dtype),
        };
        body.binary(op, lhs, rhs)
    }
}

#[test]
fn constants_and_dtypes_rule_traps_out() {
    use BinaryOp::{Add, Div, FloorDiv, Shl};
    let (int, uint) = (DataType::INT32, DataType::uint(32));
    let division = Trap::Cond(TrapKind::Division);
    check_node(binary_with(Add, int, None), Trap::No, 1);
    check_node(binary_with(FloorDiv, int, None), division, 20);
    check_node(binary_with(FloorDiv, int, Some(7)), Trap::No, 4);
    check_node(binary_with(FloorDiv, int, Some(0)), division, 4);
    check_node(binary_with(FloorDiv, int, Some(-1)), division, 4);
    check_node(binary_with(FloorDiv, uint, Some(-1)), Trap::No, 4);
    check_node(binary_with(Div, DataType::FLOAT32, None), Trap::No, 8);
    check_node(binary_with(Shl, int, Some(31)), Trap::No, 1);
    check_node(binary_with(Shl, int, Some(32)), Trap::Cond(TrapKind::Shift), 1);
    check_node(binary_with(Shl, int, Some(-1)), Trap::Cond(TrapKind::Shift), 1);
}

#[test]
fn only_casts_from_float_to_integer_may_trap() {
    let cast = |from: DataType, to: DataType| {
        move |body: &mut Body| {
            let value = variable(body, from);
            body.make(ExprKind::Cast(value), to.into())
        }
    };
    check_node(cast(DataType::FLOAT32, DataType::INT32), Trap::Cond(TrapKind::FloatToInt), 1);
    check_node(cast(DataType::FLOAT32, DataType::BOOL), Trap::No, 1);
    check_node(cast(DataType::INT64, DataType::int(8)), Trap::No, 1);
}

#[test]
fn calls_have_the_trap_of_their_row_less_what_operands_rule_out() {
    let call = |name: &'static str, args: &'static [i128]| {
        move |body: &mut Body| {
            let args: Vec<ExprId> = args.iter().map(|&it| body.int(it, DataType::INT32)).collect();
            let callee = body.operator(name);
            let fresh =
                EffectTable::builtin().given(body, callee, &args, Body::no_attrs()).is_fresh();
            body.call(callee, &args, Body::no_attrs(), DataType::INT32.into(), fresh)
        }
    };
    check_node(call("truncmod", &[8, 3]), Trap::No, 20);
    check_node(call("truncmod", &[8, 0]), Trap::Cond(TrapKind::Division), 20);
    check_node(call("clz", &[1]), Trap::No, 16);
    check_node(call("likely", &[1]), Trap::No, 1);
    check_node(call("call_extern", &[1, 2]), Trap::Yes, 20);
    check_node(|body| body.opaque("x"), Trap::Yes, 20);
}

#[test]
fn operators_have_the_rows_of_their_nodes() {
    use BinaryOp::{Add, And, Eq, FloorMod, Max, Mod, Shl, Shr};
    for (op, name) in [
        (Add, "Add"),
        (Mod, "Mod"),
        (FloorMod, "FloorMod"),
        (Max, "Max"),
        (Eq, "EQ"),
        (And, "And"),
        (Shl, "LShift"),
        (Shr, "RShift"),
    ] {
        assert!(std::ptr::eq(binary(op), tir(name)), "{name}");
    }
    assert!(unary(UnaryOp::Not).is_speculatable());
}
