//! Which retrieved documents are articles on a topic, each counted once.

use probare_text::tokens::synthlink;

use crate::synthlink::deep_search::measures::{PLACES, percent_decoded};

/// Words that make another page of the same article rather than another article.
const PAGE_WORDS: [&str; 12] = [
    "article",
    "category",
    "disambiguation",
    "history",
    "index",
    "list",
    "page",
    "part",
    "portal",
    "talk",
    "version",
    "works",
];

/// Words from which an entry is a text and no name.
const TEXT_WORDS: usize = 16;

/// What was found about one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArticleFinding {
    /// Its title names the topic of this index.
    ByTitle(usize),
    /// It is a text, one sentence of which names the topic of this index.
    ByText(usize),
    /// It is another page, spelling or numbering of the document at this earlier place.
    Repeats(usize),
    /// It belongs to no topic.
    Other,
}

impl ArticleFinding {
    /// Whether it counts.
    pub const fn is_relevant(self) -> bool {
        matches!(self, Self::ByTitle(_) | Self::ByText(_))
    }
}

/// What was found about the first five documents, in their order.
///
/// The title of an address is its last part, without host, query and fragment. A document is relevant when its title
/// has all words of a topic, in any order. Numbers, remarks in parentheses and words such as `list` and `history` do not
/// make another article, unless the topic has them.
pub fn find_articles<S: AsRef<str>>(topics: &[&str], documents: &[S]) -> Vec<ArticleFinding> {
    let topics: Vec<Vec<String>> = topics.iter().map(|topic| stems(&percent_decoded(topic))).collect();
    let mut seen: Vec<Vec<String>> = Vec::new();
    documents
        .iter()
        .take(PLACES)
        .map(|document| {
            let name = percent_decoded(document.as_ref());
            let by_text = synthlink::tokens(&name).len() >= TEXT_WORDS && !name.contains("://");
            let title = if by_text { stems(&name) } else { stems(&title(&name)) };
            let article = article(&title, &name, by_text);
            let earlier = seen.iter().position(|other| *other == article);
            seen.push(article);
            if let Some(earlier) = earlier {
                return ArticleFinding::Repeats(earlier);
            }
            let has =
                |topic: &[String], words: &[String]| !topic.is_empty() && topic.iter().all(|word| words.contains(word));
            let found = if by_text {
                let mut sentences = name.split(['.', '\n']).map(stems);
                sentences.find_map(|sentence| topics.iter().position(|topic| has(topic, &sentence)))
            } else {
                topics.iter().position(|topic| has(topic, &title))
            };
            match found {
                Some(topic) if by_text => ArticleFinding::ByText(topic),
                Some(topic) => ArticleFinding::ByTitle(topic),
                None => ArticleFinding::Other,
            }
        })
        .collect()
}

/// The part of an address that names the article.
fn title(name: &str) -> String {
    let Some((_, rest)) = name.split_once("://") else { return name.to_owned() };
    let path = rest.split(['?', '#']).next().unwrap_or(rest);
    let parts: Vec<&str> = path.split('/').skip(1).filter(|part| !part.is_empty() && *part != "wiki").collect();
    parts.join(" ").replace('_', " ")
}

/// The words that tell an article from others.
fn article(title: &[String], name: &str, by_text: bool) -> Vec<String> {
    if by_text {
        return title.to_vec();
    }
    let remark: Vec<String> = name.split_once('(').map(|(_, rest)| stems(rest)).unwrap_or_default();
    let telling = |word: &&String| {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit()) && word.len() < 3;
        !is_number && !remark.contains(word) && !PAGE_WORDS.contains(&word.as_str())
    };
    let telling_words: Vec<String> = title.iter().filter(telling).cloned().collect();
    // A title that is nothing but such words is itself.
    if telling_words.is_empty() { title.to_vec() } else { telling_words }
}

fn stems(text: &str) -> Vec<String> {
    let tokens = synthlink::tokens(text);
    tokens
        .texts()
        .filter(|token| !synthlink::is_stop_word(token))
        .map(|token| synthlink::stem(token).into_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::ArticleFinding::{ByText, ByTitle, Other, Repeats};
    use super::*;

    #[test]
    fn an_article_counts_once_however_it_is_spelled() {
        let found = find_articles(
            &["Haber process", "Aral Sea"],
            &["Haber process", "Haber process (chemistry)", "Haber process history", "Aral Sea 2", "Aral Sea 3"],
        );
        assert_eq!(found, [ByTitle(0), Repeats(0), Repeats(0), ByTitle(1), Repeats(3)]);
    }

    #[test]
    fn hosts_are_no_titles_and_order_does_not_matter() {
        let found = find_articles(
            &["Straightening of the Rhine", "Silk Road"],
            &["https://silk.road/wiki/Camel", "https://x.example/wiki/Rhine_straightening?action=raw", "Road, Silk"],
        );
        assert_eq!(found, [Other, ByTitle(0), ByTitle(1)]);
    }

    #[test]
    fn a_text_is_relevant_when_one_sentence_names_the_topic() {
        let text = "Camels carried goods for weeks. The road was called the Silk Road by a German geographer much later than that.";
        assert_eq!(find_articles(&["Silk Road"], &[text]), [ByText(0)]);
        let scattered =
            "Silk was dear in those days and only a few could buy it at all. A road led there for all of them.";
        assert_eq!(find_articles(&["Silk Road"], &[scattered]), [Other]);
    }
}
