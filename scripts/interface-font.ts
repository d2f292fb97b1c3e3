import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import subsetFont from 'subset-font';
import type { Plugin } from 'vite';

const fonts = '@fontsource-variable/inter';
const sheet = new URL('../src/inbox/ui/font.css', import.meta.url);
const folder = new URL('../node_modules/.cache/interface-font/', import.meta.url);

/** The features that browsers apply by default, and figures of equal width, for times and counts. */
const features = ['calt', 'ccmp', 'clig', 'kern', 'liga', 'locl', 'mark', 'mkmk', 'rlig', 'tnum'];

/** Makes the `interface-font/` files of `font.css`: Inter with the weights and characters of its rules. */
export function interfaceFont(): Plugin {
  return {
    name: 'interface-font',
    config: () => ({ resolve: { alias: { 'interface-font': fileURLToPath(folder) } } }),
    async buildStart() {
      await mkdir(folder, { recursive: true });
      const rules = await readFile(sheet, 'utf8');
      await Promise.all(
        parseFontRules(rules).map(async (rule) => {
          // Rename the file when it is complete: other builds may read it meanwhile.
          const written = new URL(`${rule.name}-${process.pid}.woff2`, folder);
          await writeFile(written, await createSubset(rule));
          await rename(written, new URL(`${rule.name}.woff2`, folder));
        }),
      );
    },
    async generateBundle() {
      // The license must accompany the font.
      const source = await readFile(fileURLToPath(import.meta.resolve(`${fonts}/LICENSE`)), 'utf8');
      this.emitFile({ type: 'asset', fileName: 'inter-license.txt', source });
    },
  };
}

export interface FontRule {
  /** The part of a fontsource file's name between `inter-` and `-wght`. */
  readonly name: string;
  readonly weights: { readonly min: number; readonly max: number };
  /** Every character of `unicode-range`. */
  readonly text: string;
}

/** Parses the rules whose font file this plugin generates. */
export function parseFontRules(css: string): readonly FontRule[] {
  return css.split('@font-face').flatMap((rule) => {
    const name = /interface-font\/([\w-]+)\.woff2/.exec(rule)?.[1];
    if (name === undefined) return [];
    const [, min, max] = /font-weight: (\d+) (\d+);/.exec(rule) ?? [];
    const ranges = [...rule.matchAll(/U\+([\dA-F]+)(?:-([\dA-F]+))?/g)];
    const characters = ranges.flatMap(([, first = '', last = first]) => {
      const start = Number.parseInt(first, 16);
      return Array.from({ length: Number.parseInt(last, 16) - start + 1 }, (_, index) => start + index);
    });
    return [
      { name, weights: { min: Number(min), max: Number(max) }, text: String.fromCodePoint(...characters) },
    ];
  });
}

/** @returns a WOFF2 file. Characters that Inter lacks are ignored. */
export async function createSubset({ name, weights, text }: FontRule): Promise<Buffer> {
  const source = import.meta.resolve(`${fonts}/files/inter-${name}-wght-normal.woff2`);
  // A constant, because the types of the package lack `keepFeatures`.
  const options = {
    targetFormat: 'woff2',
    variationAxes: { wght: weights },
    keepFeatures: features,
  } as const;
  return subsetFont(await readFile(fileURLToPath(source)), text, options);
}
