-- What needs the user, decided in one place: an answer to an invitation, and an invitation that was answered, need nothing more.

/** Whether a notification stands above the rest until it is read: `content` is its parsed content. */
create function private.needs_user(kind text, content jsonb) returns boolean
  language sql immutable parallel safe
  set search_path = ''
as $$
  select kind = 'mention'
    or kind = 'invite' and coalesce(content #>> '{data,answer}', content #>> '{data,status}', 'pending') = 'pending'
    or coalesce(content #> '{data,important}' = 'true', false)
$$;

/** Sets what lists are narrowed by: the kind, the thread, and whether it needs the user. */
create or replace function private.stamp_lists(inout listed public.notifications)
  language plpgsql immutable parallel safe
  set search_path = ''
as $$
declare
  content jsonb := private.parse_json(listed.content);
begin
  listed.kind := private.notification_kind(content);
  listed.thread := coalesce(content ->> 'entity_type', '') || '/' || nullif(content ->> 'entity_id', '');
  listed.needs_user := private.needs_user(listed.kind, content);
end
$$;

update public.notifications n set needs_user = false
where n.needs_user and n.kind = 'invite' and not private.needs_user(n.kind, private.parse_json(n.content));

/** Everything that a worker needs to render and send a mail, or null and a reason in `obstacle`. A digest begins with what needs the user. */
create or replace function private.mail_payload(
  mail private.notification_mails, called_at timestamptz, out payload jsonb, out obstacle text
)
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  most_items constant integer := 50;
  account record;
  items jsonb;
  total integer;
begin
  obstacle := private.mail_obstacle(mail.recipient_id, called_at);
  if obstacle is not null then
    return;
  end if;
  with numbered as (
    select
      m.*,
      row_number() over () as position,
      -- A digest has a line for each thread, a mail about one thread a line for each event.
      case when mail.topic = 'digest'
        then private.digest_group(m.kind, private.parse_json(m.content)) else m.id::text
      end as line,
      mail.topic = 'digest' and private.needs_user(m.kind, private.parse_json(m.content)) as is_first
    from private.mail_items(mail.id, called_at) m
  ), lines as (
    select n.line, min(n.position) as position, count(*) as events, bool_or(n.is_first) as is_first
    from numbered n group by n.line
  ), ranked as (
    select l.*, row_number() over (order by l.is_first desc, l.position) as rank from lines l
  )
  select
    coalesce(jsonb_agg(jsonb_build_object(
      'id', i.id, 'kind', i.kind, 'content', private.parse_json(i.content), 'created_at', i.created_at,
      'is_in_inbox', i.is_in_inbox, 'words', private.kind_words(i.kind, i.content, mail.recipient_id), 'count', r.events
    ) order by r.rank) filter (where r.rank <= most_items), '[]'),
    coalesce(sum(r.events), 0)
  into items, total
  from ranked r join numbered i on i.line = r.line and i.position = r.position;
  if total = 0 and private.is_notification_mail(mail.topic) then
    obstacle := 'nothing unread';
    return;
  end if;
  select
    u.email,
    coalesce(p.language, 'en') as language,
    private.known_time_zone(coalesce(p.time_zone, 'UTC')) as time_zone,
    coalesce(p.email_digest_frequency, 'daily') as frequency
  into account
  from auth.users u left join public.notification_preferences p on p.user_id = u.id
  where u.id = mail.recipient_id;
  payload := jsonb_build_object(
    'id', mail.id,
    'lease', mail.lease,
    'topic', mail.topic,
    'thread_id', encode(sha256(convert_to(mail.recipient_id || mail.topic, 'UTF8')), 'hex'),
    'due_at', mail.due_at,
    'address', account.email,
    'name', private.display_name(mail.recipient_id),
    'language', account.language,
    'time_zone', account.time_zone,
    'frequency', account.frequency,
    'items', items,
    'item_count', total,
    'security_event', (
      select jsonb_build_object('kind', e.kind, 'detail', e.detail, 'created_at', e.created_at)
      from private.security_events e
      where mail.topic like 'security:%' and e.id = substr(mail.topic, length('security:') + 1)::uuid
    ),
    'unsubscribe_token', private.create_mail_token('unsubscribe', mail.recipient_id, called_at + interval '90 days')
  );
end
$$;

revoke all on all functions in schema private from public;
