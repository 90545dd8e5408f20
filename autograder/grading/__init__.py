"""From what students hand in to a gradebook, pages and tables. Who looks for something, looks in:

course        what was released, what was handed in, what was graded: a course folder
submission    one notebook: read, put in order, run in the sandbox, judged on this side
run           a whole class: jobs, workers, results written down
report        what is shown of it: the students' pages, the class at a glance, tables
hosts         where others grade with it: nbgrader's own commands, Gradescope, GitHub Classroom
"""
