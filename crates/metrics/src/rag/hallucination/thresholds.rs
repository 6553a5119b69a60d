//! [`THRESHOLDS`]: what a value of the improved profile says.

use probare_core::{LabelThreshold, ScaleCutoff, ShippedThresholds};

/// From where on a value is a label, in a response of enough words that no sentence vetoes. `verdict` decides by that label.
pub(in crate::rag) static THRESHOLDS: ShippedThresholds = ShippedThresholds {
    name: "rag-2026-11",
    date: "2026-11-18",
    calibrated_on: "355 answers of models to 63 questions over web passages, with people's marks of what the passages do not support (RAGTruth, half of \
                    its questions), and 880 ordinary responses; vetoes were chosen on both",
    held_out_on: "the same 355 answers, each by thresholds chosen on other questions (ten folds)",
    held_out_cases: 355,
    labels: &[
        LabelThreshold { label: "supported", when: ScaleCutoff::AtMost(0.36), decided: 120, right: 114 },
        LabelThreshold { label: "unsupported", when: ScaleCutoff::AtLeast(0.72), decided: 34, right: 24 },
    ],
};
