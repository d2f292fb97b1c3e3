const element = (id) => document.getElementById(id);
const on = (target, type, handle) =>
  target.addEventListener(type, (event) => {
    void handle(event);
  });

const send = (command, body = {}) =>
  fetch(`/_faults/api/${command}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function showRules() {
  const rules = await (await fetch('/_faults/api/rules')).json();
  const items = rules.map((rule) => {
    const item = document.createElement('li');
    const code = document.createElement('code');
    code.textContent = JSON.stringify(rule);
    item.append(code);
    return item;
  });
  element('rules').replaceChildren(...items);
  element('none').hidden = items.length > 0;
}

const count = (text) => (text === '' ? {} : { value: Number(text) });

function readRule(form) {
  const { path, method, latencyMs, lose, status, share, times } = Object.fromEntries(new FormData(form));
  const optional = (name, { value }) => (value === undefined ? {} : { [name]: value });
  return {
    ...(path && { path }),
    ...(method && { method }),
    ...(lose && { lose }),
    ...optional('latencyMs', count(latencyMs)),
    ...optional('times', count(times)),
    ...(share !== '100' && share !== '' && { probability: Number(share) / 100 }),
    ...(status && { response: { status: Number(status), body: '<h1>A fault on command</h1>' } }),
  };
}

on(element('rule'), 'submit', async (event) => {
  event.preventDefault();
  await send('rules', readRule(event.target));
  element('status').textContent = 'Rule added.';
  await showRules();
});
on(element('clear'), 'click', async () => {
  await fetch('/_faults/api/rules', { method: 'DELETE' });
  element('status').textContent = 'All faults cleared.';
  await showRules();
});
for (const button of document.querySelectorAll('[data-command]')) {
  on(button, 'click', async () => {
    await send(button.dataset.command, JSON.parse(button.dataset.body ?? '{}'));
    element('status').textContent = `Done: ${button.textContent}`;
  });
}
await showRules();
