//! Images that a case names: only below the folder of its data set, never through a link, and of a kind that is known by the
//! content.

use std::path::{Component, Path, PathBuf};

use probare_core::Image;

/// Bytes of the largest image that is sent.
const LARGEST: u64 = 20 << 20;

/// An image cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// The path leads out of the folder.
    #[error("the image `{path}` is not below the folder of the data set")]
    Outside {
        /// As the case names it.
        path: String,
    },
    /// A part of the path is a link.
    #[error("the image `{path}` is reached through a link, which is not followed")]
    Link {
        /// As the case names it.
        path: String,
    },
    /// It is larger than any image that is sent.
    #[error("the image `{path}` is larger than {} MiB", LARGEST >> 20)]
    TooLarge {
        /// As the case names it.
        path: String,
    },
    /// It is of no kind that models take.
    #[error("`{path}` is not an image: neither PNG, JPEG, GIF nor WebP by its content")]
    Unknown {
        /// As the case names it.
        path: String,
    },
    /// It cannot be read.
    #[error("the image `{path}` cannot be read: {reason}")]
    Unreadable {
        /// As the case names it.
        path: String,
        /// What the system says.
        reason: String,
    },
}

/// Reads an image that a case names by a path below the folder of its data set.
pub fn read_image(folder: &Path, path: &str) -> Result<Image, ImageError> {
    let path_owned = || path.to_owned();
    let unreadable = |reason: String| ImageError::Unreadable { path: path_owned(), reason };
    let parts: Vec<Component<'_>> = Path::new(path).components().filter(|part| *part != Component::CurDir).collect();
    if parts.is_empty() || parts.iter().any(|part| !matches!(part, Component::Normal(_))) {
        return Err(ImageError::Outside { path: path_owned() });
    }
    let relative: PathBuf = parts.iter().collect();
    let bytes = bytes_below(folder, &relative).map_err(|problem| match problem {
        Problem::Link => ImageError::Link { path: path_owned() },
        Problem::TooLarge => ImageError::TooLarge { path: path_owned() },
        Problem::Other(reason) => unreadable(reason),
    })?;
    Image::new(bytes).ok_or_else(|| ImageError::Unknown { path: path_owned() })
}

enum Problem {
    Link,
    TooLarge,
    Other(String),
}

impl From<std::io::Error> for Problem {
    fn from(error: std::io::Error) -> Self {
        Self::Other(error.to_string())
    }
}

/// Opens step by step from the folder on, so that nobody can put a link in between after it was looked at.
#[cfg(unix)]
fn bytes_below(folder: &Path, relative: &Path) -> Result<Vec<u8>, Problem> {
    use rustix::fs::{Mode, OFlags, open, openat};
    let wrong = |error: rustix::io::Errno| match error {
        // What is a link where none is followed.
        rustix::io::Errno::LOOP => Problem::Link,
        error => Problem::Other(std::io::Error::from(error).to_string()),
    };
    let shut = OFlags::CLOEXEC | OFlags::RDONLY;
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut place = open(here, shut | OFlags::DIRECTORY, Mode::empty()).map_err(wrong)?;
    for part in relative.components() {
        // A pipe without a writer would be waited for.
        let flags = shut | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let opened = openat(&place, part.as_os_str(), flags, Mode::empty());
        place = match opened {
            Err(rustix::io::Errno::NOTDIR) => return Err(Problem::Other("it is below a file".to_owned())),
            other => other.map_err(wrong)?,
        };
    }
    limited(std::fs::File::from(place))
}

#[cfg(not(unix))]
fn bytes_below(folder: &Path, relative: &Path) -> Result<Vec<u8>, Problem> {
    let mut path = folder.to_owned();
    for part in relative.components() {
        path.push(part);
        if std::fs::symlink_metadata(&path)?.is_symlink() {
            return Err(Problem::Link);
        }
    }
    limited(std::fs::File::open(&path)?)
}

fn limited(file: std::fs::File) -> Result<Vec<u8>, Problem> {
    use std::io::Read;
    if !file.metadata()?.is_file() {
        return Err(Problem::Other("it is no file".to_owned()));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST { Err(Problem::TooLarge) } else { Ok(bytes) }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make the files that they need")]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_read_below_its_folder_and_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        std::fs::create_dir_all(data.join("deep")).unwrap();
        let png = b"\x89PNG\r\n\x1a\nrest";
        std::fs::write(data.join("deep/a.png"), png).unwrap();
        std::fs::write(data.join("text.png"), "not an image").unwrap();
        std::fs::write(folder.path().join("secret.png"), png).unwrap();
        assert_eq!(read_image(&data, "deep/a.png").unwrap().bytes(), png);
        assert_eq!(read_image(&data, "./deep/a.png").unwrap().bytes(), png);
        for outside in ["../secret.png", "deep/../../secret.png", "/etc/passwd", "", "."] {
            assert!(matches!(read_image(&data, outside), Err(ImageError::Outside { .. })), "{outside}");
        }
        assert!(matches!(read_image(&data, "text.png"), Err(ImageError::Unknown { .. })));
        assert!(matches!(read_image(&data, "deep"), Err(ImageError::Unreadable { .. })));
        assert!(matches!(read_image(&data, "none.png"), Err(ImageError::Unreadable { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed_wherever_they_stand() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        std::fs::create_dir_all(&data).unwrap();
        std::fs::create_dir_all(folder.path().join("other")).unwrap();
        std::fs::write(folder.path().join("other/a.png"), b"\x89PNG\r\n\x1a\n").unwrap();
        std::os::unix::fs::symlink("../other/a.png", data.join("a.png")).unwrap();
        std::os::unix::fs::symlink("../other", data.join("deep")).unwrap();
        assert!(matches!(read_image(&data, "a.png"), Err(ImageError::Link { .. })));
        assert!(read_image(&data, "deep/a.png").is_err(), "a folder that is a link");
    }
}
