"""How numbers and dates are written, where it is otherwise than Django would."""
