//! The types of an effects row and the questions that planners ask of it.
//!
//! In: fields as the table states them. Out: predicates. All of them answer for the operation alone. Operands, dtypes
//! and bounds are the caller's part: it asks [`Applies::holds_for`] with its dtype and refutes a [`TrapKind`] with its
//! ranges.

use std::borrow::Cow;

use super::operands::OperandUses;

/// Declares an enum whose variants have names in the table's text.
macro_rules! named {
    ($(#[$meta:meta])* enum $Enum:ident { $($(#[$doc:meta])* $Variant:ident = $name:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $Enum { $($(#[$doc])* $Variant,)* }

        impl $Enum {
            /// All variants with their names in the table, in declaration order.
            pub const NAMES: &'static [(&'static str, $Enum)] = &[$(($name, $Enum::$Variant),)*];

            /// The name in the table.
            pub fn name(self) -> &'static str {
                Self::NAMES[self as usize].0
            }

            /// The variant of a name in the table.
            pub fn from_name(name: &str) -> Option<$Enum> {
                Self::NAMES.iter().find(|(it, _)| *it == name).map(|&(_, it)| it)
            }
        }
    };
}
pub(super) use named;

named! {
    /// The effect of an operation on memory and on the state outside the program.
    enum MemoryEffect {
        /// A value of the operands only: may be keyed by value.
        None = "none",
        /// Reads: keyed with the version of the memory that it reads.
        Read = "read",
        /// Writes: never merged, starts a new version.
        Write = "write",
        /// Reads and writes.
        ReadWrite = "readwrite",
        /// Makes a new object: never merged, may be deleted if unused.
        Alloc = "alloc",
        /// Ends an object: no load crosses it.
        Free = "free",
        /// Anything.
        Unknown = "unknown",
    }
}

named! {
    /// The condition under which an operation traps, errs or is immediately undefined (poison counts, SEMANTICS 0).
    enum TrapKind {
        /// Integer divisor 0, or the least value divided by -1 (I5, I6).
        Division = "div",
        /// As `Division`, by a symbol inside an affine map.
        SymbolicDivision = "symdiv",
        /// An index or shape out of range.
        OutOfBounds = "oob",
        /// A bad address, index or object (M1, M12).
        Memory = "mem",
        /// Float to integer, out of range or NaN (C2).
        FloatToInt = "f2i",
        /// A shift amount out of range (I8).
        Shift = "shift",
        /// An operand that is zero (I12).
        ZeroOperand = "zero",
        /// A dimension number out of range.
        Dimension = "dim",
        /// A stated fact that does not hold here (X4).
        Fact = "fact",
        /// Whatever its regions do.
        Body = "body",
    }
}

/// The conditions under which evaluating an operation can trap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Trap {
    /// Never: it may be evaluated where the source did not.
    No,
    /// Only if the condition of this kind holds; a caller that refutes the condition may treat it as [`Trap::No`].
    Cond(TrapKind),
    /// Perhaps, for reasons not known.
    Yes,
}

named! {
    /// The part of an asynchronous operation that an operation is.
    enum Asynchrony {
        /// Complete when the next operation starts.
        None = "none",
        /// Starts work that ends later: source and destination belong to it until the wait (Y3).
        Copy = "copy",
        /// Closes a group of copies (Y4).
        Commit = "commit",
        /// Completes groups, then acts on memory as a barrier for this thread (Y4).
        Wait = "wait",
    }
}

named! {
    /// The dtypes for which an algebraic property holds.
    enum Applies {
        /// None.
        No = "no",
        /// Integers only: float `max` takes its second operand on NaN (F6).
        Integers = "integers",
        /// All.
        All = "all",
    }
}

impl Applies {
    /// Returns true if the property holds for integer operands (or bool, or index) if `integer`, and for other operands
    /// otherwise.
    pub fn holds_for(self, is_integer: bool) -> bool {
        match self {
            Applies::No => false,
            Applies::Integers => is_integer,
            Applies::All => true,
        }
    }
}

named! {
    /// The place where a row comes from.
    enum Basis {
        /// Documented meaning.
        Known = "known",
        /// The peer's declaration or source.
        Source = "src",
        /// Seen by running the peer.
        Run = "run",
        /// A user's configuration.
        User = "user",
    }
}

/// Declares a set of named bits.
macro_rules! bit_set {
    ($(#[$meta:meta])* $Set:ident: $bits:ty { $($(#[$doc:meta])* $CONST:ident = $name:literal @ $bit:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub struct $Set($bits);

        impl $Set {
            $($(#[$doc])* pub const $CONST: $Set = $Set(1 << $bit);)*
            /// The empty set.
            pub const EMPTY: $Set = $Set(0);
            /// Single members with their names in the table, in order.
            pub const NAMES: &'static [(&'static str, $Set)] = &[$(($name, $Set::$CONST),)*];

            /// The set of these bits.
            pub(super) const fn of_bits(bits: $bits) -> $Set {
                $Set(bits)
            }

            /// The member of a name in the table.
            pub fn from_name(name: &str) -> Option<$Set> {
                Self::NAMES.iter().find(|(it, _)| *it == name).map(|&(_, it)| it)
            }

            /// Returns true if all members of `other` are in this set.
            pub const fn contains(self, other: $Set) -> bool {
                self.0 & other.0 == other.0
            }

            /// Returns true if this set and `other` have a common member.
            pub const fn intersects(self, other: $Set) -> bool {
                self.0 & other.0 != 0
            }

            /// Returns true if the set is empty.
            pub const fn is_empty(self) -> bool {
                self.0 == 0
            }

            /// The members of both.
            #[must_use]
            pub const fn union(self, other: $Set) -> $Set {
                $Set(self.0 | other.0)
            }

            /// The bits, stable within one version of the table.
            pub const fn bits(self) -> $bits {
                self.0
            }

            /// Names of the members, in order.
            pub fn names(self) -> impl Iterator<Item = &'static str> {
                Self::NAMES.iter().filter(move |(_, it)| self.contains(*it)).map(|&(name, _)| name)
            }
        }

        impl std::fmt::Debug for $Set {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_set().entries(self.names()).finish()
            }
        }
    };
}

bit_set! {
    /// The memory that an operation touches.
    MemorySet: u8 {
        /// Only the memory that its pointer, buffer or memref operands reach, in any address space; the row names them
        /// in [`OpEffects::operands`], or it is all of them.
        ARGUMENT = "argument" @ 0,
        /// Device-global memory and the state of the process.
        GLOBAL = "global" @ 1,
        /// On-chip memory that threads share.
        SHARED = "shared" @ 2,
        /// Registers, fragments and memory of one thread.
        LOCAL = "local" @ 3,
    }
}

impl MemorySet {
    /// Everything but thread-local buffers that do not escape.
    pub const ALL: MemorySet =
        MemorySet(Self::ARGUMENT.0 | Self::GLOBAL.0 | Self::SHARED.0 | Self::LOCAL.0);
}

bit_set! {
    /// Further properties of a row.
    Flags: u32 {
        /// Ends a block or jumps: never a candidate.
        TERMINATOR = "terminator" @ 0,
        /// Declares a symbol: never a candidate.
        SYMBOL = "symbol" @ 1,
        /// Has the effects of its regions in addition; the row alone is conservative.
        RECURSIVE = "recursive" @ 2,
        /// Has no effect if no operand is a memref ([`OpEffects::without_memref`]).
        TENSOR_NONE = "tensor-none" @ 3,
        /// Depends on the thread: stays inside the kernel or parallel body (P7).
        PER_THREAD = "per-thread" @ 4,
        /// Means its place: never moved, wrapped or deleted.
        MARKER = "marker" @ 5,
        /// Writes its destination operands.
        DST = "dst" @ 6,
        /// Its result shares the storage of an operand (M7).
        ALIAS = "alias" @ 7,
        /// Orders memory between threads (Y1).
        BARRIER = "barrier" @ 8,
        /// An indivisible read-modify-write (P9).
        ATOMIC = "atomic" @ 9,
        /// Draws from a generator (X6).
        RANDOM = "random" @ 10,
        /// Overwrites an operand with its result.
        INPLACE = "inplace" @ 11,
        /// Input, output, or a trap on purpose (X7).
        IO = "io" @ 12,
        /// A constant.
        CONST = "const" @ 13,
        /// `x op x` is `x`.
        IDEMPOTENT = "idem" @ 14,
        /// Differs from the label of the reference compiler; the reason explains why.
        DEPARTS = "departs" @ 15,
        /// Its region follows from its name and types, and its printed form leaves it out.
        IMPLIED_REGION = "implied-region" @ 16,
        /// Each of its regions runs at most once, and first: memory is at its start as it was before the operation.
        RUNS_ONCE = "runs-once" @ 17,
        /// The thread that executes it executes its regions, and has ended with them when the operation ends.
        SAME_THREAD = "same-thread" @ 18,
        /// Structured control flow: an operation in its regions that cannot trap may be executed before it instead.
        STRUCTURED = "structured" @ 19,
        /// If it has two regions, exactly one of them is executed.
        CHOICE = "choice" @ 20,
        /// A terminator that goes on behind the operation whose region it ends, and no further. Operations whose last
        /// word has `yield` in it do so without the flag.
        REGION_END = "region-end" @ 21,
        /// An operation of floats that is associative where its own flags allow it.
        REASSOCIATES = "reassoc" @ 22,
        /// Its regions see no value from around it.
        ISOLATED = "isolated" @ 23,
        /// Has no effect if its own attributes say so (`pure`, `immutable`), or if it makes memory that nobody may
        /// write.
        STATED_NONE = "stated-none" @ 24,
    }
}

/// The language whose operations a row names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Namespace {
    /// TIR calls and expression nodes.
    Tir,
    /// MLIR operations.
    Mlir,
    /// Paddle PIR operations.
    Pir,
}

impl Namespace {
    /// All namespaces, in the order of the table.
    pub const ALL: [Namespace; 3] = [Namespace::Tir, Namespace::Mlir, Namespace::Pir];

    /// The name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Namespace::Tir => "tir",
            Namespace::Mlir => "mlir",
            Namespace::Pir => "pir",
        }
    }
}

/// The conditions under which two equal evaluations of an operation may be merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Merge {
    /// Not at all.
    Never,
    /// Inside one block with nothing divergent between (P8).
    SameBlock,
    /// Wherever one dominates the other.
    Dominated,
}

/// The effects of an operation. See the fields of `effects.toml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpEffects {
    /// The effect on memory.
    pub memory_effect: MemoryEffect,
    /// The memory; empty iff the effect is [`MemoryEffect::None`].
    pub memory: MemorySet,
    /// The conditions under which it can trap.
    pub may_trap: Trap,
    /// True if its meaning depends on the set of threads that execute it together.
    pub convergent: bool,
    /// True if equal operands and equal memory give an equal value.
    pub deterministic: bool,
    /// Its part in asynchronous work.
    pub asynchrony: Asynchrony,
    /// The operand types for which operands 0 and 1 may be swapped in comparisons.
    pub commutative: Applies,
    /// The operand types for which it is associative, provided that no overflow is introduced (I1).
    pub associative: Applies,
    /// Bit `i`: operand `i` is evaluated under a condition (S2, S5). See [`OpEffects::is_lazy`].
    pub lazy_operands: u8,
    /// The number of operands for which the row holds, if it does not for any. It is for rows without effect and that
    /// read.
    pub arity: Option<u8>,
    /// The uses of its operands, as far as the row states them.
    pub operands: OperandUses,
    /// Further properties.
    pub flags: Flags,
    /// The place where the row comes from.
    pub basis: Basis,
    /// The row's note, for `explain`.
    pub reason: Option<Cow<'static, str>>,
}

impl OpEffects {
    /// The row of an operation of which nothing is known.
    pub fn unknown() -> &'static OpEffects {
        static UNKNOWN: OpEffects = OpEffects {
            memory_effect: MemoryEffect::Unknown,
            memory: MemorySet::ALL,
            may_trap: Trap::Yes,
            convergent: true,
            deterministic: false,
            asynchrony: Asynchrony::None,
            commutative: Applies::No,
            associative: Applies::No,
            lazy_operands: 0,
            arity: None,
            operands: OperandUses::NONE,
            flags: Flags::EMPTY,
            basis: Basis::Known,
            reason: None,
        };
        &UNKNOWN
    }

    /// Returns true for a user's row that states nothing but that the operation exists.
    pub(super) fn is_undeclared(&self) -> bool {
        let unknown = OpEffects::unknown();
        self.basis == Basis::User && OpEffects { basis: unknown.basis, ..self.clone() } == *unknown
    }

    /// Returns the conditions under which equal evaluations may be merged, given equal operands and (if it reads) equal
    /// memory versions.
    pub fn merge(&self) -> Merge {
        let fixed = Flags::TERMINATOR.union(Flags::SYMBOL).union(Flags::MARKER);
        let value = matches!(self.memory_effect, MemoryEffect::None | MemoryEffect::Read);
        if !value
            || !self.deterministic
            || self.asynchrony != Asynchrony::None
            || self.flags.intersects(fixed)
        {
            Merge::Never
        } else if self.convergent {
            Merge::SameBlock
        } else {
            Merge::Dominated
        }
    }

    /// A function of its operands and nothing else, wherever it stands: may be keyed by value. It may still trap.
    pub fn is_pure_value(&self) -> bool {
        self.memory_effect == MemoryEffect::None && self.merge() == Merge::Dominated
    }

    /// Not a value of its operands and of memory: every occurrence is a node of its own (`Body::call`'s `fresh`).
    pub fn is_fresh(&self) -> bool {
        !matches!(self.memory_effect, MemoryEffect::None | MemoryEffect::Read)
            || !self.deterministic
            || self.asynchrony != Asynchrony::None
    }

    /// May be evaluated where the source did not, whatever its operands are.
    pub fn is_speculatable(&self) -> bool {
        self.is_pure_value() && self.may_trap == Trap::No
    }

    /// As [`OpEffects::is_speculatable`], where `cannot_trap` answers for a condition with dtypes and ranges.
    pub fn is_speculatable_if(&self, cannot_trap: impl FnOnce(TrapKind) -> bool) -> bool {
        self.is_pure_value()
            && match self.may_trap {
                Trap::No => true,
                Trap::Cond(kind) => cannot_trap(kind),
                Trap::Yes => false,
            }
    }

    /// May look at memory. An allocation may: a clone copies its operand.
    pub fn may_read(&self) -> bool {
        matches!(
            self.memory_effect,
            MemoryEffect::Read
                | MemoryEffect::ReadWrite
                | MemoryEffect::Alloc
                | MemoryEffect::Unknown
        )
    }

    /// May change memory, end an object, or complete an asynchronous write: starts a new version of
    /// [`OpEffects::memory`].
    pub fn may_write(&self) -> bool {
        matches!(
            self.memory_effect,
            MemoryEffect::Write
                | MemoryEffect::ReadWrite
                | MemoryEffect::Free
                | MemoryEffect::Unknown
        )
    }

    /// Orders memory between threads or with asynchronous work: all loads but of thread-local memory end here (Y1, Y4).
    pub fn is_barrier(&self) -> bool {
        self.flags.contains(Flags::BARRIER) || self.asynchrony == Asynchrony::Wait
    }

    /// May be deleted when its result is not used (E8); that it might trap does not keep it.
    pub fn is_deletable(&self) -> bool {
        let kept = Flags::TERMINATOR.union(Flags::SYMBOL).union(Flags::MARKER).union(Flags::IO);
        matches!(self.memory_effect, MemoryEffect::None | MemoryEffect::Read | MemoryEffect::Alloc)
            && !self.convergent
            && self.asynchrony == Asynchrony::None
            && !self.flags.intersects(kept)
    }

    /// Returns true if operand `index` is evaluated only under a condition.
    pub fn is_lazy(&self, index: usize) -> bool {
        index < 8 && self.lazy_operands & (1 << index) != 0
    }

    /// The row as it applies when no operand is a memref: structured operations on tensors are values.
    #[must_use]
    pub fn without_memref(&self) -> OpEffects {
        let mut res = self.clone();
        if self.flags.contains(Flags::TENSOR_NONE) {
            res.memory_effect = MemoryEffect::None;
            res.memory = MemorySet::EMPTY;
        }
        res
    }
}
