//! The tables `data/socs.tsv` and `data/soc_names.tsv`, parsed once. What the columns mean is said
//! in the tables' own heads.

use super::cores::Shape;
use super::spelling::{is_telling, squash};
use record::table::Table;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::LazyLock;

/// One SoC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Soc {
    /// Vendor.
    pub vendor: &'static str,
    /// Its name without the vendor.
    pub name: &'static str,
    /// Names that are printed next to it.
    pub also: Option<&'static str>,
    /// Year of release.
    pub year: Option<u16>,
    /// Highest nominal clock of the fastest cores in MHz.
    pub clock_mhz_max: Option<u32>,
    /// Source of the facts.
    pub source: &'static str,
    /// Other spellings and part numbers of the same chip.
    pub(super) aliases: Vec<&'static str>,
    /// Ways in which kernels show its cores.
    pub(super) shapes: Vec<Shape>,
    /// Words of the column `features`.
    pub(super) features: Vec<&'static str>,
    /// The row whose chip is in this package.
    pub(super) die: Option<usize>,
}

impl Soc {
    /// True if none of its cores runs 64-bit programs.
    pub(super) fn is_32_bit(&self) -> bool {
        !self.shapes.is_empty() && self.shapes.iter().all(Shape::is_32_bit)
    }

    /// `Rockchip RK3399`; names that begin with the vendor's stay as they are.
    pub fn full_name(&self) -> String {
        if self.name.starts_with(self.vendor) {
            return self.name.to_owned();
        }
        format!("{} {}", self.vendor, self.name)
    }
}

/// A row of `soc_names.tsv`.
#[derive(Debug)]
pub(super) struct NameRow {
    pub(super) value: &'static str,
    /// The same for texts in any case.
    pub(super) lowercase: String,
    pub(super) socs: Vec<usize>,
    /// True if only the vendor is named.
    pub(super) vendor_only: bool,
}

/// Both tables, with the ways to look things up.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) socs: Vec<Soc>,
    /// Rows of `soc_names.tsv` by their kind.
    pub(super) named: HashMap<&'static str, Vec<NameRow>>,
    /// SoCs by a string of `compatible`.
    pub(super) compatible: HashMap<&'static str, Vec<usize>>,
    /// SoCs by a name in squashed spelling.
    pub(super) spellings: HashMap<String, Vec<usize>>,
    /// SoCs by the vendor's name in squashed spelling.
    pub(super) vendors: HashMap<String, Vec<usize>>,
    /// SoCs by vendor and name, `Rockchip RK3399`.
    pub(super) by_name: HashMap<String, usize>,
    /// Vendors of `soc_vendors.tsv` by their prefix in `compatible`.
    pub(super) prefixes: HashMap<&'static str, &'static str>,
}

/// The tables that are part of the program.
pub(super) static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    Tables::parse(
        include_str!("../../../../data/socs.tsv"),
        include_str!("../../../../data/soc_names.tsv"),
        include_str!("../../../../data/soc_vendors.tsv"),
    )
});

/// About as many rows as the tables have: room that need not grow while they are read, which every short
/// command waits for.
const ROWS: usize = 1024;

/// Value of a cell; `None` for the dash.
fn cell(text: &'static str) -> Option<&'static str> {
    (text != "-").then_some(text)
}

impl Tables {
    fn parse(socs: &'static str, named: &'static str, vendors: &'static str) -> Self {
        let mut tables = Self {
            socs: Vec::with_capacity(ROWS),
            named: HashMap::new(),
            compatible: HashMap::with_capacity(ROWS),
            spellings: HashMap::with_capacity(4 * ROWS),
            vendors: HashMap::with_capacity(ROWS / 8),
            by_name: HashMap::new(),
            prefixes: Table::of(vendors).rows().map(|row| (row.get("prefix"), row.get("name"))).collect(),
        };
        let mut dies = Vec::new();
        for row in Table::of(socs).rows() {
            let Some([vendor, name, also, aliases, compatible, cores, features, clock, year, die, source]) =
                row.array()
            else {
                continue;
            };
            let index = tables.socs.len();
            tables.socs.push(Soc {
                vendor,
                name,
                also: cell(also),
                year: year.parse().ok(),
                clock_mhz_max: clock.parse().ok(),
                source,
                aliases: cell(aliases).map(|list| list.split(',').collect()).unwrap_or_default(),
                shapes: cores.split(" or ").filter_map(Shape::parse).collect(),
                features: cell(features).unwrap_or("").split_whitespace().collect(),
                die: None,
            });
            dies.push(cell(die));
            tables.spell(index, vendor, name, cell(also), cell(aliases));
            for text in cell(compatible).unwrap_or("").split_whitespace() {
                add(&mut tables.compatible, text, index);
            }
        }
        tables.link_dies(&dies);
        tables.add_names(named);
        tables
    }

    /// Every spelling of a name leads to its SoC.
    fn spell(
        &mut self,
        index: usize,
        vendor: &'static str,
        name: &'static str,
        also: Option<&'static str>,
        aliases: Option<&'static str>,
    ) {
        let vendor = squash(vendor);
        add(&mut self.vendors, vendor.clone(), index);
        let others = [also, aliases].into_iter().flatten();
        let others = others.flat_map(|list| list.split(','));
        for spelling in std::iter::once(name).chain(others) {
            let word = squash(spelling);
            add(&mut self.spellings, format!("{vendor}{word}"), index);
            if is_telling(&word) {
                add(&mut self.spellings, word, index);
            }
        }
    }

    /// A package answers to the `compatible` of the chip in it.
    fn link_dies(&mut self, dies: &[Option<&'static str>]) {
        for (index, die) in dies.iter().enumerate() {
            let Some(die) = *die else { continue };
            let vendor = self.socs[index].vendor;
            let is_die = |soc: &Soc| soc.vendor == vendor && soc.name == die;
            let Some(die) = self.socs.iter().position(is_die) else {
                continue;
            };
            self.socs[index].die = Some(die);
            for socs in self.compatible.values_mut() {
                if socs.contains(&die) && !socs.contains(&index) {
                    socs.push(index);
                }
            }
        }
    }

    fn add_names(&mut self, text: &'static str) {
        self.by_name = self.socs.iter().enumerate().map(key).collect();
        self.by_name.extend(self.socs.iter().enumerate().map(|(index, soc)| (soc.full_name(), index)));
        for row in Table::of(text).rows() {
            let Some([kind, value, list, _source]) = row.array() else { continue };
            let vendor_only = list.ends_with(" *");
            let socs: Vec<usize> = list
                .split(", ")
                .flat_map(|name| match name.strip_suffix(" *") {
                    Some(vendor) => self.vendors.get(&squash(vendor)).cloned(),
                    None => self.by_name.get(name).map(|index| vec![*index]),
                })
                .flatten()
                .collect();
            if kind == "compatible" {
                for index in socs {
                    add(&mut self.compatible, value, index);
                }
                continue;
            }
            self.named.entry(kind).or_default().push(NameRow {
                value,
                lowercase: value.to_ascii_lowercase(),
                socs,
                vendor_only,
            });
        }
    }
}

fn key((index, soc): (usize, &Soc)) -> (String, usize) {
    (format!("{} {}", soc.vendor, soc.name), index)
}

fn add<K: Eq + Hash>(map: &mut HashMap<K, Vec<usize>>, key: K, index: usize) {
    let socs = map.entry(key).or_default();
    if !socs.contains(&index) {
        socs.push(index);
    }
}
