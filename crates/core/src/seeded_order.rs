//! The order in which a run takes its cases where it may stop early: random, fixed before any result is known, and the same
//! on every machine.

use crate::Sha256;

/// By what a case is sorted. A new case does not move the others, and the order of the file has no part in it.
pub fn order_key(seed: u64, id: &str) -> [u8; 32] {
    let mut digest = Sha256::default();
    for piece in ["probare-order-v1", "\0", &seed.to_string(), "\0", id] {
        digest.update(piece);
    }
    digest.digest()
}

/// The places of cases in the order of a seed; ties keep the order of the file.
pub fn seeded_order<'a>(seed: u64, ids: impl IntoIterator<Item = &'a str>) -> Vec<usize> {
    let keys: Vec<[u8; 32]> = ids.into_iter().map(|id| order_key(seed, id)).collect();
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|at| keys[*at]);
    order
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn golden_orders() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/decide_early/order.jsonl");
        let text = fs::read_to_string(file).unwrap();
        let mut vectors = 0;
        for line in text.lines() {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            let list = |key: &str| -> Vec<&str> {
                case[key].as_array().unwrap().iter().filter_map(|id| id.as_str()).collect()
            };
            let ids = list("ids");
            let order = seeded_order(case["seed"].as_u64().unwrap(), ids.iter().copied());
            assert_eq!(order.iter().map(|at| ids[*at]).collect::<Vec<_>>(), list("order"), "{}", case["id"]);
            vectors += 1;
        }
        assert_eq!(vectors, 60);
    }
}
