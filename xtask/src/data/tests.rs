//! Tests of the parts: names, sizes, sums, and known files from an archive or one by one.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use super::fetch::{self, Options};
use super::homes::{Address, Dump, Known, KnownFile};
use super::parse_size;
use super::server::{Reply, Server};

#[test]
fn sizes_have_units() {
    let sizes = [("7", 7), ("500kB", 500_000), ("20 MB", 20_000_000), ("3g", 3_000_000_000)];
    for (text, bytes) in sizes {
        assert_eq!(parse_size(text).unwrap(), bytes);
    }
    for text in ["", "0", "MB", "-1", "1.5GB", "20 PB", "99999999999GB"] {
        assert!(
            parse_size(text).unwrap_err().to_string().starts_with("expected a number of bytes"),
            "{text}"
        );
    }
}

#[test]
fn dumps_have_names_and_nothing_leads_out_of_the_folder() {
    let dump = Dump::parse("simplewiki-latest").unwrap();
    assert_eq!(dump.path(), "/simplewiki/latest/simplewiki-latest-pages-articles.xml.bz2");
    assert_eq!(dump.sums_path(), "/simplewiki/latest/simplewiki-latest-sha1sums.txt");
    let part = Dump::parse("enwiki-20240501-pages-articles1.xml-p1p41242.bz2").unwrap();
    assert_eq!(part.name(), "enwiki-20240501-pages-articles1.xml-p1p41242.bz2");
    for bad in [
        "enwiki",
        "enwiki-2024",
        "enwiki-latest-",
        "-latest",
        "enwiki-latest-../x.xml",
        "enwiki-latest-a/b.xml",
        "enwiki-latest-x..xml",
        "en/wiki-latest",
        "enwiki-latest-sha1sums.txt",
    ] {
        assert!(Dump::parse(bad).unwrap_err().to_string().contains("expected WIKI-DATE"), "{bad}");
    }
}

#[test]
fn sums_are_found_in_published_lists() {
    let (a, b) = ("a".repeat(40), "b".repeat(40));
    let list = format!(
        "{b}  enwiki-20240501-pages-articles-multistream.xml.bz2\n{a}  enwiki-20240501-pages-articles.xml.bz2\nbad line\n"
    );
    assert_eq!(Dump::parse("enwiki-20240501").unwrap().sum_in(&list), Some(a.as_str()));
    assert_eq!(Dump::parse("enwiki-latest").unwrap().sum_in(&list), Some(a.as_str()));
    assert_eq!(Dump::parse("enwiki-20240601").unwrap().sum_in(&list), None);
    assert_eq!(Dump::parse("dewiki-20240501").unwrap().sum_in(&list), None);
    assert_eq!(
        Dump::parse("enwiki-20240501").unwrap().sum_in("abc  enwiki-20240501-pages-articles.xml.bz2"),
        None
    );
}

/// Two small files whose sums are known to `sha256sum`.
const KNOWN: Known = Known {
    files: &[
        KnownFile {
            path: "msweb/one.data",
            bytes: 4,
            sha256: "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806",
        },
        KnownFile {
            path: "msweb/two.test",
            bytes: 4,
            sha256: "27dd8ed44a83ff94d557f9fd0412ed5a8cbca69ea04922d88c01184a07300a5a",
        },
    ],
    archive: Address { server: "http://nowhere.invalid", path: "/static/files.zip" },
    folder: Address { server: "http://nowhere.invalid", path: "/files/" },
};

/// An archive with a folder and files in it.
fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn fetch_known(server: &Server, root: &Path, force: bool) -> (anyhow::Result<()>, String) {
    let timeout = Duration::from_secs(20);
    let options = Options { base_url: Some(server.url()), max_size: 10_000, timeout, force };
    let mut out = Vec::new();
    let outcome = fetch::msweb(&options, root, &KNOWN, &mut out);
    (outcome, String::from_utf8(out).unwrap())
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort_unstable();
    names
}

#[test]
fn known_files_come_out_of_the_archive() {
    let zip = archive(&[("readme", b"x"), ("folder/two.test", b"two\n"), ("one.data", b"one\n")]);
    let server = Server::start(move |request| Reply::file(request, &zip));
    let root = tempfile::tempdir().unwrap();
    let (outcome, out) = fetch_known(&server, root.path(), false);
    outcome.unwrap();
    assert!(out.contains("two.test: 4 B, SHA-256 as expected"), "{out}");
    assert_eq!(names(&root.path().join("msweb")), ["one.data", "two.test"]);
    assert_eq!(fs::read(root.path().join("msweb/two.test")).unwrap(), b"two\n");

    // Nothing is asked for a second time, unless forced or damaged.
    assert!(fetch_known(&server, root.path(), false).1.contains("there already, and right"));
    assert_eq!(server.requests().len(), 1);
    fs::write(root.path().join("msweb/one.data"), "onf\n").unwrap();
    fetch_known(&server, root.path(), false).0.unwrap();
    fetch_known(&server, root.path(), true).0.unwrap();
    assert_eq!(server.requests().len(), 3);
    assert_eq!(fs::read(root.path().join("msweb/one.data")).unwrap(), b"one\n");
}

#[test]
fn known_files_come_one_by_one_if_the_archive_fails() {
    let bomb = archive(&[("one.data", &vec![0; 1 << 20]), ("two.test", b"two\n")]);
    let wrong = archive(&[("one.data", b"One\n"), ("two.test", b"two\n")]);
    let incomplete = archive(&[("one.data", b"one\n")]);
    let failures = [
        (None, "the server answers 404 Not Found"),
        (Some(b"<html>not an archive</html>".to_vec()), "not an archive that can be read"),
        (Some(bomb), "one.data: the SHA-256 sum is"),
        (Some(wrong), "one.data: the SHA-256 sum is"),
        (Some(incomplete), "two.test is not in the archive"),
    ];
    for (zip, expected) in failures {
        let server = Server::start(move |request| match (request.path.as_str(), &zip) {
            ("/static/files.zip", Some(zip)) => Reply::whole(zip),
            ("/files/one.data", _) => Reply::whole(b"one\n"),
            ("/files/two.test", _) => Reply::whole(b"two\n"),
            _ => Reply::not_found(),
        });
        let root = tempfile::tempdir().unwrap();
        let (outcome, out) = fetch_known(&server, root.path(), false);
        outcome.unwrap();
        assert!(out.contains(expected), "{out}");
        assert_eq!(names(&root.path().join("msweb")), ["one.data", "two.test"]);
    }
}

#[test]
fn nothing_wrong_is_put_in_place() {
    let server = Server::start(|request| match request.path.as_str() {
        "/files/one.data" => Reply::whole(b"one\n"),
        "/files/two.test" => Reply::whole(b"wrong"),
        _ => Reply::not_found(),
    });
    let root = tempfile::tempdir().unwrap();
    let refused = format!("{:#}", fetch_known(&server, root.path(), false).0.unwrap_err());
    assert!(refused.contains("404 Not Found"), "{refused}");
    assert!(refused.contains("two.test: the SHA-256 sum is"), "{refused}");
    let left = names(&root.path().join("msweb"));
    assert!(left.contains(&"one.data".into()) && !left.contains(&"two.test".into()), "{left:?}");
}

#[test]
fn an_archive_that_broke_off_goes_on() {
    let zip = archive(&[("one.data", b"one\n"), ("two.test", b"two\n")]);
    let server = Server::start(move |request| match (request.path.as_str(), request.header("if-range")) {
        ("/static/files.zip", Some("\"tag\"")) => Reply::file(request, &zip),
        ("/static/files.zip", _) => Reply::whole(&zip).header("ETag: \"tag\"").cut(50),
        _ => Reply::not_found(),
    });
    let root = tempfile::tempdir().unwrap();
    let broken = format!("{:#}", fetch_known(&server, root.path(), false).0.unwrap_err());
    assert!(broken.contains("the connection broke after 50 of"), "{broken}");
    let (outcome, out) = fetch_known(&server, root.path(), false);
    outcome.unwrap();
    assert!(out.contains("of which 50 B had come before"), "{out}");
    assert_eq!(names(&root.path().join("msweb")), ["one.data", "two.test"]);
}
