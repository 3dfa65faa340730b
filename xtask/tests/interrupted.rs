//! Runs of `cargo xtask reproduce` that are interrupted, and what a second start does.

use assert_cmd::Command;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// The rows of a table but for the times in it.
fn without_times(table: &str) -> Vec<Vec<String>> {
    let line = |line: &str| {
        line.split(',').enumerate().filter(|(i, _)| *i != 4).map(|(_, x)| x.to_owned()).collect()
    };
    table.lines().map(line).collect()
}

fn table(out: &Path) -> String {
    fs::read_to_string(out.join("lda/perplexity.csv")).unwrap()
}

/// Whether there is a line about the first run of SCIR.
fn has_run(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("  scir ") && line.contains(" seed 1 "))
}

#[test]
fn what_is_finished_is_not_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| {
        let mut command = Command::cargo_bin("xtask").unwrap();
        command.args(["reproduce", "lda", "--scale", "smoke", "--out"]).arg(folder.path()).args(more);
        let output = command.assert().success();
        String::from_utf8(output.get_output().stdout.clone()).unwrap()
    };
    let first = run(&[]);
    assert!(has_run(&first) && !first.contains("earlier"), "{first}");
    let whole = table(folder.path());
    // Finished: nothing is run, the verdicts are shown again.
    let again = run(&[]);
    assert!(again.contains("finished earlier") && again.contains("claims of the paper"), "{again}");
    assert!(!has_run(&again), "{again}");
    // Interrupted: what is there is taken, to the bit and the second; what is missing is run.
    fs::remove_file(folder.path().join("summary.json")).unwrap();
    let part = |name: &str| {
        let mut parts =
            fs::read_dir(folder.path().join("lda/parts")).unwrap().map(|entry| entry.unwrap().path());
        parts.find(|path| path.to_string_lossy().contains(name)).unwrap()
    };
    fs::remove_file(part("sgrld-2")).unwrap();
    let resumed = run(&[]);
    assert_eq!(resumed.matches("from an earlier start").count(), 11, "{resumed}");
    assert!(without_times(&table(folder.path())) == without_times(&whole));
    // The rows of many passes have the names of some of these, and are kept beside them.
    run(&["--passes"]);
    fs::remove_file(folder.path().join("summary.json")).unwrap();
    assert_eq!(run(&["--passes"]).matches("from an earlier start").count(), 12 + 18);
    // More seeds are added to those that are there; --fresh starts over.
    assert_eq!(run(&["--seeds", "3"]).matches("from an earlier start").count(), 12);
    assert!(!run(&["--fresh"]).contains("earlier"));
}

/// Ctrl-C at some moment of the run, and a kill at another: the next start goes on, to the same numbers.
#[cfg(unix)]
#[test]
fn interrupted_runs_go_on_to_the_same_numbers() {
    use std::process::{Command as Process, Stdio};
    let folder = tempfile::tempdir().unwrap();
    let run = |out: &Path| {
        let mut command = Process::new(env!("CARGO_BIN_EXE_xtask"));
        command.args(["reproduce", "lda", "--scale", "smoke", "--seeds", "1", "--out"]).arg(out);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let whole = folder.path().join("whole");
    assert!(run(&whole).wait().unwrap().success());
    let out = folder.path().join("interrupted");
    for (signal, milliseconds) in [("-INT", 300), ("-KILL", 450), ("-INT", 600)] {
        let child = run(&out);
        std::thread::sleep(Duration::from_millis(milliseconds));
        // It may have ended already: then there is nobody to be told.
        let _ = Process::new("kill").args([signal, &child.id().to_string()]).stderr(Stdio::null()).status();
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() || signal == "-KILL" || text.contains("interrupted"), "{text}");
    }
    assert!(run(&out).wait().unwrap().success());
    assert!(without_times(&table(&out)) == without_times(&table(&whole)));
}
