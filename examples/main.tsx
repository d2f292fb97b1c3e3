import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createSupabaseClients } from 'supabase-protocol-clients';
import { Chat } from './chat.tsx';
import { Cursors } from './cursors.tsx';
import type { ExampleDatabase } from './database.ts';
import { Typing } from './typing.tsx';
import { Workspace } from './workspace.tsx';
import './examples.css';

/** `?as=grace#chat` selects the user and the example. */
const names = ['ada', 'grace'] as const;
const parameters = new URLSearchParams(location.search);
const name = names.find((one) => one === parameters.get('as')) ?? 'ada';

const clients = createSupabaseClients<ExampleDatabase>({
  url: String(import.meta.env['VITE_SUPABASE_URL']),
  apiKey: String(import.meta.env['VITE_SUPABASE_ANON_KEY']),
});
await clients.auth.start();
// Both users share this origin's cookies: the user of the URL signs in.
await clients.auth.signInWithPassword({ email: `${name}@example.com`, password: 'inbox-development' });

const examples = {
  cursors: <Cursors realtime={clients.realtime} name={name} />,
  typing: <Typing realtime={clients.realtime} name={name} />,
  chat: <Chat clients={clients} name={name} />,
  workspace: <Workspace clients={clients} name={name} />,
} as const;
const shown = Object.entries(examples).find(([key]) => location.hash === `#${key}`)?.[1] ?? examples.cursors;
addEventListener('hashchange', () => location.reload());

createRoot(document.body).render(
  <StrictMode>
    <header>
      <nav aria-label="Examples">
        {Object.keys(examples).map((key) => (
          <a key={key} href={`#${key}`}>
            {key}
          </a>
        ))}
      </nav>
      You are {name}. <a href={`?as=${name === 'ada' ? 'grace' : 'ada'}`}>Be the other one</a>
    </header>
    <main>{shown}</main>
  </StrictMode>,
);
