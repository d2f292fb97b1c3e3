import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ConfigurationScreen } from '../../src/app/configuration-screen.tsx';
import { ErrorBoundary } from '../../src/app/error-boundary.tsx';

let isBroken = true;
function Fragile() {
  if (isBroken) throw new Error('secret detail');
  return <p>All is well.</p>;
}

beforeEach(() => {
  isBroken = true;
  vi.spyOn(console, 'error').mockReturnValue(undefined);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

describe('where the page fails', () => {
  test('it says so without details and offers three ways on', () => {
    const onError = vi.fn<() => void>();
    render(
      <ErrorBoundary onError={onError}>
        <Fragile />
      </ErrorBoundary>,
    );
    expect(screen.getByRole('heading', { name: 'Something went wrong' })).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Load the page anew' })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Go to your inbox' }).getAttribute('href')).toBe('/home');
    expect(screen.getByRole('link', { name: /^Clear cookies/ }).getAttribute('href')).toBe('/clear-cookies');
    expect(document.body.textContent).not.toContain('secret detail');
    expect(onError).toHaveBeenCalledOnce();
  });

  test('another page is tried afresh', () => {
    const { rerender } = render(
      <ErrorBoundary resetKey="/a">
        <Fragile />
      </ErrorBoundary>,
    );
    isBroken = false;
    rerender(
      <ErrorBoundary resetKey="/b">
        <Fragile />
      </ErrorBoundary>,
    );
    expect(screen.getByText('All is well.')).toBeTruthy();
  });
});

test('what is missing in the configuration stands on the screen word for word', () => {
  const message = 'Supabase configuration incomplete: VITE_SUPABASE_URL is not set';
  render(<ConfigurationScreen message={message} />);
  expect(screen.getByRole('alert').textContent).toBe(message);
});
