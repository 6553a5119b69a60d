//! How much of what counts the answer names, where several values are asked for.

use probare_core::metric;

use super::grading::{Naming, QuestionType};

metric!(Naming as Pure {
    summary: "What the values that an answer names are worth together, of an open list",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    profiles: [Published, Improved],
    whole: Naming::whole,
    prepare: |options: Naming| options.prepare(QuestionType::ListMany),
    since: "0.1",
    version: 5,
    page: "list_many.md",
});
