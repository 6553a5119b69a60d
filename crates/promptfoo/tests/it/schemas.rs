//! A validator for the tests; the program brings one that counts its work.

use jsonschema::PatternOptions;
use probare_promptfoo::SchemaValidator;
use serde_json::Value;

pub struct Schemas;

impl SchemaValidator for Schemas {
    fn fits(&self, schema: &Value, value: &Value) -> Result<bool, String> {
        let patterns = PatternOptions::fancy_regex().backtrack_limit(100_000);
        let options = jsonschema::options().with_pattern_options(patterns).should_validate_formats(true);
        Ok(options.build(schema).map_err(|error| error.to_string())?.is_valid(value))
    }
}
