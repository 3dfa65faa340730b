//! Telling formats apart by what the first lines look like.

use super::{Input, InputFormat};
use anyhow::Result;
use scir_data::Source;
use scir_data::source::files_under;

/// How many lines are looked at.
const LINES: usize = 3;

pub(super) fn detect(input: &Input) -> Result<InputFormat> {
    if input.path.is_dir() {
        let first = &files_under(&input.path)?[0];
        // Files without content are documents without words.
        let looks = match Source::open(first) {
            Err(scir_data::Error::Empty { .. }) => InputFormat::TextFiles,
            opened => by_content(opened?)?,
        };
        return Ok(match looks {
            InputFormat::Wikiextractor => InputFormat::Wikiextractor,
            _ => InputFormat::TextFiles,
        });
    }
    // By its first lines, a table could as well be text with commas.
    if input.path.extension().is_some_and(|extension| extension == "csv") {
        return Ok(InputFormat::Csv);
    }
    by_content(input.source()?)
}

fn by_content(mut source: Source) -> Result<InputFormat> {
    let mut lines = Vec::new();
    let mut line = Vec::new();
    while lines.len() < LINES && source.next_line(&mut line)? {
        // Only how a line begins counts, and a line may be the whole file.
        let head = String::from_utf8_lossy(&line[..line.len().min(4096)]).into_owned();
        if !(lines.is_empty() && head.trim().is_empty()) {
            lines.push(head);
        }
    }
    Ok(of_lines(&lines))
}

fn of_lines(lines: &[String]) -> InputFormat {
    let first = lines.first().map(|line| line.trim_start()).unwrap_or_default();
    let number = |line: &String| !line.trim().is_empty() && line.trim().bytes().all(|b| b.is_ascii_digit());
    match first {
        _ if first.to_ascii_lowercase().starts_with("%%matrixmarket") => InputFormat::MatrixMarket,
        _ if first.starts_with("<doc ") => InputFormat::Wikiextractor,
        _ if first.starts_with("<mediawiki") || first.starts_with("<?xml") => InputFormat::Mediawiki,
        _ if first.starts_with('{') => InputFormat::JsonLines,
        _ if lines.len() == LINES && lines.iter().all(number) => InputFormat::Uci,
        _ if lines.iter().all(|line| is_lda_c(line)) && lines.iter().any(|line| line.contains(':')) => {
            InputFormat::LdaC
        }
        _ if !lines.is_empty() && lines.iter().all(|line| is_msweb(line)) => InputFormat::Msweb,
        _ => InputFormat::Lines,
    }
}

/// `M id:count …`, as far as the line is seen.
fn is_lda_c(line: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut fields = line.split_ascii_whitespace();
    let pair = |field: &str| field.split_once(':').is_some_and(|(id, count)| digits(id) && digits(count));
    fields.next().is_some_and(digits) && fields.next().is_none_or(pair)
}

/// A letter that the format knows, a comma, and a number or a quotation mark.
fn is_msweb(line: &str) -> bool {
    let mut characters = line.chars();
    let [letter, comma, value] = [(); 3].map(|()| characters.next().unwrap_or(' '));
    "IANTCV".contains(letter) && comma == ',' && (value.is_ascii_digit() || value == '"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_their_first_lines() {
        let of = |text: &str| of_lines(&text.lines().map(Into::into).collect::<Vec<_>>());
        for (text, format) in [
            ("the river\nbank", InputFormat::Lines),
            ("", InputFormat::Lines),
            ("1984\n\nwas a year", InputFormat::Lines),
            ("12:30 noon", InputFormat::Lines),
            ("{\"text\": \"a\"}", InputFormat::JsonLines),
            ("<doc id=\"1\" title=\"a\">", InputFormat::Wikiextractor),
            ("<mediawiki xmlns=\"x\">", InputFormat::Mediawiki),
            ("2 0:1 7:3\n0\n1 4:4", InputFormat::LdaC),
            ("3430\n6906\n353160\n", InputFormat::Uci),
            ("%%MatrixMarket matrix coordinate real general", InputFormat::MatrixMarket),
            ("I,4,\"www\",\"x\"\nT,1,\"VRoot\"\nN,0,\"0\"", InputFormat::Msweb),
            ("A, B and C", InputFormat::Lines),
        ] {
            assert_eq!(of(text), format, "{text:?}");
        }
    }
}
