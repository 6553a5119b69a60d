//! `cargo x docs`: the documentation as a site. Pages of `docs/` are taken as they are; pages of the metrics, of the command
//! line, of the Python module and of the server are made from what the program says of itself, so they cannot be stale.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value as Json;

use crate::new_metric::metric_page;
use crate::process::{self, cargo, is_installed, root};

/// Where links lead that leave the documentation.
const REPOSITORY: &str = "https://github.com/probare/probare/blob/main";

/// Build the documentation as a site, with search, and check its links.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folder of the site
    #[arg(short, long, default_value = "target/site")]
    output: PathBuf,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let source = root().join("target/site-source");
    if source.exists() {
        fs::remove_dir_all(&source)?;
    }
    if std::env::var_os("PROBARE_PROGRAM").is_none() {
        process::run(&mut cargo(&["build", "--package", "probare-cli"]))?;
    }
    let pages = source.join("src");
    copy_pages(&root().join("docs"), &pages)?;
    let mut summary = fs::read_to_string(root().join("docs/SUMMARY.md")).context("cannot read docs/SUMMARY.md")?;
    for (mark, lines) in [
        ("<!-- metrics -->", metric_pages(&pages)?),
        ("<!-- commands -->", command_pages(&pages)?),
        ("<!-- python -->", python_pages(&pages)?),
        ("<!-- server -->", server_page(&pages)?),
    ] {
        if !summary.contains(mark) {
            bail!("docs/SUMMARY.md has no line `{mark}`");
        }
        summary = summary.replace(mark, lines.trim_end());
    }
    fs::write(pages.join("SUMMARY.md"), summary)?;
    fs::copy(root().join("docs/book.toml"), source.join("book.toml")).context("cannot copy docs/book.toml")?;
    if !has_mdbook() {
        bail!("mdbook is not installed and could not be: cargo install mdbook --locked");
    }
    let site = root().join(&arguments.output);
    process::run(Command::new("mdbook").arg("build").arg(&source).arg("--dest-dir").arg(&site))?;
    let checked = check_links(&site)?;
    println!("{} ({checked} links checked)", site.join("index.html").display());
    Ok(())
}

fn has_mdbook() -> bool {
    is_installed("mdbook", "--version")
        || (process::run(&mut cargo(&[
            "install",
            "mdbook",
            "--locked",
            "--no-default-features",
            "--features",
            "search",
        ]))
        .is_ok()
            && is_installed("mdbook", "--version"))
}

/// Copies a folder of pages and pictures. Links to files of the project that are no pages lead to the repository.
fn copy_pages(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let path = entry?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy_pages(&path, &target)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            let text = fs::read_to_string(&path)?;
            fs::write(&target, with_links(&text, path.parent().unwrap_or(&path)))?;
        } else if path.extension().is_some_and(|extension| extension != "toml") {
            fs::copy(&path, &target)?;
        }
    }
    Ok(())
}

/// A page whose links out of `docs/` lead to the repository.
fn with_links(text: &str, folder: &Path) -> String {
    let mut pieces = text.split("](");
    let mut whole = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (target, rest) = piece.split_once(')').unwrap_or((piece, ""));
        whole.push_str("](");
        whole.push_str(&repository_link(target, folder).unwrap_or_else(|| target.to_owned()));
        if piece.contains(')') {
            whole.push(')');
        }
        whole.push_str(rest);
    }
    whole
}

/// Where a link leads that leaves `docs/`, that leads to a folder of it, or that comes from the page of a metric.
fn repository_link(target: &str, folder: &Path) -> Option<String> {
    if target.contains("://") || target.starts_with('#') {
        return None;
    }
    let path = plain_path(&folder.join(target.split('#').next().unwrap_or(target)));
    let inside = path.strip_prefix(root()).ok()?;
    match inside.strip_prefix("docs") {
        Ok(page) if !path.is_dir() => {
            (!folder.starts_with(root().join("docs"))).then(|| format!("../{}", page.display()))
        }
        _ => Some(format!("{REPOSITORY}/{}", inside.display())),
    }
}

/// The path without `.` and `..`.
fn plain_path(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
        plain
    })
}

/// What the program prints.
fn program_output(arguments: &[&str]) -> Result<Vec<u8>> {
    let program = process::program();
    let output = Command::new(&program).args(arguments).output().context("cannot start probare")?;
    if !output.status.success() {
        bail!("probare {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr));
    }
    Ok(output.stdout)
}

/// The page of every metric, by family; the lines of the table of contents.
fn metric_pages(pages: &Path) -> Result<String> {
    let metrics: Vec<Json> = serde_json::from_slice(&program_output(&["list", "--json"])?)?;
    let mut families: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for metric in &metrics {
        let text = |key: &str| metric.get(key).and_then(Json::as_str).unwrap_or_default();
        families.entry(text("family")).or_default().push((text("id"), text("summary")));
    }
    let folder = pages.join("metrics");
    fs::create_dir_all(&folder)?;
    let mut index = "# Metrics\n\nOne page each, with formula, options and examples that are run; the same text as `probare explain METRIC`.\n".to_owned();
    let mut lines = "- [Metrics](metrics/index.md)\n".to_owned();
    for (family, metrics) in &families {
        index.push_str(&format!("\n## {family}\n\n| metric | |\n|---|---|\n"));
        for (id, summary) in metrics {
            let source = metric_page(family, id)?;
            let text = fs::read_to_string(&source).with_context(|| format!("cannot read {}", source.display()))?;
            let text = with_links(&text, source.parent().unwrap_or(&source)).replace("```case\n", "```json\n");
            let titled = if text.starts_with("# ") { text } else { format!("# {id}\n\n{text}") };
            fs::write(folder.join(format!("{id}.md")), titled)?;
            index.push_str(&format!("| [{id}]({id}.md) | {} |\n", summary.replace('|', "\\|")));
            lines.push_str(&format!("  - [{id}](metrics/{id}.md)\n"));
        }
    }
    fs::write(folder.join("index.md"), index)?;
    Ok(lines)
}

/// The page of every command; the lines of the table of contents.
fn command_pages(pages: &Path) -> Result<String> {
    let folder = pages.join("commands");
    fs::create_dir_all(&folder)?;
    let shown = folder.display().to_string();
    program_output(&["man", &shown, "--markdown"])?;
    let mut names: Vec<String> = fs::read_dir(&folder)?
        .filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_string_lossy().into_owned()))
        .filter(|name| !name.contains("-help"))
        .collect();
    names.sort();
    let line = |name: &String| -> Result<String> {
        let page = fs::read_to_string(folder.join(name).with_extension("md"))?;
        let title = page.lines().next().unwrap_or_default().trim_start_matches("# ");
        let depth = title.matches(' ').count();
        Ok(format!("{}- [{title}](commands/{name}.md)\n", "  ".repeat(depth.min(2))))
    };
    names.iter().map(line).collect()
}

/// Pages of the Python package: what its stubs and modules declare; the lines of the table of contents.
fn python_pages(pages: &Path) -> Result<String> {
    let package = root().join("crates/python/python/probare");
    let folder = pages.join("python");
    let mut page =
        "# Python: reference\n\nWhat the package declares, with its types. `help(probare.score)` shows the same.\n"
            .to_owned();
    for (name, file) in [
        ("probare", "_api.py"),
        ("Results", "_results.py"),
        ("Comparison", "_comparison.py"),
        ("probare.testing", "testing.py"),
        ("probare.spark", "spark.py"),
        ("probare.ray", "ray.py"),
    ] {
        let text = fs::read_to_string(package.join(file)).with_context(|| format!("cannot read {file}"))?;
        let declared = declarations(&text);
        if declared.is_empty() {
            bail!("{file} declares nothing");
        }
        page.push_str(&format!("\n## {name}\n\n{declared}"));
    }
    fs::write(folder.join("reference.md"), page)?;
    Ok("- [Python: reference](python/reference.md)\n".to_owned())
}

/// The public classes and functions of a module: signature and docstring.
fn declarations(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = String::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let inner = line.trim_start();
        let name = ["def ", "class ", "async def "].iter().find_map(|word| inner.strip_prefix(word));
        let depth = line.len() - inner.len();
        let Some(name) = name.filter(|name| !name.starts_with('_') && depth <= 4) else {
            at += 1;
            continue;
        };
        let end = (at..lines.len()).find(|&end| lines[end].trim_end().ends_with(':')).unwrap_or(at);
        let short: String = name.chars().take_while(|sign| sign.is_alphanumeric() || *sign == '_').collect();
        let signature: Vec<&str> = lines[at..=end].iter().map(|line| line.get(depth..).unwrap_or_default()).collect();
        found.push_str(&format!("### {short}\n\n```python\n{}\n```\n\n", signature.join("\n").trim_end_matches(':')));
        let docstring = docstring(&lines[end + 1..]);
        if !docstring.is_empty() {
            found.push_str(&format!("{docstring}\n\n"));
        }
        at = end + 1;
    }
    found
}

/// The docstring that stands at the start of a body, without its margin.
fn docstring(lines: &[&str]) -> String {
    let Some(first) = lines.first().and_then(|line| line.trim_start().strip_prefix("\"\"\"")) else {
        return String::new();
    };
    if let Some(whole) = first.strip_suffix("\"\"\"") {
        return whole.to_owned();
    }
    let margin = lines[0].len() - lines[0].trim_start().len();
    let mut text = vec![first];
    for line in &lines[1..] {
        let inner = line.get(margin..).unwrap_or_default();
        if let Some(last) = inner.trim_end().strip_suffix("\"\"\"") {
            text.push(last);
            break;
        }
        text.push(inner);
    }
    text.join("\n").trim_end().to_owned()
}

/// The page of the server's paths, from its OpenAPI document; the line of the table of contents.
fn server_page(pages: &Path) -> Result<String> {
    let document: Json = serde_json::from_slice(&program_output(&["schema", "openapi"])?)?;
    fs::write(pages.join("openapi.json"), serde_json::to_vec_pretty(&document)?)?;
    let mut page = "# Paths of the server\n\nMade from its OpenAPI document, which `GET /openapi.json` and `probare schema openapi` give whole ([openapi.json](openapi.json)).\n".to_owned();
    let paths = document.get("paths").and_then(Json::as_object).context("the OpenAPI document has no paths")?;
    for (path, methods) in paths {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            let text = |key: &str| operation.get(key).and_then(Json::as_str).unwrap_or_default();
            page.push_str(&format!(
                "\n## {} {path}\n\n{}\n\n{}\n",
                method.to_uppercase(),
                text("summary"),
                text("description")
            ));
            page.push_str("\n| status | |\n|---|---|\n");
            for (status, response) in operation.get("responses").and_then(Json::as_object).into_iter().flatten() {
                let about = response.get("description").and_then(Json::as_str).unwrap_or_default();
                page.push_str(&format!("| {status} | {} |\n", about.replace('|', "\\|")));
            }
        }
    }
    fs::write(pages.join("paths.md"), page)?;
    Ok("- [Paths of the server](paths.md)\n".to_owned())
}

/// Every link of the site to a file of the site leads to one. How many there are.
fn check_links(site: &Path) -> Result<usize> {
    let mut pages = Vec::new();
    collect(site, &mut pages)?;
    let (mut checked, mut broken) = (0, Vec::new());
    for page in &pages {
        let text = fs::read_to_string(page)?;
        let main = text.split("<main>").nth(1).and_then(|text| text.split("</main>").next()).unwrap_or_default();
        for target in main.split("href=\"").skip(1).filter_map(|piece| piece.split('"').next()) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            if target.contains("://") || target.starts_with("mailto:") || target.starts_with("data:") {
                continue;
            }
            checked += 1;
            let path = if file.is_empty() { page.clone() } else { page.parent().unwrap_or(site).join(file) };
            let has_anchor = || {
                anchor.is_empty()
                    || fs::read_to_string(&path).is_ok_and(|text| text.contains(&format!("id=\"{anchor}\"")))
            };
            if !path.is_file() || !has_anchor() {
                broken.push(format!("{}: {target}", page.strip_prefix(site).unwrap_or(page).display()));
            }
        }
    }
    if !broken.is_empty() {
        bail!("{} links lead nowhere:\n{}", broken.len(), broken.join("\n"));
    }
    Ok(checked)
}

fn collect(folder: &Path, pages: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, pages)?;
        } else if path.extension().is_some_and(|extension| extension == "html")
            && !path.ends_with("print.html")
            && !path.ends_with("404.html")
        {
            pages.push(path);
        }
    }
    Ok(())
}
