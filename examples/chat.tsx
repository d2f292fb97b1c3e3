import { useState, type SubmitEvent } from 'react';
import { useLiveList } from 'supabase-protocol-clients/react';
import { createHistory, post, type ChatClients } from './chat-store.ts';

/** A chat room with its history. Messages of all windows arrive by broadcasts from the database. */
export function Chat({
  clients,
  name,
  room = 'lobby',
}: {
  readonly clients: ChatClients;
  readonly name: string;
  readonly room?: string;
}) {
  const [history] = useState(() => createHistory(clients, room));
  const { rows, isLoaded, isCurrent, error } = useLiveList(history);
  const [body, setBody] = useState('');
  const [problem, setProblem] = useState<string | null>(null);

  const send = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!body.trim()) return;
    try {
      await post(clients, room, name, body.trim());
      setBody('');
      setProblem(null);
    } catch (cause) {
      setProblem(cause instanceof Error ? cause.message : String(cause));
    }
  };
  return (
    <section aria-label={`Room ${room}`}>
      {!isLoaded && !error && <p role="status">Loading…</p>}
      {Boolean(error) && <p role="alert">The messages cannot be read. Trying again…</p>}
      <ol aria-busy={!isCurrent} aria-label="Messages">
        {rows.map((message) => (
          <li key={message.id}>
            <strong>{message.author_name}</strong> {message.body}
          </li>
        ))}
      </ol>
      {problem && <p role="alert">{problem}</p>}
      <form onSubmit={(event) => void send(event)}>
        <label>
          Message <input value={body} onChange={({ target }) => setBody(target.value)} />
        </label>
        <button>Send</button>
      </form>
    </section>
  );
}
