import type { DayGroup } from '../model/day-groups.ts';
import type { ListEntry } from '../model/list-entries.ts';

/** One item of the virtualized list: the heading of a day, or a row below it. */
export type ListItem =
  | { readonly type: 'day'; readonly group: DayGroup }
  | { readonly type: 'row'; readonly entry: ListEntry; readonly position: number };

/** The days and their rows in one sequence. */
export function flattenDays(groups: readonly DayGroup<ListEntry>[]): readonly ListItem[] {
  const items: ListItem[] = [];
  let position = 0;
  for (const group of groups) {
    items.push({ type: 'day', group });
    for (const entry of group.items) {
      position += 1;
      items.push({ type: 'row', entry, position });
    }
  }
  return items;
}

/** Where the virtualizer places an item. */
export interface ItemPosition {
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

/** The rendered part of one day. */
export interface DaySection {
  readonly group: DayGroup;
  readonly heading: ItemPosition;
  readonly rows: readonly {
    readonly entry: ListEntry;
    readonly position: number;
    readonly index: number;
  }[];
  /** The height of the day's rows that are not rendered, above the first rendered one. */
  readonly skippedPx: number;
}

/** Gathers the rendered items by day. The heading of the first day must be among them. */
export function toSections(
  items: readonly ListItem[],
  places: readonly ItemPosition[],
): readonly DaySection[] {
  const sections: {
    group: DayGroup;
    heading: ItemPosition;
    rows: DaySection['rows'][number][];
    skippedPx: number;
  }[] = [];
  for (const place of places) {
    const item = items[place.index];
    const section = sections.at(-1);
    if (item?.type === 'day') sections.push({ group: item.group, heading: place, rows: [], skippedPx: 0 });
    else if (item && section) {
      if (section.rows.length === 0) section.skippedPx = place.start - section.heading.end;
      section.rows.push({ entry: item.entry, position: item.position, index: place.index });
    }
  }
  return sections;
}
