//! The parts of the canonical text of a type: its dimensions, its elements, the operand and result types of a function
//! type.

use super::cursor::{Cursor, Token, items};

/// The dimensions at the start of the body of a shaped type: of `4x?xf32`, `4` and `?`.
pub fn dimensions_of(body: &str) -> Vec<&str> {
    let mut res = Vec::new();
    let mut rest = body;
    while let Some((dimension, tail)) = rest.split_once('x') {
        let dimension = dimension.trim();
        let number = dimension.trim_start_matches('[').trim_end_matches(']');
        let is_dimension = matches!(dimension, "?" | "*")
            || !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
        if !is_dimension {
            break;
        }
        res.push(dimension);
        rest = tail;
    }
    res
}

/// The body of a shaped type, without its brackets: of `tensor<4xf32, #e>`, `4xf32, #e`.
pub fn body_of(ty: &str) -> Option<&str> {
    let (name, rest) = ty.split_once('<')?;
    matches!(name, "tensor" | "vector" | "memref").then(|| rest.strip_suffix('>'))?
}

/// The element type of a shaped type; of `complex<f32>`, `f32`.
pub fn element_of(ty: &str) -> Option<&str> {
    if let Some(inner) = ty.strip_prefix("complex<") {
        return inner.strip_suffix('>');
    }
    let body = body_of(ty)?;
    let mut rest = body;
    for dimension in dimensions_of(body) {
        rest = &rest[rest.find(dimension)? + dimension.len() + 1..];
    }
    Some(Cursor::new(rest).item())
}

/// The dimensions of a shaped type.
pub fn shape_of(ty: &str) -> Vec<&str> {
    body_of(ty).map(dimensions_of).unwrap_or_default()
}

/// `ty` with another element type: of `vector<4xf32>` and `i1`, `vector<4xi1>`; `element` itself if it is no shaped
/// type.
pub fn with_element(ty: &str, element: &str) -> String {
    let Some(old) = element_of(ty).filter(|_| body_of(ty).is_some()) else {
        return element.to_owned();
    };
    let at = old.as_ptr() as usize - ty.as_ptr() as usize;
    format!("{}{element}{}", &ty[..at], &ty[at + old.len()..])
}

/// The inputs and results of a function type.
pub fn function_parts(ty: &str) -> Option<(Vec<&str>, Vec<&str>)> {
    let mut cursor = Cursor::new(ty);
    if !cursor.at('(') {
        return None;
    }
    cursor.space();
    let start = cursor.pos();
    cursor.skip_group();
    let inputs = items(cursor.since(start));
    if cursor.next() != Token::Arrow {
        return None;
    }
    Some((inputs, result_list(&ty[cursor.pos()..])))
}

/// The types of `T` or `(T, U)`.
pub fn result_list(text: &str) -> Vec<&str> {
    let text = text.trim();
    let mut probe = Cursor::new(text);
    if !probe.at('(') {
        return if text.is_empty() { Vec::new() } else { vec![text] };
    }
    probe.skip_group();
    // `() -> ()` as the only result is a type itself.
    if probe.at_end() { items(text) } else { vec![text] }
}

/// An item of a list of results without the attributes behind its type.
pub fn without_attributes(item: &str) -> &str {
    let mut cursor = Cursor::new(item);
    loop {
        let end = cursor.pos();
        match cursor.peek() {
            Token::End => return item,
            Token::Mark('{') => return item[..end].trim_end(),
            Token::Mark('(' | '[' | '<') => cursor.skip_group(),
            _ => {
                cursor.next();
            }
        }
    }
}

/// Returns the number of elements of a type of fixed shape.
pub fn n_elements(ty: &str) -> usize {
    let sizes = shape_of(ty).into_iter().map(|it| it.parse::<usize>().unwrap_or(0));
    sizes.fold(1usize, usize::saturating_mul)
}

/// `4xf32` of `memref<4xf32, 3>`.
pub fn dimensions_and_element(ty: &str) -> String {
    let mut res: String = shape_of(ty).iter().map(|it| format!("{it}x")).collect();
    res.push_str(element_of(ty).unwrap_or("none"));
    res
}

/// `vector<4xf32>` with another first dimension; scalable stays scalable.
pub fn with_first_dimension(ty: &str, size: usize) -> String {
    let Some(first) = shape_of(ty).first().copied() else { return ty.to_owned() };
    let at = first.as_ptr() as usize - ty.as_ptr() as usize;
    format!("{}{size}{}", &ty[..at], &ty[at + first.len()..])
}

/// The type of a member of an LLVM struct or array, by its path.
pub fn llvm_member(ty: &str, path: &[&str]) -> Option<String> {
    let mut ty = ty.strip_prefix("!llvm.").unwrap_or(ty);
    for step in path {
        let step: usize = step.parse().ok()?;
        let (name, body) = ty.split_once('<')?;
        let body = body.strip_suffix('>')?;
        ty = match name {
            "array" => body.split_once(" x ")?.1,
            "struct" => {
                let list = &body[body.find('(')?..];
                *items(list).get(step)?
            }
            _ => return None,
        };
    }
    let name = ty.split('<').next()?;
    let is_llvm =
        matches!(name, "ptr" | "struct" | "array" | "void" | "func" | "token" | "metadata");
    Some(if is_llvm { format!("!llvm.{ty}") } else { ty.to_owned() })
}
