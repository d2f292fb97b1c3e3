import { afterEach, expect, test } from 'vitest';
import { productName, setPageTitle, setTitleCount } from '../../../src/inbox/ui/page/page-title.ts';

afterEach(() => setTitleCount(0));

test('the document is named after the page and the number of unread notifications', () => {
  setPageTitle('Account');
  expect(document.title).toBe('Account · Tidings');
  setTitleCount(3);
  expect(document.title).toBe('(3) Account · Tidings');
  setPageTitle(productName);
  expect(document.title).toBe(`(3) ${productName}`);
  setTitleCount(120);
  expect(document.title).toBe(`(99+) ${productName}`);
});
