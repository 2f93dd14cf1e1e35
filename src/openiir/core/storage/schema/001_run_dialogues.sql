-- Dialogues with systems under test, beside the tables of 001_run.sql; nothing of it enters the content hash.
-- A run from before there were these tables gets them when it is opened for writing.

create table if not exists opening (     -- sessions, each noted before its system hears of it
  system text not null,
  lane   text not null,
  asker  text not null,
  step   integer not null,
  number integer not null,               -- from 1: the nth session of this lane and asker in this step
  primary key (system, lane, asker, step, number)
) strict, without rowid;

create table if not exists abandoned (   -- replies set aside where a lane was lived again; columns as in call
  lane          text not null,
  asker         text not null,
  kind          text not null,
  subject       text not null,
  step          integer not null,
  ordinal       integer not null,
  attempt       integer not null,
  answerer      text not null,
  prompt_hash   text not null references prompt (hash),
  reply         text not null,
  reply_hash    text not null,
  usable        integer not null check (usable in (0, 1)),
  error         text,
  model         text,
  prompt_tokens integer not null,
  reply_tokens  integer not null,
  life          integer not null,        -- from 1: the nth life of the lane in this step
  unique (lane, asker, kind, subject, step, ordinal, attempt, life)
) strict;  -- with rowid: SQLite 3.40 finds damage where a key without rowid is not made of the first columns
