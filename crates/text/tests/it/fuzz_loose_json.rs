//! Any bytes: reading JSON that forgives neither panics nor points outside of the text.

use probare_text::loose_json::find_values;

#[test]
fn fuzz_loose_json() {
    bolero::check!().for_each(|bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        for found in find_values(&text) {
            assert!(text.get(found.span).is_some());
        }
    });
}

#[test]
fn fuzz_loose_json_of_its_own_signs() {
    const SIGNS: &[&str] = &[
        "{", "}", "[", "]", "\"", "'", ",", ":", "\\", "\n", " ", "//", "/*", "*/", "#", "```", "...", "True", "null",
        "1", "-", ".5", "a", "é", "\\u", "\\ud83d", "“", "”",
    ];
    bolero::check!().with_type::<Vec<u8>>().for_each(|picks| {
        let text: String = picks.iter().map(|pick| SIGNS[usize::from(*pick) % SIGNS.len()]).collect();
        for found in find_values(&text) {
            assert!(text.get(found.span).is_some());
        }
    });
}
