//! Dispatch to the grammar of each kind of statement.

use super::{compound::*, simple::*, *};

/// One statement, with the `;` or newline that ends it. Consumes at least one token.
pub(super) fn statement(p: &mut Parser<'_>) {
    let col = p.col();
    match p.current() {
        T![if] => if_stmt(p, col),
        T![for] => for_stmt(p, col),
        T![with] => with_stmt(p, col),
        T![while] => while_stmt(p, col),
        T![try] => try_stmt(p, col),
        T![def] | T![class] | T![@] => definition(p, col),
        T![async] => async_stmt(p, col),
        T![elif] | T![else] | T![except] | T![finally] => stray_clause(p, col),
        IDENT if at_match(p) => match_stmt(p, col),
        _ => simple_stmt(p),
    }
}

/// Returns true if a statement with blocks begins here.
pub(super) fn at_compound(p: &mut Parser<'_>) -> bool {
    match p.current() {
        T![if]
        | T![for]
        | T![with]
        | T![while]
        | T![try]
        | T![def]
        | T![class]
        | T![@]
        | T![async]
        | T![elif]
        | T![else]
        | T![except]
        | T![finally] => true,
        IDENT => at_match(p),
        _ => false,
    }
}

/// `match` is a keyword if an operand follows directly, or if a token that could also continue an expression makes a
/// line that ends with `:`.
fn at_match(p: &mut Parser<'_>) -> bool {
    if !p.at_word("match") {
        return false;
    }
    match p.nth(1) {
        IDENT
        | INT
        | FLOAT
        | IMAGINARY
        | STRING
        | T!['{']
        | T![~]
        | T![lambda]
        | T![await]
        | T![None]
        | T![True]
        | T![False]
        | T![...] => true,
        T![not] => p.nth(2) != T![in],
        T!['('] | T!['['] | T![-] | T![+] | T![*] => p.logical_line_ends_with_colon(),
        _ => false,
    }
}

/// A clause without its statement, kept readable.
fn stray_clause(p: &mut Parser<'_>, col: u32) {
    let m = p.start();
    match p.current() {
        T![elif] => elif_clause(p, col),
        T![else] => else_clause(p, col),
        T![except] => except_clause(p, col),
        _ => finally_clause(p, col),
    }
    m.complete(p, ERROR_NODE);
}
