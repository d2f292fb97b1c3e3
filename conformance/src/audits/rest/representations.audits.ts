import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertError, assertStatus, at } from '../../target/wire.ts';
import { NotRunError } from '../../target/target.ts';
import { openLibrary } from './library.ts';
import { newReader, thread, threads } from './threads.ts';

const audit = auditsOf('rest');
const needs = ['database'] as const;
const since = '1.0.0';
const type = 'text/x-conformance';

/** Content types of a body of JSON. */
const acceptedBodies = [
  'application/json',
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'application/vnd.pgrst.array+json',
];

const refusedBodies = [
  'text/plain',
  'text/xml',
  'application/octet-stream',
  'application/vnd.pgrst.object+json',
  'multipart/form-data',
];

/** Forms of values and bodies that a database defines, and the content types of bodies. */
export const restRepresentationAudits: readonly Audit[] = [
  audit(
    'REST-540',
    'casts of a domain convert its values in responses, filters and bodies',
    { source: 'protocol/rest.md#representations', needs, since },
    async (context) => {
      const send = await openLibrary(context);
      const headers = { Prefer: 'return=representation' };
      const [id, other] = [crypto.randomUUID(), crypto.randomUUID()];
      const inserted = await send('POST', '/paints', {
        body: [
          { id, name: 'red', color: '#ff0000' },
          { id: other, name: 'none', color: null },
        ],
        query: { select: 'name,color' },
        headers,
      });
      assertStatus(inserted, 201);
      const rows = [
        { name: 'red', color: '#ff0000' },
        { name: 'none', color: null },
      ];
      assert.deepEqual(inserted.json, rows, 'the inserted rows');
      const reads: readonly (readonly [search: string, rows: unknown])[] = [
        ['select=*', [{ id, ...rows[0] }]],
        ['select=shade:color&color=eq.%23ff0000', [{ shade: '#ff0000' }]],
        ['select=name&color=in.(%23ff0000,%2300ff00)', [{ name: 'red' }]],
        ['select=name&color=neq.%23ff0000', []],
        ['select=name&or=(color.eq.%23ff0000,name.eq.x)', [{ name: 'red' }]],
      ];
      for (const [search, expected] of reads) {
        const response = await send('GET', `/paints?id=eq.${id}&${search}`);
        assertStatus(response, 200);
        assert.deepEqual(response.json, expected, `the rows of ${search}`);
      }
      const updated = await send('PATCH', '/paints', {
        query: { id: `eq.${id}`, color: 'eq.#ff0000', select: 'color' },
        body: { color: '#0000ff' },
        headers,
      });
      assert.deepEqual(updated.json, [{ color: '#0000ff' }], 'the updated row');
      assertStatus(await send('DELETE', '/paints', { query: { id: `in.(${id},${other})` } }), 204);
    },
  ),
  audit(
    'REST-541',
    'a function that returns a domain of a media type responds with it where it is accepted',
    { source: 'protocol/rest.md#representations', needs, since },
    async (context) => {
      const send = await openLibrary(context);
      const page = await send('GET', '/rpc/page', { headers: { Accept: type } });
      assertStatus(page, 200);
      assert.equal(page.text, 'a page', 'the text of the response');
      assert.equal(page.headers.get('content-type'), type, 'the header content-type');
      const json = await send('GET', '/rpc/page', { headers: { Accept: 'application/json' } });
      assertStatus(json, 200);
      assert.equal(json.text, '"a page"', 'the text of the response');
      assertError(await send('GET', '/rpc/add?a=1', { headers: { Accept: type } }), 406, 'PGRST107');
    },
  ),
  audit(
    'REST-567',
    'a function that returns a domain of bytes responds with the bytes, also beside types that it lacks',
    { source: 'protocol/rest.md#representations', needs, since },
    async (context) => {
      const send = await openLibrary(context);
      const picture = 'image/x-conformance';
      for (const accept of [
        picture,
        `${picture}, */*`,
        `text/html,application/xml;q=0.9,${picture},*/*;q=0.8`,
      ]) {
        const response = await send('GET', '/rpc/picture', { headers: { Accept: accept } });
        assertStatus(response, 200);
        assert.deepEqual(
          [response.text, response.headers.get('content-type')],
          ['AB\0C', picture],
          'the text and the type of the response',
        );
      }
    },
  ),
  audit(
    'REST-542',
    'an aggregate of a media type makes the body of whole rows of its table',
    { source: 'protocol/rest.md#representations', needs, since },
    async (context) => {
      const send = await openLibrary(context);
      const headers = { Accept: `application/x-nothing, ${type}` };
      const whole = await send('GET', '/books?order=id&id=lt.3', { headers });
      assertStatus(whole, 200);
      assert.equal(whole.text, 'Notes;Engines;', 'the text of the response');
      assert.equal(whole.headers.get('content-type'), type, 'the header content-type');
      for (const search of ['/books?select=title', '/books?select=*,conformance_authors(*)', '/authors'])
        assertError(await send('GET', search, { headers }), 406, 'PGRST107');
    },
  ),
  audit(
    'REST-543',
    'a body of rows is JSON, in any case of letters and with a charset; another type is refused with its name',
    { source: 'protocol/rest.md#inserts-and-upserts', since },
    async (context) => {
      const { send, stored } = await newReader(context);
      for (const [index, accepted] of acceptedBodies.entries()) {
        const body = JSON.stringify([thread(`t-${index}`)]);
        const response = await send('POST', threads, { body, headers: { 'Content-Type': accepted } });
        assertStatus(response, 201);
      }
      for (const refused of refusedBodies) {
        const body = JSON.stringify([thread('refused')]);
        const response = await send('POST', threads, { body, headers: { 'Content-Type': refused } });
        assertError(response, 400, 'PGRST102');
        assert.equal(
          at(response.json, 'message'),
          `Content-Type not acceptable: ${refused}`,
          'message of the response',
        );
      }
      assert.deepEqual(
        await stored(),
        Object.fromEntries(acceptedBodies.map((_type, index) => [`t-${index}`, null])),
        'the rows',
      );
    },
  ),
  audit(
    'REST-560',
    'GeoJSON is made by PostGIS: without it the request is refused as 42883',
    { source: 'protocol/rest.md#media-types', level: 'SHOULD', needs, since },
    async (context) => {
      const send = await openLibrary(context);
      const installed = await context.query(`select from pg_proc where proname = 'st_asgeojson'`);
      if ((installed as readonly unknown[]).length > 0) throw new NotRunError('the project has PostGIS');
      const response = await send('GET', '/books', { headers: { Accept: 'application/geo+json' } });
      assertError(response, 404, '42883');
      assert.match(String(at(response.json, 'message')), /^function st_asgeojson\(/, 'the message');
    },
  ),
  audit(
    'REST-561',
    'a text that is not UTF-8 and a negative limit of a relation are refused, and the next request is not',
    { source: 'protocol/rest.md#errors', level: 'SHOULD', needs, since },
    async (context) => {
      const send = await openLibrary(context);
      for (const path of [
        '/books?title=eq.%FF',
        '/books?%FF=eq.1',
        '/authors?select=id,conformance_books(id)&conformance_books.limit=-1',
      ]) {
        const response = await send('GET', path);
        assert.ok(response.status >= 400, `the response to ${path} is a refusal`, String(response.status));
        assertStatus(await send('GET', '/books'), 200);
      }
    },
  ),
  audit(
    'REST-545',
    'a path of more than one name is refused as PGRST125 with 404, unless it begins with rpc',
    { source: 'protocol/rest.md#errors', level: 'SHOULD', since },
    async ({ rest }) => {
      for (const path of ['/notifications/1', '/rpc/get_invitation/1', '/rpcs/get_invitation'])
        assertError(await rest.send('GET', path), 404, 'PGRST125');
    },
  ),
];
