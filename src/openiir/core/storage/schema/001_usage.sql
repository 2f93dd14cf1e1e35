-- What all runs on this machine use of endpoints together: one file below the user's state folder.

create table if not exists granted (       -- requests let through, by slot of time; old slots are deleted
  account  text not null,                  -- address of the endpoint and name of its key's variable
  slot     integer not null,
  requests integer not null,
  tokens   integer not null,
  primary key (account, slot)
) strict, without rowid;

create table if not exists waiting (       -- runs whose turn has not come, first come, first served
  ticket  integer primary key autoincrement,
  account text not null,
  who     text not null,
  until   real not null,                   -- a run that does not ask again before is taken to be dead
  unique (account, who)
) strict;

create table if not exists pause (         -- for how long an endpoint asked to be left alone
  account text primary key,
  until   real not null
) strict, without rowid;

create table if not exists spent (
  account       text not null,
  day           text not null,             -- in UTC
  calls         integer not null,
  prompt_tokens integer not null,
  reply_tokens  integer not null,
  money         real not null,
  primary key (account, day)
) strict, without rowid;
