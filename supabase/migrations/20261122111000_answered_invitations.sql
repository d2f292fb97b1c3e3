-- An answered invitation says so in its notification, on every device of the invitee: `data.answer` is `accepted` or
-- `declined`.

/** Runs after an invitation was answered, by its invitee: the caller. */
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

-- The invitations of one sender to one recipient are few; without this index all notifications of the kind are read.
create index notifications_invitations_idx on public.notifications (recipient_id, sender_id) where kind = 'invite';

revoke all on all functions in schema private from public;
