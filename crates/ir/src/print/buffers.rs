//! Statements that make buffers: allocations, declarations, views, matched parts.

use super::{Printer, attr::quote, has_member, tuple_text};
use crate::{
    AllocKind, Attr, Buffer, BufferId, BufferOrigin, DataType, Dialect, MemoryScope, OpId, OpKind,
};

impl Printer<'_> {
    pub(super) fn alloc(
        &mut self,
        op: OpId,
        buffer: BufferId,
        kind: AllocKind,
        next: Option<OpId>,
    ) -> bool {
        let data = self.body.buffers[buffer].clone();
        let name = self.names.define_buffer(buffer, self.body.name(data.name));
        if self.is_variable(buffer) {
            return self.cell(&name, &data, buffer, next);
        }
        if let [(key, made)] = &self.body.dict(data.attrs)[..]
            && &**key == crate::OBJECT
        {
            let made = self.attr_text(made);
            self.line(format_args!("{name} = {made}"));
            return false;
        }
        let mut text = self.shape_and_dtype(&data);
        let call = match kind {
            // TileLang's TVM has no names for these.
            AllocKind::Flat if self.body.dialect == Dialect::TileLang => "alloc_buffer",
            AllocKind::Flat if data.scope == MemoryScope::Local => "alloc_local",
            AllocKind::Flat if data.scope == MemoryScope::Shared => "alloc_shared",
            AllocKind::Flat => "alloc_buffer",
            AllocKind::SBlock if self.is_legacy() => "alloc_buffer",
            AllocKind::SBlock => "sblock_alloc_buffer",
            AllocKind::Allocate => "allocate",
            AllocKind::Const => return self.constant_memory(op, &name, &data),
        };
        text.push_str(&self.strides_and_offset(&data));
        let shown = !data.scope.is_global()
            && !self.has_attr(&data, "scope")
            && call != "alloc_local"
            && call != "alloc_shared";
        if shown {
            text.push_str(&format!(", scope={}", quote(self.body.scope_name(data.scope))));
        }
        text.push_str(&self.buffer_extras(&data, false));
        if self.body.ops[op].regions.is_empty() {
            self.line(format_args!("{name} = T.{call}({text})"));
        } else {
            self.line(format_args!("with T.{call}({text}) as {name}:"));
            self.region_suite(op, 0);
        }
        false
    }

    /// `K = T.allocate_const([1, 2], "int32", [2])`
    fn constant_memory(&mut self, op: OpId, name: &str, data: &Buffer) -> bool {
        let mut args = Vec::new();
        for (key, value) in self.body.dict(data.attrs) {
            let value = self.attr_text(value);
            match &**key {
                "data" => args.insert(0, value),
                key => args.push(format!("{key}={value}")),
            }
        }
        let at = args.len().min(1);
        let extents: Vec<String> = data.shape.iter().map(|&it| self.expr_string(it)).collect();
        args.insert(at, format!("[{}]", extents.join(", ")));
        let dtype = self.dtype_text(data.dtype);
        args.insert(at, dtype);
        let args = args.join(", ");
        if self.body.ops[op].regions.is_empty() {
            self.line(format_args!("{name} = T.allocate_const({args})"));
        } else {
            self.line(format_args!("with T.allocate_const({args}) as {name}:"));
            self.region_suite(op, 0);
        }
        false
    }

    /// `x: T.int32 = e` where the first store comes right after, as it was read.
    fn cell(&mut self, name: &str, data: &Buffer, buffer: BufferId, next: Option<OpId>) -> bool {
        let dtype = data.dtype;
        if data.scope != MemoryScope::Local {
            let scope = quote(self.body.scope_name(data.scope));
            let dtype = self.dtype_text(dtype);
            self.line(format_args!("{name} = T.alloc_scalar({dtype}, scope={scope})"));
            return false;
        }
        if let Some(next) = next
            && let OpKind::Store { buffer: stored, predicated: false } = self.body.ops[next].kind
            && stored == buffer
        {
            let value = self.stored(self.body.ops[next].operands[0]);
            let value = self.expr_string(value);
            match has_member(dtype) {
                true => self.line(format_args!("{name}: T.{dtype} = {value}")),
                false => self.line(format_args!("{name} = {value}")),
            }
            return true;
        }
        if !has_member(dtype) {
            let dtype = self.dtype_text(dtype);
            self.line(format_args!("{name} = T.local_scalar({dtype})"));
            return false;
        }
        self.line(format_args!("{name}: T.{dtype}"));
        false
    }

    pub(super) fn decl_buffer(&mut self, op: OpId, buffer: BufferId) {
        let data = self.body.buffers[buffer].clone();
        let wanted = self.body.name(data.name);
        match &data.origin {
            BufferOrigin::View { source, method } => {
                let source = self.buffer_name(*source);
                let method = self.body.name(*method).to_owned();
                let args = self.view_args(&data);
                let name = self.names.define_buffer(buffer, wanted);
                let call = match &*method {
                    "sub" => format!("{source}.sub"),
                    _ => format!("{source}.{method}({args})"),
                };
                let brackets = self.view_brackets(&data);
                self.line(format_args!("{name} = {call}{brackets}"));
            }
            BufferOrigin::Match { handle } => {
                let handle = self.expr_string(*handle);
                self.match_buffer(buffer, &data, &handle);
            }
            BufferOrigin::MatchRegion(region) if self.has_attr(&data, crate::PART_OF) => {
                let source = self.buffer_name(region.buffer);
                let part = self.region_text(region);
                let dims = part.strip_prefix(&source).unwrap_or_default().to_owned();
                let name = self.names.define_buffer(buffer, wanted);
                self.line(format_args!("{name} = {source}.sub{dims}"));
            }
            BufferOrigin::MatchRegion(region) => {
                let region = self.region_text(region);
                self.match_buffer(buffer, &data, &region);
            }
            BufferOrigin::Decl { .. } if self.has_attr(&data, crate::OBJECT) => {
                let attrs = self.body.dict(data.attrs);
                let made = attrs.iter().map(|it| self.attr_text(&it.1)).collect::<String>();
                let name = self.names.define_buffer(buffer, wanted);
                self.line(format_args!("{name} = {made}"));
            }
            BufferOrigin::Decl { data: pointer } => {
                let pointer = pointer.map(|it| self.expr_string(it));
                let mut text = self.shape_and_dtype(&data);
                if let Some(pointer) = pointer {
                    text.push_str(&format!(", data={pointer}"));
                }
                text.push_str(&self.strides_and_offset(&data));
                text.push_str(&self.scope_text(&data));
                text.push_str(&self.buffer_extras(&data, false));
                let name = self.names.define_buffer(buffer, wanted);
                let is_plain = self.is_legacy() || self.body.is_plain_name(op);
                let attrs = self.body.dict(self.body.ops[op].attrs);
                let is_allocated = attrs.iter().any(|(key, _)| &**key == crate::ALLOCATED_ALIAS);
                let call = match (is_allocated, is_plain) {
                    (true, _) => "sblock_alloc_buffer",
                    (false, true) => "Buffer",
                    (false, false) => "decl_buffer",
                };
                self.line(format_args!("{name} = T.{call}({text})"));
            }
            BufferOrigin::Param | BufferOrigin::Alloc | BufferOrigin::Cell => {}
        }
    }

    fn match_buffer(&mut self, buffer: BufferId, data: &Buffer, source: &str) {
        let mut text = format!("{source}, {}", self.shape_and_dtype(data));
        text.push_str(&self.strides_and_offset(data));
        text.push_str(&self.scope_text(data));
        text.push_str(&self.buffer_extras(data, false));
        let name = self.names.define_buffer(buffer, self.body.name(data.name));
        self.line(format_args!("{name} = T.match_buffer({text})"));
    }

    /// The brackets behind the call of a view.
    fn view_brackets(&mut self, data: &Buffer) -> String {
        let dict = self.body.dict(data.attrs);
        match dict.iter().find(|it| &*it.0 == crate::BRACKETS) {
            Some((_, brackets)) => self.attr_text(brackets),
            None => String::new(),
        }
    }

    fn view_args(&mut self, data: &Buffer) -> String {
        let dict = self.body.dict(data.attrs);
        let mut args = Vec::new();
        for (key, value) in dict {
            match (&**key, value) {
                ("args", Attr::List(items)) => {
                    args.extend(items.iter().map(|it| self.attr_text(it)))
                }
                (key, _) if key == crate::UNKNOWN_SHAPE || key == crate::BRACKETS => {}
                (key, value) => args.push(self.keyword_text(key, value)),
            }
        }
        if dict.is_empty() {
            args = data.shape.iter().map(|&it| self.expr_string(it)).collect();
        }
        args.join(", ")
    }

    fn shape_and_dtype(&mut self, data: &Buffer) -> String {
        let shape = self.body.dict(data.attrs).iter().find(|it| &*it.0 == crate::UNKNOWN_SHAPE);
        let mut text = match shape {
            Some((_, shape)) => self.attr_text(shape),
            None => {
                let shape: Vec<String> =
                    data.shape.iter().map(|&it| self.expr_string(it)).collect();
                tuple_text(&shape)
            }
        };
        if data.dtype != DataType::FLOAT32 {
            let dtype = self.dtype_text(data.dtype);
            text.push_str(&format!(", {dtype}"));
        }
        text
    }

    fn strides_and_offset(&mut self, data: &Buffer) -> String {
        let mut text = String::new();
        if let Some(strides) = &data.strides {
            let strides: Vec<String> = strides.iter().map(|&it| self.expr_string(it)).collect();
            text.push_str(&format!(", strides={}", tuple_text(&strides)));
        }
        if let Some(offset) = data.elem_offset {
            let offset = self.expr_string(offset);
            text.push_str(&format!(", elem_offset={offset}"));
        }
        text
    }

    fn scope_text(&self, data: &Buffer) -> String {
        match data.scope.is_global() || self.has_attr(data, "scope") {
            true => String::new(),
            false => format!(", scope={}", quote(self.body.scope_name(data.scope))),
        }
    }

    fn has_attr(&self, data: &Buffer, key: &str) -> bool {
        self.body.dict(data.attrs).iter().any(|(it, _)| &**it == key)
    }

    /// The remaining keyword arguments of a buffer, as written; with the scope for a parameter.
    pub(super) fn buffer_extras(&mut self, data: &Buffer, with_scope: bool) -> String {
        let mut text = if with_scope { self.scope_text(data) } else { String::new() };
        for (key, value) in self.body.dict(data.attrs) {
            if &**key == crate::UNKNOWN_SHAPE {
                continue;
            }
            let value = self.keyword_text(key, value);
            text.push_str(&format!(", {value}"));
        }
        text
    }
}
