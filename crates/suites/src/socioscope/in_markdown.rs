//! The means of all groups in Markdown: the table of the page.

use probare_report::markdown::table;
use probare_report::number::column;

use super::{Group, Summary};

/// Models, question types and transcripts with their means.
pub(super) fn groups(summary: &Summary, careful: Option<&Summary>) -> String {
    let number = |value: Option<f64>| value.map_or_else(|| "n/a".to_owned(), column);
    let row = |name: String, group: &Group, careful_group: Option<&Group>, verbatim: Option<&Group>| {
        let mut row = vec![name, number(group.mean())];
        row.extend(careful.map(|_| number(careful_group.and_then(Group::mean))));
        row.extend([group.values.len().to_string(), group.nulls.to_string()]);
        row.push(verbatim.map(|group| number(group.mean())).unwrap_or_default());
        row
    };
    let mut rows =
        vec![row("overall".to_owned(), &summary.overall, careful.map(|all| &all.overall), Some(&summary.verbatim))];
    for (name, group) in &summary.models {
        let careful = careful.and_then(|all| all.models.get(name));
        rows.push(row(format!("model {name}"), group, careful, summary.verbatim_models.get(name)));
    }
    for (at, (name, group)) in summary.types.iter().enumerate() {
        let careful = careful.and_then(|all| all.types.get(at)).map(|(_, group)| group);
        rows.push(row(format!("type {name}"), group, careful, None));
    }
    for (name, group) in &summary.transcripts {
        let careful = careful.and_then(|all| all.transcripts.get(name));
        rows.push(row(format!("transcript {name}"), group, careful, summary.verbatim_transcripts.get(name)));
    }
    let head: Vec<&str> = ["Group", "Score"]
        .into_iter()
        .chain(careful.map(|_| "Careful"))
        .chain(["Answers", "Without a score", "Exact quotations"])
        .collect();
    format!("## Transcripts, question types and models\n\n{}", table(&head, rows))
}
