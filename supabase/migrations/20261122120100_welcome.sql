-- A welcome notification for each account that confirms its address by a mail, in the language that its sign-up named.

/** Runs when an account's address is confirmed for the first time. A failure must not undo the confirmation. */
create function private.welcome_user() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  is_german boolean := coalesce(new.raw_user_meta_data ->> 'language', 'en') like 'de%';
begin
  insert into public.notifications (recipient_id, content)
  values (
    new.id,
    json_build_object(
      'type', 'system',
      'data', json_build_object(
        'title', case when is_german then 'Willkommen bei Tidings' else 'Welcome to Tidings' end,
        'text', case when is_german
          then 'Hier erscheinen Erwähnungen, Kommentare, Änderungen und Einladungen. Wähle aus, worüber du informiert wirst.'
          else 'Mentions, comments, edits and invites show up here. Choose what you want to hear about.' end,
        'url', '/preferences'
      )
    )::text
  );
  return null;
exception when others then
  raise warning 'No welcome for %: %', new.id, sqlerrm;
  return null;
end
$$;
revoke all on function private.welcome_user() from public;

create trigger welcome_user after update of email_confirmed_at on auth.users
  for each row when (
    old.email_confirmed_at is null and new.email_confirmed_at is not null
    -- Accounts that an operator or a service made are not welcomed.
    and (old.confirmation_sent_at is not null or old.invited_at is not null)
  )
  execute function private.welcome_user();
