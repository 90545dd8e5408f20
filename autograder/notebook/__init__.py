"""What a learner meets: check, predict, feedback, the history of cells, the terminal."""
