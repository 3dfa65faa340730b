//! The fields of a line of comma-separated values.

/// The fields of a line: commas separate them unless they are in quotes; a quote in quotes is doubled.
pub(crate) fn fields(line: &[u8]) -> Vec<Vec<u8>> {
    let mut fields = vec![Vec::new()];
    let mut quoted = false;
    let mut bytes = line.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let field = fields.last_mut().expect("there is always a field");
        match byte {
            b'"' if quoted && bytes.peek() == Some(&b'"') => {
                bytes.next();
                field.push(b'"');
            }
            b'"' => quoted = !quoted,
            b',' if !quoted => fields.push(Vec::new()),
            _ => field.push(byte),
        }
    }
    fields
}
