import { waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';

/** Points at the first row with this text, which shows its buttons, and returns the one of that name. */
export async function findRowButton(actor: UserEvent, name: RegExp, text = /./): Promise<HTMLElement> {
  const row = await waitFor(() => {
    const rows = [...document.querySelectorAll<HTMLElement>('main [data-id]')];
    const found = rows.find(({ textContent }) => text.test(textContent));
    if (!found) throw new Error(`No row with ${text}`);
    return found;
  });
  await actor.hover(row);
  return within(row).findByRole('button', { name });
}
