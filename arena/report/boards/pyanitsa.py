"""The board of P'yanitsa: the same as that of War."""

from arena.report.boards.war import board

__all__ = ["board"]
