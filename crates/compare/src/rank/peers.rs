//! Other results with their figures in the methods of the known results, and filters for similar ones.

use super::board_names::NamedBoard;
use crate::reference::{Row, RowFigure};
use facts::Verdict;
use facts::figures::equivalent::{MachineTraits, convert};
use facts::figures::{Core, Figure, FigureKey};
use record::StableSort;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Another result.
pub(super) struct Peer<'a> {
    pub(super) row: &'a Row,
    /// Measured clock of each cluster.
    clocks_mhz: Vec<Option<f64>>,
    /// Hashes of the names of its figures, ascending: all peers are asked for each figure of a result, and comparing names
    /// takes most of the time.
    hashes: Vec<u64>,
    /// Its figures, in this order.
    figures: Vec<(FigureKey, Vec<Value>)>,
    board: Option<NamedBoard>,
}

/// Another result that has a figure.
pub(super) struct KnownResult<'a> {
    peer: &'a Peer<'a>,
    values: &'a [Value],
}

impl<'a> KnownResult<'a> {
    /// Name of its board for people.
    pub(super) fn board(&self) -> Option<&'a str> {
        self.peer.row.name.as_deref().or(self.peer.row.board.as_deref())
    }

    /// Board with the name and key of all its spellings.
    pub(super) fn named_board(&self) -> Option<&'a NamedBoard> {
        self.peer.board.as_ref()
    }

    /// True if its board has this SoC.
    pub(super) fn is_of_soc(&self, soc_key: &str) -> bool {
        self.peer.row.soc_key.as_deref() == Some(soc_key)
    }

    /// True if its programs have another word size. Published logs without a word size match either.
    pub(super) fn is_of_other_userland(&self, bits: u32) -> bool {
        let row = self.peer.row;
        row.userland_bits.map_or(row.is_published, |own| own != bits)
    }

    /// Best value.
    pub(super) fn best(&self, higher_is_better: bool) -> Option<f64> {
        let better = if higher_is_better { f64::max } else { f64::min };
        self.values.iter().map(|value| value.value).reduce(better)
    }

    /// Measured clock of its fastest cluster.
    pub(super) fn clock_mhz(&self) -> Option<f64> {
        self.peer.clocks_mhz.iter().take(self.peer.row.cores.len()).copied().flatten().reduce(f64::max)
    }
}

/// Value of one of its figures.
#[derive(Debug, Clone, Copy)]
struct Value {
    value: f64,
    cluster: Option<usize>,
    is_estimated: bool,
}

/// Filter of other results.
#[derive(Debug, Clone, Copy)]
pub(super) enum PeerFilter<'a> {
    /// With this SoC; for figures of one core, with the same core type in it.
    Soc(&'a str),
    /// Published results of boards with this SoC and name.
    Board(&'a str, &'a str),
    /// The same core type, per MHz of its clock.
    CorePerMhz,
    /// All boards, with their best core.
    All,
}

/// Values of others.
#[derive(Debug, Clone, Default)]
pub(super) struct OtherValues<'a> {
    /// Values with the names of their boards.
    pub(super) values: Vec<(f64, Option<&'a str>)>,
    /// Number of values estimated from another version.
    pub(super) estimated: usize,
}

impl<'a> Peer<'a> {
    /// Peer with the figures of a row that are comparable and sound.
    pub(super) fn of(row: &'a Row) -> Self {
        let measured = row.figures.values().flatten().filter_map(|figure| figure.cluster).max();
        let clusters = measured.map_or(0, |last| last + 1).max(row.cores.len());
        let clocks_mhz: Vec<Option<f64>> = (0..clusters).map(|cluster| row.clock_mhz(cluster)).collect();
        let mut figures: BTreeMap<FigureKey, Vec<Value>> = BTreeMap::new();
        for (key, known) in &row.figures {
            let counts = |figure: &&RowFigure| figure.comparable && figure.sound && row.verdict != Verdict::Invalid;
            for figure in known.iter().filter(counts) {
                let (key, value) =
                    in_known_method(row, key, figure, figure.cluster.and_then(|cluster| clocks_mhz[cluster]));
                figures.entry(key).or_default().push(value);
            }
        }
        let board = row.name.as_deref().or(row.board.as_deref()).map(NamedBoard::of);
        let mut hashed: Vec<(u64, (FigureKey, Vec<Value>))> =
            figures.into_iter().map(|(key, values)| (hash(&key), (key, values))).collect();
        hashed.stable_sort_by_key(|(hash, _)| *hash);
        let (hashes, figures) = hashed.into_iter().unzip();
        Self { row, clocks_mhz, hashes, figures, board }
    }

    fn values(&self, key: &FigureKey, hash: u64) -> Option<&[Value]> {
        let from = self.hashes.partition_point(|other| *other < hash);
        let mut alike = (from..self.hashes.len()).take_while(|at| self.hashes[*at] == hash);
        alike.find(|at| self.figures[*at].0 == *key).map(|at| self.figures[at].1.as_slice())
    }

    /// True if a value is of this kind of core. If one of two logs does not name its cores, the order of clusters decides
    /// within one SoC.
    fn is_core(&self, value: &Value, core: &Core, like: PeerFilter<'_>) -> bool {
        match (like, core.core_type.as_deref(), self.core_type(value)) {
            (PeerFilter::All, _, _) => true,
            (_, Some(own), Some(other)) => own == other,
            (PeerFilter::Soc(_) | PeerFilter::Board(..), _, _) => value.cluster == Some(core.cluster),
            (PeerFilter::CorePerMhz, _, _) => false,
        }
    }

    fn core_type(&self, value: &Value) -> Option<&str> {
        self.row.cores.get(value.cluster?)?.core_type.as_deref()
    }
}

impl Row {
    /// True if the filter admits its board.
    fn is_like(&self, like: PeerFilter<'_>) -> bool {
        match like {
            PeerFilter::Soc(soc) => self.soc_key.as_deref() == Some(soc),
            PeerFilter::Board(soc, board) => {
                let is_board = self.board.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(board));
                self.is_published && is_board && self.soc_key.as_deref() == Some(soc)
            }
            PeerFilter::CorePerMhz | PeerFilter::All => true,
        }
    }
}

fn in_known_method(row: &Row, key: &FigureKey, figure: &RowFigure, clock_mhz: Option<f64>) -> (FigureKey, Value) {
    let converted =
        convert(key, figure.value, MachineTraits { isa: None, core_type: row.core_type(figure), clock_mhz });
    let (key, value, is_estimated) = match converted {
        Some(converted) => (converted.key, converted.value, converted.estimate.is_some()),
        None => (key.clone(), figure.value, false),
    };
    (key, Value { value, cluster: figure.cluster, is_estimated })
}

impl OtherValues<'_> {
    /// Values times `factor`, in order.
    pub(super) fn times(&self, factor: f64) -> Vec<f64> {
        self.values.iter().map(|(value, _)| value * factor).collect()
    }
}

fn hash(key: &FigureKey) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.as_str().hash(&mut hasher);
    hasher.finish()
}

/// Peers that have a figure.
pub(super) fn known<'a>(figure: &Figure, peers: &[&'a Peer<'a>]) -> Vec<KnownResult<'a>> {
    let hash = hash(&figure.key);
    peers.iter().filter_map(|peer| Some(KnownResult { peer, values: peer.values(&figure.key, hash)? })).collect()
}

/// Counterpart of a figure in each admitted result. Of several clusters of one core type, ordered from the best, it is the one
/// at the same place.
pub(super) fn others<'a>(
    figure: &Figure,
    place: usize,
    known: &[KnownResult<'a>],
    like: PeerFilter<'_>,
) -> OtherValues<'a> {
    let core = figure.core.as_ref();
    let mut others = OtherValues::default();
    for result in known.iter().filter(|known| known.peer.row.is_like(like)) {
        let KnownResult { peer, values } = result;
        let of_core = values.iter().filter(|value| core.is_none_or(|core| peer.is_core(value, core, like)));
        let values = of_core.filter_map(|value| {
            let divisor = match like {
                PeerFilter::CorePerMhz => peer.clocks_mhz[value.cluster?]?,
                _ => 1.0,
            };
            Some(Value { value: value.value / divisor, ..*value })
        });
        let order = |a: &Value, b: &Value| {
            if figure.higher_is_better { b.value.total_cmp(&a.value) } else { a.value.total_cmp(&b.value) }
        };
        let in_place = match like {
            PeerFilter::Soc(_) | PeerFilter::Board(..) => {
                let mut values: Vec<Value> = values.collect();
                values.stable_sort_by(order);
                values.get(place).copied()
            }
            // Of all peers: collecting and sorting the values of each takes most of the time of a ranking.
            PeerFilter::CorePerMhz | PeerFilter::All => {
                values.reduce(|best, next| if order(&next, &best).is_lt() { next } else { best })
            }
        };
        if let Some(value) = in_place {
            others.values.push((value.value, result.board()));
            others.estimated += usize::from(value.is_estimated);
        }
    }
    others
}
