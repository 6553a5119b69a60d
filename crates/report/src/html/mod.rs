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
mod record;
mod report;
mod tone;

pub use self::highlight::{Mark, highlight};
pub use self::report::Html;
pub use self::tone::Tone;

use crate::VERSION;
use crate::escape::html as escaped;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// SHA-256 of the script in base 64; a test computes it again.
const SCRIPT_HASH: &str = "bTDmQLsrEDm3BA9rnJ7+ut5/ztMu0XHhB/cbzBnaZvs=";

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
    let title = escaped(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'sha256-{SCRIPT_HASH}'; base-uri 'none'; form-action 'none'\">\n\
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
    format!("</main>\n<script>{SCRIPT}</script>\n")
}

const PAGE_END: &str = "</body>\n</html>\n";

#[cfg(test)]
mod tests {
    use probare_core::Sha256;

    use super::*;

    fn base64(bytes: &[u8]) -> String {
        const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut text = String::new();
        for chunk in bytes.chunks(3) {
            let [a, b, c] = [0, 1, 2].map(|at| u32::from(chunk.get(at).copied().unwrap_or(0)));
            let joined = a << 16 | b << 8 | c;
            for place in 0..4usize {
                let digit = DIGITS[(joined >> (18 - 6 * place) & 63) as usize];
                text.push(if place <= chunk.len() { char::from(digit) } else { '=' });
            }
        }
        text
    }

    #[test]
    fn the_policy_names_the_script() {
        let mut digest = Sha256::default();
        digest.update(SCRIPT);
        assert_eq!(SCRIPT_HASH, base64(&digest.digest()));
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
