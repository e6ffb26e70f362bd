"""What makes the course's files and is not installed with it."""
