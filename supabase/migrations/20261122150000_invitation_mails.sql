-- An invitation reaches an account whose owner has turned off notifications about invitations: it is listed by
-- public.list_invitations() in any case, and mailed on its own. Only "no email at all" and a blocked sender prevent the mail.

/** Whether a user gets email at all: emails are not paused, and the digest is not "never". */
create function private.wants_mail(user_id uuid) returns boolean
  language sql stable security definer
  set search_path = ''
as $$
  select coalesce(
    (
      select p.enable_email_notifications and p.email_digest_frequency <> 'never'
      from public.notification_preferences p where p.user_id = wants_mail.user_id
    ),
    true
  )
$$;

/**
 * Runs after an invitation was made or renewed: queues a mail of its own, unless the notification about it is mailed. Like a mail about a
 * thread it goes after two minutes, and not within quiet hours.
 */
create function private.mail_invitation() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  invitee uuid := private.account_of_address(new.invitee_email);
begin
  if invitee is null or private.is_blocked(invitee, new.inviter_id) or not private.wants_mail(invitee)
    or (private.wanted_channels(invitee, 'invite')).by_mail
  then
    return null;
  end if;
  insert into private.notification_mails (recipient_id, topic, due_at, item_count)
  values (
    invitee,
    'invitation:' || new.id,
    private.after_quiet_hours(invitee, private.next_mail_at('instant', 'UTC', 0, 1, now())),
    1
  )
  on conflict (recipient_id, topic) where state = 'pending' do nothing;
  return null;
end
$$;

create trigger mail_invitation after insert on public.invitations
  for each row execute function private.mail_invitation();
create trigger mail_renewed_invitation after update of expires_at on public.invitations
  for each row when (new.expires_at > old.expires_at) execute function private.mail_invitation();

/** The invitation of a mail that is about one, in the form of an item of private.mail_items(), while it can be answered. */
create function private.mailed_invitation(mail_id uuid, called_at timestamptz)
  returns table (id uuid, kind text, content text, created_at timestamptz, is_in_inbox boolean)
  language plpgsql stable security definer rows 1
  set search_path = ''
as $$
begin
  return query
  select
    i.id,
    'invite',
    jsonb_strip_nulls(jsonb_build_object(
      'type', 'invite',
      'metadata', jsonb_build_object('actor_id', i.inviter_id, 'actor_name', private.display_name(i.inviter_id)),
      'entity_type', i.entity_type,
      'entity_id', i.entity_id,
      'data', jsonb_build_object('status', i.status, 'entity_name', i.entity_name, 'url', '/join/' || i.token)
    ))::text,
    i.created_at,
    false
  from private.notification_mails m
  join public.invitations i
    on i.id = case when m.topic like 'invitation:%' then substr(m.topic, length('invitation:') + 1)::uuid end
  where m.id = mailed_invitation.mail_id and i.status = 'pending' and i.expires_at > called_at
    and private.wants_mail(m.recipient_id) and not private.is_blocked(m.recipient_id, i.inviter_id);
end
$$;

/**
 * The notifications of a mail that are still worth mailing: unread, wanted, and of no blocked sender or muted thread; or the
 * invitation that it is about.
 */
create or replace function private.mail_items(mail_id uuid, called_at timestamptz)
  returns table (id uuid, kind text, content text, created_at timestamptz, is_in_inbox boolean)
  language plpgsql stable security definer rows 20
  set search_path = ''
as $$
begin
  return query select n.id, n.kind, n.content, n.created_at, n.is_in_inbox
  from (
    select n.id, n.recipient_id, n.sender_id, n.kind, n.content, n.created_at, true as is_in_inbox
    from private.notification_mail_items i
    join public.notifications n on n.id = i.notification_id
    where i.mail_id = mail_items.mail_id and n.status = 'unread'
      and (n.snoozed_until is null or n.snoozed_until <= called_at)
    union all
    select n.id, n.recipient_id, n.sender_id, n.kind, n.content, n.created_at, false
    from private.notification_mail_items i
    join private.mail_only_notifications n on n.id = i.notification_id
    where i.mail_id = mail_items.mail_id
  ) n
  where (private.wanted_channels(n.recipient_id, n.kind)).by_mail
    and not private.is_blocked(n.recipient_id, n.sender_id)
    and not private.is_muted(n.recipient_id, private.parse_json(n.content))
  order by n.created_at desc, n.id desc;
  -- A mail with notifications is about no invitation.
  if not found then
    return query select * from private.mailed_invitation(mail_items.mail_id, called_at);
  end if;
end
$$;

revoke all on all functions in schema private from public;
