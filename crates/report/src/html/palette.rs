//! The colours of the style sheet against each other: what is read has a contrast of at least 4.5 to 1, what is only seen
//! (edges of fields, underlines of marks) of 3 to 1, in light, dark and print.

use std::collections::BTreeMap;

use super::STYLE;

type Colours = BTreeMap<String, [f64; 3]>;

/// The colours that a block of the sheet names, over those of another one.
fn colours(over: &Colours, block: &str) -> Colours {
    let mut colours = over.clone();
    for declaration in block.split(['{', ';']) {
        let Some((name, value)) = declaration.trim().strip_prefix("--").and_then(|rest| rest.split_once(':')) else {
            continue;
        };
        let Some(digits) = value.trim().strip_prefix('#') else { continue };
        // `#fff` is `#ffffff`.
        let whole: String = match digits.len() {
            3 => digits.chars().flat_map(|digit| [digit, digit]).collect(),
            _ => digits.to_owned(),
        };
        let channel = |at: usize| f64::from(u8::from_str_radix(&whole[at..at + 2], 16).unwrap()) / 255.0;
        colours.insert(name.to_owned(), [channel(0), channel(2), channel(4)]);
    }
    colours
}

/// The contrast of WCAG 2.2: relative luminances, the lighter one first.
fn contrast(left: [f64; 3], right: [f64; 3]) -> f64 {
    let luminance = |colour: [f64; 3]| {
        let linear =
            colour.map(|part| if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    };
    let (left, right) = (luminance(left) + 0.05, luminance(right) + 0.05);
    left.max(right) / left.min(right)
}

#[test]
fn black_on_white_is_21_to_1() {
    assert!((contrast([0.0; 3], [1.0; 3]) - 21.0).abs() < 1e-9);
}

#[test]
fn every_colour_can_be_read() {
    let blocks: Vec<&str> = STYLE.split(":root").skip(1).map(|rest| rest.split('}').next().unwrap()).collect();
    let [light, dark, print] = blocks[..] else { panic!("light, dark and print, not {}", blocks.len()) };
    let light = colours(&Colours::new(), light);
    let mut faint = Vec::new();
    let mut compared = 0;
    for (name, theme) in [("dark", colours(&light, dark)), ("print", colours(&light, print)), ("light", light)] {
        let read = ["ink", "soft", "faint", "accent", "good", "bad", "warn", "found-line", "unsupported-line"];
        let texts = read.iter().flat_map(|text| ["paper", "card", "wash"].map(|ground| (*text, ground, 4.5)));
        let marked = ["found", "unsupported", "compared", "asked", "other"].map(|ground| ("ink", ground, 4.5));
        let seen = ["found-line", "unsupported-line", "compared-line", "asked-line", "other-line", "warn"];
        let seen = seen.iter().map(|line| (*line, "card", 3.0));
        for (text, ground, least) in texts.chain(marked).chain(seen) {
            let found = contrast(theme[text], theme[ground]);
            compared += 1;
            if found < least {
                faint.push(format!("{name}: --{text} on --{ground} is {found:.2} to 1, below {least}"));
            }
        }
    }
    assert_eq!(compared, 3 * (27 + 5 + 6));
    assert!(faint.is_empty(), "{}", faint.join("\n"));
}
