-- What was computed from a finished run, in the user's cache folder: it can be deleted at any time.

create table if not exists view (
  id    integer primary key,
  name  text not null,
  agent text not null,        -- empty for the whole run
  part  text not null,        -- name of the list that is cut into pages; empty where there is none
  head  text not null,        -- JSON of the view without the list
  total integer not null,
  unique (name, agent)
) strict;

create table if not exists item (
  view     integer not null references view (id),
  n        integer not null,
  step     integer,           -- of an entry of a timeline
  seq      integer,           -- number of its event
  document text not null,
  primary key (view, n)
) strict;
create index if not exists item_step on item (view, step, n);
create index if not exists item_seq on item (seq, view, n);

create table if not exists note (          -- measures, and whether the search index is complete
  name  text primary key,
  value text not null
) strict;

create virtual table if not exists words using fts5 (
  text, kind unindexed, ref unindexed, actor unindexed, step unindexed,
  tokenize = "unicode61 remove_diacritics 2"
);
