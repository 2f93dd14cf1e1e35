"""Web server that shows runs in a browser: a JSON interface and the built web app, local by default."""
