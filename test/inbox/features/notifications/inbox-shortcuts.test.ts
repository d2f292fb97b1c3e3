import { fireEvent, renderHook } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { usePageShortcuts } from '../../../../src/inbox/features/notifications/actions/use-shortcuts.ts';
import type { SelectionBarHandle } from '../../../../src/inbox/features/notifications/list/selection-bar.tsx';
import { useInboxShortcuts } from '../../../../src/inbox/features/notifications/screen/use-inbox-shortcuts.ts';
import type { InboxShortcutsOptions } from '../../../../src/inbox/features/notifications/screen/use-inbox-shortcuts.ts';
import { toasts } from '../../../../src/inbox/ui/state/toasts.ts';

const nothing = () => undefined;

function renderShortcuts(
  selectionBar: SelectionBarHandle | null,
  onAction: InboxShortcutsOptions['rows']['onAction'],
) {
  renderHook(() =>
    useInboxShortcuts({
      entries: [],
      url: { listKey: '', openId: 'opened', readOpenId: () => 'opened', open: nothing, search: nothing },
      rows: { onAction, show: nothing, closeDetail: nothing, leave: nothing },
      list: { current: null },
      selectionBar: { current: selectionBar },
      onEndSelection: nothing,
      onMarkAllRead: nothing,
      onHelp: nothing,
      onSearch: nothing,
    }),
  );
}

test('z undoes the newest action, and g p and g i change the page', () => {
  renderHook(() => usePageShortcuts());
  const run = vi.fn<() => void>();
  toasts.show('Deleted', { action: { label: 'Undo', run, isUndo: true } });
  fireEvent.keyDown(document.body, { key: 'z' });
  expect(run).toHaveBeenCalledOnce();
  fireEvent.keyDown(document.body, { key: 'g' });
  fireEvent.keyDown(document.body, { key: 'p' });
  expect(location.pathname).toBe('/preferences');
  fireEvent.keyDown(document.body, { key: 'g' });
  fireEvent.keyDown(document.body, { key: 'i' });
  expect(location.pathname).toBe('/home');
});

test('while rows are selected, the key of an action acts on them and on no other row', () => {
  const act = vi.fn<SelectionBarHandle['act']>();
  const onAction = vi.fn<InboxShortcutsOptions['rows']['onAction']>();
  renderShortcuts({ act }, onAction);
  fireEvent.keyDown(document.body, { key: 'e' });
  expect(act.mock.calls).toEqual([['archive']]);
  expect(onAction).not.toHaveBeenCalled();
});
