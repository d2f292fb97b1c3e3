import type { Page } from 'playwright-core';
import type { Stage } from '../../test/e2e/support/stage.ts';
import type { Words } from './words.ts';

export interface ShotContext {
  readonly page: Page;
  readonly stage: Stage;
  /** The texts of the picture's language. */
  readonly say: Words;
  /** An unused address. */
  readonly newEmail: () => string;
  readonly mail: (to: string) => Promise<{ readonly code: string; readonly link: string }>;
}

/** A picture of one state of one screen. */
export interface Shot {
  /** File name without the variant. */
  readonly name: string;
  /** Seeded account that is signed in; default: no account. */
  readonly user?: 'ada@example.com' | 'grace@example.com';
  /** Where the page opens; computed after `prepare`. */
  readonly path: string | ((stage: Stage) => Promise<string>);
  /** Whether the picture shows only the window, for parts at its edges. Default: the whole page. */
  readonly isWindow?: boolean;
  /** Brings the server into the state, before the page opens. `at`: the current time of the page. */
  readonly prepare?: (stage: Stage, at: Date) => Promise<void>;
  /** Brings the page into the state that the picture shows. */
  readonly arrange?: (context: ShotContext) => Promise<void>;
}
