import { auditsOf, type Audit, type AuditLevel } from '../../audit/audit.ts';
import { assertError } from '../../target/wire.ts';
import { withSettingsUnchanged } from './setting-window.ts';
import { sharedInbox } from './inbox.ts';

const audit = auditsOf('rest');

/** Invalid queries: id, title, query, status, code, level. */
const refusals: readonly (readonly [string, string, Record<string, string>, number, string, AuditLevel?])[] =
  [
    ['REST-190', 'an empty tree is refused as PGRST100', { or: '()' }, 400, 'PGRST100'],
    ['REST-191', 'an unknown operator is refused as PGRST100', { status: 'resembles.read' }, 400, 'PGRST100'],
    [
      'REST-192',
      'any on an operator without modifiers is refused as PGRST100',
      { status: 'neq(any).{read}' },
      400,
      'PGRST100',
    ],
    ['REST-193', 'a filter without an operator is refused as PGRST100', { status: 'read' }, 400, 'PGRST100'],
    [
      'REST-194',
      'an unknown direction of an order is refused as PGRST100',
      { order: 'created_at.sideways' },
      400,
      'PGRST100',
    ],
    [
      'REST-195',
      'an order by an unknown column is refused as 42703',
      { order: 'no_such_column' },
      400,
      '42703',
    ],
    [
      'REST-196',
      'a filter on an unknown column is refused as 42703',
      { no_such_column: 'eq.1' },
      400,
      '42703',
    ],
    [
      'REST-197',
      'an embedding without a relationship is refused as PGRST200',
      { select: 'id,no_such_table(*)' },
      400,
      'PGRST200',
    ],
    ['REST-198', 'an unterminated select is refused as PGRST100', { select: 'id,other(' }, 400, 'PGRST100'],
    ['REST-199', 'a negative limit is refused as PGRST103', { limit: '-1' }, 416, 'PGRST103'],
    ['REST-200', 'is accepts only its keywords as values', { status: 'is.read' }, 400, 'PGRST100'],
    ['REST-201', 'an invalid regular expression is refused as 2201B', { status: 'match.(' }, 400, '2201B'],
    [
      'REST-202',
      'an operator that the type lacks is refused as 42883',
      { status: 'cs.{a}' },
      404,
      '42883',
      'SHOULD',
    ],
    [
      'REST-203',
      'a time that does not exist is refused as 22008',
      { created_at: 'gt.2026-13-45' },
      400,
      '22008',
    ],
    ['REST-204', 'an invalid time is refused as 22007', { created_at: 'gt.whenever' }, 400, '22007'],
    [
      'REST-205',
      'aggregates are refused as PGRST123 unless they were switched on',
      { select: 'count()' },
      400,
      'PGRST123',
      'SHOULD',
    ],
  ];

export const restRefusalAudits: readonly Audit[] = refusals.map(
  ([id, title, query, code, error, level = 'MUST']) =>
    audit(id, title, { source: 'protocol/rest.md#errors', level }, async (context) => {
      const { ada } = await sharedInbox(context);
      const read = () => context.rest.send('GET', '/notifications', { token: ada.accessToken, query });
      assertError(
        error === 'PGRST123' ? await withSettingsUnchanged(context, read) : await read(),
        code,
        error,
      );
    }),
);
