//! Files that three published dry experiments need beside their rows.

use std::path::Path;

use probare_core::Case;

use crate::sgi::metrics::dry::trial::fixture_place;

/// What is said before a run whose data ask for files that are not there; nothing where all are.
pub fn missing_fixtures_warning(cases: &[Case], folder: Option<&Path>) -> Option<String> {
    let is_there = |id: &str| folder.is_some_and(|folder| folder.join(id).is_dir());
    let lacking: Vec<&str> =
        cases.iter().map(|case| case.id.as_str()).filter(|id| fixture_place(id).is_some() && !is_there(id)).collect();
    if lacking.is_empty() {
        return None;
    }
    let place = folder.map_or_else(
        || "no folder of fixtures is named".to_owned(),
        |folder| format!("`{}` has no such folders", folder.display()),
    );
    Some(format!(
        "files are missing for {}: {place}; these samples fail until SGI_DRY_EXPERIMENT_DATA_DIR names a folder that has them",
        lacking.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_without_their_files_are_named_before_the_run() {
        let cases = ["SGI_DryExperiment_0200", "SGI_DryExperiment_0201", "SGI_DryExperiment_0236", "mine-0200"]
            .map(|id| Case { id: id.to_owned(), ..Case::default() });
        let warning = missing_fixtures_warning(&cases, None).unwrap();
        assert!(warning.contains("SGI_DryExperiment_0200, SGI_DryExperiment_0236: no folder"), "{warning}");
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("SGI_DryExperiment_0200")).unwrap();
        let warning = missing_fixtures_warning(&cases, Some(folder.path())).unwrap();
        assert!(warning.starts_with("files are missing for SGI_DryExperiment_0236: `"), "{warning}");
        assert_eq!(missing_fixtures_warning(&cases[1..2], None), None);
    }
}
