#![doc = include_str!("../README.md")]

pub use ndarray;
pub use rand;
pub use scir_core as core;
pub use scir_data as data;
pub use scir_eval as eval;
pub use scir_models as models;

/// What most programs need: `use scir::prelude::*;`
pub mod prelude {
    pub use scir_core::{
        BetaProcess, BetaState, Cir, Exact, ExpOu, GenGamma, Method, Place, Purpose, Report, Scir, ScirVm,
        Sgld, Sgrld, Simplex, StepSize, Streams, Target, Transition, estimate_counts, scale_counts,
        step_block,
    };
    pub use scir_data::{
        BatchOrder, Batching, Completion, Corpus, Document, Encoder, Generator, Minibatch, Prefetch,
        StreamBatching, TestDocuments, TextSource, Tokenizer, Vocabulary, VocabularyRules,
    };
    pub use scir_eval::{DirichletKs, effective_sample_size, split_r_hat};
    pub use scir_models::dp::Multinomials;
    pub use scir_models::{
        Categorical, CollapsedLda, ControlVariates, CvSettings, DpMixture, DpSettings, Lda, LdaSettings,
        Model, Observer, Sampler,
    };
}
