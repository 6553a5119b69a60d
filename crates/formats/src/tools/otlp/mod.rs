//! Files of OpenTelemetry, as OTLP/JSON, read and written.

pub(super) mod read;
pub(super) mod write;
