//! Fuzzes `parsers::markup_and_words`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = scir_fuzz::parsers::markup_and_words(bytes);
});
