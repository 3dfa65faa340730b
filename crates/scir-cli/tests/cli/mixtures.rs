//! `scir dp`: clusters of records from CSV and other formats, in every output format, through kills.

use crate::common::{corpus, folder, run, stderr, stdout};
use std::fs;
use std::path::Path;

/// Three kinds of animals in turn; some values are missing.
fn animals(folder: &Path, name: &str, records: usize) {
    let kinds = [["feathers", "2", "air"], ["scales", "0", "water"], ["fur", "4", "land"]];
    let mut text = "cover,legs,element\n".to_owned();
    for i in 0..records {
        let value = |v: usize| if (i * 31 + v * 17).is_multiple_of(23) { "" } else { kinds[i % 3][v] };
        text += &format!("{},{},{}\n", value(0), value(1), value(2));
    }
    fs::write(folder.join(name), text).unwrap();
}

const GIBBS: &str =
    "dp fit animals.csv --method gibbs --updates 60 --held-out 30 --evaluate-every 5 --out m.scir";

#[test]
fn kinds_come_out_as_clusters_in_every_format() {
    let folder = folder();
    let folder = folder.path();
    animals(folder, "animals.csv", 150);
    let fitted = run(folder, GIBBS).success();
    assert!(stderr(&fitted).contains("m.scir: 60 updates, held-out −ln predictive "), "{}", stderr(&fitted));
    let text = stdout(&run(folder, "dp clusters m.scir -n 1 --assignments z.csv --npy theta.npy").success());
    for kind in ["cover=feathers legs=2 element=air", "cover=scales legs=0 element=water"] {
        assert!(text.contains(kind), "{text}");
    }
    assert!(text.starts_with("3 clusters, alpha "), "{text}");
    let assignments = fs::read_to_string(folder.join("z.csv")).unwrap();
    assert_eq!((assignments.lines().count(), assignments.lines().next()), (121, Some("record,cluster")));
    assert_eq!(fs::metadata(folder.join("theta.npy")).unwrap().len(), 128 + 3 * 9 * 8);
    let first = stdout(&run(folder, "dp clusters m.scir --format json").success());
    let first: serde_json::Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    assert!(first["weight"].as_f64().unwrap() > 0.2 && first["words"].as_array().unwrap().len() == 9);
    let csv = stdout(&run(folder, "dp clusters m.scir -n 1 --format csv").success());
    assert_eq!((csv.lines().count(), csv.lines().next()), (10, Some("cluster,weight,size,word,probability")));

    // In another file the values come in another order, and one of them is new: names decide.
    fs::write(folder.join("new.csv"), "element,cover\nland,fur\nair,feathers\nland,\nspace,fur\n").unwrap();
    let csv = stdout(&run(folder, "dp eval m.scir new.csv --format csv").success());
    let cluster: Vec<&str> = csv.lines().skip(1).map(|row| row.split(',').nth(2).unwrap()).collect();
    assert!(cluster[0] == cluster[2] && cluster[0] == cluster[3] && cluster[0] != cluster[1], "{csv}");
    let text = stdout(&run(folder, "dp eval m.scir animals.csv").success());
    assert!(text.contains("records         150\n") && text.contains("−ln predictive"), "{text}");
    let json = stdout(&run(folder, "dp eval m.scir animals.csv --format json").success());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(json["score"].as_f64().unwrap() < 3.0, "less than ln 27: {json}");
}

#[test]
fn mixtures_go_on_and_do_not_depend_on_threads() {
    let folder = folder();
    let folder = folder.path();
    corpus(folder);
    for method in ["scir", "scir-vm"] {
        let fit = |updates: u64, out: &str| {
            format!(
                "dp fit corpus.txt --max-df 1.0 --batch-size 20 --updates {updates} --held-out 10 --evaluate-every 3 \
                 --method {method} --checkpoint-every 1 --out {out}"
            )
        };
        run(folder, &fit(20, "whole.scir")).success();
        // A finished mixture is a checkpoint, too.
        run(folder, &fit(7, "m.scir")).success();
        let mut command = assert_cmd::Command::new(crate::common::program());
        let line = fit(20, "m.scir") + " --threads 2";
        command.args(line.split_whitespace()).current_dir(folder).assert().success();
        assert!(fs::read(folder.join("whole.scir")).unwrap() == fs::read(folder.join("m.scir")).unwrap());
        let other = run(folder, &(fit(20, "m.scir") + " --base 0.7")).code(1);
        assert!(stderr(&other).contains("settings.base is 0.5 there and 0.7 here"), "{}", stderr(&other));
        fs::remove_file(folder.join("m.scir")).unwrap();
        fs::remove_file(folder.join("whole.scir")).unwrap();
    }
}

/// Sums, and splits that are under way, go through a stop; from one cluster as from many.
#[test]
fn exact_counts_and_splits_go_on() {
    let folder = folder();
    let folder = folder.path();
    animals(folder, "animals.csv", 300);
    let fit = |updates: u64, out: &str| {
        format!(
            "dp fit animals.csv --initial 1 --splits 4 --split-part 60 --swaps 2 --batch-size 80 --updates {updates} \
             --checkpoint-every 1 --out {out}"
        )
    };
    run(folder, &fit(120, "whole.scir")).success();
    run(folder, &fit(13, "m.scir")).success();
    run(folder, &fit(120, "m.scir")).success();
    assert!(fs::read(folder.join("whole.scir")).unwrap() == fs::read(folder.join("m.scir")).unwrap());
    let found = stdout(&run(folder, "dp clusters m.scir --format csv -n 1").success());
    let heads: std::collections::HashSet<&str> =
        found.lines().skip(1).filter_map(|l| l.split(',').next()).collect();
    assert!(heads.len() > 1, "more than one cluster:\n{found}");
    let other = run(folder, &fit(120, "m.scir").replace("--swaps 2", "")).code(1);
    assert!(stderr(&other).contains("settings.mixture.moves.swaps"), "{}", stderr(&other));
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = folder();
    let folder = folder.path();
    animals(folder, "animals.csv", 30);
    corpus(folder);
    fs::write(folder.join("short.csv"), "a,b\nx\n").unwrap();
    run(folder, "dp fit animals.csv --method gibbs --updates 1 --out m.scir").success();
    run(folder, "lda train corpus.txt --topics 2 --updates 1 --max-df 1.0 --out lda.scir").success();
    for (line, code, part) in [
        ("dp fit animals.csv --method gibbs --step 0.1 --out x.scir", 2, "--step"),
        ("dp fit animals.csv --counts minibatch --splits 3 --out x.scir", 2, "--counts remembered"),
        ("dp fit animals.csv --method sgrld --counts remembered --out x.scir", 2, "scir and gibbs"),
        ("dp fit animals.csv --alpha 1 --alpha-rate 2 --out x.scir", 2, "--alpha-rate"),
        ("dp fit animals.csv --patience 2 --out x.scir", 2, "--held-out N"),
        ("dp fit animals.csv animals.csv --out x.scir", 2, "one file"),
        ("dp fit animals.csv --alpha 0 --updates 1 --out x.scir", 1, "alpha = 0"),
        ("dp fit short.csv --out x.scir", 1, "short.csv:2: expected as many fields as the header has"),
        ("dp fit nowhere.csv --out x.scir", 1, "nowhere.csv: No such file"),
        ("dp clusters lda.scir", 1, "a model of the kind 'lda', and not a mixture"),
        ("lda topics m.scir", 1, "a model of the kind 'dp', and not of LDA"),
        ("dp eval m.scir nowhere.csv", 1, "nowhere.csv: No such file"),
    ] {
        let refused = run(folder, line).code(code);
        assert!(stderr(&refused).contains(part), "{line}\n{}", stderr(&refused));
    }
}
