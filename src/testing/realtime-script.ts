import type { Socket } from '../platform/platform.ts';

/** A change of a row, as a test emits it. */
export interface EmittedChange {
  /** Kind of the change. */
  readonly type: 'INSERT' | 'UPDATE' | 'DELETE';
  /** Name of the table. */
  readonly table: string;
  /** Name of the schema. Default: `public`. */
  readonly schema?: string;
  /** The row after the change; of an INSERT or UPDATE. */
  readonly record?: Readonly<Record<string, unknown>>;
  /** The row before the change: of a DELETE or UPDATE, the columns of the primary key at least. */
  readonly oldRecord?: Readonly<Record<string, unknown>>;
}

interface Binding {
  readonly id: number;
  readonly event: string;
  readonly schema: string;
  readonly table?: string;
  readonly filter?: string;
}

type Frame = readonly [
  joinRef: string | null,
  ref: string,
  topic: string,
  event: string,
  payload: JoinPayload,
];
interface JoinPayload {
  readonly config?: { readonly postgres_changes?: readonly Omit<Binding, 'id'>[] };
}

/** The server's side of the websocket (Phoenix, serializer 2.0.0): it accepts every join, and sends what a test emits. */
export function createRealtimeScript(nowMs: () => number) {
  const topics = new Map<string, { readonly socket: Socket; readonly bindings: readonly Binding[] }>();
  let lastId = 0;

  const receive = (socket: Socket, data: string | Uint8Array<ArrayBuffer>) => {
    if (typeof data !== 'string') return;
    const [joinRef, ref, topic, event, payload] = JSON.parse(data) as Frame;
    const reply = (response: object) =>
      send(socket, [joinRef, ref, topic, 'phx_reply', { status: 'ok', response }]);
    if (event === 'phx_join') {
      const bindings = (payload.config?.postgres_changes ?? []).map((sent) => {
        lastId += 1;
        return Object.assign(sent, { id: lastId });
      });
      topics.set(topic, { socket, bindings });
      reply({ postgres_changes: bindings });
      const subscribed = { extension: 'postgres_changes', status: 'ok', message: 'Subscribed to PostgreSQL' };
      if (bindings.length > 0) send(socket, [joinRef, null, topic, 'system', subscribed]);
    } else if (event !== 'access_token') {
      if (event === 'phx_leave') topics.delete(topic);
      reply({});
    }
  };

  return {
    /** `openSocket` of a platform. */
    openSocket(_url: string): Socket {
      let isClosed = false;
      const socket: Socket = {
        bufferedAmount: 0,
        onOpen: null,
        onMessage: null,
        onClose: null,
        send: (data) => receive(socket, data),
        close(code = 1000, reason = '') {
          if (isClosed) return;
          isClosed = true;
          for (const [topic, joined] of topics) if (joined.socket === socket) topics.delete(topic);
          queueMicrotask(() => socket.onClose?.({ code, reason, wasClean: true }));
        },
      };
      queueMicrotask(() => isClosed || socket.onOpen?.());
      return socket;
    },
    /** Sends a change to each channel that listens to it. */
    emit(change: EmittedChange): void {
      const data = changeData(change, nowMs());
      for (const [topic, { socket, bindings }] of topics) {
        const ids = bindings.filter((binding) => isConcerned(binding, change)).map(({ id }) => id);
        if (ids.length > 0) send(socket, [null, null, topic, 'postgres_changes', { ids, data }]);
      }
    },
  };
}

function changeData(
  { type, table, schema = 'public', record, oldRecord }: EmittedChange,
  committedAtMs: number,
): object {
  return {
    type,
    schema,
    table,
    commit_timestamp: new Date(committedAtMs).toISOString(),
    columns: Object.entries(record ?? oldRecord ?? {}).map(([name, value]) => ({
      name,
      type: columnType(value),
    })),
    errors: null,
    ...(record && { record }),
    ...(oldRecord && { old_record: oldRecord }),
  };
}

function isConcerned(
  binding: Binding,
  { type, table, schema = 'public', record, oldRecord }: EmittedChange,
): boolean {
  return (
    (binding.event === '*' || binding.event === type) &&
    binding.schema === schema &&
    (binding.table === undefined || binding.table === '*' || binding.table === table) &&
    // The service does not filter deletions.
    (type === 'DELETE' || passesFilter(record ?? oldRecord ?? {}, binding.filter))
  );
}

function send(socket: Socket, frame: readonly unknown[]): void {
  queueMicrotask(() => socket.onMessage?.(JSON.stringify(frame)));
}

/** @throws {Error} for an operator other than `eq` and `neq`: a test must not rely on a filter that is not applied. */
function passesFilter(row: Readonly<Record<string, unknown>>, filter: string | undefined): boolean {
  if (!filter) return true;
  const [, column = '', operator = '', value = ''] = /^(.*?)=(\w+)\.(.*)$/s.exec(filter) ?? [];
  if (operator !== 'eq' && operator !== 'neq')
    throw new Error(`The test channel applies the filters eq and neq only, not ${filter}`);
  return (String(row[column]) === value) === (operator === 'eq');
}

function columnType(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'int8' : 'float8';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'object' && value !== null ? 'jsonb' : 'text';
}
