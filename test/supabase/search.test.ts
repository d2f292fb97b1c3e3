import { beforeAll, describe, expect, it } from 'vitest';
import { runAs } from '../support/database-roles.ts';
import { ada, grace, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();

const letter = (text: string, kind = 'comment', entity = 'Plan') =>
  JSON.stringify({
    type: kind,
    metadata: { actor_name: 'Ada Lovelace' },
    data: { text, entity_name: entity },
  });

async function search(args: string, userId = grace.id): Promise<string[]> {
  const rows = await runAs(supabase().database, { role: 'authenticated', userId }, (sql) =>
    sql.query<{ content: string }>(`select content from search_notifications(${args})`),
  );
  return rows.map(({ content }) => (JSON.parse(content) as { data: { text: string } }).data.text);
}

beforeAll(async () => {
  const { database } = supabase();
  await database.exec('delete from notifications');
  const rows: [string, string, string][] = [
    [letter('The engine is running well'), 'unread', '1 minute'],
    [letter('Runners meet at noon', 'mention'), 'read', '2 minutes'],
    [letter('An old engine', 'edit', 'Analytical Engine'), 'archived', '3 minutes'],
    [letter(`It's 5 o'clock \\ "quoted" & <b>bold</b> | !`), 'unread', '4 minutes'],
    ['{"type":"system","data":{"text":"Wartung am Sonntag"}}', 'unread', '5 minutes'],
  ];
  for (const [content, status, past] of rows)
    await database.query(
      `insert into notifications (recipient_id, status, content, created_at)
       values ($1, $2, $3, now() - $4::interval)`,
      [grace.id, status, content, past],
    );
  await database.query('insert into notifications (recipient_id, content) values ($1, $2)', [
    ada.id,
    letter('The engine of another user'),
  ]);
});

describe('search', () => {
  it.each([
    [`'engine'`, ['The engine is running well']],
    [`'eng'`, ['The engine is running well']],
    [`'ENGINE well'`, ['The engine is running well']],
    [`'engine nothing'`, []],
    [`'run'`, ['The engine is running well', 'Runners meet at noon']],
    [`'engines'`, ['The engine is running well']],
    [`'lovelace noon'`, ['Runners meet at noon']],
    [`'engine', tab => 'archived'`, ['An old engine']],
    [`'analytical', 'archived', kind => 'edit'`, ['An old engine']],
    [`'run', kind => 'mention'`, ['Runners meet at noon']],
    [`'run', tab => 'unread'`, ['The engine is running well']],
    [`'run', page_size => 1`, ['The engine is running well']],
    [`'Sonn'`, ['Wartung am Sonntag']],
    [`''`, []],
    [`'  &|!:*  '`, []],
    [`$$o'clock \\ "quoted$$`, [`It's 5 o'clock \\ "quoted" & <b>bold</b> | !`]],
  ])('search for %s finds %j', async (args, expected) => {
    expect(await search(args)).toEqual(expected);
  });

  it('search reads each text of the content, and narrows by sender, thread and what needs the user', async () => {
    const { database } = supabase();
    const id = crypto.randomUUID();
    await database.query(`insert into auth.users (id, email) values ($1, 'reader@example.com')`, [id]);
    const data = {
      entity_name: 'alpha',
      title: 'bravo',
      subject: 'charlie',
      message: 'delta',
      body: 'echo',
      comment: 'foxtrot',
      text: 'all of it',
    };
    const metadata = { actor_name: 'golf', entity_name: 'hotel' };
    const add = (content: object, sender: string | null = null) =>
      database.query('insert into notifications (recipient_id, sender_id, content) values ($1, $2, $3)', [
        id,
        sender,
        JSON.stringify(content),
      ]);
    await add({ type: 'comment', metadata, data });
    for (const word of [...Object.values(data), ...Object.values(metadata)])
      expect([word, await search(`'${word}'`, id)]).toEqual([word, ['all of it']]);
    await add({ type: 'comment', data: { text: 'all of Ada' } }, ada.id);
    await add({ type: 'comment', entity_type: 'document', entity_id: '7', data: { text: 'all about 7' } });
    await add({ type: 'mention', data: { text: 'all for you' } });
    expect(await search(`'all'`, id)).toHaveLength(4);
    expect(await search(`'all', sender => '${ada.id}'`, id)).toEqual(['all of Ada']);
    expect(await search(`'all', thread => 'document/7'`, id)).toEqual(['all about 7']);
    expect(await search(`'all', needs_user => true`, id)).toEqual(['all for you']);
    await database.query('delete from auth.users where id = $1', [id]);
  });

  it('search continues after the last row of a page', async () => {
    const [last] = await supabase().database.query<{ at: string; id: string }>(
      `select created_at::text as at, id from notifications where content like '%running%'`,
    );
    expect(await search(`'run', before_created_at => '${last?.at}', before_id => '${last?.id}'`)).toEqual([
      'Runners meet at noon',
    ]);
  });

  it('search finds stems of the recipient’s language', async () => {
    const { database } = supabase();
    await database.query(
      `insert into notification_preferences (user_id, language) values ($1, 'de')
       on conflict (user_id) do update set language = 'de'`,
      [ada.id],
    );
    await database.query('insert into notifications (recipient_id, content) values ($1, $2)', [
      ada.id,
      letter('Die Häuser stehen'),
    ]);
    expect(await search(`'Haus'`, ada.id)).toEqual(['Die Häuser stehen']);
    expect(await search(`'Haus'`)).toEqual([]);
    expect(await search(`'hauser'`, ada.id)).toEqual(['Die Häuser stehen']);
  });

  describe('with accents', () => {
    beforeAll(async () => {
      // The second word has a combining accent.
      for (const text of ['Über die Straße', 'Jose\u0301 in Łódź', 'UBER STRASSE'])
        await supabase().database.query(
          `insert into notifications (recipient_id, content, created_at) values ($1, $2, now() - interval '9 minutes')`,
          [ada.id, letter(text)],
        );
    });

    it.each([
      ['uber', ['UBER STRASSE', 'Über die Straße']],
      ['Über', ['UBER STRASSE', 'Über die Straße']],
      ['ÜBER', ['UBER STRASSE', 'Über die Straße']],
      ['U\u0308ber', ['UBER STRASSE', 'Über die Straße']],
      ['strasse', ['UBER STRASSE', 'Über die Straße']],
      ['straße', ['UBER STRASSE', 'Über die Straße']],
      ['jose', ['Jose\u0301 in Łódź']],
      ['José', ['Jose\u0301 in Łódź']],
      ['lodz', ['Jose\u0301 in Łódź']],
    ])('search with accents finds %s', async (query, expected) => {
      expect((await search(`'${query}'`, ada.id)).sort()).toEqual(expected);
    });
  });

  describe('in scripts without spaces', () => {
    const spring = '春季计划的第二版已经完成';
    const sent = '通知を送信しました 🎉';
    const mixed = 'カタカナとAPI설계문서';
    beforeAll(async () => {
      for (const text of [spring, sent, mixed])
        await supabase().database.query(
          `insert into notifications (recipient_id, content, created_at) values ($1, $2, now() - interval '9 minutes')`,
          [ada.id, letter(text)],
        );
    });

    it.each([
      ['季', [spring]],
      ['计划', [spring]],
      ['成', [spring]],
      ['季计划的第二版', [spring]],
      ['季计划的第三版', []],
      ['计划 第二', [spring]],
      ['划计', []],
      ['通知', [sent]],
      ['送信', [sent]],
      ['送信 🎉', [sent]],
      ['🎉', []],
      ['カナ', [mixed]],
      ['api', [mixed]],
      ['とAPI설계', [mixed]],
      ['문서', [mixed]],
    ])('search finds %s inside a run of letters', async (query, expected) => {
      expect(await search(`'${query}'`, ada.id)).toEqual(expected);
    });
  });

  it('search finds rare and frequent words among many similar rows', async () => {
    const { database } = supabase();
    const id = crypto.randomUUID();
    await database.query(`insert into auth.users (id, email) values ($1, 'many@example.com')`, [id]);
    await database.query(
      `insert into notifications (recipient_id, content, created_at)
       select $1, jsonb_build_object('type', 'comment', 'data', jsonb_build_object('text',
           'every' || case when n % 50 = 0 then ' fiftieth' else '' end || case when n = 9 then ' single' else '' end
         ))::text, now() - n * interval '1 second'
       from generate_series(1, 2000) n`,
      [id],
    );
    expect(await search(`'every', page_size => 10`, id)).toHaveLength(10);
    expect(await search(`'fiftieth', page_size => 100`, id)).toHaveLength(40);
    expect(await search(`'fiftieth', page_size => 10`, id)).toHaveLength(10);
    expect(await search(`'single', page_size => 10`, id)).toEqual(['every single']);
  });

  it('search reflects a change of the content, and drops deleted notifications', async () => {
    const { database } = supabase();
    const [row] = await database.query<{ id: string }>(
      'insert into notifications (recipient_id, content) values ($1, $2) returning id',
      [grace.id, letter('before')],
    );
    await database.query('update notifications set content = $2 where id = $1', [
      row?.id,
      letter('afterwards'),
    ]);
    expect([await search(`'before'`), await search(`'afterwards'`)]).toEqual([[], ['afterwards']]);
    await database.query('delete from notifications where id = $1', [row?.id]);
    expect(
      await database.query('select * from private.notification_words where notification_id = $1', [row?.id]),
    ).toEqual([]);
  });

  it('search forgets the names of deleted senders in batches', async () => {
    const { database } = supabase();
    const left = await database.transaction(async (sql) => {
      await sql.query(
        `with stored as (insert into notifications (recipient_id) select $1 from generate_series(1, 3) returning id)
         insert into private.forgotten_words select id from stored`,
        [grace.id],
      );
      const rows: unknown[] = [];
      for (let turn = 0; turn < 3; turn += 1)
        rows.push(
          ...(await sql.query('select private.renew_forgotten_words(2) as is_renewed')),
          ...(await sql.query('select count(*)::int as left from private.forgotten_words')),
        );
      return rows;
    });
    expect(left).toEqual([
      { is_renewed: true },
      { left: 1 },
      { is_renewed: true },
      { left: 0 },
      { is_renewed: false },
      { left: 0 },
    ]);
  });

  it('search forgets the name of a deleted sender after the deletion, and keeps the other words', async () => {
    const { database } = supabase();
    const id = crypto.randomUUID();
    await database.query(`insert into auth.users (id, email) values ($1, 'leaving@example.com')`, [id]);
    await database.query(
      `insert into notification_preferences (user_id, language) values ($1, 'de')
       on conflict (user_id) do update set language = 'de'`,
      [ada.id],
    );
    await database.query('insert into notifications (recipient_id, sender_id, content) values ($1, $2, $3)', [
      grace.id,
      id,
      JSON.stringify({
        type: 'comment',
        metadata: { actor_id: id, actor_name: 'Konrad Zuse' },
        data: { text: 'The relays are late' },
      }),
    ]);
    expect([await search(`'zuse'`), await search(`'relays'`)]).toEqual([
      ['The relays are late'],
      ['The relays are late'],
    ]);
    await database.query('delete from auth.users where id = $1', [id]);
    await database.exec('call private.deliver_outgoing()');
    // By the stems of the reader’s language.
    expect([await search(`'zuse'`), await search(`'relaying'`)]).toEqual([[], ['The relays are late']]);
    await database.exec('delete from notification_preferences');
    expect(await database.query('select * from private.forgotten_words')).toEqual([]);
  });
});
