/** The styles of the report. */
export const pageStyles = `
:root { color-scheme: light dark;
  --page: light-dark(#fafafa, #131416); --card: light-dark(#fff, #1c1e21); --line: light-dark(#dcdfe4, #33373d);
  --text: light-dark(#1a1c1f, #e8eaed); --quiet: light-dark(#5a616b, #a2a9b4); --link: light-dark(#0b57d0, #8ab4f8);
  --good: light-dark(#146c2e, #6dd58c); --bad: light-dark(#b3261e, #f2938c); --warn: light-dark(#7a4d00, #f0bf65);
  --code: light-dark(#f1f3f5, #26292d); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.35rem; margin: .5rem 0; display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; }
.verdict { font-size: 1rem; font-weight: 600; } .good { color: var(--good); } .bad { color: var(--bad); }
.run { color: var(--quiet); margin: 0 0 1rem; display: flex; flex-wrap: wrap; gap: 0 1rem; font-size: .9rem; }
form { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: end; padding: .75rem 1rem; background: var(--card);
  border: 1px solid var(--line); border-radius: .5rem; }
fieldset { border: 0; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem .75rem; }
legend, form > label { font-size: .85rem; color: var(--quiet); } legend { padding: 0; }
form > label { display: grid; } .text { flex: 1 1 14rem; }
.status { display: flex; gap: .35rem; align-items: center; min-height: 2.25rem; }
input, select, button { font: inherit; color: inherit; accent-color: var(--link); }
select, input[type=search] { min-height: 2.25rem; padding: .25rem .5rem; background: var(--page); width: 100%;
  border: 1px solid var(--line); border-radius: .375rem; }
button { padding: .25rem .75rem; background: var(--card); border: 1px solid var(--line); border-radius: .375rem; cursor: pointer; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
#shown { color: var(--quiet); font-size: .9rem; margin: .75rem 0; }
details { background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--line); border-radius: .375rem;
  margin: .375rem 0; content-visibility: auto; contain-intrinsic-size: auto 2.75rem; }
details.failed { border-left-color: var(--bad); } details.known { border-left-color: var(--warn); }
details.passed { border-left-color: var(--good); }
summary { cursor: pointer; padding: .5rem .75rem; display: flex; flex-wrap: wrap; gap: .125rem .75rem; align-items: baseline; }
.mark { font-size: .85rem; font-weight: 600; min-width: 4.5rem; color: var(--quiet); }
.failed .mark { color: var(--bad); } .known .mark { color: var(--warn); } .passed .mark { color: var(--good); }
.level, .area { font-size: .8rem; color: var(--quiet); } .title { flex: 1 1 18rem; }
dl { margin: 0; padding: .25rem .75rem .75rem; border-top: 1px solid var(--line); }
dl div { display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: .25rem 1rem; padding: .375rem 0; }
dt { color: var(--quiet); font-size: .9rem; } dd { margin: 0; } a { color: var(--link); }
pre { margin: 0; padding: .5rem .75rem; background: var(--code); border-radius: .375rem; white-space: pre-wrap; font-size: .85rem; max-height: 20rem; overflow: auto; }
@media (max-width: 40rem) { body { padding: .5rem; } dl div { grid-template-columns: minmax(0, 1fr); } .text { flex-basis: 100%; } }
@media print { form, #shown { display: none; } details { break-inside: avoid; } }
`;

/** Filters the audits; the URL stores the filter. */
export const pageScript = `
const form = document.getElementById('filters'), all = [...document.querySelectorAll('details')];
const texts = new Map(all.map((each) => [each, each.textContent.toLowerCase()]));
const statuses = [...form.elements.status];
function apply() {
  const { level, area, text } = form.elements, wanted = text.value.trim().toLowerCase();
  const chosen = new Set(statuses.filter((box) => box.checked).map((box) => box.value));
  let count = 0;
  for (const each of all) {
    const { dataset } = each;
    each.hidden = !(chosen.has(dataset.status) && (!level.value || dataset.level === level.value) &&
      (!area.value || dataset.area === area.value) && texts.get(each).includes(wanted));
    if (!each.hidden) count += 1;
  }
  document.getElementById('shown').textContent = count + ' of ' + all.length + ' audits';
  document.getElementById('none').hidden = count > 0;
}
function keep() {
  const { level, area, text } = form.elements;
  const chosen = statuses.filter((box) => box.checked).map((box) => box.value).join();
  const query = new URLSearchParams({ status: chosen, level: level.value, area: area.value, text: text.value });
  history.replaceState(null, '', '#' + query);
  apply();
}
const query = new URLSearchParams(location.hash.slice(1));
if (query.has('status')) for (const box of statuses) box.checked = query.get('status').split(',').includes(box.value);
for (const name of ['level', 'area', 'text']) form.elements[name].value = query.get(name) || '';
form.addEventListener('input', keep);
form.addEventListener('submit', (event) => event.preventDefault());
document.getElementById('clear').addEventListener('click', () => { form.reset(); keep(); });
apply();
`;
