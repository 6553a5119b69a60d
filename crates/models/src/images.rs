//! Images that a case names: only below the folder of its data set, never through a link, and of a kind that is known by the
//! content.

use std::path::{Component, Path, PathBuf};

use probare_core::Image;

/// Bytes of the largest image that is sent.
const LARGEST: u64 = 20 << 20;

/// An image cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ImageError(String);

/// Reads an image that a case names by a path below the folder of its data set.
pub fn read_image(folder: &Path, path: &str) -> Result<Image, ImageError> {
    let refused = |reason: &str| ImageError(format!("the image `{path}` {reason}"));
    let parts: Vec<Component<'_>> = Path::new(path).components().filter(|part| *part != Component::CurDir).collect();
    if parts.is_empty() || parts.iter().any(|part| !matches!(part, Component::Normal(_))) {
        return Err(refused("is not below the folder of the data set"));
    }
    let relative: PathBuf = parts.iter().collect();
    let bytes = bytes_below(folder, &relative).map_err(|problem| match problem {
        Problem::Link => refused("is reached through a link, which is not followed"),
        Problem::TooLarge => refused(&format!("is larger than {} MiB", LARGEST >> 20)),
        Problem::Other(reason) => refused(&format!("cannot be read: {reason}")),
    })?;
    let no_image = || ImageError(format!("`{path}` is not an image: neither PNG, JPEG, GIF nor WebP by its content"));
    Image::new(bytes).ok_or_else(no_image)
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

    fn refusal(folder: &Path, path: &str) -> String {
        read_image(folder, path).unwrap_err().to_string()
    }

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
            assert!(refusal(&data, outside).contains("is not below the folder"), "{outside}");
        }
        assert!(refusal(&data, "text.png").contains("is not an image"));
        assert!(refusal(&data, "deep").contains("cannot be read"));
        assert!(refusal(&data, "none.png").contains("cannot be read"));
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
        assert!(refusal(&data, "a.png").contains("through a link"));
        assert!(read_image(&data, "deep/a.png").is_err(), "a folder that is a link");
    }
}
