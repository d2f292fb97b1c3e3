import type { Unsubscribe } from '../../platform/platform.ts';
import type { ChannelPort } from '../channel/channel.ts';
import type { Binding, Change, ChangeType, RowRecord } from '../protocol/change.ts';
import { mergeRows } from './merged-rows.ts';

/** One type of changes, all of them, or several. */
export type ChangeEvents = ChangeType | '*' | readonly ChangeType[];

/** Which changes a listener receives, and how their rows are parsed. */
export interface ChangeBinding<Row = RowRecord, Event extends ChangeEvents = ChangeEvents> extends Omit<
  Binding,
  'event'
> {
  /**
   * Default `*`: all types. Several types become one binding each; their changes reach the listener in order. The listener's changes
   * have the types that are named here.
   */
  readonly event?: Event;
  /** Columns that identify a row, by which `onChanges` merges the changes of a frame. Default `['id']`. */
  readonly primaryKey?: readonly string[];
  /**
   * Validates a record, see `createRowParser`. A record for which it throws is not delivered: the error is reported,
   * and `onContinuity` announces a loss with the reason `invalid`. Default: no validation.
   */
  readonly parseRow?: (record: RowRecord) => Row;
}

interface RowOptions<Row> {
  /** Columns that identify a row; null to deliver each change instead of at most one per row. */
  readonly primaryKey: readonly string[] | null;
  readonly parseRow?: ((record: RowRecord) => Row) | undefined;
}

/** The changes of one listener, parsed and delivered once per frame. */
export interface ChangeQueue {
  add(change: Change<RowRecord>): void;
  /** Ends the deliveries. */
  close: Unsubscribe;
}

export function createChangeQueue<Row extends object>(
  port: ChannelPort,
  { primaryKey, parseRow }: RowOptions<Row>,
  listener: (changes: readonly Change<Row>[]) => void,
): ChangeQueue {
  let waiting: Change<RowRecord>[] = [];
  const parse = (change: Change<RowRecord>): readonly Change<Row>[] => {
    try {
      if (!parseRow || change.type === 'DELETE') return [change as Change<Row>];
      return [{ ...change, record: parseRow(change.record) } as Change<Row>];
    } catch (problem) {
      port.report(problem);
      port.announceLoss('invalid');
      return [];
    }
  };
  const stops = [
    port.onDiscard(() => {
      waiting = [];
    }),
    port.onFrame(() => {
      const taken = primaryKey ? mergeRows(waiting, primaryKey) : waiting;
      waiting = [];
      const changes = parseRow ? taken.flatMap(parse) : (taken as readonly Change<Row>[]);
      return changes.length > 0 ? listener(changes) : undefined;
    }),
  ];
  return {
    add(change) {
      if (waiting.length < port.settings.deliveryBuffer) waiting.push(change);
      else port.announceLoss('overflow');
      port.requestFrame();
    },
    close: () => stops.forEach((stop) => stop()),
  };
}
