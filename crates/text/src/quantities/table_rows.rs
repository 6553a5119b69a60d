//! Reads the tables of currencies and units.

/// The lines of a table of this crate, cut at tabs; lines that begin with `#` are left out.
pub(super) fn rows<const N: usize>(table: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let mut cells = line.split('\t');
        std::array::from_fn(|_| cells.next().unwrap_or_default())
    })
}
