"""The run file, its tables and the after-file; the only SQL that writes."""
