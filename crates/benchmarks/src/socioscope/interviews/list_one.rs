//! Whether the answer names a value that counts, where one is asked for.

use probare_core::metric;

use super::grading::{Naming, QuestionType};

metric!(Naming as Pure {
    summary: "What the first value that an answer names is worth, of an open list",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    profiles: [Published, Improved],
    whole: Naming::whole,
    prepare: |options: Naming| options.prepare(QuestionType::ListOne),
    since: "0.1",
    version: 5,
    page: "list_one.md",
});
