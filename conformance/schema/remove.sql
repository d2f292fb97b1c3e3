-- Removes what apply.sql has made, with its rows. It does nothing where the schema audit_schema is missing.
begin;
do $$
begin
  if obj_description(to_regnamespace('audit_schema'), 'pg_namespace') is distinct from 'supabase-conformance' then
    return;
  end if;
  if exists (select from audit_schema.publication) then
    execute (
      select 'alter publication supabase_realtime set (publish = ''' || concat_ws(', ',
        case when pubinsert then 'insert' end, case when pubupdate then 'update' end,
        case when pubdelete then 'delete' end, case when pubtruncate then 'truncate' end) || ''')'
      from audit_schema.publication
    );
  end if;
  drop policy if exists "audits: own channel" on realtime.messages;
  drop function if exists public.create_invitation, public.get_invitation, public.accept_invitation,
    public.decline_invitation;
  drop table if exists public.notifications, public.notification_preferences, public.blocked_senders,
    public.muted_threads, public.notification_bulk_changes;
  drop schema audit_schema cascade;
  drop table if exists public.invitations;
end
$$;
notify pgrst, 'reload schema';
commit;
