//! The description of a tool, in any of the shapes that other tools write.

use probare_core::Tool;
use serde_json::Value as Json;

/// The tools of a list; what is wrong with the item of this number where one has no name.
pub(crate) fn tools(list: &[Json]) -> Result<Vec<Tool>, (usize, String)> {
    let mut tools = Vec::with_capacity(list.len());
    for (number, value) in list.iter().enumerate() {
        match value.get("functionDeclarations").or_else(|| value.get("function_declarations")) {
            Some(Json::Array(several)) => {
                for value in several {
                    tools.push(tool(value).map_err(|reason| (number, reason))?);
                }
            }
            _ => tools.push(tool(value).map_err(|reason| (number, reason))?),
        }
    }
    Ok(tools)
}

/// Whether a value looks like the description of a tool.
pub(super) fn is_tool(value: &Json) -> bool {
    value.is_string() || value.get("functionDeclarations").is_some() || tool(value).is_ok()
}

fn tool(value: &Json) -> Result<Tool, String> {
    let object = match value {
        Json::String(name) => return Ok(Tool { name: name.clone(), ..Tool::default() }),
        Json::Object(object) => object,
        _ => return Err("must be an object with `name` and `parameters`, or the name".to_owned()),
    };
    let body = object.get("function").and_then(Json::as_object).unwrap_or(object);
    // A tool that the provider has built in is known by its type.
    let kind = body.get("type").and_then(Json::as_str).filter(|kind| !["function", "custom", "object"].contains(kind));
    let name = body.get("name").and_then(Json::as_str).or(kind).ok_or("has no name")?;
    let description = body.get("description").and_then(Json::as_str).unwrap_or_default();
    let schema = ["parameters", "input_schema", "inputSchema"].into_iter().find_map(|name| body.get(name));
    let mut parameters = schema.filter(|schema| schema.is_object()).cloned().unwrap_or_default();
    normalize_type_names(&mut parameters);
    Ok(Tool { name: name.to_owned(), description: description.to_owned(), parameters })
}

/// Names of types as JSON Schema has them: Gemini writes them in capitals, BFCL has some of its own.
fn normalize_type_names(schema: &mut Json) {
    let Json::Object(schema) = schema else { return };
    let known = match schema.get("type").and_then(Json::as_str) {
        Some("dict" | "OBJECT") => Some("object"),
        Some("float" | "NUMBER") => Some("number"),
        Some("tuple" | "ARRAY") => Some("array"),
        Some("STRING") => Some("string"),
        Some("INTEGER") => Some("integer"),
        Some("BOOLEAN") => Some("boolean"),
        Some("any") => {
            schema.shift_remove("type");
            None
        }
        _ => None,
    };
    if let Some(known) = known {
        schema.insert("type".to_owned(), Json::from(known));
    }
    if let Some(Json::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(normalize_type_names);
    }
    if let Some(items) = schema.get_mut("items") {
        normalize_type_names(items);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn one_tool_in_every_shape() {
        let schema = json!({"type": "object", "properties": {"n": {"type": "number"}}});
        let normal = json!({"name": "f", "description": "d", "parameters": schema});
        let bfcl = json!({"type": "dict", "properties": {"n": {"type": "float"}}});
        let gemini = json!({"type": "OBJECT", "properties": {"n": {"type": "NUMBER"}}});
        for shape in [
            normal.clone(),
            json!({"type": "function", "function": {"name": "f", "description": "d", "parameters": schema}}),
            json!({"type": "function", "name": "f", "description": "d", "parameters": schema}),
            json!({"name": "f", "description": "d", "input_schema": schema}),
            json!({"name": "f", "description": "d", "inputSchema": schema}),
            json!({"name": "f", "description": "d", "parameters": bfcl}),
            json!({"functionDeclarations": [{"name": "f", "description": "d", "parameters": gemini}]}),
        ] {
            assert!(is_tool(&shape));
            let read = tools(&[shape]).unwrap();
            assert_eq!(serde_json::to_value(&read[0]).unwrap(), normal);
        }
        assert_eq!(tools(&[json!("f")]).unwrap()[0].name, "f");
        assert_eq!(tools(&[json!({"type": "web_search"})]).unwrap()[0].name, "web_search");
        for nameless in
            [json!({"x": 1}), json!({"type": "function"}), json!({"type": "function", "function": {"parameters": {}}})]
        {
            assert_eq!(tools(&[nameless]).unwrap_err(), (0, "has no name".to_owned()));
        }
        assert!(
            tools(&[json!({"name": "f", "parameters": {"properties": {"x": {"type": "any"}}}})]).unwrap()[0].parameters
                ["properties"]["x"]["type"]
                .is_null()
        );
    }
}
