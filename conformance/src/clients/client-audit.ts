import { assert, showValue, UnmetExpectationError } from '../target/assertion.ts';
import { auditsOf, type Audit, type ClientArea } from '../audit/audit.ts';
import type { AuditContext, AuditUser } from '../audit/audit-context.ts';
import { scaleDeadline } from '../target/deadlines.ts';
import { openTab, type Tab, type TabOptions } from './tab.ts';

export interface ClientContext {
  /** Direct access to the server, for other users, other devices, the mailbox and the stored rows. */
  readonly server: AuditContext;
  /** Opens our clients in a tab that is closed after the audit. */
  open(options?: TabOptions): Promise<Tab>;
  /** Opens a tab with a user who signed in by password, by default a new one. */
  signIn(options?: TabOptions & { readonly user?: AuditUser }): Promise<SignedInTab>;
}

export interface SignedInTab extends Tab {
  readonly user: AuditUser;
}

type AuditOptions = Parameters<ReturnType<typeof auditsOf>>[2];

/** Creates the audits of one client, as `auditsOf` does for a server. */
export function clientAuditsOf(area: ClientArea) {
  const audit = auditsOf(area);
  return (
    id: string,
    title: string,
    options: AuditOptions,
    run: (context: ClientContext) => Promise<void>,
  ): Audit =>
    audit(id, title, options, async (server) => {
      const tabs: Tab[] = [];
      const open = async (tabOptions?: TabOptions) => {
        const tab = await openTab(server.target, tabOptions);
        tabs.push(tab);
        return tab;
      };
      try {
        await run({
          server,
          open,
          async signIn({ user: known, ...tabOptions } = {}) {
            const user = known ?? (await server.newUser());
            const tab = await open(tabOptions);
            await tab.auth.signInWithPassword({ email: user.email, password: user.password });
            return { ...tab, user };
          },
        });
      } finally {
        for (const tab of tabs) tab.close();
      }
    });
}

/** Returns the error of a refused call. Fails the audit if the call succeeded or threw another error. */
export async function refusalOf<E extends Error>(
  kind: new (...args: never[]) => E,
  call: Promise<unknown> | (() => unknown),
): Promise<E> {
  let outcome: unknown;
  try {
    outcome = await (typeof call === 'function' ? call() : call);
  } catch (problem) {
    if (problem instanceof kind) return problem;
    throw new UnmetExpectationError(`the call is refused with a ${kind.name}`, showValue(problem), {
      cause: problem,
    });
  }
  assert.fail(`the call is refused with a ${kind.name}`, `it succeeded with ${showValue(outcome)}`);
}

const waitMs = 10_000;
const pauseMs = 5;

export async function eventually(what: string, holds: () => boolean): Promise<void> {
  for (const startedMs = Date.now(); !holds();) {
    const limitMs = scaleDeadline(waitMs);
    if (Date.now() - startedMs > limitMs)
      assert.fail(`${what} within ${limitMs} ms`, 'the condition stayed false');
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** A promise and the function that resolves it. */
export function createGate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
