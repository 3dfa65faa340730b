//! The parts of the page that are written in HTML: claims, figures, what was run.

use super::Figure;
use crate::reproduce::summary::{Entry, Summary, Verdict};
use std::fmt::Write;

/// Text as HTML.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// What the page is about, and a warning where data were generated.
pub(super) fn notice(summary: &Summary) -> String {
    let stand_ins: Vec<&str> =
        summary.entries().filter(|(_, entry)| entry.outcome.stand_in).map(|(name, _)| name).collect();
    if stand_ins.is_empty() {
        return String::new();
    }
    format!(
        "<p class=\"notice\" role=\"note\"><strong>Generated data.</strong> There was no real data for: {}. What is shown for \
         it was measured on generated stand-ins, and says nothing about the data of the paper.</p>",
        escape(&stand_ins.join(", "))
    )
}

/// A table with every claim.
pub(super) fn claims(summary: &Summary) -> String {
    let mut html = String::new();
    for (name, entry) in summary.entries() {
        for claim in &entry.outcome.claims {
            let (class, word) = match claim.verdict {
                Verdict::Confirmed => ("yes", "confirmed"),
                Verdict::NotConfirmed => ("no", "not confirmed"),
            };
            let generated =
                if entry.outcome.stand_in { " <em class=\"generated\">generated stand-in</em>" } else { "" };
            let numbers: Vec<String> =
                claim.numbers.iter().map(|(name, number)| format!("{} {number:.4}", escape(name))).collect();
            // Writing to a string does not fail.
            let _ = writeln!(
                html,
                "<tr><td><span class=\"verdict {class}\">{word}</span></td><td>{} <span class=\"source\">{}</span></td>\
                 <td>{}{generated}<details><summary>numbers</summary>{}</details></td><td>{name}</td></tr>",
                escape(&claim.claim),
                escape(&claim.source),
                escape(&claim.measured),
                numbers.join("<br>")
            );
        }
    }
    html
}

/// A figure with its caption and the names of its tables, which the script fills in.
pub(super) fn figure(figure: &Figure, svg: &str, tables: &[String]) -> String {
    let start = svg.find("<svg").unwrap_or(0);
    let label = escape(&format!("{}: {}", figure.title, figure.shows));
    let svg = svg[start..].replacen("<svg", &format!("<svg role=\"img\" aria-label=\"{label}\""), 1);
    let tables: String = tables
        .iter()
        .map(|name| {
            format!(
                "<details class=\"numbers\" data-table=\"{0}\"><summary>{0}</summary></details>",
                escape(name)
            )
        })
        .collect();
    format!(
        "<figure id=\"{}\"><h3>{}</h3><div class=\"picture\">{svg}</div><figcaption>{}</figcaption>{tables}</figure>\n",
        figure.file,
        escape(figure.title),
        escape(figure.shows)
    )
}

/// Seeds, threads, versions, times and data of each experiment.
pub(super) fn run_information(summary: &Summary) -> String {
    let row = |(name, entry): (&str, &Entry)| {
        let sum = entry.outcome.data_sum.as_deref().map_or("–".to_owned(), |sum| {
            format!("<code title=\"SHA-256 of the word counts: {sum}\">{}…</code>", &sum[..sum.len().min(12)])
        });
        format!(
            "<tr><th scope=\"row\">{name}</th><td>{}</td><td>1 to {}</td><td>{}</td><td>{:.1} s</td><td>{}</td><td>{}</td>\
             <td data-time=\"{}\"></td><td>{}</td><td>{sum}</td></tr>\n",
            escape(&entry.scale),
            entry.seeds,
            entry.threads,
            entry.seconds,
            escape(&entry.version),
            escape(&entry.platform),
            entry.finished,
            escape(&entry.outcome.data)
        )
    };
    summary.entries().map(row).collect()
}
