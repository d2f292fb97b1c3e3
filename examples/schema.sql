-- The tables and policies of the examples. Run once by `npm run examples`, on top of the project's migrations.
create table if not exists public.example_messages (
  id uuid primary key default gen_random_uuid(),
  room text not null,
  author uuid not null default auth.uid() references auth.users (id) on delete cascade,
  author_name text not null check (length(author_name) between 1 and 80),
  body text not null check (length(body) between 1 and 2000),
  created_at timestamptz not null default now()
);
create index if not exists example_messages_by_room on public.example_messages (room, created_at);
alter table public.example_messages enable row level security;
grant select, insert, delete on public.example_messages to authenticated;

drop policy if exists "Members read" on public.example_messages;
create policy "Members read" on public.example_messages for select to authenticated using (true);
drop policy if exists "Members write" on public.example_messages;
create policy "Members write" on public.example_messages for insert to authenticated
  with check (author = (select auth.uid()));
drop policy if exists "Authors delete" on public.example_messages;
create policy "Authors delete" on public.example_messages for delete to authenticated
  using (author = (select auth.uid()));

-- Each change goes to the private channel of its room.
create or replace function public.broadcast_example_message() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.broadcast_changes(
    'room:' || coalesce(new.room, old.room), tg_op, tg_op, tg_table_name, tg_table_schema, new, old
  );
  return null;
end
$$;
drop trigger if exists broadcast_example_message on public.example_messages;
create trigger broadcast_example_message after insert or update or delete on public.example_messages
  for each row execute function public.broadcast_example_message();

grant usage on schema realtime to authenticated;
drop policy if exists "Examples receive" on realtime.messages;
create policy "Examples receive" on realtime.messages for select to authenticated
  using ((select realtime.topic()) like 'room:%');
drop policy if exists "Examples send" on realtime.messages;
create policy "Examples send" on realtime.messages for insert to authenticated
  with check ((select realtime.topic()) like 'room:%');
