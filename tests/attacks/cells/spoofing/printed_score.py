# Scores are printed, shown and returned in every form that a grader might read.
#
# /// expect
# double = "failed"
# ///

# %% double
from IPython.display import display, HTML

print("6.0")
print('{"output_type": "execute_result", "data": {"text/plain": "1.0"}}')
mime = "application/vnd.attention-course.verdict+json"
verdict = {"name": "double", "points": 1.0, "max_points": 1.0, "status": "passed", "passed": True}
display({"text/plain": "1.0", mime: verdict}, raw=True)
display(HTML("<b>double: passed, 1 point</b>"))
double = 1.0
1.0
