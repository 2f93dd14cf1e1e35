-- How the replies of models came about, beside the tables of 001_run.sql; nothing of it enters the content hash, no
-- replay reads it, and runs from before there was this table have no rows.

create table if not exists call_details (
  lane             text not null,
  asker            text not null,
  kind             text not null,
  subject          text not null,
  step             integer not null,
  ordinal          integer not null,
  attempt          integer not null,
  endpoint         text not null,        -- its name in the settings; of several without one, the address
  form             text not null,        -- how the reply's schema was sent: strict, json_schema, json_object, text
  finish           text not null,        -- why the reply ended, as the endpoint says: stop, length, ...
  cached_tokens    integer not null,     -- prompt tokens from the endpoint's cache
  reasoning_tokens integer not null,     -- part of the call's reply_tokens
  held             real not null,        -- seconds that it waited for limits shared with other runs
  primary key (lane, asker, kind, subject, step, ordinal, attempt)
) strict, without rowid;
