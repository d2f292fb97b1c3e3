export interface Example {
  readonly title: string;
  readonly code: string;
}

const signIn = `import { createSupabaseClients } from 'supabase-protocol-clients';

const { auth, rest, realtime, platform, connection, close } = createSupabaseClients({ url, apiKey });
await auth.signInWithPassword({ email: 'ada@example.com', password: 'inbox-development' });
`;

export const examples: readonly Example[] = [
  {
    title: 'Sign in and read rows',
    code: `${signIn}
const rows = await rest
  .from('notifications')
  .select('id, status, content, created_at')
  .order('created_at', { ascending: false })
  .limit(5);
console.log(rows.length, 'rows; unread:', await rest.from('notifications').count().eq('status', 'unread'));
for (const { id, status } of rows) console.log(status, id);
close();
`,
  },
  {
    title: 'Filter safely, write safely',
    code: `${signIn.replace(
      `\n\n`,
      `\nimport { and, eq, gt, like, maxAffected, or } from 'supabase-protocol-clients/rest-client';\n\n`,
    )}
const weekAgo = new Date(Date.now() - 7 * 86_400_000);
const found = await rest
  .from('notifications')
  .select('id, status')
  .where(or(like('content', '%"a, b) or (c"%'), and(eq('status', 'unread'), gt('created_at', weekAgo))));
console.log('Found', found.length);

// An update without a filter is refused before it is sent.
try {
  await rest.from('notifications').update({ status: 'read' });
} catch (error) {
  console.log(error.code, error.message);
}
const [first] = found;
if (first) {
  const changed = await rest.from('notifications').update({ status: 'read' }).eq('id', first.id).with(maxAffected(1));
  console.log('Changed', changed);
}
close();
`,
  },
  {
    title: 'A live list',
    code: `${signIn.replace(
      `\n\n`,
      `\nimport { createLiveQuery } from 'supabase-protocol-clients/realtime-client/live-query';\n\n`,
    )}
const { user } = auth.getSnapshot();
const unread = createLiveQuery({
  platform,
  channel: realtime.channel(\`user:\${user.id}\`),
  query: rest.from('notifications').select('id, content').eq('recipient_id', user.id).eq('status', 'unread'),
  key: 'id',
  immutableColumns: ['recipient_id'],
});
const stop = unread.start();
unread.subscribe(() => {
  const { rows, status, error } = unread.getSnapshot();
  console.log(rows.length, 'rows,', status, error?.message ?? '');
});
await new Promise((resolve) => setTimeout(resolve, 3000));

await rest.from('notifications').insert({
  recipient_id: user.id,
  content: JSON.stringify({ type: 'comment', data: { text: 'Sent from the playground' } }),
});
console.log('Sent');
await new Promise((resolve) => setTimeout(resolve, 3000));
stop();
close();
`,
  },
  {
    title: 'Errors have codes',
    code: `import { createSupabaseClients } from 'supabase-protocol-clients';

const { auth, rest, close } = createSupabaseClients({ url, apiKey });
try {
  await auth.signInWithPassword({ email: 'ada@example.com', password: 'wrong' });
} catch (error) {
  console.log(error.name, error.code, error.status);
}
try {
  await rest.from('no_such_table').select();
} catch (error) {
  console.log(error.name, error.code, error.serverCode, error.message);
}
close();
`,
  },
  {
    title: 'Broadcast and presence',
    code: `${signIn.replace(
      `\n\n`,
      `\nimport { createBroadcast } from 'supabase-protocol-clients/realtime-client/broadcast';\nimport { createPresence } from 'supabase-protocol-clients/realtime-client/presence';\n\n`,
    )}
const channel = realtime.channel('playground');
const broadcast = createBroadcast(channel, { self: true });
const presence = createPresence(channel, { key: 'ada' });
broadcast.on('hello', ({ payload }) => console.log('Received', payload));
presence.subscribe(() => console.log('Present', presence.getSnapshot().entries));
presence.track({ name: 'Ada' });
const leave = channel.join();
await new Promise((resolve) => setTimeout(resolve, 1000));
console.log(await broadcast.send('hello', { text: 'from this tab' }));
await new Promise((resolve) => setTimeout(resolve, 1000));
leave();
close();
`,
  },
  {
    title: 'The secret key stays on servers',
    code: `import { createAdminClient } from 'supabase-protocol-clients/admin';

// The admin client refuses to run in a page: each visitor would have the key.
try {
  const accounts = createAdminClient({ url, secretKey });
  for await (const users of accounts.users()) console.log(users.map(({ email }) => email));
} catch (error) {
  console.log(error.code, error.message);
}
`,
  },
];
