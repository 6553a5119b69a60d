//! Gates as a user writes them.

use std::str::FromStr;

use super::limit::{Gate, GateOrigin, LabelUnit, Relation};

/// A gate could not be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GateError {
    /// Gates are to hold in each group, and there are none.
    #[error("gates per group need a run that is grouped")]
    NoGroups,
    /// The text is no gate, or the run has no metric that can be held against it.
    #[error("{0}")]
    Invalid(String),
}

impl GateError {
    /// The run has no metric of the gate's name; `similar` is the nearest name that it has.
    pub(super) fn unknown_metric(gate: &Gate, origin: Option<&GateOrigin>, similar: Option<&str>) -> Self {
        let metric = gate.metric();
        Self::Invalid(format!(
            "the gate `{gate}`{} names `{metric}`, which is not a metric of this run; {}",
            origin_hint(origin),
            unknown_metric_hint(metric, similar)
        ))
    }

    pub(super) fn descriptive(metric: &str) -> Self {
        Self::Invalid(format!(
            "`{metric}` cannot be a gate: it describes features of a text that a template can satisfy, and says nothing about \
             quality or safety (see `probare explain {metric}`)"
        ))
    }
}

fn origin_hint(origin: Option<&GateOrigin>) -> String {
    match origin {
        Some(GateOrigin::Configuration(place) | GateOrigin::Variable(place)) => format!(", set in {place},"),
        Some(GateOrigin::Flag(_)) | None => String::new(),
    }
}

fn unknown_metric_hint(metric: &str, similar: Option<&str>) -> String {
    similar.map_or_else(
        || format!("add `--metric {metric}`, or leave the gate out"),
        |name| format!("a similar name is `{name}`"),
    )
}

/// A text that is being read as a gate, and what it should look like.
#[derive(Clone, Copy)]
struct GateText<'a> {
    text: &'a str,
    expected: &'static str,
}

impl<'a> GateText<'a> {
    fn form(self) -> GateError {
        GateError::Invalid(format!("`{}` is not a gate; expected {}", self.text, self.expected))
    }

    /// What stands before the sign, the sign, and what stands behind it. The last sign splits, so that a metric may have
    /// one in its name.
    fn split(self, text: &'a str) -> Result<(&'a str, Relation, &'a str), GateError> {
        let (before, rest) = text.rsplit_once(['<', '>']).ok_or_else(|| self.form())?;
        let is_under = text[before.len()..].starts_with('<');
        let (relation, after) = match (is_under, rest.strip_prefix('=')) {
            (true, None) => (Relation::Under, rest),
            (true, Some(limit)) => (Relation::AtMost, limit),
            (false, None) => (Relation::Over, rest),
            (false, Some(limit)) => (Relation::AtLeast, limit),
        };
        Ok((self.non_empty(before)?.trim(), relation, self.non_empty(after)?.trim()))
    }

    fn non_empty(self, part: &'a str) -> Result<&'a str, GateError> {
        if part.trim().is_empty() { Err(self.form()) } else { Ok(part.trim()) }
    }

    fn number(self, limit: &str) -> Result<f64, GateError> {
        match limit.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(GateError::Invalid(format!("`{limit}` in `{}` is not a finite number", self.text))),
        }
    }

    /// `0.9` or `90%`.
    fn share(self, share: &str) -> Result<f64, GateError> {
        let number = match share.strip_suffix('%') {
            Some(percent) => percent.trim().parse::<f64>().map(|percent| percent / 100.0),
            None => share.parse::<f64>(),
        };
        match number {
            Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
            _ => Err(GateError::Invalid(format!(
                "`{share}` in `{}` is not a share; expected a number from 0 to 1, or a percentage such as `90%`",
                self.text
            ))),
        }
    }
}

impl Gate {
    /// Reads a least mean: `METRIC=0.7`.
    pub fn fail_under(text: &str) -> Result<Self, GateError> {
        let given = GateText { text, expected: "METRIC=NUMBER, such as `relevance=0.7`" };
        let (metric, limit) = text.rsplit_once('=').ok_or_else(|| given.form())?;
        let (metric, limit) = (given.non_empty(metric)?, given.non_empty(limit)?);
        Ok(Self::Mean { metric: metric.to_owned(), relation: Relation::Under, limit: given.number(limit)? })
    }

    /// Reads a mean that fails: `METRIC>0.2`, with one of `<`, `<=`, `>`, `>=`.
    pub fn fail_if(text: &str) -> Result<Self, GateError> {
        let expected = "METRIC, one of < <= > >=, and NUMBER, such as `hallucination>0.2`";
        let given = GateText { text, expected };
        let (metric, relation, limit) = given.split(text)?;
        Ok(Self::Mean { metric: metric.to_owned(), relation, limit: given.number(limit)? })
    }

    /// Reads a quantile that fails: `METRIC@10%<0.3`, with the share before the sign.
    pub fn fail_quantile(text: &str) -> Result<Self, GateError> {
        let expected = "METRIC, @, a share, one of < <= > >=, and NUMBER, such as `token_f1@10%<0.3`";
        let given = GateText { text, expected };
        let (named, relation, limit) = given.split(text)?;
        let (metric, quantile) = named.rsplit_once('@').ok_or_else(|| given.form())?;
        let quantile = given.share(given.non_empty(quantile)?)?;
        let metric = given.non_empty(metric)?.to_owned();
        Ok(Self::Quantile { metric, quantile, relation, limit: given.number(limit)? })
    }

    /// Reads a value that no case may have: `METRIC<0.5`.
    pub fn fail_if_any(text: &str) -> Result<Self, GateError> {
        let given = GateText { text, expected: "METRIC, one of < <= > >=, and NUMBER, such as `token_f1<0.5`" };
        let (metric, relation, limit) = given.split(text)?;
        Ok(Self::Any { metric: metric.to_owned(), relation, limit: given.number(limit)? })
    }

    /// Reads what a share of the cases has to reach: `METRIC>=0.5:0.9` or `METRIC>=0.5:90%`.
    pub fn fail_pass_rate(text: &str) -> Result<Self, GateError> {
        let expected = "METRIC, one of < <= > >=, NUMBER, a colon and the share of cases that has to be so, such as \
                        `relevance>=0.5:90%`";
        let given = GateText { text, expected };
        let (condition, share) = text.rsplit_once(':').ok_or_else(|| given.form())?;
        let share = given.share(given.non_empty(share)?)?;
        let (metric, relation, limit) = given.split(condition)?;
        Ok(Self::PassRate { metric: metric.to_owned(), relation, limit: given.number(limit)?, share })
    }

    /// Reads a limit on a label: `METRIC:LABEL>0`, or as a share `METRIC:LABEL>10%`.
    pub fn fail_labels(text: &str) -> Result<Self, GateError> {
        let expected = "METRIC, a colon, a label, one of < <= > >=, and a number of cases or a percentage, such as \
                        `verdict:FAIL>0` or `verdict:FAIL>10%`";
        let given = GateText { text, expected };
        let (named, relation, limit) = given.split(text)?;
        let (metric, label) = named.rsplit_once(':').ok_or_else(|| given.form())?;
        let (metric, label) = (given.non_empty(metric)?.to_owned(), given.non_empty(label)?.to_owned());
        let (of, limit) = if limit.ends_with('%') {
            (LabelUnit::Share, given.share(limit)?)
        } else {
            (LabelUnit::Count, given.number(limit)?)
        };
        Ok(Self::Labels { metric, label, of, relation, limit })
    }

    /// Reads how much worse than the baseline is accepted: `METRIC=0.02`, or `METRIC` for nothing.
    pub fn not_worse(text: &str) -> Result<Self, GateError> {
        let expected = "METRIC, or METRIC=MARGIN with a margin of at least 0, such as `token_f1=0.02`";
        let given = GateText { text, expected };
        let (metric, margin) = text.rsplit_once('=').map_or((text, "0"), |(metric, margin)| (metric, margin.trim()));
        let margin = given.number(margin)?;
        if margin < 0.0 {
            return Err(given.form());
        }
        Ok(Self::NotWorse { metric: given.non_empty(metric)?.to_owned(), margin })
    }

    /// Reads the share of the scored cases that a metric may abstain from: `METRIC=20%` or `METRIC=0.2`.
    pub fn max_unsure(text: &str) -> Result<Self, GateError> {
        let given = GateText { text, expected: "METRIC=SHARE, such as `verdict=20%`" };
        let (metric, share) = text.rsplit_once('=').ok_or_else(|| given.form())?;
        let (metric, share) = (given.non_empty(metric)?, given.share(given.non_empty(share)?)?);
        Ok(Self::unsure_over(metric, share))
    }
}

/// Reads the form of [`Gate::fail_if`], which has room for every relation.
impl FromStr for Gate {
    type Err = GateError;

    fn from_str(text: &str) -> Result<Self, GateError> {
        Self::fail_if(text)
    }
}

#[cfg(test)]
mod tests {
    use crate::Gates;
    use crate::testing::metrics;

    use super::*;

    #[test]
    fn gates_on_the_mean_are_read_in_both_forms() {
        let gate = |metric: &str, relation, limit| Gate::Mean { metric: metric.into(), relation, limit };
        assert_eq!(Gate::fail_under("relevance=0.7"), Ok(gate("relevance", Relation::Under, 0.7)));
        assert_eq!(Gate::fail_under(" a=b = 1 "), Ok(gate("a=b", Relation::Under, 1.0)));
        assert_eq!(Gate::fail_if("hallucination>0.2"), Ok(gate("hallucination", Relation::Over, 0.2)));
        assert_eq!(Gate::fail_if("x >= -1e3"), Ok(gate("x", Relation::AtLeast, -1000.0)));
        assert_eq!(Gate::fail_if("x<1"), Ok(gate("x", Relation::Under, 1.0)));
        assert_eq!("x<=1".parse(), Ok(gate("x", Relation::AtMost, 1.0)));
    }

    #[test]
    fn gates_on_cases_and_labels_are_read() {
        let any = Gate::Any { metric: "a>b".into(), relation: Relation::Under, limit: 0.5 };
        assert_eq!(Gate::fail_if_any("a>b < 0.5"), Ok(any));
        let rate = Gate::PassRate { metric: "x:k=3".into(), relation: Relation::AtLeast, limit: 0.5, share: 0.9 };
        assert_eq!(Gate::fail_pass_rate("x:k=3 >= 0.5 : 0.9"), Ok(rate.clone()));
        assert_eq!(Gate::fail_pass_rate("x:k=3>=0.5:90%"), Ok(rate));
        let quantile = Gate::Quantile { metric: "x@y".into(), quantile: 0.1, relation: Relation::Under, limit: 0.3 };
        assert_eq!(Gate::fail_quantile("x@y @ 10% < 0.3"), Ok(quantile.clone()));
        assert_eq!(Gate::fail_quantile("x@y@0.1<0.3"), Ok(quantile));
        let labels = |of, limit| Gate::Labels {
            metric: "x:k=3".into(),
            label: "clear fail".into(),
            of,
            relation: Relation::Over,
            limit,
        };
        assert_eq!(Gate::max_unsure("x:k=3 = 20%"), Ok(Gate::unsure_over("x:k=3", 0.2)));
        assert_eq!(Gate::max_unsure("verdict=0.2"), Gate::fail_labels("verdict:unsure>20%"));
        let not_worse = |margin| Gate::NotWorse { metric: "x:k=3".into(), margin };
        assert_eq!(Gate::not_worse("x:k=3 = 0.02"), Ok(not_worse(0.02)));
        assert_eq!(Gate::not_worse("token_f1").unwrap().to_string(), "token_f1 worse by more than 0");
        assert_eq!(Gate::fail_labels("x:k=3:clear fail>0"), Ok(labels(LabelUnit::Count, 0.0)));
        assert_eq!(Gate::fail_labels("x:k=3: clear fail > 12.5%"), Ok(labels(LabelUnit::Share, 0.125)));
    }

    #[test]
    fn what_is_no_gate_is_explained() {
        let message = |result: Result<Gate, GateError>| result.unwrap_err().to_string();
        insta::assert_snapshot!(message(Gate::fail_under("relevance")), @"`relevance` is not a gate; expected METRIC=NUMBER, such as `relevance=0.7`");
        insta::assert_snapshot!(message(Gate::fail_under("=0.5")), @"`=0.5` is not a gate; expected METRIC=NUMBER, such as `relevance=0.7`");
        insta::assert_snapshot!(message(Gate::fail_under("relevance=high")), @"`high` in `relevance=high` is not a finite number");
        insta::assert_snapshot!(message(Gate::fail_if("relevance=0.5")), @"`relevance=0.5` is not a gate; expected METRIC, one of < <= > >=, and NUMBER, such as `hallucination>0.2`");
        insta::assert_snapshot!(message(Gate::fail_if("x>NaN")), @"`NaN` in `x>NaN` is not a finite number");
        insta::assert_snapshot!(message(Gate::fail_if_any("<1")), @"`<1` is not a gate; expected METRIC, one of < <= > >=, and NUMBER, such as `token_f1<0.5`");
        insta::assert_snapshot!(message(Gate::fail_pass_rate("x>=1")), @"`x>=1` is not a gate; expected METRIC, one of < <= > >=, NUMBER, a colon and the share of cases that has to be so, such as `relevance>=0.5:90%`");
        insta::assert_snapshot!(message(Gate::fail_pass_rate("x>=1:90")), @"`90` in `x>=1:90` is not a share; expected a number from 0 to 1, or a percentage such as `90%`");
        insta::assert_snapshot!(message(Gate::fail_quantile("x<1")), @"`x<1` is not a gate; expected METRIC, @, a share, one of < <= > >=, and NUMBER, such as `token_f1@10%<0.3`");
        insta::assert_snapshot!(message(Gate::fail_quantile("x@95<1")), @"`95` in `x@95<1` is not a share; expected a number from 0 to 1, or a percentage such as `90%`");
        insta::assert_snapshot!(message(Gate::not_worse("token_f1=-1")), @"`token_f1=-1` is not a gate; expected METRIC, or METRIC=MARGIN with a margin of at least 0, such as `token_f1=0.02`");
        insta::assert_snapshot!(message(Gate::max_unsure("verdict")), @"`verdict` is not a gate; expected METRIC=SHARE, such as `verdict=20%`");
        insta::assert_snapshot!(message(Gate::max_unsure("verdict=20")), @"`20` in `verdict=20` is not a share; expected a number from 0 to 1, or a percentage such as `90%`");
        insta::assert_snapshot!(message(Gate::fail_labels("verdict>0")), @"`verdict>0` is not a gate; expected METRIC, a colon, a label, one of < <= > >=, and a number of cases or a percentage, such as `verdict:FAIL>0` or `verdict:FAIL>10%`");
        let gates = Gates::new(vec![Gate::fail_under("chrf=0.5").unwrap()])
            .set_by([Some(GateOrigin::Configuration("probare.yaml".to_owned()))]);
        insta::assert_snapshot!(gates.check(&metrics(), false).unwrap_err(), @"the gate `chrf < 0.5`, set in probare.yaml, names `chrf`, which is not a metric of this run; add `--metric chrf`, or leave the gate out");
        let gates = Gates::new(vec![Gate::fail_under("relevence=0.5").unwrap()]);
        insta::assert_snapshot!(gates.check(&metrics(), false).unwrap_err(), @"the gate `relevence < 0.5` names `relevence`, which is not a metric of this run; a similar name is `relevance`");
        let gates = Gates::new(vec![Gate::fail_under("relevance=0.5").unwrap()]).in_each_group(true);
        assert_eq!((gates.check(&metrics(), false), gates.check(&metrics(), true)), (Err(GateError::NoGroups), Ok(())));
    }
}
