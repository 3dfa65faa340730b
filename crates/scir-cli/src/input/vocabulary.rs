//! Words and their ids: from a file, chosen from the texts, or numbers only.

use super::{InputFormat, Inputs, file_sha256, reader};
use crate::output::usage;
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use scir_data::msweb::Pages;
use scir_data::{Records, TextDocument, TextSource, Tokenizer, Vocabulary, VocabularyRules};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

/// Which words there are, for text.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct VocabularyOptions {
    /// A file with one word a line; without it, the words are chosen from the texts
    #[arg(long, value_name = "FILE", help_heading = "Words")]
    pub(crate) vocab: Option<PathBuf>,
    /// What is a word: any script (unicode), or a to z with everything else dropped (a-z) [default: unicode]
    #[arg(long, value_name = "RULE", help_heading = "Words")]
    pub(crate) tokenizer: Option<TokenizerName>,
    /// Keep words in at least so many documents, or this part of them if it has a point [default: 2]
    #[arg(long, value_name = "N", help_heading = "Words")]
    pub(crate) min_df: Option<Df>,
    /// Keep words in at most so many documents, or this part of them if it has a point [default: 0.5]
    #[arg(long, value_name = "N", help_heading = "Words")]
    pub(crate) max_df: Option<Df>,
    /// Keep at most N words, those in the most documents [default: 20000]
    #[arg(long, value_name = "N", help_heading = "Words")]
    pub(crate) max_words: Option<usize>,
    /// Keep words of at least N characters [default: 2]
    #[arg(long, value_name = "N", help_heading = "Words")]
    pub(crate) min_chars: Option<usize>,
    /// A file with words to leave out, one a line
    #[arg(long, value_name = "FILE", help_heading = "Words")]
    pub(crate) stop_words: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TokenizerName {
    #[default]
    Unicode,
    #[value(name = "a-z")]
    #[serde(rename = "a-z")]
    AToZ,
}

impl TokenizerName {
    pub(crate) fn tokenizer(self) -> Tokenizer {
        match self {
            Self::Unicode => Tokenizer::unicode(),
            Self::AToZ => Tokenizer::a_to_z(),
        }
    }
}

/// A number of documents, or a part of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Df {
    Documents(u64),
    Part(f64),
}

impl FromStr for Df {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let count = text.parse().map(Self::Documents);
        let part = || text.parse().ok().filter(|part| (0.0..=1.0).contains(part)).map(Self::Part);
        count.ok().or_else(part).ok_or_else(|| {
            format!("'{text}' is neither a number of documents, such as 5, nor a part of them, such as 0.5")
        })
    }
}

impl VocabularyOptions {
    pub(crate) fn tokenizer(&self) -> TokenizerName {
        self.tokenizer.unwrap_or_default()
    }

    /// What of them changes the words that are chosen from the inputs; nothing if none are chosen.
    pub(crate) fn identity(&self, inputs: &Inputs) -> Result<Value> {
        if !inputs.are_text() || self.vocab.is_some() {
            return Ok(Value::Null);
        }
        let stop_words = self.stop_words.as_deref().map(file_sha256).transpose()?;
        Ok(json!({
            "min_df": self.min_df,
            "max_df": self.max_df,
            "max_words": self.max_words,
            "min_chars": self.min_chars,
            "stop_words": stop_words,
        }))
    }

    fn rules(&self) -> Result<VocabularyRules> {
        let mut rules = VocabularyRules {
            tokenizer: self.tokenizer().tokenizer(),
            max_words: self.max_words.unwrap_or(20_000),
            min_chars: self.min_chars.unwrap_or(2),
            ..VocabularyRules::default()
        };
        match self.min_df.unwrap_or(Df::Documents(2)) {
            Df::Documents(documents) => rules.min_documents = documents,
            Df::Part(part) => rules.min_fraction = part,
        }
        match self.max_df.unwrap_or(Df::Part(0.5)) {
            Df::Documents(documents) => rules.max_documents = documents,
            Df::Part(part) => rules.max_fraction = part,
        }
        if let Some(path) = &self.stop_words {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("--stop-words {} cannot be read", path.display()))?;
            rules.stop_words = text.lines().map(|word| word.trim().to_lowercase()).collect::<HashSet<_>>();
        }
        Ok(rules)
    }
}

/// The words that documents are made of.
#[derive(Debug, Clone, Default)]
pub(crate) struct Words {
    pub(crate) vocabulary: Option<Arc<Vocabulary>>,
    /// How many there are; not known for counts whose words were not counted yet.
    pub(crate) count: Option<usize>,
    pub(crate) tokenizer: TokenizerName,
    /// The number of values of each variable of CSV records; their words are `variable=value`.
    pub(crate) variables: Option<Vec<usize>>,
}

impl Words {
    /// Those of a known vocabulary, or a known number of words without names.
    pub(crate) fn known(vocabulary: Option<Arc<Vocabulary>>, count: usize, tokenizer: TokenizerName) -> Self {
        Self { vocabulary, count: Some(count), tokenizer, ..Self::default() }
    }

    /// The words of the inputs, and how many documents there are: one pass over them.
    pub(crate) fn find(inputs: &Inputs, options: &VocabularyOptions) -> Result<(Self, u64)> {
        let mut words = Self { tokenizer: options.tokenizer(), ..Self::default() };
        if let Some(path) = &options.vocab {
            let opened = Vocabulary::open(path).with_context(|| format!("--vocab {}", path.display()))?;
            words.count = Some(opened.len());
            words.vocabulary = Some(Arc::new(opened));
        }
        if inputs.are_text() {
            let documents = match words.vocabulary {
                Some(_) => count_texts(inputs)?,
                None => words.choose(inputs, options)?,
            };
            return Ok((words, documents));
        }
        if inputs.0[0].format == InputFormat::Csv {
            if inputs.0.len() > 1 {
                return Err(usage("CSV records come in one file: the first line names the variables"));
            }
            let records = Records::read(inputs.0[0].source()?)?;
            words.name(&reader::names(&records).collect::<Vec<_>>())?;
            words.variables = Some(records.sizes());
            return Ok((words, records.corpus().len() as u64));
        }
        if inputs.0[0].format == InputFormat::Msweb {
            words.name(&pages(inputs)?)?;
        }
        let (mut documents, mut largest) = (0, 0);
        for document in inputs.documents(&words) {
            documents += 1;
            largest = largest.max(document?.view().ids().last().map_or(0, |&id| id as usize + 1));
        }
        if words.count.is_none() {
            let declared = inputs.0.iter().map(reader::declared_words).collect::<Result<Vec<_>, _>>()?;
            words.count = Some(declared.into_iter().fold(largest, usize::max));
        }
        Ok((words, documents))
    }

    /// The words come with the data.
    fn name(&mut self, names: &[String]) -> Result<()> {
        let vocabulary = Vocabulary::from_words(names)?;
        self.count = Some(vocabulary.len());
        self.vocabulary = Some(Arc::new(vocabulary));
        Ok(())
    }

    /// Chooses a vocabulary from the texts.
    fn choose(&mut self, inputs: &Inputs, options: &VocabularyOptions) -> Result<u64> {
        let mut builder = options.rules()?.builder()?;
        let (mut texts, mut text) = (inputs.texts(), TextDocument::default());
        while texts.read_text(&mut text)? {
            builder.add(&text.text);
        }
        let documents = builder.documents();
        let explain = || {
            format!(
                "no words are left of {documents} documents: try --min-df 1 --max-df 1.0, or give --vocab"
            )
        };
        let vocabulary = builder.finish().with_context(explain)?;
        self.count = Some(vocabulary.len());
        self.vocabulary = Some(Arc::new(vocabulary));
        Ok(documents)
    }

    /// The number of words, of a kind that knows it.
    pub(crate) fn len(&self) -> Result<usize> {
        self.count.filter(|&count| count > 0).ok_or_else(|| usage("the inputs have no words"))
    }

    /// All words in the order of their ids, where they have names.
    pub(crate) fn list(&self) -> Option<Vec<&str>> {
        self.vocabulary.as_ref().map(|vocabulary| vocabulary.words().collect())
    }

    /// A word, or its number where there are no names.
    pub(crate) fn word(&self, id: u32) -> String {
        self.vocabulary.as_ref().map_or_else(|| format!("#{id}"), |vocabulary| vocabulary.word(id).to_owned())
    }
}

/// The pages that any of the inputs declares.
fn pages(inputs: &Inputs) -> Result<Vec<String>> {
    let (mut names, mut known) = (Vec::new(), HashSet::new());
    for input in inputs.0.iter().filter(|input| input.format == InputFormat::Msweb) {
        for page in Pages::read(input.source()?)?.vocabulary().words() {
            if known.insert(page.to_owned()) {
                names.push(page.to_owned());
            }
        }
    }
    Ok(names)
}

fn count_texts(inputs: &Inputs) -> Result<u64> {
    let (mut texts, mut text, mut documents) = (inputs.texts(), TextDocument::default(), 0);
    while texts.read_text(&mut text)? {
        documents += 1;
    }
    Ok(documents)
}
