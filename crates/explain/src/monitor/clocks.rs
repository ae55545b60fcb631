//! Which clocks a row of the monitor shows: one for each cpufreq policy, and where a machine has more
//! policies than fit into a row, one for each group of alike cores.

use record::{BigLittle, Channel, ChannelId, Record, Unit};

/// Looks up a value by the index of a channel.
pub(super) type Lookup<'a> = &'a dyn Fn(usize) -> Option<i64>;

/// Maximum number of clocks in a row of 80 columns.
const CLOCKS_MAX: usize = 5;

/// One clock of a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Clock {
    /// Number of its first policy, which is that of its first CPU; `None` for a firmware clock.
    pub(super) policy: Option<u32>,
    /// Indices of its channels. Rows show the highest value, because idle cores of a group are irrelevant.
    pub(super) channels: Vec<usize>,
    /// Highest advertised clock in kHz.
    pub(super) khz_max: Option<u32>,
    /// Index of its cluster.
    pub(super) cluster: Option<usize>,
}

/// The clocks of a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Clocks {
    /// Name in the header.
    pub(super) label: String,
    /// Clocks in display order.
    pub(super) clocks: Vec<Clock>,
    /// Number of policies.
    pub(super) policies: usize,
}

impl Clocks {
    pub(super) fn of(record: &Record) -> Self {
        let each = policies(record);
        let policies = each.len();
        if let (0, Some(clocks)) = (policies, big_and_little(record)) {
            return Self { label: "big.LITTLE".to_owned(), clocks, policies: 2 };
        }
        let mut clocks = if policies > CLOCKS_MAX { alike(each) } else { each };
        let label = match clocks.as_slice() {
            [] => "CPU n/a".to_owned(),
            [_] => match firmware(record) {
                Some(firmware) => {
                    clocks.push(firmware);
                    "fake/real".to_owned()
                }
                None => "CPU".to_owned(),
            },
            [little, big] => {
                // The fast cluster comes first, regardless of its CPUs.
                if little.khz_max <= big.khz_max {
                    clocks.reverse();
                }
                "big.LITTLE".to_owned()
            }
            several => {
                let cpus = several.iter().filter_map(|clock| clock.policy);
                let names: Vec<String> = cpus.map(|cpu| format!("cpu{cpu}")).collect();
                names.join("/")
            }
        };
        Self { label, clocks, policies }
    }
}

/// Clocks of logs with two clusters, which name the fast one but not always its CPUs.
fn big_and_little(record: &Record) -> Option<Vec<Clock>> {
    let clock = |kind: BigLittle| {
        let mut channels = record.samples.channels.iter();
        let place = channels.position(|channel| channel.id == ChannelId::BigLittle(kind))?;
        Some(Clock { policy: None, channels: vec![place], khz_max: None, cluster: None })
    };
    Some(vec![clock(BigLittle::Big)?, clock(BigLittle::Little)?])
}

/// One clock per sampled policy.
fn policies(record: &Record) -> Vec<Clock> {
    let channels = record.samples.channels.iter().enumerate();
    channels
        .filter_map(|(place, channel)| {
            let number = channel.id.policy().filter(|_| channel.id.is_policy_claim())?;
            let machine = &record.machine;
            let policy = machine.policies.iter().find(|p| p.policy == number);
            // A policy has the number of its first CPU.
            let mut clusters = machine.clusters.iter();
            Some(Clock {
                policy: Some(number),
                channels: vec![place],
                khz_max: policy.and_then(|p| p.clock_khz_max.known().copied()),
                cluster: clusters.position(|cluster| cluster.cpus.contains(&number)),
            })
        })
        .collect()
}

/// One clock per cluster, or one for all if there are too many clusters.
fn alike(policies: Vec<Clock>) -> Vec<Clock> {
    let mut groups: Vec<Clock> = Vec::new();
    for policy in policies {
        match groups.iter_mut().find(|g| g.cluster == policy.cluster) {
            Some(group) => group.join(policy),
            None => groups.push(policy),
        }
    }
    if groups.len() > CLOCKS_MAX {
        let mut groups = groups.into_iter();
        let mut all: Vec<Clock> = groups.next().into_iter().collect();
        groups.for_each(|group| all[0].join(group));
        return all;
    }
    groups
}

impl Clock {
    /// Highest clock of the group in kHz.
    pub(super) fn khz(&self, record: &Record, value: Lookup<'_>) -> Option<i64> {
        let khz = self.channels.iter().filter_map(|place| {
            let value = value(*place)?;
            Some(match record.samples.channels.get(*place)?.unit {
                Unit::Hertz => value / 1000,
                _ => value,
            })
        });
        khz.max()
    }

    fn join(&mut self, other: Clock) {
        self.channels.extend(other.channels);
        self.khz_max = self.khz_max.max(other.khz_max);
    }
}

/// Clock reported by the firmware of a Raspberry Pi.
fn firmware(record: &Record) -> Option<Clock> {
    let is_clock =
        |channel: &Channel| matches!(channel.unit, Unit::Kilohertz | Unit::Hertz) && channel.id.is_firmware_clock();
    let place = record.samples.channels.iter().position(is_clock)?;
    Some(Clock { policy: None, channels: vec![place], khz_max: None, cluster: None })
}
