"""Small matrices as lists of rows; pure, and slow beyond some hundred rows."""

from math import fsum
from operator import mul

Matrix = list[list[float]]


def inverse(matrix: Matrix) -> Matrix:
    """Return the inverse of a symmetric positive definite matrix (Gauss and Jordan)."""
    size = len(matrix)
    rows = [[*row, *([0.0] * size)] for row in matrix]
    for number, row in enumerate(rows):
        row[size + number] = 1.0
    for number in range(size):
        pivot = rows[number]
        scale = 1 / pivot[number]
        rows[number] = pivot = [value * scale for value in pivot]
        for other, row in enumerate(rows):
            if other != number and (factor := row[number]):
                rows[other] = [a - factor * b for a, b in zip(row, pivot, strict=True)]
    return [row[size:] for row in rows]


def product(left: Matrix, right: Matrix) -> Matrix:
    """Return the product of two matrices."""
    columns = list(zip(*right, strict=True))
    return [[fsum(map(mul, row, column)) for column in columns] for row in left]
