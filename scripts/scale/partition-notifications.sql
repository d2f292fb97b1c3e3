-- Partitions `public.notifications` by a hash of the recipient: `psql -v ON_ERROR_STOP=1 -f scripts/scale/partition-notifications.sql`, as the owner of
-- the tables. One transaction, which locks the table until its end: rehearse it on a copy, and stop the jobs and the workers meanwhile.
begin;
-- Fail instead of making other sessions wait behind this lock for a long transaction.
set local lock_timeout = '2s';
lock table public.notifications in access exclusive mode;
-- What is created here belongs to the owner of the table, also if a superuser runs it.
do $$ begin
  execute format('set local role %s', (select c.relowner::regrole from pg_class c where c.oid = 'public.notifications'::regclass));
end $$;
-- The parts of the table, as statements.
create temp table parts (place integer generated always as identity, sql text not null) on commit drop;
insert into parts (sql)
  select pg_get_indexdef(i.indexrelid)
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indrelid = 'public.notifications'::regclass and not i.indisprimary and c.relname <> 'notifications_identity_idx';
insert into parts (sql) select pg_get_triggerdef(oid) from pg_trigger where tgrelid = 'public.notifications'::regclass and not tgisinternal;
insert into parts (sql)
  select format('alter table public.notifications add constraint %I %s', conname, pg_get_constraintdef(oid))
  from pg_constraint where conrelid = 'public.notifications'::regclass and contype = 'f';
insert into parts (sql)
  select format('create policy %I on public.notifications as %s for %s to %s %s %s', policyname, permissive, cmd, array_to_string(roles, ', '),
    'using (' || qual || ')', 'with check (' || with_check || ')')
  from pg_policies where schemaname = 'public' and tablename = 'notifications';
insert into parts (sql)
  select format('grant %s on public.notifications to %I', a.privilege_type, a.grantee::regrole)
  from pg_class c, aclexplode(c.relacl) a where c.oid = 'public.notifications'::regclass and a.grantee <> c.relowner;
insert into parts (sql)
  select format('grant %s (%I) on public.notifications to %I', a.privilege_type, t.attname, a.grantee::regrole)
  from pg_attribute t, aclexplode(t.attacl) a where t.attrelid = 'public.notifications'::regclass;
-- Functions that depend on the table: those that return its rows, for example.
create temp table row_functions on commit drop as
  select p.oid::regprocedure::text as signature, pg_get_functiondef(p.oid) as sql, p.proacl
  from pg_proc p
  where p.oid in (
    select d.objid from pg_depend d
    where d.classid = 'pg_proc'::regclass
      and (d.refobjid = 'public.notifications'::regclass or d.refobjid = 'public.notifications'::regtype)
  );
do $$ declare f record; begin
  for f in select * from row_functions loop execute 'drop function ' || f.signature; end loop;
end $$;
alter table public.notifications rename to notifications_before;
do $$ declare i record; begin
  for i in select c.relname from pg_index x join pg_class c on c.oid = x.indexrelid where x.indrelid = 'public.notifications_before'::regclass loop
    execute format('alter index public.%I rename to %I', i.relname, left(i.relname || '_before', 63));
  end loop;
end $$;
create table public.notifications (like public.notifications_before including all excluding indexes) partition by hash (recipient_id);
-- A project grants all on new tables; the table's own grants follow.
revoke all on public.notifications from anon, authenticated, service_role;
do $$ begin
  for part in 0 .. 15 loop
    execute format('create table public.notifications_%s partition of public.notifications for values with (modulus 16, remainder %s)', part, part);
    execute format('alter table public.notifications_%s enable row level security', part);
    execute format('revoke all on public.notifications_%s from anon, authenticated', part);
  end loop;
end $$;
-- The key of a partitioned table has the columns of the partitions: it is the replica identity that the table had.
alter table public.notifications add primary key (id, recipient_id);
insert into public.notifications select * from public.notifications_before;
do $$ declare p record; begin
  for p in select sql from parts order by place loop execute p.sql; end loop;
end $$;
alter table public.notifications enable row level security;
-- Creates the functions again, with the grants that they had.
do $$ declare f record; a record; begin
  for f in select * from row_functions loop
    execute f.sql;
    execute 'revoke all on function ' || f.signature || ' from public, anon, authenticated, service_role';
    for a in select * from aclexplode(f.proacl) loop
      execute format('grant execute on function %s to %s', f.signature, case when a.grantee = 0 then 'public' else a.grantee::regrole::text end);
    end loop;
  end loop;
end $$;
do $$ declare p record; begin
  for p in select inhrelid::regclass as part from pg_inherits where inhparent = 'public.notifications'::regclass loop
    execute format('alter table %s replica identity using index %s', p.part,
      (select i.indexrelid::regclass from pg_index i where i.indrelid = p.part and i.indisprimary));
  end loop;
end $$;
alter table public.notifications replica identity using index notifications_pkey;
-- The broadcasts of the database arrive as before; changes of the publication have the names of the partitions.
alter publication supabase_realtime drop table public.notifications_before;
alter publication supabase_realtime add table public.notifications;
drop table public.notifications_before;
commit;
