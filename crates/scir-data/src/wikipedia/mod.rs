//! Wikipedia: what wikiextractor wrote, or a MediaWiki dump as it was downloaded.

mod extracted;
mod markup;
mod pages;

pub use extracted::WikiExtractor;
pub use markup::Markup;
pub use pages::MediaWiki;
