import type { DatabaseBroadcast } from '../../src/realtime-client/broadcast/database-broadcast.ts';
import type { PostgresChanges } from '../../src/realtime-client/changes/postgres-changes.ts';
import type { SampleDatabase } from '../rest-client/support/sample-database.ts';

declare const changes: PostgresChanges<SampleDatabase>;
declare const broadcasts: DatabaseBroadcast;
type Note = SampleDatabase['public']['Tables']['notes']['Row'];

// The event that is named narrows the change.
changes.on({ event: 'INSERT', table: 'notes' }, ({ record }): Note => record);
changes.on({ event: 'DELETE', table: 'notes' }, ({ oldRecord }): Partial<Note> => oldRecord);
changes.on({ event: ['INSERT', 'UPDATE'], table: 'notes' }, ({ record }): Note => record);
changes.onChanges<Note, 'UPDATE'>({ event: 'UPDATE', table: 'notes' }, (rows) =>
  rows.map(({ record, oldRecord }) => [record.title, oldRecord.title]),
);
broadcasts.onChanges({ event: ['INSERT'], table: 'notes' }, (rows) => rows.map(({ record }) => record));
// @ts-expect-error an inserted row has no earlier one
changes.on({ event: 'INSERT', table: 'notes' }, ({ oldRecord }) => oldRecord);
// @ts-expect-error a deleted row has no record
changes.on({ event: ['INSERT', 'DELETE'], table: 'notes' }, ({ record }) => record);
// @ts-expect-error any change
changes.on({ event: '*', table: 'notes' }, ({ record }) => record);
// @ts-expect-error any change
changes.on({ table: 'notes' }, ({ record }) => record);
// @ts-expect-error no such event
changes.on({ event: 'insert', table: 'notes' }, () => undefined);
declare const event: 'INSERT' | 'DELETE';
changes.on({ event, table: 'notes' }, (change) => (change.type === 'INSERT' ? change.record.id : null));
