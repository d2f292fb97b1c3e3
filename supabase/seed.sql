-- Two accounts for development, both with the password "inbox-development". Fits `supabase start` and
-- `supabase db reset` as well as the embedded server. Never run it in production: `supabase db push` does not.

insert into auth.users (
  instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, last_sign_in_at,
  raw_app_meta_data, raw_user_meta_data, created_at, updated_at,
  confirmation_token, recovery_token, email_change, email_change_token_new, email_change_token_current,
  phone_change, phone_change_token, reauthentication_token
)
select
  '00000000-0000-0000-0000-000000000000',
  account.id::uuid,
  'authenticated',
  'authenticated',
  account.email,
  extensions.crypt('inbox-development', extensions.gen_salt('bf', 10)),
  now(),
  null,
  '{"provider": "email", "providers": ["email"]}',
  jsonb_build_object(
    'name', account.name, 'sub', account.id, 'email', account.email, 'email_verified', true, 'phone_verified', false
  ),
  now(),
  now(),
  '', '', '', '', '', '', '', ''
from (values
  ('ada00000-0000-4000-8000-000000000001', 'ada@example.com', 'Ada Lovelace'),
  ('9eace000-0000-4000-8000-000000000002', 'grace@example.com', 'Grace Hopper')
) as account (id, email, name)
on conflict (id) do nothing;

insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
select
  u.id::text,
  u.id,
  jsonb_build_object('sub', u.id, 'email', u.email, 'email_verified', true, 'phone_verified', false),
  'email',
  now(),
  now(),
  now()
from auth.users u
where u.email in ('ada@example.com', 'grace@example.com')
on conflict (provider_id, provider) do nothing;

insert into public.notifications (id, recipient_id, sender_id, status, created_at, content)
select
  sample.id::uuid,
  recipient.id,
  actor.id,
  sample.status,
  now() - sample.age,
  jsonb_build_object(
    'type', sample.type,
    'metadata', jsonb_build_object('actor_id', actor.id, 'actor_name', actor.raw_user_meta_data ->> 'name'),
    'entity_type', sample.entity_type,
    'entity_id', sample.entity_id,
    'data', jsonb_strip_nulls(jsonb_build_object('entity_name', sample.entity_name, 'text', sample.text))
  )::text
from (values
  ('5eed0000-0000-4000-8000-000000000001', 'ada@example.com', 'grace@example.com', 'unread', interval '12 minutes',
    'mention', 'document', 'doc-17', 'Compiler notes', '@Ada could you check the section on loops?'),
  ('5eed0000-0000-4000-8000-000000000002', 'ada@example.com', 'grace@example.com', 'unread', interval '3 hours',
    'comment', 'document', 'doc-9', 'Analytical Engine', 'The table of Bernoulli numbers is lovely.'),
  ('5eed0000-0000-4000-8000-000000000003', 'ada@example.com', 'grace@example.com', 'read', interval '1 day',
    'edit', 'document', 'doc-9', 'Analytical Engine', null),
  ('5eed0000-0000-4000-8000-000000000004', 'ada@example.com', 'grace@example.com', 'archived', interval '9 days',
    'comment', 'document', 'doc-3', 'Meeting of October', 'Thank you all.'),
  ('5eed0000-0000-4000-8000-000000000005', 'grace@example.com', 'ada@example.com', 'unread', interval '25 minutes',
    'mention', 'document', 'doc-17', 'Compiler notes', '@Grace I left two questions at the end.'),
  ('5eed0000-0000-4000-8000-000000000006', 'grace@example.com', 'ada@example.com', 'read', interval '2 days',
    'edit', 'document', 'doc-17', 'Compiler notes', null)
) as sample (id, recipient, actor, status, age, type, entity_type, entity_id, entity_name, text)
join auth.users recipient on recipient.email = sample.recipient
join auth.users actor on actor.email = sample.actor
on conflict (id) do nothing;
