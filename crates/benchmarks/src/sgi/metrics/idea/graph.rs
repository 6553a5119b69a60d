//! How alike two plans are: the steps as nodes, their order as edges, their words as a set.

use std::collections::BTreeSet;

use probare_text::python::{PyValue, is_digit, lower, split, strip};

/// How plans are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GraphOptions {
    /// Weight of the edges; the words have the rest.
    pub alpha: f64,
    /// Whether `2` comes before `10` in a chain; by alphabet it comes behind.
    pub natural_order: bool,
}

impl Default for GraphOptions {
    fn default() -> Self {
        Self { alpha: 0.6, natural_order: false }
    }
}

/// How alike two ideas are in their steps and the order of these, from 0 to 1.
pub fn graph_similarity(generated: &PyValue, reference: &PyValue, options: GraphOptions) -> f64 {
    let (Some(left), Some(right)) = (Graph::new(generated, options), Graph::new(reference, options)) else {
        return 0.0;
    };
    let words = left.text_similarity(&right);
    if left.edges.is_empty() || right.edges.is_empty() {
        return words;
    }
    options.alpha * jaccard(&left.edges, &right.edges) + (1.0 - options.alpha) * words
}

struct Graph {
    texts: Vec<String>,
    edges: BTreeSet<(String, String)>,
}

impl Graph {
    /// Nothing where steps or order are missing, empty, or of a kind that gives no node.
    fn new(idea: &PyValue, options: GraphOptions) -> Option<Self> {
        let steps = idea.get("ImplementationSteps").filter(|steps| steps.is_truthy())?;
        let order = idea.get("ImplementationOrder").filter(|order| order.is_truthy())?;
        let nodes: Vec<(String, String)> = match steps {
            PyValue::Dict(pairs) => pairs.iter().map(|(key, value)| (key.to_text(), value.to_text())).collect(),
            PyValue::List(items) => {
                items.iter().enumerate().map(|(at, item)| (at.to_string(), item.to_text())).collect()
            }
            _ => return None,
        };
        let names: BTreeSet<&str> = nodes.iter().map(|(name, _)| name.as_str()).collect();
        let items: Vec<String> = match order {
            PyValue::List(items) => items.iter().map(PyValue::to_text).collect(),
            _ => Vec::new(),
        };
        let is_number = |item: &String| !item.is_empty() && item.chars().all(is_digit);
        let mut edges = BTreeSet::new();
        if items.iter().all(is_number) {
            let known = items.iter().map(String::as_str).filter(|item| names.contains(item)).collect();
            chain(known, options, &mut edges);
        } else {
            for item in &items {
                let parts: Vec<&str> = item.split('-').collect();
                if let [from, to] = parts[..]
                    && names.contains(from)
                    && names.contains(to)
                {
                    edges.insert((from.to_owned(), to.to_owned()));
                }
            }
        }
        if edges.is_empty() {
            chain(names.into_iter().collect(), options, &mut edges);
        }
        Some(Self { texts: nodes.into_iter().map(|(_, text)| text).collect(), edges })
    }

    fn text_similarity(&self, other: &Self) -> f64 {
        let joined = |graph: &Self| lower(&graph.texts.join(" "));
        let (left, right) = (joined(self), joined(other));
        if [&left, &right].iter().any(|text| strip(text).chars().count() < 3) {
            return 0.0;
        }
        jaccard(&split(&left).collect(), &split(&right).collect())
    }
}

/// Neighbours in sorted order; the same name twice is a loop.
fn chain(mut names: Vec<&str>, options: GraphOptions, edges: &mut BTreeSet<(String, String)>) {
    if options.natural_order {
        names.sort_by_key(|name| (name.parse::<u128>().unwrap_or(u128::MAX), *name));
    } else {
        names.sort_unstable();
    }
    edges.extend(names.windows(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned())));
}

/// Both empty are alike, one empty is not.
fn jaccard<T: Ord>(left: &BTreeSet<T>, right: &BTreeSet<T>) -> f64 {
    let common = left.intersection(right).count();
    let all = left.len() + right.len() - common;
    if all == 0 { 1.0 } else { common as f64 / all as f64 }
}
