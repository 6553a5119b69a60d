//! x
use probare_nlp::Parser;
fn main() {
    let text = std::fs::read_to_string("/tmp/ewt/dev.conllu").unwrap();
    for block in text.split("\n\n") {
        let rows: Vec<Vec<&str>> = block.lines().filter(|l| !l.starts_with('#')).map(|l| l.split('\t').collect()).filter(|c: &Vec<&str>| c.len() == 10 && c[0].parse::<u32>().is_ok()).collect();
        let words: Vec<&str> = rows.iter().map(|r| r[1]).collect();
        let s = Parser::english().parse_words(&words);
        for (t, r) in s.tokens.iter().zip(&rows) {
            if t.lemma != r[2] { println!("L\t{}\t{}\t{}/{}\tgold {} {}/{}", t.form, t.lemma, t.upos, t.xpos, r[2], r[3], r[4]); }
            if t.upos.as_str() != r[3] { println!("T\t{}\t{}/{}\tgold {}/{}", t.form, t.upos, t.xpos, r[3], r[4]); }
        }
    }
}
