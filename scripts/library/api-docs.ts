/**
 * `npm run docs:api`: the documentation of every public name, from the docstrings, as pages of the site in `docs/api`. With `--check` it
 * writes none, and only looks for links that lead nowhere.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Application } from 'typedoc';
import { libraryEntries, libraryName } from './library-entries.ts';

const application = await Application.bootstrapWithPlugins({
  options: 'typedoc.json',
  entryPoints: Object.values(libraryEntries).map((file) => `src/${file}.ts`),
});
const project = await application.convert();
if (project) application.validate(project);
if (project && !process.argv.includes('--check')) {
  // A page is named as the entry is imported, not as its file.
  for (const module of project.children ?? []) {
    const entry = Object.entries(libraryEntries).find(
      ([, file]) => file.replace(/\/index$/, '') === module.name,
    );
    if (entry) module.name = libraryName + entry[0].slice(1);
  }
  await application.generateOutputs(project);
  // Remove the HTML anchors that the plugin writes for type parameters, because the pages of the site are plain Markdown.
  for (const name of await readdir('docs/api', { recursive: true })) {
    const file = join('docs/api', name);
    if (name.endsWith('.md'))
      await writeFile(file, (await readFile(file, 'utf8')).replaceAll(/<a id="[^"]*"><\/a> /g, ''));
  }
}
if (!project || application.logger.hasErrors() || application.logger.hasWarnings()) {
  console.error('The API pages are incomplete: a warning or an error above names the docstring to fix.');
  process.exitCode = 1;
}
