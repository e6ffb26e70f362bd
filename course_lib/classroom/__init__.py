"""The classroom: grading notebooks that nobody trusts, and what a teacher and each student read afterwards."""
