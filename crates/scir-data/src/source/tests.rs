//! Lines, archives whole and broken, and the limits.

#[cfg(feature = "compression")]
use std::io::Write;

use super::*;

fn source(bytes: &[u8], limits: Limits) -> Result<Source> {
    Source::from_reader("<test>", io::Cursor::new(bytes.to_vec()), limits)
}

fn lines(bytes: &[u8], limits: Limits) -> Result<Vec<String>> {
    let mut source = source(bytes, limits)?;
    let (mut line, mut lines) = (Vec::new(), Vec::new());
    while source.next_line(&mut line)? {
        lines.push(String::from_utf8(line.clone()).unwrap());
    }
    Ok(lines)
}

fn refusal(bytes: &[u8], limits: Limits) -> String {
    lines(bytes, limits).unwrap_err().to_string()
}

#[cfg(feature = "compression")]
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[cfg(feature = "compression")]
fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn line_breaks_are_taken_off() {
    let found = lines(b"\xef\xbb\xbfa\r\n\nb\xc3\xa9\n\rc", Limits::default()).unwrap();
    assert_eq!(found, ["a", "", "bé", "\rc"]);
}

#[test]
fn places_count_lines_and_bytes() {
    let mut source = source(b"ab\ncd\r\nef", Limits::default()).unwrap();
    let mut line = Vec::new();
    let mut places = Vec::new();
    while source.next_line(&mut line).unwrap() {
        places.push((source.place().line.unwrap(), source.place().byte));
    }
    assert_eq!(places, [(1, 0), (2, 3), (3, 7)]);
}

#[test]
fn a_long_line_is_refused_where_it_starts() {
    let limits = Limits { line: 4, ..Limits::default() };
    assert_eq!(lines(b"1234\n1234\r", limits).unwrap_err().to_string(), refusal(b"1234\n12345", limits));
    assert_eq!(
        refusal(b"1234\n12345", limits),
        "<test>:2: the line is longer than the limit of 4 bytes (to allow it, raise `Limits::line`)"
    );
}

/// A line of a gigabyte never gets into memory: the reader stops at the limit.
#[test]
fn a_line_of_a_gigabyte_is_refused_early() {
    struct Endless(u64);
    impl Read for Endless {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let n = buf.len().min(self.0 as usize);
            buf[..n].fill(b'x');
            self.0 -= n as u64;
            assert!(self.0 > 900 << 20, "read far beyond the limit");
            Ok(n)
        }
    }
    let mut source = Source::from_reader("<test>", Endless(1 << 30), Limits::default()).unwrap();
    assert!(matches!(source.next_line(&mut Vec::new()), Err(Error::TooLong { .. })));
}

#[test]
fn nothing_is_not_an_input() {
    assert_eq!(refusal(b"", Limits::default()), "<test>: is empty, expected content");
}

#[test]
fn a_directory_is_not_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let refused = Source::open(folder.path()).err().unwrap();
    assert_eq!(refused.to_string(), format!("{}: is a directory, expected a file", folder.path().display()));
    let missing = Source::open(folder.path().join("no")).err().unwrap();
    assert!(missing.to_string().ends_with("No such file or directory (os error 2)"), "{missing}");
}

#[test]
fn an_empty_folder_is_refused_and_a_full_one_is_sorted() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(files_under(folder.path()), Err(Error::Empty { .. })));
    for name in ["b/2", "b/10", "a", ".hidden"] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    }
    let found = files_under(folder.path()).unwrap();
    assert!(
        found
            .iter()
            .map(|path| path.strip_prefix(folder.path()).unwrap())
            .eq(["a", "b/10", "b/2"].map(Path::new))
    );
}

#[cfg(feature = "compression")]
#[test]
fn archives_of_many_members_are_read_to_the_end() {
    for pack in [gzip, bzip2] {
        let mut bytes = pack(b"one\n");
        bytes.extend(pack(b"two\n"));
        assert_eq!(lines(&bytes, Limits::default()).unwrap(), ["one", "two"]);
        assert_eq!(refusal(&pack(b""), Limits::default()), "<test>: is empty, expected content");
    }
    assert_eq!(lines(b"BZh9 is not an archive", Limits::default()).unwrap().len(), 1);
}

/// Cut anywhere, an archive is an error and never a short text.
#[cfg(feature = "compression")]
#[test]
fn archives_cut_anywhere_are_refused() {
    let text: Vec<u8> =
        (0..4000u32).flat_map(|i| format!("{}\n", i.wrapping_mul(2_654_435_761)).into_bytes()).collect();
    for pack in [gzip, bzip2] {
        let one = pack(&text);
        let mut two = one.clone();
        two.extend(pack(b"two\n"));
        for cut in (1..one.len()).step_by(97).chain(one.len() + 1..two.len()) {
            let refused = match lines(&two[..cut], Limits::default()) {
                Err(refused) => refused,
                // Fewer bytes than a magic number are no archive but some odd line.
                Ok(_) if cut < 4 => continue,
                Ok(_) => panic!("cut at {cut} of {}", two.len()),
            };
            assert!(matches!(refused, Error::Truncated { .. } | Error::Damaged { .. }), "{refused}");
        }
        let refused = refusal(&two[..one.len() / 2], Limits::default());
        assert!(refused.contains("the input ends early, expected more"), "{refused}");
    }
}

#[cfg(feature = "compression")]
#[test]
fn damage_is_found_by_checksum() {
    for pack in [gzip, bzip2] {
        let mut bytes = pack("some text that is long enough to be hit\n".repeat(20).as_bytes());
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x10;
        let refused = lines(&bytes, Limits::default()).unwrap_err();
        assert!(matches!(refused, Error::Damaged { .. } | Error::Truncated { .. }), "{refused}");
    }
    let mut bytes = bzip2(b"text\n");
    bytes.extend(b"trailing words");
    let refused = refusal(&bytes, Limits::default());
    assert!(refused.starts_with("<test>: damaged bzip2 data near byte"), "{refused}");
}

#[cfg(feature = "compression")]
#[test]
fn a_bomb_is_refused_with_the_remedy() {
    let line = [b"0".repeat(1 << 20), b"\n".to_vec()].concat();
    for (pack, name) in [(gzip as fn(&[u8]) -> Vec<u8>, "gzip"), (bzip2, "bzip2")] {
        let bytes = pack(&line.repeat(80));
        let refused = lines(&bytes, Limits::default()).unwrap_err();
        assert!(
            matches!(refused, Error::Bomb { limit: 0x400_0000, setting: "ratio", .. }),
            "{name}: {refused}"
        );
        let limits = Limits { expanded: 1 << 20, ..Limits::default() };
        let refused = refusal(&bytes, limits);
        assert!(refused.contains("compressed bytes expand to more than 1048576 bytes"), "{refused}");
        assert!(refused.ends_with("(if the file is trusted, raise `Limits::expanded`)"), "{refused}");
        let trusted = Limits { ratio: u64::MAX, ..Limits::default() };
        assert_eq!(lines(&bytes, trusted).unwrap().len(), 80);
    }
}

#[cfg(not(feature = "compression"))]
#[test]
fn without_the_feature_archives_are_refused_by_name() {
    assert_eq!(
        refusal(b"\x1f\x8b\x08\x00", Limits::default()),
        "<test>: is gzip data, which needs the feature `compression` of scir-data"
    );
}
