//! Renders pictures to pixels with an embedded font, so that all machines draw the same letters.

use resvg::{tiny_skia, usvg};
use std::sync::{Arc, LazyLock};

/// DejaVu Sans, reduced to Latin, Greek, Cyrillic and the symbols of plots; its licence is in `font/LICENSE`.
const REGULAR: &[u8] = include_bytes!("font/DejaVuSans.ttf");
const BOLD: &[u8] = include_bytes!("font/DejaVuSans-Bold.ttf");
/// Family name of both fonts.
const FAMILY: &str = "DejaVu Sans";
/// Maximum number of pixels per side.
const SIDE_MAX: f32 = 12_000.0;

static FONTS: LazyLock<Arc<usvg::fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = usvg::fontdb::Database::new();
    fonts.load_font_data(REGULAR.to_vec());
    fonts.load_font_data(BOLD.to_vec());
    fonts.set_sans_serif_family(FAMILY);
    Arc::new(fonts)
});

/// Renders one of our SVG pictures as a PNG file with `scale` pixels per SVG unit.
///
/// # Errors
/// A sentence if the picture is invalid or too large.
pub(crate) fn png(svg: &str, scale: f32) -> Result<Vec<u8>, String> {
    let options = usvg::Options { fontdb: FONTS.clone(), font_family: FAMILY.to_owned(), ..usvg::Options::default() };
    let tree = usvg::Tree::from_str(svg, &options).map_err(|why| format!("The picture cannot be drawn: {why}."))?;
    let (width, height) = (tree.size().width() * scale, tree.size().height() * scale);
    if width.max(height) > SIDE_MAX {
        return Err(format!("The picture has {width:.0} x {height:.0} pixels, more than {SIDE_MAX} on a side."));
    }
    let mut pixels = tiny_skia::Pixmap::new(width.ceil() as u32, height.ceil() as u32)
        .ok_or_else(|| "The picture has no pixels.".to_owned())?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().map_err(|why| why.to_string())
}
