"""Values of Python as text that makes them again: what tells an instance of a factory apart from the others."""

# Elements of a literal.
MOST_ELEMENTS = 64


def literal(value):
    """The value as Python text; `None` if it is no plain value."""
    if value is None or isinstance(value, (bool, int)):
        return repr(value)
    if isinstance(value, float):
        return repr(value) if abs(value) < float("inf") else None
    if isinstance(value, (tuple, list)) and len(value) <= MOST_ELEMENTS:
        parts = [literal(it) for it in value]
        if None in parts:
            return None
        inside = ", ".join(parts)
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' if len(parts) == 1 else ''})"
    kind = type(value)
    # A type of TVM's: a string of Python, or an object of its interface.
    if isinstance(value, str) or (kind.__name__ == "dtype" and "torch" not in kind.__module__):
        return repr(str(value))
    item = getattr(value, "item", None)
    if kind.__module__ == "numpy" and getattr(value, "ndim", None) == 0 and item:
        return literal(item())
    return None
