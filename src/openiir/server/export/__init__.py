"""Exports: a run as a page, a folder or a .zip that opens from disk and that `openiir verify` checks.

An export holds blocks of packed JSON (`blocks`): answers of the JSON interface by path (`answers`); the rows
that the content hash covers (`record`); and what the run can be made from again beside them (`rebuild`).
`left_out` hides prompts, personas or sources; `write` puts the blocks and the web viewer into files, `check`
reads them, hashes the rows, and makes every answer again from them.
"""
