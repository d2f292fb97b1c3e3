-- Invitations by an unguessable token, which the API reaches through functions only.
create table public.invitations (
  id uuid primary key default gen_random_uuid(),
  -- 244 random bits: the token cannot be guessed.
  token text not null unique default replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''),
  inviter_id uuid not null references auth.users (id) on delete cascade,
  invitee_email text not null check (invitee_email ~ '^[^@\s]+@[^@\s]+$'),
  entity_type text check (length(entity_type) <= 100),
  entity_id text check (length(entity_id) <= 200),
  entity_name text check (length(entity_name) <= 200),
  status text not null default 'pending' check (status in ('pending', 'accepted', 'declined', 'revoked')),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '7 days'
);

comment on table public.invitations is 'Reached only through functions: no role of the API has a privilege on it.';

create index invitations_inviter_idx on public.invitations (inviter_id);
create index invitations_invitee_idx on public.invitations (lower(invitee_email));
create index invitations_expiry_idx on public.invitations (expires_at);
-- One open invitation per inviter, address and entity; an entity without an id is known by its name. Hashes, because an
-- index refuses texts as long as these may be together.
create unique index invitations_open_idx on public.invitations (
  inviter_id,
  lower(invitee_email),
  md5(entity_type),
  md5(entity_id),
  md5(case when entity_id is null then lower(entity_name) end)
) nulls not distinct where status = 'pending';

alter table public.invitations enable row level security;
revoke all on public.invitations from anon, authenticated;
grant all on public.invitations to service_role;

/**
 * Notifies a user who has not blocked the sender about an invitation, in the name of the sender. Only the invitee may see
 * the link, which contains the token.
 */
create function private.notify_about_invitation(recipient uuid, sender uuid, about public.invitations, link text)
  returns void
  language sql security definer
  set search_path = ''
as $$
  insert into public.notifications (recipient_id, sender_id, content)
  select
    recipient,
    sender,
    jsonb_strip_nulls(jsonb_build_object(
      'type', 'invite',
      'metadata', jsonb_build_object('actor_id', sender, 'actor_name', private.display_name(sender)),
      'entity_type', about.entity_type,
      'entity_id', about.entity_id,
      'data', jsonb_build_object(
        'invitation_id', about.id,
        'status', about.status,
        'entity_name', about.entity_name,
        'invitee_email', about.invitee_email,
        'url', link
      )
    ))
  where not private.is_blocked(recipient, sender)
$$;

/** Runs after an account was deleted: deletes the invitations to its address. */
create function private.forget_invitee() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  delete from public.invitations i where lower(i.invitee_email) = lower(old.email);
  return null;
end
$$;

-- Only confirmed addresses: anyone may enter any address.
create trigger forget_invitee after delete on auth.users
  for each row when (old.email_confirmed_at is not null) execute function private.forget_invitee();

/** Whether the caller has confirmed this address: a sign-up alone proves nothing, since any address may be entered. */
create function private.has_address(address text) returns boolean
  language sql stable security definer
  set search_path = ''
as $$
  select exists (
    select from auth.users u
    where u.id = auth.uid() and u.email_confirmed_at is not null and lower(u.email) = lower(has_address.address)
  )
$$;

/**
 * An invitation in the form visible to the caller, and whether the caller is the invitee. An overdue pending one has the
 * status `expired`. The address is shortened for accounts that are neither the inviter nor the invitee.
 */
create function private.read_invitation(about public.invitations)
  returns table (
    id uuid,
    status text,
    inviter_id uuid,
    inviter_name text,
    invitee_email text,
    is_for_me boolean,
    entity_type text,
    entity_id text,
    entity_name text,
    created_at timestamptz,
    expires_at timestamptz
  )
  language sql stable security definer
  set search_path = ''
as $$
  select
    about.id,
    case when about.status = 'pending' and about.expires_at <= now() then 'expired' else about.status end,
    about.inviter_id,
    private.display_name(about.inviter_id),
    case when me.is_invitee or about.inviter_id = auth.uid() then about.invitee_email
      else regexp_replace(about.invitee_email, '^(.)[^@]*', '\1…') end,
    me.is_invitee,
    about.entity_type,
    about.entity_id,
    about.entity_name,
    about.created_at,
    about.expires_at
  from (select private.has_address(about.invitee_email) as is_invitee) me
$$;

/** Deletes the invitee's notifications about an invitation, before a new notification replaces it. */
create function private.forget_invitation_notifications(recipient uuid, about public.invitations) returns void
  language sql security definer
  set search_path = ''
as $$
  delete from public.notifications n
  where n.sender_id = about.inviter_id and n.recipient_id = recipient and n.kind = 'invite'
    and private.parse_json(n.content) #>> '{data,invitation_id}' = about.id::text;
  delete from private.mail_only_notifications n
  where n.sender_id = about.inviter_id and n.recipient_id = recipient and n.kind = 'invite'
    and private.parse_json(n.content) #>> '{data,invitation_id}' = about.id::text;
$$;

/**
 * Invites an address. The account that has confirmed it is notified, unless it has blocked the caller. An invitation that is
 * still unanswered is renewed: it keeps its id and token, lasts seven days from now, and its new notification replaces the
 * earlier one. Whether there is such an account is looked up after the commit, so that neither the response, nor its
 * duration, nor a lock depends on it.
 *
 * Errors: those of private.require_assurance(); PT403 sender_anonymous; PT400 invitation_email_invalid; PT400
 * invitation_entity_invalid; PT400 invitation_to_yourself; PT429 invitation_limit_exceeded.
 */
create function public.create_invitation(
  invitee_email text,
  entity_type text default null,
  entity_id text default null,
  entity_name text default null
)
  returns table (id uuid, token text, expires_at timestamptz, is_renewed boolean)
  language plpgsql security definer rows 1
  set search_path = ''
as $$
#variable_conflict use_column
declare
  me uuid := private.require_assurance();
  address text := trim(create_invitation.invitee_email);
  new_id uuid := gen_random_uuid();
  made public.invitations;
begin
  if (select u.is_anonymous from auth.users u where u.id = me) then
    raise sqlstate 'PT403' using message = 'sender_anonymous', detail = 'Anonymous accounts send no invitations.';
  end if;
  if address is null or length(address) > 320 or address !~ '^[^@\s]+@[^@\s]+$' then
    raise sqlstate 'PT400' using message = 'invitation_email_invalid', detail = 'This is not an email address.';
  end if;
  if length(create_invitation.entity_type) > 100
    or greatest(length(create_invitation.entity_id), length(create_invitation.entity_name)) > 200
  then
    raise sqlstate 'PT400' using message = 'invitation_entity_invalid',
      detail = 'The type may have 100 characters, the id and the name 200 each.';
  end if;
  if exists (select from auth.users u where u.id = me and lower(u.email) = lower(address)) then
    raise sqlstate 'PT400' using message = 'invitation_to_yourself', detail = 'You cannot invite yourself.';
  end if;
  perform private.count_sending(
    me, 'invitation', private.keyed_hash(lower(address))
  );
  insert into public.invitations as i (id, inviter_id, invitee_email, entity_type, entity_id, entity_name)
  values (
    new_id,
    me,
    address,
    private.bounded_text(create_invitation.entity_type, 100),
    private.bounded_text(create_invitation.entity_id, 200),
    private.bounded_text(create_invitation.entity_name, 200)
  )
  on conflict (
    inviter_id,
    lower(invitee_email),
    md5(entity_type),
    md5(entity_id),
    md5(case when entity_id is null then lower(entity_name) end)
  ) where status = 'pending'
    do update set entity_name = excluded.entity_name, expires_at = excluded.expires_at
  returning i.* into made;
  insert into private.outgoing_notifications (sender_id, invitation_id, created_at)
  values (me, made.id, clock_timestamp());
  return query select made.id, made.token, made.expires_at, made.id <> new_id;
end
$$;

/** The invitation of a token: one row, no row for an unknown token. Reading changes nothing. */
create function public.get_invitation(token text)
  returns table (
    id uuid,
    status text,
    inviter_id uuid,
    inviter_name text,
    invitee_email text,
    is_for_me boolean,
    entity_type text,
    entity_id text,
    entity_name text,
    created_at timestamptz,
    expires_at timestamptz
  )
  language sql stable security definer rows 1
  set search_path = ''
as $$
  select r.* from public.invitations i cross join lateral private.read_invitation(i) r
  where i.token = get_invitation.token and (select private.require_assurance()) is not null
$$;

/**
 * Who invites to what, for a holder of the token who has not signed in: no address, no id, and nothing of an invitation that
 * is no longer open. One row; no row for an unknown token. Reading changes nothing.
 */
create function public.preview_invitation(token text)
  returns table (status text, inviter_name text, entity_name text, expires_at timestamptz)
  language sql stable security definer rows 1
  set search_path = ''
as $$
  select
    r.status,
    case when r.status = 'pending' then r.inviter_name end,
    case when r.status = 'pending' then r.entity_name end,
    r.expires_at
  from public.invitations i cross join lateral private.read_invitation(i) r
  where i.token = preview_invitation.token
$$;

/** The pending invitations of the caller's confirmed address, last made or renewed first, with the tokens to answer them. */
create function public.list_invitations()
  returns table (
    token text,
    id uuid,
    status text,
    inviter_id uuid,
    inviter_name text,
    invitee_email text,
    is_for_me boolean,
    entity_type text,
    entity_id text,
    entity_name text,
    created_at timestamptz,
    expires_at timestamptz
  )
  language sql stable security definer rows 10
  set search_path = ''
as $$
  select i.token, r.*
  from auth.users me
  join public.invitations i on lower(i.invitee_email) = lower(me.email)
  cross join lateral private.read_invitation(i) r
  where me.id = (select private.require_assurance()) and me.email_confirmed_at is not null
    and i.status = 'pending' and i.expires_at > now() and not private.is_blocked(me.id, i.inviter_id)
  order by i.expires_at desc, i.id desc
  limit 100
$$;

/**
 * Answers an invitation as its invitee, and notifies the inviter. The same answer again changes nothing.
 *
 * Errors: those of private.require_assurance(); PT404 invitation_not_found; PT403
 * invitation_for_another_account; PT409 invitation_already_answered; PT410 invitation_expired.
 */
create function private.answer_invitation(token text, answer text) returns public.invitations
  language plpgsql security definer
  set search_path = ''
as $$
#variable_conflict use_column
declare
  found public.invitations;
begin
  perform private.require_assurance();
  select * into found from public.invitations i where i.token = answer_invitation.token for update;
  if found.id is null then
    raise sqlstate 'PT404' using message = 'invitation_not_found', detail = 'There is no such invitation.';
  end if;
  if not private.has_address(found.invitee_email) then
    raise sqlstate 'PT403' using message = 'invitation_for_another_account',
      detail = 'The invitation was sent to another email address.';
  end if;
  if found.status = answer then
    return found;
  end if;
  if found.status <> 'pending' then
    raise sqlstate 'PT409' using message = 'invitation_already_answered',
      detail = 'The invitation is ' || found.status || '.';
  end if;
  if found.expires_at <= now() then
    raise sqlstate 'PT410' using message = 'invitation_expired', detail = 'The invitation is past its time.';
  end if;
  update public.invitations i set status = answer where i.id = found.id returning * into found;
  perform private.notify_about_invitation(found.inviter_id, auth.uid(), found, null);
  return found;
end
$$;

/** Accepts an invitation. Errors: see private.answer_invitation. */
create function public.accept_invitation(token text)
  returns table (
    id uuid,
    status text,
    inviter_id uuid,
    inviter_name text,
    invitee_email text,
    is_for_me boolean,
    entity_type text,
    entity_id text,
    entity_name text,
    created_at timestamptz,
    expires_at timestamptz
  )
  language sql security definer
  set search_path = ''
as $$
  select r.* from private.answer_invitation(token, 'accepted') i cross join lateral private.read_invitation(i) r
$$;

/** Declines an invitation. Errors: see private.answer_invitation. */
create function public.decline_invitation(token text)
  returns table (
    id uuid,
    status text,
    inviter_id uuid,
    inviter_name text,
    invitee_email text,
    is_for_me boolean,
    entity_type text,
    entity_id text,
    entity_name text,
    created_at timestamptz,
    expires_at timestamptz
  )
  language sql security definer
  set search_path = ''
as $$
  select r.* from private.answer_invitation(token, 'declined') i cross join lateral private.read_invitation(i) r
$$;

/**
 * Withdraws a pending invitation of the caller: its link no longer works. Its notification is deleted after the commit, so
 * that neither the duration nor a lock reveals whether the address has an account, and a delivery that has read the pending
 * invitation leaves no notification behind. Withdrawing again changes nothing.
 *
 * Errors: those of private.require_assurance(); PT404 invitation_not_found; PT409 invitation_already_answered.
 */
create function public.withdraw_invitation(token text)
  returns table (
    id uuid,
    status text,
    inviter_id uuid,
    inviter_name text,
    invitee_email text,
    is_for_me boolean,
    entity_type text,
    entity_id text,
    entity_name text,
    created_at timestamptz,
    expires_at timestamptz
  )
  language plpgsql security definer rows 1
  set search_path = ''
as $$
#variable_conflict use_column
declare
  me uuid := private.require_assurance();
  found public.invitations;
begin
  select * into found from public.invitations i
  where i.token = withdraw_invitation.token and i.inviter_id = me for update;
  if found.id is null then
    raise sqlstate 'PT404' using message = 'invitation_not_found', detail = 'There is no such invitation.';
  end if;
  if found.status not in ('pending', 'revoked') then
    raise sqlstate 'PT409' using message = 'invitation_already_answered',
      detail = 'The invitation is ' || found.status || '.';
  end if;
  if found.status = 'pending' then
    update public.invitations i set status = 'revoked' where i.id = found.id returning * into found;
    insert into private.outgoing_notifications (sender_id, invitation_id, created_at)
    values (me, found.id, clock_timestamp());
  end if;
  return query select r.* from private.read_invitation(found) r;
end
$$;

revoke all on function
  public.create_invitation(text, text, text, text),
  public.get_invitation(text),
  public.preview_invitation(text),
  public.list_invitations(),
  public.accept_invitation(text),
  public.decline_invitation(text),
  public.withdraw_invitation(text)
  from public, anon;
grant execute on function public.preview_invitation(text) to anon, authenticated, service_role;
grant execute on function
  public.create_invitation(text, text, text, text),
  public.get_invitation(text),
  public.list_invitations(),
  public.accept_invitation(text),
  public.decline_invitation(text),
  public.withdraw_invitation(text)
  to authenticated, service_role;

-- The notification of an answered invitation has the answer, on every device of the invitee: `data.answer` is
-- `accepted` or `declined`.

/** Runs after an invitation was answered by its invitee, who is the caller. */
create function private.mark_answered_invitation() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  update public.notifications n
  set content = jsonb_set(private.parse_json(n.content), '{data,answer}', to_jsonb(new.status))::text
  where n.recipient_id = auth.uid() and n.kind = 'invite' and n.sender_id = new.inviter_id
    and private.parse_json(n.content) #>> '{data,invitation_id}' = new.id::text;
  return null;
end
$$;

create trigger mark_answered_invitation after update of status on public.invitations
  for each row when (old.status = 'pending' and new.status in ('accepted', 'declined'))
  execute function private.mark_answered_invitation();

-- Users who share an accepted invitation can block each other, also after retention has deleted the invitation.
create table private.accepted_invitations (
  invitation_id uuid primary key,
  inviter_id uuid not null references auth.users (id) on delete cascade,
  invitee_id uuid not null references auth.users (id) on delete cascade,
  check (inviter_id <> invitee_id)
);
create index accepted_invitations_inviter_idx on private.accepted_invitations (inviter_id, invitee_id);
create index accepted_invitations_invitee_idx on private.accepted_invitations (invitee_id, inviter_id);

/**
 * The account that has confirmed an address; null without one. Accounts of single sign-on may share an address: the account
 * with a password comes first, as in public.create_invitation().
 */
create function private.account_of_address(address text) returns uuid
  language sql stable security definer
  set search_path = ''
as $$
  select u.id from auth.users u
  where u.instance_id = '00000000-0000-0000-0000-000000000000'
    and lower(u.email) = lower(address) and u.deleted_at is null and u.email_confirmed_at is not null
  order by u.is_sso_user, u.created_at
  limit 1
$$;

/** Whether two users share an accepted invitation. */
create function private.share_invitation(one uuid, other uuid) returns boolean
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  return exists (select from private.accepted_invitations a where a.inviter_id = one and a.invitee_id = other)
    or exists (select from private.accepted_invitations a where a.inviter_id = other and a.invitee_id = one);
end
$$;

/** Runs after the status of an invitation has changed. */
create function private.follow_accepted_invitation() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  invitee uuid;
begin
  if new.status = 'accepted' then
    -- The invitee is the caller, unless a service changes the row.
    invitee := coalesce(auth.uid(), private.account_of_address(new.invitee_email));
    if invitee is null or invitee = new.inviter_id then
      return null;
    end if;
    insert into private.accepted_invitations (invitation_id, inviter_id, invitee_id)
      values (new.id, new.inviter_id, invitee)
      on conflict do nothing;
  else
    delete from private.accepted_invitations a where a.invitation_id = new.id;
  end if;
  return null;
end
$$;

create trigger follow_accepted_invitation after update of status on public.invitations
  for each row when (old.status <> new.status) execute function private.follow_accepted_invitation();

revoke all on all functions in schema private from public;
