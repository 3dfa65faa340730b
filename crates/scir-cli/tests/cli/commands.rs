//! Every other command, in every output format.

use crate::common::{folder, lines, program, run, scir, stdout, trained};
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

/// The shape and the numbers of a NumPy file.
fn npy(path: &Path) -> (String, Vec<f64>) {
    let bytes = fs::read(path).unwrap();
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let header = String::from_utf8_lossy(&bytes[10..128]).into_owned();
    let shape = header.split("'shape': ").nth(1).unwrap().split(", }").next().unwrap().to_owned();
    let numbers = bytes[128..].chunks_exact(8).map(|x| f64::from_le_bytes(x.try_into().unwrap())).collect();
    (shape, numbers)
}

fn json(text: &str) -> Vec<serde_json::Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn topics_in_every_format() {
    let folder = trained();
    let folder = folder.path();
    let text = stdout(&run(folder, "lda topics m.scir -n 5").success());
    assert_eq!(text.lines().count(), 2);
    assert_ne!(
        text.lines().next().unwrap().contains("river"),
        text.lines().nth(1).unwrap().contains("river")
    );
    let topics = json(&stdout(&run(folder, "lda topics m.scir -n 3 --format json").success()));
    assert_eq!((topics.len(), topics[0]["words"].as_array().unwrap().len()), (2, 3));
    let shares: f64 = topics.iter().map(|topic| topic["share"].as_f64().unwrap()).sum();
    assert!((shares - 1.0).abs() < 1e-9);
    let csv =
        stdout(&run(folder, "lda topics m.scir -n 3 --format csv --npy phi.npy --vocab-out w.txt").success());
    assert_eq!((csv.lines().count(), csv.lines().next().unwrap()), (7, "topic,share,rank,word,probability"));
    let (shape, phi) = npy(&folder.join("phi.npy"));
    assert_eq!((shape.as_str(), phi.len()), ("(2, 10)", 20));
    assert!((phi[..10].iter().sum::<f64>() - 1.0).abs() < 1e-9);
    let words = fs::read_to_string(folder.join("w.txt")).unwrap();
    let first = words.lines().position(|word| topics[0]["words"][0]["word"] == word).unwrap();
    assert_eq!(Some(phi[first]), topics[0]["words"][0]["probability"].as_f64());
}

#[test]
fn inference_in_every_format() {
    let folder = trained();
    let folder = folder.path();
    let infer = |flags: &str, text: &str| {
        let arguments: Vec<&str> = "lda infer m.scir -".split(' ').chain(flags.split_whitespace()).collect();
        stdout(&scir(&arguments).current_dir(folder).write_stdin(text).assert().success())
    };
    let text = "river bank water boat\nguitar song music\nnothing known\n";
    let shown = infer("", text);
    let best: Vec<&str> = shown.lines().map(|line| &line[2..3]).collect();
    assert!(shown.starts_with("1\t") && best[0] != best[1], "{shown}");
    let objects = json(&infer("--format json --npy theta.npy", text));
    assert_eq!((objects.len(), objects[2]["topics"][0].as_f64()), (3, Some(0.5)), "no known word: the prior");
    let (shape, theta) = npy(&folder.join("theta.npy"));
    assert_eq!((shape.as_str(), theta[1]), ("(3, 2)", objects[0]["topics"][1].as_f64().unwrap()));
    let csv = infer("--format csv", "river\nmusic, \"song\"\n");
    assert_eq!((csv.lines().count(), csv.lines().next().unwrap()), (3, "number,document,topic0,topic1"));
    // The company of other documents does not matter.
    assert_eq!(json(&infer("--format json", "guitar song music"))[0]["topics"], objects[1]["topics"]);
    fs::create_dir(folder.join("new")).unwrap();
    fs::write(folder.join("new/a.txt"), "river bank").unwrap();
    assert!(stdout(&run(folder, "lda infer m.scir new").success()).starts_with("a.txt\t"));
}

#[test]
fn evaluation_in_every_format() {
    let folder = trained();
    let folder = folder.path();
    let text = stdout(&run(folder, "lda eval m.scir corpus.txt").success());
    assert!(text.contains("documents    60\n") && text.contains("NPMI"), "{text}");
    let result = &json(&stdout(&run(folder, "lda eval m.scir corpus.txt -n 5 --format json").success()))[0];
    let perplexity = result["perplexity"].as_f64().unwrap();
    assert!(perplexity > 3.0 && perplexity < 8.0, "two kinds of five words each: {perplexity}");
    // The words of a kind are always together, and never with the others.
    assert!(result["npmi"].as_f64().unwrap() > 0.5, "{result}");
    let csv = stdout(&run(folder, "lda eval m.scir corpus.txt --format csv").success());
    assert_eq!((csv.lines().count(), csv.lines().next().unwrap()), (3, "topic,npmi,umass"));
}

#[test]
fn a_file_tells_what_it_is() {
    let folder = trained();
    let text = stdout(&run(folder.path(), "inspect m.scir").success());
    for part in ["kind       lda\n", "iteration  40\n", "  lda.topics = 2\n", "  words = 10\n", "  model = "]
    {
        assert!(text.contains(part), "{part:?} in\n{text}");
    }
    let shown = &json(&stdout(&run(folder.path(), "inspect m.scir --format json").success()))[0];
    assert_eq!(shown["settings_sha256"].as_str().unwrap().len(), 64);
    assert_eq!(shown["data"]["inputs"][0]["bytes"], lines().join("\n").len() + 1);
}

#[test]
fn samples_have_their_law() {
    let folder = folder();
    let folder = folder.path();
    let mean = |line: &str| {
        let summary = json(&stdout(&run(folder, &format!("{line} --summary --format json")).success()));
        summary.iter().map(|row| row["mean"].as_f64().unwrap()).collect::<Vec<_>>()
    };
    let omega = mean("sample dirichlet --alpha 0.5 --counts 70,29,0 --draws 4000 --method exact");
    assert!((omega[0] - 70.5 / 100.5).abs() < 0.01 && omega[2] < 0.01, "{omega:?}");
    let theta = mean("sample gamma --shape 3 --rate 2 --draws 4000 --step inf");
    assert!((theta[0] - 1.5).abs() < 0.1, "{theta:?}");
    let x = mean("sample lognormal --mu -1 --sigma 0.5 --draws 4000 --step 2");
    assert!((x[0] - (-1.0f64 + 0.125).exp()).abs() < 0.03, "{x:?}");
    let text = stdout(&run(folder, "sample dirichlet --alpha 0.1,0.2 -n 3 --npy x.npy").success());
    let first: Vec<f64> = text.lines().next().unwrap().split(' ').map(|x| x.parse().unwrap()).collect();
    let (shape, numbers) = npy(&folder.join("x.npy"));
    assert_eq!((text.lines().count(), shape.as_str(), &numbers[..2]), (3, "(3, 2)", &first[..]));
    let csv = stdout(
        &run(folder, "sample gamma --shape 0.1 -n 5 --format csv --method sgrld --step 0.01").success(),
    );
    assert_eq!((csv.lines().count(), csv.lines().next()), (6, Some("x0")));
    let again = stdout(
        &run(folder, "sample gamma --shape 0.1 -n 5 --format csv --method sgrld --step 0.01").success(),
    );
    assert_eq!(csv, again);
    let table = stdout(&run(folder, "sample gamma --shape 2 -n 100 --summary").success());
    assert!(table.starts_with("coordinate        mean"), "{table}");
    assert!(
        stdout(&run(folder, "sample gamma --shape 2 -n 100 --summary --format csv").success())
            .starts_with("coordinate,")
    );
}

#[test]
fn formats_become_each_other() {
    let folder = trained();
    let folder = folder.path();
    run(folder, "convert corpus.txt --to json-lines --out a.jsonl.gz").success();
    run(folder, "convert a.jsonl.gz --to lines --out b.txt").success();
    assert_eq!(fs::read(folder.join("corpus.txt")).unwrap(), fs::read(folder.join("b.txt")).unwrap());
    run(folder, "convert corpus.txt --max-df 1.0 --to lda-c --out a.ldac --vocab-out w.txt").success();
    run(folder, "convert a.ldac --to uci --out a.uci").success();
    run(folder, "convert a.uci --to matrix-market --out a.mtx").success();
    run(folder, "convert a.mtx --to lda-c --out b.ldac").success();
    assert_eq!(fs::read(folder.join("a.ldac")).unwrap(), fs::read(folder.join("b.ldac")).unwrap());
    run(folder, "convert a.ldac --vocab w.txt --to lines --out c.txt").success();
    let text = fs::read_to_string(folder.join("c.txt")).unwrap();
    assert_eq!((text.lines().count(), text.split_whitespace().count()), (60, 900));
    run(folder, "convert a.ldac --to lines --out d.txt").code(2);
    run(folder, "convert corpus.txt --to lines --out d.txt --vocab-out w").code(2);
    run(folder, "convert a.ldac --to uci --out d.uci --vocab-out w").code(2);
}

#[test]
fn shells_and_manual() {
    let folder = folder();
    for shell in ["bash", "zsh", "fish"] {
        let script = stdout(&run(folder.path(), &format!("completions {shell}")).success());
        assert!(script.contains("scir") && script.contains("topics"), "{shell}");
    }
    let page = stdout(&run(folder.path(), "man").success());
    assert!(page.starts_with(".ie") || page.contains(".TH"), "{}", &page[..100]);
    assert!(page.contains("SCIR LDA TRAIN") && page.contains("checkpoint"), "all commands are in it");
    for command in [
        "",
        "lda",
        "lda train",
        "lda topics",
        "lda infer",
        "lda eval",
        "sample dirichlet",
        "convert",
        "inspect",
    ] {
        let help = stdout(&run(folder.path(), &format!("{command} --help")).success());
        assert!(help.contains("Usage:"), "{command}");
    }
}

#[test]
fn a_reader_that_has_had_enough_is_no_error() {
    let command = "sample dirichlet --alpha 0.1,0.2,0.3 --draws 100000000";
    let mut child = Command::new(program())
        .args(command.split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut start = [0; 100];
    child.stdout.take().unwrap().read_exact(&mut start).unwrap();
    // The pipe is closed here.
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}
