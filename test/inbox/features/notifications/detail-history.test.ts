import { renderHook } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { closeDetail, openDetail } from '../../../../src/inbox/features/notifications/list/detail-history.ts';
import { useCloseOnHistoryNavigation } from '../../../../src/inbox/ui/overlay/history-navigation.ts';

const list = '/home?tab=unread';
const detail = (id: string) => `${list}&open=${id}`;
const url = () => location.pathname + location.search;

beforeEach(() => {
  history.pushState(null, '', '/preferences');
  history.pushState(null, '', list);
});

async function goBack(): Promise<void> {
  const arrived = new Promise((resolve) => addEventListener('popstate', resolve, { once: true }));
  history.back();
  await arrived;
}

test('closing the detail returns to the entry of the list, and Back then leaves the list', async () => {
  openDetail(detail('1'));
  openDetail(detail('2'));
  expect(url()).toBe(detail('2'));
  closeDetail(list);
  await expect.poll(() => url()).toBe(list);
  await goBack();
  expect(url()).toBe('/preferences');
});

test('closing the detail twice at once does not leave the list', async () => {
  openDetail(detail('1'));
  closeDetail(list);
  closeDetail(list);
  await expect.poll(() => url()).toBe(list);
  await goBack();
  expect(url()).toBe('/preferences');
});

test('a menu that opens while the detail is closing stays open, until Back is pressed', async () => {
  openDetail(detail('1'));
  closeDetail(list);
  const onClose = vi.fn<() => void>();
  renderHook(() => useCloseOnHistoryNavigation(true, onClose));
  await expect.poll(() => url()).toBe(list);
  expect(onClose).not.toHaveBeenCalled();
  await new Promise((resolve) => setTimeout(resolve));
  await goBack();
  expect(onClose).toHaveBeenCalledOnce();
});

test('a notification opened while the detail is closing is shown', async () => {
  openDetail(detail('1'));
  closeDetail(list);
  openDetail(detail('2'));
  await expect.poll(() => url()).toBe(detail('2'));
  await goBack();
  expect(url()).toBe(list);
});

test('a detail that was opened by a link from elsewhere is replaced by the list', async () => {
  history.replaceState(null, '', detail('1'));
  closeDetail(list);
  expect(url()).toBe(list);
  await goBack();
  expect(url()).toBe('/preferences');
});
