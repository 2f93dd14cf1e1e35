"""Shows runs in a browser: a JSON interface and the built web app, on this machine alone unless asked otherwise."""
