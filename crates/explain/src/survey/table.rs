//! Bridges between USB and disks: rows of `data/usb_bridges.tsv`.

use record::table::Table;

const BRIDGES: Table = Table::of(include_str!("../../../../data/usb_bridges.tsv"));

/// A bridge between USB and a disk.
pub(crate) struct Bridge {
    /// What it is.
    pub(crate) name: &'static str,
    /// Speed of its USB side.
    pub(crate) mbit_per_s: u32,
}

/// The bridge with these numbers.
pub(crate) fn bridge(vendor: u16, product: u16) -> Option<Bridge> {
    BRIDGES.rows().find_map(|row| {
        let fits = row.number("vendor") == Some(vendor.into()) && row.number("product") == Some(product.into());
        Some(Bridge { name: row.get("name"), mbit_per_s: row.get("speed").parse().ok()? }).filter(|_| fits)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bridge_is_found() {
        for row in BRIDGES.rows() {
            let number = |column| u16::try_from(row.number(column).unwrap()).unwrap();
            assert_eq!(bridge(number("vendor"), number("product")).unwrap().name, row.get("name"));
        }
        assert!(bridge(1, 1).is_none());
    }
}
