//! Documented answers of each kind, invalid answers, and arbitrary JSON, XML and metrics.

use super::super::Meter;
use super::super::testing::{first_row, served};
use super::*;
use machine::sensors::NONE;
use proptest::prelude::*;

/// Based on the documented example of the XML interface of NETIO.
const XML: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<set:Root xmlns:set="http://www.netio-products.com/XMLSchema/NetioProducts.xsd">
<Agent><Model>NETIO 4All</Model><DeviceName>bench</DeviceName><Version>3.0.1</Version><XmlVer>2.0</XmlVer><NumOutputs>2</NumOutputs></Agent>
<GlobalMeasure><Voltage>231.4</Voltage><Frequency>50.0</Frequency><TotalCurrent>52</TotalCurrent><OverallPowerFactor>0.47</OverallPowerFactor><TotalLoad>5</TotalLoad><TotalEnergy>1300</TotalEnergy></GlobalMeasure>
<Outputs>
<Output><ID>1</ID><Name>board</Name><State>1</State><Action>6</Action><Delay>500</Delay><Current>52</Current><PowerFactor>0.47</PowerFactor><Load>5</Load><Energy>1234</Energy></Output>
<Output><ID>2</ID><Name>other</Name><State>0</State><Action>6</Action><Delay>500</Delay><Current>0</Current><PowerFactor>0.00</PowerFactor><Load>0</Load><Energy>66</Energy></Output>
</Outputs>
</set:Root>"#;

/// Based on the documented example of the JSON interface of NETIO.
const NETIO_EXAMPLE: &str = r#"{"Agent":{"Model":"NETIO 4All","Version":"3.0.1","JSONVer":"2.1","DeviceName":"bench","NumOutputs":2},
"GlobalMeasure":{"Voltage":231.4,"TotalCurrent":52,"OverallPowerFactor":0.47,"TotalLoad":5,"TotalEnergy":1300,"Frequency":50.0},
"Outputs":[{"ID":1,"Name":"board","State":1,"Action":6,"Delay":500,"Current":52,"PowerFactor":0.47,"Load":5,"Energy":1234},
{"ID":2,"Name":"other","State":0,"Action":6,"Delay":500,"Current":0,"PowerFactor":0.0,"Load":0,"Energy":66}]}"#;

/// Based on the documented examples of Shelly; `@` is the number of the request.
const PLUG_S: &str = r#"{"wifi_sta":{"connected":true},"relays":[{"ison":true}],
"meters":[{"power":4.27,"overpower":0.00,"is_valid":true,"timestamp":1700000000,"counters":[4.260,4.110,4.300],"total":12345}],"uptime":360@}"#;
const EM: &str = r#"{"emeters":[{"power":12.5,"reactive":-3.1,"pf":0.97,"voltage":230.15,"is_valid":true,"total":77.4,"total_returned":0.0},
{"power":0.0,"voltage":230.1,"is_valid":false,"total":0.0}],"meters":[],"uptime":360@}"#;
const PLUS: &str = r#"{"sys":{"uptime":9@},"switch:0":{"id":0,"source":"init","output":true,"apower":8.9,"voltage":237.5,"freq":50.0,"current":0.083,
"aenergy":{"total":6.532,"by_minute":[45.199,47.141,88.397],"minute_ts":1626935779},"temperature":{"tC":23.5,"tF":74.4}}}"#;

const TASMOTA_ONE: &str = r#"{"StatusSNS":{"Time":"2026-01-01T00:00:@","ENERGY":{"TotalStartTime":"2025-01-01T00:00:00","Total":1.23456,"Yesterday":0.003,"Today":0.1,"Power":5.3,"ApparentPower":9,"ReactivePower":8,"Factor":0.57,"Voltage":235,"Current":0.041}}}"#;
const TASMOTA_TWO: &str = r#"{"StatusSNS":{"ENERGY":{"Total":1.5,"Power":[3,7],"Voltage":230,"Current":[0.02,0.05]}}}"#;

const METRICS: &str = "# HELP watts x\n# TYPE watts gauge\nwatts_total 9\nwatts{socket=\"2\",name=\"a \\\"b\\\"}\"} 2.5 1700000000000\nwatts{socket=\"3\"} 7\n\
    joules_total{socket=\"3\"} 12.5\nsbc_bench_channel_watts{channel=\"meter.power\",label=\"FNB58\"} 4.2\n\
    sbc_bench_channel_watts{channel=\"meter2.1.power\",label=\"x\"} 1.5\nsbc_bench_channel_joules_total{channel=\"meter2.1.energy\"} 3\n\
    sbc_bench_channel_watts{channel=\"hwmon0.power1\"} 99\nsbc_bench_meter_time_seconds{channel=\"meter.power\"} 170000@.5\n\
    sbc_bench_meter_time_seconds{channel=\"meter2.1.power\"} 170000@.5\n";

#[test]
fn documented_answers_give_their_values() {
    const JSON: &str = r#"{"a":{"list":[{"p_mw":5300},{"p_mw":"5.4 W"},{"p_mw":"7 V"}]},"b c":{"E":0.5},"t":@}"#;
    // 231.4 V * 52 mA * 0.47 = 5655 mW, where the rounded load is 5 W.
    let netio = [1_234 * 3_600_000_000, 5_655, 231_400, 52];
    let old_netio = XML.replace("<PowerFactor>0.47</PowerFactor>", "");
    let status = "/rpc/Shelly.GetStatus";
    for (path, page, meter, expected) in [
        ("/netio.xml", XML, "netio:HOST/1", netio),
        ("/netio.xml", XML, "netio:HOST/2", [66 * 3_600_000_000, 0, 231_400, 0]),
        ("/netio.xml", &old_netio, "netio:HOST", [1_234 * 3_600_000_000, 5_000, 231_400, 52]),
        ("/netio.json", NETIO_EXAMPLE, "netio-json:HOST/1", netio),
        ("/status", PLUG_S, "shelly:HOST", [740_700_000_000, 4_270, NONE, NONE]),
        ("/status", EM, "shelly:HOST", [278_640_000_000, 12_500, 230_150, NONE]),
        (status, PLUS, "shelly:HOST", [23_515_200_000, 8_900, 237_500, 83]),
        (status, &PLUS.replace("switch", "pm1"), "shelly:HOST", [23_515_200_000, 8_900, 237_500, 83]),
        ("/cm?cmnd=Status%208", TASMOTA_ONE, "tasmota:HOST/1", [4_444_416_000_000, 5_300, 235_000, 41]),
        ("/cm?cmnd=Status%208", TASMOTA_TWO, "tasmota:HOST/2", [NONE, 7_000, 230_000, 50]),
        ("/metrics", METRICS, "sbc-bench:HOST/1", [NONE, 4_200, NONE, NONE]),
        ("/metrics", METRICS, "sbc-bench:HOST/2", [3_000_000, 1_500, NONE, NONE]),
        ("/0123456789abcdef/metrics", METRICS, "sbc-bench:HOST/0123456789abcdef/1", [NONE, 4_200, NONE, NONE]),
        (
            "/m",
            METRICS,
            "prometheus:http://HOST/m#watts{socket=\"3\"}:W,joules_total{socket=\"3\"}:J",
            [12_500_000, 7_000, NONE, NONE],
        ),
        ("/m", METRICS, "prometheus:http://HOST/m#watts{name=\"a \\\"b\\\"}\"}", [NONE, 2_500, NONE, NONE]),
        ("/m", METRICS, "prometheus:http://HOST/m#watts_total:mW", [NONE, 9, NONE, NONE]),
        (
            "/j?k=1",
            JSON,
            "json:http://HOST/j?k=1#$.a.list[0].p_mw:mW,$[\"b c\"].E:Wh,$.t:time",
            [1_800_000_000, 5_300, NONE, NONE],
        ),
        // A value with its own unit.
        ("/j", JSON, "json:http://HOST/j#$.a.list[1].p_mw:mW", [NONE, 5_400, NONE, NONE]),
        ("/j", "4.5 W\n", "json:http://HOST/j#$:W", [NONE, 4_500, NONE, NONE]),
        ("/j", r#"{"v":5.0,"a":2}"#, "json:http://HOST/j#$.v:V,$.a:A", [NONE, 10_000, 5_000, 2_000]),
    ] {
        served(&[(path, page)], |host| {
            assert_eq!(first_row(&meter.replace("HOST", host))[1..], expected, "{meter}");
        });
    }
}

#[test]
fn password_of_a_url_is_sent_and_not_shown() {
    served(&[("/p Basic bWU6cHc=", "3.5")], |host| {
        let meter = Meter::start(&format!("json:http://me:pw@{host}/p#$"), 0, None).unwrap();
        assert_eq!(super::super::testing::row_of(&meter)[2], 3_500);
        assert!(meter.channels().iter().all(|channel| !channel.source.contains("pw")));
    });
}

#[test]
fn what_is_no_answer_is_refused() {
    let check = |format, fields: &str, texts: &[&str]| {
        for text in texts {
            assert_eq!(Fields::parse(fields).unwrap().answer(format, text).ok(), None, "{fields} {text:?}");
        }
    };
    for row in SHELLY_OUTPUTS.iter().chain([&NETIO_OUTPUTS, &TASMOTA_OUTPUTS]) {
        let fields = row.split_once('#').unwrap().1;
        let texts =
            ["", "{}", "[]", "null", "3", r#"{"meters":5}"#, r#"{"switch:0":{"output":true}}"#, "{\"Outputs\":[]}"];
        check(Format::Json, fields, &texts);
    }
    check(
        Format::Json,
        "$.power:W",
        &[
            "5",
            "{}",
            r#"{"power":null}"#,
            r#"{"power":"5 kVA"}"#,
            r#"{"power":"5 V"}"#,
            r#"{"power":{}}"#,
            "{\"power\":1e999}",
        ],
    );
    check(Format::Json, "$:W", &["", "x", "{}", "nan", "inf", "5 J"]);
    let xml = NETIO_XML.split_once('#').unwrap().1;
    check(
        Format::Xml,
        xml,
        &["", "<a>", "<a/>", "{}", "</Output>", "<Output><Load>1</Load></Output>", &"<a>".repeat(99)],
    );
    check(
        Format::Metrics,
        "watts{socket=\"3\"}",
        &["", "watts 5", "watts{socket=\"3\"} NaN", "watts{socket=\"3 7", "watts_x{socket=\"3\"} 7"],
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn documents_never_panic(text in "([0-9.eE:,;{}\\[\\]<>/=\" -]|power|watts|socket|Output|\\PC){0,120}", fields in "([$.:,*\\[\\]{}\"=0-9]|power|W|J|mW|\\PC){0,60}") {
        let known = ["$.power:W", "$[*].power:W,$.a:V", "watts{socket=\"*\"}:W"].map(|known| Fields::parse(known).unwrap());
        for fields in known.into_iter().chain(Fields::parse(&fields)) {
            for format in [Format::Json, Format::Xml, Format::Metrics] {
                drop(fields.answer(format, &text));
            }
        }
    }
}
