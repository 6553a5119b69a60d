//! [`CasePictures`]: the pictures that the cases of a benchmark name, lent to the metrics by whoever may read files.

use std::fmt;
use std::sync::Arc;

use probare_core::{Image, Sample};

/// Key of the pictures of a run.
const PICTURES: u64 = 0x5347_4950;

/// Reads a picture by the path that a case names.
type ReadPicture = dyn Fn(&str) -> Result<Image, String> + Send + Sync;

/// Where pictures come from.
pub struct CasePictures(Box<ReadPicture>);

impl fmt::Debug for CasePictures {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("CasePictures")
    }
}

impl CasePictures {
    /// Pictures that this function reads.
    pub fn new(read: impl Fn(&str) -> Result<Image, String> + Send + Sync + 'static) -> Self {
        Self(Box::new(read))
    }

    /// The picture of this path.
    pub fn read(&self, path: &str) -> Result<Image, String> {
        (self.0)(path)
    }

    /// Lends them to the run of a sample.
    pub fn share_with_run(pictures: &Arc<Self>, sample: Sample<'_>) {
        let _ = sample.run_cached(PICTURES, || Some(Arc::clone(pictures)));
    }

    /// Those of the run; nothing where none were lent.
    pub fn from_run(sample: Sample<'_>) -> Option<Arc<Self>> {
        (*sample.run_cached::<Option<Arc<Self>>>(PICTURES, || None)).clone()
    }
}
