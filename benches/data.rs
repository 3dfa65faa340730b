//! From what wikiextractor wrote to token ids: how fast, next to a straightforward program and next to
//! plain decompression. With `SCIR_DATA` the articles are real; without it they are generated, and labelled so.

use std::collections::HashMap;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::PathBuf;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use scir_data::wikipedia::WikiExtractor;
use scir_data::{
    Encoder, Limits, Minibatch, Prefetch, Source, StreamBatching, TextDocument, TextSource, Tokenizer,
    Vocabulary,
};

struct Input {
    label: &'static str,
    vocabulary: Arc<Vocabulary>,
    compressed: Arc<[u8]>,
    text: Arc<[u8]>,
}

fn input() -> Input {
    let folder = std::env::var_os("SCIR_DATA").map(|folder| PathBuf::from(folder).join("wikipedia"));
    let (label, vocabulary, compressed) = match folder {
        Some(folder) => (
            "wikipedia",
            Vocabulary::open(folder.join("wiki.vocab")).expect("the vocabulary"),
            std::fs::read(folder.join("extracted/AA/wiki_00.bz2")).expect("the articles"),
        ),
        None => generated(),
    };
    let mut text = Vec::new();
    bzip2::read::MultiBzDecoder::new(&compressed[..]).read_to_end(&mut text).expect("a whole archive");
    Input { label, vocabulary: Arc::new(vocabulary), compressed: compressed.into(), text: text.into() }
}

/// Articles of words of which one in two is in the vocabulary.
fn generated() -> (&'static str, Vocabulary, Vec<u8>) {
    let word = |mut n: u64| {
        let mut word = String::new();
        n = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 30;
        while n > 0 {
            word.push(char::from(b'a' + (n % 26) as u8));
            n /= 26;
        }
        word
    };
    let vocabulary = Vocabulary::from_words((1..8000).map(word)).expect("distinct words");
    let mut text = String::new();
    for article in 0..2000 {
        text += &format!("<doc id=\"{article}\" url=\"\" title=\"Article {article}\">\n");
        (0..500u64).for_each(|i| text += &format!("{}, ", word(1 + (article * 7919 + i * i * 31) % 16_000)));
        text += "\n</doc>\n";
    }
    let mut compressed = Vec::new();
    bzip2::read::BzEncoder::new(text.as_bytes(), bzip2::Compression::best())
        .read_to_end(&mut compressed)
        .expect("memory does not fail");
    ("generated", vocabulary, compressed)
}

/// The number of tokens that are in the vocabulary, by this crate.
fn ours(bytes: &Arc<[u8]>, tokenizer: Tokenizer, vocabulary: &Arc<Vocabulary>) -> usize {
    let source =
        Source::from_reader("<bench>", Cursor::new(Arc::clone(bytes)), Limits::default()).expect("content");
    let mut articles = WikiExtractor::new(source).expect("articles");
    let mut encoder = Encoder::new(tokenizer, Arc::clone(vocabulary));
    let (mut article, mut tokens, mut total) = (TextDocument::default(), Vec::new(), 0);
    while articles.read_text(&mut article).expect("well-formed articles") {
        tokens.clear();
        encoder.encode_into(&article.text, &mut tokens);
        total += tokens.len();
    }
    total
}

/// The same by a program as one would write it first: strings and a hash map.
fn straightforward(text: &[u8], ids: &HashMap<String, u32>) -> usize {
    let mut total = 0;
    for line in BufReader::new(text).lines() {
        let line = line.expect("UTF-8");
        if line.starts_with("<doc ") || line == "</doc>" {
            continue;
        }
        let (mut clean, mut rest) = (String::new(), line.as_str());
        while let Some((before, tag)) = rest.split_once('<') {
            clean.push_str(before);
            rest = match tag.split_once('>') {
                Some((_, after)) => {
                    clean.push(' ');
                    after
                }
                None => tag,
            };
        }
        clean.push_str(rest);
        let clean = clean.to_lowercase().replace('-', " ");
        let clean: String = clean.chars().filter(|&c| c.is_ascii_lowercase() || c == ' ').collect();
        let tokens: Vec<u32> = clean.split(' ').filter_map(|word| ids.get(word).copied()).collect();
        total += tokens.len();
    }
    total
}

/// Minibatches of 50 documents from compressed text, each followed by work that takes about as long as reading it: as a
/// sampler does, and the case in which reading ahead can help most.
fn batches_and_work(input: &Input, depth: usize, work: usize) -> u64 {
    let (bytes, vocabulary) = (Arc::clone(&input.compressed), Arc::clone(&input.vocabulary));
    let open = move || {
        let source = Source::from_reader("<bench>", Cursor::new(Arc::clone(&bytes)), Limits::default())?;
        let encoder = Encoder::new(Tokenizer::a_to_z(), Arc::clone(&vocabulary));
        Ok(WikiExtractor::new(source)?.documents(encoder))
    };
    let settings = StreamBatching { size: 50, ..StreamBatching::default() };
    let batches = settings.over(Arc::clone(&input.vocabulary), open).expect("a size above 0");
    let look = |batch: scir_data::Result<Minibatch>| -> u64 {
        let documents = batch.expect("well-formed articles").documents;
        let mut sum = 0u64;
        for _ in 0..work {
            for doc in documents.docs() {
                doc.iter()
                    .for_each(|(id, count)| sum = sum.rotate_left(5) ^ (u64::from(id) * u64::from(count)));
            }
        }
        sum
    };
    if depth == 0 {
        batches.map(look).fold(0, |a, b| a ^ b)
    } else {
        Prefetch::new(depth, batches).expect("a thread").map(look).fold(0, |a, b| a ^ b)
    }
}

/// How often the work looks at every count, so that it takes as long as reading.
const WORK: usize = 150;

fn benches(criterion: &mut Criterion) {
    let input = input();
    let ids: HashMap<String, u32> = input.vocabulary.words().map(String::from).zip(0..).collect();
    let (a_to_z, unicode) = (Tokenizer::a_to_z(), Tokenizer::unicode());
    // Fast and wrong does not count.
    assert_eq!(ours(&input.text, a_to_z, &input.vocabulary), straightforward(&input.text, &ids));

    let mut group = criterion.benchmark_group(format!("{}/text to token ids", input.label));
    group.throughput(Throughput::Bytes(input.text.len() as u64)).sample_size(10);
    group.bench_function("a to z", |b| b.iter(|| ours(black_box(&input.text), a_to_z, &input.vocabulary)));
    group.bench_function("Unicode words", |b| {
        b.iter(|| ours(black_box(&input.text), unicode, &input.vocabulary))
    });
    group.bench_function("straightforward", |b| b.iter(|| straightforward(black_box(&input.text), &ids)));
    group.finish();

    let mut group = criterion.benchmark_group(format!("{}/bz2 to token ids", input.label));
    group.throughput(Throughput::Bytes(input.text.len() as u64)).sample_size(10);
    group.bench_function("a to z", |b| {
        b.iter(|| ours(black_box(&input.compressed), a_to_z, &input.vocabulary))
    });
    group.bench_function("decompression alone", |b| {
        b.iter(|| {
            let mut decoder = bzip2::read::MultiBzDecoder::new(black_box(&input.compressed[..]));
            std::io::copy(&mut decoder, &mut std::io::sink()).expect("a whole archive")
        });
    });
    group.finish();

    // With one processor at hand there is nothing to gain, and little to lose.
    let mut group = criterion.benchmark_group(format!("{}/minibatches and work", input.label));
    group.throughput(Throughput::Bytes(input.text.len() as u64)).sample_size(10);
    let cases = [
        ("reading alone", 0, 0),
        ("one after the other", 0, WORK),
        ("prefetch 1", 1, WORK),
        ("prefetch 4", 4, WORK),
    ];
    for (name, depth, work) in cases {
        group.bench_function(name, |b| b.iter(|| batches_and_work(black_box(&input), depth, work)));
    }
    group.finish();
}

criterion_group!(data, benches);
criterion_main!(data);
