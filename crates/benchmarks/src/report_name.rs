//! Names of published reports, which are JSON whatever they are called.

use std::path::Path;

use probare_core::BenchmarkError;
use probare_report::{Compression, ReportFormat};

/// How the report that `--out` names is packed. A name that promises something else than JSON is a mistake.
pub(crate) fn json_name(path: &Path) -> Result<Compression, BenchmarkError> {
    match ReportFormat::from_path(path) {
        Ok((ReportFormat::Json | ReportFormat::Jsonl, compression)) => Ok(compression),
        Err(_) => Ok(Compression::None),
        Ok(_) => {
            let name = path.display();
            let message = format!("`{name}` is no name for the report that --out writes, which is JSON");
            Err(BenchmarkError::usage(message).hint(format!("-o {name} writes the results in that format")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_no_published_report() {
        assert!(json_name(Path::new("x.html")).is_err() && json_name(Path::new("x.csv")).is_err());
        assert!(json_name(Path::new("x.json")).is_ok() && json_name(Path::new("report")).is_ok());
    }
}
