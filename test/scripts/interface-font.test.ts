import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parseFontRules } from '../../scripts/interface-font.ts';

describe('the rules of the interface font', () => {
  it('name the weights and characters of texts and names in English and German', async () => {
    const rules = parseFontRules(await readFile('src/inbox/ui/font.css', 'utf8'));
    expect(rules.map(({ name }) => name)).toEqual(['latin-ext', 'latin']);
    for (const { weights } of rules) expect(weights).toEqual({ min: 400, max: 600 });
    const [extended, latin] = rules.map(({ text }) => new Set(text));
    expect(Array.from('Größe: „Élan“ – 5 €… ↑').filter((character) => !latin?.has(character))).toEqual([]);
    expect(Array.from('ŁşřőŽ').filter((character) => !extended?.has(character))).toEqual([]);
    expect(latin?.has('ő')).toBe(false);
  });
});
