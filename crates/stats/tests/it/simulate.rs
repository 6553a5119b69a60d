//! Wrong verdicts and coverage, with fewer orders than the tables of the documentation have.
//!
//! `cargo x simulate` prints those tables.

#[path = "../../examples/simulate/gates.rs"]
mod gates;
#[path = "../../examples/simulate/labels.rs"]
mod labels;

use gates::{DataSet, Kind, Method, beside_the_threshold, decide, decide_release};
use labels::{Judge, coverage, strata_coverage};

const ORDERS: usize = 400;

#[test]
fn gates_are_decided_wrongly_in_at_most_five_of_a_hundred_orders_and_peeking_is_not_right_so_often() {
    let (mut decided, mut peeked) = (0, 0);
    for data in beside_the_threshold(200) {
        for method in [Method::DataSet, Method::Population] {
            let found = decide(&data, method, ORDERS, 1);
            assert!(found.wrong_percent() <= 5.0, "{}, {method:?}: {found:?}", data.name);
            decided += found.wrong;
        }
        peeked += decide(&data, Method::Peeking, ORDERS, 1).wrong;
    }
    // The sum of two methods on one side, one on the other.
    assert!(peeked > decided, "{peeked} wrong by peeking, {decided} wrong in twice as many decisions");
}

#[test]
fn several_gates_block_and_release_wrongly_no_more_often_than_one() {
    let at = DataSet::new("", &[(1.0, 160), (0.0, 40)], 0.8);
    let below = DataSet::new("", &[(1.0, 159), (0.0, 41)], 0.8);
    let above = DataSet::new("", &[(1.0, 190), (0.0, 10)], 0.8);
    for gates in [vec![at; 5], vec![above.clone(), below, above]] {
        let found = decide_release(&gates, ORDERS, 2);
        assert!(found.wrong_percent() <= 5.0 && found.undecided == 0, "{found:?}");
    }
}

#[test]
fn the_further_the_mean_is_from_the_threshold_the_fewer_cases_are_needed() {
    for kind in Kind::ALL {
        let needed =
            [0.02, 0.05, 0.1, 0.2].map(|gap| decide(&kind.at_gap(1000, gap), Method::DataSet, 100, 3).needed_percent());
        assert!(needed.is_sorted_by(|near, far| near > far), "{kind:?}: {needed:?}");
        assert!(needed[0] < 95.0 && needed[3] < 8.0, "{kind:?}: {needed:?}");
    }
}

#[test]
fn printed_intervals_hold_the_mean_whatever_the_judge_is_worth() {
    for judge in [Judge::Follows(0.9), Judge::Follows(0.0), Judge::Opposes(0.6), Judge::Constant, Judge::Errs(0.013)] {
        let found = coverage(judge, 30, 200, 4);
        assert!(found.percent(found.printed) >= 91.0, "{judge:?}: {found:?}");
    }
    // Where the judge errs in one case of a hundred, a normal interval would hold far too seldom.
    let rare = coverage(Judge::Errs(0.013), 30, 200, 4);
    assert!(rare.percent(rare.normal) < 70.0 && rare.exact > 150, "{rare:?}");
    let good = coverage(Judge::Follows(0.7), 100, 200, 4);
    assert!(good.percent(good.printed) >= 91.0 && good.exact < 20, "{good:?}");
    assert!(good.percent(good.labels_alone) >= 91.0 && good.width < 0.85 * good.width_alone, "{good:?}");
    let strata = strata_coverage(Judge::Follows(0.6), 60, 200, 5);
    assert!(strata.percent(strata.printed) >= 91.0, "{strata:?}");
}
