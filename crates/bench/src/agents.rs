//! Calls against calls: `tool_calls` where 500 of one name stand against 500, the most that are paired.

use probare_benchmarks::registry;
use probare_core::{Case, CaseToolCall, Profile, Sample};
use probare_stats::Random;
use serde_json::{Map, Value as Json};

use crate::processor_time;

/// Calls on each side.
const CALLS: usize = 500;

/// Prints a line for each kind of calls.
pub fn print() -> Result<(), Box<dyn std::error::Error>> {
    println!("\n{:48} {:>16}", "500 calls against 500", "CPU-seconds");
    let mut random = Random::new(5);
    let different: Vec<usize> = (0..CALLS).collect();
    let equal = vec![0; CALLS];
    let drawn: Vec<usize> = (0..CALLS).map(|_| random.below(40)).collect();
    for (name, numbers) in [("all different", different), ("all equal", equal), ("of 40 kinds, drawn", drawn)] {
        for order in ["any", "in_order"] {
            let metric =
                registry().get("tool_calls")?.build(serde_json::json!({"order": order}), Profile::Published)?;
            let called = calls(&numbers, &mut random);
            let expected = calls(&numbers, &mut random);
            let case = Case { tool_calls: Some(called), expected_tool_calls: Some(expected), ..Case::default() };
            let start = processor_time::seconds().unwrap_or_default();
            let outcome = metric.score(Sample::from_case(&case))?;
            let seconds = processor_time::seconds().unwrap_or_default() - start;
            let value = outcome.score().map_or(0.0, |score| score.value.get());
            println!("{:48} {seconds:>16.3}   value {value:.3}", format!("{name}, order {order}"));
        }
    }
    Ok(())
}

/// Calls with these numbers as arguments, in a drawn order.
fn calls(numbers: &[usize], random: &mut Random) -> Vec<CaseToolCall> {
    let mut numbers = numbers.to_vec();
    random.shuffle(&mut numbers);
    let call = |number: usize| {
        let arguments = [("id", Json::from(number)), ("kind", Json::from("order")), ("note", Json::from(number % 3))];
        CaseToolCall::new("f", arguments.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>())
    };
    numbers.into_iter().map(call).collect()
}
