//! Pictures as pixels, with letters that every machine draws alike: the font is in the program.

use resvg::{tiny_skia, usvg};
use std::sync::{Arc, LazyLock};

/// DejaVu Sans with the letters of Latin, Greek and Cyrillic and the signs that plots use; its licence is in `font/LICENSE`.
const REGULAR: &[u8] = include_bytes!("font/DejaVuSans.ttf");
const BOLD: &[u8] = include_bytes!("font/DejaVuSans-Bold.ttf");
/// The family of both.
const FAMILY: &str = "DejaVu Sans";
/// More pixels on a side are no picture that anyone looks at.
const SIDE_MAX: f32 = 12_000.0;

static FONTS: LazyLock<Arc<usvg::fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = usvg::fontdb::Database::new();
    fonts.load_font_data(REGULAR.to_vec());
    fonts.load_font_data(BOLD.to_vec());
    fonts.set_sans_serif_family(FAMILY);
    Arc::new(fonts)
});

/// An SVG picture of ours as a PNG file; `scale` is the number of pixels for one of its units.
///
/// # Errors
/// One sentence, where the picture is not valid or far too large.
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
