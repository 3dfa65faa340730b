//! How often a checkpoint is made.

use std::str::FromStr;
use std::time::Duration;

/// How often a checkpoint is made. The moment does not change the numbers of a run.
///
/// ```
/// use scir_models::checkpoint::Every;
/// use std::time::Duration;
/// assert_eq!("100".parse(), Ok(Every::Iterations(100)));
/// assert_eq!("5m".parse(), Ok(Every::Time(Duration::from_secs(300))));
/// assert_eq!("never".parse(), Ok(Every::Never));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Every {
    /// After so many iterations.
    Iterations(u64),
    /// After the first iteration that ends so long after the last checkpoint.
    Time(Duration),
    /// Only when the run ends.
    Never,
}

impl FromStr for Every {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let seconds = |digits: &str, unit: u64| Some(Duration::from_secs(digits.parse::<u64>().ok()? * unit));
        let every = match text.char_indices().next_back() {
            _ if text == "never" => Some(Self::Never),
            Some((end, 's')) => seconds(&text[..end], 1).map(Self::Time),
            Some((end, 'm')) => seconds(&text[..end], 60).map(Self::Time),
            Some((end, 'h')) => seconds(&text[..end], 3600).map(Self::Time),
            _ => text.parse().ok().map(Self::Iterations),
        };
        every.filter(|every| *every != Self::Iterations(0)).ok_or_else(|| {
            format!(
                "'{text}' is not how often: give a number of updates, a time like 30s, 5m or 1h, or never"
            )
        })
    }
}
