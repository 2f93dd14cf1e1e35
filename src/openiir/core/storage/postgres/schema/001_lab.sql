-- The lab's database. A table has the name and the columns of the one in run.db (storage/schema/001_run.sql explains
-- them), the number of its run, and, where no column tells it, the order of its rows (n). Times are not hashed.

create table openiir.run (
  run      integer generated always as identity primary key,
  id       text not null unique,       -- the same for every copy of the run
  type     text not null,
  name     text not null,
  seed     bigint not null,
  status   text not null,              -- running, stopped, failed or done
  content  text,                       -- the content hash; null until all of a finished run is here
  manifest json,                       -- manifest.json as it is, letter by letter; null until then
  tables   json not null,              -- the statements that made the tables of run.db
  pushed   timestamptz not null default now(),
  changed  timestamptz not null default now()
);
create index run_content on openiir.run (content);

create table openiir.state (
  run   integer not null,
  n     bigint not null,
  key   text not null,
  value text not null,
  primary key (run, n)
);

create table openiir.study (
  run      integer primary key,
  id       bigint not null,
  type     text not null,
  name     text not null,
  seed     bigint not null,
  document json not null
);

create table openiir.persona (
  run      integer not null,
  n        bigint not null,
  id       text not null,
  position bigint not null,
  document json not null,
  primary key (run, n)
);

create table openiir.chunk (
  run    integer not null,
  n      bigint not null,
  world  text not null,
  id     text not null,
  source text not null,
  start  bigint not null,
  "end"  bigint not null,
  text   text not null,
  sha256 text not null,
  step   bigint not null,
  primary key (run, n)
);

create table openiir.search (
  run           integer not null,
  n             bigint not null,
  lane          text not null,
  asker         text not null,
  step          bigint not null,
  ordinal       bigint not null,
  query         text not null,
  justification text not null,
  refused       text,
  hits          json not null,
  primary key (run, n)
);

create table openiir.prompt (
  run  integer not null,
  n    bigint not null,
  hash text not null,
  body json not null,
  primary key (run, n)
);
create index prompt_hash on openiir.prompt (run, hash);

create table openiir.call (
  run           integer not null,
  lane          text not null,
  asker         text not null,
  kind          text not null,
  subject       text not null,
  step          bigint not null,
  ordinal       bigint not null,
  attempt       bigint not null,
  answerer      text not null,
  prompt_hash   text not null,
  reply         text not null,
  reply_hash    text not null,
  usable        boolean not null,
  error         text,
  model         text,
  prompt_tokens bigint not null,
  reply_tokens  bigint not null
);
create index call_step on openiir.call (run, step);
create index call_kind on openiir.call (kind, run);

create table openiir.call_details (
  run              integer not null,
  lane             text not null,
  asker            text not null,
  kind             text not null,
  subject          text not null,
  step             bigint not null,
  ordinal          bigint not null,
  attempt          bigint not null,
  endpoint         text not null,
  form             text not null,
  finish           text not null,
  cached_tokens    bigint not null,
  reasoning_tokens bigint not null,
  held             double precision not null
);
create index call_details_step on openiir.call_details (run, step);

create table openiir.abandoned (
  run           integer not null,
  n             bigint not null,
  lane          text not null,
  asker         text not null,
  kind          text not null,
  subject       text not null,
  step          bigint not null,
  ordinal       bigint not null,
  attempt       bigint not null,
  answerer      text not null,
  prompt_hash   text not null,
  reply         text not null,
  reply_hash    text not null,
  usable        boolean not null,
  error         text,
  model         text,
  prompt_tokens bigint not null,
  reply_tokens  bigint not null,
  life          bigint not null,
  primary key (run, n)
);

create table openiir.opening (
  run    integer not null,
  system text not null,
  lane   text not null,
  asker  text not null,
  step   bigint not null,
  number bigint not null
);
create index opening_step on openiir.opening (run, step);

create table openiir.transport (
  run     integer not null,
  id      bigint not null,
  lane    text not null,
  asker   text not null,
  kind    text not null,
  subject text not null,
  step    bigint not null,
  ordinal bigint not null,
  attempt bigint not null,
  number  bigint not null,
  what    text not null,
  waited  double precision not null,
  primary key (run, id)
);

create table openiir.event (
  run     integer not null,
  seq     bigint not null,
  step    bigint not null,
  lane    text not null,
  kind    text not null,
  actor   text,
  payload json not null,
  primary key (run, seq)
);
create index event_kind on openiir.event (kind, run);

create table openiir.claim (
  run       integer not null,
  n         bigint not null,
  id        text not null,
  position  bigint not null,
  step      bigint not null,
  speaker   text not null,
  utterance bigint not null,
  stance    double precision not null,
  text      text not null,
  document  json not null,
  primary key (run, n)
);
create index claim_id on openiir.claim (run, id);

create table openiir.edge (
  run        integer not null,
  position   bigint not null,
  step       bigint not null,
  source     text not null,
  target     text not null,
  type       text not null,
  confidence double precision not null,
  extractor  text not null,
  primary key (run, position)
);

create table openiir.step (
  run    integer not null,
  number bigint not null,
  label  text not null,
  digest text not null,
  calls  text not null,
  primary key (run, number)
);

create table openiir.part (
  run   integer not null,
  n     bigint not null,
  file  text not null,
  tbl   text not null,
  step  bigint not null,
  rows  bigint not null,
  hash  text not null,
  primary key (run, n)
);

create table openiir.embedding (
  run    integer not null,
  n      bigint not null,
  hash   text not null,
  vector bytea not null,
  sha256 text not null,
  primary key (run, n)
);

create table openiir.fitted (
  run  integer not null,
  n    bigint not null,
  name text not null,
  hash text not null,
  body bytea not null,
  primary key (run, n)
);

create table openiir.asked_facts (
  run   integer not null,
  seq   bigint not null,
  step  bigint not null,
  bytes bigint not null,
  body  bytea not null,
  primary key (run, seq)
);

create table openiir.interview (    -- what was asked of a finished run, from after.db
  run      integer not null,
  n        bigint generated always as identity primary key,
  agent    text not null,
  question text not null,
  reply    text,                    -- null where no usable answer came
  answerer text not null,
  document json not null,
  thread   text not null,
  given    text not null
);
create index interview_run on openiir.interview (run);

create table openiir.validation (   -- a person's verdict on a statement of an agent, from after.db
  run       integer not null,
  n         bigint generated always as identity primary key,
  agent     text not null,
  statement text not null,
  verdict   text not null,
  comment   text not null,
  person    text not null,
  given     text not null
);
create index validation_run on openiir.validation (run);

create table openiir.measure (      -- what `openiir measure` computed, from after.db
  run    integer not null,
  n      bigint generated always as identity primary key,
  name   text not null,
  value  double precision,          -- null where undefined
  reason text,                      -- why it is undefined
  set_by json not null              -- the settings it was measured under
);
create index measure_run on openiir.measure (run);

create table openiir.columnar (   -- where the rows of columnar tables are, each in a table of this schema
  relation text primary key,      -- its columns run, step and row come before those of the type
  type     text not null,
  tbl      text not null,
  unique (type, tbl)
);

create table openiir.part_schema (   -- the Arrow schema of each part
  run   integer not null,
  file  text not null,
  arrow bytea not null,
  primary key (run, file)
);

create table openiir.sweep (
  sweep  integer generated always as identity primary key,
  id     text not null unique,    -- the hash of its plan
  name   text not null,
  design text not null,
  axes   json not null,
  plan   json not null,           -- plan.json as it is
  record json,                    -- sweep.json as it was when the sweep was pushed last
  pushed timestamptz not null default now()
);

create table openiir.cell (       -- the runs that a sweep plans
  sweep  integer not null references openiir.sweep on delete cascade,
  id     text not null,
  arm    json not null,
  seed   bigint not null,
  run    integer references openiir.run on delete set null,   -- null until it is here
  primary key (sweep, id)
);
create index cell_run on openiir.cell (run);

create view openiir.runs as
  select r.run, r.id, r.type, r.name, r.seed, r.status, r.content, r.content is not null as complete,
         (select max(number) from openiir.step s where s.run = r.run) as steps,
         c.sweep, c.id as cell, c.arm, r.pushed, r.changed
    from openiir.run r left join openiir.cell c using (run);

create view openiir.event_kinds as
  select run, kind, count(*) as events, count(distinct actor) as actors, min(step) as first_step, max(step) as last_step
    from openiir.event group by run, kind;

create view openiir.call_totals as
  select run, kind, answerer, model, count(*) as calls, count(*) filter (where attempt > 0) as repairs,
         count(*) filter (where not usable) as unusable,
         sum(prompt_tokens)::bigint as prompt_tokens, sum(reply_tokens)::bigint as reply_tokens
    from openiir.call group by run, kind, answerer, model;

create view openiir.measures as
  select distinct on (run, name, set_by::text) run, name, value, reason, set_by
    from openiir.measure order by run, name, set_by::text, n desc;

create view openiir.cells as
  select s.sweep, s.name, c.id as cell, c.arm, c.seed, r.run, coalesce(r.status, 'waiting') as status, r.content
    from openiir.cell c join openiir.sweep s using (sweep) left join openiir.run r using (run);

create view openiir.argument as
  select e.run, e.step, e.type, e.confidence,
         s.speaker as source_speaker, s.text as source_text, t.speaker as target_speaker, t.text as target_text
    from openiir.edge e
    join openiir.claim s on s.run = e.run and s.id = e.source
    join openiir.claim t on t.run = e.run and t.id = e.target;

create function openiir.delete_run(which text) returns bigint language plpgsql as $$
declare
  gone  integer;
  place text;
begin
  delete from openiir.run where id = which returning run into gone;
  if gone is null then
    return 0;
  end if;
  for place in
    select table_name from information_schema.columns
     where table_schema = 'openiir' and column_name = 'run'
       and table_name in (select tablename from pg_tables where schemaname = 'openiir')
       and table_name not in ('run', 'cell')
  loop
    execute format('delete from openiir.%I where run = $1', place) using gone;
  end loop;
  return 1;
end $$;
