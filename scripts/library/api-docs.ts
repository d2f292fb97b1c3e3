/** `npm run docs:api`: the documentation of every public name, from the docstrings, as pages in `docs/api`. */
import { Application } from 'typedoc';
import { libraryEntries } from './library-entries.ts';

const application = await Application.bootstrapWithPlugins({
  options: 'typedoc.json',
  entryPoints: Object.values(libraryEntries).map((file) => `src/${file}.ts`),
});
const project = await application.convert();
if (project) {
  application.validate(project);
  await application.generateOutputs(project);
}
if (!project || application.logger.hasErrors() || application.logger.hasWarnings()) process.exitCode = 1;
