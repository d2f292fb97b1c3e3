import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dist?: { readonly tarball: string };
}

/** What npm sends to publish a version. */
interface Publication {
  readonly versions: Readonly<Record<string, Manifest>>;
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>;
}

/** A registry on this machine: it takes publications, and has the packages that are installed in the repository. */
export interface LocalRegistry {
  readonly url: string;
  /** `name@version` of each publication. */
  readonly published: readonly string[];
  close(): Promise<void>;
}

export async function startRegistry(): Promise<LocalRegistry> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-'));
  const publications = new Map<string, Publication>();
  const installed = readInstalled();

  const readVersions = (name: string, url: string): Readonly<Record<string, Manifest>> | undefined => {
    const publication = publications.get(name);
    if (publication) return publication.versions;
    const folders = installed.get(name);
    if (!folders) return undefined;
    return Object.fromEntries(
      folders.map((each) => {
        const manifest = JSON.parse(readFileSync(join(each, 'package.json'), 'utf8')) as Manifest;
        const { version } = manifest;
        return [version, { ...manifest, dist: { tarball: `${url}/${name}/-/${version}.tgz` } }];
      }),
    );
  };

  const readTarball = (name: string, file: string): Buffer | undefined => {
    const { _attachments: attachments = {} } = publications.get(name) ?? {};
    const attached = attachments[file];
    if (attached) return Buffer.from(attached.data, 'base64');
    const version = file.replace(/\.tgz$/, '');
    const source = installed
      .get(name)
      ?.find(
        (each) =>
          (JSON.parse(readFileSync(join(each, 'package.json'), 'utf8')) as Manifest).version === version,
      );
    if (source === undefined) return undefined;
    const tarball = join(folder, `${name.replace('/', '+')}-${file}`);
    const rename = ['--exclude', './node_modules', '--transform', 's,^\\.,package,'];
    if (!existsSync(tarball)) execFileSync('tar', ['-czf', tarball, '-C', source, ...rename, '.']);
    return readFileSync(tarball);
  };

  const respond = async (request: IncomingMessage, url: string): Promise<unknown> => {
    const path = decodeURIComponent((request.url ?? '').slice(1));
    if (request.method === 'PUT') {
      publications.set(path, JSON.parse(await text(request)) as Publication);
      return { ok: true };
    }
    const [name = '', file] = path.split('/-/');
    if (file !== undefined) return readTarball(name, file);
    const versions = readVersions(name, url);
    const latest = Object.keys(versions ?? {}).at(-1);
    return versions && { name, versions, 'dist-tags': { latest } };
  };

  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    void respond(request, `http://localhost:${port}`).then(
      (body) => {
        response.statusCode = body === undefined ? 404 : 200;
        response.end(body instanceof Buffer ? body : JSON.stringify(body ?? { error: 'not_found' }));
      },
      (problem: unknown) => response.writeHead(500).end(String(problem)),
    );
  });
  await new Promise<void>((done) => server.listen(0, 'localhost', done));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    get published() {
      return Array.from(publications, ([name, { versions }]) => `${name}@${Object.keys(versions).join()}`);
    },
    async close() {
      await new Promise((done) => server.close(done));
      rmSync(folder, { recursive: true });
    },
  };
}

/** The folders of each package in `node_modules`, all versions of it, by name. */
function readInstalled(): ReadonlyMap<string, readonly string[]> {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Readonly<Record<string, { readonly link?: boolean }>>;
  };
  const folders = new Map<string, string[]>();
  for (const [path, { link }] of Object.entries(packages)) {
    const name = path.split('node_modules/').at(-1) ?? '';
    if (!path.includes('node_modules/') || link || !existsSync(path)) continue;
    folders.set(name, [...(folders.get(name) ?? []), resolve(path)]);
  }
  return folders;
}
