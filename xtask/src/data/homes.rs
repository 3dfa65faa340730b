//! Where data lives, and what is known of its files: the one place to change when a home moves.
//!
//! The sizes and SHA-256 sums are those of the files that the numbers of this project were made with. The addresses were
//! written down without a network at hand: they are the documented ones, and not verified. A wrong one is harmless,
//! because every file is compared with its sum, and `--base-url` names another server.

use anyhow::{Result, bail};

/// A file of which every byte is known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownFile {
    /// Its place in the data folder.
    pub(crate) path: &'static str,
    pub(crate) bytes: u64,
    pub(crate) sha256: &'static str,
}

impl KnownFile {
    /// Its name without folders.
    pub(crate) fn name(&self) -> &'static str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }
}

/// A data set of known files, with the servers that have it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known {
    pub(crate) files: &'static [KnownFile],
    /// An archive of all files.
    pub(crate) archive: Address,
    /// The folder in which the same files lie one by one, asked if the archive fails.
    pub(crate) folder: Address,
}

/// A server and a path on it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Address {
    pub(crate) server: &'static str,
    pub(crate) path: &'static str,
}

/// CC BY 4.0, Breese, Heckerman & Kadie.
pub(crate) const MSWEB: Known = Known {
    files: &[
        KnownFile {
            path: "msweb/anonymous-msweb.data",
            bytes: 1_423_098,
            sha256: "52a17f3071d7c4463c201adb8f4491beb3f855efae8f751afe933cad4c37f87a",
        },
        KnownFile {
            path: "msweb/anonymous-msweb.test",
            bytes: 228_555,
            sha256: "db0a902a744ac488a0a6817a5df871f2341df083b6ab8ee1a046a69c635e7241",
        },
        KnownFile {
            path: "msweb/anonymous-msweb.info",
            bytes: 3_695,
            sha256: "ae3647e0c58230496dec119e3a81b23d06f0e2806582d8ae5092129d5d9d773d",
        },
    ],
    archive: Address {
        server: "https://archive.ics.uci.edu",
        path: "/static/public/4/anonymous+microsoft+web+data.zip",
    },
    folder: Address {
        server: "https://archive.ics.uci.edu",
        path: "/ml/machine-learning-databases/anonymous/",
    },
};

/// The vocabulary of Hoffman et al. and of Patterson & Teh. The copy at its home may hold the words in another order than
/// ours, so there the sum is compared and reported, and the number of words decides.
pub(crate) const VOCABULARY: KnownFile = KnownFile {
    path: "wikipedia/wiki.vocab",
    bytes: 58_692,
    sha256: "cfb6389ebc486d1d681f3a4facb7f558414566dfd94f81253dcd3f842eb4dcde",
};
pub(crate) const VOCABULARY_WORDS: usize = 7_702;
pub(crate) const VOCABULARY_HOME: Address = Address {
    server: "https://raw.githubusercontent.com",
    path: "/blei-lab/onlineldavb/master/dictnostops.txt",
};

/// The output of wikiextractor, which has no home of its own.
pub(crate) const EXTRACTED: &str = "wikipedia/extracted";

/// Files of other formats, for tests: their homes are named, but they are not fetched.
pub(crate) const FORMATS: [(KnownFile, &str); 3] = [
    (
        KnownFile {
            path: "formats/ap.ldac.gz",
            bytes: 692_028,
            sha256: "d6bf33df95a1acb94c8529d12a9d209021cc19d734913d22810d7461a6432b5a",
        },
        "only for tests: ap.dat of the lda-c distribution (http://www.cs.columbia.edu/~blei/lda-c/), gzipped",
    ),
    (
        KnownFile {
            path: "formats/ap.vocab.txt",
            bytes: 85_532,
            sha256: "f26aac3455a444effe6e333dbb82ed1bf87a8e527c59a0505a28a55e1dbcba42",
        },
        "only for tests: vocab.txt of the lda-c distribution",
    ),
    (
        KnownFile {
            path: "formats/docword.kos.txt.gz",
            bytes: 1_053_803,
            sha256: "6439c39f2fccb4876563e4b4c9628974d8ccbeada43d661292a5024911389e30",
        },
        "only for tests: \"Bag of Words\" of the UCI Machine Learning Repository",
    ),
];

/// A dump of a Wikipedia, as dumps.wikimedia.org names it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Dump {
    wiki: String,
    date: String,
    file: String,
}

pub(crate) const DUMPS: &str = "https://dumps.wikimedia.org";

impl Dump {
    /// From WIKI-DATE or WIKI-DATE-FILE; without a file it is all articles in one.
    pub(crate) fn parse(name: &str) -> Result<Self> {
        const EXPECTED: &str = "expected WIKI-DATE or WIKI-DATE-FILE, such as simplewiki-latest, enwiki-20240501 or \
             enwiki-20240501-pages-articles1.xml-p1p41242.bz2 (the names on dumps.wikimedia.org)";
        let mut parts = name.splitn(3, '-');
        let (wiki, date) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let file = parts.next().unwrap_or("pages-articles.xml.bz2");
        let word =
            |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let dated = date == "latest" || (date.len() == 8 && date.bytes().all(|b| b.is_ascii_digit()));
        // The name becomes part of a path, so nothing may lead out of the folder.
        let safe =
            file.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b)) && !file.contains("..");
        if !(word(wiki) && dated && safe && !file.is_empty()) {
            bail!("--dump {name}: {EXPECTED}");
        }
        if !file.contains(".xml") {
            bail!("--dump {name}: {file} is no XML dump; {EXPECTED}");
        }
        Ok(Self { wiki: wiki.into(), date: date.into(), file: file.into() })
    }

    /// The name of the file.
    pub(crate) fn name(&self) -> String {
        format!("{}-{}-{}", self.wiki, self.date, self.file)
    }

    /// Its path on the server.
    pub(crate) fn path(&self) -> String {
        format!("/{}/{}/{}", self.wiki, self.date, self.name())
    }

    /// The path of the list of SHA-1 sums.
    pub(crate) fn sums_path(&self) -> String {
        format!("/{0}/{1}/{0}-{1}-sha1sums.txt", self.wiki, self.date)
    }

    /// The sum of this file in such a list. The list of the latest dump has the date in its names.
    pub(crate) fn sum_in<'a>(&self, list: &'a str) -> Option<&'a str> {
        list.lines().find_map(|line| {
            let (sum, name) = line.split_once(char::is_whitespace)?;
            let (wiki, rest) = name.trim_start_matches([' ', '*']).split_once('-')?;
            let (date, file) = rest.split_once('-')?;
            let same = wiki == self.wiki && file == self.file && (date == self.date || self.date == "latest");
            (same && sum.len() == 40 && sum.bytes().all(|b| b.is_ascii_hexdigit())).then_some(sum)
        })
    }

    /// Whether the name stands for another dump from month to month.
    pub(crate) fn is_latest(&self) -> bool {
        self.date == "latest"
    }
}
