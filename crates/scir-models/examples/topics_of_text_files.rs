//! Shows: topics of a folder of text files, from nothing but the files.
//!
//! Every file of the folder is a document. Without a folder the example writes one, with two kinds of sentences, and
//! checks that they come out as two topics.
//!
//! cargo run --release -p scir-models --example topics_of_text_files -- FOLDER

use scir_core::{Scir, StepSize};
use scir_data::{CorpusBuilder, Encoder, Tokenizer, VocabularyRules};
use scir_models::{Error, Lda, LdaSettings, Sampler};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given = std::env::args().nth(1).map(PathBuf::from);
    let (folder, topics) = match &given {
        Some(folder) => (folder.clone(), 20),
        None => (write_folder()?, 2),
    };
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.retain(|path| path.is_file());
    files.sort();

    // Words that are in at least two files, and in at most half of them.
    let rules =
        VocabularyRules { min_documents: 2, max_fraction: 0.5, min_chars: 3, ..VocabularyRules::default() };
    let mut words = rules.builder()?;
    for file in &files {
        words.add(&std::fs::read_to_string(file)?);
    }
    let vocabulary = Arc::new(words.finish()?);
    let mut encoder = Encoder::new(Tokenizer::default(), Arc::clone(&vocabulary));
    let mut corpus = CorpusBuilder::with_vocabulary(Arc::clone(&vocabulary));
    for file in &files {
        corpus.push(encoder.encode(&std::fs::read_to_string(file)?).view())?;
    }
    let corpus = corpus.finish();
    println!("{corpus:?}");

    let settings = LdaSettings { topics, beta: 0.1.into(), ..LdaSettings::default() };
    let mut lda = Lda::new(settings, corpus.words(), 1)?;
    let mut sampler = Sampler::new(Scir, StepSize::decreasing(0.5, 10.0, 0.33)?, corpus.len(), 1)?;
    let size = corpus.len().min(50);
    let batches = (0..100).map(|i| i * size % (corpus.len() - size + 1));
    sampler.run(&mut lda, batches.map(|start| Ok::<_, Error>(corpus.slice(start..start + size))), &mut [])?;

    let top = lda.top_words(4)?;
    for (k, topic) in top.iter().enumerate() {
        println!(
            "{k:>3}  {}",
            topic.iter().map(|&(word, _)| vocabulary.word(word)).collect::<Vec<_>>().join(" ")
        );
    }
    if given.is_none() {
        let is_river = |topic: &[(u32, f64)]| topic.iter().any(|&(word, _)| vocabulary.word(word) == "river");
        assert_ne!(is_river(&top[0]), is_river(&top[1]), "rivers and music are two topics");
        std::fs::remove_dir_all(folder)?;
    }
    Ok(())
}

/// Forty files about rivers and forty about music.
fn write_folder() -> std::io::Result<PathBuf> {
    let folder = Path::new(&std::env::temp_dir()).join(format!("scir-topics-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let kinds = [["river", "bank", "water", "bridge"], ["music", "song", "guitar", "concert"]];
    for i in 0..80 {
        let words: Vec<&str> = (0..30).map(|j| kinds[i % 2][(i * 7 + j * j + j / 3) % 4]).collect();
        std::fs::write(folder.join(format!("{i:02}.txt")), words.join(" "))?;
    }
    Ok(folder)
}
