# %% [markdown]
# # 00 · How do I use this course?
#
# A neural network learns from gradients that flow backward through its layers. This course follows the gradient through
# two layers of image networks, **pooling** and **convolution**, until you can do it on paper, in NumPy, in PyTorch, and
# aloud in an interview.
#
# **You should know** a little Python, and what a NumPy array is.
#
# **You will be able to**
# 1. tell whether everything you need is installed;
# 2. say which pixels of a photograph get the gradient of one output;
# 3. check an answer, ask for a hint, and find what comes next.
#
# **Time:** about 15 minutes.
#
# ## Does everything work?
#
# A notebook is text and cells of code. Click into a cell and press Shift + Enter: it runs, and what it shows stands
# below it. Before you run a cell, you see what it showed where the course was made. Run this one first. Each line ends
# in *ok*, in a *note*, or in *fails* and the sentence that mends it.

# %% name="doctor" tags=["nbval-ignore-output"]
from course_lib import doctor, workspace

findings = [doctor.python(), *doctor.packages(), doctor.jupyterlab(), doctor.work()]
for finding in findings:
    print(f"{finding.subject:<13} {finding.state} {finding.mend}")
assert {finding.state for finding in findings} <= {"ok", "note", "fails"}
print(workspace.outside_work_note() or "This notebook is your own copy, and nothing will overwrite it.")

# %% [markdown]
# In a terminal, `python3 start.py doctor` says the same and more. Chapters that need PyTorch say so; this one does not.
#
# ## Five minutes: click an output, see where its gradient goes
#
# Here is a photograph of 64 × 96 pixels, from 0 (black) to 1 (white). Max pooling with `kernel_size=4` cuts it into
# windows of 4 × 4 pixels, and keeps one number of each: the largest. Beside the photograph stands one window, enlarged.

# %% name="photograph"
from course_lib import figures, routing
from course_lib.experiments import photograph

photo = photograph("flower", size=(64, 96))
figures.magnified(photo, (24, 44, 4, 4), title="the photograph")

# %% [markdown]
# This window becomes one output. Suppose that the network would do better if this output were a little larger. Training
# passes this wish backward, and asks every pixel: *if you rise a little, how much does the output rise?* The answers
# are the gradient.
#
# Make your bet below; nobody sees it but you. The cell after it computes the answer.

# %% name="predict-pixels"
from course_lib.widgets import predict

predict("00-pixels", "How many of the sixteen pixels get a gradient that is not zero?", number="pixels", answer=1,
        why="The output is the largest of the sixteen numbers. Raise that pixel a little, and the output rises as "
            "much. Raise any other a little, and nothing happens: it still is not the largest.")  # fmt: skip

# %% name="one-output"
import numpy as np

routes = routing.max_routes(photo[None, None], kernel_size=4)
grad_output = np.zeros(routes.shape_out)
grad_output[0, 0, 6, 11] = 1
grad_input = routes.backward(grad_output)[0, 0]
winner = np.argwhere(grad_input)[0]
assert np.count_nonzero(grad_input) == 1
print("pixels with a gradient:", np.count_nonzero(grad_input))
figures.magnified(photo, (24, 44, 4, 4), winner, "where the gradient goes")

# %% [markdown]
# The whole gradient goes to the brightest pixel of the window, the one with the ring. Average pooling would give each
# of the sixteen an equal share.
#
# That was one output of many. Now take a piece of the flower, 16 × 16 pixels, and let *every* output of it get 1.

# %% name="predict-piece"
predict("00-piece", "How many of the 256 pixels get a gradient that is not zero?", number="pixels", answer=16,
        why="There are 4 × 4 windows, and each has one brightest pixel.")  # fmt: skip

# %% [markdown]
# The next picture shows the piece and its gradient. A triangle marks a pixel that gets something. Below it is the same
# piece for you to play with. Click an output, in the small grid, to follow its gradient. Click a pixel to see
# which outputs it reaches. Change the settings in the first row; later chapters explain each. The arrow keys work too.

# %% name="piece"
piece = photo[12:28, 22:38]
every_output = routing.max_routes(piece[None, None], 4).backward(np.ones((1, 1, 4, 4)))
assert np.count_nonzero(every_output) == 16
arrivals = figures.photo_gradient(piece, every_output, "gradient")
figures.side_by_side(figures.photo(piece, "16 × 16 pixels"), arrivals)

# %% name="widget"
from course_lib.widgets import RoutingExplorer

RoutingExplorer(piece, kernel_size=(4, 3, 2), stride=(4, 2, 1))

# %% [markdown]
# ## How do I know that I am right?
#
# The course has exercises, and they check themselves. You fill in a cell and run `check`. It never scolds and never
# stops the notebook. It says, for each thing that was asked, whether it is right. Nothing has been answered yet:

# %% name="check"
from course_lib.exercises import check, hint, progress

check(3)

# %% [markdown]
# Now a wrong answer to the first part, on purpose. It asks for the gradient of the window [[1, 4], [3, 2]] when its
# output gets 6. We claim that every element gets the whole 6:

# %% name="wrong"
check(3, max_gradient=[[6, 6], [6, 6]])

# %% [markdown]
# You see your answer and the first element that is wrong. This mistake is a known one, so you also see its name and the
# chapter that explains it. You may check as often as you like; the best attempt counts.
#
# * `hint(3)` gives a hint, and the next one each time, from a question to the line of code.
# * `reveal(3)` leads to the solution. Your progress remembers it.
# * `progress()` shows what is done, with links. It is kept in one file in your `work` folder.

# %% name="hint"
hint(3, 0)

# %% name="progress"
progress()

# %% [markdown]
# ## The map
#
# | chapter | question | then do |
# |---|---|---|
# | [00][chapter 00] | How do I use this course? | |
# | [01][chapter 01] | What does pooling keep? | its task, at the end |
# | [02][chapter 02] | Where does the gradient go? | exercise [3][exercise 3] |
# | [03][chapter 03] | What if windows overlap? | workshop [11][exercise 11] |
# | [04][chapter 04] | What happens at the border? | workshop [12][exercise 12] |
# | [05][chapter 05] | Who wins a tie? | its task, at the end |
# | [06][chapter 06] | How does a shared kernel learn? | exercises [1][exercise 1], [2][exercise 2], [5][exercise 5] |
# | [07][chapter 07] | How do I know it is right? | exercises [4][exercise 4], [6][exercise 6], [7][exercise 7] |
# | [08][chapter 08] | How sparse is the gradient? | exercise [9][exercise 9] |
# | [09][chapter 09] | Can it be fast, and on a GPU? | exercises [8][exercise 8], [10][exercise 10] |
# | [10][chapter 10] | What else can shrink an image? | its task, at the end |
# | [11][chapter 11] | What does this do in a multimodal model? | its task, at the end |
# | [12][chapter 12] | Which of these claims are true? | its task, at the end |
# | [13][chapter 13] | Could I explain it in 60 seconds? | its task, at the end |
#
# The course is made to be read in this order. Every chapter asks you to predict before it shows. Do it: a wrong guess
# makes you look twice. Every picture can be read as text, too: `print` it instead of showing it. Words that are new to
# you stand in the [glossary](../docs/glossary.md).
#
# **In short:** run a cell with Shift + Enter; predict before you look; `check`, `hint`, `reveal` and `progress` go with
# you. **Next:** [chapter 01, What does pooling keep?](01_what_does_pooling_keep.ipynb)
#
# *Photograph: flower by vultilion, CC BY 2.0, from scikit-learn's sample images, made grey and smaller.*
#
# [chapter 00]: 00_how_do_i_use_this_course.ipynb
# [chapter 01]: 01_what_does_pooling_keep.ipynb
# [chapter 02]: 02_where_does_the_gradient_go.ipynb
# [chapter 03]: 03_what_if_windows_overlap.ipynb
# [chapter 04]: 04_what_happens_at_the_border.ipynb
# [chapter 05]: 05_who_wins_a_tie.ipynb
# [chapter 06]: 06_how_does_a_shared_kernel_learn.ipynb
# [chapter 07]: 07_how_do_i_know_it_is_right.ipynb
# [chapter 08]: 08_how_sparse_is_the_gradient.ipynb
# [chapter 09]: 09_can_it_be_fast_and_on_a_gpu.ipynb
# [chapter 10]: 10_what_else_can_shrink_an_image.ipynb
# [chapter 11]: 11_what_does_this_do_in_a_multimodal_model.ipynb
# [chapter 12]: 12_which_of_these_claims_are_true.ipynb
# [chapter 13]: 13_could_i_explain_it_in_60_seconds.ipynb
# [exercise 1]: ../exercises/01_kernel_gradient.ipynb
# [exercise 2]: ../exercises/02_convolution_on_paper.ipynb
# [exercise 3]: ../exercises/03_one_window_by_hand.ipynb
# [exercise 4]: ../exercises/04_central_difference.ipynb
# [exercise 5]: ../exercises/05_convolution_by_hand.ipynb
# [exercise 6]: ../exercises/06_check_the_gradient.ipynb
# [exercise 7]: ../exercises/07_design_the_tests.ipynb
# [exercise 8]: ../exercises/08_compare_three_backwards.ipynb
# [exercise 9]: ../exercises/09_swap_the_pooling.ipynb
# [exercise 10]: ../exercises/10_change_the_precision.ipynb
# [exercise 11]: ../exercises/11_max_pooling_workshop.ipynb
# [exercise 12]: ../exercises/12_average_pooling_workshop.ipynb
