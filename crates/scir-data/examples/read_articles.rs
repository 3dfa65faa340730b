//! Reads everything that wikiextractor wrote under a folder as a stream, and shows how fast that was and how
//! little memory it took: `cargo run --release -p scir-data --example read_articles FOLDER VOCABULARY`.

use std::sync::Arc;
use std::time::Instant;

use scir_data::wikipedia::WikiExtractor;
use scir_data::{Encoder, Result, TextDocument, TextSource, Tokenizer, Vocabulary};

fn main() -> Result<()> {
    let [folder, vocabulary] = &std::env::args().skip(1).collect::<Vec<_>>()[..] else {
        eprintln!("usage: read_articles FOLDER VOCABULARY");
        std::process::exit(2);
    };
    let mut encoder = Encoder::new(Tokenizer::a_to_z(), Arc::new(Vocabulary::open(vocabulary)?));
    let mut articles = WikiExtractor::open(folder)?;
    let (mut article, mut tokens) = (TextDocument::default(), Vec::new());
    let (mut count, mut bytes, mut total, mut empty) = (0u64, 0u64, 0u64, 0u64);
    let start = Instant::now();
    while articles.read_text(&mut article)? {
        tokens.clear();
        encoder.encode_into(&article.text, &mut tokens);
        count += 1;
        bytes += article.text.len() as u64;
        total += tokens.len() as u64;
        empty += u64::from(tokens.is_empty());
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{count} articles, {total} tokens in the vocabulary, {empty} articles without any");
    println!(
        "{seconds:.2} s, {:.0} MB of text, {:.0} MB/s",
        bytes as f64 / 1e6,
        bytes as f64 / 1e6 / seconds
    );
    // Linux keeps the peak; elsewhere there is nothing to show.
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        status.lines().filter(|line| line.starts_with("VmHWM")).for_each(|line| println!("{line}"));
    }
    Ok(())
}
