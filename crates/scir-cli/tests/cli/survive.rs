//! Runs that are killed, stopped, starved of disk space or find damaged files end with the same bits as others.

use crate::common::{corpus, folder, program, run, stderr};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Evaluation, a log and early stopping all have something to remember.
const TRAIN: &str = "lda train corpus.txt --topics 4 --updates 60 --batch-size 10 --sweeps 6 --max-df 1.0 --held-out 10 \
                     --evaluate-every 3 --patience 1000 --checkpoint-every 1 --log log.csv --out m.scir";

fn spawn(folder: &Path, line: &str) -> Child {
    let mut command = Command::new(program());
    command.args(line.split_whitespace()).args(["--threads", "1"]).current_dir(folder);
    command.stdout(Stdio::null()).stderr(fs::File::create(folder.join("stderr")).unwrap()).spawn().unwrap()
}

/// The model, and the log without times.
fn result(folder: &Path) -> (Vec<u8>, Vec<String>) {
    let without_times = |line: &str| {
        let columns: Vec<&str> = line.split(',').collect();
        [&columns[..3], &columns[4..]].concat().join(",")
    };
    let log = fs::read_to_string(folder.join("log.csv")).unwrap();
    (fs::read(folder.join("m.scir")).unwrap(), log.lines().map(without_times).collect())
}

#[test]
fn two_hundred_kills_do_not_change_a_bit() {
    let folder = folder();
    let folder = folder.path();
    // Many words and topics, so that a good part of the time goes into writing checkpoints.
    let line = |i: usize| {
        (0..15).map(|j| format!("w{}", (i * 37 + j * j * 11) % 2000)).collect::<Vec<_>>().join(" ")
    };
    fs::write(folder.join("corpus.txt"), (0..60).map(line).collect::<Vec<_>>().join("\n")).unwrap();
    let train = TRAIN.replace("--topics 4", "--topics 20 --min-df 1").replace("--updates 60", "--updates 20");
    let started = Instant::now();
    run(folder, &train).success();
    let whole = started.elapsed();
    let expected = result(folder);
    assert_eq!(expected.1.len(), 21);

    let (mut kills, mut finished, mut unfinished, mut seed) = (0, 0, 0, 1u64);
    while kills < 200 || finished == 0 {
        if folder.join("m.scir").exists() {
            fs::remove_file(folder.join("m.scir")).unwrap();
        }
        let mut child = spawn(folder, &train);
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let part = (seed >> 40) as f64 / (1u64 << 24) as f64;
        // After enough kills it may end in peace.
        if kills < 200 {
            sleep(whole.mul_f64(0.6 * part));
        } else {
            child.wait().unwrap();
        }
        child.kill().unwrap();
        let status = child.wait().unwrap();
        if status.success() {
            finished += 1;
            assert!(result(folder) == expected, "after {kills} kills");
        } else {
            assert!(status.code().is_none(), "{}", fs::read_to_string(folder.join("stderr")).unwrap());
            kills += 1;
            unfinished += usize::from(has_unfinished(&folder.join("m.scir.checkpoints")));
        }
    }
    println!("{kills} kills, {unfinished} of them within a write, {finished} runs to the end");
}

fn has_unfinished(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| entry.file_name().to_string_lossy().ends_with(".unfinished"))
}

/// Checkpoints of these have more than the topics, and a finished model does not.
#[test]
fn gibbs_sampling_and_remembered_documents_survive_kills() {
    for how in [
        "--method gibbs --parts 2",
        "--counts remembered --batch-size 7 --sweeps 6",
        "--counts remembered --batch-size 7 --sweeps 6 --order shuffled --method scir-vm",
    ] {
        let folder = folder();
        let folder = folder.path();
        corpus(folder);
        let train = format!(
            "lda train corpus.txt {how} --topics 4 --updates 40 --max-df 1.0 --held-out 10 --evaluate-every 3 \
             --checkpoint-every 1 --log log.csv --out m.scir"
        );
        let started = Instant::now();
        run(folder, &train).success();
        let whole = started.elapsed();
        let expected = result(folder);
        for i in 1..=8 {
            fs::remove_file(folder.join("m.scir")).unwrap();
            let mut child = spawn(folder, &train);
            sleep(whole.mul_f64(f64::from(i) / 10.0));
            child.kill().unwrap();
            child.wait().unwrap();
            run(folder, &train).success();
            assert!(result(folder) == expected, "{how}");
        }
        let more = run(folder, &train.replace("--updates 40", "--updates 50")).code(1);
        assert!(stderr(&more).contains("start over with --fresh"), "{}", stderr(&more));
    }
}

/// Waits until the program catches SIGINT, as Linux tells.
#[cfg(target_os = "linux")]
fn wait_until_it_catches(child: &mut Child) {
    loop {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be stopped");
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
        if caught & (1 << 1) != 0 {
            return;
        }
        sleep(Duration::from_millis(2));
    }
}

#[cfg(target_os = "linux")]
fn interrupt(child: &Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_saves_and_the_same_command_goes_on() {
    let folder = folder();
    let folder = folder.path();
    corpus(folder);
    let train = |updates: u64| {
        TRAIN.replace("--updates 60", &format!("--updates {updates}")).replace("every 1 ", "every never ")
    };
    let mut child = spawn(folder, &train(1_000_000_000));
    wait_until_it_catches(&mut child);
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let told = fs::read_to_string(folder.join("stderr")).unwrap();
    let done = told.split("stopped after ").nth(1).and_then(|rest| rest.split(' ').next());
    let done: u64 = done.and_then(|done| done.parse().ok()).unwrap_or_else(|| panic!("{told}"));
    let resumed = run(folder, &train(done + 7)).success();
    assert!(stderr(&resumed).starts_with(&format!("going on after {done} update")), "{}", stderr(&resumed));
    let got = result(folder);
    run(folder, &(train(done + 7) + " --fresh")).success();
    assert!(result(folder) == got);
}

#[cfg(target_os = "linux")]
#[test]
fn a_second_ctrl_c_ends_it_at_once() {
    let folder = folder();
    let folder = folder.path();
    corpus(folder);
    // One update that nobody will see the end of.
    let mut child = spawn(folder, &TRAIN.replace("--sweeps 6", "--sweeps 1000000000"));
    wait_until_it_catches(&mut child);
    interrupt(&child);
    while !fs::read_to_string(folder.join("stderr")).unwrap().contains("again to stop at once") {
        assert!(child.try_wait().unwrap().is_none());
        sleep(Duration::from_millis(2));
    }
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[cfg(target_os = "linux")]
#[test]
fn the_copy_of_standard_input_does_not_outlive_the_program() {
    let folder = folder();
    let temporary = folder.path().join("temporary");
    fs::create_dir(&temporary).unwrap();
    let mut child = Command::new(program())
        .args("lda train - --topics 2 --out m.scir".split(' '))
        .current_dir(folder.path())
        .env("TMPDIR", &temporary)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    // It waits for more to come.
    wait_until_it_catches(&mut child);
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 1);
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
}

#[test]
fn a_full_disk_costs_checkpoints_and_not_the_run() {
    let folder = folder();
    let folder = folder.path();
    corpus(folder);
    run(folder, TRAIN).success();
    let expected = result(folder);
    fs::remove_file(folder.join("m.scir")).unwrap();
    // Files can grow to a few blocks only; the signal that comes with that is ignored, so that writing fails.
    let limited =
        format!("trap '' XFSZ; ulimit -f 2; exec {} {TRAIN} --threads 1 --log /dev/null", program());
    let limited = limited.replacen("--log log.csv ", "", 1);
    let output = Command::new("sh").args(["-c", &limited]).current_dir(folder).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("a checkpoint could not be written: m.scir.checkpoints/"), "{told}");
    assert!(told.lines().last().unwrap().starts_with("scir: m.scir: "), "{told}");
    assert!(!has_unfinished(folder) && !folder.join("m.scir").exists());
    run(folder, TRAIN).success();
    assert!(result(folder) == expected);
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_at_the_start() {
    let folder = folder();
    corpus(folder.path());
    fs::write(folder.path().join("file"), "").unwrap();
    for (flag, name) in
        [("--checkpoint file/below", "file/below"), ("--checkpoint /proc/nothing", "/proc/nothing")]
    {
        let refused = run(folder.path(), &format!("{TRAIN} {flag}")).code(1);
        assert!(stderr(&refused).contains(name), "{}", stderr(&refused));
    }
}

#[test]
fn damaged_and_foreign_checkpoints_are_told() {
    let folder = folder();
    let folder = folder.path();
    corpus(folder);
    let short = TRAIN.replace("--updates 60", "--updates 20");
    run(folder, &short).success();
    let expected = result(folder);
    // Two checkpoints as a killed run leaves them, the newer one with a flipped bit.
    let checkpoints = folder.join("m.scir.checkpoints");
    let half = TRAIN.replace("--updates 60", "--updates 10");
    run(folder, &(half.clone() + " --fresh")).success();
    fs::rename(folder.join("m.scir"), checkpoints.join("000000000010.scir")).unwrap();
    let mut bytes = fs::read(checkpoints.join("000000000010.scir")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(checkpoints.join("000000000011.scir"), bytes).unwrap();

    let other = run(folder, &short.replace("--topics 4", "--topics 5")).code(1);
    assert!(
        stderr(&other).contains("settings.lda.topics is 4 there and 5 here; --fresh starts over"),
        "{}",
        stderr(&other)
    );
    fs::write(folder.join("other.txt"), "water music\nwater music\n").unwrap();
    let other = run(
        folder,
        &short
            .replace("corpus.txt", "other.txt")
            .replace("--held-out 10", "--held-out 0")
            .replace("--patience 1000", ""),
    )
    .code(1);
    assert!(stderr(&other).contains("there and"), "{}", stderr(&other));

    let resumed = run(folder, &short).success();
    assert!(stderr(&resumed).contains("000000000011.scir: is damaged"), "{}", stderr(&resumed));
    assert!(stderr(&resumed).contains("going on after 10 updates"), "{}", stderr(&resumed));
    assert!(result(folder) == expected);

    let again = run(folder, &short).success();
    assert!(stderr(&again).contains("m.scir is trained already, for 20 updates"), "{}", stderr(&again));
    // A finished model goes on, too: with the same bits as if it had been asked for more at once.
    let longer = TRAIN.replace("--updates 60", "--updates 25");
    run(folder, &longer).success();
    let got = result(folder);
    run(folder, &(longer + " --fresh")).success();
    assert!(result(folder) == got);
}
