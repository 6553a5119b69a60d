//! Protocols of experiments: steps such as `lysate = <Lyse cells>(` with a parameter on each line and a `)` alone on its line.

mod alignment;
mod scan;
mod similarity;
mod soft;
mod step;
mod tolerant;

pub use alignment::{AlignedStep, Alignment, align};
pub use scan::scan_protocol;
pub use similarity::{ParameterFit, StepDifference, action_similarity, parameter_fit};
pub use soft::{SoftPair, SoftScore};
pub use step::{ProtocolStep, Variables};
pub use tolerant::scan_protocol_tolerant;
