-- The run file. Everything but `state`, `transport`, `embedding`, `fitted` and `step` enters the content hash.

create table state (          -- how the run stands; never hashed
  key   text primary key,     -- status, reason, declared, recipe, content, manifest
  value text not null
) strict;

create table study (          -- the declaration of the run: one row
  id       integer primary key check (id = 1),
  type     text not null,
  name     text not null,
  seed     integer not null,
  document text not null check (json_valid(document))
) strict;

create table persona (
  id       text primary key,
  position integer not null,  -- order in the cast, from 0
  document text not null check (json_valid(document))
) strict;

create table chunk (          -- the worlds, piece by piece
  world  text not null,
  id     text not null,
  source text not null,
  start  integer not null,    -- offsets into the source's text
  "end"  integer not null,
  text   text not null,
  sha256 text not null,       -- of text
  step   integer not null,    -- 0 for what the run started from, else the step whose search found it
  primary key (world, id)
) strict;

create table search (         -- web searches asked for, refused ones included
  lane          text not null,
  asker         text not null,
  step          integer not null,
  ordinal       integer not null,
  query         text not null,
  justification text not null,
  refused       text,         -- the reason; null for a search that was made
  hits          text not null check (json_valid(hits)),
  primary key (lane, asker, step, ordinal)
) strict;

create table prompt (         -- what was sent, once for each distinct text
  hash text primary key,      -- SHA-256 of body
  body text not null check (json_valid(body))
) strict;

create table call (           -- the ledger: replies that cannot be computed again
  lane          text not null,
  asker         text not null,
  kind          text not null,
  subject       text not null,
  step          integer not null,
  ordinal       integer not null,
  attempt       integer not null,      -- 0 the first answer, 1 its repair
  answerer      text not null,
  prompt_hash   text not null references prompt (hash),
  reply         text not null,
  reply_hash    text not null,         -- SHA-256 of reply
  usable        integer not null check (usable in (0, 1)),
  error         text,
  model         text,
  prompt_tokens integer not null,
  reply_tokens  integer not null,
  primary key (lane, asker, kind, subject, step, ordinal, attempt)
) strict, without rowid;
create index call_step on call (step);

create table transport (      -- tries that brought no reply; never hashed, never debited
  id      integer primary key,
  lane    text not null,
  asker   text not null,
  kind    text not null,
  subject text not null,
  step    integer not null,
  ordinal integer not null,
  attempt integer not null,
  number  integer not null,
  what    text not null,
  waited  real not null
) strict;

create table event (          -- the log
  seq     integer primary key,
  step    integer not null,
  lane    text not null,
  kind    text not null,
  actor   text,               -- an agent's id; null for the platform itself
  payload text not null check (json_valid(payload))
) strict;
create index event_kind on event (kind, seq);
create index event_actor on event (actor, seq) where actor is not null;

create table claim (
  id         text primary key,
  position   integer not null unique,
  step       integer not null,
  speaker    text not null,
  utterance  integer not null,
  stance     real not null,
  text       text not null,
  document   text not null check (json_valid(document))
) strict;

create table edge (
  position   integer primary key,
  step       integer not null,
  source     text not null references claim (id),
  target     text not null references claim (id),
  type       text not null check (type in ('supports', 'counters', 'refines', 'questions')),
  confidence real not null,
  extractor  text not null
) strict;

create table part (           -- table parts that exist; a file that no row names does not
  file  text primary key,     -- below tables/
  tbl   text not null,
  step  integer not null,
  rows  integer not null,
  hash  text not null         -- of the rows in canonical form, not of the file
) strict;

create table step (           -- steps that are committed
  number integer primary key,
  label  text not null,
  digest text not null,       -- of the step's searches, events, claims, edges and parts
  calls  text not null        -- of which calls it made
) strict;

create table embedding (      -- vectors from an endpoint, so that a replay needs none
  hash   text primary key,    -- of the model's name and the text
  vector blob not null,       -- float32, little-endian
  sha256 text not null        -- of vector
) strict;

create table fitted (         -- parts fitted on the run's own data
  name text primary key,
  hash text not null,
  body blob not null
) strict;
