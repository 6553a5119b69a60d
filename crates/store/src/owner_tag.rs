//! The owner tag of this user on the plan of a run.
//!
//! A plan names a configuration and models, and `resume` goes on with them. A store may come from anybody; so what its plans
//! name is used only where the plan carries a tag that was made with a key of this user. Without it the user names the
//! configuration.

use probare_files::OwnerKeys;

use super::RunPlan;

impl RunPlan {
    /// The plan with the owner tag of this user, where a key can be had.
    #[must_use]
    pub fn with_owner_tag(mut self) -> Self {
        self.mark = None;
        self.mark = OwnerKeys::load_or_create().ok().and_then(|keys| keys.hex_tag(&self.message()));
        self
    }

    /// Whether this user began the run.
    pub fn has_valid_owner_tag(&self) -> bool {
        OwnerKeys::load().is_ok_and(|keys| self.is_tagged_by(&keys))
    }

    fn is_tagged_by(&self, keys: &OwnerKeys) -> bool {
        self.mark.as_ref().is_some_and(|mark| keys.recognises_hex(mark, &self.message()))
    }

    /// What the tag stands under.
    fn message(&self) -> Vec<u8> {
        serde_json::to_vec(&Self { mark: None, ..self.clone() }).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_changed_in_a_plan_the_tag_does_not_fit() {
        let keys = OwnerKeys::from_keys(&[[7; 32]]);
        let mut plan = RunPlan { config: "probare.yaml".to_owned(), ..RunPlan::default() };
        plan.mark = keys.hex_tag(&plan.message());
        assert!(plan.is_tagged_by(&keys));
        assert!(!plan.is_tagged_by(&OwnerKeys::from_keys(&[[8; 32]])));
        assert!(plan.is_tagged_by(&OwnerKeys::from_keys(&[[8; 32], [7; 32]])), "a key that was replaced");
        assert!(!RunPlan { config: "theirs.yaml".to_owned(), ..plan.clone() }.is_tagged_by(&keys));
        assert!(!RunPlan { mark: None, ..plan }.is_tagged_by(&keys));
    }
}
