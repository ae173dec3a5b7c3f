"""The statements and expressions of generated code: `if_stmt`, `while_loop`, `for_loop`, items and attributes."""
