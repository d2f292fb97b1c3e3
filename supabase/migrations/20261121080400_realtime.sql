-- Every project has the publication; a bare PostgreSQL has none.
do $$
declare
  published text;
begin
  if not exists (select from pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
  end if;
  foreach published in array array['notifications', 'notification_preferences', 'notification_bulk_changes'] loop
    if not exists (
      select from pg_publication_tables
      where pubname = 'supabase_realtime' and schemaname = 'public' and tablename = published
    ) then
      execute format('alter publication supabase_realtime add table public.%I', published);
    end if;
  end loop;
end
$$;

-- The private channel of a user: the user receives, services send. Every other private channel is closed.
do $$
begin
  if to_regclass('realtime.messages') is not null then
    drop policy if exists "Users receive in their own channel" on realtime.messages;
    create policy "Users receive in their own channel" on realtime.messages
      for select to authenticated
      using ((select realtime.topic()) = 'user:' || (select auth.uid())::text);
  end if;
end
$$;
