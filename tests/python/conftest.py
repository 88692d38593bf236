"""The tests of the Python package. `cargo xtask test python` runs them; a peer that is not installed skips its tests."""

pytest_plugins = ["pytester"]
