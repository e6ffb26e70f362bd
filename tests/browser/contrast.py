"""How well an explorable's text and marks stand out from the page, as the contrast ratios of WCAG 2."""

READ = """(root) => {
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (colour) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const styled = (selector, property) => rgb(getComputedStyle(root.querySelector(selector))[property]);
  return {
    paper: styled(".gx-tag rect", "fill"), sentence: styled(".gx-sentence", "color"), hint: styled(".gx-hint", "color"),
    number: styled(".gx-texts text:not(.gx-ruler)", "fill"), ruler: styled(".gx-ruler", "fill"),
    window: styled(".gx-marks .gx-window", "stroke"), winner: styled(".gx-marks .gx-winner", "stroke"),
    arrow: styled(".gx-marks .gx-arrow", "stroke"),
  };
}"""


def ratios(root):
    """The contrast of each kind of text and mark with the page behind it."""
    colours = root.evaluate(READ)
    paper = luminance(colours.pop("paper"))
    return {name: contrast(luminance(colour), paper) for name, colour in colours.items()}


def luminance(colour):
    """Relative luminance of a colour (red, green, blue), each 0 to 255."""
    parts = [part / 255 for part in colour]
    red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    """The contrast of two luminances, 1 to 21."""
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)
