import { expect, test, vi } from 'vitest';
import { guardRestoredPage } from '../../../src/inbox/app/restored-page.ts';

function openPage() {
  const root = { hidden: false };
  const reload = vi.fn<() => void>();
  const session = { cookies: 'sb-auth-token=1' };
  const page = new EventTarget() as Window & EventTarget;
  guardRestoredPage({ page, root, reload, readSession: () => session.cookies });
  const fire = (type: 'pagehide' | 'pageshow', persisted: boolean) =>
    page.dispatchEvent(Object.assign(new Event(type), { persisted }));
  return { root, reload, session, fire };
}

test('a page of the back-forward cache is hidden while it is cached, and shown again in the same session', () => {
  const { root, reload, fire } = openPage();
  fire('pagehide', true);
  expect(root.hidden).toBe(true);
  fire('pageshow', true);
  expect(root.hidden).toBe(false);
  expect(reload).not.toHaveBeenCalled();
});

test.each(['', 'sb-auth-token=of another user'])(
  'a page of the back-forward cache stays hidden and reloads when the cookies are "%s"',
  (now) => {
    const { root, reload, session, fire } = openPage();
    fire('pagehide', true);
    session.cookies = now;
    fire('pageshow', true);
    expect(root.hidden).toBe(true);
    expect(reload).toHaveBeenCalledOnce();
  },
);
