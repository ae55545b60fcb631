//! Memory, power and swap in words: one line for each module, supply and device.

use crate::survey::units::size_name;
use facts::plain;
use record::{MemoryModule, Supply, Survey, Swap, SwapKind};

/// One line for each memory module.
pub fn memory_lines(survey: &Survey) -> Vec<String> {
    survey.memory.iter().map(memory_line).collect()
}

fn memory_line(module: &MemoryModule) -> String {
    let mut words = vec![plain(&module.kind)];
    words.extend(module.size_mib.map(|mib| size_name(mib << 20)));
    match (module.rate_mt, module.rate_mt_max) {
        (Some(now), Some(most)) if now != most => words.push(format!("at {now} MT/s (rated {most})")),
        (Some(rate), _) => words.push(format!("at {rate} MT/s")),
        (None, Some(most)) => words.push(format!("rated {most} MT/s")),
        (None, None) => {}
    }
    let part: Vec<String> = [&module.maker, &module.part].into_iter().flatten().map(|text| plain(text)).collect();
    words.extend((!part.is_empty()).then(|| format!("({})", part.join(" "))));
    let slot = if module.slot.is_empty() { plain(&module.from) } else { plain(&module.slot) };
    format!("{slot}: {}", words.join(" "))
}

/// One line for each supply with readings.
pub fn supply_lines(survey: &Survey) -> Vec<String> {
    survey.supplies.iter().map(supply_line).collect()
}

fn supply_line(supply: &Supply) -> String {
    let mut words = Vec::new();
    words.extend(supply.online.map(|online| if online { "in use" } else { "not in use" }.to_owned()));
    words.extend(supply.status.as_deref().map(|status| plain(status).to_lowercase()));
    words.extend(supply.charge_percent.map(|percent| format!("{percent} %")));
    words.extend(supply.agreed.as_deref().map(|agreed| format!("negotiated {}", plain(agreed))));
    words.extend(supply.voltage_uv.map(|uv| format!("{:.1} V", uv as f64 / 1e6)));
    words.extend(supply.current_ua_max.map(|ua| format!("max. {:.1} A", ua as f64 / 1e6)));
    if !supply.offers.is_empty() {
        let offers: Vec<String> = supply.offers.iter().map(|offer| plain(offer)).collect();
        words.push(format!("offered {}", offers.join(", ")));
    }
    let words = if words.is_empty() { "nothing else reported".to_owned() } else { words.join(", ") };
    format!("{} ({}): {words}", plain(&supply.name), plain(&supply.kind))
}

/// One line for each swap device, as the bash program printed them.
pub fn swap_lines(survey: &Survey) -> Vec<String> {
    survey.swaps.iter().map(swap_line).collect()
}

fn swap_line(swap: &Swap) -> String {
    let kib = |kib: u64| size_name(kib.saturating_mul(1024)).trim_end_matches('B').to_owned();
    let mut words =
        vec![format!("{} used", if swap.state.used_kib == 0 { "0K".into() } else { kib(swap.state.used_kib) })];
    words.extend(swap.compressor.as_deref().map(plain));
    if let Some([stored, packed, total]) = swap.zram_bytes {
        words.push(format!("{} data, {} compressed, {} total", size_name(stored), size_name(packed), size_name(total)));
    }
    words.push(format!("priority {}", swap.state.priority));
    let on = match swap.state.kind {
        SwapKind::SdCard => " on SD card or eMMC",
        SwapKind::RotatingDisk => " on a hard disk",
        SwapKind::Zram | SwapKind::Disk | SwapKind::Unknown => "",
    };
    format!("{}: {} ({}){on}", plain(&swap.state.path), kib(swap.state.size_kib), words.join(", "))
}
