//! Claims of sentences of many shapes. None of them is in the training data; a parser that is right 85 times in a
//! hundred must get such plain ones right.

use probare_english::Parser;
use probare_english::claims::{ClaimOptions, claims};

fn summary(text: &str, options: &ClaimOptions) -> Vec<String> {
    claims(&Parser::english().parse(text), options)
        .into_iter()
        .map(|claim| {
            let negation = if claim.negated { " (negated)" } else { "" };
            format!("{} | {} | {}{negation}", claim.subject.text, claim.verb.text, claim.object.text)
        })
        .collect()
}

#[track_caller]
fn reference(text: &str, expected: &[&str]) {
    assert_eq!(summary(text, &ClaimOptions::published()), expected, "{text}");
}

#[test]
fn active_and_passive() {
    reference("Adobe acquired the design company in 2022.", &["Adobe | acquired | company"]);
    reference("The design company was acquired by Adobe.", &["Adobe | acquired | company"]);
    reference("The museum was founded in 1851.", &["museum | founded | 1851"]);
    reference("The office is located in Nairobi.", &["office | located | Nairobi"]);
}

#[test]
fn copulas() {
    reference("Canberra is the capital of Australia.", &["Canberra | is | capital"]);
    reference("The soup is cold.", &["soup | is | cold"]);
    reference("The factory is in Ghent.", &["factory | is | Ghent"]);
    reference("The shop is closed on Mondays.", &["shop | is | closed"]);
    reference("There is a problem.", &[]);
}

#[test]
fn joined_verbs_share_their_subject() {
    reference(
        "Nokia bought the startup and sold the factory.",
        &["Nokia | bought | startup", "Nokia | sold | factory"],
    );
}

#[test]
fn relative_clauses_lead_to_what_they_modify() {
    reference(
        "The company that acquired the newspaper sold the building.",
        &["company | acquired | newspaper", "company | sold | building"],
    );
}

#[test]
fn hedged_statements_are_no_claims_unless_asked_for() {
    for text in [
        "The ticket may cost $20.",
        "The company probably sold the factory.",
        "The shop seems to sell bread.",
        "The bridge could be closed.",
    ] {
        reference(text, &[]);
    }
    let options = ClaimOptions { keep_hedged: true, ..ClaimOptions::published() };
    let document = Parser::english().parse("The ticket may cost $20.");
    assert!(claims(&document, &options).iter().all(|claim| claim.hedged));
    assert_eq!(claims(&document, &options).len(), 1);
}

#[test]
fn prices_are_claims_of_what_costs_them() {
    for (text, subject) in [
        ("Adult tickets cost £20.", "tickets | cost | "),
        ("The tickets cost about $15.", "tickets | cost | "),
        ("The bridge cost $48 million.", "bridge | cost | "),
        ("The cost is $5.", "cost | is | "),
    ] {
        let found = summary(text, &ClaimOptions::published());
        assert!(found.len() == 1 && found[0].starts_with(subject), "{text}: {found:?}");
    }
}

#[test]
fn negation_is_marked() {
    reference("The price does not include breakfast.", &["price | include | breakfast (negated)"]);
    reference("Bonn is not the capital of Germany.", &["Bonn | is | capital (negated)"]);
    reference("The hotel offers no parking.", &["hotel | offers | parking (negated)"]);
}

#[test]
fn the_careful_profile_takes_any_finite_verb_and_every_object() {
    let careful = ClaimOptions::improved();
    assert_eq!(
        summary("The engineer designed the bridge and the tunnel.", &careful),
        ["engineer | designed | bridge", "engineer | designed | tunnel"]
    );
}
