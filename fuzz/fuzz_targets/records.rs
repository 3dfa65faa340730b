//! Fuzzes `parsers::records`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = scir_fuzz::parsers::records(bytes);
});
