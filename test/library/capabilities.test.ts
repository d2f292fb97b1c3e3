import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import {
  type Capability,
  capabilityFiles,
  readCapabilities,
  renderCapabilities,
} from '../../scripts/library/capabilities.ts';
import packageJson from '../../src/package.json' with { type: 'json' };

const root = new URL('../../', import.meta.url);

it('the tables of the page and the proof of our names are current (npm run docs:capabilities)', async () => {
  const rendered = await renderCapabilities();
  for (const [path, text] of Object.entries(rendered))
    expect(await readFile(new URL(path, root), 'utf8')).toBe(text);
});

it('names entries that the package has, and gives a reason for what it lacks', async () => {
  const { methods } = await readCapabilities();
  const entries = new Set(Object.keys(packageJson.exports));
  const isComplete = (method: Capability): boolean =>
    method.state === 'yes'
      ? method.ours.length > 0 && method.ours.every((ours) => entries.has(ours.split(' ')[0] ?? ''))
      : method.reason.length > 10;
  expect(methods.filter((method) => !isComplete(method))).toEqual([]);
});

it('shows on the page how each supported method is called', async () => {
  const page = await readFile(new URL(capabilityFiles.page, root), 'utf8');
  const named = new Set(
    [...page.matchAll(/```[^]*?```|`[^`\n]+`/g)].flatMap(([code]) => code.match(/\w+/g) ?? []),
  );
  const { methods } = await readCapabilities();
  const missing = methods.filter(
    ({ vendor, state }) => state === 'yes' && !named.has(vendor.split('.').at(-1) ?? ''),
  );
  expect(missing.map(({ vendor }) => vendor)).toEqual([]);
});
