-- Threads of interviews, and who validated what and when. Runs at the birth of an after-file, and once on one of an
-- earlier release, whose rows have neither name nor time.

alter table interview add column thread text not null default '';   -- follow-ups share it
alter table interview add column given  text not null default '';   -- time in ISO 8601 (UTC)

alter table validation rename to validation_before;

create table validation (     -- a person's verdict on a statement of an agent; a later one replaces it
  id        integer primary key,
  agent     text not null,
  statement text not null,    -- id of the claim or other statement
  verdict   text not null check (verdict in ('agree', 'disagree', 'unsure')),
  comment   text not null default '',
  person    text not null default '',   -- who judged
  given     text not null default ''    -- time in ISO 8601 (UTC)
) strict;

insert into validation (id, agent, statement, verdict, comment)
  select id, agent, statement, replace(verdict, 'skip', 'unsure'), comment from validation_before;

drop table validation_before;
