import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import { Component, type ReactNode, StrictMode, Suspense, useState } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Page, PageSignal } from '../../src/platform/index.ts';
import {
  optimistic,
  SupabaseProvider,
  useInvalidate,
  useMutation,
  useQuery,
  useSupabase,
  useSuspenseQuery,
} from '../../src/react/index.ts';
import { createTestClients, type TestClients } from '../../src/testing/index.ts';

interface Todo {
  readonly id: number;
  readonly title: string;
}
interface Database {
  public: {
    Tables: {
      todos: { Row: Todo; Insert: Todo; Update: Partial<Todo>; Relationships: [] };
    };
    Views: { [_ in never]: never };
    Functions: { [_ in never]: never };
  };
}

let clients: TestClients<Database>;
/** The table; reads wait in `answers` while `isHeld`. */
let rows: Todo[];
let isHeld: boolean;
let answers: (() => void)[];
const path = '/rest/v1/todos';

beforeEach(async () => {
  clients = await createTestClients<Database>();
  [rows, isHeld, answers] = [[{ id: 1, title: 'Tea' }], false, []];
  clients.wire.on(`GET ${path}`, () =>
    isHeld ? new Promise((resolve) => answers.push(() => resolve(Response.json(rows)))) : Response.json(rows),
  );
});
afterEach(() => {
  cleanup();
  clients.close();
});

const reads = () =>
  clients.wire.requests.filter(({ method, path: to }) => method === 'GET' && to.startsWith(path));
const show = (children: ReactNode) =>
  render(
    <StrictMode>
      <SupabaseProvider clients={clients}>{children}</SupabaseProvider>
    </StrictMode>,
  );
const useTodos = () => useSupabase<Database>().rest.from('todos').select('id, title');

function Titles({
  name = 'list',
  staleTimeMs = 0,
}: {
  readonly name?: string;
  readonly staleTimeMs?: number;
}) {
  const { data, error } = useQuery(useTodos(), { staleTimeMs });
  return <p>{`${name}: ${error?.code ?? data?.map(({ title }) => title).join() ?? 'loading'}`}</p>;
}

/** Mounts and removes its children by a button. */
function Toggle({ children }: { readonly children: ReactNode }) {
  const [isShown, setIsShown] = useState(false);
  return (
    <>
      <button onClick={() => setIsShown((before) => !before)}>toggle</button>
      {isShown && children}
    </>
  );
}
const press = (name: string) => act(async () => screen.getByRole('button', { name }).click());

describe('useQuery', () => {
  it('reads what is shown again when the page becomes visible or online, unless it is young', async () => {
    let signal = (_name: PageSignal) => {};
    let isOnline = true;
    const page: Page = {
      isVisible: () => true,
      isOnline: () => isOnline,
      subscribe: (listener) => {
        signal = listener;
        return () => {};
      },
    };
    clients = { ...clients, platform: { ...clients.platform, page } };
    show(
      <>
        <Titles name="old" staleTimeMs={60_000} />
        <Titles name="oldest" staleTimeMs={30_000} />
      </>,
    );
    await screen.findByText('old: Tea');
    rows = [{ id: 1, title: 'Coffee' }];
    const tell = (name: PageSignal) => act(async () => signal(name));
    await tell('visible');
    expect(reads()).toHaveLength(1);
    await act(async () => clients.clock.advance(30_000));
    isOnline = false;
    await tell('visible');
    await tell('hidden');
    expect(reads()).toHaveLength(1);
    isOnline = true;
    await tell('online');
    await screen.findByText('old: Coffee');
    expect(reads()).toHaveLength(2);
  });

  it('sends one request for all components that show a query', async () => {
    show(
      <>
        <Titles name="first" />
        <Titles name="second" />
      </>,
    );
    expect(await screen.findByText('first: Tea')).toBeDefined();
    expect(await screen.findByText('second: Tea')).toBeDefined();
    expect(reads()).toHaveLength(1);
  });

  it('shows a known result at once to a component that mounts later, and reads again unless it is young', async () => {
    show(
      <>
        <Titles />
        <Toggle>
          <Titles name="young" staleTimeMs={60_000} />
        </Toggle>
      </>,
    );
    expect(await screen.findByText('list: Tea')).toBeDefined();
    await press('toggle');
    expect(screen.getByText('young: Tea')).toBeDefined();
    expect(reads()).toHaveLength(1);
    await press('toggle');
    await clients.clock.advance(60_000);
    rows = [{ id: 1, title: 'Coffee' }];
    await press('toggle');
    expect(await screen.findByText('young: Coffee')).toBeDefined();
    expect(screen.getByText('list: Coffee')).toBeDefined();
    expect(reads()).toHaveLength(2);
  });

  it('forgets a result five minutes after the last component has left', async () => {
    show(
      <Toggle>
        <Titles />
      </Toggle>,
    );
    await press('toggle');
    expect(await screen.findByText('list: Tea')).toBeDefined();
    await press('toggle');
    isHeld = true;
    await act(() => clients.clock.advance(299_000));
    await press('toggle');
    expect(screen.getByText('list: Tea')).toBeDefined();
    await press('toggle');
    await act(() => clients.clock.advance(301_000));
    await press('toggle');
    expect(screen.getByText('list: loading')).toBeDefined();
  });

  it('reads nothing without a query', async () => {
    function Nothing() {
      return <p>{useQuery<Todo[]>(null).status}</p>;
    }
    show(<Nothing />);
    await act(async () => {});
    expect(screen.getByText('loading')).toBeDefined();
    expect(reads()).toHaveLength(0);
  });

  it('drops the result of a user who has signed out, and initial data with it', async () => {
    function Own() {
      const { data } = useQuery(useTodos(), { initialData: [{ id: 0, title: 'Rendered' }] });
      return <p>{`own: ${data?.[0]?.title ?? 'loading'}`}</p>;
    }
    isHeld = true;
    show(
      <>
        <Titles />
        <Own />
      </>,
    );
    expect(screen.getByText('own: Rendered')).toBeDefined();
    await waitFor(() => expect(answers).toHaveLength(1));
    await act(async () => answers.forEach((answer) => answer()));
    expect(await screen.findByText('own: Tea')).toBeDefined();
    await act(() => clients.auth.signOut({ scope: 'local' }));
    expect(screen.getByText('list: loading')).toBeDefined();
    expect(screen.getByText('own: loading')).toBeDefined();
    await act(
      async () => void (await clients.auth.signInWithPassword({ email: 'ada@example.com', password: 'x' })),
    );
    expect(screen.getByText('list: loading')).toBeDefined();
  });
});

describe('useSuspenseQuery', () => {
  const showSuspended = (page: ReactNode) => act(async () => void render(<StrictMode>{page}</StrictMode>));
  const withClients = (children: ReactNode) => (
    <SupabaseProvider clients={clients}>{children}</SupabaseProvider>
  );
  function Suspended() {
    const { data, status } = useSuspenseQuery(useTodos());
    return <p>{`${status}: ${data.map(({ title }) => title).join()}`}</p>;
  }

  it('renders the fallback, then the data, by one request', async () => {
    isHeld = true;
    await showSuspended(
      withClients(
        <Suspense fallback={<p>waiting</p>}>
          <Suspended />
          <Suspended />
        </Suspense>,
      ),
    );
    expect(screen.getByText('waiting')).toBeDefined();
    expect(reads()).toHaveLength(1);
    await act(async () => answers[0]?.());
    expect(screen.getAllByText('success: Tea')).toHaveLength(2);
    expect(reads()).toHaveLength(1);
  });

  it('waits for the session also where the provider itself is suspended', async () => {
    const others = await createTestClients<Database>({ user: null });
    onTestFinished(() => others.close());
    others.wire.on(`GET ${path}`, () => Response.json(rows));
    await showSuspended(
      <Suspense fallback={<p>waiting</p>}>
        <SupabaseProvider clients={others}>
          <Suspended />
        </SupabaseProvider>
      </Suspense>,
    );
    expect(await screen.findByText('success: Tea')).toBeDefined();
  });

  it('gives an error to the boundary, and reads again when the boundary renders it again', async () => {
    const { error: report } = console;
    console.error = () => {};
    onTestFinished(() => void (console.error = report));
    const refusal = { code: '42501', message: 'Refused' };
    clients.wire.on(`GET ${path}`, () => Response.json(refusal, { status: 403 }));
    await showSuspended(
      withClients(
        <Boundary>
          <Suspense fallback={<p>waiting</p>}>
            <Suspended />
          </Suspense>
        </Boundary>,
      ),
    );
    expect(await screen.findByText('failed: Refused')).toBeDefined();
    expect(reads()).toHaveLength(1);
    clients.wire.on(`GET ${path}`, () => Response.json(rows));
    await act(() => clients.clock.advance(1));
    await press('again');
    expect(await screen.findByText('success: Tea')).toBeDefined();
  });
});

class Boundary extends Component<{ readonly children: ReactNode }, { readonly error: Error | null }> {
  override state = { error: null };
  static getDerivedStateFromError(error: Error) {
    return { error };
  }
  override render() {
    const { error } = this.state as { error: Error | null };
    if (!error) return this.props.children;
    return (
      <p>
        failed: {error.message}
        <button onClick={() => this.setState({ error: null })}>again</button>
      </p>
    );
  }
}

it('refuses an invalid time of staleness', () => {
  for (const staleTimeMs of [Number.NaN, -1])
    expect(() => show(<Titles staleTimeMs={staleTimeMs} />)).toThrow(
      new RangeError(`staleTimeMs must be a number from 0 to Infinity, not ${staleTimeMs}`),
    );
});

describe('useMutation', () => {
  /** Adds a row and shows it at once; the write waits for `writes`. */
  let writes: ((response: Response) => void)[];
  beforeEach(() => {
    writes = [];
    clients.wire.on(`POST ${path}`, () => new Promise((resolve) => writes.push(resolve)));
  });
  let shown: string[];
  function Adding({ title }: { readonly title: string }) {
    const { rest } = useSupabase<Database>();
    const todos = useTodos();
    const add = useMutation((row: Todo) => rest.from('todos').insert(row), {
      optimistic: (row) => [optimistic(todos, (before) => [...before, row])],
    });
    return (
      <button
        onClick={() => add.mutate({ id: 2, title })}
      >{`${title} ${add.error?.message ?? add.status}`}</button>
    );
  }
  function Shown() {
    const { data = [] } = useQuery(useTodos());
    const text = data.map(({ title }) => title).join();
    shown.push(text);
    return <p>{text}</p>;
  }
  beforeEach(async () => {
    shown = [];
    show(
      <>
        <Shown />
        <Adding title="Milk" />
        <Adding title="Bread" />
      </>,
    );
    await screen.findByText('Tea');
  });

  it('ends with the error of an optimistic change that throws, and writes nothing', async () => {
    function Failing({ isLate }: { readonly isLate: boolean }) {
      const { rest } = useSupabase<Database>();
      const todos = useTodos();
      const fail = (): never => {
        throw new Error('my change failed');
      };
      const add = useMutation((row: Todo) => rest.from('todos').insert(row), {
        optimistic: () =>
          isLate ? [optimistic(todos, (before) => [...before]), optimistic(todos, fail)] : fail(),
      });
      return (
        <button
          onClick={() => add.mutate({ id: 3, title: 'Jam' })}
        >{`late ${isLate} ${add.error?.message ?? add.status}`}</button>
      );
    }
    show(
      <>
        <Failing isLate />
        <Failing isLate={false} />
      </>,
    );
    await press('late true idle');
    await press('late false idle');
    expect(screen.getByText('late true my change failed')).toBeDefined();
    expect(screen.getByText('late false my change failed')).toBeDefined();
    expect(writes).toEqual([]);
    expect(screen.getByText('Tea')).toBeDefined();
  });

  it('calls the write that was rendered last by a function that stays the same', async () => {
    const added: string[] = [];
    const mutates = new Set<(title: string) => void>();
    function Draft() {
      const [note, setNote] = useState('first');
      const { mutate } = useMutation((title: string) => Promise.resolve(added.push(`${title} ${note}`)));
      mutates.add(mutate);
      return <button onClick={() => setNote('second')}>{note}</button>;
    }
    show(<Draft />);
    await press('first');
    const [kept] = mutates;
    await act(async () => kept?.('Jam'));
    expect(added).toEqual(['Jam second']);
    expect(mutates.size).toBe(1);
  });

  it('shows a write at once, and after its success what the server has, without a frame between', async () => {
    await press('Milk idle');
    expect(screen.getByText('Tea,Milk')).toBeDefined();
    rows = [...rows, { id: 2, title: 'Milk (saved)' }];
    isHeld = true;
    await act(async () => writes[0]?.(new Response(null, { status: 201 })));
    expect(screen.getByText('Tea,Milk')).toBeDefined();
    expect(screen.getByText('Milk pending')).toBeDefined();
    await waitFor(() => expect(answers).toHaveLength(1));
    await act(async () => answers[0]?.());
    expect(await screen.findByText('Milk success')).toBeDefined();
    expect(screen.getByText('Tea,Milk (saved)')).toBeDefined();
    expect(new Set(shown)).toEqual(new Set(['', 'Tea', 'Tea,Milk', 'Tea,Milk (saved)']));
  });

  it('undoes a failed write, with its error, and keeps what another write shows', async () => {
    await press('Milk idle');
    await press('Bread idle');
    expect(screen.getByText('Tea,Milk,Bread')).toBeDefined();
    const refusal = { code: '23505', message: 'Duplicate' };
    await act(async () => writes[0]?.(Response.json(refusal, { status: 409 })));
    expect(await screen.findByText('Milk Duplicate')).toBeDefined();
    expect(screen.getByText('Tea,Bread')).toBeDefined();
    await act(async () => writes[1]?.(new Response(null, { status: 201 })));
    expect(await screen.findByText('Bread success')).toBeDefined();
    expect(screen.getByText('Tea')).toBeDefined();
  });

  it('keeps what a write shows when a read lands that began before', async () => {
    await press('Milk idle');
    isHeld = true;
    const again = clients.wire.requests.length;
    function Again() {
      const invalidate = useInvalidate();
      return <button onClick={() => void invalidate()}>again</button>;
    }
    show(<Again />);
    await press('again');
    expect(clients.wire.requests.length).toBeGreaterThan(again);
    await act(async () => answers[0]?.());
    expect(screen.getByText('Tea,Milk')).toBeDefined();
  });
});

describe('useInvalidate', () => {
  it('reads again what is shown, and what is not shown when it is shown next', async () => {
    function Invalidate() {
      const invalidate = useInvalidate();
      const todos = useTodos();
      return <button onClick={() => void invalidate([todos])}>invalidate</button>;
    }
    show(
      <>
        <Toggle>
          <Titles staleTimeMs={Infinity} />
        </Toggle>
        <Invalidate />
      </>,
    );
    await press('toggle');
    expect(await screen.findByText('list: Tea')).toBeDefined();
    rows = [{ id: 1, title: 'Coffee' }];
    await press('invalidate');
    expect(await screen.findByText('list: Coffee')).toBeDefined();
    await press('toggle');
    await press('invalidate');
    expect(reads()).toHaveLength(2);
    rows = [{ id: 1, title: 'Juice' }];
    await press('toggle');
    expect(await screen.findByText('list: Juice')).toBeDefined();
  });
});

describe('a page that a server has rendered', () => {
  function Rendered() {
    const { data } = useQuery(useTodos(), { initialData: [{ id: 1, title: 'From the server' }] });
    return <p>{data?.map(({ title }) => title).join()}</p>;
  }
  const page = (
    <SupabaseProvider<Database> clients={undefined as never}>
      <Rendered />
    </SupabaseProvider>
  );
  const pageOf = () => ({ ...page, props: { ...page.props, clients } });

  it('has the initial data, sends nothing, and is hydrated without a difference', async () => {
    const markup = renderToString(pageOf());
    expect(markup).toContain('From the server');
    expect(reads()).toHaveLength(0);
    const container = document.body.appendChild(document.createElement('div'));
    container.innerHTML = markup;
    const problems: unknown[] = [];
    await act(async () => {
      const root = hydrateRoot(container, pageOf(), {
        onRecoverableError: (problem) => problems.push(problem),
      });
      onTestFinished(() => act(() => root.unmount()));
    });
    await waitFor(() => expect(container.textContent).toBe('Tea'));
    expect(problems).toEqual([]);
  });

  it('has the fallback of Suspense, and reads in the browser', () => {
    function Waiting() {
      return <p>{useSuspenseQuery(useTodos()).data.length}</p>;
    }
    const markup = renderToString(
      <SupabaseProvider clients={clients}>
        <Suspense fallback={<p>waiting</p>}>
          <Waiting />
        </Suspense>
      </SupabaseProvider>,
    );
    expect(markup).toContain('waiting');
    expect(reads()).toHaveLength(0);
  });
});
