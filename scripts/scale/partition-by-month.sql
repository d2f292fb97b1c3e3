-- Turns public.notifications into a table with a partition for each month. docs/inbox/operations.md says when and how.
-- psql -v ON_ERROR_STOP=1 -f partition-by-month.sql, as the owner of the table, after a rehearsal on a copy.

-- 1. While the table is in use: the keys that contain the column of the partitions, and proof that all rows are older than the
--    first partition. `concurrently` cannot run in a transaction. A second run keeps the indexes of the first; drop one that
--    \d calls invalid.
create unique index concurrently if not exists notifications_partition_key on public.notifications (id, created_at);
create unique index concurrently if not exists notifications_partition_identity
  on public.notifications (id, recipient_id, created_at);
set lock_timeout = '500ms';
do $$
begin
  alter table public.notifications drop constraint if exists is_before_partitions;
  execute format(
    'alter table public.notifications add constraint is_before_partitions check (created_at < %L) not valid',
    date_trunc('month', now(), 'UTC') + interval '1 month'
  );
end
$$;
reset lock_timeout;
alter table public.notifications validate constraint is_before_partitions;
-- Ends a running autovacuum, which keeps other locks out for longer than part 2 waits. This lock keeps no request out.
alter table public.notifications set (autovacuum_enabled = off);

-- 2. In a quiet hour: the exchange. It holds the table's lock to its end, and changes the catalog only, so that takes as long
--    for a large table as for a small one. While it waits for the lock, all others wait behind it: with a longer timeout one
--    long transaction would stop the application. When it gives up, nothing has changed but autovacuum, which is off until
--    the next run of the file.
begin;
set local lock_timeout = '500ms';
lock table public.notifications in access exclusive mode;

/** What belongs to the table by name, and would stay with the old one. */
create temporary table saved on commit drop as
  select 10 as step, pg_get_indexdef(indexrelid) as definition from pg_index
  where indrelid = 'public.notifications'::regclass and not indisunique
  union all
  select 20, pg_get_triggerdef(oid) from pg_trigger
  where tgrelid = 'public.notifications'::regclass and not tgisinternal
  union all
  select 30, format('alter table public.notifications add constraint %I %s', conname, pg_get_constraintdef(oid))
  from pg_constraint where conrelid = 'public.notifications'::regclass and contype = 'f'
  union all
  select 40, format(
    'create policy %I on public.notifications as %s for %s to %s%s%s', policyname, permissive, cmd, array_to_string(roles, ', '),
    ' using (' || qual || ')', ' with check (' || with_check || ')'
  )
  from (
    select policyname, permissive, cmd, roles, qual, with_check from pg_policies
    where schemaname = 'public' and tablename = 'notifications'
  ) p
  union all
  select 50, format('grant %s on public.notifications to %I', privilege_type, grantee::regrole::text)
  from pg_class, aclexplode(relacl) where oid = 'public.notifications'::regclass and grantee <> relowner
  union all
  select 50, format('grant %s (%I) on public.notifications to %I', privilege_type, attname, grantee::regrole::text)
  from pg_attribute, aclexplode(attacl) where attrelid = 'public.notifications'::regclass and attnum > 0;

/** The functions that return rows of the table, or were compiled against it. */
create temporary table saved_functions on commit drop as
  select p.oid, p.oid::regprocedure::text as signature, pg_get_functiondef(p.oid) as definition, p.proacl, p.proowner
  from pg_proc p
  where p.prokind = 'f' and p.oid in (
    select d.objid from pg_depend d
    where d.classid = 'pg_proc'::regclass and d.refobjid in (
      'public.notifications'::regclass, (select reltype from pg_class where oid = 'public.notifications'::regclass)
    )
  );

do $$
declare
  saved_function record;
  named record;
begin
  for saved_function in select * from saved_functions loop
    execute format('drop function %s', saved_function.signature);
  end loop;
  for named in select tgname from pg_trigger where tgrelid = 'public.notifications'::regclass and not tgisinternal loop
    execute format('drop trigger %I on public.notifications', named.tgname);
  end loop;
end
$$;

-- The data service publishes no tables of this schema: partitions are reached through the table alone.
alter publication supabase_realtime drop table public.notifications;
alter table public.notifications rename to notifications_before;
alter table public.notifications_before set schema private;
revoke all on private.notifications_before from anon, authenticated;
alter table private.notifications_before alter column created_at set not null;
alter table private.notifications_before replica identity using index notifications_partition_identity;
alter table private.notifications_before drop constraint notifications_pkey;
alter table private.notifications_before
  add constraint notifications_pkey primary key using index notifications_partition_key;
drop index private.notifications_identity_idx;

create table public.notifications (
  like private.notifications_before including defaults including constraints including comments including generated
) partition by range (created_at);
alter table public.notifications drop constraint is_before_partitions;
alter table public.notifications add primary key (id, created_at);
create unique index notifications_identity_idx on public.notifications (id, recipient_id, created_at);
select private.hide_statistics('public.notifications');
alter table public.notifications enable row level security;
revoke all on public.notifications from anon, authenticated;

do $$
declare
  part record;
  privilege record;
begin
  for part in select definition from saved order by step loop
    execute part.definition;
  end loop;
  for part in select * from saved_functions loop
    execute part.definition;
    -- The project's default privileges let each role call a new function.
    execute format('revoke all on function %s from public, anon, authenticated, service_role', part.signature);
    for privilege in select * from aclexplode(part.proacl) where grantee <> part.proowner loop
      execute format(
        'grant execute on function %s to %s', part.signature,
        case privilege.grantee when 0 then 'public' else privilege.grantee::regrole::text end
      );
    end loop;
  end loop;
  -- The valid constraint spares the scan.
  execute format(
    'alter table public.notifications attach partition private.notifications_before for values from (minvalue) to (%L)',
    date_trunc('month', now(), 'UTC') + interval '1 month'
  );
end
$$;
alter table private.notifications_before drop constraint is_before_partitions;
alter table private.notifications_before reset (autovacuum_enabled);

/** Creates the partitions of the coming months. Call it each day: a row without a partition is refused. */
create function private.create_notification_partitions(months integer default 3) returns void
  language plpgsql
  set search_path = ''
as $function$
declare
  first timestamptz;
  name text;
begin
  for n in 1..months loop
    first := date_trunc('month', now(), 'UTC') + n * interval '1 month';
    name := 'notifications_' || to_char(first at time zone 'UTC', 'YYYY_MM');
    continue when to_regclass('private.' || name) is not null;
    execute format(
      'create table private.%I partition of public.notifications for values from (%L) to (%L) with (toast_tuple_target = 8160)',
      name, first, first + interval '1 month'
    );
    -- None of these is inherited.
    perform private.hide_statistics(to_regclass('private.' || name));
    execute format('alter table private.%I enable row level security', name);
    execute format('revoke all on private.%I from anon, authenticated', name);
    execute format(
      'alter table private.%I replica identity using index %I', name,
      (
        select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid
        where i.indrelid = to_regclass('private.' || name) and i.indisunique and not i.indisprimary
      )
    );
  end loop;
end
$function$;
revoke all on function private.create_notification_partitions from public;
select private.create_notification_partitions();
alter publication supabase_realtime add table public.notifications;
alter publication supabase_realtime set (publish_via_partition_root = true);
commit;
analyze public.notifications;
