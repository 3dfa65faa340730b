//! What the tests share: the program, a folder to work in, and a small corpus of two kinds of sentences.

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The program, on one thread: tests run side by side already.
pub(crate) fn scir(arguments: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.args(arguments).args(["--threads", "1"]);
    command
}

pub(crate) fn program() -> &'static str {
    env!("CARGO_BIN_EXE_scir")
}

/// A folder in memory where there is one: many small files are written, and synced.
pub(crate) fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.unwrap()
}

pub(crate) fn lines() -> Vec<String> {
    let kinds =
        [["river", "bank", "water", "bridge", "boat"], ["music", "song", "guitar", "concert", "choir"]];
    let line =
        |i: usize| (0..15).map(|j| kinds[i % 2][(i * 7 + j * j + j / 3) % 5]).collect::<Vec<_>>().join(" ");
    (0..60).map(line).collect()
}

/// The corpus, one document a line.
pub(crate) fn corpus(folder: &Path) -> PathBuf {
    let path = folder.join("corpus.txt");
    fs::write(&path, lines().join("\n") + "\n").unwrap();
    path
}

/// A folder with a trained model `m.scir`.
pub(crate) fn trained() -> TempDir {
    let folder = folder();
    corpus(folder.path());
    let train = "lda train corpus.txt --topics 2 --beta 0.1 --updates 40 --batch-size 20 --sweeps 10 --max-df 1.0 --out m.scir";
    run(folder.path(), train).success();
    folder
}

/// Runs a command line in a folder.
pub(crate) fn run(folder: &Path, line: &str) -> Assert {
    scir(&line.split_whitespace().collect::<Vec<_>>()).current_dir(folder).assert()
}

pub(crate) fn stdout(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

pub(crate) fn stderr(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}
