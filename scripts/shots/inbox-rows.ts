import type { Stage } from '../../test/e2e/support/stage.ts';

interface SampleRow {
  readonly age: string;
  readonly status: 'unread' | 'read' | 'archived';
  readonly type: string;
  readonly actor: string;
  readonly entity?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

const samples: readonly SampleRow[] = [
  {
    age: '2 minutes',
    status: 'unread',
    type: 'mention',
    actor: 'Grace Hopper',
    entity: 'Compiler notes',
    data: { text: '@Ada could you check the section on loops before we send it out?' },
  },
  {
    age: '9 minutes',
    status: 'unread',
    type: 'comment',
    actor: 'Charles Babbage',
    entity: 'Analytical Engine',
    data: { text: 'The table of Bernoulli numbers is lovely.' },
  },
  { age: '40 minutes', status: 'read', type: 'edit', actor: 'Mary Somerville', entity: 'On the connexion' },
  {
    age: '1 hour',
    status: 'unread',
    type: 'invite',
    actor: 'Augustus De Morgan',
    entity: 'Formal logic reading group',
    data: { url: '/join/example-token' },
  },
  {
    age: '2 hours',
    status: 'read',
    type: 'system',
    actor: '',
    data: { title: 'Maintenance on Sunday', text: 'The app is unavailable from 02:00 to 02:30 UTC.' },
  },
  {
    age: '26 hours',
    status: 'read',
    type: 'comment',
    actor: 'Hubert Blaine Wolfeschlegelsteinhausenbergerdorff',
    entity:
      'Meeting of October with a title that goes on and on, about everything that was said and much that was not',
    data: {
      text: 'https://example.com/a/very/long/address/without/any/blank/that/could/break/the/layout/of/the/row',
    },
  },
  { age: '27 hours', status: 'unread', type: 'edit', actor: 'Grace Hopper', entity: 'Compiler notes' },
  {
    age: '3 days',
    status: 'read',
    type: 'mention',
    actor: 'Mary Somerville',
    entity: 'Mechanism of the heavens',
  },
  {
    age: '15 days',
    status: 'read',
    type: 'launch',
    actor: '',
    data: { message: 'A kind of news from the future' },
  },
  {
    age: '9 days',
    status: 'archived',
    type: 'comment',
    actor: 'Charles Babbage',
    entity: 'Meeting of October',
    data: { text: 'Thank you all.' },
  },
];

/** Fills Ada's inbox with a realistic mix: every kind, several days, words of every length. */
export async function fillInbox(
  { supabase }: Stage,
  at: Date,
  rows: readonly SampleRow[] = samples,
): Promise<void> {
  const { database } = supabase;
  const ada = `(select id from auth.users where email = 'ada@example.com')`;
  await database.query(`delete from public.notifications where recipient_id = ${ada}`);
  for (const { age, status, type, actor, entity, data } of rows) {
    const content = {
      type,
      metadata: actor === '' ? {} : { actor_name: actor },
      ...(entity === undefined ? {} : { entity_type: 'document', entity_id: entity }),
      data: { entity_name: entity, ...data },
    };
    await database.query(
      `insert into public.notifications (recipient_id, status, created_at, content)
       values (${ada}, $1, $4::timestamptz - $2::interval, $3)`,
      [status, age, JSON.stringify(content), at.toISOString()],
    );
  }
}

export function emptyInbox(stage: Stage, at: Date): Promise<void> {
  return fillInbox(stage, at, []);
}

/** Enough for more than one page. */
export function fillLongInbox(stage: Stage, at: Date): Promise<void> {
  const rows = Array.from({ length: 130 }, (_, index) => ({
    ...(samples[index % 4] as SampleRow),
    age: `${index * 47} minutes`,
    status: index % 3 === 0 ? ('unread' as const) : ('read' as const),
  }));
  return fillInbox(stage, at, rows);
}
