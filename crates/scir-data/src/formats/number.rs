//! Whole numbers in text, refused with their place if they are not.

use std::ops::RangeInclusive;

use crate::error::{Error, Place, Result};

/// The whole number that `field` is, within `range`.
///
/// What is a number but outside of the range (also a negative one, or one of a thousand digits) is out of
/// range; everything else is malformed.
pub(crate) fn integer(
    field: &[u8],
    name: &'static str,
    range: RangeInclusive<u64>,
    place: impl Fn() -> Place,
) -> Result<u64> {
    let digits = field.strip_prefix(b"-").or(field.strip_prefix(b"+")).unwrap_or(field);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(Error::malformed(place(), format!("{name} as a whole number"), field));
    }
    let magnitude =
        digits.iter().try_fold(0u64, |sum, digit| sum.checked_mul(10)?.checked_add(u64::from(digit - b'0')));
    let negative = field[0] == b'-';
    match magnitude {
        Some(value) if range.contains(&value) && (!negative || value == 0) => Ok(value),
        _ => Err(out_of_range(field, name, range, place())),
    }
}

/// The error for a number that is not in the range.
pub(super) fn out_of_range(
    field: &[u8],
    name: &'static str,
    range: RangeInclusive<u64>,
    place: Place,
) -> Error {
    const SHOWN: usize = 30;
    let mut value = String::from_utf8_lossy(&field[..field.len().min(SHOWN)]).into_owned();
    if field.len() > SHOWN {
        value.push('…');
    }
    let expected = format!("{} to {}", range.start(), range.end());
    Error::OutOfRange { place, name, value, expected }
}
