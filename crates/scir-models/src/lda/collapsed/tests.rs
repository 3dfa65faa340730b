//! Tests of the collapsed sampler's state: counts always agree with the topics of tokens.

use super::*;
use scir_data::Document;

fn corpus() -> Corpus {
    let documents = (0..40u32).map(|d| {
        let tokens = (0..d % 7 * 5).map(|i| (d * 3 + i * i) % 11).collect();
        Ok(Document::from_tokens(tokens))
    });
    Corpus::collect(documents).unwrap()
}

#[test]
fn counts_are_those_of_the_tokens() {
    for parts in [1, 2, 3, 50] {
        let settings = LdaSettings { topics: 5, ..LdaSettings::default() };
        let mut sampler = CollapsedLda::new(settings, &corpus(), parts, 7).unwrap();
        for _ in 0..3 {
            sampler.sweep().unwrap();
        }
        let mut totals = vec![0i64; 5];
        for &z in sampler.tokens.iter().flat_map(Tokens::z) {
            totals[z as usize] += 1;
        }
        assert_eq!(totals, sampler.totals, "{parts} parts");
        assert_eq!(totals.iter().sum::<i64>() as u64, corpus().tokens());
        let mut by_word = vec![0i64; 5];
        for word in 0..11 {
            let (group, row) = sampler.partition.place(word);
            let counts = sampler.words[group].row(row);
            by_word.iter_mut().zip(counts).for_each(|(sum, &count)| *sum += i64::from(count));
            let expected: u64 = corpus()
                .docs()
                .flat_map(|doc| doc.iter())
                .filter(|&(id, _)| id as usize == word)
                .map(|(_, n)| u64::from(n))
                .sum();
            assert_eq!(counts.iter().map(|&n| u64::from(n)).sum::<u64>(), expected, "word {word}");
        }
        assert_eq!(by_word, totals);
    }
}
