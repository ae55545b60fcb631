//! Reports: each plot as SVG. A Record that has no such plot gives a picture that says so.

use super::Report;
use crate::plot::PLOTS;
use record::Record;

/// One report for each plot, by its name with `plot-` before it.
pub(super) const CORES: Report = Report {
    id: "plot-cores",
    about: "Use of each core, second by second, as SVG.",
    render: |record, _| drawn(record, "cores"),
};
pub(super) const EFFICIENCY: Report = Report {
    id: "plot-efficiency",
    about: "Performance against power of every OPP with the sweet spot, as SVG.",
    render: |record, _| drawn(record, "efficiency"),
};
pub(super) const ELASTICITY: Report = Report {
    id: "plot-elasticity",
    about: "How much of the clock arrives in each workload, as SVG.",
    render: |record, _| drawn(record, "elasticity"),
};
pub(super) const THERMAL: Report = Report {
    id: "plot-thermal",
    about: "Temperature, clocks, power and score of a thermal test, as SVG.",
    render: |record, _| drawn(record, "thermal"),
};

fn drawn(record: &Record, id: &str) -> String {
    let plot = PLOTS.iter().find(|plot| plot.id == id);
    let picture = plot.and_then(|plot| (plot.draw)(record));
    picture.map(|picture| picture.svg()).unwrap_or_else(|| {
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"500\" height=\"40\">\
         <text x=\"10\" y=\"25\" font-family=\"sans-serif\">This result has nothing for this plot.</text>\
         </svg>\n"
            .into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plot_has_its_report() {
        let record = crate::test_support::own_run();
        for plot in PLOTS {
            let id = format!("plot-{}", plot.id);
            let report = super::super::find(&id).expect("plot has a report");
            assert!((report.render)(&record, &[]).contains("nothing for this plot"), "{id}");
        }
    }
}
