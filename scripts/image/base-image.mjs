import { chmodSync, copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LeftOut, run } from './machine.mjs';

const PULL_TIMEOUT_MS = 60_000;
const NPM = '11.19.1';
const TRUST = '/etc/ssl/certs/ca-certificates.crt';

const unpack = (name, folder, into) => {
  const [{ filename }] = JSON.parse(run('npm', ['pack', name, '--json', '--silent'], { cwd: folder }));
  mkdirSync(into, { recursive: true });
  run('tar', ['--extract', '--gzip', '--file', join(folder, filename), '--directory', into, '--strip-components=1', '--no-same-owner']);
};

const makeRoot = (folder, version) => {
  const root = join(folder, 'root');
  run('debootstrap', ['--variant=minbase', 'bookworm', root]);
  unpack(`node-linux-${process.arch}@${version}`, folder, join(folder, 'node'));
  copyFileSync(join(folder, 'node', 'bin', 'node'), join(root, 'usr/local/bin/node'));
  chmodSync(join(root, 'usr/local/bin/node'), 0o755);
  unpack(`npm@${NPM}`, folder, join(root, 'usr/local/lib/node_modules/npm'));
  for (const name of ['npm', 'npx']) {
    chmodSync(join(root, `usr/local/lib/node_modules/npm/bin/${name}-cli.js`), 0o755);
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr/local/bin', name));
  }
  run('chroot', [root, 'groupadd', '--gid', '1000', 'node']);
  run('chroot', [root, 'useradd', '--uid', '1000', '--gid', 'node', '--create-home', 'node']);
  // Certificates that this machine trusts for the registry.
  if (existsSync(TRUST)) {
    mkdirSync(join(root, 'etc/ssl/certs'), { recursive: true });
    copyFileSync(TRUST, join(root, TRUST));
    mkdirSync(join(root, 'usr/local/etc'), { recursive: true });
    writeFileSync(join(root, 'usr/local/etc/npmrc'), `cafile=${TRUST}\n`);
  }
  return root;
};

/**
 * Provides the Dockerfile's published base image or, if unavailable, an equivalent one built from packages.
 * @param {string} name as FROM has it: `node:<version>-<Debian>-slim`
 * @returns which of the two it is. @throws LeftOut if neither is available
 */
export const provideBase = (name, folder, buildah) => {
  const whole = `docker.io/library/${name}`;
  try {
    buildah(['pull', '--quiet', whole], { timeout: PULL_TIMEOUT_MS });
    return 'as published';
  } catch {
    const version = /^node:([\d.]+)-/.exec(name)?.[1];
    try {
      const root = makeRoot(folder, version);
      const container = buildah(['from', 'scratch']);
      buildah(['add', '--quiet', container, root, '/']);
      buildah(['config', '--env', `NODE_VERSION=${version}`, '--cmd', 'node', container]);
      buildah(['commit', '--quiet', '--rm', container, whole]);
      return 'made here, of Debian’s and npm’s packages';
    } catch (error) {
      throw new LeftOut(
        `the image was neither built nor run: its base ${name} can neither be pulled nor made here (${String(error.message).split('\n')[0]})`,
      );
    }
  }
};
