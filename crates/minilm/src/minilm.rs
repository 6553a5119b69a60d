//! [`MiniLm`]: all-MiniLM-L6-v2, computed on the processor.
//!
//! Reimers, Gurevych: Sentence-BERT, EMNLP 2019; Wang et al.: `MiniLM`, `NeurIPS` 2020. Six layers of BERT of width 384, the mean
//! over all tokens, unit length. Rows of several texts are multiplied together, without padding between them.

use std::panic::resume_unwind;
use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use probare_cancellation::{count_steps, on_other_thread};
use pulp::Arch;

use crate::arithmetic::{layer_norm, mean_pool, softmax};
use crate::files::{LocalModel, ModelError, models_folder};
use crate::matrix::{Epilogue, PackedMatrix, RowBlocks, multiply};
use crate::safetensors::Tensors;
use crate::tokenizer::{MAX_TOKENS, Tokenizer};

/// Numbers of a vector.
pub const DIMENSIONS: usize = 384;
const HEADS: usize = 12;
const HEAD: usize = DIMENSIONS / HEADS;
const INNER: usize = 4 * DIMENSIONS;
const LAYERS: usize = 6;
const VOCABULARY: usize = 30_522;

/// Tokens that are computed together: enough to make use of every weight that is loaded, few enough to stay in the cache.
const TOGETHER: usize = 256;

/// What a token counts (`probare_cancellation::steps`): it goes through some twenty million multiplications.
const STEPS_OF_A_TOKEN: usize = 16;

/// The model, ready to compute.
pub struct MiniLm {
    arch: Arch,
    tokenizer: Tokenizer,
    words: Vec<f32>,
    positions: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

struct Norm {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

struct Linear {
    weight: PackedMatrix,
    bias: Vec<f32>,
}

struct Layer {
    /// Query, key and value side by side.
    attention: Linear,
    output: Linear,
    attention_norm: Norm,
    inner: Linear,
    outer: Linear,
    norm: Norm,
}

/// What a thread computes in.
#[derive(Default)]
struct Scratch {
    rows: Vec<f32>,
    wide: Vec<f32>,
    other: Vec<f32>,
    scores: Vec<f32>,
    mixed: Vec<f32>,
    keys: PackedMatrix,
    values: PackedMatrix,
    blocks: RowBlocks,
}

impl MiniLm {
    /// Reads the model from where models are kept. Every file is checked against its published SHA-256.
    pub fn open() -> Result<Self, ModelError> {
        let model = LocalModel::from_name("all-MiniLM-L6-v2")?;
        let folder = model.folder(&models_folder()?);
        if !model.is_in(&folder) {
            return Err(ModelError::NotFetched { name: model.name, folder });
        }
        Self::read(&folder)
    }

    /// Reads the model from a folder with `vocab.txt` and `model.safetensors`.
    pub fn read(folder: &Path) -> Result<Self, ModelError> {
        let model = LocalModel::from_name("all-MiniLM-L6-v2")?;
        let damaged = |name: &str| {
            let path = folder.join(name);
            move |reason: String| ModelError::damaged(&path, &reason)
        };
        let mut vocabulary = Vec::new();
        let mut weights = Vec::new();
        for file in model.files {
            let bytes = file.read(folder)?;
            if file.name == "vocab.txt" { vocabulary = bytes } else { weights = bytes }
        }
        let vocabulary = String::from_utf8(vocabulary).map_err(|error| damaged("vocab.txt")(error.to_string()))?;
        let tokenizer = Tokenizer::new(&vocabulary).map_err(damaged("vocab.txt"))?;
        Self::new(tokenizer, &weights).map_err(damaged("model.safetensors"))
    }

    /// The model from the bytes of its weights; the reason where they are not whole.
    pub fn new(tokenizer: Tokenizer, weights: &[u8]) -> Result<Self, String> {
        let tensors = Tensors::new(weights)?;
        if tokenizer.size() > VOCABULARY {
            return Err(format!("it has {VOCABULARY} words, the vocabulary {}", tokenizer.size()));
        }
        let words = tensors.numbers("embeddings.word_embeddings.weight", &[VOCABULARY, DIMENSIONS])?;
        let mut positions = tensors.numbers("embeddings.position_embeddings.weight", &[512, DIMENSIONS])?;
        positions.truncate(MAX_TOKENS * DIMENSIONS);
        let kinds = tensors.numbers("embeddings.token_type_embeddings.weight", &[2, DIMENSIONS])?;
        for row in positions.chunks_exact_mut(DIMENSIONS) {
            // All tokens are of the first kind, so its vector belongs to every position.
            row.iter_mut().zip(&kinds).for_each(|(number, kind)| *number += kind);
        }
        let norm = Norm::read(&tensors, "embeddings.LayerNorm")?;
        let layers = (0..LAYERS).map(|number| Layer::read(&tensors, number)).collect::<Result<_, String>>()?;
        Ok(Self { arch: Arch::new(), tokenizer, words, positions, norm, layers })
    }

    /// The same with registers of one number: slow, and equal to the last bit.
    #[must_use]
    pub fn without_wide_registers(mut self) -> Self {
        self.arch = Arch::Scalar;
        self
    }

    /// How texts are cut into tokens.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// One vector of unit length for each text, in their order, computed on so many threads. A vector depends on its text
    /// alone. Work for which nobody waits any more ends between two batches.
    pub fn embed(&self, texts: &[&str], threads: usize) -> Vec<Vec<f32>> {
        let tokens: Vec<Vec<u32>> = texts.iter().map(|text| self.tokenizer.tokens(text)).collect();
        let batches = batches(&tokens);
        let next = AtomicUsize::new(0);
        let vectors = Mutex::new(vec![Vec::new(); texts.len()]);
        let work = || {
            let mut scratch = Scratch::default();
            while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                let together: Vec<&[u32]> = batch.iter().map(|at| tokens[*at].as_slice()).collect();
                count_steps(STEPS_OF_A_TOKEN * together.iter().map(|text| text.len()).sum::<usize>());
                let computed = self.compute(&together, &mut scratch);
                let mut vectors = vectors.lock().unwrap_or_else(PoisonError::into_inner);
                batch.iter().zip(computed).for_each(|(at, vector)| vectors[*at] = vector);
            }
        };
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads.min(batches.len())).map(|_| scope.spawn(on_other_thread(work))).collect();
            work();
            for other in others {
                match other.join() {
                    Ok(done) => done.join(),
                    Err(panic) => resume_unwind(panic),
                }
            }
        });
        vectors.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// The vectors of some texts, given as tokens.
    fn compute(&self, texts: &[&[u32]], scratch: &mut Scratch) -> Vec<Vec<f32>> {
        let Scratch { rows, wide, other, scores, mixed, keys, values, blocks } = scratch;
        let arch = self.arch;
        rows.clear();
        for text in texts {
            for (token, position) in text.iter().zip(self.positions.chunks_exact(DIMENSIONS)) {
                let start = *token as usize * DIMENSIONS;
                let word = self.words.get(start..start + DIMENSIONS).unwrap_or_default();
                rows.extend(word.iter().zip(position).map(|(word, position)| word + position));
            }
        }
        let count = rows.len() / DIMENSIONS;
        self.norm.apply(arch, rows);
        other.resize(count * DIMENSIONS, 0.0);
        for layer in &self.layers {
            wide.resize(count * 3 * DIMENSIONS, 0.0);
            let Linear { weight, bias } = &layer.attention;
            multiply(arch, (rows, DIMENSIONS), weight, Epilogue::Bias(bias), blocks, wide);
            let mut first = 0;
            for text in texts {
                let range = first * DIMENSIONS..(first + text.len()) * DIMENSIONS;
                let mixed_rows = other.get_mut(range.clone()).unwrap_or_default();
                let asked = wide.get(3 * range.start..3 * range.end).unwrap_or_default();
                for head in 0..HEADS {
                    attend(arch, asked, head, (keys, values, blocks), (scores, mixed), mixed_rows);
                }
                first += text.len();
            }
            let Linear { weight, bias } = &layer.output;
            wide.resize(count * DIMENSIONS, 0.0);
            multiply(arch, (other, DIMENSIONS), weight, Epilogue::Residual(bias, rows), blocks, wide);
            std::mem::swap(rows, wide);
            layer.attention_norm.apply(arch, rows);
            let Linear { weight, bias } = &layer.inner;
            wide.resize(count * INNER, 0.0);
            multiply(arch, (rows, DIMENSIONS), weight, Epilogue::Gelu(bias), blocks, wide);
            let Linear { weight, bias } = &layer.outer;
            multiply(arch, (wide, INNER), weight, Epilogue::Residual(bias, rows), blocks, other);
            std::mem::swap(rows, other);
            layer.norm.apply(arch, rows);
        }
        let mut rest: &[f32] = rows;
        let pool = |text: &&[u32]| {
            let (own, others) = rest.split_at(text.len() * DIMENSIONS);
            rest = others;
            mean_pool(arch, own, DIMENSIONS)
        };
        texts.iter().map(pool).collect()
    }
}

/// Attention of one head within one text: `asked` holds query, key and value of every token side by side.
fn attend(
    arch: Arch,
    asked: &[f32],
    head: usize,
    (keys, values, blocks): (&mut PackedMatrix, &mut PackedMatrix, &mut RowBlocks),
    (scores, mixed): (&mut Vec<f32>, &mut Vec<f32>),
    rows: &mut [f32],
) {
    const STRIDE: usize = 3 * DIMENSIONS;
    let length = asked.len() / STRIDE;
    let query = head * HEAD;
    let key = DIMENSIONS + query;
    let value = DIMENSIONS + key;
    keys.fill(HEAD, length, |at, token| asked[token * STRIDE + key + at]);
    values.fill(length, HEAD, |token, at| asked[token * STRIDE + value + at]);
    let width = keys.width();
    scores.resize(length * width, 0.0);
    multiply(arch, (&asked[query..], STRIDE), keys, Epilogue::Plain, blocks, scores);
    softmax(arch, scores, width, length, 1.0 / (HEAD as f32).sqrt());
    mixed.resize(length * HEAD, 0.0);
    multiply(arch, (scores, width), values, Epilogue::Plain, blocks, mixed);
    for (row, mixed) in rows.chunks_exact_mut(DIMENSIONS).zip(mixed.chunks_exact(HEAD)) {
        row[query..query + HEAD].copy_from_slice(mixed);
    }
}

/// Which texts are computed together: texts of like length, the longest first, so that threads end at the same time.
fn batches(tokens: &[Vec<u32>]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..tokens.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(tokens[*at].len()));
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut room = 0;
    for at in order {
        let length = tokens[at].len();
        match batches.last_mut() {
            Some(batch) if length <= room => batch.push(at),
            _ => {
                batches.push(vec![at]);
                room = TOGETHER;
            }
        }
        room = room.saturating_sub(length);
    }
    batches
}

impl Norm {
    fn read(tensors: &Tensors<'_>, name: &str) -> Result<Self, String> {
        let numbers = |part: &str| tensors.numbers(&format!("{name}.{part}"), &[DIMENSIONS]);
        Ok(Self { weight: numbers("weight")?, bias: numbers("bias")? })
    }

    fn apply(&self, arch: Arch, rows: &mut [f32]) {
        layer_norm(arch, rows, &self.weight, &self.bias);
    }
}

impl Linear {
    /// Several layers of the same form side by side. In the file a row holds the weights of one number that comes out.
    fn read(tensors: &Tensors<'_>, names: &[String], (depth, columns): (usize, usize)) -> Result<Self, String> {
        let (mut weight, mut bias) = (Vec::new(), Vec::new());
        for name in names {
            weight.extend(tensors.numbers(&format!("{name}.weight"), &[columns, depth])?);
            bias.extend(tensors.numbers(&format!("{name}.bias"), &[columns])?);
        }
        let weight = PackedMatrix::new(depth, columns * names.len(), |row, column| weight[column * depth + row]);
        Ok(Self { weight, bias })
    }
}

impl Layer {
    fn read(tensors: &Tensors<'_>, number: usize) -> Result<Self, String> {
        let name = |part: &str| format!("encoder.layer.{number}.{part}");
        let linear = |parts: &[&str], form| {
            let names: Vec<String> = parts.iter().map(|part| name(part)).collect();
            Linear::read(tensors, &names, form)
        };
        let square = (DIMENSIONS, DIMENSIONS);
        Ok(Self {
            attention: linear(&["attention.self.query", "attention.self.key", "attention.self.value"], square)?,
            output: linear(&["attention.output.dense"], square)?,
            attention_norm: Norm::read(tensors, &name("attention.output.LayerNorm"))?,
            inner: linear(&["intermediate.dense"], (DIMENSIONS, INNER))?,
            outer: linear(&["output.dense"], (INNER, DIMENSIONS))?,
            norm: Norm::read(tensors, &name("output.LayerNorm"))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_in_one_batch_and_no_batch_is_too_large() {
        let tokens: Vec<Vec<u32>> = (0..300).map(|at| vec![0; 2 + at * 37 % 255]).collect();
        let batches = batches(&tokens);
        let mut all: Vec<usize> = batches.iter().flatten().copied().collect();
        all.sort_unstable();
        assert_eq!(all, (0..300).collect::<Vec<usize>>());
        assert!(batches.iter().all(|batch| batch.iter().map(|at| tokens[*at].len()).sum::<usize>() <= TOGETHER));
        assert!(super::batches(&[]).is_empty());
    }

    #[test]
    fn weights_that_are_not_there_are_named() {
        let tokenizer = Tokenizer::new("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n").unwrap();
        let reason = MiniLm::new(tokenizer, b"\x02\0\0\0\0\0\0\0{}").err().unwrap();
        assert!(reason.contains("embeddings.word_embeddings.weight"), "{reason}");
    }
}
