//! Names of tools by pattern.

/// Whether a name fits a pattern in which `*` stands for any text and `?` for one character.
pub(in super::super) fn matches_glob(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut here) = (0, 0);
    // Where the last star stands, and how much of the name it has taken so far.
    let mut star: Option<(usize, usize)> = None;
    while here < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, here));
                at += 1;
            }
            Some(sign) if *sign == '?' || *sign == name[here] => {
                at += 1;
                here += 1;
            }
            _ => match star {
                Some((place, taken)) => {
                    star = Some((place, taken + 1));
                    at = place + 1;
                    here = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|sign| *sign == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks() {
        for (pattern, name, fit) in [
            ("delete_*", "delete_user", true),
            ("delete_*", "undelete_user", false),
            ("*", "", true),
            ("a?c", "aéc", true),
            ("a?c", "ac", false),
            ("*a*b", "xaaxbab", true),
            ("*a*b", "xaaxba", false),
            ("f", "f", true),
            ("f", "F", false),
        ] {
            assert_eq!(matches_glob(pattern, name), fit, "{pattern} {name}");
        }
    }
}
