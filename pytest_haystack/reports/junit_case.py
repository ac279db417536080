"""A test case of junit.xml that has a name of its own and a place."""

from __future__ import annotations

from junitparser import Attr, IntAttr, xunit2

from pytest_haystack.reports.escape import xml_text


class Case(xunit2.TestCase):
    """A test case that also says where it stands; ``line`` is 1-based."""

    file = Attr()
    line = IntAttr()


def named_case(classname: str, name: str, file: str, taken: dict[tuple[str, str], int]) -> Case:
    """A case whose class name and name no other has; ``taken`` counts those that there are."""
    case = Case()
    classname, name = xml_text(classname), xml_text(name)
    seen = taken[(classname, name)] = taken.get((classname, name), 0) + 1
    if seen > 1:
        return named_case(classname, f"{name} ({seen})", file, taken)
    case.classname, case.name, case.file = classname, name, xml_text(file.replace("\\", "/"))
    return case
