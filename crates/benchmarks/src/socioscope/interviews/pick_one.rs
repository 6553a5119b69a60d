//! Whether the answer chooses an option that counts.

use probare_core::metric;

use super::grading::{Naming, QuestionType};

metric!(Naming as Pure {
    summary: "What the option that an answer chooses is worth",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    profiles: [Published, Improved],
    whole: Naming::whole,
    prepare: |options: Naming| options.prepare(QuestionType::PickOne),
    since: "0.1",
    version: 5,
    page: "pick_one.md",
});
