import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertError, assertStatus, at } from '../../target/wire.ts';
import { newCaller } from './callers.ts';
import { newThreads, readInbox, sharedInbox } from './inbox.ts';
import { rowsOf } from './notifications.ts';

const audit = auditsOf('rest');
const since = '1.0.0';

type Texts = Readonly<Record<string, string>>;

const object = 'application/vnd.pgrst.object';
const array = 'application/vnd.pgrst.array';

/** Values of Accept, and the media type of their responses. */
const accepted: readonly (readonly [string, string])[] = [
  ['*/*', 'application/json; charset=utf-8'],
  [array, 'application/json; charset=utf-8'],
  [`${array}+json`, 'application/json; charset=utf-8'],
  [`${array}+json;nulls=stripped`, `${array}+json;nulls=stripped; charset=utf-8`],
  [object, `${object}+json; charset=utf-8`],
  [`${object}+json;nulls=stripped`, `${object}+json;nulls=stripped; charset=utf-8`],
  ['text/csv', 'text/csv; charset=utf-8'],
  ['application/x-nothing, text/csv', 'text/csv; charset=utf-8'],
  ['text/csv;q=0.5, application/json', 'application/json; charset=utf-8'],
  ['application/json;q=0.5, text/csv;q=0.9', 'text/csv; charset=utf-8'],
  ['*/*, text/csv', 'text/csv; charset=utf-8'],
  ['TEXT/CSV', 'text/csv; charset=utf-8'],
  ['text/csv; charset=utf-8', 'text/csv; charset=utf-8'],
  ['text/csv ; q=0.1, application/json ; q=0.2', 'application/json; charset=utf-8'],
  ['application/json;q=0.2, text/csv;q=1', 'text/csv; charset=utf-8'],
  ['text/csv;q=0.25, application/json;q=0.3', 'application/json; charset=utf-8'],
  ['text/csv;q=high, application/json;q=0.9', 'text/csv; charset=utf-8'],
  ['application/json, text/csv;header=present', 'text/csv; charset=utf-8'],
  [`${object}+json; nulls="stripped"`, `${object}+json;nulls=stripped; charset=utf-8`],
  [`${object}+json; other=x; nulls=stripped`, `${object}+json;nulls=stripped; charset=utf-8`],
  [`${object};nulls=kept`, `${object}+json; charset=utf-8`],
  [`${array};nulls=stripped`, `${array}+json;nulls=stripped; charset=utf-8`],
  [`${array};nulls=kept`, 'application/json; charset=utf-8'],
];

const plan = 'application/vnd.pgrst.plan+json';
const unavailable = ['text/plain', 'application/octet-stream', plan];

/** Media types, profiles, and the preferences of a read. */
export const restNegotiationAudits: readonly Audit[] = [
  audit(
    'REST-439',
    'the response has the best media type of Accept that the server has, and names it in Content-Type',
    { source: 'protocol/rest.md#media-types', since },
    async (context) => {
      for (const [accept, type] of accepted) {
        const { response } = await readInbox(context, { limit: '1' }, { Accept: accept });
        assertStatus(response, 200);
        assert.equal(response.headers.get('content-type'), type, `the header content-type of ${accept}`);
      }
    },
  ),
  audit(
    'REST-440',
    'a plan and types that tables do not have are refused as PGRST107, which names them',
    { source: 'protocol/rest.md#media-types', level: 'SHOULD', since },
    async (context) => {
      for (const accept of unavailable) {
        const { response } = await readInbox(context, {}, { Accept: accept });
        // Another audit may have switched plans on meanwhile, or the project.
        if (accept === plan && response.status === 200) continue;
        assertError(response, 406, 'PGRST107');
        const [type = ''] = accept.split('+');
        assert.ok(String(at(response.json, 'message')).includes(type), `the message names ${type}`);
      }
    },
  ),
  audit(
    'REST-441',
    'Content-Profile names the schema that a request chose, and the header of the other methods chooses none',
    { source: 'protocol/rest.md#schemas', since },
    async (context) => {
      const chosen = await readInbox(context, {}, { 'Accept-Profile': 'public' });
      assert.equal(chosen.response.headers.get('content-profile'), 'public', 'the header content-profile');
      const other = await readInbox(context, {}, { 'Content-Profile': 'no_such_schema' });
      assertStatus(other.response, 200);
      const { send, user } = await newCaller(context);
      const headers = {
        'Accept-Profile': 'no_such_schema',
        'Content-Profile': 'public',
        Prefer: 'return=representation',
      };
      const inserted = await send('POST', '/notification_preferences', {
        body: { user_id: user.id },
        headers,
      });
      assertStatus(inserted, 201);
      assert.equal(inserted.headers.get('content-profile'), 'public', 'the header content-profile');
      const refused = await readInbox(context, {}, { 'Accept-Profile': 'no_such_schema' });
      const hint = String(at(refused.response.json, 'hint'));
      assert.match(
        hint,
        /^Only the following schemas are exposed: (?:[^,]+, )*public(?:, [^,]+)*$/,
        'the hint',
      );
      assert.equal(at(refused.response.json, 'message'), 'Invalid schema: no_such_schema', 'the message');
      const [first, ...others] = hint.replace(/^.*: /, '').split(', ');
      const unnamed = await readInbox(context);
      assert.equal(
        unnamed.response.headers.get('content-profile'),
        others.length === 0 ? null : first,
        'the header content-profile without a chosen schema',
      );
    },
  ),
  audit(
    'REST-442',
    'Content-Location is the path of a read with its parameters in the order of their names',
    { source: 'protocol/rest.md#order-and-ranges', level: 'SHOULD', since },
    async (context) => {
      for (const method of ['GET', 'HEAD']) {
        const { response } = await readInbox(context, { select: 'id,status', limit: '1' }, {}, method);
        assert.equal(
          response.headers.get('content-location'),
          '/notifications?limit=1&order=created_at.asc&select=id%2Cstatus',
          `the header content-location of ${method}`,
        );
      }
    },
  ),
  audit(
    'REST-533',
    'Content-Location joins repeated parameters with commas, and has those without a value',
    { source: 'protocol/rest.md#order-and-ranges', level: 'SHOULD', since },
    async (context) => {
      const { ada } = await sharedInbox(context);
      const path =
        "/notifications?status=neq.read&select=id&limit&status=neq.archived&content=neq.a-_~!'()*%2F%20b";
      const response = await context.rest.send('GET', path, { token: ada.accessToken });
      assertStatus(response, 200);
      assert.equal(
        response.headers.get('content-location'),
        '/notifications?content=neq.a-_~%21%27%28%29%2A%2F%20b&limit=&select=id&status=neq.read,neq.archived',
        'the header content-location',
      );
    },
  ),
  audit(
    'REST-443',
    'the preference timezone converts the times of the response',
    { source: 'protocol/rest.md#preferences', since },
    async (context) => {
      const query = { select: 'created_at', limit: '1' };
      const timeOf = async (headers: Texts) => {
        const { response } = await readInbox(context, query, headers);
        return { response, text: String(at(rowsOf(response)[0], 'created_at')) };
      };
      const plain = await timeOf({});
      const { response, text } = await timeOf({ Prefer: 'timezone=Asia/Tokyo' });
      assert.match(text, /\+09:00$/, 'created_at of the row');
      assert.equal(Date.parse(text), Date.parse(plain.text), 'the time of the row');
      assert.equal(
        response.headers.get('preference-applied'),
        'timezone=Asia/Tokyo',
        'the header preference-applied',
      );
    },
  ),
  audit(
    'REST-444',
    'a strict refusal names every unknown preference, and strict handling of known ones refuses nothing',
    { source: 'protocol/rest.md#preferences', since },
    async (context) => {
      const refused = await readInbox(
        context,
        {},
        { Prefer: 'handling=strict, first=1, count=exact, second' },
      );
      assertError(refused.response, 400, 'PGRST122');
      assert.match(
        String(at(refused.response.json, 'details')),
        /: first=1, second$/,
        'details of the response',
      );
      const { response } = await readInbox(context, {}, { Prefer: 'handling=strict,  count=exact ' });
      assertStatus(response, 200);
      assert.equal(
        response.headers.get('preference-applied'),
        'count=exact, handling=strict',
        'the header preference-applied',
      );
    },
  ),
  audit(
    'REST-436',
    'CSV has a line of names, an empty field for null and quotes where a value needs them',
    { source: 'protocol/rest.md#media-types', since },
    async (context) => {
      const threads = await newThreads(context);
      const query = { select: 'entity_id,entity_name', order: 'entity_id' };
      const response = await threads(query, { Accept: 'text/csv' });
      assertStatus(response, 200);
      assert.deepEqual(
        response.text.split('\n'),
        ['entity_id,entity_name', 'a,a', 'b,"say ""b"", c"', 'n,'],
        'the lines of the response',
      );
    },
  ),
];
