//! Who goes with whom: the best one-to-one pairing, in any order or without crossing.
//!
//! Weights are whole numbers, so sums are exact. Of several best pairings the first is taken: the smallest partner for the
//! first row, then for the second, and so on, where none counts as greatest.

use probare_cancellation::count_steps;

/// The partner of each row.
pub(in super::super) type Pairing = Vec<Option<usize>>;

/// The pairing of `rows` with `columns` of the greatest sum of weights. A weight is greater than 0; 0 is no pair.
///
/// Hungarian with potentials. Each row first takes the best column where that is free, so that what pairs plainly costs the square
/// of the longer side; only the rows that are left, the cube. Ties are broken on the pairs that are tight under the potentials,
/// which are the only ones that a best pairing can have.
pub(in super::super) fn assignment(rows: usize, columns: usize, weight: impl Fn(usize, usize) -> i64) -> Pairing {
    let size = rows.max(columns);
    if rows == 0 || columns == 0 {
        return vec![None; rows];
    }
    let mut cost = vec![0_i64; size * size];
    for row in 0..rows {
        count_steps(columns);
        for column in 0..columns {
            cost[row * size + column] = -weight(row, column);
        }
    }
    let (mut partner, tight) = hungarian(size, &cost);
    first_of_equals(size, &mut partner, &cost, &tight);
    let is_pair = |row: usize, column: usize| column < columns && cost[row * size + column] < 0;
    (0..rows).map(|row| Some(partner[row]).filter(|column| is_pair(row, *column))).collect()
}

/// A perfect pairing of least cost, and which pairs are tight under its potentials.
fn hungarian(size: usize, cost: &[i64]) -> (Vec<usize>, Vec<bool>) {
    const FAR: i64 = i64::MAX / 4;
    // Row and column 0 stand for nobody; the others are counted from 1.
    let mut of_row = vec![0_i64; size + 1];
    let mut of_column = vec![0_i64; size + 1];
    let mut row_of = vec![0_usize; size + 1];
    let mut before = vec![0_usize; size + 1];
    let mut least = vec![FAR; size + 1];
    let mut is_used = vec![false; size + 1];
    // Every row begins with its best columns tight, and takes the first of them that nobody has.
    let mut is_left = vec![false; size + 1];
    for row in 1..=size {
        let costs = &cost[(row - 1) * size..row * size];
        of_row[row] = costs.iter().copied().min().unwrap_or_default();
        let free = (1..=size).find(|column| costs[column - 1] == of_row[row] && row_of[*column] == 0);
        match free {
            Some(column) => row_of[column] = row,
            None => is_left[row] = true,
        }
    }
    for row in (1..=size).filter(|row| is_left[*row]) {
        row_of[0] = row;
        let mut column = 0;
        least.fill(FAR);
        is_used.fill(false);
        loop {
            count_steps(size);
            is_used[column] = true;
            let here = row_of[column];
            let (mut step, mut next) = (FAR, 0);
            for other in 1..=size {
                if is_used[other] {
                    continue;
                }
                let reduced = cost[(here - 1) * size + other - 1] - of_row[here] - of_column[other];
                if reduced < least[other] {
                    least[other] = reduced;
                    before[other] = column;
                }
                if least[other] < step {
                    step = least[other];
                    next = other;
                }
            }
            for other in 0..=size {
                if is_used[other] {
                    of_row[row_of[other]] += step;
                    of_column[other] -= step;
                } else {
                    least[other] -= step;
                }
            }
            column = next;
            if row_of[column] == 0 {
                break;
            }
        }
        while column != 0 {
            row_of[column] = row_of[before[column]];
            column = before[column];
        }
    }
    let mut partner = vec![0; size];
    for column in 1..=size {
        partner[row_of[column] - 1] = column - 1;
    }
    let is_tight = |at: usize| cost[at] == of_row[at / size + 1] + of_column[at % size + 1];
    (partner, (0..size * size).map(is_tight).collect())
}

/// Changes a pairing along tight pairs into the first of all that are as good. What costs nothing is no pair: to be without
/// one is the last choice, and whoever is may still make room for others.
fn first_of_equals(size: usize, partner: &mut [usize], cost: &[i64], tight: &[bool]) {
    let is_pair = |row: usize, column: usize| cost[row * size + column] < 0;
    let mut owner = vec![0; size];
    for (row, column) in partner.iter().enumerate() {
        owner[*column] = row;
    }
    // Earlier rows that have no partner.
    let mut is_alone = vec![false; size];
    for row in 0..size {
        let open = |column: &usize| {
            let holder = owner[*column];
            tight[row * size + column] && is_pair(row, *column) && (holder >= row || is_alone[holder])
        };
        let first = (0..size).find(open);
        if first.is_none() || first == Some(partner[row]) {
            is_alone[row] = !is_pair(row, partner[row]);
            continue;
        }
        // Rows that can give up their column, each with the one whose column it then takes; the last takes this row's.
        let mut towards: Vec<Option<usize>> = vec![None; size];
        let mut queue = vec![row];
        let mut at = 0;
        while at < queue.len() {
            count_steps(size);
            let target = queue[at];
            at += 1;
            let column = partner[target];
            for giver in 0..size {
                let may_move = giver > row || (is_alone[giver] && !is_pair(giver, column));
                if giver != target && may_move && towards[giver].is_none() && tight[giver * size + column] {
                    towards[giver] = Some(target);
                    queue.push(giver);
                }
            }
        }
        let is_given = |column: &usize| owner[*column] == row || towards[owner[*column]].is_some();
        if let Some(chosen) = (0..size).filter(open).find(is_given) {
            let mut moves = vec![(row, chosen)];
            let mut giver = owner[chosen];
            while giver != row {
                let target = towards[giver].unwrap_or(row);
                moves.push((giver, partner[target]));
                giver = target;
            }
            for (row, column) in moves {
                partner[row] = column;
                owner[column] = row;
            }
        }
        is_alone[row] = !is_pair(row, partner[row]);
    }
}

/// The pairing of the greatest sum of weights in which no two pairs cross: a weighted longest common subsequence.
pub(in super::super) fn in_order_pairing(rows: usize, columns: usize, weight: impl Fn(usize, usize) -> i64) -> Pairing {
    let width = columns + 1;
    // What the rows from here on and the columns from there on can reach.
    let mut best = vec![0_i64; (rows + 1) * width];
    for row in (0..rows).rev() {
        count_steps(columns);
        for column in (0..columns).rev() {
            let pair = weight(row, column);
            let paired = if pair > 0 { pair + best[(row + 1) * width + column + 1] } else { 0 };
            best[row * width + column] =
                paired.max(best[(row + 1) * width + column]).max(best[row * width + column + 1]);
        }
    }
    let mut from = 0;
    let choose = |row: usize| {
        let target = best[row * width + from];
        let is_best = |column: &usize| {
            let pair = weight(row, *column);
            pair > 0 && pair + best[(row + 1) * width + column + 1] == target
        };
        let found = (from..columns).find(is_best);
        if let Some(column) = found {
            from = column + 1;
        }
        found
    };
    (0..rows).map(choose).collect()
}

/// The pairing of the n-th row with the n-th column, where some rows may be skipped: of all choices of those the one with
/// the greatest sum of weights, which passes over as late as it can.
pub(in super::super) fn strict_pairing(
    rows: usize,
    columns: usize,
    is_optional: impl Fn(usize) -> bool,
    weight: impl Fn(usize, usize) -> i64,
) -> Pairing {
    let width = columns + 1;
    let mut best = vec![0_i64; (rows + 1) * width];
    let placed = |best: &[i64], row: usize, column: usize| weight(row, column) + best[(row + 1) * width + column + 1];
    for row in (0..rows).rev() {
        count_steps(columns);
        for column in (0..columns).rev() {
            let passed = if is_optional(row) { best[(row + 1) * width + column] } else { 0 };
            best[row * width + column] = placed(&best, row, column).max(passed);
        }
    }
    let mut column = 0;
    let choose = |row: usize| {
        if column >= columns || is_optional(row) && placed(&best, row, column) < best[row * width + column] {
            return None;
        }
        column += 1;
        Some(column - 1).filter(|column| weight(row, *column) > 0)
    };
    (0..rows).map(choose).collect()
}

/// Whether every one of `needed` can have one of `had` for itself, where a greedy choice may have missed it.
pub(in super::super) fn can_cover(needed: usize, had: usize, fits: impl Fn(usize, usize) -> bool) -> bool {
    let mut owner: Vec<Option<usize>> = vec![None; had];
    (0..needed).all(|need| {
        // The way back along which owners change.
        let mut before: Vec<Option<usize>> = vec![None; had];
        let mut is_seen = vec![false; had];
        let mut queue = vec![need];
        let mut at = 0;
        let mut free = None;
        while free.is_none() && at < queue.len() {
            count_steps(had);
            let taker = queue[at];
            at += 1;
            for candidate in 0..had {
                if is_seen[candidate] || !fits(candidate, taker) {
                    continue;
                }
                is_seen[candidate] = true;
                before[candidate] = Some(taker);
                if let Some(other) = owner[candidate] {
                    queue.push(other);
                } else {
                    free = Some(candidate);
                    break;
                }
            }
        }
        let Some(mut candidate) = free else { return false };
        while let Some(taker) = before[candidate] {
            let earlier = owner.iter().position(|owned| *owned == Some(taker));
            owner[candidate] = Some(taker);
            match earlier {
                Some(given) => candidate = given,
                None => break,
            }
        }
        true
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All pairings of rows with columns, the first ones first.
    fn all(rows: usize, columns: usize) -> Vec<Pairing> {
        if rows == 0 {
            return vec![Vec::new()];
        }
        let mut pairings = Vec::new();
        for earlier in all(rows - 1, columns) {
            for column in (0..columns).filter(|column| !earlier.contains(&Some(*column))).map(Some).chain([None]) {
                let mut pairing = earlier.clone();
                pairing.push(column);
                pairings.push(pairing);
            }
        }
        pairings.sort_by_key(|pairing| pairing.iter().map(|column| column.unwrap_or(usize::MAX)).collect::<Vec<_>>());
        pairings
    }

    fn sum(pairing: &Pairing, weights: &[Vec<i64>]) -> Option<i64> {
        let pairs = pairing.iter().enumerate().filter_map(|(row, column)| Some((row, (*column)?)));
        pairs.map(|(row, column)| Some(weights[row][column]).filter(|weight| *weight > 0)).sum()
    }

    fn crosses(pairing: &Pairing) -> bool {
        let partners: Vec<usize> = pairing.iter().flatten().copied().collect();
        !partners.is_sorted()
    }

    fn brute(weights: &[Vec<i64>], columns: usize, may_cross: bool) -> Pairing {
        let mut best: Option<(i64, Pairing)> = None;
        for pairing in all(weights.len(), columns).into_iter().filter(|pairing| may_cross || !crosses(pairing)) {
            if let Some(sum) = sum(&pairing, weights)
                && best.as_ref().is_none_or(|(most, _)| sum > *most)
            {
                best = Some((sum, pairing));
            }
        }
        best.map(|(_, pairing)| pairing).unwrap_or_default()
    }

    fn weights() -> impl Strategy<Value = (usize, Vec<Vec<i64>>)> {
        (0_usize..5, 0_usize..5).prop_flat_map(|(rows, columns)| {
            // Few different weights, so that there are many ties.
            let row = proptest::collection::vec(prop_oneof![0_i64..4, Just(1_000_000)], columns);
            (Just(columns), proptest::collection::vec(row, rows))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 5_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_assignment_is_the_first_best_of_all((columns, weights) in weights()) {
            let found = assignment(weights.len(), columns, |row, column| weights[row][column]);
            prop_assert_eq!(found, brute(&weights, columns, true));
        }

        #[test]
        fn the_longest_sequence_is_the_first_best_of_all((columns, weights) in weights()) {
            let found = in_order_pairing(weights.len(), columns, |row, column| weights[row][column]);
            prop_assert_eq!(found, brute(&weights, columns, false));
        }

        #[test]
        fn a_cover_is_found_if_there_is_one((columns, weights) in weights()) {
            let found = can_cover(weights.len(), columns, |had, need| weights[need][had] > 0);
            let is_full = |pairing: &Pairing| sum(pairing, &weights).is_some() && pairing.iter().all(Option::is_some);
            prop_assert_eq!(found, all(weights.len(), columns).iter().any(is_full));
        }
    }
}
