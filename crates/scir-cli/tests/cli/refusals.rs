//! What is refused, with which code, and whether the message names the file or flag and what to do.

use crate::common::{corpus, folder, run, scir, stderr, trained};
use std::fs;

#[test]
fn wrong_usage_is_code_2() {
    let folder = trained();
    let folder = folder.path();
    run(folder, "convert corpus.txt --max-df 1.0 --to lda-c --out a.ldac").success();
    for (line, part) in [
        ("", "Usage"),
        ("lda", "Usage"),
        ("nonsense", "unrecognized subcommand"),
        ("lda train corpus.txt", "--out"),
        ("lda train --topics 2 --out x.scir", "INPUT"),
        ("lda train corpus.txt --out x.scir", "--topics K"),
        ("lda train corpus.txt --topics two --out x.scir", "--topics"),
        ("lda train corpus.txt --topics 2 --updates 1 --passes 1 --out x.scir", "--passes"),
        ("lda train corpus.txt --topics 2 --method hmc --out x.scir", "scir, scir-vm, sgrld, gibbs"),
        ("lda train corpus.txt --topics 2 --method gibbs --step 0.1 --out x.scir", "--step has no meaning"),
        ("lda train corpus.txt --topics 2 --parts 2 --out x.scir", "--parts needs --method gibbs"),
        ("lda train corpus.txt --topics 2 --step -1 --out x.scir", "h = -1"),
        (
            "lda train corpus.txt --topics 2 --remember-mb 5 --out x.scir",
            "--remember-mb needs --counts remembered",
        ),
        (
            "lda train corpus.txt --topics 2 --method gibbs --counts remembered --out x.scir",
            "--counts has no",
        ),
        (
            "lda train corpus.txt --topics 2 --max-df 1.0 --counts remembered --remember-mb 0 --out x.scir",
            "most_bytes = 0",
        ),
        ("lda train corpus.txt --topics 2 --counts exact --out x.scir", "minibatch, remembered"),
        ("dp fit corpus.txt --method scir-vm --counts remembered --out x.scir", "use --method scir"),
        ("dp fit corpus.txt --step -0.1 --out x.scir", "h = -0.1"),
        ("dp fit corpus.txt --step-weights -2 --out x.scir", "h = -2"),
        ("lda train corpus.txt --topics 2 --step nan --out x.scir", "h = NaN"),
        ("lda train corpus.txt --topics 2 --patience 2 --out x.scir", "--held-out N"),
        (
            "lda train corpus.txt --topics 2 --held-out 60 --max-df 1.0 --out x.scir",
            "leaves nothing to train on",
        ),
        ("lda train corpus.txt --topics 2 --batch-size 0 --out x.scir", "at least 1"),
        ("lda train corpus.txt --topics 2 --min-df 1.5 --out x.scir", "a part of them"),
        ("lda train corpus.txt --topics 2 --checkpoint-every often --out x.scir", "30s, 5m or 1h"),
        ("lda train corpus.txt a.ldac --topics 2 --out x.scir", "all text or all counts"),
        ("lda train - - --topics 2 --out x.scir", "once only"),
        ("lda train corpus.txt --topics 2 --out .", "is a folder"),
        ("lda topics m.scir --format xml", "text, json, csv"),
        ("lda eval m.scir corpus.txt --every 1", "--every"),
        ("inspect m.scir --format csv", "choose text or json"),
        ("sample dirichlet --alpha 0.1", "at least two"),
        ("sample dirichlet --alpha 0.1,0.2 --counts 1,2,3", "--counts"),
        ("sample dirichlet --alpha 0.1,-0.2", "alpha"),
        ("sample gamma --shape 0", "alpha = 0"),
        ("sample gamma --shape 1 --rate 0", "--rate 0"),
        ("sample gamma --shape 1 --step 0", "--step"),
        ("sample gamma --shape 1 --step -0.5", "--step"),
        ("sample gamma --shape 1 --method hmc", "scir, scir-vm, scir-vm-scheduled, sgrld, sgld, exact"),
        ("sample lognormal --sigma 0", "s = 0"),
        ("sample gamma --shape 1 -n 2 --summary", "--summary"),
        ("completions tcsh", "bash"),
    ] {
        let refused = scir(&line.split_whitespace().collect::<Vec<_>>())
            .current_dir(folder)
            .write_stdin("a b c\n")
            .assert()
            .code(2);
        assert!(stderr(&refused).contains(part), "{line}\n{}", stderr(&refused));
    }
    assert!(!folder.join("x.scir").exists());
}

#[test]
fn what_goes_wrong_is_code_1_with_the_file() {
    let folder = trained();
    let folder = folder.path();
    fs::write(folder.join("empty.txt"), "").unwrap();
    fs::create_dir(folder.join("empty")).unwrap();
    fs::write(folder.join("bad.ldac"), "2 0:1 1:x\n").unwrap();
    fs::write(folder.join("cut.mtx"), "%%MatrixMarket matrix coordinate integer general\n2 5 3\n1 1 1\n")
        .unwrap();
    fs::write(folder.join("twice.words"), "river\nriver\n").unwrap();
    fs::write(folder.join("far.ldac"), "1 99:1\n1 98:2\n").unwrap();
    fs::write(folder.join("words.ldac"), "1 3:9\n").unwrap();
    let mut bytes = fs::read(folder.join("m.scir")).unwrap();
    bytes[40] ^= 1;
    fs::write(folder.join("flipped.scir"), &bytes).unwrap();
    fs::write(folder.join("cut.scir"), &bytes[..100]).unwrap();
    let train = "--topics 2 --updates 1 --out x.scir";
    for (line, part) in [
        (format!("lda train nowhere.txt {train}"), "nowhere.txt: No such file"),
        (format!("lda train empty.txt {train}"), "empty.txt: is empty"),
        (format!("lda train empty {train}"), "empty: is empty"),
        (format!("lda train bad.ldac --input-format lda-c {train}"), "bad.ldac:1: expected count"),
        (format!("lda train cut.mtx {train}"), "cut.mtx:3: the header declares 3 entries, found 1"),
        (format!("lda train corpus.txt --vocab nowhere.words {train}"), "nowhere.words: No such file"),
        (format!("lda train corpus.txt --vocab twice.words {train}"), "twice.words:2"),
        (format!("lda train corpus.txt --stop-words nowhere {train}"), "nowhere"),
        (format!("lda train corpus.txt --config nowhere {train}"), "--config nowhere"),
        (format!("lda train corpus.txt --min-df 61 {train}"), "try --min-df 1"),
        ("lda train corpus.txt --max-df 1.0 --topics 0 --updates 1 --out x.scir".into(), "topics = 0"),
        (
            "lda train corpus.txt --max-df 1.0 --topics 2 --updates 1 --out no/where/x.scir --checkpoint c"
                .into(),
            "no/where/x.scir",
        ),
        ("lda topics nowhere.scir".into(), "nowhere.scir: No such file"),
        ("lda topics corpus.txt".into(), "corpus.txt: is not a scir file"),
        ("lda topics flipped.scir".into(), "flipped.scir: is damaged"),
        ("lda topics cut.scir".into(), "cut.scir: is damaged"),
        ("inspect flipped.scir".into(), "flipped.scir: is damaged"),
        ("lda infer m.scir far.ldac".into(), "far.ldac:1"),
        ("lda infer m.scir nowhere.txt".into(), "nowhere.txt: No such file"),
        ("lda topics m.scir --npy no/where.npy".into(), "no/where.npy cannot be written"),
        ("convert nowhere --to uci --out x".into(), "nowhere: No such file"),
        ("convert corpus.txt --to lines --out no/where".into(), "no/where"),
    ] {
        let refused = run(folder, &line).code(1);
        let told = stderr(&refused);
        assert!(told.contains(part), "{line}\n{told}");
        assert!(told.lines().last().unwrap().starts_with("scir: "), "{told}");
    }
    assert!(!folder.join("x.scir").exists() && !folder.join("x").exists());
    assert!(
        folder.join("c/000000000001.scir").exists(),
        "what was trained is not lost if --out cannot be written"
    );
}

#[test]
fn standard_input_is_named_as_such() {
    let folder = folder();
    corpus(folder.path());
    let train = |text: &str| {
        let arguments: Vec<&str> = "lda train - --topics 2 --out x.scir".split(' ').collect();
        stderr(&scir(&arguments).current_dir(folder.path()).write_stdin(text).assert().code(1))
    };
    assert!(train("").contains("standard input: is empty"), "{}", train(""));
    let broken = train("{\"text\": \"a\"}\n{\"text\"}\n");
    assert!(broken.contains("standard input:2: expected a JSON object"), "{broken}");
}

#[test]
fn documents_without_words_to_predict_are_told() {
    let folder = trained();
    fs::write(folder.path().join("short.txt"), "river\nmusic\n").unwrap();
    let refused = run(folder.path(), "lda eval m.scir short.txt").code(1);
    assert!(stderr(&refused).contains("nothing to predict in 2 documents"), "{}", stderr(&refused));
}
