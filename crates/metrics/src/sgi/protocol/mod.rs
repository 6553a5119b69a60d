//! Protocols of experiments: steps such as `lysate = <Lyse cells>(` with a parameter on each line and a `)` alone on its line.

mod alignment;
mod scan;
mod similarity;
mod step;
mod tolerant;

pub use alignment::{Aligned, Alignment, align};
pub use scan::scan;
pub use similarity::{Difference, Fit, action_similarity, parameter_fit};
pub use step::{Step, Variables};
pub use tolerant::scan_tolerantly;
