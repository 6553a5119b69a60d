//! Draws the trees and lists the claims of the text given on the command line:
//! `cargo run --release -p probare-english --example parse -- "Paris is the capital of France."`

#![allow(clippy::disallowed_methods, reason = "a tool for developers, not a part of the program")]

use probare_english::claims::{ClaimOptions, claims};
use probare_english::{Parser, Strokes};

fn main() {
    let text = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    let document = Parser::english().parse(&text);
    println!("{}", document.to_tree(Strokes::Unicode));
    for claim in claims(&document, &ClaimOptions { keep_hedged: true, ..ClaimOptions::improved() }) {
        let not = if claim.negated { "not " } else { "" };
        println!("{} | {not}{} | {}", claim.subject.text, claim.verb.text, claim.object.text);
    }
}
