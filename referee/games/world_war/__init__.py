"""World War: its board, forces, cards, goals and the course of a turn."""
