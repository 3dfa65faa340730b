//! Which brackets belong together.

/// What a pair of brackets encloses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `{{ … }}`
    Template,
    /// `{| … |}`, both at the start of a line
    Table,
    /// `[[ … ]]`
    Link,
}

/// A pair of brackets: from the first byte of the opening one to after the closing one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bracket {
    pub(super) open: usize,
    pub(super) end: usize,
    pub(super) kind: Kind,
}

/// Deeper brackets are not matched, which bounds the memory for those that are never closed.
const DEPTH: usize = 1000;

/// The brackets that are closed, in the order in which they open.
///
/// A closing bracket closes the last one of its kind, and gives up on those of another kind that were opened since.
pub(super) fn matched(text: &[u8]) -> Vec<Bracket> {
    let mut open: Vec<(usize, Kind)> = Vec::new();
    // How many of each kind are open, so that a stray closing bracket costs nothing.
    let mut waiting = [0usize; 3];
    let mut found = Vec::new();
    let mut line_start = true;
    let mut at = 0;
    while at < text.len() {
        let pair = (text[at], text.get(at + 1).copied().unwrap_or(b'\n'));
        let top = open.last().map(|&(_, kind)| kind);
        let (opens, kind) = match pair {
            (b'{', b'{') => (true, Kind::Template),
            (b'[', b'[') => (true, Kind::Link),
            (b'{', b'|') if line_start => (true, Kind::Table),
            (b'}', b'}') => (false, Kind::Template),
            (b']', b']') => (false, Kind::Link),
            (b'|', b'}') if line_start && top == Some(Kind::Table) => (false, Kind::Table),
            (byte, _) => {
                line_start = byte == b'\n' || (line_start && b" \t:*#".contains(&byte));
                at += 1;
                continue;
            }
        };
        if opens && open.len() < DEPTH {
            open.push((at, kind));
            waiting[kind as usize] += 1;
        } else if !opens && waiting[kind as usize] > 0 {
            while let Some((start, other)) = open.pop() {
                waiting[other as usize] -= 1;
                if other == kind {
                    found.push(Bracket { open: start, end: at + 2, kind });
                    break;
                }
            }
        }
        line_start = false;
        at += 2;
    }
    found.sort_unstable_by_key(|bracket| bracket.open);
    found
}
