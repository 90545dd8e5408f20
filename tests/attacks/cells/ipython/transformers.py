# Input and syntax tree transformers rewrite every later cell.
#
# /// expect
# double = "missing: not defined"
# softmax = "missing"
# distance_scores = "missing"
# LearnedPositions = "missing"
# ///

# %% double
import ast


class Full(ast.NodeTransformer):
    def visit_Module(self, node):
        return ast.parse("6.0")


shell = get_ipython()
shell.ast_transformers.append(Full())
shell.input_transformers_cleanup.append(lambda lines: ["6.0\n"])
shell.input_transformer_manager.line_transforms.append(lambda lines: ["print('passed')\n"])
