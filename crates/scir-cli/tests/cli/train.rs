//! `scir lda train`: inputs of every format, settings from flags and files, evaluation and early stopping.

use crate::common::{corpus, folder, lines, run, scir, stderr, stdout};
use std::fs;
use std::path::Path;

const FLAGS: &str = "--topics 2 --updates 4 --batch-size 20 --sweeps 4 --min-df 1 --max-df 1.0";

fn inspect(folder: &Path, file: &str) -> serde_json::Value {
    let shown = run(folder, &format!("inspect {file} --format json")).success();
    serde_json::from_str(&stdout(&shown)).unwrap()
}

/// The model without what depends on the names of files.
fn topics(folder: &Path, file: &str) -> String {
    stdout(&run(folder, &format!("lda topics {file} -n 10 --format csv")).success())
}

#[test]
fn every_format_and_standard_input_give_the_same_model() {
    let folder = folder();
    let folder = folder.path();
    corpus(folder);
    run(folder, &format!("lda train corpus.txt {FLAGS} --out lines.scir")).success();
    let expected = topics(folder, "lines.scir");
    assert!(expected.lines().count() == 21 && expected.contains(",river,"), "{expected}");

    let json: Vec<String> = lines().iter().map(|line| format!("{{\"body\": \"{line}\"}}")).collect();
    fs::write(folder.join("a.jsonl"), json.join("\n")).unwrap();
    let blocks: Vec<String> = lines()
        .iter()
        .map(|line| format!("<doc id=\"1\" url=\"u\" title=\"river\">\n{line}\n</doc>"))
        .collect();
    fs::write(folder.join("wiki_00"), blocks.join("\n")).unwrap();
    fs::create_dir(folder.join("texts")).unwrap();
    for (i, line) in lines().iter().enumerate() {
        fs::write(folder.join(format!("texts/{i:02}.txt")), line).unwrap();
    }
    let page = |line: &String| {
        format!("<page><title>t</title><ns>0</ns><id>1</id><revision><text>{line}</text></revision></page>")
    };
    let pages: String = lines().iter().map(page).collect();
    fs::write(folder.join("dump.xml"), format!("<mediawiki>{pages}</mediawiki>")).unwrap();
    for (input, name) in [
        ("a.jsonl --text-field body", "json-lines"),
        ("wiki_00", "wikiextractor"),
        ("texts", "text-files"),
        ("dump.xml", "mediawiki"),
    ] {
        run(folder, &format!("lda train {input} {FLAGS} --out m.scir --fresh")).success();
        assert_eq!(inspect(folder, "m.scir")["settings"]["input_formats"][0], name);
        assert_eq!(topics(folder, "m.scir"), expected, "{name}");
    }
    // Counts over the same vocabulary.
    run(folder, "lda topics lines.scir --vocab-out words.txt").success();
    for format in ["lda-c", "uci", "matrix-market"] {
        run(folder, &format!("convert corpus.txt --vocab words.txt --to {format} --out counts.gz")).success();
        run(folder, &format!("lda train counts.gz --vocab words.txt {FLAGS} --out m.scir --fresh")).success();
        assert_eq!(inspect(folder, "m.scir")["settings"]["input_formats"][0], format);
        assert_eq!(topics(folder, "m.scir"), expected, "{format}");
    }
    let train: Vec<&str> = "lda train - --out m.scir --fresh".split(' ').chain(FLAGS.split(' ')).collect();
    scir(&train).current_dir(folder).write_stdin(lines().join("\n")).assert().success();
    assert_eq!(topics(folder, "m.scir"), expected);
    assert_eq!(inspect(folder, "m.scir")["notes"]["inputs"][0], "standard input");
    // Two files are the one that they are parts of.
    fs::write(folder.join("1.txt"), lines()[..25].join("\n")).unwrap();
    fs::write(folder.join("2.txt"), lines()[25..].join("\n")).unwrap();
    run(folder, &format!("lda train 1.txt 2.txt {FLAGS} --out m.scir --fresh")).success();
    assert_eq!(topics(folder, "m.scir"), expected);
}

#[test]
fn web_visits_are_read_with_their_pages() {
    let folder = folder();
    let mut text = String::from("I,4,\"www\",\"x\"\n");
    (0..6).for_each(|page| text += &format!("A,{page},1,\"title\",\"/page{page}\"\n"));
    for user in 0..40 {
        text +=
            &format!("C,\"{user}\",{user}\nV,{},1\nV,{},1\n", user % 2 * 3, user % 2 * 3 + user % 3 % 2 + 1);
    }
    fs::write(folder.path().join("msweb.data"), text).unwrap();
    let flags =
        "--topics 2 --beta 0.1 --updates 60 --batch-size 20 --sweeps 10 --out m.scir --checkpoint-every 7";
    run(folder.path(), &format!("lda train msweb.data {flags}")).success();
    let shown = stdout(&run(folder.path(), "lda topics m.scir -n 3").success());
    let first = shown.lines().next().unwrap();
    let of_one_kind = ["/page0", "/page1", "/page2"].iter().filter(|page| first.contains(**page)).count();
    assert!(of_one_kind == 0 || of_one_kind == 3, "{shown}");
    let inferred = stdout(&run(folder.path(), "lda infer m.scir msweb.data").success());
    assert!(inferred.starts_with("0\t"), "the name of the user: {inferred}");
    // In another file the pages have other numbers: their paths decide, and an unknown page says nothing.
    let other = "A,7,1,\"t\",\"/page4\"\nA,8,1,\"t\",\"/new\"\nA,9,1,\"t\",\"/page3\"\nC,\"x\",1\nV,7,1\nV,8,1\nV,9,1\nC,\"y\",2\nV,8,1\n";
    fs::write(folder.path().join("other.data"), other).unwrap();
    let infer = |file: &str| {
        let shown = stdout(&run(folder.path(), &format!("lda infer m.scir {file} --format json")).success());
        shown.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<serde_json::Value>>()
    };
    let (known, renumbered) = (infer("msweb.data"), infer("other.data"));
    // User 1 has pages 3 and 5; pages 3 and 4 are of the same kind.
    let kind = |user: &serde_json::Value| user["topics"][0].as_f64().unwrap() > 0.5;
    assert_eq!(kind(&known[1]), kind(&renumbered[0]));
    assert_eq!(renumbered[1]["topics"][0], 0.5);
}

#[test]
fn settings_come_from_a_file_and_flags_win() {
    let folder = folder();
    let folder = folder.path();
    corpus(folder);
    let config = "topics = 3\nalpha = 0.25\nmethod = \"sgrld\"\npasses = 2\nbatch-size = 20\nsweeps = 4\nmax-df = 1.0\n";
    fs::write(folder.join("run.toml"), config).unwrap();
    run(folder, "lda train corpus.txt --config run.toml --topics 2 --updates 5 --out m.scir").success();
    let shown = inspect(folder, "m.scir");
    let settings = &shown["settings"];
    assert_eq!((&settings["lda"]["topics"], &settings["lda"]["alpha"]), (&2.into(), &0.25.into()));
    assert_eq!((&settings["lda"]["beta"], &settings["method"]), (&0.0001.into(), &"sgrld".into()));
    assert_eq!((&shown["iteration"], &shown["kind"]), (&5.into(), &"lda".into()));
    // Two passes over sixty documents, twenty at a time.
    run(folder, "lda train corpus.txt --config run.toml --out n.scir").success();
    assert_eq!(inspect(folder, "n.scir")["iteration"], 6);
    fs::write(folder.join("bad.toml"), "topcis = 3").unwrap();
    let refused = run(folder, "lda train corpus.txt --config bad.toml --out x.scir").code(2);
    assert!(
        stderr(&refused).contains("there is no setting 'topcis'; there are alpha, "),
        "{}",
        stderr(&refused)
    );
    fs::write(folder.join("bad.toml"), "topics = \"many\"").unwrap();
    let refused = run(folder, "lda train corpus.txt --config bad.toml --out x.scir").code(1);
    assert!(stderr(&refused).contains("--config bad.toml"), "{}", stderr(&refused));
}

#[test]
fn threads_and_checkpoints_do_not_change_the_model() {
    let folder = folder();
    let folder = folder.path();
    corpus(folder);
    for (order, held_out) in [("sequential", 7), ("shuffled", 0)] {
        let train = format!(
            "lda train corpus.txt {FLAGS} --order {order} --held-out {held_out} --evaluate-every 2 --fresh"
        );
        run(folder, &format!("{train} --out one.scir")).success();
        let mut command = assert_cmd::Command::new(crate::common::program());
        let line = format!("{train} --out two.scir --checkpoint-every 1 --threads 2");
        command.args(line.split(' ')).current_dir(folder).assert().success();
        assert!(fs::read(folder.join("one.scir")).unwrap() == fs::read(folder.join("two.scir")).unwrap());
    }
}

#[test]
fn a_run_that_no_longer_becomes_better_ends() {
    let folder = folder();
    let folder = folder.path();
    corpus(folder);
    let train = "lda train corpus.txt --topics 2 --updates 100000 --batch-size 20 --sweeps 4 --max-df 1.0 --held-out 10 \
                 --evaluate-every 2 --patience 3 --out m.scir";
    let ended = run(folder, train).success();
    assert!(
        stderr(&ended).contains("(it no longer became better), held-out perplexity"),
        "{}",
        stderr(&ended)
    );
    assert!(folder.join("m.scir.checkpoints/best.scir").exists(), "the best one stays");
    let again = run(folder, train).success();
    assert!(stderr(&again).contains("is trained already"), "{}", stderr(&again));
    run(folder, "lda topics m.scir.checkpoints/best.scir").success();
}

#[test]
fn gibbs_sampling_finds_the_two_kinds() {
    let folder = folder();
    let folder = folder.path();
    corpus(folder);
    let train = "lda train corpus.txt --method gibbs --parts 2 --topics 2 --beta 0.1 --passes 30 --max-df 1.0 --out m.scir";
    run(folder, train).success();
    let shown = stdout(&run(folder, "lda topics m.scir -n 5").success());
    let rivers: Vec<&str> = shown.lines().filter(|line| line.contains("river")).collect();
    assert!(rivers.len() == 1 && !rivers[0].contains("music"), "{shown}");
}

/// The file has the topics as any other, and not what was remembered; the same as with no memory in the first pass.
#[test]
fn documents_are_remembered_from_pass_to_pass() {
    let folder = folder();
    let folder = folder.path();
    corpus(folder);
    let train = |updates: u64, counts: &str| {
        let line = format!("lda train corpus.txt {FLAGS} --counts {counts} --out {counts}-{updates}.scir");
        let done = run(folder, &line.replace("--updates 4", &format!("--updates {updates}"))).success();
        (stderr(&done), topics(folder, &format!("{counts}-{updates}.scir")))
    };
    let (told, first) = train(1, "remembered");
    assert!(told.contains("20 of 60 documents are remembered, in 1 MB"), "{told}");
    assert_eq!(first, train(1, "minibatch").1, "nothing is remembered before the first update");
    let (told, later) = train(9, "remembered");
    assert!(told.contains("60 of 60 documents are remembered"), "{told}");
    assert_ne!(later, train(9, "minibatch").1);
    let sizes =
        ["minibatch-9.scir", "remembered-9.scir"].map(|f| fs::metadata(folder.join(f)).unwrap().len());
    assert!(sizes[1] < sizes[0] + 500, "a model without its memory is no larger: {sizes:?}");
}
