"""Models of opinion dynamics and of Delphi revision, as pure functions over arrays of opinions."""
