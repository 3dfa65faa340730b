//! `cargo xtask data` as a user runs it, against a server on loopback. Nothing here touches the network.

#[path = "common/server.rs"]
mod server;

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use assert_cmd::Command;
use server::{Reply, Request, Server};
use tempfile::TempDir;

const DUMP: &str = "wikipedia/testwiki-20240101-pages-articles.xml.bz2";

/// Bytes that are not all alike, more than one buffer of them.
fn content() -> Vec<u8> {
    (0..200_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

/// The SHA-1 sum of [`content`], by `sha1sum`.
const SHA1: &str = "7e757f3bfe768c39ea42f63d08b3638ee1c061c3";

fn sums() -> Reply {
    Reply::whole(format!("{SHA1}  testwiki-20240101-pages-articles.xml.bz2\n").as_bytes())
}

/// A server with a list of sums, and `answer` for the dump.
fn serve(answer: impl Fn(&Request) -> Reply + Send + 'static) -> Server {
    Server::start(move |request| match request.path.as_str() {
        "/testwiki/20240101/testwiki-20240101-sha1sums.txt" => sums(),
        "/testwiki/20240101/testwiki-20240101-pages-articles.xml.bz2" => answer(request),
        _ => Reply::not_found(),
    })
}

fn xtask(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.env_clear().arg("data").args(arguments).arg("--data").arg(root);
    command
}

/// Runs a fetch; what it printed, and whether it went well.
fn fetch(root: &Path, url: &str, more: &[&str]) -> (bool, String) {
    let mut command = xtask(root, &["fetch", "wikipedia", "--dump", "testwiki-20240101", "--base-url", url]);
    let output = command.args(more).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

fn folder() -> (TempDir, PathBuf, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let target = root.path().join(DUMP);
    let part = root.path().join(format!("{DUMP}.part"));
    (root, target, part)
}

/// The names in the Wikipedia folder.
fn names(root: &Path) -> usize {
    fs::read_dir(root.join("wikipedia")).map(Iterator::count).unwrap_or(0)
}

#[test]
fn a_whole_file_is_fetched_once() {
    let server = serve(|request| Reply::file(request, &content()));
    let (root, target, _) = folder();
    let (fine, text) = fetch(root.path(), &server.url(), &[]);
    assert!(fine && text.contains("fetched 200.00 kB") && text.contains("as published"), "{text}");
    assert_eq!(fs::read(&target).unwrap(), content());
    assert_eq!(names(root.path()), 1, "no part is left");
    let (fine, text) = fetch(root.path(), &server.url(), &[]);
    assert!(fine && text.contains("is there already (--force fetches it again)"), "{text}");
    assert_eq!(server.requests().len(), 2);
    assert!(server.requests()[1].header("user-agent").unwrap().starts_with("scir-xtask/"));
    assert!(fetch(root.path(), &server.url(), &["--force"]).0);
}

#[test]
fn a_broken_download_goes_on_where_it_stopped() {
    for validator in ["ETag: \"one\"", "Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT", "X-None: 0"] {
        let calls = AtomicUsize::new(0);
        let server = serve(move |request| {
            let reply = Reply::file(request, &content()).header(validator);
            // Broken twice, at different places.
            match calls.fetch_add(1, Ordering::SeqCst) {
                0 => reply.cut(70_000),
                1 => reply.cut(50_001),
                _ => reply,
            }
        });
        let (root, target, part) = folder();
        for have in [70_000, 120_001] {
            let (fine, text) = fetch(root.path(), &server.url(), &[]);
            assert!(!fine, "{text}");
            let expected = format!("the connection broke after {have} of 200000 bytes; they are kept");
            assert!(text.contains(&expected), "{text}");
            assert_eq!(fs::metadata(&part).unwrap().len(), have);
            assert!(!target.exists());
            let status = xtask(root.path(), &[]).output().unwrap().stdout;
            let status = String::from_utf8(status).unwrap();
            assert!(status.contains("partial") && status.contains("goes on"), "{status}");
        }
        let (fine, text) = fetch(root.path(), &server.url(), &[]);
        assert!(fine && text.contains("of which 120.00 kB had come before"), "{text}");
        assert_eq!(fs::read(&target).unwrap(), content());
        assert_eq!(names(root.path()), 1);
        let dump_requests: Vec<Request> =
            server.requests().into_iter().filter(|request| request.path.ends_with("bz2")).collect();
        assert_eq!(dump_requests[2].range(), Some(120_001));
        let if_range = dump_requests[2].header("if-range");
        assert_eq!(if_range, (!validator.starts_with("X-")).then(|| validator.split_once(": ").unwrap().1));
    }
}

#[test]
fn a_server_that_ignores_ranges_is_read_from_the_start() {
    let server = serve(|_| Reply::whole(&content()).header("ETag: \"one\""));
    let (root, target, part) = folder();
    fs::create_dir_all(part.parent().unwrap()).unwrap();
    fs::write(&part, &content()[..1000]).unwrap();
    let url = format!("{}/testwiki/20240101/testwiki-20240101-pages-articles.xml.bz2", server.url());
    fs::write(root.path().join(format!("{DUMP}.part.from")), format!("{url}\n\"zero\"")).unwrap();
    let (fine, text) = fetch(root.path(), &server.url(), &[]);
    assert!(fine && !text.contains("had come before"), "{text}");
    assert_eq!(server.requests()[1].range(), Some(1000));
    assert_eq!(fs::read(&target).unwrap(), content());
}

#[test]
fn a_part_of_unknown_origin_or_too_long_is_not_joined() {
    for (part_bytes, origin) in [(1000, None), (1000, Some("http://elsewhere/file")), (300_000, Some(""))] {
        let server = serve(|request| Reply::file(request, &content()));
        let (root, target, part) = folder();
        fs::create_dir_all(part.parent().unwrap()).unwrap();
        fs::write(&part, vec![7; part_bytes]).unwrap();
        if let Some(origin) = origin {
            let here = format!("{}/testwiki/20240101/testwiki-20240101-pages-articles.xml.bz2", server.url());
            let from = if origin.is_empty() { here } else { origin.to_owned() };
            fs::write(root.path().join(format!("{DUMP}.part.from")), from).unwrap();
        }
        let (fine, text) = fetch(root.path(), &server.url(), &[]);
        assert!(fine, "{text}");
        assert_eq!(fs::read(&target).unwrap(), content());
    }
}

#[test]
fn a_part_that_was_whole_is_put_in_place() {
    let server = serve(|request| Reply::file(request, &content()));
    let (root, target, part) = folder();
    fs::create_dir_all(part.parent().unwrap()).unwrap();
    fs::write(&part, content()).unwrap();
    let url = format!("{}/testwiki/20240101/testwiki-20240101-pages-articles.xml.bz2", server.url());
    fs::write(root.path().join(format!("{DUMP}.part.from")), url).unwrap();
    let (fine, text) = fetch(root.path(), &server.url(), &[]);
    assert!(fine, "{text}");
    assert_eq!(fs::read(&target).unwrap(), content());
    assert_eq!(names(root.path()), 1);
}

#[test]
fn two_fetches_do_not_write_the_same_file() {
    let server = serve(|request| Reply::file(request, &content()));
    let (root, target, part) = folder();
    fs::create_dir_all(part.parent().unwrap()).unwrap();
    let other = fs::File::create(&part).unwrap();
    other.lock().unwrap();
    let (fine, text) = fetch(root.path(), &server.url(), &[]);
    assert!(!fine && text.contains("another fetch is writing it"), "{text}");
    assert!(part.exists(), "the part of the other is left alone");
    drop(other);
    assert!(fetch(root.path(), &server.url(), &[]).0);
    assert!(target.exists());
}

#[test]
fn a_wrong_checksum_leaves_nothing() {
    let server = serve(|_| {
        let mut wrong = content();
        wrong[100_000] ^= 1;
        Reply::whole(&wrong)
    });
    let (root, target, part) = folder();
    let (fine, text) = fetch(root.path(), &server.url(), &[]);
    assert!(!fine && text.contains(&format!("expected {SHA1}; what came was thrown away")), "{text}");
    assert!(!target.exists() && !part.exists());
}

#[test]
fn a_damaged_part_is_found_out() {
    let server = serve(|request| Reply::file(request, &content()).header("ETag: \"one\""));
    let (root, target, part) = folder();
    fs::create_dir_all(part.parent().unwrap()).unwrap();
    fs::write(&part, vec![7; 1000]).unwrap();
    let url = format!("{}/testwiki/20240101/testwiki-20240101-pages-articles.xml.bz2", server.url());
    fs::write(root.path().join(format!("{DUMP}.part.from")), format!("{url}\n\"one\"")).unwrap();
    let (fine, text) = fetch(root.path(), &server.url(), &[]);
    assert!(!fine && text.contains("the SHA-1 sum is"), "{text}");
    assert!(!part.exists());
    assert!(fetch(root.path(), &server.url(), &[]).0, "the second attempt starts over");
    assert_eq!(fs::read(&target).unwrap(), content());
}

#[test]
fn without_published_sums_the_sum_is_printed_and_parts_need_a_validator() {
    let calls = AtomicUsize::new(0);
    let server = Server::start(move |request| match request.path.ends_with("sha1sums.txt") {
        true => Reply::not_found(),
        false if calls.fetch_add(1, Ordering::SeqCst) == 0 => Reply::whole(&content()).cut(5000),
        false => Reply::file(request, &content()),
    });
    let (root, target, _) = folder();
    assert!(!fetch(root.path(), &server.url(), &[]).0);
    let (fine, text) = fetch(root.path(), &server.url(), &[]);
    assert!(fine && text.contains("note: no published checksums"), "{text}");
    assert!(text.contains("not compared with any published sum; SHA-256 2c4085b1ab9817526311b5a5b04451140dc922067c6922a59a77e1503918357b"), "{text}");
    assert_eq!(server.requests().last().unwrap().range(), None, "nothing tells whether the part still fits");
    assert_eq!(fs::read(&target).unwrap(), content());
}

#[test]
fn what_is_too_large_is_refused() {
    // Announced, and not announced.
    let announced = serve(|_| Reply::whole(&content()));
    let silent = serve(|_| Reply { headers: Vec::new(), ..Reply::whole(&content()) });
    for (server, kept) in [(announced, 0), (silent, 1)] {
        let (root, target, part) = folder();
        let (fine, text) = fetch(root.path(), &server.url(), &["--max-size", "150kB"]);
        assert!(
            !fine && text.contains("above the limit of 150.00 kB; to allow it, give --max-size"),
            "{text}"
        );
        assert!(!target.exists());
        let part = fs::metadata(&part).map_or(0, |part| part.len());
        assert!(part <= 150_000 && (part > 0) == (kept > 0), "{part}");
    }
    let silent = serve(|_| Reply { headers: Vec::new(), ..Reply::whole(&content()) });
    let (root, target, _) = folder();
    assert!(fetch(root.path(), &silent.url(), &[]).0, "a body without a length ends with the connection");
    assert_eq!(fs::read(&target).unwrap(), content());
}

#[test]
fn servers_that_have_nothing_are_named() {
    let server = serve(|_| Reply::not_found());
    let (root, target, _) = folder();
    let (fine, text) = fetch(root.path(), &server.url(), &[]);
    assert!(!fine && text.contains("the server answers 404 Not Found"), "{text}");
    assert!(text.contains(&server.url()), "{text}");
    // A port that nobody listens on.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (fine, text) = fetch(root.path(), &format!("http://{free}"), &[]);
    assert!(!fine && text.contains("no answer from the server") && text.contains("refused"), "{text}");
    assert!(!target.exists());
    assert_eq!(names(root.path()), 0);
}

/// Whatever a server answers, what had come is not lost before something better comes.
#[test]
fn a_wrong_address_does_not_cost_the_part() {
    let server = serve(|_| Reply::not_found());
    let (root, _, part) = folder();
    fs::create_dir_all(part.parent().unwrap()).unwrap();
    fs::write(&part, &content()[..1000]).unwrap();
    assert!(!fetch(root.path(), &server.url(), &[]).0);
    let large = serve(|_| Reply::whole(&content()));
    assert!(!fetch(root.path(), &large.url(), &["--max-size", "150kB"]).0);
    assert_eq!(fs::metadata(&part).unwrap().len(), 1000);
}

#[test]
fn a_server_that_falls_silent_is_given_up() {
    // It listens, and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let (root, ..) = folder();
    let (fine, text) = fetch(root.path(), &url, &["--timeout", "1"]);
    assert!(!fine && text.contains("timeout"), "{text}");
}

#[test]
fn a_vocabulary_must_have_the_right_number_of_words() {
    let words = |n: usize| (0..n).map(|i| format!("word{i}\n")).collect::<String>();
    for (text, expected) in [
        (words(7702), "note: 7702 words, but not byte for byte"),
        (words(7701), "7701 words, expected 7702; what came was thrown away"),
        ("same\nsame\n".into(), "is no vocabulary"),
    ] {
        let fine = text.len() > 60_000 && expected.starts_with("note");
        let server = Server::start(move |request| match request.path.as_str() {
            "/blei-lab/onlineldavb/master/dictnostops.txt" => Reply::whole(text.as_bytes()),
            _ => Reply::not_found(),
        });
        let root = tempfile::tempdir().unwrap();
        let output =
            xtask(root.path(), &["fetch", "vocabulary", "--base-url", &server.url()]).output().unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(said.contains(expected), "{said}");
        assert_eq!(output.status.success(), fine);
        assert_eq!(root.path().join("wikipedia/wiki.vocab").exists(), fine);
        assert_eq!(names(root.path()), usize::from(fine), "nothing else is left");
    }
}

#[test]
fn status_says_what_is_missing_and_how_to_get_it() {
    let root = tempfile::tempdir().unwrap();
    let output = xtask(root.path(), &[]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    assert_eq!(text.matches("missing").count(), 9, "{text}");
    for remedy in ["fetch msweb", "fetch vocabulary", "fetch wikipedia", "wikiextractor"] {
        assert!(text.contains(remedy), "{remedy}: {text}");
    }

    fs::create_dir_all(root.path().join("msweb")).unwrap();
    fs::write(root.path().join("msweb/anonymous-msweb.data"), "cut off").unwrap();
    fs::create_dir_all(root.path().join("wikipedia/extracted/AA")).unwrap();
    let article = "<doc id=\"1\" url=\"\" title=\"T\">\nT\n\nA river, a bank, a river.\n</doc>\n";
    fs::write(root.path().join("wikipedia/extracted/AA/wiki_00"), article.repeat(3)).unwrap();
    fs::write(root.path().join("wikipedia/wiki.vocab"), "river\nbank\n").unwrap();
    fs::write(root.path().join("wikipedia/a.xml"), "<mediawiki><page>").unwrap();
    let output = xtask(root.path(), &["status", "--check"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("3 articles, 9 tokens in the vocabulary"), "{text}");
    assert!(text.contains("2 words"), "{text}");
    assert!(
        text.contains("7 bytes, expected 1423098; delete it, then: cargo xtask data fetch msweb"),
        "{text}"
    );
    assert!(text.contains("the input ends early"), "{text}");
    assert!(!output.status.success());
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.contains("not what they should be: msweb/anonymous-msweb.data, wikipedia/a.xml"),
        "{error}"
    );
}

/// With the real data at hand, all of it is right.
#[test]
fn the_real_data_is_complete() {
    let Some(folder) = std::env::var_os("SCIR_DATA") else {
        eprintln!("skipped: set SCIR_DATA to the data folder");
        return;
    };
    let output = xtask(Path::new(&folder), &["--check"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for counts in [
        "32,711 users, 98,654 visits",
        "5,000 users, 15,191 visits",
        "100,000 articles, 14,907,561 tokens in the vocabulary",
        "7,702 words",
        "3,430 documents, 467,714 tokens",
        "2,246 documents, 435,838 tokens",
    ] {
        assert!(text.contains(counts), "{counts}: {text}");
    }
    assert!(output.status.success());
}
