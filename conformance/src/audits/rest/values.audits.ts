import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { assertError, assertStatus, type WireRequest } from '../../target/wire.ts';
import { asService, newCaller } from './callers.ts';
import { createPreferences } from './inbox.ts';
import { rowsOf } from './notifications.ts';

const audit = auditsOf('rest');
const source = 'protocol/rest.md#selecting-columns';
const since = '1.0.0';
const preferences = '/notification_preferences';

type Texts = Readonly<Record<string, string>>;

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
const elements: readonly Audit[] = [
  audit(
    'REST-437',
    'a path into a column selects, renames, casts, filters and sorts by an element',
    { source: 'protocol/rest.md#selecting-columns', since },
    async (context) => {
      const { send } = await newWeekend(context);
      const paths: readonly (readonly [Texts, readonly object[]])[] = [
        [{ select: 'quiet_weekdays->0' }, [{ quiet_weekdays: 6 }]],
        [{ select: 'first:quiet_weekdays->0,last:quiet_weekdays->>-1' }, [{ first: 6, last: '7' }]],
        [{ select: 'second:quiet_weekdays->>1::int' }, [{ second: 7 }]],
        [{ select: 'none:quiet_weekdays->2' }, [{ none: null }]],
        [{ select: 'language', 'quiet_weekdays->>1': 'eq.7' }, [{ language: 'en' }]],
        [{ select: 'language', 'quiet_weekdays->1': 'eq.6' }, []],
        [{ select: 'language', or: '(quiet_weekdays->0.eq.6,language.eq.de)' }, [{ language: 'en' }]],
        [{ select: 'language', order: 'quiet_weekdays->>0.desc' }, [{ language: 'en' }]],
      ];
      for (const [query, expected] of paths)
        assert.deepEqual(
          rowsOf(await send('GET', preferences, { query })),
          expected,
          `the rows of ${JSON.stringify(query)}`,
        );
    },
  ),
  audit(
    'REST-438',
    'is and eq filter booleans, and a tree takes array literals with and without quotes',
    { source: 'protocol/rest.md#filters', since },
    async (context) => {
      const { send, user } = await newCaller(context);
      await createPreferences(context, user);
      const filters: readonly (readonly [Texts, number])[] = [
        [{ email_edits: 'is.false' }, 1],
        [{ email_edits: 'is.true' }, 0],
        [{ email_mentions: 'is.TRUE' }, 1],
        [{ email_mentions: 'not.is.true' }, 0],
        [{ email_mentions: 'is.unknown' }, 0],
        [{ email_mentions: 'eq.true' }, 1],
        [{ or: '(quiet_weekdays.cs.{6,7},email_edits.is.true)' }, 1],
        [{ or: '(quiet_weekdays.cd.{6,7},email_edits.is.true)' }, 0],
        [{ or: '(quiet_weekdays.ov."{1,9}",email_edits.is.true)' }, 1],
      ];
      for (const [query, expected] of filters)
        assert.equal(
          rowsOf(await send('GET', preferences, { query })).length,
          expected,
          `the number of rows of ${JSON.stringify(query)}`,
        );
    },
  ),
];

export const restValueAudits: readonly Audit[] = [...arrays, ...bigints, ...elements];
