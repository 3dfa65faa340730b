//! Figures: each is drawn once and saved as SVG and as PNG.

use anyhow::{Context, Result, anyhow};
use plotters::coord::Shift;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};
use std::fs;
use std::path::Path;
use std::sync::Once;

/// Colours that stay apart for colour-blind readers (Okabe & Ito).
pub(crate) const BLUE: RGBColor = RGBColor(0, 114, 178);
pub(crate) const ORANGE: RGBColor = RGBColor(213, 94, 0);
pub(crate) const GREEN: RGBColor = RGBColor(0, 158, 115);
pub(crate) const PURPLE: RGBColor = RGBColor(204, 121, 167);
pub(crate) const SKY: RGBColor = RGBColor(86, 180, 233);
pub(crate) const GREY: RGBColor = RGBColor(110, 110, 110);
const INK: RGBColor = RGBColor(34, 34, 34);

/// Something that can be drawn, on whatever it is drawn.
pub(crate) trait Figure {
    /// Draws it; the area is white already.
    fn draw<DB: DrawingBackend>(&self, area: &DrawingArea<DB, Shift>) -> Result<()>
    where
        DB::ErrorType: 'static;
}

/// Saves `figure` as `DIR/NAME.svg` and `DIR/NAME.png`.
pub(crate) fn save(figure: &impl Figure, directory: &Path, name: &str) -> Result<()> {
    /// The size in pixels.
    const SIZE: (u32, u32) = (900, 600);
    load_font()?;
    let vector = directory.join(format!("{name}.svg"));
    let mut text = String::new();
    paint(figure, &SVGBackend::with_string(&mut text, SIZE).into_drawing_area())?;
    fs::write(&vector, text).with_context(|| format!("{} cannot be written", vector.display()))?;
    let bitmap = directory.join(format!("{name}.png"));
    paint(figure, &BitMapBackend::new(&bitmap, SIZE).into_drawing_area())
        .with_context(|| format!("{} cannot be written", bitmap.display()))
}

fn paint<DB: DrawingBackend>(figure: &impl Figure, area: &DrawingArea<DB, Shift>) -> Result<()>
where
    DB::ErrorType: 'static,
{
    area.fill(&WHITE)?;
    figure.draw(area)?;
    Ok(area.present()?)
}

/// The font comes with the program, so that figures look the same everywhere.
fn load_font() -> Result<()> {
    static ONCE: Once = Once::new();
    let mut outcome = Ok(());
    ONCE.call_once(|| {
        outcome = register_font("sans-serif", FontStyle::Normal, dejavu::sans::regular())
            .map_err(|_| anyhow!("the font that comes with the program cannot be read"));
    });
    outcome
}

/// The style of texts of a size.
pub(crate) fn text(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}

/// One line of a [`LineChart`].
pub(crate) struct Line {
    pub(crate) label: String,
    pub(crate) colour: RGBColor,
    pub(crate) dashed: bool,
    pub(crate) points: Vec<(f64, f64)>,
    /// Faint single points behind the line, such as one for each seed.
    pub(crate) cloud: Vec<(f64, f64)>,
    /// Thin lines behind the line, such as one for each seed.
    pub(crate) threads: Vec<Vec<(f64, f64)>>,
    /// A faint horizontal band, as (low, high).
    pub(crate) band: Option<(f64, f64)>,
}

/// The horizontal axis of a [`LineChart`].
pub(crate) enum Across {
    /// Logarithmic, labelled at these points, the first and the last of which are its ends.
    Log(Vec<f64>),
    /// From one number to another.
    Linear(f64, f64),
}

impl Across {
    /// Logarithmic, from the power of ten below the points of `lines` to the one above.
    pub(crate) fn powers_of_ten(lines: &[Line]) -> Self {
        let all = || lines.iter().flat_map(|line| &line.points).map(|point| point.0.log10());
        let low = all().fold(f64::INFINITY, f64::min).floor() as i32;
        let high = all().fold(f64::NEG_INFINITY, f64::max).ceil() as i32;
        Self::Log((low..=high).map(|power| 10f64.powi(power)).collect())
    }

    /// Where the drawing begins and ends: a little beyond the labels of a logarithmic axis.
    fn ends(&self) -> (f64, f64) {
        match self {
            Self::Log(ticks) => (ticks[0] * 0.8, ticks[ticks.len() - 1] * 1.25),
            Self::Linear(from, to) => (*from, *to),
        }
    }
}

/// Lines, with a legend.
pub(crate) struct LineChart {
    pub(crate) title: String,
    pub(crate) x: String,
    pub(crate) y: String,
    pub(crate) across: Across,
    /// The ends of the vertical axis.
    pub(crate) up: (f64, f64),
    /// How many decimals the labels of the vertical axis have.
    pub(crate) decimals: usize,
    pub(crate) lines: Vec<Line>,
}

impl Figure for LineChart {
    fn draw<DB: DrawingBackend>(&self, area: &DrawingArea<DB, Shift>) -> Result<()>
    where
        DB::ErrorType: 'static,
    {
        let mut builder = ChartBuilder::on(area);
        builder.caption(&self.title, text(24)).margin(16).x_label_area_size(52).y_label_area_size(72);
        // The last label reaches beyond the axis.
        builder.margin_right(44);
        let (from, to) = self.across.ends();
        let up = self.up.0..self.up.1;
        match &self.across {
            Across::Log(ticks) => {
                let across = (from..to).log_scale().with_key_points(ticks.clone());
                self.fill(builder.build_cartesian_2d(across, up)?)
            }
            Across::Linear(..) => self.fill(builder.build_cartesian_2d(from..to, up)?),
        }
    }
}

impl LineChart {
    fn fill<'a, DB, X>(&self, mut chart: ChartContext<'a, DB, Cartesian2d<X, RangedCoordf64>>) -> Result<()>
    where
        DB: DrawingBackend + 'a,
        DB::ErrorType: 'static,
        X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        chart
            .configure_mesh()
            .x_desc(&self.x)
            .y_desc(&self.y)
            .axis_desc_style(text(19))
            .label_style(text(16))
            .x_label_formatter(&|x| format!("{x}"))
            .y_label_formatter(&|y| format!("{y:.*}", self.decimals))
            .light_line_style(TRANSPARENT)
            .bold_line_style(RGBColor(226, 226, 226))
            .axis_style(INK)
            .draw()?;
        let (first, last) = self.across.ends();
        for line in &self.lines {
            if let Some((low, high)) = line.band {
                let corners = [(first, low), (last, high)];
                chart.draw_series([Rectangle::new(corners, line.colour.mix(0.15).filled())])?;
            }
            for thread in &line.threads {
                chart.draw_series(LineSeries::new(thread.iter().copied(), line.colour.mix(0.35)))?;
            }
            let dot = |&point: &(f64, f64)| Circle::new(point, 3, line.colour.mix(0.45).filled());
            chart.draw_series(line.cloud.iter().map(dot))?;
            let style = line.colour.stroke_width(3);
            let points = line.points.iter().copied();
            let drawn = if line.dashed {
                chart.draw_series(DashedLineSeries::new(points, 9, 6, style))?
            } else {
                chart.draw_series(LineSeries::new(points, style))?
            };
            let dashed = line.dashed;
            drawn.label(&line.label).legend(move |(x, y)| {
                let end = if dashed { x + 11 } else { x + 24 };
                PathElement::new([(x, y), (end, y)], style)
            });
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .label_font(text(17))
            .legend_area_size(32)
            .margin(10)
            .background_style(WHITE.mix(0.85))
            .draw()?;
        Ok(())
    }
}

/// One box of a [`BoxChart`].
pub(crate) struct BoxOf {
    pub(crate) label: String,
    pub(crate) colour: RGBColor,
    /// log10 of the draws.
    pub(crate) log10: Vec<f64>,
}

/// Box plots of logarithms: quartiles, whiskers to the last draw within 1.5 times the box, the others as dots.
pub(crate) struct BoxChart {
    pub(crate) title: String,
    pub(crate) y: String,
    pub(crate) boxes: Vec<BoxOf>,
    /// The quartiles of a sample, as (first, median, third).
    pub(crate) quartiles: fn(&[f64]) -> (f64, f64, f64),
}

impl Figure for BoxChart {
    fn draw<DB: DrawingBackend>(&self, area: &DrawingArea<DB, Shift>) -> Result<()>
    where
        DB::ErrorType: 'static,
    {
        let all = || self.boxes.iter().flat_map(|sample| &sample.log10).copied();
        let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
        let labels: Vec<&str> = self.boxes.iter().map(|sample| sample.label.as_str()).collect();
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, text(24))
            .margin(16)
            .x_label_area_size(40)
            .y_label_area_size(84)
            .build_cartesian_2d(-0.5..self.boxes.len() as f64 - 0.5, low - 1.0..high + 1.0)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(2 * labels.len() + 1)
            .x_label_formatter(&|x| {
                let whole = x.fract() == 0.0 && *x >= 0.0;
                if whole {
                    labels.get(*x as usize).map_or(String::new(), |label| (*label).to_owned())
                } else {
                    String::new()
                }
            })
            .y_desc(&self.y)
            .y_label_formatter(&|y| format!("1e{y:.0}"))
            .axis_desc_style(text(19))
            .label_style(text(17))
            .light_line_style(TRANSPARENT)
            .bold_line_style(RGBColor(226, 226, 226))
            .axis_style(INK)
            .draw()?;
        for (i, sample) in self.boxes.iter().enumerate() {
            let x = i as f64;
            let (q1, median, q3) = (self.quartiles)(&sample.log10);
            let reach = 1.5 * (q3 - q1);
            let inside = |value: &&f64| (q1 - reach..=q3 + reach).contains(*value);
            let bottom = sample.log10.iter().filter(inside).copied().fold(q1, f64::min);
            let top = sample.log10.iter().filter(inside).copied().fold(q3, f64::max);
            let outside = sample.log10.iter().filter(|value| !inside(value));
            chart.draw_series(outside.map(|&y| Circle::new((x, y), 2, sample.colour.mix(0.4).filled())))?;
            let corners = [(x - 0.22, q1), (x + 0.22, q3)];
            chart.draw_series([Rectangle::new(corners, sample.colour.mix(0.25).filled())])?;
            let pen = sample.colour.stroke_width(2);
            chart.draw_series([Rectangle::new(corners, pen)])?;
            let strokes = [
                [(x, q3), (x, top)],
                [(x, q1), (x, bottom)],
                [(x - 0.1, top), (x + 0.1, top)],
                [(x - 0.1, bottom), (x + 0.1, bottom)],
            ];
            chart.draw_series(strokes.map(|stroke| PathElement::new(stroke, pen)))?;
            chart.draw_series([PathElement::new(
                [(x - 0.22, median), (x + 0.22, median)],
                sample.colour.stroke_width(4),
            )])?;
        }
        Ok(())
    }
}
