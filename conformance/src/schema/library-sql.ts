/** Marks the objects of the library, so that nothing else is removed. A change of the statements needs another version. */
const MARK = 'supabase-conformance library 2';

/** Related tables, views and functions that no product's schema has. Their rows never change, except in `conformance_drafts`
 * and `conformance_paints`. */
const OBJECTS = `
create table public.conformance_authors (
  id int primary key,
  name text not null,
  born date,
  mentor_id int constraint conformance_mentor references public.conformance_authors (id)
);
create table public.conformance_books (
  id int primary key,
  title varchar(40) not null,
  price numeric(6,2),
  author_id int constraint conformance_written_by references public.conformance_authors (id)
);
create table public.conformance_covers (
  book_id int primary key constraint conformance_cover_of references public.conformance_books (id),
  color text not null
);
create table public.conformance_tags (id int primary key, label text not null);
create table public.conformance_tagging (
  book_id int constraint conformance_tagged references public.conformance_books (id),
  tag_id int constraint conformance_tagged_with references public.conformance_tags (id),
  primary key (book_id, tag_id)
);
create table public.conformance_liking (
  author_id int constraint conformance_likes references public.conformance_authors (id),
  tag_id int constraint conformance_liked references public.conformance_tags (id),
  primary key (author_id, tag_id)
);
create table public.conformance_avoiding (
  author_id int constraint conformance_avoids references public.conformance_authors (id),
  tag_id int constraint conformance_avoided references public.conformance_tags (id),
  primary key (author_id, tag_id)
);
create table public.conformance_letters (
  id int primary key,
  sender_id int constraint conformance_sent_by references public.conformance_authors (id),
  receiver_id int constraint conformance_sent_to references public.conformance_authors (id)
);
create table public.conformance_book (id int primary key);
create table public.conformance_notes (words text, at int);
create table public.conformance_hidden (id int primary key);
create table public.conformance_editions (
  book_id int constraint conformance_edition_of references public.conformance_books (id),
  number int,
  year smallint not null,
  primary key (book_id, number)
);
create table public.conformance_copies (
  id int primary key,
  book_id int,
  number int,
  place text default 'on the author''s desk',
  weight real default 1.5,
  borrowed boolean not null default false,
  constraint conformance_copied foreign key (book_id, number) references public.conformance_editions (book_id, number)
);
create table public.conformance_loans (
  id int primary key,
  copy_id int constraint conformance_lent references public.conformance_copies (id)
);
create type public.conformance_mood as enum ('calm', 'angry');
create domain public.conformance_code as text check (value ~ '^[A-Z]+$');
create table public.conformance_samples (
  id int primary key,
  span int4range,
  document jsonb,
  words text[],
  mood public.conformance_mood default 'calm',
  code public.conformance_code,
  bytes bytea,
  length_of_stay interval,
  twice int generated always as (id * 2) stored,
  lexemes tsvector generated always as (to_tsvector('simple', coalesce(document ->> 's', ''))) stored
);
create domain public.conformance_color as int;
create function public.conformance_shown(public.conformance_color) returns json
  language sql immutable as $f$ select to_json('#' || lpad(to_hex($1), 6, '0')) $f$;
create function public.conformance_parsed(text) returns public.conformance_color
  language sql immutable as $f$ select ('x' || lpad(ltrim($1, '#'), 8, '0'))::bit(32)::int::public.conformance_color $f$;
create function public.conformance_taken(json) returns public.conformance_color
  language sql immutable as $f$ select public.conformance_parsed($1 #>> '{}') $f$;
create cast (public.conformance_color as json) with function public.conformance_shown(public.conformance_color) as implicit;
create cast (text as public.conformance_color) with function public.conformance_parsed(text) as implicit;
create cast (json as public.conformance_color) with function public.conformance_taken(json) as implicit;
create table public.conformance_paints (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  color public.conformance_color
);
create domain public."text/x-conformance" as text;
create domain public."image/x-conformance" as bytea;
create table public.conformance_drafts (
  id uuid primary key default gen_random_uuid(),
  title text not null default 'untitled',
  author_id int constraint conformance_drafted_by references public.conformance_authors (id),
  constraint conformance_titled unique (id, title)
);
comment on table public.conformance_books is E'Printed books\\n\\nOnly for audits.';
comment on column public.conformance_books.title is 'As on the cover';
create view public.conformance_titles as select id, title, author_id from public.conformance_books;
create view public.conformance_writers as select id, name from public.conformance_authors;
comment on column public.conformance_covers.book_id is 'Of this book';
create view public.conformance_headings as select id as number, title, author_id from public.conformance_titles;
create view public.conformance_many as select n from generate_series(1, 1500) as n;
create view public.conformance_prices as select count(*) as books, max(price) as highest from public.conformance_books;

insert into public.conformance_authors values
  (1, 'Ada', '1815-12-10', null), (2, 'Grace', '1906-12-09', 1), (3, 'Edsger', null, 1);
insert into public.conformance_books values
  (1, 'Notes', 10.5, 1), (2, 'Engines', 20, 1), (3, 'Compilers', 30.25, 2), (4, 'Loose', null, null);
analyze public.conformance_books;
insert into public.conformance_covers values (1, 'red'), (3, 'blue');
insert into public.conformance_tags values (1, 'old'), (2, 'new');
insert into public.conformance_tagging values (1, 1), (1, 2), (2, 1), (3, 2);
insert into public.conformance_liking values (1, 2);
insert into public.conformance_letters values (1, 1, 2);
insert into public.conformance_editions values (1, 1, 1843), (1, 2, 1844), (2, 1, 1850);
insert into public.conformance_copies (id, book_id, number) values (1, 1, 1), (2, 1, 2), (3, 1, 2), (4, 1, null);
insert into public.conformance_loans values (1, 1), (2, 4);
insert into public.conformance_samples (id, span, document, words, code, bytes, length_of_stay) values
  (1, '[1,5)', '{"a":{"b":[10,{"c":"x"}]},"n":2,"s":"two","1":"one"}', '{one,two}', 'A', '\\x00ff', '1 day 02:00'),
  (2, '[5,9)', '{"a":null,"n":10}', '{}', 'B', null, null),
  (3, '[20,)', null, null, null, null, null);

create function public.conformance_copies(public.conformance_loans) returns setof public.conformance_copies
  language sql stable rows 1 as $f$ select * from public.conformance_copies where id = $1.copy_id and number is not null $f$;
create function public.conformance_initial(public.conformance_authors) returns text
  language sql stable as $f$ select left($1.name, 1) $f$;
create function public.conformance_works(public.conformance_authors) returns setof public.conformance_books
  language sql stable as $f$ select * from public.conformance_books where author_id = $1.id $f$;
create function public.conformance_debut(public.conformance_authors) returns setof public.conformance_books
  language sql stable rows 1 as $f$ select * from public.conformance_books where author_id = $1.id order by id limit 1 $f$;
create function public.conformance_drafter(public.conformance_drafts) returns setof public.conformance_authors
  language sql stable rows 1 as $f$ select * from public.conformance_authors where id = $1.author_id $f$;
create function public.conformance_heading(public.conformance_drafts) returns text
  language sql stable as $f$ select upper($1.title) $f$;
create function public.conformance_add(a int, b int default 10) returns int
  language sql immutable as $f$ select a + b $f$;
comment on function public.conformance_add(int, int) is E'Adds\\n\\nTwo numbers.';
create function public.conformance_count_to(last int) returns setof int
  language sql immutable as $f$ select generate_series(1, last) $f$;
create function public.conformance_author(id int) returns public.conformance_authors
  language sql stable as $f$ select * from public.conformance_authors a where a.id = conformance_author.id $f$;
create function public.conformance_books_by(writer int) returns setof public.conformance_books
  language sql stable as $f$ select * from public.conformance_books where author_id = writer order by id $f$;
create function public.conformance_extremes(out lowest int, out highest int)
  language sql immutable as $f$ select 1, 9 $f$;
create function public.conformance_nothing() returns void language sql volatile as $f$ select $f$;
create function public.conformance_double(number int) returns int
  language sql immutable as $f$ select number * 2 $f$;
create function public.conformance_double(word text) returns text
  language sql immutable as $f$ select word || word $f$;
create function public.conformance_either(a int, c text default '') returns int
  language sql immutable as $f$ select a $f$;
create function public.conformance_either(a int, b int default 1) returns int
  language sql immutable as $f$ select a + b $f$;
create function public.conformance_choice(a int, b int, c int default 1) returns int
  language sql immutable as $f$ select a + b + c $f$;
create function public.conformance_choice(a int, b int default 1) returns int
  language sql immutable as $f$ select a + b $f$;
create function public.conformance_choice(json) returns int
  language sql immutable as $f$ select 0 $f$;
create function public.conformance_page() returns public."text/x-conformance"
  language sql immutable as $f$ select 'a page' $f$;
create function public.conformance_picture() returns public."image/x-conformance"
  language sql immutable as $f$ select '\\x41420043'::bytea $f$;
create function public.conformance_append(summary public."text/x-conformance", book public.conformance_books)
  returns public."text/x-conformance" language sql immutable as $f$ select summary || book.title || ';' $f$;
create aggregate public.conformance_summary(public.conformance_books) (
  sfunc = public.conformance_append, stype = public."text/x-conformance", initcond = ''
);
create function public.conformance_join(variadic words text[]) returns text
  language sql immutable as $f$ select array_to_string(words, '+') $f$;
create function public.conformance_read_text(text) returns int
  language sql immutable as $f$ select length($1) $f$;
create function public.conformance_read_json(json) returns text
  language sql immutable as $f$ select json_typeof($1) $f$;
create function public.conformance_read_bytes(bytea) returns int
  language sql immutable as $f$ select length($1) $f$;
create function public.conformance_request(name text) returns text
  language sql stable as $f$ select current_setting('request.' || name, true) $f$;
create function public.conformance_hidden() returns int language sql immutable as $f$ select 1 $f$;
create function public.conformance_state() returns json
  language sql stable as $f$ select json_build_object(
    'role', current_user, 'schema', current_schema, 'isolation', current_setting('transaction_isolation'),
    'readOnly', current_setting('transaction_read_only'), 'timeZone', current_setting('timezone'),
    'timeout', current_setting('statement_timeout')) $f$;
create function public.conformance_state_to_write() returns json
  language sql volatile as $f$ select public.conformance_state() $f$;
create function public.conformance_state_isolated() returns json
  language sql stable set default_transaction_isolation = 'serializable'
  as $f$ select public.conformance_state() $f$;
create function public.conformance_respond(status text default null, headers text default null) returns text
  language plpgsql volatile as $f$
begin
  perform set_config('response.status', status, true) where status is not null;
  perform set_config('response.headers', headers, true) where headers is not null;
  return 'responded';
end $f$;
create function public.conformance_raise(state text, message text default 'raised', detail text default null, hint text default null)
  returns int language plpgsql stable as $f$
begin
  if detail is null then
    raise exception using errcode = state, message = message;
  end if;
  raise exception using errcode = state, message = message, detail = detail, hint = coalesce(hint, '');
end $f$;
`;

const TABLES = [
  'authors',
  'books',
  'covers',
  'tags',
  'tagging',
  'liking',
  'avoiding',
  'letters',
  'book',
  'hidden',
  'notes',
  'editions',
  'copies',
  'loans',
  'samples',
  'drafts',
  'paints',
];
const RELATIONS = [...TABLES, 'titles', 'writers', 'headings', 'prices', 'many']
  .map((name) => `public.conformance_${name}`)
  .join(', ');

const REMOVE = `
  drop aggregate if exists public.conformance_summary(public.conformance_books);
  drop function if exists public.conformance_append, public.conformance_page, public.conformance_picture;
  drop view if exists public.conformance_headings, public.conformance_titles, public.conformance_writers, public.conformance_prices,
    public.conformance_many;
  drop function if exists public.conformance_add, public.conformance_count_to, public.conformance_author,
    public.conformance_books_by, public.conformance_extremes, public.conformance_nothing, public.conformance_double(int),
    public.conformance_double(text), public.conformance_either(int, int), public.conformance_either(int, text),
    public.conformance_choice(int, int, int), public.conformance_choice(int, int), public.conformance_choice(json),
    public.conformance_join, public.conformance_read_text, public.conformance_read_json, public.conformance_read_bytes,
    public.conformance_request, public.conformance_hidden, public.conformance_state, public.conformance_state_to_write,
    public.conformance_state_isolated, public.conformance_respond, public.conformance_raise;
  drop table if exists ${TABLES.map((name) => `public.conformance_${name}`).join(', ')} cascade;
  drop type if exists public.conformance_mood;
  drop domain if exists public.conformance_code, public."text/x-conformance", public."image/x-conformance";
  drop domain if exists public.conformance_color cascade;
  drop schema conformance_library cascade;
`;

const MARKED = `obj_description(to_regnamespace('conformance_library'), 'pg_namespace')`;

/** One statement. Does nothing where another run has created the library; replaces one of another version. */
export const CREATE_LIBRARY = `do $library$
begin
  perform pg_advisory_xact_lock(hashtext('${MARK}'));
  if ${MARKED} = '${MARK}' then
    return;
  end if;
  if ${MARKED} like 'supabase-conformance library %' then
    ${REMOVE}
  end if;
  create schema conformance_library;
  comment on schema conformance_library is '${MARK}';
  ${OBJECTS}
  revoke all on ${RELATIONS} from anon, authenticated;
  grant select on ${RELATIONS} to anon, authenticated, service_role;
  revoke all on public.conformance_hidden from service_role, anon, authenticated;
  revoke all on function public.conformance_hidden() from public, service_role, anon, authenticated;
  grant insert, update, delete on public.conformance_drafts, public.conformance_paints, public.conformance_notes to anon, authenticated, service_role;
  perform pg_notify('pgrst', 'reload schema');
end
$library$`;

/** One statement. Does nothing without the library. */
export const REMOVE_LIBRARY = `do $library$
begin
  if ${MARKED} like 'supabase-conformance library %' then
    ${REMOVE}
    perform pg_notify('pgrst', 'reload schema');
  end if;
end
$library$`;
