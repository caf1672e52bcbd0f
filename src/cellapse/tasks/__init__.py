"""What people do with an operator; every task takes every operator."""
