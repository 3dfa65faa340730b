//! Inputs: files, folders and standard input in any format, opened as often as is needed.

mod detect;
mod identity;
mod reader;
mod vocabulary;

pub(crate) use identity::file_sha256;
pub(crate) use reader::{Documents, Texts};
pub(crate) use vocabulary::{TokenizerName, VocabularyOptions, Words};

use crate::interrupt;
use crate::output::usage;
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use scir_data::{Limits, Source};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempPath;

/// The inputs of a command.
#[derive(Debug, Clone, Args)]
pub(crate) struct InputArguments {
    /// Files or folders, or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The format of the inputs [default: told by content]
    #[arg(long, value_name = "FORMAT")]
    input_format: Option<InputFormat>,
    /// The field of JSON lines that has the text
    #[arg(long, value_name = "NAME", default_value = "text")]
    text_field: String,
}

/// What the program reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum InputFormat {
    /// Plain text, one document a line
    Lines,
    /// A folder of text files, each a document
    TextFiles,
    /// One JSON object a line, with a text field
    JsonLines,
    /// What wikiextractor wrote: a file or a folder
    Wikiextractor,
    /// A MediaWiki XML dump
    Mediawiki,
    /// LDA-C: M id:count …, ids from 0
    LdaC,
    /// UCI bag of words (docword)
    Uci,
    /// Matrix Market, a row for each document
    MatrixMarket,
    /// Anonymous Microsoft Web Data
    Msweb,
    /// Categorical records: a header with the variables, then a record a line
    Csv,
}

impl InputFormat {
    /// Whether it has text, and not counts of numbered words.
    pub(crate) fn is_text(self) -> bool {
        !matches!(self, Self::LdaC | Self::Uci | Self::MatrixMarket | Self::Msweb | Self::Csv)
    }

    /// The name that the command line uses.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// One input that can be opened again and again.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    pub(crate) path: PathBuf,
    pub(crate) format: InputFormat,
    /// The field with the text.
    pub(crate) text_field: Arc<str>,
    /// What stands in messages.
    pub(crate) name: String,
    /// Standard input was copied to this file, which goes when nobody needs it any more.
    spool: Option<Arc<TempPath>>,
}

impl Input {
    /// Opens it as a file; errors name standard input, and not the copy.
    pub(crate) fn source(&self) -> scir_data::Result<Source> {
        if self.spool.is_none() {
            return Source::open(&self.path);
        }
        let file = File::open(&self.path);
        let file = file.map_err(|source| scir_data::Error::Io { path: self.path.clone(), source })?;
        Source::from_reader(&self.name, file, Limits::default())
    }
}

/// All inputs of a command: all of them text, or none.
#[derive(Debug, Clone)]
pub(crate) struct Inputs(pub(crate) Vec<Input>);

impl Inputs {
    /// Finds out what the inputs are. Standard input is copied to a temporary file, because inputs are read more than once.
    pub(crate) fn open(arguments: &InputArguments) -> Result<Self> {
        let mut inputs = Vec::new();
        for path in &arguments.inputs {
            let spool = if path == Path::new("-") {
                if inputs.iter().any(|input: &Input| input.spool.is_some()) {
                    return Err(usage("standard input (-) can be read once only"));
                }
                Some(Arc::new(spool()?))
            } else {
                None
            };
            let file = spool.as_ref().map_or(path.as_path(), |spool| spool);
            let name = if spool.is_some() { "standard input".to_owned() } else { path.display().to_string() };
            let path = file.to_owned();
            let text_field = arguments.text_field.as_str().into();
            let mut input = Input { path, format: InputFormat::Lines, text_field, name, spool };
            input.format = match arguments.input_format {
                Some(format) => format,
                None => detect::detect(&input).with_context(|| input.name.clone())?,
            };
            inputs.push(input);
        }
        let inputs = Self(inputs);
        if let Some(other) = inputs.0.iter().find(|input| input.format.is_text() != inputs.are_text()) {
            let first = &inputs.0[0];
            return Err(usage(format!(
                "{} is {} and {} is {}: give inputs that are all text or all counts, or say which with --input-format",
                first.name,
                first.format.name(),
                other.name,
                other.format.name()
            )));
        }
        Ok(inputs)
    }

    /// Whether the inputs have text, and not counts of numbered words.
    pub(crate) fn are_text(&self) -> bool {
        self.0[0].format.is_text()
    }

    /// The texts of all inputs, one after the other.
    pub(crate) fn texts(&self) -> Texts {
        Texts::new(self.0.clone())
    }

    /// The documents of all inputs, one after the other.
    pub(crate) fn documents(&self, words: &Words) -> Documents {
        reader::documents(self.0.clone(), words.clone())
    }
}

fn spool() -> Result<TempPath> {
    let explain = "standard input cannot be copied to a temporary file (TMPDIR says where)";
    let mut file = tempfile::NamedTempFile::new().context(explain)?;
    interrupt::remove_in_any_case(file.path())?;
    io::copy(&mut io::stdin().lock(), &mut file).context(explain)?;
    Ok(file.into_temp_path())
}
