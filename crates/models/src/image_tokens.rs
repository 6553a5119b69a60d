//! Tokens of images by the formulas that the providers publish, as far as a bound before the call needs them.
//!
//! What a call took is what the provider says afterwards. Before it, the bytes of an image say nothing: a small file can
//! be 25,000 tokens (`gpt-4o-mini`), and a large one 1,600. Where a provider may count in one of two ways, the larger
//! number stands here.

use probare_core::{Image, ImageKind, MessagePart};

use crate::{ModelRequest, Provider};

/// Sides of an image whose header cannot be read: larger than any provider takes without making it smaller.
const UNKNOWN_SIDE: u64 = 8_192;

/// Most tokens of the body of a request: a byte each, but for its images.
pub(crate) fn input_bound(request: &ModelRequest, body_bytes: u64) -> u64 {
    let images = request.messages.iter().flat_map(|message| &message.parts).filter_map(|part| match part {
        MessagePart::Image(image) => Some(image),
        _ => None,
    });
    images.fold(body_bytes, |tokens, image| {
        let encoded = (image.bytes().len() as u64).div_ceil(3) * 4;
        tokens.saturating_sub(encoded).saturating_add(image_tokens(request, image))
    })
}

fn image_tokens(request: &ModelRequest, image: &Image) -> u64 {
    let (width, height) = dimensions(image).unwrap_or((UNKNOWN_SIDE, UNKNOWN_SIDE));
    let (width, height) = (width.max(1), height.max(1));
    // Routers and Bedrock put the maker in front: `openai/gpt-4o`, `us.anthropic.claude-sonnet-4-5`.
    let model = request.model.rsplit('/').next().unwrap_or_default();
    let model = model.split_once("anthropic.").map_or(model, |(_, model)| model);
    match request.provider {
        Provider::Gemini => gemini(request, width, height),
        _ if model.starts_with("claude") => anthropic(model, width, height),
        Provider::OpenAi | Provider::OpenAiResponses | Provider::Azure | Provider::OpenRouter => {
            if model.starts_with("gemini") { gemini(request, width, height) } else { openai(model, width, height) }
        }
        _ => patches(width, height, 14, MOST_PATCHES_ELSEWHERE),
    }
}

/// Open models cut an image into patches of at least 14 pixels and take at most this many of them.
const MOST_PATCHES_ELSEWHERE: u64 = 16_384;

/// Squares of so many pixels that cover the image.
fn patches(width: u64, height: u64, side: u64, most: u64) -> u64 {
    (width.div_ceil(side) * height.div_ceil(side)).min(most)
}

/// Models of `OpenAI`, from "Images and vision, calculating costs": models of one kind are charged by squares of 512 pixels
/// after the image was made to fit 2048 × 2048 and its shorter side 768; those of the other by squares of 32 pixels, times a
/// factor.
fn openai(model: &str, width: u64, height: u64) -> u64 {
    let tiled = |base: u64, tile: u64| base + tile * openai_tiles(width, height);
    let patched = |per_thousand: u64, most: u64| (patches(width, height, 32, most) * per_thousand).div_ceil(1000);
    let is = |name: &str| {
        model.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with("-20") || rest == "-latest")
    };
    if model.starts_with("gpt-4o-mini") {
        tiled(2833, 5667)
    } else if is("gpt-4.1-mini") || is("gpt-5-mini") {
        patched(1620, 1536)
    } else if is("gpt-4.1-nano") || is("gpt-5-nano") {
        patched(2460, 1536)
    } else if is("o4-mini") {
        patched(1720, 1536)
    } else if is("gpt-5") || is("gpt-5-chat") {
        tiled(70, 140)
    } else if model.starts_with("gpt-4o")
        || is("gpt-4.1")
        || model.starts_with("gpt-4.5")
        || model.starts_with("chatgpt-4o")
    {
        tiled(85, 170)
    } else if is("o1") || is("o1-pro") || is("o3") {
        tiled(75, 150)
    } else if model.starts_with("computer-use-preview") {
        tiled(65, 129)
    } else {
        // What came later is charged by patches; the largest number and factor that are published.
        patched(2460, 10_000)
    }
}

/// Squares of 512 pixels. The shorter side is 768 afterwards, whether the image was larger or smaller.
fn openai_tiles(width: u64, height: u64) -> u64 {
    let (mut width, mut height) = (width as f64, height as f64);
    let fit = (2048.0 / width.max(height)).min(1.0);
    (width, height) = (width * fit, height * fit);
    let scale = 768.0 / width.min(height);
    // A long strip is not made larger than the square that everything fits.
    let scale = scale.min(2048.0 / width.max(height));
    let tiles = |side: f64| ((side * scale) / 512.0 - 1e-9).ceil().max(1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 4 by 4")]
    let count = (tiles(width) * tiles(height)) as u64;
    count
}

/// Claude, from "Vision, evaluate image size": width × height / 750, and what is larger is made smaller first. Models up to 4.6
/// take about 1,600 tokens at most, later ones 4,784.
fn anthropic(model: &str, width: u64, height: u64) -> u64 {
    let older = ["claude-2", "claude-3", "-4-0", "-4-1", "-4-2025", "-4-5", "-4-6"];
    let most = if older.iter().any(|mark| model.contains(mark)) { 1_600 } else { 4_784 };
    (width * height).div_ceil(750).clamp(1, most)
}

/// Gemini, from "Understand tokens, images": up to 384 pixels 258 tokens, larger ones 258 for each square that they are cut
/// into; from Gemini 3 on 1,120 by default, and up to 2,240 where the request asks for more.
fn gemini(request: &ModelRequest, width: u64, height: u64) -> u64 {
    let family = request.model.rsplit('/').next().unwrap_or_default();
    let is_tiled = ["gemini-1", "gemini-2", "gemma"].iter().any(|older| family.starts_with(older));
    if !is_tiled {
        let is_chosen = !request.extra_body.is_empty();
        return if is_chosen { 2_240 } else { 1_120 };
    }
    if width <= 384 && height <= 384 {
        return 258;
    }
    let unit = (width.min(height) * 2 / 3).clamp(256, 768);
    258 * width.div_ceil(unit) * height.div_ceil(unit)
}

/// Width and height, from the header.
fn dimensions(image: &Image) -> Option<(u64, u64)> {
    let bytes = image.bytes();
    let big = |at: usize| Some(u64::from(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?)));
    let little = |at: usize| Some(u64::from(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
    match image.kind() {
        ImageKind::Png => Some((big(16)?, big(20)?)),
        ImageKind::Gif => Some((little(6)?, little(8)?)),
        ImageKind::Jpeg => jpeg(bytes),
        ImageKind::Webp => match bytes.get(12..16)? {
            b"VP8X" => {
                let side = |at: usize| Some(1 + little(at)? + (u64::from(*bytes.get(at + 2)?) << 16));
                Some((side(24)?, side(27)?))
            }
            b"VP8L" => {
                let bits = little(21)? | (little(23)? << 16);
                Some((1 + (bits & 0x3fff), 1 + ((bits >> 14) & 0x3fff)))
            }
            b"VP8 " => Some((little(26)? & 0x3fff, little(28)? & 0x3fff)),
            _ => None,
        },
    }
}

/// Width and height of a JPEG: in the segment that begins its frame.
fn jpeg(bytes: &[u8]) -> Option<(u64, u64)> {
    let word = |at: usize| Some(u64::from(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
    let mut at = 2;
    loop {
        if *bytes.get(at)? != 0xff {
            return None;
        }
        match *bytes.get(at + 1)? {
            0xff => at += 1,
            0x01 | 0xd0..=0xd8 => at += 2,
            // Those between that begin no frame are tables.
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => return Some((word(at + 7)?, word(at + 5)?)),
            _ => at += 2 + usize::try_from(word(at + 2)?).ok()?.max(2),
        }
    }
}

#[cfg(test)]
mod tests {
    use probare_core::{Message, Role};

    use super::*;
    use crate::dialects::tests_support::request;

    fn png(width: u32, height: u32) -> Image {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        Image::new(bytes).unwrap()
    }

    fn tokens(provider: Provider, model: &str, width: u32, height: u32) -> u64 {
        let request = ModelRequest { model: model.to_owned(), ..request(provider) };
        image_tokens(&request, &png(width, height))
    }

    #[test]
    fn an_image_takes_what_the_formulas_of_the_providers_say() {
        use Provider::{Anthropic, Bedrock, Gemini, Mistral, OpenAi, OpenAiResponses, OpenRouter};
        for (provider, model, width, height, expected) in [
            // The examples of the providers' pages.
            (OpenAi, "gpt-4o", 1024, 1024, 765),
            (OpenAi, "gpt-4o", 2048, 4096, 1105),
            (OpenAi, "gpt-4o-mini", 768, 768, 25_501),
            (OpenAiResponses, "gpt-4.1-mini", 1024, 1024, 1659),
            (OpenAi, "gpt-5", 1024, 1024, 630),
            (OpenAi, "o3", 1024, 1024, 675),
            (OpenRouter, "openai/gpt-4o-mini", 768, 768, 25_501),
            (Anthropic, "claude-sonnet-4-5", 200, 200, 54),
            (Anthropic, "claude-sonnet-4-5", 1000, 1000, 1334),
            (Anthropic, "claude-sonnet-4-5", 4000, 4000, 1600),
            (Anthropic, "claude-opus-4-8", 4000, 4000, 4784),
            (Bedrock, "us.anthropic.claude-sonnet-4-5-20250929-v1:0", 1000, 1000, 1334),
            (Gemini, "gemini-2.5-flash", 384, 384, 258),
            (Gemini, "gemini-2.5-flash", 960, 540, 258 * 6),
            (Gemini, "gemini-3-pro-preview", 4000, 4000, 1120),
            (Mistral, "pixtral-large-latest", 1024, 1024, 5476),
        ] {
            assert_eq!(tokens(provider, model, width, height), expected, "{model} {width} x {height}");
        }
        assert!(tokens(OpenAi, "gpt-9", 2000, 2000) > tokens(OpenAi, "gpt-4.1-nano", 2000, 2000), "an unknown model");
        for side in [1, 100_000] {
            assert!(tokens(OpenAi, "gpt-4o", side, 1) <= 85 + 170 * 16 && tokens(Gemini, "gemini-2.0", 1, side) > 0);
        }
    }

    #[test]
    fn the_bytes_of_an_image_are_no_tokens() {
        let image = png(768, 768);
        let encoded = image.bytes().len().div_ceil(3) as u64 * 4;
        let message = Message::new(Role::User, "What is it?").with_part(MessagePart::Image(image));
        let request =
            ModelRequest { model: "gpt-4o-mini".into(), messages: vec![message], ..request(Provider::OpenAi) };
        assert_eq!(input_bound(&request, 500 + encoded), 500 + 25_501);
    }

    #[test]
    fn dimensions_are_read_from_every_kind_and_from_no_header_none() {
        let read = |bytes: &[u8]| dimensions(&Image::new(bytes.to_vec()).unwrap());
        assert_eq!(read(b"GIF89a\x40\x01\xf0\0rest"), Some((320, 240)));
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc4\0\x03c\xff\xc0\0\x11\x08\0\xf0\x01\x40\x03";
        assert_eq!(read(jpeg), Some((320, 240)));
        assert_eq!(read(b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x3f\x01\0\xef\0\0"), Some((320, 240)));
        assert_eq!(read(b"RIFF\0\0\0\0WEBPVP8L\x05\0\0\0\x2f\x3f\xc1\x3b\0"), Some((320, 240)));
        assert_eq!(read(b"RIFF\0\0\0\0WEBPVP8 \x05\0\0\0abc\x9d\x01\x2a\x40\x01\xf0\0"), Some((320, 240)));
        for cut in [&b"\x89PNG\r\n\x1a\n"[..], b"\xff\xd8\xff", b"\xff\xd8\xff\xc0\0", b"GIF89a\x01"] {
            assert_eq!(read(cut), None);
        }
    }
}
