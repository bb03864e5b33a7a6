"""The stubs say what the module has: the same public names, and the same parameters where the module tells them."""

import ast
import inspect
import os
import unittest

import dlscope

FOLDER = os.path.dirname(os.path.abspath(dlscope.__file__))
ALSO_PUBLIC = {"__version__"}


def is_public(name):
    return not name.startswith("_") or name in ALSO_PUBLIC


def stub_names(tree):
    """What a stub declares on its top level: an import counts only as `import x as x`, as type checkers have it."""
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (alias.name for alias in node.names if alias.asname == alias.name)


class Stubs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(os.path.join(FOLDER, "__init__.pyi"), encoding="utf-8") as file:
            cls.tree = ast.parse(file.read())

    def test_they_name_what_the_module_has(self):
        module = {name for name in dir(dlscope) if is_public(name) and not inspect.ismodule(getattr(dlscope, name))}
        self.assertEqual({name for name in stub_names(self.tree) if is_public(name)}, module)
        self.assertEqual(set(dlscope.__all__), module)

    def test_both_lists_of_what_star_imports_are_one(self):
        lists = [node.value for node in self.tree.body
                 if isinstance(node, ast.Assign) and [t.id for t in node.targets] == ["__all__"]]
        self.assertEqual([ast.literal_eval(value) for value in lists], [dlscope.__all__])

    def test_functions_have_the_parameters_the_stubs_give(self):
        checked = 0
        for node in self.tree.body:
            if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
                continue
            try:
                signature = inspect.signature(getattr(dlscope, node.name))
            except ValueError:  # a function in C that tells no signature
                continue
            declared = [a.arg for a in node.args.posonlyargs + node.args.args]
            declared += [node.args.vararg.arg] if node.args.vararg else []
            declared += [a.arg for a in node.args.kwonlyargs]
            self.assertEqual([p for p in signature.parameters], declared, node.name)
            checked += 1
        self.assertGreater(checked, 0)

    def test_type_checkers_may_read_them(self):
        self.assertTrue(os.path.exists(os.path.join(FOLDER, "py.typed")))


if __name__ == "__main__":
    unittest.main()
