//! Completions for shells, and the manual page: both are made from the command line's own description.

use crate::{Cli, output};
use anyhow::Result;
use clap::{Args, CommandFactory};
use std::io::Write;

#[derive(Args)]
pub(crate) struct Completions {
    /// The shell
    shell: clap_complete::Shell,
}

pub(crate) fn completions(arguments: &Completions) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "scir", &mut script);
    Ok(output::stdout().write_all(&script)?)
}

/// One page with all commands, those inside others after them.
pub(crate) fn man() -> Result<()> {
    let mut out = output::stdout();
    // Building it first gives the inner commands their full names.
    let mut command = Cli::command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(&mut out)?;
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        section(inner, &mut out)?;
        for innermost in inner.get_subcommands().filter(|inner| inner.get_name() != "help") {
            section(innermost, &mut out)?;
        }
    }
    Ok(out.flush()?)
}

fn section(command: &clap::Command, out: &mut impl Write) -> Result<()> {
    let name = command.get_bin_name().unwrap_or(command.get_name()).to_uppercase();
    writeln!(out, ".SH \"{name}\"")?;
    let page = clap_mangen::Man::new(command.clone());
    page.render_synopsis_section(out)?;
    page.render_description_section(out)?;
    if command.get_arguments().next().is_some() {
        page.render_options_section(out)?;
    }
    Ok(())
}
