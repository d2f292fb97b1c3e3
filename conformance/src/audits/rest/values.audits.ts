import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { assertError, assertStatus, type WireRequest } from '../../target/wire.ts';
import { asService, newCaller } from './callers.ts';
import { createPreferences } from './inbox.ts';
import { rowsOf } from './notifications.ts';

const audit = auditsOf('rest');
const source = 'protocol/rest.md#selecting-columns';
const preferences = '/notification_preferences';

/** A new user with `[6, 7]` in the array column `quiet_weekdays`. */
async function newWeekend(context: AuditContext) {
  const caller = await newCaller(context);
  await createPreferences(context, caller.user);
  const changed = await caller.send('PATCH', preferences, {
    query: caller.mine,
    body: { quiet_weekdays: [6, 7] },
  });
  assertStatus(changed, 204);
  const read = (filter: string) =>
    caller.send('GET', preferences, { query: { select: 'quiet_weekdays', quiet_weekdays: filter } });
  return { ...caller, read };
}

const arrayFilters = [
  ['REST-342', 'cs selects arrays that contain every element', 'cs.{6}', 'cs.{5,6}'],
  ['REST-343', 'cd selects arrays without other elements', 'cd.{5,6,7}', 'cd.{6}'],
  ['REST-344', 'ov selects arrays that share an element', 'ov.{1,6}', 'ov.{1,2}'],
  ['REST-345', 'cs.{} selects every array, and ov.{} none', 'cs.{}', 'ov.{}'],
] as const;

const arrays: readonly Audit[] = [
  audit(
    'REST-341',
    'an array column is written from and read as a JSON array',
    { source },
    async (context) => {
      const { send } = await newWeekend(context);
      const response = await send('GET', preferences, { query: { select: 'quiet_weekdays' } });
      assert.deepEqual(rowsOf(response), [{ quiet_weekdays: [6, 7] }], 'the rows of the response');
    },
  ),
  ...arrayFilters.map(([id, title, matching, other]) =>
    audit(id, title, { source: 'protocol/rest.md#filters' }, async (context) => {
      const { read } = await newWeekend(context);
      assert.deepEqual(rowsOf(await read(matching)), [{ quiet_weekdays: [6, 7] }], 'the rows');
      assert.deepEqual(rowsOf(await read(other)), [], 'the rows');
    }),
  ),
  audit(
    'REST-346',
    'a malformed array in a filter is refused as 22P02',
    { source: 'protocol/rest.md#filters' },
    async (context) => {
      const { read } = await newWeekend(context);
      assertError(await read('cs.{6'), 400, '22P02');
    },
  ),
];

/** The next integer after 2^53, which a double cannot represent. */
const INEXACT = '9007199254740993';
const NEIGHBOR = '9007199254740992';
const LARGEST = '9223372036854775807';
const BEYOND = '9223372036854775808';

/** A row with a bigint, and a function that sends requests with the service key. */
async function newBigint(context: AuditContext) {
  const { id } = await context.newUser();
  const service = asService(context);
  const send = (method: string, request: WireRequest) =>
    service(method, '/notification_bulk_changes', request);
  const read = (filter: string) =>
    send('GET', { query: { select: 'revision', user_id: `eq.${id}`, revision: filter } });
  const inserted = await send('POST', {
    query: { select: 'revision' },
    body: `{"user_id":"${id}","revision":${INEXACT}}`,
    headers: { Prefer: 'return=representation' },
  });
  assertStatus(inserted, 201);
  return { id, send, read, inserted };
}

const bigints: readonly Audit[] = [
  audit(
    'REST-350',
    'an insert stores and returns a bigint beyond 2^53 exactly',
    { source, needs: ['service-key'] },
    async (context) => {
      const { inserted } = await newBigint(context);
      assert.equal(inserted.text, `[{"revision":${INEXACT}}]`, 'the text of the inserted row');
    },
  ),
  audit(
    'REST-351',
    'a filter compares a bigint beyond 2^53 exactly',
    { source: 'protocol/rest.md#filters', needs: ['service-key'] },
    async (context) => {
      const { read } = await newBigint(context);
      assert.equal((await read(`eq.${INEXACT}`)).text, `[{"revision":${INEXACT}}]`, 'the text of the read');
      assert.equal(
        (await read(`in.(1,${INEXACT})`)).text,
        `[{"revision":${INEXACT}}]`,
        'the text of the read',
      );
      assert.deepEqual(rowsOf(await read(`eq.${NEIGHBOR}`)), [], 'the rows');
    },
  ),
  audit(
    'REST-352',
    'an update stores and returns the largest bigint exactly',
    { source, needs: ['service-key'] },
    async (context) => {
      const { id, send, read } = await newBigint(context);
      const updated = await send('PATCH', {
        query: { select: 'revision', user_id: `eq.${id}` },
        body: `{"revision":${LARGEST}}`,
        headers: { Prefer: 'return=representation' },
      });
      assert.equal(updated.text, `[{"revision":${LARGEST}}]`, 'the text of the updated row');
      assert.equal((await read(`eq.${LARGEST}`)).text, `[{"revision":${LARGEST}}]`, 'the text of the read');
    },
  ),
  audit(
    'REST-353',
    'a number beyond bigint in a filter is refused as 22003',
    { source: 'protocol/rest.md#filters', needs: ['service-key'] },
    async (context) => {
      const { read } = await newBigint(context);
      assertError(await read(`eq.${BEYOND}`), 400, '22003');
    },
  ),
];

/** Values that JSON or SQL represents differently from JavaScript. */
export const restValueAudits: readonly Audit[] = [...arrays, ...bigints];
