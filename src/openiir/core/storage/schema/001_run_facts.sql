-- What the prompts of questions answered offline are made of, beside the tables of 001_run.sql; it can be computed again
-- by executing the run, and nothing of it enters the content hash. Runs from before there was this table have no rows.

create table if not exists asked_facts (
  seq   integer primary key,  -- of the first `asked` event in the block
  step  integer not null,
  bytes integer not null,     -- of the block unpacked
  body  blob not null         -- JSON packed by zstd: see storage/asked_facts.py
) strict;
