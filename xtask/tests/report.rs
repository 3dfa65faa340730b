//! The report in a real browser: it opens without errors, its figures and numbers are there, and its controls work.
//!
//! Needs Chromium; `xtask/tests/install-chromium` installs it from Debian's packages. Without it the test says that it
//! is skipped.

use assert_cmd::Command;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Collects errors from the very beginning.
const FIRST: &str = r#"<script>
window.problems = [];
window.addEventListener("error", (event) => problems.push(String(event.message)));
window.addEventListener("unhandledrejection", (event) => problems.push(String(event.reason)));
</script>"#;

/// Uses the page as a reader would, and writes what happened into an element of its own.
const LAST: &str = r##"<script>
const seen = {};
const words = () => [...document.querySelectorAll("#topic-words li span:first-child")].map((e) => e.textContent).join(" ");
const slide = (value) => {
  document.getElementById("lambda").value = value;
  document.getElementById("lambda").dispatchEvent(new Event("input"));
  return words();
};
seen.figures = [...document.querySelectorAll("figure")].map((figure) => figure.id).join(" ");
seen.drawn = [...document.querySelectorAll("figure svg")].every((svg) => svg.getBoundingClientRect().width > 100);
seen.probable = slide(1);
seen.special = slide(0);
seen.lambda = document.getElementById("lambda-value").textContent;
const name = () => document.getElementById("topic-name").textContent.slice(0, 8);
seen.name = name();
document.getElementById("topic-next").click();
seen.next = name();
const circles = document.querySelectorAll("#topic-map circle");
circles[3].dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
seen.fourth = name();
seen.circles = circles.length;
const filter = document.getElementById("cluster-filter");
const clusters = () => document.querySelectorAll(".cluster").length;
seen.clusters = clusters();
filter.value = "no such page";
filter.dispatchEvent(new Event("input"));
seen.none = clusters();
const numbers = document.querySelector("details.numbers[data-table='lda/perplexity.csv']");
numbers.open = true;
numbers.addEventListener("toggle", () => {
  seen.header = [...numbers.querySelectorAll("th")].map((e) => e.textContent).join(" ");
  seen.rows = numbers.querySelectorAll("tbody tr").length;
  seen.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  seen.problems = problems;
  const result = document.createElement("pre");
  result.id = "result";
  result.textContent = "RESULT" + JSON.stringify(seen) + "END";
  document.body.append(result);
});
</script>"##;

fn chromium() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&folders)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|path| path.is_file())
}

/// What the page did in a window of this width.
fn look(browser: &Path, folder: &Path, page: &Path, width: u32) -> serde_json::Value {
    let profile = folder.join(format!("profile-{width}"));
    let mut command = Command::new(browser);
    command
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("--window-size={width},900"))
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}", page.display()))
        .timeout(std::time::Duration::from_secs(120));
    let output = command.assert().success();
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    let result = text.split("RESULT").last().and_then(|rest| rest.split("END").next()).unwrap_or_default();
    let result = result.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">");
    serde_json::from_str(&result).unwrap_or_else(|_| panic!("the page did not get through: {result}"))
}

#[test]
fn the_report_works_in_a_browser() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let smoke = ["reproduce", "--scale", "smoke", "--out"];
    let mut command = Command::cargo_bin("xtask").unwrap();
    command.args(smoke).arg(&out).assert().success();
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(!page.contains("http-equiv") && !page.contains("src=\"http"), "the page needs no network");
    assert!(page.contains("Generated data."), "stand-ins are labelled");

    let Some(browser) = chromium() else {
        let _ = writeln!(io::stderr(), "skipped: no Chromium; xtask/tests/install-chromium installs it");
        return;
    };
    let tried = folder.path().join("tried.html");
    let page = page.replacen("<head>", &format!("<head>{FIRST}"), 1);
    let (start, end) = page.rsplit_once("</body>").unwrap();
    fs::write(&tried, format!("{start}{LAST}</body>{end}")).unwrap();
    for width in [1200, 400] {
        let seen = look(&browser, folder.path(), &tried, width);
        let text = |name: &str| seen[name].as_str().unwrap_or_default().to_owned();
        assert_eq!(seen["problems"], serde_json::json!([]), "{seen}");
        let figures = "figure1 figure2a figure2b matched-sparse matched-dense figure3a figure4a matched figure3b figure4b \
                       clusters released starts";
        assert_eq!(text("figures"), figures);
        assert_eq!(seen["drawn"], true);
        assert_ne!(text("probable"), text("special"), "the slider changes the order of the words");
        assert_eq!((text("lambda"), text("probable").split(' ').count()), ("0.0".to_owned(), 20));
        assert_eq!([text("name"), text("next"), text("fourth")], ["Topic 1:", "Topic 2:", "Topic 4:"]);
        assert_eq!(seen["circles"], 10);
        assert!(seen["clusters"].as_u64() > Some(3) && seen["none"] == 0, "{seen}");
        assert_eq!(text("header"), "method seed update documents seconds perplexity perplexity_draw");
        assert!(seen["rows"].as_u64() > Some(20), "{seen}");
        assert_eq!(seen["wide"], 0, "nothing sticks out of a window of {width} pixels");
    }
}
