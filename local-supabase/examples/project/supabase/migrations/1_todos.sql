create table public.todos (
  id bigint generated always as identity primary key,
  title text not null check (title <> ''),
  owner uuid not null default auth.uid() references auth.users on delete cascade
);
alter table public.todos enable row level security;
create policy "Owners read and write their todos" on public.todos to authenticated
  using (owner = (select auth.uid())) with check (owner = (select auth.uid()));
