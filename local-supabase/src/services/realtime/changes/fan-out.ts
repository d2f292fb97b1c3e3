import type { Database } from '../../../database/database.ts';
import { createChange, renderChange, renderRefusal } from './change.ts';
import type { Change } from './change.ts';
import type { ChangeAction } from '../subscription/bindings.ts';
import type { CapturedChange } from './outbox.ts';
import type { Relations } from '../subscription/relations.ts';
import type { RealtimeSettings } from '../settings.ts';
import type { Subscribed, Subscriber } from './subscribers.ts';
import { checkRows, passFilters } from './visibility.ts';
import type { RowCheck } from './visibility.ts';

/** One frame to one subscriber. */
export interface Notice {
  readonly subscriber: Subscriber;
  readonly bindingIds: readonly number[];
  readonly action: ChangeAction;
  readonly data: string;
}

export interface FanOutContext {
  readonly database: Database;
  readonly relations: Relations;
  readonly settings: () => RealtimeSettings;
}

/** The subscribers with filters that a change passes. */
interface Audience {
  readonly change: Change;
  readonly listeners: readonly Subscribed[];
  /** The index of a listener's visibility check; undefined without row-level security. */
  readonly checkOf: (listener: Subscribed) => number | undefined;
  /** The error for each role that may not read the row. */
  readonly refusals: ReadonlyMap<string, string>;
}

/**
 * Returns the notices of a batch in order. Policies are evaluated for the whole batch in one statement and against the
 * current rows, so a row that was deleted since is not visible. Rejects when a policy or a filter raises; the whole
 * batch is then lost.
 */
export async function fanOut(
  context: FanOutContext,
  batch: readonly CapturedChange[],
  listenersOf: (relation: number) => readonly Subscribed[],
): Promise<Notice[]> {
  const checks: RowCheck[] = [];
  const audiences: Audience[] = [];
  for (const captured of batch) {
    const listeners = listenersOf(captured.relation).filter(
      ({ subscription: { action } }) => action === '*' || action === captured.action,
    );
    if (listeners.length === 0) continue;
    const audience = await audienceOf(context, captured, listeners, checks);
    if (audience) audiences.push(audience);
  }
  const visible = await checkRows(context.database, checks);
  const notices: Notice[] = [];
  for (const audience of audiences) notices.push(...(await noticesOf(context, audience, visible)));
  return notices;
}

async function audienceOf(
  { database, relations, settings }: FanOutContext,
  captured: CapturedChange,
  listeners: readonly Subscribed[],
  checks: RowCheck[],
): Promise<Audience | null> {
  const relation = await relations.get(captured.relation);
  if (!relation) return null;
  const change = createChange(captured, relation, settings());
  const isDelete = change.action === 'DELETE';
  if (isDelete && relation.rowSecurity && settings().strictDelete) return null;
  const refusals = isDelete ? new Map<string, string>() : await refusalsOf(relations, change, listeners);
  const candidates = listeners.filter(({ subscription }) => !refusals.has(subscription.role));
  const passed = new Set(
    await passFilters(
      database,
      change,
      candidates.map(({ subscription }) => subscription),
    ),
  );
  const audience = listeners.filter(
    ({ subscription }) => refusals.has(subscription.role) || passed.has(subscription),
  );
  const asksPolicies = relation.rowSecurity && !isDelete;
  const keyOf = ({ subscription: { role, claims } }: Subscribed) => `${role} ${claims}`;
  /** The indexes of this change's checks within those of the batch. */
  const indexes = new Map<string, number>();
  if (asksPolicies) {
    for (const listener of audience) {
      const { role, claims } = listener.subscription;
      if (refusals.has(role) || indexes.has(keyOf(listener))) continue;
      indexes.set(keyOf(listener), checks.length);
      checks.push({ role, claims, change });
    }
  }
  return {
    change,
    listeners: audience,
    refusals,
    checkOf: (listener) => indexes.get(keyOf(listener)),
  };
}

/** Policies cannot be evaluated without a readable primary key. */
async function refusalsOf(relations: Relations, { relation }: Change, listeners: readonly Subscribed[]) {
  const keys = relation.columns.filter(({ primaryKey }) => primaryKey);
  const refusals = new Map<string, string>();
  for (const role of new Set(listeners.map(({ subscription }) => subscription.role))) {
    const readable = await relations.readableColumns(relation.oid, role);
    if (keys.length === 0) refusals.set(role, 'Error 400: Bad Request, no primary key');
    else if (!keys.every(({ name }) => readable.has(name))) refusals.set(role, 'Error 401: Unauthorized');
  }
  return refusals;
}

async function noticesOf(
  { relations }: FanOutContext,
  { change, listeners, checkOf, refusals }: Audience,
  visible: readonly boolean[],
): Promise<Notice[]> {
  const views = new Map<string, View>();
  for (const listener of listeners) {
    const { subscriber, subscription } = listener;
    const check = checkOf(listener);
    if (check !== undefined && visible[check] !== true) continue;
    const { role, bindingId } = subscription;
    const select = subscription.select?.toSorted().join() ?? '';
    const key = JSON.stringify([role, select]);
    let view = views.get(key);
    if (!view) {
      const refusal = refusals.get(role);
      const readable = await relations.readableColumns(change.relation.oid, role);
      const data = refusal
        ? renderRefusal(change, refusal)
        : renderChange(change, { readable, select: subscription.select });
      view = { role, select, data, bindings: new Map() };
      views.set(key, view);
    }
    view.bindings.set(subscriber, [...(view.bindings.get(subscriber) ?? []), bindingId]);
  }
  // The real server sends one view of a change after another, ordered by role and by selected columns.
  return [...views.values()]
    .toSorted((a, b) => compareText(a.role, b.role) || compareText(a.select, b.select))
    .flatMap(({ bindings, data }) =>
      [...bindings].map(([subscriber, bindingIds]) => ({
        subscriber,
        bindingIds,
        action: change.action,
        data,
      })),
    );
}

/** What the subscribers with one role and one selection of columns receive. */
interface View {
  readonly role: string;
  readonly select: string;
  readonly data: string;
  readonly bindings: Map<Subscriber, readonly number[]>;
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
