"""The cheapest assignment of rows to columns, for a few of each."""

import numpy as np


def assign(costs: np.ndarray) -> list[tuple[int, int]]:
    """Pairs (row, column) of least total cost [row, column]; each row and column is used once, as far as there are.

    Shortest augmenting paths, one row after the other.

    >>> assign(np.array([[4.0, 1.0, 3.0], [2.0, 0.0, 5.0]]))
    [(0, 1), (1, 0)]
    """
    if costs.shape[0] > costs.shape[1]:
        return sorted((row, column) for column, row in assign(costs.T))
    table = np.asarray(costs, float)
    rows, columns = table.shape
    row_prices, column_prices = np.zeros(rows), np.zeros(columns)
    row_of = np.full(columns, -1)
    for start in range(rows):
        distances = np.full(columns, np.inf)
        before = np.full(columns, -1)
        done = np.zeros(columns, bool)
        row, column, length = start, -1, 0.0
        while True:
            lengths = length + table[row] - row_prices[row] - column_prices
            shorter = ~done & (lengths < distances)
            distances[shorter] = lengths[shorter]
            before[shorter] = column
            column = int(np.where(done, np.inf, distances).argmin())
            length = float(distances[column])
            if row_of[column] < 0:
                break
            done[column] = True
            row = int(row_of[column])
        row_prices[start] += length
        for other in np.flatnonzero(done):
            change = length - distances[other]
            row_prices[row_of[other]] += change
            column_prices[other] -= change
        while column >= 0:
            earlier = int(before[column])
            row_of[column] = row_of[earlier] if earlier >= 0 else start
            column = earlier
    return sorted((int(row), column) for column, row in enumerate(row_of) if row >= 0)
