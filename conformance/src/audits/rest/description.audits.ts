import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { NotRunError } from '../../target/target.ts';
import { assertError, assertStatus, at, type WireResponse } from '../../target/wire.ts';
import { asService } from './callers.ts';
import { describedLibrary, paged, type DescribedMembers } from './described-library.ts';
import { sharedInbox } from './inbox.ts';
import { openLibrary, serviceHeadersOf } from './library.ts';
import { requireTable } from '../../schema/product-schema.ts';

const audit = auditsOf('rest');
const since = '1.0.0';

const described: DescribedMembers = [
  [['swagger'], '2.0'],
  [['basePath'], '/'],
  [['definitions', 'muted_threads', 'type'], 'object'],
  [
    ['definitions', 'muted_threads', 'required'],
    ['user_id', 'entity_type', 'entity_id', 'created_at'],
  ],
  [
    ['definitions', 'muted_threads', 'properties', 'entity_id'],
    { description: 'Note:\nThis is a Primary Key.<pk/>', format: 'text', type: 'string' },
  ],
  [
    ['definitions', 'muted_threads', 'properties', 'muted_until'],
    { format: 'timestamp with time zone', type: 'string' },
  ],
  [
    ['definitions', 'notification_preferences', 'properties', 'email_edits'],
    { default: false, format: 'boolean', type: 'boolean' },
  ],
  [
    ['definitions', 'notification_preferences', 'properties', 'language'],
    { default: 'en', format: 'text', type: 'string' },
  ],
  [
    ['definitions', 'notification_preferences', 'properties', 'digest_hour'],
    { default: 8, format: 'int32', type: 'integer' },
  ],
  [
    ['definitions', 'notification_preferences', 'properties', 'quiet_weekdays'],
    { format: 'smallint[]', items: { type: 'integer' }, type: 'array' },
  ],
  [
    ['definitions', 'notification_bulk_changes', 'properties', 'revision'],
    { format: 'int64', type: 'integer' },
  ],
  [['paths', '/muted_threads', 'post', 'responses', '201', 'description'], 'Created'],
  [['paths', '/muted_threads', 'get', 'responses', '206', 'description'], 'Partial Content'],
  [['paths', '/muted_threads', 'delete', 'tags'], ['muted_threads']],
  [
    ['paths', '/muted_threads', 'get', 'responses', '200', 'schema'],
    { items: { $ref: '#/definitions/muted_threads' }, type: 'array' },
  ],
  [
    ['paths', '/rpc/get_invitation', 'get', 'parameters'],
    [{ format: 'text', in: 'query', name: 'token', required: true, type: 'string' }],
  ],
  [['paths', '/rpc/accept_invitation', 'get'], undefined],
  [['paths', '/rpc/create_invitation', 'post', 'parameters', '0', 'schema', 'required'], ['invitee_email']],
  [
    ['parameters', 'rowFilter.muted_threads.entity_id'],
    { name: 'entity_id', required: false, in: 'query', type: 'string' },
  ],
  [['parameters', 'body.muted_threads', 'schema', '$ref'], '#/definitions/muted_threads'],
];

/** The members that `expected` has, too: a column may have a description. */
const membersOf = (actual: unknown, expected: unknown): unknown =>
  typeof expected === 'object' && expected !== null && !Array.isArray(expected)
    ? Object.fromEntries(Object.keys(expected).map((name) => [name, at(actual, name)]))
    : actual;

/** @throws NotRunError if the service keeps its description from everybody: then each method at the root is PGRST126. */
function assertRoot(response: WireResponse): void {
  if (at(response.json, 'code') === 'PGRST126')
    throw new NotRunError('the description of the schema is switched off');
}

const hidden = 'conformance_hidden';
const schemaComment = `select obj_description('public'::regnamespace, 'pg_namespace') as comment`;

/** What the service says of its schema. */

export const restDescriptionAudits: readonly Audit[] = [
  audit(
    'REST-449',
    'the root describes the tables and functions in OpenAPI 2.0',
    { source: 'protocol/rest.md#description-of-the-schema', level: 'SHOULD', needs: ['service-key'], since },
    async (context) => {
      await requireTable(context, 'muted_threads');
      const response = await asService(context)('GET', '/');
      assertRoot(response);
      assertStatus(response, 200);
      assert.equal(
        response.headers.get('content-type'),
        'application/openapi+json; charset=utf-8',
        'the header content-type',
      );
      for (const [path, expected] of described)
        assert.deepEqual(
          membersOf(at(response.json, ...path), expected),
          expected,
          `${path.join('.')} of the response`,
        );
      const parameters = at(response.json, 'paths', '/muted_threads', 'get', 'parameters');
      const names = (parameters as readonly unknown[]).map((one) =>
        String(at(one, '$ref')).split('/').at(-1),
      );
      const filters = ['user_id', 'entity_type', 'entity_id', 'entity_name', 'muted_until', 'created_at'];
      assert.deepEqual(
        names,
        [...filters.map((column) => `rowFilter.muted_threads.${column}`), ...paged],
        'the parameters of a read',
      );
    },
  ),
  audit(
    'REST-532',
    'the description has the comments, types, keys and parameters of related tables, views and functions',
    {
      source: 'protocol/rest.md#description-of-the-schema',
      level: 'SHOULD',
      needs: ['database', 'service-key'],
      since,
    },
    async (context) => {
      await openLibrary(context);
      const response = await asService(context)('GET', '/');
      assertRoot(response);
      assertStatus(response, 200);
      for (const [path, expected] of describedLibrary)
        assert.deepEqual(at(response.json, ...path), expected, `${path.join('.')} of the response`);
      assert.deepEqual(
        [at(response.json, 'definitions', hidden), at(response.json, 'paths', `/rpc/${hidden}`)],
        [undefined, undefined],
        'the table and the function without a grant in the response',
      );
      const comment = at(await context.query(schemaComment), 0, 'comment');
      const [title, ...lines] = typeof comment === 'string' ? comment.split('\n') : [];
      const description = lines.join('\n').replace(/^\n+/, '');
      assert.deepEqual(
        [at(response.json, 'info', 'title'), at(response.json, 'info', 'description')],
        title === undefined
          ? ['PostgREST API', 'This is a dynamic API generated by PostgREST']
          : [title, description],
        'title and description of the response',
      );
      assert.match(
        String(at(response.json, 'externalDocs', 'url')),
        /^https:\/\/postgrest\.org\/en\/\w+\/references\/api\.html$/,
        'externalDocs.url of the response',
      );
    },
  ),
  audit(
    'REST-564',
    'the root has its one media type also where JSON is accepted, no body for HEAD, and refuses other types',
    { source: 'protocol/rest.md#description-of-the-schema', level: 'SHOULD', needs: ['service-key'], since },
    async (context) => {
      const send = asService(context);
      for (const Accept of ['application/json', 'application/openapi+json', 'text/csv, */*', '']) {
        const headers = { ...(Accept !== '' && { Accept }), 'Accept-Profile': 'public' };
        for (const method of ['GET', 'HEAD']) {
          const response = await send(method, '/', { headers });
          assertRoot(response);
          assertStatus(response, 200);
          assert.deepEqual(
            serviceHeadersOf(response),
            { 'content-type': 'application/openapi+json; charset=utf-8', 'content-profile': 'public' },
            `the headers of ${method} with ${Accept}`,
          );
          assert.equal(at(response.json, 'swagger'), method === 'GET' ? '2.0' : undefined, 'swagger');
        }
      }
      const refused = await send('GET', '/', { headers: { Accept: 'text/csv' } });
      assertRoot(refused);
      assertError(refused, 406, 'PGRST107');
      const message = 'None of these media types are available: text/csv';
      assert.equal(at(refused.json, 'message'), message, 'message of the response');
    },
  ),
  audit(
    'REST-434',
    'OPTIONS names the methods of a table and of the root',
    { source: 'protocol/rest.md#description-of-the-schema', level: 'SHOULD', since },
    async (context) => {
      const { ada } = await sharedInbox(context);
      for (const [path, methods] of [
        ['/muted_threads', 'OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE'],
        ['/', 'OPTIONS,GET,HEAD'],
      ] as const) {
        const response = await context.rest.send('OPTIONS', path, { token: ada.accessToken });
        assertRoot(response);
        assertStatus(response, 200);
        assert.equal(response.headers.get('allow'), methods, `the header allow of ${path}`);
      }
    },
  ),
  audit(
    'REST-544',
    'the root is read by GET and HEAD only: PGRST117 with 405, which names the method',
    { source: 'protocol/rest.md#errors', level: 'SHOULD', needs: ['service-key'], since },
    async (context) => {
      const send = asService(context);
      for (const method of ['POST', 'PATCH', 'PUT', 'DELETE']) {
        const response = await send(method, '/', { body: {} });
        assertRoot(response);
        assertError(response, 405, 'PGRST117');
        assert.equal(
          at(response.json, 'message'),
          `Unsupported HTTP method: ${method}`,
          'message of the response',
        );
      }
    },
  ),
];
