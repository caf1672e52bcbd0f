"""What every part uses: checks of arguments, memory, progress, arrays."""
