"""What every picture does: it shows itself, reads as text, and leaves nothing behind."""

import io
import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from IPython.core.formatters import DisplayFormatter
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

from course_lib import figures
from course_lib.figures import style
from tests.figures.samples import GRAD_OUTPUT, NAMES, X, pictures


@pytest.fixture(params=NAMES, scope="module")
def picture(request):
    """Each of the sample pictures."""
    return pictures()[request.param]


@pytest.fixture(scope="module")
def shown(picture):
    """Its bytes and metadata, made once for all tests of one picture."""
    return picture._repr_png_()


def written(figure):
    """The texts of a figure that can be seen: a plot has hidden ones, for the sides that have no ticks."""
    return [text for text in figure.findobj(Text) if text.get_text() and text.get_visible()]


def drawn(picture):
    """The picture on a figure of its own, as large as it wants to be."""
    figure = Figure(picture.inches(), dpi=style.DOTS_PER_INCH)
    FigureCanvasAgg(figure)
    picture.draw(figure.add_axes((0, 0, 1, 1)))
    figure.canvas.draw()
    return figure


def pixels(data):
    """A stored picture: red, green, blue and opacity."""
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGBA"))


def test_picture_gives_a_notebook_an_image_and_the_text(picture):
    formatter = DisplayFormatter()
    data, metadata = formatter.format(picture)
    assert set(data) == {"image/png", "text/plain"}
    assert data["text/plain"] == metadata["image/png"]["alt"] == picture.text


def test_picture_fits_the_width_of_a_notebook(picture):
    assert picture.inches()[0] * style.PAGE_DOTS_PER_INCH <= 720


def test_picture_has_no_background(shown):
    assert (pixels(shown[0])[[0, 0, -1, -1], [0, -1, 0, -1], 3] == 0).all()


def test_picture_is_the_same_each_time(picture, shown):
    assert picture._repr_png_() == shown


def test_picture_carries_its_text_in_the_file(picture, shown):
    assert Image.open(io.BytesIO(shown[0])).info["Description"] == picture.text


def test_save_writes_what_a_notebook_shows(tmp_path):
    picture = figures.grid(X)
    picture.save(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes() == picture._repr_png_()[0]


def test_save_paints_a_background_where_asked(tmp_path):
    figures.grid(X).save(tmp_path / "picture.png", background="#111111")
    assert tuple(pixels((tmp_path / "picture.png").read_bytes())[0, 0]) == (17, 17, 17, 255)


def test_picture_stays_inside_its_frame(picture):
    figure = drawn(picture)
    frame = figure.bbox
    for text in written(figure):
        box = text.get_window_extent()
        # Half a point: the letters' own edge is a little inside of what matplotlib calls their box.
        assert box.x0 >= -1.5 and box.x1 <= frame.x1 + 1.5, text
        assert box.y0 >= -1.5 and box.y1 <= frame.y1 + 1.5, text


def test_picture_has_no_letters_too_small_to_read(picture):
    sizes = [text.get_fontsize() for text in written(drawn(picture))]
    assert min(sizes, default=10) >= 7


def test_picture_writes_no_text_over_another(picture):
    texts = written(drawn(picture))
    boxes = [text.get_window_extent() for text in texts if text.get_rotation() == 0]
    pairs = [(one, other) for n, one in enumerate(boxes) for other in boxes[:n]]
    # A shared edge is no overlap: letters have room around them.
    assert not [pair for pair in pairs if pair[0].shrunk(0.9, 0.9).overlaps(pair[1].shrunk(0.9, 0.9))]


def test_picture_on_axes_returns_its_artists_there(picture):
    ax = Figure().add_subplot()
    artists = picture.draw(ax)
    assert artists
    assert all(artist.figure is ax.figure for artist in artists)


def test_function_with_axes_draws_there_and_returns_artists():
    ax = Figure().add_subplot()
    artists = figures.grid(X, "x", ax=ax)
    assert isinstance(artists, list)
    assert {artist.axes for artist in artists} == {ax}


def test_picture_changes_no_setting():
    with matplotlib.rc_context({"font.size": 17.0, "text.color": "red"}):
        before = dict(matplotlib.rcParams)
        figures.grid(X)._repr_png_()
        assert dict(matplotlib.rcParams) == before


def test_picture_keeps_the_numbers_it_was_given():
    values = np.array([[1.0, 2.0]])
    picture = figures.grid(values)
    before = picture._repr_png_()
    values[:] = 9
    assert picture._repr_png_() == before


def test_figures_leave_pyplot_alone():
    code = "import sys; from course_lib import figures; figures.grid([[1.0]])._repr_png_()\n"
    code += "print('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"


def test_palette_keeps_the_colour_of_every_cell():
    values = np.linspace(-1, 1, 30).reshape(5, 6)
    picture = figures.gradient(values)
    stored = {tuple(pixel) for pixel in pixels(picture._repr_png_()[0]).reshape(-1, 4)}
    # Agg draws a colour in steps of 1/255, rounded.
    expected = {tuple(np.round(face * 255).astype(int)) for row in style.faces(values, "gradients") for face in row}
    assert expected <= stored


def test_side_by_side_reads_as_all_its_parts():
    parts = figures.grid(X, "x"), figures.gradient(GRAD_OUTPUT, "grad_output")
    text = figures.side_by_side(*parts).text
    assert all(part.text in text for part in parts)


def test_side_by_side_draws_all_in_one_scale():
    figure = drawn(figures.side_by_side(figures.grid(X, "x"), figures.gradient(GRAD_OUTPUT, "grad_output")))
    sides = [ax.bbox.width / abs(np.subtract(*ax.get_xlim())) for ax in figure.axes[0].child_axes]
    np.testing.assert_allclose(sides, sides[0], rtol=1e-9)


def test_side_by_side_puts_the_middles_at_one_height():
    parts = figures.grid(X, "x"), figures.gradient(GRAD_OUTPUT), figures.heat(np.eye(4), "with a scale")
    both = figures.side_by_side(*parts)
    figure = drawn(both)
    side = figure.bbox.width / both.size[0]
    sheets = sorted(figure.axes[0].child_axes, key=lambda ax: ax.bbox.x0)
    tops = [figure.bbox.y1 - ax.bbox.y1 for ax in sheets]
    middles = [top / side + part.middle for top, part in zip(tops, parts, strict=True)]
    np.testing.assert_allclose(middles, both.middle, rtol=1e-9)


def test_stacked_is_as_high_as_its_parts_and_the_gap():
    parts = figures.grid(X), figures.grid(X, "x")
    assert figures.stacked(*parts, gap=2).size[1] == pytest.approx(sum(part.size[1] for part in parts) + 2)
