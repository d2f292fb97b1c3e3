import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertError, assertStatus, assertStatusIn, at, type WireResponse } from '../../target/wire.ts';
import { createPreferences, readInbox, sharedInbox } from './inbox.ts';
import { rowsOf } from './notifications.ts';

const audit = auditsOf('rest');
const source = 'protocol/rest.md#order-and-ranges';

const idsOf = (response: WireResponse) => (response.json as readonly unknown[]).map((row) => at(row, 'id'));
const rangeOf = (response: WireResponse) => response.headers.get('content-range');

const shapes: readonly Audit[] = [
  audit(
    'REST-215',
    'select renames a column',
    { source: 'protocol/rest.md#selecting-columns' },
    async (context) => {
      const { response, inbox } = await readInbox(context, { select: 'key:id', limit: '1' });
      assert.deepEqual(rowsOf(response), [{ key: inbox.rows[0]?.id }], 'the rows of the response');
    },
  ),
  audit(
    'REST-216',
    'select casts a column',
    { source: 'protocol/rest.md#selecting-columns' },
    async (context) => {
      const { response, inbox } = await readInbox(context, { select: 'created_at::date', limit: '1' });
      assert.deepEqual(
        rowsOf(response),
        [{ created_at: inbox.rows[0]?.created_at.slice(0, 10) }],
        'the rows of the response',
      );
    },
  ),
  audit(
    'REST-217',
    'select renames and casts at once',
    { source: 'protocol/rest.md#selecting-columns' },
    async (context) => {
      const { response, inbox } = await readInbox(context, { select: 'day:created_at::date,id', limit: '1' });
      const row = inbox.rows[0];
      assert.deepEqual(
        rowsOf(response),
        [{ day: row?.created_at.slice(0, 10), id: row?.id }],
        'the rows of the response',
      );
    },
  ),
  audit(
    'REST-218',
    'without select every column is returned',
    { source: 'protocol/rest.md#selecting-columns' },
    async (context) => {
      const { response } = await readInbox(context, { limit: '1' });
      const names = Object.keys(rowsOf(response)[0] ?? {});
      for (const name of ['id', 'recipient_id', 'status', 'content', 'created_at'])
        assert.ok(names.includes(name), `the list names ${name}`);
    },
  ),
  audit(
    'REST-219',
    'times are returned in ISO 8601 with T and offset',
    { source: 'protocol/rest.md#selecting-columns' },
    async (context) => {
      const { response } = await readInbox(context, { select: 'created_at', limit: '1' });
      assert.match(
        String(at(response.json, 0, 'created_at')),
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:\d\d$/,
        '0.created_at of the response',
      );
    },
  ),
  audit(
    'REST-220',
    'booleans are returned as JSON booleans',
    { source: 'protocol/rest.md#selecting-columns' },
    async (context) => {
      const user = await context.newUser();
      await createPreferences(context, user);
      const response = await context.rest.send('GET', '/notification_preferences', {
        token: user.accessToken,
        query: { select: 'email_edits,in_app_edits', in_app_edits: 'is.true', email_edits: 'eq.false' },
      });
      assert.deepEqual(
        rowsOf(response),
        [{ email_edits: false, in_app_edits: true }],
        'the rows of the response',
      );
    },
  ),
  audit(
    'REST-221',
    'a response is JSON in UTF-8',
    { source: 'protocol/rest.md#media-types' },
    async (context) => {
      const { response } = await readInbox(context, { limit: '1' });
      assert.match(
        response.headers.get('content-type') ?? '',
        /^application\/json; *charset=utf-8$/i,
        'the header content-type of the response',
      );
    },
  ),
  audit(
    'REST-222',
    'an error has code, message, details and hint',
    { source: 'protocol/rest.md#errors' },
    async (context) => {
      const { response } = await readInbox(context, { select: 'no_such_column' });
      assert.deepEqual(
        Object.keys(response.json as object).toSorted(),
        ['code', 'details', 'hint', 'message'],
        'the names in the response',
      );
    },
  ),
  audit(
    'REST-223',
    'an object requested for several rows is refused as PGRST116, with their number',
    { source: 'protocol/rest.md#media-types' },
    async (context) => {
      const { response } = await readInbox(context, {}, { Accept: 'application/vnd.pgrst.object+json' });
      assertError(response, 406, 'PGRST116');
      assert.match(String(at(response.json, 'details')), /\b5 rows/, 'details of the response');
    },
  ),
  audit(
    'REST-224',
    'an unknown media type is refused as PGRST107',
    { source: 'protocol/rest.md#media-types' },
    async (context) => {
      assertError(
        (await readInbox(context, {}, { Accept: 'application/x-nothing' })).response,
        406,
        'PGRST107',
      );
    },
  ),
  audit(
    'REST-225',
    'a schema that is not exposed is refused as PGRST106',
    { source: 'protocol/rest.md#schemas' },
    async (context) => {
      assertError(
        (await readInbox(context, {}, { 'Accept-Profile': 'no_such_schema' })).response,
        406,
        'PGRST106',
      );
    },
  ),
  audit(
    'REST-226',
    'the schema public can be selected',
    { source: 'protocol/rest.md#schemas' },
    async (context) => {
      assert.equal(
        rowsOf((await readInbox(context, {}, { 'Accept-Profile': 'public' })).response).length,
        5,
        'the number of rows',
      );
    },
  ),
  audit(
    'REST-227',
    'nulls=stripped omits null values',
    { source: 'protocol/rest.md#media-types', level: 'SHOULD' },
    async (context) => {
      const { ada } = await sharedInbox(context);
      const query = { select: 'status,snoozed_until', limit: '1', order: 'created_at.asc' };
      const response = await context.rest.send('GET', '/notifications', {
        token: ada.accessToken,
        query,
        headers: { Accept: 'application/vnd.pgrst.array+json;nulls=stripped' },
      });
      assert.deepEqual(rowsOf(response), [{ status: 'unread' }], 'the rows of the response');
      const object = await context.rest.send('GET', '/notifications', {
        token: ada.accessToken,
        query,
        headers: { Accept: 'application/vnd.pgrst.object+json;nulls=stripped' },
      });
      assert.deepEqual(object.json, { status: 'unread' }, 'the object');
    },
  ),
];

const pages: readonly Audit[] = [
  audit('REST-230', 'order accepts desc', { source }, async (context) => {
    const { response, inbox } = await readInbox(context, { order: 'created_at.desc' });
    assert.deepEqual(idsOf(response), inbox.rows.map(({ id }) => id).toReversed(), 'the ids of the rows');
  }),
  audit('REST-231', 'order accepts several columns', { source }, async (context) => {
    const { response, inbox } = await readInbox(context, { order: 'status.asc,created_at.desc' });
    assert.deepEqual(
      idsOf(response),
      [3, 1, 4, 2, 0].map((index) => inbox.rows[index]?.id),
      'the ids of the rows',
    );
  }),
  audit('REST-232', 'order accepts the position of nulls', { source }, async (context) => {
    const { accessToken: token } = await context.newUser();
    const rows = ['a', 'b', null].map((name, index) => ({
      entity_type: 'document',
      entity_id: `e-${index}`,
      entity_name: name,
    }));
    assertStatus(await context.rest.send('POST', '/muted_threads', { token, body: rows }), 201);
    const namesBy = async (order: string) => {
      const query = { select: 'entity_name', order: `entity_name.${order}` };
      const response = await context.rest.send('GET', '/muted_threads', { token, query });
      return rowsOf(response).map((row) => at(row, 'entity_name'));
    };
    assert.deepEqual(await namesBy('asc.nullsfirst'), [null, 'a', 'b'], 'the names, nulls first');
    assert.deepEqual(
      await namesBy('desc.nullslast'),
      ['b', 'a', null],
      'the names in descending order, nulls last',
    );
  }),
  audit('REST-233', 'a limit of 0 returns no rows', { source }, async (context) => {
    assert.deepEqual(rowsOf((await readInbox(context, { limit: '0' })).response), [], 'the rows');
  }),
  audit(
    'REST-234',
    'an offset past the end returns no rows if they are not counted',
    { source },
    async (context) => {
      assert.deepEqual(rowsOf((await readInbox(context, { offset: '99' })).response), [], 'the rows');
    },
  ),
  audit('REST-235', 'the Range header limits a GET', { source }, async (context) => {
    const { response, inbox } = await readInbox(context, {}, { Range: '1-2', 'Range-Unit': 'items' });
    assertStatusIn(response, [200, 206]);
    assert.deepEqual(idsOf(response), [inbox.rows[1]?.id, inbox.rows[2]?.id], 'the ids of the rows');
  }),
  audit('REST-418', 'the Range header and limit both apply', { source, since: '1.0.0' }, async (context) => {
    const { response, inbox } = await readInbox(
      context,
      { limit: '2' },
      { Range: '1-4', 'Range-Unit': 'items' },
    );
    assertStatusIn(response, [200, 206]);
    assert.deepEqual(idsOf(response), [inbox.rows[1]?.id], 'the ids of the rows');
  }),
  audit('REST-419', 'the Range header does not limit a HEAD', { source, since: '1.0.0' }, async (context) => {
    const { response } = await readInbox(context, {}, { Range: '1-2', 'Range-Unit': 'items' }, 'HEAD');
    assertStatus(response, 200);
    assert.equal(rangeOf(response), '0-4/*', 'the header content-range');
  }),
  audit(
    'REST-236',
    'Content-Range contains the range of the rows, and * for an uncounted total',
    { source },
    async (context) => {
      const { response } = await readInbox(context, { limit: '2', offset: '1' });
      assertStatus(response, 200);
      assert.equal(rangeOf(response), '1-2/*', 'the header content-range');
    },
  ),
  audit('REST-237', 'all rows, counted, respond 200', { source }, async (context) => {
    const { response } = await readInbox(context, {}, { Prefer: 'count=exact' });
    assertStatus(response, 200);
    assert.equal(rangeOf(response), '0-4/5', 'the header content-range');
  }),
  audit('REST-238', 'the Content-Range of no rows begins with *', { source }, async (context) => {
    const { response } = await readInbox(context, { status: 'eq.none' }, { Prefer: 'count=exact' });
    assertStatus(response, 200);
    assert.equal(rangeOf(response), '*/0', 'the header content-range');
  }),
  audit('REST-239', 'HEAD responds as GET does, without a body', { source }, async (context) => {
    const { response } = await readInbox(context, {}, {}, 'HEAD');
    assertStatus(response, 200);
    assert.equal(response.text, '', 'the text of the response');
    assert.equal(rangeOf(response), '0-4/*', 'the header content-range');
  }),
  audit(
    'REST-240',
    'a HEAD that fails names its error in Proxy-Status',
    { source: 'protocol/rest.md#errors', level: 'SHOULD' },
    async (context) => {
      const { ada } = await sharedInbox(context);
      const response = await context.rest.send('HEAD', '/no_such_table', { token: ada.accessToken });
      assertStatus(response, 404);
      assert.match(
        response.headers.get('proxy-status') ?? '',
        /error=PGRST205/,
        'the header proxy-status of the response',
      );
    },
  ),
  audit(
    'REST-241',
    'count=planned returns a number',
    { source: 'protocol/rest.md#counts' },
    async (context) => {
      const { response } = await readInbox(context, {}, { Prefer: 'count=planned' });
      assert.match(rangeOf(response) ?? '', /^0-4\/\d+$/, 'the header content-range');
    },
  ),
  audit(
    'REST-242',
    'count=estimated returns a number',
    { source: 'protocol/rest.md#counts' },
    async (context) => {
      const { response } = await readInbox(context, {}, { Prefer: 'count=estimated' });
      assert.match(rangeOf(response) ?? '', /^0-4\/\d+$/, 'the header content-range');
    },
  ),
  audit(
    'REST-243',
    'Preference-Applied names an applied preference',
    { source: 'protocol/rest.md#preferences', level: 'SHOULD' },
    async (context) => {
      const { response } = await readInbox(context, {}, { Prefer: 'count=exact' });
      assert.match(
        response.headers.get('preference-applied') ?? '',
        /count=exact/,
        'the header preference-applied of the response',
      );
    },
  ),
  audit(
    'REST-244',
    'the first of two equal preferences applies',
    { source: 'protocol/rest.md#preferences', level: 'SHOULD' },
    async (context) => {
      const { response } = await readInbox(context, { limit: '1' }, { Prefer: 'count=exact, count=planned' });
      assert.equal(rangeOf(response), '0-0/5', 'the header content-range');
    },
  ),
  audit(
    'REST-245',
    'strict handling refuses an unknown preference as PGRST122',
    { source: 'protocol/rest.md#preferences' },
    async (context) => {
      assertError(
        (await readInbox(context, {}, { Prefer: 'handling=strict, no-such=preference' })).response,
        400,
        'PGRST122',
      );
    },
  ),
  audit(
    'REST-246',
    'an unknown preference is ignored otherwise',
    { source: 'protocol/rest.md#preferences' },
    async (context) => {
      assert.equal(
        rowsOf((await readInbox(context, {}, { Prefer: 'no-such=preference' })).response).length,
        5,
        'the number of rows',
      );
    },
  ),
];

export const restReadingAudits: readonly Audit[] = [...shapes, ...pages];
