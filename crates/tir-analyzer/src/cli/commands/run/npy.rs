//! Arrays as numpy's `.npy` files.
//!
//! numpy has no name for TVM's narrow types: `ml_dtypes` writes bfloat16 as two raw bytes (`V2`), and the floats and
//! integers of 8 bits and less as one (`V1`), low bits first. Those are read and written so; `uint16` and `uint8` are
//! accepted too. The lanes of a vector type are a last dimension. Big-endian and column-major files are converted.

use anyhow::{Context as _, bail};
use interp::Array;
use ir::{DataType, Lanes, TypeCode};
use npyz::{
    DType, Endianness, NpyHeader, Order, TypeChar, TypeStr, WriteOptions, WriterBuilder as _,
};

/// The type that a file of an element type has.
fn type_text(element: DataType) -> anyhow::Result<&'static str> {
    Ok(match (element.code, element.bits) {
        (TypeCode::Bool, _) => "|b1",
        (TypeCode::Int, 8) => "|i1",
        (TypeCode::Int, 16) => "<i2",
        (TypeCode::Int, 32) => "<i4",
        (TypeCode::Int, 64) => "<i8",
        (TypeCode::UInt, 8) => "|u1",
        (TypeCode::UInt, 16) => "<u2",
        (TypeCode::UInt, 32) => "<u4",
        (TypeCode::UInt, 64) => "<u8",
        (TypeCode::Float, 16) => "<f2",
        (TypeCode::Float, 32) => "<f4",
        (TypeCode::Float, 64) => "<f8",
        (TypeCode::BFloat, _) => "|V2",
        (TypeCode::Handle | TypeCode::Void, _) => bail!("arrays of {element} have no file format"),
        _ => "|V1",
    })
}

/// The dimensions of a file for an array of this type and shape.
fn dimensions(dtype: DataType, shape: &[i64]) -> Vec<i64> {
    let lanes = match dtype.lanes {
        Lanes::Fixed(1) => None,
        Lanes::Fixed(n) | Lanes::Scalable(n) => Some(i64::from(n)),
    };
    shape.iter().copied().chain(lanes).collect()
}

/// The bytes of a file.
pub(super) fn write(array: &Array) -> anyhow::Result<Vec<u8>> {
    let element = array.dtype.element();
    if !array.dtype.is_scalar() && element.bits < 8 && !element.is_bool() {
        bail!(
            "arrays of {} have no file format: their lanes are narrower than a byte",
            array.dtype
        );
    }
    let dtype: TypeStr = type_text(element)?.parse().context("a type of numpy")?;
    let shape: Vec<u64> =
        dimensions(array.dtype, &array.shape).iter().map(|it| (*it).max(0) as u64).collect();
    let header = WriteOptions::new_header_only()
        .dtype(DType::new_scalar(dtype))
        .shape(&shape)
        .writer(Vec::new());
    let mut bytes = header.write_header_only()?;
    bytes.extend_from_slice(&array.data);
    Ok(bytes)
}

/// Reads a file as an array of `dtype`. The error describes the contents of the file.
pub(super) fn read(bytes: &[u8], dtype: DataType) -> anyhow::Result<Array> {
    let mut rest = bytes;
    let header = NpyHeader::from_reader(&mut rest).context("it is no .npy file")?;
    let DType::Plain(found) = header.dtype() else {
        bail!("it holds records, not numbers");
    };
    let element = dtype.element();
    if !is_type(&found, element)? {
        let wanted = type_text(element)?;
        bail!(
            "it holds {found}, and the parameter is {dtype}: convert it, as with .astype or .view (numpy's {wanted})"
        );
    }
    let mut shape = Vec::new();
    for &extent in header.shape() {
        shape.push(i64::try_from(extent).context("an extent is too large")?);
    }
    let size = element.bytes();
    let n = shape.iter().try_fold(1usize, |n, it| n.checked_mul(usize::try_from(*it).ok()?));
    let Some(needed) = n.and_then(|it| it.checked_mul(size)) else { bail!("it is too large") };
    if rest.len() != needed {
        bail!("it has {} bytes of data, its header says {needed}", rest.len());
    }
    let mut data = match header.order() {
        Order::C => rest.to_vec(),
        Order::Fortran => row_major(rest, &shape, size),
    };
    if found.endianness() == Endianness::Big {
        data.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
    if let Lanes::Fixed(lanes @ 2..) = dtype.lanes
        && shape.pop() != Some(lanes.into())
    {
        bail!("the last dimension of its shape must be the {lanes} lanes of {dtype}");
    }
    Ok(Array { dtype, shape, data })
}

fn is_type(found: &TypeStr, element: DataType) -> anyhow::Result<bool> {
    let wanted: TypeStr = type_text(element)?.parse().context("a type of numpy")?;
    let is_raw = wanted.type_char() == TypeChar::RawData && found.type_char() == TypeChar::Uint;
    let is_same = wanted.type_char() == found.type_char();
    Ok((is_same || is_raw) && wanted.size_field() == found.size_field())
}

/// The elements of a column-major array in row-major order.
fn row_major(data: &[u8], shape: &[i64], size: usize) -> Vec<u8> {
    let extents: Vec<usize> = shape.iter().map(|it| *it as usize).collect();
    let mut strides = vec![1; extents.len()];
    for dim in 1..extents.len() {
        strides[dim] = strides[dim - 1] * extents[dim - 1];
    }
    let mut out = Vec::with_capacity(data.len());
    for index in 0..data.len() / size.max(1) {
        let (mut rest, mut from) = (index, 0);
        for dim in (0..extents.len()).rev() {
            from += rest % extents[dim] * strides[dim];
            rest /= extents[dim];
        }
        out.extend_from_slice(&data[from * size..(from + 1) * size]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(array: &Array) {
        let bytes = write(array).unwrap();
        assert_eq!(&read(&bytes, array.dtype).unwrap(), array);
    }

    #[test]
    fn every_type_comes_back() {
        for name in [
            "bool",
            "int8",
            "int16",
            "int32",
            "int64",
            "uint8",
            "uint16",
            "uint32",
            "uint64",
            "float16",
            "float32",
            "float64",
            "bfloat16",
            "float8_e4m3fn",
            "float8_e5m2fnuz",
            "float6_e2m3fn",
            "float4_e2m1fn",
            "int4",
            "float32x4",
        ] {
            let dtype = DataType::parse(name).unwrap();
            let mut array = Array::zeros(dtype, &[2, 3]);
            array.data.iter_mut().enumerate().for_each(|(at, it)| *it = (at % 2) as u8);
            round_trip(&array);
        }
    }

    #[test]
    fn header_is_what_numpy_and_ml_dtypes_write() {
        let bytes = write(&Array::zeros(DataType::parse("bfloat16").unwrap(), &[2, 3])).unwrap();
        let text = String::from_utf8_lossy(&bytes[10..70]).into_owned();
        assert!(
            text.starts_with("{'descr': '|V2', 'fortran_order': False, 'shape': (2, 3"),
            "{text}"
        );
        assert_eq!(bytes.len() % 64, 12, "the data is aligned");
    }

    fn file(descr: &str, order: &str, data: &[u8]) -> Vec<u8> {
        let mut header =
            format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': (2, 3), }}");
        while (header.len() + 11) % 64 != 0 {
            header.push(' ');
        }
        header.push('\n');
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn other_orders_are_converted() {
        let int16 = DataType::int(16);
        let columns = read(&file("|u1", "True", &[1, 4, 2, 5, 3, 6]), DataType::uint(8)).unwrap();
        assert_eq!(columns.data, [1, 2, 3, 4, 5, 6]);
        let big = [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6];
        let big = read(&file(">i2", "False", &big), int16).unwrap();
        assert_eq!(big.to_f64s(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    }

    #[test]
    fn unsupported_arrays_are_refused_with_a_reason() {
        let error = |bytes: &[u8]| format!("{:#}", read(bytes, DataType::FLOAT32).unwrap_err());
        assert!(error(b"PK\x03\x04").starts_with("it is no .npy file"));
        assert!(error(&file("<f8", "False", &[0; 48])).starts_with("it holds <f8"), "another type");
        assert_eq!(
            error(&file("<f4", "False", &[0; 20])),
            "it has 20 bytes of data, its header says 24"
        );
    }
}
