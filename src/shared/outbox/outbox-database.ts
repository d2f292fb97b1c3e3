/** The IndexedDB database of the outbox. */
export const outboxDatabaseName = 'inbox-outbox';
