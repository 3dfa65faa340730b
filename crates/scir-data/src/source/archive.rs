//! Decompression that is told apart by content, guarded against bombs, and strict about the end.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use super::Limits;
use crate::error::{Error, Place};

/// Ratios say little about small files: below this size a file may expand as it likes.
const RATIO_COUNTS_FROM: u64 = 64 << 20;

/// How many bytes are needed to know a format by its content.
pub(super) const MAGIC: usize = 10;

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// As gzip, one or more members.
    Gzip,
    /// As bzip2, one or more streams.
    Bzip2,
}

impl Compression {
    /// What the first bytes of a file say; a file name is never asked.
    pub fn of(head: &[u8]) -> Self {
        // After "BZh" and the block size comes the magic number of a block or of the end of the stream.
        const BLOCK: [u8; 6] = [0x31, 0x41, 0x59, 0x26, 0x53, 0x59];
        const END: [u8; 6] = [0x17, 0x72, 0x45, 0x38, 0x50, 0x90];
        match head {
            [0x1f, 0x8b] | [0x1f, 0x8b, 0x08, ..] => Self::Gzip,
            [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..] => {
                let rest = &rest[..rest.len().min(6)];
                // Even of a file that ends within its head, as far as the head goes.
                if BLOCK.starts_with(rest) || END.starts_with(rest) { Self::Bzip2 } else { Self::None }
            }
            _ => Self::None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::None => "plain",
            Self::Gzip => "gzip",
            Self::Bzip2 => "bzip2",
        }
    }
}

/// Counts the bytes that the decompressor has taken.
struct Counted<R> {
    inner: BufReader<R>,
    taken: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.taken += n as u64;
        Ok(n)
    }
}

impl<R: Read> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.taken += amount as u64;
        self.inner.consume(amount);
    }
}

enum Decoder<R> {
    Plain(Counted<R>),
    #[cfg(feature = "compression")]
    Gzip(Box<flate2::bufread::MultiGzDecoder<Counted<R>>>),
    #[cfg(feature = "compression")]
    Bzip2(Box<bzip2::bufread::MultiBzDecoder<Counted<R>>>),
}

/// The decompressed bytes. Errors are those of this crate, wrapped for `std::io`.
pub(super) struct Archive<R> {
    decoder: Decoder<R>,
    compression: Compression,
    file: Arc<Path>,
    limits: Limits,
    expanded: u64,
}

impl<R: Read> Archive<R> {
    /// `head` is the start of what `inner` will yield.
    pub(super) fn new(head: &[u8], inner: R, file: Arc<Path>, limits: Limits) -> Result<Self, Error> {
        let compression = Compression::of(head);
        let counted = Counted { inner: BufReader::with_capacity(64 << 10, inner), taken: 0 };
        let decoder = match compression {
            Compression::None => Decoder::Plain(counted),
            #[cfg(feature = "compression")]
            Compression::Gzip => Decoder::Gzip(Box::new(flate2::bufread::MultiGzDecoder::new(counted))),
            #[cfg(feature = "compression")]
            Compression::Bzip2 => Decoder::Bzip2(Box::new(bzip2::bufread::MultiBzDecoder::new(counted))),
            #[cfg(not(feature = "compression"))]
            other => {
                return Err(Error::CompressionDisabled { path: file.to_path_buf(), format: other.name() });
            }
        };
        Ok(Self { decoder, compression, file, limits, expanded: 0 })
    }

    fn taken(&self) -> u64 {
        match &self.decoder {
            Decoder::Plain(counted) => counted.taken,
            #[cfg(feature = "compression")]
            Decoder::Gzip(decoder) => decoder.get_ref().taken,
            #[cfg(feature = "compression")]
            Decoder::Bzip2(decoder) => decoder.get_ref().taken,
        }
    }

    fn explain(&self, error: io::Error) -> io::Error {
        let format = self.compression.name();
        match error.kind() {
            // What the disk says must stay what the disk says.
            _ if self.compression == Compression::None || error.raw_os_error().is_some() => error,
            io::ErrorKind::Interrupted => error,
            io::ErrorKind::UnexpectedEof => {
                let place = Place { file: Arc::clone(&self.file), line: None, byte: self.taken() };
                let expected = format!("more {format} data: the file is cut off");
                io::Error::other(Error::Truncated { place, expected: expected.into() })
            }
            _ => {
                let (file, byte) = (Arc::clone(&self.file), self.taken());
                io::Error::other(Error::Damaged { file, format, byte, reason: error.to_string() })
            }
        }
    }

    fn check_expansion(&self) -> io::Result<()> {
        let compressed = self.taken();
        let by_ratio = compressed.saturating_mul(self.limits.ratio).max(RATIO_COUNTS_FROM);
        let (limit, setting) = if self.limits.expanded <= by_ratio {
            (self.limits.expanded, "expanded")
        } else {
            (by_ratio, "ratio")
        };
        if self.compression != Compression::None && self.expanded > limit {
            let file = Arc::clone(&self.file);
            return Err(io::Error::other(Error::Bomb { file, compressed, limit, setting }));
        }
        Ok(())
    }
}

impl<R: Read> Read for Archive<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.decoder {
            Decoder::Plain(counted) => counted.read(buf),
            #[cfg(feature = "compression")]
            Decoder::Gzip(decoder) => decoder.read(buf),
            #[cfg(feature = "compression")]
            Decoder::Bzip2(decoder) => decoder.read(buf),
        };
        let n = read.map_err(|error| self.explain(error))?;
        self.expanded += n as u64;
        self.check_expansion()?;
        Ok(n)
    }
}
