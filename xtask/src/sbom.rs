//! The bill of materials of the program, as `CycloneDX`: which packages are in it, in which versions, under which licences.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::process::cargo;

/// The packages that the program for a target is linked from, as `CycloneDX` 1.5.
pub fn sbom(target: &str) -> Result<String> {
    let arguments = ["metadata", "--format-version", "1", "--locked", "--filter-platform", target];
    let output = cargo(&arguments).output().context("cannot start cargo")?;
    ensure!(output.status.success(), "cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr));
    let document = document(&serde_json::from_slice(&output.stdout)?)?;
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

/// The document of what `cargo metadata` tells.
fn document(metadata: &Value) -> Result<Value> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let packages: BTreeMap<String, Value> =
        list(&metadata["packages"]).into_iter().map(|package| (text(&package, "id"), package)).collect();
    // What is only built with, or only tested with, is in no program.
    let needs: BTreeMap<String, Vec<String>> = list(&metadata["resolve"]["nodes"])
        .iter()
        .map(|node| {
            let is_linked = |need: &Value| list(&need["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
            let needs =
                list(&node["deps"]).iter().filter(|need| is_linked(need)).map(|need| text(need, "pkg")).collect();
            (text(node, "id"), needs)
        })
        .collect();
    let program = packages.iter().find(|(_, package)| package["name"] == "probare-cli");
    let (root, program) = program.context("the package `probare-cli` is not there")?;
    let (mut found, mut open) = (BTreeSet::from([root]), vec![root]);
    while let Some(id) = open.pop() {
        open.extend(needs.get(id).into_iter().flatten().filter(|need| found.insert(need)));
    }
    let name = |package: &Value| format!("pkg:cargo/{}@{}", text(package, "name"), text(package, "version"));
    let component = |package: &Value, kind: &str| {
        let mut component = json!({
            "type": kind,
            "bom-ref": name(package),
            "name": package["name"],
            "version": package["version"],
            "purl": name(package),
        });
        if let Some(licence) = package["license"].as_str() {
            // Older packages write a slash for "or".
            component["licenses"] = json!([{"expression": licence.replace('/', " OR ")}]);
        }
        component
    };
    let others = found.iter().filter(|id| **id != root).filter_map(|id| packages.get(*id));
    let dependencies = found.iter().filter_map(|id| {
        let needs = needs.get(*id)?.iter().filter_map(|need| packages.get(need)).map(name);
        Some(json!({"ref": name(packages.get(*id)?), "dependsOn": needs.collect::<BTreeSet<_>>()}))
    });
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": component(program, "application")},
        "components": others.map(|package| component(package, "library")).collect::<Vec<_>>(),
        "dependencies": dependencies.collect::<Vec<_>>(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_names_what_is_linked_and_not_what_builds_or_tests() {
        let package =
            |name: &str, licence: &str| json!({"id": name, "name": name, "version": "1.0.0", "license": licence});
        let need = |name: &str, kind: Value| json!({"pkg": name, "dep_kinds": [{"kind": kind}]});
        let metadata = json!({
            "packages": [package("probare-cli", "MIT"), package("linked", "MIT/Apache-2.0"), package("below", "ISC"), package("tests", "MIT"), package("builds", "MIT")],
            "resolve": {"nodes": [
                {"id": "probare-cli", "deps": [need("linked", Value::Null), need("tests", json!("dev")), need("builds", json!("build"))]},
                {"id": "linked", "deps": [need("below", Value::Null)]},
                {"id": "below", "deps": []},
            ]},
        });
        let document = document(&metadata).unwrap();
        let components = document["components"].as_array().unwrap();
        let names: Vec<&str> = components.iter().filter_map(|component| component["name"].as_str()).collect();
        assert_eq!(names, ["below", "linked"]);
        assert_eq!(components[1]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(document["dependencies"][1]["dependsOn"], json!(["pkg:cargo/below@1.0.0"]));
        assert_eq!(document["metadata"]["component"]["purl"], "pkg:cargo/probare-cli@1.0.0");
    }
}
