import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertError, assertStatus, at } from '../../target/wire.ts';
import { openLibrary, type Library } from './library.ts';

const audit = auditsOf('rest');
const source = 'protocol/rest.md#raised-errors';
const needs = ['database'] as const;
const since = '1.0.0';

interface Raised {
  readonly state: string;
  readonly message?: string;
  readonly detail?: string;
  readonly hint?: string;
}

const raise = (send: Library, raised: Raised) => send('POST', '/rpc/raise', { body: raised });

/** Statuses, and the codes of PostgreSQL whose errors have them. */
const statuses: readonly (readonly [status: number, states: readonly string[]])[] = [
  [400, ['22012', '23502', '23514', '23P01', '42703', '42704', 'P0001', '0A000', '34000']],
  [403, ['0L000', '0P000', '28000']],
  [404, ['42883', '42P01']],
  [405, ['25006']],
  [409, ['23503', '23505']],
  [
    500,
    [
      '09000',
      '21000',
      '25000',
      '2D000',
      '38000',
      '39000',
      '3B000',
      '40002',
      '42P17',
      '53400',
      '54000',
      '55000',
      '57000',
      '58000',
      'F0000',
      'HV000',
      'P0000',
      'P0002',
      'XX000',
    ],
  ],
  [503, ['08000', '53000', '57P01']],
];

const json = { code: '123', message: 'no', details: 'd', hint: 'h' };
const response = { status: 402, headers: { 'X-Conformance': '1' } };
const texts = (value: unknown) => JSON.stringify(value);

const hints = {
  message:
    "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.",
  detail:
    "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.",
};

/** Errors of the code PGRST that are not in its form: the message, the detail, and details and hint of the response. */
const malformed: readonly (readonly [
  message: string,
  detail: string | undefined,
  details: string,
  hint: string,
])[] = [
  ['no', '{}', "Invalid JSON value for MESSAGE: 'no'", hints.message],
  ['{"code":"123"}', '{}', `Invalid JSON value for MESSAGE: '{"code":"123"}'`, hints.message],
  [texts(json), undefined, 'DETAIL is missing in the RAISE statement', hints.detail],
  [texts(json), 'no', "Invalid JSON value for DETAIL: 'no'", hints.detail],
  ...[
    '[]',
    '{"status":400}',
    '{"headers":{}}',
    '{"status":"400","headers":{}}',
    '{"status":400.5,"headers":{}}',
    '{"status":400,"headers":[]}',
    '{"status":400,"headers":null}',
    '{"status":400,"headers":{"a":1}}',
    '{"status":400,"headers":{},"status_text":1}',
  ].map(
    (detail) => [texts(json), detail, `Invalid JSON value for DETAIL: '${detail}'`, hints.detail] as const,
  ),
  ...[
    '[]',
    'null',
    '{"message":"no"}',
    '{"code":1,"message":"no"}',
    '{"code":"1","message":2}',
    '{"code":"1","message":"no","details":3}',
    '{"code":"1","message":"no","hint":{}}',
  ].map((message) => [message, '{}', `Invalid JSON value for MESSAGE: '${message}'`, hints.message] as const),
];

/** Errors whose message or form of the code decides about the status. */
const byMessage: readonly (readonly [status: number, state: string, message: string])[] = [
  [401, '22023', 'role "nobody" does not exist'],
  [400, '22023', 'a role "nobody" does not exist'],
  [400, '22023', 'role "nobody" does not exist yet'],
  [400, '21000', 'UPDATE requires a WHERE clause'],
  [500, '21000', 'requires a WHERE clause, too'],
  [406, '42883', 'function xmlagg(text) does not exist'],
  [404, '42883', 'the function xmlagg(text) does not exist'],
  [401, 'PT401', 'raised'],
  [500, 'PTABC', 'raised'],
  [401, '42501', 'raised'],
];

/** What becomes of the errors that a function raises. */
export const restRaisedErrorAudits: readonly Audit[] = [
  audit(
    'REST-519',
    "the status of an error follows from the class of PostgreSQL's code",
    { source, needs, since },
    async (context) => {
      const send = await openLibrary(context);
      for (const [status, states] of statuses)
        for (const state of states) assertError(await raise(send, { state }), status, state);
    },
  ),
  audit(
    'REST-558',
    'the message decides about the status of 21000, 22023 and 42883, and each 401 asks to sign in',
    { source, level: 'SHOULD', needs, since },
    async (context) => {
      const send = await openLibrary(context);
      for (const [status, state, message] of byMessage) {
        const raised = await raise(send, { state, message });
        assertError(raised, status, state);
        assert.equal(
          raised.headers.get('www-authenticate'),
          status === 401 ? 'Bearer' : null,
          `the header www-authenticate of ${message}`,
        );
      }
    },
  ),
  audit(
    'REST-520',
    'PTxyz sets the status, and message, details and hint of an error are those that were raised',
    { source, needs, since },
    async (context) => {
      const send = await openLibrary(context);
      for (const [state, status] of [
        ['PT402', 402],
        ['PT503', 503],
        ['P0001', 400],
      ] as const) {
        const raised = await raise(send, { state, message: 'what', detail: 'why', hint: 'how' });
        assertError(raised, status, state);
        assert.deepEqual(
          raised.json,
          { code: state, message: 'what', details: 'why', hint: 'how' },
          `the response to ${state}`,
        );
      }
      const bare = await raise(send, { state: 'PT400' });
      assert.deepEqual(
        bare.json,
        { code: 'PT400', message: 'raised', details: null, hint: null },
        'the response without detail',
      );
    },
  ),
  audit(
    'REST-521',
    'the code PGRST sets the whole response: its status, its headers and its body',
    { source, needs, since },
    async (context) => {
      const send = await openLibrary(context);
      const whole = await raise(send, { state: 'PGRST', message: texts(json), detail: texts(response) });
      assertStatus(whole, 402);
      assert.deepEqual(whole.json, json, 'the response');
      assert.equal(whole.headers.get('x-conformance'), '1', 'the header x-conformance');
      const short = await raise(send, {
        state: 'PGRST',
        message: '{"code":"456","message":"no","details":null,"hint":null}',
        detail: '{"status":401,"headers":{},"status_text":"No"}',
      });
      assertStatus(short, 401);
      assert.deepEqual(
        short.json,
        { code: '456', message: 'no', details: null, hint: null },
        'the response without details',
      );
      assert.equal(short.headers.get('www-authenticate'), null, 'the header www-authenticate');
    },
  ),
  audit(
    'REST-522',
    'an error of the code PGRST in another form is PGRST121 with 500, and says what is missing',
    { source, level: 'SHOULD', needs, since },
    async (context) => {
      const send = await openLibrary(context);
      for (const [message, detail, details, hint] of malformed) {
        const refused = await raise(send, {
          state: 'PGRST',
          message,
          ...(detail !== undefined && { detail }),
        });
        assertError(refused, 500, 'PGRST121');
        assert.deepEqual(
          ['message', 'details', 'hint'].map((member) => at(refused.json, member)),
          [`Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`, details, hint],
          `message, details and hint of ${message}`,
        );
      }
    },
  ),
];
