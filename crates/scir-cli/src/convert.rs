//! `scir convert`: from any format that is read to any that is written.

use crate::input::{InputArguments, Inputs, VocabularyOptions, Words};
use crate::output::usage;
use anyhow::Result;
use clap::{Args, ValueEnum};
use scir_data::formats::{JsonLines, LdaC, Lines, MatrixMarket, Uci};
use scir_data::{Corpus, CorpusBuilder};
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    /// The format to write
    #[arg(long, value_name = "FORMAT")]
    to: OutputFormat,
    /// The file to write; as gzip if its name ends in .gz
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Write the words, one a line, in the order of their ids
    #[arg(long, value_name = "FILE")]
    vocab_out: Option<PathBuf>,
    #[command(flatten)]
    vocabulary: VocabularyOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OutputFormat {
    /// Plain text, one document a line
    Lines,
    /// One JSON object a line
    JsonLines,
    /// LDA-C: M id:count …, ids from 0
    LdaC,
    /// UCI bag of words (docword)
    Uci,
    /// Matrix Market, a row for each document
    MatrixMarket,
}

const EXAMPLES: &str = "Reads lines, text-files (a folder), json-lines, wikiextractor, mediawiki, lda-c, uci, matrix-market and msweb, each
plain, gzip or bzip2, told apart by content (--input-format says it). Text becomes text as a stream; what becomes
counts is held in memory, as counts. Counts become text again if --vocab tells the words.

Examples:
  scir convert dump.xml.bz2 --to json-lines --out articles.jsonl.gz
  scir convert articles.jsonl --min-df 5 --to lda-c --out a.ldac --vocab-out a.words
  scir convert docword.kos.txt.gz --to matrix-market --out kos.mtx";

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let inputs = Inputs::open(&arguments.input)?;
    let out = &arguments.out;
    let to_text = matches!(arguments.to, OutputFormat::Lines | OutputFormat::JsonLines);
    if inputs.are_text() && to_text {
        if arguments.vocab_out.is_some() {
            return Err(usage("--vocab-out: text that stays text has no vocabulary"));
        }
        match arguments.to {
            OutputFormat::Lines => Lines::write(out, inputs.texts())?,
            _ => JsonLines::write(out, inputs.texts())?,
        }
        return Ok(());
    }
    let (words, _) = Words::find(&inputs, &arguments.vocabulary)?;
    let builder = match &words.vocabulary {
        Some(vocabulary) => CorpusBuilder::with_vocabulary(Arc::clone(vocabulary)),
        None if to_text => return Err(usage("counts become text only if --vocab FILE tells the words")),
        None => CorpusBuilder::with_words(words.len()?),
    };
    let builder = if to_text { builder } else { builder.without_order() };
    let corpus = Corpus::collect_into(builder, inputs.documents(&words))?;
    match arguments.to {
        OutputFormat::Lines => Lines::write(out, corpus.texts()?)?,
        OutputFormat::JsonLines => JsonLines::write(out, corpus.texts()?)?,
        OutputFormat::LdaC => LdaC::write(out, &corpus)?,
        OutputFormat::Uci => Uci::write(out, &corpus)?,
        OutputFormat::MatrixMarket => MatrixMarket::write(out, &corpus)?,
    }
    match (&arguments.vocab_out, &words.vocabulary) {
        (Some(path), Some(vocabulary)) => vocabulary.write(path)?,
        (Some(_), None) => return Err(usage("--vocab-out: the words of the inputs have numbers only")),
        (None, _) => {}
    }
    Ok(())
}
