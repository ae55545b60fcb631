//! `sbc-bench list workloads`: each workload with its variants, and whether it can run here; missing tools with their packages.

use console::output;
use record::Variant;
use workloads::Workload;
use workloads::packages::{ToolStatus, survey};

/// The table as text.
pub(crate) fn text() -> anyhow::Result<String> {
    let tools = survey(&super::tools::tools()?);
    let mut text = "workloads:\n".to_owned();
    for workload in workloads::WORKLOADS.iter() {
        text.push_str(&output::row(&format!("  {}", workload.id.as_str()), 23, workload.about));
        let forms = workload.shape.map_or(&[][..], |shape| shape.variants);
        let forms: Vec<&str> = forms.iter().map(Variant::as_str).collect();
        if forms.len() > 1 {
            text.push_str(&output::row("", 23, &format!("variants: {}", forms.join(", "))));
        }
        text.push_str(&output::row("", 23, &status(workload, &tools)));
    }
    Ok(text)
}

/// Whether a workload can run here, in words.
fn status(workload: &Workload, tools: &[ToolStatus]) -> String {
    let Some(kind) = workload.tool else {
        return if workload.attributes.is_users_own {
            "available: any command".into()
        } else {
            "available: built-in".into()
        };
    };
    let Some(tool) = tools.iter().find(|status| status.name == kind.name) else {
        return format!("needs {}", kind.name);
    };
    match &tool.found {
        Ok(found) => {
            let more = workload.attributes.needs.asks_for();
            format!("available: {}{more}", found.version)
        }
        Err(missing) => format!("not available: {missing}{}", packages(tool)),
    }
}

fn packages(tool: &ToolStatus) -> String {
    let all = super::tools::packages_of(tool);
    match (all.is_empty(), tool.about) {
        (false, _) => format!("; packages: {}", all.join(", ")),
        (true, "") => String::new(),
        (true, about) => format!("; {about}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use process::tools::Tools;
    use record::{Missing, WorkloadId};

    #[test]
    fn missing_tool_is_listed_with_packages() {
        let drive = workloads::workload(WorkloadId::Drive).unwrap();
        let mut tools = survey(&Tools::in_directories(Vec::new()));
        let words = status(drive, &tools);
        assert!(words.starts_with("not available: "), "{words}");
        assert!(words.contains("fio is not installed") && words.contains("Debian fio"), "{words}");
        let lzma = workloads::workload(WorkloadId::Lzma).unwrap();
        assert_eq!(status(lzma, &tools), "available: built-in");
        tools.iter_mut().for_each(|tool| {
            tool.packages = [None; 5];
            tool.found = Err(Missing::absent("fio"));
        });
        assert!(!status(drive, &tools).contains("packages"));
    }
}
