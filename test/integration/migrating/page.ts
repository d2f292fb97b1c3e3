import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const page = join(root, 'docs/clients/migrating.md');

/** A row of a table of docs/clients/migrating.md, done by both clients on the embedded service. */
export interface MigratingRow<Vendor, Here> {
  /** The left cell of the row. */
  readonly cell: string;
  readonly vendor: (world: Vendor) => PromiseLike<unknown>;
  readonly here: (world: Here) => PromiseLike<unknown>;
  /** What the vendor's client returns where it differs according to the page. */
  readonly differs?: unknown;
  /** What the vendor's program returns over the entry `compat`, if it differs from the vendor's client. */
  readonly compat?: unknown;
  /** Whether the entry `compat` lacks the methods of the row: see capabilities.json. */
  readonly isNotInCompat?: boolean;
}

/** The left cells of the tables of a section, without those of their heads and of calls that the clients do not have yet. */
export async function cellsOf(section: string): Promise<readonly string[]> {
  const text = (await readFile(page, 'utf8')).split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? '';
  const lines = text.split('\n');
  return lines.flatMap((line, index) =>
    lines[index + 1]?.startsWith('|---')
      ? []
      : (/^\| (.*?) \| (?!not here yet).* \|$/.exec(line)?.slice(1, 2) ?? []),
  );
}

export interface Worlds<Vendor, Here> {
  /** Rows that the embedded service cannot serve, and the file that tests them. */
  readonly elsewhere?: Readonly<Record<string, string>>;
  readonly openVendor: () => Promise<Vendor>;
  /** Opens the entry `compat`, which the vendor's programs use instead of the vendor's client. */
  readonly openCompat: () => Promise<Vendor>;
  readonly openHere: () => Promise<Here>;
}

/**
 * Runs each row in both clients and over the entry `compat`, and compares the results; then the rows with those of the page.
 */
export function testRows<Vendor, Here>(
  section: string,
  rows: readonly MigratingRow<Vendor, Here>[],
  { openVendor, openCompat, openHere, elsewhere = {} }: Worlds<Vendor, Here>,
): void {
  test.each(rows.map((row) => [row.cell, row] as const))('%s', async (_cell, row) => {
    const before = await row.vendor(await openVendor());
    const after = await row.here(await openHere());
    expect(before).toEqual('differs' in row ? row.differs : after);
    // The results differ exactly where the page states it.
    expect(isDeepStrictEqual(before, after)).toBe(!('differs' in row));
    if (row.isNotInCompat) return;
    const compatible = await row.vendor(await openCompat());
    expect(compatible).toEqual('compat' in row ? row.compat : before);
    expect(isDeepStrictEqual(compatible, before)).toBe(!('compat' in row));
  });

  test('every row of the page has a test, and every test a row', async () => {
    expect((await cellsOf(section)).toSorted()).toEqual(
      [...rows.map(({ cell }) => cell), ...Object.keys(elsewhere)].toSorted(),
    );
    expect(Object.values(elsewhere).filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });
}
