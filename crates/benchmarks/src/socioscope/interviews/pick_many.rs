//! How well the answer chooses among options.

use probare_core::metric;

use super::grading::{Naming, QuestionType};

metric!(Naming as Pure {
    summary: "What the options that an answer chooses are worth together, penalties included",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    profiles: [Published, Improved],
    whole: Naming::whole,
    prepare: |options: Naming| options.prepare(QuestionType::PickMany),
    since: "0.1",
    version: 5,
    page: "pick_many.md",
});
