//! Bridges between USB and disks: rows of `data/usb_bridges.tsv`.

use record::table::Table;

const BRIDGES: Table = Table::of(include_str!("../../../../data/usb_bridges.tsv"));

/// A bridge between USB and a disk.
pub(crate) struct Bridge {
    /// Kind.
    pub(crate) name: &'static str,
    /// Speed of the USB side in Mbit/s; the lowest if several chips share these numbers.
    pub(crate) mbit_per_s: u32,
}

/// The bridge with these numbers.
pub(crate) fn bridge(vendor: u16, product: u16) -> Option<Bridge> {
    BRIDGES.rows().find_map(|row| {
        let fits = row.number("vendor") == Some(vendor.into()) && row.number("product") == Some(product.into());
        let slowest = row.get("speed").split('/').filter_map(|speed| speed.parse().ok()).min();
        Some(Bridge { name: row.get("name"), mbit_per_s: slowest? }).filter(|_| fits)
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
        // Chips with these numbers reach 10 or 5 Gbit/s: a link at 5 is not slow.
        assert_eq!(bridge(0x174c, 0x55aa).map(|bridge| bridge.mbit_per_s), Some(5000));
        assert_eq!(bridge(0x2109, 0x0715).map(|bridge| bridge.mbit_per_s), Some(10_000));
    }
}
