//! Floats of 8 bits as integers: the bits of a value, and the value of bits, as expressions of the IR.
//!
//! In: an expression of `uint8`, or of `float32` or `float64`. Out: one of the other, with the results of
//! `ir::minifloat`, to which the interpreter rounds (`SEMANTICS: C7`): to nearest, ties to even, once; subnormals are
//! kept; a value out of range is infinity, or NaN where the format has no infinity (CUDA's own conversions give the
//! largest value). A NaN has the one pattern of results (`F8`).
//!
//! Both are selections between numbers that are all computed, so they work lane by lane; a value that is used more than
//! once has a `T.Let`. No float below the smallest normal `float32` is made, so devices that flush those compute the
//! same (but for `float8_e8m0fnu`, whose smallest value is one). Arithmetic of the formats in `float32` with one
//! rounding after it is right: 24 digits are more than twice those of any of them, and two (Figueroa 1995).

use ir::{
    BinaryOp, Body, DataType, ExprId, ExprKind, Intrinsic, Lanes, TypeCode, dtype::Float8,
    minifloat,
};

/// The meaning of the patterns at the upper end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Specials {
    /// Infinity, and NaN with a mantissa.
    Ieee,
    /// Only all ones: NaN.
    OneNan,
    /// None; the pattern of negative zero is NaN.
    NanIsNegativeZero,
}

/// A format with a sign.
#[derive(Clone, Copy)]
struct Layout {
    mantissa: i128,
    bias: i128,
    specials: Specials,
}

impl Layout {
    fn of(format: Float8) -> Option<Layout> {
        use Specials::{Ieee, NanIsNegativeZero, OneNan};
        let (mantissa, bias, specials) = match format {
            Float8::E3M4 => (4, 3, Ieee),
            Float8::E4M3 => (3, 7, Ieee),
            Float8::E4M3B11Fnuz => (3, 11, NanIsNegativeZero),
            Float8::E4M3Fn => (3, 7, OneNan),
            Float8::E4M3Fnuz => (3, 8, NanIsNegativeZero),
            Float8::E5M2 => (2, 15, Ieee),
            Float8::E5M2Fnuz => (2, 16, NanIsNegativeZero),
            Float8::E8M0Fnu => return None,
        };
        Some(Layout { mantissa, bias, specials })
    }
    /// All exponent bits.
    fn infinity(self) -> i128 {
        0x7f >> self.mantissa << self.mantissa
    }
    fn largest(self) -> i128 {
        match self.specials {
            Specials::Ieee => self.infinity() - 1,
            Specials::OneNan => 0x7e,
            Specials::NanIsNegativeZero => 0x7f,
        }
    }
    fn nan(self) -> i128 {
        match self.specials {
            Specials::Ieee => self.infinity() | 1 << (self.mantissa - 1),
            Specials::OneNan => 0x7f,
            Specials::NanIsNegativeZero => 0x80,
        }
    }
}

/// A float that is taken apart.
#[derive(Clone, Copy)]
struct Wide {
    float: DataType,
    word: DataType,
    width: i128,
    mantissa: i128,
    bias: i128,
}

const SINGLE: Wide =
    Wide { float: DataType::FLOAT32, word: DataType::uint(32), width: 32, mantissa: 23, bias: 127 };
const DOUBLE: Wide = Wide {
    float: DataType::float(64),
    word: DataType::uint(64),
    width: 64,
    mantissa: 52,
    bias: 1023,
};

impl Wide {
    fn infinity(self) -> i128 {
        (2 * self.bias + 1) << self.mantissa
    }
    fn nan(self) -> i128 {
        self.infinity() | 1 << (self.mantissa - 1)
    }
}

/// The bits of a format, by the type code.
pub(super) const BYTE: DataType = DataType::uint(8);

/// The bits nearest to a value of `float32` or `float64`; none of another type.
pub(super) fn encode(body: &mut Body, format: Float8, value: ExprId) -> Option<ExprId> {
    let dtype = body.dtype(value)?;
    let wide = [SINGLE, DOUBLE].into_iter().find(|it| it.float == dtype.element())?;
    if let ExprKind::Float(bits) = body.expr(value).kind {
        let bits = minifloat::encode(TypeCode::Float8(format), f64::from_bits(bits))?;
        return Some(Maker { body, lanes: dtype.lanes }.constant(bits.into(), BYTE));
    }
    let mut maker = Maker { body, lanes: dtype.lanes };
    let layout = match Layout::of(format) {
        None if wide.float == DataType::FLOAT32 => return Some(maker.encode_power(value)),
        None => return None,
        Some(it) => it,
    };
    Some(maker.encode(layout, wide, value))
}

/// The `float32` of bits.
pub(super) fn decode(body: &mut Body, format: Float8, bits: ExprId) -> ExprId {
    let lanes = body.dtype(bits).map_or(Lanes::Fixed(1), |it| it.lanes);
    if let ExprKind::Int(bits) = body.expr(bits).kind {
        let value = minifloat::decode(TypeCode::Float8(format), bits as u8).unwrap_or(f64::NAN);
        return body.float(value, DataType::FLOAT32);
    }
    let mut maker = Maker { body, lanes };
    match Layout::of(format) {
        None => maker.decode_power(bits),
        Some(layout) => maker.decode(layout, bits),
    }
}

/// Makes expressions of so many lanes.
struct Maker<'a> {
    body: &'a mut Body,
    lanes: Lanes,
}

impl Maker<'_> {
    fn of(&self, element: DataType) -> DataType {
        element.with_lanes(self.lanes)
    }
    fn splat(&mut self, scalar: ExprId, element: DataType) -> ExprId {
        match self.lanes {
            Lanes::Fixed(n) if n > 1 => {
                let lanes = self.body.int(n.into(), DataType::INT32);
                let ty = self.of(element).into();
                self.body.make(ExprKind::Broadcast { value: scalar, lanes }, ty)
            }
            _ => scalar,
        }
    }
    fn constant(&mut self, value: i128, dtype: DataType) -> ExprId {
        let scalar = self.body.int(value, dtype);
        self.splat(scalar, dtype)
    }
    fn float(&mut self, exponent: i128, dtype: DataType) -> ExprId {
        let scalar = self.body.float(f64::from(exponent as i32).exp2(), dtype);
        self.splat(scalar, dtype)
    }
    /// `a op constant`
    fn with(&mut self, op: BinaryOp, a: ExprId, constant: i128) -> ExprId {
        let dtype = self.body.dtype(a).unwrap_or(BYTE).element();
        let constant = self.constant(constant, dtype);
        self.body.binary(op, a, constant)
    }
    fn choose(&mut self, condition: ExprId, then: i128, otherwise: ExprId) -> ExprId {
        let dtype = self.body.dtype(otherwise).unwrap_or(BYTE).element();
        let then = self.constant(then, dtype);
        self.body.select(condition, then, otherwise)
    }
    fn reinterpret(&mut self, value: ExprId, element: DataType) -> ExprId {
        let dtype = self.of(element);
        let name = self.body.string(&dtype.to_string());
        let callee = self.body.intrinsic(Intrinsic::Reinterpret);
        self.body.call(callee, &[name, value], Body::no_attrs(), dtype.into(), false)
    }
    /// `T.Let(body(x), where={x: value})`
    fn let_in(&mut self, value: ExprId, body: impl FnOnce(&mut Self, ExprId) -> ExprId) -> ExprId {
        let ty = self.body.ty(value);
        let bound = self.body.make(ExprKind::Bound(0), ty);
        let inner = body(self, bound);
        let ty = self.body.ty(inner);
        self.body.make(ExprKind::Let { value, body: inner }, ty)
    }

    /// Scaled to the format's last digit, rounded, and put together with the sign.
    fn encode(&mut self, layout: Layout, wide: Wide, value: ExprId) -> ExprId {
        let raw = self.reinterpret(value, wide.word);
        let byte = self.let_in(raw, |it, raw| {
            let magnitude = it.with(BinaryOp::BitAnd, raw, (1 << (wide.width - 1)) - 1);
            let rounded = it.rounded(layout, wide, magnitude);
            let sign = it.with(BinaryOp::Shr, raw, wide.width - 8);
            let sign = it.with(BinaryOp::BitAnd, sign, 0x80);
            it.with_specials(layout, wide, magnitude, sign, rounded)
        });
        let dtype = self.of(BYTE);
        self.body.cast(byte, dtype)
    }

    /// The bits without sign of a number that is no NaN; more than the largest if it is out of range.
    fn rounded(&mut self, layout: Layout, wide: Wide, magnitude: ExprId) -> ExprId {
        let drop = wide.mantissa - layout.mantissa;
        let rebias = (wide.bias - layout.bias) << wide.mantissa;
        // Of subnormals an addition cuts the digits: the numbers above this power are as far apart as they have to be.
        let power = wide.mantissa + 1 - layout.bias - layout.mantissa;
        let small = self.reinterpret(magnitude, wide.float);
        let anchor = self.float(power, wide.float);
        let small = self.body.binary(BinaryOp::Add, small, anchor);
        let small = self.reinterpret(small, wide.word);
        let small = self.with(BinaryOp::Sub, small, (power + wide.bias) << wide.mantissa);
        // Of others half a unit is added, less one where the last digit that stays is even; it may carry into the
        // exponent.
        let first_normal = (wide.bias + 1 - layout.bias) << wide.mantissa;
        let floor = self.constant(first_normal, wide.word);
        let normal = self.body.binary(BinaryOp::Max, magnitude, floor);
        let odd = self.with(BinaryOp::Shr, magnitude, drop);
        let odd = self.with(BinaryOp::BitAnd, odd, 1);
        let normal = self.with(BinaryOp::Sub, normal, rebias - ((1 << (drop - 1)) - 1));
        let normal = self.body.binary(BinaryOp::Add, normal, odd);
        let normal = self.with(BinaryOp::Shr, normal, drop);
        let is_small = self.with(BinaryOp::Lt, magnitude, first_normal);
        self.body.select(is_small, small, normal)
    }

    fn with_specials(
        &mut self,
        layout: Layout,
        wide: Wide,
        magnitude: ExprId,
        sign: ExprId,
        rounded: ExprId,
    ) -> ExprId {
        self.let_in(rounded, |it, rounded| {
            // One binder further in.
            let (magnitude, sign) = (it.deeper(magnitude), it.deeper(sign));
            let is_beyond = it.with(BinaryOp::Gt, rounded, layout.largest());
            let signed = it.body.binary(BinaryOp::BitOr, sign, rounded);
            match layout.specials {
                Specials::Ieee => {
                    let infinity = it.with(BinaryOp::BitOr, sign, layout.infinity());
                    let finite = it.body.select(is_beyond, infinity, signed);
                    let is_nan = it.with(BinaryOp::Gt, magnitude, wide.infinity());
                    it.choose(is_nan, layout.nan(), finite)
                }
                Specials::OneNan => it.choose(is_beyond, layout.nan(), signed),
                Specials::NanIsNegativeZero => {
                    let is_zero = it.with(BinaryOp::Eq, rounded, 0);
                    let finite = it.choose(is_zero, 0, signed);
                    it.choose(is_beyond, layout.nan(), finite)
                }
            }
        })
    }

    /// An expression of the one variable of this module, where one more binder is around.
    fn deeper(&mut self, expr: ExprId) -> ExprId {
        if let ExprKind::Bound(0) = self.body.expr(expr).kind {
            let ty = self.body.ty(expr);
            return self.body.make(ExprKind::Bound(1), ty);
        }
        // A few nodes: the sign and the magnitude of the variable.
        let mut deeper = |body: &mut Body, child| Maker { body, lanes: self.lanes }.deeper(child);
        self.body.map_children(expr, &mut deeper)
    }

    fn decode(&mut self, layout: Layout, bits: ExprId) -> ExprId {
        let word = self.of(SINGLE.word);
        let raw = self.body.cast(bits, word);
        self.let_in(raw, |it, raw| {
            let magnitude = it.with(BinaryOp::BitAnd, raw, 0x7f);
            let sign = it.with(BinaryOp::BitAnd, raw, 0x80);
            let sign = it.with(BinaryOp::Shl, sign, 24);
            // The digits of a subnormal are a whole number of its units.
            let single = it.of(SINGLE.float);
            let small = it.body.cast(magnitude, single);
            let unit = it.float(1 - layout.bias - layout.mantissa, SINGLE.float);
            let small = it.body.binary(BinaryOp::Mul, small, unit);
            let small = it.reinterpret(small, SINGLE.word);
            let normal = it.with(BinaryOp::Shl, magnitude, SINGLE.mantissa - layout.mantissa);
            let rebias = (SINGLE.bias - layout.bias) << SINGLE.mantissa;
            let normal = it.with(BinaryOp::Add, normal, rebias);
            let is_small = it.with(BinaryOp::Lt, magnitude, 1 << layout.mantissa);
            let finite = it.body.select(is_small, small, normal);
            let finite = it.body.binary(BinaryOp::BitOr, sign, finite);
            let word = match layout.specials {
                Specials::Ieee => {
                    let infinity = it.with(BinaryOp::BitOr, sign, SINGLE.infinity());
                    let is_infinite = it.with(BinaryOp::Eq, magnitude, layout.infinity());
                    let number = it.body.select(is_infinite, infinity, finite);
                    let is_nan = it.with(BinaryOp::Gt, magnitude, layout.infinity());
                    it.choose(is_nan, SINGLE.nan(), number)
                }
                Specials::OneNan => {
                    let is_nan = it.with(BinaryOp::Eq, magnitude, layout.nan());
                    it.choose(is_nan, SINGLE.nan(), finite)
                }
                Specials::NanIsNegativeZero => {
                    let is_nan = it.with(BinaryOp::Eq, raw, layout.nan());
                    it.choose(is_nan, SINGLE.nan(), finite)
                }
            };
            it.reinterpret(word, SINGLE.float)
        })
    }

    // ---- float8_e8m0fnu: the exponent of a float32, and nothing else ----

    fn encode_power(&mut self, value: ExprId) -> ExprId {
        let raw = self.reinterpret(value, SINGLE.word);
        let byte = self.let_in(raw, |it, raw| {
            let exponent = it.with(BinaryOp::Shr, raw, SINGLE.mantissa);
            let is_up = it.with(BinaryOp::Shr, raw, SINGLE.mantissa - 1);
            let is_up = it.with(BinaryOp::BitAnd, is_up, 1);
            let normal = it.body.binary(BinaryOp::Add, exponent, is_up);
            // Below the normal numbers ties are a digit further down.
            let last = it.with(BinaryOp::Ge, raw, 3 << (SINGLE.mantissa - 2));
            let zero = it.constant(0, SINGLE.word);
            let small = it.choose(last, 1, zero);
            let is_small = it.with(BinaryOp::Lt, raw, 1 << SINGLE.mantissa);
            let power = it.body.select(is_small, small, normal);
            // Zero, what is negative, infinity and NaN.
            let is_zero = it.with(BinaryOp::Eq, raw, 0);
            let is_beyond = it.with(BinaryOp::Ge, raw, SINGLE.infinity());
            let power = it.choose(is_beyond, 0xff, power);
            it.choose(is_zero, 0xff, power)
        });
        let dtype = self.of(BYTE);
        self.body.cast(byte, dtype)
    }

    fn decode_power(&mut self, bits: ExprId) -> ExprId {
        let word = self.of(SINGLE.word);
        let raw = self.body.cast(bits, word);
        self.let_in(raw, |it, raw| {
            let normal = it.with(BinaryOp::Shl, raw, SINGLE.mantissa);
            let is_smallest = it.with(BinaryOp::Eq, raw, 0);
            let number = it.choose(is_smallest, 1 << (SINGLE.mantissa - 1), normal);
            let is_nan = it.with(BinaryOp::Eq, raw, 0xff);
            let word = it.choose(is_nan, SINGLE.nan(), number);
            it.reinterpret(word, SINGLE.float)
        })
    }
}
