//! Every flipped bit, every cut, every foreign file is noticed; a folder keeps what it should.

use super::*;
use serde_json::json;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

fn about() -> About {
    About { kind: "test".into(), settings: json!({"topics": 2, "alpha": 0.1}), data: json!({"sha256": "ab"}) }
}

fn snapshot(iteration: u64) -> Snapshot {
    let snapshot = Snapshot::new(about(), iteration).with_notes(json!({"words": 3}));
    snapshot
        .with("model", &vec![0.5, f64::NAN.abs(), 1e-300])
        .unwrap()
        .with("words", &vec!["a", "b"])
        .unwrap()
}

fn folder() -> (TempDir, Folder) {
    let temporary = tempfile::tempdir().unwrap();
    let folder = Folder::open(temporary.path().join("run"), 2).unwrap();
    (temporary, folder)
}

fn names(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn newest(folder: &Folder) -> PathBuf {
    folder.path().join(names(folder).into_iter().rfind(|name| name.starts_with('0')).unwrap())
}

#[test]
fn every_flipped_bit_and_every_cut_is_noticed() {
    let bytes = codec::encode(&snapshot(7)).unwrap();
    let read = codec::decode(&bytes).unwrap();
    assert_eq!(codec::encode(&read).unwrap(), bytes);
    assert_eq!((read.iteration(), read.version(), read.format()), (7, env!("CARGO_PKG_VERSION"), 2));
    assert_eq!(read.get::<Vec<String>>("words").unwrap(), ["a", "b"]);
    assert_eq!(read.parts().collect::<Vec<_>>(), [("model", 32), ("words", 26)]);
    assert!(bytes.len() < 2000, "small enough to try all of it");
    let mut copy = bytes.clone();
    for bit in 0..8 * bytes.len() {
        copy[bit / 8] ^= 1 << (bit % 8);
        let refused = codec::decode(&copy).unwrap_err();
        assert!(refused.is_damage(), "bit {bit}: {refused}");
        copy[bit / 8] ^= 1 << (bit % 8);
    }
    for length in 0..bytes.len() {
        assert!(codec::decode(&bytes[..length]).unwrap_err().is_damage(), "cut at {length}");
    }
    copy.push(0);
    assert!(codec::decode(&copy).unwrap_err().is_damage(), "something after the end");
}

#[test]
fn parts_are_what_they_are_asked_for() {
    let snapshot = snapshot(0);
    assert_eq!(snapshot.get::<Vec<f64>>("nothing").unwrap_err().to_string(), "has no part 'nothing'");
    assert!(matches!(snapshot.get::<Vec<String>>("model"), Err(Problem::Part { .. })));
    assert!(snapshot.get::<f64>("model").is_err(), "bytes that are left over");
}

#[test]
fn a_newer_format_is_refused_by_its_number() {
    let mut bytes = codec::encode(&snapshot(0)).unwrap();
    bytes[8] = 9;
    let end = bytes.len() - 32;
    let checksum = <sha2::Sha256 as sha2::Digest>::digest(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum);
    let refused = codec::decode(&bytes).unwrap_err();
    assert!(!refused.is_damage());
    assert!(refused.to_string().starts_with("has the format version 9, written by scir 0."), "{refused}");
}

/// A checksum that is right says nothing about who wrote the file: whatever the bytes, there is an answer and no panic.
#[test]
fn files_made_by_others_are_refused_in_peace() {
    let bytes = codec::encode(&snapshot(0)).unwrap();
    let end = bytes.len() - 32;
    for place in 8..end {
        for value in [0, 0x7f, 0xff, bytes[place] ^ 1] {
            let mut copy = bytes.clone();
            copy[place] = value;
            let checksum = <sha2::Sha256 as sha2::Digest>::digest(&copy[..end]);
            copy[end..].copy_from_slice(&checksum);
            if let Ok(read) = codec::decode(&copy) {
                let _ = (read.get::<Vec<f64>>("model"), read.get::<Vec<String>>("words"));
            }
        }
    }
}

#[test]
fn the_last_few_are_kept_and_the_best() {
    let (_temporary, folder) = folder();
    assert!(folder.newest(&about()).unwrap().is_none());
    for iteration in [5, 10, 15] {
        folder.save(&snapshot(iteration)).unwrap();
    }
    folder.save_best(&snapshot(10)).unwrap();
    assert_eq!(names(&folder), ["000000000010.scir", "000000000015.scir", "best.scir", "lock"]);
    assert_eq!(folder.newest(&about()).unwrap().unwrap().snapshot, snapshot(15));
    let refused = Folder::open(folder.path(), 2).unwrap_err();
    assert!(matches!(refused.problem, Problem::InUse), "{refused}");
    // What a killed process left is gone when the folder is taken again.
    let unfinished = folder.path().join(".000000000020.scir.77.unfinished");
    fs::write(&unfinished, "half").unwrap();
    let path = folder.path().to_owned();
    drop(folder);
    let folder = Folder::open(&path, 2).unwrap();
    assert!(!unfinished.exists());
    folder.finish().unwrap();
    assert_eq!(fs::read_dir(&path).unwrap().count(), 1, "the best one stays");
    let folder = Folder::open(&path, 2).unwrap();
    folder.clear(true).unwrap();
    folder.finish().unwrap();
    assert!(!path.exists());
}

#[test]
fn a_damaged_checkpoint_is_passed_over_and_a_foreign_one_is_not() {
    let (_temporary, folder) = folder();
    folder.save(&snapshot(1)).unwrap();
    folder.save(&snapshot(2)).unwrap();
    let other = About { settings: json!({"topics": 2, "alpha": 0.5}), ..about() };
    let refused = folder.newest(&other).unwrap_err().to_string();
    assert!(refused.ends_with("settings.alpha is 0.1 there and 0.5 here"), "{refused}");

    fs::write(newest(&folder), "").unwrap();
    let found = folder.newest(&about()).unwrap().unwrap();
    assert_eq!((found.snapshot.iteration(), found.damaged.len()), (1, 1));
    assert!(found.damaged[0].to_string().contains("000000000002.scir"));
    fs::write(folder.path().join("000000000001.scir"), "x").unwrap();
    let refused = folder.newest(&about()).unwrap_err().to_string();
    assert!(refused.contains("has no checkpoint that can be read; the latest: "), "{refused}");
}

#[test]
fn a_file_that_cannot_be_written_leaves_what_was_there() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("m.scir");
    snapshot(1).write(&path).unwrap();
    // A folder of that name cannot be replaced by a file.
    fs::create_dir(temporary.path().join("n.scir")).unwrap();
    assert!(snapshot(2).write(temporary.path().join("n.scir")).is_err());
    assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 2, "nothing unfinished is left");
    assert_eq!(Snapshot::read(&path).unwrap().iteration(), 1);
    assert!(Folder::open(path.join("below a file"), 2).is_err());
}

#[test]
fn how_often_is_read_or_refused() {
    assert!("0".parse::<Every>().is_err() && "x".parse::<Every>().is_err() && "".parse::<Every>().is_err());
    assert!("s".parse::<Every>().unwrap_err().contains("30s, 5m or 1h"));
}
