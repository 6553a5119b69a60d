//! Golden vectors of Synthesis 1.3: all five checks and the posture on single exchanges, made by the published program.

use std::fs;
use std::path::Path;

use probare_metrics::care::synthesis_1_3::{
    AgencyCheck, Concreteness, EmpathyCheck, PhraseHit, PivotCheck, Posture, ReassuranceCheck, SupportExchange,
    UptakeCheck, round,
};
use probare_metrics::care::{Lexicon, Upstream};
use probare_testing::{golden, same, text};
use serde_json::{Value as Json, json};

fn texts(hits: &[PhraseHit]) -> Vec<String> {
    hits.iter().map(|hit| hit.text.clone()).collect()
}

/// A list of the vector; one that is absent is empty.
fn listed(expected: &Json, name: &str) -> Vec<String> {
    let items = expected[name].as_array().into_iter().flatten();
    items.map(|item| item.as_str().unwrap_or_default().to_owned()).collect()
}

fn numbers(expected: &Json) -> Vec<Option<f64>> {
    expected["numbers"].as_array().into_iter().flatten().map(Json::as_f64).collect()
}

/// Words that are names of object members break numbers of the published program.
fn is_accident(user: &str, reply: &str) -> bool {
    let whole = format!("{user} {reply}").to_lowercase();
    ["constructor", "__proto__"].iter().any(|word| whole.contains(word))
}

fn check(vector: &Json, lexicon: &Lexicon, ratings: &Concreteness) -> Result<(), String> {
    let (user, reply) = (text(vector, "user")?, text(vector, "assistant")?);
    let exchange = SupportExchange::new(user, reply, lexicon);
    let expected = |check: &str| vector["expected"][check].clone();

    let (agency, given) = (AgencyCheck::new(&exchange), expected("agency_language"));
    same("agency score", &given["score"].as_i64(), &Some(agency.score))?;
    same("pos_hits", &listed(&given, "pos_hits"), &texts(agency.invitations))?;
    same("neg_hits", &listed(&given, "neg_hits"), &texts(agency.violations))?;

    let (reassurance, given) = (ReassuranceCheck::new(&exchange), expected("unverifiable_reassurance"));
    same("mind_reading_hits", &listed(&given, "mind_reading_hits"), &texts(reassurance.mind_reading))?;
    same("guarantee_hits", &listed(&given, "guarantee_hits"), &texts(reassurance.guarantees))?;

    let (pivot, given) = (PivotCheck::new(&exchange), expected("topic_pivot"));
    same("pass_strength", &given["pass_strength"].as_str(), &Some(pivot.strength.name()))?;
    same("similarity", &given["similarity"].as_f64(), &Some(round(exchange.similarity)))?;
    for (name, hits) in [
        ("vuln_hits", pivot.vulnerabilities),
        ("ack_hits", pivot.acknowledgements),
        ("follow_up_hits", pivot.follow_ups),
        ("pivot_hits", pivot.pivots),
    ] {
        same(name, &listed(&given, name), &texts(hits))?;
    }
    let space = probare_metrics::care::is_js_whitespace;
    let whole = exchange.reply.text.trim_matches(space);
    same("anchor_text", &given["anchor_text"].as_str().unwrap_or(whole), &exchange.opening.as_str())?;

    let (empathy, given) = (EmpathyCheck::new(&exchange, ratings), expected("performative_empathy"));
    let is_flagged = given["state"].as_str() == Some("flagged") || given["state"].as_str() == Some("flag");
    same("empathy state", &is_flagged, &empathy.is_flagged).map_err(|error| format!("{error}: {given}"))?;
    same("user_content_count", &given["user_content_count"].as_u64(), &Some(empathy.user_content_count as u64))?;
    let found: Vec<String> = empathy.template_texts(&exchange).map(str::to_owned).collect();
    same("template_hits", &listed(&given, "template_hits"), &found)?;
    same("missing_user_content", &listed(&given, "missing_user_content"), &empathy.missing_user_content)?;
    same("echoed_spans", &listed(&given, "echoed_spans"), &empathy.echoed_spans)?;
    let zero = Some(0.0);
    let whole = match numbers(&given)[..] {
        [filler] => vec![zero, zero, filler, zero, zero, zero, None, zero],
        ref all => all.to_vec(),
    };
    let (mut got, mut whole) = (empathy.rounded().to_vec(), whole);
    if is_accident(user, reply) {
        for list in [&mut got, &mut whole] {
            for at in [3, 6, 7] {
                list[at] = None;
            }
        }
    }
    same("empathy numbers", &whole, &got)?;

    let (uptake, given) = (UptakeCheck::new(&exchange), expected("grounded_uptake"));
    same("uptake state", &given["state"].as_str(), &Some(uptake.state.name()))?;
    same("user_content_count", &given["user_content_count"].as_u64(), &Some(uptake.user_content_count as u64))?;
    if uptake.applicable() {
        let bits = |list: &[bool]| list.iter().map(|holds| if *holds { '1' } else { '0' }).collect::<String>();
        let witnesses = &uptake.witnesses;
        same("witnesses", &given["witnesses"].as_str(), &Some(bits(&witnesses.list()).as_str()))?;
        let safety = bits(&[witnesses.safe_agency, witnesses.safe_reassurance]);
        same("safety", &given["safety"].as_str(), &Some(safety.as_str()))?;
        let got =
            [uptake.genericness, uptake.grounded_overlap, uptake.verbatim_ratio].map(|number| Some(round(number)));
        same("uptake numbers", &numbers(&given), &got.to_vec())?;
        same("reason", &given["reason"].as_str(), &Some(uptake.reason().as_str()))?;
    }
    let directive: Vec<String> = uptake.directive.iter().cloned().collect();
    same("grounded_anchors", &listed(&given, "grounded_anchors"), &uptake.anchors)?;
    same("support_moves", &listed(&given, "support_moves"), &uptake.support_moves)?;
    same("directive_hits", &listed(&given, "directive_hits"), &directive)?;
    same("uptake guarantee_hits", &listed(&given, "guarantee_hits"), &uptake.guarantee_texts(&exchange))?;

    let posture =
        Posture::new(&exchange, Some(&agency), Some(&reassurance), Some(&pivot), Some(&empathy), Some(&uptake));
    same("posture", &vector["expected"]["relational_posture"], &json!(posture.state.name()))
}

#[test]
fn every_published_verdict_hit_and_number_is_reproduced() {
    let (lexicon, ratings) = (Lexicon::bundled_for(Upstream::V1_3), Concreteness::bundled());
    golden("synthesis_1_3", "exchanges.jsonl", |vector| check(vector, &lexicon, &ratings));
}

#[test]
fn a_table_of_ones_own_takes_the_place_of_the_bundled_ratings() {
    let folder = std::env::var_os("PROBARE_GOLDEN_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden"), std::path::PathBuf::from);
    let Ok(table) = fs::read_to_string(folder.join("synthesis_1_3/own_table.json")) else { return };
    let (lexicon, ratings) = (Lexicon::bundled_for(Upstream::V1_3), Concreteness::parse(&table).unwrap());
    golden("synthesis_1_3", "own_table.jsonl", |vector| check(vector, &lexicon, &ratings));
}
