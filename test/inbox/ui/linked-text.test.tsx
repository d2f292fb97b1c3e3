import { render, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { MouseEvent } from 'react';
import { expect, test, vi } from 'vitest';
import { LinkedText } from '../../../src/inbox/ui/list/linked-text.tsx';

test.each([
  ['[MouseLeft]', 1],
  ['[MouseMiddle]', 1],
  ['[MouseRight]', 0],
])('%s on an address asks %i times before it is followed', async (keys, times) => {
  const onFollow = vi.fn<(event: MouseEvent) => void>((event) => event.preventDefault());
  const { container, unmount } = render(
    <LinkedText text="See https://example.com/lunch" onFollow={onFollow} />,
  );
  await userEvent.setup().pointer({ keys, target: within(container).getByRole('link') });
  expect(onFollow).toHaveBeenCalledTimes(times);
  unmount();
});
