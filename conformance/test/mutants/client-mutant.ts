import type { ClientArea } from '../../src/audit/audit.ts';

/** A client with one fault in its source, which audits must detect. */
export interface ClientMutant {
  /** Completes "A client that …". */
  readonly name: string;
  readonly subject: string;
  readonly area: ClientArea;
  /** The sections with the audits to try before the whole area: `auth#one-refresh`. */
  readonly sections: readonly string[];
  /** Relative to the sources of the clients. */
  readonly file: string;
  /** The text to replace; it occurs once in the file. */
  readonly find: string;
  readonly replace: string;
  /** Why no audit can detect it. */
  readonly survives?: string;
}

type Change = readonly [name: string, file: string, find: string, replace: string, survives?: string];

export const mutantsOf = (
  area: ClientArea,
  subject: string,
  sections: string,
  ...changes: readonly Change[]
): readonly ClientMutant[] =>
  changes.map(([name, file, find, replace, survives]) => {
    const mutant = { name, subject, area, sections: sections.split(' '), file, find, replace };
    return survives === undefined ? mutant : Object.assign(mutant, { survives });
  });
