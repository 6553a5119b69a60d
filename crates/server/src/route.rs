//! [`Route`]: one line of the table of routes.

use axum::routing::MethodRouter;
use schemars::{Schema, SchemaGenerator};

use crate::app::{RouteAccess, SharedApp};

/// One path with its method.
pub(crate) struct Route {
    pub method: &'static str,
    pub path: &'static str,
    /// A line for lists.
    pub summary: &'static str,
    /// Who may ask where a token is set.
    pub access: RouteAccess,
    /// Parameters of path and query.
    pub parameters: &'static [RouteParameter],
    /// Types of the body, each with its schema.
    pub bodies: &'static [(&'static str, MakeSchema)],
    /// Type of the reply, with its schema.
    pub reply: (&'static str, MakeSchema),
    /// Statuses beside 200.
    pub refusals: &'static [u16],
    pub handler: fn() -> MethodRouter<SharedApp>,
}

/// Makes the schema of a type.
pub(crate) type MakeSchema = fn(&mut SchemaGenerator) -> Schema;

/// A parameter of the path or the query.
pub(crate) struct RouteParameter {
    pub name: &'static str,
    pub place: &'static str,
    pub summary: &'static str,
    pub schema: MakeSchema,
    /// Whether it may stand there several times.
    pub repeats: bool,
}
