import { redirect } from 'next/navigation';
import { Suspense } from 'react';
import { createPageClients } from '../../lib/supabase';
import { signOut } from '../login/actions';
import { addTodo, setDone } from './actions';

export default function Page() {
  return (
    <main>
      <h1>Your todos</h1>
      <form action={addTodo}>
        <input name="title" aria-label="Title" required />
        <button>Add</button>
      </form>
      <Suspense fallback={<p>Loading…</p>}>
        <Todos />
      </Suspense>
      <form action={signOut}>
        <button>Sign out</button>
      </form>
    </main>
  );
}

async function Todos() {
  const { auth, rest } = await createPageClients();
  // The proxy is a convenience: each page must check for itself.
  if ((await auth.getAccessToken()) === null) redirect('/login');
  const todos = await rest.from('todos').select('id, title, done').order('id');
  return (
    <ul>
      {todos.map(({ id, title, done }) => (
        <li key={id}>
          <form action={setDone}>
            <input type="hidden" name="id" value={id} />
            <input type="hidden" name="done" value={done ? '' : 'yes'} />
            {title}: <button>{done ? 'done' : 'open'}</button>
          </form>
        </li>
      ))}
    </ul>
  );
}
