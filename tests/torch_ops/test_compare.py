"""`compare` says where the two backends differ, and gives the reason that is known for it."""

import pytest
import torch

from course_lib import avg_pool, conv, fractional_max_pool, lp_pool, max_pool, max_unpool
from course_lib.torch_ops.compare import compare

X = torch.linspace(-3, 3, 2 * 3 * 7 * 7).reshape(2, 3, 7, 7).mul(17).sin()


def test_maxima_are_the_same():
    found = compare(max_pool, X, 3, 2, 1)
    assert found.same
    assert [difference.what for difference in found.differences] == ["output", "indices", "gradient of x"]


def test_fractional_maxima_are_the_same():
    samples = X[:, :, 0, :2].abs() / 2
    assert compare(fractional_max_pool, X, 2, 3, samples=samples).same


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("channel_axis", [1, -1])
def test_unpooled_values_are_the_same(axes, channel_axis):
    x = X[..., 0] if axes == 1 else X if axes == 2 else X.reshape(2, 3, 7, 7, 1)
    y, indices = max_pool(x.movedim(1, channel_axis), 2, 2, 0, 1, True, return_indices=True, channel_axis=channel_axis)
    found = compare(max_unpool, y, indices, x.movedim(1, channel_axis).shape, channel_axis=channel_axis)
    assert found.same
    assert [difference.what for difference in found.differences] == ["output", "gradient of x"]


def test_an_element_named_twice_is_named():
    y, indices = max_pool(X, 3, 1, return_indices=True)
    found = compare(max_unpool, y, indices, X.shape, duplicates="last")
    assert "Of two values for one element the last stays here" in found.differences[1].why


def test_averages_differ_by_rounding():
    output = compare(avg_pool, X, 3, 2, 1).differences[0]
    assert 0 < output.count < output.total
    assert output.ours == pytest.approx(output.theirs, rel=1e-5)
    assert "ε from the float64 value" in output.why


def test_convolution_compares_all_three_gradients():
    found = compare(conv, X, X[:1, :, :3, :3], X[0, 0, 0, :1])
    assert [difference.what for difference in found.differences[1:]] == [
        "gradient of x",
        "gradient of weight",
        "gradient of bias",
    ]


def test_empty_window_is_named_and_its_backward_is_not_run():
    found = compare(max_pool, torch.zeros(1, 1, 1, 1), 2, 1, 1, 2)
    assert "index -1 here" in found.differences[1].why
    assert "would write outside the plane" in found.differences[2].why
    assert not found.same


def test_negative_values_in_a_norm_are_named():
    assert "powers of x, not of |x|" in compare(lp_pool, X, 3, 2).differences[0].why


def test_overhang_of_a_norm_is_named():
    assert "hangs over" in compare(lp_pool, X, 2, 2, ceil_mode=True).differences[0].why


def test_half_precision_is_named():
    assert "adds in half precision" in compare(max_pool, X.half(), 3, 1, 1).differences[2].why


def test_what_the_framework_lacks_is_named():
    assert "has no avg_pool with padding='same'" in compare(avg_pool, X, 3, padding="same").differences[0].why


def test_what_only_this_project_refuses_is_named():
    why = compare(avg_pool, X.long(), 2).differences[0].why
    assert why.startswith("This project refuses: x must have dtype float16")


def test_values_that_differ_stand_in_a_sentence():
    found = compare(max_unpool, torch.ones(1, 1, 2), torch.zeros(1, 1, 2).long(), (1, 1, 4), duplicates="last")
    # The upstream gradient begins with cos(-1).
    assert "1 of 2 differ. (0, 0, 0): 0 and 0.540302. Of two values" in repr(found)


def test_integers_have_no_gradient_to_compare():
    assert compare(max_pool, X.mul(5).int(), 2).same


def test_shows_itself_as_text_and_as_a_table():
    found = compare(avg_pool, X, 2)
    assert "avg_pool: this project and PyTorch" in repr(found)
    assert found._repr_html_().count("<tr>") == 3


def test_unknown_operation_is_refused():
    with pytest.raises(ValueError, match="operation must be 'max_pool' or"):
        compare("relu", X)
