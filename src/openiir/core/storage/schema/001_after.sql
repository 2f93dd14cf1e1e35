-- The after-file: everything asked or measured once the run has ended. It names the run and never changes it.

create table run (
  content text not null       -- the content hash of the run it belongs to
) strict;

create table interview (
  id       integer primary key,
  agent    text not null,
  question text not null,
  reply    text,              -- null where no usable answer came
  answerer text not null,
  document text not null check (json_valid(document))
) strict;

create table validation (     -- a participant's verdict on a statement of their persona
  id        integer primary key,
  agent     text not null,
  statement text not null,    -- id of the claim
  verdict   text not null check (verdict in ('agree', 'disagree', 'skip')),
  comment   text not null default ''
) strict;

create table measure (
  id     integer primary key,
  name   text not null,
  value  real,                -- null where undefined
  reason text,                -- why it is undefined
  set_by text not null        -- the settings it was measured under, as canonical JSON
) strict;
