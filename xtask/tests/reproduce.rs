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
    for name in ["figure1", "figure2a", "figure2b"] {
        assert!(fs::read_to_string(synthetic.join(format!("{name}.svg"))).unwrap().starts_with("<svg"));
        assert!(fs::read(synthetic.join(format!("{name}.png"))).unwrap().starts_with(b"\x89PNG"));
    }
    let summary: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(one.join("summary.json")).unwrap()).unwrap();
    let claims = summary["experiments"]["synthetic"]["claims"].as_array().unwrap();
    assert_eq!(claims.len(), 7);
    assert!(claims.iter().all(|claim| claim["verdict"].is_string() && claim["numbers"].is_object()));

    for name in ["ks.csv", "best.csv", "fair_ks.csv", "boxplot.csv", "boxplot_draws.csv", "figure2a.svg"] {
        let file = |folder: &Path| fs::read(folder.join("synthetic").join(name)).unwrap();
        assert!(file(&one) == file(&two), "{name} depends on the number of threads");
    }
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
    refused(&["cosmology"], "[possible values: synthetic]");

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
