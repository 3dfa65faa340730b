//! `cargo xtask reproduce` as a user runs it: a smoke run, the same numbers on any number of threads, bad input.

use assert_cmd::Command;
use std::fs;
use std::path::Path;

fn reproduce(arguments: &[&str], out: &Path) -> Command {
    let mut command = Command::cargo_bin("xtask").unwrap();
    command.arg("reproduce").args(arguments).arg("--out").arg(out);
    command
}

fn rows(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[test]
fn a_smoke_run_writes_tables_figures_and_verdicts() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    let output = reproduce(&["synthetic", "--scale", "smoke", "--threads", "1"], &one).assert().success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(text.contains("claims of the paper") && text.contains("Figure 2a"), "{text}");
    reproduce(&["synthetic", "--scale", "smoke", "--threads", "2"], &two).assert().success();

    let synthetic = one.join("synthetic");
    let ks = rows(&synthetic.join("ks.csv"));
    assert_eq!(ks[0], ["posterior", "method", "n", "h", "seed", "dks"]);
    for (posterior, method) in
        ["sparse", "dense"].iter().flat_map(|p| ["scir", "sgrld", "exact"].map(|m| (*p, m)))
    {
        let of = |row: &&Vec<String>| row[0] == posterior && row[1] == method;
        assert!(ks.iter().filter(of).count() >= 2, "{posterior} {method} is missing");
    }
    let best = rows(&synthetic.join("best.csv"));
    assert_eq!(best[0], ["posterior", "method", "n", "h", "dks_mean", "dks_min", "dks_max"]);
    for row in &best[1..] {
        let number = |i: usize| row[i].parse::<f64>().unwrap();
        assert!(
            0.0 < number(5) && number(5) <= number(4) && number(4) <= number(6) && number(6) < 1.0,
            "{row:?}"
        );
    }
    for name in ["figure1", "figure2a", "figure2b", "matched-sparse", "matched-dense"] {
        assert!(fs::read_to_string(synthetic.join(format!("{name}.svg"))).unwrap().starts_with("<svg"));
        assert!(fs::read(synthetic.join(format!("{name}.png"))).unwrap().starts_with(b"\x89PNG"));
    }
    let summary: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(one.join("summary.json")).unwrap()).unwrap();
    let claims = summary["experiments"]["synthetic"]["claims"].as_array().unwrap();
    assert_eq!(claims.len(), 8);
    assert!(claims.iter().all(|claim| claim["verdict"].is_string() && claim["numbers"].is_object()));

    for name in ["ks.csv", "best.csv", "fair_ks.csv", "boxplot.csv", "boxplot_draws.csv", "figure2a.svg"] {
        let file = |folder: &Path| fs::read(folder.join("synthetic").join(name)).unwrap();
        assert!(file(&one) == file(&two), "{name} depends on the number of threads");
    }
}

#[test]
fn a_smoke_run_of_lda_searches_trains_and_judges() {
    let folder = tempfile::tempdir().unwrap();
    let run = |threads: &str| {
        let out = folder.path().join(threads);
        let arguments = ["lda", "--scale", "smoke", "--tune", "--passes", "--threads", threads];
        // What is generated says so, also where there is real data: a smoke run does not look at it.
        let output = reproduce(&arguments, &out).env("SCIR_DATA", folder.path()).assert().success();
        let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
        assert!(text.contains("stand-in for Wikipedia, generated"), "{text}");
        out.join("lda")
    };
    let (one, two) = (run("1"), run("2"));
    let points = rows(&one.join("perplexity.csv"));
    assert_eq!(
        points[0],
        ["method", "seed", "update", "documents", "seconds", "perplexity", "perplexity_draw"]
    );
    for method in
        ["scir", "sgrld", "gibbs", "scir-vm", "scir-vm-fast", "scir-tuned", "sgrld-tuned", "gibbs-tuned"]
    {
        let of = |seed: &str| {
            let runs = points.iter().filter(|row| row[0] == method && row[1] == seed);
            runs.map(|row| row[5].parse::<f64>().unwrap()).collect::<Vec<_>>()
        };
        for curve in ["1", "2"].map(of) {
            assert!(curve.len() >= 4, "{method}: {curve:?}");
            assert!(curve.iter().all(|perplexity| (20.0..500.0).contains(perplexity)), "{method}: {curve:?}");
            assert!(curve[curve.len() - 1] < curve[0], "{method} does not learn: {curve:?}");
        }
    }
    // The same numbers on one thread and on two, but for the times.
    for name in ["perplexity.csv", "passes.csv"] {
        let timeless = |folder: &Path| {
            let mut rows = rows(&folder.join(name));
            rows.iter_mut().for_each(|row| row[4].clear());
            rows
        };
        assert!(timeless(&one) == timeless(&two), "{name} depends on the number of threads");
    }
    for name in ["tune.csv", "topics.txt", "figure3a.svg", "figure4a.svg", "matched.svg", "passes.svg"] {
        assert!(fs::read(one.join(name)).unwrap() == fs::read(two.join(name)).unwrap(), "{name}");
    }
    let trials = rows(&one.join("tune.csv"));
    let kept = |method: &str, updates: &str| {
        let of = |row: &&Vec<String>| row[0] == method && row[6] == updates && row[8] == "true";
        trials.iter().filter(of).count()
    };
    assert_eq!([kept("scir", "10"), kept("scir", "20"), kept("sgrld", "20")], [3, 1, 1]);
    let summary = fs::read_to_string(one.with_file_name("summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["experiments"]["lda"]["claims"].as_array().unwrap().len(), 6);
}

#[test]
fn a_smoke_run_of_dp_scores_clusters_and_judges() {
    let folder = tempfile::tempdir().unwrap();
    let run = |threads: &str| {
        let out = folder.path().join(threads);
        let output =
            reproduce(&["dp", "--scale", "smoke", "--growth", "--threads", threads], &out).assert().success();
        (String::from_utf8(output.get_output().stdout.clone()).unwrap(), out)
    };
    let ((text, one), (_, two)) = (run("1"), run("2"));
    assert!(text.contains("a stand-in for MS-web, generated") && text.contains("Figure 3b"), "{text}");
    let scores = |out: &Path| {
        let mut rows = rows(&out.join("dp/score.csv"));
        // The times are nobody's to promise.
        rows.iter_mut().for_each(|row| drop(row.remove(3)));
        rows
    };
    let table = scores(&one);
    assert_eq!(table[0], ["method", "seed", "iteration", "score", "score_averaged", "clusters", "alpha"]);
    for method in ["scir", "sgrld", "gibbs", "scir-tuned", "sgrld-tuned", "sgrld-released-indexing"] {
        assert!(table.iter().any(|row| row[0] == method), "{method} is missing");
    }
    assert!(table[1..].iter().all(|row| row[3..].iter().all(|x| x.parse::<f64>().unwrap().is_finite())));
    assert!(table == scores(&two), "the scores depend on the number of threads");
    for name in ["figure3b", "figure4b", "clusters", "released", "starts", "growth"] {
        assert!(fs::read_to_string(one.join(format!("dp/{name}.svg"))).unwrap().starts_with("<svg"));
        assert!(fs::read(one.join(format!("dp/{name}.png"))).unwrap().starts_with(b"\x89PNG"));
    }
    let drawn = fs::read_to_string(one.join("dp/figure3b.svg")).unwrap();
    assert!(drawn.contains("generated stand-in for MS-web"));
    for name in ["clusters.txt", "users.csv", "coclustering.csv", "tune.csv", "starts.csv"] {
        let file = |out: &Path| fs::read_to_string(out.join("dp").join(name)).unwrap();
        assert!(file(&one).lines().count() > 5 && file(&one) == file(&two), "{name}");
    }
    let summary: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(one.join("summary.json")).unwrap()).unwrap();
    assert_eq!(summary["experiments"]["dp"]["claims"].as_array().unwrap().len(), 12);
}

#[test]
fn bad_input_is_refused_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str], words: &str| {
        let output = reproduce(arguments, &folder.path().join("out")).assert().code(2);
        let text = String::from_utf8(output.get_output().stderr.clone()).unwrap();
        assert!(text.contains(words), "{arguments:?} says: {text}");
    };
    refused(&["--seeds", "0"], "1..=10000");
    refused(&["--seeds", "-3"], "-3");
    refused(&["--threads", "0"], "1..=1024");
    refused(&["--scale", "huge"], "[possible values: smoke, default, paper]");
    refused(&["cosmology"], "[possible values: synthetic, lda, dp]");

    let output = reproduce(&["--data", "/no/such/folder"], &folder.path().join("out")).assert().code(1);
    let text = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(text.contains("/no/such/folder") && text.contains("cargo xtask data"), "{text}");

    let file = folder.path().join("a file");
    fs::write(&file, "precious").unwrap();
    let output = reproduce(&["--scale", "smoke"], &file).assert().code(1);
    let text = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(text.contains("a file") && text.contains("give a folder"), "{text}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");

    let foreign = folder.path().join("foreign");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("summary.json"), "[1, 2]").unwrap();
    let output = reproduce(&["--scale", "smoke"], &foreign).assert().code(1);
    let text = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(text.contains("not a summary of ours"), "{text}");
    assert_eq!(fs::read_to_string(foreign.join("summary.json")).unwrap(), "[1, 2]");
}
