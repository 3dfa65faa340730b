//! Shows: clusters of one's own categorical records, from nothing but a CSV file with a header.
//!
//! Without a file the example writes one, about three kinds of animals, and checks that they come out as clusters.
//!
//! cargo run --release -p scir-models --example cluster_csv -- FILE.csv

use scir_core::{Exact, StepSize};
use scir_data::{Batching, Records};
use scir_models::dp::{DpMixture, DpSettings, Multinomials};
use scir_models::{Error, Sampler};
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given = std::env::args().nth(1).map(PathBuf::from);
    let file = given.clone().map_or_else(write_file, Ok)?;

    // Every column is a variable, every value that occurs a category; an empty field is missing. All records at a time and
    // exact draws make this Gibbs sampling; for millions of records take Scir and minibatches.
    let records = Records::open(&file)?;
    let data = records.corpus();
    let atoms = Multinomials::product(&records.sizes(), 0.5)?;
    let mut mixture = DpMixture::new(DpSettings::default(), atoms, data.len(), 1)?;
    let mut sampler = Sampler::new(Exact, StepSize::constant(1.0)?, data.len(), 1)?;
    let batches = Batching { size: data.len(), ..Batching::default() }.over(data)?.starting_at(0).take(300);
    sampler.run(&mut mixture, batches.map(Ok::<_, Error>), &mut [])?;
    for cluster in mixture.describe(1)? {
        let tops = cluster.top.iter().flatten();
        let tops: Vec<String> = tops
            .map(|&(id, p)| {
                format!("{} {} ({:.0} %)", records.category(id).0, records.category(id).1, 100.0 * p)
            })
            .collect();
        println!("{:>4} records: {}", cluster.size, tops.join(", "));
    }

    if given.is_none() {
        let z = mixture.allocations();
        let same = (0..z.len() - 3).filter(|&i| z[i] == z[i + 3]).count();
        let other = (0..z.len() - 1).filter(|&i| z[i] == z[i + 1]).count();
        assert!(same > 240 && other < 30, "kinds repeat every third line: {same} and {other} in one cluster");
        std::fs::remove_file(file)?;
    }
    Ok(())
}

/// Three hundred sightings of birds, fish and mammals, one in turn; some values are wrong and some are missing.
fn write_file() -> std::io::Result<PathBuf> {
    let kinds = [["feathers", "2", "air"], ["scales", "0", "water"], ["fur", "4", "land"]];
    let mut text = "cover,legs,element,hour\n".to_owned();
    for i in 0..300usize {
        let value = |variable: usize| match (i * 31 + variable * 17) % 23 {
            0 => "",
            1 => kinds[(i + 1) % 3][variable],
            _ => kinds[i % 3][variable],
        };
        text += &format!("{},{},{},{}\n", value(0), value(1), value(2), i * i % 7);
    }
    let file = std::env::temp_dir().join(format!("scir-records-{}.csv", std::process::id()));
    std::fs::write(&file, text)?;
    Ok(file)
}
