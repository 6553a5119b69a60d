//! Pages for a browser: one file each, with everything inside and nothing from elsewhere.
//!
//! [`page`] is the frame that all reports share; [`highlight`] shows a text with its evidence; [`Html`] is the report of a
//! run. A policy in the head of the page forbids everything but our own script, whose hash it names, so text that slipped
//! through an escape could still not run.

mod data;
mod highlight;
mod overview;
#[cfg(test)]
mod palette;
mod panel;
mod record;
mod report;
mod table;
mod tone;

pub use self::highlight::{Mark, highlight};
pub use self::panel::panel;
pub use self::record::{PageMetric, PageSettings, case_entry, case_opening, case_record, page_settings};
pub use self::report::Html;
pub(crate) use self::table::{TABLE_END, gate_banner, table_start};

use std::sync::LazyLock;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use probare_core::Sha256;

use crate::VERSION;
use crate::escape::html as escaped;

const STYLE: &str = concat!(include_str!("style.css"), include_str!("viewer.css"));

/// The modules that the viewer and the page that is one file share, by their file names; each after those that it needs at once.
pub const MODULES: [(&str, &str); 9] = [
    ("case.js", include_str!("case.js")),
    ("page.js", include_str!("page.js")),
    ("source.js", include_str!("source.js")),
    ("difference.js", include_str!("difference.js")),
    ("markdown.js", include_str!("markdown.js")),
    ("completion.js", include_str!("completion.js")),
    ("case-list.js", include_str!("case-list.js")),
    ("case-page.js", include_str!("case-page.js")),
    ("app.js", include_str!("app.js")),
];

/// What a page that is one file has besides.
const OF_A_FILE: [&str; 3] = [include_str!("filter.js"), include_str!("embedded.js"), include_str!("saved.js")];

/// The style of every page.
pub const fn style() -> &'static str {
    STYLE
}

/// The script of a page that is one file, and its SHA-256 in base 64, by which the policy of the page knows it. Modules do not
/// load from a file that was opened by a double click, so they are joined: imports and exports stand on lines of their own.
static SCRIPT: LazyLock<(String, String)> = LazyLock::new(|| {
    let mut script = String::from("(() => {\n\"use strict\";\n");
    let mut is_import = false;
    for line in MODULES.iter().map(|(_, module)| *module).chain(OF_A_FILE).flat_map(str::lines) {
        is_import |= line.starts_with("import ");
        if !is_import {
            script.push_str(line.strip_prefix("export ").unwrap_or(line));
            script.push('\n');
        }
        // An import of many names goes over several lines.
        is_import &= !line.ends_with("\";");
    }
    script.push_str("})();\n");
    let mut digest = Sha256::default();
    digest.update(&script);
    let hash = BASE64_STANDARD.encode(digest.digest());
    (script, hash)
});

/// The sign beside the name: a tick under a lens.
const SIGN: &str = "<svg viewBox=\"0 0 20 20\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.8\" \
    stroke-linecap=\"round\" stroke-linejoin=\"round\" aria-hidden=\"true\"><circle cx=\"8.5\" cy=\"8.5\" r=\"6.5\"/>\
    <path d=\"M13.4 13.4 18 18M5.8 8.7l2 2 3.6-4\"/></svg>";

/// A whole page. `title` is escaped here; `body` is HTML and must be made with [`crate::escape::html`].
pub fn page(title: &str, body: &str) -> String {
    let mut page = page_start(title, "");
    page.push_str(body);
    page.push_str(&page_end());
    page
}

/// Everything before the body of a page; `lead` is HTML that stands under the title.
pub fn page_start(title: &str, lead: &str) -> String {
    let (title, hash) = (escaped(title), &SCRIPT.1);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n\
         <noscript><style>.tools,th button::after{{display:none!important}}</style></noscript>\n</head>\n<body>\n<header class=\"mast\"><div>\n\
         <div class=\"brand\">{SIGN}<b>Probare</b><span>{VERSION}</span></div>\n<h1><bdi>{title}</bdi></h1>\n{lead}\n\
         </div></header>\n<main>\n"
    )
}

/// Everything after the body of a page.
pub fn page_end() -> String {
    page_script() + PAGE_END
}

/// The end of what is seen, and the script.
fn page_script() -> String {
    format!("</main>\n<script>{}</script>\n", SCRIPT.0)
}

const PAGE_END: &str = "</body>\n</html>\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_one_file_has_its_modules_as_one_script_and_its_policy_names_it() {
        let (script, hash) = &*SCRIPT;
        assert!(script.contains("const cellOf = ") && script.contains("document.getElementById(\"browser\")"));
        assert!(!script.contains("\nimport ") && !script.contains("\nexport "));
        assert!(!script.contains("</script"));
        let mut names: Vec<&str> = (script.lines())
            .filter_map(|line| ["const ", "let ", "class "].iter().find_map(|word| line.strip_prefix(word)))
            .filter_map(|rest| rest.split([' ', ';']).next().filter(|name| !name.starts_with(['[', '{'])))
            .collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "two modules have a name in common");
        assert!(page("t", "").contains(&format!("script-src 'sha256-{hash}'")));
    }

    #[test]
    fn a_page_needs_nothing_from_elsewhere() {
        let page = page("A <title>", "<p>body</p>");
        assert!(page.contains("<title>A &lt;title&gt;</title>"));
        for forbidden in ["http://", "https://", "url(", "@import", " src="] {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
    }
}
