"""Contract tests a plug-in inherits, a cast, and stand-in servers."""
