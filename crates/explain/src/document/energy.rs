//! Power and energy of a result as JSON: source and steps. Missing values are `null`, with the reason next to them.

use facts::Facts;
use facts::view::{Energy, LineFailure, SilentMeter, SourceAgreement, StepEnergy, step_name, step_score};
use serde_json::{Value, json};

/// Energy of a result, or the reason for its absence.
pub(super) fn energy(facts: &Facts<'_>) -> Value {
    let energy = match facts.energy() {
        Ok(energy) => energy,
        Err(why) => return json!({ "source": null, "source_missing": why, "steps": [] }),
    };
    let Energy { source, period_ms, resolution_mw, late_ms, idle_mw, steps, rests, others, silent } = energy;
    let all = steps.iter().chain(rests);
    let steps: Vec<Value> = all.map(|(index, measured)| step(facts, energy, *index, measured)).collect();
    json!({
        "source": source.name,
        "channel": source.id(facts).to_string(),
        "measured_at": source.role,
        "sentence": energy.sentence(),
        "reading_every_s": period_ms / 1000.0,
        "resolution_watt": resolution_mw / 1000.0,
        "late_s": [late_ms.0 / 1000.0, late_ms.1 / 1000.0],
        "idle_watt": idle_mw.map(|mw| mw / 1000.0),
        "idle_watt_missing": idle_mw.is_none().then_some(energy.why_no_idle()),
        "steps": steps,
        "other_sources": others.iter().map(other).collect::<Vec<_>>(),
        "silent_meters": silent.iter().map(silent_meter).collect::<Vec<_>>(),
    })
}

fn step(facts: &Facts<'_>, all: &Energy, index: usize, measured: &Result<StepEnergy, String>) -> Value {
    let step = &facts.steps[index];
    let mut value = json!({ "step": index, "name": step_name(step), "repetition": step.repetition });
    let more = match measured {
        Err(why) => json!({ "joule": null, "joule_missing": why }),
        Ok(energy) => {
            let work = step_score(step).and_then(|score| energy.work(&score));
            json!({
                "mean_watt": energy.mean_mw / 1000.0,
                "peak_watt": energy.peak_mw / 1000.0,
                "least_watt": energy.least_mw / 1000.0,
                "joule": energy.joules,
                "joule_low": energy.joules_low,
                "joule_high": energy.joules_high,
                "joule_above_idle": energy.joules_above_idle,
                "joule_above_idle_missing": energy.joules_above_idle.is_none().then(|| match all.idle_mw {
                    Some(_) => "a state without load",
                    None => all.why_no_idle(),
                }),
                "drift_watt": energy.drift_mw.map(|(first, last)| [first / 1000.0, last / 1000.0]),
                "drift_watt_missing": energy.drift_mw.is_none().then_some("no steady rise or fall"),
                "joule_from": if energy.is_counted { "energy-counter" } else { "power" },
                "readings": energy.readings,
                "work_per_energy": work.as_ref().map(|(value, _)| value),
                "work_per_energy_unit": work.as_ref().map(|(_, unit)| unit),
                "work_per_energy_missing": work.is_none().then_some("the score is no rate of work"),
            })
        }
    };
    if let (Value::Object(all), Value::Object(more)) = (&mut value, more) {
        all.extend(more);
    }
    value
}

fn other(agreement: &SourceAgreement) -> Value {
    let line = agreement.line;
    json!({
        "source": agreement.other.name,
        "measured_at": agreement.other.role,
        "sentence": agreement.words(),
        "factor": line.ok().map(|line| line.slope),
        "offset_watt": line.ok().map(|line| line.offset / 1000.0),
        "factor_missing": line.err().map(LineFailure::words),
        "later_s": agreement.later_ms / 1000.0,
        "readings": agreement.readings,
    })
}

fn silent_meter(meter: &SilentMeter) -> Value {
    json!({ "source": meter.name, "reading_missing": meter.why })
}
