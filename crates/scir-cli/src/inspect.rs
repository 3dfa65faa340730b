//! `scir inspect`: what a model file or a checkpoint is.

use crate::output::{self, Format, usage};
use anyhow::Result;
use clap::Args;
use scir_models::checkpoint::Snapshot;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A model or a checkpoint
    file: PathBuf,
    /// How it is written: text or json
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

const EXAMPLES: &str =
    "The whole file is read, and its checksum is compared: what is shown is what was written.

Examples:
  scir inspect m.scir
  scir inspect m.scir.checkpoints/000000000100.scir --format json";

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let snapshot = Snapshot::read(&arguments.file)?;
    let (about, [settings_hash, data_hash]) = (snapshot.about(), snapshot.hashes());
    let mut out = output::stdout();
    match arguments.format {
        Format::Csv => return Err(usage("--format csv: a file is no table; choose text or json")),
        Format::Json => {
            let parts: Value =
                snapshot.parts().map(|(name, bytes)| (name.to_owned(), json!(bytes))).collect();
            let all = json!({
                "kind": about.kind, "format": snapshot.format(), "version": snapshot.version(),
                "iteration": snapshot.iteration(), "settings": about.settings, "settings_sha256": settings_hash,
                "data": about.data, "data_sha256": data_hash, "notes": snapshot.notes(), "parts": parts,
            });
            writeln!(out, "{all}")?;
        }
        Format::Text => {
            writeln!(out, "kind       {}", about.kind)?;
            writeln!(out, "iteration  {}", snapshot.iteration())?;
            writeln!(out, "written by scir {}, format {}", snapshot.version(), snapshot.format())?;
            for (title, value, hash) in [
                ("settings", &about.settings, Some(settings_hash)),
                ("data", &about.data, Some(data_hash)),
                ("notes", snapshot.notes(), None),
            ] {
                writeln!(
                    out,
                    "{title}{}",
                    hash.map(|hash| format!("  (sha256 {hash})")).unwrap_or_default()
                )?;
                show(&mut out, "", value)?;
            }
            writeln!(out, "parts")?;
            for (name, bytes) in snapshot.parts() {
                writeln!(out, "  {name} = {bytes} bytes")?;
            }
        }
    }
    Ok(out.flush()?)
}

/// One line for each leaf, with its path.
fn show(out: &mut impl Write, path: &str, value: &Value) -> Result<()> {
    let inner = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Object(map) => map.iter().try_for_each(|(key, value)| show(out, &inner(key), value)),
        Value::Array(list) if list.iter().any(|value| value.is_object()) => {
            list.iter().enumerate().try_for_each(|(i, value)| show(out, &format!("{path}[{i}]"), value))
        }
        // What is not set is not worth a line.
        Value::Null => Ok(()),
        _ => Ok(writeln!(out, "  {path} = {value}")?),
    }
}
