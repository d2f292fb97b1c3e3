const element = (id) => document.getElementById(id);
const on = (target, type, handle) =>
  target.addEventListener(type, (event) => {
    void handle(event);
  });
const status = element('status');
/** The maximum number of link buttons. A digest has a link per entry, and the mail itself shows all of them. */
const maximumButtons = 10;
let knownTotal;
let asText = false;

const selectedId = () => decodeURIComponent(location.hash.slice(1));

async function readMails() {
  const query = element('search').value.trim();
  const path = query
    ? `/api/v1/search?limit=500&query=${encodeURIComponent(query)}`
    : '/api/v1/messages?limit=500';
  return (await fetch(path)).json();
}

function createItem({ ID, Subject, To, Created, Read }) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  const subject = document.createElement('span');
  const details = document.createElement('small');
  const to = document.createElement('span');
  const time = document.createElement('time');
  link.href = `#${encodeURIComponent(ID)}`;
  if (ID === selectedId()) link.setAttribute('aria-current', 'true');
  subject.textContent = Subject;
  if (!Read) subject.className = 'unread';
  to.textContent = To.map(({ Address }) => Address).join(', ');
  time.dateTime = Created;
  time.textContent = new Date(Created).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  details.append(to, time);
  link.append(subject, details);
  item.append(link);
  return item;
}

async function showList() {
  const { messages, total } = await readMails();
  const focused = document.activeElement?.getAttribute('href');
  element('list').replaceChildren(...messages.map(createItem));
  if (focused) element('list').querySelector(`[href="${focused}"]`)?.focus();
  element('empty').hidden = messages.length > 0;
  document.title = `Mailbox (${total})`;
  if (knownTotal !== undefined && total > knownTotal)
    status.textContent = `New mail: ${messages[0]?.Subject ?? ''}`;
  knownTotal = total;
}

/** Extracts links without parsing the HTML: parsing would apply its styles, which this page forbids. */
function linksOf(html) {
  const anchors = html.matchAll(/<a\b[^>]*\bhref="(https?:[^"]*)"[^>]*>(.*?)<\/a\s*>/gis);
  return Array.from(anchors, ([, address, content]) => {
    const href = address.replaceAll('&amp;', '&');
    return { href, words: content.replace(/<[^>]*>/g, '').trim() || href };
  });
}

const codeOf = (text) => /(?<![\w/=&?.%@-])\d{6,10}(?![\w/=&%@-])/.exec(text)?.[0] ?? '';

function createLink({ href, words }, index) {
  const link = document.createElement('a');
  link.href = href;
  link.target = '_blank';
  link.rel = 'noopener';
  link.className = index === 0 ? 'button primary' : 'button';
  link.textContent = words;
  return link;
}

async function showMail() {
  const id = selectedId();
  const response = id ? await fetch(`/api/v1/message/${encodeURIComponent(id)}`) : undefined;
  const mail = response?.ok ? await response.json() : undefined;
  if (id !== selectedId()) return;
  document.body.classList.toggle('reading', mail !== undefined);
  element('mail').hidden = !mail;
  if (!mail) return;
  const isSame = element('mail').dataset.id === id;
  element('mail').dataset.id = id;
  element('subject').textContent = mail.Subject;
  element('to').textContent = mail.To.map(({ Address }) => Address).join(', ');
  element('from').textContent = mail.From.Address;
  element('received').textContent = new Date(mail.Date).toLocaleString();
  element('links').replaceChildren(...linksOf(mail.HTML).slice(0, maximumButtons).map(createLink));
  element('code').textContent = codeOf(mail.Text);
  element('code-row').hidden = !codeOf(mail.Text);
  element('text').textContent = mail.Text;
  if (isSame) return;
  element('html').src = `/view/${encodeURIComponent(id)}.html`;
  element('subject').focus({ preventScroll: true });
}

function showForm() {
  element('html').hidden = asText;
  element('text').hidden = !asText;
  element('as-html').setAttribute('aria-pressed', String(!asText));
  element('as-text').setAttribute('aria-pressed', String(asText));
}

const remove = (ids) =>
  fetch('/api/v1/messages', {
    method: 'DELETE',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ IDs: ids }),
  });

const showAll = () => Promise.all([showList(), showMail()]);

on(window, 'hashchange', showAll);
on(element('search'), 'input', showList);
on(element('clear'), 'click', () => remove([]));
on(element('delete'), 'click', async () => {
  await remove([selectedId()]);
  location.hash = '';
});
on(element('as-html'), 'click', () => {
  asText = false;
  showForm();
});
on(element('as-text'), 'click', () => {
  asText = true;
  showForm();
});
on(element('copy'), 'click', async () => {
  await navigator.clipboard.writeText(element('code').textContent);
  status.textContent = 'The code is copied.';
});
on(new EventSource('/events'), 'change', showAll);
