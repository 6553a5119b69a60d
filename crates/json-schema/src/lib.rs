//! JSON Schemas that values are checked against, within bounds: a schema may come with the file of somebody else.
//!
//! The validator is code that the compiler makes anew in each crate that calls it. Behind this one it is made once, and
//! beside the metrics instead of as part of them.

mod cost;

use std::thread;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::Value;

pub use jsonschema::paths::{Location, LocationSegment};

use crate::cost::{CostError, MOST_REFERENCES, SchemaCost};

/// Steps that a pattern of the schema may go back at one string: enough for any honest pattern, and an end to the rest.
const BACKTRACK_LIMIT: usize = 100_000;

/// Bytes of a compiled pattern of the schema.
const LARGEST_PATTERN: usize = 1 << 20;

/// Bytes of the stack on which a schema is compiled.
const BUILD_STACK: usize = 64 << 20;

/// A schema, ready to check values, and what it would cost to do so.
pub struct SchemaChecker {
    validator: Validator,
    cost: SchemaCost,
}

impl SchemaChecker {
    /// Compiles a schema. Formats are checked as its draft says, unless `formats` says otherwise.
    ///
    /// # Errors
    ///
    /// The reason where it is no schema that can be used.
    pub fn new(schema: Value, formats: Option<bool>) -> Result<Self, String> {
        let cost = SchemaCost::new(schema);
        if cost.references() > MOST_REFERENCES {
            return Err(format!("has more than {MOST_REFERENCES} references"));
        }
        let patterns = PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT).size_limit(LARGEST_PATTERN);
        let build = || {
            let mut options = jsonschema::options().with_pattern_options(patterns);
            if let Some(formats) = formats {
                options = options.should_validate_formats(formats);
            }
            options.build(cost.schema()).map_err(|error| error.to_string())
        };
        // References are followed within each other, deeper than a thread of a pool has room for.
        let built = thread::scope(|scope| {
            let thread = thread::Builder::new().stack_size(BUILD_STACK).spawn_scoped(scope, build);
            thread.map_or_else(
                |error| Err(error.to_string()),
                |thread| thread.join().unwrap_or_else(|_| Err("it cannot be compiled".to_owned())),
            )
        });
        let validator = built.map_err(|error| format!("is no usable JSON Schema: {error}"))?;
        Ok(Self { validator, cost })
    }

    /// What is wrong with a value.
    ///
    /// # Errors
    ///
    /// The reason where it would take too much to find out.
    pub fn violations<'a>(&'a self, value: &'a Value) -> Result<Box<dyn Iterator<Item = Violation<'a>> + 'a>, String> {
        self.cost.check(value).map_err(CostError::reason)?;
        Ok(Box::new(self.validator.iter_errors(value).map(Violation)))
    }
}

/// One thing in a value that a schema does not allow.
pub struct Violation<'a>(ValidationError<'a>);

impl Violation<'_> {
    /// Where in the value.
    #[must_use]
    pub fn place(&self) -> &Location {
        self.0.instance_path()
    }

    /// Where in the schema, as a JSON Pointer.
    #[must_use]
    pub fn schema_pointer(&self) -> &str {
        self.0.schema_path().as_str()
    }

    /// The keyword of the schema that does not hold.
    #[must_use]
    pub fn keyword(&self) -> &str {
        self.0.kind().keyword()
    }

    /// The key that should be there and is not, where that is what is wrong.
    #[must_use]
    pub fn missing_key(&self) -> Option<&str> {
        match self.0.kind() {
            ValidationErrorKind::Required { property } => Some(property.as_str().unwrap_or_default()),
            _ => None,
        }
    }

    /// What is wrong, without the value itself.
    #[must_use]
    pub fn message(&self) -> String {
        self.0.masked().to_string()
    }
}
